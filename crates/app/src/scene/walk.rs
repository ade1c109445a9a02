//! The walk of a scene: torques that track a plan, recomputed every millisecond from the present state.
//!
//! `anthropi_motion::gait` makes the plan and the torques; the simulation handles contact, impact and friction.

use super::figures::Assembly;
use super::pose;
use anthropi_dynamics::contact::World;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, State};
use anthropi_dynamics::sim::Driver;
use anthropi_formats::Error;
use anthropi_formats::fields::{Field, Table};
use anthropi_formats::figure::placement::ON_PARENT;
use anthropi_motion::gait::footsteps::Segment;
use anthropi_motion::gait::parameter::{Kind, PaceRequest, Parameters};
use anthropi_motion::gait::{WalkDriver, WalkSettings, Walker};
use std::sync::Arc;

/// Keys of the table.
const KEYS: [&str; 5] = ["figure", "speed", "step_length", "step_frequency", "steps"];
/// Default and largest number of steady steps.
const STEPS: usize = 6;
const MAX_STEPS: usize = 200;
/// Fraction of the floor's friction that the controller uses. It models friction cones at the corners of the sole, but
/// the sole as a whole resists less torsion, and a foot that starts to turn is lost: `anthropi-42` falls with 0.9.
const USABLE_FRICTION: f64 = 0.5;

/// The walk of a figure.
#[derive(Clone, Debug)]
pub struct SceneWalk {
    /// name of the figure, or empty
    pub figure: String,
    /// gait parameters
    pub parameters: Parameters,
    /// all steps from rest to rest
    pub steps: usize,
    /// the plan and its controller
    pub driver: WalkDriver,
    joints: Vec<Shared>,
}

/// Offsets and counts of a joint's coordinates and degrees of freedom, in the figure by itself and in the scene.
#[derive(Clone, Copy, Debug)]
struct Shared {
    own: [usize; 2],
    scene: [usize; 2],
    n: [usize; 2],
}

impl SceneWalk {
    /// The controller as a driver of the simulation.
    pub fn driver(&self) -> Box<dyn Driver> {
        let [q, v] = self.driver.start().map(<[f64]>::to_vec);
        let tau = vec![0.0; v.len()];
        Box::new(SceneDriver { driver: self.driver.clone(), joints: self.joints.clone(), q, v, tau })
    }

    /// Planned distance, m.
    pub fn distance(&self) -> f64 {
        let at = |t: f64| self.driver.planned(t)[self.root().own[0]];
        at(self.driver.duration()) - at(0.0)
    }

    /// Offset of its free joint in the scene's coordinates.
    pub fn root_in_scene(&self) -> usize {
        self.root().scene[0]
    }

    /// Coordinates of the figure by itself, from those of the scene.
    pub fn own_coordinates(&self, q: &[f64]) -> Vec<f64> {
        let mut own = self.driver.start()[0].to_vec();
        self.joints.iter().for_each(|j| j.take(0, q, &mut own));
        own
    }

    fn root(&self) -> &Shared {
        self.joints.iter().find(|j| j.n == [7, 6]).expect("a walker has a free root")
    }
}

impl Shared {
    fn take(&self, kind: usize, scene: &[f64], own: &mut [f64]) {
        let (to, from, n) = (self.own[kind], self.scene[kind], self.n[kind]);
        own[to..to + n].copy_from_slice(&scene[from..from + n]);
    }
}

#[derive(Clone, Debug)]
struct SceneDriver {
    driver: WalkDriver,
    joints: Vec<Shared>,
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
}

impl Driver for SceneDriver {
    fn drive(&mut self, time: f64, state: &State, tau: &mut [f64]) {
        for j in &self.joints {
            j.take(0, &state.q, &mut self.q);
            j.take(1, &state.v, &mut self.v);
        }
        self.driver.torques(time, &self.q, &self.v, &mut self.tau);
        for Shared { own: [_, from], scene: [_, to], n: [_, n] } in &self.joints {
            tau[*to..to + n].copy_from_slice(&self.tau[*from..from + n]);
        }
    }

    fn boxed(&self) -> Box<dyn Driver> {
        Box::new(self.clone())
    }
}

