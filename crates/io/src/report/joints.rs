//! Torques and powers of the largest joints, left and right overlaid.

use super::curves::plot;
use super::{Report, figure, section};
use crate::plot::{Series, Sheet};
use anthropi_dynamics::joint::JointKind;
use anthropi_motion::anatomy::{self, Part, Side};
use std::ops::Range;

/// So many joints (pairs of them) are shown.
const SHOWN: usize = 8;
/// Size of a plot, pixels, and most points of a line in it.
const SIZE: (f64, f64) = (470.0, 200.0);
const LEFT: f64 = 62.0;
const POINTS: usize = 500;

/// A joint or a pair of them.
struct Group {
    name: String,
    /// what each is called in the legend, and its degrees of freedom
    joints: Vec<(String, Range<usize>)>,
    /// highest torque, N m
    most: f64,
}

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    let groups = largest(report);
    if groups.is_empty() {
        return;
    }
    section(out, "joints", "Joints");
    out.push_str(
        "<p class=\"note\">The joints with the highest torques. Torque: size of the vector over all axes of a joint. Power: \
         positive where muscles drive, negative where they brake.</p>\n<div class=\"multiples\">\n",
    );
    let sheet = Sheet { left: LEFT, ..report.sheet(SIZE.0, SIZE.1) };
    for group in &groups {
        let peak = format!("up to {:.0} N m", group.most);
        let draw = |of: fn(&Report, usize, &Range<usize>) -> f64, unit: &str| {
            let lines = group.joints.iter().map(|(name, dofs)| line(report, name, |i| of(report, i, dofs)));
            plot(unit, lines.collect()).to_svg_on(&sheet)
        };
        figure(out, &format!("{}, torque", group.name), &peak, &draw(torque, "torque, N m"));
        figure(out, &format!("{}, power", group.name), "", &draw(power, "power, W"));
    }
    out.push_str("</div>\n</section>\n");
}

fn torque(report: &Report, frame: usize, dofs: &Range<usize>) -> f64 {
    report.inverse.tau(frame)[dofs.clone()].iter().map(|t| t * t).sum::<f64>().sqrt()
}

fn power(report: &Report, frame: usize, dofs: &Range<usize>) -> f64 {
    let (tau, v) = (report.inverse.tau(frame), report.inverse.trajectory.v(frame));
    dofs.clone().map(|k| tau[k] * v[k]).sum()
}

fn line(report: &Report, name: &str, of: impl Fn(usize) -> f64) -> Series {
    let judged = &report.certificate.judged;
    let value = |i: usize| if judged.contains(&i) { of(i) } else { f64::NAN };
    let points = (0..report.frames()).map(|i| (report.time(i), value(i))).collect();
    Series { name: name.into(), points }.thinned(POINTS)
}

/// Groups with the highest torques, highest first.
fn largest(report: &Report) -> Vec<Group> {
    let mut groups = groups(report);
    for group in &mut groups {
        let all = report.certificate.judged.clone();
        let sizes = all.flat_map(|i| group.joints.iter().map(move |(_, dofs)| torque(report, i, dofs)));
        group.most = sizes.fold(0.0, f64::max);
    }
    groups.sort_by(|a, b| b.most.total_cmp(&a.most));
    groups.truncate(SHOWN);
    groups
}

/// All joints that move, partners together: the k-th of a part with the k-th of the same part of the other side.
fn groups(report: &Report) -> Vec<Group> {
    let figure = report.inverse.trajectory.clip.figure();
    let anatomy = anatomy::of_figure(figure, &[]).unwrap_or_default();
    let mut keys: Vec<(Option<(Part, usize)>, Group)> = Vec::new();
    for (i, (_, link)) in figure.links().enumerate() {
        let Ok(joint) = figure.joint(link.joint()) else { continue };
        let place = figure.forest().joint_place(link.joint());
        if matches!(joint.kind, JointKind::Free | JointKind::Fixed) || place.nv == 0 {
            continue;
        }
        let dofs = place.iv..place.iv + place.nv;
        let part = anatomy.parts.get(i).copied().flatten();
        let Some((part, side)) = part.and_then(|p| Some((p, p.side()?))) else {
            keys.push((
                None,
                Group { name: joint.name.clone(), joints: vec![(joint.name.clone(), dofs)], most: 0.0 },
            ));
            continue;
        };
        let nth = anatomy.nodes(part).take_while(|k| *k < i).count();
        let right = if side == Side::Left { part.mirrored() } else { part };
        // right first: the first colour is that of right limbs in the pictures
        let at = if side == Side::Right { 0 } else { usize::MAX };
        match keys.iter_mut().find(|(key, _)| *key == Some((right, nth))) {
            Some((_, group)) => group.joints.insert(at.min(group.joints.len()), (joint.name.clone(), dofs)),
            None => {
                let name = if nth == 0 { name_of(right) } else { None }.unwrap_or(&joint.name).to_string();
                let group = Group { name, joints: vec![(joint.name.clone(), dofs)], most: 0.0 };
                keys.push((Some((right, nth)), group));
            }
        }
    }
    keys.into_iter().map(|(_, group)| group).collect()
}

/// What people call the joint that begins a part.
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
