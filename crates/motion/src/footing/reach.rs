//! Poses with soles and hands on given places, as near as possible to a posture.
//!
//! Computes  min sum k_i d_i^2  with  goals(q) = targets,  d the way from the posture, by Gauss-Newton steps
//!     s = -d + K^-1 J^T (J K^-1 J^T + damping)^-1 (e + J d)
//! (held back by a stiffness more where they do not lessen the cost: a stretched limb is far from linear)
//! with constant stiffnesses k: the root is stiff, limbs that lead to goals are soft, so that the answer is as smooth as
//! posture and targets. A limb that is stretched cannot give; then the root does. A hinge at its limit is held for a step
//! that would take it beyond, and the others make up for it.
//! Source: [NH1986 SR-inverse] for the damping.
//! Not here: limits of joints other than hinges; priorities (`ik`).

use super::sole::Pose;
use crate::pose;
use crate::program::Factor;
use anthropi_dynamics::algo::{centroidal, fk::Kinematics, jacobian};
use anthropi_dynamics::joint::{JointKind, Range};
use anthropi_dynamics::model::{BodyIx, Figure, JointHandle, LinkHandle};
use anthropi_dynamics::spatial::{Force, Inertia, Motion, Quat, Transform, Vec3, vec3};
use std::sync::Arc;

/// Stiffness of limbs that lead to goals, 1/rad2.
const LIMB: f64 = 0.006;
/// Stiffness of knees that are balls, but for their bend, 1/rad2.
const SIDEWAYS: f64 = 0.3;
/// A turn counts as this way, m / rad.
const ARM: f64 = 0.1;
/// Errors of the centre of mass count this much.
const CENTER: f64 = 0.1;
/// Leaves 0.1 mm of a goal for which a stiff root has to move by a decimetre.
const DAMPING: f64 = 1e-5;
/// At most so many steps; one smaller than this is the last. m, rad
const STEPS: usize = 40;
const SETTLED: f64 = 1e-7;
/// No joint turns more in a step, rad.
const LARGEST: f64 = 0.3;

/// Stiffness that holds steps back, 1/rad2: the least, and how it falls and rises.
const CAUTION: f64 = 0.003;
const BOLDER: f64 = 5.0;
const WARIER: f64 = 6.0;

/// What is to be where.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// axes on a link
    Sole(LinkHandle, Transform),
    /// a point of a link
    Point(LinkHandle, Vec3),
    /// the centre of mass, which gives way to the others
    Center,
}

impl Goal {
    fn link(&self) -> Option<LinkHandle> {
        match self {
            Goal::Sole(link, _) | Goal::Point(link, _) => Some(*link),
            Goal::Center => None,
        }
    }

    /// What its errors count.
    fn weight(&self) -> f64 {
        if matches!(self, Goal::Center) { CENTER } else { 1.0 }
    }
}

/// Finds poses, one after the other.
pub(crate) struct Reach {
    figure: Arc<Figure>,
    goals: Vec<Goal>,
    /// first coordinates of the root in q and v
    root: [usize; 2],
    /// 1/k
    softness: Vec<f64>,
    /// balls that are to bend like hinges: place in v, axis in child axes
    knees: Vec<(usize, Vec3)>,
    /// hinges with limits: places in q and v
    hinges: Vec<([usize; 2], Range)>,
    /// places in v that stay where they are in a step
    held: Vec<usize>,
    kinematics: Kinematics,
    columns: Vec<Motion>,
    momenta: Vec<Force>,
    composite: Vec<Inertia>,
    rows: Vec<f64>,
    errors: Vec<f64>,
    way: Vec<f64>,
    step: Vec<f64>,
}

impl Reach {
    /// `stiffness` is that of the root, 1/m2 and 1/rad2, and of what leads to no goal, 1/rad2.
    pub fn new(figure: Arc<Figure>, root: JointHandle, goals: Vec<Goal>, stiffness: [f64; 3]) -> Reach {
        let forest = figure.forest();
        let place = forest.joint_place(root);
        let mut softness = vec![1.0 / stiffness[2]; forest.nv()];
        softness[place.iv..place.iv + 3].fill(1.0 / stiffness[1]);
        softness[place.iv + 3..place.iv + 6].fill(1.0 / stiffness[0]);
        let hinges = figure.joints().filter_map(|(handle, joint)| {
            let at = forest.joint_place(handle);
            let range = joint.dof[0].range.filter(|_| matches!(joint.kind, JointKind::Revolute { .. }))?;
            (at.nv == 1).then_some(([at.iq, at.iv], range))
        });
        Reach {
            hinges: hinges.collect(),
            held: Vec::new(),
            knees: Vec::new(),
            kinematics: Kinematics::default(),
            columns: vec![Motion::default(); forest.nv()],
            momenta: vec![Force::default(); forest.nv()],
            composite: Vec::new(),
            rows: Vec::new(),
            errors: Vec::new(),
            way: vec![0.0; forest.nv()],
            step: vec![0.0; forest.nv()],
            root: [place.iq, place.iv],
            softness,
            goals,
            figure,
        }
    }

