//! The physical lamp of a filtered motion, from the audit of all internal steps.

use super::run::Filtered;
use crate::certificate::limits;
use crate::lamps::Lamp;

impl Filtered {
    /// Whether contacts and joints produce the motion; with assistance, with a reservation.
    pub fn physical(&self) -> Lamp {
        if let Some(t) = self.fell {
            return Lamp::red(format!("it falls at {t:.2} s"));
        }
        if !self.is_consistent_but_for_assistance() {
            return Lamp::red(self.violations().join(", "));
        }
        let assist = self.assist_report();
        if assist.is_used() {
            return Lamp::amber(format!(
                "consistent but for an external force of up to {:.2} body weights for {:.2} s",
                assist.peak_bw, assist.duration
            ));
        }
        Lamp::green(format!("contacts and human strength produce all forces in {} steps", self.audit.steps))
    }

    /// What is out of tolerance, in words.
    fn violations(&self) -> Vec<String> {
        let (audit, figure) = (&self.audit, self.clip.figure());
        let weight = figure.mass() * figure.gravity().norm();
        let steps = |count: usize, what: &str| (count > 0).then(|| format!("{what} in {count} steps"));
        let above = |value: f64, limit: f64, what: String| (value > limit).then_some(what);
        [
            steps(audit.normal_violations, "the ground pulls"),
            steps(audit.friction_violations, "feet hold beyond friction"),
            steps(audit.cop_outside, "the centre of pressure is outside the support"),
            steps(audit.torque_violations, "torques exceed human strength"),
            above(
                audit.force_rms_bw,
                limits::FORCE,
                format!("{:.2} body weights (RMS) have no source", audit.force_rms_bw),
            ),
            above(
                audit.moment_rms,
                limits::MOMENT * weight,
                format!("a moment of {:.0} N m (RMS) has no source", audit.moment_rms),
            ),
            above(
                audit.penetration_max,
                limits::DEPTH,
                format!("a foot or hand is {:.1} cm below the ground", 100.0 * audit.penetration_max),
            ),
            above(
                audit.skate_mean,
                limits::SKATE,
                format!("contacts slide at {:.2} m/s on average", audit.skate_mean),
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
