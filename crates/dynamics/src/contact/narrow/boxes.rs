//! Boxes against boxes, by separating axes and clipping.
//!
//! Computes  the largest separation along the face normals and the crossed edges; along it the incident face clipped by
//!           the reference face, or the point where two edges cross.
//! Source: textbook (Gottschalk, Lin and Manocha's axes; Sutherland and Hodgman's clipping).
//! We differ: faces of b before faces of a before edges, by a small bias, so that the feature of a resting box is stable;
//! separated boxes whose nearest corners or edges no separating axis describes are measured edge by edge.
//! Checked by: `tests/it/detect.rs` (`parry3d-f64`).

use super::clip::{Face, Owner, face_face};
use super::segment::{self, Thick};
use super::{Manifold, Placed, columns};
use crate::spatial::Vec3;

/// The better kind of feature is preferred by this part of the smallest half edge ...
const BIAS_SIZE: f64 = 1e-5;
/// ... and this part of the separation.
const BIAS_RELATIVE: f64 = 1e-4;
/// Squared sine below which two edges are parallel.
const PARALLEL: f64 = 1e-9;
/// Identities of points where edges cross start here, after those of faces.
const EDGES: u32 = 1 << 20;

/// A direction along which the boxes are apart or overlap least.
#[derive(Clone, Copy)]
struct Separation {
    gap: f64,
    /// edge or face of a
    i: usize,
    /// edge or face of b
    j: usize,
    is_negative: bool,
}

impl Separation {
    const NONE: Separation = Separation { gap: f64::NEG_INFINITY, i: 0, j: 0, is_negative: false };

    #[inline(always)]
    fn see(&mut self, gap: f64, i: usize, j: usize, offset: f64) {
        if gap > self.gap {
            *self = Separation { gap, i, j, is_negative: offset < 0.0 };
        }
    }
}

/// Contact of two boxes nearer than `margin`.
pub fn touch(a: Placed, half_a: Vec3, b: Placed, half_b: Vec3, margin: f64, out: &mut Manifold) {
    let (ax, bx) = (columns(a.axes()), columns(b.axes()));
    let (ha, hb) = (half_a.to_array(), half_b.to_array());
    let t = a.origin() - b.origin();
    let c = ax.map(|x| [x.dot(bx[0]), x.dot(bx[1]), x.dot(bx[2])]);
    let m = c.map(|r| r.map(f64::abs));
    let (ta, tb) = (ax.map(|x| x.dot(t)), bx.map(|x| x.dot(t)));

    // faces
    let (mut of_a, mut of_b, mut of_edges) = (Separation::NONE, Separation::NONE, Separation::NONE);
    for i in 0..3 {
        let reach = hb[0] * m[i][0] + hb[1] * m[i][1] + hb[2] * m[i][2];
        of_a.see(ta[i].abs() - ha[i] - reach, i, 0, ta[i]);
        let reach = ha[0] * m[0][i] + ha[1] * m[1][i] + ha[2] * m[2][i];
        of_b.see(tb[i].abs() - hb[i] - reach, 0, i, tb[i]);
    }
    if !(of_a.gap.max(of_b.gap) <= margin) {
        return;
    }
    // edges
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let length2 = c[i1][j] * c[i1][j] + c[i2][j] * c[i2][j];
            if length2 < PARALLEL {
                continue;
            }
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let offset = ta[i2] * c[i1][j] - ta[i1] * c[i2][j];
            let reach_a = ha[i1] * m[i2][j] + ha[i2] * m[i1][j];
            let reach_b = hb[j1] * m[i][j2] + hb[j2] * m[i][j1];
            of_edges.see((offset.abs() - reach_a - reach_b) / length2.sqrt(), i, j, offset);
        }
    }
    let best = of_a.gap.max(of_b.gap).max(of_edges.gap);
    if !(best <= margin) {
        return;
    }
    let smallest = ha.into_iter().chain(hb).fold(f64::INFINITY, f64::min);
    let bias = BIAS_SIZE * smallest + BIAS_RELATIVE * best.abs();

    // faces of b, faces of a, edges: the first that is as good as the best and yields a point
    let is_shown = |out: &Manifold| out.points().iter().any(|p| p.2 <= best + bias);
    if of_b.gap >= best - bias {
        let n = signed(bx[of_b.j], of_b.is_negative);
        let (face, code) = face(b, half_b, of_b.j, of_b.is_negative);
        over(&face, Owner::B, &facing(a, half_a, -n).1, n, margin, code << 16, out);
        if is_shown(out) {
            return;
        }
    }
    if of_a.gap >= best - bias {
        let n = signed(ax[of_a.i], of_a.is_negative);
        let (face, code) = face(a, half_a, of_a.i, !of_a.is_negative);
        over(&face, Owner::A, &facing(b, half_b, n).1, n, margin, (8 + code) << 16, out);
        if is_shown(out) {
            return;
        }
    }
    if of_edges.gap >= best - bias {
        let Separation { i, j, .. } = of_edges;
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let w = ax[i2].scale(c[i1][j]) - ax[i1].scale(c[i2][j]);
        let n = signed(w, of_edges.is_negative).normalized().unwrap_or(super::UP);
        // separated edges may pass each other beyond their ends
        if crossing(a, half_a, b, half_b, n, &of_edges, out) <= best.max(0.0) + bias || best <= 0.0 {
            return;
        }
    }
    // separated, and no separating axis is the shortest distance
    if best > 0.0 {
        corners(a, half_a, b, half_b, margin, out);
    }
}

#[inline(always)]
fn signed(v: Vec3, is_negative: bool) -> Vec3 {
    if is_negative { -v } else { v }
}

