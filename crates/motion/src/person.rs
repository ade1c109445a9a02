//! A figure for the skeleton of a recording, with the masses and soles of a person, and the recording as its motion.
//!
//! | part | what it does |
//! |---|---|
//! | `plan` | which bones become links, and what is mended in the skeleton |
//! | `measure` | mean geometry over the frames |
//! | `freedom` | how limbs may turn: as balls, or as the channels of the file say |
//! | `hinge` | knees and elbows as hinges, where asked |
//! | `sole` | where the soles of the feet are |
//! | `flesh` | masses, inertias and shapes |
//!
//! Every bone that moves as part of the body becomes a link with its own axes and a ball joint, or one that turns as the
//! file's channels do, so that the motion is that of the recording to rounding. Fingers and toes are held to hands and feet. Source of the masses: [dL1996 Table 4].

mod flesh;
mod freedom;
mod hinge;
mod measure;
mod plan;
mod sole;

use crate::anatomy::{self, Anatomy, Part, Side};
use crate::anthropometry::{self, Sex};
use crate::clip::Clip;
use crate::error::Error;
use crate::recording::Recording;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec};
use anthropi_dynamics::spatial::{Quat, Transform, Vec3};
use flesh::Body;
use measure::Measures;
use plan::Plan;
use sole::Sole;
use std::sync::Arc;

/// Statures that people have, m.
const STATURES: std::ops::RangeInclusive<f64> = 0.4..=2.8;
/// Masses of people: from an early child to the heaviest, kg.
const MASSES: std::ops::RangeInclusive<f64> = 1.0..=700.0;
/// A bone whose length changes by more than this is told, m.
const STRETCH: f64 = 5e-3;

/// What is known of the person.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// m; else from the length of the legs
    pub stature: Option<f64>,
    /// kg; else as slim as the people of the tables
    pub mass: Option<f64>,
    /// whose tables
    pub sex: Sex,
    /// names of bones and what they are, where recognition is wrong
    pub parts: Vec<(String, Part)>,
    /// a thorax that a converter lost stays lost
    pub keep_lost_thorax: bool,
    /// toes move against the feet
    pub toes: bool,
    /// knees and elbows are hinges about the axes they turn about most; what the recording turns beyond is lost
    pub hinges: bool,
}

/// A person found in a recording.
#[derive(Clone, Debug)]
pub struct Person {
    /// the figure, standing as the recording's rest pose
    pub figure: Arc<Figure>,
    /// m
    pub stature: f64,
    /// kg
    pub mass: f64,
    /// which bone of the recording is which part of the body
    pub anatomy: Anatomy,
    /// what was found and decided, a sentence each
    pub notes: Vec<String>,
    plan: Plan,
}

impl Person {
    /// Builds a figure for the skeleton of a recording.
    ///
    /// # Errors
    /// No frame; a skeleton without recognisable pelvis and legs; a stature or mass no person has.
    pub fn of(recording: &Recording, options: &Options) -> Result<Person, Error> {
        if recording.frames() == 0 {
            let expected = "a figure is measured from at least one";
            return Err(Error::TooShort { clip: recording.name.clone(), frames: 0, expected });
        }
        let anatomy = anatomy::of_recording(recording, &options.parts)?;
        let mut notes = anatomy.notes.clone();
        let mut plan = Plan::of(recording, &anatomy, options, &mut notes)?;
        let mut measures = Measures::of(recording, &plan);
        plan.find_freedoms(recording, &measures, &mut notes);
        if options.hinges {
            plan.find_hinges(&measures, &mut notes);
        }
        let stature = stature(recording, &plan, &measures, options, &mut notes)?;
        let mass = mass(stature, options, &mut notes)?;
        let soles = soles(&plan, &mut measures, &anatomy, stature);
        let body = Body { plan: &plan, measures: &measures, soles, stature, mass, sex: options.sex };
        let figure = build(recording, &body, &mut notes)?;
        plan.find_coordinates(&figure)?;
        Ok(Person { figure: Arc::new(figure), stature, mass, anatomy, notes, plan })
    }

    /// The recording as motion of the figure.
    ///
    /// # Errors
    /// A recording with another skeleton or with numbers that are not finite.
    pub fn clip(&self, recording: &Recording) -> Result<Clip, Error> {
        let bones = recording.skeleton.bones.len();
        if bones != self.plan.owner.len() {
            let what = format!("it has {bones} bones; the person was made for {}", self.plan.owner.len());
            return Err(Error::Unsuitable { subject: recording.name.clone(), what });
        }
        let nq = self.figure.forest().nq();
        let mut q = vec![0.0; recording.frames() * nq];
        let (mut places, mut turns) = (Vec::new(), Vec::new());
        let mut pose = vec![0.0; nq];
        for (frame, q) in q.chunks_exact_mut(nq).enumerate() {
            self.plan.world(recording, frame, &mut places);
            self.plan.pose(&places, &mut turns, &mut pose);
            q.copy_from_slice(&pose);
        }
        Clip::new(recording.name.clone(), self.figure.clone(), recording.dt, q)
    }
}

