//! Default classes: values of attributes that an element does not set itself.

use crate::error::Error;
use crate::xml::{Element, Value};
use anthropi_dynamics::spatial::Vec3;
use std::collections::HashMap;

/// The top-level class.
pub(super) const MAIN: ClassIx = ClassIx(0);
/// Deepest nesting of classes.
const MAX_NESTED: usize = 32;

/// A default class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClassIx(usize);

/// Elements whose defaults are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Joint,
    Geom,
    /// all actuators share their defaults
    Actuator,
    Mesh,
    Site,
}

/// Element names of actuators.
pub(super) const ACTUATORS: [&str; 10] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
];

impl Kind {
    fn from_name(name: &str) -> Option<Kind> {
        match name {
            "joint" => Some(Kind::Joint),
            "geom" => Some(Kind::Geom),
            "mesh" => Some(Kind::Mesh),
            "site" => Some(Kind::Site),
            _ => ACTUATORS.contains(&name).then_some(Kind::Actuator),
        }
    }
}

#[derive(Debug, Default)]
struct Class<'a> {
    parent: Option<ClassIx>,
    settings: [HashMap<&'a str, Value<'a>>; 5],
}

/// All classes of a model.
#[derive(Debug)]
pub(super) struct Defaults<'a> {
    classes: Vec<Class<'a>>,
    index: HashMap<&'a str, ClassIx>,
}

impl<'a> Defaults<'a> {
    pub fn new(model: &'a Element) -> Result<Defaults<'a>, Error> {
        let mut all = Defaults { classes: vec![Class::default()], index: HashMap::from([("main", MAIN)]) };
        for top in model.named("default") {
            if let Some(name) = top.text("class") {
                all.index.insert(name, MAIN);
            }
            all.fill(top, MAIN, 1)?;
        }
        Ok(all)
    }

    fn fill(&mut self, element: &'a Element, class: ClassIx, depth: usize) -> Result<(), Error> {
        if depth > MAX_NESTED {
            return Err(element.refuse(format!("default classes are nested more than {MAX_NESTED} deep")));
        }
        for child in &element.children {
            if child.name == "default" {
                let inner = self.open(child.require("class")?.text(), class);
                self.fill(child, inner, depth + 1)?;
            } else if let Some(kind) = Kind::from_name(&child.name) {
                let values = child.attributes.iter().map(|a| (a.name.as_str(), child.value(a)));
                self.classes[class.0].settings[kind as usize].extend(values);
            }
        }
        Ok(())
    }

    /// The class of that name inside another; a section may reopen a class.
    fn open(&mut self, name: &'a str, parent: ClassIx) -> ClassIx {
        match self.index.get(name) {
            Some(&known) if self.classes[known.0].parent == Some(parent) => known,
            _ => {
                let new = ClassIx(self.classes.len());
                self.classes.push(Class { parent: Some(parent), ..Class::default() });
                self.index.insert(name, new);
                new
            }
        }
    }

    /// The class named by an attribute; `inherited` without it.
    pub fn class(&self, element: &Element, attribute: &str, inherited: ClassIx) -> Result<ClassIx, Error> {
        match element.get(attribute) {
            None => Ok(inherited),
            Some(v) => {
                self.index.get(v.text()).copied().ok_or_else(|| v.wrong("the name of a default class"))
            }
        }
    }
}

/// An element with the class that supplies its defaults.
#[derive(Clone, Copy)]
pub(super) struct Complete<'a> {
    pub element: &'a Element,
    pub defaults: &'a Defaults<'a>,
    /// `None`: without defaults
    pub class: Option<ClassIx>,
    pub kind: Kind,
}

impl<'a> Complete<'a> {
    pub fn get(&self, attribute: &str) -> Option<Value<'a>> {
        self.first_of(&[attribute])
    }

    /// The first of several equivalent attributes; the element overrides its class.
    pub fn first_of(&self, attributes: &[&str]) -> Option<Value<'a>> {
        if let Some(own) = attributes.iter().find_map(|a| self.element.get(a)) {
            return Some(own);
        }
        let mut next = self.class;
        while let Some(ix) = next {
            let class = &self.defaults.classes[ix.0];
            if let Some(found) = attributes.iter().find_map(|a| class.settings[self.kind as usize].get(a)) {
                return Some(*found);
            }
            next = class.parent;
        }
        None
    }

    pub fn text(&self, attribute: &str) -> Option<&'a str> {
        self.get(attribute).map(Value::text)
    }

    /// An error about the value of an attribute, its own or its class's.
    pub fn wrong(&self, attribute: &str, expected: &str) -> Error {
        self.get(attribute).map_or_else(|| self.element.wrong(attribute, expected), |v| v.wrong(expected))
    }

    pub fn number(&self, attribute: &str, default: f64) -> Result<f64, Error> {
        self.get(attribute).map_or(Ok(default), Value::number)
    }

    pub fn vector(&self, attribute: &str, default: Vec3) -> Result<Vec3, Error> {
        self.get(attribute).map_or(Ok(default), Value::vector)
    }

    /// Whether a range applies: given by `limited`, or else if there is a range and limits are automatic.
    pub fn is_limited(&self, limited: &str, range: &str, autolimits: bool) -> Result<bool, Error> {
        let by_range = autolimits && self.get(range).is_some();
        let words = [("true", true), ("false", false), ("auto", by_range)];
        self.get(limited).map_or(Ok(by_range), |v| v.word(&words))
    }

    /// The range, if it applies.
    pub fn range(&self, limited: &str, range: &str, autolimits: bool) -> Result<Option<[f64; 2]>, Error> {
        if !self.is_limited(limited, range, autolimits)? {
            return Ok(None);
        }
        let value = self
            .get(range)
            .ok_or_else(|| self.element.wrong(range, format!("missing, but {limited} is set")))?;
        let [lower, upper] = value.numbers()?;
        if lower > upper { Err(value.wrong("the lower number first")) } else { Ok(Some([lower, upper])) }
    }
}
