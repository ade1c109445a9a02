//! Torques and powers of the joints with the largest torques, left and right overlaid.

use super::curves::plot;
use super::{figure, section};
use crate::assessment::Assessment;
use crate::plot::{Series, Sheet};
use anthropi_dynamics::joint::JointKind;
use anthropi_motion::anatomy::{self, Part, Side};
use std::ops::Range;

/// Most joints (or pairs) shown.
const SHOWN: usize = 8;
/// Size of a plot, pixels, and most points of a line in it.
const SIZE: (f64, f64) = (470.0, 200.0);
const LEFT: f64 = 62.0;
const POINTS: usize = 500;

/// A joint or a left-right pair.
struct Group {
    name: String,
    /// name in the legend and degrees of freedom of each
    joints: Vec<(String, Range<usize>)>,
    /// highest torque, N m
    most: f64,
}

/// Writes the section.
pub fn write(out: &mut String, motion: &Assessment) {
    let groups = largest(motion);
    if groups.is_empty() {
        return;
    }
    section(out, "joints", "Joints");
    out.push_str(
        "<p class=\"note\">The joints with the highest torques. Torque: norm over all axes of a joint. Power: positive when \
         muscles generate, negative when they absorb.</p>\n<div class=\"multiples\">\n",
    );
    let sheet = Sheet { left: LEFT, ..motion.sheet(SIZE.0, SIZE.1) };
    for group in &groups {
        let peak = format!("up to {:.0} N m", group.most);
        let draw = |of: fn(&Assessment, usize, &Range<usize>) -> f64, unit: &str| {
            let lines = group.joints.iter().map(|(name, dofs)| line(motion, name, |i| of(motion, i, dofs)));
            plot(unit, lines.collect()).to_svg_on(&sheet)
        };
        figure(out, &format!("{}, torque", group.name), &peak, &draw(torque, "torque, N m"));
        figure(out, &format!("{}, power", group.name), "", &draw(power, "power, W"));
    }
    out.push_str("</div>\n</section>\n");
}

fn torque(motion: &Assessment, frame: usize, dofs: &Range<usize>) -> f64 {
    motion.inverse.tau(frame)[dofs.clone()].iter().map(|t| t * t).sum::<f64>().sqrt()
}

fn power(motion: &Assessment, frame: usize, dofs: &Range<usize>) -> f64 {
    let (tau, v) = (motion.inverse.tau(frame), motion.inverse.trajectory.v(frame));
    dofs.clone().map(|k| tau[k] * v[k]).sum()
}

fn line(motion: &Assessment, name: &str, of: impl Fn(usize) -> f64) -> Series {
    let assessed = &motion.certificate.assessed;
    let value = |i: usize| if assessed.contains(&i) { of(i) } else { f64::NAN };
    let points = (0..motion.frames()).map(|i| (motion.time(i), value(i))).collect();
    Series { name: name.into(), points }.thinned(POINTS)
}

/// Groups with the highest torques, highest first.
fn largest(motion: &Assessment) -> Vec<Group> {
    let mut groups = groups(motion);
    for group in &mut groups {
        let all = motion.certificate.assessed.clone();
        let sizes = all.flat_map(|i| group.joints.iter().map(move |(_, dofs)| torque(motion, i, dofs)));
        group.most = sizes.fold(0.0, f64::max);
    }
    groups.sort_by(|a, b| b.most.total_cmp(&a.most));
    groups.truncate(SHOWN);
    groups
}

/// All moving joints, left and right paired: the k-th of a part with the k-th of the mirrored part.
fn groups(motion: &Assessment) -> Vec<Group> {
    let figure = motion.inverse.trajectory.clip.figure();
    let anatomy = anatomy::from_figure(figure, &[]).unwrap_or_default();
    let mut keys: Vec<(Option<(Part, usize)>, Group)> = Vec::new();
    for (i, (_, link)) in figure.links().enumerate() {
        let Ok(joint) = figure.joint(link.joint()) else { continue };
        let place = figure.forest().joint_place(link.joint());
        if matches!(joint.kind, JointKind::Free | JointKind::Fixed) || place.nv == 0 {
            continue;
        }
        let dofs = place.dofs();
        let part = anatomy.parts.get(i).copied().flatten();
        let Some((part, side)) = part.and_then(|p| Some((p, p.side()?))) else {
            keys.push((
                None,
                Group { name: joint.name.clone(), joints: vec![(joint.name.clone(), dofs)], most: 0.0 },
            ));
            continue;
        };
        let nth = anatomy.nodes(part).take_while(|k| *k < i).count();
        let left = if side == Side::Right { part.mirrored() } else { part };
        // left first, in the first colour
        let at = if side == Side::Left { 0 } else { usize::MAX };
        match keys.iter_mut().find(|(key, _)| *key == Some((left, nth))) {
            Some((_, group)) => group.joints.insert(at.min(group.joints.len()), (joint.name.clone(), dofs)),
            None => {
                let name = if nth == 0 { name_of(left) } else { None }.unwrap_or(&joint.name).to_string();
                let group = Group { name, joints: vec![(joint.name.clone(), dofs)], most: 0.0 };
                keys.push((Some((left, nth)), group));
            }
        }
    }
    keys.into_iter().map(|(_, group)| group).collect()
}

/// Common name of the joint at the top of a part.
fn name_of(part: Part) -> Option<&'static str> {
    Some(match part {
        Part::Thigh(_) => "Hip",
        Part::Shank(_) => "Knee",
        Part::Foot(_) => "Ankle",
        Part::Toes(_) => "Toes",
        Part::Shoulder(_) => "Clavicle",
        Part::UpperArm(_) => "Shoulder",
        Part::Forearm(_) => "Elbow",
        Part::Hand(_) => "Wrist",
        _ => return None,
    })
}
