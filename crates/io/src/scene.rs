//! Scenes in our own format: figures, how they are placed and connected, what drives them and what happens.
//!
//! Lengths in metres, angles in radians unless the key ends in `_deg`. Every complaint names line, column and field.
//!
//! ```toml
//! name = "bar"                  # optional; else the name of the file
//! what = "a gymnast on a bar"   # optional, for lists
//! duration = 10.0               # optional, s
//! dt = 0.001                    # optional, s
//! gravity = [0, 0, -9.81]       # optional
//!
//! [[figure]]
//! use = "human-16"              # a built-in figure, or a file beside the scene; or inline: [[figure.link]], ...
//! name = "boy"                  # puts `boy/` before the names of its links and joints; needed where there are several
//! role = "figure"               # or "environment": counted apart in the ledger of coordinates
//! at = [0, 0, 1.5]              # where the figure's own origin is; also turn_deg, turn, turn_order, quaternion, matrix
//! rigid = true                  # without damping, springs, friction, armature and limits of its joints
//! material = "wood"             # of all its links; of some: materials = { left_foot = "rubber" }
//! collide = "all"               # "ground": touches everything but itself; "none": touches nothing
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
//! # with b_at, b_turn_deg, ...: the links are moved until both places meet. Without: closed where it is at the start,
//! # and the axes of the joint are those of b (or those of a_turn_deg, ... on a)
//! break_force = 2000            # N: cut when its force passes this; break_torque, N m
//! later = true                  # made by an event, where it then is
//!
//! [[control]]
//! name = "pull"
//! kind = "pose"                 # moves joints to a pose and holds them there
//! stiffness = 300               # N m / rad
//! damping = 30                  # N m s / rad
//! over = 2.0                    # seconds to get there; absent: at once
//! joints = ["left_elbow"]       # absent: those of the pose, or all driven joints where there is no pose
//! pose_deg = { left_elbow = -90 }     # joints that are not named keep their start
//! later = true                  # begins by an event
//! # kind = "limits": springs at the ends of the joints' ranges, with law, k, n or c, blend_deg, rebound
//! # kind = "none": nothing drives the joints
//!
//! [[event]]                     # each happens once
//! at = 2.0                      # s; or signal = "click"; or one of
//! # when = { leaves = "left_thigh", point = [0, 0, -0.2], of = "plate", box = [[-0.2, -1, -1], [0.2, 1, 1]] }
//! # when = { force_of = "left_grip", above = 900 }     # N; also torque_above, N m
//! do = "cut"                    # connect, cut; start, stop a control
//! what = "left_grip"
//! say = "the left hand lets go" # optional
//!
//! # Things touch in a scene with any of the following tables, or with `contact = true` at the top.
//! [[material]]                  # what nothing else is said about is made of "default", which may be given as well
//! name = "rubber"
//! friction = 0.8                # of the normal force; or [static, dynamic]; 0.8 where not given
//! restitution = 0               # part of the normal speed that comes back after an impact, 0 to 1
//! tangential_restitution = 0    # the same of the tangential speed, -1 (keeps on sliding) to 1; 0 sticks
//!
//! [[pair]]                      # how two materials meet; without, and for numbers not given: their geometric means
//! of = ["rubber", "default"]
//! friction = [0.9, 0.7]
//!
//! [[ground]]                    # stands still
//! name = "floor"                # optional; else its kind
//! kind = "plane"                # everything below it is solid; slope_deg = 25 goes down towards +x
//! at = [0, 0, 0]                # and turn_deg, turn, turn_order, quaternion, matrix
//! material = "rubber"
//! # kind = "box": size; "sphere": radius; "capsule", "cylinder": radius and length; all with their middle at `at`
//! # kind = "stairs": steps, rise, run, width; up along +x from `at`. Each step is a box down to the ground: NAME-1, ..
//! # kind = "heights": spacing (a number, or [along x, along y]), rows = [[..], [..]] of heights; x grows along a row,
//! # y from row to row; the middle of the grid is at `at`
//!
//! [[collide]]                   # whether two links touch that would not, or would: neighbours do not, others do
//! a = "left_thigh"
//! b = "right_thigh"
//! touch = false
//!
//! [walk]                        # a figure walks, from standing to standing, ahead along +x from the world's origin on a
//!                               # level floor at z = 0; it then has no pose, velocity and place of its own. Torques for
//!                               # its joints are found every millisecond from where it is, towards a plan; the duration
//!                               # of the scene is that of the plan where it says none
//! figure = "boy"                # needed where there are several
//! speed = 1.2                   # m/s; and step_length (m), step_frequency (per second): what is not said follows
//! steps = 6                     # steps at this speed; those in which it changes come before and after
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
pub use walk::Walk;

use crate::error::{Error, Warning};
use crate::fields::{Field, Source, Table};
use anthropi_dynamics::contact::{Overlap, World};
use anthropi_dynamics::model::{Figure, JointHandle, State};
use anthropi_dynamics::sim::{Control, Event, Simulation, Trigger};
use anthropi_dynamics::spatial::Vec3;
use connect::Later;
use std::path::Path;

/// Longest text we read.
pub const MAX_BYTES: usize = 16 << 20;
/// Most figures, connections, controls or events of one scene.
pub const MAX_ENTRIES: usize = 4096;

/// Seconds a scene runs that does not say how long.
const DURATION: f64 = 2.0;
/// Time step of a scene that names none, s.
const DT: f64 = 1e-3;

