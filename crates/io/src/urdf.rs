//! URDF, the robot description of ROS: links and joints by name, in any order.
//!
//! Source: the URDF page of the ROS wiki; `urdfdom` where it is silent.
//! We differ: the root link is fixed to the world by a joint called `root` (`root_fixed` if the file has a joint of
//! that name); `type="spherical"` is taken; a `floating` joint below a massless root link makes the figure free.
//! Not here: planar joints, mimic joints (kept as ordinary ones), meshes, everything that is neither link nor joint.
//! Checked by: `tests/urdf.rs`, `tests/hostile_xml.rs`.

use crate::error::Error;
use crate::mjcf::chain::{Factor, Motion, factors};
use crate::xml::{self, Element, MAX_LINKS, Tag, Value, Warnings, Writer};
use crate::{Loaded, Warning};
use anthropi_dynamics::joint::{Dof, JointKind, Range};
use anthropi_dynamics::model::{
    BASE_NAME, Figure, FigureBuilder, Joint, JointSpec, Link, LinkHandle, LinkSpec, PlacedShape,
    STANDARD_GRAVITY, Shape,
};
use anthropi_dynamics::spatial::{Inertia, RotationOrder, Sym3, Transform, Vec3, vec3};
use std::collections::{HashMap, HashSet, VecDeque};

const FORMAT: &str = "URDF";

/// Reads a figure from the text of a URDF file; `file` is its name for messages.
///
/// # Errors
/// Text that is not XML, and every link or joint that does not fit, with its line and column.
pub fn read(text: &str, file: &str) -> Result<Loaded, Error> {
    let robot = xml::parse(text, file)?;
    if robot.name != "robot" {
        return Err(robot.refuse("found as the outermost element, expected robot"));
    }
    let tree = Tree::new(&robot)?;
    let mut reader = Reader {
        builder: FigureBuilder::new(robot.text("name").unwrap_or("robot")).lenient(),
        warnings: Warnings::default(),
    };
    reader.note_left_out(&robot);
    reader.add_all(&tree)?;
    let Reader { builder, mut warnings } = reader;
    builder.warnings().iter().for_each(|w| warnings.say(w.to_string()));
    let figure = builder.build().map_err(|source| tree.place_of(file, source))?;
    Ok(Loaded { figure, warnings: warnings.finish() })
}

/// A joint element and the links it names.
struct Ends<'a> {
    element: &'a Element,
    child: usize,
}

/// Links and joints of a file, found to be one tree.
struct Tree<'a> {
    links: Vec<&'a Element>,
    joints: Vec<Ends<'a>>,
    /// joints that leave each link, in the order of the file
    below: Vec<Vec<usize>>,
    root: usize,
}

impl<'a> Tree<'a> {
    fn new(robot: &'a Element) -> Result<Tree<'a>, Error> {
        let links: Vec<&Element> = robot.named("link").collect();
        if links.is_empty() {
            return Err(robot.refuse("no link inside"));
        }
        if let Some(one_more) = links.get(MAX_LINKS) {
            return Err(one_more.refuse(format!("more than {MAX_LINKS} links")));
        }
        let index = unique_names(&links)?;
        let elements: Vec<&Element> = robot.named("joint").collect();
        unique_names(&elements)?;
        let mut above: Vec<Option<&Element>> = vec![None; links.len()];
        let mut below = vec![Vec::new(); links.len()];
        let mut joints = Vec::new();
        for element in elements {
            let end = |which: &str| -> Result<(usize, Value), Error> {
                let inner = element.child(which).ok_or_else(|| element.wrong(which, "missing"))?;
                let value = inner.require("link")?;
                let found = index.get(value.text()).ok_or_else(|| value.wrong("the name of a link"))?;
                Ok((*found, value))
            };
            let ((parent, _), (child, named)) = (end("parent")?, end("child")?);
            if let Some(other) = above[child] {
                let what = format!("a link without a parent; {} leads to it already", other.label());
                return Err(named.wrong(&what));
            }
            above[child] = Some(element);
            below[parent].push(joints.len());
            joints.push(Ends { element, child });
        }
        let root = only_root(&links, &above, &joints)?;
        let tree = Tree { links, joints, below, root };
        tree.check_loops()?;
        Ok(tree)
    }

    /// Everything must be reached from the root; what is not hangs on a loop.
    fn check_loops(&self) -> Result<(), Error> {
        let mut reached = vec![false; self.links.len()];
        let mut open = vec![self.root];
        while let Some(link) = open.pop() {
            reached[link] = true;
            open.extend(self.below[link].iter().map(|&j| self.joints[j].child));
        }
        match self.joints.iter().find(|j| !reached[j.child]) {
            None => Ok(()),
            Some(joint) => Err(loop_error(joint.element)),
        }
    }

    /// An error of the whole figure, at the joint it names if there is one.
    fn place_of(&self, file: &str, source: anthropi_dynamics::Error) -> Error {
        if let anthropi_dynamics::Error::NoInertia { joint } = &source
            && let Some(found) = self.joints.iter().find(|j| j.element.text("name") == Some(joint))
        {
            return found.element.refused(source);
        }
        Error::Figure { file: file.into(), source }
    }
}

fn loop_error(joint: &Element) -> Error {
    joint.refuse("part of a loop of joints, or below one; expected a tree")
}

/// Names to indices; each element must have one of its own.
fn unique_names<'a>(elements: &[&'a Element]) -> Result<HashMap<&'a str, usize>, Error> {
    let mut index = HashMap::new();
    for (i, element) in elements.iter().enumerate() {
        let name = element.require("name")?;
        if name.text().is_empty() {
            return Err(name.wrong("a name"));
        }
        if let Some(first) = index.insert(name.text(), i) {
            let what = format!("a name of its own; line {} has it already", elements[first].place.line);
            return Err(name.wrong(&what));
        }
    }
    Ok(index)
}