fn stature(
    recording: &Recording,
    plan: &Plan,
    measures: &Measures,
    options: &Options,
    notes: &mut Vec<String>,
) -> Result<f64, Error> {
    let (stature, how, expected) = match options.stature {
        Some(stature) => (stature, "as asked".to_string(), "0.4 to 2.8 m, such as 1.7"),
        None => {
            let leg = measures.leg(plan).ok_or_else(|| Error::Unsuitable {
                subject: recording.name.clone(),
                what: "no leg of hip, knee and ankle was found to guess a stature from; give it".into(),
            })?;
            let how = format!(
                "guessed from hip to ankle, {leg:.3} m, which is {} of people's stature",
                anthropometry::LEG
            );
            const UNIT: &str =
                "0.4 to 2.8 m: the unit of length (`unit`) or the stature (`height`) must be another";
            (leg / anthropometry::LEG, how, UNIT)
        }
    };
    if !STATURES.contains(&stature) {
        let what = format!("stature of `{}` ({how})", recording.name);
        return Err(Error::OutOfRange { what, value: (1e3 * stature).round() / 1e3, expected });
    }
    notes.push(format!("stature {stature:.3} m, {how}"));
    Ok(stature)
}

fn mass(stature: f64, options: &Options, notes: &mut Vec<String>) -> Result<f64, Error> {
    let Some(mass) = options.mass else {
        let mass = anthropometry::mass(stature, options.sex);
        let index = mass / (stature * stature);
        notes.push(format!(
            "mass {mass:.1} kg, guessed: {index:.1} kg/m^2, the mean of the people of the tables"
        ));
        return Ok(mass);
    };
    if !MASSES.contains(&mass) {
        return Err(Error::OutOfRange {
            what: "mass of a person".into(),
            value: mass,
            expected: "1 to 700 kg",
        });
    }
    notes.push(format!("mass {mass:.1} kg, as asked"));
    Ok(mass)
}

/// Soles of the feet, left and right; the feet are set level in the home pose.
fn soles(plan: &Plan, measures: &mut Measures, anatomy: &Anatomy, stature: f64) -> [Option<Sole>; 2] {
    Side::BOTH.map(|side| {
        let foot = &plan.limbs[plan.find(Part::Foot(side))?];
        let sole = Sole::of(plan, measures, anatomy, foot, stature);
        measures.level(foot, sole.up);
        Some(sole)
    })
}

/// Links with their masses and shapes, hung on each other as the plan says.
fn build(recording: &Recording, body: &Body, notes: &mut Vec<String>) -> Result<Figure, Error> {
    let (plan, measures) = (body.plan, body.measures);
    let mut flesh = body.links();
    let floor = floor(plan, measures, &flesh);
    let mut b = FigureBuilder::new(recording.name.clone());
    b.stature(body.stature)?;
    let mut handles = Vec::new();
    for (i, limb) in plan.limbs.iter().enumerate() {
        let turn = measures.home(limb).orientation();
        let joint = match limb.parent {
            None => {
                let mut joint = JointSpec::new(limb.joint.clone(), JointKind::Free);
                let at = measures.home(limb).translation;
                joint.home = Some(home(Some(Vec3 { z: at.z - floor, ..at }), turn));
                joint
            }
            Some(p) => {
                let (offset, stretch) = measures.offset(&plan.limbs[p], limb);
                if stretch > STRETCH {
                    notes.push(format!(
                        "{} moves against {} by up to {:.0} mm in the recording; its mean place is taken",
                        limb.name,
                        plan.limbs[p].name,
                        1e3 * stretch
                    ));
                }
                let relative = measures.home(&plan.limbs[p]).orientation().inverse().then(turn);
                let home = if limb.freedom.is_ball() {
                    home(None, relative)
                } else {
                    let mut q = [0.0; 7];
                    limb.freedom.coordinates(relative, &mut q);
                    q
                };
                let joint = JointSpec::new(limb.joint.clone(), limb.freedom.kind);
                let mut joint = joint.on(handles[p], Transform::new(offset, limb.freedom.reference));
                joint.home = Some(home);
                joint
            }
        };
        handles.push(b.add(std::mem::take(&mut flesh[i]), joint)?);
    }
    Ok(b.build()?)
}

/// Lowest point of all shapes in the home pose.
fn floor(plan: &Plan, measures: &Measures, flesh: &[LinkSpec]) -> f64 {
    let up = Vec3 { x: 0.0, y: 0.0, z: 1.0 };
    let shapes = plan.limbs.iter().zip(flesh).flat_map(|(limb, link)| {
        link.shapes.iter().map(|s| s.shape.extent(&(measures.home(limb) * s.link_from_shape), up).0)
    });
    shapes.fold(f64::INFINITY, f64::min)
}

fn home(at: Option<Vec3>, turn: Quat) -> [f64; 7] {
    let [w, x, y, z] = turn.normalized().0;
    match at {
        Some(p) => [p.x, p.y, p.z, w, x, y, z],
        None => [w, x, y, z, 0.0, 0.0, 0.0],
    }
}
