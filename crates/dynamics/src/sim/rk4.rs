//! The classical fourth-order step on the manifold of poses.
//!
//! Computes  q = q0 (+) x,  x' = dexp^-1(x) v,  v' = a(q, v), in Munthe-Kaas form, with the momentum of figures in free
//! flight kept exactly (`momentum`).
//! Source: [MK1999].
//! Not here: contact; steps with possible contact are midpoint steps.
//! Checked by: `tests/it/integrate.rs`.

use super::integrate::{Loads, Stage, Stepper, turn};
use crate::algo::{aba, at, at_mut, fit};
use crate::model::{BodyIx, BodyJoint, Forest};
use crate::spatial::{Force, Quat, Vec3};

impl Stepper {
    /// Marks the roots of figures under external forces.
    fn note_pushes(&mut self, forest: &Forest) {
        if !forest.loops().is_empty() {
            self.is_pushed.fill(true); // the force of a connection may come from another figure or the world
            return;
        }
        let mut root = 0;
        for (i, b) in forest.bodies().iter().enumerate().skip(1) {
            if b.parent == BodyIx::WORLD {
                root = i;
            }
            let own = b.iv as usize..b.iv as usize + 6;
            let by_base = b.joint == BodyJoint::Free && self.tau[own].iter().any(|t| *t != 0.0);
            self.is_pushed[root] |= by_base || self.external[i] != Force::default();
        }
    }

    /// q = q0 (+) x,  x' = dexp^-1(x) v,  v' = a(q, v). [MK1999]
    pub(super) fn rk4(
        &mut self,
        forest: &Forest,
        loads: &mut impl Loads,
        time: f64,
        h: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) {
        const NODES: [f64; 4] = [0.0, 0.5, 0.5, 1.0];
        const WEIGHTS: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
        self.flight.remember(forest, q, v);
        self.is_pushed.clear();
        self.is_pushed.resize(forest.bodies().len(), false);
        for s in 0..4 {
            let c = NODES[s] * h;
            let (done, rest) = self.stage.split_at_mut(s);
            let Stage { a, u } = &mut rest[0];
            fit(a, v.len());
            fit(u, v.len());
            self.v.clear();
            self.v.extend_from_slice(v);
            self.q.clear();
            self.q.extend_from_slice(q);
            u.copy_from_slice(v);
            if let Some(last) = done.last() {
                for k in 0..v.len() {
                    self.v[k] += c * last.a[k];
                }
                move_from(forest, &mut self.q, &last.u, c);
                rates(forest, q, &last.u, c, &self.v, u);
            } else {
                rates(forest, q, v, 0.0, &self.v, u);
            }
            let (sq, sv) = (core::mem::take(&mut self.q), core::mem::take(&mut self.v));
            let pushed = self.load(forest, loads, time + c, &sq, &sv, None);
            self.note_pushes(forest);
            let external = pushed.then_some(&self.external[..]);
            aba::forward_dynamics(forest, &sq, &sv, &self.tau, external, None, &mut self.aba, &mut self.a);
            self.constrain(forest, &sq, &sv, h, false);
            self.stage[s].a.copy_from_slice(&self.a);
            (self.q, self.v) = (sq, sv);
        }
        for k in 0..v.len() {
            let mean =
                |of: fn(&Stage) -> &Vec<f64>| (0..4).map(|s| WEIGHTS[s] * of(&self.stage[s])[k]).sum::<f64>();
            v[k] += h * mean(|s| &s.a);
            self.v[k] = mean(|s| &s.u);
        }
        move_from(forest, q, &self.v, h);
        self.flight.restore(forest, q, v, h, |root| !self.is_pushed[root]);
        self.warm = false;
    }
}

/// q (+) h u where a free joint's linear part of `u` is the rate of its position itself.
fn move_from(forest: &Forest, q: &mut [f64], u: &[f64], h: f64) {
    for b in forest.bodies().iter().skip(1) {
        let (iq, iv) = (b.iq as usize, b.iv as usize);
        match b.joint {
            BodyJoint::Spherical => turn(at_mut(q, iq), Vec3::from_array(at(u, iv)).scale(h)),
            BodyJoint::Free => {
                for k in 0..3 {
                    q[iq + k] += h * u[iv + 3 + k];
                }
                turn(at_mut(q, iq + 3), Vec3::from_array(at(u, iv)).scale(h));
            }
            joint => (0..joint.nv()).for_each(|k| q[iq + k] += h * u[iv + k]),
        }
    }
}

/// Rates of the exponential coordinates x = h * `last` at the stage velocity `v`; those of a free joint's position
/// are its velocity in the axes it is measured in.
fn rates(forest: &Forest, q0: &[f64], last: &[f64], h: f64, v: &[f64], u: &mut [f64]) {
    for b in forest.bodies().iter().skip(1) {
        let (iq, iv) = (b.iq as usize, b.iv as usize);
        if !matches!(b.joint, BodyJoint::Spherical | BodyJoint::Free) {
            u[iv..iv + b.joint.nv()].copy_from_slice(&v[iv..iv + b.joint.nv()]);
            continue;
        }
        let x = Vec3::from_array(at(last, iv)).scale(h);
        *at_mut(u, iv) = inverse_right_jacobian(x, Vec3::from_array(at(v, iv))).to_array();
        if b.joint == BodyJoint::Free {
            let turned = Quat(*at(q0, iq + 3)).then(Quat::exp(x));
            *at_mut(u, iv + 3) = turned.rotate(Vec3::from_array(at(v, iv + 3))).to_array();
        }
    }
}

/// x' for R = R0 exp(x) turning with angular velocity `w` in its own axes: w + x x w / 2 + ... (Bernoulli series).
fn inverse_right_jacobian(x: Vec3, w: Vec3) -> Vec3 {
    let xw = x.cross(w);
    let tt = x.dot(x);
    w + xw.scale(0.5) + x.cross(xw).scale(1.0 / 12.0 + tt * (1.0 / 720.0 + tt / 30_240.0))
}