fn only_root(links: &[&Element], above: &[Option<&Element>], joints: &[Ends]) -> Result<usize, Error> {
    let mut roots = (0..links.len()).filter(|&i| above[i].is_none());
    match (roots.next(), roots.next()) {
        (Some(root), None) => Ok(root),
        (Some(a), Some(b)) => {
            let what = format!("no joint leads to it, nor to {}; expected one root link", links[a].label());
            Err(links[b].refuse(what))
        }
        // every link has a parent, so there is a joint
        (None, _) => Err(loop_error(joints[0].element)),
    }
}

struct Reader {
    builder: FigureBuilder,
    warnings: Warnings,
}

impl Reader {
    fn add_all(&mut self, tree: &Tree) -> Result<(), Error> {
        let root = tree.links[tree.root];
        let spec = self.link(root)?;
        let is_empty = spec.inertia == Inertia::ZERO && spec.shapes.is_empty();
        let floats = |&j: &usize| tree.joints[j].element.text("type") == Some("floating");
        let stands_for_world = is_empty && matches!(&tree.below[tree.root][..], [only] if floats(only));
        let is_massless = spec.inertia == Inertia::ZERO;
        let handle = if stands_for_world {
            self.warnings.push(root.warn("stands for the world and is not a link of the figure"));
            None
        } else {
            let taken = tree.joints.iter().any(|j| j.element.text("name") == Some(BASE_NAME));
            let name = if taken { "root_fixed" } else { BASE_NAME };
            let joint = JointSpec::new(name, JointKind::Fixed);
            Some(self.builder.add(spec, joint).map_err(|e| root.refused(e))?)
        };
        let mut open = VecDeque::from([(tree.root, handle)]);
        while let Some((parent, handle)) = open.pop_front() {
            for &j in &tree.below[parent] {
                let Ends { element, child, .. } = tree.joints[j];
                let floor = (parent == tree.root && is_massless).then_some(tree.links[parent]);
                let joint = self.joint(element, handle, floor)?;
                let link = tree.links[child];
                let spec = self.link(link)?;
                let added = self.builder.add(spec, joint).map_err(|e| xml::blame(e, link, element))?;
                open.push_back((child, Some(added)));
            }
        }
        Ok(())
    }

    /// `floor`: the link it hangs on, if that is a massless root.
    fn joint(
        &mut self,
        element: &Element,
        parent: Option<LinkHandle>,
        floor: Option<&Element>,
    ) -> Result<JointSpec, Error> {
        let name = element.require("name")?.text();
        let kind = joint_kind(element)?;
        let mut joint = JointSpec::new(name, kind);
        let origin = origin(element)?;
        if kind == JointKind::Free {
            if floor.is_none() {
                let what = "found \"floating\" below a link with mass or with a parent, expected it below a massless root";
                return Err(element.wrong("type", what));
            }
            let (p, [w, x, y, z]) = (origin.translation, origin.orientation().0);
            joint.home = Some([p.x, p.y, p.z, w, x, y, z]);
        } else {
            (joint.parent, joint.parent_from_joint) = (parent, origin);
        }
        let dof = self.dof(element, &kind)?;
        joint.dof = [dof; 3];
        if let Some(mimic) = element.child("mimic") {
            let of = mimic.text("joint").unwrap_or("?");
            self.warnings.push(
                mimic.warn(format!("does not follow joint `{}` but moves on its own", xml::clipped(of))),
            );
        }
        Ok(joint)
    }

