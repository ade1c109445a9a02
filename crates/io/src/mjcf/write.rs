//! A figure as MJCF.
//!
//! Every link is a body with its mass written out; joints keep their coordinates. A massless link that only joins two
//! joints (as we make them when a body has several) goes back into the body below it, since MuJoCo wants mass.

use super::chain::{Factor, Motion, factors};
use super::read::fresh;
use crate::Warning;
use crate::error::Error;
use crate::xml::{self, Tag, Warnings, Writer};
use anthropi_dynamics::joint::{Dof, JointKind, JointState};
use anthropi_dynamics::model::{Figure, Joint, Link, LinkHandle, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Inertia, Mat3, Transform, Vec3};
use std::collections::{HashMap, HashSet};

const FORMAT: &str = "MJCF";
/// MuJoCo's XML parser takes elements nested up to 500 deep.
const MAX_NESTED: usize = 480;
/// MuJoCo's limit for one body.
const MAX_DOFS: usize = 6;
/// Stands for an end of a range that is infinite.
const NO_END: f64 = 1e10;

/// Writes a figure as MJCF, with what could not be said in it.
///
/// A universal joint becomes two hinges, `JOINT.0` and `JOINT.1`, of one body; a locked degree of freedom becomes part
/// of the body's placement; actuated joints get a motor each, with `effort` as its range. Spherical connections are
/// written as `connect`, fixed ones as `weld`, between sites `CONNECTION_a` and `CONNECTION_b`: MuJoCo would derive an
/// anchor's place on the second body from its zero pose, which need not be closed.
///
/// # Errors
/// Connections of other kinds, bodies nested too deep for MuJoCo, names XML cannot hold.
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

/// A factor and the joint it comes from.
#[derive(Clone)]
struct Step<'a> {
    factor: Factor,
    joint: &'a Joint,
}

/// An end of a connection.
struct End {
    /// none is the world
    link: Option<LinkHandle>,
    site: String,
    link_from_site: Transform,
}

struct BodyWriter<'a> {
    figure: &'a Figure,
    out: Writer,
    warnings: Warnings,
    /// frame written for each link, in the link's own
    link_from_body: HashMap<LinkHandle, Transform>,
    /// joints of massless links on their way into the body below
    carried: HashMap<LinkHandle, Vec<Step<'a>>>,
    /// links that connections speak of
    connected: HashSet<LinkHandle>,
    /// both ends of each connection, in their order
    ends: Vec<[End; 2]>,
    /// bodies that are open, outermost first
    open: Vec<LinkHandle>,
    mesh_count: usize,
}

fn broken(source: anthropi_dynamics::Error) -> Error {
    Error::Figure { file: FORMAT.into(), source }
}

