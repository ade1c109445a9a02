//! Who walks where and how: from a script, or one stretch by the options.

use crate::args::{WalkArgs, WayArgs};
use crate::cmd::filter::push;
use crate::{motions, report};
use anthropi_dynamics::model::Figure;
use anthropi_io::names;
use anthropi_io::walking::{self, Lasts, Manner, NEUTRAL, Part, Person, WALKER, Walking};
use anthropi_io::{anatomy, builtin, load};
use anthropi_motion::gait::parameter::{Kind, Request, Stature};
use anthropi_motion::gait::steps::Stretch;
use anthropi_motion::gait::{Settings, Walker};
use anyhow::{bail, ensure};
use std::path::Path;
use std::sync::Arc;

/// Turn over all steps at most, degrees.
const TURN: f64 = 3600.0;

/// A walk that can begin.
pub struct Asked {
    /// as it was asked for
    pub walking: Walking,
    pub figure: Arc<Figure>,
    /// kg, of which the figure's mass is made up besides its own
    pub load: f64,
    pub walker: Walker,
    pub who: Stature,
    pub stretches: Vec<Stretch>,
    pub settings: Settings,
}

impl Asked {
    pub fn of(args: &WalkArgs) -> anyhow::Result<Asked> {
        let walking = match &args.script {
            None => {
                let part = one(&args.way)?;
                Walking::of(called(&part), vec![part])
            }
            Some(name) => {
                if let Some(option) = args.way.given() {
                    bail!("{option} is for walks without a script; `{name}` says it in its stretches");
                }
                wanted(name)?
            }
        };
        let person = person(&walking, args)?;
        let walker = person.walker()?;
        let who = walker.stature(person.figure.stature);
        let stretches = walking.stretches(who)?;
        let mut settings = person.settings(&walking)?;
        settings.friction = args.friction.unwrap_or(settings.friction);
        if !args.push.is_empty() {
            settings.pushes =
                args.push.iter().map(|p| push(p, &person.figure)).collect::<anyhow::Result<_>>()?;
        }
        let Person { figure, load, .. } = person;
        Ok(Asked { walking, figure, load, walker, who, stretches, settings })
    }

    /// Manners that are not the neutral one, in the order of the way.
    pub fn manners(&self) -> Vec<&Manner> {
        let mut all: Vec<&Manner> = Vec::new();
        for part in self.walking.parts.iter().filter(|p| p.manner.name != NEUTRAL) {
            if !all.iter().any(|m| m.name == part.manner.name) {
                all.push(&part.manner);
            }
        }
        all
    }
}

/// Who walks, as the options ask, and where they say nothing, the script. Warnings are told on standard error.
fn person(walking: &Walking, args: &WalkArgs) -> anyhow::Result<Person> {
    let mut asked = walking.clone();
    asked.figure = args.figure.clone().or(asked.figure);
    asked.height = args.height.or(asked.height);
    asked.mass = args.mass.or(asked.mass);
    asked.load = args.load.or(asked.load);
    let parts = match &args.parts {
        Some(path) => anatomy::read(&load::text(path)?, &path.display().to_string())?,
        None => Vec::new(),
    };
    let person = Person::of(&asked, parts).map_err(motions::in_options)?;
    report::warnings(asked.figure.as_deref().unwrap_or(WALKER), &person.warnings);
    Ok(person)
}

/// The script of that name or file; `None` where it is something else.
pub fn script(name: &str) -> anyhow::Result<Option<Walking>> {
    if let Some(walking) = builtin::walk(name) {
        return Ok(Some(walking?));
    }
    let path = Path::new(name);
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
        return Ok(None);
    }
    let text = load::text(path)?;
    match walking::read(&text, name, path.parent()) {
        Err(error @ anthropi_io::Error::Syntax { .. }) => Err(error.into()),
        read if walking::is_walking(&text) => Ok(Some(read?)),
        _ => Ok(None),
    }
}

/// The script that must be there.
fn wanted(name: &str) -> anyhow::Result<Walking> {
    match script(name)? {
        Some(walking) => Ok(walking),
        None if Path::new(name).extension().is_some() => {
            bail!("`{name}` is no walk: a walk is TOML with at least one [[stretch]]")
        }
        None if builtin::style(name).is_some() => {
            bail!("`{name}` is a style: `anthropi walk --style {name}` walks so")
        }
        None => {
            let all = builtin::walks().iter().map(|b| b.name);
            bail!("{}, and walks in stretches from .toml", names::unknown("built-in walk", name, all))
        }
    }
}

/// What a walk without a script is called.
fn called(part: &Part) -> String {
    let gait = super::told::gait(part.kind);
    match part.manner.name.as_str() {
        NEUTRAL => gait.into(),
        style => format!("{gait}, {style}"),
    }
}

/// One stretch, as the options say.
fn one(way: &WayArgs) -> anyhow::Result<Part> {
    let mut manner = way.style.as_deref().map_or(Ok(Manner::default()), style)?;
    let changes = way.determinant.iter().map(|(name, amount)| (name, *amount));
    for (name, amount) in changes.chain(way.without.iter().map(|name| (name, 0.0))) {
        if let Some(place) = manner.style.determinants.get_mut(name) {
            *place = amount;
        }
    }
    let turn = way.turn.unwrap_or(0.0);
    ensure!(turn.abs() <= TURN, "a turn of {turn} degrees is asked for; expected {} to {TURN}", -TURN);
    let default = Part::default();
    let kind = way.gait.map_or(default.kind, Into::into);
    // ten steps, but one jump
    let usual = if kind == Kind::Jump { Lasts::Steps(1) } else { default.lasts };
    Ok(Part {
        lasts: way.steps.map_or(usual, |n| Lasts::Steps(n as usize)),
        request: Request {
            speed: way.speed,
            length: way.step_length,
            frequency: way.step_frequency,
            height: way.jump_height,
        },
        kind,
        manner,
        turn: turn.to_radians(),
        ground: way.slope.or(way.stairs).unwrap_or_default(),
        place: None,
    })
}

/// A style by its word or file.
fn style(name: &str) -> anyhow::Result<Manner> {
    if let Some(style) = builtin::style(name) {
        return Ok(style?);
    }
    let path = Path::new(name);
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
        return Ok(walking::read_style(&load::text(path)?, name)?);
    }
    let all = builtin::styles().iter().map(|b| b.name);
    bail!("{}; or a file of your own, FILE.toml", names::unknown("style", name, all))
}
