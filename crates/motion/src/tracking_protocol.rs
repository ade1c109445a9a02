//! Error of a tracked motion by the protocol in which learned motion trackers are evaluated [L2023 §4].
//!
//! In each frame the joint error is the mean distance of all joints from their given positions, in world axes:
//! e = mean_j |d_j|,  d_j = p_j(tracked) - p_j(given). The global MPJPE is the mean of e over the frames, and tracking
//! succeeds if e never exceeds 0.5 m. E_vel and E_acc are the means of |d_j(k+1) - d_j(k)| and of
//! |d_j(k+1) - 2 d_j(k) + d_j(k-1)| over joints and samples at the source's rate, 30 per second.
//!
//! Differs from the source: the joints are the origins of all links of the figure, not the 24 bodies of SMPL; poses
//! between frames come from a spline. The error held for half a second is our own. Left out: the MPJPE relative to the
//! root, and falls, which only the tracker knows.
//! Checked by: tests below.

use crate::clip::Clip;
use crate::error::Error;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::Vec3;

/// Largest joint error of a success, m.
pub const SUCCESS_LIMIT: f64 = 0.5;
/// Samples per second for velocities and accelerations.
pub const SAMPLE_RATE: f64 = 30.0;
/// A joint error is held if it lasts as long, s.
const HELD: f64 = 0.5;
/// mm in 1 m
const MM: f64 = 1000.0;

/// Error of a tracked motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackingProtocol {
    /// largest joint error of a frame, m
    pub max_m: f64,
    /// joint error that lasts for half a second, m
    pub held_m: f64,
    /// mean joint error, mm
    pub g_mpjpe_mm: f64,
    /// velocity error, mm per sample; `None` with less than two samples
    pub e_vel_mm: Option<f64>,
    /// acceleration error, mm per sample squared; `None` with less than three samples
    pub e_acc_mm: Option<f64>,
}

impl TrackingProtocol {
    /// Compares a tracked motion with the given one from frame `first` on.
    ///
    /// # Errors
    /// Motions of different figures or of different lengths, no frame from `first` on.
    pub fn compare(given: &Clip, tracked: &Clip, first: usize) -> Result<TrackingProtocol, Error> {
        given.check_figure(tracked)?;
        given.check_frames(first + 1, "there is no frame to compare")?;
        if given.poses().len() != tracked.poses().len() {
            let what = format!("poses of `{}`", tracked.name);
            return Err(Error::Dimension { what, expected: given.poses().len(), got: tracked.poses().len() });
        }
        let errors: Vec<f64> =
            Offsets::new(given, tracked).frames().skip(first).map(|offsets| mean_norm(&offsets)).collect();
        let sampled = |clip: &Clip| clip.cut(clip.time(first), clip.end())?.resampled(1.0 / SAMPLE_RATE);
        let samples: Vec<Vec<Vec3>> = Offsets::new(&sampled(given)?, &sampled(tracked)?).frames().collect();
        let velocities = samples.windows(2).map(|w| combined(w, &[-1.0, 1.0]));
        let accelerations = samples.windows(3).map(|w| combined(w, &[1.0, -2.0, 1.0]));
        Ok(TrackingProtocol {
            max_m: errors.iter().copied().fold(0.0, f64::max),
            held_m: held(&errors, (HELD / given.dt()).round() as usize),
            g_mpjpe_mm: mean(errors.iter().copied()).map_or(0.0, |e| MM * e),
            e_vel_mm: mean(velocities.map(|d| MM * mean_norm(&d))),
            e_acc_mm: mean(accelerations.map(|d| MM * mean_norm(&d))),
        })
    }

    /// Whether the joint error stays within [`SUCCESS_LIMIT`].
    pub fn is_close(&self) -> bool {
        self.max_m <= SUCCESS_LIMIT
    }
}

/// The largest value that is reached throughout some successive samples; with fewer samples, throughout all.
pub(crate) fn held(values: &[f64], samples: usize) -> f64 {
    let least = |window: &[f64]| window.iter().copied().fold(f64::INFINITY, f64::min);
    values.windows(samples.clamp(1, values.len().max(1))).map(least).fold(0.0, f64::max)
}

