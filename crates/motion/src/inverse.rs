//! Forces behind a motion: what the ground gives and what the joints give.
//!
//! Computes for each frame the wrench that must come from outside, w = d/dt(momentum) - gravity; its best split over the
//! spots that touch, inside their friction cones (`split`); what of it no contact can give; and with these forces the
//! joint torques  tau = M a + h - passive - sum J^T f  and powers.
//! Source: [F2008 ch. 5] for the inverse dynamics; the split is our own.
//! Not here: measured forces (`plates`); what is wrong with the motion (`certificate`).
//! Checked by: `crates/io/tests/inverse.rs` (torques of simulated motions come back), `tests/invariance.rs`,
//! `crates/io/tests/certificate.rs`.

use crate::anatomy::{self, Anatomy, Part};
use crate::clip::Clip;
use crate::cutoff::{self, Cutoff};
use crate::error::Error;
use crate::plates::{GroundForces, Wrench};
use crate::split::{Point, Splitter};
use crate::spots;
use crate::touch::Touches;
use crate::trajectory::Trajectory;
use anthropi_dynamics::algo::{centroidal, fk::Kinematics, rnea};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, JointHandle, LinkHandle};
use anthropi_dynamics::spatial::{Force, Vec3, vec3};

/// Rubber and leather on floors.
pub const FRICTION: f64 = 0.8;

/// Plates with less than this part of the weight carry nothing.
const UNLOADED: f64 = 0.005;

/// A force farther than this from any foot is not on this person, m.
const FAR: f64 = 0.5;

/// No motion has forces and torques that add up to this, N and N m.
const ABSURD: f64 = 1e12;

/// What is known, and what is wanted.
#[derive(Clone, Debug)]
pub struct Settings {
    /// smoothing before derivatives
    pub smoothing: Smoothing,
    /// coefficient of friction of the ground
    pub friction: f64,
    /// height of the ground, where it is known
    pub ground: Option<f64>,
    /// names of links and what they are, where recognition is wrong
    pub parts: Vec<(String, Part)>,
    /// forces of the ground that were measured; the rest of the time they are found
    pub measured: Option<GroundForces>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            smoothing: Smoothing::Auto,
            friction: FRICTION,
            ground: None,
            parts: Vec::new(),
            measured: None,
        }
    }
}

/// Smoothing before derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothing {
    /// 6 or 15 Hz, by the motion
    Auto,
    /// low-pass of a cut-off, Hz
    At(f64),
    /// the motion is exact
    None,
}

/// A force on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// on which
    pub link: LinkHandle,
    /// where, world axes
    pub at: Vec3,
    /// N, world axes
    pub force: Vec3,
    /// about the point, N m, world axes
    pub moment: Vec3,
}

/// Forces in one frame.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// centre of mass
    pub center: Vec3,
    /// what has to come from outside: moment about the centre of mass, and force
    pub wanted: Force,
    /// what no contact can give of it
    pub missing: Force,
    /// forces from outside
    pub pushes: Vec<Push>,
    /// whether they were measured
    pub is_measured: bool,
}

/// Forces behind a motion.
#[derive(Clone, Debug)]
pub struct Inverse {
    /// the motion as it was given
    pub given: Clip,
    /// the motion, smoothed
    pub trajectory: Trajectory,
    /// how it was smoothed
    pub cutoff: Cutoff,
    /// who touches when
    pub touches: Touches,
    /// by frame
    pub frames: Vec<Frame>,
    /// coefficient of friction
    pub friction: f64,
    /// whether the height of the ground was given
    pub is_ground_known: bool,
    /// the joint that leads to the world
    pub root: JointHandle,
    tau: Vec<f64>,
}

impl Inverse {
    /// Forces behind a clip; `progress` hears the part that is done.
    ///
    /// # Errors
    /// A figure that does not stand on feet, or that is not free; a clip of fewer than three frames.
    pub fn of(clip: &Clip, settings: &Settings, progress: &mut dyn FnMut(f64)) -> Result<Inverse, Error> {
        if clip.frames() < 3 {
            let expected = "accelerations take at least three";
            return Err(Error::TooShort { clip: clip.name.clone(), frames: clip.frames(), expected });
        }
        let figure = clip.figure().clone();
        let root = root_of(&figure)?;
        let anatomy = anatomy::of_figure(&figure, &settings.parts)?;
        let places = spots::of_figure(&figure, &anatomy)?;
        let (trajectory, cutoff) = smoothed(clip, settings.smoothing, &anatomy);
        let touches = Touches::of(&trajectory, places, settings.ground);
        let mut inverse = Inverse {
            frames: Vec::with_capacity(clip.frames()),
            tau: Vec::with_capacity(clip.frames() * figure.forest().nv()),
            friction: settings.friction,
            is_ground_known: settings.ground.is_some(),
            given: clip.clone(),
            trajectory,
            cutoff,
            touches,
            root,
        };
        inverse.solve(settings.measured.as_ref(), progress)?;
        Ok(inverse)
    }

