//! Validity of contact forces regardless of the solver, and projection onto valid forces as a last resort.
//!
//! Computes  the largest violation of [NY2000J eq. 24-26, 31, 33] over all contacts, yaw at the true centre of pressure
//! with the radius of `region`.
//! Checked by: `tests/it/contact_solver.rs`.

use super::check::Problem;
use super::face::{Face, Six, dot6, norm3};
use super::hypothesis::Hypothesis;
use super::region::yaw_of;

/// Largest violations over all contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Violations {
    /// pulling, pressure outside the region, friction and yaw beyond the limit at the true centre of pressure; relative
    /// to the load, moments at a lever of 0.1 m
    pub force: f64,
    /// a penetrating point, m/s
    pub velocity: f64,
    /// force across a gap, friction that does not oppose the slip: the smaller of m/s and part of the load
    pub complementarity: f64,
}

impl Problem {
    /// Projects invalid forces onto valid ones: pressure into the region, friction and yaw moments onto their limit at
    /// the true centre of pressure. The remainder becomes slip or a velocity error. Returns whether anything changed.
    pub fn make_valid(&mut self) -> bool {
        let mut is_cut = false;
        for (((face, hy), p), u) in self.faces.iter().zip(&mut self.modes).zip(&mut self.p).zip(&self.u) {
            if p[2] <= 1e-12 {
                is_cut |= *p != [0.0; 6] && p[2] < 0.0;
                *p = [0.0; 6];
                continue;
            }
            let places = &face.places[..face.count];
            let set = match hy.set | face.touching(u, 1e-6) {
                0 => face.all(),
                set => set,
            };
            let near = face.hull_of(set).nearest(places, Face::pressure_center(p));
            if near.distance > 0.0 {
                is_cut |= near.distance > 1e-9;
                (p[3], p[4]) = (near.place[1] * p[2], -near.place[0] * p[2]);
            }
            // contacts may change when forces are clamped: these points are loaded
            if hy.set == 0 || face.hull_of(hy.set).nearest(places, near.place).distance > 0.0 {
                hy.set = set;
            }
            let limit = face.static_friction * p[2];
            let size = norm2(p);
            if size > limit {
                is_cut |= size > limit * (1.0 + 1e-9);
                let yaw = p[5] - yaw_of(near.place, [p[0], p[1]]);
                (0..2).for_each(|k| p[k] *= limit / size);
                p[5] = yaw + yaw_of(near.place, [p[0], p[1]]);
            }
            if face.friction_rows() == 0 {
                continue;
            }
            let places = &face.places[..face.count];
            let center = near.place;
            let d = face.hull.yaw_radius(places, center);
            let tangential = [p[0], p[1]];
            let yaw = p[5] - yaw_of(center, tangential);
            let limit = face.static_friction * p[2];
            let left = limit * limit - p[0] * p[0] - p[1] * p[1];
            let room = d * left.max(0.0).sqrt();
            if yaw.abs() > room * (1.0 + 1e-12) {
                p[5] = yaw_of(center, tangential) + room.copysign(yaw);
                is_cut = true;
            }
        }
        if is_cut {
            self.move_by_impulses();
        }
        is_cut
    }

    /// Scales inexact impulses down so that they add no energy; returns whether it had to. Scaled by s they change the energy
    /// by  s p . u_free + s^2 p . G p / 2,  and forces stay valid.
    pub(super) fn limit_energy(&mut self) -> bool {
        let (mut given, mut answered) = (0.0, 0.0);
        for ((p, u), free) in self.p.iter().zip(&self.u).zip(&self.free) {
            given += dot6(p, free);
            answered += dot6(p, u) - dot6(p, free);
        }
        if given + 0.5 * answered <= 0.0 {
            return false;
        }
        let part = if given < 0.0 { -2.0 * given / answered } else { 0.0 };
        self.p.iter_mut().flatten().for_each(|x| *x *= part);
        self.move_by_impulses();
        true
    }

