//! TOML tables and fields with their positions, so that every error names line, column and field.

use crate::error::{Error, Place};
use crate::names::{counted, stem};
use anthropi_dynamics::spatial::Vec3;
use core::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Known names suggested for an unknown one.
const SUGGESTIONS: usize = 3;
/// Letters of a name that are compared.
const COMPARED: usize = 40;

/// A text and the name of its file.
pub struct Source<'a> {
    /// name of the file
    pub file: &'a str,
    /// its content
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// Parses a text of at most `most` bytes.
    pub fn parse(&self, most: usize) -> Result<Spanned<DeTable<'a>>, Error> {
        Error::check_size(self.file, self.text, most as u64)?;
        DeTable::parse(self.text).map_err(|e| {
            let at = e.span().map_or(0, |s| s.start);
            Error::syntax(self.file, self.place(at), e.message().replace('\n', "; "))
        })
    }

    /// Line and column (in characters) of a byte of the text.
    pub fn place(&self, offset: usize) -> Place {
        Place::in_text(self.text, offset)
    }

    fn error(&self, at: &Range<usize>, field: String, what: String) -> Error {
        Error::field(self.file, self.place(at.start), field, what)
    }
}

/// A table of the text and its label in messages.
#[derive(Clone)]
pub struct Table<'a> {
    source: &'a Source<'a>,
    entries: &'a DeTable<'a>,
    span: Range<usize>,
    /// "link `pelvis`"; empty for the whole file
    pub label: String,
}

impl<'a> Table<'a> {
    /// The whole text as a table.
    pub fn root(source: &'a Source<'a>, table: &'a Spanned<DeTable<'a>>) -> Table<'a> {
        Table { source, entries: table.get_ref(), span: table.span(), label: String::new() }
    }

    /// The same table with another label in messages.
    pub fn with_label(self, label: String) -> Table<'a> {
        Table { label, ..self }
    }

    /// Rejects keys that are not among `known`, suggesting similar ones.
    pub fn allow(&self, known: &[&[&str]]) -> Result<(), Error> {
        let known = known.concat();
        let unknown = self.entries.keys().filter(|k| !known.contains(&k.get_ref().as_ref()));
        let Some(key) = unknown.min_by_key(|k| k.span().start) else { return Ok(()) };
        let near = nearest(key.get_ref(), known.iter().copied()).join("`, `");
        let what = format!("unknown key; the nearest known keys are `{near}`");
        Err(self.source.error(&key.span(), self.field_name(key.get_ref()), what))
    }

    /// The field of a key, if given.
    pub fn get(&self, key: &str) -> Option<Field<'a>> {
        let value = self.entries.get(key)?;
        Some(Field { source: self.source, value, label: self.field_name(key) })
    }

    /// The value of a key, if given.
    pub fn optional<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Field<'a>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.get(key).map(|field| read(&field)).transpose()
    }

    /// A boolean, false unless given.
    pub fn flag(&self, key: &str) -> Result<bool, Error> {
        Ok(self.optional(key, Field::bool)?.unwrap_or(false))
    }

    /// The items of an optional list of at most `most`.
    pub fn entries(&self, key: &str, most: usize) -> Result<Vec<Field<'a>>, Error> {
        let Some(field) = self.get(key) else { return Ok(Vec::new()) };
        match field.list()? {
            list if list.len() > most => {
                Err(field.wrong(format!("has {} entries, expected at most {most}", list.len())))
            }
            list => Ok(list),
        }
    }

    /// The field of a key; an error if it is missing.
    pub fn require(&self, key: &str, expected: &str) -> Result<Field<'a>, Error> {
        self.get(key).ok_or_else(|| {
            self.source.error(&self.span, self.field_name(key), format!("is missing, expected {expected}"))
        })
    }

    /// The one field given of several alternatives.
    pub fn one_of(&self, keys: &[&str]) -> Result<Option<(usize, Field<'a>)>, Error> {
        let mut given = keys.iter().enumerate().filter_map(|(i, k)| self.get(k).map(|f| (i, f)));
        let Some(first) = given.next() else { return Ok(None) };
        match given.next() {
            None => Ok(Some(first)),
            Some((_, second)) => {
                Err(second.wrong(format!("conflicts with `{}`; give only one of them", keys[first.0])))
            }
        }
    }

    /// The `name` in the file, or else the file's own name.
    pub fn name(&self) -> Result<String, Error> {
        if let Some(field) = self.get("name") {
            return Ok(field.string()?.to_string());
        }
        Ok(stem(self.source.file))
    }

    /// An error about the table as a whole.
    pub fn wrong(&self, what: impl Into<String>) -> Error {
        self.source.error(&self.span, self.label.clone(), what.into())
    }

    /// Line and column where it starts.
    pub fn place(&self) -> Place {
        self.source.place(self.span.start)
    }

    fn field_name(&self, key: &str) -> String {
        if self.label.is_empty() { key.into() } else { format!("{key} of {}", self.label) }
    }
}

