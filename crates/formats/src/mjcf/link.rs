//! Actuators, and equality constraints that close loops.

use super::defaults::{ACTUATORS, Complete, Defaults, Kind, MAIN};
use super::read::{Part, Site};
use super::settings::{Settings, unit_quat};
use crate::error::Error;
use crate::xml::{Element, Value, Warnings};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkHandle};
use anthropi_dynamics::spatial::{Transform, vec3};
use std::collections::HashMap;

/// Marks the actuated joints and sets their effort.
pub(super) fn read_actuators(
    model: &Element,
    defaults: &Defaults,
    settings: &Settings,
    parts: &mut [Part],
    warnings: &mut Warnings,
) -> Result<(), Error> {
    if model.child("actuator").is_none() {
        return Ok(());
    }
    parts.iter_mut().for_each(|p| p.joint.actuated = false);
    let index: HashMap<String, usize> =
        parts.iter().enumerate().map(|(i, p)| (p.joint.name.clone(), i)).collect();
    // actuators of one joint add up; the joint's own limit applies to their sum
    let mut efforts: HashMap<usize, [f64; 3]> = HashMap::new();
    for element in model.named("actuator").flat_map(|section| &section.children) {
        let named = element.get("joint").or(element.get("jointinparent"));
        let Some(named) = named.filter(|_| ACTUATORS.contains(&element.name.as_str())) else {
            warnings.leave_out(&format!("actuator {} not on a joint", element.name));
            continue;
        };
        let at = *index.get(named.text()).ok_or_else(|| named.wrong("the name of a joint"))?;
        parts[at].joint.actuated = true;
        let class = Some(defaults.class(element, "class", MAIN)?);
        let actuator = Complete { element, defaults, class, kind: Kind::Actuator };
        let strength = strength(&actuator, settings)?;
        let effort = efforts.entry(at).or_default();
        (0..3).for_each(|k| effort[k] += strength[k]);
    }
    for (at, effort) in efforts {
        let joint = &mut parts[at].joint;
        let is_ball = joint.kind == JointKind::Spherical;
        for k in 0..3 {
            let own = if is_ball { effort[k] } else { effort[0] };
            joint.dof[k].effort = joint.dof[k].effort.min(own);
        }
    }
    Ok(())
}

/// Largest force along each degree of freedom.
fn strength(actuator: &Complete, settings: &Settings) -> Result<[f64; 3], Error> {
    let mut gear = actuator.get("gear").map(|v| v.list(6)).transpose()?.unwrap_or_default();
    if gear.is_empty() {
        gear.push(1.0);
    }
    gear.resize(3, 0.0);
    let largest = |range: Option<[f64; 2]>| range.map_or(f64::INFINITY, |[a, b]| a.abs().max(b.abs()));
    let mut most = largest(actuator.range("forcelimited", "forcerange", settings.autolimits)?);
    // the control is the force only for motors
    if actuator.element.name == "motor" {
        most = most.min(largest(actuator.range("ctrllimited", "ctrlrange", settings.autolimits)?));
    }
    Ok([0, 1, 2].map(|k| if gear[k] == 0.0 { 0.0 } else { most * gear[k].abs() }))
}

/// Sites referenced by constraints.
pub(super) fn referenced_sites(model: &Element) -> impl Iterator<Item = Value<'_>> {
    let constraints = model.children.iter().filter(|s| s.name == "equality").flat_map(|s| &s.children);
    let tying = constraints.filter(|c| matches!(c.name.as_str(), "connect" | "weld"));
    tying.flat_map(|c| ["site1", "site2"].into_iter().filter_map(|a| c.get(a)))
}

