//! Connections of a scene.

use super::figures::Assembly;
use super::names;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{JointSpec, LinkHandle};
use anthropi_dynamics::sim::{Action, Event, Trigger};
use anthropi_dynamics::spatial::Transform;
use anthropi_formats::Error;
use anthropi_formats::fields::Field;
use anthropi_formats::figure::joint::{DOF_KEYS, JOINT_KEYS, joint};
use anthropi_formats::figure::placement::{ON_A, ON_B};
use std::collections::BTreeMap;

/// Connections made by events, by name.
pub type Later = BTreeMap<String, (LinkHandle, JointSpec)>;

/// Reads a connection and makes it, or stores it for an event.
pub fn read(
    field: &Field,
    index: usize,
    assembly: &mut Assembly,
    later: &mut Later,
    events: &mut Vec<Event>,
) -> Result<(), Error> {
    let table = field.table(format!("connection {}", index + 1))?;
    let name_field = table.require("name", "a name")?;
    let name = name_field.string()?;
    let table = table.with_label(format!("connection `{name}`"));
    let own = ["a", "b", "break_force", "break_torque", "later"];
    table.allow(&[&own, &JOINT_KEYS, &DOF_KEYS, &ON_A, &ON_B])?;
    if later.contains_key(name) || assembly.figure.find_joint(name).is_ok() {
        return Err(name_field.wrong(format!("there is already a joint or connection `{name}`")));
    }
    let mut spec = joint(&table, name, &ON_B, &ON_A, &mut assembly.warnings)?;
    let a = names::link(&assembly.figure, &table.require("a", "the name of a link")?)?;
    let b = table.get("b");
    spec.parent = b.as_ref().map(|f| names::link(&assembly.figure, f)).transpose()?;
    if spec.parent == Some(a) {
        return Err(b.map_or(table.wrong(""), |f| f.wrong("joins a link to itself")));
    }
    let b_place = ON_B.iter().find_map(|key| table.get(key));
    let is_turned = ON_A[1..].iter().any(|key| table.get(key).is_some());
    if b_place.is_none() && !is_turned {
        align(assembly, a, &mut spec);
    }

    let limit = |key: &str| table.get(key).map(|f| f.positive()).transpose();
    let (force, torque) = (limit("break_force")?, limit("break_torque")?);
    if force.is_some() || torque.is_some() {
        let (force, torque) = (force.unwrap_or(f64::INFINITY), torque.unwrap_or(f64::INFINITY));
        let when = Trigger::Exceeds { connection: name.into(), force, torque };
        events.push(Event { when, action: Action::Cut(name.into()), what: format!("{name} broke") });
    }
    if table.flag("later")? {
        return match b_place {
            Some(f) => Err(f.wrong("is not for a connection made later: it closes at the pose of that time")),
            None => {
                later.insert(name.into(), (a, spec));
                Ok(())
            }
        };
    }
    let wrong = |e: anthropi_dynamics::Error| table.wrong(e.to_string());
    if b_place.is_none() {
        spec = assembly.figure.closed_here(a, spec, &assembly.state).map_err(wrong)?;
    }
    assembly.figure.connect(a, spec, &mut assembly.state).map_err(wrong)?;
    Ok(())
}

/// Aligns the frame on `a` with the axes of `b` at the start.
fn align(assembly: &Assembly, a: LinkHandle, spec: &mut JointSpec) {
    let forest = assembly.figure.forest();
    let mut kinematics = Kinematics::default();
    kinematics.update(forest, &assembly.state.q, None, None);
    let pose = |link: LinkHandle| kinematics.link_pose(forest, link).rotation;
    let world_from_b = spec.parent.map_or(Transform::identity().rotation, pose);
    spec.child_from_joint.rotation = pose(a).transpose().mul_mat(&world_from_b);
}
