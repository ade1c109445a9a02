//! Geoms: the shapes of a body, and its mass where it has no `inertial`.

use super::defaults::Complete;
use super::settings::{ORIENTATIONS, Settings, z_to};
use crate::error::Error;
use crate::names::clipped;
use crate::xml::{Value, Warnings};
use anthropi_dynamics::model::{PlacedShape, Shape};
use anthropi_dynamics::spatial::{Inertia, Transform, Vec3, vec3};

/// Default density, kg/m^3.
const DEFAULT_DENSITY: f64 = 1000.0;

/// Shapes and mass of the geoms of one body.
#[derive(Debug, Default)]
pub(super) struct Solids {
    colliding: Vec<PlacedShape>,
    visual: Vec<PlacedShape>,
    /// of the geoms with mass
    pub inertia: Inertia,
    /// meshes with mass
    pub meshes: Vec<MeshGeom>,
    /// other solids of unknown mass
    pub without_mass: Vec<String>,
}

/// A mesh in the frame of its body, with its mass or density.
#[derive(Debug)]
pub(super) struct MeshGeom {
    pub mesh: String,
    place: Transform,
    mass: Option<f64>,
    density: f64,
}

impl MeshGeom {
    /// Inertia, given the inertia at unit density.
    pub fn inertia(&self, unit: Inertia) -> Inertia {
        self.place * unit.scaled(1.0, self.mass.map_or(self.density, |m| m / unit.mass))
    }
}

impl Solids {
    /// The shapes of the link: those that collide, or all if none does.
    pub fn shapes(self) -> Vec<PlacedShape> {
        if self.colliding.is_empty() { self.visual } else { self.colliding }
    }

    /// Adds a geom; `frame` is the placement by its frame elements.
    pub fn add(
        &mut self,
        geom: &Complete,
        frame: &Transform,
        settings: &Settings,
        warnings: &mut Warnings,
    ) -> Result<(), Error> {
        let mass = geom.get("mass").map(Value::number).transpose()?;
        let density = geom.number("density", DEFAULT_DENSITY)?;
        let group = geom.number("group", 0.0)?;
        let counts = settings.groups[0] <= group && group <= settings.groups[1];
        let place = *frame * placement(geom, settings)?;
        let Some(shape) = shape(geom, warnings)? else {
            let has_mass = mass.unwrap_or(density) != 0.0;
            match (geom.text("type"), geom.text("mesh")) {
                _ if !counts || !has_mass => {}
                (Some("plane"), _) => {}
                (Some("mesh"), Some(mesh)) => {
                    check_mass(mass.unwrap_or(density), mass, geom)?;
                    self.meshes.push(MeshGeom { mesh: mesh.into(), place, mass, density });
                }
                (_, name) => {
                    let name = name.or(geom.text("name")).unwrap_or("unnamed");
                    self.without_mass.push(clipped(name));
                }
            }
            return Ok(());
        };
        shape.check().map_err(|e| geom.element.refused(e))?;
        if counts {
            let solid = shape.inertia(density).map_err(|e| geom.element.refused(e))?;
            self.inertia = self.inertia + place * with_mass(&shape, solid, mass, geom)?;
            if geom.get("shellinertia").map(Value::flag).transpose()? == Some(true) {
                warnings.group(geom.element, "shellinertia is not supported; treated as a solid");
            }
        }
        let touches = geom.number("contype", 1.0)? != 0.0 || geom.number("conaffinity", 1.0)? != 0.0;
        let list = if touches { &mut self.colliding } else { &mut self.visual };
        list.push(PlacedShape { shape, link_from_shape: place });
        Ok(())
    }
}

fn with_mass(shape: &Shape, solid: Inertia, mass: Option<f64>, geom: &Complete) -> Result<Inertia, Error> {
    let inertia = match mass {
        None => solid,
        Some(m) => {
            let unit = shape.inertia(1.0).map_err(|e| geom.element.refused(e))?;
            unit.scaled(1.0, m / unit.mass)
        }
    };
    let number = if inertia.is_finite() { inertia.mass } else { f64::NAN };
    check_mass(number, mass, geom).map(|()| inertia)
}

fn check_mass(number: f64, mass: Option<f64>, geom: &Complete) -> Result<(), Error> {
    if number >= 0.0 {
        return Ok(());
    }
    let field = if mass.is_some() { "mass" } else { "density" };
    Err(geom.element.wrong(field, format!("gives a mass of {number}, expected zero or more")))
}

/// The solid; `None` for planes and unsupported types.
fn shape(geom: &Complete, warnings: &mut Warnings) -> Result<Option<Shape>, Error> {
    let kind = geom.text("type").unwrap_or("sphere");
    if matches!(kind, "plane") {
        return Ok(None);
    }
    if matches!(kind, "mesh" | "hfield" | "sdf") || geom.get("mesh").is_some() {
        warnings.leave_out(&format!("geom {}", if geom.get("mesh").is_some() { "mesh" } else { kind }));
        return Ok(None);
    }
    let size = geom.get("size").map(|v| v.list(3)).transpose()?.unwrap_or_default();
    let ends = geom.get("fromto").map(Value::numbers).transpose()?;
    let along = ends.map(|[a, b, c, d, e, f]| 0.5 * vec3(a - d, b - e, c - f).norm());
    let need = |count: usize| match size.get(count - 1) {
        Some(_) => Ok(()),
        None => Err(match geom.get("size") {
            Some(v) => v.wrong(&format!("at least {count} numbers for a {kind}")),
            None => geom.element.wrong("size", "missing"),
        }),
    };
    // `fromto` overrides the long half axis
    let long = |at: usize| -> Result<f64, Error> {
        need(if along.is_some() { 1 } else { at + 1 })?;
        Ok(along.unwrap_or_else(|| size[at]))
    };
    let half = || -> Result<Vec3, Error> {
        let z = long(2)?;
        Ok(if along.is_some() { vec3(size[0], size[0], z) } else { vec3(size[0], size[1], z) })
    };
    Ok(Some(match kind {
        "sphere" => {
            need(1)?;
            Shape::Sphere { radius: size[0] }
        }
        // the length first: it checks the number of sizes
        "capsule" => Shape::Capsule { half_length: long(1)?, radius: size[0] },
        "cylinder" => Shape::Cylinder { half_length: long(1)?, radius: size[0] },
        "box" => Shape::Box { half: half()? },
        "ellipsoid" => Shape::Ellipsoid { half: half()? },
        _ => {
            let expected = "plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh or sdf";
            return Err(geom.wrong("type", expected));
        }
    }))
}

/// Placement of a geom or a site.
pub(super) fn placement(geom: &Complete, settings: &Settings) -> Result<Transform, Error> {
    // a sphere has no length
    if geom.text("type").unwrap_or("sphere") != "sphere"
        && let Some(value) = geom.get("fromto")
    {
        let [a, b, c, d, e, f] = value.numbers()?;
        let (from, to) = (vec3(a, b, c), vec3(d, e, f));
        let z = (from - to).normalized().ok_or_else(|| value.wrong("two different points"))?;
        return Ok(Transform::new((from + to).scale(0.5), z_to(z)));
    }
    let position = geom.vector("pos", Vec3::ZERO)?;
    Ok(Transform::new(position, settings.rotation(geom.first_of(&ORIENTATIONS))?))
}