/// Offsets of the joints of one motion from those of another.
struct Offsets<'a> {
    clips: [&'a Clip; 2],
    kinematics: [Kinematics; 2],
}

impl<'a> Offsets<'a> {
    fn new(given: &'a Clip, tracked: &'a Clip) -> Offsets<'a> {
        Offsets { clips: [given, tracked], kinematics: Default::default() }
    }

    /// By frame, then by joint.
    fn frames(&mut self) -> impl Iterator<Item = Vec<Vec3>> {
        let [given, tracked] = self.clips.map(Clip::frames);
        (0..given.min(tracked)).map(|frame| self.at(frame))
    }

    fn at(&mut self, frame: usize) -> Vec<Vec3> {
        let figure = self.clips[0].figure();
        let forest = figure.forest();
        for (kinematics, clip) in self.kinematics.iter_mut().zip(self.clips) {
            kinematics.update(forest, clip.pose(frame), None, None);
        }
        let places = |link| self.kinematics.each_ref().map(|k| k.link_pose(forest, link).translation);
        figure.links().map(|(link, _)| places(link)).map(|[given, tracked]| tracked - given).collect()
    }
}

/// Linear combination of the offsets of several samples, by joint.
fn combined(samples: &[Vec<Vec3>], factors: &[f64]) -> Vec<Vec3> {
    let joint = |j: usize| {
        samples.iter().zip(factors).fold(Vec3::ZERO, |sum, (offsets, f)| sum + offsets[j].scale(*f))
    };
    (0..samples[0].len()).map(joint).collect()
}

fn mean_norm(offsets: &[Vec3]) -> f64 {
    mean(offsets.iter().map(|d| d.norm())).unwrap_or(0.0)
}

