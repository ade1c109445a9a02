//! The physics certificate of a motion: could a person of this build have moved so, and if not, where not and why.
//!
//! | part | what it does |
//! |---|---|
//! | `faults` | spells of frames with something wrong, named, ranked |
//! | `flight` | free fall with another gravity, and standing on air |
//! | [`limits`] | what is let pass |
//! | `tempo` | whether another speed of play would be possible |
//!
//! All is judged on forces that are computed from the motion (`inverse`). Frames at the ends, where derivatives know one
//! side only, are not judged by forces.

mod faults;
mod flight;
pub mod limits;
mod tempo;

pub use faults::{Fault, Finding, Unit};

use crate::inverse::Inverse;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::spatial::Vec3;
use limits::{FORCE, MOMENT};
use std::ops::Range;

/// This much of a period of the cut-off is not judged at the ends...
const ENDS: f64 = 0.5;
/// ...but no more than this part of the motion.
const ENDS_PART: f64 = 0.05;

/// What was found.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// what no contact could give, or what is not explained by measured forces
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
    /// frames that were judged by forces
    pub judged: Range<usize>,
    /// whether nothing speaks against it
    pub is_consistent: bool,
}

/// Force and moment (about the centre of mass) that nothing gives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// N
    pub force_rms: f64,
    /// N
    pub force_peak: f64,
    /// N m
    pub moment_rms: f64,
    /// N m
    pub moment_peak: f64,
    /// body weights
    pub force_rms_bw: f64,
}

/// Contact with the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// frames with contact
    pub frames: usize,
    /// frames in which the ground would have to pull
    pub normal_violations: usize,
    /// frames in which feet would slip
    pub friction_violations: usize,
    /// frames in which the centre of pressure would have to be outside of all that touches
    pub cop_outside: usize,
    /// frames in which weight is carried and nothing touches
    pub unsupported: usize,
    /// deepest point below the ground, m; none where the ground is uneven
    pub penetration_max: f64,
    /// mean speed along the ground of what touches it, m/s
    pub skate_mean: f64,
}

/// A highest value, where and when.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Peak {
    /// the value
    pub value: f64,
    /// at which joint
    pub joint: String,
    /// in which frame
    pub frame: usize,
}

impl Certificate {
    /// Judges the forces behind a motion.
    pub fn of(inverse: &Inverse) -> Certificate {
        let judged = judged(inverse);
        let residual = residual(inverse, judged.clone());
        let (torque_peak, power_peak) = peaks(inverse, judged.clone());
        let weight = inverse.weight();
        let grf = |f: usize| inverse.frames[f].pushes.iter().fold(Vec3::ZERO, |sum, p| sum + p.force).norm();
        let mut faults = faults::Faults::new(inverse, judged.clone());
        faults.find();
        let is_calm = residual.force_rms_bw <= FORCE && residual.moment_rms <= MOMENT * weight;
        Certificate {
            residual,
            contact: faults.contact,
            grf_peak: judged.clone().map(grf).fold(0.0, f64::max) / weight,
            torque_peak,
            power_peak,
            is_consistent: is_calm && faults.findings.is_empty(),
            findings: faults.findings,
            judged,
        }
    }
}

/// Frames whose derivatives know both sides.
fn judged(inverse: &Inverse) -> Range<usize> {
    let (frames, dt) = (inverse.frames.len(), inverse.trajectory.clip.dt());
    let ends = inverse.cutoff.hz.map_or(0.0, |hz| ENDS / (hz * dt)).min(ENDS_PART * frames as f64);
    let ends = (ends as usize).max(usize::from(frames > 10));
    ends..frames - ends
}

fn residual(inverse: &Inverse, judged: Range<usize>) -> Residual {
    let n = judged.len().max(1) as f64;
    let (mut r, mut force, mut moment) = (Residual::default(), 0.0, 0.0);
    for f in judged {
        let missing = inverse.frames[f].missing;
        force += missing.linear.dot(missing.linear);
        moment += missing.angular.dot(missing.angular);
        r.force_peak = r.force_peak.max(missing.linear.norm());
        r.moment_peak = r.moment_peak.max(missing.angular.norm());
    }
    (r.force_rms, r.moment_rms) = ((force / n).sqrt(), (moment / n).sqrt());
    r.force_rms_bw = r.force_rms / inverse.weight();
    r
}

/// Highest torque and power of all joints but the root.
fn peaks(inverse: &Inverse, judged: Range<usize>) -> (Peak, Peak) {
    let figure = inverse.trajectory.clip.figure();
    let (mut torque, mut power) = (Peak::default(), Peak::default());
    for (handle, joint) in
        figure.joints().filter(|(_, j)| !matches!(j.kind, JointKind::Free | JointKind::Fixed))
    {
        let place = figure.forest().joint_place(handle);
        let own = place.iv..place.iv + place.nv;
        for frame in judged.clone() {
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
