//! Motion files: joints and frames, markers and force plates, columns.

mod columns;
mod skeleton;

use crate::report;
use anthropi_formats::motion::Motion;
use anthropi_motion::note::texts;
use serde_json::Value;

/// Prints a motion.
pub fn print(motion: &Motion, as_json: bool) -> anyhow::Result<()> {
    report::show(as_json, || to_json(motion), || to_text(motion))
}

fn to_json(motion: &Motion) -> Value {
    let mut value = match motion {
        Motion::Recording(r) => skeleton::recording_json(r),
        Motion::Clip(c) => skeleton::clip_json(c),
        Motion::Markers(m) => columns::markers_json(m),
        Motion::Table(t) => columns::table_json(t),
    };
    value["notes"] = texts(motion.notes()).into();
    let warnings = motion.notes().iter().filter(|n| n.is_warning);
    value["warnings"] = warnings.map(|n| n.text.clone()).collect::<Vec<_>>().into();
    value
}

fn to_text(motion: &Motion) -> String {
    let text = match motion {
        Motion::Recording(r) => skeleton::recording_text(r),
        Motion::Clip(c) => skeleton::clip_text(c),
        Motion::Markers(m) => columns::markers_text(m),
        Motion::Table(t) => columns::table_text(t),
    };
    text + &report::notes(motion.notes())
}

/// Time from the first frame to the last, s.
fn duration(frames: usize, dt: f64) -> f64 {
    frames.saturating_sub(1) as f64 * dt
}
