//! MJCF writer.
//!
//! Every link is a body with an `inertial` element; joints keep their coordinates. A massless link that only connects
//! two joints (as the reader makes them for bodies with several) is merged into its child, since MuJoCo requires mass.

use super::chain::{Factor, Motion, factors};
use crate::Warning;
use crate::error::Error;
use crate::names::unique;
use crate::xml::{self, NO_LIMIT, Tag, Warnings, Writer};
use anthropi_dynamics::joint::{Dof, JointKind, JointState};
use anthropi_dynamics::model::{Figure, Joint, Link, LinkHandle, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Inertia, Mat3, Transform, Vec3};
use std::collections::{HashMap, HashSet};

const FORMAT: &str = "MJCF";
/// MuJoCo's XML parser takes elements nested up to 500 deep.
const MAX_NESTED: usize = 480;
/// MuJoCo's limit for one body.
const MAX_DOFS: usize = 6;

/// Writes a figure as MJCF; the warnings list what is lost.
///
/// A universal joint becomes two hinges, `JOINT.0` and `JOINT.1`, of one body; a locked degree of freedom becomes part
/// of the body's placement; actuated joints get a motor each, with `effort` as its range. Spherical connections are
/// written as `connect`, fixed ones as `weld`, between sites `CONNECTION_a` and `CONNECTION_b`: MuJoCo would derive an
/// anchor's place on the second body from its zero pose, which need not be closed.
///
/// # Errors
/// Connections of other kinds, bodies nested too deep for MuJoCo, names XML cannot represent.
pub fn write(figure: &Figure) -> Result<(String, Vec<Warning>), Error> {
    xml::check_name(FORMAT, &figure.name)?;
    let mut w = BodyWriter::new(figure);
    w.out.open(Tag::new("mujoco").with("model", &figure.name));
    w.out.leaf(
        Tag::new("compiler")
            .with("angle", "radian")
            .with("inertiafromgeom", "false")
            .with("autolimits", "true"),
    );
    w.out.leaf(Tag::new("option").numbers("gravity", &figure.gravity().to_array()));
    w.meshes();
    w.out.open(Tag::new("worldbody"));
    w.sites(None);
    for (handle, link) in figure.links() {
        w.link(handle, link)?;
    }
    w.close_to(0);
    w.out.close();
    w.equality()?;
    w.actuators()?;
    w.keyframe();
    Ok((w.out.finish(), w.warnings.finish()))
}

/// A factor and its joint.
#[derive(Clone)]
struct Step<'a> {
    factor: Factor,
    joint: &'a Joint,
}

/// One end of a connection.
struct End {
    /// `None` is the world
    link: Option<LinkHandle>,
    site: String,
    link_from_site: Transform,
}

struct BodyWriter<'a> {
    figure: &'a Figure,
    out: Writer,
    warnings: Warnings,
    /// written frame of each link, in link axes
    link_from_body: HashMap<LinkHandle, Transform>,
    /// joints of massless links, to be merged into their child
    carried: HashMap<LinkHandle, Vec<Step<'a>>>,
    /// links with connections
    connected: HashSet<LinkHandle>,
    /// both ends of each connection, in order
    ends: Vec<[End; 2]>,
    /// open bodies, outermost first
    open: Vec<LinkHandle>,
    mesh_count: usize,
}

fn broken(source: anthropi_dynamics::Error) -> Error {
    Error::Figure { file: FORMAT.into(), source }
}

impl<'a> BodyWriter<'a> {
    fn new(figure: &'a Figure) -> Self {
        let mut taken = HashSet::new();
        let mut end = |joint: &Joint, letter: char, link, link_from_site| {
            let site = unique(&mut taken, format!("{}_{letter}", joint.name));
            End { link, site, link_from_site }
        };
        let ends = figure.connections().map(|(_, link, joint)| {
            let a = end(joint, 'a', link.real(), joint.child_from_joint);
            [a, end(joint, 'b', link.parent(), joint.parent_from_joint)]
        });
        let ends: Vec<[End; 2]> = ends.collect();
        BodyWriter {
            figure,
            out: Writer::default(),
            warnings: Warnings::default(),
            link_from_body: HashMap::new(),
            carried: HashMap::new(),
            connected: ends.iter().flatten().filter_map(|e| e.link).collect(),
            ends,
            open: Vec::new(),
            mesh_count: 0,
        }
    }

