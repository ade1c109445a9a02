//! The motion of a file on the figure that is asked for: a person made for its skeleton, or another figure.

mod bones;
mod own;

pub use own::recording_of;

use crate::error::{Error, Warning};
use crate::fields::Source;
use crate::motion::{self, Motion, Options};
use crate::svg::{self, Frame};
use crate::{Loaded, anatomy as anatomy_file, keyed, load, osim, shelf};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::Figure;
use anthropi_motion::anatomy::{self, Anatomy, Part, Side};
use anthropi_motion::anthropometry::Sex;
use anthropi_motion::clip::Pace;
use anthropi_motion::person::{self, Person};
use anthropi_motion::recording::Recording;
use anthropi_motion::retarget::{self, Retargeted, Scale, Stance};
use anthropi_motion::spots::{self, Spot};
use anthropi_motion::table::Table;
use anthropi_motion::touch::{self, Touches};
use anthropi_motion::{Clip, Trajectory, cutoff};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Beginning of the note that tells why a figure is no person.
pub const PLAIN: &str = "a figure of plain bones is made for the skeleton";

/// So many joints at their limits are told.
const LIMITS: usize = 5;

/// Who moves. What is not said is found out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Who {
    /// carries the motion over to this figure: a file or the name of a built-in one
    pub figure: Option<String>,
    /// stature of the person, m
    pub height: Option<f64>,
    /// mass of the person, kg
    pub mass: Option<f64>,
    /// whose body proportions
    pub sex: Sex,
    /// TOML file that says which bone or link is which part of the body
    pub parts: Option<PathBuf>,
    /// a thorax bone that a converter lost is not put back
    pub keep_lost_thorax: bool,
    /// toes move against the feet
    pub toes: bool,
    /// knees and elbows are hinges
    pub hinges: bool,
}

/// A motion of a figure, and what was found and decided on the way to it.
#[derive(Clone, Debug)]
pub struct Moving {
    /// the motion
    pub clip: Clip,
    /// a sentence each
    pub notes: Vec<String>,
    /// links and what they are, as the user says
    pub parts: Vec<(String, Part)>,
    /// what it was made from, where the figure was made for its skeleton
    pub own: Option<Recording>,
    /// what is doubtful about files of figures, by their names
    pub warnings: Vec<(String, Vec<Warning>)>,
}

/// The motion of a file or the built-in one of that name, on the figure that is asked for.
///
/// # Errors
/// What is no motion; what its reader says; a figure that cannot move so.
pub fn load(name: &str, options: &Options, who: &Who) -> Result<Moving, Error> {
    match read(name, options)? {
        Some(read) => of(read, name, who),
        None if Path::new(name).extension().is_some() => {
            Err(Error::UnknownFormat { file: name.into(), expected: motion::MOTIONS_IN })
        }
        None => {
            let all = shelf::names(shelf::MOTIONS).map(String::from).collect();
            Err(Error::Unknown { what: "built-in motion", name: name.into(), all })
        }
    }
}

/// The motion of a file or the built-in one of that name; `None` where the name is no motion's.
///
/// # Errors
/// What its reader says; options that files of this kind have no use for.
pub fn read(name: &str, options: &Options) -> Result<Option<Motion>, Error> {
    let path = Path::new(name);
    if let Some(clip) = keyed::built_in(name) {
        refuse_options(options, name)?;
        return Ok(Some(Motion::Clip(clip?)));
    }
    if [shelf::FIGURES, shelf::SCENES].into_iter().any(|shelf| shelf::find(shelf, name).is_some()) {
        return Ok(None);
    }
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
        let text = load::text(path)?;
        // what is no TOML is told so, whatever it was to be
        Source { file: name, text: &text }.parse(crate::figure::MAX_BYTES)?;
        return Ok(if keyed::is_keyed(&text) { Some(Motion::Clip(keyed::read(&text, name)?)) } else { None });
    }
    if !motion::is_motion(path) {
        return Ok(None);
    }
    refuse_options(options, name)?;
    Ok(Some(motion::read(path, options)?))
}

/// Says so when an option was given that files of this ending have no use for.
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
            let of: Vec<String> = endings.iter().map(|e| format!(".{e}")).collect();
            return Err(Error::UselessOption { option, endings: of.join(", "), file: name.into() });
        }
    }
    Ok(())
}

