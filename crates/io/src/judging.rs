//! Motions judged as they are and filtered, with what came out in the words others rely on.

mod clock;
mod filtered;

pub use clock::Clock;
pub use filtered::{Judged, filter_json, lost_on_the_way, mode_name, save};

use crate::error::Error;
use crate::moving::{Moving, PLAIN};
use anthropi_motion::certificate::{Certificate, Finding, Peak};
use anthropi_motion::inverse::{Inverse, Settings};
use serde_json::{Value, json};

/// Forces behind a motion that was read; `input` is its name for messages.
///
/// # Errors
/// A motion whose forces cannot be found: somebody without feet, too few frames, numbers beyond all measure.
pub fn forces(
    input: &str,
    moving: &Moving,
    settings: &Settings,
    progress: &mut dyn FnMut(f64),
) -> Result<Inverse, Error> {
    Inverse::of(&moving.clip, settings, progress).map_err(|source| {
        // what has no feet was no person to begin with: the reason helps more
        let why = moving.notes.iter().find(|n| n.starts_with(PLAIN)).cloned();
        Error::Forces { file: input.into(), source, why }
    })
}

/// What was found while reading a motion, and about its ground.
pub fn notes(moving: &Moving, inverse: &Inverse) -> Vec<String> {
    moving.notes.iter().cloned().chain(inverse.touches.ground.told()).collect()
}

/// The certificate as others rely on it.
pub fn certificate_json(inverse: &Inverse, certificate: &Certificate, notes: &[String]) -> Value {
    let (clip, ground) = (&inverse.trajectory.clip, inverse.touches.ground);
    let Certificate { residual, contact, .. } = certificate;
    let moment = |p: &Peak| json!({ "value": p.value, "joint": p.joint, "frame": p.frame });
    json!({
        "name": clip.name,
        "frames": clip.frames(),
        "fps": 1.0 / clip.dt(),
        "duration_s": clip.duration(),
        "figure": { "name": clip.figure().name, "mass_kg": clip.figure().mass(), "stature_m": clip.figure().stature,
            "links": clip.figure().links().count(), "dof": clip.figure().forest().nv() },
        "root_residual": {
            "force_rms_N": residual.force_rms, "force_peak_N": residual.force_peak,
            "moment_rms_Nm": residual.moment_rms, "moment_peak_Nm": residual.moment_peak,
            "force_rms_bw": residual.force_rms_bw,
        },
        "contact": {
            "frames": contact.frames, "normal_violations": contact.normal_violations,
            "friction_violations": contact.friction_violations, "cop_outside": contact.cop_outside,
            "unsupported": contact.unsupported, "penetration_max_m": contact.penetration_max,
            "skate_mean_m_per_s": contact.skate_mean,
        },
        "grf": { "peak_bw": certificate.grf_peak },
        "torque_peak_Nm": certificate.torque_peak.value,
        "power_peak_W": certificate.power_peak.value,
        "torque_peak": moment(&certificate.torque_peak),
        "power_peak": moment(&certificate.power_peak),
        "judged_frames": [certificate.judged.start, certificate.judged.end],
        "cutoff": { "hz": inverse.cutoff.hz, "why": inverse.cutoff.why },
        "ground": { "height_m": ground.height, "slope": ground.slope, "spread_m": ground.spread,
            "even": ground.is_even, "velocity_m_per_s": ground.velocity.to_array() },
        "touches": touches(inverse),
        "findings": certificate.findings.iter().map(|f| finding(inverse, f)).collect::<Vec<_>>(),
        "notes": notes,
        "verdict": if certificate.is_consistent { "consistent" } else { "not consistent" },
    })
}

/// Spells in which each spot touches, frames.
fn touches(inverse: &Inverse) -> Value {
    let touches = &inverse.touches;
    let spells = |k: usize| touches.spells(k).iter().map(|s| [s.start, s.end]).collect::<Vec<_>>();
    let all = touches.places.iter().enumerate().map(|(k, p)| (p.spot.to_string(), json!(spells(k))));
    Value::Object(all.collect())
}

fn finding(inverse: &Inverse, f: &Finding) -> Value {
    let time = |frame: usize| inverse.trajectory.clip.time(frame);
    json!({
        "fault": f.fault.to_string(),
        "from_s": time(f.frames.start),
        "to_s": time(f.frames.end),
        "frames": [f.frames.start, f.frames.end],
        "worst_frame": f.worst,
        "size": f.size,
        "unit": f.unit.to_string(),
        "severity": f.severity,
        "what": f.what,
    })
}
