//! Scenes (TOML): figures, their placement and connections, controls, events and contact.
//!
//! Lengths in metres, angles in radians unless the key ends in `_deg`. Errors name line, column and field.
//!
//! ```toml
//! name = "bar"                  # optional; default: the file name
//! what = "a gymnast on a bar"   # optional, for lists
//! duration = 10.0               # optional, s
//! dt = 0.001                    # optional, s
//! gravity = [0, 0, -9.81]       # optional
//!
//! [[figure]]
//! use = "human-16"              # a built-in figure, or a file beside the scene; or inline: [[figure.link]], ...
//! name = "boy"                  # prefixes the names of its links and joints with `boy/`; required for several figures
//! role = "figure"               # or "environment": counted separately in the ledger of coordinates
//! at = [0, 0, 1.5]              # position of the figure's origin; also turn_deg, turn, turn_order, quaternion, matrix
//! rigid = true                  # without damping, springs, friction, armature and limits of its joints
//! material = "wood"             # of all its links; of some: materials = { left_foot = "rubber" }
//! collide = "all"               # "ground": no self-contact; "none": no contact
//! [figure.pose_deg]             # angles of joints at the start; also [figure.pose]: radians, metres, quaternions
//! left_shoulder = [-170, 15, 0]
//! [figure.velocity]             # rad/s and m/s, as many as the joint has degrees of freedom
//! root = [0, 1, 0, 0, 0, 0]
//! [figure.hang]                 # instead of a base: the figure hangs by `link` on the link `on` above it, or the world
//! link = "left_hand"
//! on = "rod"
//! name = "grip"
//! kind = "spherical"            # with the keys of a joint of the figure format: at, child_at, home_deg, ...
//!
//! [[connect]]                   # with the keys of a joint of the figure format
//! name = "left_grip"
//! a = "left_hand"
//! b = "rod"                     # absent: the world
//! kind = "revolute"
//! axis = "y"
//! a_at = [0, 0, -0.09]
//! # with b_at, b_turn_deg, ...: the links are moved until both frames meet. Without: closed at the start pose, with the
//! # axes of b (or those of a_turn_deg, ... on a)
//! break_force = 2000            # N: cut when its force exceeds this; break_torque, N m
//! later = true                  # made by an event, at the pose of that time
//!
//! [[control]]
//! name = "pull"
//! kind = "pose"                 # moves joints to a pose and holds it
//! stiffness = 300               # N m / rad
//! damping = 30                  # N m s / rad
//! over = 2.0                    # duration of the move, s; default: at once
//! joints = ["left_elbow"]       # default: those of the pose, or all driven joints
//! pose_deg = { left_elbow = -90 }     # other joints keep their start
//! later = true                  # started by an event
//! # kind = "limits": springs at the ends of the joints' ranges, with law, k, n or c, blend_deg, rebound
//! # kind = "none": no control
//!
//! [[event]]                     # happens once
//! at = 2.0                      # s; or signal = "click"; or one of
//! # when = { leaves = "left_thigh", point = [0, 0, -0.2], of = "plate", box = [[-0.2, -1, -1], [0.2, 1, 1]] }
//! # when = { force_of = "left_grip", above = 900 }     # N; also torque_above, N m
//! do = "cut"                    # connect, cut; start, stop a control
//! what = "left_grip"
//! say = "the left hand lets go" # optional
//!
//! # Contact is on with any of the following tables, or with `contact = true` at the top.
//! [[material]]                  # links and ground without a material have "default", which may be redefined
//! name = "rubber"
//! friction = 0.8                # coefficient; or [static, dynamic]; default 0.8
//! restitution = 0               # ratio of normal speeds after and before an impact, 0 to 1
//! tangential_restitution = 0    # the same for the tangential speed, -1 (keeps sliding) to 1; 0 sticks
//!
//! [[pair]]                      # contact of two materials; default for each number: geometric mean of the two
//! of = ["rubber", "default"]
//! friction = [0.9, 0.7]
//!
//! [[ground]]                    # static
//! name = "floor"                # optional; default: its kind
//! kind = "plane"                # solid below; slope_deg = 25 goes down towards +x
//! at = [0, 0, 0]                # and turn_deg, turn, turn_order, quaternion, matrix
//! material = "rubber"
//! # kind = "box": size; "sphere": radius; "capsule", "cylinder": radius and length; all centred at `at`
//! # kind = "stairs": steps, rise, run, width; up along +x from `at`. Each step is a box down to the ground, named NAME-1, ..
//! # kind = "heights": spacing (a number, or [along x, along y]), rows = [[..], [..]] of heights; x grows along a row,
//! # y from row to row; the grid is centred at `at`
//!
//! [[collide]]                   # exception for two links: by default neighbours do not touch, others do
//! a = "left_thigh"
//! b = "right_thigh"
//! touch = false
//!
//! [walk]                        # a figure walks from rest to rest along +x from the origin on a level floor at z = 0;
//!                               # the plan sets its pose, velocity and position. Joint torques track the plan and are
//!                               # recomputed every millisecond; the default duration of the scene is that of the plan
//! figure = "boy"                # required for several figures
//! speed = 1.2                   # m/s; also step_length (m), step_frequency (per second); omitted ones follow
//! steps = 6                     # steady steps; steps to start and stop are added
//! ```

