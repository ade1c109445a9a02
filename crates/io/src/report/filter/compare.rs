//! Numbers before and after.

use super::super::section;
use super::Report;
use anthropi_motion::certificate::{Certificate, limits};
use std::fmt::Write;

/// A number of the motion as it was given, of the filtered one by its own forces, and of that as its motion alone tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// what it is
    pub what: &'static str,
    /// with units
    pub values: [String; 3],
    /// whether it is within what is let pass, where it is judged
    pub is_good: [Option<bool>; 3],
}

/// A number as it is shown, and what is let pass of it.
struct Shown {
    what: &'static str,
    unit: &'static str,
    limit: Option<f64>,
}

impl Shown {
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

/// All that is compared, in the order it is shown.
pub fn compared(report: &Report) -> Vec<Compared> {
    let (before, filtered) = (report.given.1, report.filtered);
    let (proof, weight) = (&filtered.proof, report.given.0.weight());
    let shown = |what, unit, limit| Shown { what, unit, limit };
    let of = |what, unit, limit, own: f64, f: &dyn Fn(&Certificate) -> f64| {
        shown(what, unit, limit).row([Some(f(before)), Some(own), report.alone.map(f)])
    };
    let depth = |c: &Certificate| 1000.0 * c.contact.penetration_max;
    let skate = |c: &Certificate| 100.0 * c.contact.skate_mean;
    let faults = |c: &Certificate| {
        let c = &c.contact;
        (c.normal_violations + c.friction_violations + c.cop_outside) as f64
    };
    let own_faults = (proof.normal_violations + proof.friction_violations + proof.cop_outside) as f64;
    // of captured motions some frames are let pass, of forces that are known none
    let none = |row: Compared| Compared { is_good: [None, Some(own_faults == 0.0), None], ..row };
    let force = limits::FORCE * weight;
    let moment = limits::MOMENT * weight;
    let strength = proof.torque_violations as f64;
    vec![
        of("residual force, rms", "N", Some(force), proof.force_rms, &|c| c.residual.force_rms),
        of("residual moment, rms", "N m", Some(moment), proof.moment_rms, &|c| c.residual.moment_rms),
        none(of("pulls, slips, pressure outside", "times", None, own_faults, &faults)),
        of(
            "deepest in the ground",
            "mm",
            Some(1000.0 * limits::DEPTH),
            1000.0 * proof.penetration_max,
            &depth,
        ),
        of("skating, mean", "cm/s", Some(100.0 * limits::SKATE), 100.0 * proof.skate_mean, &skate),
        of("ground force, peak", "BW", None, proof.grf_peak, &|c| c.grf_peak),
        of("joint torque, peak", "N m", None, proof.torque_peak, &|c| c.torque_peak.value),
        of("joint power, peak", "W", None, proof.power_peak, &|c| c.power_peak.value),
        shown("beyond human strength", "times", Some(0.0)).row([None, Some(strength), None]),
        shown("joints' jerk, rms", "rad/s\u{b3}", None).row([report.jitter[0], report.jitter[1], None]),
        verdict(report),
    ]
}

fn verdict(report: &Report) -> Compared {
    let all = [
        Some(report.given.1.is_consistent),
        Some(report.filtered.is_consistent()),
        report.alone.map(|c| c.is_consistent),
    ];
    let word = |is: Option<bool>| match is {
        Some(true) => "consistent".into(),
        Some(false) => "not consistent".into(),
        None => "\u{2013}".into(),
    };
    Compared { what: VERDICT, values: all.map(word), is_good: all }
}

/// Three digits; what is nothing but rounding in one.
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
pub fn write(out: &mut String, report: &Report) {
    section(out, "compare", "Before and after");
    out.push_str(
        "<div class=\"scroll\"><table class=\"compare\"><thead><tr><th></th><th>given</th><th>filtered</th>\
         <th>filtered, by its motion alone</th></tr></thead>\n<tbody>\n",
    );
    for row in compared(report) {
        let _ = write!(out, "<tr><td>{}</td>", row.what);
        for (value, is_good) in row.values.iter().zip(row.is_good) {
            let class = match is_good {
                Some(true) => " good",
                Some(false) => " bad",
                None => "",
            };
            let _ = write!(out, "<td class=\"number{class}\">{value}</td>");
        }
        out.push_str("</tr>\n");
    }
    let tracking = &report.filtered.tracking;
    let _ = writeln!(
        out,
        "</tbody></table></div>\n<p class=\"note\">Filtered: by the forces that moved it, checked in each of {} internal steps. By \
         its motion alone: as a certificate judges it that does not know these forces and has to guess them back from \
         smoothed frames. From the reference: joints {:.2}\u{b0} rms, {:.1}\u{b0} at most; root {:.1} cm, links {:.1} cm \
         rms.</p>\n</section>",
        report.filtered.proof.steps,
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
        let told = [0.0, 15.0, 3.2e-10, 0.0124, 1.234, 12.34, 1234.6].map(number);
        assert_eq!(told, ["0", "15", "3e-10", "0.012", "1.23", "12.3", "1235"]);
    }
}
