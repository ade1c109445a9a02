//! A backpack, rigidly attached to the chest.
//!
//! The pack is a box of uniform density in contact with the back. Its inertia is added to that of the chest; links,
//! joints and coordinates are unchanged.

use super::parameter::REFERENCE_STATURE;
use crate::anatomy::{self, Part};
use crate::error::Error;
use anthropi_dynamics::model::{Figure, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Inertia, Sym3, Transform, Vec3, vec3};

/// Half extents of the pack (depth, breadth, height) for [`REFERENCE_STATURE`], m.
const HALF: Vec3 = Vec3 { x: 0.11, y: 0.17, z: 0.22 };
/// Half the depth of a chest without shape, m.
const HALF_CHEST: f64 = 0.1;

/// The figure with a pack of `mass` kg on its back.
///
/// # Errors
/// A mass that is negative, not finite or larger than the figure's own; a figure without a chest.
pub fn with_backpack(figure: &Figure, mass: f64, parts: &[(String, Part)]) -> Result<Figure, Error> {
    let max = figure.mass();
    if !(mass >= 0.0 && mass.is_finite()) {
        let what = "the mass of the load".into();
        return Err(Error::OutOfRange { what, value: mass, expected: "kilograms, zero or more" });
    }
    let refuse = |what: String| Error::Unsuitable { subject: figure.name.clone(), what };
    if mass > max {
        return Err(refuse(format!(
            "a load of {mass} kg is requested; the maximum is its own mass, {max:.1} kg"
        )));
    }
    if mass == 0.0 {
        return Ok(figure.clone());
    }
    let anatomy = anatomy::from_figure(figure, parts)?;
    let chest = anatomy.find(Part::Chest).and_then(|n| figure.links().nth(n));
    let (chest, link) = chest.ok_or_else(|| refuse("it has no chest to carry a load".into()))?;
    let size = figure.stature.unwrap_or(REFERENCE_STATURE) / REFERENCE_STATURE;
    // axes of the home pose: x forward, z up
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
        .unwrap_or(center.x - HALF_CHEST * size);
    let half = HALF.scale(size);
    let world_from_pack =
        Transform { translation: vec3(back - half.x, center.y, center.z), ..Transform::identity() };
    let link_from_pack = link_from_world * world_from_pack;
    let inertia = solid(mass, half).seen_from(&link_from_pack);
    let shape = PlacedShape { shape: Shape::Box { half }, link_from_shape: link_from_pack };
    Ok(figure.laden(chest, inertia, Some(shape))?)
}

/// A box of uniform density about its centre.
fn solid(mass: f64, half: Vec3) -> Inertia {
    let [x, y, z] = [half.x, half.y, half.z].map(|h| mass * h * h / 3.0);
    Inertia::about_center(mass, Vec3::ZERO, Sym3::diagonal(vec3(y + z, x + z, x + y)))
}
