//! Broad phase: pairs of colliders that may come near each other, by axis-aligned boxes.
//!
//! Computes  for each moving collider a box grown by its travel within a step, and all pairs of boxes that overlap and
//!           may touch.
//! Source: textbook; few colliders all against all, many by sweep and prune along one axis, keeping the order.
//! We differ: the boxes bound body-aligned boxes, so that shapes far apart are never transformed.
//! Not here: geometry of the shapes (`narrow`).
//! Checked by: `tests/it/detect.rs`.

use super::collider::{Collider, Colliders};
use super::narrow::Form;
use crate::spatial::{Motion, Transform, Vec3, vec3};

/// Shapes this far apart are near even if nothing moves, m.
const REACH: f64 = 2e-3;
/// Safety factor on the travel of a shape within a step.
const HASTE: f64 = 1.5;
/// Up to this many colliders, all are compared with all.
const FEW: usize = 64;

/// A pair that is near.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// keys of a and b, the order of the patches
    pub keys: (u32, u32),
    /// supported collider
    pub a: u32,
    /// supporting collider
    pub b: u32,
    /// margin
    pub margin: f64,
}

/// Constants of a collider that moves.
#[derive(Clone, Copy, Debug)]
struct Moving {
    body: u32,
    centre: Vec3,
    half: Vec3,
    radius: f64,
}

/// Pose and motion of a collider.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    centre: Vec3,
    half: Vec3,
    /// velocity of the middle
    velocity: Vec3,
    /// bound of the speed of any point relative to the middle
    spin: f64,
    /// margin to fixed colliders
    reach: f64,
}

#[derive(Clone, Copy, Debug)]
struct Plane {
    collider: u32,
    normal: Vec3,
    size: Vec3,
    offset: f64,
}

/// Lower and upper ends along x, y, z of eight boxes.
#[derive(Clone, Copy, Debug)]
struct Eight {
    low: [[f64; 8]; 3],
    high: [[f64; 8]; 3],
}

impl Eight {
    /// Boxes that overlap nothing.
    const NOWHERE: Eight = Eight { low: [[f64::INFINITY; 8]; 3], high: [[f64::NEG_INFINITY; 8]; 3] };

    #[inline(always)]
    fn set(&mut self, i: usize, centre: Vec3, half: Vec3, grown: f64) {
        self.low[0][i] = centre.x - half.x - grown;
        self.low[1][i] = centre.y - half.y - grown;
        self.low[2][i] = centre.z - half.z - grown;
        self.high[0][i] = centre.x + half.x + grown;
        self.high[1][i] = centre.y + half.y + grown;
        self.high[2][i] = centre.z + half.z + grown;
    }
}

/// For each of the first `n` boxes, a bit for every box it overlaps, itself and earlier ones among them or not.
#[multiversion::multiversion(targets("x86_64+avx+avx2"))]
fn compare(boxes: &[Eight], overlaps: &mut [u64]) {
    for (i, bits) in overlaps.iter_mut().enumerate() {
        let (b, k) = (&boxes[i / 8], i % 8);
        let (low, high) =
            ([b.low[0][k], b.low[1][k], b.low[2][k]], [b.high[0][k], b.high[1][k], b.high[2][k]]);
        *bits = 0;
        for (n, c) in boxes.iter().enumerate().skip(i / 8) {
            let mut found = 0;
            for k in 0..8 {
                let is_over = (c.low[0][k] <= high[0])
                    & (c.high[0][k] >= low[0])
                    & (c.low[1][k] <= high[1])
                    & (c.high[1][k] >= low[1])
                    & (c.low[2][k] <= high[2])
                    & (c.high[2][k] >= low[2]);
                found |= u64::from(is_over) << k;
            }
            *bits |= found << (8 * n);
        }
    }
}

