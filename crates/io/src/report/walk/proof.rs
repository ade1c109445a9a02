//! What the forces prove, how it was made, and notes.

use super::super::method::list;
use super::super::section;
use super::Report;
use crate::plot::escape;
use std::fmt::Write;

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    let (filtered, m) = (&report.walked.filtered, &report.walked.measured);
    let proof = &filtered.proof;
    section(out, "certificate", "Certificate");
    out.push_str(
        "<p>Steps, footprints, pressure and centre of mass are planned so that they go together; in every step of a millisecond the \
         nearest accelerations are then sought that the ground (inside friction) and the joints (within human strength) can give, \
         and the state is carried on by them. Checked in each of these steps, not taken on trust:</p>\n\
         <div class=\"scroll\"><table class=\"limits\"><tbody>\n",
    );
    let rows: [(&str, String, Option<bool>); 13] = [
        (
            "force on the root without a source, peak",
            format!("{:.0e} N", proof.force_peak),
            Some(proof.force_peak < 1e-6),
        ),
        (
            "moment on the root without a source, peak",
            format!("{:.0e} N m", proof.moment_peak),
            Some(proof.moment_peak < 1e-6),
        ),
        (
            "steps in which the ground pulls",
            proof.normal_violations.to_string(),
            Some(proof.normal_violations == 0),
        ),
        (
            "steps with a force outside of friction",
            proof.friction_violations.to_string(),
            Some(proof.friction_violations == 0),
        ),
        (
            "steps with the pressure outside of the soles",
            proof.cop_outside.to_string(),
            Some(proof.cop_outside == 0),
        ),
        (
            "steps beyond human strength",
            proof.torque_violations.to_string(),
            Some(proof.torque_violations == 0),
        ),
        ("deepest in the ground", format!("{:.2} mm", 1000.0 * proof.penetration_max), None),
        ("skating, mean", format!("{:.2} mm/s", 1000.0 * proof.skate_mean), None),
        ("feet that stand slip by, at most", format!("{:.2} mm", 1000.0 * m.slip), None),
        ("speed of a sole when it lands, at most", format!("{:.3} m/s", m.landing), None),
        (
            "vertical ground force, peak of a frame and of a step",
            format!("{:.2}, {:.2} BW", proof.grf_peak, proof.grf_step_peak),
            None,
        ),
        ("joint torque, peak", format!("{:.0} N m", proof.torque_peak), None),
        ("joint power, peak", format!("{:.0} W", proof.power_peak), None),
    ];
    for (what, value, is_good) in rows {
        let dot = match is_good {
            Some(false) => "<span class=\"dot bad\"></span> ",
            _ => "",
        };
        let _ = writeln!(out, "<tr><td>{what}</td><td class=\"number\">{dot}{}</td></tr>", escape(&value));
    }
    let verdict = if filtered.is_consistent() { "consistent" } else { "not consistent" };
    let _ = writeln!(out, "<tr><td>verdict</td><td><b>{verdict}</b></td></tr>\n</tbody></table></div>");
    out.push_str("<h3>Notes</h3>\n");
    list(out, report.notes.iter().map(String::as_str));
    out.push_str("</section>\n");
}
