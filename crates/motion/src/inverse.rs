//! Inverse dynamics of a motion: ground forces and joint torques.
//!
//! Computes for each frame the required external wrench, w = d/dt(momentum) - gravity; for all frames at once its best
//! distribution over the contacts inside their friction cones (`ground_forces`); the residual that no contact can supply;
//! and with these forces the joint torques  tau = M a + h - passive - sum J^T f  and powers.
//! Source: [F2008 ch. 5] for the inverse dynamics; the distribution is our own.
//! Not here: measured forces (`plates`); plausibility (`certificate`).
//! Checked by: `tests/it/inverse.rs` (reproduces torques of simulated motions), `tests/it/invariance.rs`,
//! `tests/it/certificate.rs`.

mod ground_forces;

use crate::anatomy::{self, Anatomy, Part};
use crate::clip::Clip;
use crate::contact_points;
use crate::contact_schedule::ContactSchedule;
use crate::cutoff::{self, Cutoff};
use crate::error::Error;
use crate::note::Note;
use crate::plates::GroundForces;
use crate::pose::triple;
use crate::smoothing_loss::{self, SmoothingLoss};
use crate::surroundings::{Surroundings, furnish};
use crate::trajectory::Trajectory;
use anthropi_dynamics::algo::{centroidal, fk::Kinematics, rnea};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, JointHandle, LinkHandle};
use anthropi_dynamics::spatial::{Force, Vec3};

/// Default coefficient of friction: rubber and leather on floors.
pub const FRICTION: f64 = 0.8;

/// Plates under less load than this are ignored, body weights.
const MIN_PLATE_LOAD: f64 = 0.005;

/// A measured force farther than this from any foot belongs to somebody else, m.
const MAX_FOOT_DISTANCE: f64 = 0.5;

/// Forces and torques that add up to more are implausible, N and N m.
const MAX_FORCE: f64 = 1e12;

/// Part of the time until the forces are found.
const FIRST_PASS: f64 = 0.3;

/// Options of the inverse dynamics.
#[derive(Clone, Debug)]
pub struct Options {
    /// smoothing before derivatives
    pub smoothing: Smoothing,
    /// coefficient of friction of the ground
    pub friction: f64,
    /// height of the ground, if known
    pub ground: Option<f64>,
    /// body parts of links by name, where recognition is wrong
    pub parts: Vec<(String, Part)>,
    /// props besides the ground
    pub surroundings: Surroundings,
    /// measured ground forces; outside their time range forces are estimated
    pub measured: Option<GroundForces>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            smoothing: Smoothing::Auto,
            friction: FRICTION,
            ground: None,
            parts: Vec::new(),
            surroundings: Surroundings::default(),
            measured: None,
        }
    }
}

/// Smoothing before derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothing {
    /// 6 or 15 Hz, depending on the motion
    Auto,
    /// low-pass with a cut-off, Hz
    At(f64),
    /// none: the motion is exact
    None,
}

/// A force on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// link
    pub link: LinkHandle,
    /// point of application, world axes
    pub at: Vec3,
    /// N, world axes
    pub force: Vec3,
    /// moment about the point, N m, world axes
    pub moment: Vec3,
}

/// Forces in one frame.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// centre of mass
    pub center: Vec3,
    /// required external wrench: moment about the centre of mass, and force
    pub required: Force,
    /// the part that no contact can supply
    pub residual: Force,
    /// contact forces
    pub contact_forces: Vec<ContactForce>,
    /// whether the contact forces were measured
    pub is_measured: bool,
}

/// Inverse dynamics of a motion.
#[derive(Clone, Debug)]
pub struct Inverse {
    /// the input motion
    pub given: Clip,
    /// the smoothed motion
    pub trajectory: Trajectory,
    /// smoothing cut-off
    pub cutoff: Cutoff,
    /// what smoothing takes from the motion
    pub smoothing_loss: SmoothingLoss,
    /// contact schedule
    pub schedule: ContactSchedule,
    /// by frame
    pub frames: Vec<Frame>,
    /// coefficient of friction
    pub friction: f64,
    /// what the surroundings are
    pub notes: Vec<Note>,
    /// whether the height of the ground was given
    pub is_ground_known: bool,
    /// the root joint
    pub root: JointHandle,
    tau: Vec<f64>,
}

