//! The dynamics filter as first published: pseudo-inverses, a control point at the neck, no inequalities.
//!
//! Computes accelerations a, constraint forces l and joint torques t, x = (a, l, t), in the steps of [NY2000F §4.1]:
//!     a_d0 = reference + feedback of all coordinates                                              [NY2000F eq. 3]
//!     a_d  = a_d0 + J_P^# (desired r_P'' - r_P'' of a_d0), P at the neck                          [NY2000F eq. 4-6]
//!     W x = u:  A a - F l - (0, t) = -b,  H a = c    (H: rows of contacts and loop closures)      [NY2000F eq. 1-2]
//!     x = W^# u + (E - W^# W) y,  y = V_G^* (a_d - a_0)                                           [NY2000F eq. 7-9]
//! with V_G the upper rows of E - W^# W and V_G^* = V_G^T (V_G V_G^T + k E)^-1, the inverse of [NH1986].
//!
//! Reduced form. Scale x by its weights Q (W^# is the weighted one): then E - W^# W is a projection, so y of eq. 9
//! minimises |a_0 + V_G y - a_d|^2 + k |y|^2, and |y|^2 = |x|^2 - |W^# u|^2 because both parts of eq. 7 are orthogonal.
//! Equations 7-9 are therefore equivalent to
//!     minimise  |a - a_d|_Q^2 + k (|a|_Q^2 + |l|_Q^2 + |t|_Q^2)   with   W x = u.
//! Torques appear only in the rows of their own joints and are eliminated: six rows of the root and those of H remain, for
//! the unknowns a and l. With C (a, l) = d these rows, S = C N^-1 C^T (N the matrix of the cost) and  S y = C z_0 - d:
//! z = z_0 - N^-1 C^T y. Redundant rows make S singular; the least-squares solution is found, as by any pseudo-inverse, by
//! slight damping and refinement.
//!
//! Damping k. V_G is always singular (without contacts the centre of mass cannot be moved), so k is never zero. In units
//! of the figure (accelerations by g and height, forces by weight) it trades motion against effort. Where the desired motion
//! needs torques above the limits, V_G^* is close to a singularity: k increases through `DAMPING` until the torques are
//! within them, as [NH1986] increases k near singular points.
//!
//! Contacts [NY2000F §3.4]: all active contacts are constrained; forces are checked; pulling contacts are released, those
//! beyond friction slide, and the step is solved again, at most four times. Remaining infeasible forces are counted
//! (`Audit`): forces are unbounded here, and contacts may pull. Without the check a walk pulls in more than half of its
//! steps; with it the feet slide instead, and friction may accelerate sliding feet (`Audit::driven`). That is the weakness
//! of this method, and why `qp` is the default.
//! We differ: rows of contacts and loop closures have feedback (`CONTACT_RATE`, `loop_closure`) instead of theta_C'' = 0 alone;
//! forces stop landing feet instead of a velocity jump; late feet are brought down.
//! Checked by: tests below (the literal form, dense), `tests/it/pseudo_inverse.rs`.

use crate::anatomy::{Anatomy, Part};
use crate::filter::dynamics_terms::{BodyJacobian, DynamicsTerms};
use crate::filter::normal_equations::{NormalEquations, sum_of_products};
use crate::filter::qp::{ActiveContact, SolveReport, StepSolution, solve_six};
use crate::filter::reference::{ReferenceSample, along};
use crate::filter::simulated_body::SimulatedBody;
use crate::filter::tasks::{CLEARANCE, MAX_ACCELERATION, clearing, lowering};
use anthropi_dynamics::algo::crba;
use anthropi_dynamics::model::{BodyIx, Figure, LinkHandle};
use anthropi_dynamics::spatial::{Motion, Vec3, vec3};

/// k of [NH1986], tried in order while torques exceed the limits.
const DAMPING: [f64; 3] = [1e-4, 1e-2, 0.3];
/// Most repetitions of a step. [NY2000F §3.4]
const MAX_REPEATS: usize = 4;
/// Feedback rates, parts of the natural rate: root, and control point.
const ROOT_RATE: f64 = 6.0;
const POINT_RATE: f64 = 6.0;
/// Weight of the root against a joint.
const ROOT_WEIGHT: f64 = 30.0;
/// Rate at which contacts come to rest, 1/s. Hard constraints need softer landings than the tasks of the QP, or the ground
/// force of every landing is many body weights.
const CONTACT_RATE: f64 = 100.0;
/// Damping of S, whose diagonal is at most one, and refinements that remove it where S is regular.
const ROW_DAMPING: f64 = 1e-9;
const REFINEMENTS: usize = 2;
/// Least norm of a row, so that zero rows can be scaled.
const MIN_NORM: f64 = 1e-150;
/// Weight of feet coming down against a joint, accelerations divided by the height.
const DOWN_WEIGHT: f64 = 2000.0;
/// Rate at which other feet keep their clearance, 1/s.
const CLEARANCE_RATE: f64 = 25.0;
/// Tolerance of the friction cones, parts of the weight.
const ROUNDING: f64 = 1e-9;

