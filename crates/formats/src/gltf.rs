//! glTF 2.0 writer: a motion of a figure as nodes, meshes and an animation, in one self-contained file.
//!
//! | file | content |
//! |---|---|
//! | `buffer.rs` | the buffer with its views and accessors |
//! | `mesh.rs` | shapes as triangles with normals |
//! | `hull.rs` | the convex hull of points |
//! | `animation.rs` | keyframes of the moving nodes |
//! | `container.rs` | the file: binary (.glb) or text (.gltf) |
//!
//! A link is a node relative to its parent; the root node rotates z up to y up, so that +x (forward) becomes +z, as in
//! glTF. Links without shapes are drawn as bones to their children.
//! Source: the glTF 2.0 specification (Khronos, 2021). Single precision, as there.
//! Checked by: `tests/it/gltf.rs`; by hand with the Khronos validator, no errors or warnings.

mod animation;
mod buffer;
mod container;
mod hull;
mod mesh;

use crate::bvh::checks::other_side;
use crate::error::Error;
use anthropi_dynamics::model::{Figure, Link, LinkHandle, PlacedShape};
use anthropi_dynamics::spatial::{Quat, Transform, Vec3};
use anthropi_motion::Clip;
use buffer::Buffer;
use mesh::Mesh;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Container of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// .glb
    Binary,
    /// .gltf, with the buffer inside
    Text,
}

/// x, y, z here are z, x, y of the file.
const Y_UP: Quat = Quat([0.5, -0.5, -0.5, -0.5]);

/// Encodes a motion as glTF.
///
/// # Errors
/// A motion beyond 4 GB or beyond the range of single precision.
pub fn write(clip: &Clip, form: Form) -> Result<Vec<u8>, Error> {
    write_with(clip, &[], form)
}

