//! Concatenates clips and loops a clip.
//!
//! Computes, for `joined`, poses interpolated over the overlap with an easing weight; the second path is moved on the
//! ground so that both roots agree in the middle of the overlap, where the weight changes fastest. For `looped`,
//! corrections near the seam that make coordinates, and velocities and accelerations of polynomials through the frames
//! near it, agree: half of the difference is applied to the end and half to the start, fading to zero by a quintic.
//! Source: our own; [NY2000F §2] requires motions combined kinematically.
//! Not here: choosing where to cut; foot skate during the overlap (the dynamics filter).
//! Checked by: `tests/it/clip.rs`.

use super::Clip;
use super::edit::{Sampler, frames_in};
use super::space::{Heading, Planar};
use crate::error::Error;
use crate::fit;
use crate::pose;

/// Easing of a weight from zero to one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ease {
    /// linear; velocities are discontinuous
    Linear,
    /// 3 s^2 - 2 s^3; accelerations are discontinuous
    Cubic,
    /// 10 s^3 - 15 s^4 + 6 s^5; accelerations are continuous
    #[default]
    Quintic,
}

impl Ease {
    /// Weight at phase `s`; zero before and one after.
    pub fn at(self, s: f64) -> f64 {
        let s = s.clamp(0.0, 1.0);
        match self {
            Ease::Linear => s,
            Ease::Cubic => s * s * (3.0 - 2.0 * s),
            Ease::Quintic => s * s * s * (10.0 - s * (15.0 - 6.0 * s)),
        }
    }
}

impl Clip {
    /// Appends another motion, moved on the ground so that it continues where this one ends. The last `blend` seconds of
    /// this one, rounded to whole frames, fade into the first of the other.
    ///
    /// # Errors
    /// Different figures, figures without a free root, clips shorter than the blend, a blend shorter than a frame.
    pub fn joined(&self, other: &Clip, blend: f64, ease: Ease) -> Result<Clip, Error> {
        self.check_figure(other)?;
        self.check_free()?;
        let dt = self.dt();
        self.check_count((self.duration() + other.duration()) / dt)?;
        for clip in [self, other] {
            let range = [0.5 * dt, clip.duration()];
            clip.check_range("blend", blend, range, "between a frame and the clip's length")?;
        }
        let forest = self.figure().forest();
        let (here, there) = (Sampler::new(self), Sampler::new(other));
        // both clocks count from the start of the overlap
        let overlap = (blend / dt).round().min((self.frames() - 1) as f64);
        let before = self.frames() - 1 - overlap as usize;
        let [begin, blend] = [self.time(before), overlap * dt];
        let [mut a, mut b] = [0.0, 0.0].map(|x| vec![x; self.nq()]);
        here.pose(begin + 0.5 * blend, &mut a);
        there.pose(other.start() + 0.5 * blend, &mut b);
        let onto = Planar::between(Heading::from_pose(forest, &b), Heading::from_pose(forest, &a));
        let mut q = self.poses()[..before * self.nq()].to_vec();
        for k in 0..frames_in(other.duration(), dt) {
            let t = k as f64 * dt;
            there.pose(other.start() + t, &mut b);
            onto.apply(forest, &mut b);
            if t < blend {
                here.pose(begin + t, &mut a);
                let from = a.clone();
                pose::between(forest, &from, &b, ease.at(t / blend), &mut a);
                q.extend_from_slice(&a);
            } else {
                q.extend_from_slice(&b);
            }
        }
        Ok(self.with_frames(self.start(), dt, q))
    }

    /// Repeats the motion `times` times, each cycle continuing where the previous one ended: the last frame of one is the
    /// first of the next. Differences at the seam, up to accelerations, are absorbed within `blend` seconds on both
    /// sides; a periodic motion stays unchanged to about 1e-4.
    ///
    /// # Errors
    /// A figure without a free root, zero times, fewer than seven frames, a blend longer than half the clip.
    pub fn looped(&self, times: usize, blend: f64) -> Result<Clip, Error> {
        self.check_free()?;
        self.check_frames(7, "a cycle needs at least seven")?;
        self.check_range("number of cycles", times as f64, [1.0, f64::MAX], "one or more")?;
        self.check_count(times as f64 * self.frames() as f64)?;
        let half = [self.dt(), 0.5 * self.duration()];
        self.check_range("blend", blend, half, "between a frame and half of the clip")?;
        let forest = self.figure().forest();
        let [first, last] = [0, self.frames() - 1].map(|k| Heading::from_pose(forest, self.pose(k)));
        let (cycle, step) = (self.closed(blend, first, last), first.step_to(last));
        let (mut q, mut at) = (Vec::with_capacity(times * cycle.len()), first);
        for n in 0..times {
            let onto = Planar::between(first, at);
            for pose in cycle.chunks_exact(self.nq()).skip(n.min(1)) {
                let from = q.len();
                q.extend_from_slice(pose);
                onto.apply(forest, &mut q[from..]);
            }
            at = at.after(step);
        }
        Ok(self.with_frames(self.start(), self.dt(), q))
    }

