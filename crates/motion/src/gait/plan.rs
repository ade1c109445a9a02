//! A whole walk as a dynamically consistent reference, before any simulation (`planning` computes it).
//!
//! Finite differences are those of the integrator: v[k] = (q[k] - q[k-1])/dt, a[k] = (v[k+1] - v[k])/dt, likewise for c
//! and L, so that the equation of motion holds for the samples and not only in the limit. A coarse plan is interpolated
//! by quintics through value, rate and acceleration of the samples. A path with jumps is a concatenation of plans, each
//! from standing to standing.
//! Source: our own.

use super::cop::{self, CenterOfPressure};
use super::foot_path::{self, FootPath};
use super::footsteps::{FootSize, Footsteps, Segment, Start};
use super::jump;
use super::leg_ik::LegIk;
use super::parameter::Kind;
use super::planning::Planner;
use super::refuse;
use super::terrain::Footprint;
use crate::ease::Jet;
use crate::error::Error;
use crate::filter::ReferenceSample;
use crate::pose;
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{BodyJoint, Forest};
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// Time step of the simulation and of a fine plan, s.
pub(crate) const DT: f64 = 0.001;

/// A whole walk as a reference.
#[derive(Clone, Debug)]
pub(crate) struct WalkPlan {
    pub steps: Footsteps,
    pub size: FootSize,
    /// time between samples, s
    pub dt: f64,
    pub feet: [FootPath; 2],
    pub pressure: Vec<CenterOfPressure>,
    /// coordinates, velocities and accelerations by sample
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    /// centre of mass
    pub center: Vec<Vec3>,
    /// angular momentum about it
    pub angular_momentum: Vec<Vec3>,
    /// largest distance of a foot beyond the reach of its leg, m
    pub out_of_reach: f64,
}

/// By foot and stance: latest time of heel rise, s.
pub(crate) type HeelRises = [Vec<f64>; 2];

impl WalkPlan {
    /// Foot paths and centre of pressure of a walk, without poses.
    pub fn blank(leg_ik: &LegIk, steps: Footsteps, rises: &HeelRises, dt: f64) -> WalkPlan {
        let forest = leg_ik.figure.forest();
        let size = FootSize::new(leg_ik);
        let feet = [0, 1].map(|s| foot_path::path(&steps, s, &leg_ik.soles[s], size.scale, &rises[s], dt));
        let pressure = match jump::find(&steps, size.scale) {
            Some(jump) => jump.pressure(&feet, &leg_ik.soles),
            None => cop::path(&steps, &feet, &leg_ik.soles, dt),
        };
        let samples = pressure.len();
        WalkPlan {
            size,
            dt,
            feet,
            pressure,
            q: forest.home().repeat(samples),
            v: vec![0.0; samples * forest.nv()],
            a: vec![0.0; samples * forest.nv()],
            center: vec![Vec3::ZERO; samples],
            angular_momentum: vec![Vec3::ZERO; samples],
            out_of_reach: 0.0,
            steps,
        }
    }

    pub fn samples(&self) -> usize {
        self.center.len()
    }

    /// Its last simulation step.
    pub fn last(&self) -> usize {
        (self.samples() - 2) * (self.dt / DT).round() as usize
    }

