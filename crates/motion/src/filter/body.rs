//! The figure that the filter moves: one internal step after another.
//!
//! A step: contacts begin and end (`stance`); tasks ask for accelerations (`tasks`); the nearest that physics allows is
//! found (`program`, or `pseudo_inverse` with wishes of its own); v += a dt, then q (+)= v dt.
//! With a = (v+ - v)/dt the equation of motion holds at every step for the forces told, landings included: a foot that
//! lands is stopped by the forces of the steps that follow, not by a jump that no force explains.

use super::aim::Aim;
use super::dense::Normal;
use super::gains::Gains;
use super::grips::Grips;
use super::program::{Given, Program, Solution, Solved, Touching};
use super::pseudo_inverse::PseudoInverse;
use super::stance::{self, Limb};
use super::strength;
use super::terms::{Terms, path};
use crate::anatomy::{Anatomy, Part};
use crate::dual::Cone;
use crate::error::Error;
use crate::hull::Hull;
use crate::inverse::root_of;
use crate::spots::Place;
use anthropi_dynamics::model::{BodyIx, BodyJoint, Figure, JointHandle, LinkHandle};
use anthropi_dynamics::sim::advance;
use anthropi_dynamics::spatial::{Force, Motion, Vec3};

/// A force on a link from outside: a push, a rope, a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outside {
    /// on which link
    pub link: LinkHandle,
    /// where, in the link's axes
    pub at: Vec3,
    /// N, world axes
    pub force: Vec3,
    /// whether the figure reckons with it, as with a load it carries; a push comes unawares
    pub is_known: bool,
}

/// A force of the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundForce {
    /// which spot, in the order of the places
    pub place: usize,
    /// which point, counted over all spots
    pub point: usize,
    /// where, world axes
    pub at: Vec3,
    /// N, world axes
    pub force: Vec3,
    /// velocity of the point before the step
    pub velocity: Vec3,
    /// height of the point above its ground
    pub above: f64,
    /// away from the ground there, unit
    pub normal: Vec3,
}

/// Who finds the motion of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// a program with friction cones and strengths: every force is possible
    #[default]
    Program,
    /// the pseudo-inverses of the first dynamics filter [NY2000F §4.1]: forces have no bounds, and are counted where
    /// they are impossible
    PseudoInverse,
}

/// A part of the trunk that is held upright as the reference has it.
#[derive(Clone, Debug)]
pub(crate) struct Trunk {
    pub body: BodyIx,
    pub path: Vec<u32>,
    pub jacobian: Vec<Motion>,
}

/// A figure under the filter.
#[derive(Clone, Debug)]
pub struct Body {
    pub(crate) figure: Figure,
    /// spots that can stand
    pub places: Vec<Place>,
    /// strengths and weights
    pub gains: Gains,
    usual: Gains,
    /// coefficient of friction
    pub friction: f64,
    solver: Solver,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) limbs: Vec<Limb>,
    pub(crate) trunk: Vec<Trunk>,
    pub(crate) all: Vec<u32>,
    pub(crate) joint_weights: Vec<f64>,
    pub(crate) now: Terms,
    pub(crate) wanted: Terms,
    pub(crate) normal: Normal,
    /// how far its centre of mass is leaned to where it can be carried
    pub(crate) leaning: Vec3,
    pub(crate) standing_at: Vec<Vec3>,
    pub(crate) hull: Hull,
    pub(super) root: BodyIx,
    pub(crate) root_iv: usize,
    strength: Vec<f64>,
    program: Program,
    pub(super) pseudo_inverse: PseudoInverse,
    solution: Solution,
    grips: Grips,
    pub(super) touching: Vec<Touching>,
    pushes: Vec<Force>,
    helped: Vec<f64>,
    passive: Vec<f64>,
    pub(crate) way: Vec<f64>,
    ground: Vec<GroundForce>,
    solved: Solved,
    is_started: bool,
    /// it moved as nothing can and was put back to the reference
    pub(super) is_lost: bool,
}

/// Points that stand are held by these parts of their weight, one after the other, while that asks for too much: a leg
/// at the end of its reach holds nothing.
const HOLDING: [f64; 3] = [1.0, 0.03, 0.001];
/// A point is meant to carry at least this part of what it carries when all carry the same.
const LEAST_SHARE: f64 = 0.01;
/// More joints at their strength than this are too many.
const STRAINED: usize = 6;
/// No joint of a person turns faster, rad/s, and nobody goes farther, m.
const WILD: f64 = 200.0;
const FAR: f64 = 1e6;
/// Hands weigh so much less than other joints.
const HAND: f64 = 0.3;

