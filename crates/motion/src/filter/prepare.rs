//! Prepares a clip for the filter, and maps the result back to its frames.
//!
//! Off-line, clips with few frames get intermediate ones. Treadmill motions are moved to the frame of the belt, in which
//! the figure travels and the physics is the same. In every frame of reference the clip is repaired, then its contact
//! schedule is detected.

use super::recorder::mean_forces;
use super::repair::repair;
use super::run::{FilterSettings, Filtered, Mode};
use super::simulated_body::Solver;
use super::warning::{mean_speed, unit_warnings};
use crate::anatomy::{self, Anatomy};
use crate::centroid::CentroidalTrajectory;
use crate::clip::Clip;
use crate::contact_points::{self, ContactPoint};
use crate::contact_schedule::ContactSchedule;
use crate::cutoff::{self, Cutoff};
use crate::error::Error;
use crate::inverse::{self, Inverse};
use crate::note::Note;
use crate::pose;
use crate::surroundings::furnish;
use crate::tempo;
use crate::trajectory::Trajectory;
use anthropi_dynamics::model::BodyJoint;
use anthropi_dynamics::spatial::{Force, Vec3};

/// Frames farther apart than the first, s, cannot resolve contacts: intermediate frames are interpolated, at most the second
/// apart. Frames farther apart than the third are refused.
const SPARSE_DT: f64 = 1.0 / 50.0;
const DENSE_DT: f64 = 1.0 / 60.0;
const MAX_DT: f64 = 0.25;
/// Points in contact stay within this of their mean position, m, at speeds up to [`BRISK_SPEED`], m/s; above it the limit
/// grows with the square of the speed.
const CONTACT_SPREAD: f64 = 0.014;
const BRISK_SPEED: f64 = 1.8;
/// Cut-off of the load on the ground, Hz.
const LOAD_CUTOFF: f64 = 6.0;
/// Least cut-off of the reference, Hz.
const MIN_CUTOFF: f64 = 8.0;

/// A clip ready for the filter.
pub(super) struct Prepared {
    /// before repair, in the frame of the belt
    pub input: Clip,
    /// `input` without discontinuities
    pub clip: Clip,
    pub anatomy: Anatomy,
    pub contact_points: Vec<ContactPoint>,
    /// of `clip`, smoothed
    pub trajectory: Trajectory,
    pub schedule: ContactSchedule,
    /// cut-off of the trajectory, Hz
    pub cutoff: f64,
    pub notes: Vec<Note>,
    /// name, start and frame distance of the original
    original: Clip,
    /// frames for each original frame
    factor: usize,
    /// belt velocities that were subtracted, in order, m/s
    belts: Vec<Vec3>,
}

