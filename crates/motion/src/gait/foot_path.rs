//! Foot trajectories: foot flat, heel rise about the toe edge, swing, heel strike, roll to foot flat.
//!
//! The trajectory is that of a guide point of the sole: the toe edge until toe-off, the heel edge from heel strike. In
//! swing it moves within the foot from toe to heel while the pitch changes sign, and in the world between both edges
//! along a quintic in time: accelerations are continuous and the foot lands at zero velocity. Pitch angles grow with
//! step length.
//! Source: our own; angles after [W2009: kinematics].

use super::footsteps::{Footstep, Footsteps};
use super::jump;
use super::leg_ik::SoleEdges;
use super::parameter::Kind;
use super::stairs::{self, ToeOff};
use super::terrain::{Footprint, TerrainProfile};
use crate::ease::step as ease;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// By step length for [`super::footsteps::REFERENCE_LEG`]: length, m; toe-up pitch at heel strike, deg; heel-up pitch at
/// toe-off, deg; heel rise before the other foot lands, s.
const ANGLES: [[f64; 4]; 5] = [
    [0.25, 0.0, 0.0, 0.000],
    [0.40, 9.6, 26.3, 0.000],
    [0.60, 20.4, 55.0, 0.118],
    [0.75, 26.5, 67.0, 0.150],
    [0.95, 32.0, 59.0, 0.090],
];
/// The same in running, by speed, m/s.
const RUN_ANGLES: [[f64; 4]; 3] = [[1.0, 0.0, 30.0, 0.10], [3.0, 0.0, 52.0, 0.11], [6.0, 0.0, 60.0, 0.10]];
/// The same in jumps, and the pitch rate at take-off, in angle / time of heel rise.
const JUMP_ANGLES: [f64; 4] = [0.0, 0.0, 38.0, 0.0];
const JUMP_RATE: f64 = 0.4;
/// Heel rise remaining at zero foot amplitude, fraction: dorsiflexion is limited.
const MIN_HEEL_RISE: f64 = 0.55;
/// Largest heel-up pitch at toe-off on stairs and in the first step, rad.
const MAX_STAIR_PITCH: f64 = 0.7;
const MAX_FIRST_PITCH: f64 = 0.17;
/// Time from heel strike to foot flat: range, s, and fraction of double support.
const LOADING: [f64; 2] = [0.09, 0.16];
const LOADING_FRACTION: f64 = 0.87;
/// Pitch rates at heel strike and toe-off, in angle / time of rolling; pitch acceleration at toe-off, in angle / time^2.
const PITCH_RATES: [f64; 2] = [1.01, 1.98];
const TOE_OFF_ACCELERATION: f64 = 0.58;
/// Acceleration of the guide point at toe-off and deceleration at landing, in distance / time^2.
const SWING: [f64; 2] = [1.27, 5.75];
/// The same in long steps, their pitch rate at toe-off, and the longest normal and shortest long step, m.
const LONG_SWING: [f64; 2] = [4.5, 4.5];
const LONG_PITCH_RATE: f64 = 1.25;
const NORMAL_TO_LONG: [f64; 2] = [0.74, 1.03];
/// The same in running, its limit from hip strength, m/s2; foot clearance per speed, m/(m/s); extra pitch, rad.
const RUN_SWING: [f64; 2] = [10.0, 14.0];
const MAX_RUN_ACCELERATION: [f64; 2] = [70.0, 85.0];
const RUN_CLEARANCE: f64 = 0.03;
const RUN_PITCH: f64 = 0.15;
/// Shape functions (a + b (2 s - 1)) s^3 (1 - s)^3 added to the distance (relative) and to the pitch (relative to
/// toe-off).
const SWING_SHAPE: [f64; 2] = [11.8, -10.0];
const PITCH_SHAPE: [f64; 2] = [10.6, -70.2];
/// Transition of the guide point from toe to heel: half its duration and range of its middle, fractions of swing.
const TRANSITION: f64 = 0.25;
const TRANSITION_AT: [f64; 2] = [0.35, 0.70];
/// Clearance of the guide point in mid swing, m; increment and limit of raising it until the sole clears the ground, m.
const CLEARANCE: f64 = 0.008;
const RAISE_STEP: f64 = 0.001;
const MAX_RAISE: f64 = 0.3;
/// Horizontal clearance to stair edges, m.
const STAIR_CLEARANCE: f64 = 0.015;
/// Slope (dz/dx) treated like normal stairs.
pub(super) const STAIR_SLOPE: f64 = 0.27;

