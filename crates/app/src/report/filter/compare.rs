//! Numbers before and after.

use super::super::section;
use crate::assessment::FilterOutcome;
use crate::assessment::assistance::ASSISTED;
use crate::result::Verdict;
use anthropi_motion::certificate::{Certificate, limits};
use std::fmt::Write;

/// A measure of the input, of the filtered motion with its own forces, and re-estimated from its kinematics.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// label
    pub what: &'static str,
    /// with units
    pub values: [String; 3],
    /// whether it is within tolerance, if it is assessed
    pub is_good: [Option<bool>; 3],
}

/// A measure with its unit and tolerance.
struct Measure {
    what: &'static str,
    unit: &'static str,
    limit: Option<f64>,
}

impl Measure {
    fn row(&self, values: [Option<f64>; 3]) -> Compared {
        Compared {
            what: self.what,
            values: values.map(|v| v.map_or("\u{2013}".into(), |x| format!("{} {}", number(x), self.unit))),
            is_good: values.map(|v| Some(v? <= self.limit?)),
        }
    }
}

/// The last row.
pub(super) const VERDICT: &str = "verdict";

/// All compared measures.
pub fn compared(outcome: &FilterOutcome) -> Vec<Compared> {
    let (before, filtered) = (&outcome.input.certificate, &outcome.filtered);
    let (audit, weight) = (&filtered.audit, outcome.input.inverse.weight());
    let shown = |what, unit, limit| Measure { what, unit, limit };
    let of = |what, unit, limit, own: f64, f: &dyn Fn(&Certificate) -> f64| {
        shown(what, unit, limit).row([
            Some(f(before)),
            Some(own),
            outcome.from_motion.as_ref().map(|a| f(&a.certificate)),
        ])
    };
    let depth = |c: &Certificate| 1000.0 * c.contact.penetration_max;
    let skate = |c: &Certificate| 100.0 * c.contact.skate_mean;
    let faults = |c: &Certificate| {
        let c = &c.contact;
        (c.normal_violations + c.friction_violations + c.cop_outside) as f64
    };
    let own_faults = (audit.normal_violations + audit.friction_violations + audit.cop_outside) as f64;
    // estimated forces may violate contact in some frames, known forces may not
    let none = |row: Compared| Compared { is_good: [None, Some(own_faults == 0.0), None], ..row };
    let force = limits::FORCE * weight;
    let moment = limits::MOMENT * weight;
    // the soles of the input may be estimates, those of the simulated figure are not
    let widened = |row: Compared| {
        let is_good = before.residual.moment_rms <= before.moment_limit;
        Compared { is_good: [Some(is_good), row.is_good[1], row.is_good[2]], ..row }
    };
    let strength = audit.torque_violations as f64;
    vec![
        of("residual force, rms", "N", Some(force), audit.force_rms, &|c| c.residual.force_rms),
        widened(of("residual moment, rms", "N m", Some(moment), audit.moment_rms, &|c| {
            c.residual.moment_rms
        })),
        none(of("contact violations", "times", None, own_faults, &faults)),
        of("penetration, max", "mm", Some(1000.0 * limits::DEPTH), 1000.0 * audit.penetration_max, &depth),
        of("foot skate, mean", "cm/s", Some(100.0 * limits::SKATE), 100.0 * audit.skate_mean, &skate),
        of("ground force, peak", "BW", None, audit.grf_peak, &|c| c.grf_peak),
        of("joint torque, peak", "N m", None, audit.torque_peak, &|c| c.torque_peak.value),
        of("joint power, peak", "W", None, audit.power_peak, &|c| c.power_peak.value),
        shown("torques beyond human strength", "times", Some(0.0)).row([None, Some(strength), None]),
        shown("joint jerk, rms", "rad/s\u{b3}", None).row([outcome.jitter[0], outcome.jitter[1], None]),
        verdict(outcome),
    ]
}

fn verdict(outcome: &FilterOutcome) -> Compared {
    let all = [
        Some(outcome.input.certificate.is_consistent),
        Some(outcome.verdict() == Verdict::Consistent.word()),
        outcome.from_motion.as_ref().map(|a| a.certificate.is_consistent),
    ];
    let word = |is: Option<bool>| match is {
        Some(is) => Verdict::from(is).word().into(),
        None => "\u{2013}".into(),
    };
    let [before, _, from_motion] = all.map(word);
    Compared { what: VERDICT, values: [before, outcome.verdict().into(), from_motion], is_good: all }
}

/// Three significant digits; one for rounding errors.
fn number(x: f64) -> String {
    match x.abs() {
        a if a == a.round() && a < 1e6 => format!("{x:.0}"),
        a if a < 1e-3 => format!("{x:.0e}"),
        a if a < 1.0 => format!("{x:.3}"),
        a if a < 10.0 => format!("{x:.2}"),
        a if a < 100.0 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}

/// Writes the section.
pub fn write(out: &mut String, outcome: &FilterOutcome) {
    section(out, "compare", "Before and after");
    out.push_str(
        "<div class=\"scroll\"><table class=\"compare\"><thead><tr><th></th><th>input</th><th>filtered</th>\
         <th>re-estimated from kinematics</th></tr></thead>\n<tbody>\n",
    );
    for row in compared(outcome) {
        let _ = write!(out, "<tr><td>{}</td>", row.what);
        for (value, is_good) in row.values.iter().zip(row.is_good) {
            let class = match is_good {
                Some(true) => " good",
                _ if value == ASSISTED => " borderline",
                Some(false) => " bad",
                None => "",
            };
            let _ = write!(out, "<td class=\"number{class}\">{value}</td>");
        }
        out.push_str("</tr>\n");
    }
    let tracking = &outcome.filtered.tracking;
    let _ = writeln!(
        out,
        "</tbody></table></div>\n<p class=\"note\">Filtered: with the simulated forces, checked in each of {} internal steps. \
         Re-estimated from kinematics: a certificate that does not know these forces and estimates them from smoothed frames. \
         Tracking error: joints {:.2}\u{b0} rms, {:.1}\u{b0} max; root {:.1} cm, links {:.1} cm rms.</p>\n</section>",
        outcome.filtered.audit.steps,
        tracking.joint_rms_deg,
        tracking.joint_max_deg,
        100.0 * tracking.root_rms_m,
        100.0 * tracking.link_rms_m,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_about_three_digits() {
        let texts = [0.0, 15.0, 3.2e-10, 0.0124, 1.234, 12.34, 1234.6].map(number);
        assert_eq!(texts, ["0", "15", "3e-10", "0.012", "1.23", "12.3", "1235"]);
    }
}
