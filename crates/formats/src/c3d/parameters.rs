//! The parameter section of a C3D file: named groups of named arrays.

use crate::bytes::Bytes;
use crate::error::Error;
use std::collections::BTreeMap;

/// Bytes before the first record.
const PREAMBLE: usize = 4;

/// An array, as raw bytes.
#[derive(Clone, Debug)]
pub(super) struct Parameter<'a> {
    /// -1 characters, 1 bytes, 2 integers, 4 floats; its magnitude is the element size
    kind: i8,
    /// the first varies fastest; empty for a single element
    pub dimensions: &'a [u8],
    /// offset of its elements
    pub at: usize,
    elements: &'a [u8],
}

/// Groups and parameters, names in upper case.
#[derive(Clone, Debug)]
pub(super) struct Parameters<'a> {
    bytes: Bytes<'a>,
    by_name: BTreeMap<(String, String), Parameter<'a>>,
}

/// Reads the records from `start` to `end`. The last record has no link, or one to an empty record or to the end of the
/// section: all three occur.
pub(super) fn read<'a>(bytes: Bytes<'a>, start: usize, end: usize) -> Result<Parameters<'a>, Error> {
    let end = end.min(bytes.data.len());
    let mut groups = BTreeMap::new();
    let mut found = Vec::new();
    let mut at = start + PREAMBLE;
    while at + 2 <= end {
        // a negative length marks a locked record
        let length = usize::from((bytes.byte(at, "parameter name")? as i8).unsigned_abs());
        if length == 0 {
            break;
        }
        let group = bytes.byte(at + 1, "group number")? as i8;
        let name = text(bytes.slice(at + 2, length, "parameter name")?).to_uppercase();
        let link = at + 2 + length;
        let next = usize::from(bytes.word(link, &name)?);
        if group < 0 {
            groups.entry(group.unsigned_abs()).or_insert(name);
        } else {
            let parameter = one(bytes, link + 2, end, &name)?;
            found.push((group.unsigned_abs(), name, parameter));
        }
        if next == 0 {
            break;
        }
        at = link + next;
    }
    let mut by_name = BTreeMap::new();
    for (group, name, parameter) in found {
        if let Some(group) = groups.get(&group) {
            by_name.entry((group.clone(), name)).or_insert(parameter);
        }
    }
    Ok(Parameters { bytes, by_name })
}

fn one<'a>(bytes: Bytes<'a>, at: usize, end: usize, name: &str) -> Result<Parameter<'a>, Error> {
    let kind = bytes.byte(at, name)? as i8;
    if !matches!(kind, -1 | 1 | 2 | 4) {
        let what = format!("type {kind}, expected -1 (text), 1 (bytes), 2 (integers) or 4 (floats)");
        return Err(bytes.error(at, name, what));
    }
    let rank = usize::from(bytes.byte(at + 1, name)?);
    let dimensions = bytes.slice(at + 2, rank, name)?;
    let count = dimensions.iter().try_fold(1usize, |n, d| n.checked_mul(usize::from(*d)));
    let first = at + 2 + rank;
    let size = count
        .and_then(|n| n.checked_mul(usize::from(kind.unsigned_abs())))
        .filter(|s| *s <= end - first.min(end));
    let size = size.ok_or_else(|| {
        bytes.error(at + 1, name, format!("dimensions {dimensions:?} exceed the parameter section"))
    })?;
    Ok(Parameter { kind, dimensions, at: first, elements: bytes.slice(first, size, name)? })
}

/// Text in UTF-8, or else Latin-1, without padding.
fn text(bytes: &[u8]) -> String {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(_) => bytes.iter().map(|b| char::from(*b)).collect(),
    };
    text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_string()
}

impl<'a> Parameters<'a> {
    pub fn get(&self, group: &str, name: &str) -> Option<&Parameter<'a>> {
        self.by_name.get(&(group.to_string(), name.to_string()))
    }

    /// All numbers of a parameter, integers as signed; empty if it is absent or text.
    pub fn numbers(&self, group: &str, name: &str) -> Vec<f64> {
        let Some(p) = self.get(group, name) else { return Vec::new() };
        let processor = self.bytes.processor;
        match p.kind {
            1 => p.elements.iter().map(|b| f64::from(*b)).collect(),
            2 => p.elements.chunks_exact(2).map(|b| f64::from(processor.word(b) as i16)).collect(),
            4 => p.elements.chunks_exact(4).map(|b| processor.real(b)).collect(),
            _ => Vec::new(),
        }
    }

    /// As unsigned integers, for counts and offsets; invalid counts are zero.
    pub fn counts(&self, group: &str, name: &str) -> Vec<u64> {
        let is_integer = self.get(group, name).is_some_and(|p| p.kind == 2);
        let unsigned = |x: f64| if is_integer && x < 0.0 { x + 65536.0 } else { x };
        self.numbers(group, name).into_iter().map(|x| unsigned(x) as u64).collect()
    }

    pub fn count(&self, group: &str, name: &str) -> Option<u64> {
        self.counts(group, name).first().copied()
    }

    pub fn number(&self, group: &str, name: &str) -> Option<f64> {
        self.numbers(group, name).first().copied()
    }

    /// The strings of a parameter; the first dimension is their length.
    pub fn texts(&self, group: &str, name: &str) -> Vec<String> {
        let Some(p) = self.get(group, name).filter(|p| p.kind == -1) else { return Vec::new() };
        let length = p.dimensions.first().map_or(1, |d| usize::from(*d));
        if length == 0 {
            return Vec::new();
        }
        p.elements.chunks(length).map(text).collect()
    }

    /// A single string; `None` if it is absent or blank.
    pub fn word(&self, group: &str, name: &str) -> Option<String> {
        self.texts(group, name).into_iter().next().filter(|t| !t.is_empty())
    }

    /// A list with its continuations, e.g. LABELS, LABELS2, LABELS3: a dimension is at most 255.
    pub fn continued<T>(&self, group: &str, name: &str, one: impl Fn(&Self, &str, &str) -> Vec<T>) -> Vec<T> {
        let mut all = one(self, group, name);
        for k in 2.. {
            let name = format!("{name}{k}");
            if self.get(group, &name).is_none() {
                break;
            }
            all.extend(one(self, group, &name));
        }
        all
    }
}
