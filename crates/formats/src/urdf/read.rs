//! URDF reader.

use crate::Loaded;
use crate::error::Error;
use crate::mjcf::chain::free_coordinates;
use crate::xml::{self, Element, MAX_LINKS, Value, Warnings, XACRO};
use anthropi_dynamics::joint::{Dof, JointKind, Range};
use anthropi_dynamics::model::{
    BASE_NAME, FigureBuilder, JointSpec, LinkHandle, LinkSpec, PlacedShape, Shape,
};
use anthropi_dynamics::spatial::{Inertia, RotationOrder, Sym3, Transform, Vec3, vec3};
use std::collections::HashMap;

/// Reads a figure from the text of a URDF file; `file` is its name in messages.
///
/// # Errors
/// Text that is not XML, and invalid links and joints, with line and column.
pub fn read(text: &str, file: &str) -> Result<Loaded, Error> {
    let robot = xml::parse(text, file, &["robot"])?;
    let not_expanded = "found xacro macros, expected plain URDF: expand the file first, `xacro IN > OUT`";
    let tree =
        Tree::new(&robot).map_err(|e| if has_macros(&robot) { robot.refuse(not_expanded) } else { e })?;
    let mut reader = Reader {
        builder: FigureBuilder::new(robot.text("name").unwrap_or("robot")).lenient(),
        warnings: Warnings::default(),
    };
    reader.count_ignored(&robot);
    reader.add_all(&tree)?;
    let Reader { builder, mut warnings } = reader;
    let named = |joint: &str| tree.joints.iter().find(|j| j.element.text("name") == Some(joint));
    let figure = xml::build(builder, file, "", |joint| Some(named(joint)?.element), &mut warnings)?;
    Ok(Loaded { figure, warnings: warnings.finish() })
}

/// Whether unexpanded `xacro` macros may stand for links.
fn has_macros(element: &Element) -> bool {
    let is_macro =
        |name: &str| name.starts_with(XACRO) && !matches!(&name[XACRO.len()..], "property" | "arg");
    element.children.iter().any(|c| is_macro(&c.name) || has_macros(c))
}

/// A joint element and its links.
struct JointEdge<'a> {
    element: &'a Element,
    parent: usize,
    child: usize,
}

/// Links and joints of a file, checked to form one tree.
struct Tree<'a> {
    links: Vec<&'a Element>,
    joints: Vec<JointEdge<'a>>,
    root: usize,
    /// indices of the joints, parents first
    order: Vec<usize>,
}

impl<'a> Tree<'a> {
    fn new(robot: &'a Element) -> Result<Tree<'a>, Error> {
        let links: Vec<&Element> = robot.named("link").collect();
        if links.is_empty() {
            return Err(robot.refuse("has no link"));
        }
        if let Some(one_more) = links.get(MAX_LINKS) {
            return Err(one_more.refuse(format!("more than {MAX_LINKS} links")));
        }
        let index = unique_names(&links)?;
        let elements: Vec<&Element> = robot.named("joint").collect();
        unique_names(&elements)?;
        let mut above: Vec<Option<&Element>> = vec![None; links.len()];
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
                let what = format!("a link without a parent; it is already the child of {}", other.label());
                return Err(named.wrong(&what));
            }
            above[child] = Some(element);
            joints.push(JointEdge { element, parent, child });
        }
        let root = only_root(&links, &above, &joints)?;
        let edges: Vec<(usize, usize)> = joints.iter().map(|j| (j.parent, j.child)).collect();
        let order = xml::outward(&edges, root);
        // joints that cannot be reached from the root belong to a loop
        match (0..joints.len()).find(|j| order.len() < joints.len() && !order.contains(j)) {
            None => Ok(Tree { links, joints, root, order }),
            Some(j) => Err(loop_error(joints[j].element)),
        }
    }

    /// For each link, whether it or a descendant has mass.
    fn carries_mass(&self, links: &[LinkSpec]) -> Vec<bool> {
        let mut has_mass: Vec<bool> = links.iter().map(|l| l.inertia != Inertia::ZERO).collect();
        for &j in self.order.iter().rev() {
            has_mass[self.joints[j].parent] |= has_mass[self.joints[j].child];
        }
        has_mass
    }
}

fn loop_error(joint: &Element) -> Error {
    joint.refuse("is part of a loop of joints, or below one; expected a tree")
}

/// Indices by name; names must be unique.
fn unique_names<'a>(elements: &[&'a Element]) -> Result<HashMap<&'a str, usize>, Error> {
    let mut index = HashMap::new();
    for (i, element) in elements.iter().enumerate() {
        let name = element.require("name")?;
        if name.text().is_empty() {
            return Err(name.wrong("a name"));
        }
        if let Some(first) = index.insert(name.text(), i) {
            let what = format!("a unique name; line {} has the same", elements[first].place.line);
            return Err(name.wrong(&what));
        }
    }
    Ok(index)
}

