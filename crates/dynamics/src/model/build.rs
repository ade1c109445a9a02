//! Building a figure, with all inputs checked.

use super::arena::Arena;
use super::figure::STANDARD_GRAVITY;
use super::{Figure, Forest, Joint, JointHandle, Link, LinkHandle, PlacedShape};
use crate::error::Error;
use crate::joint::{Dof, JointKind, LimitLaw, MAX_DOF, MAX_NQ, Slide, Turn};
use crate::spatial::{Inertia, RotationOrder, Transform, Vec3};

/// Tolerated excess over the triangle inequality of principal moments: rounding in files.
const INERTIA_TOLERANCE: f64 = 1e-3;

/// Home quaternions this close to length one are scaled to it; others are refused.
const QUATERNION_TOLERANCE: f64 = 1e-3;

/// Axes of a universal joint closer than this to parallel would make the mass matrix singular.
const LEAST_SINE: f64 = 1e-6;

/// A link to be added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkSpec {
    /// unique in the figure
    pub name: String,
    /// mass properties in the link frame
    pub inertia: Inertia,
    /// solids on the link
    pub shapes: Vec<PlacedShape>,
}

/// The joint by which a link is added.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSpec {
    /// unique in the figure
    pub name: String,
    /// kind
    pub kind: JointKind,
    /// parent link; `None` is the world
    pub parent: Option<LinkHandle>,
    /// joint frame on the parent
    pub parent_from_joint: Transform,
    /// joint frame on the new link
    pub child_from_joint: Transform,
    /// coordinates of the home pose; all zero (no rotation) when `None`
    pub home: Option<[f64; MAX_NQ]>,
    /// angle convention of a spherical joint
    pub order: RotationOrder,
    /// properties of each degree of freedom
    pub dof: [Dof; MAX_DOF],
    /// whether a motor or muscle drives it
    pub actuated: bool,
}

impl LinkSpec {
    /// A link without shapes.
    pub fn new(name: impl Into<String>, inertia: Inertia) -> LinkSpec {
        LinkSpec { name: name.into(), inertia, shapes: Vec::new() }
    }
}

impl JointSpec {
    /// The declaration of an existing joint, on another link or on the world.
    pub fn like(joint: &Joint, parent: Option<LinkHandle>) -> JointSpec {
        JointSpec {
            name: joint.name.clone(),
            kind: joint.kind,
            parent,
            parent_from_joint: joint.parent_from_joint,
            child_from_joint: joint.child_from_joint,
            home: Some(joint.home),
            order: joint.order,
            dof: joint.dof,
            actuated: joint.actuated,
        }
    }

    /// A joint at the world's origin; driven unless it is free or fixed.
    pub fn new(name: impl Into<String>, kind: JointKind) -> JointSpec {
        JointSpec {
            name: name.into(),
            kind,
            parent: None,
            parent_from_joint: Transform::identity(),
            child_from_joint: Transform::identity(),
            home: None,
            order: RotationOrder::default(),
            dof: [Dof::default(); MAX_DOF],
            actuated: !matches!(kind, JointKind::Free | JointKind::Fixed),
        }
    }

    /// Attaches the joint to a parent link at a pose.
    pub fn on(mut self, parent: LinkHandle, parent_from_joint: Transform) -> JointSpec {
        (self.parent, self.parent_from_joint) = (Some(parent), parent_from_joint);
        self
    }
}

/// Collects links and joints into a [`Figure`].
///
/// ```
/// use anthropi_dynamics::{joint::JointKind, model::*, spatial::*};
/// let mut b = FigureBuilder::new("pendulum");
/// let rod = Shape::Capsule { radius: 0.02, half_length: 0.5 }.inertia(1000.0)?;
/// let hang = Transform::translation(vec3(0.0, 0.0, -0.5));
/// let hinge = JointSpec::new("hinge", JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) });
/// b.add(LinkSpec::new("rod", hang * rod), hinge)?;
/// let figure = b.build()?;
/// assert_eq!(figure.dof_names(), ["hinge"]);
/// # Ok::<(), anthropi_dynamics::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FigureBuilder {
    figure: Figure,
    lenient: bool,
    warnings: Vec<Error>,
}