    fn link(&mut self, handle: LinkHandle, link: &'a Link) -> Result<(), Error> {
        let joint = self.figure.joint(link.joint()).map_err(broken)?;
        xml::check_name(FORMAT, &link.spec.name)?;
        xml::check_name(FORMAT, &joint.name)?;
        self.warn_about_losses(joint);
        let mut steps = self.steps_above(link);
        steps.extend(factors(joint).into_iter().map(|factor| Step { factor, joint }));
        if self.can_carry(handle, link, &steps) {
            self.carried.insert(handle, steps);
            return Ok(());
        }
        let level = self.level_of(link);
        self.close_to(level);
        if level >= MAX_NESTED {
            let what = format!("link `{}`, more than {MAX_NESTED} bodies deep", link.spec.name);
            return Err(Error::NotRepresentable { format: FORMAT, what });
        }
        self.body(handle, link, &steps);
        self.open.push(handle);
        Ok(())
    }

    /// Factors before the joint of a link: joints merged into it, or the written frame of its parent.
    fn steps_above(&self, link: &'a Link) -> Vec<Step<'a>> {
        let Some(parent) = link.parent() else { return Vec::new() };
        if let Some(steps) = self.carried.get(&parent) {
            return steps.clone();
        }
        let joint = self.figure.joint(link.joint()).ok();
        let factor = Factor::Constant(self.body_from_link(&parent));
        joint.map(|joint| Step { factor, joint }).into_iter().collect()
    }

    /// Inverse of the written frame of a link.
    fn body_from_link(&self, link: &LinkHandle) -> Transform {
        self.link_from_body.get(link).map_or(Transform::identity(), Transform::inverse)
    }

    /// Whether the joint of a link can be merged into its child's body.
    fn can_carry(&self, handle: LinkHandle, link: &Link, steps: &[Step]) -> bool {
        let is_empty = link.spec.inertia == Inertia::ZERO && link.spec.shapes.is_empty();
        if !is_empty || self.connected.contains(&handle) {
            return false;
        }
        // a virtual child makes the link a connected one
        let Some(Ok(only)) = link.child().map(|c| self.figure.link(c)) else { return false };
        if only.brother().is_some() {
            return false;
        }
        let Ok(next) = self.figure.joint(only.joint()) else { return false };
        let motions = |list: &[Factor]| -> Vec<Motion> {
            list.iter().filter_map(|f| if let Factor::Move(m, _) = f { Some(*m) } else { None }).collect()
        };
        let above = motions(&steps.iter().map(|s| s.factor).collect::<Vec<_>>());
        let all = [above.clone(), motions(&factors(next))].concat();
        let count = |m: &Motion| if *m == Motion::Ball { 3 } else { 1 };
        !above.is_empty()
            && !all.contains(&Motion::Free)
            && !above.contains(&Motion::Ball)
            && all.iter().map(count).sum::<usize>() <= MAX_DOFS
    }

    /// Nesting depth of a link's body.
    fn level_of(&self, link: &Link) -> usize {
        let mut parent = link.parent();
        while let Some(p) = parent {
            if let Some(at) = self.open.iter().rposition(|h| *h == p) {
                return at + 1;
            }
            parent = self.figure.link(p).ok().and_then(|l| l.parent());
        }
        0
    }

    fn close_to(&mut self, level: usize) {
        while self.open.len() > level {
            self.open.pop();
            self.out.close();
        }
    }

    fn body(&mut self, handle: LinkHandle, link: &Link, steps: &[Step]) {
        let link_from_body = written_frame(steps);
        if link_from_body != Transform::identity() {
            let what = "is rotated to that of its joint, to keep the coordinates";
            self.warnings.add(format!("the frame of link `{}` {what}", link.spec.name));
        }
        // after[i]: placement of the body in the frame after step i, in the reference pose
        let mut after = vec![link_from_body];
        for step in steps.iter().rev() {
            let next = in_reference_pose(step) * after[after.len() - 1];
            after.push(next);
        }
        let pose = after.pop().unwrap_or_default();
        self.link_from_body.insert(handle, link_from_body);

        let tag = Tag::new("body").with("name", &link.spec.name);
        self.out.open(placed(tag, &pose));
        for (i, step) in steps.iter().enumerate() {
            if let Factor::Move(motion, k) = step.factor {
                // the joint in body axes, in the reference pose
                let body_from_step = (in_reference_pose(step) * after[steps.len() - 1 - i]).inverse();
                self.out.leaf(joint_tag(step.joint, motion, k, &body_from_step));
            }
        }
        let inertia = link_from_body.inverse() * link.spec.inertia;
        if inertia != Inertia::ZERO {
            let c = inertia.central();
            let tag = Tag::new("inertial").numbers("pos", &inertia.center().to_array());
            let tag = tag.numbers("mass", &[inertia.mass]);
            self.out.leaf(tag.numbers("fullinertia", &[c.xx, c.yy, c.zz, c.xy, c.xz, c.yz]));
        } else if steps.iter().any(|s| matches!(s.factor, Factor::Move(..))) {
            self.warnings
                .add(format!("link `{}` moves but has no mass, which MuJoCo rejects", link.spec.name));
        }
        for shape in &link.spec.shapes {
            self.geom(shape, &link_from_body);
        }
        self.sites(Some(handle));
    }

    /// Sites of the connections on a link, or on the world.
    fn sites(&mut self, link: Option<LinkHandle>) {
        let body_from_link = link.map_or(Transform::identity(), |h| self.body_from_link(&h));
        for end in self.ends.iter().flatten().filter(|e| e.link == link) {
            let tag = Tag::new("site").with("name", &end.site);
            self.out.leaf(placed(tag, &(body_from_link * end.link_from_site)));
        }
    }

    fn geom(&mut self, placed_shape: &PlacedShape, link_from_body: &Transform) {
        let sized = |kind: &str, size: &[f64]| Tag::new("geom").with("type", kind).numbers("size", size);
        let tag = match &placed_shape.shape {
            Shape::Box { half } => sized("box", &half.to_array()),
            Shape::Sphere { radius } => sized("sphere", &[*radius]),
            Shape::Ellipsoid { half } => sized("ellipsoid", &half.to_array()),
            Shape::Capsule { radius, half_length } => sized("capsule", &[*radius, *half_length]),
            Shape::Cylinder { radius, half_length } => sized("cylinder", &[*radius, *half_length]),
            Shape::Convex { .. } => {
                self.mesh_count += 1;
                Tag::new("geom").with("type", "mesh").with("mesh", mesh_name(self.mesh_count))
            }
        };
        self.out.leaf(placed(tag, &(link_from_body.inverse() * placed_shape.link_from_shape)));
    }

    /// Convex solids become meshes of their points, numbered in order of use.
    fn meshes(&mut self) {
        let shapes = self.figure.links().flat_map(|(_, l)| &l.spec.shapes);
        let convex =
            shapes.filter_map(|s| if let Shape::Convex { points } = &s.shape { Some(points) } else { None });
        let tags = convex.enumerate().map(|(i, points)| {
            let numbers: Vec<f64> = points.iter().flat_map(|p| p.to_array()).collect();
            Tag::new("mesh").with("name", mesh_name(i + 1)).numbers("vertex", &numbers)
        });
        let tags: Vec<Tag> = tags.collect();
        if !tags.is_empty() {
            self.out.open(Tag::new("asset"));
            tags.into_iter().for_each(|t| self.out.leaf(t));
            self.out.close();
        }
    }

    fn equality(&mut self) -> Result<(), Error> {
        if self.ends.is_empty() {
            return Ok(());
        }
        self.out.open(Tag::new("equality"));
        for ((_, _, joint), [a, b]) in self.figure.connections().zip(&self.ends) {
            xml::check_name(FORMAT, &joint.name)?;
            let tag = Tag::new(equality_element(joint)?).with("name", &joint.name);
            self.out.leaf(tag.with("site1", &a.site).with("site2", &b.site));
        }
        self.out.close();
        Ok(())
    }

    /// A motor for each actuated coordinate; an empty section if none is.
    fn actuators(&mut self) -> Result<(), Error> {
        let joints: Vec<&Joint> = self.figure.joints().map(|(_, j)| j).collect();
        let drivable = |j: &&&Joint| !matches!(j.kind, JointKind::Free | JointKind::Fixed);
        if !joints.iter().any(|j| drivable(&j)) {
            return Ok(());
        }
        self.out.open(Tag::new("actuator"));
        for joint in joints.iter().filter(drivable).filter(|j| j.actuated) {
            for factor in factors(joint) {
                let Factor::Move(motion, k) = factor else { continue };
                for i in 0..if motion == Motion::Ball { 3 } else { 1 } {
                    let effort = joint.dof[(k + i).min(2)].effort;
                    // the parts of a ball are numbered although it is not split
                    let name = part_name(joint, k + i);
                    let mut tag =
                        Tag::new("motor").with("name", name).with("joint", part_name_of(joint, motion, k));
                    if motion == Motion::Ball {
                        tag = tag.numbers("gear", &[0, 1, 2].map(|a| if a == i { 1.0 } else { 0.0 }));
                    }
                    if effort.is_finite() {
                        tag = tag.with("ctrllimited", "true").numbers("ctrlrange", &[-effort, effort]);
                    }
                    self.out.leaf(tag);
                }
            }
        }
        self.out.close();
        Ok(())
    }

    /// The home pose, if spherical joints are not zero in it: they have no `ref`.
    fn keyframe(&mut self) {
        let needs = |j: &Joint| j.kind == JointKind::Spherical && j.home != j.kind.neutral();
        if self.figure.joints().any(|(_, j)| needs(j)) {
            self.warnings.add("the home pose of spherical joints is written as keyframe `home`");
            self.out.open(Tag::new("keyframe"));
            self.out.leaf(Tag::new("key").with("name", "home").numbers("qpos", self.figure.forest().home()));
            self.out.close();
        }
    }

    /// Warns about joint properties that MJCF cannot represent.
    fn warn_about_losses(&mut self, joint: &Joint) {
        let name = &joint.name;
        let n = if joint.kind == JointKind::Free { 0 } else { joint.kind.nv() };
        let dofs = &joint.dof[..n];
        if dofs.iter().any(|d| d.limit.is_some()) {
            self.warnings.add(format!("joint `{name}` loses the springs at its limits"));
        }
        if dofs.iter().any(|d| d.locked) {
            let what = "locked degrees of freedom become part of the body's placement";
            self.warnings.add(format!("joint `{name}`: {what}"));
        }
        if joint.kind == JointKind::Free && joint.parent_from_joint != Transform::identity() {
            self.warnings.add(format!("free joint `{name}`: its coordinates are written in the world frame"));
        }
        if joint.kind == JointKind::Spherical && !dofs.iter().any(|d| d.locked) {
            if dofs.iter().any(|d| d.range.is_some()) {
                self.warnings.add(format!("spherical joint `{name}` loses its ranges: MJCF limits a cone"));
            }
            let key = |d: &Dof| [d.stiffness, d.damping, d.friction, d.armature];
            if dofs.iter().any(|d| key(d) != key(&dofs[0])) {
                let what = "has one spring, damping, friction and armature in MJCF: the largest is written";
                self.warnings.add(format!("spherical joint `{name}` {what}"));
            }
            let is_off = joint.home != joint.kind.neutral() || dofs.iter().any(|d| d.rest != 0.0);
            if is_off && dofs.iter().any(|d| d.stiffness != 0.0) {
                self.warnings.add(format!("the spring of spherical joint `{name}` rests at zero in MJCF"));
            }
        }
    }
}

/// The element for a connection.
fn equality_element(joint: &Joint) -> Result<&'static str, Error> {
    match joint.kind {
        JointKind::Spherical if !joint.coordinates().has_locks() => Ok("connect"),
        JointKind::Fixed => Ok("weld"),
        other => {
            let (name, kind) = (&joint.name, other.name());
            let what = format!("connection `{name}`, which is {kind}; expected spherical or fixed");
            Err(Error::NotRepresentable { format: FORMAT, what })
        }
    }
}

