//! One contact in the solver: points, friction, and derived quantities of impulses and velocities.
//!
//! Impulses p = (fx fy fz nx ny nz) and velocities u = (vx vy vz wx wy wz) of link a against link b are in the axes of the
//! patch about its origin.

use super::hypothesis::TOLERANCE_VELOCITY;
use super::patch::MAX_VERTICES;
use super::region::{Hull, Point2, Set, members, yaw_of};

/// A yaw radius below this has no friction row, m.
const NO_YAW: f64 = 1e-6;

/// Force then moment, or linear then angular velocity.
pub type Six = [f64; 6];

/// Block of G for a pair of contacts.
pub type Block = [Six; 6];

/// A contact in the solver.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// points in the plane of the patch
    pub places: [Point2; MAX_VERTICES],
    /// number of points
    pub count: usize,
    /// least normal velocity of each point, from its gap
    pub target: [f64; MAX_VERTICES],
    /// target (v_x, v_y, w_z) of a sticking contact
    pub stick_velocity: [f64; 3],
    /// coefficient of static friction
    pub static_friction: f64,
    /// coefficient of dynamic friction
    pub dynamic_friction: f64,
    /// hull of all points
    pub hull: Hull,
    /// friction centre
    pub center: Point2,
    /// lever of friction about the friction centre
    pub yaw_radius: f64,
}

impl Face {
    /// A contact from its points, their least normal velocities, and static and dynamic friction. Its friction centre is
    /// the point of the region nearest to the origin.
    ///
    /// # Panics
    /// Without points, or with more than [`MAX_VERTICES`].
    pub fn new(places: &[Point2], target: &[f64], friction: [f64; 2]) -> Face {
        let count = places.len();
        assert!(0 < count && count <= MAX_VERTICES && target.len() == count, "one to eight points");
        let mut face = Face {
            places: [[0.0; 2]; MAX_VERTICES],
            count,
            target: [0.0; MAX_VERTICES],
            stick_velocity: [0.0; 3],
            static_friction: friction[0],
            dynamic_friction: friction[1],
            hull: Hull::from_points(places, ((1_u32 << count) - 1) as Set),
            center: [0.0; 2],
            yaw_radius: 0.0,
        };
        face.places[..count].copy_from_slice(places);
        face.target[..count].copy_from_slice(target);
        face.set_center([0.0; 2]);
        face
    }

    /// Sets the friction centre to the point of the region nearest to `p`.
    pub fn set_center(&mut self, p: Point2) {
        let places = &self.places[..self.count];
        self.center = self.hull.nearest(places, p).place;
        self.yaw_radius = self.hull.yaw_radius(places, self.center);
    }

    /// Friction rows: three, two without a yaw radius, none without friction.
    #[inline(always)]
    pub fn friction_rows(&self) -> usize {
        match () {
            () if self.static_friction == 0.0 => 0,
            () if self.yaw_radius > NO_YAW => 3,
            () => 2,
        }
    }

    pub(super) fn all(&self) -> Set {
        ((1_u32 << self.count) - 1) as Set
    }

    /// Normal velocity of point `i`.
    #[inline(always)]
    pub fn normal_velocity(&self, i: usize, u: &Six) -> f64 {
        let [x, y] = self.places[i];
        u[2] + y * u[3] - x * u[4]
    }

    /// Slip (v_x, v_y, d w_z) at the friction centre.
    #[inline(always)]
    pub fn slip(&self, u: &Six) -> [f64; 3] {
        let ([x, y], d) = (self.center, self.yaw_radius);
        [u[0] - y * u[5], u[1] + x * u[5], if self.friction_rows() == 3 { d * u[5] } else { 0.0 }]
    }

    /// Friction (f_x, f_y, n_z(center) / d).
    #[inline(always)]
    pub fn friction(&self, p: &Six) -> [f64; 3] {
        let yaw = if self.friction_rows() == 3 {
            (p[5] - yaw_of(self.center, [p[0], p[1]])) / self.yaw_radius
        } else {
            0.0
        };
        [p[0], p[1], yaw]
    }

    /// Wrench of a friction (the transpose of [`Face::slip`]).
    pub fn friction_column(&self, k: usize) -> Six {
        let ([x, y], d) = (self.center, self.yaw_radius);
        match k {
            0 => [1.0, 0.0, 0.0, 0.0, 0.0, -y],
            1 => [0.0, 1.0, 0.0, 0.0, 0.0, x],
            _ => [0.0, 0.0, 0.0, 0.0, 0.0, d],
        }
    }

    /// Target slip of a sticking contact.
    pub fn target_slip(&self) -> [f64; 3] {
        self.slip(&[self.stick_velocity[0], self.stick_velocity[1], 0.0, 0.0, 0.0, self.stick_velocity[2]])
    }

    /// Centre of pressure [NY2000J eq. 26].
    #[inline(always)]
    pub fn pressure_center(p: &Six) -> Point2 {
        [-p[4] / p[2], p[3] / p[2]]
    }

    /// Friction block of the contact's own G: slip at the centre over friction.
    pub(super) fn own_slip(&self, g: &Block) -> [[f64; 3]; 3] {
        let k = self.friction_rows();
        let mut m = [[0.0; 3]; 3];
        for (j, _) in (0..k).enumerate() {
            let column = self.friction_column(j);
            let mut u = [0.0; 6];
            for (r, u) in u.iter_mut().enumerate() {
                *u = dot6(&g[r], &column);
            }
            let s = self.slip(&u);
            (0..k).for_each(|i| m[i][j] = s[i]);
        }
        m
    }

