//! Motion of a joint: rotations and translations along axes by functions of its coordinates.
//!
//! Computes  X = [R1 R2 R3, p1 + p2 + p3],  Ri a rotation about axis i by fi, pi a translation along axis i by fi, in the
//! joint frame on the parent. Pins, sliders and so on are special cases.

use super::Coordinate;
use super::function::Function;
use crate::error::Error;
use crate::names::clipped;
use crate::xml::Element;
use anthropi_dynamics::spatial::{Axis as Direction, Vec3};
use std::ops::Range as Span;

/// One rotation or translation.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// unit vector
    pub direction: Vec3,
    /// index into all coordinates; `None` for a constant
    pub coordinate: Option<usize>,
    pub function: Function,
}

/// The axes of a joint.
#[derive(Clone, Debug)]
pub(super) enum Axes {
    /// translations, then rotations
    Chain { slides: Vec<Axis>, turns: Vec<Axis> },
    /// any rotation; the first of its three angles about x, y and z
    Ball { first: usize },
}

impl Axes {
    /// Coordinates that are angles.
    pub fn turning(&self) -> Vec<usize> {
        match self {
            Axes::Chain { turns, .. } => turns.iter().filter_map(|a| a.coordinate).collect(),
            Axes::Ball { first } => (*first..*first + 3).collect(),
        }
    }
}

/// The axes of a joint of any kind; `own` are its coordinates.
pub(super) fn read(node: &Element, all: &[Coordinate], own: Span<usize>) -> Result<Axes, Error> {
    use Direction::{X, Y, Z};
    let need = |n: usize| match own.len() {
        found if found == n => Ok(own.start),
        found => Err(node.refuse(format!("found {found} coordinates, expected {n}"))),
    };
    let chain = |turns: &[Direction], slides: &[Direction]| -> Result<Axes, Error> {
        let first = need(turns.len() + slides.len())?;
        let moving = |list: &[Direction], first: usize| -> Vec<Axis> {
            list.iter().enumerate().map(|(k, d)| Axis::moving(d.unit(), first + k)).collect()
        };
        Ok(Axes::Chain { turns: moving(turns, first), slides: moving(slides, first + turns.len()) })
    };
    match node.name.as_str() {
        "CustomJoint" => custom(node, all, own),
        "WeldJoint" => chain(&[], &[]),
        "PinJoint" => chain(&[Z], &[]),
        "SliderJoint" => chain(&[], &[X]),
        "UniversalJoint" => chain(&[X, Y], &[]),
        "GimbalJoint" => chain(&[X, Y, Z], &[]),
        "PlanarJoint" => chain(&[Z], &[X, Y]),
        "FreeJoint" => chain(&[X, Y, Z], &[X, Y, Z]),
        "BallJoint" => Ok(Axes::Ball { first: need(3)? }),
        _ => Err(node.refuse(
            "joint type not supported; expected CustomJoint, WeldJoint, PinJoint, SliderJoint, UniversalJoint, \
             GimbalJoint, PlanarJoint, BallJoint or FreeJoint",
        )),
    }
}

fn custom(node: &Element, all: &[Coordinate], own: Span<usize>) -> Result<Axes, Error> {
    let (mut turns, mut slides) = (Vec::new(), Vec::new());
    let transform = node.child("SpatialTransform");
    for axis in transform.into_iter().flat_map(|t| &t.children).filter(|n| n.name == "TransformAxis") {
        let list = match axis.title() {
            "rotation1" | "rotation2" | "rotation3" => &mut turns,
            "translation1" | "translation2" | "translation3" => &mut slides,
            _ => return Err(axis.refuse("expected a name from rotation1 to 3 or translation1 to 3")),
        };
        if list.len() == 3 || list.iter().any(|(title, _)| *title >= axis.title()) {
            return Err(axis.refuse("expected each axis once, in order"));
        }
        list.push((axis.title(), transform_axis(axis, all, own.clone())?));
    }
    let plain = |list: Vec<(&str, Axis)>| list.into_iter().map(|(_, axis)| axis).collect();
    Ok(Axes::Chain { slides: plain(slides), turns: plain(turns) })
}

fn transform_axis(node: &Element, all: &[Coordinate], own: Span<usize>) -> Result<Axis, Error> {
    let names = node.inner_text("coordinates").unwrap_or_default();
    let mut names = names.split_whitespace();
    let coordinate = match (names.next(), names.next()) {
        (None, _) => None,
        (Some(name), None) => {
            let found = own.clone().find(|c| all[*c].name == name);
            let unknown =
                || node.refuse(format!("found \"{}\", expected a coordinate of its joint", clipped(name)));
            Some(found.ok_or_else(unknown)?)
        }
        (Some(_), Some(_)) => {
            return Err(node.refuse("functions of several coordinates are not supported"));
        }
    };
    let default = if coordinate.is_some() { Function::identity() } else { Function::constant(0.0) };
    let function = Function::inside(node)?.unwrap_or(default);
    let direction = node.inner_vector("axis")?.normalized();
    let is_still = coordinate.is_none() && function.value(0.0) == 0.0;
    let direction = match direction {
        Some(direction) => direction,
        None if is_still => Direction::X.unit(),
        None => return Err(node.refuse("its axis is zero, expected a direction")),
    };
    // a function without a coordinate is its value at zero
    let function = if coordinate.is_none() { Function::constant(function.value(0.0)) } else { function };
    Ok(Axis { direction, coordinate, function })
}

impl Axis {
    fn moving(direction: Vec3, coordinate: usize) -> Axis {
        Axis { direction, coordinate: Some(coordinate), function: Function::identity() }
    }

    /// Coordinate, slope and intercept, if the function is linear.
    pub fn line(&self) -> Option<(usize, f64, f64)> {
        let (slope, intercept) = self.function.line().filter(|(slope, _)| *slope != 0.0)?;
        Some((self.coordinate?, slope, intercept))
    }
}
