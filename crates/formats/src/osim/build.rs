//! Builds the figure: a tree of links from ground.

use super::axis::Axes;
use super::coordinates::{By, Drive};
use super::frame::{Bodies, socket};
use super::joint::{DeclaredJoint, Joints};
use super::{Marker, Model, z_up_from_y_up};
use crate::error::Error;
use crate::xml::{self, Element, Warnings};
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec};
use anthropi_dynamics::spatial::{Inertia, Vec3};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Reads the `Model` element.
pub(super) fn build(model: &Element, file: &str) -> Result<Model, Error> {
    let mut warnings = Warnings::default();
    let bodies = Bodies::new(model)?;
    let joints = Joints::new(model, &bodies, &mut warnings)?;
    let in_figure = |source| Error::Figure { file: file.into(), source };
    let name = if model.title().is_empty() { "model" } else { model.title() };
    let mut figure = FigureBuilder::new(name).lenient();
    if let Some(gravity) = model.inner_numbers("gravity")? {
        let gravity = z_up_from_y_up().rotation.mul(Vec3::from_array(&gravity));
        figure.gravity(gravity).map_err(in_figure)?;
    }
    let links = vec![None; bodies.list.len()];
    let names = Names::new(&bodies, &joints);
    let mut tree =
        Tree { bodies: &bodies, joints: &joints, figure, links, moved: Vec::new(), names, warnings };
    tree.add_all()?;
    tree.count_ignored(model);
    let markers = tree.markers(model)?;
    let Tree { figure, moved, mut warnings, .. } = tree;
    let moves = |j: &DeclaredJoint, name: &str| {
        j.coordinates.clone().any(|c| name.ends_with(&joints.coordinates[c].name))
    };
    let element = |name: &str| joints.list.iter().find(|j| moves(j, name)).map(|j| j.node);
    let figure = Arc::new(xml::build(figure, file, "", element, &mut warnings)?);
    let drives = drives(&figure, moved).map_err(in_figure)?;
    Ok(Model { figure, coordinates: joints.coordinates, markers, warnings: warnings.finish(), drives })
}

fn drives(figure: &Figure, moved: Vec<(LinkHandle, By)>) -> Result<Vec<Drive>, anthropi_dynamics::Error> {
    moved.into_iter().map(|(link, by)| Ok(Drive { joint: figure.link(link)?.joint(), by })).collect()
}

/// Names in use, with the number of requests for each.
pub(super) struct Names {
    joints: HashMap<String, usize>,
    links: HashMap<String, usize>,
    /// names shared by several coordinates
    common: HashSet<String>,
}

impl Names {
    fn new(bodies: &Bodies, joints: &Joints) -> Names {
        let links = bodies.list.iter().map(|b| (b.name.to_string(), 1)).collect();
        let (mut seen, mut common) = (HashSet::new(), HashSet::new());
        for c in &joints.coordinates {
            if !seen.insert(&c.name) {
                common.insert(c.name.clone());
            }
        }
        Names { joints: HashMap::new(), links, common }
    }

    /// A unique joint name, with a number appended if it is taken.
    pub fn joint(&mut self, name: &str) -> String {
        unique(&mut self.joints, name)
    }

    /// A name for a joint of one coordinate: the coordinate's, prefixed with its joint's if shared.
    pub fn single(&mut self, c: &super::Coordinate) -> String {
        if self.common.contains(&c.name) {
            return self.joint(&format!("{}/{}", c.joint, c.name));
        }
        self.joint(&c.name)
    }

    /// A unique name for a generated link.
    pub fn link(&mut self, name: &str) -> String {
        unique(&mut self.links, name)
    }
}

fn unique(taken: &mut HashMap<String, usize>, base: &str) -> String {
    let base = if base.is_empty() { "joint" } else { base };
    let mut k = taken.get(base).copied().unwrap_or(0);
    let mut name = base.to_string();
    while k > 0 && taken.contains_key(&name) {
        k += 1;
        name = format!("{base}_{k}");
    }
    taken.insert(base.to_string(), k.max(1));
    taken.insert(name.clone(), 1);
    name
}

pub(super) struct Tree<'a> {
    pub bodies: &'a Bodies<'a>,
    pub joints: &'a Joints<'a>,
    pub figure: FigureBuilder,
    /// link of each body, once built
    pub links: Vec<Option<LinkHandle>>,
    /// links moved by coordinates
    pub moved: Vec<(LinkHandle, By)>,
    pub names: Names,
    pub warnings: Warnings,
}

