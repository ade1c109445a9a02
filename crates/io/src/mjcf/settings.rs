//! `compiler` and `option`: how the rest of the file is to be understood.

use crate::error::Error;
use crate::xml::{Element, Value, Warnings};
use anthropi_dynamics::spatial::{Axis, Mat3, Quat, Transform, Vec3, vec3};

/// Attributes that mean the same, in the order they are looked for.
pub(super) const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// Where a body's mass comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum InertiaFromGeom {
    /// always from the inertial element
    No,
    /// always from the geoms
    Yes,
    /// from the inertial element if there is one
    Auto,
}

/// What `compiler` and `option` say.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// angles in the file to radians
    pub radians_per_unit: f64,
    /// axes of `euler`, each with whether it moves along
    pub euler: [(Axis, bool); 3],
    pub inertia_from_geom: InertiaFromGeom,
    /// groups of the geoms that have mass, first and last
    pub groups: [f64; 2],
    pub autolimits: bool,
    pub bound_mass: f64,
    pub bound_inertia: f64,
    pub balance_inertia: bool,
    pub total_mass: Option<f64>,
    pub gravity: Vec3,
    /// folder of mesh files, from that of the model
    pub mesh_dir: String,
    /// whether only the last part of a mesh file's name counts
    pub strips_path: bool,
    pub exact_meshes: bool,
    /// whether free bodies are to be turned to their principal axes
    pub aligns_free: bool,
}

/// Says nothing about the figure's motion.
const HARMLESS: [&str; 12] = [
    "texturedir",
    "assetdir",
    "discardvisual",
    "usethread",
    "fitaabb",
    "convexhull",
    "saveinertial",
    "fusestatic",
    "coordinate",
    "conflict",
    "angle",
    "eulerseq",
];

impl Settings {
    pub fn new(model: &Element, warnings: &mut Warnings) -> Result<Settings, Error> {
        let mut s = Settings {
            radians_per_unit: 1.0_f64.to_radians(),
            euler: [(Axis::X, true), (Axis::Y, true), (Axis::Z, true)],
            inertia_from_geom: InertiaFromGeom::Auto,
            groups: [0.0, 5.0],
            autolimits: true,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            balance_inertia: false,
            total_mass: None,
            gravity: vec3(0.0, 0.0, -9.81),
            mesh_dir: String::new(),
            strips_path: false,
            exact_meshes: false,
            aligns_free: false,
        };
        for compiler in model.named("compiler") {
            for attribute in &compiler.attributes {
                s.set(Value { element: compiler, attribute }, warnings)?;
            }
        }
        s.read_options(model, warnings)?;
        Ok(s)
    }

    fn read_options(&mut self, model: &Element, warnings: &mut Warnings) -> Result<(), Error> {
        let mut has_gravity = true;
        for option in model.named("option") {
            if let Some(g) = option.numbers("gravity")? {
                self.gravity = Vec3::from_array(&g);
            }
            let others = option.attributes.iter().filter(|a| a.name != "gravity");
            others.for_each(|a| warnings.leave_out(&format!("option {}", a.name)));
            for child in &option.children {
                match child.get("gravity").filter(|_| child.name == "flag") {
                    Some(v) => has_gravity = switch(v)?,
                    None => warnings.leave_out(&format!("option {}", child.name)),
                }
            }
        }
        if !has_gravity {
            self.gravity = Vec3::ZERO;
        }
        Ok(())
    }

    fn set(&mut self, value: Value, warnings: &mut Warnings) -> Result<(), Error> {
        match value.attribute.name.as_str() {
            "angle" => {
                self.radians_per_unit = match value.text() {
                    "degree" => 1.0_f64.to_radians(),
                    "radian" => 1.0,
                    _ => return Err(value.wrong("degree or radian")),
                }
            }
            "coordinate" if value.text() != "local" => return Err(value.wrong("local")),
            "eulerseq" => self.euler = euler_sequence(value)?,
            "inertiafromgeom" => {
                self.inertia_from_geom = match value.text() {
                    "false" => InertiaFromGeom::No,
                    "true" => InertiaFromGeom::Yes,
                    "auto" => InertiaFromGeom::Auto,
                    _ => return Err(value.wrong("true, false or auto")),
                }
            }
            "inertiagrouprange" => self.groups = value.numbers()?,
            "autolimits" => self.autolimits = flag(value)?,
            "balanceinertia" => self.balance_inertia = flag(value)?,
            "boundmass" => self.bound_mass = not_negative(value)?,
            "boundinertia" => self.bound_inertia = not_negative(value)?,
            "settotalmass" => self.total_mass = Some(value.number()?).filter(|m| *m > 0.0),
            "meshdir" | "assetdir"
                if value.attribute.name == "meshdir" || value.element.get("meshdir").is_none() =>
            {
                self.mesh_dir = value.text().replace('\\', "/");
            }
            "strippath" => self.strips_path = flag(value)?,
            "alignfree" => self.aligns_free = flag(value)?,
            "exactmeshinertia" => self.exact_meshes = flag(value)?,
            name if HARMLESS.contains(&name) => {}
            other => warnings.leave_out(&format!("compiler {other}")),
        }
        Ok(())
    }

