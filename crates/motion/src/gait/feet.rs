//! Paths of the feet: they stand flat, rise about the toe, swing, land on the heel and roll down.
//!
//! A point of the sole guides the foot: it rests at the toe's edge until toe off and at the heel's edge from heel
//! strike; in swing its place in the foot goes from toe to heel while the pitch changes its sign, and its place in the
//! world goes from the one edge to the other along a polynomial of degree five in time. So nothing leaps, and the foot
//! lands without speed. How far the foot is pitched grows with the step.
//! Source: our own; angles after [W2009: kinematics].

use super::ground::{Print, Profile};
use super::jump;
use super::parameter::Kind;
use super::puppet::Sole;
use super::stairs::{self, Leave};
use super::steps::{Step, Steps};
use crate::ease::step as ease;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// Angles by length of step (for legs of 0.89 m): length; toe up at heel strike; heel up at toe off, deg; and for how
/// long the heel is up before the other foot lands, s.
const ANGLES: [[f64; 4]; 5] = [
    [0.25, 0.0, 0.0, 0.000],
    [0.40, 9.6, 26.3, 0.000],
    [0.60, 20.4, 55.0, 0.118],
    [0.75, 26.5, 67.0, 0.150],
    [0.95, 32.0, 59.0, 0.090],
];
/// The same for running, by speed, m/s.
const RUN_ANGLES: [[f64; 4]; 3] = [[1.0, 0.0, 30.0, 0.10], [3.0, 0.0, 52.0, 0.11], [6.0, 0.0, 60.0, 0.10]];
/// Feet of runs leave and come down with these accelerations, in way / time^2, but no more than hips can give, m/s2; are
/// raised by this, m per m/s; and go on to be pitched with the shank by this, rad.
const RUN_SWING: [f64; 2] = [10.0, 14.0];
const RUN_HARD: [f64; 2] = [70.0, 85.0];
const RUN_RAISE: f64 = 0.03;
const RUN_PITCH: f64 = 0.15;
/// The same for jumps, and their pitch rate when toes leave.
const JUMP_ANGLES: [f64; 4] = [0.0, 0.0, 38.0, 0.0];
const JUMP_RATE: f64 = 0.4;
/// Heels rise by this part of the usual even of feet that are not to roll: ankles bend no farther.
const RISES: f64 = 0.55;
/// From heel strike to flat, s.
const LOAD: [f64; 2] = [0.09, 0.16];
/// ...as part of double support.
const LOAD_PART: f64 = 0.87;
/// Pitch rates at heel strike and toe off, in angle / time of rolling, and how the latter changes, in angle / time^2.
const RATES: [f64; 2] = [1.01, 1.98];
const RATE_GROWS: f64 = 0.58;
/// Acceleration with which the guiding point leaves, and deceleration with which it comes down, in way / time^2.
const SWING: [f64; 2] = [1.27, 5.75];
/// The same for long steps, the pitch rate at toe off of those, and which are usual and which long, m.
const LONG_SWING: [f64; 2] = [4.5, 4.5];
const LONG_RATE: f64 = 1.25;
const LONG: [f64; 2] = [0.74, 1.03];
/// What is added to its way, parts of the way, and to the pitch, parts of that at toe off: (a + b (2 s - 1)) s^3 (1 - s)^3.
const SWING_SHAPE: [f64; 2] = [11.8, -10.0];
const PITCH_SHAPE: [f64; 2] = [10.6, -70.2];
/// Half of the part of the swing in which the guiding point changes, and where its middle may be.
const CHANGE: f64 = 0.25;
const CHANGE_AT: [f64; 2] = [0.35, 0.70];
/// Clearance of the guiding point in mid swing, m, and what it is raised by until all corners clear the ground.
const CLEAR: f64 = 0.008;
const RAISE: f64 = 0.001;
const RAISE_MOST: f64 = 0.3;
/// Heels rise so far on stairs, rad.
const OFF_STAIRS: f64 = 0.7;
/// Feet keep this far from edges of stairs, m.
const BESIDE: f64 = 0.015;
/// Slopes of this dz/dx are as steep as stairs.
pub(super) const STEEP: f64 = 0.27;
/// Toes lift with this little pitch in the first step, rad.
const FIRST: f64 = 0.17;

