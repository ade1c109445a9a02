//! Motions for tests: synthetic ones on built-in figures, and recorded ones if present.

use crate::{captured, data};
use anthropi_app::builtin;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, Shape};
use anthropi_dynamics::spatial::{Quat, Transform, Vec3, vec3};
use anthropi_motion::{Clip, pose};
use core::f64::consts::{PI, TAU};
use std::fmt::Write;
use std::sync::Arc;

/// A built-in figure.
pub fn human(name: &str) -> Arc<Figure> {
    Arc::new(builtin::figure(name).unwrap().unwrap().figure)
}

/// A walk made of sines, with two steps per cycle.
#[derive(Clone, Copy)]
pub struct Walk {
    /// cycles per second
    pub cadence: f64,
    /// amplitude of the hips, rad
    pub swing: f64,
    /// m/s
    pub speed: f64,
    /// phase at time zero, cycles
    pub phase: f64,
}

/// A slow walk.
pub const SLOW_WALK: Walk = Walk { cadence: 0.8, swing: 0.35, speed: 1.0, phase: 0.0 };
/// A quick walk.
pub const QUICK_WALK: Walk = Walk { cadence: 1.0, swing: 0.5, speed: 1.8, phase: 0.2 };

impl Walk {
    /// Pose at a time; left touchdowns at whole cycles.
    pub fn pose(&self, figure: &Figure, t: f64) -> Vec<f64> {
        let cycle = TAU * (self.cadence * t + self.phase);
        let mut q = figure.forest().home().to_vec();
        let mut set = |joint: &str, values: &[f64]| {
            let place = figure.forest().joint_place(figure.find_joint(joint).unwrap());
            q[place.iq..place.iq + values.len()].copy_from_slice(values);
        };
        let root = Quat::about(vec3(0.0, 0.0, 1.0), 0.08 * cycle.sin())
            .then(Quat::about(vec3(0.0, 1.0, 0.0), 0.05 + 0.02 * (2.0 * cycle).cos()));
        let place = [self.speed * t, 0.02 * cycle.sin(), 0.93 + 0.02 * (2.0 * cycle).cos()];
        set("root", &[&place[..], &root.0].concat());
        for (side, cycle) in [("left", cycle), ("right", cycle + PI)] {
            let hip = Quat::about(vec3(0.0, 1.0, 0.0), -self.swing * cycle.cos());
            set(&format!("{side}_hip"), &hip.0);
            set(&format!("{side}_knee"), &[0.3 - 0.25 * (cycle + 0.5).sin()]);
            let shoulder = Quat::about(vec3(0.0, 1.0, 0.0), 0.4 * cycle.cos());
            set(&format!("{side}_shoulder"), &shoulder.then(Quat::about(vec3(1.0, 0.0, 0.0), 0.1)).0);
        }
        q
    }

    /// A clip on a figure with hinge knees.
    pub fn clip(&self, figure: &Arc<Figure>, rate: f64, seconds: f64) -> Clip {
        let frames = (seconds * rate).round() as usize + 1;
        let q = (0..frames).flat_map(|k| self.pose(figure, k as f64 / rate)).collect();
        Clip::new("walk", figure.clone(), 1.0 / rate, q).unwrap()
    }
}

/// A clip in which every coordinate moves by its own sine, asymmetrically.
pub fn sines(figure: &Arc<Figure>, rate: f64, frames: usize) -> Clip {
    let forest = figure.forest();
    let mut pose = forest.home().to_vec();
    let mut q = Vec::new();
    for k in 0..frames {
        let t = k as f64 / rate;
        let step: Vec<f64> =
            (0..forest.nv()).map(|i| 0.4 * (TAU * (0.3 + 0.05 * i as f64) * t + i as f64).sin()).collect();
        pose::along(forest, forest.home(), &step, 1.0, &mut pose);
        q.extend_from_slice(&pose);
    }
    Clip::new("sines", figure.clone(), 1.0 / rate, q).unwrap()
}