fn only_root(links: &[&Element], above: &[Option<&Element>], joints: &[JointEdge]) -> Result<usize, Error> {
    let mut roots = (0..links.len()).filter(|&i| above[i].is_none());
    match (roots.next(), roots.next()) {
        (Some(root), None) => Ok(root),
        (Some(a), Some(b)) => {
            let what =
                format!("has no parent joint, and neither has {}; expected one root link", links[a].label());
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
        let moves_mass = tree.carries_mass(&links);
        let is_massless = links[tree.root].inertia == Inertia::ZERO;
        let mut handles = vec![None; links.len()];
        handles[tree.root] = self.add_root(tree, &links[tree.root])?;
        for &j in &tree.order {
            let JointEdge { element, parent, child } = tree.joints[j];
            let mut joint = self.joint(element, handles[parent], parent == tree.root && is_massless)?;
            // a figure without any mass is refused as a whole
            if moves_mass[tree.root] && !moves_mass[child] {
                self.lock(element, &mut joint);
            }
            let added = self.builder.add(links[child].clone(), joint);
            handles[child] = Some(added.map_err(|e| xml::locate(e, tree.links[child], element))?);
        }
        Ok(())
    }

    /// Fixes the root link to the world, unless it represents the world itself.
    fn add_root(&mut self, tree: &Tree, spec: &LinkSpec) -> Result<Option<LinkHandle>, Error> {
        let root = tree.links[tree.root];
        let is_empty = spec.inertia == Inertia::ZERO && spec.shapes.is_empty();
        let mut below = tree.joints.iter().filter(|j| j.parent == tree.root);
        let only = below.next().filter(|_| below.next().is_none());
        if is_empty && only.is_some_and(|j| j.element.text("type") == Some("floating")) {
            self.warnings.push(root.warn("represents the world and is not a link of the figure"));
            return Ok(None);
        }
        let taken = tree.joints.iter().any(|j| j.element.text("name") == Some(BASE_NAME));
        let name = if taken { "root_fixed" } else { BASE_NAME };
        let joint = JointSpec::new(name, JointKind::Fixed);
        self.builder.add(spec.clone(), joint).map(Some).map_err(|e| root.refused(e))
    }

    /// Locks a joint that carries no mass.
    fn lock(&mut self, element: &Element, joint: &mut JointSpec) {
        if matches!(joint.kind, JointKind::Fixed | JointKind::Free) {
            return;
        }
        joint.dof.iter_mut().for_each(|d| d.locked = true);
        self.warnings.group(element, "locked, because it carries no mass");
    }

    /// `can_float`: the parent link is a massless root.
    fn joint(
        &mut self,
        element: &Element,
        parent: Option<LinkHandle>,
        can_float: bool,
    ) -> Result<JointSpec, Error> {
        let name = element.require("name")?.text();
        let kind = joint_kind(element)?;
        let mut joint = JointSpec::new(name, kind);
        let origin = origin(element)?;
        if kind == JointKind::Free {
            if !can_float {
                let what = "found \"floating\" below a link with mass or with a parent, expected it below a massless root";
                return Err(element.wrong("type", what));
            }
            joint.home = Some(free_coordinates(&origin));
        } else {
            (joint.parent, joint.parent_from_joint) = (parent, origin);
        }
        let dof = self.dof(element, &kind)?;
        joint.dof = [dof; 3];
        if element.child("mimic").is_some() {
            self.warnings.group(element, "mimic is not supported: the joint moves independently");
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
                self.warnings.group(element, "has no limit; it moves freely");
            }
            return Ok(dof);
        };
        dof.effort = limit.get("effort").map_or(Ok(f64::INFINITY), Value::not_negative)?;
        if limit.get("velocity").is_some() {
            self.warnings.leave_out("limit velocity");
        }
        let (lower, upper) = (limit.number("lower")?, limit.number("upper")?);
        if is_bounded && kind.nv() == 1 && (lower.is_some() || upper.is_some()) {
            let range = Range { lower: lower.unwrap_or(0.0), upper: upper.unwrap_or(0.0) };
            // Bullet's notation for no limit
            if range.lower > range.upper {
                self.warnings.group(element, "lower limit above the upper; it moves freely");
                return Ok(dof);
            }
            dof.range = Some(range);
        } else if is_bounded {
            self.warnings.group(element, "has neither lower nor upper limit; it moves freely");
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
            self.warnings.group(element, "meshes are not read");
        }
        Ok(spec)
    }

    /// A solid; `None` if its kind is not supported or its size is zero.
    fn shape(&mut self, geometry: &Element) -> Result<Option<Shape>, Error> {
        let size = |name: &str| geometry.require(name)?.number();
        let shape = match geometry.name.as_str() {
            "box" => Shape::Box { half: geometry.require("size")?.vector()?.scale(0.5) },
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
                self.warnings.group(geometry, "a solid of size zero is ignored");
                Ok(None)
            }
            Err(e) => Err(geometry.refused(e)),
        }
    }

    /// Counts elements other than links, joints and materials.
    fn count_ignored(&mut self, robot: &Element) {
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
        value.vector()?.normalized().ok_or_else(|| value.wrong("a direction"))
    };
    Ok(match kind.text() {
        "fixed" => JointKind::Fixed,
        "revolute" | "continuous" => JointKind::Revolute { axis: axis()? },
        "prismatic" => JointKind::Prismatic { axis: axis()? },
        "spherical" => JointKind::Spherical,
        "floating" => JointKind::Free,
        "planar" => return Err(kind.wrong("another type; planar joints are not supported")),
        _ => return Err(kind.wrong("fixed, revolute, continuous, prismatic, spherical or floating")),
    })
}

/// Placement by the `origin` of an element; identity without one.
fn origin(element: &Element) -> Result<Transform, Error> {
    let Some(origin) = element.child("origin") else { return Ok(Transform::identity()) };
    let position = origin.vector("xyz")?.unwrap_or_default();
    let [roll, pitch, yaw] = origin.numbers("rpy")?.unwrap_or([0.0; 3]);
    Ok(Transform::new(position, RotationOrder::Zyx.quat([yaw, pitch, roll])))
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
    let mass = mass.not_negative()?;
    Ok(origin(inertial)? * Inertia::about_center(mass, Vec3::ZERO, central))
}
