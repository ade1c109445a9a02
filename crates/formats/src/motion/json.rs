//! A clip with its figure as JSON; reads back bit for bit.
//!
//! `figure.toml` is the figure in the native format, `frames` holds q frame by frame; the other fields are for programs
//! that do not know the native format. The reader uses `format`, `version`, `name`, `dt`, `start`, `figure.toml`, `frames`.
//! Checked by: `tests/it/clips.rs`, `tests/it/fuzz_readers`.

use crate::csv::coordinate_names;
use crate::error::{Error, Place};
use crate::figure;
use anthropi_dynamics::joint::{Dof, JointKind, MAX_DOF};
use anthropi_dynamics::model::{Figure, Joint, Link};
use anthropi_motion::Clip;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;

/// Value of `format`.
const FORMAT: &str = "anthropi clip";
/// Value of `version`.
const VERSION: u64 = 1;

/// Encodes a clip.
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
    field("coordinates", coordinate_names(figure).into());
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

/// A joint for programs that do not know the native format.
fn joint(figure: &Figure, link: &Link) -> Option<Value> {
    let joint: &Joint = figure.joint(link.joint()).ok()?;
    let parent = link.parent().and_then(|p| figure.link(p).ok()).map(|l| l.spec.name.as_str());
    let with_range = if joint.kind == JointKind::Free { 0 } else { joint.kind.nv().min(MAX_DOF) };
    let range = |d: &Dof| d.range.map_or(Value::Null, |r| json!([r.lower, r.upper]));
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

/// Reads a clip by streaming, so that every error has its position and frames are stored once.
///
/// # Errors
/// The first error in the JSON, or a clip that does not match its figure, with line and column.
pub fn read(text: &str, file: &str) -> Result<Clip, Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parts =
        deserializer.deserialize_map(ClipVisitor).and_then(|parts| deserializer.end().map(|()| parts));
    let Parts { name, dt, start, figure, frames } = parts.map_err(|e| at_place(&e, file))?;
    let made = Clip::new(name, Arc::new(figure), dt, frames);
    let wrong =
        |e: anthropi_motion::Error| Error::field(file, Place::in_text(text, 0), "frames", e.to_string());
    Ok(made.map_err(wrong)?.starting_at(start))
}

fn at_place(error: &serde_json::Error, file: &str) -> Error {
    let place = Place { line: error.line().max(1), column: error.column().max(1) };
    let said = error.to_string();
    let what = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what);
    Error::syntax(file, place, what)
}

/// The parts of a clip.
struct Parts {
    name: String,
    dt: f64,
    start: f64,
    figure: Figure,
    frames: Vec<f64>,
}

/// The figure in the text; other fields are for other programs.
#[derive(Deserialize)]
struct FigureText {
    toml: String,
}

struct ClipVisitor;

impl<'de> Visitor<'de> for ClipVisitor {
    type Value = Parts;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a table with format {FORMAT:?}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parts, A::Error> {
        let (mut name, mut dt, mut start) = (String::new(), None, 0.0);
        let (mut figure, mut frames, mut is_clip) = (None::<Figure>, None, false);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "format" => {
                    let format: String = map.next_value()?;
                    is_clip = format == FORMAT;
                    if !is_clip {
                        return Err(A::Error::custom(format!(
                            "format: expected {FORMAT:?}; this is not a motion of a figure"
                        )));
                    }
                }
                "version" => {
                    let version: u64 = map.next_value()?;
                    if version != VERSION {
                        return Err(A::Error::custom(format!("version: {version}, expected {VERSION}")));
                    }
                }
                "name" => name = map.next_value()?,
                "dt" => {
                    let value: f64 = map.next_value()?;
                    if !(value > 0.0 && value.is_finite()) {
                        return Err(A::Error::custom(format!("dt: {value}, expected seconds above zero")));
                    }
                    dt = Some(value);
                }
                "start" => start = map.next_value()?,
                "figure" => {
                    let FigureText { toml } = map.next_value()?;
                    let read = figure::read(&toml, "figure.toml");
                    figure = Some(read.map_err(|e| A::Error::custom(e.to_string()))?.figure);
                }
                "frames" => {
                    let width = figure.as_ref().map(|f| f.forest().nq());
                    frames = Some(map.next_value_seed(Frames { width })?);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let missing = |what: &str| A::Error::custom(format!("not a motion of a figure: `{what}` is missing"));
        if !is_clip {
            return Err(missing("format"));
        }
        Ok(Parts {
            name,
            start,
            dt: dt.ok_or_else(|| missing("dt"))?,
            figure: figure.ok_or_else(|| missing("figure"))?,
            frames: frames.ok_or_else(|| missing("frames"))?,
        })
    }
}

/// All frames, concatenated; each has `width` numbers, or as many as the first.
struct Frames {
    width: Option<usize>,
}

impl<'de> DeserializeSeed<'de> for Frames {
    type Value = Vec<f64>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<f64>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Frames {
    type Value = Vec<f64>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a list of frames")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Vec<f64>, A::Error> {
        let (mut all, mut count) = (Vec::new(), 0);
        loop {
            let before = all.len();
            if seq.next_element_seed(Frame { all: &mut all })?.is_none() {
                return Ok(all);
            }
            let (got, expected) = (all.len() - before, *self.width.get_or_insert(all.len() - before));
            if got != expected {
                let what = format!("frame {count}: {got} numbers, expected {expected}");
                return Err(A::Error::custom(what));
            }
            count += 1;
        }
    }
}

/// One frame, appended to `all`.
struct Frame<'a> {
    all: &'a mut Vec<f64>,
}

impl<'de> DeserializeSeed<'de> for Frame<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Frame<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a list of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(x) = seq.next_element()? {
            self.all.push(x);
        }
        Ok(())
    }
}
