//! Whole-body inverse kinematics: soles and hands on targets, as near as possible to a posture.
//!
//! Computes  min sum k_i d_i^2  with  goals(q) = targets,  d the displacement from the posture, by Gauss-Newton steps
//!     s = -d + K^-1 J^T (J K^-1 J^T + damping)^-1 (e + J d)
//! (with additional stiffness, as in Levenberg-Marquardt, where they do not reduce the cost: stretched limbs are strongly
//! nonlinear). Stiffnesses k are constant: the root is stiff, limbs of goals are soft, so that the result is as smooth as
//! posture and targets. Where a limb is stretched, the root moves. A hinge is locked for a step that would exceed its limit,
//! and other joints compensate.
//! Source: [NH1986 SR-inverse] for the damping.
//! Not here: limits of joints other than hinges; priorities (`ik`).

use super::sole::SolePose;
use crate::admm::Factor;
use crate::pose;
use anthropi_dynamics::algo::{centroidal, fk::Kinematics, jacobian};
use anthropi_dynamics::joint::{JointKind, Range};
use anthropi_dynamics::model::{BodyIx, Figure, JointHandle, JointPlace, LinkHandle};
use anthropi_dynamics::spatial::{Axis, Force, Inertia, Motion, Quat, Transform, Vec3};
use std::sync::Arc;

/// Stiffness of limbs of goals, 1/rad2, and of ball-joint knees about other axes than their bending axis, 1/rad2.
const LIMB_STIFFNESS: f64 = 0.006;
const SIDEWAYS_STIFFNESS: f64 = 0.3;
/// Length that converts orientation errors to position errors, m/rad.
const ROTATION_LENGTH: f64 = 0.1;
/// Weight of errors of the centre of mass.
const COM_WEIGHT: f64 = 0.1;
/// Leaves an error of 0.1 mm where the stiff root has to move by a decimetre.
const DAMPING: f64 = 1e-5;
/// Most steps, and step size at which to stop, m or rad.
const MAX_STEPS: usize = 40;
const TOLERANCE: f64 = 1e-7;
/// Largest joint rotation in a step, rad.
const MAX_ROTATION: f64 = 0.3;
/// Additional stiffness after a failed step, 1/rad2: least value, and factors by which it falls and rises.
const MIN_EXTRA_STIFFNESS: f64 = 0.003;
const EXTRA_STIFFNESS_FALL: f64 = 5.0;
const EXTRA_STIFFNESS_RISE: f64 = 6.0;

/// A goal of the inverse kinematics.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// pose of axes on a link
    Sole(LinkHandle, Transform),
    /// position of a point of a link
    Point(LinkHandle, Vec3),
    /// centre of mass, with a lower weight
    CenterOfMass,
}

/// Solver for one set of goals.
pub(crate) struct PostureIk {
    figure: Arc<Figure>,
    goals: Vec<Goal>,
    /// first degree of freedom of the root
    root_iv: usize,
    /// 1/k
    compliance: Vec<f64>,
    /// ball joints that bend like hinges: index in v, axis in child axes
    knees: Vec<(usize, Vec3)>,
    /// hinges with limits
    hinges: Vec<(JointPlace, Range)>,
    /// indices in v that are locked in a step
    locked: Vec<usize>,
    kinematics: Kinematics,
    columns: Vec<Motion>,
    momenta: Vec<Force>,
    composite: Vec<Inertia>,
    rows: Vec<f64>,
    errors: Vec<f64>,
    delta: Vec<f64>,
    step: Vec<f64>,
}