/// The control point P.
#[derive(Clone, Debug, Default)]
struct ControlPoint {
    in_body: Vec3,
    jacobian: BodyJacobian,
}

impl ControlPoint {
    /// The joint of the neck, or of the head; else the origin of the highest link of the trunk.
    fn new(figure: &Figure, anatomy: &Anatomy, root: BodyIx) -> ControlPoint {
        let forest = figure.forest();
        let links: Vec<LinkHandle> = figure.links().map(|(handle, _)| handle).collect();
        let body_of = |n: usize| forest.link_place(links[n]).body;
        let mut home = DynamicsTerms::default();
        let zero = vec![0.0; forest.nv()];
        home.update_motion(forest, forest.home(), &zero, &zero);
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
        ControlPoint { in_body, jacobian: BodyJacobian::new(forest, body) }
    }
}

/// Constraint of an active contact.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ContactMode {
    Fixed,
    /// slides; friction in this direction
    Slide(Vec3),
    Free,
}

/// A row of H and its force.
#[derive(Clone, Debug, Default)]
struct ConstraintRow {
    /// row of H
    row: Vec<f64>,
    /// column of F: generalized force of a unit force; equal to the row unless sliding
    column: Vec<f64>,
    /// c
    target: f64,
    /// unit of its force, N or N m
    unit: f64,
}

/// Equation of motion, desired accelerations and weights: the inputs of eq. 7-9.
#[derive(Clone, Debug, Default)]
struct System {
    /// A, row by row
    mass: Vec<f64>,
    /// b, including springs, dampers and applied forces
    b: Vec<f64>,
    /// first of the six rows without torque
    root: usize,
    constraints: Vec<ConstraintRow>,
    /// a_d
    desired: Vec<f64>,
    /// weights of a, by coordinate
    weights: Vec<f64>,
    /// weight of forces in their units
    force_weight: f64,
    /// weight of torques
    torque_weight: f64,
}

impl System {
    /// a, then l in units of the forces, of eq. 7-9 with damping `k`.
    fn solve(&self, k: f64) -> Vec<f64> {
        let (nv, m) = (self.b.len(), self.constraints.len());
        let n = nv + m;
        let is_root = |j: usize| (self.root..self.root + 6).contains(&j);
        // rows C of the root above, those of H below, and their right-hand side d
        let (mut whitened, mut d) = (vec![0.0; (6 + m) * n], Vec::with_capacity(6 + m));

        // cost: |a - a_d|^2 + k |a|^2, k |l|^2, and k |t|^2 with t = A a - F l + b
        let mut normal = NormalEquations::default();
        normal.clear(n);
        for (j, (w, desired)) in self.weights.iter().zip(&self.desired).enumerate() {
            normal.add_one(j, w * (1.0 + k), desired / (1.0 + k));
        }
        (nv..n).for_each(|i| normal.add_one(i, k * self.force_weight, 0.0));
        let mut own = vec![0.0; n];
        for j in 0..nv {
            own[..nv].copy_from_slice(&self.mass[j * nv..(j + 1) * nv]);
            own[nv..].iter_mut().zip(&self.constraints).for_each(|(x, h)| *x = -h.column[j] * h.unit);
            if is_root(j) {
                whitened[(j - self.root) * n..][..n].copy_from_slice(&own);
                d.push(-self.b[j]);
                continue;
            }
            let columns: Vec<u32> = (0..n as u32).filter(|i| own[*i as usize] != 0.0).collect();
            normal.add(&columns, |i| [own[i]], [k * self.torque_weight], [-self.b[j]]);
        }
        normal.factor();

        for (h, row) in self.constraints.iter().zip(whitened[6 * n..].chunks_exact_mut(n)) {
            row[..nv].copy_from_slice(&h.row);
            d.push(h.target);
        }
        whitened.chunks_exact_mut(n).for_each(|row| normal.solve_transposed(row));

        // S, its diagonal at most one
        let row_of = |i: usize| &whitened[i * n..(i + 1) * n];
        let size = |i: usize| sum_of_products(row_of(i), row_of(i)).sqrt().max(MIN_NORM);
        let mut sizes: Vec<f64> = (0..6 + m).map(size).collect();
        // rows of H keep their proportions, so that contradictions are resolved by least squares of c
        let largest = sizes[6..].iter().copied().fold(MIN_NORM, f64::max);
        sizes[6..].fill(largest);
        let mut small = NormalEquations::default();
        small.clear(6 + m);
        for i in 0..6 + m {
            small.add_one(i, ROW_DAMPING, 0.0);
            for j in i..6 + m {
                small.add_at(i, j, sum_of_products(row_of(i), row_of(j)) / (sizes[i] * sizes[j]));
            }
        }
        small.factor();

        // z_0, then corrections for the residual of the rows
        let mut z = normal.g.clone();
        normal.solve_transposed(&mut z);
        for _ in 0..=REFINEMENTS {
            // z is scaled by U, the rows of C by U^-T
            let left = |i: usize| (sum_of_products(row_of(i), &z) - d[i]) / sizes[i];
            let mut y: Vec<f64> = (0..6 + m).map(left).collect();
            small.solve(&mut y);
            for i in 0..6 + m {
                let part = y[i] / sizes[i];
                z.iter_mut().zip(row_of(i)).for_each(|(z, c)| *z -= part * c);
            }
        }
        normal.solve_upper(&mut z);
        z
    }
}