    /// Updates velocities, accelerations and angular momentum from the poses.
    pub fn differentiate(&mut self, leg_ik: &LegIk) {
        let figure = leg_ik.figure.clone();
        let forest = figure.forest();
        let (nq, nv, n) = (forest.nq(), forest.nv(), self.samples());
        let mut kinematics = Kinematics::default();
        for k in 0..n {
            if k > 0 {
                let (before, now) = self.q.split_at_mut(k * nq);
                let (before, now) = (&before[(k - 1) * nq..], &mut now[..nq]);
                pose::make_continuous(forest, Some(before), now);
                let v = &mut self.v[k * nv..(k + 1) * nv];
                pose::difference(forest, before, now, v);
                v.iter_mut().for_each(|v| *v /= self.dt);
                for b in forest.bodies().iter().skip(1).filter(|b| b.joint == BodyJoint::Free) {
                    // translation in mid-step axes, as in `sim::advance`
                    let (iq, iv) = (b.coordinates().start + 3, b.dofs().start);
                    let half = pose::quaternion(before, iq)
                        .then(Quat::exp(pose::triple(v, iv).scale(0.5 * self.dt)));
                    let travel = half.inverse().rotate(pose::triple(v, iv + 3));
                    v[iv + 3..iv + 6].copy_from_slice(&travel.to_array());
                }
            } else {
                pose::make_continuous(forest, None, &mut self.q[..nq]);
            }
            let (q, v) = (&self.q[k * nq..(k + 1) * nq], &self.v[k * nv..(k + 1) * nv]);
            kinematics.update(forest, q, Some(v), None);
            self.angular_momentum[k] = centroidal::momentum(forest, &kinematics).angular;
        }
        for k in 0..n - 1 {
            for i in 0..nv {
                self.a[k * nv + i] = (self.v[(k + 1) * nv + i] - self.v[k * nv + i]) / self.dt;
            }
        }
    }

    /// Footprint of a foot at a time; from mid swing on, the next one.
    pub fn print_at(&self, side: usize, t: f64) -> &Footprint {
        let stances = &self.feet[side].stances;
        let n = stances.partition_point(|s| s.land <= t).max(1) - 1;
        let here = &stances[n];
        let there = stances.get(n + 1).filter(|s| t > 0.5 * (here.lift + s.land));
        &there.unwrap_or(here).print
    }

    /// Rates of angular momentum; zero at both ends, where the figure stands.
    pub fn momentum_rates(&self) -> Vec<Vec3> {
        let n = self.samples();
        let rate = |k: usize| (self.angular_momentum[k + 1] - self.angular_momentum[k]).scale(1.0 / self.dt);
        (0..n).map(|k| if (5..n - 5).contains(&k) { rate(k) } else { Vec3::ZERO }).collect()
    }

    /// Acceleration of the centre of mass.
    pub fn acceleration(&self, k: usize) -> Vec3 {
        if k == 0 || k + 1 >= self.samples() {
            return Vec3::ZERO;
        }
        (self.center[k + 1] - self.center[k].scale(2.0) + self.center[k - 1]).scale(1.0 / (self.dt * self.dt))
    }
}

/// Pose of a plan in the world: translation and yaw.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PlanFrame {
    /// origin of the plan, m
    pub at: Vec3,
    /// yaw, rad
    pub turn: f64,
}

impl PlanFrame {
    /// The frame in which `print` coincides with `other` in this frame.
    pub fn onto(&self, print: &Footprint, other: &Footprint) -> PlanFrame {
        let turn = self.turn + other.yaw - print.yaw;
        PlanFrame { at: self.point(other.at) - about(turn).rotate(print.at), turn }
    }

    /// World position of a point of the plan.
    pub fn point(&self, p: Vec3) -> Vec3 {
        self.at + about(self.turn).rotate(p)
    }

    /// Transforms a reference sample to the world; `root` is the first coordinate of the root joint.
    pub fn apply(&self, root: usize, reference: &mut ReferenceSample) {
        let turn = about(self.turn);
        reference.com = reference.com.map(|c| turn.rotate(c));
        reference.angular_momentum = reference.angular_momentum.map(|s| turn.rotate(s));
        reference.com[0] += self.at;
        let at = self.point(pose::triple(&reference.q, root));
        reference.q[root..root + 3].copy_from_slice(&at.to_array());
        if self.turn != 0.0 {
            let facing = turn.then(pose::quaternion(&reference.q, root + 3));
            reference.q[root + 3..root + 7].copy_from_slice(&facing.0);
        }
    }
}

fn about(turn: f64) -> Quat {
    if turn == 0.0 { Quat::IDENTITY } else { Quat::about(vec3(0.0, 0.0, 1.0), turn) }
}

/// Quintic between two jets over a time `h`, at the fraction `u`.
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

/// Jets of the two middle ones of four samples.
fn jets([before, here, there, after]: [f64; 4], h: f64) -> [Jet; 2] {
    let jet = |a: f64, b: f64, c: f64| [b, (c - a) / (2.0 * h), (c - 2.0 * b + a) / (h * h)];
    [jet(before, here, there), jet(here, there, after)]
}