    /// Whether friction is within its limit at the centre of pressure, by a quick sufficient bound.
    #[inline(always)]
    pub fn is_surely_within(&self, p: &Six) -> bool {
        let center = Face::pressure_center(p);
        let yaw = p[5] - yaw_of(center, [p[0], p[1]]);
        let limit = self.static_friction * p[2];
        let left = limit * limit - p[0] * p[0] - p[1] * p[1];
        let least = self.hull.least_yaw_radius_squared(&self.places[..self.count], center);
        left > 0.0 && yaw * yaw <= least * left
    }

    /// Hull of some points.
    #[inline(always)]
    pub fn hull_of(&self, set: Set) -> Hull {
        if set == self.all() { self.hull } else { Hull::from_points(&self.places[..self.count], set) }
    }

    /// (v_z, w_x, w_y) that gives the corners their target velocities, by least squares for more than three.
    pub fn target_plane(&self, corners: &[u8]) -> [f64; 3] {
        let target = |i: &u8| self.target[*i as usize];
        let first = target(&corners[0]);
        if corners.iter().all(|i| target(i) == first) {
            return [first, 0.0, 0.0];
        }
        let (mut m, mut r) = ([[0.0; 3]; 3], [0.0; 3]);
        for i in corners {
            let [x, y] = self.places[*i as usize];
            let row = [1.0, y, -x];
            for a in 0..3 {
                (0..3).for_each(|b| m[a][b] += row[a] * row[b]);
                r[a] += row[a] * target(i);
            }
        }
        solve3(&m, r, 3)
    }

    /// Mean of the contact's own slip over friction.
    pub fn mean_slip(&self, g: &Block) -> f64 {
        let (own, k) = (self.own_slip(g), self.friction_rows());
        (0..k).map(|i| own[i][i]).sum::<f64>() / k.max(1) as f64
    }

    /// Initial sets for solving a contact alone: none, all, each edge, each corner.
    pub fn starts(&self) -> impl Iterator<Item = Set> + '_ {
        let corners = self.hull.corners();
        let n = corners.len();
        let whole = (n > 2).then(|| corners.iter().fold(0, |s, i| s | 1 << i));
        let edge = move |k: usize| 1 << corners[k] | 1 << corners[(k + 1) % n];
        let edges = (0..if n > 1 { n } else { 0 }).map(edge);
        // with uneven targets, two or three points are loaded
        let all = self.all();
        let threes = (1..=all).filter(move |s| self.count > 2 && s.count_ones() == 3);
        let twos = (1..=all).filter(move |s| self.count > 3 && s.count_ones() == 2);
        [0].into_iter()
            .chain(whole)
            .chain(edges)
            .chain(corners.iter().map(|i| 1 << i))
            .chain(threes)
            .chain(twos)
    }

    /// Whether the points of a set span a surface.
    pub fn is_surface(&self, set: Set) -> bool {
        self.hull_of(set).corners().len() > 2
    }

    /// Points that touch: their normal velocity is the least the gap allows.
    pub fn touching(&self, u: &Six, within: f64) -> Set {
        members(self.all())
            .filter(|i| self.normal_velocity(*i, u) - self.target[*i] < within)
            .fold(0, |s, i| s | 1 << i)
    }

    /// Points of a set below `p` that touch first together: a facet of the upper hull of their targets.
    pub(super) fn facet(&self, set: Set, p: Point2) -> Option<Set> {
        let is_above = |corners: &[u8]| {
            let plane = self.target_plane(corners);
            members(set).all(|i| {
                let [x, y] = self.places[i];
                plane[0] + plane[1] * y - plane[2] * x > self.target[i] - 0.1 * TOLERANCE_VELOCITY
            })
        };
        let (mut best, mut least) = (None, 1e-6);
        for i in members(set) {
            for j in members(set).filter(|j| *j > i) {
                for k in members(set).filter(|k| *k > j) {
                    let three = 1 << i | 1 << j | 1 << k;
                    let hull = self.hull_of(three);
                    if hull.corners().len() < 3 || !is_above(hull.corners()) {
                        continue;
                    }
                    let away = hull.nearest(&self.places[..self.count], p).distance;
                    if away < least {
                        (best, least) = (Some(three), away);
                    }
                }
            }
        }
        best
    }
}

/// Solution of the leading `k` by `k` part of a symmetric positive definite system.
pub(super) fn solve3(m: &[[f64; 3]; 3], r: [f64; 3], k: usize) -> [f64; 3] {
    let (mut m, mut r) = (*m, r);
    for i in 0..k {
        let pivot = m[i][i].abs().max(1e-300);
        for j in i + 1..k {
            let f = m[j][i] / pivot;
            (i..k).for_each(|c| m[j][c] -= f * m[i][c]);
            r[j] -= f * r[i];
        }
    }
    let mut x = [0.0; 3];
    for i in (0..k).rev() {
        let s: f64 = (i + 1..k).map(|j| m[i][j] * x[j]).sum();
        x[i] = (r[i] - s) / m[i][i].abs().max(1e-300);
    }
    x
}

#[inline(always)]
pub fn dot6(a: &Six, b: &Six) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
}

#[inline(always)]
pub fn norm3(a: &[f64; 3]) -> f64 {
    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
}
