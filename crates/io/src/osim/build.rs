//! Bodies and joints into links: a tree from ground.

use super::axis::Axes;
use super::coordinates::{By, Drive};
use super::document::Node;
use super::frame::{Bodies, socket};
use super::joint::{Declared, Joints};
use super::{Marker, Model, z_up_from_y_up};
use crate::error::Error;
use crate::xml::{self, Warnings};
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec};
use anthropi_dynamics::spatial::{Inertia, Vec3};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Reads the `Model` element.
pub(super) fn build(model: Node, file: &str) -> Result<Model, Error> {
    let mut warnings = Warnings::default();
    let bodies = Bodies::new(model)?;
    let joints = Joints::new(model, &bodies, &mut warnings)?;
    let in_figure = |source| Error::Figure { file: file.into(), source };
    let name = if model.title().is_empty() { "model" } else { model.title() };
    let mut figure = FigureBuilder::new(name).lenient();
    if let Some(gravity) = model.numbers("gravity")? {
        let gravity = z_up_from_y_up().rotation.mul(Vec3::from_array(&gravity));
        figure.gravity(gravity).map_err(in_figure)?;
    }
    let links = vec![None; bodies.list.len()];
    let names = Names::new(&bodies, &joints);
    let mut tree =
        Tree { bodies: &bodies, joints: &joints, figure, links, moved: Vec::new(), names, warnings };
    tree.add_all()?;
    tree.note_left_out(model);
    let markers = tree.markers(model)?;
    let Tree { figure, moved, mut warnings, .. } = tree;
    warnings.of_builder(figure.warnings());
    let figure = Arc::new(figure.build().map_err(|source| place_of(&joints, file, source))?);
    let drives = drives(&figure, moved).map_err(in_figure)?;
    Ok(Model { figure, coordinates: joints.coordinates, markers, warnings: warnings.finish(), drives })
}

/// An error of the whole figure, at the joint it names if there is one.
fn place_of(joints: &Joints, file: &str, source: anthropi_dynamics::Error) -> Error {
    if let anthropi_dynamics::Error::NoInertia { joint } = &source {
        let is_it = |c: &usize| joint.ends_with(&joints.coordinates[*c].name);
        if let Some(found) = joints.list.iter().find(|j| j.coordinates.clone().any(|c| is_it(&c))) {
            return found.node.element.refused(source);
        }
    }
    Error::Figure { file: file.into(), source }
}

fn drives(figure: &Figure, moved: Vec<(LinkHandle, By)>) -> Result<Vec<Drive>, anthropi_dynamics::Error> {
    moved.into_iter().map(|(link, by)| Ok(Drive { joint: figure.link(link)?.joint(), by })).collect()
}

/// Names that are taken, and how often each was wished for.
pub(super) struct Names {
    joints: HashMap<String, usize>,
    links: HashMap<String, usize>,
    /// coordinates of several joints
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

    /// A name for a joint, as wished if it is free.
    pub fn joint(&mut self, wish: &str) -> String {
        fresh(&mut self.joints, wish)
    }

    /// A name for a joint of one coordinate: the coordinate's, with its joint's before it where several have it.
    pub fn single(&mut self, c: &super::Coordinate) -> String {
        if self.common.contains(&c.name) {
            return self.joint(&format!("{}/{}", c.joint, c.name));
        }
        self.joint(&c.name)
    }

    /// A name for a link of our own.
    pub fn link(&mut self, wish: &str) -> String {
        fresh(&mut self.links, wish)
    }
}

fn fresh(taken: &mut HashMap<String, usize>, wish: &str) -> String {
    let wish = if wish.is_empty() { "joint" } else { wish };
    let mut k = taken.get(wish).copied().unwrap_or(0);
    let mut name = wish.to_string();
    while k > 0 && taken.contains_key(&name) {
        k += 1;
        name = format!("{wish}_{k}");
    }
    taken.insert(wish.to_string(), k.max(1));
    taken.insert(name.clone(), 1);
    name
}

