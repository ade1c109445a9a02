//! What is drawn: the solids of all links and of the ground once for each structure, poses and forces every frame.

use crate::actor::Actor;
use crate::session::Session;
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::contact::{Ground, Scenery};
use anthropi_dynamics::joint::{JointKind, MAX_DOF};
use anthropi_dynamics::model::{Figure, Joint, Shape};
use anthropi_dynamics::spatial::{Quat, Transform, Vec3};
use serde_json::{Value, json};

/// Digits of places and forces that are drawn.
fn short(x: f64) -> f64 {
    f64::from(x as f32)
}

fn vector(v: Vec3) -> Value {
    json!(v.to_array().map(short))
}

fn quaternion(q: Quat) -> Value {
    // x, y, z, w as three.js has it
    let [w, x, y, z] = q.0;
    json!([x, y, z, w].map(short))
}

fn place(t: &Transform) -> Value {
    json!({ "at": vector(t.translation), "turn": quaternion(t.orientation()) })
}

fn shape(shape: &Shape) -> Value {
    match shape {
        Shape::Box { half } => json!({ "kind": "box", "half": vector(*half) }),
        Shape::Sphere { radius } => json!({ "kind": "sphere", "radius": radius }),
        Shape::Ellipsoid { half } => json!({ "kind": "ellipsoid", "half": vector(*half) }),
        Shape::Capsule { radius, half_length } => {
            json!({ "kind": "capsule", "radius": radius, "half_length": half_length })
        }
        Shape::Cylinder { radius, half_length } => {
            json!({ "kind": "cylinder", "radius": radius, "half_length": half_length })
        }
        Shape::Convex { points } => {
            json!({ "kind": "convex", "points": points.iter().map(|p| vector(*p)).collect::<Vec<_>>() })
        }
    }
}

fn placed(world: &Transform, solid: &Shape) -> Value {
    let mut value = shape(solid);
    value["place"] = place(world);
    value
}

/// What changes only with the structure.
pub fn structure(session: &Session) -> Value {
    let actor = session.actor();
    let figure = actor.figure();
    let links: Vec<Value> = figure
        .links()
        .map(|(_, l)| {
            let shapes = l.spec.shapes.iter().map(|s| placed(&s.link_from_shape, &s.shape));
            json!({
                "name": l.spec.name,
                "mass": l.spec.inertia.mass,
                "parent": l.parent().and_then(|p| figure.link(p).ok()).map(|p| p.spec.name.clone()),
                "joint": figure.joint(l.joint()).map(|j| j.name.clone()).unwrap_or_default(),
                "shapes": shapes.collect::<Vec<_>>(),
            })
        })
        .collect();
    let joints: Vec<Value> = figure.joints().map(|(_, j)| joint(figure, j)).collect();
    let connections: Vec<Value> = figure
        .connections()
        .map(|(_, l, j)| {
            let name = |link| figure.link(link).map(|l| l.spec.name.clone()).ok();
            json!({
                "name": j.name, "kind": j.kind.name(), "a": l.real().and_then(name), "b": l.parent().and_then(name),
                "at": vector(j.child_from_joint.translation),
            })
        })
        .collect();
    json!({
        "source": session.source,
        "mode": match actor { Actor::Simulated(_) => "scene", Actor::Followed(_) => "filter" },
        "friction": if let Actor::Followed(a) = actor { Some(a.settings().friction) } else { None },
        "revision": figure.revision(),
        "mass": figure.mass(),
        "dt": actor.dt(),
        "links": links,
        "joints": joints,
        "connections": connections,
        "signals": actor.signals(),
        "scenery": actor.scenery().iter().map(scenery).collect::<Vec<_>>(),
    })
}

