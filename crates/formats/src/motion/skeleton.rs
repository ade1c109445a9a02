//! Converts a clip to a recording on a skeleton, for skeletal formats.
//!
//! A link becomes a bone of its name, with the axes of the link and its origin at the link's joint, which differs from
//! the link's origin by `child_from_joint.translation`.
//! Channels: roots have six; a joint about coordinate axes of its link has as many rotations; any other rotating joint, or
//! one with rotated axes, has three (z, x, y); a prismatic one also has three positions.
//! Not here: connections, masses, shapes, limits. Leaf bones end at the extent of their shapes, feet at the front of their
//! soles, since a skeleton has no other information about ground contact.
//! Checked by: `tests/it/skeleton.rs` (world poses of all links, there and back).

use crate::bvh::convention::{axis_to_file, make_quaternions_continuous};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, Joint, Link, LinkHandle, LinkSpec, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Quat, Transform, Vec3, vec3};
use anthropi_motion::Clip;
use anthropi_motion::anatomy;
use anthropi_motion::contact_points::{self, ContactPoint, Site};
use anthropi_motion::recording::{Bone, Channel, Convention, Recording, Skeleton, Up};

/// The most common one: centimetres, y up.
const CONVENTION: Convention = Convention { unit: 0.01, up: Up::Y };
/// Order of rotations, axes of the file.
const ROTATION_ORDER: [u8; 3] = [2, 0, 1];
/// Tolerance for equal axes and rotations.
const SAME: f64 = 1e-12;

/// Least length that defines a direction, m.
const NO_LENGTH: f64 = 1e-6;

/// The motion as a recording, without masses, shapes, limits and connections.
pub fn recording_from_clip(clip: &Clip) -> Recording {
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
            // exactly the offset without position channels
            positions.push(if moves { on_parent.translation } else { bone.offset });
        }
    }
    make_quaternions_continuous(&mut rotations, bones.len());
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
fn soles(figure: &Figure) -> Vec<ContactPoint> {
    let found = anatomy::from_figure(figure, &[]).and_then(|anatomy| contact_points::find(figure, &anatomy));
    let is_front = |point: &ContactPoint| matches!(point.site, Site::Toe(_));
    found.unwrap_or_default().into_iter().filter(is_front).collect()
}

fn bones(links: &[(LinkHandle, &Link, &Joint)], soles: &[ContactPoint]) -> Vec<Bone> {
    let mut bones: Vec<Bone> = Vec::with_capacity(links.len());
    let is_last = |handle: LinkHandle| links.iter().all(|(_, l, _)| l.parent() != Some(handle));
    for (handle, link, joint) in links {
        let parent = link.parent().and_then(|p| links.iter().position(|(h, _, _)| *h == p));
        let at = joint.child_from_joint.translation;
        bones.push(Bone {
            name: link.spec.name.clone(),
            parent,
            // the root is positioned by its channels; some programs add the offset
            offset: parent.map_or(Vec3::ZERO, |p| {
                joint.parent_from_joint.translation - links[p].2.child_from_joint.translation
            }),
            end: is_last(*handle).then(|| match soles.iter().find(|sole| sole.link == *handle) {
                Some(sole) => middle(&sole.points) - at,
                None => end_point(&link.spec, at),
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
    let positions = (0..3).map(Channel::Position).filter(|_| slides || is_root);
    positions.chain(rotation_channels(joint, is_root)).collect()
}

/// Rotation channels about coordinate axes that cover the joint's rotations.
fn rotation_channels(joint: &Joint, is_root: bool) -> Vec<Channel> {
    let all = ROTATION_ORDER.map(Channel::Rotation).to_vec();
    let parent_from_child =
        joint.parent_from_joint.orientation().then(joint.child_from_joint.orientation().inverse());
    let is_rotated = Quat::log(parent_from_child).norm() > SAME;
    if is_root || is_rotated || joint.coordinates().has_locks() {
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

/// End point of a leaf link whose joint is at `origin`: the extent of its shapes in the direction of their centre; without
/// shapes twice the distance to the centre of mass. Relative to `origin`, link axes.
fn end_point(link: &LinkSpec, origin: Vec3) -> Vec3 {
    if link.shapes.is_empty() {
        let is_massive = link.inertia.mass > 0.0;
        return if is_massive { (link.inertia.center() - origin).scale(2.0) } else { Vec3::ZERO };
    }
    let middle = link.shapes.iter().fold(Vec3::ZERO, |sum, s| sum + shape_center(s));
    let way = middle.scale(1.0 / link.shapes.len() as f64) - origin;
    let far = |d: Vec3| {
        let ends = link.shapes.iter().map(|s| s.shape.extent(&s.link_from_shape, d).1);
        ends.fold(f64::NEG_INFINITY, f64::max) - origin.dot(d)
    };
    if way.norm() > NO_LENGTH {
        let direction = way.scale(1.0 / way.norm());
        return direction.scale(far(direction));
    }
    let axes = [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)];
    let longest = axes.into_iter().max_by(|a, b| far(*a).total_cmp(&far(*b)));
    longest.map_or(Vec3::ZERO, |d| d.scale(far(d)))
}

fn shape_center(placed: &PlacedShape) -> Vec3 {
    let own = match &placed.shape {
        Shape::Convex { points } => middle(points),
        _ => Vec3::ZERO,
    };
    placed.link_from_shape.point(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::spatial::Inertia;

    #[test]
    fn a_limb_ends_at_the_end_of_its_capsule() {
        let turned = Quat::about(vec3(0.0, 1.0, 0.0), core::f64::consts::FRAC_PI_2);
        let capsule = PlacedShape {
            shape: Shape::Capsule { radius: 0.05, half_length: 0.2 },
            link_from_shape: Transform::new(vec3(0.25, 0.0, 0.0), turned),
        };
        let mut link = LinkSpec::new("arm", Inertia::ZERO);
        link.shapes.push(capsule);
        assert!((end_point(&link, Vec3::ZERO) - vec3(0.5, 0.0, 0.0)).norm() < 1e-12);
        assert!(
            (end_point(&link, vec3(0.25, 0.0, 0.0)) - vec3(0.25, 0.0, 0.0)).norm() < 1e-12,
            "about its middle"
        );
    }
}
