//! XML as a small tree of our own: every element and attribute knows its file and place, so that every error can say it.
//!
//! Hostile input is bounded before and while it is parsed: bytes, nodes, attributes of one element, depth. Document
//! types (and with them entities) are refused.

use crate::error::{Error, Place, Warning};
use std::borrow::Cow;
use std::rc::Rc;

/// Largest text taken, with everything it includes.
pub(crate) const MAX_BYTES: u64 = 32 << 20;
/// Most nested elements: deeper than any real model, shallow enough for recursion.
pub(crate) const MAX_DEPTH: usize = 512;
/// Most links of one figure in these formats.
pub(crate) const MAX_LINKS: usize = 10_000;
const MAX_NODES: u32 = 300_000;
const MAX_ATTRIBUTES: usize = 256;
const MAX_NAMESPACES: usize = 64;
/// Before the names of elements of the macro language for URDF.
pub(crate) const XACRO: &str = "xacro:";
/// Longest piece of a file repeated in a message.
const MAX_QUOTE: usize = 60;
/// Most warnings kept one by one.
const MAX_WARNINGS: usize = 500;
/// Most places named where one warning holds for several.
const MAX_NAMED: usize = 4;

/// Said of a link's inertia.
const IMPOSSIBLE: &str =
    "impossible inertia: a principal moment is negative or larger than the sum of the other two";

/// One attribute as written.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub name: String,
    pub value: String,
    pub place: Place,
}

/// One element with everything inside it.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub name: String,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Element>,
    pub place: Place,
    pub file: Rc<str>,
    /// nearest element with a name, itself included: `joint "left_knee"`; empty if there is none
    owner: Rc<str>,
}

/// An attribute together with the element that holds it: what is needed to read it or to say what is wrong with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    pub element: &'a Element,
    pub attribute: &'a Attribute,
}

/// Reads a document.
pub(crate) fn parse(text: &str, file: &str) -> Result<Element, Error> {
    if text.len() as u64 > MAX_BYTES {
        return Err(Error::TooLarge { file: file.into(), size: text.len() as u64, limit: MAX_BYTES });
    }
    let text = &*without_late_declaration(text);
    check_tags(text, file)?;
    let options = roxmltree::ParsingOptions { nodes_limit: MAX_NODES, ..Default::default() };
    let document =
        roxmltree::Document::parse_with_options(text, options).map_err(|e| syntax(text, file, e))?;
    let mut cursor = Cursor { text, offset: 0, place: Place { line: 1, column: 1 } };
    convert(document.root_element(), &mut cursor, &file.into(), &"".into(), 1)
}

/// Blanks an XML declaration behind white space: not allowed, but common, and every robot program takes it.
fn without_late_declaration(text: &str) -> Cow<'_, str> {
    let start = text.len() - text.trim_start().len();
    let end = text[start..].find("?>").map(|i| start + i + "?>".len());
    match end {
        Some(end) if start > 0 && text[start..].starts_with("<?xml ") => {
            let blank: String = text[..end].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
            Cow::Owned(blank + &text[end..])
        }
        _ => Cow::Borrowed(text),
    }
}

fn syntax(text: &str, file: &str, e: roxmltree::Error) -> Error {
    use roxmltree::Error::{UnclosedRootNode, UnexpectedEndOfStream};
    let at = e.pos();
    // the parser ends its sentence with the place, which we say in front
    let what = clipped(e.to_string().trim_end_matches(&format!(" at {at}")));
    let place = Place { line: at.row as usize, column: at.col as usize };
    let (place, what) = match e {
        UnclosedRootNode | UnexpectedEndOfStream => {
            let end = Cursor { text, offset: 0, place: Place { line: 1, column: 1 } }.at(text.len());
            (end, "the file ends in the middle of an element".to_string())
        }
        _ => (place, what),
    };
    Error::Syntax { file: file.into(), place, what }
}

/// Counts lines and columns; offsets asked for must not go back.
struct Cursor<'a> {
    text: &'a str,
    offset: usize,
    place: Place,
}

impl Cursor<'_> {
    fn at(&mut self, offset: usize) -> Place {
        for c in self.text.get(self.offset..offset).unwrap_or("").chars() {
            if c == '\n' {
                self.place = Place { line: self.place.line + 1, column: 1 };
            } else {
                self.place.column += 1;
            }
        }
        self.offset = self.offset.max(offset);
        self.place
    }
}

