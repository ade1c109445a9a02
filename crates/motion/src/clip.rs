//! A motion of a figure: poses (q) at equal time steps.
//!
//! Operations return new clips: `edit` (time), `join`, `blend` with its `phase`, `space` (paths, sizes), `mirror`.
//! `jitter` measures roughness.

mod blend;
mod edit;
mod jitter;
mod join;
mod mirror;
mod phase;
mod space;

pub use join::Ease;
pub use phase::Touchdown;
pub use space::{Pace, Planar};

use crate::error::Error;
use crate::pose;
use anthropi_dynamics::model::Figure;
use std::sync::Arc;

/// A motion of a figure.
#[derive(Clone, Debug)]
pub struct Clip {
    /// name
    pub name: String,
    figure: Arc<Figure>,
    start: f64,
    dt: f64,
    q: Vec<f64>,
}

impl Clip {
    /// A clip from poses (by frame, then q), `dt` seconds apart. Quaternions are normalised, with continuous signs.
    ///
    /// # Errors
    /// No frame, a length that is not a multiple of `nq`, `dt` not positive, a number that is not finite.
    pub fn new(
        name: impl Into<String>,
        figure: Arc<Figure>,
        dt: f64,
        mut q: Vec<f64>,
    ) -> Result<Clip, Error> {
        let (name, nq) = (name.into(), figure.forest().nq());
        if !(dt > 0.0 && dt.is_finite()) {
            let what = format!("time between frames of `{name}`");
            return Err(Error::OutOfRange { what, value: dt, expected: "a positive number" });
        }
        if q.is_empty() || nq == 0 {
            return Err(Error::TooShort { clip: name, frames: 0, expected: "a motion needs at least one" });
        }
        if !q.len().is_multiple_of(nq) {
            let expected = nq * q.len().div_ceil(nq);
            return Err(Error::Dimension { what: format!("poses of `{name}`"), expected, got: q.len() });
        }
        if let Some(i) = q.iter().position(|x| !x.is_finite()) {
            let joint = joint_of_coordinate(&figure, i % nq);
            return Err(Error::NotFinite { clip: name, frame: i / nq, joint });
        }
        make_continuous(&figure, &mut q);
        Ok(Clip { name, figure, start: 0.0, dt, q })
    }

    /// The same motion with another time of the first frame.
    pub fn starting_at(mut self, start: f64) -> Clip {
        self.start = start;
        self
    }

    /// The figure.
    pub fn figure(&self) -> &Arc<Figure> {
        &self.figure
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.q.len() / self.nq()
    }

    /// Seconds between frames.
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// Time of the first frame.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// Time of a frame.
    pub fn time(&self, frame: usize) -> f64 {
        self.start + frame as f64 * self.dt
    }

    /// Seconds from the first frame to the last.
    pub fn duration(&self) -> f64 {
        (self.frames() - 1) as f64 * self.dt
    }

    /// Pose of a frame.
    pub fn pose(&self, frame: usize) -> &[f64] {
        let nq = self.nq();
        &self.q[frame * nq..(frame + 1) * nq]
    }

    /// All poses, by frame.
    pub fn poses(&self) -> &[f64] {
        &self.q
    }

    /// The pose at a time, interpolated along the shortest path of each joint; clamped to the first and last frame.
    pub fn sample(&self, t: f64, pose: &mut [f64]) {
        let x = ((t - self.start) / self.dt).clamp(0.0, (self.frames() - 1) as f64);
        let frame = (x as usize).min(self.frames().saturating_sub(2));
        let s = x - frame as f64;
        if s == 0.0 || self.frames() == 1 {
            pose.copy_from_slice(self.pose(frame));
        } else {
            pose::between(self.figure.forest(), self.pose(frame), self.pose(frame + 1), s, pose);
        }
    }

    /// The same clip with other poses, which are finite, normalised and continuous.
    pub(crate) fn with_same_frames(&self, q: Vec<f64>) -> Clip {
        assert_eq!(q.len(), self.q.len(), "poses of the same frames");
        Clip { q, ..self.clone() }
    }

    /// Other frames of the same figure, all finite, under the same name.
    fn with_frames(&self, start: f64, dt: f64, mut q: Vec<f64>) -> Clip {
        make_continuous(&self.figure, &mut q);
        Clip { name: self.name.clone(), figure: self.figure.clone(), start, dt, q }
    }

    /// Time of the last frame.
    pub fn end(&self) -> f64 {
        self.time(self.frames() - 1)
    }

    /// Refuses clips of different figures. Figures are the same if all their joints are.
    pub(crate) fn check_figure(&self, other: &Clip) -> Result<(), Error> {
        let (a, b) = (&self.figure, &other.figure);
        let alike = || {
            a.joints().count() == b.joints().count()
                && a.joints().zip(b.joints()).all(|((_, a), (_, b))| {
                    a.name == b.name
                        && a.coordinates() == b.coordinates()
                        && a.home == b.home
                        && a.parent_from_joint == b.parent_from_joint
                        && a.child_from_joint == b.child_from_joint
                })
        };
        if Arc::ptr_eq(a, b) || alike() {
            return Ok(());
        }
        Err(Error::DifferentFigures { a: self.name.clone(), b: other.name.clone() })
    }

    /// Refuses clips of fewer frames.
    pub(crate) fn check_frames(&self, least: usize, expected: &'static str) -> Result<(), Error> {
        if self.frames() >= least {
            return Ok(());
        }
        Err(Error::TooShort { clip: self.name.clone(), frames: self.frames(), expected })
    }

    /// Refuses a value outside a range.
    fn check_range(
        &self,
        what: &str,
        value: f64,
        [low, high]: [f64; 2],
        expected: &'static str,
    ) -> Result<(), Error> {
        if value >= low && value <= high {
            return Ok(());
        }
        Err(Error::OutOfRange { what: format!("{what} of `{}`", self.name), value, expected })
    }

    fn nq(&self) -> usize {
        self.figure.forest().nq()
    }
}

/// Normalises all quaternions and makes their signs continuous.
fn make_continuous(figure: &Figure, q: &mut [f64]) {
    let nq = figure.forest().nq();
    for frame in 0..q.len() / nq {
        let (before, now) = q.split_at_mut(frame * nq);
        let before = (frame > 0).then(|| &before[(frame - 1) * nq..]);
        pose::make_continuous(figure.forest(), before, &mut now[..nq]);
    }
}

/// Name of the joint a coordinate belongs to.
pub(crate) fn joint_of_coordinate(figure: &Figure, i: usize) -> String {
    let forest = figure.forest();
    let found = figure.joints().find(|(handle, _)| {
        let place = forest.joint_place(*handle);
        place.coordinates().contains(&i)
    });
    found.map_or_else(String::new, |(_, joint)| joint.name.clone())
}
