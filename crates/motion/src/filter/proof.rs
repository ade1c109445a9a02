//! What the forces of a filtered motion prove: checked at every internal step, not taken on trust.

use super::aim::along;
use super::body::GroundForce;
use super::run::Step;
use crate::hull;
use anthropi_dynamics::spatial::Vec3;

/// Forces may leave their cone by this part of the weight.
const ROUNDING: f64 = 1e-9;

/// Points faster than this along the ground slide, m/s.
const SLIDING: f64 = 0.05;
/// Friction below this part of the weight drives nothing.
const DRIVEN: f64 = 0.01;

/// Sums over all internal steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proof {
    /// internal steps
    pub steps: usize,
    /// steps with something on the ground
    pub touching: usize,
    /// force and moment on the root that nothing gives: root mean square and largest, N and N m
    pub force_rms: f64,
    /// largest, N
    pub force_peak: f64,
    /// N m
    pub moment_rms: f64,
    /// largest, N m
    pub moment_peak: f64,
    /// root mean square over the weight
    pub force_rms_bw: f64,
    /// steps in which a point pulls
    pub normal_violations: usize,
    /// steps in which a point's force leaves its friction cone
    pub friction_violations: usize,
    /// steps in which friction speeds up a point that slides, instead of slowing it down
    pub driven: usize,
    /// steps with the centre of pressure outside of what stands
    pub cop_outside: usize,
    /// steps in which a joint passes its strength
    pub torque_violations: usize,
    /// deepest point that stands below its ground, m
    pub penetration_max: f64,
    /// mean speed along the ground of points that stand, m/s
    pub skate_mean: f64,
    /// highest vertical force, mean over a frame, body weights
    pub grf_peak: f64,
    /// highest in a single step, body weights
    pub grf_step_peak: f64,
    /// highest joint torque, N m
    pub torque_peak: f64,
    /// highest joint power, W
    pub power_peak: f64,
    /// steps whose optimum was not found, so that the nearest possible motion was not taken
    pub fallbacks: usize,
    /// steps without any possible motion: cannot happen
    pub infeasible: usize,
    /// steps with a joint at its strength
    pub at_strength: usize,
    /// largest number of joints at their strength
    pub at_strength_most: usize,
    /// steps of Newton's method, in all
    pub newton: usize,
    points: usize,
    weight: f64,
}

impl Proof {
    pub(super) fn take(&mut self, step: &Step) {
        let body = step.body;
        self.weight = body.weight();
        self.steps += 1;
        let (force, moment) = body.left_over();
        self.force_rms += force * force;
        self.moment_rms += moment * moment;
        self.force_peak = self.force_peak.max(force);
        self.moment_peak = self.moment_peak.max(moment);
        self.contacts(step);
        let (tau, v, strength) = (body.tau(), body.v(), body.strength());
        let mut weakness = false;
        for b in body.joints() {
            let size: f64 = b.clone().map(|k| tau[k] * tau[k]).sum();
            let power: f64 = b.clone().map(|k| tau[k] * v[k]).sum();
            self.torque_peak = self.torque_peak.max(size.sqrt());
            self.power_peak = self.power_peak.max(power.abs());
            weakness |= b.clone().any(|k| tau[k].abs() > strength[k] * (1.0 + 1e-4));
        }
        self.torque_violations += usize::from(weakness);
        let solved = body.solved();
        self.fallbacks += usize::from(!solved.is_optimal);
        self.at_strength += usize::from(solved.at_bounds > 0);
        self.at_strength_most = self.at_strength_most.max(solved.at_bounds);
        self.newton += solved.steps;
    }

    fn contacts(&mut self, step: &Step) {
        let ground = step.body.ground();
        if ground.is_empty() {
            return;
        }
        self.touching += 1;
        let rounding = ROUNDING * self.weight;
        let pressure = |g: &GroundForce| g.normal.dot(g.force);
        let pulls = ground.iter().any(|g| pressure(g) < -rounding);
        let slips = ground
            .iter()
            .any(|g| along(g.normal, g.force).norm() > step.body.friction * pressure(g) + rounding);
        let drives = ground.iter().any(|g| {
            let way = along(g.normal, g.velocity);
            way.norm() > SLIDING && g.force.dot(way) > DRIVEN * self.weight * way.norm()
        });
        self.driven += usize::from(drives);
        self.normal_violations += usize::from(pulls);
        self.friction_violations += usize::from(slips);
        let total: f64 = ground.iter().map(|g| g.force.z).sum();
        self.grf_step_peak = self.grf_step_peak.max(total / self.weight);
        // pressure is across the ground; where it is centred is seen from above, as what stands is
        let total: f64 = ground.iter().map(pressure).sum();
        if total > 1e-3 * self.weight {
            let at: Vec<Vec3> = ground.iter().map(|g| g.at).collect();
            let (middle, corners) = hull::around(&at);
            let center = ground.iter().fold(Vec3::ZERO, |s, g| s + g.at.scale(pressure(g) / total));
            let p = [center.x - middle.x, center.y - middle.y];
            let [x, y] = hull::nearest(&corners, 1.0, p);
            self.cop_outside += usize::from((x - p[0]).hypot(y - p[1]) > 1e-6);
        }
        for g in ground {
            self.penetration_max = self.penetration_max.max(-g.above);
            self.skate_mean += along(g.normal, g.velocity).norm();
            self.points += 1;
        }
    }

    pub(super) fn finished(mut self) -> Proof {
        let n = self.steps.max(1) as f64;
        self.force_rms = (self.force_rms / n).sqrt();
        self.moment_rms = (self.moment_rms / n).sqrt();
        self.force_rms_bw = self.force_rms / self.weight.max(f64::MIN_POSITIVE);
        self.skate_mean /= self.points.max(1) as f64;
        self
    }
}