impl FigureBuilder {
    /// An empty figure.
    pub fn new(name: impl Into<String>) -> FigureBuilder {
        FigureBuilder {
            figure: Figure {
                name: name.into(),
                stature: None,
                links: Arena::default(),
                joints: Arena::default(),
                child: None,
                revision: 0,
                forest: Forest::empty(STANDARD_GRAVITY),
                places_before: Vec::new(),
            },
            lenient: false,
            warnings: Vec::new(),
        }
    }

    /// Accepts physically impossible inertias, as other programs' files sometimes have, with a warning for each.
    pub fn lenient(mut self) -> FigureBuilder {
        self.lenient = true;
        self
    }

    /// Standing height of the figure, m.
    pub fn stature(&mut self, stature: f64) -> Result<(), Error> {
        positive("stature", stature)?;
        self.figure.stature = Some(stature);
        Ok(())
    }

    /// Acceleration of free fall.
    pub fn gravity(&mut self, gravity: Vec3) -> Result<(), Error> {
        finite(|| "gravity".into(), gravity.is_finite())?;
        self.figure.set_gravity(gravity);
        Ok(())
    }

    /// Warnings about accepted but implausible inputs.
    pub fn warnings(&self) -> &[Error] {
        &self.warnings
    }

    /// Adds a link with the joint to its parent.
    ///
    /// # Errors
    /// Empty or duplicate names, numbers that are not finite, negative masses, impossible inertias, zero axes, reversed
    /// ranges, free joints with a parent link.
    pub fn add(&mut self, link: LinkSpec, joint: JointSpec) -> Result<LinkHandle, Error> {
        if let JointKind::Partial { .. } = joint.kind {
            let (kind, verb) = (joint.kind.name(), "used in a tree: only as a connection");
            return Err(Error::WrongKind { joint: joint.name, kind, verb });
        }
        self.check_link(&link)?;
        let joint = self.figure.checked_joint(joint)?;
        Ok(self.figure.insert(link, joint, None))
    }

    /// Adds a connection that closes a loop: a virtual link that represents `a`, jointed to `b`.
    /// `joint.parent` is `b`, `joint.child_from_joint` the frame on `a`.
    pub fn connect(&mut self, a: LinkHandle, joint: JointSpec) -> Result<JointHandle, Error> {
        let real = self.figure.link(a)?.spec.name.clone();
        if joint.parent == Some(a) {
            return Err(Error::SelfConnection { name: joint.name, link: real });
        }
        let joint = self.figure.checked_joint(joint)?;
        Ok(self.figure.insert_connection(a, joint))
    }

    /// Adds a whole figure at a pose in the world, its names prefixed by `prefix` and a slash unless that is empty. Returns
    /// the handles of its links by their old names.
    pub fn include(
        &mut self,
        prefix: &str,
        figure: &Figure,
        world_from_figure: Transform,
    ) -> Result<Vec<(String, LinkHandle)>, Error> {
        let named =
            |name: &str| if prefix.is_empty() { name.to_string() } else { format!("{prefix}/{name}") };
        let mut links: Vec<(LinkHandle, LinkHandle, String)> = Vec::new();
        let moved = |links: &[(LinkHandle, LinkHandle, String)], old: LinkHandle| {
            links.iter().find(|l| l.0 == old).map(|l| l.1).ok_or(Error::StaleHandle { what: "link" })
        };
        let spec_of = |joint: &Joint, parent: Option<LinkHandle>| JointSpec {
            name: named(&joint.name),
            ..JointSpec::like(joint, parent)
        };
        for (handle, link) in figure.links() {
            let joint = figure.joint(link.joint())?;
            let parent = link.parent().map(|p| moved(&links, p)).transpose()?;
            let mut spec = spec_of(joint, parent);
            if parent.is_none() {
                spec.parent_from_joint = world_from_figure * joint.parent_from_joint;
                if joint.kind == JointKind::Free {
                    // the pose goes into the free joint's coordinates, not its frame
                    let home = spec.parent_from_joint * joint.kind.transform(&joint.home);
                    spec.parent_from_joint = Transform::identity();
                    spec.home = Some(super::structure::free_coordinates(&home));
                }
            }
            let name = link.spec.name.clone();
            let new = LinkSpec { name: named(&name), ..link.spec.clone() };
            links.push((handle, self.add(new, spec)?, name));
        }
        for (_, link, joint) in figure.connections() {
            let real = moved(&links, link.real().ok_or(Error::StaleHandle { what: "link" })?)?;
            let parent = link.parent().map(|p| moved(&links, p)).transpose()?;
            let mut spec = spec_of(joint, parent);
            if parent.is_none() {
                spec.parent_from_joint = world_from_figure * joint.parent_from_joint;
            }
            self.connect(real, spec)?;
        }
        Ok(links.into_iter().map(|(_, new, name)| (name, new)).collect())
    }