/// Largest difference between two poses over the degrees of freedom.
pub fn apart(figure: &Figure, a: &[f64], b: &[f64]) -> f64 {
    let mut difference = vec![0.0; figure.forest().nv()];
    pose::difference(figure.forest(), a, b, &mut difference);
    difference.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// Largest difference of two clips with the same frames.
pub fn clips_apart(a: &Clip, b: &Clip) -> f64 {
    assert_eq!(a.frames(), b.frames());
    (0..a.frames()).map(|k| apart(a.figure(), a.pose(k), b.pose(k))).fold(0.0, f64::max)
}

/// Position of the root.
pub fn root(clip: &Clip, frame: usize) -> Vec3 {
    let q = clip.pose(frame);
    vec3(q[0], q[1], q[2])
}

/// A recorded walk on a figure made of its bones, facing +x at home; `None` without the recordings.
pub fn recorded(name: &str) -> Option<Clip> {
    let recording = captured::recording(&data(&format!("bvh/{name}"))?);
    let ball = Shape::Sphere { radius: 0.05 }.inertia(1000.0).unwrap();
    let mut b = FigureBuilder::new(name);
    b.stature(1.7).unwrap();
    let mut links = Vec::new();
    for bone in &recording.skeleton.bones {
        let link_name = match bone.name.as_str() {
            "LeftFoot" => "left_foot",
            "RightFoot" => "right_foot",
            other => other,
        };
        let joint = match bone.parent {
            None => JointSpec::new("root", JointKind::Free),
            Some(p) => JointSpec::new(format!("{link_name} joint"), JointKind::Spherical)
                .on(links[p], Transform::translation(bone.offset)),
        };
        links.push(b.add(LinkSpec::new(link_name, ball), joint).unwrap());
    }
    let figure = Arc::new(b.build().unwrap());
    let mut q = Vec::new();
    for frame in 0..recording.frames() {
        q.extend(recording.positions_at(frame)[0].to_array());
        recording.rotations_at(frame).iter().for_each(|r| q.extend(r.0));
    }
    Some(Clip::new(name, figure, recording.dt, q).unwrap())
}

/// A keyframed motion (TOML): human-28 leans forward, sinks onto a seat, sits with the weight far behind the feet, and stands
/// up again.
pub fn sitting() -> String {
    // time, height and place of the root, bend of the trunk, hip, knee, waist, shoulder
    let keys = [
        (0.0, [0.92, 0.01, 2.0, -14.0, 25.0, 3.0, -3.0]),
        (0.5, [0.92, 0.01, 2.0, -14.0, 25.0, 3.0, -3.0]),
        (1.2, [0.78, -0.14, 27.0, -73.0, 67.0, 16.0, -40.0]),
        (1.7, [0.58, -0.33, 25.0, -98.0, 87.0, 16.0, -50.0]),
        (2.1, [0.52, -0.38, 14.0, -97.0, 90.0, 12.0, -30.0]),
        (4.0, [0.52, -0.38, 14.0, -97.0, 90.0, 12.0, -30.0]),
        (4.4, [0.54, -0.34, 30.0, -105.0, 88.0, 18.0, -50.0]),
        (4.9, [0.78, -0.14, 27.0, -73.0, 67.0, 16.0, -40.0]),
        (5.7, [0.92, 0.01, 2.0, -14.0, 25.0, 3.0, -3.0]),
        (6.2, [0.92, 0.01, 2.0, -14.0, 25.0, 3.0, -3.0]),
    ];
    let mut text = String::from("name = \"sitting\"\nfigure = \"human-28\"\nfps = 100\nduration = 6.2\n");
    for foot in ["left_foot", "right_foot"] {
        let _ = write!(text, "[[pin]]\nfoot = \"{foot}\"\non = \"flat\"\nfrom = 0.0\nto = 6.2\n");
    }
    for (at, [height, ahead, bend, hip, knee, waist, shoulder]) in keys {
        let ankle = -(bend + hip + knee);
        let _ = write!(
            text,
            "[[key]]\nat = {at}\nroot = {{ height = {height}, ahead = {ahead}, bend = {bend} }}\nwaist = [{waist}, 0, 0]\n"
        );
        for side in ["left", "right"] {
            let _ = write!(
                text,
                "{side}_hip = [{hip}, 0, 0]\n{side}_knee = {knee}\n{side}_ankle = [{ankle}, 0]\n{side}_shoulder = [{shoulder}, 0, 0]\n"
            );
        }
    }
    text
}
