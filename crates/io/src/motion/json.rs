//! A motion with its figure in one JSON text, and back to the last bit.
//!
//! `figure.toml` is the figure in our own format, `frames` the numbers of q, frame by frame; the rest is for other
//! programs, which need not know our format. Read are `format`, `version`, `name`, `dt`, `start`, `figure.toml`, `frames`.
//! Checked by: `tests/clips.rs`, `tests/fuzz_readers`.

mod read;

pub use read::read;

use crate::csv::names_of_coordinates;
use crate::figure;
use anthropi_dynamics::joint::{JointKind, MAX_DOF};
use anthropi_dynamics::model::{Figure, Joint, Link};
use anthropi_motion::Clip;
use serde_json::{Value, json};

/// What `format` says.
pub(super) const FORMAT: &str = "anthropi clip";
/// What `version` says.
pub(super) const VERSION: u64 = 1;

/// The text of a clip.
pub fn write(clip: &Clip) -> String {
    let figure = clip.figure();
    let mut out = String::from("{\n");
    let mut field = |key: &str, value: Value| out.push_str(&format!("\"{key}\": {value},\n"));
    field("format", FORMAT.into());
    field("version", VERSION.into());
    field("name", clip.name.as_str().into());
    field("fps", (1.0 / clip.dt()).into());
    field("dt", clip.dt().into());
    field("start", clip.start().into());
    field("figure", json!({ "name": figure.name, "toml": figure::write(figure) }));
    field("joints", figure.links().filter_map(|(_, l)| joint(figure, l)).collect());
    field("coordinates", names_of_coordinates(figure).into());
    out.push_str("\"frames\": [\n");
    for frame in 0..clip.frames() {
        out.push_str(if frame == 0 { "[" } else { ",\n[" });
        for (i, x) in clip.pose(frame).iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            out.push_str(&Value::from(*x).to_string());
        }
        out.push(']');
    }
    out.push_str("\n]\n}\n");
    out
}

/// A joint for programs that do not know our format.
fn joint(figure: &Figure, link: &Link) -> Option<Value> {
    let joint: &Joint = figure.joint(link.joint()).ok()?;
    let parent = link.parent().and_then(|p| figure.link(p).ok()).map(|l| l.spec.name.as_str());
    let with_range = if joint.kind == JointKind::Free { 0 } else { joint.kind.nv().min(MAX_DOF) };
    let range =
        |d: &anthropi_dynamics::joint::Dof| d.range.map_or(Value::Null, |r| json!([r.lower, r.upper]));
    let place = figure.forest().joint_place(link.joint());
    Some(json!({
        "name": joint.name,
        "type": joint.kind.name(),
        "parent": parent,
        "child": link.spec.name,
        "first": place.iq,
        "count": place.nq,
        "range": joint.dof[..with_range].iter().map(range).collect::<Vec<_>>(),
    }))
}