fn joint(figure: &Figure, j: &Joint) -> Value {
    let free = matches!(j.kind, JointKind::Free | JointKind::Partial { .. });
    let count = if free { 0 } else { j.kind.nv().min(MAX_DOF) };
    let dofs: Vec<Value> = j.dof[..count]
        .iter()
        .map(|d| json!({ "range": d.range.map(|r| [r.lower, r.upper]), "locked": d.locked }))
        .collect();
    let link = figure.link(j.child()).map(|l| l.spec.name.clone()).unwrap_or_default();
    json!({
        "name": j.name, "kind": j.kind.name(), "link": link, "order": format!("{:?}", j.order), "dofs": dofs,
        "actuated": j.actuated,
    })
}

fn scenery(s: &Scenery) -> Value {
    let mut value = match &s.ground {
        Ground::Plane => json!({ "kind": "plane" }),
        Ground::Solid(solid) => shape(solid),
        Ground::Heights(h) => {
            let rows = (0..h.rows()).map(|r| (0..h.columns()).map(|c| short(h.point(c, r).z)).collect());
            json!({ "kind": "heights", "spacing": h.spacing(), "rows": rows.collect::<Vec<Vec<f64>>>() })
        }
    };
    value["name"] = json!(s.name);
    value["place"] = place(&s.world_from_it);
    value
}

/// What changes with every step.
pub fn frame(session: &mut Session) -> Value {
    let told = session.told();
    let actor = session.actor();
    let (figure, kinematics) = (actor.figure(), actor.kinematics());
    let forest = figure.forest();
    let poses = |kinematics: &anthropi_dynamics::algo::fk::Kinematics| -> Vec<f64> {
        figure
            .links()
            .flat_map(|(link, _)| {
                let pose = kinematics.link_pose(forest, link);
                let [w, x, y, z] = pose.orientation().0;
                let at = pose.translation;
                [at.x, at.y, at.z, x, y, z, w].map(short)
            })
            .collect()
    };
    let ghost = actor.ghost().map(|q| {
        let mut kinematics = anthropi_dynamics::algo::fk::Kinematics::default();
        kinematics.update(forest, q, None, None);
        poses(&kinematics)
    });
    let arrows = actor.arrows();
    let contacts = || arrows.iter().filter(|a| a.kind == crate::actor::Kind::Contact && a.force.z > 0.0);
    let load: f64 = contacts().map(|a| a.force.z).sum();
    let pressure = (load > 0.0)
        .then(|| contacts().fold(Vec3::ZERO, |sum, a| sum + a.at.scale(a.force.z)).scale(1.0 / load));
    let (q, v) = actor.state();
    let mut angles: Vec<f64> = Vec::new();
    for (handle, j) in figure.joints() {
        if matches!(j.kind, JointKind::Free | JointKind::Partial { .. }) {
            continue;
        }
        let (coordinates, p) = (j.coordinates(), forest.joint_place(handle));
        let (nq, nv) = (coordinates.nq(), coordinates.nv());
        let full = coordinates.expand(&q[p.iq..p.iq + nq], &v[p.iv..p.iv + nv]);
        let (all, _) = coordinates.angles_and_rates(&full);
        angles.extend(all[..j.kind.nv().min(MAX_DOF)].iter().map(|x| short(*x)));
    }
    let measures: Vec<Value> = actor
        .measures()
        .iter()
        .map(|(name, unit, value)| json!({ "name": name, "unit": unit, "value": short(*value) }))
        .collect();
    json!({
        "step": session.step(),
        "earliest": session.earliest(),
        "time": actor.time(),
        "revision": figure.revision(),
        "poses": poses(&kinematics),
        "ghost": ghost,
        "center": vector(centroidal::center_of_mass(forest, &kinematics)),
        "pressure": pressure.map(vector),
        "arrows": arrows.iter().map(|a| json!({ "kind": a.kind.word(), "at": vector(a.at), "force": vector(a.force) })).collect::<Vec<_>>(),
        "hand": actor.pulls_to().map(vector),
        "angles": angles,
        "measures": measures,
        "told": told,
        "edits": session.log().iter().filter(|e| e.command.is_edit()).count(),
        "digest": format!("{:016x}", actor.digest()),
    })
}