fn mesh_name(number: usize) -> String {
    format!("convex{number}")
}

fn placed(tag: Tag, t: &Transform) -> Tag {
    let tag = if t.translation == Vec3::ZERO { tag } else { tag.numbers("pos", &t.translation.to_array()) };
    if t.rotation == Mat3::identity() { tag } else { tag.numbers("quat", &t.orientation().0) }
}

/// Written frame of a link: its own, unless that changes the coordinates of a ball or free joint.
fn written_frame(steps: &[Step]) -> Transform {
    let is = |m: Motion| move |s: &Step| matches!(s.factor, Factor::Move(found, _) if found == m);
    let after =
        |at: usize| steps[at + 1..].iter().fold(Transform::identity(), |t, s| t * in_reference_pose(s));
    if let Some(at) = steps.iter().rposition(is(Motion::Free)) {
        return after(at).inverse();
    }
    match steps.iter().rposition(is(Motion::Ball)) {
        Some(at) => Transform { rotation: after(at).rotation.transpose(), translation: Vec3::ZERO },
        None => Transform::identity(),
    }
}

/// Home coordinate of a degree of freedom.
fn home_of(joint: &Joint, k: usize) -> f64 {
    let home = JointState::at_rest(joint.home);
    joint.coordinates().angles_and_rates(&home).0[k.min(2)]
}

