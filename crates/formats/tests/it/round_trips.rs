//! Round trips of random figures and motions through all formats.

use crate::{kinematics, turn_between, world};
use anthropi_dynamics::algo::{crba, rnea};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Transform, Vec3};
use anthropi_formats::motion::{clip_bytes, json, recording_from_clip};
use anthropi_formats::{bvh, figure, mjcf, sto, trc, urdf};
use anthropi_motion::markers::Markers;
use anthropi_motion::recording::{Recording, Up};
use anthropi_motion::table::Table;
use anthropi_motion::{Clip, pose};
use std::path::Path;
use std::sync::Arc;
use testkit::{Rng, free_figure};

/// Numbers are written with all digits; angles and rotations go through matrices.
const ROUNDING: f64 = 1e-9;

fn random_pose(figure: &Figure, rng: &mut Rng) -> Vec<f64> {
    let forest = figure.forest();
    let way: Vec<f64> = (0..forest.nv()).map(|_| rng.signed()).collect();
    let mut q = forest.home().to_vec();
    pose::along(forest, forest.home(), &way, 1.0, &mut q);
    q
}

fn places(figure: &Figure, q: &[f64]) -> Vec<(String, Transform)> {
    let k = kinematics(figure, q);
    figure.links().map(|(h, l)| (l.spec.name.clone(), k.link_pose(figure.forest(), h))).collect()
}

fn clip(figure: &Arc<Figure>, rng: &mut Rng, frames: usize) -> Clip {
    let forest = figure.forest();
    let waves: Vec<[f64; 2]> = (0..forest.nv()).map(|_| [0.7 * rng.signed(), 6.0 * rng.uniform()]).collect();
    let (mut q, mut pose) = (Vec::new(), forest.home().to_vec());
    for f in 0..frames {
        let way: Vec<f64> = waves.iter().map(|[a, p]| a * (0.1 * f as f64 + p).sin()).collect();
        pose::along(forest, forest.home(), &way, 1.0, &mut pose);
        q.extend_from_slice(&pose);
    }
    Clip::new("random", figure.clone(), 1.0 / 60.0, q).unwrap()
}

/// Forces of a motion, which depend on all masses, inertias, placements and axes.
fn forces(figure: &Figure, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
    let mut tau = vec![0.0; figure.forest().nv()];
    rnea::inverse_dynamics(figure.forest(), q, v, a, None, &mut rnea::Work::default(), &mut tau);
    tau
}

/// The native format and JSON keep the coordinates: equal numbers are equal motions.
#[test]
fn native_figures_keep_their_dynamics() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let ours = free_figure(seed, 2 + rng.below(9));
        let again = figure::read(&figure::write(&ours), "again.toml").unwrap().figure;
        let nv = ours.forest().nv();
        assert_eq!((again.forest().nq(), again.forest().nv()), (ours.forest().nq(), nv), "seed {seed}");
        let q = random_pose(&ours, &mut rng);
        let [v, a] = [0, 1].map(|_| (0..nv).map(|_| rng.signed()).collect::<Vec<f64>>());
        for (k, (x, y)) in forces(&ours, &q, &v, &a).iter().zip(forces(&again, &q, &v, &a)).enumerate() {
            assert!((x - y).abs() < ROUNDING * (1.0 + x.abs()), "seed {seed}: force {k} is {y}, not {x}");
        }
    }
}

/// Other formats may split joints: link poses are the same, and so is the trace of the mass matrix over a motion of all
/// joints, which is the kinetic energy.
#[test]
fn figures_in_other_formats_keep_their_links() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed + 50);
        let ours = free_figure(seed, 2 + rng.below(7));
        let home = ours.forest().home();
        for (format, written) in [("mjcf", mjcf::write(&ours)), ("urdf", urdf::write(&ours))] {
            let Ok((text, _)) = written else { continue }; // URDF lacks some joints
            let read = match format {
                "mjcf" => mjcf::read(&text, "again.xml", None),
                _ => urdf::read(&text, "again.urdf"),
            };
            let again = read.unwrap_or_else(|e| panic!("seed {seed}: {format}: {e}\n{text}")).figure;
            assert!((again.mass() - ours.mass()).abs() < ROUNDING, "seed {seed}: {format}: another mass");
            let there = places(&again, again.forest().home());
            let (_, root) = there.iter().find(|(name, _)| name == "l0").expect("the root link");
            let here = places(&ours, home);
            for (name, pose) in &here {
                let (_, other) = there.iter().find(|(n, _)| n == name).unwrap();
                // URDF has no base: seen from the root
                let (a, b) = (here[0].1.inverse() * *pose, root.inverse() * *other);
                let off =
                    (a.translation - b.translation).norm() + turn_between(a.orientation(), b.orientation());
                assert!(off < ROUNDING, "seed {seed}: {format}: `{name}` is {off:e} off");
            }
        }
    }
}

