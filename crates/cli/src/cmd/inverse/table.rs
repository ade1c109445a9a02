//! Torques, powers and ground forces as columns over time.

use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::inverse::{Inverse, Push};
use anthropi_motion::table::Table;

/// Less than this part of the weight has no centre of pressure.
const UNLOADED: f64 = 0.01;

/// All that is known of each frame.
pub fn of(inverse: &Inverse) -> Table {
    let (clip, figure) = (&inverse.trajectory.clip, inverse.trajectory.clip.figure());
    let forest = figure.forest();
    let joints: Vec<(String, std::ops::Range<usize>)> = figure
        .joints()
        .filter(|(_, j)| !matches!(j.kind, JointKind::Free | JointKind::Fixed))
        .map(|(handle, j)| {
            let place = forest.joint_place(handle);
            (j.name.clone(), place.iv..place.iv + place.nv)
        })
        .filter(|(_, range)| !range.is_empty())
        .collect();
    let mut links = Vec::new();
    for place in &inverse.touches.places {
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
        let (force, point) = resultant(forces.pushes.iter(), inverse);
        table.values.extend(force.to_array().into_iter().chain(point.to_array()));
        for link in &links {
            let (force, point) = resultant(forces.pushes.iter().filter(|p| p.link == *link), inverse);
            table.values.extend(force.to_array().into_iter().chain(point.to_array()));
        }
    }
    table
}

fn vector(name: &str) -> [String; 3] {
    ["x", "y", "z"].map(|axis| format!("{name}{axis}"))
}

/// Sum of forces, and where they press: the mean of their points by what presses; zero without load.
fn resultant<'a>(pushes: impl Iterator<Item = &'a Push>, inverse: &Inverse) -> (Vec3, Vec3) {
    let normal = inverse.touches.ground.normal();
    let (mut force, mut moment, mut press) = (Vec3::ZERO, Vec3::ZERO, 0.0);
    for p in pushes {
        let n = p.force.dot(normal);
        force += p.force;
        moment += p.at.scale(n);
        press += n;
    }
    let is_loaded = press > UNLOADED * inverse.weight();
    (force, if is_loaded { moment.scale(1.0 / press) } else { Vec3::ZERO })
}
