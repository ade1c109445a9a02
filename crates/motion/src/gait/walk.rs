//! A figure walks: the plan is the reference, the figure is moved by torques and the ground alone (`filter::Body`).

use super::measure::{Measured, Meter, Sample, heading_at};
use super::plan::{DT, Plan};
use super::puppet::Puppet;
use super::steps::{PuppetSize, Steps, Stretch};
use super::parameter::Stature;
use crate::anatomy::{self, Anatomy, Part, Side};
use crate::clip::Clip;
use crate::error::Error;
use crate::filter::{Aim, Body, Filtered, Floor, Keeper, Push, Step};
use crate::spots::{self, Place, Spot};
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
    figure: Arc<Figure>,
    anatomy: Anatomy,
    places: Vec<Place>,
    puppet: Puppet,
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
        let steps = Steps::of(stretches, &PuppetSize::of(&puppet))?;
        let plan = Plan::of(&mut puppet, steps);
        progress(0.5);
        let mut body = Body::new(&self.figure, &self.anatomy, self.places.clone(), settings.strength)?;
        body.friction = settings.friction;
        let mut aims = Aims::new(&plan, &self.places, self.figure.forest().nq(), self.figure.forest().nv());
        let mut aim = Aim::default();
        let frames = (plan.samples() - 2) / STEPS;
        let reference = self.reference(&plan, frames)?;
        let mut meter = Meter::new(&self.places);
        let truth = |t: f64, aim: &mut Aim| aims_at(&plan, &self.places, t, aim);
        let mut keeper = Keeper::new(STEPS as f64 * DT, truth, watch);
        aims.at(0, &mut aim);
        body.start(&aim);
        keeper.frame(&body);
        let mut outside = Vec::new();
        let mut fell = false;
        for frame in 1..frames {
            for k in 0..STEPS {
                let sample = (frame - 1) * STEPS + k;
                let time = sample as f64 * DT;
                aims.at(sample, &mut aim);
                outside.clear();
                let acting = settings.pushes.iter().filter(|p| (p.from..p.to).contains(&time));
                outside.extend(acting.map(|p| p.outside));
                body.solve(&aim, &outside, DT);
                let step = Step { time, dt: DT, body: &body, aim: &aim };
                keeper.step(&step);
                meter.take(&step, &puppet, heading_at(&plan.steps.steps, time));
                body.finish(DT);
            }
            if keeper.frame(&body) {
                fell = true;
                break;
            }
            progress(0.5 + 0.5 * frame as f64 / frames as f64);
        }
        let _ = fell;
        let notes = Vec::new();
        let filtered = keeper.done(&reference, reference.clone(), notes, self.places.clone(), 0)?;
        let measured = meter.done(&plan.steps);
        Ok(Walked {
            filtered,
            measured,
            samples: meter.samples,
            settling: plan.settling,
            out_of_reach: plan.out_of_reach,
            steps: plan.steps,
        })
    }

    /// The plan as a motion.
    fn reference(&self, plan: &Plan, frames: usize) -> Result<Clip, Error> {
        let nq = self.figure.forest().nq();
        let poses = plan.q.chunks_exact(nq).step_by(STEPS).take(frames).flatten().copied().collect();
        Clip::new("walk".to_string(), self.figure.clone(), STEPS as f64 * DT, poses)
    }
}

/// The plan as the reference of the filter.
struct Aims<'a> {
    plan: &'a Plan,
    places: &'a [Place],
    nq: usize,
    nv: usize,
}

impl<'a> Aims<'a> {
    fn new(plan: &'a Plan, places: &'a [Place], nq: usize, nv: usize) -> Aims<'a> {
        Aims { plan, places, nq, nv }
    }

    fn at(&mut self, k: usize, aim: &mut Aim) {
        let (plan, nq, nv) = (self.plan, self.nq, self.nv);
        let k = k.min(plan.samples() - 2);
        let put = |list: &mut Vec<f64>, values: &[f64]| {
            list.clear();
            list.extend_from_slice(values);
        };
        put(&mut aim.q, &plan.q[k * nq..(k + 1) * nq]);
        put(&mut aim.v, &plan.v[k * nv..(k + 1) * nv]);
        put(&mut aim.a, &plan.a[k * nv..(k + 1) * nv]);
        let before = plan.center[k.saturating_sub(1)];
        aim.center = [plan.center[k], (plan.center[k] - before).scale(1.0 / DT), plan.acceleration(k)];
        aim.spin = [plan.spin[k], (plan.spin[k + 1] - plan.spin[k]).scale(1.0 / DT)];
        aim.is_planned = true;
        aim.on.clear();
        aim.floor.clear();
        aim.share.clear();
        for place in self.places {
            let (side, is_toe) = match place.spot {
                Spot::Heel(s) => (usize::from(s == Side::Right), false),
                Spot::Toe(s) => (usize::from(s == Side::Right), true),
                Spot::Palm(_) => {
                    aim.on.push(false);
                    aim.floor.push(Floor::level(f64::NEG_INFINITY.max(-10.0)));
                    aim.share.push(0.0);
                    continue;
                }
            };
            let foot = &plan.feet[side];
            aim.on.push(if is_toe { foot.toe_on[k] } else { foot.heel_on[k] });
            let t = k as f64 * DT;
            let stances = &foot.stances;
            let n = stances.partition_point(|s| s.land <= t).max(1) - 1;
            let here = &stances[n];
            let there = stances.get(n + 1).filter(|s| t > 0.5 * (here.lift + s.land)).unwrap_or(here);
            let [height, slope] = there.print.plane;
            aim.floor.push(Floor { height, slope: [slope, 0.0] });
            aim.share.push(plan.pressure[k].share[2 * side + usize::from(is_toe)]);
        }
    }
}

fn aims_at(plan: &Plan, places: &[Place], t: f64, aim: &mut Aim) {
    let nv = plan.v.len() / plan.samples();
    let nq = plan.q.len() / plan.samples();
    Aims::new(plan, places, nq, nv).at((t / DT).round() as usize, aim);
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
