//! HIDDS: torques of one step refined over runs, with the posture error of each.

use super::super::curves::{HEIGHT, plot};
use super::super::{WIDTH, figure, section, table};
use super::Report;
use crate::plot::{Plot, Series, Sheet};

/// Writes the section if torques were refined.
pub fn write(out: &mut String, report: &Report) {
    let Some(refined) = report.step.as_ref().and_then(|s| s.refined.as_ref()) else { return };
    section(out, "refined", "Torques of one step, refined (HIDDS)");
    let all = refined.history.iter().enumerate();
    let points = all.clone().map(|(k, t)| (k as f64, t.posture_deg)).collect();
    let series = vec![Series { name: "posture error".into(), points }];
    let picture = Plot { x_label: "run".into(), is_log: true, ..plot("error, deg", series) };
    let last = (refined.history.len() - 1).max(1) as f64;
    let sheet =
        Sheet { width: WIDTH, height: HEIGHT, is_titled: false, x: Some((0.0, last)), ..Sheet::default() };
    let what = "RMS over joints and time; each run applies the torques learned from the runs before";
    figure(out, "Posture error by run", what, &picture.to_svg_on(&sheet));
    let rows = all.map(|(k, t)| {
        let kept = if t.is_best { "" } else { "worse, discarded" };
        let numbers =
            [format!("{:.4}", t.posture_deg), format!("{:.2}", 1e3 * t.root_end), format!("{:.2}", t.gain)];
        [&[k.to_string()], &numbers[..], &[kept.to_string()]].concat()
    });
    table(out, &["run", "posture error, deg", "root at the end, mm", "gain", ""], rows);
    out.push_str("</section>\n");
}