impl WalkPlan {
    /// Interpolates pose, centre of mass and angular momentum at a time, s.
    pub fn at(&self, forest: &Forest, t: f64, reference: &mut ReferenceSample) {
        let (nq, nv, h) = (forest.nq(), forest.nv(), self.dt);
        let k = ((t / h) as usize).clamp(1, self.samples() - 3);
        let u = t / h - k as f64;
        let q = |k: usize| &self.q[k * nq..(k + 1) * nq];
        let v = |k: usize, i: usize| self.v[k * nv + i];
        reference.v.resize(nv, 0.0);
        reference.a.resize(nv, 0.0);
        reference.q.resize(nq, 0.0);
        let mut displacement = vec![0.0; nv];
        pose::difference(forest, q(k), q(k + 1), &mut displacement);
        for i in 0..nv {
            let jet = |k: usize| [0.5 * (v(k, i) + v(k + 1, i)), (v(k + 1, i) - v(k, i)) / h];
            let ([v0, a0], [v1, a1]) = (jet(k), jet(k + 1));
            [displacement[i], reference.v[i], reference.a[i]] =
                quintic([0.0, v0, a0], [displacement[i], v1, a1], h, u);
        }
        // translations are interpolated in world axes
        let travels = || forest.bodies().iter().skip(1).filter(|b| b.joint == BodyJoint::Free);
        for b in travels() {
            let (iq, iv) = (b.coordinates().start, b.dofs().start);
            let [at, rate, second] = self.interpolate(k, u, |k| pose::triple(q(k), iq));
            let at = at - pose::triple(q(k), iq);
            for (list, value) in
                [(&mut displacement, at), (&mut reference.v, rate), (&mut reference.a, second)]
            {
                list[iv + 3..iv + 6].copy_from_slice(&value.to_array());
            }
        }
        pose::along(forest, q(k), &displacement, 1.0, &mut reference.q);
        for b in travels() {
            // in body axes: v' = R^T a - w x v
            let (iq, iv) = (b.coordinates().start, b.dofs().start);
            let to_body = pose::quaternion(&reference.q, iq + 3).inverse();
            let v = to_body.rotate(pose::triple(&reference.v, iv + 3));
            let a =
                to_body.rotate(pose::triple(&reference.a, iv + 3)) - pose::triple(&reference.v, iv).cross(v);
            reference.v[iv + 3..iv + 6].copy_from_slice(&v.to_array());
            reference.a[iv + 3..iv + 6].copy_from_slice(&a.to_array());
        }
        reference.com = self.interpolate(k, u, |k| self.center[k]);
        // angular momentum belongs to mid-step
        let momentum = &self.angular_momentum;
        let mean = |k: usize| (momentum[k] + momentum[k + 1]).scale(0.5);
        let rate = |k: usize| (momentum[k + 1] - momentum[k]).scale(1.0 / h);
        let mix = |a: Vec3, b: Vec3| a.scale(1.0 - u) + b.scale(u);
        reference.angular_momentum = [mix(mean(k), mean(k + 1)), mix(rate(k), rate(k + 1))];
    }

    /// Interpolated vector with its rate and acceleration.
    fn interpolate(&self, k: usize, u: f64, vector: impl Fn(usize) -> Vec3) -> [Vec3; 3] {
        let four = [k - 1, k, k + 1, k + 2].map(|k| vector(k).to_array());
        let [x, y, z] = [0, 1, 2].map(|i| {
            let [here, there] = jets(four.map(|p| p[i]), self.dt);
            quintic(here, there, self.dt, u)
        });
        core::array::from_fn(|n| vec3(x[n], y[n], z[n]))
    }
}

