//! What a motion file holds: joints and frames, points and plates, columns.

mod columns;
mod skeleton;

use crate::report;
use anthropi_io::motion::Motion;

/// Notes with one of these words speak of a loss or a doubt.
const DOUBTS: [&str; 10] = [
    "uncertain",
    "doubtful",
    "left out",
    "missing",
    "lost",
    "jumps",
    "not readable",
    "assumed",
    "not UTF-8",
    "several joints",
];

/// Tells it.
pub fn tell(motion: &Motion, as_json: bool) -> anyhow::Result<()> {
    let (mut value, text) = match motion {
        Motion::Recording(r) => (skeleton::recording_json(r), skeleton::recording_text(r)),
        Motion::Clip(c) => (skeleton::clip_json(c), skeleton::clip_text(c)),
        Motion::Markers(m) => (columns::markers_json(m), columns::markers_text(m)),
        Motion::Table(t) => (columns::table_json(t), columns::table_text(t)),
    };
    let notes = motion.notes();
    if as_json {
        let doubts = notes.iter().filter(|n| DOUBTS.iter().any(|d| n.contains(d)));
        value["notes"] = notes.into();
        value["warnings"] = doubts.cloned().collect::<Vec<_>>().into();
        return report::json(&value);
    }
    let notes: String = notes.iter().map(|n| format!("- {n}\n")).collect();
    report::print(&if notes.is_empty() { text } else { format!("{text}\n{notes}") })
}

/// From the first frame to the last, s.
fn duration(frames: usize, dt: f64) -> f64 {
    frames.saturating_sub(1) as f64 * dt
}
