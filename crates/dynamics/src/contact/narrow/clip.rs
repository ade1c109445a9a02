//! A flat face against another: the part of one that lies over the other.
//!
//! Computes  the incident face clipped by the side planes of the reference face, and its height over the latter.
//! Source: Sutherland and Hodgman's polygon clipping.
//! We differ: corners within a slack of a side plane stay themselves, so that faces of equal size keep the identities
//! of their points; every point is named by the corner, or by the edge and side plane, it comes from.
//! Checked by: `tests/it/detect.rs`.

use super::{MAX_VERTICES, Manifold, Point};
use crate::spatial::Vec3;

/// Most corners of a face.
pub const MAX_CORNERS: usize = 16;
/// Room while clipping.
const ROOM: usize = MAX_CORNERS + 8;
/// Corners may lie this far outside, against the size of the reference face.
const SLACK: f64 = 1e-6;
/// Names of clipped points start here.
const CLIPPED: u32 = 0x1000;

/// A corner of a face, and the edge that leaves it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Corner {
    /// name of the corner
    pub id: u32,
    /// name of the edge to the next corner, less than 32
    pub edge: u32,
    /// position
    pub place: Vec3,
}

/// A convex polygon in a plane, counterclockwise seen from outside; two corners are a segment, one a point.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    corners: [Corner; MAX_CORNERS],
    count: usize,
}

impl Face {
    /// A face without corners.
    pub fn empty() -> Face {
        Face { corners: [Corner::default(); MAX_CORNERS], count: 0 }
    }

    /// Adds a corner while there is room.
    pub fn push(&mut self, id: u32, edge: u32, place: Vec3) {
        if let Some(c) = self.corners.get_mut(self.count) {
            *c = Corner { id, edge, place };
            self.count += 1;
        }
    }

    /// The corners.
    pub fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }
}

/// Which shape the reference face belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// supported shape
    A,
    /// supporting shape
    B,
}

/// Adds the points of `incident` over `reference` whose gap is at most `margin`. `out.normal` is set and is the outward
/// normal of the reference face (b's), or its opposite (a's). Names of points start at `first`.
pub fn face_face(
    reference: &Face,
    owner: Owner,
    incident: &Face,
    margin: f64,
    first: u32,
    out: &mut Manifold,
) {
    let n = out.normal;
    let outward = if owner == Owner::B { n } else { -n };
    let mut over = Polygon::new(incident);
    let Some(last) = reference.corners().last() else { return };
    let base = last.place;
    let mut from = last.place;
    let mut side = reference.count as u32 - 1;
    for (next, c) in reference.corners().iter().enumerate() {
        over.clip(from, outward, c.place - from, side);
        (from, side) = (c.place, next as u32);
    }
    let point = |c: &Corner| {
        let gap = outward.dot(c.place - base);
        let place = if owner == Owner::B { c.place - n.scale(gap) } else { c.place };
        (first + c.id, place, gap)
    };
    let near = over.corners().iter().map(point).filter(|p| p.2 <= margin);
    if over.count <= MAX_VERTICES {
        near.for_each(|p| out.push(p.0, p.1, p.2));
        return;
    }
    let mut found = [(0, Vec3::ZERO, 0.0); ROOM];
    let mut count = 0;
    for p in near {
        found[count] = p;
        count += 1;
    }
    let found: &[Point] = &found[..count];
    out.push_extreme(found);
}

struct Polygon {
    /// the corners, and room for those of the next cut
    buffers: [[Corner; ROOM]; 2],
    now: usize,
    count: usize,
    /// not closed: a segment
    is_open: bool,
}

impl Polygon {
    fn new(face: &Face) -> Polygon {
        let mut buffers = [[Corner::default(); ROOM]; 2];
        buffers[0][..face.count].copy_from_slice(face.corners());
        Polygon { buffers, now: 0, count: face.count, is_open: face.count == 2 }
    }

    fn corners(&self) -> &[Corner] {
        &self.buffers[self.now][..self.count]
    }

    /// Cuts off what lies outside of the side plane through `from` along `edge`.
    #[inline(always)]
    fn clip(&mut self, from: Vec3, outward: Vec3, edge: Vec3, side: u32) {
        let away = edge.cross(outward);
        let size2 = away.dot(away);
        let slack = SLACK * size2;
        let count = self.count;
        let mut out = [0.0; ROOM];
        let mut is_all_in = true;
        for (d, c) in out.iter_mut().zip(self.corners()) {
            *d = away.dot(c.place - from);
            is_all_in &= *d <= slack;
        }
        if is_all_in || count == 0 {
            return;
        }
        let [first, second] = &mut self.buffers;
        let (old, new) = if self.now == 0 { (first, second) } else { (second, first) };
        let mut kept = 0;
        let mut push = |c: Corner| {
            if let Some(room) = new.get_mut(kept) {
                *room = c;
                kept += 1;
            }
        };
        for i in 0..count {
            let j = if i + 1 == count { 0 } else { i + 1 };
            let (c, d, next, e) = (old[i], out[i], old[j], out[j]);
            let (is_in, is_next_in) = (d <= slack, e <= slack);
            // where the edge crosses the side plane, unless one of its ends is there already
            let crossing = |leaving: u32| Corner {
                id: CLIPPED + (c.edge << 5) + side,
                edge: leaving,
                place: c.place + (next.place - c.place).scale(d / (d - e)),
            };
            let is_edge = !(self.is_open && j == 0) && i != j;
            match (is_in, is_edge && is_in != is_next_in) {
                (true, false) => push(c),
                (true, true) if d >= -slack => push(Corner { edge: 32 + side, ..c }),
                (true, true) => {
                    push(c);
                    push(crossing(32 + side));
                }
                (false, true) if e < -slack => push(crossing(c.edge)),
                (false, _) => {}
            }
        }
        self.now = 1 - self.now;
        self.count = kept;
        self.is_open &= kept == 2;
    }
}
