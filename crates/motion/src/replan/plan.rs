//! A path of the centre of mass on which the ground can carry the figure.
//!
//! With l = 1 + c_z''/g the load and p the centre of pressure (`keyed::balance` has the equations), wanted are small
//! changes u(t) of c, as cubic B-splines in time, with
//!   in flight      c_z'' = -g, c_x'' = c_y'' = 0;
//!   on the ground  l within bounds, l p within l times the hull of what touches, |(c_x'', c_y'')| < friction g l.
//! Heights first; given them the rest is linear in u. All of it is soft, so that there is always an answer.

use super::centroid::Moving;
use crate::hull;
use crate::program::{Basis, Form, Program, Weights, solve};
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Pieces of the splines, s.
const PIECE: f64 = 0.03;
/// Changes of the path are held near zero by this, m...
const SHIFT: f64 = 0.02;
/// ...and their accelerations by this, m/s2.
const RATE: f64 = 3.0;
/// Near the ends of a motion, s, they are held firmer by up to this.
const NEAR_END: f64 = 0.2;
const FIRM: f64 = 1e3;
/// In flight accelerations are met within this, m/s2.
const EXACT: f64 = 0.02;
/// Load on the ground, body weights.
const LOAD: [f64; 2] = [0.1, 3.5];
/// The centre of pressure keeps to this part of what touches, from its middle.
const INSIDE: f64 = 0.85;
/// Force along the ground, parts of the load.
const FRICTION: f64 = 0.6;
/// What is missing of a load, body weights, or of a moment, m body weights, costs as much as a shift of [`SHIFT`].
const SLACK: f64 = 0.01;

/// What stands in a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Support {
    /// middle of what touches
    pub middle: Vec3,
    /// hull around it
    pub hull: Vec<[f64; 2]>,
    /// whether nothing is known of forces here: near the ends of a motion its derivatives are poor
    pub is_end: bool,
    /// whether it begins or ends to fly here, so that anything from nothing to a load is right
    pub is_edge: bool,
}

impl Support {
    pub fn of(points: &[Vec3], is_edge: bool, is_end: bool) -> Support {
        let (middle, hull) = hull::around(points);
        Support { middle, hull, is_end, is_edge }
    }

    fn flies(&self) -> bool {
        self.hull.is_empty()
    }
}

/// Looks for paths of one motion.
pub(super) struct Plan<'a> {
    pub supports: &'a [Support],
    pub dt: f64,
    /// m/s2
    pub gravity: f64,
    /// N
    pub weight: f64,
}

