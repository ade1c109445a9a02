//! A load that is carried: a pack on the back, one with the chest.
//!
//! The pack is a box of even density whose face lies against the back. Its inertia is added to the chest's by the
//! parallel-axis theorem; links, joints and coordinates stay as they are.

use crate::anatomy::{self, Part};
use crate::error::Error;
use anthropi_dynamics::model::{Figure, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Inertia, Sym3, Transform, Vec3, vec3};

/// Heaviest pack, parts of the mass of who carries it.
pub const HEAVIEST: f64 = 1.0;
/// Half edges of the pack of a person of 1.70 m: depth, breadth, height, m.
const HALF: Vec3 = Vec3 { x: 0.11, y: 0.17, z: 0.22 };
/// Stature of that person, m.
const STATURE: f64 = 1.7;
/// Half of the chest's depth where it has no shape, m.
const BACK: f64 = 0.1;

/// The figure with a pack of `mass` kg on its back.
///
/// # Errors
/// A mass below zero, none, or more than the figure's own; a figure without a chest.
pub fn laden(figure: &Figure, mass: f64, parts: &[(String, Part)]) -> Result<Figure, Error> {
    let most = HEAVIEST * figure.mass();
    if !(mass >= 0.0 && mass.is_finite()) {
        let what = "the mass of the load".into();
        return Err(Error::OutOfRange { what, value: mass, expected: "kilograms from zero on" });
    }
    let refuse = |what: String| Error::Unsuitable { subject: figure.name.clone(), what };
    if mass > most {
        return Err(refuse(format!(
            "a load of {mass} kg is asked for; at most its own mass of {most:.1} kg can be carried"
        )));
    }
    if mass == 0.0 {
        return Ok(figure.clone());
    }
    let anatomy = anatomy::of_figure(figure, parts)?;
    let chest = anatomy.find(Part::Chest).and_then(|n| figure.links().nth(n));
    let (chest, link) = chest.ok_or_else(|| refuse("it has no chest that could carry a load".into()))?;
    let size = figure.stature.unwrap_or(STATURE) / STATURE;
    // walking axes at the link: x ahead, z up
    let world_from_link = figure.home_pose(chest);
    let link_from_world = world_from_link.inverse();
    let x = vec3(1.0, 0.0, 0.0);
    let center = world_from_link.point(link.spec.inertia.center());
    let back = link
        .spec
        .shapes
        .iter()
        .map(|s| s.shape.extent(&(world_from_link * s.link_from_shape), x).0)
        .reduce(f64::min)
        .unwrap_or(center.x - BACK * size);
    let half = HALF.scale(size);
    let world_from_pack =
        Transform { translation: vec3(back - half.x, center.y, center.z), ..Transform::identity() };
    let link_from_pack = link_from_world * world_from_pack;
    let inertia = solid(mass, half).seen_from(&link_from_pack);
    let shape = PlacedShape { shape: Shape::Box { half }, link_from_shape: link_from_pack };
    Ok(figure.laden(chest, inertia, Some(shape))?)
}

/// A box of even density about its middle.
fn solid(mass: f64, half: Vec3) -> Inertia {
    let [x, y, z] = [half.x, half.y, half.z].map(|h| mass * h * h / 3.0);
    Inertia::about_center(mass, Vec3::ZERO, Sym3::diagonal(vec3(y + z, x + z, x + y)))
}