/// A time on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stance {
    pub print: Print,
    /// heel strike, sole flat, heel rise, toe off
    pub land: f64,
    pub flat: f64,
    pub rise: f64,
    pub lift: f64,
    /// usual stairs that it landed above the other foot; below zero on its toe's edge
    pub stair: f64,
}

impl Stance {
    /// On the ground from landing and flat on it; when it leaves is not known yet.
    fn new(print: Print, [land, flat]: [f64; 2], stair: f64) -> Stance {
        Stance { print, land, flat, rise: f64::INFINITY, lift: f64::INFINITY, stair }
    }

    /// How steep it goes up: 0 on level ground, 1 on usual stairs.
    pub fn climb(&self) -> f64 {
        self.stair.max(self.print.plane[1] / STEEP).clamp(0.0, 1.0)
    }
}

/// A foot over time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub ankle: Vec<Vec3>,
    pub turn: Vec<Quat>,
    /// toe up
    pub pitch: Vec<f64>,
    pub heel_on: Vec<bool>,
    pub toe_on: Vec<bool>,
    pub stances: Vec<Stance>,
}

/// Angles of a step: at heel strike, at toe off; heel up before the other foot lands, s; time to flat, s.
pub(crate) fn angles(step: &Step, length: f64, scale: f64) -> [f64; 4] {
    let p = &step.parameters;
    let amount = step.style.determinants.foot;
    let [_, strike, off, early] = match p.kind {
        Kind::Walk => table(&ANGLES, length / scale),
        Kind::Run => table(&RUN_ANGLES, p.speed),
        Kind::Jump => JUMP_ANGLES,
    };
    let load = if p.kind == Kind::Walk {
        (LOAD_PART * p.double).clamp(LOAD[0], LOAD[1])
    } else {
        0.25 * (p.step + p.double)
    };
    [amount * strike.to_radians(), amount.max(RISES) * off.to_radians(), early, load]
}

fn table<const N: usize>(rows: &[[f64; 4]; N], x: f64) -> [f64; 4] {
    let n = rows.iter().position(|r| x < r[0]).unwrap_or(N);
    if n == 0 || n == N {
        return rows[n.min(N - 1)];
    }
    let (a, b) = (&rows[n - 1], &rows[n]);
    let s = (x - a[0]) / (b[0] - a[0]);
    core::array::from_fn(|k| a[k] + s * (b[k] - a[k]))
}

/// 1 for usual steps, 0 for long ones.
pub(crate) fn ease_of(step: &Step, scale: f64) -> f64 {
    if step.parameters.kind != Kind::Walk {
        return 0.0;
    }
    1.0 - ((step.parameters.length / scale - LONG[0]) / (LONG[1] - LONG[0])).clamp(0.0, 1.0)
}

/// How a foot leaves for a step, on stairs after the step of the other foot; when the heel rises in s.
fn leave(step: &Step, other: Option<&Step>, behind: f64, scale: f64, easy: f64) -> Leave {
    let [_, off, early, _] = angles(step, behind, scale);
    let rate = LONG_RATE + easy * (RATES[1] - LONG_RATE);
    let Some(other) = other else { return Leave { off, rate, early } };
    let swing = other.land - other.lift;
    let level = Leave { off: off.min(OFF_STAIRS), rate, early: early / swing };
    let leave = stairs::leave([other, step].map(|s| stairs::part(s, scale)), level);
    Leave { early: leave.early * swing, ..leave }
}

/// Paths of both feet, sampled every `dt` until the end. `rises`: by foot and stance, when the heel rises at the latest.
pub(crate) fn paths(
    steps: &Steps,
    soles: &[Sole; 2],
    scale: f64,
    rises: &[Vec<f64>; 2],
    dt: f64,
) -> [Path; 2] {
    [0, 1].map(|side| path(steps, side, &soles[side], scale, &rises[side], dt))
}