/// Reads the walk of a scene, if any, and moves its figure to the start of the plan.
pub fn read(
    root: &Table,
    assembly: &mut Assembly,
    world: Option<&World>,
) -> Result<Option<SceneWalk>, Error> {
    let Some(field) = root.get("walk") else { return Ok(None) };
    let table = field.table("walk")?;
    table.allow(&[&KEYS])?;
    let Some(world) = world.filter(|w| !w.scenery.is_empty()) else {
        return Err(table.wrong("there is no [[ground]] to walk on"));
    };
    let g = assembly.figure.gravity();
    if !(g.x == 0.0 && g.y == 0.0 && g.z < 0.0) {
        return Err(table.wrong("walks need gravity straight down"));
    }
    let index = walking_figure(&table, assembly)?;
    refuse_start(root, index)?;
    let prefix = assembly.prefix(index).to_string();
    let wrong = |e: &dyn core::fmt::Display| table.wrong(e.to_string());
    let own = Arc::new(assembly.alone(index).map_err(|e| wrong(&e))?);
    let walker = Walker::new(&own, &[]).map_err(|e| wrong(&e))?;

    let number = |key: &str| table.get(key).map(|f| f.positive()).transpose();
    let request = PaceRequest {
        speed: number("speed")?,
        length: number("step_length")?,
        frequency: number("step_frequency")?,
        height: None,
    };
    let parameters =
        Parameters::from_request(request, Kind::Walk, walker.stature(own.stature)).map_err(|e| wrong(&e))?;
    let steps = table.get("steps").map_or(Ok(STEPS), |f| count(&f))?;
    let segment = Segment::ahead(parameters, steps);
    let friction = USABLE_FRICTION * friction(world, assembly, index);
    let settings = WalkSettings { friction, ..WalkSettings::default() };
    let driver = walker.driver(&[segment], &settings).map_err(|e| wrong(&e))?;
    let joints = shared(&own, &prefix, &assembly.figure).map_err(|e| wrong(&e))?;
    for j in &joints {
        let [q, v] = driver.start();
        let ([oq, ov], [sq, sv], [nq, nv]) = (j.own, j.scene, j.n);
        assembly.state.q[sq..sq + nq].copy_from_slice(&q[oq..oq + nq]);
        assembly.state.v[sv..sv + nv].copy_from_slice(&v[ov..ov + nv]);
    }
    Ok(Some(SceneWalk { figure: prefix, parameters, steps: driver.steps().steps.len(), driver, joints }))
}

/// Index of the figure that walks.
fn walking_figure(table: &Table, assembly: &Assembly) -> Result<usize, Error> {
    let all: Vec<&str> = (0..assembly.members.len()).map(|i| assembly.prefix(i)).collect();
    let Some(field) = table.get("figure") else {
        if all.len() > 1 {
            table.require("figure", "the name of the figure that walks, as there are several")?;
        }
        return Ok(0);
    };
    let given = field.string()?;
    let found = all.iter().position(|name| *name == given);
    found.ok_or_else(|| field.unknown("figure of the name", given, all.iter().copied()))
}

/// Refuses a start state: the plan sets it.
fn refuse_start(root: &Table, index: usize) -> Result<(), Error> {
    let list = root.entries("figure", super::MAX_ENTRIES)?;
    let table = list[index].table(format!("figure {}", index + 1))?;
    let given =
        pose::KEYS.iter().chain(&["velocity", "hang"]).chain(&ON_PARENT).find_map(|key| table.get(key));
    match given {
        Some(f) => Err(f.wrong("conflicts with [walk], which sets the start of the figure")),
        None => Ok(()),
    }
}

fn count(field: &Field) -> Result<usize, Error> {
    match field.number()? {
        n if n.fract() == 0.0 && (1.0..=MAX_STEPS as f64).contains(&n) => Ok(n as usize),
        n => Err(field.wrong(format!("is {n}, expected a whole number from 1 to {MAX_STEPS}"))),
    }
}

/// Least friction of the figure's links on any ground.
fn friction(world: &World, assembly: &Assembly, index: usize) -> f64 {
    let links = assembly.members[index].iter().map(|(_, link)| world.material_of(*link));
    links
        .flat_map(|m| world.scenery.iter().map(move |s| world.materials.between(m, s.material)))
        .map(|s| s.dynamic_friction.min(s.static_friction))
        .fold(f64::INFINITY, f64::min)
}

fn shared(own: &Figure, prefix: &str, scene: &Figure) -> Result<Vec<Shared>, anthropi_dynamics::Error> {
    let moving = own.joints().filter(|(_, j)| j.kind != JointKind::Fixed);
    moving
        .map(|(handle, joint)| {
            let a = own.forest().joint_place(handle);
            let b =
                scene.forest().joint_place(scene.find_joint(&super::figures::named(prefix, &joint.name))?);
            Ok(Shared { own: [a.iq, a.iv], scene: [b.iq, b.iv], n: [a.nq, a.nv] })
        })
        .collect()
}