mod connect;
mod control;
mod event;
mod figures;
mod ground;
mod inline;
mod material;
pub(crate) mod names;
mod pose;
mod start;
mod touch;
mod walk;

pub use touch::warnings as overlap_warnings;
pub use walk::SceneWalk;

use anthropi_dynamics::contact::{Overlap, World};
use anthropi_dynamics::model::{Figure, JointHandle, State};
use anthropi_dynamics::sim::{Control, Event, Simulation, Trigger};
use anthropi_dynamics::spatial::Vec3;
use anthropi_formats::fields::{Field, Source, Table};
use anthropi_formats::{Error, Warning};
use connect::Later;
use std::path::Path;

/// Largest file, bytes.
pub const MAX_BYTES: usize = 16 << 20;
/// Most figures, connections, controls or events of one scene.
pub const MAX_ENTRIES: usize = 4096;

/// Default duration, s.
pub const DURATION: f64 = 2.0;
/// Default time step, s.
pub const DT: f64 = 1e-3;
/// Most steps of a simulation: more come from a mistaken time step.
pub const MAX_STEPS: f64 = 1e9;
/// Fraction of a step that counts as rounding, as in 0.3 / 0.1 > 3.
const ROUNDING: f64 = 1e-6;

/// Number of steps that cover a duration.
pub fn step_count(duration: f64, dt: f64) -> f64 {
    (duration / dt - ROUNDING).ceil().max(0.0)
}

/// A scene, ready to run: all figures merged into one, connections closed.
#[derive(Clone, Debug)]
pub struct Scene {
    /// name
    pub name: String,
    /// one-line summary
    pub what: String,
    /// duration, s
    pub duration: f64,
    /// time step, s
    pub dt: f64,
    /// all figures and connections
    pub figure: Figure,
    /// the start, with all connections closed
    pub state: State,
    /// controllers, and whether each is on at the start
    pub controls: Vec<(Control, bool)>,
    /// events
    pub events: Vec<Event>,
    /// joints of bodies with role `environment`
    pub environment: Vec<JointHandle>,
    /// contact settings; `None` without contact
    pub world: Option<World>,
    /// the walk of a figure
    pub walk: Option<SceneWalk>,
    /// warnings
    pub warnings: Vec<Warning>,
}

impl Scene {
    /// The scene at its start, ready to step.
    ///
    /// # Errors
    /// Handles of another figure.
    pub fn simulation(&self) -> Result<Simulation, anthropi_dynamics::Error> {
        self.begin().map(|(simulation, _)| simulation)
    }

    /// The scene at its start, and the shapes that overlap there.
    fn begin(&self) -> Result<(Simulation, Vec<Overlap>), anthropi_dynamics::Error> {
        let mut simulation = Simulation::new(self.figure.clone(), self.state.clone())?;
        let overlaps = self.populate(&mut simulation)?;
        Ok((simulation, overlaps))
    }