impl Inverse {
    /// Computes the forces of a clip; `progress` receives the completed part.
    ///
    /// # Errors
    /// A figure without feet or without a free root; a clip of fewer than three frames; a cut-off that empties the motion.
    pub fn from_clip(
        clip: &Clip,
        settings: &Options,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Inverse, Error> {
        clip.check_frames(3, "accelerations need at least three")?;
        let figure = clip.figure().clone();
        let root = root_of(&figure)?;
        let anatomy = anatomy::from_figure(&figure, &settings.parts)?;
        let places = contact_points::find(&figure, &anatomy)?;
        let Smoothed { trajectory, cutoff, loss } = smoothed(clip, settings.smoothing, &anatomy)?;
        let mut schedule = ContactSchedule::from_trajectory(&trajectory, places, settings.ground);
        let notes = match &settings.measured {
            None => furnish(&mut schedule, &trajectory, &anatomy, &settings.surroundings, settings.friction),
            Some(_) => Vec::new(),
        };
        let mut inverse = Inverse {
            frames: Vec::new(),
            tau: Vec::new(),
            friction: settings.friction,
            is_ground_known: settings.ground.is_some(),
            given: clip.clone(),
            trajectory,
            cutoff,
            smoothing_loss: loss,
            schedule,
            notes,
            root,
        };
        inverse.solve(&anatomy, settings.measured.as_ref(), progress)?;
        Ok(inverse)
    }

    /// Joint torques in a frame, in the order of v; those of the root are the residual.
    pub fn tau(&self, frame: usize) -> &[f64] {
        let nv = self.tau.len() / self.frames.len();
        &self.tau[frame * nv..(frame + 1) * nv]
    }

    /// Weight of the figure, N.
    pub fn weight(&self) -> f64 {
        let figure = self.trajectory.clip.figure();
        figure.mass() * figure.gravity().norm()
    }

    /// Length that relates moments to forces: half the mean height of the centre of mass.
    pub fn length(&self) -> f64 {
        let ground = self.schedule.ground;
        let sum: f64 = self.frames.iter().map(|f| ground.above(f.center).abs()).sum();
        (0.5 * sum / self.frames.len().max(1) as f64).max(0.05)
    }

    fn solve(
        &mut self,
        anatomy: &Anatomy,
        measured: Option<&GroundForces>,
        progress: &mut dyn FnMut(f64),
    ) -> Result<(), Error> {
        let figure = self.trajectory.clip.figure().clone();
        let units = [self.weight(), figure.stature.unwrap_or(1.7) * 0.25];
        let count = self.trajectory.clip.frames();
        let check = |frame: usize, tau: &[f64], required: Force| {
            let largest = tau.iter().fold(required.linear.norm(), |m, t| m + t.abs());
            let clip = || self.given.name.clone();
            if largest < MAX_FORCE { Ok(()) } else { Err(Error::ImplausibleForces { clip: clip(), frame }) }
        };
        let mut solver = Solver::new(&figure, self.root);
        let mut sharing = ground_forces::GroundForces::new(self, anatomy, measured, units);
        let mut frames = Vec::with_capacity(count);
        for frame in 0..count {
            let (center, required) = solver.required(&figure, self.trajectory.at(frame));
            check(frame, &solver.tau, required)?;
            sharing.add(center, required, &solver.kinematics);
            frames.push(Frame { center, required, ..Frame::default() });
            if frame % 256 == 0 {
                progress(FIRST_PASS * frame as f64 / count as f64);
            }
        }
        let mut tau = Vec::with_capacity(count * figure.forest().nv());
        for (k, (contact_forces, is_measured)) in sharing.solve().into_iter().enumerate() {
            let frame = &mut frames[k];
            solver.torques(&figure, self.trajectory.at(k), &contact_forces);
            check(k, &solver.tau, frame.required)?;
            tau.extend_from_slice(&solver.tau);
            let given = contact_forces.iter().fold(Force::default(), |sum, p| {
                sum + Force::new(p.moment + (p.at - frame.center).cross(p.force), p.force)
            });
            frame.residual = frame.required - given;
            (frame.contact_forces, frame.is_measured) = (contact_forces, is_measured);
        }
        (self.frames, self.tau) = (frames, tau);
        progress(1.0);
        Ok(())
    }
}

/// A motion smoothed before derivatives.
struct Smoothed {
    trajectory: Trajectory,
    cutoff: Cutoff,
    loss: SmoothingLoss,
}

fn smoothed(clip: &Clip, smoothing: Smoothing, anatomy: &Anatomy) -> Result<Smoothed, Error> {
    Ok(match smoothing {
        Smoothing::None => Smoothed {
            trajectory: Trajectory::from_clip(clip, None),
            cutoff: Cutoff::given(None),
            loss: SmoothingLoss::default(),
        },
        Smoothing::At(hz) => {
            let (kept, own) = automatic(clip, anatomy);
            let kept = own.hz.is_some_and(|own| hz < own).then_some(&kept.clip);
            let (trajectory, loss) = smoothing_loss::smoothed_at(clip, kept, hz)?;
            Smoothed { trajectory, cutoff: Cutoff::given(Some(hz)), loss }
        }
        Smoothing::Auto => {
            let (trajectory, cutoff) = automatic(clip, anatomy);
            let loss = SmoothingLoss::measure(clip, None, &trajectory.clip);
            Smoothed { trajectory, cutoff, loss }
        }
    })
}

/// The motion at the cut-off that suits it.
fn automatic(clip: &Clip, anatomy: &Anatomy) -> (Trajectory, Cutoff) {
    let fast = Trajectory::from_clip(clip, Some(cutoff::FAST));
    let chosen = Cutoff::choose(&fast, anatomy);
    let is_fast = chosen.hz == Some(cutoff::FAST);
    (if is_fast { fast } else { Trajectory::from_clip(clip, chosen.hz) }, chosen)
}

/// The one free joint of a figure.
pub(crate) fn root_of(figure: &Figure) -> Result<JointHandle, Error> {
    let mut free = figure.joints().filter(|(_, j)| j.kind == JointKind::Free);
    let what = match (free.next(), free.next()) {
        (Some((handle, _)), None) => return Ok(handle),
        (None, _) => "it has no free joint; ground forces need a figure with a floating base",
        _ => "it has several free joints; only one floating base is supported",
    };
    Err(Error::unsuitable(&figure.name, what))
}

/// Workspace.
struct Solver {
    root: JointHandle,
    kinematics: Kinematics,
    rnea: rnea::Work,
    external: Vec<Force>,
    passive: Vec<f64>,
    tau: Vec<f64>,
}

impl Solver {
    fn new(figure: &Figure, root: JointHandle) -> Solver {
        let forest = figure.forest();
        Solver {
            root,
            kinematics: Kinematics::default(),
            rnea: rnea::Work::default(),
            external: vec![Force::default(); forest.bodies().len()],
            passive: vec![0.0; forest.nv()],
            tau: vec![0.0; forest.nv()],
        }
    }

