//! The filter as it was first published: no inequalities, a control point at the neck, pseudo-inverses.
//!
//! Computes accelerations a, constraint forces l and joint torques t, x = (a, l, t), in the steps of [NY2000F §4.1]:
//!     a_d0 = reference + feedback of all coordinates                                              [NY2000F eq. 3]
//!     a_d  = a_d0 + J_P^# (r_P'' wanted - r_P'' of a_d0), P at the neck                           [NY2000F eq. 4-6]
//!     W x = u:  A a - F l - (0, t) = -b,  H a = c    (H rows of contacts and connections)         [NY2000F eq. 1-2]
//!     x = W^# u + (E - W^# W) y,  y = V_G^* (a_d - a_0)                                           [NY2000F eq. 7-9]
//! with V_G the upper rows of E - W^# W and V_G^* = V_G^T (V_G V_G^T + k E)^-1, the inverse of [NH1986].
//!
//! The reduced form. Measure x in its weights Q (W^# is the weighted one): then E - W^# W is a projection, so y of eq. 9
//! minimises |a_0 + V_G y - a_d|^2 + k |y|^2, and |y|^2 = |x|^2 - |W^# u|^2 because both parts of eq. 7 are orthogonal.
//! Equations 7-9 are therefore nothing but
//!     minimise  |a - a_d|_Q^2 + k (|a|_Q^2 + |l|_Q^2 + |t|_Q^2)   with   W x = u.
//! Torques appear in the rows of their own joints only and are eliminated: six rows of the root and those of H stay, for
//! the unknowns a and l. With C (a, l) = d these rows, S = C N^-1 C^T (N the matrix of the cost) and  S y = C z_0 - d:
//! z = z_0 - N^-1 C^T y. Rows that hold the same direction twice make S singular; as in any pseudo-inverse the least
//! squares are taken then, by a trace of damping and refinement.
//!
//! The damping k. V_G is singular whatever the figure does (who touches nothing cannot move its centre of mass), so k is
//! never zero. In units of the figure (accelerations by g and height, forces by weight) it says how much motion is given
//! up for how much effort. Where the wanted motion takes torques beyond the figure's strength, V_G^* is close to a
//! singularity: k climbs through `DAMPING` until they are within it, as [NH1986] lets k grow near singular points.
//!
//! Contacts [NY2000F §3.4]: all that stand are held; forces are checked; points that pull are let go, points beyond
//! friction slide, and all is solved anew, at most four times. What is infeasible after that stays, and is counted
//! (`Proof`): forces have no bounds here, the ground may pull. Held without the check a walk pulls in more than half of its
//! steps; with it the feet slide instead, and friction may speed up what slides (`Proof::driven`). That is the weakness of
//! this form, and why `program` is the default.
//! We differ: contact and connection rows have feedback (`HOLD_RATE`, `grips`) instead of theta_C'' = 0 alone; landings
//! are stopped by forces instead of a jump of velocities; feet that ought to touch and do not are brought down.
//! Checked by: tests below (the literal form, dense), `tests/pseudo_inverse.rs`.

use super::aim::{Aim, along};
use super::body::Body;
use super::dense::{Normal, sum_of_products};
use super::program::{Given, Solution, Solved, eliminate};
use super::terms::{Terms, path};
use crate::anatomy::{Anatomy, Part};
use anthropi_dynamics::algo::crba;
use anthropi_dynamics::model::{BodyIx, Figure, LinkHandle};
use anthropi_dynamics::spatial::{Motion, Vec3, vec3};

