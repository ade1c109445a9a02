//! What a run of the filter leaves: poses, forces, how near to the reference, whether it fell, what is proved.

use super::aim::Aim;
use super::body::{Body, GroundForce};
use super::proof::Proof;
use super::run::{Filtered, Step};
use super::track::{Tracking, fallen};
use crate::clip::Clip;
use crate::error::Error;
use crate::spots;

/// Keeps what the run gives.
pub(crate) struct Keeper<'a, T> {
    /// the reference at a time
    truth_at: T,
    truth: Aim,
    dt: f64,
    watch: &'a mut dyn FnMut(&Step),
    poses: Vec<f64>,
    tracking: Tracking,
    proof: Proof,
    forces: Vec<Vec<GroundForce>>,
    since: Vec<GroundForce>,
    steps: usize,
    fell: Option<f64>,
    falls: usize,
}

impl<'a, T: FnMut(f64, &mut Aim)> Keeper<'a, T> {
    pub fn new(dt: f64, truth_at: T, watch: &'a mut dyn FnMut(&Step)) -> Keeper<'a, T> {
        Keeper {
            truth_at,
            truth: Aim::default(),
            dt,
            watch,
            poses: Vec::new(),
            tracking: Tracking::default(),
            proof: Proof::default(),
            forces: Vec::new(),
            since: Vec::new(),
            steps: 0,
            fell: None,
            falls: 0,
        }
    }

    pub fn step(&mut self, step: &Step) {
        (self.watch)(step);
        self.proof.take(step);
        self.since.extend_from_slice(step.body.ground());
        self.steps += 1;
    }

    /// Takes the figure at a frame; true if it has fallen and is to begin anew.
    pub fn frame(&mut self, body: &Body) -> bool {
        let frame = self.forces.len();
        (self.truth_at)(frame as f64 * self.dt, &mut self.truth);
        if body.is_sane() || self.poses.is_empty() {
            self.poses.extend_from_slice(body.q());
        } else {
            // where it was last
            let from = self.poses.len() - body.q().len();
            self.poses.extend_from_within(from..);
        }
        self.forces.push(means(&self.since, self.steps));
        self.since.clear();
        self.steps = 0;
        let total: f64 = self.forces[frame].iter().map(|f| f.force.z).sum();
        self.proof.grf_peak = self.proof.grf_peak.max(total / body.weight());
        let has_fallen = fallen(body, &self.truth);
        if self.fell.is_none() && !has_fallen {
            self.tracking.take(body, &self.truth);
        }
        if has_fallen {
            self.fell.get_or_insert(frame as f64 * self.dt);
            self.falls += 1;
        }
        has_fallen
    }

    pub fn done(
        mut self,
        clip: &Clip,
        reference: Clip,
        mut notes: Vec<String>,
        places: Vec<spots::Place>,
        delay: usize,
    ) -> Result<Filtered, Error> {
        if let Some(t) = self.fell {
            let after = match self.falls {
                1 if self.forces.len() as f64 * self.dt - t < 1.5 * self.dt => "there it ends".to_string(),
                1 => "then it begins anew at the reference, so that the motion leaps there".to_string(),
                n => format!(
                    "it fell {n} times and began anew at the reference each time, so that the motion leaps there"
                ),
            };
            notes.push(format!("the figure fell at {t:.2} s; {after}"));
        }
        // the last frame's estimate may have come twice
        self.poses.truncate(clip.poses().len());
        self.forces.truncate(clip.frames());
        self.tracking.finish();
        Ok(Filtered {
            clip: Clip::new(clip.name.clone(), clip.figure().clone(), clip.dt(), self.poses)?,
            reference,
            forces: self.forces,
            fell: self.fell,
            falls: self.falls,
            tracking: self.tracking,
            proof: self.proof.finished(),
            places,
            delay,
            notes,
        })
    }
}

/// Mean force at each point that was on the ground, over all steps of a frame; where it was last.
pub(super) fn means(all: &[GroundForce], steps: usize) -> Vec<GroundForce> {
    let mut means: Vec<GroundForce> = Vec::new();
    for f in all {
        let part = f.force.scale(1.0 / steps.max(1) as f64);
        match means.iter_mut().find(|m| m.point == f.point) {
            Some(m) => *m = GroundForce { force: m.force + part, ..*f },
            None => means.push(GroundForce { force: part, ..*f }),
        }
    }
    means
}