#[test]
fn json_motions_round_trip_bit_for_bit() {
    for seed in 0..10 {
        let mut rng = Rng::new(seed + 100);
        let clip =
            clip(&Arc::new(free_figure(seed, 2 + rng.below(7))), &mut rng, 12).starting_at(rng.signed());
        let again = json::read(&json::write(&clip), "again.json").unwrap();
        assert_eq!((again.start(), again.dt()), (clip.start(), clip.dt()), "seed {seed}");
        assert!(
            again.poses().iter().zip(clip.poses()).all(|(a, b)| a.to_bits() == b.to_bits()),
            "seed {seed}"
        );
    }
}

/// Joint positions of a recording in a frame, by bone name.
fn bones(recording: &Recording, frame: usize) -> Vec<(String, Vec3)> {
    recording
        .skeleton
        .bones
        .iter()
        .zip(world(recording, frame))
        .map(|(b, (at, _))| (b.name.clone(), at))
        .collect()
}

/// BVH has bones for links: each is at its link's joint.
#[test]
fn bvh_motions_keep_the_link_poses() {
    for seed in 0..10 {
        let mut rng = Rng::new(seed + 200);
        let clip = clip(&Arc::new(free_figure(seed, 2 + rng.below(7))), &mut rng, 8);
        let recording = recording_from_clip(&clip);
        let (bytes, _) = clip_bytes(Path::new("again.bvh"), &clip).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let options = bvh::Options { unit: Some(0.01), up: Some(Up::Y), keep_first_frame: true };
        let again = bvh::read_with(&text, "again.bvh", &options).unwrap();
        assert_eq!((again.frames(), recording.frames()), (8, 8), "seed {seed}");
        for frame in 0..8 {
            for ((name, a), (other, b)) in bones(&recording, frame).into_iter().zip(bones(&again, frame)) {
                assert_eq!(name, other, "seed {seed}");
                let off = (a - b).norm();
                assert!(off < 1e-6, "seed {seed}, frame {frame}: `{name}` is {off:e} m off");
            }
        }
    }
}

#[test]
fn tables_and_markers_round_trip() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed + 300);
        let (rows, columns) = (1 + rng.below(20), 1 + rng.below(6));
        let number = |rng: &mut Rng| rng.signed() * 10f64.powi(rng.below(12) as i32 - 6);
        let table = Table {
            name: format!("table {seed}"),
            labels: (0..columns).map(|k| format!("knee_angle_{k}")).collect(),
            time: (0..rows).map(|k| 0.01 * k as f64).collect(),
            values: (0..rows * columns).map(|_| number(&mut rng)).collect(),
            in_degrees: seed % 2 == 0,
            header: Vec::new(),
        };
        let again = sto::read(sto::write(&table).unwrap().as_bytes(), "again.sto").unwrap();
        assert_eq!((&again.labels, again.in_degrees), (&table.labels, table.in_degrees), "seed {seed}");
        for (a, b) in table.values.iter().chain(&table.time).zip(again.values.iter().chain(&again.time)) {
            assert!((a - b).abs() <= 1e-12 * a.abs(), "seed {seed}: {a} came back as {b}");
        }
        let markers = Markers {
            name: format!("points {seed}"),
            labels: (0..columns).map(|k| format!("M{k}")).collect(),
            rate: 100.0,
            first_frame: 1,
            points: (0..rows * columns).map(|_| (rng.uniform() < 0.9).then(|| rng.vec3(2.0))).collect(),
            unit: 0.001,
            ..Markers::default()
        };
        let Ok(text) = trc::write(&markers) else { continue };
        let again = trc::read(text.as_bytes(), "again.trc").unwrap();
        assert_eq!((again.frames(), &again.labels), (rows, &markers.labels), "seed {seed}");
        for (a, b) in markers.points.iter().zip(&again.points) {
            match (a, b) {
                (Some(a), Some(b)) => {
                    assert!((*a - *b).norm() < 1e-6, "seed {seed}: {a:?} came back as {b:?}")
                }
                (a, b) => assert_eq!(a, b, "seed {seed}"),
            }
        }
    }
}

/// The trace of the mass matrix is that of the bodies: a figure written and read as text has the same one in any pose.
#[test]
fn mass_matrices_round_trip() {
    for seed in 0..10 {
        let mut rng = Rng::new(seed + 400);
        let ours = free_figure(seed, 5);
        let again = figure::read(&figure::write(&ours), "again.toml").unwrap().figure;
        let q = random_pose(&ours, &mut rng);
        let matrix = |f: &Figure| {
            let mut m = crba::PathMatrix::default();
            crba::mass_matrix(f.forest(), &q, &mut crba::Work::default(), &mut m);
            m.to_dense(f.forest()).concat()
        };
        for (a, b) in matrix(&ours).iter().zip(matrix(&again)) {
            assert!((a - b).abs() < ROUNDING * (1.0 + a.abs()), "seed {seed}: {a} {b}");
        }
    }
}
