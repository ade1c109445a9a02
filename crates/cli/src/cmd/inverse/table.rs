//! Table of torques, powers and ground forces over time.

use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::inverse::{ContactForce, Inverse};
use anthropi_motion::table::Table;

/// Smallest load with a centre of pressure, body weights.
const MIN_LOAD: f64 = 0.01;

/// One row per frame.
pub fn from_inverse(inverse: &Inverse) -> Table {
    let (clip, figure) = (&inverse.trajectory.clip, inverse.trajectory.clip.figure());
    let forest = figure.forest();
    let joints: Vec<(String, std::ops::Range<usize>)> = figure
        .joints()
        .filter(|(_, j)| !matches!(j.kind, JointKind::Free | JointKind::Fixed))
        .map(|(handle, j)| {
            let place = forest.joint_place(handle);
            (j.name.clone(), place.dofs())
        })
        .filter(|(_, range)| !range.is_empty())
        .collect();
    let mut links = Vec::new();
    for place in &inverse.schedule.points {
        if !links.contains(&place.link) {
            links.push(place.link);
        }
    }
    let mut table = Table { name: format!("{} inverse dynamics", clip.name), ..Table::default() };
    table.labels = figure.dof_names().into_iter().map(|n| format!("tau:{n}")).collect();
    table.labels.extend(joints.iter().map(|(name, _)| format!("power:{name}")));
    table.labels.extend(vector("ground:f"));
    table.labels.extend(vector("cop:"));
    for link in &links {
        let name = figure.link(*link).map_or("", |l| &l.spec.name);
        table.labels.extend(vector(&format!("{name}:f")));
        table.labels.extend(vector(&format!("{name}:p")));
    }
    for (frame, forces) in inverse.frames.iter().enumerate() {
        table.time.push(clip.time(frame));
        let (tau, v) = (inverse.tau(frame), inverse.trajectory.v(frame));
        table.values.extend_from_slice(tau);
        let power = |range: &std::ops::Range<usize>| range.clone().map(|k| tau[k] * v[k]).sum::<f64>();
        table.values.extend(joints.iter().map(|(_, range)| power(range)));
        let (force, point) = resultant(forces.contact_forces.iter(), inverse);
        table.values.extend(force.to_array().into_iter().chain(point.to_array()));
        for link in &links {
            let (force, point) = resultant(forces.contact_forces.iter().filter(|p| p.link == *link), inverse);
            table.values.extend(force.to_array().into_iter().chain(point.to_array()));
        }
    }
    table
}

fn vector(name: &str) -> [String; 3] {
    ["x", "y", "z"].map(|axis| format!("{name}{axis}"))
}

/// Sum of forces, and their centre of pressure; zero without load.
fn resultant<'a>(pushes: impl Iterator<Item = &'a ContactForce>, inverse: &Inverse) -> (Vec3, Vec3) {
    let normal = inverse.schedule.ground.normal();
    let (mut force, mut moment, mut press) = (Vec3::ZERO, Vec3::ZERO, 0.0);
    for p in pushes {
        let n = p.force.dot(normal);
        force += p.force;
        moment += p.at.scale(n);
        press += n;
    }
    let is_loaded = press > MIN_LOAD * inverse.weight();
    (force, if is_loaded { moment.scale(1.0 / press) } else { Vec3::ZERO })
}