    /// The frames with start and end corrected so that, up to the path, the start continues the end.
    fn closed(&self, blend: f64, first: Heading, last: Heading) -> Vec<f64> {
        let (nq, frames, forest) = (self.nq(), self.frames(), self.figure().forest());
        // the same cycle again, moved so that it ends at the start of this one
        let mut before = self.each_moved(|_| Planar::between(last, first)).q;
        pose::make_continuous(forest, Some(self.pose(0)), &mut before[(frames - 1) * nq..]);
        for k in (0..frames - 1).rev() {
            let (now, next) = before.split_at_mut((k + 1) * nq);
            pose::make_continuous(forest, Some(&next[..nq]), &mut now[k * nq..]);
        }
        let window = ((blend / self.dt()).round() as usize + 1).clamp(MIN_WINDOW, frames);
        let mut missing = ending(self.poses(), nq, window, 0, self.dt());
        let end = ending(&before[(frames - window) * nq..], nq, window, window - 1, self.dt());
        for (missing, end) in missing.iter_mut().zip(&end) {
            missing.iter_mut().zip(end).for_each(|(a, b)| *a = 0.5 * (*a - b));
        }
        let (mut q, half) = (self.poses().to_vec(), frames / 2);
        for k in 0..frames {
            let [since, until] = [k, frames - 1 - k].map(|n| n as f64 * self.dt());
            let pose = &mut q[k * nq..(k + 1) * nq];
            if k < half {
                add_fading(pose, &missing, since, blend, [-1.0, -1.0, -1.0]);
            } else {
                pose.copy_from_slice(&before[k * nq..(k + 1) * nq]);
                add_fading(pose, &missing, until, blend, [1.0, -1.0, 1.0]);
                pose::normalise(forest, pose);
                Planar::between(first, last).apply(forest, pose);
            }
        }
        q
    }
}

/// Fewest frames for the slopes at a seam, and degree of the polynomial through them: follows a limb within the blend
/// but not the noise of recordings.
const MIN_WINDOW: usize = 7;
const DEGREE: usize = 4;

/// Coordinates at frame `at` of the first `window` frames, with slopes and curvatures of a polynomial through them.
fn ending(q: &[f64], nq: usize, window: usize, at: usize, dt: f64) -> [Vec<f64>; 3] {
    let mut x = [0.0; 3].map(|x| vec![x; nq]);
    x[0].copy_from_slice(&q[at * nq..(at + 1) * nq]);
    for (pose, w) in q.chunks_exact(nq).zip(fit::weights(window, at, DEGREE)) {
        for (i, q) in pose.iter().enumerate() {
            x[1][i] += w[1] / dt * q;
            x[2][i] += w[2] / (dt * dt) * q;
        }
    }
    x
}

/// Adds a curve with given value, slope and curvature (times signs) at time zero, all three zero at `end`.
fn add_fading(x: &mut [f64], [value, slope, bend]: &[Vec<f64>; 3], t: f64, end: f64, signs: [f64; 3]) {
    let s = t / end;
    if s >= 1.0 {
        return;
    }
    let fade = (1.0 - s) * (1.0 - s) * (1.0 - s);
    let weights = [1.0 + s * (3.0 + 6.0 * s), end * s * (1.0 + 3.0 * s), 0.5 * end * end * s * s];
    for (i, x) in x.iter_mut().enumerate() {
        let parts = [value[i], slope[i], bend[i]];
        *x += fade * (0..3).map(|d| signs[d] * weights[d] * parts[d]).sum::<f64>();
    }
}
