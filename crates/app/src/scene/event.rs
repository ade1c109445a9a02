//! Events of a scene.

use super::connect::Later;
use super::figures::Assembly;
use super::names;
use anthropi_dynamics::sim::{Action, Control, Event, Trigger};
use anthropi_dynamics::spatial::Vec3;
use anthropi_formats::Error;
use anthropi_formats::fields::{Field, Table};

#[derive(Clone, Copy)]
enum Verb {
    Cut,
    Connect,
    Start,
    Stop,
}

const VERBS: [(&str, Verb); 4] =
    [("cut", Verb::Cut), ("connect", Verb::Connect), ("start", Verb::Start), ("stop", Verb::Stop)];

/// Reads an event.
pub fn read(
    field: &Field,
    index: usize,
    assembly: &Assembly,
    later: &Later,
    controls: &[(Control, bool)],
) -> Result<Event, Error> {
    let table = field.table(format!("event {}", index + 1))?;
    table.allow(&[&["at", "signal", "when", "do", "what", "say"]])?;
    let when = trigger(&table, assembly, later)?;
    let (verb_field, what) =
        (table.require("do", "cut, connect, start or stop")?, table.require("what", "a name")?);
    let verb = verb_field.word(&VERBS)?;
    let name = what.string()?;
    let action = match verb {
        Verb::Cut => {
            if !later.contains_key(name) {
                let known = names::joints(&assembly.figure).chain(later.keys().map(String::as_str));
                assembly
                    .figure
                    .find_joint(name)
                    .map_err(|_| what.unknown("joint or connection", name, known))?;
            }
            Action::Cut(name.into())
        }
        Verb::Connect => {
            let known = later.keys().map(String::as_str);
            let unknown = || what.unknown("connection with `later = true`", name, known);
            let (a, joint) = later.get(name).ok_or_else(unknown)?.clone();
            Action::Connect { a, joint: Box::new(joint) }
        }
        Verb::Start | Verb::Stop => {
            let known = || controls.iter().map(|(c, _)| c.name.as_str()).filter(|n| !n.is_empty());
            if !known().any(|n| n == name) {
                return Err(what.unknown("control", name, known()));
            }
            if matches!(verb, Verb::Start) { Action::Start(name.into()) } else { Action::Stop(name.into()) }
        }
    };
    let said = match table.get("say") {
        Some(f) => f.string()?.to_string(),
        None => format!("{} {name}", verb_field.string()?),
    };
    Ok(Event { when, action, what: said })
}

fn trigger(table: &Table, assembly: &Assembly, later: &Later) -> Result<Trigger, Error> {
    match table.one_of(&["at", "signal", "when"])? {
        Some((0, f)) => Ok(Trigger::At(f.not_negative()?)),
        Some((1, f)) => match f.string()? {
            "" => Err(f.wrong("is empty, expected the name of a signal")),
            name => Ok(Trigger::Signal(name.into())),
        },
        Some((_, f)) => condition(&f.table(f.label.clone())?, assembly, later),
        None => Err(table.wrong("has no `at`, `signal` or `when`")),
    }
}

fn condition(table: &Table, assembly: &Assembly, later: &Later) -> Result<Trigger, Error> {
    let Some((kind, field)) = table.one_of(&["leaves", "force_of"])? else {
        return Err(table.wrong("has no `leaves` or `force_of`"));
    };
    if kind == 0 {
        table.allow(&[&["leaves", "point", "of", "box"]])?;
        let link = names::link(&assembly.figure, &field)?;
        let point = table.get("point").map_or(Ok([0.0; 3]), |f| f.array())?;
        let of = table.get("of").map(|f| names::link(&assembly.figure, &f)).transpose()?;
        let region = table.require("box", "two corners [[x, y, z], [x, y, z]]")?;
        let corners = region.list()?;
        let [lower, upper] = corners.as_slice() else {
            return Err(region.wrong("expected two corners [[x, y, z], [x, y, z]]"));
        };
        let (lower, upper): ([f64; 3], [f64; 3]) = (lower.array()?, upper.array()?);
        if lower.iter().zip(&upper).any(|(l, u)| l > u) {
            return Err(region.wrong("has corners in the wrong order, expected [lower, upper]"));
        }
        let [point, lower, upper] = [point, lower, upper].map(|v| Vec3::from_array(&v));
        return Ok(Trigger::Leaves { link, point, of, lower, upper });
    }
    table.allow(&[&["force_of", "above", "torque_above"]])?;
    let name = field.string()?;
    let known = || {
        let made = assembly.figure.connections().map(|(_, _, j)| j.name.as_str());
        made.chain(later.keys().map(String::as_str))
    };
    if !known().any(|n| n == name) {
        return Err(field.unknown("connection", name, known()));
    }
    let limit = |key: &str| table.get(key).map(|f| f.positive()).transpose();
    let (force, torque) = (limit("above")?, limit("torque_above")?);
    if force.is_none() && torque.is_none() {
        table.require("above", "a force in N, or `torque_above` in N m")?;
    }
    let (force, torque) = (force.unwrap_or(f64::INFINITY), torque.unwrap_or(f64::INFINITY));
    Ok(Trigger::Exceeds { connection: name.into(), force, torque })
}
