//! A TOML text as tables and fields that know their place, so that every complaint names line, column and field.

use crate::error::{Error, Place};
use crate::names::counted;
use core::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Known names told in the complaint about an unknown one.
const SUGGESTIONS: usize = 3;
/// Names are compared by so many letters from their beginning.
const COMPARED: usize = 40;

/// A text and the name of its file.
pub(crate) struct Source<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// The whole text as a table, unless it has more bytes than that.
    pub fn parse(&self, most: usize) -> Result<Spanned<DeTable<'a>>, Error> {
        let size = self.text.len();
        if size > most {
            return Err(Error::TooLarge { file: self.file.into(), size: size as u64, limit: most as u64 });
        }
        DeTable::parse(self.text).map_err(|e| Error::Syntax {
            file: self.file.into(),
            place: self.place(e.span().map_or(0, |s| s.start)),
            what: e.message().replace('\n', "; "),
        })
    }

    /// Line and column (in characters) of a byte of the text.
    pub fn place(&self, offset: usize) -> Place {
        let offset = (0..=offset.min(self.text.len())).rev().find(|&i| self.text.is_char_boundary(i));
        let before = &self.text[..offset.unwrap_or(0)];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let lines = before.bytes().filter(|b| *b == b'\n').count();
        Place { line: lines + 1, column: before[line_start..].chars().count() + 1 }
    }

    fn complain(&self, at: &Range<usize>, field: String, what: String) -> Error {
        Error::Field { file: self.file.into(), place: self.place(at.start), field, what }
    }
}

/// A table of the text and what people would call it.
#[derive(Clone)]
pub(crate) struct Table<'a> {
    source: &'a Source<'a>,
    entries: &'a DeTable<'a>,
    span: Range<usize>,
    /// "link `pelvis`"; empty for the whole file
    pub called: String,
}

impl<'a> Table<'a> {
    pub fn root(source: &'a Source<'a>, table: &'a Spanned<DeTable<'a>>) -> Table<'a> {
        Table { source, entries: table.get_ref(), span: table.span(), called: String::new() }
    }

    /// The same table under the name people know it by.
    pub fn known_as(self, called: String) -> Table<'a> {
        Table { called, ..self }
    }

    /// Refuses keys that are not among `known`, and names those it may have been meant to be.
    pub fn allow(&self, known: &[&[&str]]) -> Result<(), Error> {
        let known = known.concat();
        let unknown = self.entries.keys().filter(|k| !known.contains(&k.get_ref().as_ref()));
        let Some(key) = unknown.min_by_key(|k| k.span().start) else { return Ok(()) };
        let near = nearest(key.get_ref(), known.iter().copied()).join("`, `");
        let what = format!("unknown key; the nearest known keys are `{near}`");
        Err(self.source.complain(&key.span(), self.field_name(key.get_ref()), what))
    }

    pub fn get(&self, key: &str) -> Option<Field<'a>> {
        let value = self.entries.get(key)?;
        Some(Field { source: self.source, value, called: self.field_name(key) })
    }

    pub fn require(&self, key: &str, expected: &str) -> Result<Field<'a>, Error> {
        self.get(key).ok_or_else(|| {
            self.source.complain(&self.span, self.field_name(key), format!("is missing, expected {expected}"))
        })
    }

    /// The one field given of several that say the same thing.
    pub fn one_of(&self, keys: &[&str]) -> Result<Option<(usize, Field<'a>)>, Error> {
        let mut given = keys.iter().enumerate().filter_map(|(i, k)| self.get(k).map(|f| (i, f)));
        let Some(first) = given.next() else { return Ok(None) };
        match given.next() {
            None => Ok(Some(first)),
            Some((_, second)) => {
                Err(second.wrong(format!("says the same as `{}`; give one of them", keys[first.0])))
            }
        }
    }

    /// What the file calls what it holds, or else its own name.
    pub fn name(&self) -> Result<String, Error> {
        if let Some(field) = self.get("name") {
            return Ok(field.string()?.to_string());
        }
        let file = self.source.file;
        Ok(Path::new(file).file_stem().map_or(file.into(), |s| s.to_string_lossy().into_owned()))
    }

    /// An error about the table as a whole.
    pub fn wrong(&self, what: impl Into<String>) -> Error {
        self.source.complain(&self.span, self.called.clone(), what.into())
    }

    pub fn place(&self) -> Place {
        self.source.place(self.span.start)
    }

    fn field_name(&self, key: &str) -> String {
        if self.called.is_empty() { key.into() } else { format!("{key} of {}", self.called) }
    }
}

/// A value of the text.
#[derive(Clone)]
pub(crate) struct Field<'a> {
    source: &'a Source<'a>,
    value: &'a Spanned<DeValue<'a>>,
    /// "mass of link `pelvis`"
    pub called: String,
}

