//! A motion under the on-line filter: the figure follows it by its own strength, and can be pulled and pushed.
//!
//! Frames come one after the other; at the end of the motion they come from its beginning again, and the figure begins
//! anew there. Forces of hands change from frame to frame.

use super::{Arrow, Kind};
use crate::Error;
use crate::command::Command;
use crate::hands::{Acting, Hands};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::Clip;
use anthropi_motion::filter::{GroundForce, OnlineFilter, Outside};

/// A motion that is followed.
#[derive(Clone, Debug)]
pub struct Followed {
    clip: Clip,
    filter: OnlineFilter,
    is_on: bool,
    frame: usize,
    steps: u64,
    hands: Hands,
    acting: Vec<Acting>,
    kinematics: Kinematics,
    ground: Vec<GroundForce>,
    /// at rest, where the filter is off or has not begun
    shown: (Vec<f64>, Vec<f64>),
    has_begun: bool,
    residual: f64,
    notes: usize,
    told: Vec<String>,
}

impl Followed {
    /// A motion at its start.
    ///
    /// # Errors
    /// A figure without feet or that is not free; an empty motion.
    pub fn of(clip: Clip) -> Result<Followed, Error> {
        let filter = OnlineFilter::new(clip.figure(), clip.dt())?;
        let shown = (clip.pose(0).to_vec(), vec![0.0; clip.figure().forest().nv()]);
        Ok(Followed {
            filter,
            is_on: true,
            frame: 0,
            steps: 0,
            hands: Hands::default(),
            acting: Vec::new(),
            kinematics: Kinematics::default(),
            ground: Vec::new(),
            shown,
            has_begun: false,
            residual: 0.0,
            notes: 0,
            told: Vec::new(),
            clip,
        })
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
        // the filter is one frame behind
        self.is_moved().then(|| self.clip.pose(self.frame.saturating_sub(2).min(self.clip.frames() - 1)))
    }

    pub(super) fn pulls_to(&self) -> Option<Vec3> {
        self.hands.pulls_to()
    }

    pub(super) fn step(&mut self) -> Result<(), Error> {
        if self.frame >= self.clip.frames() {
            self.begin_anew()?;
            self.told.push("the motion begins anew".into());
        }
        let mut kinematics = core::mem::take(&mut self.kinematics);
        let (q, v) = self.state();
        kinematics.update(self.clip.figure().forest(), q, Some(v), None);
        let (time, dt) = (self.time(), self.dt());
        // a frame has many steps of the engine; the spring sees only its beginning, and is as soft as that asks
        let figure = self.clip.figure().clone();
        self.acting = self.hands.acting(&figure, &kinematics, time, dt);
        self.kinematics = kinematics;
        let pose = self.clip.pose(self.frame).to_vec();
        if self.is_on {
            let find = |a: &Acting| {
                let link = figure.find_link(&a.link).ok()?;
                Some(Outside { link, at: a.at, force: a.force, is_known: false })
            };
            self.filter.outside = self.acting.iter().filter_map(find).collect();
            let (mut ground, mut left) = (Vec::new(), 0.0f64);
            let moved = self
                .filter
                .push_watched(&pose, &mut |body, _| {
                    ground.clear();
                    ground.extend_from_slice(body.ground());
                    left = left.max(body.left_over().0);
                })?
                .is_some();
            self.has_begun |= moved;
            (self.ground, self.residual) = (ground, left);
            let notes = &self.filter.notes;
            self.told.extend_from_slice(&notes[self.notes.min(notes.len())..]);
            self.notes = notes.len();
        }
        self.shown.0.copy_from_slice(&pose);
        self.frame += 1;
        self.steps += 1;
        Ok(())
    }

    fn begin_anew(&mut self) -> Result<(), Error> {
        let mut filter = OnlineFilter::new(self.clip.figure(), self.clip.dt())?;
        filter.body.friction = self.filter.body.friction;
        (self.filter, self.frame, self.has_begun, self.notes) = (filter, 0, false, 0);
        self.ground.clear();
        Ok(())
    }

    pub(super) fn obey(&mut self, command: &Command) -> Result<(), Error> {
        if let Command::Drag { link, .. } | Command::Push { link, .. } | Command::Force { link, .. } = command
        {
            self.clip.figure().find_link(link)?;
        }
        match command {
            Command::Filter { is_on, friction } => {
                if !(*friction > 0.0 && friction.is_finite()) {
                    return Err(Error(format!("friction is {friction}, expected more than zero")));
                }
                self.filter.body.friction = *friction;
                if *is_on != self.is_on {
                    self.is_on = *is_on;
                    let frame = self.frame;
                    self.begin_anew()?;
                    self.frame = frame;
                }
                Ok(())
            }
            Command::Torque { .. } => Err(Error(
                "the filter finds the torques of this figure; open it as a scene to set them".into(),
            )),
            command if self.hands.take(command, self.time()) => Ok(()),
            _ => Err(Error(
                "the structure of a figure under the filter stays as it is; open a scene to change it".into(),
            )),
        }
    }

    pub(super) fn arrows(&self) -> Vec<Arrow> {
        let ground = self.ground.iter().map(|g| Arrow { kind: Kind::Contact, at: g.at, force: g.force });
        let figure = self.clip.figure();
        let hands = self.acting.iter().filter_map(|a| {
            let link = figure.find_link(&a.link).ok()?;
            let at = self.kinematics.link_pose(figure.forest(), link).point(a.at);
            Some(Arrow { kind: Kind::Hand, at, force: a.force })
        });
        ground.chain(hands).collect()
    }

    pub(super) fn measures(&self) -> Vec<(&'static str, &'static str, f64)> {
        let ground: f64 = self.ground.iter().map(|g| g.force.z).sum();
        let torque = self.torques().iter().fold(0.0, |most: f64, t| most.max(t.abs()));
        vec![
            ("ground force", "N", ground),
            ("largest torque", "N m", torque),
            ("force without a source", "N", self.residual),
        ]
    }

    pub(super) fn told(&mut self) -> Vec<String> {
        core::mem::take(&mut self.told)
    }
}