/// Boxes of all colliders.
#[derive(Clone, Debug, Default)]
pub(super) struct Broad {
    moving: Vec<Moving>,
    spots: Vec<Spot>,
    planes: Vec<Plane>,
    /// the grown boxes
    boxes: Vec<Eight>,
    /// for each of few, the later ones its box overlaps
    overlaps: Vec<u64>,
    /// colliders by their lower ends along `axis`
    order: Vec<u32>,
    axis: Option<usize>,
    active: Vec<u32>,
}

impl Broad {
    /// Takes over the colliders.
    pub fn prepare(&mut self, colliders: &Colliders) {
        let bounded = &colliders.all[..colliders.bounded];
        self.moving.clear();
        self.moving.extend(bounded[..colliders.moving].iter().map(|c| Moving {
            body: c.body.index() as u32,
            centre: c.centre,
            half: c.half,
            radius: c.radius,
        }));
        self.spots.clear();
        self.spots.extend(bounded.iter().map(|c| Spot { centre: c.centre, half: c.half, ..Spot::default() }));
        self.planes.clear();
        for (i, c) in colliders.all.iter().enumerate().filter(|(_, c)| matches!(c.form, Form::Plane)) {
            self.planes.push(plane(i, c));
        }
        self.boxes.clear();
        self.boxes.resize(bounded.len().div_ceil(8), Eight::NOWHERE);
        for (i, c) in bounded.iter().enumerate() {
            self.boxes[i / 8].set(i % 8, c.centre, c.half, 0.0);
        }
        self.overlaps.clear();
        self.overlaps.resize(colliders.moving.min(FEW), 0);
        self.order.clear();
        self.order.extend(0..bounded.len() as u32);
        self.axis = None;
    }

    /// Places the boxes and lists the pairs that are near, by key.
    pub fn candidates(
        &mut self,
        colliders: &Colliders,
        poses: &[Transform],
        velocities: &[Motion],
        h: f64,
        found: &mut Vec<Candidate>,
    ) {
        found.clear();
        self.place(poses, velocities, HASTE * h);
        for p in &self.planes {
            self.near_plane(p, colliders, found);
        }
        if self.spots.len() <= FEW {
            self.compare_all(colliders, h, found)
        } else {
            self.sweep(colliders, h, found)
        }
        found.sort_unstable_by_key(|c| c.keys);
    }

    fn place(&mut self, poses: &[Transform], velocities: &[Motion], haste: f64) {
        for (i, (m, spot)) in self.moving.iter().zip(&mut self.spots).enumerate() {
            let (pose, v) = (&poses[m.body as usize], &velocities[m.body as usize]);
            let r = pose.rotation.mul(m.centre);
            let centre = pose.translation + r;
            let half = reach(pose, m.half, m.radius);
            let velocity = v.linear + v.angular.cross(r);
            let spin = v.angular.norm() * m.radius;
            let reach = REACH + haste * (velocity.norm() + spin);
            *spot = Spot { centre, half, velocity, spin, reach };
            self.boxes[i / 8].set(i % 8, centre, half, reach);
        }
    }

    fn near_plane(&self, p: &Plane, colliders: &Colliders, found: &mut Vec<Candidate>) {
        let other = p.collider as usize;
        for (i, s) in self.spots[..self.moving.len()].iter().enumerate() {
            let lowest = p.normal.dot(s.centre) - p.size.dot(s.half) - p.offset;
            if lowest <= s.reach && colliders.may_touch(i, other) {
                let keys = (colliders.all[i].key, colliders.all[other].key);
                found.push(Candidate { keys, a: i as u32, b: p.collider, margin: s.reach });
            }
        }
    }

    fn compare_all(&mut self, colliders: &Colliders, h: f64, found: &mut Vec<Candidate>) {
        compare(&self.boxes, &mut self.overlaps);
        // boxes at infinity overlap nothing
        let all = u64::MAX >> (64 - self.spots.len().clamp(1, 64));
        for (i, overlaps) in self.overlaps.iter().enumerate() {
            let mut left = overlaps & colliders.partners(i) & (u64::MAX << i << 1) & all;
            while left != 0 {
                let j = left.trailing_zeros() as usize;
                left &= left - 1;
                self.see(i, j, colliders, h, found);
            }
        }
    }

