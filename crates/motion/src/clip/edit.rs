//! Edits in time: resampling, cutting, time warps.
//!
//! Computes poses between frames from quintic splines through the coordinates, with normalised quaternions; at a frame
//! time the result is that frame, bit by bit. Warp keys are connected by monotone cubics.
//! Source: Fritsch and Carlson (1980) for the limited slopes; otherwise our own.
//! Not here: two clips (`join`, `blend`); paths in space (`space`).
//! Checked by: `tests/it/clip.rs`.

use super::Clip;
use crate::error::Error;
use crate::pose;
use crate::spline::Spline;

/// Times closer than this to a frame are on it, part of the frame interval.
const ON_FRAME: f64 = 1e-9;
/// Range of playback speeds.
const SPEEDS: [f64; 2] = [1e-6, 1e6];
/// Most frames of a clip.
const MAX_FRAMES: f64 = 1e7;

/// Smooth poses of a clip at any time.
pub(super) struct Sampler<'a> {
    clip: &'a Clip,
    spline: Spline,
}

impl<'a> Sampler<'a> {
    pub(super) fn new(clip: &'a Clip) -> Sampler<'a> {
        Sampler { clip, spline: Spline::through(clip.poses(), clip.nq(), clip.dt()) }
    }

    /// The pose at a time of the clip, clamped to the first and last frame.
    pub(super) fn pose(&self, t: f64, pose: &mut [f64]) {
        let clip = self.clip;
        let x = ((t - clip.start()) / clip.dt()).clamp(0.0, (clip.frames() - 1) as f64);
        if (x - x.round()).abs() < ON_FRAME {
            pose.copy_from_slice(clip.pose(x.round() as usize));
        } else {
            self.spline.value(x * clip.dt(), pose);
            pose::normalise(clip.figure().forest(), pose);
        }
    }

    /// Poses at `frames` times.
    pub(super) fn poses(&self, frames: usize, time: impl Fn(usize) -> f64) -> Vec<f64> {
        let nq = self.clip.nq();
        let mut q = vec![0.0; frames * nq];
        q.chunks_exact_mut(nq).enumerate().for_each(|(k, pose)| self.pose(time(k), pose));
        q
    }
}

impl Clip {
    /// The same motion with frames `dt` seconds apart, from its first frame on.
    ///
    /// # Errors
    /// `dt` not positive, or so small that there would be more than ten million frames.
    pub fn resampled(&self, dt: f64) -> Result<Clip, Error> {
        self.check_range("time between frames", dt, [f64::MIN_POSITIVE, f64::MAX], "more than zero")?;
        self.check_count(self.duration() / dt)?;
        let frames = frames_in(self.duration(), dt);
        let q = Sampler::new(self).poses(frames, |k| self.start() + k as f64 * dt);
        Ok(self.with_frames(self.start(), dt, q))
    }

    /// The part between two times, with the same clock and frame rate; it ends with the last frame not after `to`.
    ///
    /// # Errors
    /// Times outside the clip, or `to` before `from`.
    pub fn cut(&self, from: f64, to: f64) -> Result<Clip, Error> {
        let slack = ON_FRAME * self.dt();
        let inside = [self.start() - slack, self.end() + slack];
        let of = |end: &str| format!("{end} of a part (there is {:.3} to {:.3} s)", self.start(), self.end());
        self.check_range(&of("start"), from, inside, "a time of the clip")?;
        let after = "a time of the clip after the start of the part";
        self.check_range(&of("end"), to, [from, inside[1]], after)?;
        let q = Sampler::new(self).poses(frames_in(to - from, self.dt()), |k| from + k as f64 * self.dt());
        Ok(self.with_frames(from, self.dt(), q))
    }

    /// Warps time: `clock` maps seconds since the new start to seconds since the start of this clip.
    ///
    /// # Errors
    /// A clock that leaves the clip or runs backward; a negative duration.
    pub fn warped(&self, duration: f64, clock: impl Fn(f64) -> f64) -> Result<Clip, Error> {
        self.check_range("duration", duration, [0.0, f64::MAX], "zero or more")?;
        self.check_count(duration / self.dt())?;
        let slack = ON_FRAME * self.dt();
        let frames = frames_in(duration, self.dt());
        let mut times = Vec::with_capacity(frames);
        let mut last = -slack;
        for k in 0..frames {
            let t = clock(k as f64 * self.dt());
            let inside = [last, self.duration() + slack];
            self.check_range("clock", t, inside, "a time of the clip that does not run backward")?;
            times.push(self.start() + t);
            last = t;
        }
        let q = Sampler::new(self).poses(frames, |k| times[k]);
        Ok(self.with_frames(self.start(), self.dt(), q))
    }