/// The solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct PseudoInverse {
    point: ControlPoint,
    system: System,
    /// of [`System::solve`]
    found: Vec<f64>,
    mass: crba::PathMatrix,
    crba: crba::Work,
    modes: Vec<ContactMode>,
    /// rows of active contacts, three each
    rows: Vec<[Vec<f64>; 3]>,
    /// c of active contacts
    targets: Vec<Vec3>,
}

impl PseudoInverse {
    pub fn new(figure: &Figure, anatomy: &Anatomy, root: BodyIx) -> PseudoInverse {
        PseudoInverse { point: ControlPoint::new(figure, anatomy, root), ..PseudoInverse::default() }
    }

    /// Solves for the accelerations nearest to those of [`SimulatedBody::set_desired_accelerations`].
    pub fn solve(&mut self, body: &SimulatedBody, solution: &mut StepSolution) -> SolveReport {
        self.assemble(body);
        let mut report = SolveReport::default();
        for k in DAMPING {
            let is_feasible = self.solve_with_contacts(body, k, solution, &mut report);
            solution.compute_torques(body);
            let over = |(t, s): (&f64, &f64)| t.abs() > *s;
            report.at_bounds = solution.tau.iter().zip(&body.strength).filter(|(t, s)| over((t, s))).count();
            report.is_optimal = is_feasible && solution.is_feasible(body);
            if report.at_bounds == 0 {
                break;
            }
        }
        report
    }

    /// Constrains all contacts, checks, modifies, repeats; true if all forces are feasible at the end. [NY2000F §3.4]
    fn solve_with_contacts(
        &mut self,
        body: &SimulatedBody,
        k: f64,
        solution: &mut StepSolution,
        report: &mut SolveReport,
    ) -> bool {
        self.modes.clear();
        self.modes.resize(body.contacts.len(), ContactMode::Fixed);
        for _ in 0..=MAX_REPEATS {
            report.passes += 1;
            self.collect_rows(body);
            self.found = self.system.solve(k);
            self.read_solution(body, solution);
            if !self.release_infeasible(body, &solution.forces) {
                return true;
            }
        }
        false
    }

    /// Assembles A, b and the rows of active contacts.
    fn assemble(&mut self, body: &SimulatedBody) {
        let (forest, nv) = (body.figure.forest(), body.figure.forest().nv());
        crba::mass_matrix(forest, &body.q, &mut self.crba, &mut self.mass);
        let System { mass, b, .. } = &mut self.system;
        mass.resize(nv * nv, 0.0);
        mass.chunks_exact_mut(nv).enumerate().for_each(|(j, row)| self.mass.row_into(forest, j, row));
        b.clear();
        b.extend(body.now.h.iter().zip(&body.applied_tau).map(|(h, tau)| h - tau));
        let rows = |t: &ActiveContact| {
            let limb = &body.limbs[t.limb];
            limb.jacobian.rows(body.now.arm(limb.body, t.at))
        };
        self.rows = body.contacts.iter().map(rows).collect();
    }