    /// Adds controls, events, the walk and contact to a simulation of the scene's figure. Returns the shapes that
    /// overlap.
    ///
    /// # Errors
    /// Handles of another figure.
    pub fn populate(&self, simulation: &mut Simulation) -> Result<Vec<Overlap>, anthropi_dynamics::Error> {
        for (control, is_on) in &self.controls {
            simulation.control(control.clone(), *is_on)?;
        }
        self.events.iter().try_for_each(|e| simulation.expect(e.clone()))?;
        self.walk.iter().for_each(|walk| simulation.drive(walk.driver()));
        self.world.clone().map_or(Ok(Vec::new()), |world| simulation.touch(world))
    }

    /// Signals that trigger events.
    pub fn signals(&self) -> Vec<&str> {
        let mut all = Vec::new();
        for event in &self.events {
            if let Trigger::Signal(name) = &event.when
                && !all.contains(&name.as_str())
            {
                all.push(name);
            }
        }
        all
    }
}

/// Reads a scene file; its figure files are relative to it.
///
/// # Errors
/// File system errors, and as [`read`].
pub fn load(path: &Path) -> Result<Scene, Error> {
    let text = anthropi_formats::file::text(path)?;
    read(&text, &path.display().to_string(), path.parent())
}

/// Reads a scene from `text`; `file` is its name for messages, `dir` the folder of its files.
///
/// # Errors
/// Text that is not TOML, unknown keys and names, invalid values, connections that cannot be closed (with the remaining
/// gap), each with file, line, column and field where it has one.
pub fn read(text: &str, file: &str, dir: Option<&Path>) -> Result<Scene, Error> {
    let source = Source { file, text };
    let tree = source.parse(MAX_BYTES)?;
    let root = Table::root(&source, &tree);
    root.allow(&[
        &["name", "what", "duration", "dt", "gravity", "contact", "figure", "connect", "control", "event"],
        &["ground", "material", "pair", "collide", "walk"],
    ])?;
    let name = root.name()?;
    let what = root.get("what").map_or(Ok(""), |f| f.string())?.to_string();
    let duration = root.optional("duration", Field::not_negative)?;
    let dt = root.optional("dt", Field::positive)?.unwrap_or(DT);

    let springs = control::springs(&root)?;
    let mut assembly = figures::read(&root, &name, &source, dir, springs)?;
    if let Some(field) = root.get("gravity") {
        assembly.figure.set_gravity(Vec3::from_array(&field.array()?));
    }
    let mut events = Vec::new();
    let mut later = Later::new();
    for (i, field) in root.entries("connect", MAX_ENTRIES)?.iter().enumerate() {
        connect::read(field, i, &mut assembly, &mut later, &mut events)?;
    }
    let wrong = |source| Error::Figure { file: file.into(), source };
    assemble(&mut assembly).map_err(wrong)?;
    let mut controls = Vec::new();
    for (i, field) in root.entries("control", MAX_ENTRIES)?.iter().enumerate() {
        controls.extend(control::read(field, i, &assembly, &controls)?);
    }
    for (i, field) in root.entries("event", MAX_ENTRIES)?.iter().enumerate() {
        events.push(event::read(field, i, &assembly, &later, &controls)?);
    }
    let world = touch::read(&root, &mut assembly)?;
    let walk = walk::read(&root, &mut assembly, world.as_ref())?;
    let duration = duration.or(walk.as_ref().map(|w| w.driver.duration())).unwrap_or(DURATION);
    let figures::Assembly { figure, state, environment, warnings, .. } = assembly;
    let mut scene = Scene {
        name,
        what,
        duration,
        dt,
        figure,
        state,
        controls,
        events,
        environment,
        world,
        walk,
        warnings,
    };
    // find errors of controls, events and contact now, not when the scene runs
    let (_, overlaps) = scene.begin().map_err(wrong)?;
    scene.warnings.extend(overlap_warnings(&overlaps));
    Ok(scene)
}

/// Closes all connections by moving the links, and projects the velocities.
fn assemble(assembly: &mut figures::Assembly) -> Result<(), anthropi_dynamics::Error> {
    if assembly.figure.connections().next().is_none() {
        return Ok(());
    }
    let mut simulation = Simulation::new(assembly.figure.clone(), assembly.state.clone())?;
    simulation.assemble()?;
    assembly.state = simulation.state().clone();
    Ok(())
}
