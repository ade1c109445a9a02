//! Contact within a time step: patches, their G, impulses, resulting accelerations and displacements, impacts.
//!
//! Computes, at the midpoint pose of a step of h, from the velocities at its start and the free velocities at its end:
//! - impulses p of all contacts, and a += M^-1 J^T p / h;
//! - a displacement that corrects part of overlap and creep, without any velocity;
//! - which figures made new contact: they move through the step with its end velocity, so that a landing foot stops at
//!   the ground instead of half a step inside it;
//! - velocities after an impact with restitution, at its own time inside the step [NY2000J eq. 13-19].
//!
//! Velocity form: [NY2000J eq. 20b] with the prescribed acceleration (u* - u) / h, u* = -gap / h for an approaching
//! point and 0 for a touching one: impact without restitution and resting contact are one solve.
//! Source: [NY2000J §4]. We differ: §4.8 removes overlap by acceleration; here positions are corrected, which adds no
//! velocity and no energy except that of the lift.
//! Not here: splitting steps at impacts (`sim::midpoint`).
//! Checked by: `tests/it/contact.rs`.

use super::check::Problem;
use super::correct::Shift;
use super::delassus::Delassus;
use super::detect::Detector;
use super::face::{Face, Six, dot6, norm3};
use super::hypothesis::{Grip, Hypothesis};
use super::patch::{MAX_VERTICES, Patch, PatchKey};
use super::region::Hull;
use super::report::{Contact, Overlap, Slip, SolveMethod, Tally, Touch};
use super::scenery::World;
use super::warm_start::WarmStart;
use crate::algo::aba::{self, MovingBody};
use crate::algo::fk::Kinematics;
use crate::constraint::Constraints;
use crate::dense::DenseSystem;
use crate::model::{BodyIx, Figure, Forest};
use crate::spatial::{Force, Motion, Transform, Vec3};

/// A gap up to this counts as touching, m.
pub(super) const TOUCHING: f64 = 1e-6;
/// A point that would penetrate this deep in a smooth step makes new contact, m.
const MET: f64 = 1e-7;
/// Slowest approach that bounces, m/s.
const BOUNCE: f64 = 0.05;
/// Tolerance of force conditions, part of the load.
pub const TOLERANCE: f64 = 1e-8;
/// Least normal velocity of an unconstrained point, m/s.
const FREE: f64 = -1e9;

/// State at which contacts are computed.
#[derive(Clone, Copy)]
pub struct Instant<'a> {
    /// the bodies
    pub forest: &'a Forest,
    /// factor of the mass matrix at the pose
    pub work: &'a aba::Work,
    /// whether the factor holds an implicit part
    pub is_implicit: bool,
    /// connections at the pose
    pub loops: &'a Constraints,
    /// length of the step
    pub h: f64,
    /// seconds from the step's start to the pose
    pub since: f64,
}

/// Contacts of a figure with a world and itself.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    world: World,
    detector: Detector,
    revision: Option<u64>,
    pub(super) patches: Vec<Patch>,
    /// bodies at the pose, with the velocities of the start
    pub(super) bodies: Vec<MovingBody>,
    /// free velocities of bodies at the end of the step
    freed: Vec<Motion>,
    poses: Vec<Transform>,
    velocities: Vec<Motion>,
    /// velocity of each patch at the start
    pub(super) before: Vec<Six>,
    pub(super) problem: Problem,
    pub(super) delassus: Delassus,
    pub(super) warm_starts: Vec<WarmStart>,
    next_warm_starts: Vec<WarmStart>,
    reports: Vec<Contact>,
    /// impulses of each contact in the step so far, and its length
    impulses: Vec<(PatchKey, Force)>,
    whole: f64,
    pub(super) tally: Tally,
    pub(super) dense: DenseSystem,
    pub(super) shift: Shift,
    /// whether an overlap is so deep that it is corrected without friction
    pub(super) is_deep: bool,
    /// whether the tally includes the step already
    is_counted: bool,
    roots: Vec<u32>,
    met: Vec<bool>,
    kinematics: Kinematics,
}

