//! Content of nested elements: OSIM has values there where other formats have attributes.

use crate::error::Error;
use crate::names::clipped;
use crate::xml::Element;
use anthropi_dynamics::spatial::{RotationOrder, Transform, Vec3};

impl Element {
    /// Its `name` attribute; may be empty.
    pub fn title(&self) -> &str {
        self.text("name").unwrap_or("")
    }

    /// Members of a set: the children of its `objects`.
    pub fn objects(&self) -> impl Iterator<Item = &Element> {
        self.child("objects").into_iter().flat_map(|o| &o.children)
    }

    /// Members of a child set.
    pub fn set(&self, name: &str) -> impl Iterator<Item = &Element> + use<'_> {
        self.child(name).into_iter().flat_map(Element::objects)
    }

    /// Text of a child element; `None` if absent or empty.
    pub fn inner_text(&self, name: &str) -> Option<&str> {
        self.child(name).map(|c| c.content.as_str()).filter(|text| !text.is_empty())
    }

    /// Finite numbers of a child element; `None` if absent or empty.
    pub fn inner_list(&self, name: &str) -> Result<Option<Vec<f64>>, Error> {
        let Some(child) = self.child(name) else { return Ok(None) };
        let number = |word: &str| match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(child.refuse(format!("found \"{}\", expected a finite number", clipped(word)))),
        };
        let list = child.content.split_whitespace().map(number).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(list).filter(|l| !l.is_empty()))
    }

    /// Exactly `N` numbers.
    pub fn inner_numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, Error> {
        let Some(list) = self.inner_list(name)? else { return Ok(None) };
        let at = self.child(name).unwrap_or(self);
        let found = list.len();
        let numbers = <[f64; N]>::try_from(list);
        numbers.map(Some).map_err(|_| at.refuse(format!("found {found} numbers, expected {N}")))
    }

    /// One number.
    pub fn inner_number(&self, name: &str) -> Result<Option<f64>, Error> {
        Ok(self.inner_numbers::<1>(name)?.map(|[x]| x))
    }

    /// Three numbers; zero if absent.
    pub fn inner_vector(&self, name: &str) -> Result<Vec3, Error> {
        Ok(self.inner_numbers(name)?.map_or(Vec3::ZERO, |v| Vec3::from_array(&v)))
    }

    /// `true` or `false`; false if absent.
    pub fn inner_flag(&self, name: &str) -> Result<bool, Error> {
        let Some(child) = self.child(name) else { return Ok(false) };
        match child.content.to_ascii_lowercase().as_str() {
            "true" | "1" => Ok(true),
            "false" | "0" | "" => Ok(false),
            other => Err(child.refuse(format!("found \"{}\", expected true or false", clipped(other)))),
        }
    }

    /// Placement by a translation and body-fixed x-y-z angles.
    pub fn inner_placement(&self, translation: &str, orientation: &str) -> Result<Transform, Error> {
        let angles = self.inner_vector(orientation)?.to_array();
        Ok(Transform::new(self.inner_vector(translation)?, RotationOrder::Xyz.quat(angles)))
    }
}