    /// Warps time by keys (old time, new time). The result lasts from the first key to the last; between keys the pace
    /// changes smoothly.
    ///
    /// # Errors
    /// Fewer than two keys; keys not in order, or outside the clip.
    pub fn warped_by_keys(&self, keys: &[(f64, f64)]) -> Result<Clip, Error> {
        let [(_, first), .., (_, last)] = keys else {
            return Err(Error::unsuitable(&self.name, "a warp takes two keys or more"));
        };
        for pair in keys.windows(2) {
            let after = |a: f64| [a + f64::EPSILON * a.abs().max(1.0), f64::MAX];
            self.check_range("key", pair[1].0, after(pair[0].0), "after the key before it")?;
            let expected = "after that of the key before it";
            self.check_range("key's new time", pair[1].1, after(pair[0].1), expected)?;
        }
        let (new, old) = keys.iter().map(|(old, new)| (new - first, old - self.start())).unzip();
        let clock = MonotoneCubic::new(new, old);
        Ok(self.warped(last - first, |t| clock.value(t))?.starting_at(*first))
    }

    /// The same frames `speed` times as fast.
    ///
    /// # Errors
    /// A speed not between a millionth and a million.
    pub fn at_speed(&self, speed: f64) -> Result<Clip, Error> {
        self.check_range("speed", speed, SPEEDS, "between a millionth and a million")?;
        Ok(Clip { dt: self.dt / speed, ..self.clone() })
    }

    /// The motion in reverse.
    pub fn reversed(&self) -> Clip {
        let q = self.poses().chunks_exact(self.nq()).rev().flatten().copied().collect();
        self.with_frames(self.start(), self.dt(), q)
    }

    /// Refuses clips too large for memory.
    pub(super) fn check_count(&self, frames: f64) -> Result<(), Error> {
        self.check_range("number of frames", frames, [0.0, MAX_FRAMES], "at most ten million")
    }
}

/// Number of frames `dt` apart in a duration, both ends included.
pub(super) fn frames_in(duration: f64, dt: f64) -> usize {
    (duration / dt + ON_FRAME) as usize + 1
}

/// Monotone piecewise cubic through increasing points, with continuous slopes.
pub(super) struct MonotoneCubic {
    x: Vec<f64>,
    y: Vec<f64>,
    slope: Vec<f64>,
}

impl MonotoneCubic {
    /// Through at least two points with rising `x` and `y`.
    pub(super) fn new(x: Vec<f64>, y: Vec<f64>) -> MonotoneCubic {
        let n = x.len();
        let secant: Vec<f64> = (1..n).map(|i| (y[i] - y[i - 1]) / (x[i] - x[i - 1])).collect();
        let mut slope = vec![0.0; n];
        for i in 0..n {
            let before = secant[i.saturating_sub(1)];
            let after = secant[i.min(n - 2)];
            // at most three times either secant keeps the cubic monotone
            slope[i] = (0.5 * (before + after)).min(3.0 * before.min(after));
        }
        MonotoneCubic { x, y, slope }
    }

    /// Value at `x`; linear extrapolation outside.
    pub(super) fn value(&self, x: f64) -> f64 {
        let [value, _] = self.value_and_slope(x);
        value
    }

    /// Value and slope at `x`.
    pub(super) fn value_and_slope(&self, x: f64) -> [f64; 2] {
        let last = self.x.len() - 1;
        for (outside, end) in [(x <= self.x[0], 0), (x >= self.x[last], last)] {
            if outside {
                return [self.y[end] + self.slope[end] * (x - self.x[end]), self.slope[end]];
            }
        }
        let i = self.x.partition_point(|k| *k <= x) - 1;
        let h = self.x[i + 1] - self.x[i];
        let (s, rise) = ((x - self.x[i]) / h, self.y[i + 1] - self.y[i]);
        let (a, b) = (self.slope[i] * h - rise, rise - self.slope[i + 1] * h);
        let bend = (1.0 - s) * a + s * b;
        let value = self.y[i] + s * rise + s * (1.0 - s) * bend;
        [value, (rise + (1.0 - 2.0 * s) * bend + s * (1.0 - s) * (b - a)) / h]
    }
}
