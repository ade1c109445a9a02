//! Keyframes: a channel for each link that rotates, and one for each that translates relative to its parent.

use super::buffer::{Buffer, Use};
use super::{single, xyzw};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Link, LinkHandle};
use anthropi_dynamics::spatial::{Quat, Transform, Vec3};
use anthropi_motion::Clip;
use serde_json::{Value, json};

/// Tolerance for equal positions, m: below single precision.
const SAME_POSITION: f64 = 1e-8;
/// Tolerance for equal quaternion components.
const SAME_ROTATION: f64 = 1e-9;

/// Pose of a link relative to its parent, frame by frame.
pub(super) struct Track {
    rotations: Vec<Quat>,
    positions: Vec<Vec3>,
    is_free: bool,
}

impl Track {
    /// Whether its positions are in the range of single precision.
    pub fn is_in_range(&self) -> bool {
        self.positions.iter().all(|p| single(*p).iter().all(|x| x.is_finite()))
    }

    /// The first pose.
    pub fn first(&self) -> Transform {
        match (self.positions.first(), self.rotations.first()) {
            (Some(position), Some(rotation)) => Transform::new(*position, *rotation),
            _ => Transform::identity(),
        }
    }

    fn is_rotating(&self) -> bool {
        let far = |a: &Quat, b: &Quat| (0..4).any(|k| (a.0[k] - b.0[k]).abs() > SAME_ROTATION);
        self.is_free || self.rotations.iter().any(|q| far(q, &self.rotations[0]))
    }

    fn is_moving(&self) -> bool {
        self.is_free || self.positions.iter().any(|p| (*p - self.positions[0]).norm() > SAME_POSITION)
    }
}

/// A track for each link.
pub(super) fn tracks(clip: &Clip, links: &[(LinkHandle, &Link)]) -> Vec<Track> {
    let figure = clip.figure();
    let forest = figure.forest();
    let parent = |link: &Link| link.parent().and_then(|p| links.iter().position(|(h, _)| *h == p));
    let parents: Vec<Option<usize>> = links.iter().map(|(_, l)| parent(l)).collect();
    let is_free = |link: &Link| figure.joint(link.joint()).is_ok_and(|j| j.kind == JointKind::Free);
    let new = |link| Track { rotations: Vec::new(), positions: Vec::new(), is_free: is_free(link) };
    let mut tracks: Vec<Track> = links.iter().map(|(_, link)| new(*link)).collect();
    let mut kinematics = Kinematics::default();
    for frame in 0..clip.frames() {
        kinematics.update(forest, clip.pose(frame), None, None);
        let world: Vec<Transform> = links.iter().map(|(h, _)| kinematics.link_pose(forest, *h)).collect();
        for (i, track) in tracks.iter_mut().enumerate() {
            let on_parent = parents[i].map_or(world[i], |p| world[p].inverse() * world[i]);
            let turn = on_parent.orientation().normalized();
            let along: f64 = track.rotations.last().map_or(1.0, |b| (0..4).map(|k| b.0[k] * turn.0[k]).sum());
            track.rotations.push(if along < 0.0 { Quat(turn.0.map(|c| -c)) } else { turn });
            track.positions.push(on_parent.translation);
        }
    }
    tracks
}

/// The animation; nodes are in the order of the tracks.
pub(super) fn to_json(clip: &Clip, tracks: &[Track], buffer: &mut Buffer) -> Value {
    // times start at zero: negative ones are not allowed
    let times: Vec<[f32; 1]> = (0..clip.frames()).map(|f| [(f as f64 * clip.dt()) as f32]).collect();
    let input = buffer.floats(&times, "SCALAR", Use::Frames);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut add = |node: usize, path: &str, output: usize| {
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        samplers.push(json!({ "input": input, "interpolation": "LINEAR", "output": output }));
    };
    // an animation has at least one channel
    let is_still = !tracks.iter().any(|t| t.is_rotating() || t.is_moving());
    for (node, track) in tracks.iter().enumerate() {
        if track.is_rotating() || (is_still && node == 0) {
            let rows: Vec<[f32; 4]> = track.rotations.iter().map(|q| xyzw(*q)).collect();
            add(node, "rotation", buffer.floats(&rows, "VEC4", Use::Frames));
        }
        if track.is_moving() {
            let rows: Vec<[f32; 3]> = track.positions.iter().map(|p| single(*p)).collect();
            add(node, "translation", buffer.floats(&rows, "VEC3", Use::Frames));
        }
    }
    json!({ "name": clip.name, "samplers": samplers, "channels": channels })
}
