//! URDF writer.

use crate::Warning;
use crate::error::Error;
use crate::mjcf::chain::{Factor, Motion, factors};
use crate::names::unique;
use crate::xml::{self, NO_LIMIT, Tag, Warnings, Writer};
use anthropi_dynamics::joint::{Dof, JointKind, Range};
use anthropi_dynamics::model::{
    Figure, Joint, Link, LinkHandle, LinkSpec, PlacedShape, STANDARD_GRAVITY, Shape,
};
use anthropi_dynamics::spatial::{Inertia, RotationOrder, Transform};
use std::collections::{HashMap, HashSet};

const FORMAT: &str = "URDF";

/// Writes a figure as URDF; the warnings list what is lost.
///
/// Links take the frame of their joint, as URDF requires. A spherical joint becomes three revolute ones, `JOINT.0` to
/// `JOINT.2`, about the axes of its rotation order (default x, y, z), a universal joint two, with massless links
/// `LINK_JOINT.k` between. A single free figure is written without its free joint, since URDF has no base joint; a
/// locked degree of freedom becomes a constant placement.
///
/// # Errors
/// Connections that close loops, and names XML cannot represent.
pub fn write(figure: &Figure) -> Result<(String, Vec<Warning>), Error> {
    if let Some((_, _, joint)) = figure.connections().next() {
        let what = format!("the kinematic loop of connection `{}`", joint.name);
        return Err(Error::NotRepresentable { format: FORMAT, what });
    }
    xml::check_name(FORMAT, &figure.name)?;
    let mut w = UrdfWriter {
        out: Writer::default(),
        warnings: Warnings::default(),
        frames: HashMap::new(),
        names: figure.links().map(|(_, l)| l.spec.name.clone()).collect(),
        world: None,
        has_capsules: false,
    };
    w.out.open(Tag::new("robot").with("name", &figure.name));
    w.choose_world(figure);
    for (handle, link) in figure.links() {
        let joint =
            figure.joint(link.joint()).map_err(|source| Error::Figure { file: FORMAT.into(), source })?;
        w.link(handle, link, joint)?;
    }
    if w.has_capsules {
        w.warnings.add("capsules are written as <capsule>, which not all programs read");
    }
    if figure.gravity() != STANDARD_GRAVITY {
        w.warnings.add("URDF has no gravity: the non-standard gravity of the figure is lost");
    }
    Ok((w.out.finish(), w.warnings.finish()))
}

struct UrdfWriter {
    out: Writer,
    warnings: Warnings,
    /// written frame of each link, in link axes, and its name
    frames: HashMap<LinkHandle, (Transform, String)>,
    names: HashSet<String>,
    /// name of the link that represents the world, if any
    world: Option<String>,
    has_capsules: bool,
}

impl UrdfWriter {
    /// Adds a link for the world, unless there is a single figure that is free or fixed at the world's origin.
    fn choose_world(&mut self, figure: &Figure) {
        let mut roots = figure.links().filter(|(_, l)| l.parent().is_none());
        let (first, second) = (roots.next(), roots.next());
        if let (Some((_, link)), None) = (first, second)
            && let Ok(joint) = figure.joint(link.joint())
        {
            match joint.kind {
                JointKind::Free => {
                    let what = "is not written: URDF has no base joint, so the figure reads back fixed";
                    self.warnings.add(format!("free joint `{}` {what}", joint.name));
                    return;
                }
                JointKind::Fixed if joint.parent_from_joint == joint.child_from_joint => return,
                _ => {}
            }
        }
        let name = unique(&mut self.names, "world".into());
        self.out.leaf(Tag::new("link").with("name", &name));
        self.world = Some(name);
    }

    fn link(&mut self, handle: LinkHandle, link: &Link, joint: &Joint) -> Result<(), Error> {
        let name = &link.spec.name;
        xml::check_name(FORMAT, name)?;
        xml::check_name(FORMAT, &joint.name)?;
        let has_joint = link.parent().is_some() || self.world.is_some();
        let list = factors(joint);
        // URDF has one frame for a link and its joint: constants after the last motion move the link's frame
        let frame = if has_joint { trailing_constant(&list).inverse() } else { Transform::identity() };
        if frame != Transform::identity() {
            self.warnings
                .add(format!("the frame of link `{name}` is moved to that of joint `{}`", joint.name));
        }
        self.body(name, &link.spec, &frame.inverse());
        self.frames.insert(handle, (frame, name.clone()));
        if has_joint {
            let parent = link.parent().and_then(|p| self.frames.get(&p).cloned());
            let world = (Transform::identity(), self.world.clone().unwrap_or_default());
            let (parent_frame, parent_name) = parent.unwrap_or(world);
            self.joint(joint, name, &parent_name, parent_frame.inverse(), &list);
            self.warn_about_losses(joint);
        }
        Ok(())
    }