/// Placement of a step in the reference pose: home coordinates, balls at zero.
fn in_reference_pose(step: &Step) -> Transform {
    match step.factor {
        Factor::Constant(t) => t,
        Factor::Move(Motion::Free, _) => step.joint.kind.transform(&step.joint.home),
        Factor::Move(Motion::Ball | Motion::None, _) => Transform::identity(),
        Factor::Move(motion, k) => motion.at(home_of(step.joint, k)),
    }
}

/// `JOINT`, or `JOINT.k` if a joint is split.
fn part_name(joint: &Joint, k: usize) -> String {
    if joint.kind.nv() == 1 { joint.name.clone() } else { format!("{}.{k}", joint.name) }
}

fn part_name_of(joint: &Joint, motion: Motion, k: usize) -> String {
    if matches!(motion, Motion::Ball | Motion::Free) { joint.name.clone() } else { part_name(joint, k) }
}

fn joint_tag(joint: &Joint, motion: Motion, k: usize, body_from_step: &Transform) -> Tag {
    if motion == Motion::Free {
        return Tag::new("freejoint").with("name", &joint.name);
    }
    let tag = Tag::new("joint").with("name", part_name_of(joint, motion, k));
    let (kind, axis) = match motion {
        Motion::Hinge(axis) => ("hinge", Some(axis)),
        Motion::Slide(axis) => ("slide", Some(axis)),
        _ => ("ball", None),
    };
    let mut tag = tag.with("type", kind).numbers("pos", &body_from_step.translation.to_array());
    if let Some(axis) = axis {
        tag = tag.numbers("axis", &body_from_step.rotation.mul(axis).to_array());
        tag = tag.number_unless("ref", home_of(joint, k), 0.0);
    }
    // a ball joint has a single value of each
    let dofs = if motion == Motion::Ball { &joint.dof[..] } else { &joint.dof[k..=k] };
    let largest = |f: fn(&Dof) -> f64| dofs.iter().map(f).fold(0.0, f64::max);
    tag = tag.number_unless("stiffness", largest(|d| d.stiffness), 0.0);
    tag = tag.number_unless("damping", largest(|d| d.damping), 0.0);
    tag = tag.number_unless("frictionloss", largest(|d| d.friction), 0.0);
    tag = tag.number_unless("armature", largest(|d| d.armature), 0.0);
    if motion == Motion::Ball {
        return tag;
    }
    if let Some(r) = joint.dof[k].range {
        tag = tag.with("limited", "true").numbers("range", &[r.lower.max(-NO_LIMIT), r.upper.min(NO_LIMIT)]);
    }
    // the motor limits an actuated joint
    let effort = joint.dof[k].effort;
    if !joint.actuated && effort.is_finite() {
        tag = tag.with("actuatorfrclimited", "true").numbers("actuatorfrcrange", &[-effort, effort]);
    }
    tag.number_unless("springref", joint.dof[k].rest, 0.0)
}