/// A stance phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StancePhase {
    pub print: Footprint,
    /// times of landing, foot flat, heel rise and toe-off
    pub land: f64,
    pub flat: f64,
    pub rise: f64,
    pub lift: f64,
    /// rise of its step in normal stairs; negative: landed on the toe edge
    pub stair: f64,
}

impl StancePhase {
    /// A stance with unknown end.
    fn new(print: Footprint, [land, flat]: [f64; 2], stair: f64) -> StancePhase {
        StancePhase { print, land, flat, rise: f64::INFINITY, lift: f64::INFINITY, stair }
    }

    /// Steepness of the ascent: 0 on level ground, 1 on normal stairs.
    pub fn climb(&self) -> f64 {
        self.stair.max(self.print.plane[1] / STAIR_SLOPE).clamp(0.0, 1.0)
    }
}

/// Sampled trajectory of a foot.
#[derive(Clone, Debug, Default)]
pub(crate) struct FootPath {
    pub samples: Vec<FootSample>,
    pub stances: Vec<StancePhase>,
}

/// Pose and contacts of a foot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FootSample {
    pub ankle: Vec3,
    pub turn: Quat,
    /// contact of heel and toe
    pub on: [bool; 2],
}

/// Pitch at heel strike and toe-off; heel rise before the other foot lands, s; time to foot flat, s.
pub(crate) fn angles(step: &Footstep, length: f64, scale: f64) -> [f64; 4] {
    let p = &step.parameters;
    let amount = step.style.determinants.foot;
    let [_, strike, off, early] = match p.kind {
        Kind::Walk => table(&ANGLES, length / scale, |u| u),
        Kind::Run => table(&RUN_ANGLES, p.speed, |u| u),
        Kind::Jump => JUMP_ANGLES,
    };
    let load = if p.kind == Kind::Walk {
        (LOADING_FRACTION * p.double).clamp(LOADING[0], LOADING[1])
    } else {
        0.25 * (p.step + p.double)
    };
    [amount * strike.to_radians(), amount.max(MIN_HEEL_RISE) * off.to_radians(), early, load]
}

/// Row of a table at a value of its first column: the first or last row beyond its ends, `blend` between two rows.
pub(super) fn table<const W: usize>(rows: &[[f64; W]], x: f64, blend: fn(f64) -> f64) -> [f64; W] {
    let n = rows.iter().position(|r| x < r[0]).unwrap_or(rows.len());
    if n == 0 || n == rows.len() {
        return rows[n.min(rows.len() - 1)];
    }
    let (a, b) = (&rows[n - 1], &rows[n]);
    let s = blend((x - a[0]) / (b[0] - a[0]));
    core::array::from_fn(|k| a[k] + s * (b[k] - a[k]))
}

/// Blend between long (0) and normal (1) steps.
pub(crate) fn normality(step: &Footstep, scale: f64) -> f64 {
    if step.parameters.kind != Kind::Walk {
        return 0.0;
    }
    1.0 - ((step.parameters.length / scale - NORMAL_TO_LONG[0]) / (NORMAL_TO_LONG[1] - NORMAL_TO_LONG[0]))
        .clamp(0.0, 1.0)
}

