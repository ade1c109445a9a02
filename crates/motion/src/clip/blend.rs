//! Blends two motions.
//!
//! Computes, with a common phase phi of both clips a(phi) and b(phi), a clock  dphi/dt = 1 / ((1 - w) a' + w b'),  so
//! that cycles last (1 - w) T_a + w T_b; interpolated poses; and a root path that averages both steps in the root's own
//! heading. Step lengths blend like the poses, so the feet slide no more than in the originals; the speed is the mean
//! length over the mean duration.
//! Source: our own; [NY2000F §2] requires motions combined kinematically.
//! Not here: figures of different sizes (scale one first).
//! Checked by: `tests/it/clip.rs`.

use super::edit::{MonotoneCubic, Sampler};
use super::space::{Heading, Planar};
use super::{Clip, Touchdown};
use crate::anatomy::Side;
use crate::error::Error;
use crate::pose;

/// Touchdowns needed in both clips to align them: one cycle.
const MIN_EVENTS: usize = 3;

impl Clip {
    /// Blends this motion (weight zero) with another (weight one), at the frame rate of this one. `weight` is a function
    /// of the seconds since the start; a constant is `|_| 0.5`. Walks are aligned by their touchdowns
    /// ([`Clip::touchdowns`]) as far as both have steps, other motions from start to end.
    ///
    /// # Errors
    /// Different figures, figures without a free root, fewer than two frames, weights outside zero to one.
    pub fn blended(&self, other: &Clip, weight: impl Fn(f64) -> f64) -> Result<Clip, Error> {
        self.check_figure(other)?;
        self.check_free()?;
        self.check_frames(2, "a blend needs at least two")?;
        other.check_frames(2, "a blend needs at least two")?;
        let clocks = Clocks::new(self, other);
        let samplers = [Sampler::new(self), Sampler::new(other)];
        let (dt, forest) = (self.dt(), self.figure().forest());
        let mut poses = [0.0, 0.0].map(|x| vec![x; self.nq()]);
        let (mut q, mut mixed) = (Vec::new(), vec![0.0; self.nq()]);
        let (mut phase, mut path) = (0.0, Path::default());
        for k in 0.. {
            let w = self.checked(weight(k as f64 * dt))?;
            // the step to this frame uses the weight at its midpoint
            let between = self.checked(weight((k as f64 - 0.5).max(0.0) * dt))?;
            if k > 0 {
                phase = clocks.after(phase, dt, between);
            }
            if phase > clocks.last + PHASE_SLACK {
                break;
            }
            for (i, pose) in poses.iter_mut().enumerate() {
                samplers[i].pose(clocks.time[i].value(phase), pose);
            }
            let seen = [0, 1].map(|i| Heading::from_pose(forest, &poses[i]));
            let at = path.follow(seen, between);
            for (pose, seen) in poses.iter_mut().zip(seen) {
                Planar::between(seen, at).apply(forest, pose);
            }
            pose::between(forest, &poses[0], &poses[1], w, &mut mixed);
            q.extend_from_slice(&mixed);
        }
        Ok(self.with_frames(self.start(), dt, q))
    }

    fn checked(&self, weight: f64) -> Result<f64, Error> {
        self.check_range("weight in a blend", weight, [0.0, 1.0], "between zero and one")?;
        Ok(weight)
    }
}

/// Rounding allowance at the end of the phase.
const PHASE_SLACK: f64 = 1e-9;

/// Root path that follows two roots.
#[derive(Default)]
struct Path {
    /// last headings of both, and ours
    last: Option<([Heading; 2], Heading)>,
}

impl Path {
    /// Takes the mean of both steps, each in its own heading. Starts where the first one does.
    fn follow(&mut self, seen: [Heading; 2], w: f64) -> Heading {
        let at = match self.last {
            None => seen[0],
            Some((last, at)) => {
                let [(step, turn), (other, other_turn)] = [0, 1].map(|i| last[i].step_to(seen[i]));
                // heights come with the poses
                at.after((step.scale(1.0 - w) + other.scale(w), (1.0 - w) * turn + w * other_turn))
            }
        };
        self.last = Some((seen, at));
        at
    }
}

/// Times of both clips as functions of the phase, which counts events from zero.
struct Clocks {
    time: [MonotoneCubic; 2],
    last: f64,
}

impl Clocks {
    fn new(a: &Clip, b: &Clip) -> Clocks {
        let keys = by_steps(a, b).unwrap_or_else(|| vec![[a.start(), b.start()], [a.end(), b.end()]]);
        let phase: Vec<f64> = (0..keys.len()).map(|k| k as f64).collect();
        let time = [0, 1].map(|i| MonotoneCubic::new(phase.clone(), keys.iter().map(|k| k[i]).collect()));
        Clocks { time, last: (keys.len() - 1) as f64 }
    }

    /// The phase at which the mean of both clocks is `dt` seconds later (Newton's method).
    fn after(&self, phase: f64, dt: f64, w: f64) -> f64 {
        let mean = |phase: f64| {
            let [a, b] = [0, 1].map(|i| self.time[i].value_and_slope(phase));
            [0, 1].map(|d| (1.0 - w) * a[d] + w * b[d])
        };
        let [begin, slope] = mean(phase);
        let mut next = phase + dt / slope;
        for _ in 0..NEWTON {
            let [time, slope] = mean(next);
            next -= (time - begin - dt) / slope;
        }
        next
    }
}

/// Newton iterations, on a cubic that is nearly straight within a frame.
const NEWTON: usize = 4;

/// Touchdowns of the same foot in both clips, in order, extended before the first and after the last as far as both
/// clips go.
fn by_steps(a: &Clip, b: &Clip) -> Option<Vec<[f64; 2]>> {
    let (steps, others) = (a.touchdowns(), b.touchdowns());
    if !(alternates(&steps) && alternates(&others)) {
        return None;
    }
    let side: Side = steps.first()?.side;
    let skip = others.iter().position(|t| t.side == side)?;
    let mut keys: Vec<_> = steps.iter().zip(&others[skip..]).map(|(a, b)| [a.time, b.time]).collect();
    let n = keys.len();
    if n < MIN_EVENTS {
        return None;
    }
    // at the pace of the nearest step
    let ends = [(0, 1, [a.start(), b.start()]), (n - 1, n - 2, [a.end(), b.end()])];
    let [before, after] = ends.map(|(at, next, end)| {
        let pace = |i: usize| keys[at][i] - keys[next][i];
        let part = [0, 1].map(|i| (end[i] - keys[at][i]) / pace(i));
        let part = part[0].min(part[1]);
        (part > MIN_EXTENSION).then(|| [0, 1].map(|i| keys[at][i] + part * pace(i)))
    });
    if let Some(before) = before {
        keys.insert(0, before);
    }
    keys.extend(after);
    Some(keys)
}

/// Shorter extensions are omitted, part of a step.
const MIN_EXTENSION: f64 = 1e-3;

fn alternates(steps: &[Touchdown]) -> bool {
    steps.len() >= MIN_EVENTS && steps.windows(2).all(|w| w[0].side != w[1].side)
}