impl Contacts {
    /// Contacts with a world.
    pub fn new(world: World) -> Contacts {
        Contacts { world, ..Contacts::default() }
    }

    /// The world the figure can touch.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Whether any surface has restitution.
    pub fn can_bounce(&self) -> bool {
        self.world.materials.can_bounce()
    }

    /// Contacts of the last step.
    pub fn reports(&self) -> &[Contact] {
        &self.reports
    }

    /// Sums so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Updates after changes of structure.
    pub fn prepare(&mut self, figure: &Figure) {
        if self.revision != Some(figure.revision()) {
            self.detector.prepare(figure, &self.world);
            self.revision = Some(figure.revision());
            self.reports.clear();
            self.forget_anchors(); // body frames may have changed
            let forest = figure.forest();
            self.roots.clear();
            for (i, b) in forest.bodies().iter().enumerate() {
                let root = if b.parent == BodyIx::WORLD { i as u32 } else { self.roots[b.parent.index()] };
                self.roots.push(root);
            }
        }
    }

    /// Discards sticking positions, after a discontinuity of the pose.
    pub fn forget_anchors(&mut self) {
        self.warm_starts.iter_mut().for_each(WarmStart::forget_anchors);
    }

    /// Removes all contacts.
    pub fn clear(&mut self) {
        self.warm_starts.clear();
        self.reports.clear();
    }

    /// Patches within reach of `h` seconds at a pose and velocity.
    pub fn near(&mut self, forest: &Forest, q: &[f64], v: &[f64], h: f64) -> &[Patch] {
        self.kinematics.update(forest, q, Some(v), None);
        MovingBody::collect(forest, &self.kinematics, &mut self.bodies);
        self.detect(h);
        &self.patches
    }

    /// Overlapping shapes at a pose, with their depth.
    pub fn overlaps(&mut self, figure: &Figure, q: &[f64]) -> Vec<Overlap> {
        self.prepare(figure);
        let still = vec![0.0; figure.forest().nv()];
        self.near(figure.forest(), q, &still, 0.0);
        let deep = self.patches.iter().filter(|p| p.gap() < -TOUCHING);
        let name = |link| figure.link(link).map(|l| l.spec.name.clone()).unwrap_or_default();
        let scenery = |i: u32| self.world.scenery.get(i as usize).map(|s| s.name.clone()).unwrap_or_default();
        deep.map(|p| Overlap {
            a: name(p.pair.link_a),
            b: p.pair.link_b.map(name).or(p.pair.scenery.map(scenery)).unwrap_or_default(),
            depth: -p.gap(),
        })
        .collect()
    }

    /// Deepest overlap at a pose, m.
    pub fn penetration(&mut self, forest: &Forest, q: &[f64], v: &[f64]) -> f64 {
        self.near(forest, q, v, 0.0).iter().fold(0.0, |m, p| m.max(-p.gap()))
    }

    fn detect(&mut self, h: f64) {
        self.poses.clear();
        self.poses.extend(self.bodies.iter().map(|b| b.pose));
        self.velocities.clear();
        self.velocities.extend(self.bodies.iter().map(|b| b.velocity));
        self.detector.detect(&self.poses, &self.velocities, h, &mut self.patches);
    }

    /// Begins a step of `h` seconds, which may be computed in parts.
    pub fn begin(&mut self, h: f64) {
        self.whole = h;
        self.impulses.clear();
        self.is_counted = false;
    }

    /// Adds the impulse of a contact to its sum over the step; returns the sum.
    fn add_impulse(&mut self, k: usize, scale: f64) -> Force {
        let (patch, p) = (&self.patches[k], &self.problem.p[k]);
        let turn = |x: f64, y: f64, z: f64| patch.axes.mul(Vec3 { x, y, z }).scale(scale);
        let own = Force::new(turn(p[3], p[4], p[5]), turn(p[0], p[1], p[2]));
        let key = patch.pair.key;
        match self.impulses.iter_mut().find(|(k, _)| *k == key) {
            Some((_, sum)) => {
                *sum += own;
                *sum
            }
            None => {
                self.impulses.push((key, own));
                own
            }
        }
    }

