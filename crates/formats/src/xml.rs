//! XML as an element tree with the file and position of every element and attribute, for error messages; and a writer.
//!
//! Hostile input is bounded before and during parsing: bytes, nodes, attributes of one element, depth. Document
//! types (and with them entities) are rejected.

use crate::error::{Error, Place, Warning};
use crate::names::{clipped, either};
use anthropi_dynamics::model::{Figure, FigureBuilder};
use anthropi_dynamics::spatial::Vec3;
use std::borrow::Cow;
use std::rc::Rc;

/// Largest text read, with all its includes.
pub(crate) const MAX_BYTES: u64 = 32 << 20;
/// Deepest nesting: deeper than any real model, shallow enough for recursion.
pub(crate) const MAX_DEPTH: usize = 512;
/// Most links of one figure in these formats.
pub(crate) const MAX_LINKS: usize = 10_000;
const MAX_NODES: u32 = 300_000;
const MAX_ATTRIBUTES: usize = 256;
const MAX_NAMESPACES: usize = 64;
/// Prefix of the elements of URDF's macro language.
pub(crate) const XACRO: &str = "xacro:";
/// Infinite limit in formats that require a number.
pub(crate) const NO_LIMIT: f64 = 1e10;
/// Most warnings kept individually.
const MAX_WARNINGS: usize = 500;
/// Most elements named in a grouped warning.
const MAX_NAMED: usize = 4;

const IMPOSSIBLE_INERTIA: &str =
    "impossible inertia: a principal moment is negative or larger than the sum of the other two";

/// An attribute.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub name: String,
    pub value: String,
    pub place: Place,
}

/// An element with its content.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub name: String,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Element>,
    /// text directly inside, trimmed
    pub content: String,
    pub place: Place,
    pub file: Rc<str>,
    /// nearest named ancestor or itself: `joint "left_knee"`; empty if there is none
    owner: Rc<str>,
}

/// An attribute with its element, for reading it and for errors about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    pub element: &'a Element,
    pub attribute: &'a Attribute,
}

/// Reads a document whose outermost element is one of those `expected`.
pub(crate) fn parse(text: &str, file: &str, expected: &[&str]) -> Result<Element, Error> {
    Error::check_size(file, text, MAX_BYTES)?;
    let text = &*without_late_declaration(text);
    check_tags(text, file)?;
    let options = roxmltree::ParsingOptions { nodes_limit: MAX_NODES, ..Default::default() };
    let document =
        roxmltree::Document::parse_with_options(text, options).map_err(|e| syntax(text, file, e))?;
    let mut cursor = Cursor { text, offset: 0, place: Place { line: 1, column: 1 } };
    let root = convert(document.root_element(), &mut cursor, &file.into(), &"".into(), 1)?;
    match expected.contains(&root.name.as_str()) {
        true => Ok(root),
        false => Err(root.refuse(format!("found as the outermost element, expected {}", either(expected)))),
    }
}

/// Blanks an XML declaration after white space: invalid, but common and accepted by other readers.
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
    // the parser appends the position, which our message starts with
    let what = clipped(e.to_string().trim_end_matches(&format!(" at {at}")));
    let place = Place { line: at.row as usize, column: at.col as usize };
    let (place, what) = match e {
        UnclosedRootNode | UnexpectedEndOfStream => {
            (Place::in_text(text, text.len()), "the file ends inside an element".to_string())
        }
        _ => (place, what),
    };
    Error::syntax(file, place, what)
}

/// Counts lines and columns; offsets must not decrease.
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
    let (mut children, mut content) = (Vec::new(), String::new());
    for child in node.children() {
        if child.is_element() {
            children.push(convert(child, cursor, file, &owner, depth + 1)?);
        } else if child.is_text() {
            content.push_str(child.text().unwrap_or_default());
        }
    }
    let content = content.trim().to_string();
    Ok(Element { name, attributes, children, content, place, file: file.clone(), owner })
}

pub(crate) fn too_deep(file: &str, place: Place) -> Error {
    Error::syntax(file, place, format!("elements are nested more than {MAX_DEPTH} deep"))
}

