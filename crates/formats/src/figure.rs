//! Figures in the native format: TOML short enough to write by hand. Every error names line, column and field.
//!
//! Lengths in metres, masses in kilograms, angles in radians unless the key ends in `_deg`. Parents precede children.
//!
//! ```toml
//! name = "arm"
//! what = "an upper arm on a fixed shoulder"   # optional, for lists
//! stature = 1.70                              # optional
//! gravity = [0, 0, -9.81]                     # optional
//!
//! [[link]]
//! name = "upper_arm"
//! mass = 1.9                 # alone: distributed over the shapes. Or with `inertia` (3 numbers, or 6: xx yy zz xy xz yz)
//!                            # about `center` (default: origin). Or exactly, with `moment` (mass times centre) and
//!                            # `second` (6 numbers, about the origin). Or instead `density` of the shapes
//! [[link.shape]]
//! kind = "capsule"           # box, ellipsoid: `size` (full edges); sphere: `radius`; capsule, cylinder: `radius` and
//! radius = 0.045             # `length` (of the shaft, along z); convex: `points`
//! length = 0.22
//! at = [0, 0, -0.15]
//! [link.joint]
//! name = "shoulder"
//! kind = "spherical"         # fixed; revolute, prismatic: axis = "y"; universal: axes = ["y", "z"]; free
//! at = [0, 0, 1.4]           # on the `parent` link, or in the world; its position on this link is `child_at`
//! turn_deg = [0, 0, 90]      # or `turn`, both with `turn_order`; or `quaternion`; or `matrix`; also with `child_`
//! order = "yxz"              # angles of a spherical joint: the order of `home_deg`, `range`, `limit` and `locked`
//! home_deg = [0, 0, 0]       # or `home`: one number per angle, a quaternion, metres, or [x, y, z, w, qx, qy, qz]
//! range_deg = [[-180, 60], [-45, 120], [-90, 90]]     # or `range`; [] where there is none
//! limit = { law = "power", k = 1000, n = 3, blend_deg = 10, rebound = 0 }   # exponential: k, c; none; or a list
//! damping = 1.0              # also stiffness, rest, friction, armature, effort: a number, or a list with one per axis,
//!                            # x, y, z of the child for a spherical joint
//! actuated = true
//! locked = [false, false, false]
//!
//! # [[connect]] closes a loop: name, a, b (absent: the world), kind, and the positions `a_at`, `b_at`, ...
//! ```

pub mod joint;
pub mod placement;
pub mod shape;
mod write;

pub use write::write;

use crate::Loaded;
use crate::error::{Error, Warning};
use crate::fields::{Field, Source, Table};
use crate::names::counted;
use anthropi_dynamics::model::{FigureBuilder, LinkHandle, LinkSpec, PlacedShape};
use anthropi_dynamics::spatial::{Inertia, Sym3, Vec3};
use joint::{DOF_KEYS, JOINT_KEYS, joint};
use placement::{ON_A, ON_B, ON_CHILD, ON_PARENT};
use shape::shapes;
use std::collections::HashMap;

/// Longest text read.
pub const MAX_BYTES: usize = 16 << 20;
/// Most links and connections of one figure, and most points of one convex shape: ample, yet hostile files stay cheap.
pub const MAX_ENTRIES: usize = 4096;

/// Reads a figure from `text`; `file` is its name for error messages.
///
/// # Errors
/// Text that is not TOML, unknown keys, invalid values, each with file, line, column and field.
pub fn read(text: &str, file: &str) -> Result<Loaded, Error> {
    let source = Source { file, text };
    let tree = source.parse(MAX_BYTES)?;
    let root = Table::root(&source, &tree);
    root.allow(&[&["name", "what", "stature", "gravity", "link", "connect"]])?;
    let mut reader = Reader::new(&root)?;
    for (i, field) in entries(&root.require("link", "at least one [[link]]")?)?.iter().enumerate() {
        reader.link(field, i)?;
    }
    if let Some(field) = root.get("connect") {
        for (i, field) in entries(&field)?.iter().enumerate() {
            reader.connection(field, i)?;
        }
    }
    reader.finish(&source)
}