fn over(face: &Face, owner: Owner, other: &Face, n: Vec3, margin: f64, first: u32, out: &mut Manifold) {
    out.clear();
    out.normal = n;
    face_face(face, owner, other, margin, first, out);
}

/// The point where an edge of a crosses one of b; returns the distance of the edges.
fn crossing(
    a: Placed,
    half_a: Vec3,
    b: Placed,
    half_b: Vec3,
    n: Vec3,
    at: &Separation,
    out: &mut Manifold,
) -> f64 {
    let (on_a, id_a) = edge_toward(a, half_a, at.i, -n);
    let (on_b, id_b) = edge_toward(b, half_b, at.j, n);
    let (s, t) = segment::closest(&on_a, &on_b);
    out.clear();
    out.normal = n;
    let between = on_a.at(s) - on_b.at(t);
    out.push(EDGES + 16 * id_a + id_b, on_b.at(t), n.dot(between));
    between.norm()
}

/// Nearest edges of boxes that are apart corner to corner, or corner to edge.
fn corners(a: Placed, half_a: Vec3, b: Placed, half_b: Vec3, margin: f64, out: &mut Manifold) {
    out.clear();
    let mut best = (f64::INFINITY, Vec3::ZERO, Vec3::ZERO, 0);
    let all_b: [Thick; 12] = core::array::from_fn(|id| edge(b, half_b, id as u32));
    for id_a in 0..12 {
        let on_a = edge(a, half_a, id_a);
        for (id_b, on_b) in all_b.iter().enumerate() {
            let (s, t) = segment::closest(&on_a, on_b);
            let (p, q) = (on_a.at(s), on_b.at(t));
            let d2 = (p - q).dot(p - q);
            if d2 < best.0 {
                best = (d2, p, q, 16 * id_a + id_b as u32);
            }
        }
    }
    let (_, p, q, id) = best;
    if let Some((n, gap)) = super::direction(p - q)
        && gap <= margin
    {
        out.normal = n;
        out.push(EDGES + id, q, gap);
    }
}

/// Corner by the signs of x (1), y (2), z (4).
#[inline(always)]
fn corner(it: Placed, half: Vec3, id: u32) -> Vec3 {
    let sign = |bit: u32, h: f64| if id & bit != 0 { h } else { -h };
    it.world_from_it.point(crate::spatial::vec3(sign(1, half.x), sign(2, half.y), sign(4, half.z)))
}

/// Edge by number: 4 times its axis, plus the signs of the next (1) and second next (2) axis.
pub fn edge(it: Placed, half: Vec3, id: u32) -> Thick {
    let k = (id / 4) as usize;
    let (h, axes) = (half.to_array(), columns(it.axes()));
    let side = |bit: u32, j: usize| axes[j].scale(if id & bit != 0 { h[j] } else { -h[j] });
    let centre = it.origin() + side(1, (k + 1) % 3) + side(2, (k + 2) % 3);
    Thick { centre, along: axes[k], half: h[k], radius: 0.0 }
}

/// The edge along axis `k` that is farthest in a direction.
fn edge_toward(it: Placed, half: Vec3, k: usize, toward: Vec3) -> (Thick, u32) {
    let axes = columns(it.axes());
    let bit = |j: usize, bit: u32| if toward.dot(axes[j % 3]) >= 0.0 { bit } else { 0 };
    let id = 4 * k as u32 + bit(k + 1, 1) + bit(k + 2, 2);
    (edge(it, half, id), id)
}

/// The edge farthest in a direction `n`, among those at right angles to it: the one most crosswise to `other`.
pub fn support_edge(it: Placed, half: Vec3, n: Vec3, other: Vec3) -> (Thick, u32) {
    let axes = columns(it.axes());
    let off = |k: usize| n.dot(axes[k]).abs() + 1e-3 * other.dot(axes[k]).abs();
    let k = (1..3).fold(0, |m, k| if off(k) < off(m) { k } else { m });
    edge_toward(it, half, k, n)
}

/// The face whose normal is axis `k` or its opposite, counterclockwise from outside, and its number.
pub fn face(it: Placed, half: Vec3, k: usize, is_negative: bool) -> (Face, u32) {
    let (u, v) = ((k + 1) % 3, (k + 2) % 3);
    let (bit, bu, bv) = (1u32 << k, 1u32 << u, 1u32 << v);
    let base = if is_negative { 0 } else { bit };
    let ring = if is_negative { [0, bv, bu | bv, bu] } else { [0, bu, bu | bv, bv] };
    let mut face = Face::empty();
    for q in 0..4 {
        let (id, next) = (base | ring[q], base | ring[(q + 1) % 4]);
        face.push(id, edge_between(id, next), corner(it, half, id));
    }
    (face, 2 * k as u32 + u32::from(is_negative))
}

/// Number of the edge between two corners.
#[inline(always)]
fn edge_between(p: u32, q: u32) -> u32 {
    let axis = (p ^ q).trailing_zeros();
    let bit = |j: u32| (p >> (j % 3)) & 1;
    4 * axis + bit(axis + 1) + 2 * bit(axis + 2)
}

/// The face that looks most in a direction: its outward normal, itself, its number.
pub fn facing(it: Placed, half: Vec3, toward: Vec3) -> (Vec3, Face, u32) {
    let axes = columns(it.axes());
    let along = axes.map(|x| x.dot(toward));
    let k = (1..3).fold(0, |m, k| if along[k].abs() > along[m].abs() { k } else { m });
    let (face, number) = face(it, half, k, along[k] < 0.0);
    (signed(axes[k], along[k] < 0.0), face, number)
}
