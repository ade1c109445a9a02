//! Any figure's motion as a recording: written as BVH and read back, every link is where it was.

mod moving;

use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::{Transform, Vec3};
use anthropi_io::bvh;
use anthropi_io::motion::recording_of;
use anthropi_motion::Clip;
use anthropi_motion::recording::{Channel, Recording, Up};

/// What the contract asks for, m and rad.
const TOLERANCE: f64 = 1e-6;

/// Largest difference of places and turns of all links, m and rad.
fn difference(clip: &Clip, recording: &Recording) -> f64 {
    let figure = clip.figure();
    let (mut kinematics, mut places, mut worst) = (Kinematics::default(), Vec::new(), 0.0_f64);
    assert_eq!(recording.frames(), clip.frames());
    for frame in 0..clip.frames() {
        kinematics.update(figure.forest(), clip.pose(frame), None, None);
        recording.world_at(frame, &mut places);
        for (handle, link) in figure.links() {
            let bone = recording.skeleton.find(&link.spec.name).unwrap();
            let joint_on_link = figure.joint(link.joint()).unwrap().child_from_joint.translation;
            let (place, turn) = places[bone];
            let got = Transform::new(place, turn) * Transform::translation(-joint_on_link);
            let expected = kinematics.link_pose(figure.forest(), handle);
            let turned = expected.orientation().inverse().then(got.orientation()).log().norm();
            worst = worst.max((got.translation - expected.translation).norm()).max(turned);
        }
    }
    worst
}

#[test]
fn every_link_is_where_it_was() {
    for figure in moving::figures() {
        let clip = moving::clip(figure, 60);
        let recording = recording_of(&clip);
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
fn people_are_read_back_without_being_told_anything() {
    for name in ["human-16", "human-28", "human-40", "anthropi-42"] {
        let figure = anthropi_io::builtin::figure(name).unwrap().unwrap().figure;
        // standing still: no reader can tell a T-pose from a wild motion
        let q = figure.forest().home().repeat(4);
        let clip = Clip::new("stands", figure.into(), 0.01, q).unwrap();
        let (text, _) = bvh::write(&recording_of(&clip));
        let again = bvh::read(&text, "t.bvh").unwrap();
        let worst = difference(&clip, &again);
        assert!(worst < TOLERANCE, "{name}: {worst:e}; {:?}", again.notes);
    }
}

#[test]
fn joints_have_the_channels_they_need() {
    let recording = recording_of(&moving::clip(moving::odd(), 2));
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
        let figure = anthropi_io::builtin::figure(name).unwrap().unwrap().figure;
        let q = figure.forest().home().to_vec();
        let recording = recording_of(&Clip::new("stands", figure.into(), 0.01, q).unwrap());
        for foot in ["left_foot", "right_foot"] {
            let bone = &recording.skeleton.bones[recording.skeleton.find(foot).unwrap()];
            let end = bone.end.expect("an end site");
            assert!((end - Vec3::from_array(&front)).norm() < 1e-12, "{name} {foot}: {end:?}");
        }
    }
}

#[test]
fn what_channels_cannot_hold_is_told() {
    let mut recording = recording_of(&moving::clip(moving::odd(), 30));
    let arm = recording.skeleton.find("left_arm").unwrap();
    recording.skeleton.bones[arm].channels = vec![Channel::Rotation(0)];
    let slide = recording.skeleton.find("slide").unwrap();
    recording.skeleton.bones[slide].channels.clear();
    let (_, warnings) = bvh::write(&recording);
    let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("left_arm: turns of up to ") && told[0].contains("degrees"), "{told:?}");
    assert!(told[1].starts_with("slide: ways of up to ") && told[1].contains(" m "), "{told:?}");
}