fn entries<'a>(field: &Field<'a>) -> Result<Vec<Field<'a>>, Error> {
    let list = field.list()?;
    match list.len() {
        0 => Err(field.wrong("is empty, expected at least one")),
        n if n > MAX_ENTRIES => Err(field.wrong(format!("has {n} entries, expected at most {MAX_ENTRIES}"))),
        _ => Ok(list),
    }
}

/// The figure so far and its names.
struct Reader<'a> {
    builder: FigureBuilder,
    links: HashMap<&'a str, LinkHandle>,
    joints: HashMap<&'a str, Table<'a>>,
    warnings: Vec<Warning>,
}

impl<'a> Reader<'a> {
    fn new(root: &Table<'a>) -> Result<Reader<'a>, Error> {
        let mut builder = FigureBuilder::new(name(root)?);
        if let Some(field) = root.get("what") {
            field.string()?;
        }
        if let Some(field) = root.get("stature") {
            builder.stature(field.positive()?).map_err(|e| field.wrong(e.to_string()))?;
        }
        if let Some(field) = root.get("gravity") {
            builder.gravity(field.vector()?).map_err(|e| field.wrong(e.to_string()))?;
        }
        Ok(Reader { builder, links: HashMap::new(), joints: HashMap::new(), warnings: Vec::new() })
    }

    fn link(&mut self, field: &Field<'a>, index: usize) -> Result<(), Error> {
        let table = field.table(format!("link {}", index + 1))?;
        let link_name = name(&table)?;
        let table = table.with_label(format!("link `{link_name}`"));
        let known = ["name", "mass", "center", "inertia", "moment", "second", "density", "shape", "joint"];
        table.allow(&[&known])?;
        if self.links.contains_key(link_name) {
            return Err(taken(&table, "link", link_name));
        }
        let shapes = shapes(&table)?;
        let inertia = inertia(&table, &shapes)?;
        let below =
            table.require("joint", "a table [link.joint]")?.table(format!("the joint of {}", table.label))?;
        let joint_name = self.joint_name(&below)?;
        let below = below.with_label(format!("joint `{joint_name}`"));
        below.allow(&[&["parent"], &JOINT_KEYS, &DOF_KEYS, &ON_PARENT, &ON_CHILD])?;
        let mut spec = joint(&below, joint_name, &ON_PARENT, &ON_CHILD, &mut self.warnings)?;
        spec.parent = below.get("parent").map(|f| self.find(&f)).transpose()?;
        let link = LinkSpec { name: link_name.into(), inertia, shapes };
        let handle = self.builder.add(link, spec).map_err(|e| table.wrong(e.to_string()))?;
        self.links.insert(link_name, handle);
        self.joints.insert(joint_name, below);
        Ok(())
    }

    fn connection(&mut self, field: &Field<'a>, index: usize) -> Result<(), Error> {
        let table = field.table(format!("connection {}", index + 1))?;
        let joint_name = self.joint_name(&table)?;
        let table = table.with_label(format!("connection `{joint_name}`"));
        table.allow(&[&["a", "b"], &JOINT_KEYS, &DOF_KEYS, &ON_A, &ON_B])?;
        let mut spec = joint(&table, joint_name, &ON_B, &ON_A, &mut self.warnings)?;
        let a = self.find(&table.require("a", "the name of a link")?)?;
        spec.parent = table.get("b").map(|f| self.find(&f)).transpose()?;
        self.builder.connect(a, spec).map_err(|e| table.wrong(e.to_string()))?;
        self.joints.insert(joint_name, table);
        Ok(())
    }

    /// The unique name of a joint or connection.
    fn joint_name(&self, table: &Table<'a>) -> Result<&'a str, Error> {
        let given = name(table)?;
        if self.joints.contains_key(given) { Err(taken(table, "joint", given)) } else { Ok(given) }
    }

    /// The link a field names.
    fn find(&self, field: &Field) -> Result<LinkHandle, Error> {
        let given = field.string()?;
        self.links.get(given).copied().ok_or_else(|| {
            field.wrong(format!("there is no link `{given}` above this one; parents precede their children"))
        })
    }

    fn finish(self, source: &Source) -> Result<Loaded, Error> {
        let joints = self.joints;
        let figure = self.builder.build().map_err(|e| match &e {
            anthropi_dynamics::Error::NoInertia { joint } if joints.contains_key(joint.as_str()) => {
                joints[joint.as_str()].wrong(e.to_string())
            }
            _ => Error::Figure { file: source.file.into(), source: e },
        })?;
        Ok(Loaded { figure, warnings: self.warnings })
    }
}

fn name<'a>(table: &Table<'a>) -> Result<&'a str, Error> {
    let field = table.require("name", "a name")?;
    match field.string()? {
        "" => Err(field.wrong("is empty, expected a name")),
        given => Ok(given),
    }
}

