//! How strong people's joints are.
//!
//! Largest moments about each axis of a joint, N m per kg of body mass and m of stature; the strongest direction counts
//! for both. For a person of 75 kg and 1.75 m the hip has 300 N m.
//! Source: our own round numbers. Hip and knee have about 1.4 times the isometric maxima of young men of [AMN2007: lower limb],
//! since muscles that are stretched give more, as in landings; the ankle what runners show; the others in proportion.
//! We differ from that source: no dependence on angle and speed. Robots are as strong as their motors' efforts.

use crate::anatomy::{Anatomy, Part};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, JointHandle};

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
/// Motors that say the most they give are as strong as that.
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
    if let Motors::Told(efforts) = Motors::of(figure) {
        for (joint, effort) in efforts {
            let place = forest.joint_place(joint);
            bounds[place.iv..place.iv + place.nv].fill(scale * effort);
        }
    }
    bounds
}

/// A sentence on whose strength joints have, where it is not people's as a matter of course.
pub fn told(figure: &Figure) -> Option<String> {
    match Motors::of(figure) {
        Motors::None => None,
        Motors::Alike(effort) => Some(format!(
            "all joints have the same effort, {effort} N m: taken for no more than a placeholder, joints are as strong as \
             people's"
        )),
        Motors::Told(efforts) => {
            let (least, most) = efforts
                .iter()
                .fold((f64::INFINITY, 0.0_f64), |(least, most), (_, e)| (least.min(*e), most.max(*e)));
            let all = figure.joints().filter(|(_, j)| is_motor(j.kind)).count();
            let rest = if efforts.len() < all { "; the others as people's" } else { "" };
            Some(format!("joints are as strong as their efforts say, {least} to {most} N m{rest}"))
        }
    }
}

/// The joints of a figure as motors.
enum Motors {
    /// a body with other joints than motors have, or motors that do not say what they give
    None,
    /// all say the same
    Alike(f64),
    /// joints that say the most they give, N m or N
    Told(Vec<(JointHandle, f64)>),
}

impl Motors {
    /// A robot: every joint that moves has one axis. Bodies of people have ball joints, whose efforts are for simulation.
    fn of(figure: &Figure) -> Motors {
        let moving =
            || figure.joints().filter(|(_, j)| !matches!(j.kind, JointKind::Fixed | JointKind::Free));
        if !moving().all(|(_, j)| is_motor(j.kind)) {
            return Motors::None;
        }
        // many files say zero where they know nothing
        let says = |e: f64| e > 0.0 && e.is_finite();
        let efforts: Vec<(JointHandle, f64)> =
            moving().map(|(h, j)| (h, j.dof[0].effort)).filter(|(_, e)| says(*e)).collect();
        match efforts.first() {
            None => Motors::None,
            Some((_, first)) if efforts.len() > 1 && efforts.iter().all(|(_, e)| e == first) => {
                Motors::Alike(*first)
            }
            Some(_) => Motors::Told(efforts),
        }
    }
}

fn is_motor(kind: JointKind) -> bool {
    matches!(kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkSpec};
    use anthropi_dynamics::spatial::{Inertia, Sym3, Transform, Vec3, vec3};

    /// A trunk with joints of these kinds and efforts on it.
    fn figure(joints: &[(JointKind, f64)]) -> Figure {
        let solid = |name: &str| {
            let inertia = Sym3::diagonal(vec3(0.1, 0.1, 0.1));
            LinkSpec::new(name, Inertia::about_center(2.0, Vec3::ZERO, inertia))
        };
        let mut b = FigureBuilder::new("robot");
        let trunk = b.add(solid("trunk"), JointSpec::new("root", JointKind::Free)).unwrap();
        for (k, (kind, effort)) in joints.iter().enumerate() {
            let mut joint = JointSpec::new(format!("motor{k}"), *kind).on(trunk, Transform::identity());
            joint.dof.iter_mut().for_each(|d| d.effort = *effort);
            b.add(solid(&format!("arm{k}")), joint).unwrap();
        }
        b.build().unwrap()
    }

    fn bounds(figure: &Figure, scale: f64) -> Vec<f64> {
        let mut none = Anatomy::default();
        none.parts = vec![None; figure.links().count()];
        of_figure(figure, &none, scale)[6..].to_vec()
    }

    #[test]
    fn motors_are_as_strong_as_they_say() {
        let hinge = JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) };
        let robot = figure(&[(hinge, 88.0), (hinge, 139.0), (hinge, 0.0)]);
        assert_eq!(bounds(&robot, 1.0), [88.0, 139.0, f64::INFINITY]);
        assert_eq!(bounds(&robot, 0.5), [44.0, 69.5, f64::INFINITY]);
        assert_eq!(bounds(&robot, f64::INFINITY), [f64::INFINITY; 3]);
        assert!(
            told(&robot).unwrap().contains("88 to 139 N m; the others as people's"),
            "{:?}",
            told(&robot)
        );
        // the same number everywhere is nobody's strength
        let alike = figure(&[(hinge, 30.0), (hinge, 30.0)]);
        assert_eq!(bounds(&alike, 1.0), [f64::INFINITY; 2]);
        assert!(told(&alike).unwrap().contains("placeholder"));
        // bodies with balls are people's
        let person = figure(&[(hinge, 30.0), (JointKind::Spherical, 40.0)]);
        assert_eq!((bounds(&person, 1.0), told(&person)), (vec![f64::INFINITY; 4], None));
    }
}
