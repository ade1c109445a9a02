//! Messages from the engine to the page: the structure once per change, a frame after steps.
//!
//! `web/src/protocol.ts` is generated from these types and from [`crate::command`]; a unit test compares them.
//! Positions and forces for display are `f32`: half the text, and more digits than a screen shows.

use crate::gait::{GaitChoices, GaitCommand};
use crate::session::Session;
use crate::simulator::{ForceSource, Simulator};
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::contact::{Scenery, SceneryShape};
use anthropi_dynamics::joint::{JointKind, MAX_DOF};
use anthropi_dynamics::model;
use anthropi_dynamics::spatial::{Transform, Vec3};
use serde::Serialize;
#[cfg(test)]
use ts_rs::TS;

/// x, y, z.
type Vector = [f32; 3];

/// Position and orientation.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Pose {
    /// m
    pub position: Vector,
    /// unit quaternion x, y, z, w
    pub rotation: [f32; 4],
}

/// A solid, or ground without bounds.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(test, derive(TS))]
#[allow(missing_docs)] // as `model::Shape` and `contact::SceneryShape`; m
pub enum Shape {
    Box { half: Vector },
    Sphere { radius: f64 },
    Ellipsoid { half: Vector },
    Capsule { radius: f64, half_length: f64 },
    Cylinder { radius: f64, half_length: f64 },
    Convex { points: Vec<Vector> },
    Plane,
    Heights { spacing: [f64; 2], rows: Vec<Vec<f32>> },
}

/// A shape in its parent's frame: a link's, or the world's.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct PlacedShape {
    /// geometry
    #[serde(flatten)]
    pub shape: Shape,
    /// parent from shape
    pub pose: Pose,
}

/// A link of the figure.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Link {
    /// unique in the figure
    pub name: String,
    /// kg
    pub mass: f64,
    /// absent for a root
    pub parent: Option<String>,
    /// joint to the parent
    pub joint: String,
    /// geometry in the link's frame
    pub shapes: Vec<PlacedShape>,
}

/// A degree of freedom of a joint.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Dof {
    /// lower and upper limit, rad or m
    pub range: Option<[f64; 2]>,
    /// whether it keeps its value
    pub locked: bool,
}

/// A joint of the figure.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Joint {
    /// unique in the figure
    pub name: String,
    /// revolute, spherical, ...
    pub kind: String,
    /// child link
    pub link: String,
    /// rotation order of a spherical joint, such as `Zyx`
    pub order: String,
    /// empty for free and partly free joints
    pub dofs: Vec<Dof>,
    /// whether it has a motor
    pub actuated: bool,
}

/// A loop joint between two links, or a link and the world.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Connection {
    /// unique in the figure
    pub name: String,
    /// spherical, ...
    pub kind: String,
    /// first link, absent for the world
    pub a: Option<String>,
    /// second link, absent for the world
    pub b: Option<String>,
    /// in the axes of `a`, m
    pub at: Vector,
}

/// What moves the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(TS))]
pub enum Mode {
    /// forward dynamics of a scene
    Scene,
    /// a motion tracked by the on-line filter
    Filter,
    /// an endless walk
    Walk,
}

/// Everything that changes only with the structure.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Structure {
    /// name of the library item or file
    pub source: String,
    /// what moves the figure
    pub mode: Mode,
    /// friction coefficient of the floor; scenes have one per material
    pub friction: Option<f64>,
    /// changes with every edit of the figure
    #[cfg_attr(test, ts(type = "number"))]
    pub revision: u64,
    /// kg
    pub mass: f64,
    /// length of a step, s
    pub dt: f64,
    /// in the order of [`Frame::poses`]
    pub links: Vec<Link>,
    /// in the order of [`Frame::angles`]
    pub joints: Vec<Joint>,
    /// loop joints
    pub connections: Vec<Connection>,
    /// signals the scene waits for
    pub signals: Vec<String>,
    /// styles and determinants of an endless walk
    pub gaits: Option<GaitChoices>,
    /// ground and fixed solids, in the world
    pub scenery: Vec<PlacedShape>,
}

/// A force to draw.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Arrow {
    /// origin of the force
    pub kind: ForceSource,
    /// world, m
    pub at: Vector,
    /// world, N
    pub force: Vector,
}

/// A number to plot.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Measure {
    /// label
    pub name: &'static str,
    /// unit
    pub unit: &'static str,
    /// current value
    pub value: f32,
}

/// Target speed and step length of a gait.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct GaitTarget {
    /// m/s
    pub speed: f64,
    /// m
    pub length: f64,
}

/// Gait of an endless walk.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct GaitState {
    /// the last gait command
    pub command: GaitCommand,
    /// its speed and step length; absent for standing
    pub target: Option<GaitTarget>,
    /// whether the command is still being planned
    pub is_planning: bool,
}

