//! A walk without end, whose gait changes on the way.
//!
//! A plan of two stretches, as it is walked and as it is wanted, has a cycle of each and the way from one to the other. The
//! last cycle repeats, each time where the one before has led. When something else is wanted, the next plan is made while
//! the figure walks on, a pass now and then, so that what comes out depends on steps alone and not on the clock; the figure
//! goes over to it at the same instant of its cycle.
//! Source: our own.
//! Checked by: `crates/io/tests/stroll.rs`.

use super::course::Course;
use super::ground::{Ground, Print};
use super::pace::{Pace, Pacer};
use super::parameter::{Kind, Stature};
use super::pilot::Pilot;
use super::plan::{DT, Plan};
use super::planning::Planning;
use super::steps::{PuppetSize, Start, Steps, Stretch};
use super::walk::Walker;
use crate::error::Error;
use crate::filter::{Body, Outside, Step, fallen};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Vec3, vec3};
use std::sync::Arc;

/// Steps of a plan at a gait's own speed: before its cycle, in it, and after it, until it goes over to the next and until
/// it stops: the body leans ahead of what comes.
const BEFORE: usize = 3;
const CYCLE: usize = 2;
const AFTER: [usize; 2] = [1, 3];
/// Samples of a plan that are worked on in a step of the engine.
const WORK: usize = 100;
/// Steps between looks for a fall, and those it lies before it begins anew.
const LOOK: u64 = 10;
const LIES: u64 = 1000;

/// A walk without end.
#[derive(Clone, Debug)]
pub struct Stroll {
    walker: Walker,
    pilot: Pilot,
    sample: usize,
    /// how it is walked; none is standing
    gait: Option<Stretch>,
    /// ...and how it was walked last
    walked: Stretch,
    cycle: Option<Cycle>,
    next: Option<Next>,
    steps: u64,
    pacer: Pacer,
    /// when it is to get up
    up: Option<u64>,
    falls: usize,
}

/// What repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cycle {
    from: usize,
    to: usize,
    /// of the foot that stands at its beginning, and after it
    prints: [Print; 2],
}

impl Cycle {
    /// In the steady steps of a stretch: from the lift of a right foot.
    fn of(steps: &Steps, stretch: usize) -> Option<Cycle> {
        let all = &steps.steps;
        let first = all.iter().position(|s| s.stretch == stretch && s.is_steady)? + BEFORE;
        let i = (first..all.len()).find(|i| all[*i].side == 1)?;
        let after = all.get(i + CYCLE).filter(|s| s.stretch == stretch && s.is_steady)?;
        let [from, to] = [&all[i], after].map(|s| (s.lift / DT).round() as usize);
        Some(Cycle { from, to, prints: [all[i - 1].print, all[i + 1].print] })
    }
}

/// A plan that is being made. Copies forget the work and do it again when they need it.
#[derive(Debug)]
struct Next {
    gait: Option<Stretch>,
    steps: Steps,
    /// passes made, and steps until the next
    passes: usize,
    wait: usize,
    work: Option<Planning>,
    plan: Option<Arc<Plan>>,
}

impl Clone for Next {
    fn clone(&self) -> Next {
        let Next { gait, steps, passes, wait, work: _, plan } = self;
        Next {
            gait: *gait,
            steps: steps.clone(),
            passes: *passes,
            wait: *wait,
            work: None,
            plan: plan.clone(),
        }
    }
}

impl Next {
    fn of(gait: Option<Stretch>, steps: Steps) -> Next {
        Next { gait, steps, passes: 0, wait: 0, work: None, plan: None }
    }

    /// Works on it for the time of a step.
    fn work(&mut self, walker: &mut Walker) {
        if self.plan.is_some() {
            return;
        }
        if self.wait > 0 {
            self.wait -= 1;
            return;
        }
        self.pass(walker);
    }

    fn pass(&mut self, walker: &mut Walker) {
        let puppet = &mut walker.puppet;
        let mut work = match self.work.take() {
            Some(work) => work,
            None => {
                let mut work = Planning::coarse(puppet, self.steps.clone());
                for _ in 0..self.passes {
                    work.pass(puppet);
                }
                work
            }
        };
        self.passes += 1;
        if work.pass(puppet) {
            self.plan = Some(Arc::new(work.plan()));
        } else {
            self.wait = work.samples() / WORK;
            self.work = Some(work);
        }
    }

    fn now(mut self, walker: &mut Walker) -> Arc<Plan> {
        loop {
            match self.plan {
                Some(plan) => return plan,
                None => self.pass(walker),
            }
        }
    }
}

