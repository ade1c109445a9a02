//! A motion of a figure with its own time base.
//!
//! Frames are poses (q) of one figure at equal steps of time.

use crate::error::Error;
use crate::pose;
use anthropi_dynamics::model::Figure;
use std::sync::Arc;

/// A motion of a figure.
#[derive(Clone, Debug)]
pub struct Clip {
    /// what it is called
    pub name: String,
    figure: Arc<Figure>,
    start: f64,
    dt: f64,
    q: Vec<f64>,
}

impl Clip {
    /// A motion from poses (by frame, then q), `dt` seconds apart. Quaternions get length one and signs that do not leap.
    ///
    /// # Errors
    /// No frame, a length that is no multiple of q's, `dt` not above zero, a number that is not finite.
    pub fn new(
        name: impl Into<String>,
        figure: Arc<Figure>,
        dt: f64,
        mut q: Vec<f64>,
    ) -> Result<Clip, Error> {
        let (name, nq) = (name.into(), figure.forest().nq());
        if !(dt > 0.0 && dt.is_finite()) {
            let what = format!("time between frames of `{name}`");
            return Err(Error::OutOfRange { what, value: dt, expected: "more than zero" });
        }
        if q.is_empty() || nq == 0 {
            return Err(Error::TooShort { clip: name, frames: 0, expected: "a motion has at least one" });
        }
        if !q.len().is_multiple_of(nq) {
            let expected = nq * q.len().div_ceil(nq);
            return Err(Error::Dimension { what: format!("poses of `{name}`"), expected, got: q.len() });
        }
        if let Some(i) = q.iter().position(|x| !x.is_finite()) {
            let joint = joint_of_coordinate(&figure, i % nq);
            return Err(Error::NotFinite { clip: name, frame: i / nq, joint });
        }
        for frame in 0..q.len() / nq {
            let (before, now) = q.split_at_mut(frame * nq);
            let before = (frame > 0).then(|| &before[(frame - 1) * nq..]);
            pose::settle(figure.forest(), before, &mut now[..nq]);
        }
        Ok(Clip { name, figure, start: 0.0, dt, q })
    }

    /// The same motion with its first frame at a time.
    pub fn starting_at(mut self, start: f64) -> Clip {
        self.start = start;
        self
    }

    /// Who moves.
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

    /// A pose.
    pub fn pose(&self, frame: usize) -> &[f64] {
        let nq = self.nq();
        &self.q[frame * nq..(frame + 1) * nq]
    }

    /// All poses, by frame.
    pub fn poses(&self) -> &[f64] {
        &self.q
    }

    /// The pose at a time, between frames each joint the short way; the first or last pose outside.
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

    /// The same clip with other poses, which are finite and settled.
    pub(crate) fn with_same_frames(&self, q: Vec<f64>) -> Clip {
        assert_eq!(q.len(), self.q.len(), "poses of the same frames");
        Clip { q, ..self.clone() }
    }

    fn nq(&self) -> usize {
        self.figure.forest().nq()
    }
}

fn joint_of_coordinate(figure: &Figure, i: usize) -> String {
    let forest = figure.forest();
    let found = figure.joints().find(|(handle, _)| {
        let place = forest.joint_place(*handle);
        (place.iq..place.iq + place.nq).contains(&i)
    });
    found.map_or_else(String::new, |(_, joint)| joint.name.clone())
}