/// A scene, ready to run: one figure that holds all its figures, closed, with what will happen.
#[derive(Clone, Debug)]
pub struct Scene {
    /// what people call it
    pub name: String,
    /// what it shows, in one line
    pub what: String,
    /// how long it runs, s
    pub duration: f64,
    /// time step, s
    pub dt: f64,
    /// all figures and connections
    pub figure: Figure,
    /// the start, with all connections closed
    pub state: State,
    /// controllers, and whether each begins at once
    pub controls: Vec<(Control, bool)>,
    /// what will happen
    pub events: Vec<Event>,
    /// joints of bodies that are no figure
    pub environment: Vec<JointHandle>,
    /// what there is to touch; `None` where nothing touches
    pub world: Option<World>,
    /// who walks, and how
    pub walk: Option<Walk>,
    /// what is doubtful
    pub warnings: Vec<Warning>,
}

impl Scene {
    /// The scene at its start, ready to step.
    pub fn simulation(&self) -> Result<Simulation, anthropi_dynamics::Error> {
        self.begin().map(|(simulation, _)| simulation)
    }

    /// The scene at its start, and the shapes that overlap there.
    fn begin(&self) -> Result<(Simulation, Vec<Overlap>), anthropi_dynamics::Error> {
        let mut simulation = Simulation::new(self.figure.clone(), self.state.clone())?;
        self.furnish(&mut simulation)?;
        let overlaps =
            self.world.iter().map(|world| simulation.touch(world.clone())).collect::<Result<Vec<_>, _>>()?;
        Ok((simulation, overlaps.concat()))
    }

    /// Gives a simulation of its figures the controls, the events and whoever walks.
    ///
    /// # Errors
    /// Handles of another figure.
    pub fn furnish(&self, simulation: &mut Simulation) -> Result<(), anthropi_dynamics::Error> {
        for (control, is_on) in &self.controls {
            simulation.control(control.clone(), *is_on)?;
        }
        self.events.iter().try_for_each(|e| simulation.expect(e.clone()))?;
        self.walk.iter().for_each(|walk| simulation.drive(walk.driver()));
        Ok(())
    }

    /// Signals that something waits for.
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

/// Whether a text is a scene rather than a figure: it has figures, or ground. Text that is no TOML is none.
pub fn is_scene(text: &str) -> bool {
    let has = |t: &toml::de::DeTable, key: &str| t.contains_key(key);
    toml::de::DeTable::parse(text).is_ok_and(|t| has(t.get_ref(), "figure") || has(t.get_ref(), "ground"))
}

/// Reads a scene file; figures it uses may be beside it.
///
/// # Errors
/// What the file system says, and as [`read`].
pub fn load(path: &Path) -> Result<Scene, Error> {
    let text = crate::load::text(path)?;
    read(&text, &path.display().to_string(), path.parent())
}

/// Reads a scene from `text`; `file` is its name for messages, `dir` where the files it uses are.
///
/// # Errors
/// Text that is not TOML, keys and names we do not know, values that cannot be, connections that cannot be closed (with
/// the gap that is left), each with file, line, column and field where it has one.
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
    let duration = root.get("duration").map(|f| f.not_negative()).transpose()?;
    let dt = root.get("dt").map_or(Ok(DT), |f| f.positive())?;

    let springs = control::springs(&root)?;
    let mut cast = figures::read(&root, &name, &source, dir, springs)?;
    if let Some(field) = root.get("gravity") {
        cast.figure.set_gravity(Vec3::from_array(&field.array()?));
    }
    let mut events = Vec::new();
    let mut later = Later::new();
    for (i, field) in entries(root.get("connect"))?.iter().enumerate() {
        connect::read(field, i, &mut cast, &mut later, &mut events)?;
    }
    let wrong = |source| Error::Figure { file: file.into(), source };
    assemble(&mut cast).map_err(wrong)?;
    let mut controls = Vec::new();
    for (i, field) in entries(root.get("control"))?.iter().enumerate() {
        controls.extend(control::read(field, i, &cast, &controls)?);
    }
    for (i, field) in entries(root.get("event"))?.iter().enumerate() {
        events.push(event::read(field, i, &cast, &later, &controls)?);
    }
    let world = touch::read(&root, &mut cast)?;
    let walk = walk::read(&root, &mut cast, world.as_ref())?;
    let duration = duration.or(walk.as_ref().map(|w| w.guide.duration())).unwrap_or(DURATION);
    let figures::Cast { figure, state, environment, warnings, .. } = cast;
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
    // what is still wrong with controls, events and contact is told now, not when the scene runs
    let (_, overlaps) = scene.begin().map_err(wrong)?;
    scene.warnings.extend(overlap_warnings(&overlaps));
    Ok(scene)
}

/// Moves the links until all connections are closed, and makes the velocities agree with them.
fn assemble(cast: &mut figures::Cast) -> Result<(), anthropi_dynamics::Error> {
    if cast.figure.connections().next().is_none() {
        return Ok(());
    }
    let mut simulation = Simulation::new(cast.figure.clone(), cast.state.clone())?;
    simulation.assemble()?;
    cast.state = simulation.state().clone();
    Ok(())
}

/// The tables of a list that may be absent.
fn entries(field: Option<Field>) -> Result<Vec<Field>, Error> {
    let Some(field) = field else { return Ok(Vec::new()) };
    match field.list()? {
        list if list.len() > MAX_ENTRIES => {
            Err(field.wrong(format!("has {} entries, expected at most {MAX_ENTRIES}", list.len())))
        }
        list => Ok(list),
    }
}
