//! Getting the motion a command works on, and the figure that moves in it.

mod bones;
pub mod own;

use crate::args::{FigureArgs, MotionArgs, PersonArgs};
use crate::{names, report};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::Figure;
use anthropi_io::anatomy as anatomy_file;
use anthropi_io::filtering::{self, Filtering, Start};
use anthropi_io::motion::{self, Motion};
use anthropi_io::{builtin, keyed, load, osim};
use anthropi_motion::anatomy::{self, Anatomy, Part, Side};
use anthropi_motion::anthropometry::Sex;
use anthropi_motion::clip::Pace;
use anthropi_motion::person::{self, Person};
use anthropi_motion::recording::Recording;
use anthropi_motion::retarget::{self, Retargeted, Scale, Stance};
use anthropi_motion::spots::{self, Spot};
use anthropi_motion::table::Table;
use anthropi_motion::touch::{self, Touches};
use anthropi_motion::{Clip, Error, Trajectory, cutoff};
use anyhow::{Context, anyhow, bail};
use std::path::Path;
use std::sync::Arc;

/// Beginning of the note that tells why a figure is no person.
pub const PLAIN: &str = "a figure of plain bones is made for the skeleton";

/// The motion of a file; `None` where the name is no motion file's.
pub fn read(name: &str, args: &MotionArgs) -> anyhow::Result<Option<Motion>> {
    let path = Path::new(name);
    if let Some(clip) = builtin::motion(name) {
        refuse_options(args, name)?;
        return Ok(Some(Motion::Clip(clip?)));
    }
    if builtin::figure(name).is_some() || builtin::scene(name).is_some() {
        return Ok(None);
    }
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
        let text = load::text(path)?;
        return Ok(if keyed::is_keyed(&text) { Some(Motion::Clip(keyed::read(&text, name)?)) } else { None });
    }
    if !motion::is_motion(path) {
        return Ok(None);
    }
    refuse_options(args, name)?;
    Ok(Some(motion::read(path, &options(args))?))
}

fn options(args: &MotionArgs) -> motion::Options {
    motion::Options {
        unit: args.unit,
        up: args.up.map(Into::into),
        keep_first_frame: args.keep_first_frame,
        skeleton: args.asf.clone(),
        rate: args.fps,
    }
}

/// Says so when an option was given that files of this ending have no use for.
pub fn refuse_options(args: &MotionArgs, name: &str) -> anyhow::Result<()> {
    let ending =
        Path::new(name).extension().map_or_else(String::new, |e| e.to_string_lossy().to_ascii_lowercase());
    let given: [(&str, bool, &[&str]); 5] = [
        ("--unit", args.unit.is_some(), &["bvh", "amc", "asf"]),
        ("--up", args.up.is_some(), &["bvh", "amc", "asf", "c3d", "trc"]),
        ("--keep-first-frame", args.keep_first_frame, &["bvh"]),
        ("--asf", args.asf.is_some(), &["amc"]),
        ("--fps", args.fps.is_some(), &["amc"]),
    ];
    for (option, is_given, endings) in given {
        if is_given && !endings.contains(&ending.as_str()) {
            let of: Vec<String> = endings.iter().map(|e| format!(".{e}")).collect();
            bail!("{option} is for {} files; `{name}` is none", of.join(", "));
        }
    }
    Ok(())
}

/// Says of a file of unknown kind that motions are read, too.
pub fn or_motions(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref() {
        Some(anthropi_io::Error::UnknownFormat { .. }) => anyhow!("{error}; {}", motion::MOTIONS_IN),
        _ => error,
    }
}

/// Says so when an option for figures was given with a motion.
pub fn refuse_figure_options(args: &FigureArgs) -> anyhow::Result<()> {
    let given = [
        ("--base", args.base.is_some()),
        ("--gravity", args.gravity.is_some()),
        ("--rigid", args.rigid),
        ("--height", args.height.is_some()),
        ("--mass", args.mass.is_some()),
    ];
    match given.iter().find(|(_, is)| *is) {
        Some((option, _)) => bail!("{option} is for figures; `{}` is a motion", args.figure),
        None => Ok(()),
    }
}

/// A motion of a figure, and what was found and decided on the way to it.
pub struct Moving {
    /// the motion
    pub clip: Clip,
    /// a sentence each
    pub notes: Vec<String>,
    /// links and what they are, as the user says
    pub parts: Vec<(String, Part)>,
    /// what it was made from, where the figure was made for its skeleton
    pub own: Option<Recording>,
}