/// Rejects elements with absurdly many attributes or namespaces, which would take the parser quadratic time.
fn check_tags(text: &str, file: &str) -> Result<(), Error> {
    let refuse = |at: usize, what: String| Err(Error::syntax(file, Place::in_text(text, at), what));
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

/// End of a tag, and its number of quoted values.
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

impl Element {
    /// Name in messages: `joint "left_knee"`, `joint "left_knee" axis`, `compiler`.
    pub fn label(&self) -> String {
        match (self.owner.is_empty(), self.get("name").is_some()) {
            (true, _) => self.name.clone(),
            (false, true) => self.owner.to_string(),
            (false, false) => format!("{} {}", self.owner, self.name),
        }
    }

    pub fn get(&self, name: &str) -> Option<Value<'_>> {
        self.attributes.iter().find(|a| a.name == name).map(|a| self.value(a))
    }

    /// One of its attributes.
    pub fn value<'a>(&'a self, attribute: &'a Attribute) -> Value<'a> {
        Value { element: self, attribute }
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

    pub fn vector(&self, name: &str) -> Result<Option<Vec3>, Error> {
        self.get(name).map(Value::vector).transpose()
    }

    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|c| c.name == name)
    }

    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |c| c.name == name)
    }

    /// An error about an attribute, present or missing.
    pub fn wrong(&self, attribute: &str, what: impl Into<String>) -> Error {
        let place = self.get(attribute).map_or(self.place, |v| v.attribute.place);
        Error::field(&self.file, place, format!("{} {attribute}", self.label()), what)
    }

    /// An error about the element as a whole.
    pub fn refuse(&self, what: impl Into<String>) -> Error {
        Error::field(&self.file, self.place, self.label(), what)
    }

    /// An error of the figure builder about this element.
    pub fn refused(&self, source: anthropi_dynamics::Error) -> Error {
        self.refuse(source.to_string())
    }

    pub fn warn(&self, what: impl Into<String>) -> Warning {
        Warning { place: Some(self.place), ..Warning::new(format!("{}: {}", self.label(), what.into())) }
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

    pub fn not_negative(self) -> Result<f64, Error> {
        let x = self.number()?;
        if x >= 0.0 { Ok(x) } else { Err(self.wrong("zero or more")) }
    }

    pub fn vector(self) -> Result<Vec3, Error> {
        Ok(Vec3::from_array(&self.numbers()?))
    }

    /// The meaning of one of several words.
    pub fn word<T: Copy>(self, words: &[(&str, T)]) -> Result<T, Error> {
        let found = words.iter().find(|(word, _)| *word == self.text());
        let known = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>();
        found.map(|(_, meaning)| *meaning).ok_or_else(|| self.wrong(&either(&known())))
    }

    pub fn flag(self) -> Result<bool, Error> {
        self.word(&[("true", true), ("false", false)])
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
                return Err(self.wrong(&format!("at most {most} number{s}")));
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

/// Warnings of a reader or writer; equal ones are grouped, with the elements they concern.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    list: Vec<Warning>,
    more: usize,
    left_out: Vec<(String, usize)>,
    groups: Vec<Group>,
}

/// One warning for several elements.
#[derive(Debug)]
struct Group {
    what: String,
    place: Option<Place>,
    /// the first few
    labels: Vec<String>,
    count: usize,
}

impl Group {
    fn warning(self) -> Warning {
        let Group { what, place, labels, count } = self;
        let what = match count - labels.len() {
            0 if count == 1 => format!("{}: {what}", labels[0]),
            0 => format!("{what}: {}", labels.join(", ")),
            more => format!("{what}: {} and {more} more", labels.join(", ")),
        };
        Warning { place, ..Warning::new(what) }
    }
}

impl Warnings {
    /// A warning that may concern several elements.
    pub fn group(&mut self, element: &Element, what: &str) {
        self.group_label(Some(element.place), element.label(), what);
    }

    /// A warning that may concern several labels.
    pub fn group_label(&mut self, place: Option<Place>, label: String, what: &str) {
        let at = self.groups.iter().position(|g| g.what == what);
        let at = match at {
            Some(at) => at,
            None if self.groups.len() >= MAX_WARNINGS => {
                self.more += 1;
                return;
            }
            None => {
                self.groups.push(Group { what: what.into(), place, labels: Vec::new(), count: 0 });
                self.groups.len() - 1
            }
        };
        let one = &mut self.groups[at];
        one.count += 1;
        if one.labels.len() < MAX_NAMED {
            one.labels.push(label);
        }
    }

    /// Problems that the figure builder tolerated.
    fn add_tolerated(&mut self, problems: &[anthropi_dynamics::Error]) {
        for problem in problems {
            match problem {
                anthropi_dynamics::Error::ImpossibleInertia { link, .. } => {
                    let label = format!("link \"{}\"", clipped(link));
                    self.group_label(None, label, IMPOSSIBLE_INERTIA);
                }
                other => self.add(other.to_string()),
            }
        }
    }

    pub fn push(&mut self, warning: Warning) {
        if self.list.len() < MAX_WARNINGS { self.list.push(warning) } else { self.more += 1 }
    }

    pub fn add(&mut self, what: impl Into<String>) {
        self.push(Warning::new(what));
    }

    /// Counts an ignored element.
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
        self.list.extend(self.groups.into_iter().map(Group::warning));
        if !self.left_out.is_empty() {
            let names = self.left_out.iter().map(|(name, count)| match count {
                1 => name.clone(),
                n => format!("{name} ({n} times)"),
            });
            let what = format!("left out: {}", names.collect::<Vec<_>>().join(", "));
            self.list.push(Warning::new(what));
        }
        if self.more > 0 {
            self.list.push(Warning::new(format!("and {} more warnings", self.more)));
        }
        self.list
    }
}

