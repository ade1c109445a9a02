//! Physics certificate of a motion: is it physically plausible for this figure, and if not, where and why not?
//!
//! | part | content |
//! |---|---|
//! | `faults` | frame intervals with a fault, named and ranked |
//! | `flight` | free fall with wrong gravity, support without contact |
//! | [`limits`] | tolerances |
//! | `soles` | faults that depend on where the edges of the soles are |
//! | `tempo` | playback speed at which the motion would be plausible |
//!
//! All tests use forces computed from the motion (`inverse`). Frames at the ends, with one-sided derivatives, are
//! excluded from the force tests.
//!
//! The soles of recorded people are estimates: their edges are uncertain by 3 cm. So are the centre of pressure that they
//! allow, the moment (times the weight), and the height of an edge of a tilted sole (times the sine of the tilt).
//! [`Certificate::with_estimated_soles`] widens these three limits by that much and no other; what only the widening
//! explains is kept apart (`explained`) and makes the verdict uncertain.

mod faults;
mod flight;
pub mod limits;
mod soles;
mod tempo;

pub use faults::{Fault, Finding, Unit};

use crate::assumption::{Assumption, SOLE_UNCERTAINTY};
use crate::inverse::Inverse;
use crate::lamps::{self, Lamp};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::spatial::Vec3;
use limits::{FORCE, MOMENT};
use serde::Serialize;
use std::ops::Range;

/// Periods of the cut-off frequency excluded at each end,
const END_PERIODS: f64 = 0.5;
/// at most this part of the motion.
const END_PART: f64 = 0.05;

/// Result of the plausibility assessment.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// force and moment that contacts or measured forces do not explain
    pub residual: Residual,
    /// contact with the ground
    pub contact: Contact,
    /// highest ground force, body weights
    pub grf_peak: f64,
    /// highest joint torque, N m
    pub torque_peak: Peak,
    /// highest joint power, W
    pub power_peak: Peak,
    /// worst first
    pub findings: Vec<Finding>,
    /// faults that the uncertainty of estimated soles explains; worst first
    pub explained: Vec<Finding>,
    /// uncertainty of the edges of the soles by which limits are widened, m
    pub sole_uncertainty: f64,
    /// limit of the residual moment, RMS, N m
    pub moment_limit: f64,
    /// frames in which forces are assessed
    pub assessed: Range<usize>,
    /// whether there is no finding and the residual is within its tolerance
    pub is_consistent: bool,
}

/// Unexplained force, and moment about the centre of mass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Residual {
    /// N
    #[serde(rename = "force_rms_N")]
    pub force_rms: f64,
    /// N
    #[serde(rename = "force_peak_N")]
    pub force_peak: f64,
    /// N m
    #[serde(rename = "moment_rms_Nm")]
    pub moment_rms: f64,
    /// N m
    #[serde(rename = "moment_peak_Nm")]
    pub moment_peak: f64,
    /// body weights
    pub force_rms_bw: f64,
}

/// Contact with the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Contact {
    /// frames with contact
    pub frames: usize,
    /// frames in which the ground would have to pull
    pub normal_violations: usize,
    /// frames in which feet would slip
    pub friction_violations: usize,
    /// frames in which the centre of pressure would have to be outside the support
    pub cop_outside: usize,
    /// frames in which weight is carried without contact
    pub unsupported: usize,
    /// deepest point below the ground, m; none where the ground is uneven
    #[serde(rename = "penetration_max_m")]
    pub penetration_max: f64,
    /// mean sliding speed of the contacts, m/s
    #[serde(rename = "skate_mean_m_per_s")]
    pub skate_mean: f64,
}

/// A peak value, its joint and frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Peak {
    /// the value
    pub value: f64,
    /// joint
    pub joint: String,
    /// frame
    pub frame: usize,
}

impl Certificate {
    /// Assesses a motion of a figure whose soles are known, by its inverse dynamics.
    pub fn from_inverse(inverse: &Inverse) -> Certificate {
        Certificate::with_uncertainty(inverse, 0.0)
    }

    /// Assesses a motion of a person whose soles are estimated: limits that depend on the edges of the soles are widened by
    /// [`SOLE_UNCERTAINTY`].
    pub fn with_estimated_soles(inverse: &Inverse) -> Certificate {
        Certificate::with_uncertainty(inverse, SOLE_UNCERTAINTY)
    }