/// The scene of the filter of that name or file; `None` where it is something else.
pub fn scene(name: &str) -> anyhow::Result<Option<Filtering>> {
    if let Some(scene) = builtin::filtering(name) {
        return Ok(Some(scene?));
    }
    let path = Path::new(name);
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
        return Ok(None);
    }
    let text = load::text(path)?;
    match filtering::read(&text, name, path.parent()) {
        // text that is no TOML is nothing else, either
        Err(error @ anthropi_io::Error::Syntax { .. }) => Err(error.into()),
        read if filtering::is_filtering(&text) => Ok(Some(read?)),
        _ => Ok(None),
    }
}

/// Who moves in a scene of the filter, but for what is asked.
pub fn person_of(scene: &Filtering, asked: PersonArgs) -> PersonArgs {
    PersonArgs {
        figure: asked.figure.or_else(|| scene.figure.clone()),
        height: asked.height.or(scene.height),
        mass: asked.mass.or(scene.mass),
        ..asked
    }
}

/// The motion of a scene of the filter as it begins, before it is changed; it has the scene's name.
pub fn moving_in(scene: &Filtering, person: &PersonArgs) -> anyhow::Result<Moving> {
    let (duration, rate) = match &scene.motion {
        Start::Motion(name) => {
            let mut moving = moving(name, &MotionArgs::default(), person)?;
            moving.clip.name.clone_from(&scene.name);
            return Ok(moving);
        }
        Start::Stand { duration, rate } => (*duration, *rate),
    };
    let name = person.figure.as_deref().unwrap_or(filtering::STANDING);
    let figure = Arc::new(scaled(free(name)?, person.height, person.mass)?);
    let frames = (duration * rate).round() as usize + 1;
    let q = figure.forest().home().repeat(frames);
    let clip = Clip::new(scene.name.clone(), figure, 1.0 / rate, q)?;
    let notes = vec![format!("{name} stands in its home pose for {duration} s")];
    Ok(Moving { clip, notes, parts: parts(person)?, own: None })
}

/// The motion of a file on the figure that the options ask for.
pub fn moving(name: &str, motion: &MotionArgs, person: &PersonArgs) -> anyhow::Result<Moving> {
    match read(name, motion)? {
        Some(read) => moving_of(read, name, person),
        None if builtin::figures().iter().chain(builtin::scenes()).any(|b| b.name == name) => {
            bail!("`{name}` is no motion but a figure or scene; `anthropi list` shows built-in motions")
        }
        None if builtin::walks().iter().any(|b| b.name == name) => {
            bail!("`{name}` is a walk: `anthropi walk {name}` walks it, and --out FILE.bvh keeps the motion")
        }
        None if builtin::filterings().iter().any(|b| b.name == name) => {
            bail!("`{name}` is a scene of the filter: `anthropi filter {name}` runs it")
        }
        None if Path::new(name).extension().is_some() => {
            bail!("`{name}` is no motion: {}, and keyframes from .toml", motion::MOTIONS_IN)
        }
        None => {
            let all = builtin::motions().iter().map(|b| b.name);
            bail!(
                "{}; {}, and keyframes from .toml",
                names::unknown("built-in motion", name, all),
                motion::MOTIONS_IN
            )
        }
    }
}

/// A motion that was read, on the figure that the options ask for.
pub fn moving_of(read: Motion, name: &str, person: &PersonArgs) -> anyhow::Result<Moving> {
    let mut notes = read.notes().to_vec();
    let mut parts = parts(person)?;
    let mut own = None;
    let clip = match read {
        Motion::Recording(recording) => {
            let clip = of_recording(&recording, person, &mut parts, &mut notes)?;
            own = Some(recording);
            clip
        }
        Motion::Clip(clip) => resized(clip, person)?,
        Motion::Table(table) => return of_table(&table, name, person, notes, parts),
        Motion::Markers(_) => bail!(
            "`{name}` has points in space but no skeleton that moves; give the motion that was fitted to them (.bvh, \
             .amc, or a .mot with its model)"
        ),
    };
    match &person.figure {
        Some(figure) => carried_over(&clip, figure, person, notes, parts),
        None => Ok(Moving { clip, notes, parts, own }),
    }
}

fn parts(person: &PersonArgs) -> anyhow::Result<Vec<(String, Part)>> {
    let Some(path) = &person.parts else { return Ok(Vec::new()) };
    Ok(anatomy_file::read(&load::text(path)?, &path.display().to_string())?)
}