/// Trajectory of a foot every `dt`. `rises`: by stance, the latest time of heel rise.
pub(crate) fn path(
    all: &Footsteps,
    side: usize,
    sole: &SoleEdges,
    scale: f64,
    rises: &[f64],
    dt: f64,
) -> FootPath {
    let samples = (all.end / dt).round() as usize + 1;
    let mut built = PathBuilder { path: FootPath::default(), samples, dt };
    let mut here = StancePhase::new(all.start[side], [-1.0; 2], 0.0);
    for (k, s) in all.steps.iter().enumerate().filter(|(_, s)| s.side == side) {
        let before = k.checked_sub(1).map(|k| &all.steps[k]);
        let is_last = k + 1 == all.steps.len();
        let roll = Rollover::new(s, before, is_last, &here.print, scale);
        let latest = rises.get(built.path.stances.len()).copied().unwrap_or(f64::INFINITY);
        here.lift = s.lift;
        here.rise = roll.rise(s, before).min(latest).max(here.flat + 0.02).min(s.lift - 0.03);
        let [leaving, landing] = roll.pitches(s.lift - here.rise);
        let (from, to) = (here.print, s.print);

        // foot flat, then heel rise about the toe edge
        built.stand(here.rise, &from, sole);
        let rising = |t: f64| quintic(here.rise, s.lift, [0.0; 3], leaving, t);
        let at_toe = flat(&from, sole.toe);
        built.extend(s.lift, &|t| (at_toe, sole.toe, from.turn, rising(t)), [false, true]);

        // swing
        let edge = if roll.on_toe || roll.kind != Kind::Walk { sole.toe } else { sole.heel };
        let at_edge = flat(&to, edge);
        let swing = Swing {
            edge,
            span: [s.lift, s.land],
            ends: [at_toe, at_edge],
            turns: [from.turn, to.turn],
            pitches: [leaving, landing],
            sole,
            roll: &roll,
            raise: 0.0,
        }
        .raised(&all.profile, clearance(s, scale));
        built.extend(s.land, &|t| swing.at(t), [false; 2]);
        built.path.stances.push(here);

        // roll to foot flat about the landing edge
        let has_roll = roll.strike != 0.0;
        let until = if has_roll { s.land + roll.load } else { s.land };
        here = StancePhase::new(to, [s.land, until], stairs::steepness(s, scale));
        if has_roll {
            let falling = |t: f64| quintic(s.land, s.land + roll.load, landing, [0.0; 3], t);
            let on = [!roll.on_toe, roll.on_toe];
            built.extend(until, &|t| (at_edge, edge, to.turn, falling(t)), on);
        }
    }
    built.path.stances.push(here);
    built.stand(f64::INFINITY, &here.print, sole);
    built.path
}

/// World position of an edge of a flat sole.
fn flat(print: &Footprint, edge: Vec3) -> Vec3 {
    print.point(Vec3 { z: 0.0, ..edge })
}

/// A trajectory under construction.
struct PathBuilder {
    path: FootPath,
    samples: usize,
    dt: f64,
}

impl PathBuilder {
    /// Samples up to a time. `at`: guide point in the world and in the foot, heading and pitch of the foot; `on`: contact
    /// of heel and toe.
    fn extend(&mut self, until: f64, at: &dyn Fn(f64) -> (Vec3, Vec3, Quat, f64), on: [bool; 2]) {
        let samples = &mut self.path.samples;
        while samples.len() < self.samples && (samples.len() as f64 * self.dt) < until - 1e-9 {
            let (world, foot, turn, pitch) = at(samples.len() as f64 * self.dt);
            let turn = turn.then(Quat::about(vec3(0.0, 1.0, 0.0), -pitch));
            samples.push(FootSample { ankle: world - turn.rotate(foot), turn, on });
        }
    }

    fn stand(&mut self, until: f64, print: &Footprint, sole: &SoleEdges) {
        self.extend(until, &|_| (flat(print, sole.heel), sole.heel, print.turn, 0.0), [true; 2]);
    }
}

/// Foot rollover at toe-off and landing of a step.
struct Rollover {
    kind: Kind,
    on_stairs: bool,
    /// lands on the toe edge
    on_toe: bool,
    /// 1 normal steps, 0 long and steep ones
    normality: f64,
    /// pitch at landing, and time to foot flat, s
    strike: f64,
    load: f64,
    toe_off: ToeOff,
}

impl Rollover {
    fn new(s: &Footstep, before: Option<&Footstep>, is_last: bool, from: &Footprint, scale: f64) -> Rollover {
        let kind = s.parameters.kind;
        let travel = s.print.at - from.at;
        let behind = 0.5 * libm::hypot(travel.x, travel.y);
        let [mut strike, _, _, mut load] = angles(s, s.parameters.length, scale);
        if s.is_flat || is_last || 2.0 * behind < 0.15 || kind != Kind::Walk {
            strike = 0.0;
        }
        let on_toe = s.rise < 0.0;
        if on_toe {
            let [toe_down, part] = stairs::landing(-stairs::steepness(s, scale));
            (strike, load) = (-toe_down, part * s.parameters.double);
        }
        let on_stairs = s.rise != 0.0 || before.is_some_and(|b| b.rise != 0.0);
        let steep = (s.print.plane[1] / STAIR_SLOPE).clamp(0.0, 1.0);
        let normality = if on_stairs { 0.0 } else { normality(s, scale) * (1.0 - steep) };
        let [_, pitch, early, _] = angles(s, behind, scale);
        let rate = LONG_PITCH_RATE + normality * (PITCH_RATES[1] - LONG_PITCH_RATE);
        let mut toe_off = ToeOff { pitch, rate, early };
        if let Some(other) = before.filter(|_| on_stairs) {
            let swing = other.land - other.lift;
            let level = ToeOff { pitch: pitch.min(MAX_STAIR_PITCH), rate, early: early / swing };
            toe_off = stairs::toe_off([other, s].map(|s| stairs::steepness(s, scale)), level);
            toe_off.early *= swing;
        }
        if kind == Kind::Jump {
            toe_off.rate = JUMP_RATE;
        } else if before.is_none() {
            toe_off.pitch = toe_off.pitch.min(MAX_FIRST_PITCH);
        }
        Rollover { kind, on_stairs, on_toe, normality, strike, load, toe_off }
    }

