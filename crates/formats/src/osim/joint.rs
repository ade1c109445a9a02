//! Joints of both generations of files in one form: two frames, coordinates, axes.

use super::Coordinate;
use super::axis::{self, Axes};
use super::frame::{Bodies, BodyFrame, socket};
use crate::error::Error;
use crate::xml::{Element, MAX_LINKS, Warnings};
use anthropi_dynamics::joint::Range;
use anthropi_dynamics::spatial::Transform;
use std::ops::Range as Span;

/// A joint, axes of the file.
#[derive(Debug)]
pub(super) struct DeclaredJoint<'a> {
    pub node: &'a Element,
    pub parent: BodyFrame,
    /// child body
    pub child: usize,
    pub child_from_joint: Transform,
    /// its range of all coordinates
    pub coordinates: Span<usize>,
    pub axes: Axes,
}

/// All joints and coordinates of a model, in file order.
#[derive(Debug, Default)]
pub(super) struct Joints<'a> {
    pub list: Vec<DeclaredJoint<'a>>,
    pub coordinates: Vec<Coordinate>,
}

impl<'a> Joints<'a> {
    /// Joints inside bodies and in the `JointSet`.
    pub fn new(
        model: &'a Element,
        bodies: &Bodies<'a>,
        warnings: &mut Warnings,
    ) -> Result<Joints<'a>, Error> {
        let mut joints = Joints::default();
        for (child, body) in bodies.list.iter().enumerate() {
            let inside = body.node.child("Joint").into_iter().flat_map(|j| &j.children);
            for node in inside {
                let (parent, on_child) = old_frames(node, bodies, child)?;
                joints.add(node, parent, on_child, warnings)?;
            }
        }
        for node in model.set("JointSet") {
            let own: Vec<&Element> = node.child("frames").into_iter().flat_map(|f| &f.children).collect();
            let frame = |which: &str| {
                let path =
                    socket(node, which).ok_or_else(|| node.refuse(format!("has no socket_{which}")))?;
                bodies.frame(path, &own, node)
            };
            joints.add(node, frame("parent_frame")?, frame("child_frame")?, warnings)?;
        }
        Ok(joints)
    }

    fn add(
        &mut self,
        node: &'a Element,
        parent: BodyFrame,
        child: BodyFrame,
        warnings: &mut Warnings,
    ) -> Result<(), Error> {
        let Some(body) = child.body else { return Err(node.refuse("ground cannot be the child of a joint")) };
        if self.list.len() == MAX_LINKS {
            return Err(node.refuse(format!("more than {MAX_LINKS} joints")));
        }
        if node.inner_flag("reverse")? {
            return Err(node.refuse("reverse is not supported; swap parent and child in the file"));
        }
        let start = self.coordinates.len();
        let set = node.child("CoordinateSet").into_iter().flat_map(|s| s.objects());
        let inside = node.child("coordinates").into_iter().flat_map(|s| &s.children);
        for c in set.chain(inside).filter(|n| n.name == "Coordinate") {
            self.coordinates.push(coordinate(c, node, warnings)?);
        }
        if self.coordinates.len() > MAX_LINKS {
            return Err(node.refuse(format!("more than {MAX_LINKS} coordinates")));
        }
        let coordinates = start..self.coordinates.len();
        let axes = axis::read(node, &self.coordinates, coordinates.clone())?;
        for c in axes.turning() {
            self.coordinates[c].is_angle = true;
        }
        let child_from_joint = child.body_from_frame;
        self.list.push(DeclaredJoint { node, parent, child: body, child_from_joint, coordinates, axes });
        Ok(())
    }
}

/// Frames of a joint nested in its child body.
fn old_frames(node: &Element, bodies: &Bodies, child: usize) -> Result<(BodyFrame, BodyFrame), Error> {
    let parent = node.inner_text("parent_body").ok_or_else(|| node.refuse("has no parent_body"))?;
    let parent = BodyFrame {
        body: bodies.body(parent, node)?,
        body_from_frame: node.inner_placement("location_in_parent", "orientation_in_parent")?,
    };
    Ok((
        parent,
        BodyFrame { body: Some(child), body_from_frame: node.inner_placement("location", "orientation")? },
    ))
}

fn coordinate(node: &Element, joint: &Element, warnings: &mut Warnings) -> Result<Coordinate, Error> {
    let name = node.title().to_string();
    if name.is_empty() {
        return Err(node.refuse("has no name"));
    }
    let range = match node.inner_numbers("range")? {
        Some([lower, upper]) if lower > upper => {
            return Err(node
                .refuse(format!("found a range from {lower} to {upper}, expected the lower number first")));
        }
        Some([lower, upper]) => Some(Range { lower, upper }),
        None => None,
    };
    if node.inner_flag("prescribed")? {
        warnings.group(node, "its prescribed motion is ignored");
    }
    let default = node.inner_number("default_value")?.unwrap_or(0.0);
    let joint = joint.title().to_string();
    Ok(Coordinate { name, joint, default, range, is_locked: node.inner_flag("locked")?, is_angle: false })
}
