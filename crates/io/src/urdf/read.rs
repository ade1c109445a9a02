//! Links and joints of a URDF file into a figure.

use crate::Loaded;
use crate::error::Error;
use crate::xml::{self, Element, MAX_LINKS, Value, Warnings, XACRO};
use anthropi_dynamics::joint::{Dof, JointKind, Range};
use anthropi_dynamics::model::{
    BASE_NAME, FigureBuilder, JointSpec, LinkHandle, LinkSpec, PlacedShape, Shape,
};
use anthropi_dynamics::spatial::{Inertia, RotationOrder, Sym3, Transform, Vec3, vec3};
use std::collections::{HashMap, VecDeque};

/// Reads a figure from the text of a URDF file; `file` is its name for messages.
///
/// # Errors
/// Text that is not XML, and every link or joint that does not fit, with its line and column.
pub fn read(text: &str, file: &str) -> Result<Loaded, Error> {
    let robot = xml::parse(text, file)?;
    if robot.name != "robot" {
        return Err(robot.refuse("found as the outermost element, expected robot"));
    }
    let tree = Tree::new(&robot).map_err(|e| if has_macros(&robot) { not_expanded(&robot) } else { e })?;
    let mut reader = Reader {
        builder: FigureBuilder::new(robot.text("name").unwrap_or("robot")).lenient(),
        warnings: Warnings::default(),
    };
    reader.note_left_out(&robot);
    reader.add_all(&tree)?;
    let Reader { builder, mut warnings } = reader;
    warnings.of_builder(builder.warnings());
    let figure = builder.build().map_err(|source| tree.place_of(file, source))?;
    Ok(Loaded { figure, warnings: warnings.finish() })
}

/// Whether macros of `xacro` are left that may stand for links.
fn has_macros(element: &Element) -> bool {
    let is_macro =
        |name: &str| name.starts_with(XACRO) && !matches!(&name[XACRO.len()..], "property" | "arg");
    element.children.iter().any(|c| is_macro(&c.name) || has_macros(c))
}

fn not_expanded(robot: &Element) -> Error {
    robot.refuse("found macros of xacro, expected plain URDF: expand the file first, `xacro IN > OUT`")
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
                let found =
                    index.get(value.text()).ok_or_else(|| value.wrong("the name of a link of this robot"))?;
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

    /// For each link, whether it or a link below it has mass or moments.
    fn with_mass_beyond(&self, links: &[LinkSpec]) -> Vec<bool> {
        let mut order = vec![self.root];
        let mut above = vec![None; links.len()];
        let mut at = 0;
        while let Some(&link) = order.get(at) {
            for &j in &self.below[link] {
                above[self.joints[j].child] = Some(link);
                order.push(self.joints[j].child);
            }
            at += 1;
        }
        let mut has_mass: Vec<bool> = links.iter().map(|l| l.inertia != Inertia::ZERO).collect();
        for &link in order.iter().rev() {
            if let Some(parent) = above[link] {
                has_mass[parent] |= has_mass[link];
            }
        }
        has_mass
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
        let links = tree.links.iter().map(|l| self.link(l)).collect::<Result<Vec<_>, _>>()?;
        let moves_mass = tree.with_mass_beyond(&links);
        let handle = self.add_root(tree, &links[tree.root])?;
        let is_massless = links[tree.root].inertia == Inertia::ZERO;
        let mut open = VecDeque::from([(tree.root, handle)]);
        while let Some((parent, handle)) = open.pop_front() {
            for &j in &tree.below[parent] {
                let Ends { element, child, .. } = tree.joints[j];
                let floor = (parent == tree.root && is_massless).then_some(tree.links[parent]);
                let mut joint = self.joint(element, handle, floor)?;
                // a figure without any mass is refused as a whole
                if moves_mass[tree.root] && !moves_mass[child] {
                    self.lock(element, &mut joint);
                }
                let added = self.builder.add(links[child].clone(), joint);
                let added = added.map_err(|e| xml::blame(e, tree.links[child], element))?;
                open.push_back((child, Some(added)));
            }
        }
        Ok(())
    }

    /// Fixes the root link to the world, unless it stands for the world itself.
    fn add_root(&mut self, tree: &Tree, spec: &LinkSpec) -> Result<Option<LinkHandle>, Error> {
        let root = tree.links[tree.root];
        let is_empty = spec.inertia == Inertia::ZERO && spec.shapes.is_empty();
        let floats = |&j: &usize| tree.joints[j].element.text("type") == Some("floating");
        if is_empty && matches!(&tree.below[tree.root][..], [only] if floats(only)) {
            self.warnings.push(root.warn("stands for the world and is not a link of the figure"));
            return Ok(None);
        }
        let taken = tree.joints.iter().any(|j| j.element.text("name") == Some(BASE_NAME));
        let name = if taken { "root_fixed" } else { BASE_NAME };
        let joint = JointSpec::new(name, JointKind::Fixed);
        self.builder.add(spec.clone(), joint).map(Some).map_err(|e| root.refused(e))
    }

    /// Locks a joint that nothing resists.
    fn lock(&mut self, element: &Element, joint: &mut JointSpec) {
        if matches!(joint.kind, JointKind::Fixed | JointKind::Free) {
            return;
        }
        joint.dof.iter_mut().for_each(|d| d.locked = true);
        self.warnings.gather(element, "locked, since nothing beyond it has mass");
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
        if element.child("mimic").is_some() {
            self.warnings.gather(element, "mimic is not followed: the joint moves on its own");
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
                self.warnings.gather(element, "no limit given; it may move without end");
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
            // Bullet's way to say that there is no limit
            if range.lower > range.upper {
                self.warnings.gather(element, "lower limit above the upper; it may move without end");
                return Ok(dof);
            }
            dof.range = Some(range);
        } else if is_bounded {
            self.warnings.gather(element, "neither lower nor upper limit given; it may move without end");
        }
        Ok(dof)
    }

    fn link(&mut self, element: &Element) -> Result<LinkSpec, Error> {
        let mut spec = LinkSpec::new(element.require("name")?.text(), inertia(element)?);
        let solids = if element.child("collision").is_some() { "collision" } else { "visual" };
        let mut has_mesh = false;
        for solid in element.named(solids) {
            let place = origin(solid)?;
            for geometry in solid.named("geometry").flat_map(|g| &g.children) {
                has_mesh |= geometry.name == "mesh";
                if geometry.name != "mesh"
                    && let Some(shape) = self.shape(geometry)?
                {
                    spec.shapes.push(PlacedShape { shape, link_from_shape: place });
                }
            }
        }
        if has_mesh {
            self.warnings.gather(element, "meshes are not read");
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
                self.warnings.gather(geometry, "a solid of size zero is left out");
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
