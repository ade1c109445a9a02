//! Checks input frames for discontinuities before the on-line filter uses them.
//!
//! Frames in which a joint jumps are treated as lost; if the joint stays there, the filter restarts. If the whole figure
//! jumps along the ground or in height, all later frames are moved back.

use super::dynamics_terms::free_body;
use super::repair::{MAX_TRAVEL_SPEED, MAX_TURN_SPEED};
use crate::note::Note;
use crate::pose;
use anthropi_dynamics::model::{Body, Forest};
use anthropi_dynamics::spatial::Vec3;

/// Longest time that lost frames are bridged, s.
pub(super) const MAX_BRIDGE: f64 = 0.1;
/// Accepted frames before jumps are treated as lost frames instead of restarts.
const MIN_ACCEPTED: usize = 4;
/// Most warnings of one run.
const MAX_WARNINGS: usize = 8;

/// Decision on a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// use it
    Accept,
    /// treat it as lost
    Reject,
    /// restart from it
    Restart,
}

/// Checks frames.
#[derive(Clone, Debug, Default)]
pub(super) struct InputGuard {
    last: Vec<f64>,
    /// the last frame, moved back by all jumps
    pub frame: Vec<f64>,
    offset: Vec3,
    delta: Vec<f64>,
    /// frames lost since the last accepted one
    pub lost: usize,
    good: usize,
}

impl InputGuard {
    /// Checks a frame of finite numbers; warns about jumps.
    pub fn check(&mut self, forest: &Forest, frame: &[f64], dt: f64, notes: &mut Vec<Note>) -> Verdict {
        self.frame.clear();
        self.frame.extend_from_slice(frame);
        pose::normalise(forest, &mut self.frame);
        let root = free_body(forest);
        let move_back = |frame: &mut [f64], travel: Vec3| {
            let Some(root) = root else { return };
            let back = pose::triple(frame, root.coordinates().start) - travel;
            frame[root.coordinates()][..3].copy_from_slice(&back.to_array());
        };
        move_back(&mut self.frame, self.offset);
        if self.last.is_empty() {
            return self.accept();
        }
        let time = dt * (self.lost + 1) as f64;
        self.delta.resize(forest.nv(), 0.0);
        pose::difference(forest, &self.last, &self.frame, &mut self.delta);
        let travel = root.map_or(Vec3::ZERO, |root| pose::triple(&self.delta, root.dofs().start + 3));
        if travel.norm() > MAX_TRAVEL_SPEED * time {
            let jump = travel.norm();
            warn(notes, format!("discontinuity: the figure jumps by {jump:.2} m; the rest is moved back"));
            self.offset += travel;
            move_back(&mut self.frame, travel);
        }
        let turns = |b: &Body| {
            let own = &self.delta[b.dofs().start..b.dofs().start + b.joint.nv().min(3)];
            own.iter().map(|x| x * x).sum::<f64>().sqrt()
        };
        let fastest = forest.bodies().iter().skip(1).map(turns).fold(0.0, f64::max);
        if fastest <= MAX_TURN_SPEED * time {
            return self.accept();
        }
        if self.good < MIN_ACCEPTED || time > MAX_BRIDGE {
            let jump = fastest.to_degrees();
            warn(
                notes,
                format!("discontinuity: a joint jumps by {jump:.0} degrees; the filter restarts there"),
            );
            self.accept();
            return Verdict::Restart;
        }
        self.lost += 1;
        Verdict::Reject
    }

    fn accept(&mut self) -> Verdict {
        self.last.clear();
        self.last.extend_from_slice(&self.frame);
        self.lost = 0;
        self.good += 1;
        Verdict::Accept
    }
}

fn warn(notes: &mut Vec<Note>, note: String) {
    match notes.len() {
        n if n < MAX_WARNINGS => notes.push(Note::warning(note)),
        MAX_WARNINGS => notes.push(Note::warning("further input discontinuities are not listed")),
        _ => {}
    }
}