    /// `pos` and orientation of a body, frame or inertial element.
    pub fn placement(&self, element: &Element) -> Result<Transform, Error> {
        let position = element.numbers("pos")?.unwrap_or([0.0; 3]);
        let orientation = self.rotation(ORIENTATIONS.iter().find_map(|a| element.get(a)))?;
        Ok(Transform::new(Vec3::from_array(&position), orientation))
    }

    /// Rotation by any of the ways to write one.
    pub fn rotation(&self, value: Option<Value>) -> Result<Quat, Error> {
        let Some(value) = value else { return Ok(Quat::IDENTITY) };
        let direction = |v: Vec3| v.normalized().ok_or_else(|| value.wrong("directions that are not zero"));
        match value.attribute.name.as_str() {
            "quat" => unit_quat(value.numbers()?).ok_or_else(|| value.wrong("a quaternion that is not zero")),
            "axisangle" => {
                let [x, y, z, angle] = value.numbers()?;
                Ok(Quat::about(direction(vec3(x, y, z))?, angle * self.radians_per_unit))
            }
            "euler" => Ok(self.euler_quat(value.numbers()?)),
            "xyaxes" => {
                let [a, b, c, d, e, f] = value.numbers()?;
                let x = direction(vec3(a, b, c))?;
                let y = vec3(d, e, f);
                let y = direction(y - x.scale(x.dot(y)))?;
                Ok(Quat::from_matrix(&Mat3 { x, y, z: x.cross(y) }))
            }
            _ => Ok(z_to(direction(Vec3::from_array(&value.numbers()?))?)),
        }
    }

    fn euler_quat(&self, angles: [f64; 3]) -> Quat {
        let turns = self.euler.iter().zip(angles);
        turns.fold(Quat::IDENTITY, |q, ((axis, moves_along), angle)| {
            let turn = Quat::about(axis.unit(), angle * self.radians_per_unit);
            if *moves_along { q.then(turn) } else { turn.then(q) }
        })
    }
}

/// Length one, from a file.
pub(super) fn unit_quat(q: [f64; 4]) -> Option<Quat> {
    let norm = Quat(q).norm();
    (norm > 0.0 && norm.is_finite()).then(|| Quat(q).normalized())
}

/// The shortest turn from the z axis to a direction; half a turn about x where there is no shortest.
pub(super) fn z_to(direction: Vec3) -> Quat {
    /// Below this sine the axis of the turn is noise. As MuJoCo has it.
    const PARALLEL: f64 = 1e-10;
    let axis = vec3(-direction.y, direction.x, 0.0);
    let sine = axis.norm();
    if sine < PARALLEL {
        return if direction.z > 0.0 { Quat::IDENTITY } else { Quat([0.0, 1.0, 0.0, 0.0]) };
    }
    // half the angle, from whichever of its sine and cosine is not small
    let (half_cos, half_sin) = if direction.z > 0.0 {
        let c = (0.5 * (1.0 + direction.z)).sqrt();
        (c, 0.5 * sine / c)
    } else {
        let s = (0.5 * (1.0 - direction.z)).sqrt();
        (0.5 * sine / s, s)
    };
    let axis = axis.scale(half_sin / sine);
    Quat([half_cos, axis.x, axis.y, axis.z]).normalized()
}

/// `true` or `false`.
pub(super) fn flag(value: Value) -> Result<bool, Error> {
    match value.text() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(value.wrong("true or false")),
    }
}

/// `enable` or `disable`.
fn switch(value: Value) -> Result<bool, Error> {
    match value.text() {
        "enable" => Ok(true),
        "disable" => Ok(false),
        _ => Err(value.wrong("enable or disable")),
    }
}

fn not_negative(value: Value) -> Result<f64, Error> {
    let x = value.number()?;
    if x >= 0.0 { Ok(x) } else { Err(value.wrong("zero or more")) }
}

fn euler_sequence(value: Value) -> Result<[(Axis, bool); 3], Error> {
    let axis = |c: char| match c {
        'x' | 'X' => Some((Axis::X, c == 'x')),
        'y' | 'Y' => Some((Axis::Y, c == 'y')),
        'z' | 'Z' => Some((Axis::Z, c == 'z')),
        _ => None,
    };
    let axes: Option<Vec<_>> = value.text().chars().map(axis).collect();
    axes.and_then(|a| <[_; 3]>::try_from(a).ok())
        .ok_or_else(|| value.wrong("three of the letters x, y, z, X, Y, Z"))
}
