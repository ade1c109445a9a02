//! Keys and pins.

use super::MAX_ENTRIES;
use crate::scene::names;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Joint, JointHandle};
use anthropi_formats::Error;
use anthropi_formats::fields::{Field, Table};
use anthropi_formats::names::counted;
use anthropi_motion::keyed::{KeyTrack, KeyedMotion, Pin, SoleContact};

/// Coordinates of the root, as they are keyed: metres, then degrees.
const ROOT: [&str; 6] = ["ahead", "left", "height", "bend", "tilt", "twist"];
/// Largest angle, degrees.
const MAX_ANGLE: f64 = 360.0;
/// Farthest place, m.
const MAX_PLACE: f64 = 100.0;
const SOLES: [(&str, SoleContact); 3] =
    [("flat", SoleContact::Flat), ("heel", SoleContact::Heel), ("toe", SoleContact::Toe)];

/// Reads all keys and pins into a motion.
pub fn read(root: &Table, keyed: &mut KeyedMotion) -> Result<(), Error> {
    let keys = root.entries("key", MAX_ENTRIES)?;
    if keys.is_empty() {
        root.require("key", "poses at a few times, as tables [[key]]")?;
    }
    let mut last = None;
    for (i, field) in keys.iter().enumerate() {
        last = Some(key(field, i, last, keyed)?);
    }
    let mut pins: Vec<Pin> = Vec::new();
    for (i, field) in root.entries("pin", MAX_ENTRIES)?.iter().enumerate() {
        let pin = pin(field, i, &pins, keyed)?;
        pins.push(pin);
    }
    keyed.pins = pins;
    Ok(())
}

/// Adds a key to the tracks of its joints and returns its time.
fn key(field: &Field, index: usize, last: Option<f64>, keyed: &mut KeyedMotion) -> Result<f64, Error> {
    let table = field.table(format!("key {}", index + 1))?;
    let at = table.require("at", "seconds from the start")?;
    let time = at.within([0.0, keyed.duration])?;
    if keyed.cycle.is_some() && time == keyed.duration {
        return Err(at.wrong(format!("is {time}, the end of the cycle, which is its start: key that at 0")));
    }
    if last.is_some_and(|last| time <= last) {
        return Err(at.wrong(format!("is {time}, expected later than the key before it")));
    }
    let figure = keyed.figure.clone();
    let names: Vec<&str> = figure.joints().map(|(_, j)| j.name.as_str()).collect();
    table.allow(&[&["at"], &names])?;
    for (handle, joint) in figure.joints() {
        let Some(field) = table.get(&joint.name) else { continue };
        for (component, value) in values(&field, joint)? {
            add(&mut keyed.tracks, handle, component, (time, value));
        }
    }
    Ok(time)
}

fn add(tracks: &mut Vec<KeyTrack>, joint: JointHandle, component: usize, key: (f64, f64)) {
    match tracks.iter_mut().find(|t| t.joint == joint && t.component == component) {
        Some(track) => track.keys.push(key),
        None => tracks.push(KeyTrack { joint, component, keys: vec![key] }),
    }
}

/// Coordinates of a joint in a field.
fn values(field: &Field, joint: &Joint) -> Result<Vec<(usize, f64)>, Error> {
    let count = match joint.kind {
        JointKind::Free => return root_values(field),
        JointKind::Revolute { .. } => 1,
        JointKind::Universal { .. } => 2,
        JointKind::Spherical => 3,
        _ => return Err(field.wrong(format!("a {} joint cannot be keyed", joint.kind.name()))),
    };
    let list = if field.is_list() { field.list()? } else { vec![field.clone()] };
    if list.len() != count {
        let got = counted(list.len(), "angle");
        return Err(field.wrong(format!("has {got}, expected {count} for a {} joint", joint.kind.name())));
    }
    let angle = |f: &Field| f.within([-MAX_ANGLE, MAX_ANGLE]).map(f64::to_radians);
    list.iter().enumerate().map(|(k, f)| Ok((k, angle(f)?))).collect()
}

fn root_values(field: &Field) -> Result<Vec<(usize, f64)>, Error> {
    let table = field.table(field.label.clone())?;
    table.allow(&[&ROOT])?;
    let given = ROOT.iter().enumerate().filter_map(|(k, name)| Some((k, table.get(name)?)));
    given
        .map(|(k, f)| match k < 3 {
            true => Ok((k, f.within([-MAX_PLACE, MAX_PLACE])?)),
            false => Ok((k, f.within([-MAX_ANGLE, MAX_ANGLE])?.to_radians())),
        })
        .collect()
}

fn pin(field: &Field, index: usize, others: &[Pin], keyed: &KeyedMotion) -> Result<Pin, Error> {
    let table = field.table(format!("pin {}", index + 1))?;
    table.allow(&[&["foot", "on", "from", "to"]])?;
    let link = names::link(&keyed.figure, &table.require("foot", "the name of a foot")?)?;
    let sole = table.require("on", "flat, heel or toe")?.word(&SOLES)?;
    let from = table.require("from", "start of the contact, s")?.within([0.0, keyed.duration])?;
    let end = if keyed.cycle.is_some() { from + keyed.duration } else { keyed.duration };
    let until = table.require("to", "when it leaves, s")?;
    let to = until.within([0.0, end])?;
    if to <= from {
        return Err(until.wrong(format!("is {to}, expected later than `from`, {from}")));
    }
    let meets = |p: &Pin, shift: f64| p.from + shift < to && from < p.to + shift;
    let shifts = keyed.cycle.map_or(vec![0.0], |_| vec![-keyed.duration, 0.0, keyed.duration]);
    let other = others.iter().position(|p| p.link == link && shifts.iter().any(|s| meets(p, *s)));
    if let Some(other) = other {
        return Err(table.wrong(format!("overlaps pin {} of the same foot", other + 1)));
    }
    Ok(Pin { link, sole, from, to })
}