impl PostureIk {
    /// `stiffness`: root translation, 1/m2, root rotation, 1/rad2, and joints outside the limbs, 1/rad2.
    pub fn new(figure: Arc<Figure>, root: JointHandle, goals: Vec<Goal>, stiffness: [f64; 3]) -> PostureIk {
        let forest = figure.forest();
        let place = forest.joint_place(root);
        let mut compliance = vec![1.0 / stiffness[2]; forest.nv()];
        compliance[place.iv..place.iv + 3].fill(1.0 / stiffness[1]);
        compliance[place.iv + 3..place.iv + 6].fill(1.0 / stiffness[0]);
        let hinges = figure.joints().filter_map(|(handle, joint)| {
            let at = forest.joint_place(handle);
            let range = joint.dof[0].range.filter(|_| matches!(joint.kind, JointKind::Revolute { .. }))?;
            (at.nv == 1).then_some((at, range))
        });
        PostureIk {
            hinges: hinges.collect(),
            locked: Vec::new(),
            knees: Vec::new(),
            kinematics: Kinematics::default(),
            columns: vec![Motion::default(); forest.nv()],
            momenta: vec![Force::default(); forest.nv()],
            composite: Vec::new(),
            rows: Vec::new(),
            errors: Vec::new(),
            delta: vec![0.0; forest.nv()],
            step: vec![0.0; forest.nv()],
            root_iv: place.iv,
            compliance,
            goals,
            figure,
        }
    }

    /// Makes the joints from a link up to a body, or up to the root, soft.
    pub fn make_soft(&mut self, link: LinkHandle, top: Option<BodyIx>) {
        let forest = self.figure.forest();
        let mut body = forest.link_place(link).body;
        while body != BodyIx::WORLD {
            let b = &forest.bodies()[body.index()];
            let own = b.dofs();
            if own.contains(&self.root_iv) {
                break;
            }
            self.compliance[own].fill(1.0 / LIMB_STIFFNESS);
            if top == Some(body) {
                break;
            }
            body = b.parent;
        }
    }

    /// Makes a ball joint soft about one axis only, in child axes.
    pub fn make_hinge(&mut self, iv: usize, axis: Vec3) {
        self.compliance[iv..iv + 3].fill(1.0 / SIDEWAYS_STIFFNESS);
        self.knees.push((iv, axis));
    }

    /// Multiplies by K^-1, with additional stiffness.
    fn apply_compliance(&self, extra: f64, v: &mut [f64]) {
        let along = self.knees.iter().map(|(iv, axis)| axis.scale(pose::triple(v, *iv).dot(*axis)));
        let along: Vec<Vec3> = along.collect();
        v.iter_mut().zip(&self.compliance).for_each(|(v, s)| *v /= 1.0 / s + extra);
        for ((iv, _), along) in self.knees.iter().zip(along) {
            let more =
                along.scale(1.0 / (LIMB_STIFFNESS + extra) - 1.0 / (SIDEWAYS_STIFFNESS + extra)).to_array();
            (0..3).for_each(|k| v[iv + k] += more[k]);
        }
        self.locked.iter().for_each(|iv| v[*iv] = 0.0);
    }

    /// K times the displacement from the posture.
    fn stiffness_times_delta(&self) -> Vec<f64> {
        let mut v: Vec<f64> = self.delta.iter().zip(&self.compliance).map(|(d, s)| d / s).collect();
        for (iv, axis) in &self.knees {
            let less = axis
                .scale((LIMB_STIFFNESS - SIDEWAYS_STIFFNESS) * pose::triple(&self.delta, *iv).dot(*axis))
                .to_array();
            (0..3).for_each(|k| v[iv + k] += less[k]);
        }
        v
    }

    /// Poses of the goals at `q`.
    pub fn goal_poses(&mut self, q: &[f64]) -> Vec<SolePose> {
        self.kinematics.update(self.figure.forest(), q, None, None);
        self.goals.iter().map(|g| self.now(g)).collect()
    }

    /// Changes `q` until the goals are on their targets, near a posture. Starts from `q`.
    pub fn solve(&mut self, posture: &[f64], targets: &[SolePose], q: &mut [f64]) {
        let figure = self.figure.clone();
        let forest = figure.forest();
        let (mut next, mut extra) = (q.to_vec(), 0.0);
        let mut cost = self.linearise(posture, q, targets);
        for _ in 0..MAX_STEPS {
            let largest = self.step_within_limits(posture, q, extra);
            pose::along(forest, q, &self.step, 1.0, &mut next);
            for (at, range) in &self.hinges {
                let (low, high) = bounds(range, posture[at.iq]);
                next[at.iq] = next[at.iq].clamp(low, high);
            }
            let now = self.linearise(posture, &next, targets);
            if now < cost {
                (cost, extra) =
                    (now, if extra > MIN_EXTRA_STIFFNESS { extra / EXTRA_STIFFNESS_FALL } else { 0.0 });
                q.copy_from_slice(&next);
            } else {
                extra = (extra * EXTRA_STIFFNESS_RISE).max(MIN_EXTRA_STIFFNESS);
                self.linearise(posture, q, targets);
            }
            if largest < TOLERANCE {
                break;
            }
        }
    }

