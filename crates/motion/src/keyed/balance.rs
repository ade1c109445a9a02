//! A dynamically feasible path of the pelvis.
//!
//! With c the centre of mass, L the angular momentum about it, l = 1 + c_z''/g the load in body weights and p the centre
//! of pressure (at height zero), Newton and Euler give
//!     l (p_x - c_x) = -c_z c_x''/g - L_y'/(m g)        l (p_y - c_y) = -c_z c_y''/g + L_x'/(m g)
//! Unknowns are small changes of position and orientation of the pelvis, as cubic B-splines in time, with
//!   in flight   c_z'' = -g, c_x'' = c_y'' = 0;
//!   in contact  l > 0, l p within l times the support polygon, and a moment about the vertical within the friction of a
//!   foot.
//! Given c_z, both equations are linear in c_x, c_y and the rotations, so each iteration solves three small quadratic
//! programs: height, horizontal plane, yaw. The feet stay in position and the legs follow, which changes c and L slightly;
//! the next iteration linearises about the new poses.
//! Source: our own; the equations are the cart-table (zero-moment point) model with load and angular momentum.
//! Not here: impacts; L' = 0 in flight, which is up to the keys; friction cones: horizontal forces are only penalised.

use super::{KeyedMotion, Pin};
use crate::admm::{LinearForm, Problem, SplineBasis, SplineWeights, solve};
use crate::centroid::{CentroidalState, CentroidalTrajectory};
use crate::clip::Clip;
use crate::error::Error;
use crate::hull;
use crate::pose;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Inertia, Quat, Vec3, vec3};

/// Knot spacing of the splines, s.
const KNOT_SPACING: f64 = 0.03;
// scales of the cost
/// Translation, m, and rotation, rad; their accelerations, m/s2 and rad/s2.
const SHIFT_SCALE: f64 = 0.1;
const ROTATION_SCALE: f64 = 0.02;
const SHIFT_ACCELERATION: f64 = 10.0;
const ROTATION_ACCELERATION: f64 = 5.0;
/// Horizontal acceleration of the centre of mass under full load, m/s2, and the load added to it, body weights.
const HORIZONTAL_ACCELERATION: f64 = 10.0;
const LOAD_OFFSET: f64 = 0.1;
/// Acceleration error in flight, m/s2.
const FLIGHT_ACCELERATION: f64 = 0.02;
/// Residual load, body weights, or moment, m body weights.
const RESIDUAL: f64 = 0.003;
// constraints
/// Least load in contact, body weights.
const MIN_LOAD: f64 = 0.02;
/// Used fraction of the support polygon.
const USED_POLYGON: f64 = 0.85;
/// Largest moment of a foot's friction about the vertical, m body weights.
const MAX_FREE_MOMENT: f64 = 0.02;
/// Inertia moved by a rotation of the pelvis, relative to mass times stature squared: about horizontal axes, vertical.
const INERTIA: [f64; 2] = [0.02, 0.008];
// iteration
/// Residual at convergence, body weights and m body weights.
const TOLERANCE: f64 = 0.002;
/// Largest translation, m, and rotation, rad, of the pelvis.
const MAX_SHIFT: f64 = 0.5;
/// Initial step length (the legs respond differently from the linear model), and its factor after an overshoot.
const STEP_LENGTH: f64 = 0.5;
const BACKTRACK: f64 = 0.4;

/// Offset and stride of the coefficients of translation and rotation, which alternate in the horizontal problems.
const TRANSLATION: [usize; 2] = [0, 2];
const ROTATION: [usize; 2] = [1, 2];

/// Displacement of the pelvis.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PelvisShift {
    pub travel: Vec3,
    /// rotation vector, world axes, about the centre of mass of the upper body
    turn: Vec3,
    /// from there to the pelvis
    arm: Vec3,
}

impl PelvisShift {
    /// Moves the root joint, whose coordinates begin at `root`.
    pub fn apply(&self, q: &mut [f64], root: usize) {
        let turn = Quat::exp(self.turn);
        let position = pose::triple(q, root) + self.travel + turn.rotate(self.arm) - self.arm;
        let turned = turn.then(pose::quaternion(q, root + 3)).normalized();
        q[root..root + 3].copy_from_slice(&position.to_array());
        q[root + 3..root + 7].copy_from_slice(&turned.0);
    }
}

