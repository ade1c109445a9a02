//! One contact's hypothesis: which of its points carry, whether it sticks or slides; the rows that follow, and the checks.
//!
//! Everything is in impulses p = (fx fy fz nx ny nz) and velocities u = (vx vy vz wx wy wz) of link a against link b, in
//! the axes of the patch about its origin. Solved for all contacts together (`check`):  u = u_free + G p.
//!
//! Rows  of the points that carry: v_z of one (point) or two (line) of them, or v_z, w_x, w_y (surface) [NY2000J Table 1],
//! each equal to what the gap allows; and of friction: slip (v_x, v_y, d w_z) at the friction centre [Table 2].
//! Checks, in this order: f_z > 0; p_v inside the hull of the points that carry [eq. 26]; no other point sinks;
//! |(f_x, f_y, n_z(p)/d)| <= mu f_z, and what slides has its friction against the slip [eq. 31-36].
//! Source: [NY2000J §4.2-4.7].
//! We differ, to end for many contacts: a limit surface that is an ellipsoid instead of a diamond; friction rows that do
//! not depend on the normal state; a contact that cannot stick begins to slide through a compliance, slip = -alpha
//! friction (symmetric, always solvable), and only then takes the modified column of eq. 36, with the derivative of the
//! slip direction beside it (Newton's method on the direction); points that were let go are looked at again.
//! Checked by: `tests/contact_solver.rs`.

use super::patch::MAX_VERTICES;
use super::region::{Hull, Place, Set, members, yaw_of};

/// Velocity conditions, m/s.
pub const TOLERANCE_VELOCITY: f64 = 1e-9;
/// Force conditions, against the largest normal impulse.
pub const TOLERANCE_FORCE: f64 = 1e-9;
/// A yaw radius below this has no row of its own, m.
const NO_YAW: f64 = 1e-6;
/// Turn of the slip direction that counts as none.
const TOLERANCE_DIRECTION: f64 = 1e-9;
/// Turn of the slip direction beyond which Newton's method is left for the compliance.
const LARGE_TURN: f64 = 0.2;
/// Change of the compliance, relative, below which Newton's method on the direction begins.
const SMALL_CHANGE: f64 = 0.05;

/// Numbers of a contact: force then moment, or linear then angular velocity.
pub type Six = [f64; 6];
/// Rows of G that belong to one pair of contacts.
pub type Block = [Six; 6];

/// A contact as the solver sees it.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// places of the points
    pub places: [Place; MAX_VERTICES],
    /// how many points
    pub count: usize,
    /// least normal velocity of each point: what its gap allows
    pub target: [f64; MAX_VERTICES],
    /// wanted (v_x, v_y, w_z) where it sticks
    pub wish: [f64; 3],
    /// limit of friction over the normal force while it sticks
    pub static_friction: f64,
    /// friction over the normal force while it slides
    pub dynamic_friction: f64,
    /// hull of all points
    pub hull: Hull,
    /// friction centre
    pub center: Place,
    /// lever of friction about the friction centre
    pub yaw_radius: f64,
}

/// How a contact is thought to move along.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Grip {
    /// no slip
    #[default]
    Stick,
    /// slip = -alpha friction, direction open
    Compliant,
    /// friction mu f_z against the slip direction `s`
    Directed,
}

/// What is thought of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hypothesis {
    /// points that carry
    pub set: Set,
    /// how it moves along
    pub grip: Grip,
    /// slip over friction
    pub alpha: f64,
    /// slip direction in (v_x, v_y, d w_z)
    pub slip: [f64; 3],
    /// limit of friction over the trial force of Newton's method
    pub beta: f64,
}

/// What happened to a contact in this solve, against cycles; and whether its friction centre follows.
#[derive(Clone, Copy, Debug, Default)]
pub struct History {
    releases: u32,
    stops: u32,
    hulls: u32,
    alphas: u32,
    returns: u32,
    /// w_z / f_z where the friction centre follows the centre of pressure
    pub spin: Option<f64>,
    bracket_of: Option<Set>,
    low: f64,
    high: f64,
}

/// Kinds of change between passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// of the points that carry
    Normal(Hypothesis),
    /// of friction
    Friction(Hypothesis),
}

