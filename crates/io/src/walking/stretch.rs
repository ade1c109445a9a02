//! Stretches of a walk as people write them.

use super::style::{self, Manner};
use super::{MAX_STEPS, MAX_STRETCHES};
use crate::error::{Error, Place};
use crate::fields::{Field, Table};
use anthropi_motion::gait::ground::Ground;
use anthropi_motion::gait::parameter::{Kind, Parameters, Request, Stature};
use anthropi_motion::gait::steps::Stretch;
use std::path::Path;

/// Longest stretch, s.
const LONGEST: f64 = 1200.0;
/// Steps a second on stairs, where nothing is said.
const CLIMBING: f64 = 1.3;
/// Turn of a stretch at most, degrees.
const TURN: f64 = 3600.0;
/// Steepest slope, degrees.
const STEEPEST: f64 = 20.0;
/// Highest stair, and shallowest and deepest, m.
const RISE: f64 = 0.35;
const TREAD: [f64; 2] = [0.2, 1.0];

/// How long a stretch is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lasts {
    /// so many steps
    Steps(usize),
    /// so long, s, in whole steps
    Seconds(f64),
}

/// A stretch of a walk.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// how long it is
    pub lasts: Lasts,
    /// what is asked of speed, step length and frequency
    pub request: Request,
    /// walking or running
    pub kind: Kind,
    /// in which manner
    pub manner: Manner,
    /// to the left, rad
    pub turn: f64,
    /// on what
    pub ground: Ground,
    /// where it is written, if it is
    pub place: Option<Place>,
}

impl Default for Part {
    fn default() -> Part {
        Part {
            lasts: Lasts::Steps(10),
            request: Request::default(),
            kind: Kind::Walk,
            manner: Manner::default(),
            turn: 0.0,
            ground: Ground::Level,
            place: None,
        }
    }
}

impl Part {
    /// All parameters, as somebody walks it.
    ///
    /// # Errors
    /// What nobody walks with.
    pub fn parameters(&self, who: Stature) -> Result<Parameters, anthropi_motion::Error> {
        Parameters::of(self.asked(who), self.kind, who)
    }

    /// What is asked for in this manner; on stairs a step is a tread.
    fn asked(&self, who: Stature) -> Request {
        if let Ground::Stairs { tread, .. } = self.ground {
            let Request { speed, frequency, .. } = self.request;
            let frequency = frequency.or(speed.map(|v| v / tread));
            let usual = CLIMBING * self.manner.style.frequency;
            return Request {
                length: Some(tread),
                frequency: frequency.or(Some(usual)),
                ..Request::default()
            };
        }
        if self.kind == Kind::Jump {
            return self.request;
        }
        self.manner.style.request(self.request, |r| Parameters::of(r, self.kind, who).ok())
    }

    /// The stretch as somebody walks it.
    pub(super) fn stretch(&self, who: Stature) -> Result<Stretch, anthropi_motion::Error> {
        let parameters = self.parameters(who)?;
        self.manner.style.determinants.check()?;
        if let (Ground::Stairs { tread, .. }, Some(length)) = (self.ground, self.request.length) {
            let what = format!("steps of {length} m are asked for; on stairs a step is a tread, {tread} m");
            return Err(anthropi_motion::Error::Gait { what });
        }
        let asked = self.asked(who);
        let given = [asked.speed, asked.length, asked.frequency].iter().flatten().count();
        let steps = match self.lasts {
            Lasts::Steps(n) => n,
            Lasts::Seconds(t) => ((t * parameters.frequency).round() as usize).clamp(1, MAX_STEPS),
        };
        Ok(Stretch {
            steps,
            parameters,
            style: self.manner.style,
            turn: self.turn,
            ground: self.ground,
            // who says two of the three means the rhythm
            keeps_rhythm: given >= 2,
        })
    }
}

/// All stretches of a walk.
pub(super) fn read(root: &Table, dir: Option<&Path>) -> Result<Vec<Part>, Error> {
    let field = root.require("stretch", "at least one [[stretch]]")?;
    let list = field.list()?;
    if list.is_empty() || list.len() > MAX_STRETCHES {
        return Err(field.wrong(format!("has {} entries, expected 1 to {MAX_STRETCHES}", list.len())));
    }
    let mut parts: Vec<Part> = Vec::new();
    // stairs and jumps have a pace of their own: what is asked before them holds again after them
    let is_flat = |part: &&Part| !matches!(part.ground, Ground::Stairs { .. }) && part.kind != Kind::Jump;
    for (i, field) in list.iter().enumerate() {
        let before = parts.last().cloned().unwrap_or_default();
        let flat = parts.iter().rev().find(is_flat).map_or(Request::default(), |p| p.request);
        parts.push(part(field, i, before, flat, dir)?);
    }
    let steps: usize = parts.iter().map(|p| if let Lasts::Steps(n) = p.lasts { n } else { 0 }).sum();
    if steps > MAX_STEPS {
        return Err(field.wrong(format!("has {steps} steps in all, expected at most {MAX_STEPS}")));
    }
    Ok(parts)
}