    /// Detects patches at an instant, with the velocities at the step's start (in the axes of the instant's pose); returns
    /// whether there are any.
    pub fn find(&mut self, at: &Instant, v: &[f64]) -> bool {
        at.work.place_bodies(at.forest, v, &mut self.bodies);
        self.detect(at.h);
        self.shift.is_used = false;
        self.reports.clear();
        self.met.clear();
        self.met.resize(at.forest.bodies().len(), false);
        if self.patches.is_empty() {
            self.clear();
        }
        self.before.clear();
        for p in &self.patches {
            self.before.push(relative(p, &self.bodies, |body| self.bodies[body.index()].velocity));
        }
        !self.patches.is_empty()
    }

    /// Sets the free velocities at the end of the step.
    pub fn free(&mut self, at: &Instant, v_free: &[f64]) {
        at.work.move_bodies(at.forest, v_free, &mut self.freed);
        self.problem.clear();
        for p in &self.patches {
            self.problem.free.push(relative(p, &self.bodies, |body| self.freed[body.index()]));
        }
    }

    /// The earliest impact with restitution inside the step. Call after `free`.
    pub fn first_bounce(&self, at: &Instant) -> Option<f64> {
        let mut first: Option<f64> = None;
        for (k, patch) in self.patches.iter().enumerate() {
            if patch.pair.surface.restitution == 0.0 {
                continue;
            }
            for v in patch.vertices() {
                let (u0, u1) = (normal(v.xy, &self.before[k]), normal(v.xy, &self.problem.free[k]));
                let gap = v.gap - at.since * u0;
                if gap + 0.5 * at.h * (u0 + u1) < 0.0 && u1 < -BOUNCE && u0 < -BOUNCE {
                    // gap + u0 t + (u1 - u0) t^2 / (2 h) = 0
                    let root = (u0 * u0 - 2.0 * (u1 - u0) / at.h * gap).max(0.0).sqrt();
                    let t = (2.0 * gap.max(0.0) / (root - u0)).clamp(0.0, at.h);
                    first = Some(first.map_or(t, |f: f64| f.min(t)));
                }
            }
        }
        first
    }

    /// Solves for the impulses of the step and adds their accelerations to `a`. Call after `free`. With `lets_bounce`,
    /// impacts with restitution are left to [`Contacts::bounce`].
    pub fn push(&mut self, at: &Instant, a: &mut [f64], lets_bounce: bool) {
        for k in 0..self.patches.len() {
            let patch = &self.patches[k];
            let bounces = lets_bounce && patch.pair.surface.restitution > 0.0;
            let mut targets = [0.0; MAX_VERTICES];
            for (t, v) in targets.iter_mut().zip(patch.vertices()) {
                let u0 = normal(v.xy, &self.before[k]);
                let gap = v.gap - at.since * u0;
                *t = if bounces && u0 < -BOUNCE {
                    FREE
                } else if gap <= TOUCHING {
                    0.0
                } else {
                    -gap / at.h
                };
            }
            self.add_face(k, at, targets, [0.0; 3]);
        }
        self.problem.fit();
        self.respond_to_unit_impulses(at, at.h - at.since);
        let outcome = self.problem.solve();
        self.tally.steps += u64::from(!core::mem::replace(&mut self.is_counted, true));
        self.tally.passes += outcome.passes as u64;
        self.tally.passes_max = self.tally.passes_max.max(outcome.passes);
        self.tally.fallbacks += u64::from(outcome.method != SolveMethod::Check);
        self.tally.cuts += u64::from(outcome.is_cut);
        self.tally.unsolved += u64::from(!outcome.is_exact);
        self.enforce_validity();
        self.delassus.respond(at, &self.problem.p, 1.0 / at.h, a);
        self.mark_new_contacts(at);
        self.correct(at);
        self.report(outcome.method);
        self.save_warm_starts();
    }