/// Rows of one contact in the linear system.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    pub count: usize,
    /// motion rows
    pub a: [Six; 6],
    /// impulse columns
    pub b: [Six; 6],
    /// wanted velocities
    pub wanted: [f64; 6],
    /// compliances
    pub soft: [f64; 6],
    /// rows of the points that carry; they come first
    pub normals: usize,
    /// change of slip across its direction with the impulses of the normal rows, through the friction centre
    pub bend: Option<[[f64; 3]; 2]>,
    /// whether a and b are the identity
    pub is_plain: bool,
}

impl Face {
    /// A contact in these places, with the least normal velocity of each and static and dynamic friction. Its friction
    /// centre is the place of the region nearest to the origin.
    ///
    /// # Panics
    /// Without places, or with more than [`MAX_VERTICES`].
    pub fn new(places: &[Place], target: &[f64], friction: [f64; 2]) -> Face {
        let count = places.len();
        assert!(0 < count && count <= MAX_VERTICES && target.len() == count, "one to eight points");
        let mut face = Face {
            places: [[0.0; 2]; MAX_VERTICES],
            count,
            target: [0.0; MAX_VERTICES],
            wish: [0.0; 3],
            static_friction: friction[0],
            dynamic_friction: friction[1],
            hull: Hull::of(places, ((1_u32 << count) - 1) as Set),
            center: [0.0; 2],
            yaw_radius: 0.0,
        };
        face.places[..count].copy_from_slice(places);
        face.target[..count].copy_from_slice(target);
        face.set_center([0.0; 2]);
        face
    }

