//! Rows of a contact mode in the linear system of all contacts.
//!
//! Computes  the motion rows and impulse columns of the loaded points [NY2000J Table 1] and of friction [Table 2,
//! eq. 36], with the derivatives of the slip direction and, if it moves, of the friction centre.
//! Source: [NY2000J §4.2, 4.5, 4.7]; see `hypothesis`.

use super::face::{Face, Six, norm3};
use super::hypothesis::{Grip, Hypothesis};
use super::region::yaw_of;

/// Rows of one contact in the linear system.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    pub count: usize,
    /// motion rows
    pub a: [Six; 6],
    /// impulse columns
    pub b: [Six; 6],
    /// target velocities
    pub wanted: [f64; 6],
    /// compliances
    pub soft: [f64; 6],
    /// number of normal rows, which come first
    pub normals: usize,
    /// derivative of the slip across its direction by the normal impulses, through the friction centre
    pub bend: Option<[[f64; 3]; 2]>,
    /// whether a and b are the identity
    pub is_plain: bool,
}

impl Face {
    /// Rows of a mode with loaded points; `rho` is the inverse of a mean of the contact's G.
    pub fn rows(&self, hy: &Hypothesis, rho: f64, spin: Option<f64>) -> Rows {
        let mut r = Rows {
            count: 0,
            a: [[0.0; 6]; 6],
            b: [[0.0; 6]; 6],
            wanted: [0.0; 6],
            soft: [0.0; 6],
            normals: 0,
            bend: None,
            is_plain: false,
        };
        let hull = self.hull_of(hy.set);
        let corners = hull.corners();
        let k = self.friction_rows();
        if let Some(wanted) = self.stuck_surface(hy) {
            return Rows { count: 6, wanted, is_plain: true, ..r };
        }
        if corners.len() <= 2 {
            for i in corners {
                let [x, y] = self.places[*i as usize];
                r.push([0.0, 0.0, 1.0, y, -x, 0.0], self.target[*i as usize], 0.0);
            }
        } else {
            let plane = self.target_plane(corners);
            for (k, wanted) in plane.into_iter().enumerate() {
                let mut row = [0.0; 6];
                row[2 + k] = 1.0;
                r.push(row, wanted, 0.0);
            }
        }
        r.normals = r.count;
        match hy.grip {
            Grip::Stick => {
                let w = self.target_slip();
                (0..k).for_each(|i| r.push(self.friction_column(i), w[i], 0.0));
            }
            Grip::Compliant => (0..k).for_each(|i| r.push(self.friction_column(i), 0.0, hy.alpha)),
            Grip::Directed => {
                let (mu, s) = (self.dynamic_friction, hy.slip);
                let slope = if spin.is_some() && k == 3 { self.yaw_slope() } else { [0.0; 2] };
                let (across, n) = perpendicular(&s, k);
                let mut bend = [[0.0; 3]; 2];
                for i in 0..r.count {
                    // [NY2000J eq. 36], with the moment of friction at the centre
                    let [_, _, normal, nx, ny, _] = r.a[i];
                    let b = &mut r.b[i];
                    b[0] -= mu * s[0] * normal;
                    b[1] -= mu * s[1] * normal;
                    b[5] -= mu * (yaw_of(self.center, [s[0], s[1]]) + s[2] * self.yaw_radius) * normal;
                    if let Some(spin) = spin {
                        // f_z times the offset of the centre of pressure from the friction centre: moment and slip follow it
                        let away = [-ny - self.center[0] * normal, nx - self.center[1] * normal];
                        let wider = slope[0] * away[0] + slope[1] * away[1];
                        b[5] -= mu * (yaw_of(away, [s[0], s[1]]) + s[2] * wider);
                        let slip = [-away[1], away[0], wider].map(|x| spin * x);
                        for (bend, e) in bend.iter_mut().zip(&across[..n]) {
                            bend[i] = e[0] * slip[0] + e[1] * slip[1] + e[2] * slip[2];
                        }
                    }
                }
                r.bend = spin.map(|_| bend);
                let soft = (1.0 - hy.beta) / (hy.beta * rho).max(1e-12);
                for e in &across[..n] {
                    let mut row = [0.0; 6];
                    for (i, e) in e.iter().enumerate().take(k) {
                        let column = self.friction_column(i);
                        (0..6).for_each(|c| row[c] += e * column[c]);
                    }
                    r.push(row, 0.0, soft);
                }
            }
        }
        r
    }