impl Body {
    /// A figure whose parts are known. `strength` scales the table of human strength; infinite for none.
    ///
    /// # Errors
    /// A figure that is not free, or with joints beside it that nothing drives.
    pub fn new(figure: &Figure, anatomy: &Anatomy, places: Vec<Place>, strength: f64) -> Result<Body, Error> {
        let forest = figure.forest();
        let joint = root_of(figure)?;
        let child = figure.joint(joint).map(|j| j.child()).expect("a joint of this figure");
        let (root, root_iv) = (forest.link_place(child).body, forest.joint_place(joint).iv);
        let is_beside = |j: JointHandle| {
            let place = forest.joint_place(j);
            let on_world =
                |b: &&anthropi_dynamics::model::Body| b.parent == BodyIx::WORLD && b.iv as usize == place.iv;
            forest.bodies().iter().skip(1).find(on_world).is_some_and(|b| b.joint != BodyJoint::Free)
        };
        if let Some((_, beside)) = figure.joints().find(|(j, _)| is_beside(*j)) {
            let what =
                "it is beside the figure and nothing drives it; the filter takes what stands fixed".into();
            return Err(Error::Unsuitable { subject: beside.name.clone(), what });
        }
        let nv = forest.nv();
        let links: Vec<LinkHandle> = figure.links().map(|(handle, _)| handle).collect();
        let body_of = |n: usize| forest.link_place(links[n]).body;
        let mut trunk: Vec<Trunk> = Vec::new();
        for part in [Part::Pelvis, Part::Chest] {
            let body = anatomy.last(part).map_or(root, body_of);
            if !trunk.iter().any(|t| t.body == body) {
                trunk.push(Trunk { body, path: path(forest, body), jacobian: vec![Motion::default(); nv] });
            }
        }
        let mut joint_weights = vec![1.0; nv];
        joint_weights[root_iv..root_iv + 6].fill(0.0);
        for (n, part) in anatomy.parts.iter().enumerate() {
            if matches!(part, Some(Part::Hand(_) | Part::Finger(_))) {
                let b = &forest.bodies()[body_of(n).index()];
                let own = b.iv as usize..b.iv as usize + b.joint.nv();
                joint_weights[own].fill(HAND);
            }
        }
        let mut terms = Terms::default();
        terms.follow(forest, forest.home(), &vec![0.0; nv], &vec![0.0; nv]);
        let low = places
            .iter()
            .flat_map(|p| p.points.iter().map(|at| terms.kinematics.link_pose(forest, p.link).point(*at).z))
            .fold(f64::INFINITY, f64::min);
        let height = (terms.center.z - low).max(0.05);
        let gains = Gains::of(height, forest.gravity().norm().max(0.1));
        Ok(Body {
            limbs: Limb::all(forest, &places),
            q: forest.home().to_vec(),
            v: vec![0.0; nv],
            all: (0..nv as u32).collect(),
            pushes: vec![Force::default(); forest.bodies().len()],
            helped: vec![0.0; nv],
            passive: vec![0.0; nv],
            way: vec![0.0; nv],
            strength: strength::of_figure(figure, anatomy, strength),
            figure: figure.clone(),
            friction: crate::inverse::FRICTION,
            now: Terms::default(),
            wanted: Terms::default(),
            normal: Normal::default(),
            leaning: Vec3::ZERO,
            standing_at: Vec::new(),
            hull: Hull::default(),
            solver: if forest.loops().is_empty() { Solver::Program } else { Solver::PseudoInverse },
            program: Program::default(),
            pseudo_inverse: PseudoInverse::new(figure, anatomy, root),
            solution: Solution::default(),
            grips: Grips::default(),
            touching: Vec::new(),
            ground: Vec::new(),
            solved: Solved::default(),
            is_started: false,
            is_lost: false,
            places,
            gains,
            usual: gains,
            trunk,
            joint_weights,
            root,
            root_iv,
        })
    }

    /// Who finds its motion: from the start the program, for figures with connections the pseudo-inverses.
    ///
    /// # Errors
    /// The program for a figure with connections: it does not hold them.
    pub fn set_solver(&mut self, solver: Solver) -> Result<(), Error> {
        if solver == Solver::Program && !self.figure.forest().loops().is_empty() {
            let what =
                "it has connections that close loops; only the filter by pseudo-inverses holds them".into();
            return Err(Error::Unsuitable { subject: self.figure.name.clone(), what });
        }
        self.solver = solver;
        Ok(())
    }

    /// Coordinates.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// Velocities.
    pub fn v(&self) -> &[f64] {
        &self.v
    }

    /// Accelerations of the last step.
    pub fn a(&self) -> &[f64] {
        &self.solution.a
    }

    /// Joint forces of the last step, without those of springs and dampers.
    pub fn tau(&self) -> &[f64] {
        &self.solution.tau
    }

