//! Who walks a walk.

use super::{WALKER, Walking};
use crate::error::{Error, Warning};
use crate::{Loaded, moving};
use anthropi_dynamics::model::Figure;
use anthropi_motion::anatomy::Part;
use anthropi_motion::gait::load::laden;
use anthropi_motion::gait::{Settings, Walker};
use std::sync::Arc;

/// Who walks.
pub struct Person {
    /// kg, without the load
    pub own_mass: f64,
    /// with the load
    pub figure: Arc<Figure>,
    /// kg
    pub load: f64,
    /// links and what they are, where recognition is wrong
    pub parts: Vec<(String, Part)>,
    /// what is doubtful about the figure
    pub warnings: Vec<Warning>,
}

impl Person {
    /// As a walk asks.
    ///
    /// # Errors
    /// A figure that cannot be had, sizes and loads that cannot be.
    pub fn of(walking: &Walking, parts: Vec<(String, Part)>) -> Result<Person, Error> {
        let Loaded { figure, warnings } = moving::free(walking.figure.as_deref().unwrap_or(WALKER))?;
        let own = moving::scaled(figure, walking.height, walking.mass)?;
        let load = walking.load.unwrap_or(0.0);
        let figure = Arc::new(laden(&own, load, &parts)?);
        Ok(Person { own_mass: own.mass(), figure, load, parts, warnings })
    }

    /// The same as somebody who can walk.
    ///
    /// # Errors
    /// A figure that cannot.
    pub fn walker(&self) -> Result<Walker, Error> {
        Ok(Walker::of(&self.figure, &self.parts)?)
    }

    /// How a walk is simulated: with the walk's friction and pushes.
    ///
    /// # Errors
    /// Pushes on links that the figure does not have.
    pub fn settings(&self, walking: &Walking) -> Result<Settings, Error> {
        Ok(Settings {
            friction: walking.friction.unwrap_or(Settings::default().friction),
            // a pack makes nobody stronger
            strength: self.own_mass / self.figure.mass(),
            pushes: walking.pushes_on(&self.figure)?,
            parts: self.parts.clone(),
        })
    }
}
