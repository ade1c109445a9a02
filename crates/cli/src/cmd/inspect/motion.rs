//! What a motion file holds: joints and frames, points and plates, columns.

mod columns;
mod skeleton;

use crate::report;
use anthropi_io::motion::Motion;
use serde_json::Value;

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
    if as_json { report::json(&to_json(motion)) } else { report::print(&to_text(motion)) }
}

fn to_json(motion: &Motion) -> Value {
    let mut value = match motion {
        Motion::Recording(r) => skeleton::recording_json(r),
        Motion::Clip(c) => skeleton::clip_json(c),
        Motion::Markers(m) => columns::markers_json(m),
        Motion::Table(t) => columns::table_json(t),
    };
    let doubts = motion.notes().iter().filter(|n| DOUBTS.iter().any(|d| n.contains(d)));
    value["notes"] = motion.notes().into();
    value["warnings"] = doubts.cloned().collect::<Vec<_>>().into();
    value
}

fn to_text(motion: &Motion) -> String {
    let mut text = match motion {
        Motion::Recording(r) => skeleton::recording_text(r),
        Motion::Clip(c) => skeleton::clip_text(c),
        Motion::Markers(m) => columns::markers_text(m),
        Motion::Table(t) => columns::table_text(t),
    };
    if !motion.notes().is_empty() {
        text.push('\n');
    }
    motion.notes().iter().for_each(|n| text.extend(["- ", n, "\n"]));
    text
}

/// From the first frame to the last, s.
fn duration(frames: usize, dt: f64) -> f64 {
    frames.saturating_sub(1) as f64 * dt
}
