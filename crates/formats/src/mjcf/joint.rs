//! Joint elements of a body, with their defaults.

use super::chain::Motion;
use super::defaults::{ClassIx, Complete, Defaults, Kind};
use super::settings::Settings;
use crate::error::Error;
use crate::xml::{Element, Value, Warnings};
use anthropi_dynamics::joint::{Dof, Range};
use anthropi_dynamics::spatial::{Transform, Vec3, vec3};

/// A parsed joint element, in the frame of its body.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParsedJoint<'a> {
    pub element: &'a Element,
    pub motion: Motion,
    pub anchor: Vec3,
    /// coordinate in the reference pose
    pub reference: f64,
    pub dof: Dof,
}

/// Reads a `joint` or `freejoint`; `frame` is the placement by its frame elements.
pub(super) fn read<'a>(
    element: &'a Element,
    frame: &Transform,
    (defaults, class): (&'a Defaults<'a>, ClassIx),
    settings: &Settings,
    warnings: &mut Warnings,
) -> Result<ParsedJoint<'a>, Error> {
    let class =
        if element.name == "freejoint" { None } else { Some(defaults.class(element, "class", class)?) };
    let joint = Complete { element, defaults, class, kind: Kind::Joint };
    let axis = || -> Result<Vec3, Error> {
        let axis = joint.vector("axis", vec3(0.0, 0.0, 1.0))?.normalized();
        let unit = axis.ok_or_else(|| element.wrong("axis", "is zero, expected a direction"))?;
        Ok(frame.rotation.mul(unit))
    };
    let motion = match joint.text("type") {
        _ if element.name == "freejoint" => Motion::Free,
        None | Some("hinge") => Motion::Hinge(axis()?),
        Some("slide") => Motion::Slide(axis()?),
        Some("ball") => Motion::Ball,
        Some("free") => Motion::Free,
        Some(_) => return Err(joint.wrong("type", "hinge, slide, ball or free")),
    };
    let unit = if motion.is_hinge() { settings.radians_per_unit } else { 1.0 };
    let position = joint.vector("pos", Vec3::ZERO)?;
    let has_coordinate = matches!(motion, Motion::Hinge(_) | Motion::Slide(_));
    let reference = if has_coordinate { joint.number("ref", 0.0)? * unit } else { 0.0 };
    let mut dof = passive_forces(&joint)?;
    if has_coordinate {
        dof.rest = joint.number("springref", 0.0)? * unit;
        dof.range = range(&joint, unit, settings, warnings)?;
    }
    if let Some([lower, upper]) =
        joint.range("actuatorfrclimited", "actuatorfrcrange", settings.autolimits)?
    {
        dof.effort = lower.abs().max(upper.abs());
    }
    warn_about_losses(&joint, motion, &dof, settings, warnings)?;
    if motion == Motion::Free {
        dof = Dof::default();
    }
    Ok(ParsedJoint { element, motion, anchor: frame.point(position), reference, dof })
}

fn passive_forces(joint: &Complete) -> Result<Dof, Error> {
    let not_negative = |name: &str| joint.get(name).map_or(Ok(0.0), Value::not_negative);
    Ok(Dof {
        stiffness: not_negative("stiffness")?,
        damping: not_negative("damping")?,
        friction: not_negative("frictionloss")?,
        armature: not_negative("armature")?,
        ..Dof::default()
    })
}

fn range(
    joint: &Complete,
    unit: f64,
    settings: &Settings,
    warnings: &mut Warnings,
) -> Result<Option<Range>, Error> {
    if !settings.autolimits && joint.get("limited").is_none() && joint.get("range").is_some() {
        warnings.group(joint.element, "its range is ignored: autolimits is off and limited is not set");
    }
    let range = joint.range("limited", "range", settings.autolimits)?;
    Ok(range.map(|[lower, upper]| Range { lower: lower * unit, upper: upper * unit }))
}

fn warn_about_losses(
    joint: &Complete,
    motion: Motion,
    dof: &Dof,
    settings: &Settings,
    warnings: &mut Warnings,
) -> Result<(), Error> {
    if motion == Motion::Ball && joint.is_limited("limited", "range", settings.autolimits)? {
        warnings.group(joint.element, "the range of a ball joint is a cone, which is not supported");
    }
    if motion == Motion::Free && (dof.is_passive() || dof.armature != 0.0) {
        warnings.group(joint.element, "springs, damping, friction and armature of free joints are ignored");
    }
    let aligns = match joint.text("align") {
        Some("true") => true,
        Some("false") => false,
        _ => settings.aligns_free,
    };
    if motion == Motion::Free && aligns {
        let what = "align is not supported: the coordinates refer to the body frame in the file";
        warnings.group(joint.element, what);
    }
    if joint.get("springdamper").is_some() {
        warnings.leave_out("joint springdamper");
    }
    Ok(())
}
