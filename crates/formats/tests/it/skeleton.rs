//! Conversion of clips to recordings: link poses are preserved, also through BVH.

use crate::{kinematics, turn_between, world};
use anthropi_dynamics::spatial::{Transform, Vec3};
use anthropi_formats::bvh;
use anthropi_formats::motion::recording_from_clip;
use anthropi_motion::Clip;
use anthropi_motion::recording::{Channel, Recording, Up};
use testkit::odd;

/// Required accuracy, m and rad.
const TOLERANCE: f64 = 1e-6;

/// Largest difference of positions and rotations of all links, m and rad.
fn difference(clip: &Clip, recording: &Recording) -> f64 {
    let figure = clip.figure();
    let mut worst = 0.0_f64;
    assert_eq!(recording.frames(), clip.frames());
    for frame in 0..clip.frames() {
        let (kinematics, places) = (kinematics(figure, clip.pose(frame)), world(recording, frame));
        for (handle, link) in figure.links() {
            let bone = recording.skeleton.find(&link.spec.name).unwrap();
            let joint_on_link = figure.joint(link.joint()).unwrap().child_from_joint.translation;
            let (place, turn) = places[bone];
            let got = Transform::new(place, turn) * Transform::translation(-joint_on_link);
            let expected = kinematics.link_pose(figure.forest(), handle);
            let turned = turn_between(expected.orientation(), got.orientation());
            worst = worst.max((got.translation - expected.translation).norm()).max(turned);
        }
    }
    worst
}

#[test]
fn recordings_keep_the_link_poses() {
    for figure in odd::figures() {
        let clip = odd::clip(figure, 60);
        let recording = recording_from_clip(&clip);
        let name = &clip.figure().name;
        let direct = difference(&clip, &recording);
        assert!(direct < 1e-12, "{name}: {direct:e}");
        let (text, warnings) = bvh::write(&recording);
        assert_eq!(warnings, [], "{name}");
        let options = bvh::Options { unit: Some(0.01), up: Some(Up::Y), keep_first_frame: true };
        let again = bvh::read_with(&text, "t.bvh", &options).unwrap();
        let there_and_back = difference(&clip, &again);
        assert!(there_and_back < TOLERANCE, "{name}: {there_and_back:e}");
        assert!((again.dt - clip.dt()).abs() < 1e-12);
    }
}

#[test]
fn people_read_back_without_options() {
    for name in ["human-16", "human-28", "human-40", "anthropi-42"] {
        let figure = anthropi_app::builtin::figure(name).unwrap().unwrap().figure;
        // constant pose: no reader can distinguish a T-pose from a fast motion
        let q = figure.forest().home().repeat(4);
        let clip = Clip::new("stands", figure.into(), 0.01, q).unwrap();
        let (text, _) = bvh::write(&recording_from_clip(&clip));
        let again = bvh::read(&text, "t.bvh").unwrap();
        let worst = difference(&clip, &again);
        assert!(worst < TOLERANCE, "{name}: {worst:e}; {:?}", again.notes);
    }
}

#[test]
fn joints_have_the_channels_they_need() {
    let recording = recording_from_clip(&odd::clip(odd::odd(), 2));
    let count = |name: &str| {
        let bone = &recording.skeleton.bones[recording.skeleton.find(name).unwrap()];
        let places = bone.channels.iter().filter(|c| matches!(c, Channel::Position(_))).count();
        (places, bone.channels.len() - places)
    };
    assert_eq!(count("trunk"), (3, 3));
    assert_eq!(count("left_arm"), (0, 3));
    assert_eq!(count("left_hand"), (0, 1), "about an axis");
    assert_eq!(count("skew"), (0, 3), "about a skew one");
    assert_eq!(count("slide"), (3, 0));
    assert_eq!(count("twist"), (0, 2));
    assert_eq!(count("right_half"), (0, 3), "two angles of three are free");
    assert_eq!(count("plate"), (0, 3), "sits turned");
    let hand = &recording.skeleton.bones[recording.skeleton.find("left_hand").unwrap()];
    assert!((hand.end.unwrap() - Vec3 { x: 0.0, y: 0.0, z: -0.1 }).norm() < 1e-12, "{:?}", hand.end);
}

#[test]
fn feet_end_at_the_front_of_their_soles() {
    for (name, front) in [("human-28", [0.13, 0.0, -0.07]), ("anthropi-42", [0.18, 0.0, -0.07])] {
        let figure = anthropi_app::builtin::figure(name).unwrap().unwrap().figure;
        let q = figure.forest().home().to_vec();
        let recording = recording_from_clip(&Clip::new("stands", figure.into(), 0.01, q).unwrap());
        for foot in ["left_foot", "right_foot"] {
            let bone = &recording.skeleton.bones[recording.skeleton.find(foot).unwrap()];
            let end = bone.end.expect("an end site");
            assert!((end - Vec3::from_array(&front)).norm() < 1e-12, "{name} {foot}: {end:?}");
        }
    }
}

#[test]
fn lost_channels_give_warnings() {
    let mut recording = recording_from_clip(&odd::clip(odd::odd(), 30));
    let arm = recording.skeleton.find("left_arm").unwrap();
    recording.skeleton.bones[arm].channels = vec![Channel::Rotation(0)];
    let slide = recording.skeleton.find("slide").unwrap();
    recording.skeleton.bones[slide].channels.clear();
    let (_, warnings) = bvh::write(&recording);
    let texts: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(
        texts[0].starts_with("left_arm: rotations of up to ") && texts[0].contains("degrees"),
        "{texts:?}"
    );
    assert!(texts[1].starts_with("slide: translations of up to ") && texts[1].contains(" m "), "{texts:?}");
}