/// Everything that changes with a step.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Frame {
    /// steps since the start
    #[cfg_attr(test, ts(type = "number"))]
    pub step: u64,
    /// earliest step to rewind to
    #[cfg_attr(test, ts(type = "number"))]
    pub earliest: u64,
    /// s
    pub time: f64,
    /// revision of the structure
    #[cfg_attr(test, ts(type = "number"))]
    pub revision: u64,
    /// seven numbers per link: position, then quaternion x, y, z, w
    pub poses: Vec<f32>,
    /// poses of the reference
    pub ghost: Option<Vec<f32>>,
    /// centre of mass
    pub center: Vector,
    /// centre of pressure
    pub pressure: Option<Vector>,
    /// forces to draw
    pub arrows: Vec<Arrow>,
    /// target of the drag spring
    pub drag_target: Option<Vector>,
    /// coordinates of all degrees of freedom, rad or m
    pub angles: Vec<f32>,
    /// numbers to plot
    pub measures: Vec<Measure>,
    /// events since the last frame
    pub messages: Vec<String>,
    /// of an endless walk
    pub gait: Option<GaitState>,
    /// edits that can be undone
    pub edits: usize,
    /// hash of the state, hexadecimal
    pub digest: String,
}

fn vector(v: Vec3) -> Vector {
    v.to_array().map(|x| x as f32)
}

fn pose(t: &Transform) -> Pose {
    let [w, x, y, z] = t.orientation().0;
    Pose { position: vector(t.translation), rotation: [x, y, z, w].map(|x| x as f32) }
}

fn placed(world: &Transform, shape: Shape) -> PlacedShape {
    PlacedShape { shape, pose: pose(world) }
}

fn solid(shape: &model::Shape) -> Shape {
    match *shape {
        model::Shape::Box { half } => Shape::Box { half: vector(half) },
        model::Shape::Sphere { radius } => Shape::Sphere { radius },
        model::Shape::Ellipsoid { half } => Shape::Ellipsoid { half: vector(half) },
        model::Shape::Capsule { radius, half_length } => Shape::Capsule { radius, half_length },
        model::Shape::Cylinder { radius, half_length } => Shape::Cylinder { radius, half_length },
        model::Shape::Convex { ref points } => {
            Shape::Convex { points: points.iter().map(|p| vector(*p)).collect() }
        }
    }
}

/// The structure message.
pub fn structure(session: &Session) -> Structure {
    let simulator = session.simulator();
    let figure = simulator.figure();
    let link_name = |link| figure.link(link).map(|l| l.spec.name.clone()).ok();
    let links = figure.links().map(|(_, l)| Link {
        name: l.spec.name.clone(),
        mass: l.spec.inertia.mass,
        parent: l.parent().and_then(link_name),
        joint: figure.joint(l.joint()).map(|j| j.name.clone()).unwrap_or_default(),
        shapes: l.spec.shapes.iter().map(|s| placed(&s.link_from_shape, solid(&s.shape))).collect(),
    });
    let connections = figure.connections().map(|(_, l, j)| Connection {
        name: j.name.clone(),
        kind: j.kind.name().into(),
        a: l.real().and_then(link_name),
        b: l.parent().and_then(link_name),
        at: vector(j.child_from_joint.translation),
    });
    Structure {
        source: session.source.clone(),
        mode: match simulator {
            Simulator::Scene(_) => Mode::Scene,
            Simulator::Tracking(_) => Mode::Filter,
            Simulator::Walk(_) => Mode::Walk,
        },
        friction: simulator.friction(),
        revision: figure.revision(),
        mass: figure.mass(),
        dt: simulator.dt(),
        links: links.collect(),
        joints: figure.joints().map(|(_, j)| joint(figure, j)).collect(),
        connections: connections.collect(),
        signals: simulator.signals().to_vec(),
        gaits: simulator.gait().map(|_| GaitChoices::all()),
        scenery: simulator.scenery().iter().map(scenery).collect(),
    }
}

fn joint(figure: &model::Figure, j: &model::Joint) -> Joint {
    Joint {
        name: j.name.clone(),
        kind: j.kind.name().into(),
        link: figure.link(j.child()).map(|l| l.spec.name.clone()).unwrap_or_default(),
        order: format!("{:?}", j.order),
        dofs: j.dof[..dof_count(j)]
            .iter()
            .map(|d| Dof { range: d.range.map(|r| [r.lower, r.upper]), locked: d.locked })
            .collect(),
        actuated: j.actuated,
    }
}

/// Degrees of freedom shown in the page: none of free joints.
fn dof_count(j: &model::Joint) -> usize {
    if matches!(j.kind, JointKind::Free | JointKind::Partial { .. }) { 0 } else { j.kind.nv().min(MAX_DOF) }
}