    /// Lets the joints from a link up to a body, or up to the root, turn easily.
    pub fn loosen(&mut self, link: LinkHandle, top: Option<BodyIx>) {
        let forest = self.figure.forest();
        let mut body = forest.link_place(link).body;
        while body != BodyIx::WORLD {
            let b = &forest.bodies()[body.index()];
            let own = b.iv as usize..b.iv as usize + b.joint.nv();
            if own.contains(&self.root[1]) {
                break;
            }
            self.softness[own].fill(1.0 / LIMB);
            if top == Some(body) {
                break;
            }
            body = b.parent;
        }
    }

    /// Lets a ball bend easily about one axis only, in its child axes.
    pub fn bend_about(&mut self, iv: usize, axis: Vec3) {
        self.softness[iv..iv + 3].fill(1.0 / SIDEWAYS);
        self.knees.push((iv, axis));
    }

    /// K^-1 of something, with a stiffness more.
    fn soften(&self, caution: f64, v: &mut [f64]) {
        let along = self.knees.iter().map(|(iv, axis)| axis.scale(pose::triple(v, *iv).dot(*axis)));
        let along: Vec<Vec3> = along.collect();
        v.iter_mut().zip(&self.softness).for_each(|(v, s)| *v /= 1.0 / s + caution);
        for ((iv, _), along) in self.knees.iter().zip(along) {
            let more = along.scale(1.0 / (LIMB + caution) - 1.0 / (SIDEWAYS + caution)).to_array();
            (0..3).for_each(|k| v[iv + k] += more[k]);
        }
        self.held.iter().for_each(|iv| v[*iv] = 0.0);
    }

    /// K of the way from the posture.
    fn stiffened(&self) -> Vec<f64> {
        let mut v: Vec<f64> = self.way.iter().zip(&self.softness).map(|(d, s)| d / s).collect();
        for (iv, axis) in &self.knees {
            let less = axis.scale((LIMB - SIDEWAYS) * pose::triple(&self.way, *iv).dot(*axis)).to_array();
            (0..3).for_each(|k| v[iv + k] += less[k]);
        }
        v
    }

    /// Where the goals' links are in a pose; points have no turn.
    pub fn places(&mut self, q: &[f64]) -> Vec<Pose> {
        self.kinematics.update(self.figure.forest(), q, None, None);
        self.goals.iter().map(|g| self.now(g)).collect()
    }

    /// Changes `q` until goals are on targets, near a posture. Starts from `q`.
    pub fn solve(&mut self, posture: &[f64], targets: &[Pose], q: &mut [f64]) {
        let figure = self.figure.clone();
        let forest = figure.forest();
        let (mut next, mut caution) = (q.to_vec(), 0.0);
        self.linearise(q, targets);
        pose::difference(forest, posture, q, &mut self.way);
        let mut cost = self.cost();
        for _ in 0..STEPS {
            let largest = self.step_within_limits(posture, q, caution);
            pose::along(forest, q, &self.step, 1.0, &mut next);
            for ([iq, _], range) in &self.hinges {
                let (low, high) = bounds(range, posture[*iq]);
                next[*iq] = next[*iq].clamp(low, high);
            }
            self.linearise(&next, targets);
            pose::difference(forest, posture, &next, &mut self.way);
            let now = self.cost();
            if now < cost {
                (cost, caution) = (now, if caution > CAUTION { caution / BOLDER } else { 0.0 });
                q.copy_from_slice(&next);
            } else {
                caution = (caution * WARIER).max(CAUTION);
                self.linearise(q, targets);
                pose::difference(forest, posture, q, &mut self.way);
            }
            if largest < SETTLED {
                break;
            }
        }
    }

    /// What is minimised.
    fn cost(&self) -> f64 {
        let ways: f64 = self.way.iter().zip(self.stiffened()).map(|(d, k)| d * k).sum();
        ways + self.errors.iter().map(|e| e * e).sum::<f64>() / DAMPING
    }

    fn now(&self, goal: &Goal) -> Pose {
        let forest = self.figure.forest();
        match goal {
            Goal::Sole(link, link_from_sole) => {
                let world_from_sole = self.kinematics.link_pose(forest, *link) * *link_from_sole;
                Pose { place: world_from_sole.translation, turn: world_from_sole.orientation() }
            }
            Goal::Point(link, p) => {
                let pose = self.kinematics.link_pose(forest, *link);
                Pose { place: pose.point(*p), turn: pose.orientation() }
            }
            Goal::Center => {
                Pose { place: centroidal::center_of_mass(forest, &self.kinematics), turn: Quat::IDENTITY }
            }
        }
    }