fn path(all: &Steps, side: usize, sole: &Sole, scale: f64, rises: &[f64], dt: f64) -> Path {
    let samples = (all.end / dt).round() as usize + 1;
    let mut film = Film { path: Path::default(), samples, dt };
    let mut here = Stance::new(all.start[side], [-1.0; 2], 0.0);
    for (k, s) in all.steps.iter().enumerate().filter(|(_, s)| s.side == side) {
        let before = k.checked_sub(1).map(|k| &all.steps[k]);
        let is_last = k + 1 == all.steps.len();
        let roll = Roll::of(s, before, is_last, &here.print, scale);
        let latest = rises.get(film.path.stances.len()).copied().unwrap_or(f64::INFINITY);
        here.lift = s.lift;
        here.rise = roll.rise(s, before).min(latest).max(here.flat + 0.02).min(s.lift - 0.03);
        let [leaving, landing] = roll.pitches(s.lift - here.rise);
        let (from, to) = (here.print, s.print);

        // flat, then up about the toe
        film.stand(here.rise, &from, sole);
        let rising = |t: f64| quintic(here.rise, s.lift, [0.0; 3], leaving, t);
        let at_toe = flat(&from, sole.toe);
        film.put(s.lift, &|t| (at_toe, sole.toe, from.turn, rising(t)), [false, true]);

        // in the air
        let edge = if roll.on_toe || s.parameters.kind != Kind::Walk { sole.toe } else { sole.heel };
        let at_edge = flat(&to, edge);
        let swing = Swing {
            edge,
            span: [s.lift, s.land],
            ends: [at_toe, at_edge],
            turns: [from.turn, to.turn],
            pitches: [leaving, landing],
            sole,
            raise: 0.0,
            easy: roll.easy,
            kind: s.parameters.kind,
            is_stair: roll.on_stairs,
        }
        .raised(&all.profile, clearance(s, scale));
        film.put(s.land, &|t| swing.at(t), [false; 2]);
        film.path.stances.push(here);

        // down about the edge it landed on
        let has_roll = roll.strike != 0.0;
        let until = if has_roll { s.land + roll.load } else { s.land };
        here = Stance::new(to, [s.land, until], stairs::part(s, scale));
        if has_roll {
            let falling = |t: f64| quintic(s.land, s.land + roll.load, landing, [0.0; 3], t);
            let on = [!roll.on_toe, roll.on_toe];
            film.put(until, &|t| (at_edge, edge, to.turn, falling(t)), on);
        }
    }
    film.path.stances.push(here);
    film.stand(f64::INFINITY, &here.print, sole);
    film.path
}

/// Where an edge of a sole is that stands flat.
fn flat(print: &Print, edge: Vec3) -> Vec3 {
    print.point(Vec3 { z: 0.0, ..edge })
}

/// A path that grows.
struct Film {
    path: Path,
    samples: usize,
    dt: f64,
}

impl Film {
    /// On to a time. `at`: a point in the world, the same in the foot, the foot's heading, its pitch; `on`: heel, toe.
    fn put(&mut self, until: f64, at: &dyn Fn(f64) -> (Vec3, Vec3, Quat, f64), on: [bool; 2]) {
        let path = &mut self.path;
        while path.ankle.len() < self.samples && (path.ankle.len() as f64 * self.dt) < until - 1e-9 {
            let (world, foot, turn, pitch) = at(path.ankle.len() as f64 * self.dt);
            let turn = turn.then(Quat::about(vec3(0.0, 1.0, 0.0), -pitch));
            path.ankle.push(world - turn.rotate(foot));
            path.turn.push(turn);
            path.pitch.push(pitch);
            path.heel_on.push(on[0]);
            path.toe_on.push(on[1]);
        }
    }

    fn stand(&mut self, until: f64, print: &Print, sole: &Sole) {
        self.put(until, &|_| (flat(print, sole.heel), sole.heel, print.turn, 0.0), [true; 2]);
    }
}

/// How a foot leaves the ground for a step and how it comes down.
struct Roll {
    kind: Kind,
    on_stairs: bool,
    /// it lands on the toe's edge
    on_toe: bool,
    /// 1 for usual steps, 0 for long and steep ones
    easy: f64,
    /// pitch when it lands, and time until it is flat, s
    strike: f64,
    load: f64,
    leave: Leave,
}