    /// The figure, ready to compute on.
    ///
    /// # Errors
    /// A joint that moves no inertia.
    pub fn build(mut self) -> Result<Figure, Error> {
        self.figure.revision = 1;
        self.figure.compile();
        self.figure.check_inertia()?;
        Ok(self.figure)
    }

    fn check_link(&mut self, link: &LinkSpec) -> Result<(), Error> {
        check_name("link", &link.name, self.figure.find_link(&link.name).is_ok())?;
        let name = &link.name;
        finite(|| format!("inertia of link `{name}`"), link.inertia.is_finite())?;
        if link.inertia.mass < 0.0 {
            let what = format!("mass of link `{name}`");
            return Err(Error::OutOfRange { what, value: link.inertia.mass, expected: "zero or more" });
        }
        for shape in &link.shapes {
            shape.shape.check()?;
            let t = &shape.link_from_shape;
            finite(
                || format!("place of a shape of link `{name}`"),
                t.rotation.max_abs().is_finite() && t.translation.is_finite(),
            )?;
        }
        let excess = link.inertia.impossibility();
        if excess > INERTIA_TOLERANCE {
            let problem = Error::ImpossibleInertia { link: name.clone(), excess };
            if !self.lenient {
                return Err(problem);
            }
            self.warnings.push(problem);
        }
        Ok(())
    }
}

impl Figure {
    /// Stores a virtual link that represents `a`; it has no name and no mass.
    pub(super) fn insert_connection(&mut self, a: LinkHandle, joint: JointSpec) -> JointHandle {
        let link = self.insert(LinkSpec::default(), joint, Some(a));
        self.entry(link).joint
    }

    /// A checked joint of this figure.
    pub(super) fn checked_joint(&self, mut joint: JointSpec) -> Result<JointSpec, Error> {
        let name = core::mem::take(&mut joint.name);
        check_name("joint", &name, self.joints.iter().any(|(_, j)| j.name == name))?;
        let frames = [joint.parent_from_joint, joint.child_from_joint];
        let sizes = frames.iter().all(|t| t.rotation.max_abs().is_finite() && t.translation.is_finite());
        finite(|| format!("placement of joint `{name}`"), sizes)?;
        let home = joint.home.is_none_or(|h| h.iter().all(|x| x.is_finite()));
        finite(|| format!("home of joint `{name}`"), home)?;
        let unit = |axis: Vec3| {
            // an axis that is unit but for rounding keeps its bits
            if (axis.norm() - 1.0).abs() <= 4.0 * f64::EPSILON {
                return Ok(axis);
            }
            axis.normalized().ok_or_else(|| Error::OutOfRange {
                what: format!("length of an axis of joint `{name}`"),
                value: axis.norm(),
                expected: "more than zero",
            })
        };
        joint.kind = match joint.kind {
            JointKind::Revolute { axis } => JointKind::Revolute { axis: unit(axis)? },
            JointKind::Prismatic { axis } => JointKind::Prismatic { axis: unit(axis)? },
            JointKind::Universal { first, second } => {
                let (first, second) = (unit(first)?, unit(second)?);
                let sine = first.cross(second).norm();
                if sine < LEAST_SINE {
                    let what = format!("sine of the angle between the axes of joint `{name}`");
                    return Err(Error::OutOfRange {
                        what,
                        value: sine,
                        expected: "axes that are not parallel",
                    });
                }
                JointKind::Universal { first, second }
            }
            JointKind::Partial { turn, slide } => {
                let turn = match turn {
                    Turn::About(axis) => Turn::About(unit(axis)?),
                    Turn::Twice(first, second) => Turn::Twice(unit(first)?, unit(second)?),
                    same => same,
                };
                let slide = match slide {
                    Slide::Along(axis) => Slide::Along(unit(axis)?),
                    Slide::Across(normal) => Slide::Across(unit(normal)?),
                    same => same,
                };
                JointKind::Partial { turn, slide }
            }
            same => same,
        };
        let quaternion = match joint.kind {
            JointKind::Spherical => 0..4,
            JointKind::Free => 3..7,
            _ => 0..0,
        };
        if let (Some(home), false) = (&mut joint.home, quaternion.is_empty()) {
            let part = &mut home[quaternion];
            let length = part.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (length - 1.0).abs() > QUATERNION_TOLERANCE {
                let what = format!("length of the home quaternion of joint `{name}`");
                return Err(Error::OutOfRange { what, value: length, expected: "one" });
            }
            if (length - 1.0).abs() > 4.0 * f64::EPSILON {
                part.iter_mut().for_each(|x| *x /= length);
            }
        }
        if let Some(parent) = joint.parent {
            let parent = self.link(parent)?;
            if joint.kind == JointKind::Free {
                return Err(Error::FreeBelowLink { joint: name, parent: parent.spec.name.clone() });
            }
        }
        joint.dof.iter().try_for_each(|d| check_dof(&name, d))?;
        joint.name = name;
        Ok(joint)
    }