    /// Collects H, F and c of loop closures and contacts.
    fn collect_rows(&mut self, body: &SimulatedBody) {
        let [force, length] = body.units();
        let constraints = &mut self.system.constraints;
        constraints.clear();
        for row in &body.closures.rows {
            let unit = if row.is_turn { force * length } else { force };
            constraints.push(ConstraintRow {
                row: row.coefficients.clone(),
                column: row.coefficients.clone(),
                target: row.target,
                unit,
            });
        }
        for (n, t) in body.contacts.iter().enumerate() {
            let (rows, target) = (&self.rows[n], self.targets[n]);
            let normal = t.cone.normal;
            match self.modes[n] {
                ContactMode::Fixed => constraints.extend((0..3).map(|axis| {
                    let row = rows[axis].clone();
                    ConstraintRow { column: row.clone(), row, target: target.to_array()[axis], unit: force }
                })),
                ContactMode::Slide(dir) => {
                    let along = |d: Vec3, j: usize| d.dot(vec3(rows[0][j], rows[1][j], rows[2][j]));
                    let row: Vec<f64> = (0..rows[2].len()).map(|j| along(normal, j)).collect();
                    let column =
                        row.iter().enumerate().map(|(j, up)| up + t.cone.friction * along(dir, j)).collect();
                    constraints.push(ConstraintRow { row, column, target: normal.dot(target), unit: force });
                }
                ContactMode::Free => {}
            }
        }
    }

    /// Reads accelerations and forces from the last solution.
    fn read_solution(&self, body: &SimulatedBody, solution: &mut StepSolution) {
        let (a, forces) = self.found.split_at(body.figure.forest().nv());
        solution.a.clear();
        solution.a.extend_from_slice(a);
        let mut sizes = forces.iter().zip(&self.system.constraints).map(|(l, h)| l * h.unit);
        solution.closure_forces.clear();
        solution.closure_forces.extend(sizes.by_ref().take(body.closures.rows.len()));
        solution.forces.clear();
        let mut next = || sizes.next().expect("a force for each row");
        for (mode, t) in self.modes.iter().zip(&body.contacts) {
            solution.forces.push(match mode {
                ContactMode::Fixed => vec3(next(), next(), next()),
                ContactMode::Slide(dir) => {
                    let normal = next();
                    dir.scale(t.cone.friction * normal) + t.cone.normal.scale(normal)
                }
                ContactMode::Free => Vec3::ZERO,
            });
        }
    }

    /// Releases pulling contacts and lets those beyond friction slide; true if there were any.
    fn release_infeasible(&mut self, body: &SimulatedBody, forces: &[Vec3]) -> bool {
        let rounding = ROUNDING * body.units()[0];
        let mut any = false;
        for ((mode, f), t) in self.modes.iter_mut().zip(forces).zip(&body.contacts) {
            let (level, pressure) = (along(t.cone.normal, *f), t.cone.normal.dot(*f));
            let next = if pressure < -rounding {
                ContactMode::Free
            } else if *mode == ContactMode::Fixed && level.norm() > t.cone.friction * pressure + rounding {
                ContactMode::Slide(level.scale(1.0 / level.norm()))
            } else {
                continue;
            };
            (*mode, any) = (next, true);
        }
        any
    }
}