    fn body(&mut self, name: &str, spec: &LinkSpec, frame_from_link: &Transform) {
        let tag = Tag::new("link").with("name", name);
        let inertia = *frame_from_link * spec.inertia;
        if inertia == Inertia::ZERO && spec.shapes.is_empty() {
            return self.out.leaf(tag);
        }
        self.out.open(tag);
        if inertia != Inertia::ZERO {
            self.out.open(Tag::new("inertial"));
            self.out.leaf(Tag::new("origin").numbers("xyz", &inertia.center().to_array()));
            self.out.leaf(Tag::new("mass").numbers("value", &[inertia.mass]));
            let c = inertia.central();
            let entries =
                [("ixx", c.xx), ("ixy", c.xy), ("ixz", c.xz), ("iyy", c.yy), ("iyz", c.yz), ("izz", c.zz)];
            self.out.leaf(entries.iter().fold(Tag::new("inertia"), |t, (key, x)| t.numbers(key, &[*x])));
            self.out.close();
        }
        for placed in &spec.shapes {
            self.shape(name, placed, frame_from_link);
        }
        self.out.close();
    }

    fn shape(&mut self, link: &str, placed: &PlacedShape, frame_from_link: &Transform) {
        let geometry = match &placed.shape {
            Shape::Box { half } => Tag::new("box").numbers("size", &half.scale(2.0).to_array()),
            Shape::Sphere { radius } => Tag::new("sphere").numbers("radius", &[*radius]),
            Shape::Cylinder { radius, half_length } => {
                Tag::new("cylinder").numbers("radius", &[*radius]).numbers("length", &[2.0 * half_length])
            }
            Shape::Capsule { radius, half_length } => {
                self.has_capsules = true;
                Tag::new("capsule").numbers("radius", &[*radius]).numbers("length", &[2.0 * half_length])
            }
            other => {
                let kind = if matches!(other, Shape::Convex { .. }) { "convex solid" } else { "ellipsoid" };
                self.warnings.add(format!("a {kind} of link `{link}` is not written: URDF has none"));
                return;
            }
        };
        self.out.open(Tag::new("collision"));
        self.out.leaf(origin_tag(&(*frame_from_link * placed.link_from_shape)));
        self.out.open(Tag::new("geometry"));
        self.out.leaf(geometry);
        self.out.close();
        self.out.close();
    }

    /// Writes a joint as a chain of elementary ones, each with the constant placement before it.
    fn joint(
        &mut self,
        joint: &Joint,
        child: &str,
        parent: &str,
        parent_frame_from_link: Transform,
        list: &[Factor],
    ) {
        let singles = single_motions(list, joint);
        let mut place = parent_frame_from_link;
        let mut above = parent.to_string();
        let last = singles.iter().rposition(|f| matches!(f, Factor::Move(..)));
        for (i, factor) in singles.iter().enumerate() {
            match *factor {
                Factor::Constant(t) => place = place * t,
                Factor::Move(motion, k) => {
                    let name = if joint.kind.nv() == 1 || joint.kind == JointKind::Free {
                        joint.name.clone()
                    } else {
                        format!("{}.{k}", joint.name)
                    };
                    let below = if Some(i) == last {
                        child.to_string()
                    } else {
                        let link = unique(&mut self.names, format!("{child}_{name}"));
                        self.out.leaf(Tag::new("link").with("name", &link));
                        link
                    };
                    self.single(&name, motion, &joint.dof[k.min(2)], &above, &below, &place);
                    (above, place) = (below, Transform::identity());
                }
            }
        }
        if last.is_none() {
            self.single(&joint.name, Motion::None, &Dof::default(), &above, child, &place);
        }
    }

