//! A motion of a name or file on the requested figure: a person built for the skeleton of the recording, or another
//! figure by retargeting.

mod capsule_figure;
mod write_back;

pub use write_back::write_back;

use crate::builtin;
use crate::resolve::{self, ItemKind};
use crate::svg::{self, Frame};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::Figure;
use anthropi_formats::file;
use anthropi_formats::motion::{self, Motion, Options};
use anthropi_formats::{Error, Loaded, Warning, anatomy as anatomy_file, osim};
use anthropi_motion::anatomy::{self, Anatomy, Part, Side};
use anthropi_motion::anthropometry::Sex;
use anthropi_motion::clip::Pace;
use anthropi_motion::contact_points::{self, Site};
use anthropi_motion::contact_schedule::{self, ContactSchedule};
use anthropi_motion::note::Note;
use anthropi_motion::person::{self, Person};
use anthropi_motion::recording::Recording;
use anthropi_motion::retarget::{self, ContactHold, Retargeted, Scale};
use anthropi_motion::table::Table;
use anthropi_motion::{Clip, Trajectory, cutoff};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Beginning of the warning that explains why the figure is not a person.
pub(crate) const CAPSULE_FIGURE: &str = "a figure of capsules is built for the skeleton";

/// Joints at their limits that a note names.
const LIMITS: usize = 5;

/// The subject of a motion. Absent values are estimated from the motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubjectOptions {
    /// figure to retarget to: a file or the name of a built-in figure
    pub figure: Option<String>,
    /// stature, m
    pub height: Option<f64>,
    /// mass, kg
    pub mass: Option<f64>,
    /// sex, for body proportions
    pub sex: Sex,
    /// TOML file that assigns bones or links to body parts
    pub parts: Option<PathBuf>,
    /// keeps a skeleton without the thorax bone that a converter lost
    pub keep_lost_thorax: bool,
    /// gives the toes a joint
    pub toes: bool,
    /// makes knees and elbows hinges
    pub hinges: bool,
}

/// A motion of a figure, with the notes of its readers.
#[derive(Clone, Debug)]
pub struct LoadedMotion {
    /// the motion
    pub clip: Clip,
    /// notes and warnings
    pub notes: Vec<Note>,
    /// links assigned to body parts by the user
    pub parts: Vec<(String, Part)>,
    /// the recording, if the figure was built for its skeleton
    pub recording: Option<Recording>,
    /// warnings about figure files, by file name
    pub warnings: Vec<(String, Vec<Warning>)>,
}

impl From<Clip> for LoadedMotion {
    fn from(clip: Clip) -> LoadedMotion {
        LoadedMotion { clip, notes: Vec::new(), parts: Vec::new(), recording: None, warnings: Vec::new() }
    }
}

/// The motion of a name or file on the requested figure.
///
/// # Errors
/// As [`resolve::motion`] and [`on_subject`].
pub fn load(name: &str, options: &Options, subject: &SubjectOptions) -> Result<LoadedMotion, Error> {
    on_subject(resolve::motion(name, options)?, name, subject)
}

/// Refuses reader options that do not apply to files of this extension.
///
/// # Errors
/// The first of them.
pub fn refuse_options(options: &Options, name: &str) -> Result<(), Error> {
    let ending =
        Path::new(name).extension().map_or_else(String::new, |e| e.to_string_lossy().to_ascii_lowercase());
    let given: [(&str, bool, &[&str]); 5] = [
        ("unit", options.unit.is_some(), &["bvh", "amc", "asf"]),
        ("up", options.up.is_some(), &["bvh", "amc", "asf", "c3d", "trc"]),
        ("keep_first_frame", options.keep_first_frame, &["bvh"]),
        ("asf", options.skeleton.is_some(), &["amc"]),
        ("fps", options.rate.is_some(), &["amc"]),
    ];
    for (option, is_given, endings) in given {
        if is_given && !endings.contains(&ending.as_str()) {
            let all: Vec<String> = endings.iter().map(|e| format!(".{e}")).collect();
            return Err(Error::InapplicableOption { option, endings: all.join(", "), file: name.into() });
        }
    }
    Ok(())
}

