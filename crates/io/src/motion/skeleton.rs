//! A motion of any figure as a recording on a skeleton, so that formats of skeletons can hold it.
//!
//! A link becomes a bone of its name. The bone's axes are those of the link; its joint is where the link's joint is, so
//! it differs from the link's origin by `child_from_joint.translation` of that joint.
//! Channels: roots have six; a joint that turns about coordinate axes of its link has as many rotations; any other that
//! turns, or sits turned on its parent, has three (z, x, y); one that slides also has three positions.
//! Not here: connections, masses, shapes, limits. Bones that carry nothing end where their shapes do, feet at the front of
//! their soles: it is all that a skeleton can say of where somebody stands.
//! Checked by: `tests/skeleton.rs` (world poses of all links, there and back).

use super::extent;
use crate::bvh::convention::{axis_to_file, make_turns_steady};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, Joint, Link, LinkHandle};
use anthropi_dynamics::spatial::{Quat, Transform, Vec3};
use anthropi_motion::Clip;
use anthropi_motion::anatomy;
use anthropi_motion::recording::{Bone, Channel, Convention, Recording, Skeleton, Up};
use anthropi_motion::spots::{self, Place, Spot};

/// As most files have it: centimetres, y up.
const CONVENTION: Convention = Convention { unit: 0.01, up: Up::Y };
/// Order of rotations, axes of the file.
const TURNS: [u8; 3] = [2, 0, 1];
/// Axes and turns this near to each other are the same.
const SAME: f64 = 1e-12;

/// The motion as a recording; what a skeleton cannot hold (masses, shapes, limits, connections) is left behind.
pub fn recording_of(clip: &Clip) -> Recording {
    let figure = clip.figure();
    let links: Vec<(LinkHandle, &Link, &Joint)> =
        figure.links().filter_map(|(h, l)| Some((h, l, figure.joint(l.joint()).ok()?))).collect();
    let bones = bones(&links, &soles(figure));
    let (mut rotations, mut positions) = (Vec::new(), Vec::new());
    let mut kinematics = Kinematics::default();
    for frame in 0..clip.frames() {
        let world = world_from_bones(figure, &links, &mut kinematics, clip.pose(frame));
        for (bone, placed) in bones.iter().zip(&world) {
            let on_parent = bone.parent.map_or(*placed, |p| world[p].inverse() * *placed);
            let moves = bone.channels.iter().any(|c| matches!(c, Channel::Position(_)));
            rotations.push(on_parent.orientation());
            // exactly the offset where nothing can move
            positions.push(if moves { on_parent.translation } else { bone.offset });
        }
    }
    make_turns_steady(&mut rotations, bones.len());
    Recording {
        name: clip.name.clone(),
        skeleton: Skeleton { bones },
        dt: clip.dt(),
        rotations,
        positions,
        rest: None,
        convention: CONVENTION,
        notes: Vec::new(),
    }
}

/// Front edges of the soles of a figure, if it has feet.
fn soles(figure: &Figure) -> Vec<Place> {
    let found = anatomy::of_figure(figure, &[]).and_then(|anatomy| spots::of_figure(figure, &anatomy));
    let is_front = |place: &Place| matches!(place.spot, Spot::Toe(_));
    found.unwrap_or_default().into_iter().filter(is_front).collect()
}

fn bones(links: &[(LinkHandle, &Link, &Joint)], soles: &[Place]) -> Vec<Bone> {
    let mut bones: Vec<Bone> = Vec::with_capacity(links.len());
    let is_last = |handle: LinkHandle| links.iter().all(|(_, l, _)| l.parent() != Some(handle));
    for (handle, link, joint) in links {
        let parent = link.parent().and_then(|p| links.iter().position(|(h, _, _)| *h == p));
        let parents_joint = parent.map_or(Vec3::ZERO, |p| links[p].2.child_from_joint.translation);
        let at = joint.child_from_joint.translation;
        bones.push(Bone {
            name: link.spec.name.clone(),
            parent,
            // a root's channels say where it is; programs that add its offset to them should find nothing to add
            offset: if parent.is_some() {
                joint.parent_from_joint.translation - parents_joint
            } else {
                Vec3::ZERO
            },
            end: is_last(*handle).then(|| match soles.iter().find(|sole| sole.link == *handle) {
                Some(sole) => middle(&sole.points) - at,
                None => extent::end(&link.spec, at),
            }),
            channels: channels(joint, parent.is_none()),
        });
    }
    bones
}

fn middle(points: &[Vec3]) -> Vec3 {
    points.iter().fold(Vec3::ZERO, |sum, p| sum + *p).scale(1.0 / points.len().max(1) as f64)
}

fn world_from_bones(
    figure: &Figure,
    links: &[(LinkHandle, &Link, &Joint)],
    kinematics: &mut Kinematics,
    q: &[f64],
) -> Vec<Transform> {
    kinematics.update(figure.forest(), q, None, None);
    let place = |(handle, _, joint): &(LinkHandle, &Link, &Joint)| {
        let at_joint = Transform::translation(joint.child_from_joint.translation);
        kinematics.link_pose(figure.forest(), *handle) * at_joint
    };
    links.iter().map(place).collect()
}

fn channels(joint: &Joint, is_root: bool) -> Vec<Channel> {
    let slides = matches!(joint.kind, JointKind::Prismatic { .. } | JointKind::Free);
    let places = (0..3).map(Channel::Position).filter(|_| slides || is_root);
    places.chain(turns(joint, is_root)).collect()
}

/// Rotations about coordinate axes that give every turn of the joint.
fn turns(joint: &Joint, is_root: bool) -> Vec<Channel> {
    let all = TURNS.map(Channel::Rotation).to_vec();
    let parent_from_child =
        joint.parent_from_joint.orientation().then(joint.child_from_joint.orientation().inverse());
    let is_turned = Quat::log(parent_from_child).norm() > SAME;
    if is_root || is_turned || joint.coordinates().has_locks() {
        return all;
    }
    let on_child = |axis: Vec3| coordinate_axis(joint.child_from_joint.rotation.mul(axis));
    let axes: Option<Vec<usize>> = match joint.kind {
        JointKind::Fixed | JointKind::Prismatic { .. } => Some(Vec::new()),
        JointKind::Revolute { axis } => on_child(axis).map(|a| vec![a]),
        JointKind::Universal { first, second } => {
            on_child(first).zip(on_child(second)).map(|(a, b)| vec![a, b])
        }
        JointKind::Spherical | JointKind::Free | JointKind::Partial { .. } => None,
    };
    let channel = |axis: &usize| Channel::Rotation(axis_to_file(*axis, CONVENTION.up));
    axes.map_or(all, |axes| axes.iter().map(channel).collect())
}

fn coordinate_axis(axis: Vec3) -> Option<usize> {
    axis.to_array().into_iter().position(|x| (x.abs() - 1.0).abs() < SAME)
}
