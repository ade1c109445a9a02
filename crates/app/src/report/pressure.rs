//! Contact forces summed over links or feet, with their centres of pressure.

use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::filter::{Filtered, GroundForce};
use std::ops::Range;

/// Forces below this fraction of the weight have no arrow.
pub const MIN_ARROW: f64 = 0.03;

/// Centre of pressure and force of each group of contacts that carries more than `least`, N.
pub fn centres<K: PartialEq>(
    forces: &[GroundForce],
    group: impl Fn(&GroundForce) -> K,
    least: f64,
) -> Vec<(Vec3, Vec3)> {
    let mut sums: Vec<(K, Vec3, Vec3, f64)> = Vec::new();
    for f in forces {
        let (key, pressure) = (group(f), f.normal.dot(f.force));
        let at = f.at.scale(pressure);
        match sums.iter_mut().find(|(k, ..)| *k == key) {
            Some((_, force, moment, sum)) => {
                (*force, *moment, *sum) = (*force + f.force, *moment + at, *sum + pressure);
            }
            None => sums.push((key, f.force, at, pressure)),
        }
    }
    let loaded = sums.iter().filter(|(.., pressure)| *pressure > least);
    loaded.map(|(_, force, at, pressure)| (at.scale(1.0 / pressure), *force)).collect()
}

/// Frames in which a contact point of a filtered motion is loaded.
pub fn intervals(filtered: &Filtered, point: usize) -> Vec<Range<usize>> {
    let is_loaded = |forces: &Vec<GroundForce>| forces.iter().any(|f| f.contact_point == point);
    let on: Vec<bool> = filtered.forces.iter().map(is_loaded).collect();
    anthropi_motion::contact_schedule::intervals(&on)
}