/// A motion on the requested figure; `name` is its name for messages.
///
/// # Errors
/// Markers without a skeleton, coordinates without their model, a figure that cannot perform the motion.
pub fn on_subject(motion: Motion, name: &str, subject: &SubjectOptions) -> Result<LoadedMotion, Error> {
    let mut notes = motion.notes().to_vec();
    let mut parts = parts(subject)?;
    let mut source = None;
    let clip = match motion {
        Motion::Recording(recording) => {
            let clip = from_recording(&recording, subject, &mut parts, &mut notes)?;
            source = Some(recording);
            clip
        }
        Motion::Clip(clip) => resized(clip, subject)?,
        Motion::Table(table) => return from_table(&table, name, subject, notes, parts),
        Motion::Markers(_) => return Err(Error::NoSkeleton { file: name.into() }),
    };
    match &subject.figure {
        Some(figure) => retargeted(&clip, figure, subject, notes, parts),
        None => Ok(LoadedMotion { notes, parts, recording: source, ..clip.into() }),
    }
}

/// Links assigned to body parts by the user's file.
///
/// # Errors
/// As [`anatomy_file::read`].
pub fn parts(subject: &SubjectOptions) -> Result<Vec<(String, Part)>, Error> {
    let Some(path) = &subject.parts else { return Ok(Vec::new()) };
    anatomy_file::read(&file::text(path)?, &path.display().to_string())
}

/// A figure in its home pose.
///
/// # Errors
/// As [`Clip::new`].
pub fn standing(name: &str, figure: Figure, duration: f64, rate: f64) -> Result<Clip, Error> {
    let frames = (duration * rate).round() as usize + 1;
    let q = figure.forest().home().repeat(frames);
    Ok(Clip::new(name, Arc::new(figure), 1.0 / rate, q)?)
}

/// Scales the clip to the requested stature and mass, unless they belong to a figure to retarget to.
fn resized(clip: Clip, subject: &SubjectOptions) -> Result<Clip, Error> {
    match (subject.height, subject.mass) {
        (height, mass) if subject.figure.is_none() && (height.is_some() || mass.is_some()) => {
            Ok(clip.with_stature_and_mass(height, mass, Pace::Same)?)
        }
        _ => Ok(clip),
    }
}

/// The motion of a figure built for the skeleton: a person, else a figure of capsules. Clears body parts assigned to
/// bones, as the links of a person have other names.
fn from_recording(
    recording: &Recording,
    subject: &SubjectOptions,
    parts: &mut Vec<(String, Part)>,
    notes: &mut Vec<Note>,
) -> Result<Clip, Error> {
    let is_own_figure = subject.figure.is_none();
    let options = person::Options {
        stature: subject.height.filter(|_| is_own_figure),
        mass: subject.mass.filter(|_| is_own_figure),
        sex: subject.sex,
        // when retargeting, the parts belong to the other figure
        parts: if is_own_figure { parts.clone() } else { Vec::new() },
        keep_lost_thorax: subject.keep_lost_thorax,
        toes: subject.toes,
        hinges: subject.hinges,
    };
    match Person::from_recording(recording, &options) {
        Ok(found) => {
            notes.extend_from_slice(&found.notes);
            if is_own_figure {
                parts.clear();
            }
            Ok(found.clip(recording)?)
        }
        // a skeleton that is not human still moves
        Err(anthropi_motion::Error::Unsuitable { what, .. }) => {
            notes.push(format!("{CAPSULE_FIGURE}: {what}").into());
            capsule_figure::clip_from_recording(recording)
        }
        Err(other) => Err(other.into()),
    }
}