impl<'a> Field<'a> {
    /// An error about this value.
    pub fn wrong(&self, what: impl Into<String>) -> Error {
        self.source.complain(&self.value.span(), self.called.clone(), what.into())
    }

    pub fn place(&self) -> Place {
        self.source.place(self.value.span().start)
    }

    /// An error about a name that is not known, with those that are near.
    pub fn unknown<'n>(&self, what: &str, given: &str, all: impl IntoIterator<Item = &'n str>) -> Error {
        let hint = match &nearest(given, all)[..] {
            [] => "there is none".into(),
            near => format!("the nearest are `{}`", near.join("`, `")),
        };
        self.wrong(format!("there is no {what} `{given}`; {hint}"))
    }

    fn expected(&self, what: &str) -> Error {
        self.wrong(format!("is {}, expected {what}", article(self.value.get_ref())))
    }

    pub fn string(&self) -> Result<&'a str, Error> {
        self.value.get_ref().as_str().ok_or_else(|| self.expected("a string"))
    }

    /// One of several words.
    pub fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, Error> {
        let given = self.string()?;
        let found = words.iter().find(|(w, _)| *w == given);
        found.map(|(_, t)| *t).ok_or_else(|| {
            let known: Vec<&str> = words.iter().map(|(w, _)| *w).collect();
            self.wrong(format!("is \"{given}\", expected one of \"{}\"", known.join("\", \"")))
        })
    }

    pub fn bool(&self) -> Result<bool, Error> {
        self.value.get_ref().as_bool().ok_or_else(|| self.expected("true or false"))
    }

    pub fn table(&self, called: impl Into<String>) -> Result<Table<'a>, Error> {
        let entries = self.value.get_ref().as_table().ok_or_else(|| self.expected("a table"))?;
        Ok(Table { source: self.source, entries, span: self.value.span(), called: called.into() })
    }

    pub fn is_list(&self) -> bool {
        self.value.get_ref().is_array()
    }

    pub fn list(&self) -> Result<Vec<Field<'a>>, Error> {
        let items = self.value.get_ref().as_array().ok_or_else(|| self.expected("a list"))?;
        let item = |value| Field { source: self.source, value, called: self.called.clone() };
        Ok(items.iter().map(item).collect())
    }

    /// Any number but NaN.
    pub fn number_or_infinity(&self) -> Result<f64, Error> {
        let number = match self.value.get_ref() {
            DeValue::Float(x) => x.as_str().parse().ok(),
            DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix()).ok().map(|i| i as f64),
            _ => return Err(self.expected("a number")),
        };
        match number {
            Some(x) if !f64::is_nan(x) => Ok(x),
            _ => Err(self.wrong("is not a number or beyond all numbers, expected one to compute with")),
        }
    }

    pub fn number(&self) -> Result<f64, Error> {
        match self.number_or_infinity()? {
            x if x.is_finite() => Ok(x),
            x => Err(self.wrong(format!("is {x}, expected a finite number"))),
        }
    }

    /// A number between two ends.
    pub fn within(&self, [low, high]: [f64; 2]) -> Result<f64, Error> {
        match self.number()? {
            x if (low..=high).contains(&x) => Ok(x),
            x => Err(self.wrong(format!("is {x}, expected {low} to {high}"))),
        }
    }

    pub fn positive(&self) -> Result<f64, Error> {
        match self.number()? {
            x if x > 0.0 => Ok(x),
            x => Err(self.wrong(format!("is {x}, expected more than zero"))),
        }
    }

    pub fn not_negative(&self) -> Result<f64, Error> {
        match self.number()? {
            x if x >= 0.0 => Ok(x),
            x => Err(self.wrong(format!("is {x}, expected zero or more"))),
        }
    }

    pub fn numbers(&self) -> Result<Vec<f64>, Error> {
        self.list()?.iter().map(Field::number).collect()
    }

    pub fn array<const N: usize>(&self) -> Result<[f64; N], Error> {
        let given = self.numbers()?;
        let expected = || self.wrong(format!("has {}, expected {N}", counted(given.len(), "number")));
        given.as_slice().try_into().map_err(|_| expected())
    }

    /// A number, or a list of exactly one.
    pub fn single(&self) -> Result<f64, Error> {
        if self.is_list() { Ok(self.array::<1>()?[0]) } else { self.number() }
    }
}

fn article(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// The names most like one, by letters to add, drop or change.
pub(crate) fn nearest<'n>(given: &str, all: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let start = |name: &str| name.chars().take(COMPARED).collect::<String>();
    let given = start(given);
    let mut near: Vec<&str> = all.into_iter().collect();
    near.sort_by_key(|other| strsim::levenshtein(&start(other), &given));
    near.truncate(SUGGESTIONS);
    near
}