/// A motion that was read, on the figure that is asked for.
///
/// # Errors
/// Points without a skeleton, coordinates without their model, a figure that cannot move so.
pub fn of(read: Motion, name: &str, who: &Who) -> Result<Moving, Error> {
    let mut notes = read.notes().to_vec();
    let mut parts = parts(who)?;
    let mut own = None;
    let clip = match read {
        Motion::Recording(recording) => {
            let clip = of_recording(&recording, who, &mut parts, &mut notes)?;
            own = Some(recording);
            clip
        }
        Motion::Clip(clip) => resized(clip, who)?,
        Motion::Table(table) => return of_table(&table, name, who, notes, parts),
        Motion::Markers(_) => return Err(Error::NoSkeleton { file: name.into() }),
    };
    match &who.figure {
        Some(figure) => carried_over(&clip, figure, who, notes, parts),
        None => Ok(Moving { clip, notes, parts, own, warnings: Vec::new() }),
    }
}

/// Links and what they are, as the user says.
///
/// # Errors
/// What is wrong with the file.
pub fn parts(who: &Who) -> Result<Vec<(String, Part)>, Error> {
    let Some(path) = &who.parts else { return Ok(Vec::new()) };
    anatomy_file::read(&load::text(path)?, &path.display().to_string())
}

/// Stature and mass as asked; with another figure they are meant for that one.
fn resized(clip: Clip, who: &Who) -> Result<Clip, Error> {
    match (who.height, who.mass) {
        (height, mass) if who.figure.is_none() && (height.is_some() || mass.is_some()) => {
            Ok(clip.with_stature_and_mass(height, mass, Pace::Same)?)
        }
        _ => Ok(clip),
    }
}

/// A figure made for the skeleton; where it is no person's, one of plain bones. Parts told of bones are used up when
/// links get names of their own.
fn of_recording(
    recording: &Recording,
    who: &Who,
    parts: &mut Vec<(String, Part)>,
    notes: &mut Vec<String>,
) -> Result<Clip, Error> {
    let own = who.figure.is_none();
    let options = person::Options {
        stature: who.height.filter(|_| own),
        mass: who.mass.filter(|_| own),
        sex: who.sex,
        // with another figure, parts are told of that one
        parts: if own { parts.clone() } else { Vec::new() },
        keep_lost_thorax: who.keep_lost_thorax,
        toes: who.toes,
        hinges: who.hinges,
    };
    match Person::of(recording, &options) {
        Ok(found) => {
            notes.extend_from_slice(&found.notes);
            if own {
                parts.clear();
            }
            Ok(found.clip(recording)?)
        }
        // a skeleton that is no person's still moves
        Err(anthropi_motion::Error::Unsuitable { what, .. }) => {
            notes.push(format!("{PLAIN}: {what}"));
            bones::clip_of(recording)
        }
        Err(other) => Err(other.into()),
    }
}

/// A table of coordinates of a model.
fn of_table(
    table: &Table,
    name: &str,
    who: &Who,
    mut notes: Vec<String>,
    parts: Vec<(String, Part)>,
) -> Result<Moving, Error> {
    let model = who.figure.as_deref().filter(|f| f.to_ascii_lowercase().ends_with(".osim"));
    let Some(file) = model else {
        return Err(Error::NoModel { file: name.into() });
    };
    let model = osim::read_model(&load::text(Path::new(file))?, file)?;
    let (clip, found) = osim::clip(&model, table)?;
    notes.extend(found);
    let clip = match (who.height, who.mass) {
        (None, None) => clip,
        (height, mass) => clip.with_stature_and_mass(height, mass, Pace::Same)?,
    };
    Ok(Moving { clip, notes, parts, own: None, warnings: vec![(file.into(), model.warnings)] })
}

/// The motion on another figure. Built-in people take the stature of the one who moved, unless one is given.
fn carried_over(
    clip: &Clip,
    name: &str,
    who: &Who,
    mut notes: Vec<String>,
    parts: Vec<(String, Part)>,
) -> Result<Moving, Error> {
    let Loaded { figure, warnings } = free(name)?;
    let is_person = shelf::find(shelf::FIGURES, name).is_some();
    let height = who.height.or(clip.figure().stature.filter(|_| is_person));
    let target = Arc::new(scaled(figure, height, who.mass)?);
    let scale = if is_person && who.height.is_none() { Scale::Keep } else { Scale::ToFigure };
    let carried = onto(clip, target, scale, &parts)?;
    notes.push(told(&carried.report, name));
    notes.extend(carried.report.notes);
    Ok(Moving { clip: carried.clip, notes, parts, own: None, warnings: vec![(name.into(), warnings)] })
}