/// A table of coordinates of an OpenSim model.
fn from_table(
    table: &Table,
    name: &str,
    subject: &SubjectOptions,
    mut notes: Vec<Note>,
    parts: Vec<(String, Part)>,
) -> Result<LoadedMotion, Error> {
    let model = subject.figure.as_deref().filter(|f| f.to_ascii_lowercase().ends_with(".osim"));
    let Some(file) = model else {
        return Err(Error::NoModel { file: name.into() });
    };
    let model = osim::read_model(&file::text(Path::new(file))?, file)?;
    let (clip, found) = osim::clip(&model, table)?;
    notes.extend(found);
    let clip = match (subject.height, subject.mass) {
        (None, None) => clip,
        (height, mass) => clip.with_stature_and_mass(height, mass, Pace::Same)?,
    };
    Ok(LoadedMotion { notes, parts, warnings: vec![(file.into(), model.warnings)], ..clip.into() })
}

/// The motion retargeted to another figure. Built-in people get the stature of the subject, unless one is given.
fn retargeted(
    clip: &Clip,
    name: &str,
    subject: &SubjectOptions,
    mut notes: Vec<Note>,
    parts: Vec<(String, Part)>,
) -> Result<LoadedMotion, Error> {
    let Loaded { figure, warnings } = floating_figure(name)?;
    let is_person = builtin::find(ItemKind::Figure, name).is_some();
    let height = subject.height.or(clip.figure().stature.filter(|_| is_person));
    let target = Arc::new(scaled(figure, height, subject.mass)?);
    let scale = if is_person && subject.height.is_none() { Scale::Keep } else { Scale::ToFigure };
    let result = onto(clip, target, scale, &parts)?;
    for note in notes.iter_mut() {
        // the figure is given
        note.assumption = note.assumption.filter(|a| !a.is_about_body());
    }
    notes.push(retarget_note(&result.report, name).into());
    notes.extend(result.report.notes);
    Ok(LoadedMotion { notes, parts, warnings: vec![(name.into(), warnings)], ..result.clip.into() })
}

/// A figure by name or file, with a floating base.
///
/// # Errors
/// As [`resolve::figure`] and [`Figure::with_free_base`].
pub fn floating_figure(name: &str) -> Result<Loaded, Error> {
    let Loaded { figure, warnings } = resolve::figure(name)?;
    let is_free = figure.joints().any(|(_, j)| j.kind == JointKind::Free);
    Ok(Loaded { figure: if is_free { figure } else { figure.with_free_base()? }, warnings })
}

/// Scales a figure to the given stature and mass.
///
/// # Errors
/// As [`Figure::scaled`].
pub fn scaled(figure: Figure, height: Option<f64>, mass: Option<f64>) -> Result<Figure, Error> {
    match (height, mass) {
        (None, None) => Ok(figure),
        (height, mass) => Ok(figure.scaled(height, mass)?),
    }
}

/// The motion retargeted to a figure, flat feet held in place.
fn onto(
    clip: &Clip,
    target: Arc<Figure>,
    scale: Scale,
    parts: &[(String, Part)],
) -> Result<Retargeted, Error> {
    let (from, to) = (anatomy::from_figure(clip.figure(), &[])?, anatomy::from_figure(&target, parts)?);
    let options = retarget::Options { scale, ..retarget::Options::default() };
    Ok(retarget::retarget(clip, &from, target, &to, &stances(clip, &from), &options)?)
}

/// `other` on the figure of `clip`: pose by pose if both figures have the same joints, as people built for one kind of
/// skeleton have, else retargeted.
///
/// # Errors
/// As [`retarget::retarget`].
pub fn retarget_like(other: &Clip, clip: &Clip) -> Result<Clip, Error> {
    let target = clip.figure().clone();
    let joints = |figure: &Figure| figure.joints().map(|(_, j)| (j.name.clone(), j.kind)).collect::<Vec<_>>();
    if joints(&target) == joints(other.figure()) {
        let same = Clip::new(other.name.clone(), target, other.dt(), other.poses().to_vec())?;
        return Ok(same.starting_at(other.start()));
    }
    Ok(onto(other, target, Scale::ToFigure, &[])?.clip)
}