    fn dof(&mut self, element: &Element, kind: &JointKind) -> Result<Dof, Error> {
        let mut dof = Dof::default();
        if let Some(dynamics) = element.child("dynamics") {
            dof.damping = dynamics.number("damping")?.unwrap_or(0.0);
            dof.friction = dynamics.number("friction")?.unwrap_or(0.0);
        }
        let is_bounded = matches!(element.text("type"), Some("revolute" | "prismatic"));
        let Some(limit) = element.child("limit") else {
            if is_bounded {
                self.warnings.push(element.warn("no limit given; it may move without end"));
            }
            return Ok(dof);
        };
        dof.effort = limit.number("effort")?.unwrap_or(f64::INFINITY);
        if dof.effort < 0.0 {
            return Err(limit.require("effort")?.wrong("zero or more"));
        }
        if limit.get("velocity").is_some() {
            self.warnings.leave_out("limit velocity");
        }
        let (lower, upper) = (limit.number("lower")?, limit.number("upper")?);
        if is_bounded && kind.nv() == 1 && (lower.is_some() || upper.is_some()) {
            let range = Range { lower: lower.unwrap_or(0.0), upper: upper.unwrap_or(0.0) };
            if range.lower > range.upper {
                let what = format!("found {}, expected at most upper, which is {}", range.lower, range.upper);
                return Err(limit.wrong("lower", what));
            }
            dof.range = Some(range);
        } else if is_bounded {
            self.warnings.push(limit.warn("neither lower nor upper given; it may move without end"));
        }
        Ok(dof)
    }

    fn link(&mut self, element: &Element) -> Result<LinkSpec, Error> {
        let mut spec = LinkSpec::new(element.require("name")?.text(), inertia(element)?);
        let solids = if element.child("collision").is_some() { "collision" } else { "visual" };
        let mut meshes = Vec::new();
        for solid in element.named(solids) {
            let place = origin(solid)?;
            for geometry in solid.named("geometry").flat_map(|g| &g.children) {
                if geometry.name == "mesh" {
                    meshes.push(xml::clipped(geometry.text("filename").unwrap_or("without a file name")));
                } else if let Some(shape) = self.shape(geometry)? {
                    spec.shapes.push(PlacedShape { shape, link_from_shape: place });
                }
            }
        }
        if !meshes.is_empty() {
            meshes.dedup();
            meshes.truncate(8);
            self.warnings.push(element.warn(format!("meshes are not read: {}", meshes.join(", "))));
        }
        Ok(spec)
    }

    /// A solid; nothing if it is of a kind we do not know or has no size.
    fn shape(&mut self, geometry: &Element) -> Result<Option<Shape>, Error> {
        let size = |name: &str| geometry.require(name)?.number();
        let shape = match geometry.name.as_str() {
            "box" => {
                let [x, y, z] = geometry.require("size")?.numbers()?;
                Shape::Box { half: vec3(x, y, z).scale(0.5) }
            }
            "sphere" => Shape::Sphere { radius: size("radius")? },
            "cylinder" => Shape::Cylinder { radius: size("radius")?, half_length: 0.5 * size("length")? },
            "capsule" => Shape::Capsule { radius: size("radius")?, half_length: 0.5 * size("length")? },
            other => {
                self.warnings.leave_out(&format!("geometry {other}"));
                return Ok(None);
            }
        };
        match shape.check() {
            Ok(()) => Ok(Some(shape)),
            Err(anthropi_dynamics::Error::OutOfRange { value: 0.0, .. }) => {
                self.warnings.push(geometry.warn("a solid of size zero is left out"));
                Ok(None)
            }
            Err(e) => Err(geometry.refused(e)),
        }
    }

    /// Counts what is there besides links, joints and their looks.
    fn note_left_out(&mut self, robot: &Element) {
        let mut note = |element: &Element, known: &[&str]| {
            let unknown = element.children.iter().filter(|c| !known.contains(&c.name.as_str()));
            unknown.for_each(|c| self.warnings.leave_out(&c.name));
        };
        note(robot, &["link", "joint", "material"]);
        robot.named("link").for_each(|l| note(l, &["inertial", "visual", "collision"]));
        let of_joint = ["origin", "parent", "child", "axis", "limit", "dynamics", "mimic"];
        robot.named("joint").for_each(|j| note(j, &of_joint));
    }
}

