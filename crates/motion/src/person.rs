//! A figure for the skeleton of a recording, with human masses and soles, and the recording as its motion.
//!
//! | module | content |
//! |---|---|
//! | `bone_map` | bones that become links; repairs of the skeleton |
//! | `measure` | mean geometry over the frames |
//! | `limb_joint` | joint types: ball, channels of the file, or optional hinges of knees and elbows |
//! | `sole` | soles of the feet |
//! | `mass_model` | masses, inertias and shapes |
//!
//! Every moving bone of the body becomes a link with its own axes and a ball joint, or a joint with the file's channels,
//! so that the motion equals the recording up to rounding. Fingers and toes are fixed to hands and feet. Source of the
//! masses: [dL1996 Table 4].

mod bone_map;
mod limb_joint;
mod mass_model;
mod measure;
mod sole;

use crate::anatomy::{self, Anatomy, Part, Side};
use crate::anthropometry::{self, Sex};
use crate::assumption::{Assumption, SOLE_UNCERTAINTY};
use crate::clip::Clip;
use crate::error::Error;
use crate::note::Note;
use crate::recording::Recording;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec};
use anthropi_dynamics::spatial::{Transform, Vec3};
use bone_map::BoneMap;
use mass_model::MassModel;
use measure::Measures;
use sole::Sole;
use std::sync::Arc;

/// Human statures, m.
const STATURES: std::ops::RangeInclusive<f64> = 0.4..=2.8;
/// Human masses, kg.
const MASSES: std::ops::RangeInclusive<f64> = 1.0..=700.0;
/// Variation of a bone length above which it is reported, m.
const MAX_STRETCH: f64 = 5e-3;
/// Half the largest difference of the soles' depths, m, and how much the heights of standing feet may scatter, m: on stairs
/// they say nothing of the soles.
const MAX_SOLE_DIFFERENCE: f64 = 0.03;
const MAX_SOLE_WANDER: f64 = 0.03;

/// Properties of the person.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// m; default: estimated from leg length
    pub stature: Option<f64>,
    /// kg; default: from anthropometric tables
    pub mass: Option<f64>,
    /// sex, for the tables
    pub sex: Sex,
    /// body parts of bones that recognition gets wrong
    pub parts: Vec<(String, Part)>,
    /// do not restore a thorax lost in a conversion
    pub keep_lost_thorax: bool,
    /// model the toes as links
    pub toes: bool,
    /// model knees and elbows as hinges; other rotations of the recording are lost
    pub hinges: bool,
}

/// A person built for a recording.
#[derive(Clone, Debug)]
pub struct Person {
    /// the figure; its home pose is the recording's rest pose
    pub figure: Arc<Figure>,
    /// m
    pub stature: f64,
    /// kg
    pub mass: f64,
    /// body parts of the recording's bones
    pub anatomy: Anatomy,
    /// human-readable notes
    pub notes: Vec<Note>,
    map: BoneMap,
}

impl Person {
    /// Builds a figure for the skeleton of a recording.
    ///
    /// # Errors
    /// No frame; a skeleton without recognisable pelvis and legs; a stature or mass no person has.
    pub fn from_recording(recording: &Recording, options: &Options) -> Result<Person, Error> {
        if recording.frames() == 0 {
            let expected = "at least one is needed to measure a figure";
            return Err(Error::TooShort { clip: recording.name.clone(), frames: 0, expected });
        }
        let anatomy = anatomy::from_recording(recording, &options.parts)?;
        let mut notes = anatomy.notes.clone();
        let mut map = BoneMap::new(recording, &anatomy, options, &mut notes)?;
        let mut measures = Measures::from_recording(recording, &map);
        map.restrict_joints(recording, &measures, &mut notes);
        if options.hinges {
            map.fit_hinges(&measures, &mut notes);
        }
        notes.push(sole_note());
        let stature = stature(recording, &map, &measures, options, &mut notes)?;
        let mass = mass(stature, options, &mut notes)?;
        let soles = soles(&map, &mut measures, &anatomy, stature);
        let model = MassModel { map: &map, measures: &measures, soles, stature, mass, sex: options.sex };
        let figure = build(recording, &model, &mut notes)?;
        map.find_coordinates(&figure)?;
        Ok(Person { figure: Arc::new(figure), stature, mass, anatomy, notes, map })
    }

    /// The recording as a motion of the figure.
    ///
    /// # Errors
    /// A recording with another skeleton or with numbers that are not finite.
    pub fn clip(&self, recording: &Recording) -> Result<Clip, Error> {
        let bones = recording.skeleton.bones.len();
        if bones != self.map.owner.len() {
            let what = format!("it has {bones} bones; the person was built for {}", self.map.owner.len());
            return Err(Error::unsuitable(&recording.name, what));
        }
        let nq = self.figure.forest().nq();
        let mut q = vec![0.0; recording.frames() * nq];
        let (mut poses, mut turns) = (Vec::new(), Vec::new());
        let mut pose = vec![0.0; nq];
        for (frame, q) in q.chunks_exact_mut(nq).enumerate() {
            self.map.world(recording, frame, &mut poses);
            self.map.pose(&poses, &mut turns, &mut pose);
            q.copy_from_slice(&pose);
        }
        Clip::new(recording.name.clone(), self.figure.clone(), recording.dt, q)
    }
}

/// Motion files hold no soles.
fn sole_note() -> Note {
    let text = format!(
        "soles are estimated from the feet of the skeleton; their edges are uncertain by {:.0} cm",
        100.0 * SOLE_UNCERTAINTY
    );
    Note::from(text).assuming(Assumption::Soles)
}

