//! glTF 2.0: a motion of a figure as nodes, limbs and an animation, in one file that holds everything.
//!
//! | part | what it does |
//! |---|---|
//! | `buffer.rs` | numbers in a buffer, with the views and accessors that find them |
//! | `mesh.rs` | shapes as triangles with normals |
//! | `hull.rs` | the convex hull of points |
//! | `side.rs` | left, right or middle, by name |
//! | `animation.rs` | frames as key frames of the nodes that move |
//! | `container.rs` | the file: binary (.glb) or text (.gltf) |
//!
//! A link is a node at its place on its parent; the node above all turns z up to y up, so that who faces +x here faces
//! +z in the file, as glTF has it. Links without shapes are drawn as bones to their children.
//! Source: the glTF 2.0 specification (Khronos, 2021). Single precision, as there.
//! Checked by: `tests/gltf.rs`; by hand with the Khronos validator, no errors or warnings.

mod animation;
mod buffer;
mod container;
mod hull;
mod mesh;
mod side;

use crate::error::Error;
use anthropi_dynamics::model::{Figure, Link, LinkHandle};
use anthropi_dynamics::spatial::{Quat, Transform, Vec3};
use anthropi_motion::Clip;
use buffer::Buffer;
use mesh::Mesh;
use serde_json::{Value, json};
use side::Side;

/// How the file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// .glb
    Binary,
    /// .gltf, with the buffer inside
    Text,
}

/// x, y, z here are z, x, y of the file.
const Y_UP: Quat = Quat([0.5, -0.5, -0.5, -0.5]);

/// The bytes of a glTF file with this motion.
///
/// # Errors
/// A motion beyond 4 GB or beyond single precision.
pub fn write(clip: &Clip, form: Form) -> Result<Vec<u8>, Error> {
    let figure = clip.figure();
    let links: Vec<(LinkHandle, &Link)> = figure.links().collect();
    let mut buffer = Buffer::default();
    let (mut meshes, mut materials) = (Vec::new(), Vec::new());
    let sides = side::of(links.iter().map(|(_, l)| l.spec.name.as_str()));
    let tracks = animation::tracks(clip, &links);
    buffer.has_overflow = !tracks.iter().all(animation::Track::is_within_reach);

    let mut nodes: Vec<Value> = Vec::with_capacity(links.len() + 1);
    for (i, (handle, link)) in links.iter().enumerate() {
        let mut node = json!({ "name": link.spec.name });
        place(&mut node, &tracks[i].first());
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

    let animation = animation::to_json(clip, &tracks, &mut buffer);
    let mut document = json!({
        "asset": { "version": "2.0", "generator": concat!("anthropi ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "name": clip.name, "nodes": [links.len()] }],
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

fn place(node: &mut Value, at: &Transform) {
    node["translation"] = at.translation.to_array().map(|x| x as f32).to_vec().into();
    node["rotation"] = quaternion(at.orientation());
}

/// x, y, z, w, as glTF has them.
fn quaternion(q: Quat) -> Value {
    let [w, x, y, z] = q.normalized().0;
    [x, y, z, w].map(|c| c as f32).to_vec().into()
}

/// The shapes of a link; bones to its children if it has none, and nothing if those are at its own place.
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
        "POSITION": buffer.vectors(&mesh.places, buffer::Use::Vertices),
        "NORMAL": buffer.vectors(&mesh.normals, buffer::Use::Vertices),
    });
    let indices = buffer.indices(&mesh.corners);
    json!({ "name": name, "primitives": [{ "attributes": attributes, "indices": indices, "material": material }] })
}

fn material(side: Side) -> Value {
    let (name, [r, g, b]) = match side {
        Side::Middle => ("middle", [0.62, 0.60, 0.57]),
        Side::Left => ("left", [0.45, 0.58, 0.68]),
        Side::Right => ("right", [0.70, 0.52, 0.45]),
    };
    let color = json!({ "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8 });
    json!({ "name": name, "pbrMetallicRoughness": color })
}

/// In single precision.
fn single(v: Vec3) -> [f32; 3] {
    v.to_array().map(|x| x as f32)
}
