//! Figures for recorded skeletons: masses as asked, motions that are those of the files, jumps that obey gravity.

mod captured;

use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_io::{builtin, bvh, motion, moving};
use anthropi_motion::anatomy::{self, Side};
use anthropi_motion::clip::Clip;
use anthropi_motion::filter;
use anthropi_motion::person::{Options, Person};
use anthropi_motion::recording::Recording;
use anthropi_motion::spots::{self, Spot};
use captured::{data, recording};
use std::path::PathBuf;

/// Places of joints differ from the file's by rounding, m.
const ROUNDING: f64 = 1e-9;

fn recordings() -> Vec<Recording> {
    let folders = ["bvh", "bvh_other", "asfamc"].into_iter().filter_map(|d| std::fs::read_dir(data(d)).ok());
    let mut paths: Vec<PathBuf> = folders.flat_map(|dir| dir.flatten().map(|e| e.path())).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "bvh"));
    paths.sort();
    paths.iter().filter_map(|p| recording(p)).collect()
}

#[test]
fn the_motion_of_the_figure_is_that_of_the_file() {
    for recording in recordings() {
        let options = Options { mass: Some(71.5), keep_lost_thorax: true, ..Options::default() };
        let person = Person::of(&recording, &options).unwrap();
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
    // seconds in the air, as the data's own page tells them
    for (file, flight) in [("bvh/02_04.bvh", 0.49), ("bvh/13_11.bvh", 0.36)] {
        let Some(recording) = recording(&data(file)) else { continue };
        let person = Person::of(&recording, &Options::default()).unwrap();
        let heights = heights(&person.clip(&recording).unwrap());
        let apex = (0..heights.len()).max_by(|a, b| heights[*a].total_cmp(&heights[*b])).unwrap();
        let reach = (0.4 * flight / recording.dt) as usize;
        let curvature = second_derivative(&heights[apex - reach..=apex + reach], recording.dt);
        println!("{file}: g = {:.3}", -curvature);
        assert!((9.3..=10.3).contains(&-curvature), "{file}: g = {:.3}", -curvature);
    }
}

/// Of the parabola of least squares through values at equal steps, an odd number of them.
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

/// A built-in motion written as BVH and read back, as its user would do it.
fn written(name: &str) -> (Clip, Recording) {
    let clip = builtin::motion(name).unwrap().unwrap();
    let (text, warnings) = bvh::write(&motion::recording_of(&clip));
    assert_eq!(warnings, [], "{name}");
    (clip, bvh::read(&text, "written.bvh").unwrap())
}

/// Front and rear end of the left sole, in the foot's axes about the ankle.
fn sole(figure: &Figure) -> [Vec3; 2] {
    let places = spots::of_figure(figure, &anatomy::of_figure(figure, &[]).unwrap()).unwrap();
    [Spot::Toe(Side::Left), Spot::Heel(Side::Left)].map(|spot| {
        let points = &places.iter().find(|p| p.spot == spot).unwrap().points;
        (points[0] + points[1]).scale(0.5)
    })
}

#[test]
fn soles_of_a_written_motion_are_where_they_were() {
    for name in ["keyed-walk", "keyed-run", "keyed-jump"] {
        let (clip, recording) = written(name);
        let person = Person::of(&recording, &Options::default()).unwrap();
        let ([front, rear], [was_front, was_rear]) = (sole(&person.figure), sole(clip.figure()));
        // the end of the foot says where the front is; the heel is guessed, and the sole is level by frames that stand
        assert!((front - was_front).norm() < 0.01, "{name}: {front:?}, was {was_front:?}");
        assert!((rear - was_rear).norm() < 0.02, "{name}: {rear:?}, was {was_rear:?}");
    }
}

#[test]
fn a_written_walk_goes_through_the_filter() {
    let (_, recording) = written("keyed-walk");
    let person = Person::of(&recording, &Options::default()).unwrap();
    let clip = person.clip(&recording).unwrap();
    let filtered = filter::run(&clip, &filter::Settings::default(), &mut |_| (), &mut |_| ()).unwrap();
    assert_eq!(filtered.fell, None);
    assert!(filtered.tracking.joint_rms_deg < 3.0, "{}", filtered.tracking.joint_rms_deg);
}

#[test]
fn joints_turn_as_the_channels_of_the_file_say() {
    let (_, recording) = written("keyed-kick");
    let person = Person::of(&recording, &Options::default()).unwrap();
    let figure = &person.figure;
    let kind = |joint: &str| figure.joint(figure.find_joint(joint).unwrap()).unwrap().kind;
    assert!(matches!(kind("left_knee"), JointKind::Revolute { .. }), "{:?}", kind("left_knee"));
    assert!(matches!(kind("right_ankle"), JointKind::Universal { .. }), "{:?}", kind("right_ankle"));
    assert_eq!(kind("left_hip"), JointKind::Spherical);
    let told =
        |what: &str, joint: &str| person.notes.iter().any(|n| n.starts_with(what) && n.contains(joint));
    assert!(told("turn about one axis", "left_knee") && told("turn about two axes", "right_ankle"));

    // what the figure does otherwise can be written, and is read back as it was
    let clip = person.clip(&recording).unwrap();
    let nq = figure.forest().nq();
    let mut q = clip.poses().to_vec();
    for (joint, k, change) in [("left_knee", 0, 0.3), ("right_ankle", 0, 0.2), ("right_ankle", 1, -0.1)] {
        let at = figure.forest().joint_place(figure.find_joint(joint).unwrap()).iq + k;
        q.iter_mut().skip(at).step_by(nq).for_each(|x| *x += change);
    }
    let changed = Clip::new("changed", figure.clone(), clip.dt(), q).unwrap();
    let (text, warnings) = bvh::write(&moving::recording_of(&recording, &clip, &changed));
    assert_eq!(warnings, []);
    let again = person.clip(&bvh::read(&text, "written.bvh").unwrap()).unwrap();
    let worst = again.poses().iter().zip(changed.poses()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-7, "{worst:e}");
}

#[test]
fn a_rest_pose_stays_before_a_changed_motion_and_makes_the_same_person() {
    let (_, mut recording) = written("keyed-walk");
    let arms = recording.skeleton.bones.iter().position(|b| b.name.contains("upper_arm")).unwrap();
    let mut turns = vec![Quat::IDENTITY; recording.skeleton.bones.len()];
    turns[arms] = Quat::exp(vec3(1.2, 0.0, 0.0));
    recording.rest = Some((turns, recording.positions_at(0).to_vec()));
    let person = Person::of(&recording, &Options::default()).unwrap();
    let clip = person.clip(&recording).unwrap();
    let mut q = clip.poses().to_vec();
    q.iter_mut().step_by(person.figure.forest().nq()).for_each(|x| *x += 0.3);
    let moved = Clip::new("moved", person.figure.clone(), clip.dt(), q).unwrap();

    let (text, _) = bvh::write(&moving::recording_of(&recording, &clip, &moved));
    let again = bvh::read(&text, "written.bvh").unwrap();
    assert_eq!(again.frames(), recording.frames());
    let (_, places) = again.rest.as_ref().expect("a rest pose as before");
    assert!((places[0] - again.positions_at(0)[0]).norm() < 1e-6, "the root of the rest pose stays behind");
    let same = Person::of(&again, &Options::default()).unwrap();
    for (handle, link) in person.figure.links() {
        let (was, is) = (link.spec.inertia, same.figure.link(handle).unwrap().spec.inertia);
        assert!((was.moment - is.moment).norm() < 1e-6, "{}: {:?}, was {:?}", link.spec.name, is, was);
    }

    // before a single frame nobody could tell it from motion
    let bones = recording.skeleton.bones.len();
    recording.rotations.truncate(bones);
    recording.positions.truncate(bones);
    let clip = person.clip(&recording).unwrap();
    assert_eq!(moving::recording_of(&recording, &clip, &clip).rest, None);
}

#[test]
fn captured_joints_of_three_channels_are_balls() {
    for recording in recordings() {
        let person = Person::of(&recording, &Options::default()).unwrap();
        let balls = person.figure.joints().filter(|(_, j)| j.kind == JointKind::Spherical).count();
        assert_eq!(balls + 1, person.figure.joints().count(), "{}", recording.name);
    }
}