impl Walker {
    /// Walks without end, and is in the midst of it. Turns of a gait are those of so many steps as it has.
    ///
    /// # Errors
    /// A gait that cannot be walked.
    pub fn stroll(&self, gait: Stretch, strength: f64) -> Result<Stroll, Error> {
        let mut walker = self.clone();
        let gait = in_whole(gait)?;
        let steps = walker.way(&[gait], None)?;
        let plan = Next::of(Some(gait), steps).now(&mut walker);
        let body = Body::new(&self.figure, &self.anatomy, self.places.clone(), strength)?;
        let cycle = Cycle::of(&plan.steps, 0);
        let sample = cycle.map_or(0, |c| c.from);
        // the foot that stands is beside the origin
        let at = cycle.map_or(Vec3::ZERO, |c| vec3(-c.prints[0].at.x, 0.0, 0.0));
        let pilot = Pilot::at(sample, Course { at, turn: 0.0 }, plan, body, &self.places);
        Ok(Stroll {
            walker,
            pilot,
            sample,
            gait: Some(gait),
            walked: gait,
            cycle,
            next: None,
            steps: 0,
            pacer: Pacer::default(),
            up: None,
            falls: 0,
        })
    }

    /// Steps of a way on which each gait has a cycle.
    fn way(&self, gaits: &[Stretch], start: Option<&Start>) -> Result<Steps, Error> {
        let size = PuppetSize::of(&self.puppet);
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut steps = None;
        for (n, gait) in gaits.iter().enumerate() {
            let after = AFTER[usize::from(n + 1 == gaits.len())];
            // cycles begin with the right foot: where that is a step later, the stretch is a step longer
            for long in [0, 1].map(|more| BEFORE + CYCLE + after + more) {
                stretches.truncate(n);
                stretches.push(Stretch {
                    steps: long,
                    turn: gait.turn * long as f64 / gait.steps as f64,
                    ..*gait
                });
                let way = Steps::from(&stretches, &size, start.cloned())?;
                let first = way.steps.iter().position(|s| s.stretch == n && s.is_steady).unwrap_or(0);
                steps = Some(way);
                if steps.as_ref().is_some_and(|way| way.steps[first + BEFORE].side == 1) {
                    break;
                }
            }
        }
        steps.ok_or_else(|| Error::Gait { what: "the way has no steps".into() })
    }
}

/// A gait whose steps take whole samples.
fn in_whole(mut gait: Stretch) -> Result<Stretch, Error> {
    let refuse = |what: &str| Err(Error::Gait { what: what.into() });
    if gait.ground != Ground::Level {
        return refuse("a walk without end is on level ground");
    }
    if gait.parameters.kind == Kind::Jump {
        return refuse("a walk without end has no jumps");
    }
    gait.steps = gait.steps.max(1);
    gait.parameters = gait.parameters.in_whole(DT);
    Ok(gait)
}

impl Stroll {
    /// Asks for another gait, or for standing.
    ///
    /// # Errors
    /// A gait that cannot be walked; all stays as it is.
    pub fn ask(&mut self, gait: Option<Stretch>) -> Result<(), Error> {
        let gait = gait.map(in_whole).transpose()?;
        if gait == self.gait {
            self.next = None;
            return Ok(());
        }
        let steps = match (self.gait, gait) {
            (Some(now), gait) => {
                let both: Vec<Stretch> = core::iter::once(now).chain(gait).collect();
                self.walker.way(&both, None)?
            }
            (None, Some(gait)) => self.walker.way(&[gait], Some(&self.pilot.plan.steps.after()))?,
            (None, None) => return Ok(()),
        };
        self.next = Some(Next::of(gait, steps));
        Ok(())
    }

    /// Time between steps, s.
    pub fn dt(&self) -> f64 {
        DT
    }

    /// Seconds since the beginning.
    pub fn time(&self) -> f64 {
        self.steps as f64 * DT
    }

    /// The figure.
    pub fn figure(&self) -> &Arc<Figure> {
        &self.walker.figure
    }

    /// Who walks.
    pub fn body(&self) -> &Body {
        &self.pilot.body
    }

    /// ...whose friction and gains may be changed.
    pub fn body_mut(&mut self) -> &mut Body {
        &mut self.pilot.body
    }

    /// Pose and velocities of the plan.
    pub fn planned(&self) -> (&[f64], &[f64]) {
        (&self.pilot.aim.q, &self.pilot.aim.v)
    }

    /// Its size.
    pub fn stature(&self) -> Stature {
        self.walker.stature(self.walker.figure.stature)
    }