    /// Centre of mass, and the wrench about it that the motion requires.
    fn required(&mut self, figure: &Figure, (q, v, a): (&[f64], &[f64], &[f64])) -> (Vec3, Force) {
        let forest = figure.forest();
        self.kinematics.update(forest, q, Some(v), None);
        let center = centroidal::center_of_mass(forest, &self.kinematics);
        rnea::inverse_dynamics(forest, q, v, a, None, &mut self.rnea, &mut self.tau);
        (center, self.root_wrench(figure, center))
    }

    /// Required wrench at the root, about the centre of mass, world axes.
    fn root_wrench(&self, figure: &Figure, center: Vec3) -> Force {
        let forest = figure.forest();
        let iv = forest.joint_place(self.root).iv;
        let link = figure.joint(self.root).map(|j| j.child()).expect("a joint of this figure");
        let body = forest.link_place(link).body;
        let pose = self.kinematics.body_pose(body);
        let [moment, force] = [iv, iv + 3].map(|i| pose.rotation.mul(triple(&self.tau, i)));
        Force::new(moment + (pose.translation - center).cross(force), force)
    }

    /// Joint torques with these forces.
    fn torques(
        &mut self,
        figure: &Figure,
        (q, v, a): (&[f64], &[f64], &[f64]),
        contact_forces: &[ContactForce],
    ) {
        let forest = figure.forest();
        self.kinematics.update(forest, q, Some(v), None);
        self.external.fill(Force::default());
        for contact in contact_forces {
            let body = forest.link_place(contact.link).body;
            let arm = contact.at - self.kinematics.body_pose(body).translation;
            self.external[body.index()] +=
                Force::new(contact.moment + arm.cross(contact.force), contact.force);
        }
        rnea::inverse_dynamics(forest, q, v, a, Some(&self.external), &mut self.rnea, &mut self.tau);
        self.passive.fill(0.0);
        forest.add_passive_forces(q, v, &mut self.passive);
        self.tau.iter_mut().zip(&self.passive).for_each(|(t, p)| *t -= p);
    }
}
