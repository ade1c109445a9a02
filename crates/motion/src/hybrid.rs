//! HIDDS: inverse dynamics estimates torques, direct dynamics moves the figure by them, runs refine them.
//!
//! A course is wanted (`course`). Inverse dynamics of an assumed figure tells torques (`need`); the real figure, of the
//! same structure and other masses, moves under them by direct dynamics with feet held on the ground and a weak feedback
//! on its joints (`plant`). What a run teaches changes the torques for the next (`learn`), until the posture follows.
//! Source: [L1992 §9.5] for the hybrid; [L1992 §9.6] asks for the refinement and leaves it to future work.
//! We differ: ground forces are found, not given; refinement is automatic, by one of two laws.
//! Never worse: a run with a larger error is told and dropped, and the step from the best torques halved.
//! Not here: forces of the ground as a spring (`virtual_leg`).
//! Checked by: `crates/io/tests/hybrid.rs`.
//!
//! | part | what it does |
//! |---|---|
//! | `course` | the motion wanted, and which points stand |
//! | `stand` | points that stand, as rows |
//! | `need` | forces a motion needs, shared by ground and joints |
//! | `plant` | direct dynamics |
//! | `learn` | torques after a run |
//! | `ground` | whether a floor could give the forces of a run |

mod course;
mod ground;
mod learn;
mod need;
mod plant;
mod stand;

pub use course::{Course, Instant};
pub use ground::Unreal;
pub use plant::Hold;

use crate::clip::Clip;
use crate::error::Error;
use anthropi_dynamics::algo::crba;
use anthropi_dynamics::model::{BodyJoint, Figure, Link};
use anthropi_dynamics::spatial::Vec3;
use need::Needs;
use plant::{Feedback, Plant, Run};
use std::sync::Arc;

/// Torques of the first run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// inverse dynamics of the assumed figure along the course
    #[default]
    Estimated,
    /// those that hold each pose still
    Static,
    /// none
    Zero,
}

/// How runs change torques.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Law {
    /// what the assumed figure does not explain of a run is added to what it tells
    #[default]
    Model,
    /// what the feedback added is added
    Feedback,
}

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// torques of the first run
    pub start: Start,
    /// how runs change them
    pub law: Law,
    /// how points that stand are held
    pub hold: Hold,
    /// most runs after the first
    pub runs: usize,
    /// part of what a law proposes that is taken, above zero to one
    pub gain: f64,
    /// square of the feedback's rate, 1/s^2: stiffness over inertia
    pub stiffness: f64,
    /// an error that is small enough to end, degrees
    pub enough: f64,
    /// coefficient of friction of the ground
    pub friction: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            start: Start::Estimated,
            law: Law::Model,
            hold: Hold::Along,
            runs: 15,
            gain: 1.0,
            stiffness: 60.0,
            enough: 1e-3,
            friction: crate::inverse::FRICTION,
        }
    }
}

/// What came of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told {
    /// error of the posture: root mean square over turning joints and instants, degrees; infinite when the run was lost
    pub posture_deg: f64,
    /// distance of the root from where it should be at the end, m; infinite when the run was lost
    pub root_end: f64,
    /// part of what the law proposed that was taken for this run
    pub gain: f64,
    /// whether it was the best so far
    pub is_best: bool,
    /// what a floor could not give of its ground forces
    pub unreal: Unreal,
}

/// Torques that move the real figure along a course.
#[derive(Clone, Debug)]
pub struct Refined {
    /// by instant, all coordinates; those of the root are zero
    pub torques: Vec<Vec<f64>>,
    /// the motion under them; it ends where a run is lost
    pub motion: Clip,
    /// forces of the ground under them, by instant: sum over all points
    pub ground: Vec<Vec3>,
    /// all runs, the first to the last
    pub history: Vec<Told>,
    /// which run was the best
    pub best: usize,
    /// largest force on the root that no point on the ground can give, in the estimate along the course, N; zero
    /// for other starts
    pub unexplained: f64,
}

