//! Which pairs of colliders come near each other, by boxes along the world's axes.
//!
//! Computes  for each moving collider a box grown by how far it may come within a step, and all pairs of boxes that
//!           overlap and may touch.
//! Source: textbook; few colliders all against all, many by sweep and prune along one axis with the order kept.
//! We differ: the boxes are those of boxes along the body's axes, so that no shape is placed before it is near.
//! Not here: geometry of the shapes (`narrow`).
//! Checked by: `tests/detect.rs`.

use super::collider::{Collider, Colliders};
use super::narrow::Form;
use crate::spatial::{Motion, Transform, Vec3, vec3};

/// Shapes this far apart are looked at even when nothing moves, m.
const REACH: f64 = 2e-3;
/// How much farther than its speed carries it a shape may come within a step.
const HASTE: f64 = 1.5;
/// Up to this many colliders all are compared with all.
const FEW: usize = 64;

/// A pair that is near.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// keys of a and b, the order of the patches
    pub keys: (u32, u32),
    /// the one that is carried
    pub a: u32,
    /// the one that carries
    pub b: u32,
    /// how near is near
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

/// Where a collider is, and how it moves.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    centre: Vec3,
    half: Vec3,
    /// velocity of the middle
    velocity: Vec3,
    /// speed of the rest against the middle, at most
    spin: f64,
}

#[derive(Clone, Copy, Debug)]
struct Plane {
    collider: u32,
    normal: Vec3,
    size: Vec3,
    offset: f64,
}

/// Boxes of all colliders.
#[derive(Clone, Debug, Default)]
pub(super) struct Broad {
    moving: Vec<Moving>,
    spots: Vec<Spot>,
    planes: Vec<Plane>,
    /// lower and upper ends of the grown boxes along x, y, z
    low: [Vec<f64>; 3],
    high: [Vec<f64>; 3],
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
        for k in 0..3 {
            let ends = |sign: f64| bounded.iter().map(move |c| c.centre.to_array()[k] + sign * c.half.to_array()[k]);
            self.low[k].clear();
            self.low[k].extend(ends(-1.0));
            self.high[k].clear();
            self.high[k].extend(ends(1.0));
        }
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
            self.near_plane(p, colliders, HASTE * h, found);
        }
        if self.spots.len() <= FEW { self.compare_all(colliders, h, found) } else { self.sweep(colliders, h, found) }
        found.sort_unstable_by_key(|c| c.keys);
    }

    fn place(&mut self, poses: &[Transform], velocities: &[Motion], haste: f64) {
        let n = self.moving.len();
        let [low_x, low_y, low_z] = &mut self.low;
        let [high_x, high_y, high_z] = &mut self.high;
        let low = (&mut low_x[..n], &mut low_y[..n], &mut low_z[..n]);
        let high = (&mut high_x[..n], &mut high_y[..n], &mut high_z[..n]);
        let spots = &mut self.spots[..n];
        for (i, m) in self.moving.iter().enumerate() {
            let (pose, v) = (&poses[m.body as usize], &velocities[m.body as usize]);
            let r = pose.rotation.mul(m.centre);
            let centre = pose.translation + r;
            let half = reach(pose, m.half, m.radius);
            let velocity = v.linear + v.angular.cross(r);
            let spin = v.angular.norm() * m.radius;
            spots[i] = Spot { centre, half, velocity, spin };
            let g = REACH + haste * (velocity.norm() + spin);
            (low.0[i], low.1[i], low.2[i]) = (centre.x - half.x - g, centre.y - half.y - g, centre.z - half.z - g);
            (high.0[i], high.1[i], high.2[i]) = (centre.x + half.x + g, centre.y + half.y + g, centre.z + half.z + g);
        }
    }

    fn near_plane(&self, p: &Plane, colliders: &Colliders, haste: f64, found: &mut Vec<Candidate>) {
        let other = p.collider as usize;
        for (i, s) in self.spots[..self.moving.len()].iter().enumerate() {
            // the grown box first: it needs no square root
            let lowest = p.normal.dot(s.centre) - p.size.dot(s.half) - p.offset - REACH;
            if lowest > 0.0 && lowest > haste * (s.velocity.norm() + s.spin) {
                continue;
            }
            if lowest.is_finite() && colliders.may_touch(i, other) {
                let margin = REACH + haste * (s.velocity.norm() + s.spin);
                let keys = (colliders.all[i].key, colliders.all[other].key);
                found.push(Candidate { keys, a: i as u32, b: p.collider, margin });
            }
        }
    }

    fn compare_all(&self, colliders: &Colliders, h: f64, found: &mut Vec<Candidate>) {
        let n = self.spots.len();
        let mut overlaps = [0u8; FEW];
        for i in 0..self.moving.len() {
            let ends = |k: usize| (self.low[k][i], self.high[k][i]);
            let [x, y, z] = [ends(0), ends(1), ends(2)];
            let low = self.low[0][i + 1..n].iter().zip(&self.low[1][i + 1..n]).zip(&self.low[2][i + 1..n]);
            let high = self.high[0][i + 1..n].iter().zip(&self.high[1][i + 1..n]).zip(&self.high[2][i + 1..n]);
            for ((o, ((lx, ly), lz)), ((hx, hy), hz)) in overlaps.iter_mut().zip(low).zip(high) {
                *o = u8::from(*lx <= x.1) & u8::from(*hx >= x.0) & u8::from(*ly <= y.1)
                    & u8::from(*hy >= y.0) & u8::from(*lz <= z.1) & u8::from(*hz >= z.0);
            }
            for (j, _) in (i + 1..n).zip(&overlaps).filter(|(_, o)| **o != 0) {
                self.see(i, j, colliders, h, found);
            }
        }
    }

    fn sweep(&mut self, colliders: &Colliders, h: f64, found: &mut Vec<Candidate>) {
        let axis = self.axis.unwrap_or_else(|| self.widest());
        self.axis = Some(axis);
        let (low, high) = (&self.low[axis], &self.high[axis]);
        // insertion sort: nearly sorted from the last time
        for i in 1..self.order.len() {
            let it = self.order[i];
            let mut j = i;
            while j > 0 && low[self.order[j - 1] as usize] > low[it as usize] {
                self.order[j] = self.order[j - 1];
                j -= 1;
            }
            self.order[j] = it;
        }
        let mut active = core::mem::take(&mut self.active);
        active.clear();
        for &i in &self.order {
            let from = low[i as usize];
            active.retain(|&j| high[j as usize] >= from);
            for &j in &active {
                let (i, j) = (i.min(j) as usize, i.max(j) as usize);
                if i < self.moving.len() && self.overlap(i, j) {
                    self.see(i, j, colliders, h, found);
                }
            }
            active.push(i);
        }
        self.active = active;
    }

    /// The axis along which the colliders lie most apart.
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
        (0..3).all(|k| self.low[k][i] <= self.high[k][j] && self.low[k][j] <= self.high[k][i])
    }

    /// Keeps a pair whose grown boxes overlap if it may touch and is near by its relative speed.
    fn see(&self, i: usize, j: usize, colliders: &Colliders, h: f64, found: &mut Vec<Candidate>) {
        if !colliders.may_touch(i, j) {
            return;
        }
        let (p, q) = (&self.spots[i], &self.spots[j]);
        let margin = REACH + HASTE * h * ((p.velocity - q.velocity).norm() + p.spin + q.spin);
        let (d, reach) = (p.centre - q.centre, p.half + q.half);
        let is_near = d.x.abs() <= reach.x + margin && d.y.abs() <= reach.y + margin && d.z.abs() <= reach.z + margin;
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
