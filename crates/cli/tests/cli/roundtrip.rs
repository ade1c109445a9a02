//! Round trips: captured motions to a built-in figure and back, and figures of people to MJCF and back.
//!
//! Ankles move by up to 15 mm, as sliding feet are held; other ends hardly.
//!
//! Data: `shared/data` beside the repository; those tests are skipped when it is absent.

use crate::people;
use crate::room::{Room, numbers};
use anthropi_dynamics::algo::crba;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use anthropi_formats::bvh;
use anthropi_motion::Clip;
use anthropi_motion::anatomy::{self, Part, Side};
use anthropi_motion::person::{Options, Person};
use anthropi_motion::recording::Recording;
use serde_json::{Map, json};
use std::path::{Path, PathBuf};

/// Tolerance of the body ends, m.
const NEAR: f64 = 0.02;
/// Tolerance of mass matrices, relative to their largest entry.
const SAME: f64 = 1e-9;
/// Position of the wrist on a forearm with the hand, as in retargeting.
const WRIST: f64 = 0.58;

fn data(clip: &str) -> Option<PathBuf> {
    testkit::data(&format!("bvh/{clip}.bvh"))
}

fn recording(path: &Path) -> Recording {
    let text = std::fs::read_to_string(path).expect("a file");
    bvh::read(&text, &path.display().to_string()).expect("a motion")
}

/// The motion of the person.
fn clip(recording: &Recording) -> Clip {
    let person = Person::from_recording(recording, &Options::default()).expect("a person");
    person.clip(recording).expect("its motion")
}

/// Ankles, wrists and top of the head of the person, by frame.
fn ends_of_person(clip: &Clip) -> Vec<[Vec3; 5]> {
    let figure = clip.figure();
    let anatomy = anatomy::from_figure(figure, &[]).expect("an anatomy");
    let link = |part: Part| figure.links().nth(anatomy.find(part).expect("a part")).expect("a link").0;
    let head = anatomy.find(Part::Head).expect("a head");
    let top = anatomy::nodes_of_figure(figure).expect("nodes")[head].end.expect("a top");
    let top = figure.home_pose(link(Part::Head)).inverse().point(top);
    let mut kinematics = Kinematics::default();
    let mut at = |frame: usize| {
        kinematics.update(figure.forest(), clip.pose(frame), None, None);
        let pose = |part: Part| kinematics.link_pose(figure.forest(), link(part));
        let joint = |part: Part| pose(part).translation;
        let [l, r] = Side::BOTH;
        [
            joint(Part::Foot(l)),
            joint(Part::Foot(r)),
            joint(Part::Hand(l)),
            joint(Part::Hand(r)),
            pose(Part::Head).point(top),
        ]
    };
    (0..clip.frames()).map(&mut at).collect()
}

/// The same of `human-28` in a BVH.
fn ends_of_bones(recording: &Recording) -> Vec<[Vec3; 5]> {
    let bones = &recording.skeleton.bones;
    let bone = |name: &str| bones.iter().position(|b| b.name == name).expect("a bone");
    let mut places = Vec::new();
    let mut at = |frame: usize| {
        recording.world_at(frame, &mut places);
        let joint = |name: &str| places[bone(name)].0;
        let along = |name: &str, part: f64| {
            let (i, end) = (bone(name), bones[bone(name)].end.expect("an end"));
            places[i].0 + places[i].1.rotate(end).scale(part)
        };
        [
            joint("left_foot"),
            joint("right_foot"),
            along("left_forearm", WRIST),
            along("right_forearm", WRIST),
            along("head", 1.0),
        ]
    };
    (0..recording.frames()).map(&mut at).collect()
}

#[track_caller]
fn check_round_trip(room: &Room, name: &str, source: &Path) {
    let out = format!("{name}.out.bvh");
    room.fine(&["convert", &source.display().to_string(), &out, "--figure", "human-28", "--json"]);
    let (from, to) = (recording(source), recording(&room.path(&out)));
    assert_eq!((from.frames(), from.dt), (to.frames(), to.dt), "{name}");
    let mut worst = [0.0_f64; 5];
    for (a, b) in ends_of_person(&clip(&from)).iter().zip(ends_of_bones(&to)) {
        for k in 0..5 {
            worst[k] = worst[k].max((a[k] - b[k]).norm());
        }
    }
    println!("{name}: ankles, wrists, head: {:.1?} mm", worst.map(|w| 1e3 * w));
    assert!(worst.iter().all(|w| *w < NEAR), "{name}: {worst:?}");
}

#[test]
fn body_ends_survive_the_round_trip() {
    let room = Room::with("roundtrip_ends", &[("squat.bvh", &people::squat(|_| [0.0; 3]))]);
    check_round_trip(&room, "squat", &room.path("squat.bvh"));
    for clip in ["02_01", "16_15", "35_01"] {
        let Some(path) = data(clip) else { return };
        check_round_trip(&room, clip, &path);
    }
}

/// The mass matrix at a pose, row by row.
fn mass_matrix(figure: &Figure, q: &[f64]) -> Vec<f64> {
    let (forest, mut work) = (figure.forest(), crba::Work::default());
    let mut m = crba::PathMatrix::default();
    crba::mass_matrix(forest, q, &mut work, &mut m);
    m.to_dense(forest).into_iter().flatten().collect()
}

#[track_caller]
fn same_mass_matrix(room: &Room, source: &Path, hinges: bool) {
    let from = recording(source);
    let person = Person::from_recording(&from, &Options { hinges, ..Options::default() }).expect("a person");
    let (figure, clip) = (&person.figure, person.clip(&from).expect("its motion"));
    let input = source.display().to_string();
    let more: &[&str] = if hinges { &["--hinges"] } else { &[] };
    for file in ["person.xml", "person.toml"] {
        room.fine(&[&["convert", &input, file, "--json"], more].concat());
        for frame in [0, clip.frames() / 3, clip.frames() - 1] {
            let mut q = Map::new();
            for (handle, joint) in figure.joints() {
                let place = figure.forest().joint_place(handle);
                q.insert(joint.name.clone(), json!(clip.pose(frame)[place.coordinates()]));
            }
            let got = room.compute(file, &json!({ "q": q }).to_string(), "dofs,mass_matrix", &[]);
            assert_eq!(got["dofs"], json!(figure.dof_names()), "{file}");
            let (got, expected) = (numbers(&got["mass_matrix"]), mass_matrix(figure, clip.pose(frame)));
            assert_eq!(got.len(), expected.len());
            let largest = expected.iter().copied().fold(0.0, f64::max);
            let off = got.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest;
            println!("{input} {file} frame {frame}: {off:.1e}");
            assert!(off < SAME, "{input} {file} frame {frame}: {off:e}");
        }
    }
}

#[test]
fn the_figure_of_a_person_survives_mjcf() {
    let room = Room::with("roundtrip_mjcf", &[("squat.bvh", &people::squat(|_| [0.0; 3]))]);
    same_mass_matrix(&room, &room.path("squat.bvh"), false);
    same_mass_matrix(&room, &room.path("squat.bvh"), true);
    for clip in ["02_01", "16_15", "35_01"] {
        let Some(path) = data(clip) else { return };
        same_mass_matrix(&room, &path, false);
    }
}
