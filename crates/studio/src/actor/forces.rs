//! Forces on a figure that the filter moves: those of hands and of the ground, as they act and as they are drawn.

use super::{Arrow, Kind};
use crate::Error;
use crate::command::{Command, Gains};
use crate::hands::{Acting, Hands};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::anatomy;
use anthropi_motion::filter::{Body, GroundForce, Outside};

/// What acts at the moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Forces {
    hands: Hands,
    acting: Vec<Acting>,
    /// of whoever is pushed by others than hands
    pub shoves: Vec<Outside>,
    pub ground: Vec<GroundForce>,
    /// force without a source, N
    pub residual: f64,
    kinematics: Kinematics,
}

impl Forces {
    /// Where the hand pulls to.
    pub fn pulls_to(&self) -> Option<Vec3> {
        self.hands.pulls_to()
    }

    /// What hands do to a figure in a state, for a step of `dt` from `time` on.
    pub fn begin(&mut self, figure: &Figure, (q, v): (&[f64], &[f64]), time: f64, dt: f64) {
        self.kinematics.update(figure.forest(), q, Some(v), None);
        self.acting = self.hands.acting(figure, &self.kinematics, time, dt);
        self.ground.clear();
        self.residual = 0.0;
    }

    /// All of it from outside.
    pub fn outside(&self, figure: &Figure) -> Vec<Outside> {
        let find = |a: &Acting| {
            let link = figure.find_link(&a.link).ok()?;
            Some(Outside { link, at: a.at, force: a.force, is_known: false })
        };
        self.acting.iter().filter_map(find).chain(self.shoves.iter().copied()).collect()
    }

    /// Takes what the ground does to a body that is about to move.
    pub fn see(&mut self, body: &Body) {
        self.ground.clear();
        self.ground.extend_from_slice(body.ground());
        self.residual = self.residual.max(body.left_over().0);
    }

    /// Does what hands are told, or says why not.
    pub fn obey(&mut self, figure: &Figure, command: &Command, time: f64) -> Result<(), Error> {
        if let Command::Drag { link, .. } | Command::Push { link, .. } | Command::Force { link, .. } = command
        {
            figure.find_link(link)?;
        }
        match command {
            Command::Torque { .. } => Err(Error(
                "the filter finds the torques of this figure; open it as a scene to set them".into(),
            )),
            command if self.hands.take(command, time) => Ok(()),
            _ => Err(Error(
                "the structure of a figure under the filter stays as it is; open a scene to change it".into(),
            )),
        }
    }

    pub fn arrows(&self, figure: &Figure) -> Vec<Arrow> {
        let ground = self.ground.iter().map(|g| Arrow { kind: Kind::Contact, at: g.at, force: g.force });
        let outside = self.outside(figure).into_iter().map(|p| {
            let at = self.kinematics.link_pose(figure.forest(), p.link).point(p.at);
            Arrow { kind: Kind::Hand, at, force: p.force }
        });
        ground.chain(outside).collect()
    }

    pub fn measures(&self, torques: &[f64]) -> Vec<(&'static str, &'static str, f64)> {
        let ground: f64 = self.ground.iter().map(|g| g.force.z).sum();
        let torque = torques.iter().fold(0.0, |most: f64, t| most.max(t.abs()));
        vec![
            ("ground force", "N", ground),
            ("largest torque", "N m", torque),
            ("force without a source", "N", self.residual),
        ]
    }
}

/// How a figure of a strength goes after its reference from now on.
pub(super) fn tune(body: &mut Body, figure: &Figure, strength: f64, gains: &Gains) -> Result<(), Error> {
    gains.check()?;
    body.set_strength(&anatomy::of_figure(figure, &[])?, strength * gains.strength);
    body.gains = body.usual_gains().tuned(gains.following, gains.damping, gains.balance);
    Ok(())
}

/// Refuses friction that nothing has.
pub(super) fn check_friction(friction: f64) -> Result<(), Error> {
    if friction > 0.0 && friction.is_finite() {
        return Ok(());
    }
    Err(Error(format!("friction is {friction}, expected more than zero")))
}