/// k of [NH1986], one after the other while torques are beyond the figure's strength.
const DAMPING: [f64; 3] = [1e-4, 1e-2, 0.3];
/// Solutions of a step after the first, at most. [NY2000F §3.4]
const REPEATS: usize = 4;
/// Rates of feedback, parts of the figure's own: root, and control point.
const ROOT_RATE: f64 = 6.0;
const POINT_RATE: f64 = 6.0;
/// Weight of the root against that of a joint.
const ROOT_WEIGHT: f64 = 30.0;
/// Points that stand come to rest at this rate, 1/s: rows that cannot give way need a softer landing than those of
/// `tasks`, or every landing is a blow of many body weights.
const HOLD_RATE: f64 = 100.0;
/// No reference accelerates a joint more, rad/s2 or m/s2.
const ABSURD: f64 = 400.0;
/// Damping of S, whose diagonal is at most one, and refinements that take it back where S is regular.
const TWICE: f64 = 1e-9;
const REFINEMENTS: usize = 2;
/// Rows of nothing have this size.
const SMALLEST: f64 = 1e-150;
/// Weight of feet on their way to the ground against that of a joint, accelerations by the height.
const REACH: f64 = 2000.0;
/// They go down between these speeds, m/s, in this time, s, at this rate, 1/s...
const DOWN: [f64; 2] = [0.25, 1.2];
const DOWN_TIME: f64 = 0.02;
const REACH_RATE: f64 = 60.0;
/// ...or keep so far above it, m, at this rate, 1/s.
const CLEAR: f64 = 0.004;
const CLEAR_RATE: f64 = 25.0;
/// Forces infeasible by less than this part of the weight are rounding.
const ROUNDING: f64 = 1e-9;

/// The control point P.
#[derive(Clone, Debug)]
struct ControlPoint {
    body: BodyIx,
    in_body: Vec3,
    path: Vec<u32>,
    jacobian: Vec<Motion>,
}

impl ControlPoint {
    /// Where the neck, or the head, hangs on the chest; else the origin of the highest link of the trunk.
    fn of(figure: &Figure, anatomy: &Anatomy, root: BodyIx) -> ControlPoint {
        let forest = figure.forest();
        let links: Vec<LinkHandle> = figure.links().map(|(handle, _)| handle).collect();
        let body_of = |n: usize| forest.link_place(links[n]).body;
        let mut home = Terms::default();
        let zero = vec![0.0; forest.nv()];
        home.follow(forest, forest.home(), &zero, &zero);
        let pose = |body: BodyIx| home.kinematics.body_pose(body);
        let neck = [Part::Neck, Part::Head].into_iter().find_map(|p| anatomy.find(p)).map(|n| {
            let body = body_of(n);
            (forest.bodies()[body.index()].parent, pose(body).translation)
        });
        let trunk = || {
            let all = [Part::Pelvis, Part::Abdomen, Part::Chest].into_iter().flat_map(|p| anatomy.nodes(p));
            let top =
                all.map(body_of).max_by(|a, b| pose(*a).translation.z.total_cmp(&pose(*b).translation.z));
            let body = top.unwrap_or(root);
            (body, pose(body).translation)
        };
        let (body, at) = neck.filter(|(body, _)| *body != BodyIx::WORLD).unwrap_or_else(trunk);
        let in_body = pose(body).rotation.tr_mul(at - pose(body).translation);
        ControlPoint {
            body,
            in_body,
            path: path(forest, body),
            jacobian: vec![Motion::default(); forest.nv()],
        }
    }
}

/// What holds a point that stands.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hold {
    Full,
    /// along the ground in this direction by friction
    Slide(Vec3),
    Free,
}

/// A row of H with its force.
#[derive(Clone, Debug, Default)]
struct Held {
    /// row of H
    row: Vec<f64>,
    /// column of F: the generalized force of a unit force; the row itself unless it slides
    push: Vec<f64>,
    /// c
    target: f64,
    /// unit of its force
    unit: f64,
}

/// Equation of motion, what is wanted, and the weights: all that eq. 7-9 need.
#[derive(Clone, Debug, Default)]
struct System {
    /// A, row by row
    mass: Vec<f64>,
    /// b, with springs, dampers and pushes in it
    b: Vec<f64>,
    /// first of the six rows without torque
    root: usize,
    held: Vec<Held>,
    /// a_d
    wanted: Vec<f64>,
    /// weights of a, by coordinate
    weights: Vec<f64>,
    /// weight of forces in their units
    force_weight: f64,
    /// weight of torques
    torque_weight: f64,
}

/// Scratch, and the last solution.
#[derive(Clone, Debug, Default)]
struct Work {
    normal: Normal,
    columns: Vec<u32>,
    own: Vec<f64>,
    c: Vec<f64>,
    climbed: Vec<f64>,
    d: Vec<f64>,
    small: Normal,
    sizes: Vec<f64>,
    y: Vec<f64>,
    /// a, then l in units of their forces
    z: Vec<f64>,
}