/// Iteration towards a feasible path.
pub(super) struct Balance<'a> {
    keyed: &'a KeyedMotion,
    root: usize,
    /// support polygon by frame: centre, and corners relative to it
    hulls: Vec<(Vec3, Vec<[f64; 2]>)>,
    arms: Vec<Vec3>,
    basis: SplineBasis,
    /// coefficients of travel along x, y, z, then of turns about x, y, z
    found: [Vec<f64>; 6],
    /// the best so far, and its residual
    best: ([Vec<f64>; 6], f64),
    step_length: f64,
}

impl<'a> Balance<'a> {
    pub fn new(
        keyed: &'a KeyedMotion,
        root: usize,
        pins: &[Pin],
        contacts: Vec<Vec<Vec3>>,
        poses: &[Vec<f64>],
    ) -> Balance<'a> {
        let basis = SplineBasis::over(keyed.duration, KNOT_SPACING, keyed.cycle.is_some());
        let body = upper_body(keyed, pins);
        let (forest, mut kinematics) = (keyed.figure.forest(), Kinematics::default());
        let mut arm = |q: &Vec<f64>| {
            kinematics.update(forest, q, None, None);
            let mut sum = (Vec3::ZERO, 0.0);
            for (link, inertia) in &body {
                let at = kinematics.link_pose(forest, *link).point(inertia.center());
                sum = (sum.0 + at.scale(inertia.mass), sum.1 + inertia.mass);
            }
            pose::triple(q, root) - sum.0.scale(1.0 / sum.1.max(f64::MIN_POSITIVE))
        };
        let arms = poses.iter().map(&mut arm).collect();
        let hulls = contacts.iter().map(|points| hull::around(points)).collect();
        let found = [(); 6].map(|()| vec![0.0; basis.len()]);
        let best = (found.clone(), f64::INFINITY);
        Balance { keyed, root, hulls, arms, basis, found, best, step_length: STEP_LENGTH }
    }

    /// Whether the best poses so far are feasible.
    pub fn has_converged(&self) -> bool {
        self.best.1 < TOLERANCE
    }

    /// Whether poses are the best so far. If not, the next shifts start from the best with a shorter step.
    pub fn is_better(&mut self, poses: &[Vec<f64>]) -> Result<bool, Error> {
        let residual = self.residual(poses)?;
        let is_better = residual < self.best.1;
        if is_better {
            self.best = (self.found.clone(), residual);
        } else {
            self.found = self.best.0.clone();
            self.step_length *= BACKTRACK;
        }
        Ok(is_better)
    }

    /// The next shifts, from the poses of the last ones.
    pub fn shifts(&mut self, poses: &[Vec<f64>]) -> Result<Vec<PelvisShift>, Error> {
        let mut moving = self.moving(poses)?;
        let before = self.found.clone();
        self.solve_height(&mut moving);
        self.solve_horizontal(&moving);
        self.solve_yaw(&moving);
        for (found, before) in self.found.iter_mut().zip(&before) {
            found.iter_mut().zip(before).for_each(|(x, b)| *x = b + self.step_length * (*x - b));
        }
        let shifts: Vec<PelvisShift> = (0..poses.len()).map(|f| self.shift(f)).collect();
        match shifts.iter().position(|s| !(s.travel.norm() < MAX_SHIFT && s.turn.norm() < MAX_SHIFT)) {
            Some(frame) => Err(self.keyed.wrong(format!(
                "balance would move the pelvis by more than {MAX_SHIFT} m (or rad) at {:.2} s: the keys are too unbalanced",
                frame as f64 / self.keyed.fps
            ))),
            None => Ok(shifts),
        }
    }

    /// RMS of infeasible load and centre of pressure.
    fn residual(&self, poses: &[Vec<f64>]) -> Result<f64, Error> {
        let (moving, g) = (self.moving(poses)?, self.gravity());
        let weight = self.keyed.figure.mass() * g;
        let mut sum = 0.0;
        for (frame, m) in moving.iter().enumerate() {
            let load = 1.0 + m.acceleration.z / g;
            if self.flies(frame) {
                sum += load * load + (m.acceleration.x.powi(2) + m.acceleration.y.powi(2)) / (g * g);
                continue;
            }
            let level = (m.com - self.hulls[frame].0).scale(load) - m.acceleration.scale(m.com.z / g);
            let p = [level.x - m.moment.y / weight, level.y + m.moment.x / weight];
            let there = hull::nearest(&self.hulls[frame].1, load.max(0.0), p);
            sum += load.min(0.0).powi(2) + (p[0] - there[0]).powi(2) + (p[1] - there[1]).powi(2);
        }
        Ok((sum / moving.len() as f64).sqrt())
    }

    fn shift(&self, frame: usize) -> PelvisShift {
        let at = self.at(frame);
        let of = |k: usize| at.value_of(&self.found[k]);
        PelvisShift {
            travel: vec3(of(0), of(1), of(2)),
            turn: vec3(of(3), of(4), of(5)),
            arm: self.arms[frame],
        }
    }

    fn at(&self, frame: usize) -> SplineWeights {
        self.basis.at(frame as f64 / self.keyed.fps)
    }

    fn gravity(&self) -> f64 {
        self.keyed.figure.gravity().norm()
    }

    /// Inertia over weight, m / (rad/s2).
    fn inertia(&self, k: usize) -> f64 {
        INERTIA[k] * self.keyed.figure.stature.unwrap_or(1.7).powi(2) / self.gravity()
    }

    /// Centre of mass and momenta of poses, with their derivatives.
    fn moving(&self, poses: &[Vec<f64>]) -> Result<Vec<CentroidalState>, Error> {
        let n = poses.len();
        // a cycle continues before and after
        let (first, travels) = match self.keyed.cycle {
            Some(cycle) => (n, vec![-cycle.travel, 0.0, cycle.travel]),
            None => (0, vec![0.0]),
        };
        let mut q = Vec::new();
        for travel in travels {
            for pose in poses {
                q.extend_from_slice(pose);
                let root = q.len() - pose.len() + self.root;
                q[root] += travel;
            }
        }
        let dt = 1.0 / self.keyed.fps;
        let centroid = CentroidalTrajectory::from_clip(&Clip::new("", self.keyed.figure.clone(), dt, q)?);
        Ok(centroid.frames()[first..first + n].to_vec())
    }

    /// Height: free fall in flight, positive load in contact. Updates `moving`.
    fn solve_height(&mut self, moving: &mut [CentroidalState]) {
        let (g, before) = (self.gravity(), self.found[2].clone());
        let mut problem = Problem::new(self.basis.len());
        for (frame, m) in moving.iter().enumerate() {
            let at = self.at(frame);
            problem.add_target(&at.value(), SHIFT_SCALE.powi(-2));
            problem.add_target(&at.second_derivative(), SHIFT_ACCELERATION.powi(-2));
            let rises = at.second_derivative().plus(m.acceleration.z - at.second_derivative_of(&before));
            if self.flies(frame) {
                problem.add_target(&rises.clone().plus(g), FLIGHT_ACCELERATION.powi(-2));
            }
            problem.add_constraint(rises.plus(g).times(1.0 / g));
        }
        let project =
            |frame: usize, [load]: [f64; 1]| [if self.flies(frame) { 0.0 } else { load.max(MIN_LOAD) }];
        let [found] = solve(&[problem], RESIDUAL.powi(-2), [before.clone()], project);
        for (frame, m) in moving.iter_mut().enumerate() {
            let at = self.at(frame);
            m.acceleration.z += at.second_derivative_of(&found) - at.second_derivative_of(&before);
            m.com.z += at.value_of(&found) - at.value_of(&before);
        }
        self.found[2] = found;
    }

    fn flies(&self, frame: usize) -> bool {
        self.hulls[frame].1.is_empty()
    }

    fn load(&self, frame: usize, m: &CentroidalState) -> f64 {
        if self.flies(frame) { 0.0 } else { (1.0 + m.acceleration.z / self.gravity()).max(0.0) }
    }

    /// Horizontal translation, and rotation about horizontal axes.
    fn solve_horizontal(&mut self, moving: &[CentroidalState]) {
        let problems = [0, 1].map(|axis| self.horizontal_problem(axis, moving));
        let project = |frame: usize, p: [f64; 2]| {
            let load = self.load(frame, &moving[frame]);
            hull::nearest(&self.hulls[frame].1, load * USED_POLYGON, p)
        };
        let pairs = |axis: usize| self.found[axis].iter().zip(&self.found[4 - axis]);
        let start = [0, 1].map(|axis| pairs(axis).flat_map(|(a, b)| [*a, *b]).collect());
        for (axis, x) in solve(&problems, RESIDUAL.powi(-2), start, project).into_iter().enumerate() {
            (self.found[axis], self.found[4 - axis]) =
                x.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
        }
    }

    /// Translation along x with rotation about y, or along y with rotation about x.
    fn horizontal_problem(&self, axis: usize, moving: &[CentroidalState]) -> Problem {
        let g = self.gravity();
        let weight = self.keyed.figure.mass() * g;
        let (travel, turn) = (&self.found[axis], &self.found[4 - axis]);
        // a moment about +y shifts the centre of pressure back, one about +x to the left
        let sign = if axis == 0 { -1.0 } else { 1.0 };
        let mut problem = Problem::new(2 * self.basis.len());
        for (frame, m) in moving.iter().enumerate() {
            let (at, load) = (self.at(frame), self.load(frame, m));
            let of = |v: Vec3, k: usize| v.to_array()[k];
            let [position, rotation] = [TRANSLATION, ROTATION].map(|of| at.value().strided(of));
            let [speeds_up, turns] = [TRANSLATION, ROTATION].map(|of| at.second_derivative().strided(of));
            let speeds_up = speeds_up.plus(of(m.acceleration, axis) - at.second_derivative_of(travel));
            problem.add_target(&position, SHIFT_SCALE.powi(-2));
            problem.add_target(&rotation, ROTATION_SCALE.powi(-2));
            problem.add_target(&turns, ROTATION_ACCELERATION.powi(-2));
            let along = if self.flies(frame) {
                FLIGHT_ACCELERATION
            } else {
                HORIZONTAL_ACCELERATION * (load + LOAD_OFFSET)
            };
            problem.add_target(&speeds_up, along.powi(-2));
            let pressure = position
                .plus(of(m.com, axis) - of(self.hulls[frame].0, axis) - at.value_of(travel))
                .times(load);
            if self.flies(frame) {
                problem.add_constraint(LinearForm::default());
                continue;
            }
            let about =
                sign * (of(m.moment, 1 - axis) / weight - self.inertia(0) * at.second_derivative_of(turn));
            let pressure = pressure
                .with(speeds_up.times(-m.com.z / g))
                .with(turns.times(sign * self.inertia(0)))
                .plus(about);
            problem.add_constraint(pressure);
        }
        problem
    }

    /// Rotation about the vertical.
    fn solve_yaw(&mut self, moving: &[CentroidalState]) {
        let weight = self.keyed.figure.mass() * self.gravity();
        let (inertia, turn) = (self.inertia(1), self.found[5].clone());
        let mut problem = Problem::new(self.basis.len());
        for (frame, m) in moving.iter().enumerate() {
            let at = self.at(frame);
            problem.add_target(&at.value(), ROTATION_SCALE.powi(-2));
            problem.add_target(&at.second_derivative(), ROTATION_ACCELERATION.powi(-2));
            let now = m.moment.z / weight - inertia * at.second_derivative_of(&turn);
            let moment = at.second_derivative().times(inertia).plus(now);
            problem.add_constraint(if self.flies(frame) { LinearForm::default() } else { moment });
        }
        let project = |frame: usize, [moment]: [f64; 1]| {
            let max = MAX_FREE_MOMENT * self.load(frame, &moving[frame]);
            [moment.clamp(-max, max)]
        };
        [self.found[5]] = solve(&[problem], RESIDUAL.powi(-2), [turn], project);
    }
}

/// Links outside the pinned legs, which rotate with the pelvis.
fn upper_body(keyed: &KeyedMotion, pins: &[Pin]) -> Vec<(LinkHandle, Inertia)> {
    let figure = &keyed.figure;
    let parent = |link: LinkHandle| figure.link(link).ok().and_then(|l| l.parent());
    let mut legs = Vec::new();
    for pin in pins {
        let mut link = pin.link;
        while let Some(above) = parent(link) {
            legs.push(link);
            link = above;
        }
    }
    figure.links().filter(|(h, _)| !legs.contains(h)).map(|(h, l)| (h, l.spec.inertia)).collect()
}
