//! A whole motion through the filter, on-line or off-line, and what came of it.

use super::aim::Aim;
use super::body::{Body, GroundForce, Outside, Solver};
use super::doubt::{carried_otherwise, doubts, pace};
use super::keeper::{Keeper, means};
use super::online::OnlineFilter;
use super::proof::Proof;
use super::reference::Reference;
use super::track::Tracking;
use crate::anatomy::{self, Part};
use crate::certificate::limits;
use crate::clip::Clip;
use crate::cutoff::{self, Cutoff};
use crate::error::Error;
use crate::footing::Footing;
use crate::mend::mend;
use crate::pose;
use crate::replan::Replan;
use crate::spots;
use crate::touch::Touches;
use crate::trajectory::Trajectory;
use anthropi_dynamics::model::BodyJoint;
use anthropi_dynamics::spatial::Vec3;

/// How much of the motion the filter may know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// what has come, and one frame
    Online,
    /// all
    #[default]
    Offline,
}

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Settings {
    /// how much of the motion is known
    pub mode: Mode,
    /// who finds the motion of each step
    pub solver: Solver,
    /// human strength, times this; infinite for none
    pub strength: f64,
    /// coefficient of friction of the ground
    pub friction: f64,
    /// height of the ground, where it is known
    pub ground: Option<f64>,
    /// names of links and what they are, where recognition is wrong
    pub parts: Vec<(String, Part)>,
    /// forces from outside
    pub pushes: Vec<Push>,
}

/// A force from outside for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// from when, s
    pub from: f64,
    /// until when, s
    pub to: f64,
    /// which force, on what
    pub outside: Outside,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            mode: Mode::Offline,
            solver: Solver::Program,
            strength: 1.0,
            friction: crate::inverse::FRICTION,
            ground: None,
            parts: Vec::new(),
            pushes: Vec::new(),
        }
    }
}

/// An internal step after it was solved and before it is made.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// time, s
    pub time: f64,
    /// its length, s
    pub dt: f64,
    /// the figure: coordinates, velocities, accelerations, torques, forces of the ground
    pub body: &'a Body,
    /// where the reference is
    pub aim: &'a Aim,
}

/// Longest internal step, s.
const STEP: f64 = 0.001;

/// What came of a motion.
#[derive(Clone, Debug)]
pub struct Filtered {
    /// the motion, physically consistent
    pub clip: Clip,
    /// what it was measured against: the motion put on its feet
    pub reference: Clip,
    /// spots of the figure
    pub places: Vec<spots::Place>,
    /// mean forces of the ground over the frame that ends at each frame, by point
    pub forces: Vec<Vec<GroundForce>>,
    /// when it fell first, s
    pub fell: Option<f64>,
    /// how often it fell; after a fall it begins anew at the reference
    pub falls: usize,
    /// how near it is to the reference, until it fell
    pub tracking: Tracking,
    /// what its forces prove
    pub proof: Proof,
    /// frames of delay
    pub delay: usize,
    /// what was found and decided, a sentence each
    pub notes: Vec<String>,
}

impl Filtered {
    /// Whether its forces explain all of it: it did not fall, no force is missing, none breaks a law of contact or
    /// passes human strength, and feet that stand stand.
    pub fn is_consistent(&self) -> bool {
        let (proof, figure) = (&self.proof, self.clip.figure());
        let weight = figure.mass() * figure.gravity().norm();
        let faults =
            [proof.normal_violations, proof.friction_violations, proof.cop_outside, proof.torque_violations];
        self.fell.is_none()
            && faults.iter().all(|n| *n == 0)
            && proof.force_rms_bw <= limits::FORCE
            && proof.moment_rms <= limits::MOMENT * weight
            && proof.penetration_max <= limits::DEPTH
            && proof.skate_mean <= limits::SKATE
    }
}

/// Frames farther apart than this are too few to tell when feet touch, s: those between them are taken from the curve through
/// them, so many that they are as near as this; and the farthest that frames may be apart.
const SPARSE: f64 = 1.0 / 50.0;
const DENSE: f64 = 1.0 / 60.0;
const SPARSEST: f64 = 0.25;

/// Part of an off-line run after which a motion stands on its feet, and after which it is planned; the rest is physics.
const STANDING: f64 = 0.1;
const PLANNED: f64 = 0.8;

