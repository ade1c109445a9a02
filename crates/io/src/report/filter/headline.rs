//! Whether it fell, and what changed, in a sentence.

use super::compare::VERDICT;
use super::{Report, compared};
use crate::names::counted;
use crate::plot::escape;
use anthropi_motion::filter::Mode;
use std::fmt::Write;

/// Writes title and answer.
pub fn write(out: &mut String, report: &Report) {
    let (filtered, clip) = (report.filtered, &report.filtered.clip);
    let (class, sign, words) = match (report.fell(), filtered.is_consistent()) {
        (Some(t), _) => ("bad", "\u{2717}", format!("It fell at {t:.2} s")),
        (None, true) => ("good", "\u{2713}", "It stands, and every force has a source".into()),
        (None, false) => ("bad", "\u{2717}", "It stands, but not all of it is physical".into()),
    };
    let mode = match report.mode {
        Mode::Online => "on-line",
        Mode::Offline => "off-line",
    };
    let _ = writeln!(
        out,
        "<header>\n<p class=\"kind\">Dynamics filter, {mode}</p>\n<h1>{}</h1>\n<p class=\"facts\">{:.2} s, {} at \
         {:.0} per second; {:.1} kg{}</p>\n<div class=\"verdict {class}\"><p class=\"answer\"><span class=\"sign\">{sign}</span> \
         {words}</p>\n<p>{}</p></div>\n</header>",
        escape(report.name),
        clip.duration(),
        counted(clip.frames(), "frame"),
        1.0 / clip.dt(),
        clip.figure().mass(),
        clip.figure().stature.map_or(String::new(), |s| format!(", {s:.2} m")),
        escape(&changed(report)),
    );
}

/// What changed, in a sentence or two.
fn changed(report: &Report) -> String {
    let (residual, tracking) = (&report.given.1.residual, &report.filtered.tracking);
    let broken: Vec<String> = compared(report)
        .into_iter()
        .filter(|row| row.is_good[1] == Some(false) && row.what != VERDICT)
        .map(|row| format!("{}: {}", row.what, row.values[1]))
        .collect();
    let broken =
        if broken.is_empty() { String::new() } else { format!(" What is wrong: {}.", broken.join("; ")) };
    let until = match report.filtered.falls {
        0 => String::new(),
        1 => " That is until it fell; from there it begins anew at the reference.".into(),
        n => format!(" That is until it fell, {n} times in all; each time it begins anew at the reference."),
    };
    format!(
        "As given, {:.3} body weights of force (rms) came from nowhere; now contacts and joints give all but {:.0e} N, with joints \
         {:.1}\u{b0} and the root {:.1} cm (rms) from where they were.{until}{broken}",
        residual.force_rms_bw,
        report.filtered.proof.force_rms,
        tracking.joint_rms_deg,
        100.0 * tracking.root_rms_m,
    )
}
