//! A figure of a scene that walks: torques towards a plan, found at every millisecond from where the figure is.
//!
//! The plan and the torques are `anthropi_motion::gait`'s; contact, impact and friction are the simulation's.

use super::figures::Cast;
use super::pose;
use crate::error::Error;
use crate::fields::{Field, Table};
use crate::figure::placement::ON_PARENT;
use anthropi_dynamics::contact::World;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, State};
use anthropi_dynamics::sim::Driver;
use anthropi_motion::gait::parameter::{Kind, Parameters, Request};
use anthropi_motion::gait::steps::Stretch;
use anthropi_motion::gait::{Guide, Settings, Walker};
use std::sync::Arc;

/// Keys of the table.
const KEYS: [&str; 5] = ["figure", "speed", "step_length", "step_frequency", "steps"];
/// Steps at its speed where nothing is said, and at most.
const STEPS: usize = 6;
const MAX_STEPS: usize = 200;
/// The torques reckon with this part of the floor's friction. They think of corners that each have a cone; a sole as a
/// whole can bear less of a moment about the normal, and one that begins to turn is lost: `anthropi-42` falls with 0.9.
const PART_OF_FRICTION: f64 = 0.5;

/// Who walks and how.
#[derive(Clone, Debug)]
pub struct Walk {
    /// name of the figure; empty where it has none
    pub figure: String,
    /// speed, length and frequency of its steps
    pub parameters: Parameters,
    /// steps from standing to standing, those included in which the speed changes
    pub steps: usize,
    /// the plan, and who follows it
    pub guide: Guide,
    joints: Vec<Shared>,
}

/// A joint of the figure by itself and in the scene: where its coordinates and degrees of freedom begin, and how many.
#[derive(Clone, Copy, Debug)]
struct Shared {
    own: [usize; 2],
    scene: [usize; 2],
    n: [usize; 2],
}

impl Walk {
    /// Who gives the torques.
    pub fn driver(&self) -> Box<dyn Driver> {
        let [q, v] = self.guide.start().map(<[f64]>::to_vec);
        let tau = vec![0.0; v.len()];
        Box::new(Steered { guide: self.guide.clone(), joints: self.joints.clone(), q, v, tau })
    }

    /// How far it goes by the plan, m.
    pub fn distance(&self) -> f64 {
        let at = |t: f64| self.guide.planned(t)[self.root().own[0]];
        at(self.guide.duration()) - at(0.0)
    }

    /// Where the scene's coordinates have its free joint.
    pub fn root_in_scene(&self) -> usize {
        self.root().scene[0]
    }

    /// Takes the figure's own coordinates out of the scene's.
    pub fn own_coordinates(&self, q: &[f64]) -> Vec<f64> {
        let mut own = self.guide.start()[0].to_vec();
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
struct Steered {
    guide: Guide,
    joints: Vec<Shared>,
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
}

impl Driver for Steered {
    fn drive(&mut self, time: f64, state: &State, tau: &mut [f64]) {
        for j in &self.joints {
            j.take(0, &state.q, &mut self.q);
            j.take(1, &state.v, &mut self.v);
        }
        self.guide.torques(time, &self.q, &self.v, &mut self.tau);
        for Shared { own: [_, from], scene: [_, to], n: [_, n] } in &self.joints {
            tau[*to..to + n].copy_from_slice(&self.tau[*from..from + n]);
        }
    }

    fn boxed(&self) -> Box<dyn Driver> {
        Box::new(self.clone())
    }
}

/// The walk of a scene, if there is one; puts its figure where the plan begins.
pub fn read(root: &Table, cast: &mut Cast, world: Option<&World>) -> Result<Option<Walk>, Error> {
    let Some(field) = root.get("walk") else { return Ok(None) };
    let table = field.table("walk")?;
    table.allow(&[&KEYS])?;
    let Some(world) = world.filter(|w| !w.scenery.is_empty()) else {
        return Err(table.wrong("there is no [[ground]] to walk on"));
    };
    let g = cast.figure.gravity();
    if !(g.x == 0.0 && g.y == 0.0 && g.z < 0.0) {
        return Err(table.wrong("walks need gravity straight down"));
    }
    let index = who(&table, cast)?;
    refuse_start(root, index)?;
    let prefix = cast.prefix(index).to_string();
    let wrong = |e: &dyn core::fmt::Display| table.wrong(e.to_string());
    let own = Arc::new(cast.alone(index).map_err(|e| wrong(&e))?);
    let walker = Walker::of(&own, &[]).map_err(|e| wrong(&e))?;

    let number = |key: &str| table.get(key).map(|f| f.positive()).transpose();
    let request = Request {
        speed: number("speed")?,
        length: number("step_length")?,
        frequency: number("step_frequency")?,
        height: None,
    };
    let parameters =
        Parameters::of(request, Kind::Walk, walker.stature(own.stature)).map_err(|e| wrong(&e))?;
    let steps = table.get("steps").map_or(Ok(STEPS), |f| count(&f))?;
    let stretch = Stretch::ahead(parameters, steps);
    let friction = PART_OF_FRICTION * friction(world, cast, index);
    let settings = Settings { friction, ..Settings::default() };
    let guide = walker.guide(&[stretch], &settings).map_err(|e| wrong(&e))?;
    let joints = shared(&own, &prefix, &cast.figure).map_err(|e| wrong(&e))?;
    for j in &joints {
        let [q, v] = guide.start();
        let ([oq, ov], [sq, sv], [nq, nv]) = (j.own, j.scene, j.n);
        cast.state.q[sq..sq + nq].copy_from_slice(&q[oq..oq + nq]);
        cast.state.v[sv..sv + nv].copy_from_slice(&v[ov..ov + nv]);
    }
    Ok(Some(Walk { figure: prefix, parameters, steps: guide.steps().steps.len(), guide, joints }))
}

/// Which of the figures walks.
fn who(table: &Table, cast: &Cast) -> Result<usize, Error> {
    let all: Vec<&str> = (0..cast.members.len()).map(|i| cast.prefix(i)).collect();
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

/// Where the figure begins is the plan's to say.
fn refuse_start(root: &Table, index: usize) -> Result<(), Error> {
    let list = super::entries(root.get("figure"))?;
    let table = list[index].table(format!("figure {}", index + 1))?;
    let given =
        pose::KEYS.iter().chain(&["velocity", "hang"]).chain(&ON_PARENT).find_map(|key| table.get(key));
    match given {
        Some(f) => Err(f.wrong("is given beside [walk], which says where and how the figure begins")),
        None => Ok(()),
    }
}

fn count(field: &Field) -> Result<usize, Error> {
    match field.number()? {
        n if n.fract() == 0.0 && (1.0..=MAX_STEPS as f64).contains(&n) => Ok(n as usize),
        n => Err(field.wrong(format!("is {n}, expected a whole number from 1 to {MAX_STEPS}"))),
    }
}

/// The least friction of the figure's links on anything that stands.
fn friction(world: &World, cast: &Cast, index: usize) -> f64 {
    let links = cast.members[index].iter().map(|(_, link)| world.material_of(*link));
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
