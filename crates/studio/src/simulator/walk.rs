//! An endless walk under the filter, with a gait that changes on the way.

use super::forces::{Forces, check_friction, tune};
use super::{ForceArrow, Simulate};
use crate::Error;
use crate::command::Command;
use crate::gait::GaitCommand;
use crate::protocol::{GaitState, GaitTarget};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::gait::parameter::Parameters;
use anthropi_motion::gait::{EndlessWalk, Walker};
use std::sync::Arc;

/// A figure that walks endlessly.
#[derive(Clone, Debug)]
pub struct WalkSimulator {
    walk: EndlessWalk,
    command: GaitCommand,
    /// parameters of the command; none for standing
    target: Option<Parameters>,
    is_filtered: bool,
    forces: Forces,
    falls: usize,
    messages: Vec<String>,
}

impl WalkSimulator {
    /// A standing figure that is about to walk.
    ///
    /// # Errors
    /// A figure that cannot walk, or not with this gait.
    pub fn new(figure: &Arc<Figure>, command: GaitCommand) -> Result<WalkSimulator, Error> {
        let walker = Walker::new(figure, &[])?;
        let gait = command.segment(walker.stature(figure.stature))?;
        let gait = gait.ok_or_else(|| Error("a walk needs a speed above zero".into()))?;
        let walk = walker.endless(gait, 1.0)?;
        Ok(WalkSimulator {
            walk,
            command,
            target: Some(gait.parameters),
            is_filtered: true,
            forces: Forces::default(),
            falls: 0,
            messages: Vec::new(),
        })
    }

    fn torques(&self) -> &[f64] {
        if self.is_filtered { self.walk.body().tau() } else { &[] }
    }
}

impl Simulate for WalkSimulator {
    fn dt(&self) -> f64 {
        self.walk.dt()
    }

    fn time(&self) -> f64 {
        self.walk.time()
    }

    fn figure(&self) -> &Figure {
        self.walk.figure()
    }

    fn state(&self) -> (&[f64], &[f64]) {
        match self.is_filtered {
            true => (self.walk.body().q(), self.walk.body().v()),
            false => self.walk.planned(),
        }
    }

    fn ghost(&self) -> Option<&[f64]> {
        self.is_filtered.then(|| self.walk.planned().0)
    }

    fn drag_target(&self) -> Option<Vec3> {
        self.forces.drag_target()
    }

    fn friction(&self) -> Option<f64> {
        Some(self.walk.body().friction)
    }

    fn gait(&self) -> Option<GaitState> {
        Some(GaitState {
            command: self.command.clone(),
            target: self.target.map(|p| GaitTarget { speed: p.speed, length: p.length }),
            is_planning: self.walk.is_planning(),
        })
    }

    fn step(&mut self) -> Result<(), Error> {
        let figure = self.walk.figure().clone();
        let mut forces = core::mem::take(&mut self.forces);
        forces.begin_step(&figure, self.state(), self.time(), self.dt());
        let made = self.walk.step(&forces.applied(), &mut |step| forces.record(step.body));
        self.forces = forces;
        made?;
        if self.walk.falls() > self.falls {
            self.falls = self.walk.falls();
            self.messages.push("the figure fell; it gets up and walks on".into());
        }
        Ok(())
    }

    fn apply(&mut self, command: &Command) -> Result<(), Error> {
        match command {
            Command::Gait(command) => {
                let gait = command.segment(self.walk.stature())?;
                self.walk.request(gait)?;
                (self.command, self.target) = (command.clone(), gait.map(|g| g.parameters));
                Ok(())
            }
            Command::Filter { is_on, friction, gains } => {
                check_friction(*friction)?;
                let figure = self.walk.figure().clone();
                tune(self.walk.body_mut(), &figure, 1.0, gains)?;
                self.walk.body_mut().friction = *friction;
                self.is_filtered = *is_on;
                Ok(())
            }
            _ => self.forces.apply(self.walk.figure(), command, self.walk.time()),
        }
    }

    fn arrows(&self) -> Vec<ForceArrow> {
        self.forces.arrows(self.walk.figure())
    }

    fn measures(&self) -> Vec<(&'static str, &'static str, f64)> {
        let pace = self.walk.pace();
        let mut all = self.forces.measures(self.torques());
        all.extend([
            ("speed", "m/s", pace.speed),
            ("step length", "m", pace.length),
            ("cadence", "steps/min", 60.0 * pace.frequency),
        ]);
        all
    }

    fn take_messages(&mut self) -> Vec<String> {
        core::mem::take(&mut self.messages)
    }
}