fn convert(
    node: roxmltree::Node,
    cursor: &mut Cursor,
    file: &Rc<str>,
    owner: &Rc<str>,
    depth: usize,
) -> Result<Element, Error> {
    let place = cursor.at(node.range().start);
    let is_macro = node.tag_name().namespace().is_some_and(|uri| uri.ends_with("xacro"));
    let name = format!("{}{}", if is_macro { XACRO } else { "" }, node.tag_name().name());
    if depth > MAX_DEPTH {
        return Err(too_deep(file, place));
    }
    let owner = match node.attribute("name") {
        Some(own) if depth > 1 => format!("{name} \"{}\"", clipped(own)).into(),
        _ => owner.clone(),
    };
    let attributes = node.attributes().map(|a| Attribute {
        name: a.name().into(),
        value: a.value().into(),
        place: cursor.at(a.range().start),
    });
    let attributes = attributes.collect();
    let mut children = Vec::new();
    for child in node.children().filter(|n| n.is_element()) {
        children.push(convert(child, cursor, file, &owner, depth + 1)?);
    }
    Ok(Element { name, attributes, children, place, file: file.clone(), owner })
}

pub(crate) fn too_deep(file: &str, place: Place) -> Error {
    Error::Syntax {
        file: file.into(),
        place,
        what: format!("elements are nested more than {MAX_DEPTH} deep"),
    }
}

/// Refuses elements with absurdly many attributes or namespaces, on which the parser would take quadratic time.
fn check_tags(text: &str, file: &str) -> Result<(), Error> {
    let refuse = |offset: usize, what: String| {
        let place = Cursor { text, offset: 0, place: Place { line: 1, column: 1 } }.at(offset);
        Err(Error::Syntax { file: file.into(), place, what })
    };
    if let Some((offset, _)) = text.match_indices("xmlns").nth(MAX_NAMESPACES) {
        return refuse(offset, format!("more than {MAX_NAMESPACES} namespaces"));
    }
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|i| at + i) {
        let rest = &text[start..];
        let skip = |open: &str, close: &str| {
            rest.starts_with(open).then(|| rest.find(close).map_or(rest.len(), |i| i + close.len()))
        };
        if let Some(n) = skip("<!--", "-->").or(skip("<![CDATA[", "]]>")).or(skip("<?", "?>")) {
            at = start + n;
            continue;
        }
        let (end, attributes) = tag_end(rest);
        if attributes > MAX_ATTRIBUTES {
            return refuse(start, format!("an element with more than {MAX_ATTRIBUTES} attributes"));
        }
        at = start + end;
    }
    Ok(())
}

/// Where a tag ends, and how many quoted values it has.
fn tag_end(tag: &str) -> (usize, usize) {
    let (mut quote, mut values) = (None, 0);
    for (i, c) in tag.bytes().enumerate() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None if c == b'>' => return (i + 1, values),
            None if c == b'"' || c == b'\'' => (quote, values) = (Some(c), values + 1),
            None => {}
        }
    }
    (tag.len(), values)
}

/// A text as it may stand in a message: never long, never with control characters.
pub(crate) fn clipped(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut short: String = text.chars().take(MAX_QUOTE).map(clean).collect();
    if text.chars().nth(MAX_QUOTE).is_some() {
        short.push_str("...");
    }
    short
}

impl Element {
    /// How messages call it: `joint "left_knee"`, `joint "left_knee" axis`, `compiler`.
    pub fn label(&self) -> String {
        match (self.owner.is_empty(), self.get("name").is_some()) {
            (true, _) => self.name.clone(),
            (false, true) => self.owner.to_string(),
            (false, false) => format!("{} {}", self.owner, self.name),
        }
    }