    /// Speed and steps as they were measured in the last cycle.
    pub fn pace(&self) -> Pace {
        self.pacer.pace(self.time())
    }

    /// The gait that is walked; none while it stands, or is about to.
    pub fn gait(&self) -> Option<&Stretch> {
        self.gait.as_ref()
    }

    /// Whether what was asked for last is still being planned.
    pub fn is_planning(&self) -> bool {
        self.next.is_some()
    }

    /// How often it fell.
    pub fn falls(&self) -> usize {
        self.falls
    }

    /// Whether it lies.
    pub fn is_down(&self) -> bool {
        self.up.is_some()
    }

    /// Makes a step; `watch` sees it before it is made, with its forces.
    ///
    /// # Errors
    /// None that is known of: what was asked for could be walked.
    pub fn step(&mut self, outside: &[Outside], watch: &mut dyn FnMut(&Step)) -> Result<(), Error> {
        if let Some(up) = self.up {
            self.steps += 1;
            if self.steps >= up {
                self.begin_anew()?;
            }
            return Ok(());
        }
        if let Some(next) = &mut self.next {
            next.work(&mut self.walker);
            self.go_over();
        }
        let time = self.time();
        self.pilot.solve(self.sample, outside);
        watch(&Step { time, dt: DT, body: &self.pilot.body, aim: &self.pilot.aim });
        self.pilot.body.finish(DT);
        self.pacer.look(&self.pilot.body, time);
        self.steps += 1;
        self.sample += 1;
        match self.cycle {
            Some(c) if self.sample >= c.to => {
                let course = self.pilot.course.onto(&c.prints[0], &c.prints[1]);
                self.go_to(self.pilot.plan.clone(), course, self.sample - (c.to - c.from));
            }
            _ => self.sample = self.sample.min(self.pilot.plan.last()),
        }
        let is_wild = !self.pilot.body.is_sane();
        if is_wild || self.steps.is_multiple_of(LOOK) && fallen(&self.pilot.body, &self.pilot.aim) {
            self.falls += 1;
            self.up = Some(self.steps + LIES);
        }
        Ok(())
    }

    /// Goes over to the next plan where the instant is in both.
    fn go_over(&mut self) {
        let Some(Next { gait, plan: Some(plan), .. }) = &self.next else { return };
        let (gait, plan) = (*gait, plan.clone());
        let course = self.pilot.course;
        let (course, sample) = match (&self.cycle, Cycle::of(&plan.steps, 0)) {
            (Some(here), Some(there)) if self.sample >= here.from => {
                (course.onto(&there.prints[0], &here.prints[0]), self.sample - here.from + there.from)
            }
            (None, _) if self.sample >= self.pilot.plan.last() => (course, 0),
            _ => return,
        };
        let stretch = usize::from(self.gait.is_some());
        self.cycle = gait.and_then(|_| Cycle::of(&plan.steps, stretch));
        (self.gait, self.next) = (gait, None);
        self.walked = gait.unwrap_or(self.walked);
        self.go_to(plan, course, sample);
    }

    fn go_to(&mut self, plan: Arc<Plan>, course: Course, sample: usize) {
        self.pilot.go_over(plan, course, self.sample, sample);
        self.sample = sample;
    }

    /// Stands where it fell, and walks on from there, or stands.
    fn begin_anew(&mut self) -> Result<(), Error> {
        self.up = None;
        let gait = self.next.take().map_or(self.gait, |next| next.gait);
        self.walked = gait.unwrap_or(self.walked);
        let steps = self.walker.way(&[self.walked], None)?;
        let plan = Next::of(gait, steps).now(&mut self.walker);
        // it stands at the beginning of a plan and at its end
        let (sample, prints) = match gait {
            Some(_) => (0, plan.steps.start),
            None => (plan.last(), plan.steps.after().prints),
        };
        let center = self.pilot.body.center();
        let here = if center.is_finite() { vec3(center.x, center.y, 0.0) } else { Vec3::ZERO };
        let course = Course { at: Vec3::ZERO, turn: self.pilot.course.turn };
        let there = course.point((prints[0].at + prints[1].at).scale(0.5));
        let course = Course { at: here - there, ..course };
        let mut body = self.pilot.body.clone();
        body.forget();
        self.cycle = gait.and_then(|_| Cycle::of(&plan.steps, 0));
        self.pilot = Pilot::at(sample, course, plan, body, &self.walker.places);
        (self.gait, self.sample, self.pacer) = (gait, sample, Pacer::default());
        Ok(())
    }
}
