//! A walk without end under the filter, whose gait is changed on the way.

use super::Arrow;
use super::forces::{Forces, check_friction, tune};
use crate::Error;
use crate::asked::Asked;
use crate::command::Command;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::gait::parameter::Parameters;
use anthropi_motion::gait::{Stroll, Walker};
use serde_json::{Value, json};
use std::sync::Arc;

/// Somebody who walks.
#[derive(Clone, Debug)]
pub struct Strolled {
    stroll: Stroll,
    asked: Asked,
    /// what that is in numbers; none for standing
    means: Option<Parameters>,
    is_on: bool,
    forces: Forces,
    falls: usize,
    told: Vec<String>,
}

impl Strolled {
    /// Stands, and is about to walk.
    ///
    /// # Errors
    /// A figure that cannot walk, or not so.
    pub fn of(figure: &Arc<Figure>, asked: Asked) -> Result<Strolled, Error> {
        let walker = Walker::of(figure, &[])?;
        let gait = asked.stretch(walker.stature(figure.stature))?;
        let gait = gait.ok_or_else(|| Error("a walk begins with a speed above zero".into()))?;
        let stroll = walker.stroll(gait, 1.0)?;
        let (means, forces, told) = (Some(gait.parameters), Forces::default(), Vec::new());
        Ok(Strolled { stroll, asked, means, is_on: true, forces, falls: 0, told })
    }

    pub(super) fn dt(&self) -> f64 {
        self.stroll.dt()
    }

    pub(super) fn time(&self) -> f64 {
        self.stroll.time()
    }

    pub(super) fn figure(&self) -> &Figure {
        self.stroll.figure()
    }

    pub(super) fn state(&self) -> (&[f64], &[f64]) {
        match self.is_on {
            true => (self.stroll.body().q(), self.stroll.body().v()),
            false => self.stroll.planned(),
        }
    }

    pub(super) fn torques(&self) -> &[f64] {
        if self.is_on { self.stroll.body().tau() } else { &[] }
    }

    pub(super) fn ghost(&self) -> Option<&[f64]> {
        self.is_on.then(|| self.stroll.planned().0)
    }

    pub(super) fn pulls_to(&self) -> Option<Vec3> {
        self.forces.pulls_to()
    }

    pub(super) fn friction(&self) -> f64 {
        self.stroll.body().friction
    }

    /// What is asked for, in words and in numbers, and whether it is still being planned.
    pub(super) fn gait(&self) -> Value {
        let means = self.means.map(|p| json!({ "speed": p.speed, "length": p.length }));
        json!({ "asked": self.asked, "means": means, "is_planning": self.stroll.is_planning() })
    }

    pub(super) fn step(&mut self) -> Result<(), Error> {
        let figure = self.stroll.figure().clone();
        let mut forces = core::mem::take(&mut self.forces);
        forces.begin(&figure, self.state(), self.time(), self.dt());
        let outside = forces.outside(&figure);
        let made = self.stroll.step(&outside, &mut |step| forces.see(step.body));
        self.forces = forces;
        made?;
        if self.stroll.falls() > self.falls {
            self.falls = self.stroll.falls();
            self.told.push("the figure fell; it stands up and walks on".into());
        }
        Ok(())
    }

    pub(super) fn obey(&mut self, command: &Command) -> Result<(), Error> {
        match command {
            Command::Gait(asked) => {
                let gait = asked.stretch(self.stroll.stature())?;
                self.stroll.ask(gait)?;
                (self.asked, self.means) = (asked.clone(), gait.map(|g| g.parameters));
                Ok(())
            }
            Command::Filter { is_on, friction, gains } => {
                check_friction(*friction)?;
                let figure = self.stroll.figure().clone();
                tune(self.stroll.body_mut(), &figure, 1.0, gains)?;
                self.stroll.body_mut().friction = *friction;
                self.is_on = *is_on;
                Ok(())
            }
            _ => self.forces.obey(self.stroll.figure(), command, self.stroll.time()),
        }
    }

    pub(super) fn arrows(&self) -> Vec<Arrow> {
        self.forces.arrows(self.stroll.figure())
    }

    pub(super) fn measures(&self) -> Vec<(&'static str, &'static str, f64)> {
        let pace = self.stroll.pace();
        let mut all = self.forces.measures(self.torques());
        all.extend([
            ("speed", "m/s", pace.speed),
            ("step length", "m", pace.length),
            ("steps a minute", "1/min", 60.0 * pace.frequency),
        ]);
        all
    }

    pub(super) fn told(&mut self) -> Vec<String> {
        core::mem::take(&mut self.told)
    }
}