fn joint_kind(element: &Element) -> Result<JointKind, Error> {
    let kind = element.require("type")?;
    let axis = || -> Result<Vec3, Error> {
        let Some(axis) = element.child("axis") else { return Ok(vec3(1.0, 0.0, 0.0)) };
        let value = axis.require("xyz")?;
        let direction = Vec3::from_array(&value.numbers()?);
        direction.normalized().ok_or_else(|| value.wrong("a direction"))
    };
    Ok(match kind.text() {
        "fixed" => JointKind::Fixed,
        "revolute" | "continuous" => JointKind::Revolute { axis: axis()? },
        "prismatic" => JointKind::Prismatic { axis: axis()? },
        "spherical" => JointKind::Spherical,
        "floating" => JointKind::Free,
        "planar" => return Err(kind.wrong("another type: planar joints are not supported")),
        _ => return Err(kind.wrong("fixed, revolute, continuous, prismatic, spherical or floating")),
    })
}

/// Placement by an `origin` inside the element; none is no offset.
fn origin(element: &Element) -> Result<Transform, Error> {
    let Some(origin) = element.child("origin") else { return Ok(Transform::identity()) };
    let position = origin.numbers("xyz")?.unwrap_or([0.0; 3]);
    let [roll, pitch, yaw] = origin.numbers("rpy")?.unwrap_or([0.0; 3]);
    Ok(Transform::new(Vec3::from_array(&position), RotationOrder::Zyx.quat([yaw, pitch, roll])))
}

fn inertia(link: &Element) -> Result<Inertia, Error> {
    let Some(inertial) = link.child("inertial") else { return Ok(Inertia::ZERO) };
    let inner = |name: &str| inertial.child(name).ok_or_else(|| inertial.wrong(name, "missing"));
    let mass = inner("mass")?.require("value")?;
    let tensor = inner("inertia")?;
    let entry = |name: &str| tensor.require(name)?.number();
    let central = Sym3 {
        xx: entry("ixx")?,
        yy: entry("iyy")?,
        zz: entry("izz")?,
        xy: entry("ixy")?,
        xz: entry("ixz")?,
        yz: entry("iyz")?,
    };
    if mass.number()? < 0.0 {
        return Err(mass.wrong("zero or more"));
    }
    Ok(origin(inertial)? * Inertia::about_center(mass.number()?, Vec3::ZERO, central))
}

/// Writes a figure as URDF, with what could not be said in it.
///
/// Links take the frame of their joint, as URDF wants it. A spherical joint becomes three revolute ones, `JOINT.0` to
/// `JOINT.2`, about the axes of its rotation order (x, y, z unless the figure says otherwise), a universal joint two,
/// with massless links `LINK_JOINT.k` between. A single free figure is written without its free joint, since URDF has
/// no base joint; a locked degree of freedom becomes a constant placement.
///
/// # Errors
/// Connections that close loops, and names XML cannot hold.
pub fn write(figure: &Figure) -> Result<(String, Vec<Warning>), Error> {
    if let Some((_, _, joint)) = figure.connections().next() {
        let what = format!("the loop that connection `{}` closes", joint.name);
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
        w.warnings.say("capsules are written as <capsule>, which not every program reads");
    }
    if figure.gravity() != STANDARD_GRAVITY {
        w.warnings.say("URDF has no gravity: the figure's own, which is not the standard one, is lost");
    }
    Ok((w.out.finish(), w.warnings.finish()))
}

struct UrdfWriter {
    out: Writer,
    warnings: Warnings,
    /// frame written for each link, in the link's own, with its name
    frames: HashMap<LinkHandle, (Transform, String)>,
    names: HashSet<String>,
    /// name of the link that stands for the world, if there is one
    world: Option<String>,
    has_capsules: bool,
}

