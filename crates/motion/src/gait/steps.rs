//! From stretches of a way to footprints with times: standing, speeding up, stretches, slowing down, standing.
//!
//! Times: a step's foot leaves the ground at `lift` and comes down at `land`; land - lift = t_step - t_ds, and the other
//! foot lifts t_ds after that [L1992 eq. 9.4-9.7]; where t_ds is below zero both fly between. Speeds change by at most
//! half a metre per second from step to step.
//! Source: our own; ramps after experiments.

use super::ground::{Ground, Print, Profile};
use super::parameter::{Kind, Parameters};
use super::puppet::Puppet;
use super::style::Style;
use crate::error::Error;

/// Change of speed from one step to the next, m/s.
const CHANGE: f64 = 0.5;
/// ...and while it slows down to stand.
const SLOWING: f64 = 0.3;
/// Standing before, s: the centre of mass begins to lean before the pressure moves.
pub(crate) const STAND: f64 = 1.0;
/// First shift of weight, and the last, s.
pub(crate) const SHIFT: f64 = 0.6;
pub(crate) const LAST_SHIFT: f64 = 0.7;
/// Standing at the end, s.
pub(crate) const END: f64 = 2.0;
/// Slower steps on the way to a run and from it are walked, m/s, for legs of 0.89 m.
const RUNS_FROM: f64 = 1.5;
/// Most turn of a step, rad.
const MOST_TURN: f64 = 0.8;
/// Feet keep this far from edges of the ground, m.
const EDGE: f64 = 0.015;

/// A part of the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// steps at its own speed; those in which the speed changes come before
    pub steps: usize,
    /// how it is walked
    pub parameters: Parameters,
    /// in which manner
    pub style: Style,
    /// turn over the whole stretch, rad, positive to the left
    pub turn: f64,
    /// on what
    pub ground: Ground,
    /// whether steps change their length only while the speed changes
    pub keeps_rhythm: bool,
}

impl Stretch {
    /// Straight ahead on level ground in the neutral manner.
    pub fn ahead(parameters: Parameters, steps: usize) -> Stretch {
        Stretch {
            steps,
            parameters,
            style: Style::default(),
            turn: 0.0,
            ground: Ground::Level,
            keeps_rhythm: false,
        }
    }
}

/// A step: a foot leaves, swings and lands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// foot that swings: 0 left, 1 right
    pub side: usize,
    /// where it lands
    pub print: Print,
    /// when it leaves the ground, s
    pub lift: f64,
    /// when it lands, s
    pub land: f64,
    /// how
    pub parameters: Parameters,
    /// in which manner
    pub style: Style,
    /// which stretch it belongs to
    pub stretch: usize,
    /// whether it is one of the stretch's own, at its speed
    pub is_steady: bool,
    /// whether soles are to be put down flat
    pub is_flat: bool,
    /// how much higher than the other foot's stair it lands, m; zero where there are none
    pub rise: f64,
    /// direction of the way, rad
    pub heading: f64,
}

/// All steps, where the feet are at first, and the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    /// one after the other
    pub steps: Vec<Step>,
    /// left and right at the start
    pub start: [Print; 2],
    /// what is walked on
    pub profile: Profile,
    /// when the figure stands again, s
    pub end: f64,
    /// direction in which it stands at first, rad
    pub heading: f64,
    /// manner in which it stands at first
    pub style: Style,
}

/// How a figure stands before it goes.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub prints: [Print; 2],
    pub profile: Profile,
    pub heading: f64,
    pub style: Style,
}

impl Start {
    /// At the origin.
    pub fn standing(style: &Style, size: &PuppetSize) -> Start {
        let (profile, half) = (Profile::default(), half_width(style, size));
        let prints = [1.0, -1.0].map(|sign| Print::on(&profile, 0.0, sign * half, sign * style.toe_out));
        Start { prints, profile, heading: 0.0, style: *style }
    }
}

/// Of ankles from the middle of the way, m.
fn half_width(style: &Style, size: &PuppetSize) -> f64 {
    (2.0 * size.half + style.width * size.scale) / 2.0
}

struct Wanted {
    parameters: Parameters,
    style: Style,
    turn: f64,
    ground: Ground,
    stretch: usize,
    is_steady: bool,
}