    pub fn get(&self, name: &str) -> Option<Value<'_>> {
        let attribute = self.attributes.iter().find(|a| a.name == name)?;
        Some(Value { element: self, attribute })
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).map(Value::text)
    }

    pub fn require(&self, name: &str) -> Result<Value<'_>, Error> {
        self.get(name).ok_or_else(|| self.wrong(name, "missing"))
    }

    pub fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, Error> {
        self.get(name).map(Value::numbers).transpose()
    }

    pub fn number(&self, name: &str) -> Result<Option<f64>, Error> {
        self.get(name).map(Value::number).transpose()
    }

    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|c| c.name == name)
    }

    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |c| c.name == name)
    }

    /// Something is wrong with an attribute, which may be missing.
    pub fn wrong(&self, attribute: &str, what: impl Into<String>) -> Error {
        let place = self.get(attribute).map_or(self.place, |v| v.attribute.place);
        let field = format!("{} {attribute}", self.label());
        Error::Field { file: self.file.to_string(), place, field, what: what.into() }
    }

    /// Something is wrong with the element as a whole.
    pub fn refuse(&self, what: impl Into<String>) -> Error {
        Error::Field {
            file: self.file.to_string(),
            place: self.place,
            field: self.label(),
            what: what.into(),
        }
    }

    /// The figure does not take what this element says.
    pub fn refused(&self, source: anthropi_dynamics::Error) -> Error {
        self.refuse(source.to_string())
    }

    pub fn warn(&self, what: impl Into<String>) -> Warning {
        Warning { place: Some(self.place), what: format!("{}: {}", self.label(), what.into()) }
    }
}

impl<'a> Value<'a> {
    pub fn text(self) -> &'a str {
        &self.attribute.value
    }

    pub fn wrong(self, expected: &str) -> Error {
        let what = format!("found \"{}\", expected {expected}", clipped(self.text()));
        self.element.wrong(&self.attribute.name, what)
    }

    pub fn number(self) -> Result<f64, Error> {
        match self.list(1)?[..] {
            [x] => Ok(x),
            _ => Err(self.wrong("a number")),
        }
    }

    pub fn numbers<const N: usize>(self) -> Result<[f64; N], Error> {
        let list = self.list(N)?;
        <[f64; N]>::try_from(list).map_err(|_| self.wrong(&format!("{N} numbers")))
    }

    /// At most `most` finite numbers.
    pub fn list(self, most: usize) -> Result<Vec<f64>, Error> {
        let mut list = Vec::new();
        for word in self.text().split_ascii_whitespace() {
            let number: f64 = word.parse().map_err(|_| self.wrong_word(word, expected_number(word)))?;
            if !number.is_finite() {
                return Err(self.wrong_word(word, "a finite number"));
            }
            if list.len() == most {
                let s = if most == 1 { "" } else { "s" };
                return Err(self.wrong(&format!("{most} number{s}, not more")));
            }
            list.push(number);
        }
        Ok(list)
    }

    fn wrong_word(self, word: &str, expected: &str) -> Error {
        if word == self.text() {
            return self.wrong(expected);
        }
        let what =
            format!("found \"{}\" in \"{}\", expected {expected}", clipped(word), clipped(self.text()));
        self.element.wrong(&self.attribute.name, what)
    }
}

fn expected_number(word: &str) -> &'static str {
    match word.starts_with("${") || word.starts_with("$(") {
        true => "a number: expand the file with xacro first",
        false => "a number",
    }
}

/// Warnings as they come up; those of one kind are said once, with the places they hold for.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    list: Vec<Warning>,
    more: usize,
    left_out: Vec<(String, usize)>,
    gathered: Vec<Gathered>,
}

/// One warning for several places.
#[derive(Debug)]
struct Gathered {
    what: String,
    place: Option<Place>,
    /// the first of them
    labels: Vec<String>,
    count: usize,
}

impl Gathered {
    fn warning(self) -> Warning {
        let Gathered { what, place, labels, count } = self;
        let what = match count - labels.len() {
            0 if count == 1 => format!("{}: {what}", labels[0]),
            0 => format!("{what}: {}", labels.join(", ")),
            more => format!("{what}: {} and {more} more", labels.join(", ")),
        };
        Warning { place, what }
    }
}

impl Warnings {
    /// A warning that may hold for several elements.
    pub fn gather(&mut self, element: &Element, what: &str) {
        self.gather_label(Some(element.place), element.label(), what);
    }

    /// A warning that may hold for several things.
    pub fn gather_label(&mut self, place: Option<Place>, label: String, what: &str) {
        let at = self.gathered.iter().position(|g| g.what == what);
        let at = match at {
            Some(at) => at,
            None if self.gathered.len() >= MAX_WARNINGS => {
                self.more += 1;
                return;
            }
            None => {
                self.gathered.push(Gathered { what: what.into(), place, labels: Vec::new(), count: 0 });
                self.gathered.len() - 1
            }
        };
        let one = &mut self.gathered[at];
        one.count += 1;
        if one.labels.len() < MAX_NAMED {
            one.labels.push(label);
        }
    }