    fn with_uncertainty(inverse: &Inverse, sole_uncertainty: f64) -> Certificate {
        let assessed = assessed(inverse);
        let residual = residual(inverse, assessed.clone());
        let (torque_peak, power_peak) = peaks(inverse, assessed.clone());
        let weight = inverse.weight();
        let grf = |f: usize| {
            inverse.frames[f].contact_forces.iter().fold(Vec3::ZERO, |sum, p| sum + p.force).norm()
        };
        let mut faults = faults::Faults::new(inverse, assessed.clone(), sole_uncertainty);
        faults.find();
        let moment_limit = (MOMENT + sole_uncertainty) * weight;
        let is_within_tolerance = residual.force_rms_bw <= FORCE && residual.moment_rms <= moment_limit;
        Certificate {
            residual,
            contact: faults.contact,
            grf_peak: assessed.clone().map(grf).fold(0.0, f64::max) / weight,
            torque_peak,
            power_peak,
            is_consistent: is_within_tolerance && faults.findings.is_empty(),
            findings: faults.findings,
            explained: faults.explained,
            sole_uncertainty,
            moment_limit,
            assessed,
        }
    }

    /// Why the motion is consistent only within the uncertainty of its soles; `None` if the verdict does not depend on it.
    pub fn within_uncertainty(&self) -> Option<String> {
        let strict = self.moment_limit * MOMENT / (MOMENT + self.sole_uncertainty);
        let is_moment_explained = self.residual.moment_rms > strict;
        if !self.is_consistent || (self.explained.is_empty() && !is_moment_explained) {
            return None;
        }
        let soles = format!("the soles are estimated, to {:.0} cm", 100.0 * self.sole_uncertainty);
        Some(match self.explained.first() {
            Some(worst) => {
                let what = match worst.fault {
                    Fault::Balance => "the centre of pressure is outside the support",
                    _ => "a tilted sole is below the ground",
                };
                format!("{what} by {:.1} cm, and {soles}", 100.0 * worst.size)
            }
            None => {
                let moment = self.residual.moment_rms;
                format!("the residual moment is {moment:.0} N m, above {strict:.0}, and {soles}")
            }
        })
    }

    /// Whether contacts and joints can produce the forces.
    pub fn physical(&self) -> Lamp {
        let Residual { force_rms_bw, moment_rms, .. } = self.residual;
        if self.is_consistent {
            return Lamp::green(format!(
                "contacts can produce the forces, but for {force_rms_bw:.3} body weights (RMS)"
            ));
        }
        Lamp::red(match self.findings.first() {
            Some(worst) => worst.what.clone(),
            None if force_rms_bw > FORCE => {
                format!("{force_rms_bw:.2} body weights (RMS) have no source; the tolerance is {FORCE}")
            }
            None => {
                let limit = self.moment_limit;
                format!("a moment of {moment_rms:.0} N m (RMS) has no source; the tolerance is {limit:.0}")
            }
        })
    }

    /// Whether the verdict depends on what is assumed.
    pub fn certain(&self, assumptions: &[Assumption]) -> Lamp {
        lamps::certain(assumptions, self.within_uncertainty().as_deref())
    }
}

/// Frames with two-sided derivatives.
fn assessed(inverse: &Inverse) -> Range<usize> {
    let (frames, dt) = (inverse.frames.len(), inverse.trajectory.clip.dt());
    let ends = inverse.cutoff.hz.map_or(0.0, |hz| END_PERIODS / (hz * dt)).min(END_PART * frames as f64);
    let ends = (ends as usize).max(usize::from(frames > 10));
    ends..frames - ends
}

fn residual(inverse: &Inverse, assessed: Range<usize>) -> Residual {
    let n = assessed.len().max(1) as f64;
    let (mut r, mut force, mut moment) = (Residual::default(), 0.0, 0.0);
    for f in assessed {
        let missing = inverse.frames[f].residual;
        force += missing.linear.dot(missing.linear);
        moment += missing.angular.dot(missing.angular);
        r.force_peak = r.force_peak.max(missing.linear.norm());
        r.moment_peak = r.moment_peak.max(missing.angular.norm());
    }
    (r.force_rms, r.moment_rms) = ((force / n).sqrt(), (moment / n).sqrt());
    r.force_rms_bw = r.force_rms / inverse.weight();
    r
}

/// Peak torque and power over all joints except the root.
fn peaks(inverse: &Inverse, assessed: Range<usize>) -> (Peak, Peak) {
    let figure = inverse.trajectory.clip.figure();
    let (mut torque, mut power) = (Peak::default(), Peak::default());
    for (handle, joint) in
        figure.joints().filter(|(_, j)| !matches!(j.kind, JointKind::Free | JointKind::Fixed))
    {
        let place = figure.forest().joint_place(handle);
        let own = place.dofs();
        for frame in assessed.clone() {
            let (tau, v) = (&inverse.tau(frame)[own.clone()], &inverse.trajectory.v(frame)[own.clone()]);
            let size = tau.iter().map(|t| t * t).sum::<f64>().sqrt();
            let watts = tau.iter().zip(v).map(|(t, v)| t * v).sum::<f64>().abs();
            for (peak, value) in [(&mut torque, size), (&mut power, watts)] {
                if value > peak.value {
                    *peak = Peak { value, joint: joint.name.clone(), frame };
                }
            }
        }
    }
    (torque, power)
}
