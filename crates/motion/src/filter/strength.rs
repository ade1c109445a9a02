//! Torque limits of the joints: human strength, or the motors of a robot.
//!
//! Largest moments about each axis of a joint, N m per kg of body mass and m of stature; both directions have the value of
//! the stronger one. For a person of 75 kg and 1.75 m the hip has 300 N m.
//! Source: our own round numbers. Hip and knee have about 1.4 times the isometric maxima of young men of [AMN2007: lower limb],
//! because stretched muscles are stronger, as in landings; the ankle that of runners; the others in proportion.
//! We differ from that source: no dependence on angle and speed. Robots have the effort limits of their motors.

use crate::anatomy::{Anatomy, Part};
use crate::note::Note;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, JointHandle};

/// Largest moment of the joint at the upper end of a body part, N m per kg and m of stature.
fn largest_moment(part: Part) -> f64 {
    match part {
        // hip, knee, ankle
        Part::Thigh(_) | Part::Shank(_) => 2.3,
        Part::Foot(_) => 2.0,
        Part::Toes(_) => 0.3,
        Part::Pelvis | Part::Abdomen | Part::Chest => 2.6,
        Part::Neck | Part::Head => 0.6,
        // shoulder, elbow, wrist
        Part::Shoulder(_) | Part::UpperArm(_) => 1.0,
        Part::Forearm(_) => 0.8,
        Part::Hand(_) => 0.2,
        Part::Finger(_) => 0.06,
    }
}

/// Torque limits of a figure, in the order of v: infinite at the root and for unknown body parts. Motors with an effort limit
/// have that limit.
pub fn from_figure(figure: &Figure, anatomy: &Anatomy, scale: f64) -> Vec<f64> {
    let forest = figure.forest();
    let mut bounds = vec![f64::INFINITY; forest.nv()];
    let size = scale * figure.mass() * figure.stature.unwrap_or(1.7);
    for (handle, joint) in figure.joints() {
        let place = forest.joint_place(handle);
        let child = joint.child();
        let Some(part) = figure.links().position(|(l, _)| l == child).and_then(|n| anatomy.parts[n]) else {
            continue;
        };
        if place.nv != 6 {
            bounds[place.dofs()].fill(largest_moment(part) * size);
        }
    }
    if let Motors::Efforts(efforts) = Motors::from_figure(figure) {
        for (joint, effort) in efforts {
            let place = forest.joint_place(joint);
            bounds[place.dofs()].fill(scale * effort);
        }
    }
    bounds
}

/// A note on the torque limits, unless they are those of the table.
pub fn report(figure: &Figure) -> Option<Note> {
    match Motors::from_figure(figure) {
        Motors::None => None,
        Motors::Placeholder(effort) => Some(Note::warning(format!(
            "all joints have the same effort limit, {effort} N m, which looks like a placeholder: human strength is used"
        ))),
        Motors::Efforts(efforts) => {
            let min = efforts.iter().fold(f64::INFINITY, |min, (_, e)| min.min(*e));
            let max = efforts.iter().fold(0.0_f64, |max, (_, e)| max.max(*e));
            let all = figure.joints().filter(|(_, j)| is_motor(j.kind)).count();
            let rest = if efforts.len() < all { "; other joints have human strength" } else { "" };
            Some(format!("joint strength from the effort limits, {min} to {max} N m{rest}").into())
        }
    }
}

/// Motors of a figure.
enum Motors {
    /// not a robot, or no effort limits
    None,
    /// the same effort limit everywhere
    Placeholder(f64),
    /// effort limits, N m or N
    Efforts(Vec<(JointHandle, f64)>),
}

impl Motors {
    /// Robots have one-axis joints only. Human figures have ball joints, whose effort limits are for simulation.
    fn from_figure(figure: &Figure) -> Motors {
        let moving =
            || figure.joints().filter(|(_, j)| !matches!(j.kind, JointKind::Fixed | JointKind::Free));
        if !moving().all(|(_, j)| is_motor(j.kind)) {
            return Motors::None;
        }
        // many files use zero for unknown
        let is_given = |e: f64| e > 0.0 && e.is_finite();
        let efforts: Vec<(JointHandle, f64)> =
            moving().map(|(h, j)| (h, j.dof[0].effort)).filter(|(_, e)| is_given(*e)).collect();
        match efforts.first() {
            None => Motors::None,
            Some((_, first)) if efforts.len() > 1 && efforts.iter().all(|(_, e)| e == first) => {
                Motors::Placeholder(*first)
            }
            Some(_) => Motors::Efforts(efforts),
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
        from_figure(figure, &none, scale)[6..].to_vec()
    }

    #[test]
    fn motors_have_their_effort_limits() {
        let hinge = JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) };
        let robot = figure(&[(hinge, 88.0), (hinge, 139.0), (hinge, 0.0)]);
        assert_eq!(bounds(&robot, 1.0), [88.0, 139.0, f64::INFINITY]);
        assert_eq!(bounds(&robot, 0.5), [44.0, 69.5, f64::INFINITY]);
        assert_eq!(bounds(&robot, f64::INFINITY), [f64::INFINITY; 3]);
        let note = report(&robot).unwrap();
        assert!(note.contains("88 to 139 N m; other joints have human strength"), "{note}");
        // the same number everywhere is a placeholder
        let alike = figure(&[(hinge, 30.0), (hinge, 30.0)]);
        assert_eq!(bounds(&alike, 1.0), [f64::INFINITY; 2]);
        assert!(report(&alike).unwrap().contains("placeholder"));
        // figures with ball joints are human
        let person = figure(&[(hinge, 30.0), (JointKind::Spherical, 40.0)]);
        assert_eq!((bounds(&person, 1.0), report(&person)), (vec![f64::INFINITY; 4], None));
    }
}
