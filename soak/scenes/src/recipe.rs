//! What a scene is made of, by its seed alone. Everything in it has a number and can be left out, so that what fails can be
//! made small: `Recipe::without`.

mod draw;

use anthropi_dynamics::contact::Surface;
use anthropi_dynamics::joint::{Dof, JointKind};
use anthropi_dynamics::model::Shape;
use anthropi_dynamics::sim::Integrator;
use anthropi_dynamics::spatial::{Quat, RotationOrder, Transform, Vec3, vec3};
use std::collections::BTreeSet;

/// What the scene is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// figures in flight or on hinges, nothing touches
    Trees,
    /// figures fall onto things and each other
    Heap,
    /// a built-in figure stands, hangs or tumbles
    People,
    /// chains whose ends are held: redundant and singular loops
    Rings,
}

impl Family {
    pub const ALL: [Family; 4] = [Family::Trees, Family::Heap, Family::People, Family::Rings];

    pub fn name(self) -> &'static str {
        match self {
            Family::Trees => "trees",
            Family::Heap => "heap",
            Family::People => "people",
            Family::Rings => "rings",
        }
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
    /// whether the start goes through the text of a scene
    pub by_text: bool,
}

/// A built-in figure.
#[derive(Clone, Debug)]
pub struct Person {
    pub figure: &'static str,
    pub at: Vec3,
    pub turn: Quat,
    /// joints at this part of their range, by chance
    pub bend: f64,
    pub posed: u64,
    pub speed: f64,
    /// both arms stretched upwards
    pub arms_up: bool,
    /// without springs, damping and limits
    pub rigid: bool,
    /// lowest point this far above the ground
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

/// Something that stands still.
#[derive(Clone, Debug)]
pub enum Thing {
    Plane { slope: f64 },
    Solid { shape: Shape, at: Vec3, turn: Quat },
    Heights { heights: Vec<f64>, spacing: f64 },
}

/// Something done before a step.
#[derive(Clone, Debug)]
pub struct Act {
    pub step: usize,
    pub verb: Verb,
}

#[derive(Clone, Debug)]
pub enum Verb {
    /// a link to another or to the world, where they are
    Connect {
        a: String,
        b: Option<String>,
        kind: JointKind,
        at: Vec3,
        turn: Quat,
    },
    /// the n-th of the connections that are there then
    CutConnection(usize),
    /// the joint of a link to its parent
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
    /// joints held where they are then, or brought elsewhere; numbers are for an inertia of one but for the default step
    Hold {
        links: Vec<String>,
        stiffness: f64,
        damping: f64,
        turn: f64,
        over: f64,
    },
    /// constant torques of joints from outside
    Drive {
        size: f64,
    },
}

impl Recipe {
    /// How many things can be left out.
    pub fn count(&self) -> usize {
        5 * self.people.len() + 4 * self.parts.len() + self.things.len() + self.acts.len() + 6
    }

    /// The same without some of it. Numbers: five for each person, four for each part, one for each thing and act, then
    /// the general ones.
    pub fn without(&self, out: &BTreeSet<usize>) -> Recipe {
        let mut r = self.clone();
        let mut next = 0;
        let mut is_out = || {
            next += 1;
            out.contains(&(next - 1))
        };
        let mut gone_people = Vec::new();
        for (i, p) in r.people.iter_mut().enumerate() {
            if is_out() {
                gone_people.push(format!("p{i}/"));
            }
            if is_out() {
                p.bend = 0.0;
            }
            if is_out() {
                p.speed = 0.0;
            }
            if is_out() {
                p.rigid = true;
            }
            if is_out() {
                p.turn = Quat::IDENTITY;
            }
        }
        let mut gone = vec![false; r.parts.len()];
        for i in 0..r.parts.len() {
            let p = &mut r.parts[i];
            gone[i] = is_out() || p.parent.is_some_and(|up| gone[up]);
            if is_out() {
                p.dof = Dof::default();
            }
            if is_out() {
                p.v = [0.0; 6];
            }
            if is_out() {
                p.shape = None;
            }
        }
        r.things.retain(|_| !is_out());
        r.acts.retain(|_| !is_out());
        if is_out() {
            r.gravity = vec3(0.0, 0.0, -9.81);
        }
        if is_out() {
            r.integrator = Integrator::Midpoint;
        }
        if is_out() {
            r.dt = 1e-3;
        }
        if is_out() {
            r.surface = Surface::default();
        }
        if is_out() {
            r.touches = false;
        }
        if is_out() {
            r.gravity = Vec3::ZERO;
        }
        // people keep their names: who is gone stays in the list without a figure
        for (i, p) in r.people.iter_mut().enumerate() {
            if gone_people.contains(&format!("p{i}/")) {
                p.figure = "";
            }
        }
        for (p, gone) in r.parts.iter_mut().zip(&gone) {
            if *gone {
                p.name.clear();
            }
        }
        r
    }
}
