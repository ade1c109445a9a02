//! Reads a clip while its text goes by, so that every error has its place and no frame is kept twice.

use super::{FORMAT, VERSION};
use crate::error::{Error, Place};
use crate::figure;
use anthropi_dynamics::model::Figure;
use anthropi_motion::Clip;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::sync::Arc;

/// Reads a clip.
///
/// # Errors
/// The first place where the text is not JSON or not a clip of its figure, with line and column.
pub fn read(text: &str, file: &str) -> Result<Clip, Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parts =
        deserializer.deserialize_map(ClipVisitor).and_then(|parts| deserializer.end().map(|()| parts));
    let Parts { name, dt, start, figure, frames } = parts.map_err(|e| at_place(&e, file))?;
    let made = Clip::new(name, Arc::new(figure), dt, frames);
    let wrong = |e: anthropi_motion::Error| {
        let place = Place { line: 1, column: 1 };
        Error::Field { file: file.into(), place, field: "frames".into(), what: e.to_string() }
    };
    Ok(made.map_err(wrong)?.starting_at(start))
}

fn at_place(error: &serde_json::Error, file: &str) -> Error {
    let place = Place { line: error.line().max(1), column: error.column().max(1) };
    let said = error.to_string();
    let what = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what);
    Error::Syntax { file: file.into(), place, what: what.into() }
}

/// What a clip is made of.
struct Parts {
    name: String,
    dt: f64,
    start: f64,
    figure: Figure,
    frames: Vec<f64>,
}

/// The figure in the text; what else is said of it is for others.
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
                            "format: not {FORMAT:?}, so not a motion of a figure"
                        )));
                    }
                }
                "version" => {
                    let version: u64 = map.next_value()?;
                    if version != VERSION {
                        return Err(A::Error::custom(format!("version: {version}; {VERSION} is read")));
                    }
                }
                "name" => name = map.next_value()?,
                "dt" => {
                    let value: f64 = map.next_value()?;
                    if !(value > 0.0 && value.is_finite()) {
                        return Err(A::Error::custom(format!(
                            "dt: {value}; seconds above zero were expected"
                        )));
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
        let missing =
            |what: &str| A::Error::custom(format!("not a motion of a figure: there is no `{what}`"));
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

/// All frames in a row; each has `width` numbers, or as many as the first.
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
                let what = format!("frame {count}: {got} numbers; {expected} were expected");
                return Err(A::Error::custom(what));
            }
            count += 1;
        }
    }
}

/// One frame, added to all.
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