fn scenery(s: &Scenery) -> PlacedShape {
    let shape = match &s.ground {
        SceneryShape::Plane => Shape::Plane,
        SceneryShape::Solid(shape) => solid(shape),
        SceneryShape::HeightField(h) => {
            let row = |r| (0..h.columns()).map(|c| h.point(c, r).z as f32).collect();
            Shape::Heights { spacing: h.spacing(), rows: (0..h.rows()).map(row).collect() }
        }
    };
    placed(&s.world_from_it, shape)
}

/// The frame message; takes the session's pending event messages.
pub fn frame(session: &mut Session) -> Frame {
    let messages = session.take_messages();
    let simulator = session.simulator();
    let (figure, kinematics) = (simulator.figure(), simulator.kinematics());
    let forest = figure.forest();
    let poses = |kinematics: &Kinematics| -> Vec<f32> {
        let pose_of = |(link, _)| pose(&kinematics.link_pose(forest, link));
        figure.links().map(pose_of).flat_map(|p| p.position.into_iter().chain(p.rotation)).collect()
    };
    let ghost = simulator.ghost().map(|q| {
        let mut kinematics = Kinematics::default();
        kinematics.update(forest, q, None, None);
        poses(&kinematics)
    });
    let arrows = simulator.arrows();
    let contacts = || arrows.iter().filter(|a| a.source == ForceSource::Contact && a.force.z > 0.0);
    let load: f64 = contacts().map(|a| a.force.z).sum();
    let pressure = (load > 0.0)
        .then(|| contacts().fold(Vec3::ZERO, |sum, a| sum + a.at.scale(a.force.z)).scale(1.0 / load));
    let measures = simulator.measures().into_iter();
    Frame {
        step: session.step(),
        earliest: session.earliest(),
        time: simulator.time(),
        revision: figure.revision(),
        poses: poses(&kinematics),
        ghost,
        center: vector(centroidal::center_of_mass(forest, &kinematics)),
        pressure: pressure.map(vector),
        arrows: arrows
            .iter()
            .map(|a| Arrow { kind: a.source, at: vector(a.at), force: vector(a.force) })
            .collect(),
        drag_target: simulator.drag_target().map(vector),
        angles: angles(simulator),
        measures: measures.map(|(name, unit, value)| Measure { name, unit, value: value as f32 }).collect(),
        messages,
        gait: simulator.gait(),
        edits: session.log().iter().filter(|e| e.command.is_edit()).count(),
        digest: format!("{:016x}", simulator.digest()),
    }
}

/// Coordinates of all joints that are not free.
fn angles(simulator: &Simulator) -> Vec<f32> {
    let (figure, (q, v)) = (simulator.figure(), simulator.state());
    let mut angles = Vec::new();
    for (handle, j) in figure.joints().filter(|(_, j)| dof_count(j) > 0) {
        let (coordinates, p) = (j.coordinates(), figure.forest().joint_place(handle));
        let full = coordinates.expand(&q[p.iq..p.iq + coordinates.nq()], &v[p.iv..p.iv + coordinates.nv()]);
        let (all, _) = coordinates.angles_and_rates(&full);
        angles.extend(all[..dof_count(j)].iter().map(|x| *x as f32));
    }
    angles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Command, Gains};
    use crate::gait::{Choice, DeterminantChoice};
    use crate::library::{Group, Item};
    use ts_rs::Config;

    /// `UPDATE_PROTOCOL=1 cargo test -p anthropi-studio --lib protocol` rewrites the file.
    #[test]
    fn the_page_has_these_types() {
        let config = Config::default();
        let mut text = String::from(
            "// Messages between page and engine, generated from crates/studio/src/{protocol,command,gait,library}.rs by\n\
             // `UPDATE_PROTOCOL=1 cargo test -p anthropi-studio --lib protocol`. Do not edit.\n",
        );
        macro_rules! export {
            ($($kind:ty),* $(,)?) => {
                $(
                    let docs = <$kind>::docs().unwrap_or_default();
                    text += &format!("\n{docs}export {}\n", <$kind>::decl(&config));
                )*
            };
        }
        export!(
            Pose,
            Shape,
            PlacedShape,
            Link,
            Dof,
            Joint,
            Connection,
            Mode,
            Choice,
            DeterminantChoice,
            GaitChoices,
            Structure,
            ForceSource,
            Arrow,
            Measure,
            GaitCommand,
            GaitTarget,
            GaitState,
            Frame,
            Gains,
            Command,
            Group,
            Item,
        );
        // one line per field
        let text = text.replace("/**\n * ", "/** ").replace("\n */\nexport", " */\nexport");
        let text = text.replace(" \n/**", "\n  /**").replace("\n */\n", " */ ");
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/protocol.ts");
        if std::env::var_os("UPDATE_PROTOCOL").is_some() {
            std::fs::write(file, &text).unwrap();
        }
        let page = std::fs::read_to_string(file).unwrap();
        assert!(page == text, "web/src/protocol.ts is stale: run this test with UPDATE_PROTOCOL=1");
    }
}
