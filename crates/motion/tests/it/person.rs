//! Figures for recorded skeletons: given masses, motions equal to the files, ballistic jumps.

use anthropi_app::{builtin, loaded_motion};
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_formats::{bvh, motion};
use anthropi_motion::anatomy::{self, Side};
use anthropi_motion::clip::Clip;
use anthropi_motion::contact_points::{self, Site};
use anthropi_motion::filter;
use anthropi_motion::person::{Options, Person};
use anthropi_motion::recording::Recording;
use std::path::PathBuf;
use testkit::captured::recording;
use testkit::data;

/// Largest difference of joint positions from the file, m.
const ROUNDING: f64 = 1e-9;

fn recordings() -> Vec<Recording> {
    let folders = ["bvh", "bvh_other", "asfamc"].into_iter().filter_map(|d| std::fs::read_dir(data(d)?).ok());
    let mut paths: Vec<PathBuf> = folders.flat_map(|dir| dir.flatten().map(|e| e.path())).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "bvh"));
    paths.sort();
    paths.iter().map(|p| recording(p)).collect()
}

#[test]
fn the_motion_of_the_figure_equals_the_file() {
    for recording in recordings() {
        let options = Options { mass: Some(71.5), keep_lost_thorax: true, ..Options::default() };
        let person = Person::from_recording(&recording, &options).unwrap();
        assert!((person.figure.mass() - 71.5).abs() < 1e-9, "{}", person.figure.mass());
        let clip = person.clip(&recording).unwrap();
        assert_eq!(clip.frames(), recording.frames());
        let (mut kinematics, mut places) = (Kinematics::default(), Vec::new());
        let mut found = 0;
        for frame in (0..clip.frames()).step_by(37) {
            kinematics.update(person.figure.forest(), clip.pose(frame), None, None);
            recording.world_at(frame, &mut places);
            for part in anthropi_motion::anatomy::Part::main() {
                let Some(bone) = person.anatomy.find(part) else { continue };
                let Ok(link) = person.figure.find_link(&part.to_string()) else { continue };
                let miss =
                    (kinematics.link_pose(person.figure.forest(), link).translation - places[bone].0).norm();
                assert!(miss < ROUNDING, "{} frame {frame} {part}: {miss:e}", recording.name);
                found += 1;
            }
        }
        assert!(found >= 15, "{}: {found} parts", recording.name);
    }
}

/// Height of the centre of mass over the frames.
fn heights(clip: &Clip) -> Vec<f64> {
    let forest = clip.figure().forest();
    let mut kinematics = Kinematics::default();
    let height = |frame| {
        kinematics.update(forest, clip.pose(frame), None, None);
        centroidal::center_of_mass(forest, &kinematics).z
    };
    (0..clip.frames()).map(height).collect()
}

#[test]
fn jumps_obey_gravity() {
    // flight times in s from the documentation of the data
    for (file, flight) in [("bvh/02_04.bvh", 0.49), ("bvh/13_11.bvh", 0.36)] {
        let Some(recording) = data(file).map(|path| recording(&path)) else { continue };
        let person = Person::from_recording(&recording, &Options::default()).unwrap();
        let heights = heights(&person.clip(&recording).unwrap());
        let apex = (0..heights.len()).max_by(|a, b| heights[*a].total_cmp(&heights[*b])).unwrap();
        let reach = (0.4 * flight / recording.dt) as usize;
        let curvature = second_derivative(&heights[apex - reach..=apex + reach], recording.dt);
        println!("{file}: g = {:.3}", -curvature);
        assert!((9.3..=10.3).contains(&-curvature), "{file}: g = {:.3}", -curvature);
    }
}

/// Second derivative of the least-squares parabola through an odd number of equally spaced values.
fn second_derivative(values: &[f64], dt: f64) -> f64 {
    let middle = (values.len() / 2) as f64;
    let squares: Vec<f64> = (0..values.len()).map(|i| ((i as f64 - middle) * dt).powi(2)).collect();
    let mean = squares.iter().sum::<f64>() / squares.len() as f64;
    let (top, bottom) = squares
        .iter()
        .zip(values)
        .fold((0.0, 0.0), |(top, bottom), (s, v)| (top + (s - mean) * v, bottom + (s - mean) * (s - mean)));
    2.0 * top / bottom
}

/// A built-in motion written as BVH and read back.
fn written(name: &str) -> (Clip, Recording) {
    let clip = builtin::motion(name).unwrap().unwrap();
    let (text, warnings) = bvh::write(&motion::recording_from_clip(&clip));
    assert_eq!(warnings, [], "{name}");
    (clip, bvh::read(&text, "written.bvh").unwrap())
}

/// Front and rear edge of the left sole in foot axes.
fn sole(figure: &Figure) -> [Vec3; 2] {
    let places = contact_points::find(figure, &anatomy::from_figure(figure, &[]).unwrap()).unwrap();
    [Site::Toe(Side::Left), Site::Heel(Side::Left)].map(|site| {
        let points = &places.iter().find(|p| p.site == site).unwrap().points;
        (points[0] + points[1]).scale(0.5)
    })
}

