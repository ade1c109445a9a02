//! Mass properties of bodies: the inertial element, and the compiler's adjustments.

use super::settings::{ORIENTATIONS, Settings};
use crate::error::Error;
use crate::xml::Element;
use anthropi_dynamics::spatial::{Inertia, Sym3, Vec3, vec3};

/// Reads an `inertial` element.
pub(super) fn inertial(element: &Element, settings: &Settings) -> Result<Inertia, Error> {
    let mass = element.require("mass")?.not_negative()?;
    let full: Option<[f64; 6]> = element.numbers("fullinertia")?;
    let central = match full {
        Some([xx, yy, zz, xy, xz, yz]) => {
            if ORIENTATIONS.iter().any(|a| element.get(a).is_some()) {
                return Err(
                    element.wrong("fullinertia", "conflicts with an orientation; give only one of them")
                );
            }
            Sym3 { xx, yy, zz, xy, xz, yz }
        }
        None => Sym3::diagonal(element.vector("diaginertia")?.unwrap_or_default()),
    };
    let place = settings.placement(element)?;
    Ok(place * Inertia::about_center(mass, Vec3::ZERO, central))
}

/// Applies the compiler's `boundmass`, `boundinertia` and `balanceinertia`.
pub(super) fn adjusted(inertia: Inertia, settings: &Settings) -> Inertia {
    let s = settings;
    let mass = inertia.mass.max(s.bound_mass);
    let ([a, b, c], axes) = inertia.central().eigen();
    let mut moments = [a, b, c].map(|x| x.max(s.bound_inertia));
    let [x, y, z] = moments;
    let is_impossible = x + y < z || y + z < x || z + x < y;
    if s.balance_inertia && is_impossible {
        moments = [(x + y + z) / 3.0; 3];
    }
    if mass == inertia.mass && moments == [a, b, c] {
        return inertia;
    }
    let central = Sym3::turned(&Sym3::diagonal(vec3(moments[0], moments[1], moments[2])), &axes);
    Inertia::about_center(mass, inertia.center(), central)
}
