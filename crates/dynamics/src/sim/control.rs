//! Pose controllers: hold joints at a pose, or move them to it.
//!
//! Computes  tau = k (target - q) - b v  (at the end of the step where that is implicit) for every joint of a control,
//! within the effort of its actuators; the error of a spherical joint is the rotation vector to its target, in child
//! axes. The target moves from the initial pose to the final one on a smooth path (3 s^2 - 2 s^3) of `over` seconds.
//! Not here: springs at joint limits, which belong to the figure's joints (`joint::limit`).
//! Checked by: tests below; `crates/cli/tests` (scenes).

use super::integrate::ForceSum;
use crate::error::Error;
use crate::joint::{Coordinates, JointKind, MAX_NQ};
use crate::model::{Figure, Forest, Joint, JointHandle, State};
use crate::spatial::{Quat, Vec3};

/// Target and gains of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// the joint
    pub joint: JointHandle,
    /// target coordinates, as in q
    pub target: Vec<f64>,
    /// N m / rad or N / m
    pub stiffness: f64,
    /// N m s / rad or N s / m
    pub damping: f64,
}

/// A controller: joints held at, or moved to, a pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// name, for events
    pub name: String,
    /// its joints
    pub holds: Vec<Hold>,
    /// seconds from the start of the control to the target pose
    pub over: f64,
}

/// A control with its state.
#[derive(Clone, Debug)]
pub(super) struct Running {
    pub control: Control,
    /// start time and initial coordinates of its joints; `None` while off
    since: Option<(f64, Vec<[f64; MAX_NQ]>)>,
}

impl Control {
    /// Checks the joints and numbers.
    pub(super) fn check(&self, figure: &Figure) -> Result<(), Error> {
        for hold in &self.holds {
            let joint = figure.joint(hold.joint)?;
            if matches!(joint.kind, JointKind::Free | JointKind::Fixed) {
                let (kind, verb) = (joint.kind.name(), "held by a control");
                return Err(Error::WrongKind { joint: joint.name.clone(), kind, verb });
            }
            let what = format!("target of joint `{}`", joint.name);
            let expected = figure.forest().joint_place(hold.joint).nq;
            if hold.target.len() != expected {
                return Err(Error::Dimension { what, expected, got: hold.target.len() });
            }
            let numbers = hold.target.iter().chain([&hold.stiffness, &hold.damping, &self.over]);
            if !numbers.into_iter().all(|x| x.is_finite()) {
                return Err(Error::NotFinite { what: format!("control of joint `{}`", joint.name) });
            }
        }
        Ok(())
    }
}

impl Running {
    pub fn new(control: Control) -> Running {
        Running { control, since: None }
    }

    /// Starts at the current pose.
    pub fn start(&mut self, figure: &Figure, state: &State, time: f64) {
        let place = |h: &Hold| {
            let mut q = [0.0; MAX_NQ];
            if let Ok(now) = state.q_of(figure, h.joint) {
                q[..now.len()].copy_from_slice(now);
            }
            q
        };
        self.since = Some((time, self.control.holds.iter().map(place).collect()));
    }

    pub fn stop(&mut self) {
        self.since = None;
    }

    /// Adds the joint forces, except for joints that were cut.
    ///
    /// Where the step is implicit, stiffness and damping act at its end, as k (target - q - rest v) - b v with the
    /// velocity v of the end: stiff controls are stable. At the effort limit, stiffness and damping are scaled down together
    /// to reach it at the current velocity: a joint that would overshoot its target within the step gets less.
    pub fn add(
        &self,
        figure: &Figure,
        forest: &Forest,
        time: f64,
        q: &[f64],
        v: &[f64],
        push: &mut ForceSum,
    ) {
        let Some((start, from)) = &self.since else { return };
        let s =
            if self.control.over > 0.0 { ((time - start) / self.control.over).clamp(0.0, 1.0) } else { 1.0 };
        let part = s * s * (3.0 - 2.0 * s);
        for (hold, from) in self.control.holds.iter().zip(from) {
            let Ok(joint) = figure.joint(hold.joint) else { continue };
            let place = forest.joint_place(hold.joint);
            if place.nq != hold.target.len() || joint.kind == JointKind::Free {
                continue;
            }
            let c = joint.coordinates();
            let error = error(&c, &from[..place.nq], &hold.target, part, &q[place.iq..place.iq + place.nq]);
            for k in 0..place.nv {
                let most = effort(joint, &c, k);
                let dof = place.iv + k;
                let spring = hold.stiffness * error[k];
                let rest = push.soft.as_ref().map_or(0.0, |s| s.rest);
                let viscosity = hold.damping + rest * hold.stiffness;
                let force = spring - viscosity * v[dof];
                match &mut push.soft {
                    Some(soft) => {
                        let part = if force.abs() <= most { 1.0 } else { most / force.abs() };
                        push.tau[dof] += part * spring;
                        soft.viscosity[dof] += part * viscosity;
                    }
                    None => push.tau[dof] += force.clamp(-most, most),
                }
            }
        }
    }
}

/// Error to the current target, which lies `part` of the way from `from` to `to`.
fn error(c: &Coordinates, from: &[f64], to: &[f64], part: f64, now: &[f64]) -> [f64; 3] {
    if c.kind == JointKind::Spherical && !c.has_locks() {
        let quat = |q: &[f64]| Quat([q[0], q[1], q[2], q[3]]);
        let from = quat(from);
        let wanted = from.then(Quat::exp(from.inverse().then(quat(to)).log().scale(part)));
        let missing: Vec3 = quat(now).inverse().then(wanted).log();
        return missing.to_array();
    }
    let mut e = [0.0; 3];
    for k in 0..now.len() {
        e[k] = from[k] + part * (to[k] - from[k]) - now[k];
    }
    e
}

/// Effort limit of the `k`-th unlocked number of v of a joint.
fn effort(joint: &Joint, c: &Coordinates, k: usize) -> f64 {
    let dof = if c.kind == JointKind::Spherical && !c.has_locks() {
        // the numbers of v belong to the child's axes, the properties to the axes of the rotation order
        joint.order.axes().iter().position(|a| a.index() == k)
    } else {
        c.free_dofs().nth(k)
    };
    dof.map_or(f64::INFINITY, |d| joint.dof[d].effort)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::{Dof, MAX_DOF};
    use crate::spatial::{RotationOrder, vec3};

    #[test]
    fn the_error_of_a_ball_is_the_missing_rotation() {
        let c =
            Coordinates::new(JointKind::Spherical, RotationOrder::Yxz, &[Dof::default(); MAX_DOF], [0.0; 3]);
        let turn = vec3(0.3, -0.2, 0.5);
        let (home, there) = (Quat([1.0, 0.0, 0.0, 0.0]), Quat::exp(turn));
        let whole = Vec3::from_array(&error(&c, &home.0, &there.0, 1.0, &home.0));
        assert!((whole - turn).norm() < 1e-14);
        let half = Vec3::from_array(&error(&c, &home.0, &there.0, 0.5, &home.0));
        assert!((half - turn.scale(0.5)).norm() < 1e-14);
    }

    #[test]
    fn scalars_move_along_a_line() {
        let kind = JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) };
        let c = Coordinates::new(kind, RotationOrder::Yxz, &[Dof::default(); MAX_DOF], [0.0; 3]);
        assert_eq!(error(&c, &[1.0], &[3.0], 0.25, &[1.2])[0], 1.5 - 1.2);
    }
}