/// Feedback has this part of critical damping, and works on no less than this inertia, kg m^2.
const DAMPED: f64 = 0.7;
const LIGHT: f64 = 0.3;
/// An error that changes by less than this part has stopped to shrink; at a smaller gain, if it does not shrink at all.
const SETTLED: f64 = 0.02;
/// Nothing is learned with less of a gain.
const LEAST_GAIN: f64 = 1.0 / 64.0;

/// Finds torques that move the `real` figure along a course, knowing the `assumed` one.
///
/// # Errors
/// A course that is empty, not finite or of another figure; figures of different structure, that are not free, or with
/// connections; a setting out of its range; torques beyond all measure.
pub fn refine(
    assumed: &Figure,
    real: &Arc<Figure>,
    course: &Course,
    settings: &Settings,
) -> Result<Refined, Error> {
    check(settings)?;
    course.check(assumed)?;
    alike(assumed, real)?;
    let mut needs = Needs::new(assumed, settings.friction)?;
    Needs::new(real, settings.friction)?;
    let feedback = feedback(assumed, &needs, course, settings.stiffness);
    let (start, unexplained) = first(course, &mut needs, settings.start);
    let mut plant = Plant::new(real, needs.root, course, settings.hold);
    let weight = real.mass() * real.gravity().norm();
    let tell = |run: &Run, gain: f64| {
        let (posture_deg, root_end) = errors(real, run);
        let unreal = ground::judge(course, run, weight, settings.friction);
        Told { posture_deg, root_end, gain, is_best: true, unreal }
    };
    let mut torques = start;
    let mut run = plant.run(course, &torques, &feedback)?;
    let mut history = vec![tell(&run, settings.gain)];
    let (mut best, mut gain) = (0, settings.gain);
    let mut proposed = learn::next(settings.law, course, &mut needs, &run, &torques);
    for n in 1..=settings.runs {
        if history[best].posture_deg <= settings.enough || gain < LEAST_GAIN {
            break;
        }
        let tried: Vec<Vec<f64>> = torques.iter().zip(&proposed).map(|(a, b)| mixed(a, b, gain)).collect();
        let other = plant.run(course, &tried, &feedback)?;
        let told = tell(&other, gain);
        let (was, is) = (history[best].posture_deg, told.posture_deg);
        let is_best = is < was || is.is_infinite() && was.is_infinite() && other.a.len() > run.a.len();
        history.push(Told { is_best, ..told });
        if is_best {
            (torques, run, best) = (tried, other, n);
        }
        if (is - was).abs() < SETTLED * was && (gain >= settings.gain || !is_best) {
            break;
        }
        if !is_best {
            gain *= 0.5;
            continue;
        }
        gain = (2.0 * gain).min(settings.gain);
        proposed = learn::next(settings.law, course, &mut needs, &run, &torques);
    }
    let sum = |f: &Vec<Vec3>| f.iter().fold(Vec3::ZERO, |sum, f| sum + *f);
    let ground = run.forces.iter().map(sum).collect();
    let motion = Clip::new("hybrid", real.clone(), course.dt, run.q.concat())?;
    Ok(Refined { torques, motion, ground, history, best, unexplained })
}

fn mixed(a: &[f64], b: &[f64], part: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + part * (b - a)).collect()
}

/// Torques of the first run, and the largest force they leave unexplained.
fn first(course: &Course, needs: &mut Needs, start: Start) -> (Vec<Vec<f64>>, f64) {
    let mut most = 0.0f64;
    let mut torques = Vec::with_capacity(course.instants.len());
    for (n, i) in course.instants.iter().enumerate() {
        let mut tau = vec![0.0; i.v.len()];
        match start {
            Start::Zero => {}
            Start::Static => {
                let rest = vec![0.0; i.v.len()];
                needs.of(&i.q, &rest, &rest, &mut tau);
                needs.share(course, n, &mut tau);
            }
            Start::Estimated => {
                needs.of(&i.q, &i.v, &i.a, &mut tau);
                most = most.max(needs.share(course, n, &mut tau));
            }
        }
        torques.push(tau);
    }
    (torques, most)
}

