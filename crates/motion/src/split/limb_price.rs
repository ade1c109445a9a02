//! Least cost of a wrench with given forces of the limbs.
//!
//! Computes, for the wrench b of an instant and wanted limb forces g_a, in body weights,
//!     phi(g) = min  |b - sum J_i^T f_i|^2 / (2 EPS) + sum |f_i|^2 / 2
//!                   + HOLD sum_a |g_a - sum_a f_i|^2 / 2 + AIM sum_a |sum_a (p_i - aim_a) x f_i|^2 / (2 l_a^2)
//! over forces in their cones, with l_a the distance of the limb from its aim: the last term is the force across the line
//! to the aim. By the dual with six unknowns for the wrench, three for each limb and three for each aim (`dual`); its
//! solution y is the gradient of phi, the inverse of its Hessian that of phi.
//! Checked by: tests of `split::over_time`.

use super::{LimbPoint, balance_rows, meet_wrench};
use crate::dual::{Cone, ConeDual};
use anthropi_dynamics::spatial::{Force, Vec3};

/// Weight that ties the forces at the contacts of a limb to the wanted force of the limb: they differ by less than a
/// hundredth of the forces that the other terms ask for.
const HOLD: f64 = 1e3;
/// Weight of forces across the line to the aim, against squares of the contact forces: a direction counts more than an even
/// distribution. From 3 to 30 the errors against plates change by a tenth.
const AIM: f64 = 10.0;
/// Shortest distance of an aim, parts of the unit of length.
const MIN_ARM: f64 = 0.1;
/// Balances of a wrench.
const WRENCH: usize = 6;

/// What an instant asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    /// parts of the weight, and of weight times length, about `origin`
    pub wrench: Force,
    pub origin: Vec3,
    pub points: &'a [LimbPoint],
    /// limbs in contact, in order; none if only the wrench counts
    pub limbs: &'a [usize],
    /// wanted forces of these limbs
    pub wanted: &'a [f64],
}

/// Prices instants, one after another.
#[derive(Clone, Debug, Default)]
pub(super) struct LimbPrice {
    dual: ConeDual,
    /// of the cost by the wanted forces, by limb and axis
    pub gradient: Vec<f64>,
    pub hessian: Vec<f64>,
}

impl LimbPrice {
    /// Computes the forces and returns their cost. `y` has the solution of the last time, if any, and receives this one.
    pub fn price(&mut self, asked: &Asked, length: f64, y: &mut Vec<f64>, forces: &mut Vec<Vec3>) -> f64 {
        let aims = asked.limbs.iter().filter_map(|limb| Aim::of(*limb, asked.points, length));
        let aims: Vec<Aim> = aims.collect();
        let wanted = WRENCH..WRENCH + 3 * asked.limbs.len();
        let n = wanted.end + 3 * aims.len();
        let dual = &mut self.dual;
        dual.reset(n);
        if y.len() == n {
            dual.y.copy_from_slice(y);
        }
        dual.rhs[..WRENCH].copy_from_slice(&asked.wrench.to_array());
        dual.rhs[wanted.clone()].copy_from_slice(asked.wanted);
        for row in wanted.start..n {
            dual.compliance[row * (n + 1)] = if row < wanted.end { 1.0 / HOLD } else { 1.0 / AIM };
        }
        for LimbPoint { point, limb, cost, .. } in asked.points {
            dual.cones.push(Cone { normal: point.normal, friction: point.friction, eps: *cost });
            dual.rows.extend(balance_rows((point.at - asked.origin).scale(1.0 / length)));
            let part = |is_own: bool| move |row: Vec3| if is_own { row } else { Vec3::ZERO };
            for other in asked.limbs {
                let [_, _, _, x, y, z] = balance_rows(Vec3::ZERO);
                dual.rows.extend([x, y, z].map(part(limb == other)));
            }
            for aim in &aims {
                let [x, y, z, ..] = balance_rows((point.at - aim.at).scale(1.0 / aim.arm));
                dual.rows.extend([x, y, z].map(part(*limb == aim.limb)));
            }
        }
        meet_wrench(dual);
        y.clear();
        y.extend_from_slice(&dual.y);
        forces.clear();
        forces.extend((0..asked.points.len()).map(|i| dual.force(i)));
        dual.cost()
    }

    /// Computes gradient and Hessian of the cost of the last instant, which has `limbs` limbs; false if there are none.
    pub fn derive(&mut self, limbs: usize) -> bool {
        let (n, size) = (self.dual.y.len(), 3 * limbs);
        self.gradient.clear();
        self.gradient.extend_from_slice(&self.dual.y[WRENCH..WRENCH + size]);
        let mut block = core::mem::take(&mut self.hessian);
        let is_regular = self.dual.curvature(WRENCH, &mut block);
        if is_regular {
            // aims come last
            (0..size).for_each(|i| block.copy_within(i * (n - WRENCH)..i * (n - WRENCH) + size, i * size));
            block.truncate(size * size);
        }
        self.hessian = block;
        is_regular
    }
}

/// The point near which the forces of a limb pass.
struct Aim {
    limb: usize,
    at: Vec3,
    /// distance of the limb
    arm: f64,
}

impl Aim {
    fn of(limb: usize, points: &[LimbPoint], length: f64) -> Option<Aim> {
        let own = points.iter().filter(|p| p.limb == limb);
        let at = own.clone().find_map(|p| p.aim)?;
        let middle = own.clone().fold(Vec3::ZERO, |sum, p| sum + p.point.at).scale(1.0 / own.count() as f64);
        Some(Aim { limb, at, arm: (at - middle).norm().max(MIN_ARM * length) })
    }
}