    /// Time of heel rise without limit of dorsiflexion.
    fn rise(&self, s: &Footstep, before: Option<&Footstep>) -> f64 {
        match (before, self.kind) {
            (_, Kind::Jump) => s.lift - jump::HEEL_RISE,
            (None, _) => s.lift - 0.25,
            (Some(b), Kind::Walk) => b.land - self.toe_off.early,
            (Some(b), Kind::Run) => (b.land - self.toe_off.early).min(s.lift - 0.09),
        }
    }

    /// Pitch, pitch rate and acceleration at toe-off, `rising` after heel rise, and at landing.
    fn pitches(&self, rising: f64) -> [[f64; 3]; 2] {
        let ToeOff { pitch, rate, .. } = self.toe_off;
        let acceleration = self.normality * TOE_OFF_ACCELERATION * pitch / rising.powi(2);
        [
            [-pitch, -rate * pitch / rising, acceleration],
            [self.strike, -PITCH_RATES[0] * self.strike / self.load, 0.0],
        ]
    }
}

/// Foot clearance in mid swing, m.
fn clearance(s: &Footstep, scale: f64) -> f64 {
    let amount = s.style.determinants.swing_knee;
    let more = match s.parameters.kind {
        Kind::Walk => 0.0,
        Kind::Jump => jump::foot_lift(s, scale),
        Kind::Run => RUN_CLEARANCE * s.parameters.speed * scale * amount,
    };
    (CLEARANCE * amount + s.style.clearance) * scale + more
}

/// A swing phase.
#[derive(Clone, Copy)]
struct Swing<'a> {
    span: [f64; 2],
    /// landing edge of the sole, foot axes
    edge: Vec3,
    /// toe edge at toe-off, landing edge at landing
    ends: [Vec3; 2],
    turns: [Quat; 2],
    pitches: [[f64; 3]; 2],
    sole: &'a SoleEdges,
    roll: &'a Rollover,
    /// peak height added in mid swing
    raise: f64,
}

/// A bump of height 1 that peaks before mid swing.
fn early(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    3125.0 / 108.0 * s * s * (1.0 - s).powi(3)
}

