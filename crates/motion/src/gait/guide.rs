//! Torques for a walk that somebody else simulates.
//!
//! Each millisecond the pilot's body is put where the figure really is, the step towards the plan is solved there, and its
//! joint torques are told. The forces of the ground that the solution reckons with are a forecast only: what holds, slips
//! or lands is decided by whoever simulates, and seen in the next state. So a foot that touches down a few milliseconds
//! off the plan is no matter.
//! Not here: springs and dampers of the joints; the simulation has them, and the torques reckon with them.
//! Checked by: `crates/io/tests/scene_walk.rs`.

use super::pilot::Pilot;
use super::plan::{DT, Plan};
use super::steps::{Steps, Stretch};
use super::walk::{Settings, Walker};
use crate::error::Error;
use crate::filter::Body;
use anthropi_dynamics::spatial::Vec3;

/// Who tells a simulated figure how to walk.
#[derive(Clone, Debug)]
pub struct Guide {
    pilot: Pilot,
    start: [Vec<f64>; 2],
    /// the sample whose torques are told
    sample: Option<usize>,
    tau: Vec<f64>,
}

impl Walker {
    /// A guide along a way, from standing to standing. Pushes of the settings are left out: they belong to who simulates.
    ///
    /// # Errors
    /// A way that cannot be walked.
    pub fn guide(&self, stretches: &[Stretch], settings: &Settings) -> Result<Guide, Error> {
        let mut puppet = self.puppet.clone();
        let plan = Plan::along(&mut puppet, stretches)?;
        let mut body = Body::new(&self.figure, &self.anatomy, self.places.clone(), settings.strength)?;
        body.friction = settings.friction;
        let pilot = Pilot::new(plan, body, &self.places);
        let start = [pilot.body.q().to_vec(), pilot.body.v().to_vec()];
        let tau = vec![0.0; start[1].len()];
        Ok(Guide { pilot, start, sample: None, tau })
    }
}

impl Guide {
    /// Coordinates and velocities at the start.
    pub fn start(&self) -> [&[f64]; 2] {
        [&self.start[0], &self.start[1]]
    }

    /// From standing to standing, s; after that the figure stands on.
    pub fn duration(&self) -> f64 {
        self.last() as f64 * DT
    }

    /// Footprints and times.
    pub fn steps(&self) -> &Steps {
        &self.pilot.plan.steps
    }

    /// Joint torques at a time and state, by degree of freedom; none for the root. They are found anew every
    /// millisecond; in between the last ones are told.
    pub fn torques(&mut self, time: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        let sample = nearest(time);
        if self.sample != Some(sample) {
            self.sample = Some(sample);
            self.pilot.body.put(q, v);
            self.pilot.solve(sample, &[]);
            self.tau.copy_from_slice(self.pilot.body.tau());
            let root = self.pilot.body.root_iv;
            self.tau[root..root + 6].fill(0.0);
        }
        tau.copy_from_slice(&self.tau);
    }

    /// The plan's coordinates at a time, as they were before the walk.
    pub fn planned(&self, time: f64) -> &[f64] {
        let nq = self.start[0].len();
        let k = nearest(time).min(self.last());
        &self.pilot.plan.q[k * nq..(k + 1) * nq]
    }

    /// The force of the ground that the plan's centre of mass needs at a time, N.
    pub fn planned_force(&self, time: f64) -> Vec3 {
        let figure = &self.pilot.body.figure;
        let rate = self.pilot.plan.acceleration(nearest(time).min(self.last()));
        (rate - figure.gravity()).scale(figure.mass())
    }

    /// The figure as the last torques saw it: where it stands, and the forces they reckon with.
    pub fn body(&self) -> &Body {
        &self.pilot.body
    }

    fn last(&self) -> usize {
        self.pilot.plan.last()
    }
}

/// The sample nearest to a time.
fn nearest(time: f64) -> usize {
    (time / DT).round().max(0.0) as usize
}