/// kp = stiffness I, kd = 2 0.7 sqrt(stiffness) I with the inertia that each joint moves at the first instant.
fn feedback(figure: &Figure, needs: &Needs, course: &Course, stiffness: f64) -> Feedback {
    let forest = figure.forest();
    let (mut work, mut mass) = (crba::Work::default(), crba::PathMatrix::default());
    crba::mass_matrix(forest, &course.instants[0].q, &mut work, &mut mass);
    let mut inertia: Vec<f64> =
        mass.to_dense(forest).iter().enumerate().map(|(k, row)| row[k].max(LIGHT)).collect();
    inertia[needs.root_iv..needs.root_iv + 6].fill(0.0);
    let damping = 2.0 * DAMPED * stiffness.sqrt();
    Feedback {
        stiffness: inertia.iter().map(|i| stiffness * i).collect(),
        damping: inertia.iter().map(|i| damping * i).collect(),
    }
}

/// Posture, degrees rms over turning joints, and distance of the root at the end, m.
fn errors(figure: &Figure, run: &Run) -> (f64, f64) {
    if run.is_lost {
        return (f64::INFINITY, f64::INFINITY);
    }
    let bodies = figure.forest().bodies().iter().skip(1);
    let turning = bodies.filter(|b| !matches!(b.joint, BodyJoint::Free | BodyJoint::Prismatic(_)));
    let dofs: Vec<usize> = turning.flat_map(|b| b.iv as usize..b.iv as usize + b.joint.nv()).collect();
    let squares: f64 = run.error.iter().flat_map(|e| dofs.iter().map(|k| e[*k] * e[*k])).sum();
    let count = (run.error.len() * dofs.len()).max(1);
    let bodies = figure.forest().bodies().iter().skip(1);
    let root = bodies.filter(|b| b.joint == BodyJoint::Free).map(|b| b.iv as usize + 3).next();
    let end =
        root.zip(run.error.last()).map_or(0.0, |(iv, e)| e[iv..iv + 3].iter().map(|x| x * x).sum::<f64>());
    ((squares / count as f64).sqrt().to_degrees(), end.sqrt())
}

/// Refuses figures that differ in more than masses.
fn alike(assumed: &Figure, real: &Figure) -> Result<(), Error> {
    let (mut a, mut b) = (assumed.links(), real.links());
    let same = |one: &Link, other: &Link| {
        let joints = assumed.joint(one.joint()).ok().zip(real.joint(other.joint()).ok());
        joints.is_some_and(|(a, b)| {
            a.coordinates() == b.coordinates()
                && a.parent_from_joint == b.parent_from_joint
                && a.child_from_joint == b.child_from_joint
        })
    };
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Ok(()),
            (Some(x), Some(y)) if x.0 == y.0 && same(x.1, y.1) => {}
            (x, y) => {
                let name = x.or(y).map_or_else(String::new, |(_, l)| l.spec.name.clone());
                let what = format!(
                    "its link `{name}` is not as that of `{}`; assumed and real figure differ in masses only",
                    assumed.name
                );
                return Err(Error::Unsuitable { subject: real.name.clone(), what });
            }
        }
    }
}

fn check(settings: &Settings) -> Result<(), Error> {
    let above = [("friction", settings.friction), ("gain", settings.gain)];
    for (what, value) in above {
        if !(value > 0.0 && value.is_finite()) {
            return Err(Error::OutOfRange { what: what.into(), value, expected: "more than zero" });
        }
    }
    for (what, value) in [("stiffness", settings.stiffness), ("error that is enough", settings.enough)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(Error::OutOfRange { what: what.into(), value, expected: "zero or more" });
        }
    }
    if settings.gain > 1.0 {
        return Err(Error::OutOfRange { what: "gain".into(), value: settings.gain, expected: "one at most" });
    }
    Ok(())
}