    /// J and e at a pose.
    fn linearise(&mut self, q: &[f64], targets: &[Pose]) {
        let figure = self.figure.clone();
        let forest = figure.forest();
        self.kinematics.update(forest, q, None, None);
        self.rows.clear();
        self.errors.clear();
        for (goal, target) in self.goals.iter().zip(targets) {
            let now = self.now(goal);
            match goal.link() {
                Some(link) => {
                    let body = forest.link_place(link).body;
                    jacobian::of_body_point(forest, &self.kinematics, body, now.place, &mut self.columns);
                }
                None => {
                    let (mass, momenta) = (centroidal::mass(forest), &mut self.momenta);
                    centroidal::momentum_matrix(forest, &self.kinematics, &mut self.composite, momenta);
                    for (c, m) in self.columns.iter_mut().zip(momenta) {
                        *c = Motion::new(Vec3::ZERO, m.linear.scale(1.0 / mass));
                    }
                }
            }
            // ways of the root are along world axes
            for (k, e) in
                [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)].into_iter().enumerate()
            {
                self.columns[self.root[1] + 3 + k] = Motion::new(Vec3::ZERO, e);
            }
            let weight = goal.weight();
            let shift = (target.place - now.place).scale(weight).to_array();
            for (k, e) in shift.into_iter().enumerate() {
                self.rows.extend(self.columns.iter().map(|c| weight * c.linear.to_array()[k]));
                self.errors.push(e);
            }
            if let Goal::Sole(..) = goal {
                let turn = target.turn.then(now.turn.inverse()).log().scale(ARM).to_array();
                for (k, e) in turn.into_iter().enumerate() {
                    self.rows.extend(self.columns.iter().map(|c| ARM * c.angular.to_array()[k]));
                    self.errors.push(e);
                }
            }
        }
    }

    /// The step in which hinges at their limits go no farther, so that others make up for them; its largest part.
    fn step_within_limits(&mut self, posture: &[f64], q: &[f64], caution: f64) -> f64 {
        self.held.clear();
        loop {
            let largest = self.find_step(caution);
            let is_stuck = |([iq, iv], range): &&([usize; 2], Range)| {
                let (low, high) = bounds(range, posture[*iq]);
                let step = self.step[*iv];
                (q[*iq] <= low && step < 0.0) || (q[*iq] >= high && step > 0.0)
            };
            let stuck: Vec<usize> = self.hinges.iter().filter(is_stuck).map(|([_, iv], _)| *iv).collect();
            if stuck.is_empty() {
                return largest;
            }
            self.held.extend(stuck);
        }
    }

    /// The step, held back by a stiffness; its largest part.
    fn find_step(&mut self, caution: f64) -> f64 {
        let (n, m) = (self.way.len(), self.errors.len());
        let row = |i: usize| &self.rows[i * n..(i + 1) * n];
        // the way back to the posture, so far as it is not held back
        let mut back = self.stiffened();
        self.soften(caution, &mut back);
        let mut soft = self.rows.clone();
        soft.chunks_exact_mut(n).for_each(|row| self.soften(caution, row));
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
        Factor::of(&gram, m).solve(&mut pull);
        for k in 0..n {
            let sum: f64 = (0..m).map(|i| soft[i * n + k] * pull[i]).sum();
            self.step[k] = sum - back[k];
        }
        let largest = self.step.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
        let part = (LARGEST / largest.max(f64::MIN_POSITIVE)).min(1.0);
        self.step.iter_mut().for_each(|s| *s *= part);
        largest
    }
}

/// How far a hinge may turn: as its limits say, and to where the posture has it.
fn bounds(range: &Range, posture: f64) -> (f64, f64) {
    (range.lower.min(posture), range.upper.max(posture))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkSpec, Shape};

    /// A root with a leg of three hinges; the first turns by no more than `range` to either side.
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
    fn what_a_hinge_at_its_limit_cannot_give_comes_from_others() {
        let toe = vec3(0.15, 0.0, 0.0);
        for range in [None, Some(0.06)] {
            let (figure, root, foot) = leg(range);
            let mut reach = Reach::new(figure.clone(), root, vec![Goal::Point(foot, toe)], [80.0, 80.0, 1.0]);
            reach.loosen(foot, None);
            let posture = figure.forest().home().to_vec();
            let place = reach.places(&posture)[0].place;
            // ahead, where the whole leg would swing to
            let target = Pose { place: place + vec3(0.2, 0.0, 0.08), turn: Quat::IDENTITY };
            let mut q = posture.clone();
            reach.solve(&posture, &[target], &mut q);
            let miss = (reach.places(&q)[0].place - target.place).norm();
            let hip = q[figure.forest().joint_place(figure.find_joint("hip").unwrap()).iq];
            assert!(miss < 1e-3, "{range:?}: {miss} m off with the hip at {hip}");
            assert!(range.is_none_or(|r| hip.abs() <= r), "{hip}");
        }
    }
}
