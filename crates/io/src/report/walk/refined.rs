//! Torques of one step, refined over runs: the posture error of each.

use super::super::curves::{HEIGHT, plot};
use super::super::{WIDTH, figure, section};
use super::Report;
use crate::plot::{Plot, Series, Sheet};
use std::fmt::Write;

/// Writes the section, where torques were refined.
pub fn write(out: &mut String, report: &Report) {
    let Some(refined) = report.refined else { return };
    section(out, "refined", "Torques of one step, refined (HIDDS)");
    let all = refined.history.iter().enumerate();
    let points = all.clone().map(|(k, t)| (k as f64, t.posture_deg)).collect();
    let series = vec![Series { name: "posture error".into(), points }];
    let picture = Plot { x_label: "run".into(), is_log: true, ..plot("error, deg", series) };
    let last = (refined.history.len() - 1).max(1) as f64;
    let sheet =
        Sheet { width: WIDTH, height: HEIGHT, is_titled: false, x: Some((0.0, last)), ..Sheet::default() };
    let what = "root mean square over joints and time; each run moves the body by the torques that the runs before taught";
    figure(out, "Posture error by run", what, &picture.to_svg_on(&sheet));
    out.push_str(
        "<div class=\"scroll\"><table class=\"limits\"><thead><tr><th>run</th><th>posture error, deg</th>\
         <th>root at the end, mm</th><th>gain</th><th></th></tr></thead>\n<tbody>\n",
    );
    for (k, t) in all {
        let kept = if t.is_best { "" } else { "worse, dropped" };
        let _ = writeln!(
            out,
            "<tr><td>{k}</td><td class=\"number\">{:.4}</td><td class=\"number\">{:.2}</td><td class=\"number\">{:.2}</td><td>{kept}</td></tr>",
            t.posture_deg,
            1e3 * t.root_end,
            t.gain
        );
    }
    out.push_str("</tbody></table></div>\n</section>\n");
}
