//! A motion with its velocities and accelerations.
//!
//! Computes v and a of each frame from quintic splines through the optionally low-passed coordinates. For rotations, with
//! s(t) the spline through the components of a quaternion and q = s/|s|, the angular velocity in child axes and its
//! derivative are
//!     omega = 2 Im(s* s') / s.s        omega' = 2 Im(s* s'') / s.s - 2 (s.s' / s.s) omega
//! exactly, because Im(s*' s') = 0 and a change of |s| is not a rotation.
//! Source: our own.
//! Not here: causal estimates (`estimate`).
//! Checked by: tests below, `tests/it/inverse.rs`.

use crate::clip::Clip;
use crate::pose;
use crate::smooth;
use crate::spline::Spline;
use anthropi_dynamics::model::{BodyJoint, Forest};
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// A clip and its derivatives.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// the motion, possibly smoothed
    pub clip: Clip,
    v: Vec<f64>,
    a: Vec<f64>,
}

impl Trajectory {
    /// Derivatives of a clip, low-passed at `cutoff` Hz first if given.
    pub fn from_clip(clip: &Clip, cutoff: Option<f64>) -> Trajectory {
        let (figure, nq) = (clip.figure().clone(), clip.figure().forest().nq());
        let forest = figure.forest();
        let mut q = clip.poses().to_vec();
        if let Some(cutoff) = cutoff {
            smooth::low_pass(&mut q, nq, 1.0 / clip.dt(), cutoff);
            // low-pass shortens quaternions slightly
            q.chunks_exact_mut(nq).for_each(|q| pose::normalise(forest, q));
        }
        let spline = Spline::through(&q, nq, clip.dt());
        let frames = clip.frames();
        let (mut v, mut a) = (vec![0.0; frames * forest.nv()], vec![0.0; frames * forest.nv()]);
        let (mut x, mut rate, mut second) = (vec![0.0; nq], vec![0.0; nq], vec![0.0; nq]);
        for frame in 0..frames {
            spline.at_sample(frame, [&mut x, &mut rate, &mut second]);
            let row = frame * forest.nv()..(frame + 1) * forest.nv();
            velocities(forest, [&x, &rate, &second], &mut v[row.clone()], &mut a[row]);
        }
        Trajectory { clip: clip.with_same_frames(q), v, a }
    }

    /// Velocities in a frame.
    pub fn v(&self, frame: usize) -> &[f64] {
        row(&self.v, frame, self.clip.frames())
    }

    /// Accelerations in a frame.
    pub fn a(&self, frame: usize) -> &[f64] {
        row(&self.a, frame, self.clip.frames())
    }

    /// Pose, velocities and accelerations in a frame.
    pub fn at(&self, frame: usize) -> (&[f64], &[f64], &[f64]) {
        (self.clip.pose(frame), self.v(frame), self.a(frame))
    }
}

fn row(values: &[f64], frame: usize, frames: usize) -> &[f64] {
    let n = values.len() / frames;
    &values[frame * n..(frame + 1) * n]
}

/// v and a from the coordinates and their two time derivatives.
pub(crate) fn velocities(forest: &Forest, [x, rate, second]: [&[f64]; 3], v: &mut [f64], a: &mut [f64]) {
    for body in forest.bodies().iter().skip(1) {
        let (iq, iv) = (body.coordinates().start, body.dofs().start);
        match body.joint {
            BodyJoint::Spherical => {
                let (w, dw) = turning([x, rate, second], iq);
                put(v, iv, w);
                put(a, iv, dw);
            }
            BodyJoint::Free => {
                let (w, dw) = turning([x, rate, second], iq + 3);
                let axes = pose::quaternion(x, iq + 3).normalized().inverse();
                // v = R^T p', so v' = R^T p'' - omega x v
                let linear = axes.rotate(pose::triple(rate, iq));
                let change = axes.rotate(pose::triple(second, iq)) - w.cross(linear);
                put(v, iv, w);
                put(a, iv, dw);
                put(v, iv + 3, linear);
                put(a, iv + 3, change);
            }
            other => (0..other.nv()).for_each(|k| (v[iv + k], a[iv + k]) = (rate[iq + k], second[iq + k])),
        }
    }
}

/// Angular velocity and its derivative, in child axes.
fn turning(coordinates: [&[f64]; 3], i: usize) -> (Vec3, Vec3) {
    let [s, rate, second] = coordinates.map(|c| pose::quaternion(c, i));
    let dot = |b: Quat| s.0.iter().zip(b.0).map(|(a, b)| a * b).sum::<f64>();
    let imaginary = |b: Quat| {
        let [_, x, y, z] = s.inverse().then(b).0;
        vec3(x, y, z)
    };
    let square = dot(s);
    let w = imaginary(rate).scale(2.0 / square);
    (w, imaginary(second).scale(2.0 / square) - w.scale(2.0 * dot(rate) / square))
}

fn put(values: &mut [f64], i: usize, x: Vec3) {
    values[i..i + 3].copy_from_slice(&x.to_array());
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::joint::JointKind;
    use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkSpec, Shape};
    use std::sync::Arc;

    /// A body with angular velocity w(t) = w0 + t dw about one axis in child axes, travelling on a parabola.
    #[test]
    fn derivatives_of_a_body_that_rotates_and_travels() {
        let ball = Shape::Sphere { radius: 0.1 }.inertia(1000.0).unwrap();
        let mut b = FigureBuilder::new("ball");
        b.add(LinkSpec::new("ball", ball), JointSpec::new("free", JointKind::Free)).unwrap();
        let figure = Arc::new(b.build().unwrap());
        let axis = vec3(1.0, 2.0, -2.0).scale(1.0 / 3.0);
        let tilt = Quat::exp(vec3(0.3, -0.2, 0.5));
        let (w0, dw, dt) = (2.0, 1.5, 0.01);
        let place = |t: f64| vec3(t, 2.0 * t - 3.0 * t * t, 0.5);
        let q: Vec<f64> = (0..50)
            .flat_map(|i| {
                let t = f64::from(i) * dt;
                let turn = tilt.then(Quat::about(axis, w0 * t + 0.5 * dw * t * t));
                place(t).to_array().into_iter().chain(turn.0).collect::<Vec<_>>()
            })
            .collect();
        let trajectory = Trajectory::from_clip(&Clip::new("turn", figure, dt, q).unwrap(), None);
        for frame in 0..50 {
            let (t, (q, v, a)) = (f64::from(frame as u32) * dt, trajectory.at(frame));
            let w = axis.scale(w0 + dw * t);
            let axes = pose::quaternion(q, 3).inverse();
            let linear = axes.rotate(vec3(1.0, 2.0 - 6.0 * t, 0.0));
            let change = axes.rotate(vec3(0.0, -6.0, 0.0)) - w.cross(linear);
            for (got, expected) in
                [(&v[..3], w), (&v[3..], linear), (&a[..3], axis.scale(dw)), (&a[3..], change)]
            {
                let miss = (pose::triple(got, 0) - expected).norm();
                assert!(miss < 2e-6, "frame {frame}: {miss:e}");
            }
        }
    }
}