impl SimulatedBody {
    /// Sets the desired accelerations by feedback [NY2000F eq. 3-6], and those of active contacts.
    pub(crate) fn set_desired_accelerations(&mut self, reference: &ReferenceSample) {
        let (omega, height) = (self.gains.omega, self.standing_height());
        let forest = self.figure.forest();
        let PseudoInverse { point, system, .. } = &mut self.pseudo_inverse;
        let root = self.root_iv..self.root_iv + 6;
        system.root = root.start;
        // units: omega^2 for accelerations, the weight for forces, weight times height for torques
        let size = omega * omega * omega * omega;
        let weight = self.figure.mass() * forest.gravity().norm();
        (system.force_weight, system.torque_weight) = (size, size / (weight * height).powi(2));
        system.weights.clear();
        system.weights.extend_from_slice(&self.joint_weights);
        system.weights[root.start..root.start + 3].fill(ROOT_WEIGHT);
        system.weights[root.start + 3..root.end].fill(ROOT_WEIGHT / (height * height));

        // all coordinates [NY2000F eq. 3]; the root's in world axes
        let (k, d) = (self.gains.joint, 2.0 * self.gains.damping * self.gains.joint);
        crate::pose::difference(forest, &self.q, &reference.q, &mut self.delta);
        system.desired.clear();
        system.desired.extend((0..forest.nv()).map(|n| {
            let ahead = reference.a[n].clamp(-MAX_ACCELERATION, MAX_ACCELERATION);
            ahead + d * (reference.v[n] - self.v[n]) + k * k * self.delta[n]
        }));
        let rates = |k: f64| [k * omega, 2.0 * (k * omega)];
        let own = self.now.feedback(&self.desired, self.root, Vec3::ZERO, rates(ROOT_RATE));
        let turned = &self.now.kinematics.body_pose(self.root).rotation;
        system.desired[root.start..root.start + 3].copy_from_slice(&turned.tr_mul(own.angular).to_array());
        system.desired[root.start + 3..root.end].copy_from_slice(&turned.tr_mul(own.linear).to_array());

        // the control point [NY2000F eq. 4-6]
        let body = point.jacobian.body;
        let of_point = self.now.feedback(&self.desired, body, point.in_body, rates(POINT_RATE));
        let arm = self.now.kinematics.body_pose(body).rotation.mul(point.in_body);
        point.jacobian.update(forest, &self.now);
        point.jacobian.columns.iter_mut().for_each(|c| *c = c.shifted(arm));
        let BodyJacobian { dofs, columns, .. } = &point.jacobian;
        let achieved = dofs
            .iter()
            .fold(Motion::default(), |sum, j| sum + columns[*j as usize].times(system.desired[*j as usize]));
        let missing = (of_point - achieved).to_array();
        let mut m = [[0.0; 7]; 6];
        for j in dofs {
            let (column, w) = (columns[*j as usize].to_array(), system.weights[*j as usize]);
            (0..6).for_each(|r| (0..6).for_each(|s| m[r][s] += column[r] * column[s] / w));
        }
        (0..6).for_each(|r| m[r][6] = missing[r]);
        if let Some(y) = solve_six(m) {
            for j in dofs {
                let column = columns[*j as usize].to_array();
                let pull: f64 = column.iter().zip(y).map(|(c, y)| c * y).sum();
                system.desired[*j as usize] += pull / system.weights[*j as usize];
            }
        }

        self.adjust_swing_feet(reference);
        let targets = &mut self.pseudo_inverse.targets;
        targets.clear();
        for t in &self.contacts {
            let c = &self.limbs[t.limb].contacts[t.contact];
            let back = (c.anchor - c.now.at).scale(self.gains.contact_position) - c.now.velocity;
            targets.push(back.scale(CONTACT_RATE) - c.now.acceleration);
        }
    }

    /// Brings feet down that are in contact in the reference, and keeps others clear of the ground: their legs are corrected
    /// as eq. 5-6 correct the trunk. A hovering foot would never be constrained.
    fn adjust_swing_feet(&mut self, reference: &ReferenceSample) {
        let weight = DOWN_WEIGHT / self.standing_height().powi(2);
        let forest = self.figure.forest();
        let system = &mut self.pseudo_inverse.system;
        let root = self.root_iv..self.root_iv + 6;
        let mut normal = NormalEquations::default();
        normal.clear(forest.nv());
        for (j, (w, desired)) in system.weights.iter().zip(&system.desired).enumerate() {
            normal.add_one(j, *w, *desired);
        }
        let mut any = false;
        for limb in self.limbs.iter().filter(|l| l.is_foot) {
            for c in limb.contacts.iter().filter(|c| !c.is_active) {
                let floor = reference.floor[c.contact_point];
                let up = floor.normal();
                let (above, v) = (floor.above(c.now.at), up.dot(c.now.velocity));
                let rate = if reference.in_contact[c.contact_point] {
                    lowering(above, v)
                } else if !limb.is_in_contact() && above + v / CLEARANCE_RATE < CLEARANCE {
                    clearing(CLEARANCE_RATE, above, v)
                } else {
                    continue;
                };
                let arm = self.now.arm(limb.body, c.now.at);
                let row = |j: usize| up.dot(limb.jacobian.of_point(j, arm));
                let by_root: f64 = root.clone().map(|j| row(j) * system.desired[j]).sum();
                let dofs = &limb.jacobian.dofs;
                let leg = &dofs[dofs.partition_point(|j| (*j as usize) < root.end)..];
                normal.add(leg, |j| [row(j)], [weight], [rate - up.dot(c.now.acceleration) - by_root]);
                any = true;
            }
        }
        if any {
            normal.factor();
            system.desired.copy_from_slice(&normal.g);
            normal.solve(&mut system.desired);
        }
    }

    /// Moves the anchors of sliding and released contacts to their current positions.
    pub(crate) fn reset_anchors(&mut self) {
        for (t, mode) in self.contacts.iter().zip(&self.pseudo_inverse.modes) {
            let c = &mut self.limbs[t.limb].contacts[t.contact];
            if *mode != ContactMode::Fixed {
                c.anchor_here();
            }
        }
    }
}

#[cfg(test)]
mod tests;
