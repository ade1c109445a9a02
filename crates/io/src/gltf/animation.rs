//! Frames as key frames: a channel for each link that turns, and one for each that moves on its parent.

use super::buffer::{Buffer, Use};
use super::single;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Link, LinkHandle};
use anthropi_dynamics::spatial::{Quat, Transform, Vec3};
use anthropi_motion::Clip;
use serde_json::{Value, json};

/// Places on the parent that differ by less are the same, m: below single precision.
const SAME_PLACE: f64 = 1e-8;
/// Parts of quaternions that differ by less are the same.
const SAME_TURN: f64 = 1e-9;

/// Where a link is on its parent, frame by frame.
pub(super) struct Track {
    turns: Vec<Quat>,
    places: Vec<Vec3>,
    is_free: bool,
}

impl Track {
    /// Whether single precision can say where it is.
    pub fn is_within_reach(&self) -> bool {
        self.places.iter().all(|p| single(*p).iter().all(|x| x.is_finite()))
    }

    /// Where it begins.
    pub fn first(&self) -> Transform {
        match (self.places.first(), self.turns.first()) {
            (Some(place), Some(turn)) => Transform::new(*place, *turn),
            _ => Transform::identity(),
        }
    }

    fn is_turning(&self) -> bool {
        let far = |a: &Quat, b: &Quat| (0..4).any(|k| (a.0[k] - b.0[k]).abs() > SAME_TURN);
        self.is_free || self.turns.iter().any(|q| far(q, &self.turns[0]))
    }

    fn is_moving(&self) -> bool {
        self.is_free || self.places.iter().any(|p| (*p - self.places[0]).norm() > SAME_PLACE)
    }
}

/// A track for each link.
pub(super) fn tracks(clip: &Clip, links: &[(LinkHandle, &Link)]) -> Vec<Track> {
    let figure = clip.figure();
    let forest = figure.forest();
    let parent = |link: &Link| link.parent().and_then(|p| links.iter().position(|(h, _)| *h == p));
    let parents: Vec<Option<usize>> = links.iter().map(|(_, l)| parent(l)).collect();
    let is_free = |link: &Link| figure.joint(link.joint()).is_ok_and(|j| j.kind == JointKind::Free);
    let new =
        |(_, l): &(LinkHandle, &Link)| Track { turns: Vec::new(), places: Vec::new(), is_free: is_free(l) };
    let mut tracks: Vec<Track> = links.iter().map(new).collect();
    let mut kinematics = Kinematics::default();
    for frame in 0..clip.frames() {
        kinematics.update(forest, clip.pose(frame), None, None);
        let world: Vec<Transform> = links.iter().map(|(h, _)| kinematics.link_pose(forest, *h)).collect();
        for (i, track) in tracks.iter_mut().enumerate() {
            let on_parent = parents[i].map_or(world[i], |p| world[p].inverse() * world[i]);
            let turn = on_parent.orientation().normalized();
            let along: f64 = track.turns.last().map_or(1.0, |b| (0..4).map(|k| b.0[k] * turn.0[k]).sum());
            track.turns.push(if along < 0.0 { Quat(turn.0.map(|c| -c)) } else { turn });
            track.places.push(on_parent.translation);
        }
    }
    tracks
}

/// The animation; nodes are in the order of the tracks.
pub(super) fn to_json(clip: &Clip, tracks: &[Track], buffer: &mut Buffer) -> Value {
    // times begin at zero: negative ones are not allowed
    let times: Vec<[f32; 1]> = (0..clip.frames()).map(|f| [(f as f64 * clip.dt()) as f32]).collect();
    let input = buffer.floats(&times, "SCALAR", Use::Frames);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut add = |node: usize, path: &str, output: usize| {
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        samplers.push(json!({ "input": input, "interpolation": "LINEAR", "output": output }));
    };
    // an animation moves at least something
    let is_still = !tracks.iter().any(|t| t.is_turning() || t.is_moving());
    for (node, track) in tracks.iter().enumerate() {
        if track.is_turning() || (is_still && node == 0) {
            let rows: Vec<[f32; 4]> = track.turns.iter().map(|q| xyzw(*q)).collect();
            add(node, "rotation", buffer.floats(&rows, "VEC4", Use::Frames));
        }
        if track.is_moving() {
            let rows: Vec<[f32; 3]> = track.places.iter().map(|p| single(*p)).collect();
            add(node, "translation", buffer.floats(&rows, "VEC3", Use::Frames));
        }
    }
    json!({ "name": clip.name, "samplers": samplers, "channels": channels })
}

fn xyzw(q: Quat) -> [f32; 4] {
    let [w, x, y, z] = q.0;
    [x, y, z, w].map(|c| c as f32)
}