impl<'a> BodyWriter<'a> {
    fn new(figure: &'a Figure) -> Self {
        let mut taken = HashSet::new();
        let mut end = |joint: &Joint, letter: char, link, link_from_site| End {
            link,
            site: fresh(&mut taken, format!("{}_{letter}", joint.name)),
            link_from_site,
        };
        let ends: Vec<[End; 2]> = figure
            .connections()
            .map(|(_, link, joint)| {
                [
                    end(joint, 'a', link.real(), joint.child_from_joint),
                    end(joint, 'b', link.parent(), joint.parent_from_joint),
                ]
            })
            .collect();
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
        self.note_losses(joint);
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

    /// What comes before the joint of a link: joints carried down to it, or the frame its parent is written in.
    fn steps_above(&self, link: &'a Link) -> Vec<Step<'a>> {
        let Some(parent) = link.parent() else { return Vec::new() };
        if let Some(steps) = self.carried.get(&parent) {
            return steps.clone();
        }
        let joint = self.figure.joint(link.joint()).ok();
        let body_from_link =
            self.link_from_body.get(&parent).map_or(Transform::identity(), Transform::inverse);
        joint.map(|joint| Step { factor: Factor::Constant(body_from_link), joint }).into_iter().collect()
    }

    /// Whether the joint of a link can be one of several of the body below.
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

    /// How many bodies are open around a link.
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
            let what = "is turned to that of its joint, so that coordinates stay the same";
            self.warnings.say(format!("the frame of link `{}` {what}", link.spec.name));
        }
        // after[i]: placement of the body in the frame step i ends in, as drawn
        let mut after = vec![link_from_body];
        for step in steps.iter().rev() {
            let next = as_drawn(step) * after[after.len() - 1];
            after.push(next);
        }
        let pose = after.pop().unwrap_or_default();
        self.link_from_body.insert(handle, link_from_body);

        let tag = Tag::new("body").with("name", &link.spec.name);
        self.out.open(placed(tag, &pose));
        for (i, step) in steps.iter().enumerate() {
            if let Factor::Move(motion, k) = step.factor {
                // the joint in body axes: behind the step's own constant, so that its axis is where it is drawn
                let body_from_step = (as_drawn(step) * after[steps.len() - 1 - i]).inverse();
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
                .say(format!("link `{}` moves but has no mass, which MuJoCo refuses", link.spec.name));
        }
        for shape in &link.spec.shapes {
            self.geom(shape, &link_from_body);
        }
        self.sites(Some(handle));
    }

    /// The ends of connections on a link, or on the world.
    fn sites(&mut self, link: Option<LinkHandle>) {
        let body_from_link =
            link.and_then(|h| self.link_from_body.get(&h)).map_or(Transform::identity(), Transform::inverse);
        for end in self.ends.iter().flatten().filter(|e| e.link == link) {
            let tag = Tag::new("site").with("name", &end.site);
            self.out.leaf(placed(tag, &(body_from_link * end.link_from_site)));
        }
    }

    fn geom(&mut self, placed_shape: &PlacedShape, link_from_body: &Transform) {
        let tag = Tag::new("geom");
        let tag = match &placed_shape.shape {
            Shape::Box { half } => tag.with("type", "box").numbers("size", &half.to_array()),
            Shape::Sphere { radius } => tag.with("type", "sphere").numbers("size", &[*radius]),
            Shape::Ellipsoid { half } => tag.with("type", "ellipsoid").numbers("size", &half.to_array()),
            Shape::Capsule { radius, half_length } => {
                tag.with("type", "capsule").numbers("size", &[*radius, *half_length])
            }
            Shape::Cylinder { radius, half_length } => {
                tag.with("type", "cylinder").numbers("size", &[*radius, *half_length])
            }
            Shape::Convex { .. } => {
                self.mesh_count += 1;
                tag.with("type", "mesh").with("mesh", mesh_name(self.mesh_count))
            }
        };
        self.out.leaf(placed(tag, &(link_from_body.inverse() * placed_shape.link_from_shape)));
    }

    /// Convex solids are meshes of their points, numbered in the order they are used.
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
            let tag = Tag::new(equality_of(joint)?).with("name", &joint.name);
            self.out.leaf(tag.with("site1", &a.site).with("site2", &b.site));
        }
        self.out.close();
        Ok(())
    }

    /// A motor for each driven coordinate; an empty section says that none is driven.
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
                let rows: &[[f64; 3]] = match motion {
                    Motion::Ball => &[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
                    _ => &[[1.0, 0.0, 0.0]],
                };
                for (i, gear) in rows.iter().enumerate() {
                    let effort = joint.dof[(k + i).min(2)].effort;
                    let name = if motion == Motion::Ball {
                        format!("{}.{i}", joint.name)
                    } else {
                        part_name(joint, k)
                    };
                    let mut tag =
                        Tag::new("motor").with("name", name).with("joint", part_name_of(joint, motion, k));
                    if motion == Motion::Ball {
                        tag = tag.numbers("gear", gear);
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

    /// The declared pose, where spherical joints do not stand at zero in it: they have no `ref`.
    fn keyframe(&mut self) {
        let needs = |j: &Joint| j.kind == JointKind::Spherical && j.home != j.kind.neutral();
        if self.figure.joints().any(|(_, j)| needs(j)) {
            self.warnings.say("the declared pose of spherical joints is written as keyframe `home`");
            self.out.open(Tag::new("keyframe"));
            self.out.leaf(Tag::new("key").with("name", "home").numbers("qpos", self.figure.forest().home()));
            self.out.close();
        }
    }

    /// What a joint has that MJCF cannot say.
    fn note_losses(&mut self, joint: &Joint) {
        let name = &joint.name;
        let n = if joint.kind == JointKind::Free { 0 } else { joint.kind.nv() };
        let dofs = &joint.dof[..n];
        if dofs.iter().any(|d| d.limit.is_some()) {
            self.warnings.say(format!("joint `{name}` loses the springs at its limits"));
        }
        if dofs.iter().any(|d| d.locked) {
            self.warnings.say(format!("joint `{name}`: what is locked becomes part of the body's placement"));
        }
        if joint.kind == JointKind::Free && joint.parent_from_joint != Transform::identity() {
            self.warnings
                .say(format!("free joint `{name}`: its coordinates become those of the world's frame"));
        }
        if joint.kind == JointKind::Spherical && !dofs.iter().any(|d| d.locked) {
            if dofs.iter().any(|d| d.range.is_some()) {
                self.warnings.say(format!("spherical joint `{name}` loses its ranges: MJCF has a cone"));
            }
            let key = |d: &Dof| [d.stiffness, d.damping, d.friction, d.armature];
            if dofs.iter().any(|d| key(d) != key(&dofs[0])) {
                let what = "has one spring, damping, friction and armature in MJCF: the largest is written";
                self.warnings.say(format!("spherical joint `{name}` {what}"));
            }
            let is_off = joint.home != joint.kind.neutral() || dofs.iter().any(|d| d.rest != 0.0);
            if is_off && dofs.iter().any(|d| d.stiffness != 0.0) {
                self.warnings.say(format!("the spring of spherical joint `{name}` rests at zero in MJCF"));
            }
        }
    }
}

/// The word for a connection.
fn equality_of(joint: &Joint) -> Result<&'static str, Error> {
    match joint.kind {
        JointKind::Spherical if !joint.coordinates().has_locks() => Ok("connect"),
        JointKind::Fixed => Ok("weld"),
        other => {
            let (name, kind) = (&joint.name, other.name());
            let what = format!("connection `{name}`, which is {kind}; only spherical and fixed ones");
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

/// The frame a link is written in: its own, unless a ball or free joint would then have other coordinates.
fn written_frame(steps: &[Step]) -> Transform {
    let is = |m: Motion| move |s: &Step| matches!(s.factor, Factor::Move(found, _) if found == m);
    let after = |at: usize| steps[at + 1..].iter().fold(Transform::identity(), |t, s| t * as_drawn(s));
    if let Some(at) = steps.iter().rposition(is(Motion::Free)) {
        return after(at).inverse();
    }
    match steps.iter().rposition(is(Motion::Ball)) {
        Some(at) => Transform { rotation: after(at).rotation.transpose(), translation: Vec3::ZERO },
        None => Transform::identity(),
    }
}

/// Coordinate of a degree of freedom in the declared pose.
fn home_of(joint: &Joint, k: usize) -> f64 {
    let home = JointState::at_rest(joint.home);
    joint.coordinates().angles_and_rates(&home).0[k.min(2)]
}

/// The placement a step gives as drawn: motions stand where they are declared, balls at zero.
fn as_drawn(step: &Step) -> Transform {
    match step.factor {
        Factor::Constant(t) => t,
        Factor::Move(Motion::Free, _) => step.joint.kind.transform(&step.joint.home),
        Factor::Move(Motion::Ball | Motion::None, _) => Transform::identity(),
        Factor::Move(motion, k) => motion.at(home_of(step.joint, k)),
    }
}

/// `JOINT`, or `JOINT.k` where a joint becomes several.
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
    // a ball has one of each
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
        tag = tag.with("limited", "true").numbers("range", &[r.lower.max(-NO_END), r.upper.min(NO_END)]);
    }
    // of a driven joint the motor says it
    let effort = joint.dof[k].effort;
    if !joint.actuated && effort.is_finite() {
        tag = tag.with("actuatorfrclimited", "true").numbers("actuatorfrcrange", &[-effort, effort]);
    }
    tag.number_unless("springref", joint.dof[k].rest, 0.0)
}