/// A figure by name or file, free to go about.
///
/// # Errors
/// As [`load::named`]; a figure that cannot be freed.
pub fn free(name: &str) -> Result<Loaded, Error> {
    let Loaded { figure, warnings } = load::named(name)?;
    let is_free = figure.joints().any(|(_, j)| j.kind == JointKind::Free);
    Ok(Loaded { figure: if is_free { figure } else { figure.with_free_base()? }, warnings })
}

/// A figure of another stature and mass, where they are given.
///
/// # Errors
/// A size that cannot be.
pub fn scaled(figure: Figure, height: Option<f64>, mass: Option<f64>) -> Result<Figure, Error> {
    match (height, mass) {
        (None, None) => Ok(figure),
        (height, mass) => Ok(figure.scaled(height, mass)?),
    }
}

/// The motion on a figure, feet that stand held.
fn onto(
    clip: &Clip,
    target: Arc<Figure>,
    scale: Scale,
    parts: &[(String, Part)],
) -> Result<Retargeted, Error> {
    let (from, to) = (anatomy::of_figure(clip.figure(), &[])?, anatomy::of_figure(&target, parts)?);
    let options = retarget::Options { scale, ..retarget::Options::default() };
    Ok(retarget::retarget(clip, &from, target, &to, &stances(clip, &from), &options)?)
}

/// A motion on the figure of another, to go with it: pose by pose where both have the same joints, as people made for
/// skeletons of one kind have, else carried over.
///
/// # Errors
/// Figures that do not go together.
pub fn like(other: &Clip, clip: &Clip) -> Result<Clip, Error> {
    let target = clip.figure().clone();
    let joints = |figure: &Figure| figure.joints().map(|(_, j)| (j.name.clone(), j.kind)).collect::<Vec<_>>();
    if joints(&target) == joints(other.figure()) {
        let same = Clip::new(other.name.clone(), target, other.dt(), other.poses().to_vec())?;
        return Ok(same.starting_at(other.start()));
    }
    Ok(onto(other, target, Scale::ToFigure, &[])?.clip)
}

/// Feet that stand flat in a motion: while a foot rolls, its own roll says where it is.
fn stances(clip: &Clip, anatomy: &Anatomy) -> Vec<Stance> {
    let Ok(places) = spots::of_figure(clip.figure(), anatomy) else { return Vec::new() };
    let touches = Touches::of(&Trajectory::of(clip, Some(cutoff::FAST)), places, None);
    let of = |spot: Spot| touches.places.iter().position(|p| p.spot == spot);
    let mut stances = Vec::new();
    for side in Side::BOTH {
        let (Some(heel), Some(toe)) = (of(Spot::Heel(side)), of(Spot::Toe(side))) else { continue };
        let is_flat = |f: usize| touches.is_on(heel, f) && touches.is_on(toe, f);
        for spell in touch::spells(&(0..touches.frames()).map(is_flat).collect::<Vec<_>>()) {
            stances.push(Stance { part: Part::Foot(side), point: None, from: spell.start, to: spell.end });
        }
    }
    stances
}

fn told(report: &retarget::Report, name: &str) -> String {
    let worst = report.ends.iter().max_by(|a, b| a.max.total_cmp(&b.max));
    let worst =
        worst.map_or(String::new(), |e| format!("; {} is off by up to {:.1} cm", e.part, 100.0 * e.max));
    let at_limit = |l: &retarget::Limit| format!("{} ({:.0} % of the frames)", l.dof, 100.0 * l.frames);
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
    format!(
        "carried over to {name}: lengths are {:.3} times those of the source{worst}{limits}",
        report.ratio
    )
}

/// Writes a motion of a figure by the ending of the file: motions, pictures (.svg), or with the ending of a figure only
/// that. Returns what was lost.
///
/// # Errors
/// As [`motion::save_clip`] and [`load::save`].
pub fn save(clip: &Clip, output: &Path) -> Result<Vec<Warning>, Error> {
    let is = |endings: &[&str]| {
        output.extension().is_some_and(|e| endings.iter().any(|ending| e.eq_ignore_ascii_case(ending)))
    };
    if is(&["svg"]) {
        load::replace(output, strip(clip).as_bytes())?;
        return Ok(Vec::new());
    }
    if !is(&["toml", "urdf", "xml", "mjcf"]) {
        return motion::save_clip(output, clip);
    }
    let mut warnings = load::save(output, clip.figure())?;
    let what = "only the figure that moves is written, not its motion".into();
    warnings.push(Warning { place: None, what });
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
        // side by side, wherever it walks
        if let Some(root) = root {
            q[root..root + 2].fill(0.0);
        }
        Frame { q, label: format!("{:.2} s", clip.time(*f)) }
    };
    svg::strip(figure, &frames.iter().map(pose).collect::<Vec<_>>())
}