    /// Sets the friction centre: the place of the region nearest to `p`.
    pub fn set_center(&mut self, p: Place) {
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

    fn all(&self) -> Set {
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

    /// Slip wanted where it sticks.
    pub fn wanted_slip(&self) -> [f64; 3] {
        self.slip(&[self.wish[0], self.wish[1], 0.0, 0.0, 0.0, self.wish[2]])
    }

    /// Centre of pressure [NY2000J eq. 26].
    #[inline(always)]
    pub fn pressure_center(p: &Six) -> Place {
        [-p[4] / p[2], p[3] / p[2]]
    }

    /// Friction block of the contact's own G: slip at the centre over friction.
    fn own_slip(&self, g: &Block) -> [[f64; 3]; 3] {
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

    /// Rows of a hypothesis that has points that carry; `rho` is one over a mean of the contact's G.
    pub fn rows(&self, hy: &Hypothesis, rho: f64, spin: Option<f64>) -> Rows {
        let mut r = Rows {
            count: 0,
            a: [[0.0; 6]; 6],
            b: [[0.0; 6]; 6],
            wanted: [0.0; 6],
            soft: [0.0; 6],
            normals: 0,
            bend: None,
            is_plain: false,
        };
        let hull = self.hull_of(hy.set);
        let corners = hull.corners();
        let k = self.friction_rows();
        if let Some(wanted) = self.stuck_surface(hy) {
            return Rows { count: 6, wanted, is_plain: true, ..r };
        }
        if corners.len() <= 2 {
            for i in corners {
                let [x, y] = self.places[*i as usize];
                r.push([0.0, 0.0, 1.0, y, -x, 0.0], self.target[*i as usize], 0.0);
            }
        } else {
            let plane = self.target_plane(corners);
            for (k, wanted) in plane.into_iter().enumerate() {
                let mut row = [0.0; 6];
                row[2 + k] = 1.0;
                r.push(row, wanted, 0.0);
            }
        }
        r.normals = r.count;
        match hy.grip {
            Grip::Stick => {
                let w = self.slip(&[self.wish[0], self.wish[1], 0.0, 0.0, 0.0, self.wish[2]]);
                (0..k).for_each(|i| r.push(self.friction_column(i), w[i], 0.0));
            }
            Grip::Compliant => (0..k).for_each(|i| r.push(self.friction_column(i), 0.0, hy.alpha)),
            Grip::Directed => {
                let (mu, s) = (self.dynamic_friction, hy.slip);
                let slope = if spin.is_some() && k == 3 { self.yaw_slope() } else { [0.0; 2] };
                let (across, n) = perpendicular(&s, k);
                let mut bend = [[0.0; 3]; 2];
                for i in 0..r.count {
                    // [NY2000J eq. 36], with the moment of friction at the centre
                    let [_, _, normal, nx, ny, _] = r.a[i];
                    let b = &mut r.b[i];
                    b[0] -= mu * s[0] * normal;
                    b[1] -= mu * s[1] * normal;
                    b[5] -= mu * (yaw_of(self.center, [s[0], s[1]]) + s[2] * self.yaw_radius) * normal;
                    if let Some(spin) = spin {
                        // f_z times what the centre of pressure is away from the centre: moment and slip follow it
                        let away = [-ny - self.center[0] * normal, nx - self.center[1] * normal];
                        let wider = slope[0] * away[0] + slope[1] * away[1];
                        b[5] -= mu * (yaw_of(away, [s[0], s[1]]) + s[2] * wider);
                        let slip = [-away[1], away[0], wider].map(|x| spin * x);
                        for (bend, e) in bend.iter_mut().zip(&across[..n]) {
                            bend[i] = e[0] * slip[0] + e[1] * slip[1] + e[2] * slip[2];
                        }
                    }
                }
                r.bend = spin.map(|_| bend);
                let soft = (1.0 - hy.beta) / (hy.beta * rho).max(1e-12);
                for e in &across[..n] {
                    let mut row = [0.0; 6];
                    for (i, e) in e.iter().enumerate().take(k) {
                        let column = self.friction_column(i);
                        (0..6).for_each(|c| row[c] += e * column[c]);
                    }
                    r.push(row, 0.0, soft);
                }
            }
        }
        r
    }

    /// What an impulse is in the columns of a hypothesis, as near as they can give it.
    pub fn in_columns(&self, hy: &Hypothesis, rows: &Rows, p: &Six) -> Six {
        if rows.is_plain {
            return *p;
        }
        let mut x = [0.0; 6];
        match rows.normals {
            0 => {}
            1 => x[0] = p[2],
            2 => {
                // shares of the two ends in the load, by the place of the pressure between them
                let ([_, _, _, y0, mx0, _], [_, _, _, y1, mx1, _]) = (rows.a[0], rows.a[1]);
                let along = [mx0 - mx1, y1 - y0]; // from the first to the second
                let reach = (along[0] * along[0] + along[1] * along[1]).max(1e-300);
                let moment = [-p[4] + mx0 * p[2], p[3] - y0 * p[2]];
                let second =
                    ((moment[0] * along[0] + moment[1] * along[1]) / reach).clamp(0.0, p[2].max(0.0));
                (x[0], x[1]) = (p[2] - second, second);
            }
            _ => x[..3].copy_from_slice(&p[2..5]),
        }
        let friction = self.friction(p);
        let k = self.friction_rows();
        match hy.grip {
            Grip::Stick | Grip::Compliant => x[rows.normals..rows.count].copy_from_slice(&friction[..k]),
            Grip::Directed => {
                let (across, n) = perpendicular(&hy.slip, k);
                for (x, e) in x[rows.normals..].iter_mut().zip(&across[..n]) {
                    *x = e[0] * friction[0] + e[1] * friction[1] + e[2] * friction[2];
                }
            }
        }
        x
    }

    /// Wanted velocity of a surface that sticks; `None` for other hypotheses.
    #[inline(always)]
    pub fn stuck_surface(&self, hy: &Hypothesis) -> Option<Six> {
        if hy.grip != Grip::Stick || self.friction_rows() != 3 || hy.set.count_ones() < 3 {
            return None;
        }
        let hull = self.hull_of(hy.set);
        let corners = hull.corners();
        (corners.len() >= 3).then(|| {
            let (plane, w) = (self.target_plane(corners), self.wish);
            [w[0], w[1], plane[0], plane[1], plane[2], w[2]]
        })
    }

    /// Whether friction is within its limit at the centre of pressure, by a bound that is quick to see.
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
        if set == self.all() { self.hull } else { Hull::of(&self.places[..self.count], set) }
    }

    /// Change of the yaw radius with the friction centre.
    fn yaw_slope(&self) -> [f64; 2] {
        const APART: f64 = 1e-6;
        let places = &self.places[..self.count];
        let mut slope = [0.0; 2];
        for (k, slope) in slope.iter_mut().enumerate() {
            let [a, b] = [-APART, APART].map(|e| {
                let mut p = self.center;
                p[k] += e;
                let near = self.hull.nearest(places, p).place;
                (near[k], self.hull.yaw_radius(places, near))
            });
            if b.0 - a.0 > 0.1 * APART {
                *slope = (b.1 - a.1) / (b.0 - a.0);
            }
        }
        slope
    }

    /// (v_z, w_x, w_y) that gives the corners their wanted velocities, by least squares for more than three.
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

    /// The checks of one contact, given the impulse and velocity of its hypothesis: what to think instead, or nothing.
    /// `scale` is the largest normal impulse of all contacts.
    #[allow(clippy::too_many_arguments)] // what the check looks at
    pub fn check(
        &self,
        g: &Block,
        hy: &Hypothesis,
        p: &Six,
        u: &Six,
        scale: f64,
        rho: f64,
        is_alone: bool,
        past: &mut History,
    ) -> Option<Change> {
        let mut sinking: Set = 0;
        let (mut deepest, mut least) = ((0, f64::INFINITY), f64::INFINITY);
        for i in 0..self.count {
            let v = self.normal_velocity(i, u);
            least = least.min(v);
            let short = v - self.target[i];
            if hy.set >> i & 1 == 0 && short < -TOLERANCE_VELOCITY {
                sinking |= 1 << i;
                if short < deepest.1 {
                    deepest = (i, short);
                }
            }
        }
        let press = p[2];
        let is_uneven = members(hy.set & self.all())
            .any(|i| self.normal_velocity(i, u) - self.target[i] < -TOLERANCE_VELOCITY);
        let loosened = |set: Set, past: &History| {
            // little friction: the frictionless answer always exists, while stick may pull or overturn the contact
            let pressed = press.max(-least / g[2][2]).max(1e-9);
            let slip = norm3(&self.slip(u)) / (self.dynamic_friction * pressed + 1e-12);
            let mean = self.mean_slip(g);
            let times = past.releases as i32 + past.hulls as i32 / 2 - 1;
            let alpha = slip.max(0.3 * mean) * power_of_4(times);
            Hypothesis { set, grip: Grip::Compliant, alpha, ..Hypothesis::default() }
        };
        if hy.set == 0 {
            return (sinking != 0).then(|| {
                Change::Normal(if past.releases > 0 {
                    loosened(1 << deepest.0, past) // one point alone never pulls
                } else {
                    Hypothesis { set: sinking, ..Hypothesis::default() }
                })
            });
        }
        // (1) what would have to pull lets go
        if !(press > 0.0) {
            past.releases += 1;
            return Some(Change::Normal(Hypothesis::default()));
        }
        let with_set = |set: Set| {
            let grip = if hy.grip == Grip::Directed { Grip::Compliant } else { hy.grip };
            Change::Normal(Hypothesis { set, grip, ..*hy })
        };
        // (2) the centre of pressure leaves the region: the nearest edge or corner carries
        let places = &self.places[..self.count];
        let near = self.hull_of(hy.set).nearest(places, Face::pressure_center(p));
        if near.distance * press > 0.1 * TOLERANCE_FORCE * scale {
            past.hulls += 1;
            if hy.grip == Grip::Stick && (past.hulls == 3 || past.hulls == 6) {
                return Some(Change::Friction(loosened(hy.set, past)));
            }
            return Some(with_set(near.feature));
        }
        // points that cannot all touch: those that can, under the centre of pressure
        if is_uneven
            && let Some(set) = self.facet(hy.set, near.place)
            && set != hy.set
        {
            return Some(with_set(set));
        }
        // a point that does not carry sinks: it must (the paper waits for the next step)
        if sinking != 0 {
            let is_cycling = past.hulls > 1;
            let set = hy.set | if is_cycling { 1 << deepest.0 } else { sinking };
            return Some(if is_cycling && hy.grip == Grip::Stick {
                Change::Normal(loosened(set, past))
            } else {
                with_set(set)
            });
        }
        self.check_friction(g, hy, p, u, scale, rho, is_alone, past).map(Change::Friction)
    }

    /// Points of a set under `p` that touch together before all others of it: a facet of the upper hull of their targets.
    fn facet(&self, set: Set, p: Place) -> Option<Set> {
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

    /// (3) friction within its limit, against the slip.
    #[allow(clippy::too_many_arguments)]
    fn check_friction(
        &self,
        g: &Block,
        hy: &Hypothesis,
        p: &Six,
        u: &Six,
        scale: f64,
        rho: f64,
        is_alone: bool,
        past: &mut History,
    ) -> Option<Hypothesis> {
        if self.friction_rows() == 0 {
            return None;
        }
        let (friction, press) = (self.friction(p), p[2]);
        let size = norm3(&friction);
        let limit = self.dynamic_friction * press;
        let stuck = Hypothesis { set: hy.set, ..Hypothesis::default() };
        let mut new = *hy;
        match hy.grip {
            Grip::Stick => {
                if size <= self.static_friction * press + TOLERANCE_FORCE * scale {
                    return None;
                }
                new.grip = Grip::Compliant;
                new.alpha = self.next_alpha(g, 0.0, &friction, limit).max(1e-6 * g[0][0]);
                Some(new)
            }
            Grip::Compliant => {
                // slip too small to see: it sticks, with a load that redundant contacts share as the compliance says
                if size <= self.static_friction * press && hy.alpha * size <= TOLERANCE_VELOCITY {
                    return None;
                }
                let next = self.next_alpha(g, hy.alpha, &friction, limit);
                if past.bracket_of != Some(hy.set) && !(is_alone && past.alphas > 6) {
                    past.bracket_of = Some(hy.set);
                    (past.low, past.high) = (0.0, f64::INFINITY);
                }
                if size > limit {
                    past.low = past.low.max(hy.alpha);
                } else {
                    past.high = past.high.min(hy.alpha);
                }
                let mut alpha = next;
                if !(alpha > 0.0) {
                    past.stops += 1;
                    if (past.stops == 1 && past.low == 0.0) || hy.alpha < 1e-9 * g[0][0] {
                        return Some(stuck);
                    }
                    alpha = (0.1 * hy.alpha).max((past.low * hy.alpha).sqrt());
                } else if !(past.low < alpha && alpha < past.high)
                    || (past.alphas > 6 && past.low > 0.0 && past.high.is_finite())
                {
                    alpha = if past.high.is_finite() {
                        (past.low.max(1e-10 * g[0][0]) * past.high).sqrt()
                    } else {
                        4.0 * hy.alpha
                    };
                }
                past.alphas += 1;
                new.alpha = alpha;
                if (alpha - hy.alpha).abs() < SMALL_CHANGE / power_of_4(past.returns.min(8) as i32) * alpha {
                    let (trial, size) = self.trial(&friction, u, rho);
                    new.grip = Grip::Directed;
                    new.slip = trial.map(|t| -t / size);
                    new.beta = (limit / size).min(1.0);
                }
                Some(new)
            }
            Grip::Directed => {
                let (trial, size) = self.trial(&friction, u, rho);
                if size <= limit {
                    past.stops += 1;
                    if past.stops > 1 {
                        new.grip = Grip::Compliant;
                        past.returns += 1;
                        let less = if past.returns > 1 { 0.9 } else { 0.2 };
                        new.alpha = (less * hy.alpha).max(1e-9 * g[0][0]);
                        return Some(new);
                    }
                    return Some(stuck);
                }
                new.slip = trial.map(|t| -t / size);
                new.beta = limit / size;
                new.alpha = norm3(&self.slip(u)).max(1e-12) / limit.max(1e-300);
                past.spin = past.spin.map(|_| u[5] / press);
                let is_off = (norm3(&friction) - limit).abs() > TOLERANCE_FORCE * scale;
                let turn = norm3(&[0, 1, 2].map(|i| new.slip[i] - hy.slip[i]));
                if turn > LARGE_TURN {
                    past.returns += 1;
                    new.grip = Grip::Compliant;
                    return Some(new);
                }
                (turn > TOLERANCE_DIRECTION || is_off && past.spin.is_some()).then_some(new)
            }
        }
    }

    /// A sliding hypothesis in the direction of an answer.
    pub fn directed(&self, hy: &Hypothesis, p: &Six, u: &Six, rho: f64) -> Hypothesis {
        let (trial, size) = self.trial(&self.friction(p), u, rho);
        let beta = (self.dynamic_friction * p[2] / size).min(1.0);
        Hypothesis { grip: Grip::Directed, slip: trial.map(|t| -t / size), beta, ..*hy }
    }

    /// How far an answer is from the conditions on the points that carry: part of the load or of the speed.
    pub fn normal_excess(&self, set: Set, p: &Six, u: &Six, speed: f64) -> f64 {
        let mut worst = 0.0_f64;
        for i in 0..self.count {
            worst = worst.max((self.target[i] - self.normal_velocity(i, u)) / speed);
        }
        if set == 0 {
            return worst;
        }
        if !(p[2] > 0.0) {
            return f64::INFINITY;
        }
        let places = &self.places[..self.count];
        worst.max(self.hull_of(set).nearest(places, Face::pressure_center(p)).distance / 0.1)
    }

    /// Mean of the contact's own slip over friction.
    pub fn mean_slip(&self, g: &Block) -> f64 {
        let (own, k) = (self.own_slip(g), self.friction_rows());
        (0..k).map(|i| own[i][i]).sum::<f64>() / k.max(1) as f64
    }

    /// friction - rho slip, and its size.
    fn trial(&self, friction: &[f64; 3], u: &Six, rho: f64) -> ([f64; 3], f64) {
        let slip = self.slip(u);
        let t = [0, 1, 2].map(|i| friction[i] - rho * slip[i]);
        (t, norm3(&t).max(1e-300))
    }

    /// More's update of the secular equation |friction(alpha)| = limit, with the contact's own G.
    fn next_alpha(&self, g: &Block, alpha: f64, friction: &[f64; 3], limit: f64) -> f64 {
        let k = self.friction_rows();
        let n = norm3(friction);
        if n == 0.0 {
            return 0.0;
        }
        let mut m = self.own_slip(g);
        (0..k).for_each(|i| m[i][i] += alpha);
        let x = solve3(&m, *friction, k);
        let along: f64 = (0..k).map(|i| friction[i] * x[i]).sum();
        alpha + n * n / along * (n / limit.max(1e-300) - 1.0)
    }

    /// Sets to start a contact alone from: nothing, all, each edge, each corner.
    pub fn starts(&self) -> impl Iterator<Item = Set> + '_ {
        let corners = self.hull.corners();
        let n = corners.len();
        let whole = (n > 2).then(|| corners.iter().fold(0, |s, i| s | 1 << i));
        let edge = move |k: usize| 1 << corners[k] | 1 << corners[(k + 1) % n];
        let edges = (0..if n > 1 { n } else { 0 }).map(edge);
        // where targets are uneven, three points or two carry
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

    /// Points whose normal velocity is what the gap allows: the ones that touch.
    pub fn touching(&self, u: &Six, within: f64) -> Set {
        members(self.all())
            .filter(|i| self.normal_velocity(*i, u) - self.target[*i] < within)
            .fold(0, |s, i| s | 1 << i)
    }
}

impl Rows {
    fn push(&mut self, row: Six, wanted: f64, soft: f64) {
        let k = self.count;
        (self.a[k], self.b[k], self.wanted[k], self.soft[k]) = (row, row, wanted, soft);
        self.count += 1;
    }
}

/// Directions across `s` in the space of `k` friction rows, and their number.
fn perpendicular(s: &[f64; 3], k: usize) -> ([[f64; 3]; 2], usize) {
    if k == 2 {
        return ([[-s[1], s[0], 0.0], [0.0; 3]], 1);
    }
    let smallest = (0..3).min_by(|i, j| s[*i].abs().total_cmp(&s[*j].abs())).unwrap_or(0);
    let mut a = [0.0; 3];
    a[smallest] = 1.0;
    let cross = |x: &[f64; 3], y: &[f64; 3]| {
        [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    };
    let e1 = cross(s, &a);
    let n = norm3(&e1).max(1e-300);
    let e1 = e1.map(|x| x / n);
    ([e1, cross(s, &e1)], 2)
}

/// Solution of the leading `k` by `k` part of a symmetric positive definite system.
fn solve3(m: &[[f64; 3]; 3], r: [f64; 3], k: usize) -> [f64; 3] {
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

fn power_of_4(n: i32) -> f64 {
    let one = if n < 0 { 0.25 } else { 4.0 };
    (0..n.unsigned_abs().min(40)).fold(1.0, |p, _| p * one)
}