impl Prepared {
    pub fn from_clip(
        original: &Clip,
        settings: &FilterSettings,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Prepared, Error> {
        check(original)?;
        let (retimed, mut notes) = retimed(original, settings)?;
        let original = &retimed;
        let (mut input, mut factor) = (original.clone(), 1);
        if settings.mode == Mode::Offline && original.dt() > SPARSE_DT {
            let (repaired, warnings) = repair(original);
            factor = (original.dt() / DENSE_DT).ceil() as usize;
            input = repaired.resampled(original.dt() / factor as f64)?;
            notes.extend(warnings);
        }
        let anatomy = anatomy::from_figure(original.figure(), &settings.parts)?;
        let mut contact_points = contact_points::find(original.figure(), &anatomy)?;
        if settings.mode == Mode::Offline && settings.solver == Solver::Qp {
            contact_points.extend(contact_points::find_segments(original.figure(), &anatomy));
        }
        let mut belts = Vec::new();
        loop {
            let (clip, warnings) = repair(&input);
            let fast = Trajectory::from_clip(&clip, Some(cutoff::FAST));
            let cutoff = Cutoff::choose(&fast, &anatomy).hz.unwrap_or(cutoff::FAST).max(MIN_CUTOFF);
            let trajectory = Trajectory::from_clip(&clip, Some(cutoff));
            let schedule =
                ContactSchedule::from_trajectory(&trajectory, contact_points.clone(), settings.ground)
                    .without_idle_segments();
            progress(0.0);
            let belt = schedule.ground.velocity;
            if belt.norm() > 0.0 {
                input = moved(&input, belt.scale(-1.0))?;
                let speed = belt.norm();
                notes.push(format!("treadmill at {speed:.2} m/s: filtered in the frame of the belt").into());
                belts.push(belt);
                continue;
            }
            let speed = mean_speed(&trajectory.clip);
            let trimmed = schedule.trimmed(CONTACT_SPREAD * (speed / BRISK_SPEED).max(1.0).powi(2));
            let mut schedule = match settings.mode {
                Mode::Offline => trimmed.with_support(&schedule, &loads(&clip), clip.dt()),
                _ => trimmed,
            };
            notes.extend(warnings);
            if settings.mode == Mode::Offline && settings.solver == Solver::Qp && belts.is_empty() {
                let found =
                    furnish(&mut schedule, &trajectory, &anatomy, &settings.surroundings, settings.friction);
                notes.extend(found);
            }
            notes.extend(unit_warnings(speed, &schedule));
            return Ok(Prepared {
                input,
                clip,
                anatomy,
                contact_points: schedule.points.clone(),
                trajectory,
                schedule,
                cutoff,
                notes,
                original: original.clone(),
                factor,
                belts,
            });
        }
    }

    /// Moves a result from the belt to the world and drops the intermediate frames.
    pub fn restore(self, mut filtered: Filtered) -> Result<Filtered, Error> {
        for belt in self.belts.into_iter().rev() {
            filtered.clip = moved(&filtered.clip, belt)?;
            filtered.reference = moved(&filtered.reference, belt)?;
            for (frame, forces) in filtered.forces.iter_mut().enumerate() {
                let travel = belt.scale(frame as f64 * self.input.dt());
                forces.iter_mut().for_each(|f| f.at += travel);
            }
        }
        if self.factor > 1 {
            let (original, factor) = (&self.original, self.factor);
            filtered.clip = thinned(&filtered.clip, original, factor)?;
            filtered.reference = thinned(&filtered.reference, original, factor)?;
            let since = |f: usize| (f * factor + 1).saturating_sub(factor)..f * factor + 1;
            let forces = |f: usize| mean_forces(&filtered.forces[since(f)].concat(), since(f).len());
            filtered.forces = (0..original.frames()).map(forces).collect();
            let assist = |f: usize| {
                let sum = filtered.assist[since(f)].iter().fold(Force::default(), |sum, a| sum + *a);
                sum.times(1.0 / since(f).len() as f64)
            };
            filtered.assist = (0..original.frames()).map(assist).collect();
            for used in filtered.props.iter_mut().flat_map(|prop| &mut prop.uses) {
                used.frames =
                    used.frames.start / factor..used.frames.end.div_ceil(factor).min(original.frames());
            }
        }
        Ok(filtered)
    }
}

fn check(clip: &Clip) -> Result<(), Error> {
    clip.check_frames(3, "accelerations need at least three")?;
    if !(clip.dt() <= MAX_DT) {
        return Err(Error::OutOfRange {
            what: format!("time between the frames of `{}`, s,", clip.name),
            value: clip.dt(),
            expected: "at most 0.25: frames too far apart",
        });
    }
    Ok(())
}

/// Vertical force that the ground has to bear in each frame, parts of the weight.
fn loads(clip: &Clip) -> Vec<f64> {
    let gravity = clip.figure().gravity().norm();
    let smooth = CentroidalTrajectory::from_clip(clip).smoothed(LOAD_CUTOFF);
    smooth.frames().iter().map(|state| 1.0 + state.acceleration.z / gravity).collect()
}

/// The clip at the frame rate at which it is plausible.
fn retimed(clip: &Clip, settings: &FilterSettings) -> Result<(Clip, Vec<Note>), Error> {
    if !settings.retimes || settings.mode == Mode::Online {
        return Ok((clip.clone(), Vec::new()));
    }
    let options = inverse::Options {
        friction: settings.friction,
        ground: settings.ground,
        parts: settings.parts.clone(),
        surroundings: settings.surroundings.clone(),
        ..inverse::Options::default()
    };
    let (repaired, _) = repair(clip);
    let inverse = Inverse::from_clip(&repaired, &options, &mut |_| ())?;
    let Some(found) = tempo::mislabelled(&inverse) else { return Ok((clip.clone(), Vec::new())) };
    let (given, real) = (1.0 / clip.dt(), found.speed / clip.dt());
    let evidence = match found.flights {
        0 => format!(
            "residual forces fall from {:.2} to {:.2} body weights",
            found.residual[0], found.residual[1]
        ),
        n => format!("flights: {n}, falling with {:.1} times gravity", found.speed.powi(-2)),
    };
    let note = Note::warning(format!(
        "the motion plays {:.2} times too {}: it was filtered at {real:.0} frames a second instead of {given:.0} ({evidence}); \
         `--speed 1` keeps its speed",
        found.speed.max(1.0 / found.speed),
        if found.speed < 1.0 { "fast" } else { "slow" },
    ));
    let slow =
        Clip::new(clip.name.clone(), clip.figure().clone(), clip.dt() / found.speed, clip.poses().to_vec())?;
    Ok((slow.starting_at(clip.start() / found.speed), vec![note]))
}

/// Every `factor`-th frame, as frames of the original.
fn thinned(all: &Clip, original: &Clip, factor: usize) -> Result<Clip, Error> {
    let poses = all.poses().chunks_exact(original.figure().forest().nq()).step_by(factor);
    let q = poses.flatten().copied().collect();
    let clip = Clip::new(original.name.clone(), original.figure().clone(), original.dt(), q)?;
    Ok(clip.starting_at(original.start()))
}

/// The clip with a velocity added to every free joint.
fn moved(clip: &Clip, velocity: Vec3) -> Result<Clip, Error> {
    let forest = clip.figure().forest();
    let mut q = clip.poses().to_vec();
    for b in forest.bodies().iter().skip(1).filter(|b| b.joint == BodyJoint::Free) {
        for (frame, q) in q.chunks_exact_mut(forest.nq()).enumerate() {
            let q = &mut q[b.coordinates()];
            let position = pose::triple(q, 0) + velocity.scale(frame as f64 * clip.dt());
            q[..3].copy_from_slice(&position.to_array());
        }
    }
    Clip::new(clip.name.clone(), clip.figure().clone(), clip.dt(), q)
}
