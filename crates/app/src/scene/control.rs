//! Controls of a scene.

use super::figures::Assembly;
use super::{names, pose};
use anthropi_dynamics::joint::{LimitLaw, LimitSpring};
use anthropi_dynamics::model::{JointHandle, JointSpec};
use anthropi_dynamics::sim::{Control, Hold};
use anthropi_formats::Error;
use anthropi_formats::fields::{Field, Table};

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    None,
    Pose,
    Limits,
}

const KINDS: [(&str, Kind); 3] = [("none", Kind::None), ("pose", Kind::Pose), ("limits", Kind::Limits)];
const COMMON: [&str; 3] = ["name", "kind", "joints"];
const OF_POSE: [&str; 4] = ["stiffness", "damping", "over", "later"];
const OF_LIMITS: [&str; 6] = ["law", "k", "n", "c", "blend_deg", "rebound"];

/// Springs at the ends of the ranges of some joints, or of all.
pub struct Springs {
    spring: LimitSpring,
    joints: Option<Vec<String>>,
}

impl Springs {
    /// Adds springs to the ranges of a joint, if it is listed.
    pub fn apply(&self, joint: &mut JointSpec) {
        if self.joints.as_ref().is_none_or(|names| names.contains(&joint.name)) {
            joint.dof.iter_mut().filter(|d| d.range.is_some()).for_each(|d| d.limit = Some(self.spring));
        }
    }
}

/// Controls of kind `limits`, which become part of the joints.
pub fn springs(root: &Table) -> Result<Vec<Springs>, Error> {
    let mut all = Vec::new();
    for (i, field) in root.entries("control", super::MAX_ENTRIES)?.iter().enumerate() {
        let table = field.numbered_table("control", i)?;
        if kind(&table)? == Kind::Limits {
            table.allow(&[&COMMON, &OF_LIMITS])?;
            let list = table.get("joints").map(|f| f.list()).transpose()?;
            let names = list.map(|l| l.iter().map(|f| f.string().map(String::from)).collect()).transpose()?;
            all.push(Springs { spring: spring(&table)?, joints: names });
        }
    }
    Ok(all)
}

/// Reads a control, and whether it is on from the start; `None` for kinds without a controller.
pub fn read(
    field: &Field,
    index: usize,
    assembly: &Assembly,
    others: &[(Control, bool)],
) -> Result<Option<(Control, bool)>, Error> {
    let table = field.numbered_table("control", index)?;
    let joints = joints(&table, assembly)?;
    match kind(&table)? {
        Kind::None => return table.allow(&[&COMMON]).map(|()| None),
        Kind::Limits => return Ok(None),
        Kind::Pose => table.allow(&[&COMMON, &OF_POSE, &pose::KEYS])?,
    }
    let name = table.optional("name", Field::string)?.unwrap_or("").to_string();
    if !name.is_empty() && others.iter().any(|(c, _)| c.name == name) {
        return Err(table.wrong(format!("there is already a control `{name}`")));
    }
    let targets = pose::read(&table, &assembly.figure)?;
    let joints = match joints {
        Some(listed) => {
            if let Some((joint, _)) = targets.iter().find(|(j, _)| !listed.contains(j)) {
                let name = assembly.figure.joint(*joint).map_or("", |j| &j.name);
                return Err(table.wrong(format!("gives a pose of `{name}`, which is not among its `joints`")));
            }
            listed
        }
        None if targets.is_empty() => driven(assembly),
        None => targets.iter().map(|(j, _)| *j).collect(),
    };
    let stiffness = table.require("stiffness", "a stiffness in N m / rad")?.not_negative()?;
    let damping = table.get("damping").map_or(Ok(0.0), |f| f.not_negative())?;
    let hold = |joint: &JointHandle| {
        let given = targets.iter().find(|(j, _)| j == joint).map(|(_, q)| q.clone());
        let start = || assembly.state.q_of(&assembly.figure, *joint).map(<[f64]>::to_vec);
        let target = given.map_or_else(start, Ok).map_err(|e| table.wrong(e.to_string()))?;
        Ok(Hold { joint: *joint, target, stiffness, damping })
    };
    let holds = joints.iter().map(hold).collect::<Result<_, Error>>()?;
    let over = table.get("over").map_or(Ok(0.0), |f| f.not_negative())?;
    let is_later = table.flag("later")?;
    Ok(Some((Control { name, holds, over }, !is_later)))
}

fn kind(table: &Table) -> Result<Kind, Error> {
    table.require("kind", "pose, limits or none")?.word(&KINDS)
}

fn joints(table: &Table, assembly: &Assembly) -> Result<Option<Vec<JointHandle>>, Error> {
    let Some(field) = table.get("joints") else { return Ok(None) };
    field.list()?.iter().map(|f| names::joint(&assembly.figure, f)).collect::<Result<_, _>>().map(Some)
}

/// The figures' joints that have an actuator and can move.
fn driven(assembly: &Assembly) -> Vec<JointHandle> {
    let is_driven =
        |h: &&JointHandle| assembly.figure.joint(**h).is_ok_and(|j| j.actuated && j.coordinates().nv() > 0);
    assembly.own.iter().filter(is_driven).copied().collect()
}

fn spring(table: &Table) -> Result<LimitSpring, Error> {
    let strength = table.require("k", "the strength of the springs")?.not_negative()?;
    let is_power =
        table.get("law").map_or(Ok(true), |f| f.word(&[("power", true), ("exponential", false)]))?;
    let (wrong_key, law) = match is_power {
        true => ("c", LimitLaw::Power { k: strength, n: table.get("n").map_or(Ok(3.0), |f| f.positive())? }),
        false => {
            let rise = table.require("c", "the rise of the springs")?.positive()?;
            ("n", LimitLaw::Exponential { k: strength, c: rise })
        }
    };
    if let Some(f) = table.get(wrong_key) {
        return Err(f.wrong("is for the other law"));
    }
    let blend = table.require("blend_deg", "the width of the region before each limit, degrees")?;
    let rebound = table.get("rebound").map_or(Ok(0.0), |f| f.not_negative())?;
    Ok(LimitSpring { law, blend: blend.not_negative()?.to_radians(), rebound })
}
