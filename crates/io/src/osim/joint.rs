//! Joints of both generations of files in one form: two places, coordinates, axes.

use super::Coordinate;
use super::axis::{self, Axes};
use super::document::Node;
use super::frame::{Bodies, Place, socket};
use crate::error::Error;
use crate::xml::{MAX_LINKS, Warnings};
use anthropi_dynamics::joint::Range;
use anthropi_dynamics::spatial::Transform;
use std::ops::Range as Span;

/// A joint as declared, axes of the file.
#[derive(Debug)]
pub(super) struct Declared<'a> {
    pub node: Node<'a>,
    pub parent: Place,
    /// the body it carries
    pub child: usize,
    pub child_from_joint: Transform,
    /// which of all coordinates are its own
    pub coordinates: Span<usize>,
    pub axes: Axes,
}

/// All joints of a model with all coordinates, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Joints<'a> {
    pub list: Vec<Declared<'a>>,
    pub coordinates: Vec<Coordinate>,
}

impl<'a> Joints<'a> {
    /// Joints inside bodies and in the `JointSet`.
    pub fn new(model: Node<'a>, bodies: &Bodies<'a>, warnings: &mut Warnings) -> Result<Joints<'a>, Error> {
        let mut joints = Joints::default();
        for (child, body) in bodies.list.iter().enumerate() {
            let inside = body.node.child("Joint").into_iter().flat_map(|j| j.children());
            for node in inside {
                let (parent, on_child) = old_places(node, bodies, child)?;
                joints.add(node, parent, on_child, warnings)?;
            }
        }
        for node in model.set("JointSet") {
            let own: Vec<Node> = node.child("frames").into_iter().flat_map(|f| f.children()).collect();
            let place = |which: &str| {
                let path = socket(node, which).ok_or_else(|| node.refuse(format!("no socket_{which}")))?;
                bodies.place(&path, &own, node)
            };
            joints.add(node, place("parent_frame")?, place("child_frame")?, warnings)?;
        }
        Ok(joints)
    }

    fn add(
        &mut self,
        node: Node<'a>,
        parent: Place,
        child: Place,
        warnings: &mut Warnings,
    ) -> Result<(), Error> {
        let Some(body) = child.body else { return Err(node.refuse("ground cannot be the child of a joint")) };
        if self.list.len() == MAX_LINKS {
            return Err(node.refuse(format!("more than {MAX_LINKS} joints")));
        }
        if node.flag("reverse")? {
            return Err(node.refuse("reverse is not supported; exchange parent and child in the file"));
        }
        let start = self.coordinates.len();
        let set = node.child("CoordinateSet").into_iter().flat_map(|s| s.objects());
        let inside = node.child("coordinates").into_iter().flat_map(|s| s.children());
        for c in set.chain(inside).filter(|n| n.name() == "Coordinate") {
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
        self.list.push(Declared { node, parent, child: body, child_from_joint, coordinates, axes });
        Ok(())
    }
}

/// Places of a joint that lies inside the body it carries.
fn old_places(node: Node, bodies: &Bodies, child: usize) -> Result<(Place, Place), Error> {
    let parent = node.word("parent_body").ok_or_else(|| node.refuse("no parent_body"))?;
    let parent = Place {
        body: bodies.body(&parent, node)?,
        body_from_frame: node.placement("location_in_parent", "orientation_in_parent")?,
    };
    Ok((parent, Place { body: Some(child), body_from_frame: node.placement("location", "orientation")? }))
}

fn coordinate(node: Node, joint: Node, warnings: &mut Warnings) -> Result<Coordinate, Error> {
    let name = node.title().to_string();
    if name.is_empty() {
        return Err(node.refuse("a coordinate without a name"));
    }
    let range = match node.numbers("range")? {
        Some([lower, upper]) if lower > upper => {
            return Err(node.refuse(format!("found a range from {lower} to {upper}, expected it upwards")));
        }
        Some([lower, upper]) => Some(Range { lower, upper }),
        None => None,
    };
    if node.flag("prescribed")? {
        warnings.gather(node.element, "its prescribed motion is not followed");
    }
    let default = node.number("default_value")?.unwrap_or(0.0);
    let joint = joint.title().to_string();
    Ok(Coordinate { name, joint, default, range, is_locked: node.flag("locked")?, is_angle: false })
}