impl Roll {
    fn of(s: &Step, before: Option<&Step>, is_last: bool, from: &Print, scale: f64) -> Roll {
        let kind = s.parameters.kind;
        let way = s.print.at - from.at;
        let behind = 0.5 * libm::hypot(way.x, way.y);
        let [mut strike, _, _, mut load] = angles(s, s.parameters.length, scale);
        if s.is_flat || is_last || 2.0 * behind < 0.15 || kind != Kind::Walk {
            strike = 0.0;
        }
        let on_toe = s.rise < 0.0;
        if on_toe {
            let [toe_down, part] = stairs::land(-stairs::part(s, scale));
            (strike, load) = (-toe_down, part * s.parameters.double);
        }
        let on_stairs = s.rise != 0.0 || before.is_some_and(|b| b.rise != 0.0);
        let steep = (s.print.plane[1] / STEEP).clamp(0.0, 1.0);
        let easy = if on_stairs { 0.0 } else { ease_of(s, scale) * (1.0 - steep) };
        let mut leave = leave(s, before.filter(|_| on_stairs), behind, scale, easy);
        if kind == Kind::Jump {
            leave.rate = JUMP_RATE;
        } else if before.is_none() {
            leave.off = leave.off.min(FIRST);
        }
        Roll { kind, on_stairs, on_toe, easy, strike, load, leave }
    }

    /// When the heel would rise.
    fn rise(&self, s: &Step, before: Option<&Step>) -> f64 {
        match (before, self.kind) {
            (_, Kind::Jump) => s.lift - jump::HEELS,
            (None, _) => s.lift - 0.25,
            (Some(b), Kind::Walk) => b.land - self.leave.early,
            (Some(b), Kind::Run) => (b.land - self.leave.early).min(s.lift - 0.09),
        }
    }

    /// Pitch, its rate and its acceleration at toe off, `rising` after the heel rose, and at landing.
    fn pitches(&self, rising: f64) -> [[f64; 3]; 2] {
        let Leave { off, rate, .. } = self.leave;
        let grows = self.easy * RATE_GROWS * off / rising.powi(2);
        [[-off, -rate * off / rising, grows], [self.strike, -RATES[0] * self.strike / self.load, 0.0]]
    }
}

/// How far a foot is to clear the ground in mid swing, m.
fn clearance(s: &Step, scale: f64) -> f64 {
    (CLEAR * s.style.determinants.swing_knee + s.style.clearance) * scale + raise_in_flight(s, scale)
}

/// A foot in the air.
#[derive(Clone, Copy)]
struct Swing<'a> {
    span: [f64; 2],
    /// edge of the sole on which it lands
    edge: Vec3,
    /// toe's edge where it left, that edge where it lands
    ends: [Vec3; 2],
    turns: [Quat; 2],
    pitches: [[f64; 3]; 2],
    sole: &'a Sole,
    /// height of the bump in the middle
    raise: f64,
    is_stair: bool,
    /// 1 for usual steps, 0 for long ones
    easy: f64,
    kind: Kind,
}

/// A bump of height 1 before the middle of the swing.
fn early(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    3125.0 / 108.0 * s * s * (1.0 - s).powi(3)
}

/// How far a foot of a run or of a jump is raised, m.
fn raise_in_flight(step: &Step, scale: f64) -> f64 {
    match step.parameters.kind {
        Kind::Walk => 0.0,
        Kind::Jump => jump::drawn(step, scale),
        Kind::Run => RUN_RAISE * step.parameters.speed * scale * step.style.determinants.swing_knee,
    }
}

