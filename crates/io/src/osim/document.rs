//! Elements together with the text inside them: OSIM says in text what other formats say in attributes.
//!
//! `xml` checks the document and knows places and labels but drops text; a second parse of the same document has it.

use crate::error::Error;
use crate::xml::{Element, clipped};
use anthropi_dynamics::spatial::{RotationOrder, Transform, Vec3};

/// The same document with the text of its elements; `root` says that it has been checked.
pub(super) fn contents<'a>(text: &'a str, root: &Element) -> Result<roxmltree::Document<'a>, Error> {
    // blanks before the declaration are taken by `xml` too
    roxmltree::Document::parse(text.trim_start()).map_err(|e| root.refuse(clipped(&e.to_string())))
}

/// An element and its text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'a> {
    pub element: &'a Element,
    source: roxmltree::Node<'a, 'a>,
}

impl<'a> Node<'a> {
    /// Both of the same document.
    pub fn new(element: &'a Element, source: roxmltree::Node<'a, 'a>) -> Node<'a> {
        Node { element, source }
    }

    /// Kind of the element.
    pub fn name(self) -> &'a str {
        &self.element.name
    }

    /// What the file calls it; may be empty.
    pub fn title(self) -> &'a str {
        self.element.text("name").unwrap_or("")
    }

    /// Elements inside.
    pub fn children(self) -> impl Iterator<Item = Node<'a>> {
        let sources = self.source.children().filter(|n| n.is_element());
        self.element.children.iter().zip(sources).map(|(e, s)| Node::new(e, s))
    }

    /// First element of a kind inside.
    pub fn child(self, name: &str) -> Option<Node<'a>> {
        self.children().find(|c| c.name() == name)
    }

    /// Elements of a set: those inside its `objects`.
    pub fn objects(self) -> impl Iterator<Item = Node<'a>> {
        self.child("objects").into_iter().flat_map(|o| o.children())
    }

    /// Elements of the set of that name inside.
    pub fn set(self, name: &str) -> impl Iterator<Item = Node<'a>> {
        self.child(name).into_iter().flat_map(|s| s.objects())
    }

    /// Text inside, without what is nested and without blanks around.
    pub fn content(self) -> String {
        let pieces = self.source.children().filter(|n| n.is_text()).filter_map(|n| n.text());
        pieces.collect::<String>().trim().to_string()
    }

    /// Text of an element inside; none if it is not there or empty.
    pub fn word(self, name: &str) -> Option<String> {
        self.child(name).map(|c| c.content()).filter(|text| !text.is_empty())
    }

    /// Finite numbers of an element inside; none if it is not there or empty.
    pub fn list(self, name: &str) -> Result<Option<Vec<f64>>, Error> {
        let Some(child) = self.child(name) else { return Ok(None) };
        let number = |word: &str| match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(child.refuse(format!("found \"{}\", expected a finite number", clipped(word)))),
        };
        let list = child.content().split_whitespace().map(number).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(list).filter(|l| !l.is_empty()))
    }

    /// As many numbers as asked for.
    pub fn numbers<const N: usize>(self, name: &str) -> Result<Option<[f64; N]>, Error> {
        let Some(list) = self.list(name)? else { return Ok(None) };
        let at = self.child(name).unwrap_or(self);
        let found = list.len();
        <[f64; N]>::try_from(list)
            .map(Some)
            .map_err(|_| at.refuse(format!("found {found} numbers, expected {N}")))
    }

    /// One number.
    pub fn number(self, name: &str) -> Result<Option<f64>, Error> {
        Ok(self.numbers::<1>(name)?.map(|[x]| x))
    }

    /// Three numbers; zero if not there.
    pub fn vector(self, name: &str) -> Result<Vec3, Error> {
        Ok(self.numbers(name)?.map_or(Vec3::ZERO, |v| Vec3::from_array(&v)))
    }

    /// `true` or `false`; not there is false.
    pub fn flag(self, name: &str) -> Result<bool, Error> {
        let Some(child) = self.child(name) else { return Ok(false) };
        match child.content().to_ascii_lowercase().as_str() {
            "true" | "1" => Ok(true),
            "false" | "0" | "" => Ok(false),
            other => Err(child.refuse(format!("found \"{}\", expected true or false", clipped(other)))),
        }
    }

    /// Placement by a translation and by angles about x, y and z that move along.
    pub fn placement(self, translation: &str, orientation: &str) -> Result<Transform, Error> {
        let angles = self.vector(orientation)?.to_array();
        Ok(Transform::new(self.vector(translation)?, RotationOrder::Xyz.quat(angles)))
    }

    /// Something is wrong with it.
    pub fn refuse(self, what: impl Into<String>) -> Error {
        self.element.refuse(what)
    }
}