    /// G of all contacts, for velocities `rest` seconds after the pose; contacts between links that connections hold
    /// relative to each other are inactive.
    fn respond_to_unit_impulses(&mut self, at: &Instant, rest: f64) {
        self.delassus.compute(at, &self.patches, &self.bodies, &self.freed, rest, &mut self.problem);
        for k in (0..self.patches.len()).filter(|k| self.delassus.is_held(*k)) {
            self.problem.faces[k].target = [FREE; MAX_VERTICES];
            self.problem.modes[k] = Hypothesis::default();
            self.problem.guess[k] = [0.0; 6];
        }
    }

    /// Projects invalid forces onto valid ones, and counts failures.
    fn enforce_validity(&mut self) {
        if !(self.problem.violations().force <= TOLERANCE) {
            self.tally.cuts += u64::from(self.problem.make_valid());
            self.tally.violations += u64::from(!(self.problem.violations().force <= TOLERANCE));
        }
    }

    /// Adds a contact to the solver.
    fn add_face(&mut self, k: usize, at: &Instant, target: [f64; MAX_VERTICES], stick_velocity: [f64; 3]) {
        let patch = &self.patches[k];
        let vertices = patch.vertices();
        let mut places = [[0.0; 2]; MAX_VERTICES];
        places.iter_mut().zip(vertices).for_each(|(p, v)| *p = v.xy);
        let count = vertices.len();
        let all = ((1_u32 << count) - 1) as u8;
        let surface = &patch.pair.surface;
        let mut face = Face {
            places,
            count,
            target,
            stick_velocity,
            static_friction: surface.static_friction,
            dynamic_friction: surface.dynamic_friction.max(1e-6 * surface.static_friction),
            hull: Hull::from_points(&places[..count], all),
            center: [0.0; 2],
            yaw_radius: 0.0,
        };
        let known = self.warm_starts.binary_search_by_key(&patch.pair.key, |m| m.key);
        let mut guess = [0.0; 6];
        let (center, mode) = match known {
            Ok(i) => {
                let m = &self.warm_starts[i];
                guess = m.impulse;
                let center = m.center(patch, &self.bodies[patch.pair.a.index()]);
                (center.unwrap_or_else(|| nearest_points(patch)), m.mode(patch))
            }
            Err(_) => {
                let gap = |i: usize| vertices[i].gap - at.since * normal(vertices[i].xy, &self.before[k]);
                let set = (0..count).filter(|i| gap(*i) <= TOUCHING).fold(0, |s, i| s | 1 << i);
                (nearest_points(patch), Hypothesis { set, ..Hypothesis::default() })
            }
        };
        face.set_center(center);
        let mut mode = mode;
        if mode.grip == Grip::Directed && face.friction_rows() == 2 && mode.slip[2].abs() > 1e-12 {
            mode.grip = Grip::Compliant;
        }
        self.problem.faces.push(face);
        self.problem.modes.push(mode);
        self.problem.guess.push(guess);
    }

    /// Marks the figures with new contacts, and those that touch them or are connected to them.
    fn mark_new_contacts(&mut self, at: &Instant) {
        let mut any = false;
        for k in 0..self.patches.len() {
            let (face, hy) = (&self.problem.faces[k], &self.problem.modes[k]);
            let meets = super::region::members(hy.set).any(|i| {
                let before = normal(face.places[i], &self.before[k]);
                0.5 * at.h * (face.target[i] - before) > MET
            });
            if meets {
                any = true;
                self.mark(self.patches[k].pair.a, self.patches[k].pair.b);
            }
        }
        while any {
            any = false;
            for k in 0..self.patches.len() {
                if self.problem.modes[k].set != 0 {
                    any |= self.spread(self.patches[k].pair.a, self.patches[k].pair.b);
                }
            }
            for l in at.forest.loops() {
                any |= self.spread(l.a, l.b);
            }
        }
    }