fn stature(
    recording: &Recording,
    map: &BoneMap,
    measures: &Measures,
    options: &Options,
    notes: &mut Vec<Note>,
) -> Result<f64, Error> {
    let (stature, how, expected) = match options.stature {
        Some(stature) => (stature, "as given".to_string(), "0.4 to 2.8 m, such as 1.7"),
        None => {
            const NO_LEG: &str =
                "no leg of hip, knee and ankle was found to estimate the stature from; give the stature";
            let leg = measures.leg(map).ok_or_else(|| Error::unsuitable(&recording.name, NO_LEG))?;
            let how = format!(
                "estimated from the hip-to-ankle length, {leg:.3} m, as {} of stature",
                anthropometry::LEG
            );
            const UNIT: &str =
                "0.4 to 2.8 m: check the unit of length (`unit`) or give the stature (`height`)";
            (leg / anthropometry::LEG, how, UNIT)
        }
    };
    if !STATURES.contains(&stature) {
        let what = format!("stature of `{}` ({how})", recording.name);
        return Err(Error::OutOfRange { what, value: (1e3 * stature).round() / 1e3, expected });
    }
    let note = Note::from(format!("stature {stature:.3} m, {how}"));
    notes.push(match options.stature {
        Some(_) => note,
        None => note.assuming(Assumption::Stature),
    });
    Ok(stature)
}

fn mass(stature: f64, options: &Options, notes: &mut Vec<Note>) -> Result<f64, Error> {
    let mass = options.mass.unwrap_or_else(|| anthropometry::mass(stature, options.sex));
    let index = mass / (stature * stature);
    let how = match options.mass {
        None => format!("estimated from the mean of the anthropometric tables, {index:.1} kg/m^2"),
        Some(value) if !MASSES.contains(&value) => {
            let what = "mass of a person".into();
            return Err(Error::OutOfRange { what, value, expected: "1 to 700 kg" });
        }
        Some(_) => "as given".to_string(),
    };
    let assumption = if options.mass.is_some() { Assumption::MassDistribution } else { Assumption::Mass };
    notes.push(Note::from(format!("mass {mass:.1} kg, {how}")).assuming(assumption));
    Ok(mass)
}

/// Soles of the left and right foot; levels the feet in the home pose. On level ground both soles are at the same height
/// while they stand: what captured ankles differ by is a difference of the soles.
fn soles(map: &BoneMap, measures: &mut Measures, anatomy: &Anatomy, stature: f64) -> [Option<Sole>; 2] {
    let foot = |side: Side| map.find(Part::Foot(side)).map(|foot| &map.limbs[foot]);
    let mut soles = Side::BOTH.map(|side| {
        let sole = Sole::new(map, measures, anatomy, foot(side)?, stature);
        Some((sole, sole.standing_height(measures, anatomy, map, foot(side)?)))
    });
    if let [Some((left, Some((at_left, wanders)))), Some((right, Some((at_right, wanders_too))))] = &mut soles
    {
        let higher = 0.5 * (*at_left - *at_right);
        if higher.abs() < MAX_SOLE_DIFFERENCE && wanders.max(*wanders_too) < MAX_SOLE_WANDER {
            (*left, *right) = (left.lowered(higher), right.lowered(-higher));
        }
    }
    for (side, sole) in Side::BOTH.into_iter().zip(&soles) {
        foot(side).zip(sole.as_ref()).into_iter().for_each(|(foot, (sole, _))| measures.level(foot, sole.up));
    }
    soles.map(|sole| sole.map(|(sole, _)| sole))
}

/// Builds the figure from links and joints.
fn build(recording: &Recording, model: &MassModel, notes: &mut Vec<Note>) -> Result<Figure, Error> {
    let (map, measures) = (model.map, model.measures);
    let mut links = model.links();
    let floor = floor(map, measures, &links);
    let mut b = FigureBuilder::new(recording.name.clone());
    b.stature(model.stature)?;
    let mut handles = Vec::new();
    for (i, limb) in map.limbs.iter().enumerate() {
        let turn = measures.home(limb).orientation();
        let joint = match limb.parent {
            None => {
                let mut joint = JointSpec::new(limb.joint.clone(), JointKind::Free);
                let (at, [w, x, y, z]) = (measures.home(limb).translation, turn.normalized().0);
                joint.home = Some([at.x, at.y, at.z - floor, w, x, y, z]);
                joint
            }
            Some(p) => {
                let (offset, stretch) = measures.offset(&map.limbs[p], limb);
                if stretch > MAX_STRETCH {
                    notes.push(format!(
                        "{} moves against {} by up to {:.0} mm in the recording; its mean position is used",
                        limb.name,
                        map.limbs[p].name,
                        1e3 * stretch
                    ).into());
                }
                let relative = measures.home(&map.limbs[p]).orientation().inverse().then(turn);
                let mut home = [0.0; 7];
                match limb.model.is_ball() {
                    true => home[..4].copy_from_slice(&relative.normalized().0),
                    false => limb.model.coordinates(relative, &mut home),
                }
                let joint = JointSpec::new(limb.joint.clone(), limb.model.kind);
                let mut joint = joint.on(handles[p], Transform::new(offset, limb.model.reference));
                joint.home = Some(home);
                joint
            }
        };
        handles.push(b.add(std::mem::take(&mut links[i]), joint)?);
    }
    Ok(b.build()?)
}

/// Lowest point of all shapes in the home pose.
fn floor(map: &BoneMap, measures: &Measures, links: &[LinkSpec]) -> f64 {
    let up = Vec3 { x: 0.0, y: 0.0, z: 1.0 };
    let shapes = map.limbs.iter().zip(links).flat_map(|(limb, link)| {
        link.shapes.iter().map(|s| s.shape.extent(&(measures.home(limb) * s.link_from_shape), up).0)
    });
    shapes.fold(f64::INFINITY, f64::min)
}
