//! Checks of the forces in every step, and notes.

use super::super::method::notes;
use super::super::{section, table};
use super::Report;

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    let (filtered, m) = (&report.walked.filtered, &report.walked.measured);
    let audit = &filtered.audit;
    section(out, "certificate", "Certificate");
    out.push_str(
        "<p>The planner makes footsteps, centre of pressure and centre of mass consistent with each other. In every step of a \
         millisecond a QP then finds the nearest accelerations that contact forces within the friction cone and torques within \
         human strength can produce, and the simulation advances by them. Checked in each of these steps:</p>\n",
    );
    let bad = |is_bad: bool| if is_bad { "<span class=\"dot bad\"></span> " } else { "" };
    let residual = |x: f64, unit: &str| format!("{}{x:.0e} {unit}", bad(x >= 1e-6));
    let count = |n: usize| format!("{}{n}", bad(n > 0));
    let verdict = if filtered.is_consistent() { "consistent" } else { "not consistent" };
    let rows = [
        ("residual force on the root, peak", residual(audit.force_peak, "N")),
        ("residual moment on the root, peak", residual(audit.moment_peak, "N m")),
        ("steps with an adhesive contact force", count(audit.normal_violations)),
        ("steps with a force outside the friction cone", count(audit.friction_violations)),
        ("steps with the centre of pressure outside the soles", count(audit.cop_outside)),
        ("steps with a torque beyond human strength", count(audit.torque_violations)),
        ("penetration, max", format!("{:.2} mm", 1000.0 * audit.penetration_max)),
        ("foot skate, mean", format!("{:.2} mm/s", 1000.0 * audit.skate_mean)),
        ("slip of a stance foot, max", format!("{:.2} mm", 1000.0 * m.slip)),
        ("landing speed of a sole, max", format!("{:.3} m/s", m.landing)),
        (
            "vertical ground force, peak per frame and per step",
            format!("{:.2}, {:.2} BW", audit.grf_peak, audit.grf_step_peak),
        ),
        ("joint torque, peak", format!("{:.0} N m", audit.torque_peak)),
        ("joint power, peak", format!("{:.0} W", audit.power_peak)),
        ("verdict", format!("<b>{verdict}</b>")),
    ];
    table(out, &[], rows.map(|(what, value)| vec![what.to_string(), value]));
    notes(out, &report.notes);
    out.push_str("</section>\n");
}
