//! Mass properties of bodies: the inertial element, and what the compiler does to all of them.

use super::settings::{ORIENTATIONS, Settings};
use crate::error::Error;
use crate::xml::Element;
use anthropi_dynamics::spatial::{Inertia, Sym3, Vec3, vec3};

/// What an `inertial` element says.
pub(super) fn inertial(element: &Element, settings: &Settings) -> Result<Inertia, Error> {
    let mass = element.require("mass")?;
    if mass.number()? < 0.0 {
        return Err(mass.wrong("zero or more"));
    }
    let full: Option<[f64; 6]> = element.numbers("fullinertia")?;
    let central = match full {
        Some([xx, yy, zz, xy, xz, yz]) => {
            if ORIENTATIONS.iter().any(|a| element.get(a).is_some()) {
                return Err(
                    element.wrong("fullinertia", "found beside an orientation, expected one of the two")
                );
            }
            Sym3 { xx, yy, zz, xy, xz, yz }
        }
        None => Sym3::diagonal(Vec3::from_array(&element.numbers("diaginertia")?.unwrap_or([0.0; 3]))),
    };
    let place = settings.placement(element)?;
    Ok(place * Inertia::about_center(mass.number()?, Vec3::ZERO, central))
}

/// Smallest mass and moments, and moments made possible, as the compiler asks.
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
