//! Spheres and capsules against boxes.
//!
//! Computes  the point of the box nearest to the centre or centre line; inside, the way out through the nearest side.
//! Source: clamping; for the segment, separating axes (three faces, three edges crossed with it) and, outside, its ends
//!         against the box and itself against the twelve edges.
//! We differ: a face as near as the nearest feature within a bias is preferred, and the capsule touches it along the
//! segment over the face.
//! Checked by: `tests/it/detect.rs` (`parry3d-f64`).

use super::segment::{self, Thick};
use super::{Manifold, Placed, boxes, columns, direction, round, within};
use crate::spatial::{Vec3, vec3};

/// Faces are preferred by this part of the size and of the distance.
const BIAS: f64 = 1e-5;
/// Ends of a segment may lie this far outside of a face, against its size.
const SLACK: f64 = 1e-6;
/// Shorter contact segments are points, part of the segment.
const SHORT: f64 = 1e-9;
/// Identities of a point on an edge or corner start here, after those of faces.
const EDGES: u32 = 1 << 20;

/// Contact of a sphere nearer to a box than `margin`.
pub fn sphere(centre: Vec3, radius: f64, b: Placed, half: Vec3, margin: f64, out: &mut Manifold) {
    let p = b.axes().tr_mul(centre - b.origin());
    let near = clamp(p, half);
    let (n, distance) = match direction(p - near) {
        Some((n, distance)) => (b.axes().mul(n), distance),
        None => {
            // inside: the nearest face
            let depth = half.to_array();
            let at = p.to_array();
            let room = |k: usize| depth[k] - at[k].abs();
            let k = (1..3).fold(0, |m, k| if room(k) < room(m) { k } else { m });
            let axis = columns(b.axes())[k];
            (if at[k] < 0.0 { -axis } else { axis }, -room(k))
        }
    };
    let gap = distance - radius;
    if gap <= margin {
        out.normal = n;
        out.push(0, centre - n.scale(distance), gap);
    }
}

#[inline(always)]
fn clamp(p: Vec3, half: Vec3) -> Vec3 {
    vec3(within(p.x, half.x), within(p.y, half.y), within(p.z, half.z))
}

/// Contact of a capsule nearer to a box than `margin`.
pub fn capsule(
    a: Placed,
    radius: f64,
    half_length: f64,
    b: Placed,
    half: Vec3,
    margin: f64,
    out: &mut Manifold,
) {
    let line = round::thick(&a, radius, half_length);
    let axes = columns(b.axes());
    let r = line.centre - b.origin();
    let (at, along, sizes) =
        (b.axes().tr_mul(r).to_array(), b.axes().tr_mul(line.along).to_array(), half.to_array());
    // faces
    let apart = |k: usize| at[k].abs() - sizes[k] - half_length * along[k].abs();
    let k = (1..3).fold(0, |m, k| if apart(k) > apart(m) { k } else { m });
    let face_gap = apart(k);
    if !(face_gap - radius <= margin) {
        return;
    }
    let bias = BIAS * (sizes[0].min(sizes[1]).min(sizes[2]) + face_gap.abs());
    let face_normal = if at[k] < 0.0 { -axes[k] } else { axes[k] };
    let seen = Seen { at, along, sizes, k, normal: face_normal };
    // the lowest point of the segment is over the face, hence nearest
    if face_gap > 0.0 && seen.on_face(&line, margin, face_gap + bias, out) {
        return;
    }
    // edges crossed with the segment
    let mut edge_gap = f64::NEG_INFINITY;
    let mut edge_normal = face_normal;
    for j in 0..3 {
        let (i1, i2) = ((j + 1) % 3, (j + 2) % 3);
        let length2 = along[i1] * along[i1] + along[i2] * along[i2];
        if length2 < 1e-12 {
            continue;
        }
        let length = length2.sqrt();
        let offset = (at[i1] * along[i2] - at[i2] * along[i1]) / length;
        let gap = offset.abs() - (sizes[i1] * along[i2].abs() + sizes[i2] * along[i1].abs()) / length;
        if gap > edge_gap {
            let n = (axes[i1].scale(along[i2]) - axes[i2].scale(along[i1])).scale(1.0 / length);
            (edge_gap, edge_normal) = (gap, if offset < 0.0 { -n } else { n });
        }
    }
    let is_apart = face_gap.max(edge_gap) > 0.0;
    if is_apart {
        let Some(near) = nearest(&line, b, half) else { return };
        if near.distance - radius > margin {
            return;
        }
        if !(face_gap >= near.distance - bias && seen.on_face(&line, margin, near.distance + bias, out)) {
            near.touch(&line, margin, out);
        }
        return;
    }
    // the centre line is in the box: shortest way out
    if face_gap >= edge_gap - bias && seen.on_face(&line, margin, face_gap + bias, out) {
        return;
    }
    let (edge, id) = boxes::support_edge(b, half, edge_normal, line.along);
    let (_, t) = segment::closest(&line, &edge);
    out.normal = edge_normal;
    out.push(EDGES + 4 * id, edge.at(t), edge_gap - radius);
}

