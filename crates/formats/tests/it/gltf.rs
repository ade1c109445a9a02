//! glTF files: nodes and keyframes give the world poses of all links.

use crate::{kinematics, numbers, turn_between};
use anthropi_dynamics::spatial::{Quat, Transform, Vec3};
use anthropi_formats::gltf::{self, Form};
use anthropi_motion::Clip;
use serde_json::Value;
use testkit::odd;

/// Single precision over a few links, m and rad.
const TOLERANCE: f64 = 2e-6;

/// Document and buffer of a .glb file.
fn open(file: &[u8]) -> (Value, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&file[..4], word(4), word(8)), (&b"glTF"[..], 2, file.len()));
    let text = word(12);
    assert_eq!((&file[16..20], text % 4), (&b"JSON"[..], 0));
    let (at, bytes) = (20 + text, word(20 + text));
    assert_eq!((&file[at + 4..at + 8], bytes % 4, at + 8 + bytes), (&b"BIN\0"[..], 0, file.len()));
    (serde_json::from_slice(&file[20..20 + text]).unwrap(), file[at + 8..].to_vec())
}

/// Numbers of an accessor, checked against its bounds.
fn rows(document: &Value, buffer: &[u8], accessor: usize) -> Vec<Vec<f64>> {
    let a = &document["accessors"][accessor];
    let view = &document["bufferViews"][a["bufferView"].as_u64().unwrap() as usize];
    let width = match a["type"].as_str().unwrap() {
        "SCALAR" => 1,
        "VEC3" => 3,
        _ => 4,
    };
    let (from, length) =
        (view["byteOffset"].as_u64().unwrap() as usize, view["byteLength"].as_u64().unwrap() as usize);
    let number = |b: &[u8]| f64::from(f32::from_le_bytes(b.try_into().unwrap()));
    let rows: Vec<Vec<f64>> =
        buffer[from..from + length].chunks(4 * width).map(|r| r.chunks(4).map(number).collect()).collect();
    assert_eq!(rows.len() as u64, a["count"].as_u64().unwrap());
    for k in 0..width {
        let column = || rows.iter().map(|r| r[k]);
        assert_eq!(a["min"][k].as_f64().unwrap() as f32, column().fold(f64::INFINITY, f64::min) as f32);
        assert_eq!(a["max"][k].as_f64().unwrap() as f32, column().fold(f64::NEG_INFINITY, f64::max) as f32);
    }
    rows
}

fn turn(x: &[f64]) -> Quat {
    Quat([x[3], x[0], x[1], x[2]])
}

fn vector(x: &[f64]) -> Vec3 {
    Vec3 { x: x[0], y: x[1], z: x[2] }
}

/// World poses of all nodes at a frame, axes of the file.
fn world(document: &Value, buffer: &[u8], frame: usize) -> Vec<Transform> {
    let nodes = document["nodes"].as_array().unwrap();
    let mut own: Vec<(Vec3, Quat)> = nodes
        .iter()
        .map(|n| {
            let at = n.get("translation").map_or(Vec3::ZERO, |t| vector(&numbers(t)));
            (at, n.get("rotation").map_or(Quat::IDENTITY, |r| turn(&numbers(r))))
        })
        .collect();
    let animation = &document["animations"][0];
    for channel in animation["channels"].as_array().unwrap() {
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        let key = &rows(document, buffer, sampler["output"].as_u64().unwrap() as usize)[frame];
        let node = channel["target"]["node"].as_u64().unwrap() as usize;
        match channel["target"]["path"].as_str().unwrap() {
            "rotation" => own[node].1 = turn(key),
            _ => own[node].0 = vector(key),
        }
    }
    let mut placed = vec![Transform::identity(); nodes.len()];
    let mut left =
        vec![(document["scenes"][0]["nodes"][0].as_u64().unwrap() as usize, Transform::identity())];
    while let Some((i, parent)) = left.pop() {
        placed[i] = parent * Transform::new(own[i].0, own[i].1.normalized());
        let children = nodes[i].get("children").map_or(Vec::new(), numbers);
        left.extend(children.into_iter().map(|c| (c as usize, placed[i])));
    }
    placed
}