    fn single(
        &mut self,
        name: &str,
        motion: Motion,
        dof: &Dof,
        parent: &str,
        child: &str,
        place: &Transform,
    ) {
        let (kind, axis) = match motion {
            Motion::Hinge(axis) => (if dof.range.is_some() { "revolute" } else { "continuous" }, Some(axis)),
            Motion::Slide(axis) => ("prismatic", Some(axis)),
            Motion::Free => ("floating", None),
            Motion::Ball | Motion::None => ("fixed", None),
        };
        self.out.open(Tag::new("joint").with("name", name).with("type", kind));
        self.out.leaf(origin_tag(place));
        self.out.leaf(Tag::new("parent").with("link", parent));
        self.out.leaf(Tag::new("child").with("link", child));
        if let Some(axis) = axis {
            self.out.leaf(Tag::new("axis").numbers("xyz", &axis.to_array()));
            let mut limit = Tag::new("limit");
            // URDF expresses "unlimited" only by a joint type
            let range =
                dof.range.or((kind == "prismatic").then_some(Range { lower: -NO_LIMIT, upper: NO_LIMIT }));
            if let Some(r) = range {
                limit = limit
                    .numbers("lower", &[r.lower.max(-NO_LIMIT)])
                    .numbers("upper", &[r.upper.min(NO_LIMIT)]);
            }
            limit = limit.numbers("effort", &[dof.effort.min(NO_LIMIT)]).numbers("velocity", &[NO_LIMIT]);
            if dof.range.is_some() || dof.effort.is_finite() || kind == "prismatic" {
                self.out.leaf(limit);
            }
            if dof.damping != 0.0 || dof.friction != 0.0 {
                let tag = Tag::new("dynamics").numbers("damping", &[dof.damping]);
                self.out.leaf(tag.numbers("friction", &[dof.friction]));
            }
        }
        self.out.close();
    }

    /// Warns about joint properties that URDF cannot represent.
    fn warn_about_losses(&mut self, joint: &Joint) {
        let name = &joint.name;
        let nv = joint.kind.nv().min(3);
        let dofs = if joint.kind == JointKind::Free { &[][..] } else { &joint.dof[..nv] };
        if joint.kind == JointKind::Spherical {
            let order = joint.order.name();
            let what = format!("becomes three revolute joints about {order}, `{name}.0` to `{name}.2`");
            self.warnings.add(format!("spherical joint `{name}` {what}"));
        }
        let any = |f: fn(&Dof) -> bool| dofs.iter().any(f);
        let lost = [
            (any(|d| d.stiffness != 0.0), "its spring"),
            (any(|d| d.armature != 0.0), "its armature"),
            (any(|d| d.limit.is_some()), "the springs at its limits"),
            (joint.kind != JointKind::Free && joint.home != joint.kind.neutral(), "its home pose"),
            (any(|d| d.locked), "the possibility to unlock it"),
        ];
        let lost: Vec<&str> = lost.iter().filter(|(is, _)| *is).map(|(_, what)| *what).collect();
        if !lost.is_empty() {
            self.warnings.add(format!("joint `{name}` loses {}", lost.join(", ")));
        }
    }
}

/// Product of the constants after the last motion; identity without a motion.
fn trailing_constant(list: &[Factor]) -> Transform {
    let Some(last) = list.iter().rposition(|f| matches!(f, Factor::Move(..))) else {
        return Transform::identity();
    };
    list[last..].iter().fold(Transform::identity(), |product, f| match f {
        Factor::Constant(t) => product * *t,
        Factor::Move(..) => product,
    })
}

/// The factors with ball joints split into three hinges.
fn single_motions(list: &[Factor], joint: &Joint) -> Vec<Factor> {
    let split = |f: &Factor| match f {
        Factor::Move(Motion::Ball, _) => {
            let hinge = |(k, axis): (usize, _)| Factor::Move(Motion::Hinge(axis), k);
            joint.order.axes().map(|a| a.unit()).into_iter().enumerate().map(hinge).collect()
        }
        other => vec![*other],
    };
    list.iter().flat_map(split).collect()
}

fn origin_tag(t: &Transform) -> Tag {
    let [yaw, pitch, roll] = RotationOrder::Zyx.angles(t.orientation());
    Tag::new("origin").numbers("xyz", &t.translation.to_array()).numbers("rpy", &[roll, pitch, yaw])
}
