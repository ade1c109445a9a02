//! What the forces of a filtered motion prove, as JSON that others rely on.

use anthropi_motion::filter::Filtered;
use serde_json::{Value, json};

/// The certificate of the filtered motion by its own forces; violations are counted in internal steps.
pub fn certificate(filtered: &Filtered) -> Value {
    let proof = &filtered.proof;
    json!({
        "steps": proof.steps,
        "root_residual": {
            "force_rms_N": proof.force_rms, "force_peak_N": proof.force_peak,
            "moment_rms_Nm": proof.moment_rms, "moment_peak_Nm": proof.moment_peak,
            "force_rms_bw": proof.force_rms_bw,
        },
        "contact": {
            "frames": filtered.forces.iter().filter(|f| !f.is_empty()).count(),
            "normal_violations": proof.normal_violations, "friction_violations": proof.friction_violations,
            "cop_outside": proof.cop_outside, "torque_violations": proof.torque_violations,
            "penetration_max_m": proof.penetration_max, "skate_mean_m_per_s": proof.skate_mean,
        },
        "grf": { "peak_bw": proof.grf_peak, "step_peak_bw": proof.grf_step_peak },
        "torque_peak_Nm": proof.torque_peak,
        "power_peak_W": proof.power_peak,
        "verdict": if filtered.is_consistent() { "consistent" } else { "not consistent" },
    })
}
