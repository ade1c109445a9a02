//! Figures with all kinds of joints, and motions of them, for tests of writers.

use anthropi_app::builtin;
use anthropi_dynamics::model::Figure;
use anthropi_formats::figure;
use anthropi_motion::{Clip, pose};
use std::sync::Arc;

/// Every kind of joint: with axis-aligned and skew axes, rotated frames, offsets from the link's origin, locks.
pub const ODD: &str = r#"
name = "odd"

[[link]]
name = "trunk"
shape = [{ kind = "box", size = [0.2, 0.3, 0.5], at = [0, 0, 0.2] }]
density = 1000
joint = { kind = "free", name = "root" }

[[link]]
name = "left_arm"
shape = [{ kind = "capsule", radius = 0.04, length = 0.2, at = [0, 0, -0.15] }]
density = 1000
joint = { kind = "spherical", name = "shoulder", parent = "trunk", at = [0, 0.2, 0.4], child_at = [0.01, 0.02, 0.03] }

[[link]]
name = "left_hand"
shape = [{ kind = "sphere", radius = 0.05, at = [0, 0, -0.05] }]
density = 1000
joint = { kind = "revolute", name = "wrist", parent = "left_arm", axis = [0, -1, 0], at = [0, 0, -0.3] }

[[link]]
name = "skew"
shape = [{ kind = "cylinder", radius = 0.04, length = 0.2, at = [0.1, 0, 0] }]
density = 1000
joint = { kind = "revolute", name = "slant", parent = "trunk", axis = [0.6, 0, 0.8], at = [0, -0.2, 0.4], turn_deg = [20, 0, 30] }

[[link]]
name = "slide"
shape = [{ kind = "ellipsoid", size = [0.1, 0.2, 0.3] }]
density = 1000
joint = { kind = "prismatic", name = "rail", parent = "skew", axis = [0.6, 0.8, 0], at = [0.2, 0, 0] }

[[link]]
name = "twist"
shape = [{ kind = "box", size = [0.1, 0.1, 0.2], at = [0, 0, 0.1] }]
density = 1000
joint = { kind = "universal", name = "cardan", parent = "slide", axes = ["x", "y"], at = [0, 0, 0.2] }

[[link]]
name = "right_half"
shape = [{ kind = "convex", points = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]] }]
density = 1000
joint = { kind = "spherical", name = "ball", parent = "trunk", order = "zyx", locked = [false, true, false], at = [0, 0, 0.5] }

[[link]]
name = "plate"
mass = 0.5
center = [0.01, 0, 0.02]
inertia = [0.001, 0.001, 0.001]
joint = { kind = "fixed", name = "weld", parent = "twist", at = [0, 0, 0.2], turn_deg = [0, 45, 0] }
"#;

/// The figure of [`ODD`].
pub fn odd() -> Figure {
    figure::read(ODD, "odd.toml").unwrap_or_else(|e| panic!("{e}")).figure
}

/// All built-in figures and [`odd`].
pub fn figures() -> Vec<Figure> {
    let all = builtin::FIGURES.iter().map(|b| builtin::figure(b.name).unwrap().unwrap().figure);
    all.chain([odd()]).collect()
}

/// A large oscillation about the home pose along one direction, covering most angles.
pub fn clip(figure: Figure, frames: usize) -> Clip {
    let forest = figure.forest();
    let direction: Vec<f64> = (0..forest.nv()).map(|k| ((k * 7919 + 13) as f64).sin() * 2.0).collect();
    let mut q = Vec::new();
    for frame in 0..frames {
        let mut pose = forest.home().to_vec();
        pose::along(forest, forest.home(), &direction, (0.11 * frame as f64).sin(), &mut pose);
        q.extend(pose);
    }
    let name = format!("{} moves", figure.name);
    Clip::new(name, Arc::new(figure), 1.0 / 120.0, q).unwrap().starting_at(0.25)
}
