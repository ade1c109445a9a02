//! The buffer with its views and accessors.

use super::single;
use anthropi_dynamics::spatial::Vec3;
use serde_json::{Value, json};

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;

/// Use of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// attributes of vertices
    Vertices,
    /// indices of corners
    Corners,
    /// keyframes
    Frames,
}

/// The buffer, its views and accessors. All elements are 4 bytes wide and thus aligned.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub bytes: Vec<u8>,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
    /// a number exceeded single precision
    pub has_overflow: bool,
}

impl Buffer {
    /// Adds vectors with their bounds; returns the accessor.
    pub fn vectors(&mut self, vectors: &[Vec3], use_as: Use) -> usize {
        let numbers: Vec<[f32; 3]> = vectors.iter().map(|v| single(*v)).collect();
        self.floats(&numbers, "VEC3", use_as)
    }

    /// Adds rows of numbers with their bounds; returns the accessor.
    pub fn floats<const N: usize>(&mut self, rows: &[[f32; N]], kind: &str, use_as: Use) -> usize {
        let bound = |pick: fn(f32, f32) -> f32, from: f32| -> Vec<f32> {
            (0..N).map(|k| rows.iter().map(|r| r[k]).fold(from, pick)).collect()
        };
        let (least, most) = (bound(f32::min, f32::INFINITY), bound(f32::max, f32::NEG_INFINITY));
        self.has_overflow |= rows.iter().flatten().any(|x| !x.is_finite());
        let bytes = rows.iter().flatten().flat_map(|x| x.to_le_bytes());
        let view = self.view(bytes, use_as);
        let accessor = json!({ "bufferView": view, "componentType": FLOAT, "count": rows.len(), "type": kind,
            "min": least, "max": most });
        self.accessor(accessor)
    }

    /// Adds triangle corners; returns the accessor.
    pub fn indices(&mut self, corners: &[u32]) -> usize {
        let view = self.view(corners.iter().flat_map(|c| c.to_le_bytes()), Use::Corners);
        let accessor = json!({ "bufferView": view, "componentType": UNSIGNED_INT, "count": corners.len(), "type": "SCALAR" });
        self.accessor(accessor)
    }

    fn view(&mut self, bytes: impl Iterator<Item = u8>, use_as: Use) -> usize {
        let from = self.bytes.len();
        self.bytes.extend(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": from, "byteLength": self.bytes.len() - from });
        match use_as {
            Use::Vertices => view["target"] = 34962.into(),
            Use::Corners => view["target"] = 34963.into(),
            Use::Frames => {}
        }
        self.views.push(view);
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}
