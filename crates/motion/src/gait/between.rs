//! A plan with coarse samples at any time: quintics through coordinates, rates and accelerations of the samples, so that
//! all three go on without leaps.

use super::plan::Plan;
use crate::filter::Aim;
use crate::pose;
use anthropi_dynamics::model::{BodyJoint, Forest};
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Value, rate and acceleration.
type Jet = [f64; 3];

/// At a part `u` of the time `h` from one jet to another.
fn quintic([x, v, a]: Jet, [y, w, b]: Jet, h: f64, u: f64) -> Jet {
    let d = y - x - h * (v + 0.5 * a * h);
    let e = h * (w - v - a * h);
    let f = h * h * (b - a);
    let [c3, c4, c5] = [10.0 * d - 4.0 * e + 0.5 * f, -15.0 * d + 7.0 * e - f, 6.0 * d - 3.0 * e + 0.5 * f];
    let t = u * h;
    let cube = u * u * u;
    [
        x + t * (v + 0.5 * a * t) + cube * (c3 + u * (c4 + u * c5)),
        v + a * t + u * u * (3.0 * c3 + u * (4.0 * c4 + u * 5.0 * c5)) / h,
        a + u * (6.0 * c3 + u * (12.0 * c4 + u * 20.0 * c5)) / (h * h),
    ]
}

/// Jets of samples whose neighbours are known.
fn jets([before, here, there, after]: [f64; 4], h: f64) -> [Jet; 2] {
    let jet = |a: f64, b: f64, c: f64| [b, (c - a) / (2.0 * h), (c - 2.0 * b + a) / (h * h)];
    [jet(before, here, there), jet(here, there, after)]
}

impl Plan {
    /// Poses, centre of mass and angular momentum at a time, s.
    pub fn at(&self, forest: &Forest, t: f64, aim: &mut Aim) {
        let (nq, nv, h) = (forest.nq(), forest.nv(), self.dt);
        let k = ((t / h) as usize).clamp(1, self.samples() - 3);
        let u = t / h - k as f64;
        let q = |k: usize| &self.q[k * nq..(k + 1) * nq];
        let v = |k: usize, i: usize| self.v[k * nv + i];
        aim.v.resize(nv, 0.0);
        aim.a.resize(nv, 0.0);
        aim.q.resize(nq, 0.0);
        let mut way = vec![0.0; nv];
        pose::difference(forest, q(k), q(k + 1), &mut way);
        for i in 0..nv {
            let jet = |k: usize| [0.5 * (v(k, i) + v(k + 1, i)), (v(k + 1, i) - v(k, i)) / h];
            let ([v0, a0], [v1, a1]) = (jet(k), jet(k + 1));
            [way[i], aim.v[i], aim.a[i]] = quintic([0.0, v0, a0], [way[i], v1, a1], h, u);
        }
        // travel goes on in the world
        let travels = || forest.bodies().iter().skip(1).filter(|b| b.joint == BodyJoint::Free);
        for b in travels() {
            let (iq, iv) = (b.iq as usize, b.iv as usize);
            let [at, rate, second] = self.between(k, u, |k| pose::triple(q(k), iq));
            let at = at - pose::triple(q(k), iq);
            for (list, value) in [(&mut way, at), (&mut aim.v, rate), (&mut aim.a, second)] {
                list[iv + 3..iv + 6].copy_from_slice(&value.to_array());
            }
        }
        pose::along(forest, q(k), &way, 1.0, &mut aim.q);
        for b in travels() {
            // in the axes of the body: v' = R^T a - w x v
            let (iq, iv) = (b.iq as usize, b.iv as usize);
            let to_body = pose::quaternion(&aim.q, iq + 3).inverse();
            let v = to_body.rotate(pose::triple(&aim.v, iv + 3));
            let a = to_body.rotate(pose::triple(&aim.a, iv + 3)) - pose::triple(&aim.v, iv).cross(v);
            aim.v[iv + 3..iv + 6].copy_from_slice(&v.to_array());
            aim.a[iv + 3..iv + 6].copy_from_slice(&a.to_array());
        }
        aim.center = self.between(k, u, |k| self.center[k]);
        // angular momentum belongs to the middle between samples
        let mean = |k: usize| (self.spin[k] + self.spin[k + 1]).scale(0.5);
        let rate = |k: usize| (self.spin[k + 1] - self.spin[k]).scale(1.0 / h);
        let mix = |a: Vec3, b: Vec3| a.scale(1.0 - u) + b.scale(u);
        aim.spin = [mix(mean(k), mean(k + 1)), mix(rate(k), rate(k + 1))];
    }

    /// A place between two samples, with its rate and acceleration.
    fn between(&self, k: usize, u: f64, place: impl Fn(usize) -> Vec3) -> [Vec3; 3] {
        let four = [k - 1, k, k + 1, k + 2].map(|k| place(k).to_array());
        let [x, y, z] = [0, 1, 2].map(|i| {
            let [here, there] = jets(four.map(|p| p[i]), self.dt);
            quintic(here, there, self.dt, u)
        });
        core::array::from_fn(|n| vec3(x[n], y[n], z[n]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quintic_meets_both_ends_and_is_the_way_of_a_polynomial() {
        // x = t^5 - t^4 + 2 t^3 over [0.3, 0.7]
        let x = |t: f64| {
            let rate = 5.0 * t.powi(4) - 4.0 * t.powi(3) + 6.0 * t * t;
            [t.powi(5) - t.powi(4) + 2.0 * t.powi(3), rate, 20.0 * t.powi(3) - 12.0 * t * t + 12.0 * t]
        };
        for u in [0.0, 0.25, 0.8, 1.0] {
            let found = quintic(x(0.3), x(0.7), 0.4, u);
            let wanted = x(0.3 + 0.4 * u);
            for (a, b) in found.iter().zip(wanted) {
                assert!((a - b).abs() < 1e-12, "{u}: {found:?} {wanted:?}");
            }
        }
    }
}