/// Filters a clip. `progress` hears the part that is done; `watch` sees every internal step.
///
/// # Errors
/// A figure without feet or that is not free; one with connections, for the program; fewer than three frames, or frames
/// farther apart than a quarter of a second.
pub fn run(
    clip: &Clip,
    settings: &Settings,
    progress: &mut dyn FnMut(f64),
    watch: &mut dyn FnMut(&Step),
) -> Result<Filtered, Error> {
    if clip.frames() < 3 {
        let expected = "accelerations take at least three";
        return Err(Error::TooShort { clip: clip.name.clone(), frames: clip.frames(), expected });
    }
    if !(clip.dt() <= SPARSEST) {
        return Err(Error::OutOfRange {
            what: format!("time between the frames of `{}`, s,", clip.name),
            value: clip.dt(),
            expected: "at most 0.25, or nobody knows what happens between them",
        });
    }
    if settings.mode == Mode::Offline && clip.dt() > SPARSE {
        return between_frames(clip, settings, progress, watch);
    }
    let given = clip;
    let (clip, mut notes) = mend(given);
    let figure = clip.figure();
    let anatomy = anatomy::of_figure(figure, &settings.parts)?;
    let places = spots::of_figure(figure, &anatomy)?;

    // what touches when, and what stands when put on its feet
    let fast = Trajectory::of(&clip, Some(cutoff::FAST));
    let hz = Cutoff::choose(&fast, &anatomy).hz.unwrap_or(cutoff::FAST).max(SMOOTH);
    let trajectory = Trajectory::of(&clip, Some(hz));
    let touches = Touches::of(&trajectory, places.clone(), settings.ground);
    progress(0.0);
    if touches.ground.velocity.norm() > 0.0 {
        return on_belt(given, touches.ground.velocity, settings, progress, watch);
    }
    let touches = touches.trimmed(TRIM * (pace(&trajectory.clip) / BRISK).max(1.0).powi(2));
    notes.extend(doubts(&trajectory, &touches));
    let footing = Footing::of(&trajectory, &touches);
    progress(0.0);
    notes.extend(carried_otherwise(&footing.clip, &footing.touches));
    let smooth = Trajectory::of(&footing.clip, Some(1.5 * hz)).clip;
    let mut truth = Reference::of(&smooth, &footing.touches);

    // physics, step by step
    let mut body = Body::new(figure, &anatomy, places.clone(), settings.strength)?;
    body.friction = settings.friction;
    body.set_solver(settings.solver)?;
    let mut keeper = Keeper::new(clip.dt(), |t, aim| truth.at(t, aim), watch);
    match settings.mode {
        Mode::Offline => {
            let replan = Replan::of(&footing, &mut |part| progress(STANDING + (PLANNED - STANDING) * part));
            notes.extend(replan.notes.iter().filter(|n| !footing.notes.contains(n)).cloned());
            let mut reference = Reference::of(&replan.clip, &replan.touches);
            let mut done = |part| progress(PLANNED + (1.0 - PLANNED) * part);
            offline(&mut body, &mut reference, &clip, &settings.pushes, &mut keeper, &mut done);
        }
        Mode::Online => {
            let mut filter = OnlineFilter::of(body, clip.dt())?;
            settings.ground.iter().for_each(|height| filter.set_ground(*height));
            online(&mut filter, given, &clip, &settings.pushes, &mut keeper, progress)?;
            notes.append(&mut filter.notes);
        }
    }
    progress(1.0);
    let delay = usize::from(settings.mode == Mode::Online);
    notes.extend(footing.notes);
    keeper.done(&clip, footing.clip, notes, places, delay)
}

/// The body after a reference whose future is known.
fn offline<T: FnMut(f64, &mut Aim)>(
    body: &mut Body,
    reference: &mut Reference,
    clip: &Clip,
    pushes: &[Push],
    keeper: &mut Keeper<T>,
    progress: &mut dyn FnMut(f64),
) {
    let dt = clip.dt();
    let steps = (dt / STEP - 1e-9).ceil().max(1.0) as usize;
    let step = dt / steps as f64;
    let mut aim = Aim::default();
    reference.at(0.0, &mut aim);
    body.start(&aim);
    keeper.frame(body);
    let mut outside = Vec::new();
    for frame in 1..clip.frames() {
        for k in 0..steps {
            if !body.is_sane() {
                break; // it has fallen, and is told so at the frame
            }
            let time = (frame - 1) as f64 * dt + k as f64 * step;
            reference.at(time, &mut aim);
            acting(pushes, time, &mut outside);
            body.solve(&aim, &outside, step);
            keeper.step(&Step { time, dt: step, body, aim: &aim });
            body.finish(step);
        }
        if keeper.frame(body) {
            reference.at(frame as f64 * dt, &mut aim);
            body.start(&aim);
        }
        progress(frame as f64 / clip.frames() as f64);
    }
}