pub(super) struct Tree<'a> {
    pub bodies: &'a Bodies<'a>,
    pub joints: &'a Joints<'a>,
    pub figure: FigureBuilder,
    /// link of each body, once it is there
    pub links: Vec<Option<LinkHandle>>,
    /// links that coordinates move
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
        // a figure without any mass is refused as a whole
        let is_real = has_mass.contains(&true);
        for &j in &order {
            let joint = &joints.list[j];
            self.add(joint, is_real && !has_mass[joint.child])?;
        }
        match self.links.iter().position(Option::is_none) {
            None => Ok(()),
            Some(body) => Err(bodies.list[body].node.refuse("no way of joints leads to it from ground")),
        }
    }

    /// Joints that can be reached from ground, parents first.
    fn order(&self) -> Result<Vec<usize>, Error> {
        let bodies = &self.bodies.list;
        let mut has_joint = vec![false; bodies.len()];
        let mut below = vec![Vec::new(); bodies.len() + 1];
        for (j, joint) in self.joints.list.iter().enumerate() {
            if std::mem::replace(&mut has_joint[joint.child], true) {
                let what = format!("the body {} hangs on another joint already", bodies[joint.child].name);
                return Err(joint.node.refuse(what));
            }
            below[joint.parent.body.unwrap_or(bodies.len())].push(j);
        }
        let mut order = below[bodies.len()].clone();
        let mut at = 0;
        while let Some(&j) = order.get(at) {
            order.extend(&below[self.joints.list[j].child]);
            at += 1;
        }
        Ok(order)
    }

    fn add(&mut self, joint: &Declared<'a>, is_idle: bool) -> Result<(), Error> {
        if is_idle && !joint.coordinates.is_empty() {
            self.warnings.gather(joint.node.element, "locked, since nothing beyond it has mass");
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
    pub fn body_link(&self, joint: &Declared) -> LinkSpec {
        let body = &self.bodies.list[joint.child];
        LinkSpec::new(body.name, z_up_from_y_up() * body.inertia)
    }

    /// Adds a link; what is wrong with it is said of the joint or its body.
    pub fn put(&mut self, joint: &Declared, link: LinkSpec, spec: JointSpec) -> Result<LinkHandle, Error> {
        let body = self.bodies.list[joint.child].node.element;
        self.figure.add(link, spec).map_err(|e| xml::blame(e, body, joint.node.element))
    }

    /// Markers on bodies.
    fn markers(&mut self, model: Node<'a>) -> Result<Vec<Marker>, Error> {
        let mut markers = Vec::new();
        for node in model.set("MarkerSet").filter(|n| n.name() == "Marker") {
            let path = socket(node, "parent_frame").or_else(|| node.word("body"));
            let path = path.ok_or_else(|| node.refuse("no socket_parent_frame"))?;
            let place = self.bodies.place(&path, &[], node)?;
            let Some(link) = place.body.and_then(|b| self.links[b]) else {
                self.warnings.leave_out("Marker on ground");
                continue;
            };
            let point = place.body_from_frame.point(node.vector("location")?);
            markers.push(Marker { name: node.title().into(), link, point: z_up_from_y_up().point(point) });
        }
        Ok(markers)
    }

    /// Counts what a figure has no place for.
    fn note_left_out(&mut self, model: Node<'a>) {
        for set in ["ForceSet", "ContactGeometrySet", "ControllerSet", "ProbeSet", "ComponentSet"] {
            model.set(set).for_each(|n| self.warnings.leave_out(n.name()));
        }
        for node in model.set("ConstraintSet") {
            self.warnings.gather(node.element, "constraint left out: what it ties moves on its own");
        }
        for body in &self.bodies.list {
            body.node.set("WrapObjectSet").for_each(|n| self.warnings.leave_out(n.name()));
            let attached = body.node.child("attached_geometry").into_iter().flat_map(|g| g.children());
            attached.for_each(|n| self.warnings.leave_out(n.name()));
            let visible = body.node.child("VisibleObject").into_iter().flat_map(|v| v.set("GeometrySet"));
            visible.for_each(|n| self.warnings.leave_out(n.name()));
        }
    }
}
