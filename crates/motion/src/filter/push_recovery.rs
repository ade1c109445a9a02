//! Push recovery: the largest push that a filtered motion survives in a direction.
//!
//! Computes the force up to which all pushes are survived: in strides until the first failure, then by bisection.
//! Bisection alone could end above weaker pushes that fail, because survival is not monotonic in the force.
//! A push is survived if the figure does not fall; a standing figure must also return to its place.
//! Directions are relative to the figure at the start of the push: zero is forward, 90 degrees is to its left.
//! Source: our own; [NY2000F §4.2.3] pushes a standing figure in various directions.
//! Not here: stronger pushes that are survived again.
//! Checked by: `crates/cli/tests/cli/pushes.rs`.

use super::{AppliedForce, FilterSettings, run};
use crate::clip::Clip;
use crate::error::Error;
use crate::pose;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// Strongest push tried, N.
pub const MAX_FORCE: f64 = 800.0;
/// Increment of the force before bisection, N.
const STRIDE: f64 = 50.0;
/// Resolution of the result, N.
const RESOLUTION: f64 = 5.0;
/// A standing figure must return within this time after the push, s...
pub const RETURN_TIME: f64 = 3.0;
/// ...to within this distance of its place, m.
pub const RETURN_DISTANCE: f64 = 0.02;
/// Largest displacement of the root in a standing motion, m.
const STANDING: f64 = 0.01;

/// A motion with a push of given link, start and duration.
pub struct PushTrial {
    clip: Clip,
    settings: FilterSettings,
    link: LinkHandle,
    /// point of application, link axes
    point: Vec3,
    /// start of the push, s from the first frame
    pub at: f64,
    /// duration of the push, s
    pub duration: f64,
    /// whether the motion stands still
    pub is_standing: bool,
    /// horizontal unit vector
    forward: Vec3,
}

impl PushTrial {
    /// A push at the centre of mass of a link. A standing motion is cut after the time to return.
    ///
    /// # Errors
    /// A motion that ends before the push or the return; an unknown link.
    pub fn new(
        clip: &Clip,
        settings: FilterSettings,
        link: LinkHandle,
        at: f64,
        duration: f64,
    ) -> Result<PushTrial, Error> {
        let is_standing = (0..clip.frames()).all(|k| (root(clip, k) - root(clip, 0)).norm() < STANDING);
        let clip = relevant_part(clip, at + duration, is_standing)?;
        let point = clip.figure().link(link)?.spec.inertia.center();
        let forward = forward(&clip, at);
        Ok(PushTrial { clip, settings, link, point, at, duration, is_standing, forward })
    }

    /// The part of the motion that is filtered.
    pub fn clip(&self) -> &Clip {
        &self.clip
    }

    /// Time from the end of the push to the end of the motion, s.
    pub fn observed(&self) -> f64 {
        self.clip.duration() - self.at - self.duration
    }

    /// The force up to which all pushes are survived, N; at least that if it is [`MAX_FORCE`].
    ///
    /// # Errors
    /// As [`run`].
    pub fn largest_force(&self, direction: f64) -> Result<f64, Error> {
        let (mut low, mut high) = (0.0, STRIDE);
        while self.survives(direction, high)? {
            (low, high) = (high, high + STRIDE);
            if high > MAX_FORCE {
                return Ok(low);
            }
        }
        while high - low > RESOLUTION {
            let middle = 0.5 * (low + high);
            match self.survives(direction, middle)? {
                true => low = middle,
                false => high = middle,
            }
        }
        Ok(low)
    }

    /// Whether a push of a direction (rad, to the left of forward) and force (N) is survived.
    ///
    /// # Errors
    /// As [`run`].
    pub fn survives(&self, direction: f64, force: f64) -> Result<bool, Error> {
        let force = Quat::about(vec3(0.0, 0.0, 1.0), direction).rotate(self.forward).scale(force);
        let (from, to) = (self.at, self.at + self.duration);
        let push = AppliedForce { link: self.link, point: self.point, force, from, to, is_known: false };
        let settings = FilterSettings { pushes: vec![push], ..self.settings.clone() };
        let filtered = run(&self.clip, &settings, &mut |_| (), &mut |_| ())?;
        if filtered.fell.is_some() || !self.is_standing {
            return Ok(filtered.fell.is_none());
        }
        let place = |t: f64| root(&filtered.clip, (t / self.clip.dt()).floor() as usize);
        Ok((place(self.at + self.duration + RETURN_TIME) - place(self.at)).norm() < RETURN_DISTANCE)
    }
}

/// Position of the root at a frame.
fn root(clip: &Clip, frame: usize) -> Vec3 {
    pose::triple(clip.pose(frame.min(clip.frames() - 1)), 0)
}

/// A walk as it is; a standing motion until the figure must be back.
fn relevant_part(clip: &Clip, push_end: f64, is_standing: bool) -> Result<Clip, Error> {
    let most = clip.duration();
    let refused = |what: String| Err(Error::Unsuitable { subject: clip.name.clone(), what });
    if push_end >= most {
        return refused(format!(
            "the push lasts until {push_end:.2} s, but the motion is over at {most:.2} s"
        ));
    }
    if !is_standing {
        return Ok(clip.clone());
    }
    // one frame beyond the last sample
    let enough = push_end + RETURN_TIME + 2.0 * clip.dt();
    if enough > most {
        let back = push_end + RETURN_TIME;
        return refused(format!(
            "the figure must be back at {back:.2} s, {RETURN_TIME} s after the push, but the motion is over at {most:.2} s"
        ));
    }
    let start = clip.start();
    clip.cut(start, start + enough)
}

/// Horizontal heading of the first link at a time; figures are declared facing along x.
fn forward(clip: &Clip, at: f64) -> Vec3 {
    let (forest, x) = (clip.figure().forest(), vec3(1.0, 0.0, 0.0));
    let Some((link, _)) = clip.figure().links().next() else { return x };
    let rotation = |q: &[f64]| {
        let mut kinematics = Kinematics::default();
        kinematics.update(forest, q, None, None);
        kinematics.link_pose(forest, link).rotation
    };
    let mut q = forest.home().to_vec();
    clip.sample(clip.start() + at, &mut q);
    let ahead = rotation(&q).mul(rotation(forest.home()).tr_mul(x));
    let flat = vec3(ahead.x, ahead.y, 0.0);
    if flat.norm() > 0.0 { flat.scale(1.0 / flat.norm()) } else { x }
}