impl WalkPlan {
    /// Plans a path.
    ///
    /// # Errors
    /// A path that cannot be walked.
    pub fn along(leg_ik: &mut LegIk, segments: &[Segment]) -> Result<WalkPlan, Error> {
        let size = FootSize::new(leg_ik);
        let mut whole: Option<WalkPlan> = None;
        for (first, piece) in pieces(segments) {
            let start = whole.as_ref().map(|plan| plan.steps.after());
            let mut steps = match piece.first().filter(|s| s.parameters.kind == Kind::Jump) {
                Some(one) => {
                    jump::steps(one, &size, &start.unwrap_or_else(|| Start::standing(&one.style, &size)))?
                }
                None => Footsteps::plan(&piece, &size, start)?,
            };
            steps.steps.iter_mut().for_each(|s| s.segment += first);
            let mut planner = Planner::new(leg_ik, steps);
            while !planner.pass(leg_ik) {}
            whole = Some(match whole {
                None => planner.plan,
                Some(before) => before.then(planner.plan),
            });
        }
        whole.map_or_else(|| refuse("the path has no steps"), Ok)
    }

    /// Appends a plan that begins where this one ends.
    fn then(mut self, next: WalkPlan) -> WalkPlan {
        // the first sample of the next is the last of this one
        let n = self.samples() - 1;
        let after = n as f64 * DT;
        let [nq, nv] = [&self.q, &self.v].map(|list| list.len() / self.center.len());
        for (list, more, size) in
            [(&mut self.q, next.q, nq), (&mut self.v, next.v, nv), (&mut self.a, next.a, nv)]
        {
            list.truncate(n * size);
            list.extend(more);
        }
        for (list, more) in
            [(&mut self.center, next.center), (&mut self.angular_momentum, next.angular_momentum)]
        {
            list.truncate(n);
            list.extend(more);
        }
        self.pressure.truncate(n);
        self.pressure.extend(next.pressure);
        for (path, more) in self.feet.iter_mut().zip(next.feet) {
            path.samples.truncate(n);
            path.samples.extend(more.samples);
            // the last stance continues in the first of the next plan
            let last_stance = path.stances.pop();
            path.stances.extend(more.stances.into_iter().enumerate().map(|(k, mut s)| {
                (s.rise, s.lift) = (s.rise + after, s.lift + after);
                match last_stance.filter(|_| k == 0) {
                    Some(here) => (s.print, s.land, s.flat) = (here.print, here.land, here.flat),
                    None => (s.land, s.flat) = (s.land + after, s.flat + after),
                }
                s
            }));
        }
        self.steps.steps.extend(next.steps.steps.into_iter().map(|mut s| {
            (s.lift, s.land) = (s.lift + after, s.land + after);
            s
        }));
        self.steps.end = next.steps.end + after;
        self.steps.profile = next.steps.profile;
        self.out_of_reach = self.out_of_reach.max(next.out_of_reach);
        self
    }
}

/// Runs of segments from standing to standing, with the index of the first; each jump is a run of its own.
fn pieces(segments: &[Segment]) -> Vec<(usize, Vec<Segment>)> {
    let mut all: Vec<(usize, Vec<Segment>)> = Vec::new();
    let jumps = |s: &Segment| s.parameters.kind == Kind::Jump;
    for (n, s) in segments.iter().enumerate() {
        match all.last_mut() {
            _ if jumps(s) => all.extend((0..s.steps).map(|_| (n, vec![Segment { steps: 1, ..*s }]))),
            Some((_, piece)) if !piece.iter().any(jumps) => piece.push(*s),
            _ => all.push((n, vec![*s])),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quintic_reproduces_a_polynomial_of_degree_five() {
        // x = t^5 - t^4 + 2 t^3 over [0.3, 0.7]
        let x = |t: f64| {
            let rate = 5.0 * t.powi(4) - 4.0 * t.powi(3) + 6.0 * t * t;
            [t.powi(5) - t.powi(4) + 2.0 * t.powi(3), rate, 20.0 * t.powi(3) - 12.0 * t * t + 12.0 * t]
        };
        for u in [0.0, 0.25, 0.8, 1.0] {
            let found = quintic(x(0.3), x(0.7), 0.4, u);
            let expected = x(0.3 + 0.4 * u);
            for (a, b) in found.iter().zip(expected) {
                assert!((a - b).abs() < 1e-12, "{u}: {found:?} {expected:?}");
            }
        }
    }
}
