//! Contents of a scene, determined by its seed. Every part has a number and can be removed, to reduce failing scenes:
//! `Recipe::without`.

mod draw;

use anthropi_dynamics::contact::Surface;
use anthropi_dynamics::joint::{Dof, JointKind};
use anthropi_dynamics::model::Shape;
use anthropi_dynamics::sim::Integrator;
use anthropi_dynamics::spatial::{Quat, RotationOrder, Transform, Vec3, vec3};
use std::collections::BTreeSet;

/// Kind of scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// figures in flight or on hinges, without contact
    Trees,
    /// figures fall onto obstacles and each other
    Heap,
    /// a built-in figure stands, hangs or tumbles
    People,
    /// chains fixed at both ends: redundant and singular loops
    Rings,
}

impl Family {
    pub const ALL: [Family; 4] = [Family::Trees, Family::Heap, Family::People, Family::Rings];

    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

#[derive(Clone, Debug)]
pub struct Recipe {
    pub seed: u64,
    pub family: Family,
    pub dt: f64,
    pub steps: usize,
    pub gravity: Vec3,
    pub integrator: Integrator,
    pub people: Vec<Person>,
    pub parts: Vec<Part>,
    pub things: Vec<Thing>,
    pub touches: bool,
    pub surface: Surface,
    pub acts: Vec<Act>,
    /// whether the initial state goes through scene text
    pub by_text: bool,
}

/// A built-in figure.
#[derive(Clone, Debug)]
pub struct Person {
    pub figure: &'static str,
    pub at: Vec3,
    pub turn: Quat,
    /// random joint positions, as a fraction of their range
    pub bend: f64,
    pub posed: u64,
    pub speed: f64,
    /// both arms raised
    pub arms_up: bool,
    /// without springs, damping and limits
    pub rigid: bool,
    /// height of the lowest point above the ground
    pub gap: Option<f64>,
}

/// A link of a random figure.
#[derive(Clone, Debug)]
pub struct Part {
    pub name: String,
    /// index of its parent among the parts
    pub parent: Option<usize>,
    pub kind: JointKind,
    pub parent_from_joint: Transform,
    pub child_from_joint: Transform,
    pub order: RotationOrder,
    pub shape: Option<Shape>,
    pub solid: Shape,
    pub density: f64,
    pub dof: Dof,
    pub q: [f64; 7],
    pub v: [f64; 6],
    pub gap: Option<f64>,
}

/// A fixed obstacle.
#[derive(Clone, Debug)]
pub enum Thing {
    Plane { slope: f64 },
    Solid { shape: Shape, at: Vec3, turn: Quat },
    Heights { heights: Vec<f64>, spacing: f64 },
}

/// An action before a step.
#[derive(Clone, Debug)]
pub struct Act {
    pub step: usize,
    pub verb: Verb,
}

#[derive(Clone, Debug)]
pub enum Verb {
    /// connects a link to another or to the world, at their current poses
    Connect {
        a: String,
        b: Option<String>,
        kind: JointKind,
        at: Vec3,
        turn: Quat,
    },
    /// cuts the n-th of the current connections
    CutConnection(usize),
    /// cuts the joint of a link to its parent
    CutJoint(String),
    Lock(String, usize),
    Unlock(String, usize),
    Reroot(String),
    Push {
        link: String,
        point: Vec3,
        force: Vec3,
        torque: Vec3,
        steps: usize,
    },
    /// holds joints at their current positions, or drives them elsewhere; gains are for unit inertia except in the default step
    Hold {
        links: Vec<String>,
        stiffness: f64,
        damping: f64,
        turn: f64,
        over: f64,
    },
    /// constant external joint torques
    Drive {
        size: f64,
    },
}

/// What can be removed of a person, of a link, and of the scene as a whole.
const OF_PERSON: [fn(&mut Person); 5] = [
    // the others keep their numbers
    |p| p.figure = "",
    |p| p.bend = 0.0,
    |p| p.speed = 0.0,
    |p| p.rigid = true,
    |p| p.turn = Quat::IDENTITY,
];
const OF_PART: [fn(&mut Part); 4] =
    [|p| p.name.clear(), |p| p.dof = Dof::default(), |p| p.v = [0.0; 6], |p| p.shape = None];
const OF_SCENE: [fn(&mut Recipe); 6] = [
    |r| r.gravity = vec3(0.0, 0.0, -9.81),
    |r| r.integrator = Integrator::Midpoint,
    |r| r.dt = 1e-3,
    |r| r.surface = Surface::default(),
    |r| r.touches = false,
    |r| r.gravity = Vec3::ZERO,
];

impl Recipe {
    /// Number of removable parts.
    pub fn count(&self) -> usize {
        let (people, parts) = (OF_PERSON.len() * self.people.len(), OF_PART.len() * self.parts.len());
        people + parts + self.things.len() + self.acts.len() + OF_SCENE.len()
    }

    /// The recipe without some parts. Numbers: those of each person, of each link, one for each obstacle and action, then
    /// those of the scene.
    pub fn without(&self, out: &BTreeSet<usize>) -> Recipe {
        let mut r = self.clone();
        let mut numbers = 0..;
        let mut is_out = || numbers.next().is_some_and(|n| out.contains(&n));
        for person in &mut r.people {
            OF_PERSON.iter().filter(|_| is_out()).for_each(|remove| remove(person));
        }
        for i in 0..r.parts.len() {
            let up = r.parts[i].parent;
            OF_PART.iter().filter(|_| is_out()).for_each(|remove| remove(&mut r.parts[i]));
            // without its parent it is gone, too
            if up.is_some_and(|up| r.parts[up].name.is_empty()) {
                r.parts[i].name.clear();
            }
        }
        r.things.retain(|_| !is_out());
        r.acts.retain(|_| !is_out());
        OF_SCENE.iter().filter(|_| is_out()).for_each(|remove| remove(&mut r));
        r
    }
}