#[test]
fn soles_are_recovered_from_a_written_motion() {
    for name in ["keyed-walk", "keyed-run", "keyed-jump"] {
        let (clip, recording) = written(name);
        let person = Person::from_recording(&recording, &Options::default()).unwrap();
        let ([front, rear], [was_front, was_rear]) = (sole(&person.figure), sole(clip.figure()));
        // the file contains the end of the foot; heel and normal are estimated
        assert!((front - was_front).norm() < 0.01, "{name}: {front:?}, was {was_front:?}");
        assert!((rear - was_rear).norm() < 0.02, "{name}: {rear:?}, was {was_rear:?}");
    }
}

#[test]
fn a_written_walk_can_be_filtered() {
    let (_, recording) = written("keyed-walk");
    let person = Person::from_recording(&recording, &Options::default()).unwrap();
    let clip = person.clip(&recording).unwrap();
    let filtered = filter::run(&clip, &filter::FilterSettings::default(), &mut |_| (), &mut |_| ()).unwrap();
    assert_eq!(filtered.fell, None);
    assert!(filtered.tracking.joint_rms_deg < 3.0, "{}", filtered.tracking.joint_rms_deg);
}

#[test]
fn joints_have_the_channels_of_the_file() {
    let (_, recording) = written("keyed-kick");
    let person = Person::from_recording(&recording, &Options::default()).unwrap();
    let figure = &person.figure;
    let kind = |joint: &str| figure.joint(figure.find_joint(joint).unwrap()).unwrap().kind;
    assert!(matches!(kind("left_knee"), JointKind::Revolute { .. }), "{:?}", kind("left_knee"));
    assert!(matches!(kind("right_ankle"), JointKind::Universal { .. }), "{:?}", kind("right_ankle"));
    assert_eq!(kind("left_hip"), JointKind::Spherical);
    let noted =
        |what: &str, joint: &str| person.notes.iter().any(|n| n.starts_with(what) && n.contains(joint));
    assert!(noted("hinges by", "left_knee") && noted("universal joints by", "right_ankle"));

    // edited coordinates survive writing and reading
    let clip = person.clip(&recording).unwrap();
    let nq = figure.forest().nq();
    let mut q = clip.poses().to_vec();
    for (joint, k, change) in [("left_knee", 0, 0.3), ("right_ankle", 0, 0.2), ("right_ankle", 1, -0.1)] {
        let at = figure.forest().joint_place(figure.find_joint(joint).unwrap()).iq + k;
        q.iter_mut().skip(at).step_by(nq).for_each(|x| *x += change);
    }
    let changed = Clip::new("changed", figure.clone(), clip.dt(), q).unwrap();
    let (text, warnings) = bvh::write(&loaded_motion::write_back(&recording, &clip, &changed));
    assert_eq!(warnings, []);
    let again = person.clip(&bvh::read(&text, "written.bvh").unwrap()).unwrap();
    let worst = again.poses().iter().zip(changed.poses()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-7, "{worst:e}");
}

#[test]
fn a_rest_pose_survives_editing_and_gives_the_same_person() {
    let (_, mut recording) = written("keyed-walk");
    let arms = recording.skeleton.bones.iter().position(|b| b.name.contains("upper_arm")).unwrap();
    let mut turns = vec![Quat::IDENTITY; recording.skeleton.bones.len()];
    turns[arms] = Quat::exp(vec3(1.2, 0.0, 0.0));
    recording.rest = Some((turns, recording.positions_at(0).to_vec()));
    let person = Person::from_recording(&recording, &Options::default()).unwrap();
    let clip = person.clip(&recording).unwrap();
    let mut q = clip.poses().to_vec();
    q.iter_mut().step_by(person.figure.forest().nq()).for_each(|x| *x += 0.3);
    let moved = Clip::new("moved", person.figure.clone(), clip.dt(), q).unwrap();

    let (text, _) = bvh::write(&loaded_motion::write_back(&recording, &clip, &moved));
    let again = bvh::read(&text, "written.bvh").unwrap();
    assert_eq!(again.frames(), recording.frames());
    let (_, places) = again.rest.as_ref().expect("a rest pose as before");
    assert!(
        (places[0] - again.positions_at(0)[0]).norm() < 1e-6,
        "the root of the rest pose did not move along"
    );
    let same = Person::from_recording(&again, &Options::default()).unwrap();
    for (handle, link) in person.figure.links() {
        let (was, is) = (link.spec.inertia, same.figure.link(handle).unwrap().spec.inertia);
        assert!((was.moment - is.moment).norm() < 1e-6, "{}: {:?}, was {:?}", link.spec.name, is, was);
    }

    // before a single frame it could be mistaken for motion
    let bones = recording.skeleton.bones.len();
    recording.rotations.truncate(bones);
    recording.positions.truncate(bones);
    let clip = person.clip(&recording).unwrap();
    assert_eq!(loaded_motion::write_back(&recording, &clip, &clip).rest, None);
}

#[test]
fn captured_joints_of_three_channels_are_balls() {
    for recording in recordings() {
        let person = Person::from_recording(&recording, &Options::default()).unwrap();
        let balls = person.figure.joints().filter(|(_, j)| j.kind == JointKind::Spherical).count();
        assert_eq!(balls + 1, person.figure.joints().count(), "{}", recording.name);
    }
}