/// Mean of some numbers; `None` without any.
fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = numbers.fold((0.0, 0usize), |(sum, count), x| (sum + x, count + 1));
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::joint::JointKind;
    use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, Shape, State};
    use anthropi_dynamics::spatial::{Transform, vec3};
    use std::sync::Arc;

    /// Rounding of sums of a few hundred distances, mm.
    const ROUNDING: f64 = 1e-9;

    /// A free link, and one that slides on it along x.
    fn slider() -> Arc<Figure> {
        let ball = Shape::Sphere { radius: 0.1 }.inertia(1000.0).unwrap();
        let mut b = FigureBuilder::new("slider");
        let root = b.add(LinkSpec::new("root", ball), JointSpec::new("free", JointKind::Free)).unwrap();
        let along = JointKind::Prismatic { axis: vec3(1.0, 0.0, 0.0) };
        b.add(LinkSpec::new("cart", ball), JointSpec::new("slide", along).on(root, Transform::identity()))
            .unwrap();
        Arc::new(b.build().unwrap())
    }

    /// A clip of given heights of the root and places of the slider over time.
    fn clip(fps: f64, frames: usize, at: impl Fn(f64) -> [f64; 2]) -> Clip {
        let figure = slider();
        let home = State::home(&figure).q;
        let free = figure.forest().bodies()[1].coordinates().start;
        let slide = figure.forest().bodies()[2].coordinates().start;
        let mut q = Vec::new();
        for k in 0..frames {
            let [height, place] = at(k as f64 / fps);
            let mut pose = home.clone();
            (pose[free + 2], pose[slide]) = (height, place);
            q.extend(pose);
        }
        Clip::new("slider", figure, 1.0 / fps, q).unwrap()
    }

    #[track_caller]
    fn assert_near(got: Option<f64>, expected: f64) {
        assert!(got.is_some_and(|x| (x - expected).abs() < ROUNDING), "{got:?} instead of {expected} mm");
    }

    #[test]
    fn a_constant_offset_has_no_error_of_velocity_or_acceleration() {
        for fps in [25.0, 30.0, 120.0] {
            let given = clip(fps, 60, |t| [1.0 + t.sin(), t]);
            let tracked = clip(fps, 60, |t| [1.3 + t.sin(), t]);
            let got = TrackingProtocol::compare(&given, &tracked, 1).unwrap();
            assert_near(Some(got.g_mpjpe_mm), 300.0);
            assert_near(Some(1000.0 * got.max_m), 300.0);
            assert_near(Some(1000.0 * got.held_m), 300.0);
            assert_near(got.e_vel_mm, 0.0);
            assert_near(got.e_acc_mm, 0.0);
            assert!(got.is_close());
        }
    }

    #[test]
    fn joints_are_averaged_and_the_largest_error_is_that_of_a_frame() {
        // only the cart is off: by 2 m in one of ten compared frames, and in the first, which does not count
        let given = clip(30.0, 11, |_| [1.0, 0.0]);
        let tracked = clip(30.0, 11, |t| [1.0, if t == 0.0 || t == 5.0 / 30.0 { 2.0 } else { 0.0 }]);
        let got = TrackingProtocol::compare(&given, &tracked, 1).unwrap();
        assert_near(Some(1000.0 * got.max_m), 1000.0);
        assert_near(Some(got.g_mpjpe_mm), 100.0);
        assert_eq!(got.held_m, 0.0);
        // of 9 first differences two are 2 m, of 8 second differences two are 2 m and one 4 m, for one of two joints
        assert_near(got.e_vel_mm, 2000.0 / 9.0);
        assert_near(got.e_acc_mm, 500.0);
        assert!(!got.is_close());
    }

    #[test]
    fn differences_are_taken_at_30_samples_per_second() {
        // drifts at 0.3 m/s: 10 mm per sample at any frame rate
        for fps in [25.0, 60.0, 100.0, 120.0] {
            let frames = (2.0 * fps) as usize + 1;
            let given = clip(fps, frames, |t| [1.0, t]);
            let tracked = clip(fps, frames, |t| [1.0 + 0.3 * t, t]);
            let got = TrackingProtocol::compare(&given, &tracked, 0).unwrap();
            assert_near(got.e_vel_mm, 10.0);
            assert_near(got.e_acc_mm, 0.0);
            assert_near(Some(got.g_mpjpe_mm), 300.0);
        }
    }

    #[test]
    fn a_parabola_has_a_known_error_of_acceleration() {
        // acceleration of 1.8 m/s^2: 2 mm per sample squared
        let parabola = |fps: f64| {
            let frames = (2.0 * fps) as usize + 2;
            let given = clip(fps, frames, |_| [1.0, 0.0]);
            let tracked = clip(fps, frames, |t| [1.0 + 0.9 * t * t, 0.0]);
            TrackingProtocol::compare(&given, &tracked, 1).unwrap().e_acc_mm
        };
        [25.0, 30.0, 100.0, 120.0].into_iter().for_each(|fps| assert_near(parabola(fps), 2.0));
    }

    #[test]
    fn other_figures_lengths_and_empty_ranges_are_refused() {
        let given = clip(120.0, 3, |t| [1.0 + t, t]);
        let compare = |tracked: &Clip, first| TrackingProtocol::compare(&given, tracked, first);
        let short = compare(&given, 1).unwrap();
        assert_eq!((short.e_vel_mm, short.e_acc_mm, short.g_mpjpe_mm), (None, None, 0.0));
        assert!(matches!(compare(&clip(120.0, 4, |t| [t, t]), 1), Err(Error::Dimension { .. })));
        assert!(matches!(compare(&given, 3), Err(Error::TooShort { .. })));
        let ball = Shape::Sphere { radius: 0.1 }.inertia(1000.0).unwrap();
        let mut b = FigureBuilder::new("ball");
        b.add(LinkSpec::new("root", ball), JointSpec::new("free", JointKind::Free)).unwrap();
        let figure = Arc::new(b.build().unwrap());
        let q = State::home(&figure).q.repeat(3);
        let other = Clip::new("ball", figure, 1.0 / 120.0, q).unwrap();
        assert!(matches!(compare(&other, 1), Err(Error::DifferentFigures { .. })));
    }
}
