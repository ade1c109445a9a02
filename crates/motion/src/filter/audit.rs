//! Audit of the forces of a filtered motion over all internal steps.

use super::reference::along;
use super::run::SolvedStep;
use super::simulated_body::GroundForce;
use super::warning::distance_outside;
use anthropi_dynamics::spatial::Vec3;

/// Tolerance of the friction cones, parts of the weight.
const ROUNDING: f64 = 1e-9;
/// Relative tolerance of the torque limits.
const TORQUE_TOLERANCE: f64 = 1e-4;
/// Speed above which a point slides, m/s.
const SLIDE_SPEED: f64 = 0.05;
/// Least friction that counts as driving a sliding point, parts of the weight.
const MIN_DRIVE: f64 = 0.01;
/// Least load with a centre of pressure, parts of the weight, and its tolerance, m.
const MIN_LOAD: f64 = 1e-3;
const COP_TOLERANCE: f64 = 1e-6;

/// Totals and extremes over all internal steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// internal steps
    pub steps: usize,
    /// steps with a contact
    pub contact_steps: usize,
    /// RMS of the residual force on the root, N
    pub force_rms: f64,
    /// largest residual force, N
    pub force_peak: f64,
    /// RMS of the residual moment, N m
    pub moment_rms: f64,
    /// largest residual moment, N m
    pub moment_peak: f64,
    /// RMS of the residual force, body weights
    pub force_rms_bw: f64,
    /// steps with a pulling contact force
    pub normal_violations: usize,
    /// steps with a contact force outside its friction cone
    pub friction_violations: usize,
    /// steps in which friction accelerates a sliding point
    pub driven: usize,
    /// steps with the centre of pressure outside the support polygon
    pub cop_outside: usize,
    /// steps with a torque above its limit
    pub torque_violations: usize,
    /// largest penetration of a point in contact, m
    pub penetration_max: f64,
    /// mean sliding speed of points in contact, m/s
    pub skate_mean: f64,
    /// largest vertical ground force, mean over a frame, body weights
    pub grf_peak: f64,
    /// largest vertical ground force in a single step, body weights
    pub grf_step_peak: f64,
    /// largest joint torque, N m
    pub torque_peak: f64,
    /// largest joint power, W
    pub power_peak: f64,
    /// steps without an optimum: a feasible motion was used, but not the nearest
    pub fallbacks: usize,
    /// steps without a feasible motion: always zero
    pub infeasible: usize,
    /// steps with a joint at its torque limit
    pub at_strength: usize,
    /// total number of Newton steps
    pub newton: usize,
    points: usize,
    weight: f64,
}

impl Audit {
    pub(super) fn add(&mut self, step: &SolvedStep) {
        let body = step.body;
        self.weight = body.weight();
        self.steps += 1;
        let (force, moment) = body.root_residual();
        self.force_rms += force * force;
        self.moment_rms += moment * moment;
        self.force_peak = self.force_peak.max(force);
        self.moment_peak = self.moment_peak.max(moment);
        self.contacts(step);
        let (tau, v, strength) = (body.tau(), body.v(), body.strength());
        let mut exceeds_limit = false;
        for b in body.joints() {
            let size: f64 = b.clone().map(|k| tau[k] * tau[k]).sum();
            let power: f64 = b.clone().map(|k| tau[k] * v[k]).sum();
            self.torque_peak = self.torque_peak.max(size.sqrt());
            self.power_peak = self.power_peak.max(power.abs());
            exceeds_limit |= b.clone().any(|k| tau[k].abs() > strength[k] * (1.0 + TORQUE_TOLERANCE));
        }
        self.torque_violations += usize::from(exceeds_limit);
        let solved = body.solved();
        self.fallbacks += usize::from(!solved.is_optimal);
        self.at_strength += usize::from(solved.at_bounds > 0);
        self.newton += solved.steps;
    }

    fn contacts(&mut self, step: &SolvedStep) {
        let ground = step.body.ground();
        if ground.is_empty() {
            return;
        }
        self.contact_steps += 1;
        let rounding = ROUNDING * self.weight;
        let pressure = |g: &GroundForce| g.normal.dot(g.force);
        let pulls = ground.iter().any(|g| pressure(g) < -rounding);
        let slips = ground
            .iter()
            .any(|g| along(g.normal, g.force).norm() > step.body.friction * pressure(g) + rounding);
        let drives = ground.iter().any(|g| {
            let slide = along(g.normal, g.velocity);
            slide.norm() > SLIDE_SPEED && g.force.dot(slide) > MIN_DRIVE * self.weight * slide.norm()
        });
        self.driven += usize::from(drives);
        self.normal_violations += usize::from(pulls);
        self.friction_violations += usize::from(slips);
        let total: f64 = ground.iter().map(|g| g.force.z).sum();
        self.grf_step_peak = self.grf_step_peak.max(total / self.weight);
        // normal forces weight the centre of pressure; the support polygon is horizontal
        let total: f64 = ground.iter().map(pressure).sum();
        if total > MIN_LOAD * self.weight {
            let at: Vec<Vec3> = ground.iter().map(|g| g.at).collect();
            let center = ground.iter().fold(Vec3::ZERO, |s, g| s + g.at.scale(pressure(g) / total));
            self.cop_outside += usize::from(distance_outside(&at, center) > COP_TOLERANCE);
        }
        for g in ground {
            self.penetration_max = self.penetration_max.max(-g.above);
            self.skate_mean += along(g.normal, g.velocity).norm();
            self.points += 1;
        }
    }

    pub(super) fn finished(mut self) -> Audit {
        let n = self.steps.max(1) as f64;
        self.force_rms = (self.force_rms / n).sqrt();
        self.moment_rms = (self.moment_rms / n).sqrt();
        self.force_rms_bw = self.force_rms / self.weight.max(f64::MIN_POSITIVE);
        self.skate_mean /= self.points.max(1) as f64;
        self
    }
}