/// Builds the figure. An error about a joint is located at its element and continued by `more`.
pub(crate) fn build<'a>(
    builder: FigureBuilder,
    file: &str,
    more: &str,
    joint_element: impl Fn(&str) -> Option<&'a Element>,
    warnings: &mut Warnings,
) -> Result<Figure, Error> {
    warnings.add_tolerated(builder.warnings());
    builder.build().map_err(|source| {
        if let anthropi_dynamics::Error::NoInertia { joint } = &source
            && let Some(element) = joint_element(joint)
        {
            return element.refuse(format!("{source}{more}"));
        }
        Error::Figure { file: file.into(), source }
    })
}

/// Order of the edges (parent, child) of a tree from its root, parents first and siblings in order; without those that
/// cannot be reached.
pub(crate) fn outward(edges: &[(usize, usize)], root: usize) -> Vec<usize> {
    let nodes = 1 + edges.iter().map(|(parent, child)| *parent.max(child)).fold(root, usize::max);
    let mut below = vec![Vec::new(); nodes];
    edges.iter().enumerate().for_each(|(i, (parent, _))| below[*parent].push(i));
    let mut order = below[root].clone();
    let mut at = 0;
    while let Some(&i) = order.get(at) {
        order.extend(&below[edges[i].1]);
        at += 1;
    }
    order
}

/// An error of the figure builder, located at the link or the joint it is about.
pub(crate) fn locate(source: anthropi_dynamics::Error, link: &Element, joint: &Element) -> Error {
    if source.to_string().contains("joint") { joint.refused(source) } else { link.refused(source) }
}

/// A start tag to write.
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

    /// Numbers, with enough digits to read back exactly.
    pub fn numbers(self, key: &'static str, values: &[f64]) -> Tag {
        let words: Vec<String> = values.iter().map(|x| format!("{x:?}")).collect();
        self.with(key, words.join(" "))
    }

    /// A number, unless it is the default.
    pub fn number_unless(self, key: &'static str, value: f64, default: f64) -> Tag {
        if value == default { self } else { self.numbers(key, &[value]) }
    }
}

/// Writes elements, indented, one per line.
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
            // unescaped white space in an attribute would read back as spaces
            let value = escape(value).replace('\n', "&#10;").replace('\t', "&#9;");
            self.text.push_str(&format!(" {key}=\"{value}\""));
        }
        self.text.push_str(end);
        self.text.push('\n');
    }
}

/// Escapes text for XML and HTML, both between tags and in attributes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Rejects names that XML cannot represent.
pub(crate) fn check_name(format: &'static str, name: &str) -> Result<(), Error> {
    let bad = |c: char| (c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}');
    if name.contains(bad) {
        let what = format!("the control character in the name \"{}\"", clipped(name));
        return Err(Error::NotRepresentable { format, what });
    }
    Ok(())
}