/// Encodes a motion with named solids that stand still around the figure, world axes.
///
/// # Errors
/// As [`write()`].
pub fn write_with(clip: &Clip, solids: &[(String, PlacedShape)], form: Form) -> Result<Vec<u8>, Error> {
    let figure = clip.figure();
    let links: Vec<(LinkHandle, &Link)> = figure.links().collect();
    let mut buffer = Buffer::default();
    let (mut meshes, mut materials) = (Vec::new(), Vec::new());
    let sides = sides(links.iter().map(|(_, l)| l.spec.name.as_str()));
    let tracks = animation::tracks(clip, &links);
    buffer.has_overflow = !tracks.iter().all(animation::Track::is_in_range);

    let mut nodes: Vec<Value> = Vec::with_capacity(links.len() + 1);
    for (i, (handle, link)) in links.iter().enumerate() {
        let mut node = json!({ "name": link.spec.name });
        set_pose(&mut node, &tracks[i].first());
        add_children(&mut node, &links, Some(*handle));
        if let Some(mesh) = limb(figure, &links, *handle, link) {
            node["mesh"] = meshes.len().into();
            let material = materials.iter().position(|m| *m == sides[i]).unwrap_or_else(|| {
                materials.push(sides[i]);
                materials.len() - 1
            });
            meshes.push(mesh_json(&link.spec.name, &mesh, material, &mut buffer));
        }
        nodes.push(node);
    }
    let mut root = json!({ "name": figure.name, "rotation": quaternion(Y_UP) });
    add_children(&mut root, &links, None);
    nodes.push(root);
    let mut roots = vec![links.len()];
    if !solids.is_empty() {
        materials.push(Side::Outside);
    }
    for (name, solid) in solids {
        let mut mesh = Mesh::default();
        mesh.add_shape(solid);
        roots.push(nodes.len());
        nodes.push(json!({ "name": name, "rotation": quaternion(Y_UP), "mesh": meshes.len() }));
        meshes.push(mesh_json(name, &mesh, materials.len() - 1, &mut buffer));
    }

    let animation = animation::to_json(clip, &tracks, &mut buffer);
    let mut document = json!({
        "asset": { "version": "2.0", "generator": concat!("anthropi ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "name": clip.name, "nodes": roots }],
        "nodes": nodes,
        "animations": [animation],
    });
    if !meshes.is_empty() {
        document["meshes"] = meshes.into();
        document["materials"] = materials.iter().map(|side| material(*side)).collect();
    }
    container::write(document, buffer, form)
}

fn add_children(node: &mut Value, links: &[(LinkHandle, &Link)], parent: Option<LinkHandle>) {
    let own = links.iter().enumerate().filter(|(_, (_, l))| l.parent() == parent);
    let children: Vec<usize> = own.map(|(i, _)| i).collect();
    if !children.is_empty() {
        node["children"] = children.into();
    }
}

fn set_pose(node: &mut Value, at: &Transform) {
    node["translation"] = single(at.translation).to_vec().into();
    node["rotation"] = quaternion(at.orientation());
}

fn quaternion(q: Quat) -> Value {
    xyzw(q.normalized()).to_vec().into()
}

/// In glTF order, single precision.
fn xyzw(q: Quat) -> [f32; 4] {
    let [w, x, y, z] = q.0;
    [x, y, z, w].map(|c| c as f32)
}

/// Mesh of a link's shapes, or of bones to its children if it has none; `None` if the children coincide with it.
fn limb(figure: &Figure, links: &[(LinkHandle, &Link)], handle: LinkHandle, link: &Link) -> Option<Mesh> {
    let mut mesh = Mesh::default();
    for shape in &link.spec.shapes {
        mesh.add_shape(shape);
    }
    if link.spec.shapes.is_empty() {
        for (_, child) in links.iter().filter(|(_, l)| l.parent() == Some(handle)) {
            let joint = figure.joint(child.joint()).ok()?;
            mesh.add_bone(joint.parent_from_joint.translation);
        }
    }
    (!mesh.is_empty()).then_some(mesh)
}

fn mesh_json(name: &str, mesh: &Mesh, material: usize, buffer: &mut Buffer) -> Value {
    let attributes = json!({
        "POSITION": buffer.vectors(&mesh.positions, buffer::Use::Vertices),
        "NORMAL": buffer.vectors(&mesh.normals, buffer::Use::Vertices),
    });
    let indices = buffer.indices(&mesh.corners);
    json!({ "name": name, "primitives": [{ "attributes": attributes, "indices": indices, "material": material }] })
}

fn material(side: Side) -> Value {
    let (name, color) = match side {
        Side::Middle => ("middle", [0.62, 0.60, 0.57, 1.0]),
        Side::Left => ("left", [0.45, 0.58, 0.68, 1.0]),
        Side::Right => ("right", [0.70, 0.52, 0.45, 1.0]),
        Side::Outside => ("surroundings", [0.45, 0.45, 0.47, 1.0]),
    };
    let color = json!({ "baseColorFactor": color, "metallicFactor": 0.0, "roughnessFactor": 0.8 });
    json!({ "name": name, "pbrMetallicRoughness": color })
}

/// In single precision.
fn single(v: Vec3) -> [f32; 3] {
    v.to_array().map(|x| x as f32)
}

/// A side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Middle,
    Left,
    Right,
    /// of no side: around the figure
    Outside,
}

/// The side of each link, by counterpart names or by the words left and right.
fn sides<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<Side> {
    let number: BTreeMap<&str, usize> = names.clone().enumerate().map(|(i, name)| (name, i)).collect();
    let mut sides: Vec<Side> = names.clone().map(side_from_word).collect();
    for (i, name) in names.enumerate() {
        let other = other_side(name).and_then(|other| number.get(other.as_str()));
        if let Some(other) = other.filter(|other| **other != i) {
            (sides[i], sides[*other]) = (Side::Left, Side::Right);
        }
    }
    sides
}

fn side_from_word(name: &str) -> Side {
    let name = name.to_ascii_lowercase();
    match (name.contains("left"), name.contains("right")) {
        (true, false) => Side::Left,
        (false, true) => Side::Right,
        _ => Side::Middle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_from_pairs_and_words() {
        use Side::{Left, Middle, Right};
        let names =
            ["lfemur", "rfemur", "lowerback", "LeftArm", "RightArm", "arm.L", "arm.R", "root", "right_half"];
        let expected = [Left, Right, Middle, Left, Right, Left, Right, Middle, Right];
        assert_eq!(sides(names.into_iter()), expected);
    }
}