impl UrdfWriter {
    /// A link for the world is needed unless there is one figure that is free, or fixed at the world's origin.
    fn choose_world(&mut self, figure: &Figure) {
        let mut roots = figure.links().filter(|(_, l)| l.parent().is_none());
        let (first, second) = (roots.next(), roots.next());
        if let (Some((_, link)), None) = (first, second)
            && let Ok(joint) = figure.joint(link.joint())
        {
            match joint.kind {
                JointKind::Free => {
                    let what = "is left out: URDF has no base joint, so the figure is fixed when read back";
                    self.warnings.say(format!("free joint `{}` {what}", joint.name));
                    return;
                }
                JointKind::Fixed if joint.parent_from_joint == joint.child_from_joint => return,
                _ => {}
            }
        }
        let name = self.fresh("world".into());
        self.out.leaf(Tag::new("link").with("name", &name));
        self.world = Some(name);
    }

    fn fresh(&mut self, wish: String) -> String {
        let mut name = wish.clone();
        let mut k = 2;
        while !self.names.insert(name.clone()) {
            name = format!("{wish}{k}");
            k += 1;
        }
        name
    }

    fn link(&mut self, handle: LinkHandle, link: &Link, joint: &Joint) -> Result<(), Error> {
        let name = &link.spec.name;
        xml::check_name(FORMAT, name)?;
        xml::check_name(FORMAT, &joint.name)?;
        let has_joint = link.parent().is_some() || self.world.is_some();
        let list = factors(joint);
        // URDF knows one frame for a link and its joint: constants after the last motion move the link's frame
        let frame = if has_joint { trailing_constant(&list).inverse() } else { Transform::identity() };
        if frame != Transform::identity() {
            self.warnings
                .say(format!("the frame of link `{name}` is moved to that of joint `{}`", joint.name));
        }
        self.body(name, &link.spec, &frame.inverse());
        self.frames.insert(handle, (frame, name.clone()));
        if has_joint {
            let parent = link.parent().and_then(|p| self.frames.get(&p).cloned());
            let world = (Transform::identity(), self.world.clone().unwrap_or_default());
            let (parent_frame, parent_name) = parent.unwrap_or(world);
            self.joint(joint, name, &parent_name, parent_frame.inverse(), &list);
            self.note_losses(joint);
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
                self.warnings.say(format!("a {kind} of link `{link}` is left out: URDF has none"));
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

    /// Writes a joint as a chain of single ones, each with the constant placement before it.
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
                        let link = self.fresh(format!("{child}_{name}"));
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
            // URDF has no word for "without end" except a joint type of its own
            let range =
                dof.range.or((kind == "prismatic").then_some(Range { lower: -NO_END, upper: NO_END }));
            if let Some(r) = range {
                limit =
                    limit.numbers("lower", &[r.lower.max(-NO_END)]).numbers("upper", &[r.upper.min(NO_END)]);
            }
            limit = limit.numbers("effort", &[dof.effort.min(NO_END)]).numbers("velocity", &[NO_END]);
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

    /// What a joint has that URDF cannot say.
    fn note_losses(&mut self, joint: &Joint) {
        let name = &joint.name;
        let nv = joint.kind.nv().min(3);
        let dofs = if joint.kind == JointKind::Free { &[][..] } else { &joint.dof[..nv] };
        if joint.kind == JointKind::Spherical {
            let order = joint.order.name();
            let what = format!("becomes three revolute joints about {order}, `{name}.0` to `{name}.2`");
            self.warnings.say(format!("spherical joint `{name}` {what}"));
        }
        let any = |f: fn(&Dof) -> bool| dofs.iter().any(f);
        let lost = [
            (any(|d| d.stiffness != 0.0), "its spring"),
            (any(|d| d.armature != 0.0), "its armature"),
            (any(|d| d.limit.is_some()), "the springs at its limits"),
            (joint.kind != JointKind::Free && joint.home != joint.kind.neutral(), "its declared pose"),
            (any(|d| d.locked), "that it can be unlocked"),
        ];
        let lost: Vec<&str> = lost.iter().filter(|(is, _)| *is).map(|(_, what)| *what).collect();
        if !lost.is_empty() {
            self.warnings.say(format!("joint `{name}` loses {}", lost.join(", ")));
        }
    }
}

/// Stands for a limit that is not there, where the format asks for one.
const NO_END: f64 = 1e10;

/// Product of the constants after the last motion; nothing if there is no motion.
fn trailing_constant(list: &[Factor]) -> Transform {
    let Some(last) = list.iter().rposition(|f| matches!(f, Factor::Move(..))) else {
        return Transform::identity();
    };
    list[last..].iter().fold(Transform::identity(), |product, f| match f {
        Factor::Constant(t) => product * *t,
        Factor::Move(..) => product,
    })
}

/// Ball joints as three hinges; everything else as it is.
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