    /// What a builder took although it is doubtful.
    pub fn of_builder(&mut self, problems: &[anthropi_dynamics::Error]) {
        for problem in problems {
            match problem {
                anthropi_dynamics::Error::ImpossibleInertia { link, .. } => {
                    let label = format!("link \"{}\"", clipped(link));
                    self.gather_label(None, label, IMPOSSIBLE);
                }
                other => self.say(other.to_string()),
            }
        }
    }

    pub fn push(&mut self, warning: Warning) {
        if self.list.len() < MAX_WARNINGS { self.list.push(warning) } else { self.more += 1 }
    }

    pub fn say(&mut self, what: impl Into<String>) {
        self.push(Warning { place: None, what: what.into() });
    }

    /// Something the figure has no place for.
    pub fn leave_out(&mut self, name: &str) {
        const MAX_NAMES: usize = 40;
        let full = self.left_out.len() >= MAX_NAMES;
        match self.left_out.iter_mut().find(|(n, _)| n == name) {
            Some((_, count)) => *count += 1,
            None if full => self.more += 1,
            None => self.left_out.push((clipped(name), 1)),
        }
    }

    pub fn finish(mut self) -> Vec<Warning> {
        self.list.extend(self.gathered.into_iter().map(Gathered::warning));
        if !self.left_out.is_empty() {
            let names = self.left_out.iter().map(|(name, count)| match count {
                1 => name.clone(),
                n => format!("{name} ({n} times)"),
            });
            let what = format!("left out: {}", names.collect::<Vec<_>>().join(", "));
            self.list.push(Warning { place: None, what });
        }
        if self.more > 0 {
            self.list.push(Warning { place: None, what: format!("and {} more warnings", self.more) });
        }
        self.list
    }
}

/// Puts what the figure did not take at the link or the joint, whichever it speaks of.
pub(crate) fn blame(source: anthropi_dynamics::Error, link: &Element, joint: &Element) -> Error {
    if source.to_string().contains("joint") { joint.refused(source) } else { link.refused(source) }
}

/// An element to be written.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
}

impl Tag {
    pub fn new(name: &'static str) -> Tag {
        Tag { name, attributes: Vec::new() }
    }

    pub fn with(mut self, key: &'static str, value: impl Into<String>) -> Tag {
        self.attributes.push((key, value.into()));
        self
    }

    /// Numbers, each with all the digits it takes to read the same number back.
    pub fn numbers(self, key: &'static str, values: &[f64]) -> Tag {
        let words: Vec<String> = values.iter().map(|x| format!("{x:?}")).collect();
        self.with(key, words.join(" "))
    }

    /// Only if it is not the value that is meant when nothing is said.
    pub fn number_unless(self, key: &'static str, value: f64, default: f64) -> Tag {
        if value == default { self } else { self.numbers(key, &[value]) }
    }
}

/// Writes elements, indented, one a line.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    text: String,
    open: Vec<&'static str>,
}

impl Writer {
    pub fn leaf(&mut self, tag: Tag) {
        self.start(&tag, "/>");
    }

    pub fn open(&mut self, tag: Tag) {
        self.start(&tag, ">");
        self.open.push(tag.name);
    }

    pub fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.indent();
            self.text.push_str(&format!("</{name}>\n"));
        }
    }

    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn indent(&mut self) {
        self.text.extend(std::iter::repeat_n("  ", self.open.len()));
    }

    fn start(&mut self, tag: &Tag, end: &str) {
        self.indent();
        self.text.push('<');
        self.text.push_str(tag.name);
        for (key, value) in &tag.attributes {
            // white space in an attribute would be read back as blanks
            let value =
                quick_xml::escape::escape(value.as_str()).replace('\n', "&#10;").replace('\t', "&#9;");
            self.text.push_str(&format!(" {key}=\"{value}\""));
        }
        self.text.push_str(end);
        self.text.push('\n');
    }
}

/// Refuses a name XML cannot hold.
pub(crate) fn check_name(format: &'static str, name: &str) -> Result<(), Error> {
    let bad = |c: char| (c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}');
    if name.contains(bad) {
        let what = format!("the control character in the name \"{}\"", clipped(name));
        return Err(Error::NotRepresentable { format, what });
    }
    Ok(())
}
