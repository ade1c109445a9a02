//! A figure with one capsule link per bone that reproduces a recording exactly.
//!
//! A bone with a changing offset from its parent gets a free joint to the world, the only joint with translation.

use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Inertia, Quat, Transform, Vec3, vec3};
use anthropi_formats::Error;
use anthropi_motion::Clip;
use anthropi_motion::recording::{Recording, Skeleton};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Average of the human body, kg/m^3.
const DENSITY: f64 = 1000.0;
/// Radius of a limb relative to its length.
const SLENDERNESS: f64 = 0.12;
/// Radius of the sphere for a bone without length, m.
const POINT_RADIUS: f64 = 0.02;
/// Shortest limb drawn as a capsule, m.
const MIN_LENGTH: f64 = 1e-3;
/// Largest change of a constant offset, m.
const OFFSET_TOLERANCE: f64 = 1e-9;

/// The motion of the capsule figure of a recording.
pub fn clip_from_recording(recording: &Recording) -> Result<Clip, Error> {
    let is_free = free_bones(recording);
    let figure = figure(recording, &is_free)
        .map_err(|source| Error::Figure { file: recording.name.clone(), source })?;
    let (frames, bones) = (recording.frames(), recording.skeleton.bones.len());
    let (mut q, mut places) = (Vec::new(), Vec::new());
    for frame in 0..frames {
        if is_free.iter().any(|is| *is) {
            recording.world_at(frame, &mut places);
        }
        for bone in 0..bones {
            if is_free[bone] {
                let (place, turn) = places[bone];
                q.extend(place.to_array());
                q.extend(turn.0);
            } else {
                q.extend(recording.rotations_at(frame)[bone].0);
            }
        }
    }
    // the figure's joints are depth first, the bones need not be
    let names = unique_names(&recording.skeleton);
    let number = |name: &str| names.iter().position(|n| n == name);
    let order: Vec<usize> = figure.links().filter_map(|(_, l)| number(&l.spec.name)).collect();
    let q = in_order(&q, &order, &is_free);
    Ok(Clip::new(recording.name.clone(), Arc::new(figure), recording.dt, q)?)
}

/// Roots, and bones with a changing offset from their parent.
fn free_bones(recording: &Recording) -> Vec<bool> {
    let bones = &recording.skeleton.bones;
    let stays = |i: usize| {
        let places = recording.positions.iter().skip(i).step_by(bones.len());
        places.into_iter().all(|p| (*p - bones[i].offset).norm() < OFFSET_TOLERANCE)
    };
    (0..bones.len()).map(|i| bones[i].parent.is_none() || !stays(i)).collect()
}

fn figure(recording: &Recording, is_free: &[bool]) -> Result<Figure, anthropi_dynamics::Error> {
    let skeleton = &recording.skeleton;
    let names = unique_names(skeleton);
    let name = if recording.name.is_empty() { "recording" } else { &recording.name };
    let mut builder = FigureBuilder::new(name);
    let mut links: Vec<LinkHandle> = Vec::new();
    for (i, bone) in skeleton.bones.iter().enumerate() {
        let mut link = LinkSpec::new(names[i].clone(), Inertia::ZERO);
        let ends =
            skeleton.children(i).filter(|c| !is_free[*c]).map(|c| skeleton.bones[c].offset).chain(bone.end);
        link.shapes = ends.filter(|end| end.norm() > MIN_LENGTH).map(limb).collect();
        if link.shapes.is_empty() {
            link.shapes.push(PlacedShape {
                shape: Shape::Sphere { radius: POINT_RADIUS },
                link_from_shape: Transform::identity(),
            });
        }
        for placed in &link.shapes {
            link.inertia = link.inertia + placed.link_from_shape * placed.shape.inertia(DENSITY)?;
        }
        let joint = match bone.parent.filter(|_| !is_free[i]) {
            Some(p) => JointSpec::new(names[i].clone(), JointKind::Spherical)
                .on(links[p], Transform::translation(bone.offset)),
            None => JointSpec::new(names[i].clone(), JointKind::Free),
        };
        links.push(builder.add(link, joint)?);
    }
    builder.build()
}

/// A capsule from the origin to a point.
fn limb(end: Vec3) -> PlacedShape {
    let length = end.norm();
    let radius = SLENDERNESS * length;
    let z = vec3(0.0, 0.0, 1.0);
    let across = z.cross(end);
    let angle = across.norm().atan2(end.z);
    let axis = across.normalized().unwrap_or(vec3(1.0, 0.0, 0.0));
    PlacedShape {
        shape: Shape::Capsule { radius, half_length: 0.5 * length - radius },
        link_from_shape: Transform::new(end.scale(0.5), Quat::about(axis, angle)),
    }
}

/// Unique bone names: duplicates get a number.
fn unique_names(skeleton: &Skeleton) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut next: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names = Vec::with_capacity(skeleton.bones.len());
    for bone in &skeleton.bones {
        let base = if bone.name.trim().is_empty() { "bone" } else { bone.name.trim() };
        let number = next.entry(base).or_insert(1);
        let mut name = base.to_string();
        while !taken.insert(name.clone()) {
            *number += 1;
            name = format!("{base}_{number}");
        }
        names.push(name);
    }
    names
}

/// Reorders coordinates from bones to joints of the figure.
fn in_order(q: &[f64], order: &[usize], is_free: &[bool]) -> Vec<f64> {
    let count = |free: bool| if free { 7 } else { 4 };
    let mut first = vec![0; is_free.len() + 1];
    for (i, free) in is_free.iter().enumerate() {
        first[i + 1] = first[i] + count(*free);
    }
    let mut out = Vec::with_capacity(q.len());
    for frame in q.chunks(first[is_free.len()].max(1)) {
        order.iter().for_each(|i| out.extend_from_slice(&frame[first[*i]..first[*i + 1]]));
    }
    out
}
