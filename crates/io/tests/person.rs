//! Figures for recorded skeletons: masses as asked, motions that are those of the files, jumps that obey gravity.

mod captured;

use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_motion::clip::Clip;
use anthropi_motion::person::{Options, Person};
use anthropi_motion::recording::Recording;
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
