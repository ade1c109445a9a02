//! A motion tracked by the on-line filter: the figure follows it with its own joint torques, and can be dragged and pushed.
//!
//! One step is one frame of the motion. A motion that ends restarts at the figure's position and heading.

use super::forces::{Forces, check_friction, tune};
use super::{ForceArrow, Simulate};
use crate::Error;
use crate::command::{Command, Gains};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::clip::Planar;
use anthropi_motion::filter::{AppliedForce, FilterSettings, OnlineFilter, SimulatedBody};
use anthropi_motion::{Clip, anatomy, contact_points};
use std::sync::Arc;

/// A tracked motion.
#[derive(Clone, Debug)]
pub struct TrackingSimulator {
    clip: Arc<Clip>,
    /// of the motion: pushes, friction, strength
    settings: Arc<FilterSettings>,
    filter: OnlineFilter,
    is_filtered: bool,
    gains: Gains,
    frame: usize,
    /// offset of the motion since its last restart
    offset: Option<Planar>,
    /// reference of the current state; the filter is one frame behind
    ghost: Vec<f64>,
    steps: u64,
    forces: Forces,
    /// reference pose at rest, shown until the filter has a state
    shown: (Vec<f64>, Vec<f64>),
    has_state: bool,
    /// filter notes reported so far
    notes: usize,
    messages: Vec<String>,
}

impl TrackingSimulator {
    /// A motion at its start.
    ///
    /// # Errors
    /// A figure without feet or floating base; an empty motion.
    pub fn new(clip: Clip, settings: FilterSettings) -> Result<TrackingSimulator, Error> {
        let gains = Gains::default();
        let filter = filter(&clip, settings.friction, settings.strength, &gains)?;
        let first = clip.pose(0).to_vec();
        let shown = (first.clone(), vec![0.0; clip.figure().forest().nv()]);
        Ok(TrackingSimulator {
            filter,
            settings: Arc::new(settings),
            is_filtered: true,
            gains,
            frame: 0,
            offset: None,
            ghost: first,
            steps: 0,
            forces: Forces::default(),
            shown,
            has_state: false,
            notes: 0,
            messages: Vec::new(),
            clip: Arc::new(clip),
        })
    }

    /// Filter settings of the motion.
    pub fn settings(&self) -> &FilterSettings {
        &self.settings
    }

    /// The motion.
    pub fn clip(&self) -> &Clip {
        &self.clip
    }

    /// Whether the filter moves the figure.
    fn is_tracking(&self) -> bool {
        self.is_filtered && self.has_state
    }

    fn torques(&self) -> &[f64] {
        if self.is_tracking() { self.filter.body.tau() } else { &[] }
    }

    /// A frame of the motion with its offset.
    fn reference(&self, frame: usize) -> Vec<f64> {
        let mut pose = self.clip.pose(frame).to_vec();
        if let Some(offset) = self.offset {
            offset.apply(self.clip.figure().forest(), &mut pose);
        }
        pose
    }

    /// Pushes of the filter scene in this frame, turned with the motion.
    fn scripted_forces(&self) -> Vec<AppliedForce> {
        let time = self.frame as f64 * self.clip.dt();
        let acting = self.settings.pushes.iter().filter(|p| (p.from..p.to).contains(&time));
        let turn = |force: Vec3| self.offset.map_or(force, |offset| offset.turn(force));
        acting.map(|p| AppliedForce { force: turn(p.force), ..*p }).collect()
    }

    /// Restarts the filter at the next frame.
    fn restart(&mut self) -> Result<(), Error> {
        self.filter = filter(&self.clip, self.filter.body.friction, self.settings.strength, &self.gains)?;
        (self.has_state, self.notes) = (false, 0);
        self.forces.ground.clear();
        Ok(())
    }
}

impl Simulate for TrackingSimulator {
    fn dt(&self) -> f64 {
        self.clip.dt()
    }

    fn time(&self) -> f64 {
        self.steps as f64 * self.clip.dt()
    }

    fn figure(&self) -> &Figure {
        self.clip.figure()
    }

    fn state(&self) -> (&[f64], &[f64]) {
        match self.is_tracking() {
            true => (self.filter.body.q(), self.filter.body.v()),
            false => (&self.shown.0, &self.shown.1),
        }
    }

    fn ghost(&self) -> Option<&[f64]> {
        self.is_tracking().then_some(&self.ghost)
    }

    fn friction(&self) -> Option<f64> {
        Some(self.settings.friction)
    }

    fn drag_target(&self) -> Option<Vec3> {
        self.forces.drag_target()
    }

    fn step(&mut self) -> Result<(), Error> {
        if self.frame >= self.clip.frames() {
            self.offset = Some(Planar::onto(self.clip.figure().forest(), self.clip.pose(0), self.state().0));
            self.restart()?;
            self.frame = 0;
            self.messages.push("the motion restarts".into());
        }
        let figure = self.clip.figure().clone();
        let (time, dt) = (self.time(), self.dt());
        let mut forces = core::mem::take(&mut self.forces);
        // the spring force is constant within a frame, so its stability limit uses the frame time
        forces.begin_step(&figure, self.state(), time, dt);
        forces.scripted = self.scripted_forces();
        let pose = self.reference(self.frame);
        if self.is_filtered {
            self.filter.applied = forces.applied();
            self.has_state |= self.filter.push_watched(&pose, &mut |body, _| forces.record(body))?.is_some();
            // only feet and hands have contact points: a lying figure would sink
            if self.has_state && self.filter.has_fallen() {
                self.filter.restart();
                self.messages.push("the figure fell; it restarts on the motion".into());
            }
            let notes = &self.filter.notes;
            self.messages.extend(notes[self.notes.min(notes.len())..].iter().map(|n| n.text.clone()));
            self.notes = notes.len();
        }
        self.forces = forces;
        self.ghost = self.reference(self.frame.saturating_sub(1));
        self.shown.0.copy_from_slice(&pose);
        self.frame += 1;
        self.steps += 1;
        Ok(())
    }

    fn apply(&mut self, command: &Command) -> Result<(), Error> {
        let Command::Filter { is_on, friction, gains } = command else {
            return self.forces.apply(self.clip.figure(), command, self.time());
        };
        check_friction(*friction)?;
        tune(&mut self.filter.body, self.clip.figure(), self.settings.strength, gains)?;
        self.filter.body.friction = *friction;
        self.gains = *gains;
        if *is_on != self.is_filtered {
            self.is_filtered = *is_on;
            self.restart()?;
        }
        Ok(())
    }

    fn arrows(&self) -> Vec<ForceArrow> {
        self.forces.arrows(self.clip.figure())
    }

    fn measures(&self) -> Vec<(&'static str, &'static str, f64)> {
        self.forces.measures(self.torques())
    }

    fn take_messages(&mut self) -> Vec<String> {
        core::mem::take(&mut self.messages)
    }
}

/// An on-line filter for a motion.
fn filter(clip: &Clip, friction: f64, strength: f64, gains: &Gains) -> Result<OnlineFilter, Error> {
    let figure = clip.figure();
    let anatomy = anatomy::from_figure(figure, &[])?;
    let mut body = SimulatedBody::new(figure, &anatomy, contact_points::find(figure, &anatomy)?, strength)?;
    body.friction = friction;
    tune(&mut body, figure, strength, gains)?;
    Ok(OnlineFilter::with_body(body, clip.dt())?)
}