impl Steps {
    /// Steps of a way.
    ///
    /// # Errors
    /// Turns that are too sharp or on ground that is not level; stairs too narrow for the feet.
    pub fn of(stretches: &[Stretch], puppet: &PuppetSize) -> Result<Steps, Error> {
        Steps::from(stretches, puppet, None)
    }

    /// Where the figure stands after all steps.
    pub(crate) fn after(&self) -> Start {
        let last = |side: usize| self.steps.iter().rev().find(|s| s.side == side);
        Start {
            prints: [0, 1].map(|side| last(side).map_or(self.start[side], |s| s.print)),
            profile: self.profile.clone(),
            heading: self.steps.last().map_or(self.heading, |s| s.heading),
            style: self.steps.last().map_or(self.style, |s| s.style),
        }
    }

    /// The same from where the figure stands, if it is not the origin.
    pub(crate) fn from(
        stretches: &[Stretch],
        puppet: &PuppetSize,
        from: Option<Start>,
    ) -> Result<Steps, Error> {
        let wanted = wanted(stretches, puppet.scale)?;
        let width = |style: &Style| half_width(style, puppet);
        let sign = |side: usize| if side == 0 { 1.0 } else { -1.0 };
        let out = |style: &Style, side: usize| sign(side) * style.toe_out;
        let from = from.unwrap_or_else(|| Start::standing(&stretches[0].style, puppet));
        let Start { prints: start, mut profile, heading: begin, style } = from;
        // middle of the way, and its direction
        let middle = (start[0].at + start[1].at).scale(0.5);
        let (mut x, mut y, mut heading) = (middle.x, middle.y, begin);
        let mut steps: Vec<Step> = Vec::new();
        let mut lift = STAND + SHIFT;
        let mut side = 1;
        let mut on = Ground::Level;
        let mut edge = 0.0;
        for (k, w) in wanted.iter().enumerate() {
            let is_last = k + 1 == wanted.len();
            let half_turn = 0.5 * w.turn;
            let mut length = if is_last { 0.0 } else { w.parameters.length * if k == 0 { 0.5 } else { 1.0 } };
            heading += half_turn;
            let (ahead, aside) = (libm::cos(heading), libm::sin(heading));
            let toe = x + puppet.toe;
            if !is_last && w.ground != on {
                // the ground changes just before this foot
                let from = match w.ground {
                    // as far as feet on stairs are from the next one
                    Ground::Stairs { tread, .. } => x + 0.5 * (tread + puppet.toe + puppet.heel),
                    _ => toe + EDGE,
                };
                match w.ground {
                    Ground::Level => profile.push(from, 0.0, 0.0),
                    Ground::Slope(angle) => profile.push(from, 0.0, libm::tan(angle)),
                    Ground::Stairs { rise, .. } => profile.push(from, rise, 0.0),
                }
                edge = from;
                length = length.max(from + EDGE - puppet.heel - x);
                on = w.ground;
                if let Ground::Stairs { tread, .. } = on {
                    length = from + 0.5 * (tread - puppet.toe - puppet.heel) - x;
                }
            } else if let (Ground::Stairs { rise, tread }, false) = (w.ground, is_last) {
                edge += tread;
                profile.push(edge, rise, 0.0);
                length = tread;
            } else if let Ground::Slope(angle) = w.ground {
                length *= libm::cos(angle);
            }
            x += length * ahead;
            y += length * aside;
            heading += half_turn;
            let apart = sign(side) * width(&w.style);
            let (px, py) = (x - apart * libm::sin(heading), y + apart * libm::cos(heading));
            let print = Print::on(&profile, px, py, heading + out(&w.style, side));
            let land = lift + w.parameters.swing();
            let rise =
                if let (Ground::Stairs { rise, .. }, false) = (w.ground, is_last) { rise } else { 0.0 };
            let is_flat = matches!(w.ground, Ground::Stairs { .. }) || is_last;
            steps.push(Step {
                side,
                print,
                lift,
                land,
                parameters: w.parameters,
                style: w.style,
                stretch: w.stretch,
                is_steady: w.is_steady,
                is_flat,
                rise,
                heading,
            });
            lift = land + wanted.get(k + 1).map_or(w.parameters.double, |n| n.parameters.double);
            side = 1 - side;
        }
        let end = steps.last().map_or(0.0, |s| s.land) + END;
        Ok(Steps { steps, start, profile, end, heading: begin, style })
    }
}