    /// Joint torques in a frame, in the order of v; those of the root are what is missing.
    pub fn tau(&self, frame: usize) -> &[f64] {
        let nv = self.tau.len() / self.frames.len();
        &self.tau[frame * nv..(frame + 1) * nv]
    }

    /// Weight of the figure, N.
    pub fn weight(&self) -> f64 {
        let figure = self.trajectory.clip.figure();
        figure.mass() * figure.gravity().norm()
    }

    /// Length by which moments compare to forces: half the height of the centre of mass, mean over the frames.
    pub fn length(&self) -> f64 {
        let ground = self.touches.ground;
        let sum: f64 = self.frames.iter().map(|f| ground.above(f.center).abs()).sum();
        (0.5 * sum / self.frames.len().max(1) as f64).max(0.05)
    }

    fn solve(&mut self, measured: Option<&GroundForces>, progress: &mut dyn FnMut(f64)) -> Result<(), Error> {
        let figure = self.trajectory.clip.figure().clone();
        let units = [self.weight(), figure.stature.unwrap_or(1.7) * 0.25];
        let mut solver = Solver::new(&figure, self.root, units);
        let count = self.trajectory.clip.frames();
        let mut points = Vec::new();
        for frame in 0..count {
            let known = measured.and_then(|m| self.measured_pushes(m, frame));
            points.clear();
            if known.is_none() {
                self.touching(frame, &mut points);
            }
            let found = solver.frame(&figure, self.trajectory.at(frame), &points, known);
            let largest = solver.tau.iter().fold(found.wanted.linear.norm(), |m, t| m + t.abs());
            if !(largest < ABSURD) {
                return Err(Error::Absurd { clip: self.given.name.clone(), frame });
            }
            self.frames.push(found);
            self.tau.extend_from_slice(&solver.tau);
            if frame % 256 == 0 {
                progress(frame as f64 / count as f64);
            }
        }
        progress(1.0);
        Ok(())
    }

    /// What plates measured in a frame, each on the foot nearest to it; `None` where nothing was measured,
    /// or not under this person.
    fn measured_pushes(&self, measured: &GroundForces, frame: usize) -> Option<Vec<Push>> {
        let t = self.trajectory.clip.time(frame);
        let mut pushes = Vec::new();
        for plate in 0..measured.names.len() {
            let Wrench { force, point, moment } = measured.sample(plate, t)?;
            let distance = |k: usize| {
                let middle = self.touches.tracks[k].middle(frame) - point;
                Vec3 { z: 0.0, ..middle }.norm()
            };
            let feet = (0..self.touches.places.len()).filter(|k| self.touches.places[*k].spot.is_foot());
            let Some(nearest) = feet.min_by(|a, b| distance(*a).total_cmp(&distance(*b))) else { continue };
            if force.norm() > UNLOADED * self.weight() {
                if distance(nearest) > FAR {
                    return None;
                }
                pushes.push(Push { link: self.touches.places[nearest].link, at: point, force, moment });
            }
        }
        Some(pushes)
    }

    /// Points that touch in a frame, with their links.
    fn touching(&self, frame: usize, points: &mut Vec<(LinkHandle, Point)>) {
        let normal = self.touches.ground.normal();
        for (k, place) in self.touches.places.iter().enumerate() {
            if self.touches.is_on(k, frame) {
                let at = self.touches.tracks[k].at(frame).iter();
                points.extend(at.map(|at| (place.link, Point { at: *at, normal, friction: self.friction })));
            }
        }
    }
}

fn smoothed(clip: &Clip, smoothing: Smoothing, anatomy: &Anatomy) -> (Trajectory, Cutoff) {
    match smoothing {
        Smoothing::None => (Trajectory::of(clip, None), Cutoff::asked(None)),
        Smoothing::At(hz) => (Trajectory::of(clip, Some(hz)), Cutoff::asked(Some(hz))),
        Smoothing::Auto => {
            let fast = Trajectory::of(clip, Some(cutoff::FAST));
            let chosen = Cutoff::choose(&fast, anatomy);
            let is_fast = chosen.hz == Some(cutoff::FAST);
            (if is_fast { fast } else { Trajectory::of(clip, chosen.hz) }, chosen)
        }
    }
}