    /// Marks the roots of two bodies if one of them is marked; returns whether one is new.
    fn spread(&mut self, a: BodyIx, b: BodyIx) -> bool {
        let of = |body: BodyIx| body != BodyIx::WORLD && self.met[self.roots[body.index()] as usize];
        (of(a) || of(b)) && self.mark(a, b)
    }

    /// Marks the roots of two bodies; returns whether one is new.
    fn mark(&mut self, a: BodyIx, b: BodyIx) -> bool {
        let mut is_new = false;
        for body in [a, b] {
            if body != BodyIx::WORLD {
                let met = &mut self.met[self.roots[body.index()] as usize];
                is_new |= !*met;
                *met = true;
            }
        }
        is_new
    }

    /// Whether a body's figure made new contact in the last step.
    pub fn has_met(&self, body: usize) -> bool {
        !self.patches.is_empty() && self.met[self.roots[body] as usize]
    }

    /// Whether any figure made new contact in the last step.
    pub fn any_met(&self) -> bool {
        !self.patches.is_empty() && self.met.iter().any(|m| *m)
    }

    fn report(&mut self, method: SolveMethod) {
        for k in 0..self.patches.len() {
            let wrench = self.add_impulse(k, 1.0).times(1.0 / self.whole);
            let patch = &self.patches[k];
            let (face, hy) = (&self.problem.faces[k], &self.problem.modes[k]);
            let (p, u) = (&self.problem.p[k], &self.problem.u[k]);
            let center = (p[2] > 0.0).then(|| patch.place(Face::pressure_center(p)));
            self.reports.push(Contact {
                patch: *patch,
                wrench,
                center,
                touch: touch_of(face, hy),
                slip: slip_of(face, hy, u),
                method,
                carrying: hy.set,
                velocity: *u,
            });
        }
    }

    fn save_warm_starts(&mut self) {
        self.next_warm_starts.clear();
        for (k, patch) in self.patches.iter().enumerate() {
            let (face, hy, p) = (&self.problem.faces[k], &self.problem.modes[k], &self.problem.p[k]);
            let places = &face.places[..face.count];
            let center = if p[2] > 1e-12 {
                face.hull.nearest(places, Face::pressure_center(p)).place
            } else {
                face.center
            };
            let ends = [patch.pair.a, patch.pair.b].map(|b| &self.bodies[b.index()]);
            let known = self.warm_starts.binary_search_by_key(&patch.pair.key, |m| m.key);
            let before = known.ok().map(|i| &self.warm_starts[i]);
            let slip = norm3(&face.slip(&self.before[k]));
            let before = before.filter(|_| !self.is_deep); // deep overlaps do not keep their anchor
            self.next_warm_starts.push(WarmStart::from_step(patch, face, hy, p, center, ends, before, slip));
        }
        core::mem::swap(&mut self.warm_starts, &mut self.next_warm_starts);
    }

    /// Velocities after simultaneous impacts with restitution. [NY2000J eq. 13-19]
    /// Newton's rule for each point; if friction makes that gain energy, Poisson's rule, which cannot: (1 + e) times the
    /// impulse without restitution, with the largest e of all impacts.
    pub fn bounce(&mut self, at: &Instant, v: &mut [f64]) {
        self.find(at, v);
        self.free(at, v);
        if self.patches.is_empty() {
            return;
        }
        let mut largest = 0.0_f64;
        for k in 0..self.patches.len() {
            let patch = &self.patches[k];
            let surface = patch.pair.surface;
            let u = self.before[k];
            let mut targets = [FREE; MAX_VERTICES];
            let mut hits = false;
            for (t, v) in targets.iter_mut().zip(patch.vertices()) {
                let speed = normal(v.xy, &u);
                // points that have just arrived, to second order in the step
                if v.gap <= 10.0 * TOUCHING - 0.01 * at.h * speed.min(0.0) {
                    let is_hit = surface.restitution > 0.0 && speed < -BOUNCE;
                    hits |= is_hit;
                    *t = if is_hit { -surface.restitution * speed } else { 0.0 };
                }
            }
            largest = largest.max(if hits { surface.restitution } else { 0.0 });
            let e = if hits { surface.tangential_restitution } else { 0.0 };
            self.add_face(k, at, targets, [-e * u[0], -e * u[1], -e * u[5]]);
            self.problem.modes[k] = Hypothesis::default();
        }
        self.problem.fit();
        self.respond_to_unit_impulses(at, 0.0);
        self.problem.solve();
        self.tally.impacts += 1;
        self.enforce_validity();
        let mut scale = 1.0;
        if self.energy_gain() > 0.0 {
            for (face, hy) in self.problem.faces.iter_mut().zip(&mut self.problem.modes) {
                face.target.iter_mut().for_each(|t| *t = t.min(0.0));
                face.stick_velocity = [0.0; 3];
                *hy = Hypothesis::default();
            }
            self.problem.solve();
            scale += largest;
        }
        self.delassus.respond(at, &self.problem.p, scale, v);
        (0..self.patches.len()).for_each(|k| _ = self.add_impulse(k, scale));
        self.warm_starts.clear();
    }

