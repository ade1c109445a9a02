//! How it was made, and notes.

use super::super::method::list;
use super::super::section;
use super::Report;
use crate::names::counted;
use anthropi_motion::filter::Mode;
use std::fmt::Write;

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    let proof = &report.filtered.proof;
    section(out, "method", "How it was made");
    out.push_str(
        "<p>The given motion is put on its feet: where a foot touches, it stands. A figure with a person's masses then follows \
         it. In every step of at most a millisecond the nearest accelerations are sought that the ground and the joints can \
         give: pushes inside friction where a foot or hand stands, and torques within human strength. The state is carried on \
         by them, so that the motion is one that these forces make.</p>\n<dl>\n",
    );
    let mode = match report.mode {
        Mode::Online => "on-line: it knew what had come, and one frame",
        Mode::Offline => "off-line: it knew the whole motion",
    };
    let steps = proof.steps.max(1) as f64;
    let facts = [
        ("Mode", mode.to_string()),
        ("Delay", counted(report.filtered.delay, "frame")),
        ("Steps", format!("{}; {} with something on the ground", proof.steps, proof.touching)),
        (
            "Solver",
            format!(
                "{:.1} Newton steps each; {} took a possible motion that is not the nearest; {} with a joint at its \
                 strength",
                proof.newton as f64 / steps,
                counted(proof.fallbacks, "step"),
                proof.at_strength
            ),
        ),
        ("Speed", format!("{:.1} s of motion in a second", report.realtime_factor)),
    ];
    for (term, text) in facts {
        let _ = writeln!(out, "<dt>{term}</dt><dd>{text}</dd>");
    }
    out.push_str("</dl>\n");
    if !report.notes.is_empty() {
        out.push_str("<h3>Notes</h3>\n");
        list(out, report.notes.iter().map(String::as_str));
    }
    out.push_str("</section>\n");
}