impl Swing<'_> {
    fn pitch(&self, t: f64) -> f64 {
        let s = (t - self.span[0]) / (self.span[1] - self.span[0]);
        let [off, _, _] = self.pitches[0];
        if self.is_stair {
            let [[off, left, _], [strike, landed, _]] = self.pitches;
            let rest = quintic(self.span[0], self.span[1], [0.0, left, 0.0], [0.0, landed, 0.0], t);
            return off + (strike - off) * stairs::levelled(s, self.is_up()) + rest;
        }
        quintic(self.span[0], self.span[1], self.pitches[0], self.pitches[1], t)
            - self.easy * off * shaped(PITCH_SHAPE, s)
            - if self.kind == Kind::Run { RUN_PITCH * early(s) } else { 0.0 }
    }

    fn is_up(&self) -> bool {
        self.ends[1].z > self.ends[0].z
    }

    /// Where the pitch changes its sign, part of the swing.
    fn middle(&self) -> f64 {
        let at = |k: usize| self.span[0] + (self.span[1] - self.span[0]) * k as f64 / 50.0;
        let found = (0..=50).find(|k| self.pitch(at(*k)) > 0.0).unwrap_or(30);
        (found as f64 / 50.0).clamp(CHANGE_AT[0], CHANGE_AT[1])
    }

    /// How the foot is raised over the swing, at most 1.
    fn bump(&self, s: f64) -> f64 {
        match self.kind {
            Kind::Walk => 16.0 * s * s * (1.0 - s) * (1.0 - s),
            Kind::Run => early(s),
            Kind::Jump => jump::rise_of_feet(s),
        }
    }

    /// A point in the world, the same in the foot, the foot's heading, its pitch.
    fn at(&self, t: f64) -> (Vec3, Vec3, Quat, f64) {
        let s = ((t - self.span[0]) / (self.span[1] - self.span[0])).clamp(0.0, 1.0);
        // soles that fly come down flat: the toe's edge guides them all the way
        let change =
            if self.kind != Kind::Walk { 0.0 } else { ease((s - self.middle() + CHANGE) / (2.0 * CHANGE)) };
        let foot = self.sole.toe + (self.edge - self.sole.toe).scale(change);
        let [a, b] = self.ends;
        let bump = self.bump(s);
        let rise = b.z - a.z;
        let [ahead, up, back] = match (self.is_stair, self.kind) {
            (true, _) => stairs::swing(s, self.is_up()),
            (false, Kind::Walk) => {
                let ends = [0, 1].map(|k| LONG_SWING[k] + self.easy * (SWING[k] - LONG_SWING[k]));
                let way = travel(ends, self.easy, s);
                [way, way, 0.0]
            }
            (false, _) => {
                let unit = (b - a).norm() / (self.span[1] - self.span[0]).powi(2);
                let ends = [0, 1].map(|k| RUN_SWING[k].min(RUN_HARD[k] / unit));
                let way = travel(ends, 0.0, s);
                [way, way, 0.0]
            }
        };
        let mut world = a + (b - a).scale(ahead) - self.turns[0].rotate(vec3(back, 0.0, 0.0));
        world.z = a.z + rise * up + self.raise * bump;

        let turn = self.turns[0];
        let way = turn.inverse().then(self.turns[1]).log();
        let turn = if way.norm() > 0.0 { turn.then(Quat::exp(way.scale(ease(s)))) } else { turn };
        (world, foot, turn, self.pitch(t))
    }

    /// The same, high enough for all corners of the sole to clear the ground.
    fn raised(mut self, profile: &Profile, clearance: f64) -> Self {
        self.raise = clearance;
        while self.raise < RAISE_MOST && !self.is_clear(profile, 0.25 * clearance) {
            self.raise += RAISE;
        }
        self
    }

    fn is_clear(&self, profile: &Profile, clearance: f64) -> bool {
        (3..=47).all(|k| {
            let s = k as f64 / 50.0;
            let t = self.span[0] + s * (self.span[1] - self.span[0]);
            let (world, foot, turn, pitch) = self.at(t);
            let turn = turn.then(Quat::about(vec3(0.0, 1.0, 0.0), -pitch));
            let bump = self.bump(s);
            [self.sole.heel, self.sole.toe].iter().all(|edge| {
                let p = world + turn.rotate(*edge - foot);
                let near = if (0.1..0.9).contains(&s) { BESIDE } else { 0.0 };
                p.z > profile.highest(p.x, near) + clearance * bump + 2e-4 * (1.0 - (2.0 * s - 1.0).abs())
            })
        })
    }
}

/// From 0 to 1, at rest at both ends, leaving and arriving with two accelerations.
fn travel([a, b]: [f64; 2], easy: f64, s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    // c2 s^2 + ... + c5 s^5 with x(1) = 1, x'(1) = 0, x''(1) = -b
    let c2 = 0.5 * a;
    let (p, q, r) = (1.0 - c2, -2.0 * c2, -b - 2.0 * c2);
    let c5 = 0.5 * r - 3.0 * q + 6.0 * p;
    let c4 = q - 3.0 * p - 2.0 * c5;
    let c3 = p - c4 - c5;
    s * s * (c2 + s * (c3 + s * (c4 + s * c5))) + easy * shaped(SWING_SHAPE, s)
}

/// (a + b (2 s - 1)) s^3 (1 - s)^3.
fn shaped([a, b]: [f64; 2], s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    (s * (1.0 - s)).powi(3) * (a + b * (2.0 * s - 1.0))
}

/// Through value, rate and acceleration at both ends of a span.
pub(crate) fn quintic(from: f64, to: f64, a: [f64; 3], b: [f64; 3], t: f64) -> f64 {
    crate::ease::quintic([from, to], [f64::INFINITY; 3], [a, b], t)
}