/// A segment in a box's frame.
struct Seen {
    /// middle and direction in the box's frame, half edges of the box
    at: [f64; 3],
    along: [f64; 3],
    sizes: [f64; 3],
    /// the face in question, and its outward normal in world axes
    k: usize,
    normal: Vec3,
}

impl Seen {
    /// Contact segment of the capsule over the face, if its centre line comes near enough there.
    fn on_face(&self, line: &Thick, margin: f64, least: f64, out: &mut Manifold) -> bool {
        let Seen { at, along, sizes, k, normal: n } = self;
        // ends and their names: 0 and 1, or the side of the face that cuts there
        let (mut low, mut high) = ((-line.half, 0), (line.half, 1));
        for j in [(k + 1) % 3, (k + 2) % 3] {
            let room = sizes[j] * (1.0 + SLACK);
            for (end, inward) in [(&mut low, 1.0), (&mut high, -1.0)] {
                let x = at[j] + end.0 * along[j];
                if x.abs() <= room {
                    continue;
                }
                let is_negative = x < 0.0;
                let side = if is_negative { -sizes[j] } else { sizes[j] };
                let cut = (side - at[j]) / along[j];
                // the segment passes beside the face
                if !(inward * cut >= inward * end.0) {
                    return false;
                }
                *end = (cut, 2 + 2 * j as u32 + u32::from(is_negative));
            }
        }
        if !(low.0 <= high.0) {
            return false;
        }
        let sign = if at[*k] < 0.0 { -1.0 } else { 1.0 };
        let height = |s: f64| sign * (at[*k] + s * along[*k]) - sizes[*k];
        if !(height(low.0).min(height(high.0)) <= least) {
            return false;
        }
        let first = (2 * *k as u32 + u32::from(sign < 0.0)) << 16;
        let is_point = high.0 - low.0 <= SHORT * line.half;
        out.normal = *n;
        for (s, id) in [low, high].into_iter().take(if is_point { 1 } else { 2 }) {
            let gap = height(s) - line.radius;
            if gap <= margin {
                out.push(first + id, line.at(s) - n.scale(height(s)), gap);
            }
        }
        true
    }
}

/// The feature of a box nearest to a segment outside of it.
struct Nearest {
    distance: f64,
    /// points of the segment and of the box; an edge instead where that is nearest
    on_line: f64,
    place: Vec3,
    edge: Option<(Thick, u32)>,
}

/// Ends of the segment against the box, then the segment against each edge.
fn nearest(line: &Thick, b: Placed, half: Vec3) -> Option<Nearest> {
    let mut best = Nearest { distance: f64::INFINITY, on_line: 0.0, place: Vec3::ZERO, edge: None };
    for s in [-line.half, line.half] {
        let p = line.at(s);
        let place = b.world_from_it.point(clamp(b.axes().tr_mul(p - b.origin()), half));
        let distance = (p - place).norm();
        if distance < best.distance {
            best = Nearest { distance, on_line: s, place, edge: None };
        }
    }
    for id in 0..12 {
        let edge = boxes::edge(b, half, id);
        let (s, t) = segment::closest(line, &edge);
        let distance = (line.at(s) - edge.at(t)).norm();
        // prefer an end over a face at the same distance
        if distance < best.distance * (1.0 - 1e-12) {
            best = Nearest { distance, on_line: s, place: edge.at(t), edge: Some((edge, id)) };
        }
    }
    best.distance.is_finite().then_some(best)
}

impl Nearest {
    fn touch(&self, line: &Thick, margin: f64, out: &mut Manifold) {
        if let Some((edge, id)) = &self.edge {
            segment::touch(line, edge, margin, EDGES + 4 * id, out);
        } else if let Some((n, distance)) = direction(line.at(self.on_line) - self.place) {
            out.normal = n;
            out.push(EDGES - 1, self.place, distance - line.radius);
        }
    }
}
