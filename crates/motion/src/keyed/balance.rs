//! A path of the pelvis on which the ground can carry the figure.
//!
//! The ground only pushes, and only where something stands. With c the centre of mass, L the angular momentum about it,
//! l = 1 + c_z''/g the load in body weights and p the centre of pressure (height zero), Newton and Euler say
//!     l (p_x - c_x) = -c_z c_x''/g - L_y'/(m g)        l (p_y - c_y) = -c_z c_y''/g + L_x'/(m g)
//! Wanted are small changes of the path of the pelvis and of its turn, as cubic B-splines in time, with
//!   in flight   c_z'' = -g, c_x'' = c_y'' = 0;
//!   on the ground   l > 0, l p within l times the hull of what stands, and no more moment about the vertical than
//!   friction of a foot gives.
//! Given c_z, both lines are linear in c_x, c_y and the turns, so each round solves three small quadratic programs
//! (height, then the ground plane, then the vertical turn). The feet stay where they are and the legs follow, which
//! changes c and L a little: the rounds go on from what the figure then really does.
//! Source: our own; the two lines are the cart-table (zero moment point) model with load and momentum kept.
//! Not here: impacts; L' = 0 in flight, which is up to the keys; friction, but for a wish that forces along the ground
//! are small where the load is.

use super::{Keyed, Pin};
use crate::clip::Clip;
use crate::error::Error;
use crate::hull;
use crate::pose;
use crate::program::{Basis, Form, Program, Weights, solve};
use crate::replan::{Centroid, Moving};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Inertia, Quat, Vec3, vec3};

/// Pieces of the splines, s.
const PIECE: f64 = 0.03;
/// Shifts and turns are held near zero by these, m and rad...
const SHIFT: f64 = 0.1;
const TURN: f64 = 0.02;
/// ...and their accelerations by these, m/s2 and rad/s2.
const SHIFT_RATE: f64 = 10.0;
const TURN_RATE: f64 = 5.0;
/// Accelerations along the ground under full load, m/s2.
const ALONG: f64 = 10.0;
/// Load below which they count no more, body weights.
const LIGHT: f64 = 0.1;
/// In flight accelerations are met within this, m/s2.
const EXACT: f64 = 0.02;
/// On the ground the load is more than this, body weights.
const LOAD: f64 = 0.02;
/// The centre of pressure keeps to this part of what stands, from its middle.
const INSIDE: f64 = 0.85;
/// Moment about the vertical of a foot's friction, m body weights.
const TWIST: f64 = 0.02;
/// Inertia that a turn of the pelvis moves, parts of mass times stature squared: about level axes, about the vertical.
const INERTIA: [f64; 2] = [0.02, 0.008];
/// What is missing of a load, body weights, or of a moment, m body weights, costs as much as a shift of [`SHIFT`].
const SLACK: f64 = 0.003;

/// Less than this missing, body weights and m body weights, is good enough.
const FOUND: f64 = 0.002;
/// The pelvis is moved by less, m, and turned by less, rad.
const FAR: f64 = 0.5;
/// This part of each change is made at first: legs that follow answer a little differently...
const PART: f64 = 0.5;
/// ...and this much less after one that was too much.
const BACK: f64 = 0.4;

/// Whose coefficients: of one curve alone, or of the travel and the turns of a pair.
const ALONE: [usize; 2] = [0, 1];
const TRAVEL: [usize; 2] = [0, 2];
const TURNS: [usize; 2] = [1, 2];

/// How the pelvis is moved.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shift {
    pub travel: Vec3,
    /// rotation vector, world axes, about the centre of mass of the upper body
    turn: Vec3,
    /// from there to the pelvis
    arm: Vec3,
}

impl Shift {
    /// Moves the free joint whose coordinates begin at `root`.
    pub fn apply(&self, q: &mut [f64], root: usize) {
        let turn = Quat::exp(self.turn);
        let place = pose::triple(q, root) + self.travel + turn.rotate(self.arm) - self.arm;
        let turned = turn.then(pose::quaternion(q, root + 3)).normalized();
        q[root..root + 3].copy_from_slice(&place.to_array());
        q[root + 3..root + 7].copy_from_slice(&turned.0);
    }
}

/// Looks for the path, round by round.
pub(super) struct Balance<'a> {
    keyed: &'a Keyed,
    root: usize,
    /// hull of what stands, by frame, around its middle
    hulls: Vec<(Vec3, Vec<[f64; 2]>)>,
    arms: Vec<Vec3>,
    basis: Basis,
    /// coefficients of travel along x, y, z, then of turns about x, y, z
    found: [Vec<f64>; 6],
    /// the best so far, and what it leaves missing
    best: ([Vec<f64>; 6], f64),
    /// how much of a change is made
    part: f64,
}