    /// What springs and dampers of the joints gave in the last step.
    pub fn passive(&self) -> &[f64] {
        &self.passive
    }

    /// Forces of the ground in the last step.
    pub fn ground(&self) -> &[GroundForce] {
        &self.ground
    }

    /// How the last step was solved.
    pub fn solved(&self) -> Solved {
        self.solved
    }

    /// Whether its numbers are those a figure can have.
    pub fn is_sane(&self) -> bool {
        self.q.iter().all(|q| q.abs() < FAR) && self.v.iter().all(|v| v.abs() < WILD)
    }

    /// Scales the table of human strength; infinite for none.
    pub fn set_strength(&mut self, anatomy: &Anatomy, scale: f64) {
        self.strength = strength::of_figure(&self.figure, anatomy, scale);
    }

    /// The gains it was made with.
    pub fn usual_gains(&self) -> Gains {
        self.usual
    }

    /// Strength of the joints, by degree of freedom.
    pub fn strength(&self) -> &[f64] {
        &self.strength
    }

    /// Degrees of freedom of each joint but the root.
    pub fn joints(&self) -> impl Iterator<Item = core::ops::Range<usize>> + '_ {
        let bodies = self.figure.forest().bodies().iter().skip(1);
        bodies.filter(|b| b.joint != BodyJoint::Free).map(|b| {
            let first = b.iv as usize;
            first..first + b.joint.nv()
        })
    }

    /// Largest gap of its connections, m, and largest angle, rad.
    pub fn closure_error(&self) -> (f64, f64) {
        self.grips.clone().error(self.figure.forest(), &self.q, &self.v)
    }

    /// Force and moment on the root that nothing gave in the last step.
    pub fn left_over(&self) -> (f64, f64) {
        let left = self.now.root_wrench(self.figure.forest(), self.root, &self.solution.tau);
        (left.linear.norm(), left.angular.norm())
    }

    /// By spot: whether it stands.
    pub fn standing(&self) -> Vec<bool> {
        let contacts = || self.limbs.iter().flat_map(|l| &l.contacts);
        (0..self.places.len()).map(|k| contacts().any(|c| c.place == k && c.stands)).collect()
    }

    /// How far its centre of mass is leaned to where the ground can carry it.
    pub fn leaning(&self) -> Vec3 {
        self.leaning
    }

    /// Centre of mass before the last step.
    pub fn center(&self) -> Vec3 {
        self.now.center
    }

    /// Body weight, N.
    pub fn weight(&self) -> f64 {
        self.figure.mass() * self.figure.forest().gravity().norm()
    }

    /// Forgets what was: contacts, and where the reference was moved.
    pub(crate) fn forget(&mut self) {
        self.leaning = Vec3::ZERO;
        self.is_started = false;
        for limb in &mut self.limbs {
            limb.shift = Vec3::ZERO;
            limb.contacts.iter_mut().for_each(|c| c.stands = false);
        }
    }

    /// One step of `dt` towards the reference; the state before it can be told with its forces, see [`Body::ground`],
    /// until [`Body::finish`] makes the step.
    pub fn solve(&mut self, aim: &Aim, outside: &[Outside], dt: f64) {
        let forest = self.figure.forest();
        self.wanted.follow(forest, &aim.q, &aim.v, &aim.a);
        if !self.is_started {
            self.grips.close(forest, &mut self.q, &mut self.v);
        }
        self.now.update(forest, self.root, &self.q, &self.v);
        for limb in &mut self.limbs {
            limb.update(forest, &self.now, &self.wanted);
        }
        self.grips.update(forest, &self.now, &self.q, &self.v, dt);
        if !self.is_started {
            stance::begin(&mut self.limbs, aim);
            self.is_started = true;
        }
        let falls = self.now.velocity.z < 0.0;
        stance::change(&mut self.limbs, aim, dt, falls);
        // the pseudo-inverse knows of all that pushes, as in the paper
        let pushed = self.push(outside, self.solver == Solver::Program);
        self.adapt(aim, dt);
        self.touch(aim);
        match self.solver {
            Solver::Program => {
                for part in HOLDING {
                    self.ask(aim, dt, part);
                    self.normal.factor();
                    self.nearest(pushed, false);
                    if self.solved.is_optimal && self.solved.at_bounds <= STRAINED {
                        break;
                    }
                }
                if outside.iter().any(|o| !o.is_known) {
                    let pushed = self.push(outside, false);
                    self.nearest(pushed, true);
                }
            }
            Solver::PseudoInverse => {
                self.control(aim);
                self.nearest(pushed, false);
                self.leave_anchors();
            }
        }
        self.ground.clear();
        for (t, f) in self.touching.iter().zip(&self.solution.forces) {
            let c = &self.limbs[t.limb].contacts[t.contact];
            let above = c.floor.above(c.now.at);
            self.ground.push(GroundForce {
                place: c.place,
                point: c.point,
                at: t.at,
                force: *f,
                velocity: c.now.velocity,
                above,
                normal: t.cone.normal,
            });
        }
    }

    /// The nearest motion that is possible, or the one under the torques that were found.
    fn nearest(&mut self, pushed: Force, is_surprised: bool) {
        let forest = self.figure.forest();
        let given = Given {
            forest,
            q: &self.q,
            v: &self.v,
            terms: &self.now,
            limbs: &self.limbs,
            touching: &self.touching,
            grips: &self.grips.rows,
            pushed,
            pushes: &self.pushes,
            helped: &self.helped,
            passive: &self.passive,
            strength: &self.strength,
            units: [self.weight(), self.standing_height()],
        };
        let found = &mut self.solution;
        if is_surprised {
            self.program.follow(&self.normal, &given, self.root_iv, found);
        } else {
            self.solved = match self.solver {
                Solver::Program => self.program.solve(&self.normal, &given, found),
                Solver::PseudoInverse => self.pseudo_inverse.solve(&given, found),
            };
        }
        found.settle(&given, self.root_iv);
    }

    /// Puts it at a state that came about elsewhere; what it knows of its contacts stays.
    pub(crate) fn put(&mut self, q: &[f64], v: &[f64]) {
        self.q.copy_from_slice(q);
        self.v.copy_from_slice(v);
    }

    /// Makes the step that was solved.
    pub fn finish(&mut self, dt: f64) {
        self.v.iter_mut().zip(&self.solution.a).for_each(|(v, a)| *v += a * dt);
        advance(self.figure.forest(), &mut self.q, &self.v, dt);
    }

    /// Height of the centre of mass when the figure stands.
    pub(super) fn standing_height(&self) -> f64 {
        self.figure.forest().gravity().norm() / (self.gains.omega * self.gains.omega)
    }

    /// Forces from outside by body and by joint, all or those known; their sum about the centre of mass.
    fn push(&mut self, outside: &[Outside], known: bool) -> Force {
        let forest = self.figure.forest();
        self.pushes.fill(Force::default());
        self.passive.fill(0.0);
        forest.add_passive_forces(&self.q, &self.v, &mut self.passive);
        self.helped.copy_from_slice(&self.passive);
        let mut sum = Force::default();
        for push in outside.iter().filter(|o| o.is_known || !known) {
            let place = forest.link_place(push.link);
            let pose = self.now.kinematics.body_pose(place.body);
            let arm = pose.rotation.mul(place.body_from_link.point(push.at));
            self.pushes[place.body.index()] += Force::at_point(push.force, arm);
            let at = pose.translation + arm;
            sum += Force::new((at - self.now.center).cross(push.force), push.force);
            self.now.jacobian(forest, place.body, &mut self.trunk[0].jacobian);
            for (h, c) in self.helped.iter_mut().zip(&self.trunk[0].jacobian) {
                *h += (c.linear + c.angular.cross(arm)).dot(push.force);
            }
        }
        sum
    }

    /// Cones of the points that stand. Of all forces that make the same motion those are taken that minimise
    /// sum eps_i |f_i|^2, which go as 1 / eps_i as far as balance allows: so a point's eps is divided by its share of the
    /// load, parts of what it carries when all carry the same.
    fn touch(&mut self, aim: &Aim) {
        let weight = self.weight();
        let eps = self.gains.force_weight / (weight * weight);
        let standing = || self.limbs.iter().flat_map(|l| &l.contacts).filter(|c| c.stands);
        let points = |place: usize| standing().filter(|c| c.place == place).count() as f64;
        let share = |place: usize| aim.share.get(place).map_or(0.0, |s| s.max(0.0));
        // what a point that stands is meant to carry in the mean
        let mean = match aim.share.is_empty() {
            true => 0.0,
            false => {
                let total: f64 = standing().map(|c| share(c.place) / points(c.place)).sum();
                total / standing().count().max(1) as f64
            }
        };
        self.touching.clear();
        for (l, limb) in self.limbs.iter().enumerate() {
            for (n, c) in limb.contacts.iter().enumerate().filter(|(_, c)| c.stands) {
                let mut eps = eps * (1.0 + 200.0 * (1.0 - c.hold()));
                if mean > 0.0 {
                    eps /= (share(c.place) / points(c.place) / mean).max(LEAST_SHARE);
                }
                let cone = Cone { normal: c.floor.normal(), friction: self.friction, eps };
                self.touching.push(Touching { limb: l, contact: n, at: c.now.at, cone });
            }
        }
    }
}