impl Swing<'_> {
    /// Fraction of swing at a time.
    fn part(&self, t: f64) -> f64 {
        (t - self.span[0]) / (self.span[1] - self.span[0])
    }

    fn pitch(&self, t: f64) -> f64 {
        let s = self.part(t);
        let [[off, left, _], [strike, landed, _]] = self.pitches;
        if self.roll.on_stairs {
            let rest = quintic(self.span[0], self.span[1], [0.0, left, 0.0], [0.0, landed, 0.0], t);
            return off + (strike - off) * stairs::pitch_blend(s, self.is_up()) + rest;
        }
        quintic(self.span[0], self.span[1], self.pitches[0], self.pitches[1], t)
            - self.roll.normality * off * shaped(PITCH_SHAPE, s)
            - if self.roll.kind == Kind::Run { RUN_PITCH * early(s) } else { 0.0 }
    }

    fn is_up(&self) -> bool {
        self.ends[1].z > self.ends[0].z
    }

    /// Sign change of the pitch, fraction of swing.
    fn middle(&self) -> f64 {
        let at = |k: usize| self.span[0] + (self.span[1] - self.span[0]) * k as f64 / 50.0;
        let found = (0..=50).find(|k| self.pitch(at(*k)) > 0.0).unwrap_or(30);
        (found as f64 / 50.0).clamp(TRANSITION_AT[0], TRANSITION_AT[1])
    }

    /// Height added over the swing, relative to its peak.
    fn bump(&self, s: f64) -> f64 {
        match self.roll.kind {
            Kind::Walk => 16.0 * s * s * (1.0 - s) * (1.0 - s),
            Kind::Run => early(s),
            Kind::Jump => jump::foot_lift_curve(s),
        }
    }

    /// Guide point in the world and in the foot, heading and pitch of the foot.
    fn at(&self, t: f64) -> (Vec3, Vec3, Quat, f64) {
        let s = self.part(t).clamp(0.0, 1.0);
        // runs and jumps land flat: the guide point stays at the toe edge
        let is_walk = self.roll.kind == Kind::Walk;
        let change = if is_walk { ease((s - self.middle() + TRANSITION) / (2.0 * TRANSITION)) } else { 0.0 };
        let foot = self.sole.toe + (self.edge - self.sole.toe).scale(change);
        let [a, b] = self.ends;
        let bump = self.bump(s);
        let rise = b.z - a.z;
        let [ahead, up, back] = if self.roll.on_stairs {
            stairs::swing(s, self.is_up())
        } else {
            let normality = if is_walk { self.roll.normality } else { 0.0 };
            let unit = (b - a).norm() / (self.span[1] - self.span[0]).powi(2);
            let ends = [0, 1].map(|k| match is_walk {
                true => LONG_SWING[k] + normality * (SWING[k] - LONG_SWING[k]),
                false => RUN_SWING[k].min(MAX_RUN_ACCELERATION[k] / unit),
            });
            let progress = travel(ends, normality, s);
            [progress, progress, 0.0]
        };
        let mut world = a + (b - a).scale(ahead) - self.turns[0].rotate(vec3(back, 0.0, 0.0));
        world.z = a.z + rise * up + self.raise * bump;

        let turn = self.turns[0];
        let rotation = turn.inverse().then(self.turns[1]).log();
        let turn = if rotation.norm() > 0.0 { turn.then(Quat::exp(rotation.scale(ease(s)))) } else { turn };
        (world, foot, turn, self.pitch(t))
    }

    /// The swing raised until both edges of the sole clear the ground.
    fn raised(mut self, profile: &TerrainProfile, clearance: f64) -> Self {
        self.raise = clearance;
        while self.raise < MAX_RAISE && !self.is_clear(profile, 0.25 * clearance) {
            self.raise += RAISE_STEP;
        }
        self
    }

    fn is_clear(&self, profile: &TerrainProfile, clearance: f64) -> bool {
        (3..=47).all(|k| {
            let s = k as f64 / 50.0;
            let t = self.span[0] + s * (self.span[1] - self.span[0]);
            let (world, foot, turn, pitch) = self.at(t);
            let turn = turn.then(Quat::about(vec3(0.0, 1.0, 0.0), -pitch));
            let bump = self.bump(s);
            [self.sole.heel, self.sole.toe].iter().all(|edge| {
                let p = world + turn.rotate(*edge - foot);
                let margin = if (0.1..0.9).contains(&s) { STAIR_CLEARANCE } else { 0.0 };
                p.z > profile.highest(p.x, margin) + clearance * bump + 2e-4 * (1.0 - (2.0 * s - 1.0).abs())
            })
        })
    }
}

/// From 0 to 1, at rest at both ends, with given acceleration at the start and deceleration at the end.
fn travel([a, b]: [f64; 2], normality: f64, s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    // c2 s^2 + ... + c5 s^5 with x(1) = 1, x'(1) = 0, x''(1) = -b
    let c2 = 0.5 * a;
    let (p, q, r) = (1.0 - c2, -2.0 * c2, -b - 2.0 * c2);
    let c5 = 0.5 * r - 3.0 * q + 6.0 * p;
    let c4 = q - 3.0 * p - 2.0 * c5;
    let c3 = p - c4 - c5;
    s * s * (c2 + s * (c3 + s * (c4 + s * c5))) + normality * shaped(SWING_SHAPE, s)
}

/// (a + b (2 s - 1)) s^3 (1 - s)^3.
fn shaped([a, b]: [f64; 2], s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    (s * (1.0 - s)).powi(3) * (a + b * (2.0 * s - 1.0))
}

/// Quintic with given value, rate and acceleration at both ends of a span.
pub(crate) fn quintic(from: f64, to: f64, a: [f64; 3], b: [f64; 3], t: f64) -> f64 {
    crate::ease::quintic([from, to], [f64::INFINITY; 3], [a, b], t)
}