    /// Work of the impulses, (u_before + u_after) p / 2, beyond rounding.
    fn energy_gain(&self) -> f64 {
        let p = self.problem.p.iter();
        let work: f64 = p
            .zip(&self.problem.free)
            .zip(&self.problem.u)
            .map(|((p, f), u)| 0.5 * (dot6(p, f) + dot6(p, u)))
            .sum();
        let lost: f64 = self.problem.p.iter().zip(&self.problem.free).map(|(p, f)| dot6(p, f).abs()).sum();
        work - 1e-12 * lost
    }
}

/// Relative velocity of a and b at a patch, in its axes.
#[inline(always)]
fn relative(patch: &Patch, bodies: &[MovingBody], velocity: impl Fn(BodyIx) -> Motion) -> Six {
    let at = |body: BodyIx| velocity(body).shifted(patch.point - bodies[body.index()].pose.translation);
    let u = at(patch.pair.a) - at(patch.pair.b);
    let (l, w) = (patch.axes.tr_mul(u.linear), patch.axes.tr_mul(u.angular));
    [l.x, l.y, l.z, w.x, w.y, w.z]
}

/// Normal velocity of a point of a patch.
#[inline(always)]
pub(super) fn normal(xy: [f64; 2], u: &Six) -> f64 {
    u[2] + xy[1] * u[3] - xy[0] * u[4]
}

/// Initial guess of the load of a new contact: at its lowest points.
fn nearest_points(patch: &Patch) -> [f64; 2] {
    let most = patch.vertices().iter().fold(f64::NEG_INFINITY, |m, v| m.max(v.gap));
    let least = patch.gap();
    if most - least < TOUCHING {
        return [0.0; 2];
    }
    let (mut sum, mut weights) = ([0.0; 2], 0.0);
    for v in patch.vertices() {
        let w = most - v.gap + 1e-9;
        weights += w;
        (0..2).for_each(|c| sum[c] += w * v.xy[c]);
    }
    sum.map(|s| s / weights)
}

/// [NY2000J Table 1]
fn touch_of(face: &Face, hy: &Hypothesis) -> Touch {
    match face.hull_of(hy.set).corners().len() {
        0 => Touch::Free,
        1 => Touch::Point,
        2 => Touch::Line,
        _ => Touch::Surface,
    }
}

/// [NY2000J Table 2]: the rotation centre inside the region makes a spin.
fn slip_of(face: &Face, hy: &Hypothesis, u: &Six) -> Slip {
    if hy.set == 0 || hy.grip == Grip::Stick && face.friction_rows() > 0 {
        return Slip::Stick;
    }
    let [vx, vy, w] = [u[0], u[1], u[5]];
    if vx * vx + vy * vy + w * w == 0.0 {
        return Slip::Stick;
    }
    let places = &face.places[..face.count];
    let center = [-vy / w, vx / w];
    let inside = w != 0.0 && face.hull_of(hy.set).nearest(places, center).distance <= 1e-9;
    if inside { Slip::Spin } else { Slip::Slide }
}
