//! From steps to a plan: a draft shows when heels have to rise, then passes until all agree (`settle`), first with coarse
//! samples, which are soon made, at last with those that are walked.

use super::feet::{self, Stance};
use super::parameter::Kind;
use super::plan::{DT, Plan, Rises};
use super::puppet::Puppet;
use super::settle::Settling;
use super::stairs;
use super::steps::Steps;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::vec3;

/// Time between samples of first passes, s. Flights are planned with fine ones at once: they begin and end within one.
const COARSE: f64 = 0.004;
/// Passes at most: of a draft, of the plan, and of its last, finer ones.
const DRAFT: usize = 4;
const PASSES: usize = 14;
const FINER: usize = 6;
/// A draft is looked at this often, s.
const LOOK: f64 = 0.005;
/// Ankles bend so far up, rad, in usual and in long steps; heels rise this much earlier than they would be there, s.
const DORSIFLEXION: [f64; 2] = [0.46, 0.38];
const DORSIFLEXION_RUN: f64 = 0.5;
const EARLIER: f64 = 0.02;

/// What passes are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Draft,
    Passes,
    Finer,
}

/// A plan that is being made.
#[derive(Clone, Debug)]
pub(crate) struct Planning {
    plan: Plan,
    rises: Rises,
    settling: Settling,
    stage: Stage,
    is_coarse: bool,
}

impl Planning {
    /// Begins.
    pub fn of(puppet: &mut Puppet, steps: Steps) -> Planning {
        let is_walk = steps.steps.iter().all(|s| s.parameters.kind == Kind::Walk);
        let jumps = steps.steps.iter().any(|s| s.parameters.kind == Kind::Jump);
        let rises = Rises::default();
        let plan = Plan::blank(puppet, steps, &rises, if is_walk { COARSE } else { DT });
        let (stage, passes) = if jumps { (Stage::Finer, PASSES) } else { (Stage::Draft, DRAFT) };
        let settling = Settling::of(&plan, puppet, passes);
        Planning { plan, rises, settling, stage, is_coarse: false }
    }

    /// A plan that stays coarse, where that will do: it is sooner made.
    pub fn coarse(puppet: &mut Puppet, steps: Steps) -> Planning {
        Planning { is_coarse: true, ..Planning::of(puppet, steps) }
    }

    /// Makes a pass; whether the plan is done.
    pub fn pass(&mut self, puppet: &mut Puppet) -> bool {
        if !self.settling.pass(&mut self.plan, puppet) {
            return false;
        }
        match self.stage {
            Stage::Draft => {
                self.rises = self.plan.rises(puppet);
                self.begin(puppet, self.plan.dt);
                self.settling = Settling::of(&self.plan, puppet, PASSES);
                self.stage = Stage::Passes;
            }
            Stage::Passes if self.plan.dt > DT && !self.is_coarse => {
                let (dt, coarse) = (self.plan.dt, core::mem::take(&mut self.plan.settling));
                self.begin(puppet, DT);
                self.plan.settling = coarse;
                self.settling = Settling::finer(&self.settling, dt, &self.plan, puppet, FINER);
                self.stage = Stage::Finer;
            }
            Stage::Passes | Stage::Finer => return true,
        }
        false
    }

    /// Samples of a pass.
    pub fn samples(&self) -> usize {
        self.plan.samples()
    }

    /// The plan, once it is done.
    pub fn plan(self) -> Plan {
        self.plan
    }

    fn begin(&mut self, puppet: &Puppet, dt: f64) {
        self.plan = Plan::blank(puppet, self.plan.steps.clone(), &self.rises, dt);
    }
}

impl Plan {
    /// Plans a walk.
    pub fn of(puppet: &mut Puppet, steps: Steps) -> Plan {
        let mut planning = Planning::of(puppet, steps);
        while !planning.pass(puppet) {}
        planning.plan()
    }

    /// By foot and stance: when the heel has to rise because the ankle bends no farther.
    fn rises(&self, puppet: &Puppet) -> Rises {
        let figure = puppet.figure.clone();
        let (forest, nq) = (figure.forest(), figure.forest().nq());
        let mut kinematics = Kinematics::default();
        let mut rises = [0, 1].map(|s| vec![f64::INFINITY; self.feet[s].stances.len()]);
        for k in (0..self.samples()).step_by(((LOOK / self.dt).round() as usize).max(1)) {
            let t = k as f64 * self.dt;
            kinematics.update(forest, &self.q[k * nq..(k + 1) * nq], None, None);
            let turns = puppet.turns(&kinematics);
            for (s, rises) in rises.iter_mut().enumerate() {
                let n = self.feet[s].stances.partition_point(|x| x.land <= t).max(1) - 1;
                let stance = &self.feet[s].stances[n];
                let [_, shank, foot] = turns.legs[s];
                let up = foot.inverse().then(shank).rotate(vec3(0.0, 0.0, 1.0));
                let is_flat = stance.flat <= t && t < stance.rise;
                if is_flat
                    && libm::atan2(up.x, up.z) > self.most_dorsiflexion(s, stance)
                    && stance.lift.is_finite()
                {
                    rises[n] = rises[n].min(t - EARLIER);
                }
            }
        }
        rises
    }

    fn most_dorsiflexion(&self, side: usize, stance: &Stance) -> f64 {
        let step = self.steps.steps.iter().find(|s| s.side == side && s.land == stance.land);
        if step.is_some_and(|s| s.parameters.kind == Kind::Run) {
            return DORSIFLEXION_RUN;
        }
        let [usual, long] = DORSIFLEXION;
        let level = usual + (long - usual) * step.map_or(0.0, |s| 1.0 - feet::ease_of(s, self.size.scale));
        let part = if stance.stair < 0.0 { 1.0 } else { stance.climb() };
        level + part * (stairs::DORSIFLEXION - level)
    }
}