/// Frames as they came, one after the other, and one more as if the mended motion went on.
fn online<T: FnMut(f64, &mut Aim)>(
    filter: &mut OnlineFilter,
    given: &Clip,
    mended: &Clip,
    pushes: &[Push],
    keeper: &mut Keeper<T>,
    progress: &mut dyn FnMut(f64),
) -> Result<(), Error> {
    let (dt, step, frames) = (given.dt(), filter.step(), given.frames());
    let after = pose_after(mended);
    for frame in 0..=frames {
        // the future mends nothing
        let pose = if frame < frames { given.pose(frame) } else { &after };
        let mut k = 0;
        let start = frame as f64 - 2.0;
        acting(pushes, start * dt, &mut filter.outside);
        let mut see = |body: &Body, aim: &Aim| {
            let time = start * dt + f64::from(k) * step;
            keeper.step(&Step { time, dt: step, body, aim });
            k += 1;
        };
        if filter.push_watched(pose, &mut see)?.is_some() && keeper.frame(&filter.body) {
            filter.restart();
        }
        progress(frame as f64 / frames as f64);
    }
    Ok(())
}

/// The frame after the last.
fn pose_after(clip: &Clip) -> Vec<f64> {
    let forest = clip.figure().forest();
    let (mut way, mut after) = (vec![0.0; forest.nv()], vec![0.0; forest.nq()]);
    let n = clip.frames();
    pose::difference(forest, clip.pose(n - 2), clip.pose(n - 1), &mut way);
    pose::along(forest, clip.pose(n - 1), &way, 1.0, &mut after);
    after
}

/// Spots that touch are within this of where they mostly stand, m...
const TRIM: f64 = 0.014;
/// ...and more, by the square, for who travels faster than this, m/s.
const BRISK: f64 = 1.8;
/// References are smoothed at least so little, Hz.
const SMOOTH: f64 = 8.0;

/// A motion with few frames: filtered with others between them, which are then left out.
fn between_frames(
    clip: &Clip,
    settings: &Settings,
    progress: &mut dyn FnMut(f64),
    watch: &mut dyn FnMut(&Step),
) -> Result<Filtered, Error> {
    let (mended, notes) = mend(clip);
    let times = (clip.dt() / DENSE).ceil() as usize;
    let mut filtered = run(&mended.resampled(clip.dt() / times as f64)?, settings, progress, watch)?;
    let given = |all: &Clip| {
        let poses = all.poses().chunks_exact(clip.figure().forest().nq()).step_by(times);
        let found = Clip::new(
            clip.name.clone(),
            clip.figure().clone(),
            clip.dt(),
            poses.flatten().copied().collect(),
        )?;
        Ok::<Clip, Error>(found.starting_at(clip.start()))
    };
    (filtered.clip, filtered.reference) = (given(&filtered.clip)?, given(&filtered.reference)?);
    let since = |f: usize| (f * times + 1).saturating_sub(times)..f * times + 1;
    let forces = |f: usize| means(&filtered.forces[since(f)].concat(), since(f).len());
    filtered.forces = (0..clip.frames()).map(forces).collect();
    filtered.notes.splice(0..0, notes);
    Ok(filtered)
}

/// A motion on a treadmill: as seen from its belt it goes along, and physics is the same.
fn on_belt(
    clip: &Clip,
    belt: Vec3,
    settings: &Settings,
    progress: &mut dyn FnMut(f64),
    watch: &mut dyn FnMut(&Step),
) -> Result<Filtered, Error> {
    let mut filtered = run(&carried(clip, belt.scale(-1.0))?, settings, progress, watch)?;
    filtered.clip = carried(&filtered.clip, belt)?;
    filtered.reference = carried(&filtered.reference, belt)?;
    for (frame, forces) in filtered.forces.iter_mut().enumerate() {
        let way = belt.scale(frame as f64 * clip.dt());
        forces.iter_mut().for_each(|f| f.at += way);
    }
    filtered
        .notes
        .insert(0, format!("a treadmill of {:.2} m/s; filtered as seen from its belt", belt.norm()));
    Ok(filtered)
}

/// A motion whose figure is carried along at a velocity as well.
fn carried(clip: &Clip, velocity: Vec3) -> Result<Clip, Error> {
    let forest = clip.figure().forest();
    let mut q = clip.poses().to_vec();
    for b in forest.bodies().iter().skip(1).filter(|b| b.joint == BodyJoint::Free) {
        for (frame, q) in q.chunks_exact_mut(forest.nq()).enumerate() {
            let place = pose::triple(q, b.iq as usize) + velocity.scale(frame as f64 * clip.dt());
            q[b.iq as usize..b.iq as usize + 3].copy_from_slice(&place.to_array());
        }
    }
    Clip::new(clip.name.clone(), clip.figure().clone(), clip.dt(), q)
}

/// Pushes that act at a time.
fn acting(pushes: &[Push], time: f64, outside: &mut Vec<Outside>) {
    outside.clear();
    outside.extend(pushes.iter().filter(|p| (p.from..p.to).contains(&time)).map(|p| p.outside));
}