    /// An impulse in the columns of a mode, as closely as they can represent it.
    pub fn in_columns(&self, hy: &Hypothesis, rows: &Rows, p: &Six) -> Six {
        if rows.is_plain {
            return *p;
        }
        let mut x = [0.0; 6];
        match rows.normals {
            0 => {}
            1 => x[0] = p[2],
            2 => {
                // load shares of the two ends, by the position of the pressure between them
                let ([_, _, _, y0, mx0, _], [_, _, _, y1, mx1, _]) = (rows.a[0], rows.a[1]);
                let along = [mx0 - mx1, y1 - y0]; // from the first to the second
                let reach = (along[0] * along[0] + along[1] * along[1]).max(1e-300);
                let moment = [-p[4] + mx0 * p[2], p[3] - y0 * p[2]];
                let second =
                    ((moment[0] * along[0] + moment[1] * along[1]) / reach).clamp(0.0, p[2].max(0.0));
                (x[0], x[1]) = (p[2] - second, second);
            }
            _ => x[..3].copy_from_slice(&p[2..5]),
        }
        let friction = self.friction(p);
        let k = self.friction_rows();
        match hy.grip {
            Grip::Stick | Grip::Compliant => x[rows.normals..rows.count].copy_from_slice(&friction[..k]),
            Grip::Directed => {
                let (across, n) = perpendicular(&hy.slip, k);
                for (x, e) in x[rows.normals..].iter_mut().zip(&across[..n]) {
                    *x = e[0] * friction[0] + e[1] * friction[1] + e[2] * friction[2];
                }
            }
        }
        x
    }

    /// Target velocity of a sticking surface; `None` for other modes.
    #[inline(always)]
    pub fn stuck_surface(&self, hy: &Hypothesis) -> Option<Six> {
        if hy.grip != Grip::Stick || self.friction_rows() != 3 || hy.set.count_ones() < 3 {
            return None;
        }
        let hull = self.hull_of(hy.set);
        let corners = hull.corners();
        (corners.len() >= 3).then(|| {
            let (plane, w) = (self.target_plane(corners), self.stick_velocity);
            [w[0], w[1], plane[0], plane[1], plane[2], w[2]]
        })
    }

    /// Change of the yaw radius with the friction centre.
    pub(super) fn yaw_slope(&self) -> [f64; 2] {
        const APART: f64 = 1e-6;
        let places = &self.places[..self.count];
        let mut slope = [0.0; 2];
        for (k, slope) in slope.iter_mut().enumerate() {
            let [a, b] = [-APART, APART].map(|e| {
                let mut p = self.center;
                p[k] += e;
                let near = self.hull.nearest(places, p).place;
                (near[k], self.hull.yaw_radius(places, near))
            });
            if b.0 - a.0 > 0.1 * APART {
                *slope = (b.1 - a.1) / (b.0 - a.0);
            }
        }
        slope
    }
}

impl Rows {
    fn push(&mut self, row: Six, wanted: f64, soft: f64) {
        let k = self.count;
        (self.a[k], self.b[k], self.wanted[k], self.soft[k]) = (row, row, wanted, soft);
        self.count += 1;
    }
}

/// Directions across `s` in the space of `k` friction rows, and their number.
fn perpendicular(s: &[f64; 3], k: usize) -> ([[f64; 3]; 2], usize) {
    if k == 2 {
        return ([[-s[1], s[0], 0.0], [0.0; 3]], 1);
    }
    let smallest = (0..3).min_by(|i, j| s[*i].abs().total_cmp(&s[*j].abs())).unwrap_or(0);
    let mut a = [0.0; 3];
    a[smallest] = 1.0;
    let cross = |x: &[f64; 3], y: &[f64; 3]| {
        [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    };
    let e1 = cross(s, &a);
    let n = norm3(&e1).max(1e-300);
    let e1 = e1.map(|x| x / n);
    ([e1, cross(s, &e1)], 2)
}