impl System {
    /// (a, l) of eq. 7-9 with damping `k`, in `work.z`.
    fn solve(&self, k: f64, work: &mut Work) {
        let (nv, m) = (self.b.len(), self.held.len());
        let n = nv + m;
        let Work { normal, columns, own, c, climbed, d, small, sizes, y, z } = work;
        let is_root = |j: usize| (self.root..self.root + 6).contains(&j);
        c.clear();
        c.resize((6 + m) * n, 0.0);
        d.clear();

        // cost: |a - a_d|^2 + k |a|^2, k |l|^2, and k |t|^2 with t = A a - F l + b
        normal.clear(n);
        for (j, (w, wanted)) in self.weights.iter().zip(&self.wanted).enumerate() {
            normal.add_one(j, w * (1.0 + k), wanted / (1.0 + k));
        }
        (nv..n).for_each(|i| normal.add_one(i, k * self.force_weight, 0.0));
        own.resize(n, 0.0);
        for j in 0..nv {
            own[..nv].copy_from_slice(&self.mass[j * nv..(j + 1) * nv]);
            own[nv..].iter_mut().zip(&self.held).for_each(|(x, h)| *x = -h.push[j] * h.unit);
            if is_root(j) {
                c[(j - self.root) * n..][..n].copy_from_slice(own);
                d.push(-self.b[j]);
                continue;
            }
            columns.clear();
            columns.extend((0..n as u32).filter(|i| own[*i as usize] != 0.0));
            normal.add(columns, |i| [own[i]], [k * self.torque_weight], [-self.b[j]]);
        }
        normal.factor();

        // rows of the root above, those of H below
        for (h, row) in self.held.iter().zip(c[6 * n..].chunks_exact_mut(n)) {
            row[..nv].copy_from_slice(&h.row);
            d.push(h.target);
        }
        climbed.clear();
        climbed.extend_from_slice(c);
        climbed.chunks_exact_mut(n).for_each(|row| normal.solve_transposed(row));

        // S, its diagonal at most one
        let climbed_row = |i: usize| &climbed[i * n..(i + 1) * n];
        sizes.clear();
        sizes
            .extend((0..6 + m).map(|i| sum_of_products(climbed_row(i), climbed_row(i)).sqrt().max(SMALLEST)));
        // rows of H keep their proportions: where they contradict each other they do so by the squares of c
        let largest = sizes[6..].iter().copied().fold(SMALLEST, f64::max);
        sizes[6..].fill(largest);
        small.clear(6 + m);
        for i in 0..6 + m {
            small.add_one(i, TWICE, 0.0);
            for j in i..6 + m {
                small.add_at(i, j, sum_of_products(climbed_row(i), climbed_row(j)) / (sizes[i] * sizes[j]));
            }
        }
        small.factor();

        // z_0, then what the rows miss is taken from it
        z.clear();
        z.extend_from_slice(&normal.g);
        normal.solve_transposed(z);
        for _ in 0..=REFINEMENTS {
            y.clear();
            // z is U times what it will be, as the rows of C are without U
            y.extend((0..6 + m).map(|i| (sum_of_products(climbed_row(i), z) - d[i]) / sizes[i]));
            small.solve_transposed(y);
            small.solve_upper(y);
            for i in 0..6 + m {
                let part = y[i] / sizes[i];
                z.iter_mut().zip(climbed_row(i)).for_each(|(z, c)| *z -= part * c);
            }
        }
        normal.solve_upper(z);
    }
}

/// Solves step after step.
#[derive(Clone, Debug)]
pub(crate) struct PseudoInverse {
    point: ControlPoint,
    system: System,
    work: Work,
    mass: crba::PathMatrix,
    crba: crba::Work,
    holds: Vec<Hold>,
    /// rows of points that touch, three each
    rows: Vec<[Vec<f64>; 3]>,
    /// c of points that touch
    targets: Vec<Vec3>,
}