    fn insert(&mut self, spec: LinkSpec, joint: JointSpec, real: Option<LinkHandle>) -> LinkHandle {
        let figure = self;
        // link and joint refer to each other: the link is stored first, with a placeholder for its joint
        let here = LinkHandle(figure.links.insert(Link {
            spec,
            joint: JointHandle(super::arena::Id::unset()),
            parent: None,
            child: None,
            brother: None,
            real,
        }));
        let home = joint.home.unwrap_or(joint.kind.neutral());
        let handle = JointHandle(figure.joints.insert(Joint {
            name: joint.name,
            kind: joint.kind,
            parent_from_joint: joint.parent_from_joint,
            child_from_joint: joint.child_from_joint,
            home,
            order: joint.order,
            dof: joint.dof,
            actuated: joint.actuated,
            locked_at: [0.0; MAX_DOF],
            link: here,
            was_turned: false,
        }));
        figure.links.get_mut(here.0).expect("just stored").joint = handle;
        figure.attach(here, joint.parent);
        figure.lock_declared(handle);
        here
    }
}

fn check_name(what: &'static str, name: &str, taken: bool) -> Result<(), Error> {
    if name.is_empty() {
        return Err(Error::EmptyName { what });
    }
    if taken { Err(Error::DuplicateName { what, name: name.into() }) } else { Ok(()) }
}

fn check_dof(joint: &str, d: &Dof) -> Result<(), Error> {
    let named = [
        ("stiffness", d.stiffness),
        ("damping", d.damping),
        ("friction", d.friction),
        ("armature", d.armature),
    ];
    for (what, value) in named {
        at_least_zero(|| format!("{what} of joint `{joint}`"), value)?;
    }
    finite(|| format!("rest of joint `{joint}`"), d.rest.is_finite())?;
    if let Some(r) = d.range
        && (r.lower > r.upper || r.lower.is_nan() || r.upper.is_nan())
    {
        let what = format!("lower limit of joint `{joint}`");
        return Err(Error::OutOfRange { what, value: r.lower, expected: "at most the upper limit" });
    }
    if let Some(l) = d.limit {
        let (k, rise) = match l.law {
            LimitLaw::Power { k, n } => (k, n),
            LimitLaw::Exponential { k, c } => (k, c),
        };
        for (what, value) in [("strength", k), ("rise", rise), ("blend", l.blend), ("rebound", l.rebound)] {
            at_least_zero(|| format!("{what} of the limit spring of joint `{joint}`"), value)?;
        }
    }
    if d.effort.is_nan() || d.effort < 0.0 {
        let what = format!("effort of joint `{joint}`");
        return Err(Error::OutOfRange { what, value: d.effort, expected: "zero or more" });
    }
    Ok(())
}

/// `what` is evaluated lazily: edits during a simulation must not allocate.
fn finite(what: impl Fn() -> String, is: bool) -> Result<(), Error> {
    if is { Ok(()) } else { Err(Error::NotFinite { what: what() }) }
}

fn at_least_zero(what: impl Fn() -> String, value: f64) -> Result<(), Error> {
    finite(&what, value.is_finite())?;
    if value >= 0.0 {
        Ok(())
    } else {
        Err(Error::OutOfRange { what: what(), value, expected: "zero or more" })
    }
}

fn positive(what: &str, value: f64) -> Result<(), Error> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::OutOfRange { what: what.into(), value, expected: "more than zero" })
}