/// Adds `connect` and `weld` as connections, between the `referenced_sites`.
pub(super) fn read_equality(
    model: &Element,
    (parts, sites): (&[Part], &HashMap<&str, Site>),
    handles: &[LinkHandle],
    builder: &mut FigureBuilder,
    warnings: &mut Warnings,
) -> Result<(), Error> {
    let index: HashMap<&str, usize> =
        parts.iter().enumerate().map(|(i, p)| (p.link.name.as_str(), i)).collect();
    let constraints = model.named("equality").flat_map(|section| &section.children);
    for (i, element) in constraints.enumerate() {
        let kind = element.name.as_str();
        if !matches!(kind, "connect" | "weld") {
            warnings.leave_out(&format!("equality {kind}"));
            continue;
        }
        if element.get("active").map(Value::flag).transpose()? == Some(false) {
            warnings.group(element, "inactive, ignored");
            continue;
        }
        let body_named = |v: Value| -> Result<Option<usize>, Error> {
            match (v.text(), index.get(v.text())) {
                ("world", None) => Ok(None),
                (_, Some(&at)) => Ok(Some(at)),
                _ => Err(v.wrong("the name of a body")),
            }
        };
        let (first, second, (kind, on_first, on_second)) = if is_between_sites(element)? {
            let site = |attribute: &str| -> Result<&Site, Error> {
                let value = element.require(attribute)?;
                sites.get(value.text()).ok_or_else(|| value.wrong("the name of a site"))
            };
            let (first, second) = (site("site1")?, site("site2")?);
            let kind = if kind == "connect" { JointKind::Spherical } else { JointKind::Fixed };
            (first.part, second.part, (kind, first.link_from_site, second.link_from_site))
        } else {
            let first = body_named(element.require("body1")?)?;
            let second = element.get("body2").map(body_named).transpose()?.flatten();
            let pose = |at: Option<usize>| at.map_or(Transform::identity(), |i| parts[i].world_from_link);
            (first, second, frames(element, pose(first), pose(second))?)
        };
        let name = element.text("name").map_or_else(|| format!("{}{}", element.name, i + 1), String::from);
        let mut joint = JointSpec::new(name, kind);
        joint.actuated = false;
        // the child of the connection must be a link, not the world
        let (link, parent_link, child, parent) = match (first, second) {
            (Some(a), b) => (a, b, on_first, on_second),
            (None, Some(b)) => (b, None, on_second, on_first),
            (None, None) => return Err(element.refuse("connects the world to itself")),
        };
        (joint.parent, joint.child_from_joint) = (parent_link.map(|i| handles[i]), child);
        joint.parent_from_joint = parent;
        builder.connect(handles[link], joint).map_err(|e| element.refused(e))?;
    }
    Ok(())
}

/// Whether a constraint is between sites, which excludes the other attributes.
fn is_between_sites(element: &Element) -> Result<bool, Error> {
    if element.get("site1").or(element.get("site2")).is_none() {
        return Ok(false);
    }
    match ["body1", "body2", "anchor", "relpose"].into_iter().find(|a| element.get(a).is_some()) {
        None => Ok(true),
        Some(other) => Err(element.wrong(other, "conflicts with site1 and site2")),
    }
}

/// The joint of a constraint between bodies, and its frames on both.
fn frames(
    element: &Element,
    first: Transform,
    second: Transform,
) -> Result<(JointKind, Transform, Transform), Error> {
    let second_from_first = second.inverse() * first;
    if element.name == "connect" {
        // the anchor on the second body follows from the reference pose
        let anchor = Transform::translation(element.require("anchor")?.vector()?);
        return Ok((JointKind::Spherical, anchor, second_from_first * anchor));
    }
    let relative: [f64; 7] = element.numbers("relpose")?.unwrap_or_default();
    let [x, y, z, quat @ ..] = relative;
    let anchor = Transform::translation(element.vector("anchor")?.unwrap_or_default());
    // the position in `relpose` is the anchor on the first body (checked with MuJoCo 4.0); a zero quaternion means the
    // reference pose
    let on_first = match unit_quat(quat) {
        Some(quat) => Transform::new(vec3(x, y, z), quat),
        None => second_from_first.inverse() * anchor,
    };
    Ok((JointKind::Fixed, on_first, anchor))
}
