//! The `compiler` and `option` elements.

use crate::error::Error;
use crate::xml::{Element, Value, Warnings};
use anthropi_dynamics::spatial::{Axis, Mat3, Quat, Transform, Vec3, vec3};

/// Equivalent attributes, in order of precedence.
pub(super) const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// Source of a body's mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum InertiaFromGeom {
    /// always from the inertial element
    No,
    /// always from the geoms
    Yes,
    /// from the inertial element if there is one
    Auto,
}

/// Values of `compiler` and `option`.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// angle unit of the file, rad
    pub radians_per_unit: f64,
    /// axes of `euler`; true for body-fixed ones
    pub euler: [(Axis, bool); 3],
    pub inertia_from_geom: InertiaFromGeom,
    /// first and last group of geoms with mass
    pub groups: [f64; 2],
    pub autolimits: bool,
    pub bound_mass: f64,
    pub bound_inertia: f64,
    pub balance_inertia: bool,
    pub total_mass: Option<f64>,
    pub gravity: Vec3,
    /// folder of mesh files, relative to the model's
    pub mesh_dir: String,
    /// whether folders in mesh file names are ignored
    pub strips_path: bool,
    pub exact_meshes: bool,
    /// whether free bodies are aligned with their principal axes
    pub aligns_free: bool,
}

/// Attributes without influence on the motion.
const IRRELEVANT: [&str; 12] = [
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
                s.set(compiler.value(attribute), warnings)?;
            }
        }
        s.read_options(model, warnings)?;
        Ok(s)
    }

    fn read_options(&mut self, model: &Element, warnings: &mut Warnings) -> Result<(), Error> {
        let mut has_gravity = true;
        for option in model.named("option") {
            self.gravity = option.vector("gravity")?.unwrap_or(self.gravity);
            let others = option.attributes.iter().filter(|a| a.name != "gravity");
            others.for_each(|a| warnings.leave_out(&format!("option {}", a.name)));
            for child in &option.children {
                match child.get("gravity").filter(|_| child.name == "flag") {
                    Some(v) => has_gravity = v.word(&[("enable", true), ("disable", false)])?,
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
                self.radians_per_unit = value.word(&[("degree", 1.0_f64.to_radians()), ("radian", 1.0)])?;
            }
            "coordinate" if value.text() != "local" => return Err(value.wrong("local")),
            "eulerseq" => self.euler = euler_sequence(value)?,
            "inertiafromgeom" => {
                use InertiaFromGeom::{Auto, No, Yes};
                self.inertia_from_geom = value.word(&[("true", Yes), ("false", No), ("auto", Auto)])?;
            }
            "inertiagrouprange" => self.groups = value.numbers()?,
            "autolimits" => self.autolimits = value.flag()?,
            "balanceinertia" => self.balance_inertia = value.flag()?,
            "boundmass" => self.bound_mass = value.not_negative()?,
            "boundinertia" => self.bound_inertia = value.not_negative()?,
            "settotalmass" => self.total_mass = Some(value.number()?).filter(|m| *m > 0.0),
            "meshdir" | "assetdir"
                if value.attribute.name == "meshdir" || value.element.get("meshdir").is_none() =>
            {
                self.mesh_dir = value.text().replace('\\', "/");
            }
            "strippath" => self.strips_path = value.flag()?,
            "alignfree" => self.aligns_free = value.flag()?,
            "exactmeshinertia" => self.exact_meshes = value.flag()?,
            name if IRRELEVANT.contains(&name) => {}
            other => warnings.leave_out(&format!("compiler {other}")),
        }
        Ok(())
    }

    /// `pos` and orientation of a body, frame or inertial element.
    pub fn placement(&self, element: &Element) -> Result<Transform, Error> {
        let position = element.vector("pos")?.unwrap_or_default();
        let orientation = self.rotation(ORIENTATIONS.iter().find_map(|a| element.get(a)))?;
        Ok(Transform::new(position, orientation))
    }

    /// Rotation from any of the orientation attributes.
    pub fn rotation(&self, value: Option<Value>) -> Result<Quat, Error> {
        let Some(value) = value else { return Ok(Quat::IDENTITY) };
        let direction = |v: Vec3| v.normalized().ok_or_else(|| value.wrong("non-zero directions"));
        match value.attribute.name.as_str() {
            "quat" => unit_quat(value.numbers()?).ok_or_else(|| value.wrong("a non-zero quaternion")),
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
            _ => Ok(z_to(direction(value.vector()?)?)),
        }
    }

    fn euler_quat(&self, angles: [f64; 3]) -> Quat {
        let turns = self.euler.iter().zip(angles);
        turns.fold(Quat::IDENTITY, |q, ((axis, is_body_fixed), angle)| {
            let turn = Quat::about(axis.unit(), angle * self.radians_per_unit);
            if *is_body_fixed { q.then(turn) } else { turn.then(q) }
        })
    }
}

/// Normalised quaternion.
pub(super) fn unit_quat(q: [f64; 4]) -> Option<Quat> {
    let norm = Quat(q).norm();
    (norm > 0.0 && norm.is_finite()).then(|| Quat(q).normalized())
}

/// The shortest rotation from the z axis to a direction; half a turn about x for the opposite direction.
pub(super) fn z_to(direction: Vec3) -> Quat {
    /// Below this sine the rotation axis is noise; MuJoCo's value.
    const PARALLEL: f64 = 1e-10;
    let axis = vec3(-direction.y, direction.x, 0.0);
    let sine = axis.norm();
    if sine < PARALLEL {
        return if direction.z > 0.0 { Quat::IDENTITY } else { Quat([0.0, 1.0, 0.0, 0.0]) };
    }
    // half the angle, from the larger of its sine and cosine
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