impl<'a> Balance<'a> {
    pub fn new(
        keyed: &'a Keyed,
        root: usize,
        pins: &[Pin],
        carrying: Vec<Vec<Vec3>>,
        poses: &[Vec<f64>],
    ) -> Balance<'a> {
        let basis = Basis::over(keyed.duration, PIECE, keyed.cycle.is_some());
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
        let hulls = carrying.iter().map(|points| hull::around(points)).collect();
        let found = [(); 6].map(|()| vec![0.0; basis.len()]);
        let best = (found.clone(), f64::INFINITY);
        Balance { keyed, root, hulls, arms, basis, found, best, part: PART }
    }

    /// Whether the ground can give what the best poses so far want.
    pub fn is_found(&self) -> bool {
        self.best.1 < FOUND
    }

    /// Whether poses are the best so far. If not, the next shifts start from those that were, with smaller changes.
    pub fn is_better(&mut self, poses: &[Vec<f64>]) -> Result<bool, Error> {
        let missing = self.missing(poses)?;
        let is_better = missing < self.best.1;
        if is_better {
            self.best = (self.found.clone(), missing);
        } else {
            self.found = self.best.0.clone();
            self.part *= BACK;
        }
        Ok(is_better)
    }

    /// The next shifts, from poses that the last ones led to.
    pub fn shifts(&mut self, poses: &[Vec<f64>]) -> Result<Vec<Shift>, Error> {
        let mut moving = self.moving(poses)?;
        let before = self.found.clone();
        self.rise(&mut moving);
        self.level(&moving);
        self.twist(&moving);
        for (found, before) in self.found.iter_mut().zip(&before) {
            found.iter_mut().zip(before).for_each(|(x, b)| *x = b + self.part * (*x - b));
        }
        let shifts: Vec<Shift> = (0..poses.len()).map(|f| self.shift(f)).collect();
        match shifts.iter().position(|s| !(s.travel.norm() < FAR && s.turn.norm() < FAR)) {
            Some(frame) => Err(self.keyed.wrong(format!(
                "balance would move the pelvis by more than {FAR} m (or rad) at {:.2} s: the keys are too far from it",
                frame as f64 / self.keyed.fps
            ))),
            None => Ok(shifts),
        }
    }

    /// What the ground cannot give of what poses want: load and place of the pressure, root mean square.
    fn missing(&self, poses: &[Vec<f64>]) -> Result<f64, Error> {
        let (moving, g) = (self.moving(poses)?, self.gravity());
        let weight = self.keyed.figure.mass() * g;
        let mut sum = 0.0;
        for (frame, m) in moving.iter().enumerate() {
            let load = 1.0 + m.acceleration.z / g;
            if self.flies(frame) {
                sum += load * load + (m.acceleration.x.powi(2) + m.acceleration.y.powi(2)) / (g * g);
                continue;
            }
            let level = (m.center - self.hulls[frame].0).scale(load) - m.acceleration.scale(m.center.z / g);
            let p = [level.x - m.moment.y / weight, level.y + m.moment.x / weight];
            let there = hull::nearest(&self.hulls[frame].1, load.max(0.0), p);
            sum += load.min(0.0).powi(2) + (p[0] - there[0]).powi(2) + (p[1] - there[1]).powi(2);
        }
        Ok((sum / moving.len() as f64).sqrt())
    }

    fn shift(&self, frame: usize) -> Shift {
        let at = self.at(frame);
        let of = |k: usize| value(&self.found[k], &at);
        Shift { travel: vec3(of(0), of(1), of(2)), turn: vec3(of(3), of(4), of(5)), arm: self.arms[frame] }
    }

    fn at(&self, frame: usize) -> Weights {
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
    fn moving(&self, poses: &[Vec<f64>]) -> Result<Vec<Moving>, Error> {
        let n = poses.len();
        // a cycle has another one before and after it
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
        let centroid = Centroid::of(&Clip::new("", self.keyed.figure.clone(), dt, q)?);
        Ok(centroid.frames()[first..first + n].to_vec())
    }

    /// Heights: free fall in flight, a load on the ground. Puts them into what the figure does.
    fn rise(&mut self, moving: &mut [Moving]) {
        let (g, before) = (self.gravity(), self.found[2].clone());
        let mut program = Program::new(self.basis.len());
        for (frame, m) in moving.iter().enumerate() {
            let at = self.at(frame);
            program.wish(&shifted(&at, ALONE), SHIFT.powi(-2));
            program.wish(&bent(&at, ALONE, 1.0), SHIFT_RATE.powi(-2));
            let rises = bent(&at, ALONE, 1.0).plus(m.acceleration.z - bend(&before, &at));
            if self.flies(frame) {
                program.wish(&rises.clone().plus(g), EXACT.powi(-2));
            }
            program.keep(rises.plus(g).times(1.0 / g));
        }
        let project = |frame: usize, [load]: [f64; 1]| [if self.flies(frame) { 0.0 } else { load.max(LOAD) }];
        let [found] = solve(&[program], SLACK.powi(-2), [before.clone()], project);
        for (frame, m) in moving.iter_mut().enumerate() {
            let at = self.at(frame);
            m.acceleration.z += bend(&found, &at) - bend(&before, &at);
            m.center.z += value(&found, &at) - value(&before, &at);
        }
        self.found[2] = found;
    }

    fn flies(&self, frame: usize) -> bool {
        self.hulls[frame].1.is_empty()
    }

    fn load(&self, frame: usize, m: &Moving) -> f64 {
        if self.flies(frame) { 0.0 } else { (1.0 + m.acceleration.z / self.gravity()).max(0.0) }
    }

    /// Travel along the ground, and turns about level axes.
    fn level(&mut self, moving: &[Moving]) {
        let programs = [0, 1].map(|axis| self.level_program(axis, moving));
        let project = |frame: usize, p: [f64; 2]| {
            let load = self.load(frame, &moving[frame]);
            hull::nearest(&self.hulls[frame].1, load * INSIDE, p)
        };
        let pairs = |axis: usize| self.found[axis].iter().zip(&self.found[4 - axis]);
        let start = [0, 1].map(|axis| pairs(axis).flat_map(|(a, b)| [*a, *b]).collect());
        for (axis, x) in solve(&programs, SLACK.powi(-2), start, project).into_iter().enumerate() {
            (self.found[axis], self.found[4 - axis]) =
                x.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
        }
    }

    /// Along x with turns about y, or along y with turns about x.
    fn level_program(&self, axis: usize, moving: &[Moving]) -> Program {
        let g = self.gravity();
        let weight = self.keyed.figure.mass() * g;
        let (travel, turn) = (&self.found[axis], &self.found[4 - axis]);
        // a moment about +y shifts the pressure back, one about +x to the left
        let sign = if axis == 0 { -1.0 } else { 1.0 };
        let mut program = Program::new(2 * self.basis.len());
        for (frame, m) in moving.iter().enumerate() {
            let (at, load) = (self.at(frame), self.load(frame, m));
            let of = |v: Vec3, k: usize| v.to_array()[k];
            let speeds_up = bent(&at, TRAVEL, 1.0).plus(of(m.acceleration, axis) - bend(travel, &at));
            program.wish(&shifted(&at, TRAVEL), SHIFT.powi(-2));
            program.wish(&shifted(&at, TURNS), TURN.powi(-2));
            program.wish(&bent(&at, TURNS, 1.0), TURN_RATE.powi(-2));
            let along = if self.flies(frame) { EXACT } else { ALONG * (load + LIGHT) };
            program.wish(&speeds_up, along.powi(-2));
            let pressure = shifted(&at, TRAVEL)
                .plus(of(m.center, axis) - of(self.hulls[frame].0, axis) - value(travel, &at))
                .times(load);
            if self.flies(frame) {
                program.keep(Form::default());
                continue;
            }
            let about = sign * (of(m.moment, 1 - axis) / weight - self.inertia(0) * bend(turn, &at));
            let pressure = pressure
                .with(speeds_up.times(-m.center.z / g))
                .with(bent(&at, TURNS, sign * self.inertia(0)))
                .plus(about);
            program.keep(pressure);
        }
        program
    }

    /// Turns about the vertical.
    fn twist(&mut self, moving: &[Moving]) {
        let weight = self.keyed.figure.mass() * self.gravity();
        let (inertia, turn) = (self.inertia(1), self.found[5].clone());
        let mut program = Program::new(self.basis.len());
        for (frame, m) in moving.iter().enumerate() {
            let at = self.at(frame);
            program.wish(&shifted(&at, ALONE), TURN.powi(-2));
            program.wish(&bent(&at, ALONE, 1.0), TURN_RATE.powi(-2));
            let moment = bent(&at, ALONE, inertia).plus(m.moment.z / weight - inertia * bend(&turn, &at));
            program.keep(if self.flies(frame) { Form::default() } else { moment });
        }
        let project = |frame: usize, [moment]: [f64; 1]| {
            let most = TWIST * self.load(frame, &moving[frame]);
            [moment.clamp(-most, most)]
        };
        [self.found[5]] = solve(&[program], SLACK.powi(-2), [turn], project);
    }
}

/// Links that are no part of a pinned leg: what the pelvis carries along when it turns.
fn upper_body(keyed: &Keyed, pins: &[Pin]) -> Vec<(LinkHandle, Inertia)> {
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

/// The shift at a time; of `of` curves, whose coefficients take turns, the `which`th.
fn shifted(at: &Weights, [which, of]: [usize; 2]) -> Form {
    Form { entries: at.iter().map(|(i, w, _)| (which + of * i, *w)).collect(), offset: 0.0 }
}

/// Its second derivative, times something.
fn bent(at: &Weights, [which, of]: [usize; 2], times: f64) -> Form {
    Form { entries: at.iter().map(|(i, _, w)| (which + of * i, times * w)).collect(), offset: 0.0 }
}

fn value(c: &[f64], at: &Weights) -> f64 {
    at.iter().map(|(i, w, _)| w * c[*i]).sum()
}

fn bend(c: &[f64], at: &Weights) -> f64 {
    at.iter().map(|(i, _, w)| w * c[*i]).sum()
}