impl<'a> Tree<'a> {
    /// Adds every body, parents first.
    fn add_all(&mut self) -> Result<(), Error> {
        let (bodies, joints) = (self.bodies, self.joints);
        let order = self.order()?;
        let mut has_mass: Vec<bool> = bodies.list.iter().map(|b| b.inertia != Inertia::ZERO).collect();
        for &j in order.iter().rev() {
            let joint = &joints.list[j];
            if let (true, Some(parent)) = (has_mass[joint.child], joint.parent.body) {
                has_mass[parent] = true;
            }
        }
        // a figure without any mass is rejected as a whole
        let is_real = has_mass.contains(&true);
        for &j in &order {
            let joint = &joints.list[j];
            self.add(joint, is_real && !has_mass[joint.child])?;
        }
        match self.links.iter().position(Option::is_none) {
            None => Ok(()),
            Some(body) => Err(bodies.list[body].node.refuse("is not connected to ground by joints")),
        }
    }

    /// Joints that can be reached from ground, parents first.
    fn order(&self) -> Result<Vec<usize>, Error> {
        let bodies = &self.bodies.list;
        let mut has_joint = vec![false; bodies.len()];
        for joint in &self.joints.list {
            if std::mem::replace(&mut has_joint[joint.child], true) {
                let what = format!("the body {} already has a joint", bodies[joint.child].name);
                return Err(joint.node.refuse(what));
            }
        }
        let ground = bodies.len();
        let edge = |j: &DeclaredJoint| (j.parent.body.unwrap_or(ground), j.child);
        Ok(xml::outward(&self.joints.list.iter().map(edge).collect::<Vec<_>>(), ground))
    }

    fn add(&mut self, joint: &DeclaredJoint<'a>, is_idle: bool) -> Result<(), Error> {
        if is_idle && !joint.coordinates.is_empty() {
            self.warnings.group(joint.node, "locked, because it carries no mass");
        }
        let link = match &joint.axes {
            Axes::Ball { first } => self.ball(joint, *first, is_idle)?,
            Axes::Chain { slides, turns } => match self.travel(joint, slides, turns).filter(|_| !is_idle) {
                Some(travel) => self.free(joint, travel)?,
                None => self.chain(joint, slides, turns, is_idle)?,
            },
        };
        self.links[joint.child] = Some(link);
        Ok(())
    }

    /// The link of a joint's body.
    pub fn body_link(&self, joint: &DeclaredJoint) -> LinkSpec {
        let body = &self.bodies.list[joint.child];
        LinkSpec::new(body.name, z_up_from_y_up() * body.inertia)
    }

    /// Adds a link; errors are located at the joint or its body.
    pub fn put(
        &mut self,
        joint: &DeclaredJoint,
        link: LinkSpec,
        spec: JointSpec,
    ) -> Result<LinkHandle, Error> {
        let body = self.bodies.list[joint.child].node;
        self.figure.add(link, spec).map_err(|e| xml::locate(e, body, joint.node))
    }

    /// Markers on bodies.
    fn markers(&mut self, model: &'a Element) -> Result<Vec<Marker>, Error> {
        let mut markers = Vec::new();
        for node in model.set("MarkerSet").filter(|n| &n.name == "Marker") {
            let path = socket(node, "parent_frame").or_else(|| node.inner_text("body"));
            let path = path.ok_or_else(|| node.refuse("has no socket_parent_frame"))?;
            let frame = self.bodies.frame(path, &[], node)?;
            let Some(link) = frame.body.and_then(|b| self.links[b]) else {
                self.warnings.leave_out("Marker on ground");
                continue;
            };
            let point = frame.body_from_frame.point(node.inner_vector("location")?);
            markers.push(Marker { name: node.title().into(), link, point: z_up_from_y_up().point(point) });
        }
        Ok(markers)
    }

    /// Counts unsupported elements.
    fn count_ignored(&mut self, model: &'a Element) {
        for set in ["ForceSet", "ContactGeometrySet", "ControllerSet", "ProbeSet", "ComponentSet"] {
            model.set(set).for_each(|n| self.warnings.leave_out(&n.name));
        }
        for node in model.set("ConstraintSet") {
            self.warnings.group(node, "the constraint is ignored: the constrained parts move independently");
        }
        for body in &self.bodies.list {
            body.node.set("WrapObjectSet").for_each(|n| self.warnings.leave_out(&n.name));
            let attached = body.node.child("attached_geometry").into_iter().flat_map(|g| &g.children);
            attached.for_each(|n| self.warnings.leave_out(&n.name));
            let visible = body.node.child("VisibleObject").into_iter().flat_map(|v| v.set("GeometrySet"));
            visible.for_each(|n| self.warnings.leave_out(&n.name));
        }
    }
}