    fn cost(&self) -> f64 {
        let displacement: f64 = self.delta.iter().zip(self.stiffness_times_delta()).map(|(d, k)| d * k).sum();
        displacement + self.errors.iter().map(|e| e * e).sum::<f64>() / DAMPING
    }

    fn now(&self, goal: &Goal) -> SolePose {
        let forest = self.figure.forest();
        match goal {
            Goal::Sole(link, link_from_sole) => {
                let world_from_sole = self.kinematics.link_pose(forest, *link) * *link_from_sole;
                SolePose { position: world_from_sole.translation, orientation: world_from_sole.orientation() }
            }
            Goal::Point(link, p) => {
                let pose = self.kinematics.link_pose(forest, *link);
                SolePose { position: pose.point(*p), orientation: pose.orientation() }
            }
            Goal::CenterOfMass => SolePose {
                position: centroidal::center_of_mass(forest, &self.kinematics),
                orientation: Quat::IDENTITY,
            },
        }
    }

    /// J, e and d at a pose; returns the cost.
    fn linearise(&mut self, posture: &[f64], q: &[f64], targets: &[SolePose]) -> f64 {
        let figure = self.figure.clone();
        let forest = figure.forest();
        pose::difference(forest, posture, q, &mut self.delta);
        self.kinematics.update(forest, q, None, None);
        self.rows.clear();
        self.errors.clear();
        for (n, target) in targets.iter().enumerate() {
            let goal = self.goals[n];
            let now = self.now(&goal);
            let weight = match goal {
                Goal::Sole(link, _) | Goal::Point(link, _) => {
                    let body = forest.link_place(link).body;
                    jacobian::of_body_point(forest, &self.kinematics, body, now.position, &mut self.columns);
                    1.0
                }
                Goal::CenterOfMass => {
                    let (mass, momenta) = (centroidal::mass(forest), &mut self.momenta);
                    centroidal::momentum_matrix(forest, &self.kinematics, &mut self.composite, momenta);
                    for (c, m) in self.columns.iter_mut().zip(momenta) {
                        *c = Motion::new(Vec3::ZERO, m.linear.scale(1.0 / mass));
                    }
                    COM_WEIGHT
                }
            };
            // displacements of the root are along world axes
            for (k, e) in [Axis::X, Axis::Y, Axis::Z].into_iter().enumerate() {
                self.columns[self.root_iv + 3 + k] = Motion::new(Vec3::ZERO, e.unit());
            }
            self.add_rows(weight, target.position - now.position, |c| c.linear);
            if let Goal::Sole(..) = goal {
                let turn = target.orientation.then(now.orientation.inverse()).log();
                self.add_rows(ROTATION_LENGTH, turn, |c| c.angular);
            }
        }
        self.cost()
    }

    /// Adds the three rows of a part of the Jacobian, with their errors.
    fn add_rows(&mut self, weight: f64, error: Vec3, part: impl Fn(&Motion) -> Vec3) {
        for axis in 0..3 {
            self.rows.extend(self.columns.iter().map(|c| weight * part(c).to_array()[axis]));
        }
        self.errors.extend(error.scale(weight).to_array());
    }

    /// Finds a step that respects hinge limits; returns its largest component.
    fn step_within_limits(&mut self, posture: &[f64], q: &[f64], extra: f64) -> f64 {
        self.locked.clear();
        loop {
            let largest = self.find_step(extra);
            let is_stuck = |(at, range): &&(JointPlace, Range)| {
                let (low, high) = bounds(range, posture[at.iq]);
                (q[at.iq] <= low && self.step[at.iv] < 0.0) || (q[at.iq] >= high && self.step[at.iv] > 0.0)
            };
            let stuck: Vec<usize> = self.hinges.iter().filter(is_stuck).map(|(at, _)| at.iv).collect();
            if stuck.is_empty() {
                return largest;
            }
            self.locked.extend(stuck);
        }
    }

