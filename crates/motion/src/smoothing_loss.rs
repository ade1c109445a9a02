//! What a low-pass takes from a motion, and the least cut-off that keeps it.
//!
//! Smoothing may remove noise; it must not remove what makes a motion impossible. Two measures, each the largest RMS over
//! half a second, so that a short event counts in a long motion:
//!
//! - displacement: distance of the links' origins from the given ones;
//! - lost acceleration: of the centre of mass, compared with the motion at its automatic cut-off, as raw accelerations
//!   are mostly noise.
//!
//! Limits are tolerances that the certificate has anyway: 3 cm, the accuracy of captured soles, and 0.1 of gravity, the pull
//! of the ground that is let pass. A cut-off that takes more, or whose period is longer than the motion, is refused; 6 Hz
//! and more never are, but what they take is a fault of the certificate.
//! Source: our own.
//! Checked by: `tests/it/lamps.rs`.

use crate::clip::Clip;
use crate::cutoff::SLOW;
use crate::error::Error;
use crate::spline::Spline;
use crate::trajectory::Trajectory;
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::Vec3;

/// Largest displacement of the links, m.
pub const MAX_DISPLACEMENT: f64 = 0.03;
/// Largest lost acceleration of the centre of mass, parts of gravity.
pub const MAX_ACCELERATION: f64 = 0.1;
/// Window of both measures, s.
const WINDOW: f64 = 0.5;
/// Frames compared per second: enough for the window.
const SAMPLE_RATE: f64 = 60.0;
/// Cut-offs that may be the least one, Hz; the last is never refused.
const CANDIDATES: [f64; 16] =
    [0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.3, 1.6, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, SLOW];

/// A measure where it is largest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Worst {
    /// RMS over a window
    pub rms: f64,
    /// frame in the middle of the window
    pub frame: usize,
}

/// What a low-pass takes from a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SmoothingLoss {
    /// displacement of the links, m
    pub displacement: Worst,
    /// acceleration of the centre of mass that the automatic cut-off keeps, parts of gravity; zero for that cut-off
    pub acceleration: Worst,
}

impl SmoothingLoss {
    /// What is lost from `given` to `smooth`; `kept` is the motion at its automatic cut-off, if that is higher.
    pub fn measure(given: &Clip, kept: Option<&Clip>, smooth: &Clip) -> SmoothingLoss {
        SmoothingLoss {
            displacement: displacement(given, smooth),
            acceleration: kept.map_or_else(Worst::default, |kept| lost_acceleration(kept, smooth)),
        }
    }

    /// What exceeds its limit, in words.
    fn excess(&self, clip: &Clip) -> Option<String> {
        let SmoothingLoss { displacement: moved, acceleration: lost } = self;
        if moved.rms > MAX_DISPLACEMENT {
            return Some(format!(
                "it would move the links by {:.1} cm at {:.2} s (RMS over half a second, at most {} cm)",
                100.0 * moved.rms,
                clip.time(moved.frame),
                100.0 * MAX_DISPLACEMENT
            ));
        }
        (lost.rms > MAX_ACCELERATION).then(|| {
            format!(
                "it would hide a force of {:.2} body weights at {:.2} s (RMS over half a second, at most {MAX_ACCELERATION})",
                lost.rms,
                clip.time(lost.frame),
            )
        })
    }
}

/// Displacement of the links by smoothing, m.
fn displacement(given: &Clip, smooth: &Clip) -> Worst {
    let figure = given.figure();
    let (forest, mut kinematics) = (figure.forest(), [Kinematics::default(), Kinematics::default()]);
    let links = figure.links().count().max(1) as f64;
    let step = ((1.0 / (SAMPLE_RATE * given.dt())) as usize).max(1);
    let square = |frame: usize| {
        for (kinematics, clip) in kinematics.iter_mut().zip([given, smooth]) {
            kinematics.update(forest, clip.pose(frame), None, None);
        }
        let [a, b] = &kinematics;
        let apart = |link| a.link_pose(forest, link).translation - b.link_pose(forest, link).translation;
        figure.links().map(|(link, _)| apart(link)).map(|d| d.dot(d)).sum::<f64>() / links
    };
    let squares: Vec<f64> = (0..given.frames()).step_by(step).map(square).collect();
    largest(&squares, given.dt() * step as f64, step)
}

/// Acceleration of the centre of mass by which two motions differ, parts of gravity.
fn lost_acceleration(kept: &Clip, smooth: &Clip) -> Worst {
    let figure = kept.figure();
    let (forest, mut kinematics) = (figure.forest(), Kinematics::default());
    let mut center = |clip: &Clip, frame: usize| -> Vec3 {
        kinematics.update(forest, clip.pose(frame), None, None);
        centroidal::center_of_mass(forest, &kinematics)
    };
    let lost: Vec<f64> =
        (0..kept.frames()).flat_map(|f| (center(kept, f) - center(smooth, f)).to_array()).collect();
    let spline = Spline::through(&lost, 3, kept.dt());
    let gravity = figure.gravity().norm();
    let square = |frame: usize| {
        let (mut x, mut v, mut a) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        spline.at_sample(frame, [&mut x, &mut v, &mut a]);
        a.iter().map(|a| (a / gravity).powi(2)).sum()
    };
    let squares: Vec<f64> = (0..kept.frames()).map(square).collect();
    largest(&squares, kept.dt(), 1)
}

/// Largest RMS over a window; samples are `dt` and `step` frames apart.
fn largest(squares: &[f64], dt: f64, step: usize) -> Worst {
    let long = ((WINDOW / dt) as usize).clamp(1, squares.len().max(1));
    let mut worst = Worst::default();
    for (first, window) in squares.windows(long).enumerate() {
        let rms = (window.iter().sum::<f64>() / long as f64).sqrt();
        if rms > worst.rms {
            worst = Worst { rms, frame: (first + long / 2) * step };
        }
    }
    worst
}

/// Smooths a motion at a requested cut-off; `kept` is the motion at its automatic one, if that is higher.
///
/// # Errors
/// A cut-off that takes too much from the motion, with the least one that does not.
pub fn smoothed_at(
    clip: &Clip,
    kept: Option<&Clip>,
    cutoff: f64,
) -> Result<(Trajectory, SmoothingLoss), Error> {
    let at = |hz: f64| {
        let smooth = Trajectory::from_clip(clip, Some(hz));
        let loss = SmoothingLoss::measure(clip, kept, &smooth.clip);
        (smooth, loss)
    };
    let is_short = |hz: f64| hz * clip.duration() < 1.0;
    let (smooth, loss) = at(cutoff);
    let why = match is_short(cutoff) {
        true => Some(format!("its period is longer than the motion, {:.2} s", clip.duration())),
        false => loss.excess(clip),
    };
    let Some(why) = why.filter(|_| cutoff < SLOW) else { return Ok((smooth, loss)) };
    let keeps = |hz: &f64| *hz > cutoff && !is_short(*hz) && at(*hz).1.excess(clip).is_none();
    let least = CANDIDATES.into_iter().find(keeps).unwrap_or(SLOW);
    Err(Error::CutoffTooLow { clip: clip.name.clone(), cutoff, least, why })
}