/// Stature and mass as asked; with another figure they are meant for that one.
fn resized(clip: Clip, person: &PersonArgs) -> anyhow::Result<Clip> {
    match (person.height, person.mass) {
        (height, mass) if person.figure.is_none() && (height.is_some() || mass.is_some()) => {
            Ok(clip.with_stature_and_mass(height, mass, Pace::Same)?)
        }
        _ => Ok(clip),
    }
}

/// A figure made for the skeleton; where it is no person's, one of plain bones. Parts told of bones are used up when
/// links get names of their own.
fn of_recording(
    recording: &Recording,
    person: &PersonArgs,
    parts: &mut Vec<(String, Part)>,
    notes: &mut Vec<String>,
) -> anyhow::Result<Clip> {
    let own = person.figure.is_none();
    let options = person::Options {
        stature: person.height.filter(|_| own),
        mass: person.mass.filter(|_| own),
        sex: person.sex.map_or(Sex::Unknown, Into::into),
        // with another figure, parts are told of that one
        parts: if own { parts.clone() } else { Vec::new() },
        keep_lost_thorax: person.keep_lost_thorax,
        toes: person.toes,
        hinges: person.hinges,
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
        Err(Error::Unsuitable { what, .. }) => {
            notes.push(format!("{PLAIN}: {what}"));
            bones::clip_of(recording).with_context(|| recording.name.clone())
        }
        Err(other) => Err(other.into()),
    }
}

/// A table of coordinates of a model.
fn of_table(
    table: &Table,
    name: &str,
    person: &PersonArgs,
    mut notes: Vec<String>,
    parts: Vec<(String, Part)>,
) -> anyhow::Result<Moving> {
    let model = person.figure.as_deref().filter(|f| f.to_ascii_lowercase().ends_with(".osim"));
    let Some(file) = model else {
        bail!("`{name}` has coordinates of a model; give the model: --figure MODEL.osim");
    };
    let model = osim::read_model(&load::text(Path::new(file))?, file)?;
    report::warnings(file, &model.warnings);
    let (clip, found) = osim::clip(&model, table)?;
    notes.extend(found);
    let clip = match (person.height, person.mass) {
        (None, None) => clip,
        (height, mass) => clip.with_stature_and_mass(height, mass, Pace::Same)?,
    };
    Ok(Moving { clip, notes, parts, own: None })
}

/// The motion on another figure. Built-in people take the stature of the one who moved, unless one is given.
fn carried_over(
    clip: &Clip,
    name: &str,
    person: &PersonArgs,
    mut notes: Vec<String>,
    parts: Vec<(String, Part)>,
) -> anyhow::Result<Moving> {
    let loaded = free(name)?;
    let is_person = builtin::figure(name).is_some();
    let height = person.height.or(clip.figure().stature.filter(|_| is_person));
    let target = Arc::new(scaled(loaded, height, person.mass)?);
    let scale = if is_person && person.height.is_none() { Scale::Keep } else { Scale::ToFigure };
    let carried = onto(clip, target, scale, &parts)?;
    notes.push(told(&carried.report, name));
    notes.extend(carried.report.notes);
    Ok(Moving { clip: carried.clip, notes, parts, own: None })
}

/// A figure by name or file, free to go about.
pub fn free(name: &str) -> anyhow::Result<Figure> {
    let figure = crate::source::load(name)?.figure;
    let is_free = figure.joints().any(|(_, j)| j.kind == JointKind::Free);
    Ok(if is_free { figure } else { figure.with_free_base()? })
}

/// A figure of another stature and mass, where they are given.
pub fn scaled(figure: Figure, height: Option<f64>, mass: Option<f64>) -> anyhow::Result<Figure> {
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
) -> anyhow::Result<Retargeted> {
    let (from, to) = (anatomy::of_figure(clip.figure(), &[])?, anatomy::of_figure(&target, parts)?);
    let options = retarget::Options { scale, ..retarget::Options::default() };
    Ok(retarget::retarget(clip, &from, target, &to, &stances(clip, &from), &options)?)
}

/// A motion on the figure of another, to go with it: pose by pose where both have the same joints, as people made for
/// skeletons of one kind have, else carried over.
pub fn like(other: &Clip, clip: &Clip) -> anyhow::Result<Clip> {
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
    let limit = report.limits.first().map_or(String::new(), |l| {
        format!("; {} is at its limit in {:.0} % of the frames", l.dof, 100.0 * l.frames)
    });
    format!("carried over to {name}: lengths are {:.3} times those of the source{worst}{limit}", report.ratio)
}