/// A value of the text.
#[derive(Clone)]
pub struct Field<'a> {
    source: &'a Source<'a>,
    value: &'a Spanned<DeValue<'a>>,
    /// "mass of link `pelvis`"
    pub label: String,
}

impl<'a> Field<'a> {
    /// An error about this value.
    pub fn wrong(&self, what: impl Into<String>) -> Error {
        self.source.error(&self.value.span(), self.label.clone(), what.into())
    }

    /// Line and column where it starts.
    pub fn place(&self) -> Place {
        self.source.place(self.value.span().start)
    }

    /// An error about an unknown name, with similar known ones.
    pub fn unknown<'n>(&self, what: &str, given: &str, all: impl IntoIterator<Item = &'n str>) -> Error {
        let hint = match &nearest(given, all)[..] {
            [] => "none is defined".into(),
            near => format!("the nearest are `{}`", near.join("`, `")),
        };
        self.wrong(format!("there is no {what} `{given}`; {hint}"))
    }

    fn expected(&self, what: &str) -> Error {
        self.wrong(format!("is {}, expected {what}", article(self.value.get_ref())))
    }

    /// A string.
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

    /// A boolean.
    pub fn bool(&self) -> Result<bool, Error> {
        self.value.get_ref().as_bool().ok_or_else(|| self.expected("true or false"))
    }

    /// A table, with its label in messages.
    pub fn table(&self, label: impl Into<String>) -> Result<Table<'a>, Error> {
        let entries = self.value.get_ref().as_table().ok_or_else(|| self.expected("a table"))?;
        Ok(Table { source: self.source, entries, span: self.value.span(), label: label.into() })
    }

    /// The `index`-th table of a list, labelled with its number, or with its name if it has one.
    pub fn numbered_table(&self, what: &str, index: usize) -> Result<Table<'a>, Error> {
        let table = self.table(format!("{what} {}", index + 1))?;
        Ok(match table.optional("name", Field::string)? {
            None | Some("") => table,
            Some(name) => table.with_label(format!("{what} `{name}`")),
        })
    }

    /// Whether it is a list.
    pub fn is_list(&self) -> bool {
        self.value.get_ref().is_array()
    }

    /// The items of a list.
    pub fn list(&self) -> Result<Vec<Field<'a>>, Error> {
        let items = self.value.get_ref().as_array().ok_or_else(|| self.expected("a list"))?;
        let item = |value| Field { source: self.source, value, label: self.label.clone() };
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
            _ => Err(self.wrong("is NaN or out of range, expected a number")),
        }
    }

    /// A finite number.
    pub fn number(&self) -> Result<f64, Error> {
        self.checked(self.number_or_infinity()?, f64::is_finite, "a finite number")
    }

    /// A number in a closed interval.
    pub fn within(&self, [low, high]: [f64; 2]) -> Result<f64, Error> {
        self.checked(self.number()?, |x| (low..=high).contains(&x), &format!("{low} to {high}"))
    }

    /// A finite number above zero.
    pub fn positive(&self) -> Result<f64, Error> {
        self.checked(self.number()?, |x| x > 0.0, "more than zero")
    }

    /// A finite number, zero or above.
    pub fn not_negative(&self) -> Result<f64, Error> {
        self.checked(self.number()?, |x| x >= 0.0, "zero or more")
    }

    /// The number, if it satisfies a condition.
    pub(crate) fn checked(
        &self,
        x: f64,
        is_good: impl Fn(f64) -> bool,
        expected: &str,
    ) -> Result<f64, Error> {
        if is_good(x) { Ok(x) } else { Err(self.wrong(format!("is {x}, expected {expected}"))) }
    }

    /// A list of finite numbers.
    pub fn numbers(&self) -> Result<Vec<f64>, Error> {
        self.list()?.iter().map(Field::number).collect()
    }

    /// A list of exactly `N` finite numbers.
    pub fn array<const N: usize>(&self) -> Result<[f64; N], Error> {
        let given = self.numbers()?;
        let expected = || self.wrong(format!("has {}, expected {N}", counted(given.len(), "number")));
        given.as_slice().try_into().map_err(|_| expected())
    }

    /// A list of three finite numbers.
    pub fn vector(&self) -> Result<Vec3, Error> {
        Ok(Vec3::from_array(&self.array()?))
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

/// The most similar names, by edit distance.
pub fn nearest<'n>(given: &str, all: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let start = |name: &str| name.chars().take(COMPARED).collect::<String>();
    let given = start(given);
    let mut near: Vec<&str> = all.into_iter().collect();
    near.sort_by_key(|other| strsim::levenshtein(&start(other), &given));
    near.truncate(SUGGESTIONS);
    near
}