/// What steps need to know of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PuppetSize {
    /// heel and toe ahead of the ankle, m
    pub heel: f64,
    /// toe ahead of the ankle, m
    pub toe: f64,
    /// half of the breadth of a sole, m
    pub half: f64,
    /// size against legs of 0.89 m
    pub scale: f64,
}

impl PuppetSize {
    pub(super) fn of(puppet: &Puppet) -> PuppetSize {
        let [a, b] = puppet.soles;
        PuppetSize {
            heel: a.heel.x.min(b.heel.x),
            toe: a.toe.x.max(b.toe.x),
            half: a.half.max(b.half),
            scale: puppet.hip_height / 0.89,
        }
    }
}

/// Steps with their parameters: those of the stretches, and those between.
fn wanted(stretches: &[Stretch], scale: f64) -> Result<Vec<Wanted>, Error> {
    let refuse = |what: String| Err(Error::Gait { what });
    if stretches.iter().all(|s| s.steps == 0) {
        return refuse("the way has no steps".into());
    }
    let mut all: Vec<Wanted> = Vec::new();
    let mut speed = 0.0;
    for (n, s) in stretches.iter().enumerate() {
        if s.turn != 0.0 && s.ground != Ground::Level {
            return refuse("the way turns on ground that is not level; turn before or after".into());
        }
        let turn = s.turn / s.steps.max(1) as f64;
        if turn.abs() > MOST_TURN {
            let steps = (s.turn.abs() / MOST_TURN).ceil();
            return refuse(format!(
                "the way turns by {:.0} degrees a step; at most {:.0} are possible: take {steps} steps",
                turn.to_degrees(),
                MOST_TURN.to_degrees()
            ));
        }
        let mut parameters = s.parameters;
        if let Ground::Stairs { tread, .. } = s.ground {
            parameters.length = tread;
            parameters.speed = tread * parameters.frequency;
        }
        // from a run to a walk it runs on until it is slow enough
        let before = all.last().map(|w| w.parameters).filter(|p| p.kind == Kind::Run);
        let between = |speed: f64| Wanted {
            parameters: on_the_way(&before.unwrap_or(parameters), speed, s.keeps_rhythm, scale),
            style: s.style,
            turn: 0.0,
            // before a slope or stairs the ground is what it was
            ground: all.last().map_or(Ground::Level, |w| w.ground),
            stretch: n,
            is_steady: false,
        };
        let change = if before.is_some() && parameters.speed < speed { SLOWING } else { CHANGE };
        let ramp = ramp(speed, parameters.speed, change).into_iter().map(between);
        let ramp: Vec<Wanted> = ramp.collect();
        all.extend(ramp);
        all.extend((0..s.steps).map(|_| Wanted {
            parameters,
            style: s.style,
            turn,
            ground: s.ground,
            stretch: n,
            is_steady: true,
        }));
        speed = parameters.speed;
    }
    let n = stretches.len() - 1;
    let s = &stretches[n];
    let last = all.last().map_or(s.parameters, |w| w.parameters);
    let mut down = ramp(0.0, speed, SLOWING);
    down.reverse();
    let slowing = down.into_iter().map(|v| on_the_way(&last, v, s.keeps_rhythm, scale));
    let mut slowing: Vec<Parameters> = slowing.collect();
    slowing.extend(slowing.last().copied());
    let ground = if matches!(s.ground, Ground::Stairs { .. }) { Ground::Level } else { s.ground };
    all.extend(slowing.into_iter().map(|parameters| Wanted {
        parameters,
        style: s.style,
        turn: 0.0,
        ground,
        stretch: n,
        is_steady: false,
    }));
    Ok(all)
}

/// Speeds between two, none of both, each a step.
fn ramp(from: f64, to: f64, change: f64) -> Vec<f64> {
    let n = ((to - from).abs() / change).ceil() as usize;
    let n = if from == 0.0 { n.max(1) } else { n.saturating_sub(1) };
    (0..n).map(|k| from + (to - from) * (k + 1) as f64 / (n + 1) as f64).collect()
}

/// Parameters passed through on the way to others. A run begins and ends with steps that are walked.
fn on_the_way(to: &Parameters, speed: f64, keeps_rhythm: bool, scale: f64) -> Parameters {
    if to.kind == Kind::Run && speed < RUNS_FROM * scale.sqrt() {
        return Parameters::walking(speed, 1.7 * scale);
    }
    to.slower(speed, keeps_rhythm)
}
