//! Clips in time: other frame rates, parts, warped clocks.
//!
//! Computes poses between frames from quintic splines through the coordinates, quaternions brought to length one;
//! on a frame they are that frame, to the bit. Keys of a warp are joined by cubics with slopes limited as Fritsch and
//! Carlson (1980) do, so that time never runs backward.
//! Source: our own, but for the slopes.
//! Not here: two clips (`join`, `blend`); paths in space (`space`).
//! Checked by: `tests/clip.rs`.

use super::Clip;
use crate::error::Error;
use crate::pose;
use crate::spline::Spline;

/// Closer to a frame than this part of the time between frames is on it.
const ON_FRAME: f64 = 1e-9;

/// Smooth poses of a clip at any time.
pub(super) struct Sampler<'a> {
    clip: &'a Clip,
    spline: Spline,
}

impl<'a> Sampler<'a> {
    pub(super) fn of(clip: &'a Clip) -> Sampler<'a> {
        Sampler { clip, spline: Spline::through(clip.poses(), clip.nq(), clip.dt()) }
    }

    /// The pose at a time of the clip; the first or last one outside.
    pub(super) fn pose(&self, t: f64, pose: &mut [f64]) {
        let clip = self.clip;
        let x = ((t - clip.start()) / clip.dt()).clamp(0.0, (clip.frames() - 1) as f64);
        if (x - x.round()).abs() < ON_FRAME {
            pose.copy_from_slice(clip.pose(x.round() as usize));
        } else {
            self.spline.value(x * clip.dt(), pose);
            pose::settle_lengths(clip.figure().forest(), pose);
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
    /// The same motion with frames `dt` seconds apart, from its first on; what is left at the end is shorter than `dt`.
    ///
    /// # Errors
    /// `dt` not above zero, or so small that there would be more than ten million frames.
    pub fn resampled(&self, dt: f64) -> Result<Clip, Error> {
        check_step(self, dt)?;
        self.check_count(self.duration() / dt)?;
        let frames = frames_in(self.duration(), dt);
        let q = Sampler::of(self).poses(frames, |k| self.start() + k as f64 * dt);
        Ok(self.with_frames(self.start(), dt, q))
    }

    /// The part between two times, with its times and time between frames; it ends with the last frame not after `to`.
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
        let q = Sampler::of(self).poses(frames_in(to - from, self.dt()), |k| from + k as f64 * self.dt());
        Ok(self.with_frames(from, self.dt(), q))
    }

    /// The motion by another clock: `clock` gives for each second since the new start the second of this clip since
    /// its start.
    ///
    /// # Errors
    /// A clock that leaves the clip or runs backward; a duration below zero.
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
        let q = Sampler::of(self).poses(frames, |k| times[k]);
        Ok(self.with_frames(self.start(), self.dt(), q))
    }

    /// The motion with moments moved in time: what was at the first time of a key comes at its second. The result
    /// lasts from the first key to the last; between keys the pace changes smoothly.
    ///
    /// # Errors
    /// Fewer than two keys; keys not in order, or outside the clip.
    pub fn warped_by_keys(&self, keys: &[(f64, f64)]) -> Result<Clip, Error> {
        let [(_, first), .., (_, last)] = keys else {
            let what = "a warp takes two keys or more".into();
            return Err(Error::Unsuitable { subject: self.name.clone(), what });
        };
        for pair in keys.windows(2) {
            let after = |a: f64| [a + f64::EPSILON * a.abs().max(1.0), f64::MAX];
            self.check_range("key", pair[1].0, after(pair[0].0), "after the key before it")?;
            self.check_range(
                "key's new time",
                pair[1].1,
                after(pair[0].1),
                "after that of the key before it",
            )?;
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
        self.check_range("speed", speed, [SPEEDS[0], SPEEDS[1]], "between a millionth and a million")?;
        Ok(Clip { dt: self.dt / speed, ..self.clone() })
    }

    /// From the last frame to the first.
    pub fn reversed(&self) -> Clip {
        let q = self.poses().chunks_exact(self.nq()).rev().flatten().copied().collect();
        self.with_frames(self.start(), self.dt(), q)
    }
}

/// Speeds at which a clip can be played.
const SPEEDS: [f64; 2] = [1e-6, 1e6];
/// Frames a clip may have.
const MOST_FRAMES: f64 = 1e7;

impl Clip {
    /// Refuses to make clips that fit no memory.
    pub(super) fn check_count(&self, frames: f64) -> Result<(), Error> {
        self.check_range("number of frames", frames, [0.0, MOST_FRAMES], "at most ten million")
    }
}

/// How many frames `dt` apart there are in a duration, the first and last included.
pub(super) fn frames_in(duration: f64, dt: f64) -> usize {
    (duration / dt + ON_FRAME) as usize + 1
}

fn check_step(clip: &Clip, dt: f64) -> Result<(), Error> {
    clip.check_range("time between frames", dt, [f64::MIN_POSITIVE, f64::MAX], "more than zero")
}

/// Cubics through points that rise, with continuous slopes, rising everywhere.
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
            // not above three times either secant: then no cubic turns round
            slope[i] = (0.5 * (before + after)).min(3.0 * before.min(after));
        }
        MonotoneCubic { x, y, slope }
    }

    /// Value at `x`; straight on outside.
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