    /// Finds a step with additional stiffness; returns its largest component.
    fn find_step(&mut self, extra: f64) -> f64 {
        let (n, m) = (self.delta.len(), self.errors.len());
        let row = |i: usize| &self.rows[i * n..(i + 1) * n];
        // displacement back to the posture
        let mut back = self.stiffness_times_delta();
        self.apply_compliance(extra, &mut back);
        let mut soft = self.rows.clone();
        soft.chunks_exact_mut(n).for_each(|row| self.apply_compliance(extra, row));
        let mut gram = vec![0.0; m * m];
        for i in 0..m {
            for j in 0..=i {
                let sum: f64 = soft[i * n..(i + 1) * n].iter().zip(row(j)).map(|(a, b)| a * b).sum();
                (gram[i * m + j], gram[j * m + i]) = (sum, sum);
            }
            gram[i * m + i] += DAMPING;
        }
        let dot = |i: usize| row(i).iter().zip(&back).map(|(a, d)| a * d).sum::<f64>();
        let mut pull: Vec<f64> = (0..m).map(|i| self.errors[i] + dot(i)).collect();
        Factor::new(&gram, m).solve(&mut pull);
        for k in 0..n {
            let sum: f64 = (0..m).map(|i| soft[i * n + k] * pull[i]).sum();
            self.step[k] = sum - back[k];
        }
        let largest = self.step.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
        let part = (MAX_ROTATION / largest.max(f64::MIN_POSITIVE)).min(1.0);
        self.step.iter_mut().for_each(|s| *s *= part);
        largest
    }
}

/// Limits of a hinge, extended to its angle in the posture.
fn bounds(range: &Range, posture: f64) -> (f64, f64) {
    (range.lower.min(posture), range.upper.max(posture))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkSpec, Shape};
    use anthropi_dynamics::spatial::vec3;

    /// A root with a leg of three hinges; the hip is limited to `range` on both sides.
    fn leg(range: Option<f64>) -> (Arc<Figure>, JointHandle, LinkHandle) {
        let mut builder = FigureBuilder::new("leg");
        let spec = |name: &str| LinkSpec::new(name, Shape::Sphere { radius: 0.05 }.inertia(1000.0).unwrap());
        let mut link = builder.add(spec("pelvis"), JointSpec::new("root", JointKind::Free)).unwrap();
        for (name, drop, home) in [("hip", 0.0, -0.05), ("knee", 0.4, 0.3), ("ankle", 0.4, -0.2)] {
            let joint = JointSpec::new(name, JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) });
            let mut joint = joint.on(link, Transform::translation(vec3(0.0, 0.0, -drop)));
            joint.home.get_or_insert_default()[0] = home;
            if let (Some(range), "hip") = (range, name) {
                joint.dof[0].range = Some(Range { lower: -range, upper: range });
            }
            link = builder.add(spec(&format!("{name} link")), joint).unwrap();
        }
        let figure = Arc::new(builder.build().unwrap());
        let root = figure.find_joint("root").unwrap();
        (figure, root, link)
    }

    #[test]
    fn other_joints_compensate_for_a_hinge_at_its_limit() {
        let toe = vec3(0.15, 0.0, 0.0);
        for range in [None, Some(0.06)] {
            let (figure, root, foot) = leg(range);
            let mut ik =
                PostureIk::new(figure.clone(), root, vec![Goal::Point(foot, toe)], [80.0, 80.0, 1.0]);
            ik.make_soft(foot, None);
            let posture = figure.forest().home().to_vec();
            let place = ik.goal_poses(&posture)[0].position;
            // ahead, reached by swinging the whole leg
            let target = SolePose { position: place + vec3(0.2, 0.0, 0.08), orientation: Quat::IDENTITY };
            let mut q = posture.clone();
            ik.solve(&posture, &[target], &mut q);
            let miss = (ik.goal_poses(&q)[0].position - target.position).norm();
            let hip = q[figure.forest().joint_place(figure.find_joint("hip").unwrap()).iq];
            assert!(miss < 1e-3, "{range:?}: {miss} m off with the hip at {hip}");
            assert!(range.is_none_or(|r| hip.abs() <= r), "{hip}");
        }
    }
}