/// An error about a name that is already in use.
fn taken(table: &Table, what: &str, name: &str) -> Error {
    let message = format!("there is already a {what} `{name}`");
    table.get("name").map_or_else(|| table.wrong(&message), |field| field.wrong(&message))
}

/// Mass properties, from numbers or from the shapes.
fn inertia(table: &Table, shapes: &[PlacedShape]) -> Result<Inertia, Error> {
    if let Some(density) = table.get("density") {
        let others = ["mass", "center", "inertia", "moment", "second"];
        if let Some(f) = others.into_iter().find_map(|key| table.get(key)) {
            return Err(f.wrong("conflicts with `density`; give only one of them"));
        }
        if shapes.is_empty() {
            return Err(density.wrong("requires shapes"));
        }
        return filled(shapes, density.positive()?).map_err(|e| table.wrong(e.to_string()));
    }
    let mass = table.require("mass", "a mass in kg, or a `density` and shapes")?.not_negative()?;
    if table.get("moment").is_some() || table.get("second").is_some() {
        return exact_inertia(table, mass);
    }
    let center = table.get("center");
    let Some(field) = table.get("inertia") else {
        return match center {
            Some(f) => Err(f.wrong(
                "is given without `inertia`; give both, or neither to distribute the mass over the shapes",
            )),
            None => spread(table, mass, shapes),
        };
    };
    let center = center.map_or(Ok(Vec3::ZERO), |f| f.vector())?;
    Ok(Inertia::about_center(mass, center, second_moment(&field)?))
}

/// The ten numbers as stored in memory, so that written figures read back bit for bit.
fn exact_inertia(table: &Table, mass: f64) -> Result<Inertia, Error> {
    if let Some(f) = table.get("center").or(table.get("inertia")) {
        return Err(f.wrong("conflicts with `moment` and `second`; give only one pair"));
    }
    let moment = table.require("moment", "mass times centre, together with `second`")?.vector()?;
    let second = table.require("second", "the second moment about the origin, together with `moment`")?;
    Ok(Inertia { mass, moment, second: second_moment(&second)? })
}

/// Three moments, or all six entries.
fn second_moment(field: &Field) -> Result<Sym3, Error> {
    match field.numbers()?[..] {
        [xx, yy, zz] => Ok(Sym3 { xx, yy, zz, xy: 0.0, xz: 0.0, yz: 0.0 }),
        [xx, yy, zz, xy, xz, yz] => Ok(Sym3 { xx, yy, zz, xy, xz, yz }),
        ref other => {
            let got = counted(other.len(), "number");
            Err(field.wrong(format!("has {got}, expected 3 (xx, yy, zz) or 6 (xx, yy, zz, xy, xz, yz)")))
        }
    }
}

/// A mass distributed evenly over the shapes.
fn spread(table: &Table, mass: f64, shapes: &[PlacedShape]) -> Result<Inertia, Error> {
    if mass == 0.0 {
        return Ok(Inertia::ZERO);
    }
    if shapes.is_empty() {
        table.require("inertia", "three or six numbers, or shapes to distribute the mass over")?;
    }
    let unit = filled(shapes, 1.0).map_err(|e| table.wrong(e.to_string()))?;
    let filled = unit.scaled(1.0, mass / unit.mass);
    // keeps the given mass to the last bit
    Ok(Inertia { mass, ..filled })
}

fn filled(shapes: &[PlacedShape], density: f64) -> Result<Inertia, anthropi_dynamics::Error> {
    let mut sum = Inertia::ZERO;
    for s in shapes {
        sum = sum + s.link_from_shape * s.shape.inertia(density)?;
    }
    Ok(sum)
}