/// Intervals of flat feet. A rolling foot is not held.
fn stances(clip: &Clip, anatomy: &Anatomy) -> Vec<ContactHold> {
    let Ok(places) = contact_points::find(clip.figure(), anatomy) else { return Vec::new() };
    let schedule =
        ContactSchedule::from_trajectory(&Trajectory::from_clip(clip, Some(cutoff::FAST)), places, None);
    let of = |site: Site| schedule.points.iter().position(|p| p.site == site);
    let mut stances = Vec::new();
    for side in Side::BOTH {
        let (Some(heel), Some(toe)) = (of(Site::Heel(side)), of(Site::Toe(side))) else { continue };
        let is_flat = |f: usize| schedule.is_on(heel, f) && schedule.is_on(toe, f);
        for flat in contact_schedule::intervals(&(0..schedule.frames()).map(is_flat).collect::<Vec<_>>()) {
            stances.push(ContactHold { part: Part::Foot(side), point: None, from: flat.start, to: flat.end });
        }
    }
    stances
}

fn retarget_note(report: &retarget::Report, name: &str) -> String {
    let worst = report.ends.iter().max_by(|a, b| a.max.total_cmp(&b.max));
    let worst =
        worst.map_or(String::new(), |e| format!("; {} is off by up to {:.1} cm", e.part, 100.0 * e.max));
    let at_limit = |l: &retarget::LimitUse| format!("{} ({:.0} % of the frames)", l.dof, 100.0 * l.frames);
    let limits: Vec<String> = report.limits.iter().take(LIMITS).map(at_limit).collect();
    let more = match report.limits.len().saturating_sub(LIMITS) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let limits = if limits.is_empty() {
        limits.concat()
    } else {
        format!("; at their limits: {}{more}", limits.join(", "))
    };
    format!("retargeted to {name}: lengths are {:.3} times those of the source{worst}{limits}", report.ratio)
}

/// Writes a motion in the format of the file extension: a motion, a picture (.svg), or only the figure in a figure format.
/// Returns what the format cannot hold.
///
/// # Errors
/// As [`motion::save_clip`] and [`resolve::save_figure`].
pub fn save(clip: &Clip, output: &Path) -> Result<Vec<Warning>, Error> {
    if file::has_extension(output, &["svg"]) {
        file::replace(output, strip(clip).as_bytes())?;
        return Ok(Vec::new());
    }
    if !file::has_extension(output, &["toml", "urdf", "xml", "mjcf"]) {
        return motion::save_clip(output, clip);
    }
    let mut warnings = resolve::save_figure(output, clip.figure())?;
    warnings.push(Warning::new("only the figure is written, not the motion"));
    Ok(warnings)
}

/// A picture (SVG) of poses from the first frame to the last.
pub fn strip(clip: &Clip) -> String {
    const POSES: usize = 9;
    let last = clip.frames() - 1;
    let frames: Vec<usize> =
        (0..POSES.min(last + 1)).map(|k| k * last / (POSES - 1).min(last).max(1)).collect();
    let figure = clip.figure();
    let roots = figure.joints().filter(|(_, j)| j.kind == JointKind::Free);
    let root = roots.map(|(handle, _)| figure.forest().joint_place(handle).iq).next();
    let pose = |f: &usize| {
        let mut q = clip.pose(*f).to_vec();
        // poses side by side, without the path
        if let Some(root) = root {
            q[root..root + 2].fill(0.0);
        }
        Frame { q, label: format!("{:.2} s", clip.time(*f)) }
    };
    svg::strip(figure, &frames.iter().map(pose).collect::<Vec<_>>())
}
