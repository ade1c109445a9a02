//! Joints of a body: what each one says, with its defaults.

use super::chain::Motion;
use super::defaults::{ClassIx, Complete, Defaults, Kind};
use super::settings::Settings;
use crate::error::Error;
use crate::xml::{Element, Warnings};
use anthropi_dynamics::joint::{Dof, Range};
use anthropi_dynamics::spatial::{Transform, Vec3, vec3};

/// A joint element, understood; in the frame of its body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read<'a> {
    pub element: &'a Element,
    pub motion: Motion,
    pub anchor: Vec3,
    /// coordinate of the pose as drawn
    pub reference: f64,
    pub dof: Dof,
}

/// Reads a `joint` or `freejoint`; `frame` is where its own frame element puts it.
pub(super) fn read<'a>(
    element: &'a Element,
    frame: &Transform,
    (defaults, class): (&'a Defaults<'a>, ClassIx),
    settings: &Settings,
    warnings: &mut Warnings,
) -> Result<Read<'a>, Error> {
    let class =
        if element.name == "freejoint" { None } else { Some(defaults.class(element, "class", class)?) };
    let joint = Complete { element, defaults, class, kind: Kind::Joint };
    let axis = || -> Result<Vec3, Error> {
        let axis = Vec3::from_array(&joint.numbers("axis")?.unwrap_or([0.0, 0.0, 1.0]));
        let unit =
            axis.normalized().ok_or_else(|| element.wrong("axis", "found no direction, expected one"))?;
        Ok(frame.rotation.mul(unit))
    };
    let motion = match joint.text("type") {
        _ if element.name == "freejoint" => Motion::Free,
        None | Some("hinge") => Motion::Hinge(axis()?),
        Some("slide") => Motion::Slide(axis()?),
        Some("ball") => Motion::Ball,
        Some("free") => Motion::Free,
        Some(_) => {
            let expected = "hinge, slide, ball or free";
            return Err(joint
                .get("type")
                .map_or_else(|| element.wrong("type", expected), |v| v.wrong(expected)));
        }
    };
    let unit = if motion.is_hinge() { settings.radians_per_unit } else { 1.0 };
    let position: [f64; 3] = joint.numbers("pos")?.unwrap_or([0.0; 3]);
    let has_coordinate = matches!(motion, Motion::Hinge(_) | Motion::Slide(_));
    let reference = if has_coordinate { joint.number("ref", 0.0)? * unit } else { 0.0 };
    let mut dof = own_forces(&joint)?;
    if has_coordinate {
        dof.rest = joint.number("springref", 0.0)? * unit;
        dof.range = range(&joint, unit, settings, warnings)?;
    }
    if let Some([lower, upper]) =
        joint.range("actuatorfrclimited", "actuatorfrcrange", settings.autolimits)?
    {
        dof.effort = lower.abs().max(upper.abs());
    }
    note_losses(&joint, motion, &dof, settings, warnings)?;
    if motion == Motion::Free {
        dof = Dof::default();
    }
    let anchor = frame.point(vec3(position[0], position[1], position[2]));
    Ok(Read { element, motion, anchor, reference, dof })
}

fn own_forces(joint: &Complete) -> Result<Dof, Error> {
    let not_negative = |name: &str| -> Result<f64, Error> {
        let x = joint.number(name, 0.0)?;
        match joint.get(name) {
            Some(v) if x < 0.0 => Err(v.wrong("zero or more")),
            _ => Ok(x),
        }
    };
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
        warnings.gather(joint.element, "its range is not used: autolimits is off and limited is not set");
    }
    let range = joint.range("limited", "range", settings.autolimits)?;
    Ok(range.map(|[lower, upper]| Range { lower: lower * unit, upper: upper * unit }))
}

fn note_losses(
    joint: &Complete,
    motion: Motion,
    dof: &Dof,
    settings: &Settings,
    warnings: &mut Warnings,
) -> Result<(), Error> {
    if motion == Motion::Ball && joint.is_limited("limited", "range", settings.autolimits)? {
        warnings.gather(joint.element, "the range of a ball joint is a cone; it is left out");
    }
    if motion == Motion::Free && (dof.is_passive() || dof.armature != 0.0) {
        let what = "a free joint has no spring, damping, friction or armature here; they are left out";
        warnings.gather(joint.element, what);
    }
    let aligns = match joint.text("align") {
        Some("true") => true,
        Some("false") => false,
        _ => settings.aligns_free,
    };
    if motion == Motion::Free && aligns {
        let what = "align is not supported: the coordinates are those of the body as drawn";
        warnings.gather(joint.element, what);
    }
    if joint.get("springdamper").is_some() {
        warnings.leave_out("joint springdamper");
    }
    Ok(())
}
