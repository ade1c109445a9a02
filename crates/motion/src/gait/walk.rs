//! A figure walks: the plan is the reference, the figure is moved by torques and the ground alone (`filter::Body`).

use super::measure::{Measured, Meter, Sample, heading_at};
use super::parameter::Stature;
use super::pilot::Pilot;
use super::plan::{DT, Plan};
use super::puppet::Puppet;
use super::steps::{Steps, Stretch};
use crate::anatomy::{self, Anatomy, Part};
use crate::clip::Clip;
use crate::error::Error;
use crate::filter::{Aim, Body, Filtered, Keeper, Push, Step};
use crate::spots::{self, Place};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use std::sync::Arc;

/// Steps of the engine in a frame.
const STEPS: usize = 10;

/// How a walk is simulated.
#[derive(Clone, Debug)]
pub struct Settings {
    /// coefficient of friction of the ground
    pub friction: f64,
    /// human strength, times this; infinite for none
    pub strength: f64,
    /// forces from outside
    pub pushes: Vec<Push>,
    /// names of links and what they are, where recognition is wrong
    pub parts: Vec<(String, Part)>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { friction: crate::inverse::FRICTION, strength: 1.0, pushes: Vec::new(), parts: Vec::new() }
    }
}

/// A figure that can walk.
#[derive(Clone, Debug)]
pub struct Walker {
    pub(super) figure: Arc<Figure>,
    pub(super) anatomy: Anatomy,
    pub(super) places: Vec<Place>,
    pub(super) puppet: Puppet,
}

/// What came of a walk.
#[derive(Clone, Debug)]
pub struct Walked {
    /// the motion and its forces, as of a filtered motion
    pub filtered: Filtered,
    /// what it was like
    pub measured: Measured,
    /// instant by instant, every millisecond
    pub samples: Vec<Sample>,
    /// footprints and times
    pub steps: Steps,
    /// how far the way was moved by steps that went elsewhere than planned, m
    pub moved: Vec3,
    /// largest change of the planned centre of pressure by pass, m
    pub settling: Vec<f64>,
    /// by how much feet were out of reach in the plan, m
    pub out_of_reach: f64,
}

impl Walker {
    /// A figure with legs.
    ///
    /// # Errors
    /// A figure that cannot walk.
    pub fn of(figure: &Arc<Figure>, parts: &[(String, Part)]) -> Result<Walker, Error> {
        let anatomy = anatomy::of_figure(figure, parts)?;
        let places = spots::of_figure(figure, &anatomy)?;
        let puppet = Puppet::of(figure, &anatomy, &places)?;
        Ok(Walker { figure: figure.clone(), anatomy, places, puppet })
    }

    /// What of it may touch the ground.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Its size; `height` of the whole figure where it is known, else by its legs.
    pub fn stature(&self, height: Option<f64>) -> Stature {
        let leg = self.puppet.hip_height;
        Stature { height: height.unwrap_or(leg / 0.52), leg }
    }

    /// Walks a way. `progress` hears the part that is done; `watch` sees every step of the engine.
    ///
    /// # Errors
    /// A way that cannot be walked.
    pub fn walk(
        &self,
        stretches: &[Stretch],
        settings: &Settings,
        progress: &mut dyn FnMut(f64),
        watch: &mut dyn FnMut(&Step),
    ) -> Result<Walked, Error> {
        let mut puppet = self.puppet.clone();
        let plan = Plan::along(&mut puppet, stretches)?;
        progress(0.5);
        let mut body = Body::new(&self.figure, &self.anatomy, self.places.clone(), settings.strength)?;
        body.friction = settings.friction;
        let frames = (plan.samples() - 2) / STEPS;
        let reference = self.reference(&plan, frames)?;
        let mut meter = Meter::new(&self.places);
        let mut pilot = Pilot::new(plan, body, &self.places);
        // the plan as it was moved last
        let truth = core::cell::RefCell::new(pilot.aim.clone());
        let look = |_: f64, aim: &mut Aim| aim.clone_from(&truth.borrow());
        let mut keeper = Keeper::new(STEPS as f64 * DT, look, watch);
        keeper.frame(&pilot.body);
        let mut outside = Vec::new();
        for frame in 1..frames {
            for k in 0..STEPS {
                let sample = (frame - 1) * STEPS + k;
                let time = sample as f64 * DT;
                outside.clear();
                let acting = settings.pushes.iter().filter(|p| (p.from..p.to).contains(&time));
                outside.extend(acting.map(|p| p.outside));
                pilot.solve(sample, &outside);
                let step = Step { time, dt: DT, body: &pilot.body, aim: &pilot.aim };
                keeper.step(&step);
                meter.take(&step, &puppet, heading_at(&pilot.plan.steps.steps, time));
                pilot.body.finish(DT);
                if !pilot.body.is_sane() {
                    // a fall, which the frame tells
                    break;
                }
            }
            truth.borrow_mut().clone_from(&pilot.aim);
            if keeper.frame(&pilot.body) {
                break;
            }
            progress(0.5 + 0.5 * frame as f64 / frames as f64);
        }
        let (plan, moved) = (pilot.plan, pilot.course.at);
        let notes = Vec::new();
        let filtered = keeper.done(&reference, reference.clone(), notes, self.places.clone(), 0)?;
        let measured = meter.done(&plan.steps);
        let mut walked = Walked {
            filtered,
            measured,
            samples: meter.samples,
            moved,
            settling: plan.settling.clone(),
            out_of_reach: plan.out_of_reach,
            steps: plan.steps.clone(),
        };
        walked.relate();
        Ok(walked)
    }

    /// The plan as a motion.
    fn reference(&self, plan: &Plan, frames: usize) -> Result<Clip, Error> {
        let nq = self.figure.forest().nq();
        let poses = plan.q.chunks_exact(nq).step_by(STEPS).take(frames).flatten().copied().collect();
        Clip::new("walk".to_string(), self.figure.clone(), STEPS as f64 * DT, poses)
    }
}

impl Walked {
    /// Whether it fell, and when, s.
    pub fn fell(&self) -> Option<f64> {
        self.filtered.fell
    }

    /// Highest force of the ground, N.
    pub fn peak(&self) -> Vec3 {
        self.samples.iter().fold(Vec3::ZERO, |m, s| {
            let f = s.force[0] + s.force[1];
            if f.norm() > m.norm() { f } else { m }
        })
    }
}
