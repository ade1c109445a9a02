//! Nodes of skeletons and figures.

use super::{Anatomy, Node, Part, recognise};
use crate::error::Error;
use crate::recording::{Recording, Skeleton};
use anthropi_dynamics::model::{Figure, Link, LinkHandle};
use anthropi_dynamics::spatial::{Quat, Vec3};

/// Frames searched for an upright pose.
const SAMPLES: usize = 5;

/// Body parts of a skeleton in its zero pose.
///
/// # Errors
/// Those of [`recognise`].
pub fn from_skeleton(skeleton: &Skeleton, overrides: &[(String, Part)]) -> Result<Anatomy, Error> {
    let offsets: Vec<Vec3> = skeleton.bones.iter().map(|b| b.offset).collect();
    in_pose(skeleton, &vec![Quat::IDENTITY; offsets.len()], &offsets, overrides)
}

/// Body parts of a skeleton in a pose, given relative to the parents.
fn in_pose(
    skeleton: &Skeleton,
    rotations: &[Quat],
    positions: &[Vec3],
    overrides: &[(String, Part)],
) -> Result<Anatomy, Error> {
    let mut world = Vec::new();
    skeleton.to_world(rotations, positions, &mut world);
    let bones = skeleton.bones.iter().zip(world);
    let nodes = bones.map(|(bone, (at, turn))| {
        let end = bone.end.map(|e| at + turn.rotate(e));
        Node { name: &bone.name, parent: bone.parent, at, end }
    });
    recognise(&nodes.collect::<Vec<_>>(), overrides)
}

/// Body parts of a recording's skeleton: in the zero pose, the rest pose or one of the frames, whichever is recognised
/// best; not every skeleton stands upright in its zero pose.
///
/// # Errors
/// Those of [`recognise`].
pub fn from_recording(recording: &Recording, overrides: &[(String, Part)]) -> Result<Anatomy, Error> {
    let mut best = from_skeleton(&recording.skeleton, overrides)?;
    let rest = recording.rest.iter().map(|(rotations, positions)| (&rotations[..], &positions[..]));
    let frames = (0..recording.frames()).step_by((recording.frames() / SAMPLES).max(1));
    let frames = frames.map(|f| (recording.rotations_at(f), recording.positions_at(f)));
    for (rotations, positions) in rest.chain(frames) {
        let other = in_pose(&recording.skeleton, rotations, positions, overrides)?;
        if other.score() > best.score() + 1e-9 {
            best = other;
        }
    }
    Ok(best)
}

/// Body parts of a figure's links, in the order of [`Figure::links`], recognised in the home pose.
///
/// # Errors
/// Those of [`recognise`].
pub fn from_figure(figure: &Figure, overrides: &[(String, Part)]) -> Result<Anatomy, Error> {
    recognise(&nodes_of_figure(figure)?, overrides)
}

/// Links of a figure as nodes, in the order of [`Figure::links`], in the home pose.
///
/// # Errors
/// None for a figure that was built successfully.
pub fn nodes_of_figure(figure: &Figure) -> Result<Vec<Node<'_>>, Error> {
    let links: Vec<(LinkHandle, &Link)> = figure.links().collect();
    let mut nodes = Vec::new();
    for (handle, link) in &links {
        let world_from_link = figure.home_pose(*handle);
        let at = world_from_link.point(figure.joint(link.joint())?.child_from_joint.translation);
        let parent = link.parent().and_then(|p| links.iter().position(|(h, _)| *h == p));
        let end = link.child().is_none().then(|| end(figure, *handle, link, at));
        nodes.push(Node { name: &link.spec.name, parent, at, end });
    }
    Ok(nodes)
}

/// Far end of a link: the farthest extent of its shapes along the line from its joint through its centre of mass, or
/// that centre.
fn end(figure: &Figure, handle: LinkHandle, link: &Link, at: Vec3) -> Vec3 {
    let world_from_link = figure.home_pose(handle);
    let arm = world_from_link.point(link.spec.inertia.center()) - at;
    let Some(direction) = arm.normalized() else { return at };
    let reach =
        link.spec.shapes.iter().map(|s| s.shape.extent(&(world_from_link * s.link_from_shape), direction).1);
    let reach = reach.map(|r| r - at.dot(direction)).fold(arm.norm(), f64::max);
    at + direction.scale(reach)
}
