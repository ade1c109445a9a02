//! How strong people's joints are.
//!
//! Largest moments about each axis of a joint, N m per kg of body mass and m of stature; the strongest direction counts
//! for both. For a person of 75 kg and 1.75 m the hip has 300 N m.
//! Source: our own round numbers. Hip and knee have about 1.4 times the isometric maxima of young men of [AMN2007: lower limb],
//! since muscles that are stretched give more, as in landings; the ankle what runners show; the others in proportion.
//! We differ from that source: no dependence on angle and speed.

use crate::anatomy::{Anatomy, Part};
use anthropi_dynamics::model::Figure;

/// Moments a joint can give, N m for one kg and one m of stature, by the part that hangs on it.
pub const TABLE: [(&str, f64); 10] = [
    ("hip", 2.3),
    ("knee", 2.3),
    ("ankle", 2.0),
    ("toes", 0.3),
    ("waist", 2.6),
    ("neck", 0.6),
    ("shoulder", 1.0),
    ("elbow", 0.8),
    ("wrist", 0.2),
    ("finger", 0.06),
];

fn joint_of(part: Part) -> &'static str {
    match part {
        Part::Thigh(_) => "hip",
        Part::Shank(_) => "knee",
        Part::Foot(_) => "ankle",
        Part::Toes(_) => "toes",
        Part::Pelvis | Part::Abdomen | Part::Chest => "waist",
        Part::Neck | Part::Head => "neck",
        Part::Shoulder(_) | Part::UpperArm(_) => "shoulder",
        Part::Forearm(_) => "elbow",
        Part::Hand(_) => "wrist",
        Part::Finger(_) => "finger",
    }
}

/// Bounds of the joint moments of a figure, in the order of v: infinite for what is no part of a body, and at the root.
pub fn of_figure(figure: &Figure, anatomy: &Anatomy, scale: f64) -> Vec<f64> {
    let forest = figure.forest();
    let mut bounds = vec![f64::INFINITY; forest.nv()];
    let size = scale * figure.mass() * figure.stature.unwrap_or(1.7);
    for (handle, joint) in figure.joints() {
        let place = forest.joint_place(handle);
        let child = joint.child();
        let Some(part) = figure.links().position(|(l, _)| l == child).and_then(|n| anatomy.parts[n]) else {
            continue;
        };
        if place.nv == 6 {
            continue;
        }
        let name = joint_of(part);
        let bound = TABLE.iter().find(|(n, _)| *n == name).map_or(f64::INFINITY, |(_, b)| b * size);
        bounds[place.iv..place.iv + place.nv].fill(bound);
    }
    bounds
}