impl PseudoInverse {
    pub fn new(figure: &Figure, anatomy: &Anatomy, root: BodyIx) -> PseudoInverse {
        PseudoInverse {
            point: ControlPoint::of(figure, anatomy, root),
            system: System::default(),
            work: Work::default(),
            mass: crba::PathMatrix::default(),
            crba: crba::Work::default(),
            holds: Vec::new(),
            rows: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// Solves for what [`Body::control`] wants.
    pub fn solve(&mut self, given: &Given, out: &mut Solution) -> Solved {
        self.stage(given);
        let mut told = Solved::default();
        for k in DAMPING {
            let is_feasible = self.hold(given, k, out, &mut told);
            out.torques(given);
            let over = |(t, s): (&f64, &f64)| t.abs() > *s;
            told.at_bounds = out.tau.iter().zip(given.strength).filter(|(t, s)| over((t, s))).count();
            told.is_optimal = is_feasible && out.is_within(given);
            if told.at_bounds == 0 {
                break;
            }
        }
        told
    }

    /// Full constraint, check, modify, repeat; whether all forces are feasible at the end. [NY2000F §3.4]
    fn hold(&mut self, given: &Given, k: f64, out: &mut Solution, told: &mut Solved) -> bool {
        self.holds.clear();
        self.holds.resize(given.touching.len(), Hold::Full);
        for _ in 0..=REPEATS {
            told.passes += 1;
            self.connect(given);
            self.system.solve(k, &mut self.work);
            self.read(given, out);
            if !self.modify(given, &out.forces) {
                return true;
            }
        }
        false
    }

    /// A, b and the rows of points that touch.
    fn stage(&mut self, given: &Given) {
        let (forest, nv) = (given.forest, given.forest.nv());
        crba::mass_matrix(forest, given.q, &mut self.crba, &mut self.mass);
        let System { mass, b, .. } = &mut self.system;
        mass.resize(nv * nv, 0.0);
        mass.chunks_exact_mut(nv).enumerate().for_each(|(j, row)| self.mass.row_into(forest, j, row));
        b.clear();
        b.extend(given.terms.h.iter().zip(given.helped).map(|(h, helped)| h - helped));
        self.rows.resize_with(given.touching.len(), Default::default);
        for (t, rows) in given.touching.iter().zip(&mut self.rows) {
            let limb = &given.limbs[t.limb];
            let arm = t.at - given.terms.kinematics.body_pose(limb.body).translation;
            for (axis, row) in rows.iter_mut().enumerate() {
                row.clear();
                row.extend(limb.jacobian.iter().map(|m| (m.linear + m.angular.cross(arm)).to_array()[axis]));
            }
        }
    }

    /// H, F and c of connections and of contacts as they are held.
    fn connect(&mut self, given: &Given) {
        let [force, length] = given.units;
        let held = &mut self.system.held;
        held.clear();
        for grip in given.grips {
            let unit = if grip.is_turn { force * length } else { force };
            held.push(Held { row: grip.row.clone(), push: grip.row.clone(), target: grip.target, unit });
        }
        for (n, t) in given.touching.iter().enumerate() {
            let (rows, target) = (&self.rows[n], self.targets[n]);
            let normal = t.cone.normal;
            match self.holds[n] {
                Hold::Full => held.extend((0..3).map(|axis| {
                    let row = rows[axis].clone();
                    Held { push: row.clone(), row, target: target.to_array()[axis], unit: force }
                })),
                Hold::Slide(way) => {
                    let along = |d: Vec3, j: usize| d.dot(vec3(rows[0][j], rows[1][j], rows[2][j]));
                    let row: Vec<f64> = (0..rows[2].len()).map(|j| along(normal, j)).collect();
                    let push =
                        row.iter().enumerate().map(|(j, up)| up + t.cone.friction * along(way, j)).collect();
                    held.push(Held { row, push, target: normal.dot(target), unit: force });
                }
                Hold::Free => {}
            }
        }
    }

    /// Accelerations and forces from the last solution.
    fn read(&self, given: &Given, out: &mut Solution) {
        let (a, forces) = self.work.z.split_at(given.forest.nv());
        out.a.clear();
        out.a.extend_from_slice(a);
        let mut sizes = forces.iter().zip(&self.system.held).map(|(l, h)| l * h.unit);
        out.grips.clear();
        out.grips.extend(sizes.by_ref().take(given.grips.len()));
        out.forces.clear();
        let mut next = || sizes.next().expect("a force for each row");
        for (hold, t) in self.holds.iter().zip(given.touching) {
            out.forces.push(match hold {
                Hold::Full => vec3(next(), next(), next()),
                Hold::Slide(way) => {
                    let normal = next();
                    way.scale(t.cone.friction * normal) + t.cone.normal.scale(normal)
                }
                Hold::Free => Vec3::ZERO,
            });
        }
    }

    /// Lets points go that pull and slide those beyond friction; whether there were any.
    fn modify(&mut self, given: &Given, forces: &[Vec3]) -> bool {
        let rounding = ROUNDING * given.units[0];
        let mut any = false;
        for ((hold, f), t) in self.holds.iter_mut().zip(forces).zip(given.touching) {
            let (level, pressure) = (along(t.cone.normal, *f), t.cone.normal.dot(*f));
            let next = if pressure < -rounding {
                Hold::Free
            } else if *hold == Hold::Full && level.norm() > t.cone.friction * pressure + rounding {
                Hold::Slide(level.scale(1.0 / level.norm()))
            } else {
                continue;
            };
            (*hold, any) = (next, true);
        }
        any
    }
}

impl Body {
    /// Desired accelerations by feedback [NY2000F eq. 3-6], and those of the points that touch.
    pub(super) fn control(&mut self, aim: &Aim) {
        let (omega, height) = (self.gains.omega, self.standing_height());
        let forest = self.figure.forest();
        let PseudoInverse { point, system, .. } = &mut self.pseudo_inverse;
        let root = self.root_iv..self.root_iv + 6;
        system.root = root.start;
        // accelerations are measured by omega^2, forces by the weight, torques by both and the height
        let size = omega * omega * omega * omega;
        let weight = self.figure.mass() * forest.gravity().norm();
        (system.force_weight, system.torque_weight) = (size, size / (weight * height).powi(2));
        system.weights.clear();
        system.weights.extend_from_slice(&self.joint_weights);
        system.weights[root.start..root.start + 3].fill(ROOT_WEIGHT);
        system.weights[root.start + 3..root.end].fill(ROOT_WEIGHT / (height * height));

        // all coordinates [NY2000F eq. 3]; the root's in world axes
        let (k, d) = (self.gains.joint, 2.0 * self.gains.damping * self.gains.joint);
        crate::pose::difference(forest, &self.q, &aim.q, &mut self.way);
        system.wanted.clear();
        system.wanted.extend((0..forest.nv()).map(|n| {
            let ahead = aim.a[n].clamp(-ABSURD, ABSURD);
            ahead + d * (aim.v[n] - self.v[n]) + k * k * self.way[n]
        }));
        let (own, _) = wanted_of(&self.now, &self.wanted, self.root, Vec3::ZERO, ROOT_RATE * omega);
        let turned = &self.now.kinematics.body_pose(self.root).rotation;
        let (turn, travel) = (turned.tr_mul(own.angular).to_array(), turned.tr_mul(own.linear).to_array());
        system.wanted[root.start..root.start + 3].copy_from_slice(&turn);
        system.wanted[root.start + 3..root.end].copy_from_slice(&travel);

        // the control point [NY2000F eq. 4-6]
        let (of_point, arm) =
            wanted_of(&self.now, &self.wanted, point.body, point.in_body, POINT_RATE * omega);
        self.now.jacobian(forest, point.body, &mut point.jacobian);
        point.jacobian.iter_mut().for_each(|c| *c = c.shifted(arm));
        let reached = point.path.iter().fold(Motion::default(), |sum, j| {
            sum + point.jacobian[*j as usize].times(system.wanted[*j as usize])
        });
        let missing = (of_point - reached).to_array();
        let mut m = [[0.0; 7]; 6];
        for j in &point.path {
            let (column, w) = (point.jacobian[*j as usize].to_array(), system.weights[*j as usize]);
            (0..6).for_each(|r| (0..6).for_each(|s| m[r][s] += column[r] * column[s] / w));
        }
        (0..6).for_each(|r| m[r][6] = missing[r]);
        if let Some(y) = eliminate(m) {
            for j in &point.path {
                let column = point.jacobian[*j as usize].to_array();
                let pull: f64 = column.iter().zip(y).map(|(c, y)| c * y).sum();
                system.wanted[*j as usize] += pull / system.weights[*j as usize];
            }
        }

        self.reach(aim);
        let targets = &mut self.pseudo_inverse.targets;
        targets.clear();
        for t in &self.touching {
            let c = &self.limbs[t.limb].contacts[t.contact];
            let back = (c.anchor - c.now.at).scale(self.gains.back) - c.now.velocity;
            targets.push(back.scale(HOLD_RATE) - c.now.acceleration);
        }
    }

    /// Feet come down where the reference has them on the ground, and keep clear of it where it has not: their legs are
    /// corrected as eq. 5-6 correct the trunk. A foot that hovers would never be held.
    fn reach(&mut self, aim: &Aim) {
        let weight = REACH / self.standing_height().powi(2);
        let forest = self.figure.forest();
        let PseudoInverse { system, work, .. } = &mut self.pseudo_inverse;
        let normal = &mut work.normal;
        let root = self.root_iv..self.root_iv + 6;
        normal.clear(forest.nv());
        for (j, (w, wanted)) in system.weights.iter().zip(&system.wanted).enumerate() {
            normal.add_one(j, *w, *wanted);
        }
        let mut any = false;
        for limb in self.limbs.iter().filter(|l| l.is_foot) {
            let origin = self.now.kinematics.body_pose(limb.body).translation;
            for c in limb.contacts.iter().filter(|c| !c.stands) {
                let floor = aim.floor[c.place];
                let up = floor.normal();
                let (above, v) = (floor.above(c.now.at), up.dot(c.now.velocity));
                let rate = if aim.on[c.place] {
                    REACH_RATE * (-(above / DOWN_TIME).clamp(DOWN[0], DOWN[1]) - v)
                } else if !limb.stands() && above + v / CLEAR_RATE < CLEAR {
                    CLEAR_RATE * (CLEAR_RATE * (CLEAR - above) - 2.0 * v)
                } else {
                    continue;
                };
                let arm = c.now.at - origin;
                let row = |j: usize| up.dot(limb.jacobian[j].shifted(arm).linear);
                let by_root: f64 = root.clone().map(|j| row(j) * system.wanted[j]).sum();
                let leg = &limb.path[limb.path.partition_point(|j| (*j as usize) < root.end)..];
                normal.add(leg, |j| [row(j)], [weight], [rate - up.dot(c.now.acceleration) - by_root]);
                any = true;
            }
        }
        if any {
            normal.factor();
            system.wanted.copy_from_slice(&normal.g);
            normal.solve_transposed(&mut system.wanted);
            normal.solve_upper(&mut system.wanted);
        }
    }

    /// Points that slid or were let go are held where they come to rest, not where they stood.
    pub(super) fn leave_anchors(&mut self) {
        for (t, hold) in self.touching.iter().zip(&self.pseudo_inverse.holds) {
            let c = &mut self.limbs[t.limb].contacts[t.contact];
            if *hold != Hold::Full {
                c.anchor_here();
            }
        }
    }
}

/// Accelerations J a that feedback wants of a body's point, world axes; and the point's arm. [NY2000F eq. 4]
fn wanted_of(now: &Terms, reference: &Terms, body: BodyIx, in_body: Vec3, rate: f64) -> (Motion, Vec3) {
    let of = |terms: &Terms| {
        let pose = terms.kinematics.body_pose(body);
        let arm = pose.rotation.mul(in_body);
        let v = terms.kinematics.body_velocity(body).shifted(arm);
        (pose, arm, v, terms.kinematics.point_acceleration(body, arm))
    };
    let (pose, arm, v, bias) = of(now);
    let (to, to_arm, to_v, ahead) = of(reference);
    let turn = to.orientation().then(pose.orientation().inverse()).log();
    let error = Motion::new(turn, to.translation + to_arm - pose.translation - arm);
    (ahead + (to_v - v).times(2.0 * rate) + error.times(rate * rate) - bias, arm)
}

#[cfg(test)]
mod tests;
