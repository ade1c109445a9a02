//! Method and notes.

use super::super::method::notes;
use super::super::section;
use crate::assessment::FilterOutcome;
use anthropi_formats::names::counted;
use anthropi_motion::filter::Mode;
use std::fmt::Write;

/// Writes the section.
pub fn write(out: &mut String, outcome: &FilterOutcome) {
    let audit = &outcome.filtered.audit;
    section(out, "method", "Method");
    out.push_str(
        "<p>Foot-plant clean-up first fixes the feet where they touch the ground. A figure with human masses then tracks this \
         reference. In every step of at most a millisecond a solver finds the nearest accelerations that contact forces within \
         the friction cone and torques within human strength can produce, and the simulation advances by them.</p>\n<dl>\n",
    );
    let mode = match outcome.mode {
        Mode::Online => "on-line: causal, one frame of look-ahead",
        Mode::Offline => "off-line: uses the whole motion",
    };
    let steps = audit.steps.max(1) as f64;
    let facts = [
        ("Mode", mode.to_string()),
        ("Delay", counted(outcome.filtered.delay, "frame")),
        ("Steps", format!("{}; {} with ground contact", audit.steps, audit.contact_steps)),
        (
            "Solver",
            format!(
                "{:.1} Newton iterations per step; {} with a feasible but not optimal solution; {} with a joint at its strength \
                 limit",
                audit.newton as f64 / steps,
                counted(audit.fallbacks, "step"),
                audit.at_strength
            ),
        ),
        ("Speed", format!("{:.1} times real time", outcome.realtime_factor())),
    ];
    for (term, text) in facts {
        let _ = writeln!(out, "<dt>{term}</dt><dd>{text}</dd>");
    }
    out.push_str("</dl>\n");
    notes(out, &outcome.notes);
    out.push_str("</section>\n");
}