    fn sweep(&mut self, colliders: &Colliders, h: f64, found: &mut Vec<Candidate>) {
        let axis = self.axis.unwrap_or_else(|| self.widest());
        self.axis = Some(axis);
        let low = |i: u32| self.boxes[i as usize / 8].low[axis][i as usize % 8];
        let high = |i: u32| self.boxes[i as usize / 8].high[axis][i as usize % 8];
        // insertion sort: nearly sorted from the last step
        for i in 1..self.order.len() {
            let it = self.order[i];
            let mut j = i;
            while j > 0 && low(self.order[j - 1]) > low(it) {
                self.order[j] = self.order[j - 1];
                j -= 1;
            }
            self.order[j] = it;
        }
        let mut active = core::mem::take(&mut self.active);
        active.clear();
        for &i in &self.order {
            let from = low(i);
            active.retain(|&j| high(j) >= from);
            for &j in &active {
                let (i, j) = (i.min(j) as usize, i.max(j) as usize);
                if i < self.moving.len() && colliders.may_touch(i, j) && self.overlap(i, j) {
                    self.see(i, j, colliders, h, found);
                }
            }
            active.push(i);
        }
        self.active = active;
    }

    /// The axis of largest spread of the colliders.
    fn widest(&self) -> usize {
        let spread = |k: usize| {
            let middle = |s: &Spot| s.centre.to_array()[k];
            let n = self.spots.len() as f64;
            let mean = self.spots.iter().map(middle).sum::<f64>() / n;
            self.spots.iter().map(|s| (middle(s) - mean) * (middle(s) - mean)).sum::<f64>()
        };
        (1..3).fold(0, |m, k| if spread(k) > spread(m) { k } else { m })
    }

    #[inline(always)]
    fn overlap(&self, i: usize, j: usize) -> bool {
        let ((a, i), (b, j)) = ((&self.boxes[i / 8], i % 8), (&self.boxes[j / 8], j % 8));
        (0..3).all(|k| a.low[k][i] <= b.high[k][j] && b.low[k][j] <= a.high[k][i])
    }

    /// Keeps a pair that may touch and whose grown boxes overlap, if it is near by its relative speed.
    fn see(&self, i: usize, j: usize, colliders: &Colliders, h: f64, found: &mut Vec<Candidate>) {
        let (p, q) = (&self.spots[i], &self.spots[j]);
        let margin = REACH + HASTE * h * ((p.velocity - q.velocity).norm() + p.spin + q.spin);
        let (d, reach) = (p.centre - q.centre, p.half + q.half);
        let is_near =
            d.x.abs() <= reach.x + margin && d.y.abs() <= reach.y + margin && d.z.abs() <= reach.z + margin;
        if is_near {
            let (a, b) = colliders.carried_first(i, j);
            let keys = (colliders.all[a].key, colliders.all[b].key);
            found.push(Candidate { keys, a: a as u32, b: b as u32, margin });
        }
    }
}

/// Half edges along the world's axes of a box along the body's.
#[inline(always)]
fn reach(pose: &Transform, half: Vec3, radius: f64) -> Vec3 {
    let r = &pose.rotation;
    let along = |x: f64, y: f64, z: f64| (x.abs() * half.x + y.abs() * half.y + z.abs() * half.z).min(radius);
    vec3(along(r.x.x, r.y.x, r.z.x), along(r.x.y, r.y.y, r.z.y), along(r.x.z, r.y.z, r.z.z))
}

fn plane(i: usize, c: &Collider) -> Plane {
    let n = c.body_from_it.rotation.z;
    Plane {
        collider: i as u32,
        normal: n,
        size: vec3(n.x.abs(), n.y.abs(), n.z.abs()),
        offset: n.dot(c.body_from_it.translation),
    }
}