    /// Work of the impulses, (u_before + u_after) p / 2, beyond rounding.
    pub(super) fn energy_gain(&self) -> f64 {
        let (mut work, mut lost) = (0.0, 0.0);
        for ((p, free), u) in self.p.iter().zip(&self.free).zip(&self.u) {
            work += 0.5 * (dot6(p, free) + dot6(p, u));
            lost += dot6(p, free).abs();
        }
        work - 1e-12 * lost
    }

    /// Solves again as if no impact had restitution.
    pub(super) fn solve_without_restitution(&mut self) {
        for (face, hy) in self.faces.iter_mut().zip(&mut self.modes) {
            face.target.iter_mut().for_each(|t| *t = t.min(0.0));
            face.stick_velocity = [0.0; 3];
            *hy = Hypothesis::default();
        }
        self.solve();
    }

    /// Violations of the current impulses.
    pub fn violations(&self) -> Violations {
        let load = self.p.iter().fold(1e-12_f64, |m, p| m.max(p[2]));
        let mut worst = Violations::default();
        for (((face, hy), p), u) in self.faces.iter().zip(&self.modes).zip(&self.p).zip(&self.u) {
            for i in 0..face.count {
                worst.velocity = worst.velocity.max(face.target[i] - face.normal_velocity(i, u));
            }
            if p[2] <= 1e-13 * load {
                let most = p.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                worst.force = worst.force.max(most / load);
                continue;
            }
            let places = &face.places[..face.count];
            let touching = face.touching(u, 1e-6);
            let near = face.hull_of(hy.set | touching).nearest(places, Face::pressure_center(p));
            worst.force = worst.force.max(near.distance * p[2] / load / 0.1);
            if !face.is_surely_within(p) {
                let (center, size) = yaw_at_pressure_center(face, p);
                let d = face.hull.yaw_radius(places, center);
                let limit = face.static_friction * p[2];
                let yaw = (p[5] - yaw_of(center, [p[0], p[1]])).abs();
                let excess = if d > 1e-9 { size - limit } else { norm2(p) - limit };
                worst.force = worst.force.max(excess / load);
                if d <= 1e-9 {
                    worst.force = worst.force.max(yaw / load / 0.1);
                }
            }
            // loaded points must touch: the pressure lies in the region of touching points
            let apart = match touching {
                0 => 1.0,
                _ if hy.set & !touching == 0 => 0.0, // same region as above
                _ => face.hull_of(touching).nearest(places, near.place).distance,
            };
            worst.complementarity = worst.complementarity.max(apart * p[2] / load / 0.1);
            let target = face.target_slip();
            let slip = face.slip(u);
            let off = [0, 1, 2].map(|i| slip[i] - target[i]);
            let speed = norm3(&off);
            if speed > 1e-9 && face.friction_rows() > 0 {
                let f = face.friction(p);
                let along = face.dynamic_friction * p[2] / speed;
                let wrong = norm3(&[0, 1, 2].map(|i| f[i] + along * off[i])) / load;
                worst.complementarity = worst.complementarity.max(speed.min(wrong));
            }
        }
        worst
    }
}

/// Centre of pressure inside the region, and the magnitude of friction including the yaw moment there.
pub(super) fn yaw_at_pressure_center(face: &Face, p: &Six) -> ([f64; 2], f64) {
    let places = &face.places[..face.count];
    let center = face.hull.nearest(places, Face::pressure_center(p)).place;
    let d = face.hull.yaw_radius(places, center).max(1e-10);
    let yaw = (p[5] - yaw_of(center, [p[0], p[1]])) / d;
    (center, (p[0] * p[0] + p[1] * p[1] + yaw * yaw).sqrt())
}

fn norm2(p: &Six) -> f64 {
    (p[0] * p[0] + p[1] * p[1]).sqrt()
}