impl Plan<'_> {
    /// Changes of the path of what a figure does now; changes are small against what it did first.
    pub fn changes(&self, first: &[Moving], now: &[Moving]) -> Vec<Vec3> {
        let basis = Basis::over((now.len().max(2) - 1) as f64 * self.dt, PIECE, false);
        let at: Vec<Weights> = (0..now.len()).map(|f| basis.at(f as f64 * self.dt)).collect();
        let rise = self.rise(basis.len(), &at, first, now);
        let risen: Vec<Moving> = now
            .iter()
            .zip(&at)
            .map(|(m, at)| {
                let mut m = *m;
                m.center.z += value(&rise, at);
                m.acceleration.z += bend(&rise, at);
                m
            })
            .collect();
        let [x, y] = self.level(basis.len(), &at, first, &risen);
        at.iter().map(|at| vec3(value(&x, at), value(&y, at), value(&rise, at))).collect()
    }

    /// Heights.
    fn rise(&self, n: usize, at: &[Weights], first: &[Moving], now: &[Moving]) -> Vec<f64> {
        let mut program = Program::new(n);
        for (f, m) in now.iter().enumerate() {
            self.hold(
                &mut program,
                f,
                &at[f],
                [m.center.z - first[f].center.z, m.acceleration.z - first[f].acceleration.z],
            );
            let load = bent(&at[f]).plus(m.acceleration.z + self.gravity).times(1.0 / self.gravity);
            if self.is_free(f) {
                program.wish(&load, (self.gravity / EXACT).powi(2));
            }
            program.keep(load);
        }
        let project = |f: usize, [load]: [f64; 1]| {
            [load.clamp(self.least(f), if self.is_free(f) { 0.0 } else { LOAD[1] })]
        };
        let [found] = solve(&[program], SLACK.powi(-2), [vec![0.0; n]], project);
        found
    }

    /// Along the ground.
    fn level(&self, n: usize, at: &[Weights], first: &[Moving], now: &[Moving]) -> [Vec<f64>; 2] {
        let of = |v: Vec3, k: usize| v.to_array()[k];
        let programs = [0, 1].map(|axis| {
            // a moment about +y shifts the pressure back, one about +x to the left
            let sign = if axis == 0 { -1.0 } else { 1.0 };
            let mut program = Program::new(n);
            for (f, m) in now.iter().enumerate() {
                let (at, support) = (&at[f], &self.supports[f]);
                let apart = |of_moving: fn(&Moving) -> Vec3| of(of_moving(m) - of_moving(&first[f]), axis);
                self.hold(&mut program, f, at, [apart(|m| m.center), apart(|m| m.acceleration)]);
                let along = bent(at).plus(of(m.acceleration, axis));
                if self.is_free(f) {
                    program.wish(&along, EXACT.powi(-2));
                }
                let along = along.times(1.0 / self.gravity);
                program.keep(along.clone());
                if support.flies() {
                    program.keep(Form::default());
                    continue;
                }
                let pressure = shifted(at).plus(of(m.center - support.middle, axis)).times(self.load(f, m));
                let height = m.center.z - support.middle.z;
                let about = sign * of(m.moment, 1 - axis) / self.weight;
                program.keep(pressure.with(along.times(-height)).plus(about));
            }
            program
        });
        let project = |row: usize, p: [f64; 2]| {
            let (f, load) = (row / 2, self.load(row / 2, &now[row / 2]));
            if self.supports[f].is_end {
                return p;
            }
            if row % 2 == 1 {
                return hull::nearest(&self.supports[f].hull, load * INSIDE, p);
            }
            let long = (p[0] * p[0] + p[1] * p[1]).sqrt().max(f64::MIN_POSITIVE);
            p.map(|x| x * (FRICTION * load / long).min(1.0))
        };
        solve(&programs, SLACK.powi(-2), [vec![0.0; n], vec![0.0; n]], project)
    }

    /// Keeps the change small, of which there is some already, and smaller near the ends of the motion.
    fn hold(&self, program: &mut Program, f: usize, at: &Weights, [shift, rate]: [f64; 2]) {
        let from_end = f.min(self.supports.len() - 1 - f) as f64 * self.dt;
        let firm = 1.0 + FIRM * (1.0 - from_end / NEAR_END).max(0.0).powi(2);
        program.wish(&shifted(at).plus(shift), firm * SHIFT.powi(-2));
        program.wish(&bent(at).plus(rate), firm * RATE.powi(-2));
    }

    /// Whether it flies, and not only just.
    fn is_free(&self, f: usize) -> bool {
        self.supports[f].flies() && !self.supports[f].is_edge && !self.supports[f].is_end
    }

    fn least(&self, f: usize) -> f64 {
        if self.supports[f].flies() || self.supports[f].is_edge { 0.0 } else { LOAD[0] }
    }

    fn load(&self, f: usize, m: &Moving) -> f64 {
        if self.is_free(f) {
            0.0
        } else {
            (1.0 + m.acceleration.z / self.gravity).clamp(self.least(f), LOAD[1])
        }
    }

    /// What the ground cannot give of what a figure does: of forces, body weights, and of moments, m body weights, root
    /// mean square.
    pub fn missing(&self, moving: &[Moving]) -> f64 {
        let mut sum = 0.0;
        for (f, m) in moving.iter().enumerate().filter(|(f, _)| !self.supports[*f].is_end) {
            let (support, load) = (&self.supports[f], 1.0 + m.acceleration.z / self.gravity);
            let along = [m.acceleration.x, m.acceleration.y].map(|a| a / self.gravity);
            if support.flies() {
                let turns = m.moment.norm() / self.weight;
                sum += load * load + along[0] * along[0] + along[1] * along[1] + turns * turns;
                continue;
            }
            let (d, z) = (m.center - support.middle, m.center.z - support.middle.z);
            let p = [
                load * d.x - z * along[0] - m.moment.y / self.weight,
                load * d.y - z * along[1] + m.moment.x / self.weight,
            ];
            let there = hull::nearest(&support.hull, load.max(0.0), p);
            sum += load.min(0.0).powi(2) + (p[0] - there[0]).powi(2) + (p[1] - there[1]).powi(2);
        }
        (sum / moving.len().max(1) as f64).sqrt()
    }
}

fn shifted(at: &Weights) -> Form {
    Form { entries: at.iter().map(|(i, w, _)| (*i, *w)).collect(), offset: 0.0 }
}

fn bent(at: &Weights) -> Form {
    Form { entries: at.iter().map(|(i, _, w)| (*i, *w)).collect(), offset: 0.0 }
}

fn value(c: &[f64], at: &Weights) -> f64 {
    at.iter().map(|(i, w, _)| w * c[*i]).sum()
}

fn bend(c: &[f64], at: &Weights) -> f64 {
    at.iter().map(|(i, _, w)| w * c[*i]).sum()
}
