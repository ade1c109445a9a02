//! Connections of a scene.

use super::figures::Cast;
use super::names;
use crate::error::Error;
use crate::fields::Field;
use crate::figure::joint::{DOF_KEYS, JOINT_KEYS, joint};
use crate::figure::placement::{ON_A, ON_B};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{JointSpec, LinkHandle};
use anthropi_dynamics::sim::{Action, Event, Trigger};
use anthropi_dynamics::spatial::Transform;
use std::collections::BTreeMap;

/// Connections that an event will make, by name.
pub type Later = BTreeMap<String, (LinkHandle, JointSpec)>;

/// Reads a connection and makes it, or keeps it for later.
pub fn read(
    field: &Field,
    index: usize,
    cast: &mut Cast,
    later: &mut Later,
    events: &mut Vec<Event>,
) -> Result<(), Error> {
    let table = field.table(format!("connection {}", index + 1))?;
    let name_field = table.require("name", "a name")?;
    let name = name_field.string()?;
    let table = table.known_as(format!("connection `{name}`"));
    let own = ["a", "b", "break_force", "break_torque", "later"];
    table.allow(&[&own, &JOINT_KEYS, &DOF_KEYS, &ON_A, &ON_B])?;
    if later.contains_key(name) || cast.figure.find_joint(name).is_ok() {
        return Err(name_field.wrong(format!("there is already a joint or connection `{name}`")));
    }
    let mut spec = joint(&table, name, &ON_B, &ON_A, &mut cast.warnings)?;
    let a = names::link(&cast.figure, &table.require("a", "the name of a link")?)?;
    let b = table.get("b");
    spec.parent = b.as_ref().map(|f| names::link(&cast.figure, f)).transpose()?;
    if spec.parent == Some(a) {
        return Err(b.map_or(table.wrong(""), |f| f.wrong("joins a link to itself")));
    }
    let b_place = ON_B.iter().find_map(|key| table.get(key));
    let is_turned = ON_A[1..].iter().any(|key| table.get(key).is_some());
    if b_place.is_none() && !is_turned {
        align(cast, a, &mut spec);
    }

    let limit = |key: &str| table.get(key).map(|f| f.positive()).transpose();
    let (force, torque) = (limit("break_force")?, limit("break_torque")?);
    if force.is_some() || torque.is_some() {
        let (force, torque) = (force.unwrap_or(f64::INFINITY), torque.unwrap_or(f64::INFINITY));
        let when = Trigger::Exceeds { connection: name.into(), force, torque };
        events.push(Event { when, action: Action::Cut(name.into()), what: format!("{name} broke") });
    }
    if table.get("later").map_or(Ok(false), |f| f.bool())? {
        return match b_place {
            Some(f) => Err(f.wrong("is not for a connection made later: it is closed where it then is")),
            None => {
                later.insert(name.into(), (a, spec));
                Ok(())
            }
        };
    }
    let wrong = |e: anthropi_dynamics::Error| table.wrong(e.to_string());
    if b_place.is_none() {
        spec = cast.figure.closed_here(a, spec, &cast.state).map_err(wrong)?;
    }
    cast.figure.connect(a, spec, &mut cast.state).map_err(wrong)?;
    Ok(())
}

/// Turns the frame on a so that its axes are those of b at the start.
fn align(cast: &Cast, a: LinkHandle, spec: &mut JointSpec) {
    let forest = cast.figure.forest();
    let mut kinematics = Kinematics::default();
    kinematics.update(forest, &cast.state.q, None, None);
    let pose = |link: LinkHandle| kinematics.link_pose(forest, link).rotation;
    let world_from_b = spec.parent.map_or(Transform::identity().rotation, pose);
    spec.child_from_joint.rotation = pose(a).transpose().mul_mat(&world_from_b);
}
