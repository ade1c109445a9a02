//! Nodes of skeletons and figures.

use super::{Anatomy, Node, Part, recognise};
use crate::error::Error;
use crate::recording::{Recording, Skeleton};
use anthropi_dynamics::model::{Figure, Link, LinkHandle};
use anthropi_dynamics::spatial::{Quat, Vec3};

/// So many frames are looked at for one in which the person stands.
const LOOKED_AT: usize = 5;

/// Which bone of a skeleton is which part of the body; rest is where no joint is turned.
///
/// # Errors
/// Those of [`recognise`].
pub fn of_skeleton(skeleton: &Skeleton, overrides: &[(String, Part)]) -> Result<Anatomy, Error> {
    let mut places: Vec<Vec3> = Vec::new();
    for bone in &skeleton.bones {
        let from = bone.parent.and_then(|p| places.get(p).copied()).unwrap_or(Vec3::ZERO);
        places.push(from + bone.offset);
    }
    let node = |(i, at): (usize, &Vec3)| {
        let bone = &skeleton.bones[i];
        Node { name: &bone.name, parent: bone.parent, at: *at, end: bone.end.map(|e| *at + e) }
    };
    recognise(&places.iter().enumerate().map(node).collect::<Vec<_>>(), overrides)
}

/// Which bone of a recording is which part of the body: as [`of_skeleton`], but where the person does not stand with no
/// joint turned, in the rest pose or one of the frames, whichever tells most.
///
/// # Errors
/// Those of [`recognise`].
pub fn of_recording(recording: &Recording, overrides: &[(String, Part)]) -> Result<Anatomy, Error> {
    let mut best = of_skeleton(&recording.skeleton, overrides)?;
    let mut poses = Vec::new();
    if let Some((turns, places)) = &recording.rest {
        poses.push(world(&recording.skeleton, turns, places));
    }
    for frame in (0..recording.frames()).step_by((recording.frames() / LOOKED_AT).max(1)) {
        let (turns, places) = (recording.rotations_at(frame), recording.positions_at(frame));
        poses.push(world(&recording.skeleton, turns, places));
    }
    for pose in poses {
        let nodes: Vec<Node> = recording
            .skeleton
            .bones
            .iter()
            .zip(&pose)
            .map(|(b, (at, turn))| Node {
                name: &b.name,
                parent: b.parent,
                at: *at,
                end: b.end.map(|e| *at + turn.rotate(e)),
            })
            .collect();
        let other = recognise(&nodes, overrides)?;
        if other.sureness() > best.sureness() + 1e-9 {
            best = other;
        }
    }
    Ok(best)
}

/// Places and turns of all bones, world axes.
fn world(skeleton: &Skeleton, turns: &[Quat], places: &[Vec3]) -> Vec<(Vec3, Quat)> {
    let mut world: Vec<(Vec3, Quat)> = Vec::new();
    for (i, bone) in skeleton.bones.iter().enumerate() {
        let (origin, axes) = bone.parent.map_or((Vec3::ZERO, Quat::IDENTITY), |p| world[p]);
        world.push((origin + axes.rotate(places[i]), axes.then(turns[i])));
    }
    world
}

/// Which link of a figure is which part of the body, in the order of [`Figure::links`]; rest is the declared pose.
///
/// # Errors
/// Those of [`recognise`].
pub fn of_figure(figure: &Figure, overrides: &[(String, Part)]) -> Result<Anatomy, Error> {
    recognise(&nodes_of_figure(figure)?, overrides)
}

/// Links of a figure as nodes, in the order of [`Figure::links`], in the declared pose.
///
/// # Errors
/// None for a figure that was built.
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

/// Where a link ends: the farthest its shapes reach from its joint through its centre of mass, or the centre itself.
fn end(figure: &Figure, handle: LinkHandle, link: &Link, at: Vec3) -> Vec3 {
    let world_from_link = figure.home_pose(handle);
    let arm = world_from_link.point(link.spec.inertia.center()) - at;
    let Some(direction) = arm.normalized() else { return at };
    let reach =
        link.spec.shapes.iter().map(|s| s.shape.extent(&(world_from_link * s.link_from_shape), direction).1);
    let reach = reach.map(|r| r - at.dot(direction)).fold(arm.norm(), f64::max);
    at + direction.scale(reach)
}