/// The one free joint of a figure.
pub(crate) fn root_of(figure: &Figure) -> Result<JointHandle, Error> {
    let mut free = figure.joints().filter(|(_, j)| j.kind == JointKind::Free);
    match (free.next(), free.next()) {
        (Some((handle, _)), None) => Ok(handle),
        (None, _) => Err(Error::Unsuitable {
            subject: figure.name.clone(),
            what: "it has no free joint; ground forces are those of a figure that can leave the ground"
                .into(),
        }),
        _ => Err(Error::Unsuitable {
            subject: figure.name.clone(),
            what: "it has several free joints; one figure at a time".into(),
        }),
    }
}

/// Scratch for one frame after another.
struct Solver {
    root: JointHandle,
    units: [f64; 2],
    kinematics: Kinematics,
    rnea: rnea::Work,
    splitter: Splitter,
    forces: Vec<Vec3>,
    external: Vec<Force>,
    passive: Vec<f64>,
    tau: Vec<f64>,
}

impl Solver {
    fn new(figure: &Figure, root: JointHandle, units: [f64; 2]) -> Solver {
        let forest = figure.forest();
        Solver {
            root,
            units,
            kinematics: Kinematics::default(),
            rnea: rnea::Work::default(),
            splitter: Splitter::default(),
            forces: Vec::new(),
            external: vec![Force::default(); forest.bodies().len()],
            passive: vec![0.0; forest.nv()],
            tau: vec![0.0; forest.nv()],
        }
    }

    fn frame(
        &mut self,
        figure: &Figure,
        (q, v, a): (&[f64], &[f64], &[f64]),
        points: &[(LinkHandle, Point)],
        measured: Option<Vec<Push>>,
    ) -> Frame {
        let forest = figure.forest();
        self.kinematics.update(forest, q, Some(v), None);
        let center = centroidal::center_of_mass(forest, &self.kinematics);
        rnea::inverse_dynamics(forest, q, v, a, None, &mut self.rnea, &mut self.tau);
        let wanted = self.root_wrench(figure, center);
        let is_measured = measured.is_some();
        let pushes = measured.unwrap_or_else(|| self.split(wanted, center, points));
        self.torques(figure, (q, v, a), &pushes);
        let given = pushes.iter().fold(Force::default(), |sum, p| {
            sum + Force::new(p.moment + (p.at - center).cross(p.force), p.force)
        });
        Frame { center, wanted, missing: wanted - given, pushes, is_measured }
    }

    /// The best forces at the points that touch.
    fn split(&mut self, wanted: Force, center: Vec3, points: &[(LinkHandle, Point)]) -> Vec<Push> {
        let bare: Vec<Point> = points.iter().map(|(_, p)| *p).collect();
        self.splitter.split(wanted, center, &bare, self.units, &mut self.forces);
        let push = |((link, p), f): (&(LinkHandle, Point), &Vec3)| Push {
            link: *link,
            at: p.at,
            force: *f,
            moment: Vec3::ZERO,
        };
        points.iter().zip(&self.forces).map(push).collect()
    }

    /// What the root's joint would have to give, about the centre of mass, world axes.
    fn root_wrench(&self, figure: &Figure, center: Vec3) -> Force {
        let forest = figure.forest();
        let iv = forest.joint_place(self.root).iv;
        let link = figure.joint(self.root).map(|j| j.child()).expect("a joint of this figure");
        let body = forest.link_place(link).body;
        let pose = self.kinematics.body_pose(body);
        let of =
            |k: usize| pose.rotation.mul(vec3(self.tau[iv + k], self.tau[iv + k + 1], self.tau[iv + k + 2]));
        let (moment, force) = (of(0), of(3));
        Force::new(moment + (pose.translation - center).cross(force), force)
    }

    fn torques(&mut self, figure: &Figure, (q, v, a): (&[f64], &[f64], &[f64]), pushes: &[Push]) {
        let forest = figure.forest();
        self.external.fill(Force::default());
        for push in pushes {
            let body = forest.link_place(push.link).body;
            let arm = push.at - self.kinematics.body_pose(body).translation;
            self.external[body.index()] += Force::new(push.moment + arm.cross(push.force), push.force);
        }
        rnea::inverse_dynamics(forest, q, v, a, Some(&self.external), &mut self.rnea, &mut self.tau);
        self.passive.fill(0.0);
        forest.add_passive_forces(q, v, &mut self.passive);
        self.tau.iter_mut().zip(&self.passive).for_each(|(t, p)| *t -= p);
    }
}