fn part(field: &Field, i: usize, before: Part, flat: Request, dir: Option<&Path>) -> Result<Part, Error> {
    let table = field.table(format!("stretch {}", i + 1))?;
    table.allow(&[
        &["steps", "seconds", "speed", "step_length", "step_frequency", "gait", "style"],
        &["jump_height", "turn_deg", "slope_deg", "stairs", "determinants"],
    ])?;
    let (was, jumped) = (before.ground, before.kind == Kind::Jump);
    let mut part = Part { turn: 0.0, place: Some(field.place()), ..before };
    match table.one_of(&["steps", "seconds"])? {
        Some((0, field)) => part.lasts = Lasts::Steps(whole(&field)?),
        Some((_, field)) => part.lasts = Lasts::Seconds(field.within([0.1, LONGEST])?),
        None => {}
    }
    let number = |key: &str| table.get(key).map(|f| f.positive()).transpose();
    let request = Request {
        speed: number("speed")?,
        length: number("step_length")?,
        frequency: number("step_frequency")?,
        height: number("jump_height")?,
    };
    if let Some(field) = table.get("gait") {
        part.kind = field.word(&[("walk", Kind::Walk), ("run", Kind::Run), ("jump", Kind::Jump)])?;
    }
    let jumps = part.kind == Kind::Jump;
    if jumps != jumped && table.get("steps").is_none() && table.get("seconds").is_none() {
        // ten steps, but one jump
        part.lasts = if jumps { Lasts::Steps(1) } else { Part::default().lasts };
    }
    if let Some(field) = table.get("style") {
        part.manner = style::named(&field, dir)?;
    }
    if let Some(field) = table.get("determinants") {
        style::determinants(&field, &mut part.manner.style.determinants)?;
    }
    if let Some(field) = table.get("turn_deg") {
        part.turn = field.within([-TURN, TURN])?.to_radians();
    }
    match table.one_of(&["slope_deg", "stairs"])? {
        Some((0, field)) => part.ground = slope(field.within([-STEEPEST, STEEPEST])?),
        Some((_, field)) => part.ground = stairs(&field)?,
        None => {}
    }
    let is_new = core::mem::discriminant(&part.ground) != core::mem::discriminant(&was);
    part.request = match (request == Request::default(), part.ground) {
        (false, _) => request,
        (true, _) if jumps && jumped => part.request,
        (true, _) if jumps => Request::default(),
        (true, Ground::Stairs { .. }) if is_new => Request::default(),
        (true, Ground::Stairs { .. }) => part.request,
        (true, _) => flat,
    };
    Ok(part)
}

fn whole(field: &Field) -> Result<usize, Error> {
    match field.within([1.0, MAX_STEPS as f64])? {
        n if n.fract() == 0.0 => Ok(n as usize),
        n => Err(field.wrong(format!("is {n}, expected a whole number of steps"))),
    }
}

/// Ground of a slope in degrees.
fn slope(degrees: f64) -> Ground {
    if degrees == 0.0 { Ground::Level } else { Ground::Slope(degrees.to_radians()) }
}

fn stairs(field: &Field) -> Result<Ground, Error> {
    let table = field.table("stairs")?;
    table.allow(&[&["rise", "tread"]])?;
    let rise = table.require("rise", "metres of each stair")?.within([-RISE, RISE])?;
    let tread = table.require("tread", "metres of depth of each stair")?.within(TREAD)?;
    Ok(Ground::Stairs { rise, tread })
}

/// A slope as people say it.
///
/// # Errors
/// Degrees beyond what we let people walk.
pub fn slope_of(degrees: f64) -> Result<Ground, String> {
    match (-STEEPEST..=STEEPEST).contains(&degrees) {
        true => Ok(slope(degrees)),
        false => {
            Err(format!("a slope of {degrees} degrees is asked for; expected {:.0} to {STEEPEST}", -STEEPEST))
        }
    }
}

/// Stairs as people say them.
///
/// # Errors
/// Stairs beyond what we let people walk.
pub fn stairs_of(rise: f64, tread: f64) -> Result<Ground, String> {
    if !(-RISE..=RISE).contains(&rise) {
        return Err(format!("stairs of {rise} m are asked for; expected a rise of {:.2} to {RISE} m", -RISE));
    }
    if !(TREAD[0]..=TREAD[1]).contains(&tread) {
        return Err(format!("treads of {tread} m are asked for; expected {} to {} m", TREAD[0], TREAD[1]));
    }
    Ok(Ground::Stairs { rise, tread })
}