fn assert_poses(clip: &Clip) {
    let (document, buffer) = open(&gltf::write(clip, Form::Binary).unwrap());
    assert_eq!(document["buffers"][0]["byteLength"], buffer.len());
    let figure = clip.figure();
    // z up to y up, forward x to z
    let file_from_ours = Transform::new(Vec3::ZERO, Quat([0.5, -0.5, -0.5, -0.5]));
    assert!((file_from_ours.point(vector(&[1.0, 2.0, 3.0])) - vector(&[2.0, 3.0, 1.0])).norm() < 1e-15);
    for frame in [0, clip.frames() / 2, clip.frames() - 1] {
        let kinematics = kinematics(figure, clip.pose(frame));
        let placed = world(&document, &buffer, frame);
        for (i, (handle, link)) in figure.links().enumerate() {
            assert_eq!(document["nodes"][i]["name"], link.spec.name.as_str());
            let expected = file_from_ours * kinematics.link_pose(figure.forest(), handle);
            let way = (placed[i].translation - expected.translation).norm();
            let turned = turn_between(expected.orientation(), placed[i].orientation());
            assert!(way < TOLERANCE && turned < TOLERANCE, "{}: {way:e} {turned:e}", link.spec.name);
        }
    }
    let input = document["animations"][0]["samplers"][0]["input"].as_u64().unwrap() as usize;
    let times = rows(&document, &buffer, input);
    assert_eq!((times.len(), times[0][0]), (clip.frames(), 0.0));
}

#[test]
fn nodes_have_the_link_poses() {
    for figure in odd::figures() {
        assert_poses(&odd::clip(figure, 30));
    }
    assert_poses(&odd::clip(odd::odd(), 1));
}

#[test]
fn limbs_have_the_colour_of_their_side() {
    let clip = odd::clip(odd::odd(), 2);
    let (document, buffer) = open(&gltf::write(&clip, Form::Binary).unwrap());
    for node in document["nodes"].as_array().unwrap() {
        let Some(mesh) = node.get("mesh").map(|m| &document["meshes"][m.as_u64().unwrap() as usize]) else {
            continue;
        };
        let primitive = &mesh["primitives"][0];
        let at = |key: &str| primitive["attributes"][key].as_u64().unwrap() as usize;
        let (places, normals) =
            (rows(&document, &buffer, at("POSITION")), rows(&document, &buffer, at("NORMAL")));
        assert_eq!(places.len(), normals.len());
        assert!(normals.iter().all(|n| (vector(n).norm() - 1.0).abs() < 1e-6));
        let expected = match node["name"].as_str().unwrap() {
            name if name.starts_with("left") => "left",
            name if name.starts_with("right") => "right",
            _ => "middle",
        };
        let material = &document["materials"][primitive["material"].as_u64().unwrap() as usize];
        assert_eq!(material["name"], expected, "{}", node["name"]);
    }
    let drawn = document["nodes"].as_array().unwrap().iter().filter(|n| n.get("mesh").is_some()).count();
    assert_eq!(drawn, 7, "all but the plate, which has no shape and carries nothing");
}

#[test]
fn text_files_contain_the_buffer() {
    let clip = odd::clip(odd::odd(), 2);
    let document: Value = serde_json::from_slice(&gltf::write(&clip, Form::Text).unwrap()).unwrap();
    let uri = document["buffers"][0]["uri"].as_str().unwrap();
    let letters = uri.strip_prefix("data:application/octet-stream;base64,").unwrap().len();
    let bytes = document["buffers"][0]["byteLength"].as_u64().unwrap() as usize;
    assert_eq!(letters, bytes.div_ceil(3) * 4);
}

#[test]
fn numbers_beyond_single_precision_are_rejected() {
    let clip = odd::clip(odd::odd(), 1);
    let mut q = clip.poses().to_vec();
    q[0] = 1e200;
    let far = Clip::new("far", clip.figure().clone(), 0.01, q).unwrap();
    let error = gltf::write(&far, Form::Binary).unwrap_err().to_string();
    assert!(error.starts_with("glTF cannot represent numbers beyond 3.4"), "{error}");
}
