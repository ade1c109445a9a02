//! A motion under the on-line filter: the figure follows it by its own strength, and can be pulled and pushed.
//!
//! Frames come one after the other; at the end of the motion they come from its beginning again, moved to where the
//! figure is and turned to where it looks, and the figure begins anew there. Forces of hands change from frame to frame.

use super::Arrow;
use super::forces::{Forces, check_friction, tune};
use crate::Error;
use crate::command::{Command, Gains};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::clip::Planar;
use anthropi_motion::filter::{Body, OnlineFilter, Outside, Settings};
use anthropi_motion::{Clip, anatomy, spots};
use std::sync::Arc;

/// A motion that is followed.
#[derive(Clone, Debug)]
pub struct Followed {
    clip: Arc<Clip>,
    /// as the motion came: pushes, friction, strength
    settings: Arc<Settings>,
    filter: OnlineFilter,
    is_on: bool,
    gains: Gains,
    frame: usize,
    /// where the motion is played this time
    place: Option<Planar>,
    /// where the reference is; the filter is one frame behind
    ghost: Vec<f64>,
    steps: u64,
    forces: Forces,
    /// at rest, where the filter is off or has not begun
    shown: (Vec<f64>, Vec<f64>),
    has_begun: bool,
    notes: usize,
    told: Vec<String>,
}

impl Followed {
    /// A motion at its start.
    ///
    /// # Errors
    /// A figure without feet or that is not free; an empty motion.
    pub fn of(clip: Clip) -> Result<Followed, Error> {
        Followed::with(clip, Settings::default())
    }

    /// The same with pushes at their times, on a floor of its own, with a strength of its own.
    ///
    /// # Errors
    /// As [`Followed::of`].
    pub fn with(clip: Clip, settings: Settings) -> Result<Followed, Error> {
        let gains = Gains::default();
        let filter = filter(&clip, settings.friction, settings.strength, &gains)?;
        let first = clip.pose(0).to_vec();
        let shown = (first.clone(), vec![0.0; clip.figure().forest().nv()]);
        Ok(Followed {
            filter,
            settings: Arc::new(settings),
            is_on: true,
            gains,
            frame: 0,
            place: None,
            ghost: first,
            steps: 0,
            forces: Forces::default(),
            shown,
            has_begun: false,
            notes: 0,
            told: Vec::new(),
            clip: Arc::new(clip),
        })
    }

    /// What is wanted of the filter when the whole motion goes through it.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The motion.
    pub fn clip(&self) -> &Clip {
        &self.clip
    }

    pub(super) fn dt(&self) -> f64 {
        self.clip.dt()
    }

    pub(super) fn time(&self) -> f64 {
        self.steps as f64 * self.clip.dt()
    }

    pub(super) fn figure(&self) -> &Figure {
        self.clip.figure()
    }

    fn is_moved(&self) -> bool {
        self.is_on && self.has_begun
    }

    pub(super) fn state(&self) -> (&[f64], &[f64]) {
        match self.is_moved() {
            true => (self.filter.body.q(), self.filter.body.v()),
            false => (&self.shown.0, &self.shown.1),
        }
    }

    pub(super) fn torques(&self) -> &[f64] {
        if self.is_moved() { self.filter.body.tau() } else { &[] }
    }

    pub(super) fn ghost(&self) -> Option<&[f64]> {
        self.is_moved().then_some(&self.ghost)
    }

    pub(super) fn pulls_to(&self) -> Option<Vec3> {
        self.forces.pulls_to()
    }

    pub(super) fn step(&mut self) -> Result<(), Error> {
        if self.frame >= self.clip.frames() {
            self.place = Some(Planar::onto(self.clip.figure().forest(), self.clip.pose(0), self.state().0));
            self.begin_anew()?;
            self.frame = 0;
            self.told.push("the motion begins anew".into());
        }
        let figure = self.clip.figure().clone();
        let (time, dt) = (self.time(), self.dt());
        let mut forces = core::mem::take(&mut self.forces);
        // a frame has many steps of the engine; the spring sees only its beginning, and is as soft as that asks
        forces.begin(&figure, self.state(), time, dt);
        forces.shoves = self.shoves_now();
        let pose = self.reference(self.frame);
        if self.is_on {
            self.filter.outside = forces.outside(&figure);
            self.has_begun |= self.filter.push_watched(&pose, &mut |body, _| forces.see(body))?.is_some();
            // only feet and hands touch the ground: who lies there would sink
            if self.has_begun && self.filter.has_fallen() {
                self.filter.restart();
                self.told.push("the figure fell; it begins anew where the motion is".into());
            }
            let notes = &self.filter.notes;
            self.told.extend_from_slice(&notes[self.notes.min(notes.len())..]);
            self.notes = notes.len();
        }
        self.forces = forces;
        self.ghost = self.reference(self.frame.saturating_sub(1));
        self.shown.0.copy_from_slice(&pose);
        self.frame += 1;
        self.steps += 1;
        Ok(())
    }

    /// A frame of the motion where it is played now.
    fn reference(&self, frame: usize) -> Vec<f64> {
        let mut pose = self.clip.pose(frame).to_vec();
        if let Some(place) = self.place {
            place.apply(self.clip.figure().forest(), &mut pose);
        }
        pose
    }

    /// Pushes that came with the motion, at their times, turned with it.
    fn shoves_now(&self) -> Vec<Outside> {
        let time = self.frame as f64 * self.clip.dt();
        let acting = self.settings.pushes.iter().filter(|p| (p.from..p.to).contains(&time));
        let turn = |force: Vec3| self.place.map_or(force, |place| place.turn(force));
        acting.map(|p| Outside { force: turn(p.outside.force), ..p.outside }).collect()
    }

    /// The figure begins at the frame that comes next.
    fn begin_anew(&mut self) -> Result<(), Error> {
        self.filter = filter(&self.clip, self.filter.body.friction, self.settings.strength, &self.gains)?;
        (self.has_begun, self.notes) = (false, 0);
        self.forces.ground.clear();
        Ok(())
    }

    pub(super) fn obey(&mut self, command: &Command) -> Result<(), Error> {
        let Command::Filter { is_on, friction, gains } = command else {
            return self.forces.obey(self.clip.figure(), command, self.time());
        };
        check_friction(*friction)?;
        tune(&mut self.filter.body, self.clip.figure(), self.settings.strength, gains)?;
        self.filter.body.friction = *friction;
        self.gains = *gains;
        if *is_on != self.is_on {
            self.is_on = *is_on;
            self.begin_anew()?;
        }
        Ok(())
    }

    pub(super) fn arrows(&self) -> Vec<Arrow> {
        self.forces.arrows(self.clip.figure())
    }

    pub(super) fn measures(&self) -> Vec<(&'static str, &'static str, f64)> {
        self.forces.measures(self.torques())
    }

    pub(super) fn told(&mut self) -> Vec<String> {
        core::mem::take(&mut self.told)
    }
}

/// A filter for a motion.
fn filter(clip: &Clip, friction: f64, strength: f64, gains: &Gains) -> Result<OnlineFilter, Error> {
    let figure = clip.figure();
    let anatomy = anatomy::of_figure(figure, &[])?;
    let mut body = Body::new(figure, &anatomy, spots::of_figure(figure, &anatomy)?, strength)?;
    body.friction = friction;
    tune(&mut body, figure, strength, gains)?;
    Ok(OnlineFilter::of(body, clip.dt())?)
}
