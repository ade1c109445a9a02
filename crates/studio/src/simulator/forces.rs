//! Forces on a figure under the filter: from the user, from the scene and from the ground.

use super::{ForceArrow, ForceSource};
use crate::Error;
use crate::command::{Command, Gains};
use crate::user_forces::UserForces;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::anatomy;
use anthropi_motion::filter::{AppliedForce, GroundForce, SimulatedBody};

/// Forces of the current step.
#[derive(Clone, Debug, Default)]
pub(super) struct Forces {
    user: UserForces,
    link_forces: Vec<AppliedForce>,
    /// pushes of the filter scene
    pub scripted: Vec<AppliedForce>,
    pub ground: Vec<GroundForce>,
    /// residual force at the root, N
    pub residual: f64,
    kinematics: Kinematics,
}

impl Forces {
    /// Target of the drag spring.
    pub fn drag_target(&self) -> Option<Vec3> {
        self.user.drag_target()
    }

    /// Updates the user forces for a step of `dt` at `time`.
    pub fn begin_step(&mut self, figure: &Figure, (q, v): (&[f64], &[f64]), time: f64, dt: f64) {
        self.kinematics.update(figure.forest(), q, Some(v), None);
        self.link_forces = self.user.link_forces(figure, &self.kinematics, time, dt);
        self.ground.clear();
        self.residual = 0.0;
    }

    /// All external forces except contact.
    pub fn applied(&self) -> Vec<AppliedForce> {
        self.link_forces.iter().chain(&self.scripted).copied().collect()
    }

    /// Records contact forces and residual of a body.
    pub fn record(&mut self, body: &SimulatedBody) {
        self.ground.clear();
        self.ground.extend_from_slice(body.ground());
        self.residual = self.residual.max(body.root_residual().0);
    }

    /// Applies a command about forces; refuses others.
    pub fn apply(&mut self, figure: &Figure, command: &Command, time: f64) -> Result<(), Error> {
        match command {
            Command::Torque { .. } => Err(Error(
                "the filter computes the torques of this figure; open a scene to set torques".into(),
            )),
            command if self.user.apply(figure, command, time)? => Ok(()),
            _ => Err(Error(
                "the structure of a figure under the filter cannot change; open a scene to edit it".into(),
            )),
        }
    }

    pub fn arrows(&self, figure: &Figure) -> Vec<ForceArrow> {
        let ground =
            self.ground.iter().map(|g| ForceArrow { source: ForceSource::Contact, at: g.at, force: g.force });
        let applied = self.applied().into_iter().map(|p| {
            let at = self.kinematics.link_pose(figure.forest(), p.link).point(p.point);
            ForceArrow { source: ForceSource::User, at, force: p.force }
        });
        ground.chain(applied).collect()
    }

    pub fn measures(&self, torques: &[f64]) -> Vec<(&'static str, &'static str, f64)> {
        let ground: f64 = self.ground.iter().map(|g| g.force.z).sum();
        let torque = torques.iter().fold(0.0, |most: f64, t| most.max(t.abs()));
        vec![
            ("ground force", "N", ground),
            ("largest torque", "N m", torque),
            ("residual force", "N", self.residual),
        ]
    }
}

/// Sets the gains of the filter, relative to a strength.
pub(super) fn tune(
    body: &mut SimulatedBody,
    figure: &Figure,
    strength: f64,
    gains: &Gains,
) -> Result<(), Error> {
    gains.check()?;
    body.set_strength(&anatomy::from_figure(figure, &[])?, strength * gains.strength);
    body.gains = body.default_gains().tuned(gains.following, gains.damping, gains.balance);
    Ok(())
}

pub(super) fn check_friction(friction: f64) -> Result<(), Error> {
    if friction > 0.0 && friction.is_finite() {
        return Ok(());
    }
    Err(Error(format!("friction is {friction}, expected more than zero")))
}
