//! The requested walk: a script, or one segment from the options.

use crate::args::{SegmentArgs, WalkArgs};
use crate::cmd::filter::push;
use crate::{motions, report, source};
use anthropi_app::builtin;
use anthropi_app::resolve::{self, ItemKind};
use anthropi_app::walk::{
    GaitRequest, NEUTRAL, NamedStyle, PreparedWalk, RequestError, SegmentRequest, WALKER, WalkFile, gait_word,
};
use anthropi_formats::{anatomy, file, names};
use anyhow::{anyhow, bail};
use std::path::Path;

/// The walk of the command line, ready to simulate.
pub fn prepare(args: &WalkArgs) -> anyhow::Result<PreparedWalk> {
    let mut walk = match &args.script {
        None => {
            let segment = segment(&args.segment)?;
            WalkFile::new(walk_name(&segment), vec![segment])
        }
        Some(name) => {
            if let Some(option) = args.segment.given() {
                bail!("{option} is for walks without a script; the segments of `{name}` set it");
            }
            script(name)?
        }
    };
    walk.figure = args.figure.clone().or(walk.figure);
    walk.height = args.height.or(walk.height);
    walk.mass = args.mass.or(walk.mass);
    walk.load = args.load.or(walk.load);
    walk.friction = args.friction.or(walk.friction);
    let parts = match &args.parts {
        Some(path) => anatomy::read(&file::text(path)?, &path.display().to_string())?,
        None => Vec::new(),
    };
    let mut prepared = PreparedWalk::new(walk, &parts).map_err(motions::in_options)?;
    report::warnings(prepared.walk.figure.as_deref().unwrap_or(WALKER), &prepared.warnings);
    if !args.push.is_empty() {
        let pushes = args.push.iter().map(|p| push(p, &prepared.figure));
        prepared.settings.pushes = pushes.collect::<anyhow::Result<_>>()?;
    }
    Ok(prepared)
}

/// The walk of a name or file.
fn script(name: &str) -> anyhow::Result<WalkFile> {
    match resolve::kind(name)? {
        Some(ItemKind::Walk) => Ok(resolve::walk(name)?),
        Some(kind) if builtin::kind(name).is_some() => {
            bail!(source::wrong_kind(name, kind, ItemKind::Walk))
        }
        _ if Path::new(name).extension().is_some() => {
            bail!("`{name}` is not a walk: a walk is TOML with at least one [[segment]]")
        }
        _ => {
            let all = builtin::names(ItemKind::Walk);
            bail!("{}, and walks from .toml files", names::unknown("built-in walk", name, all))
        }
    }
}

/// Name of a walk without a script.
fn walk_name(segment: &SegmentRequest) -> String {
    let gait = gait_word(segment.kind);
    match segment.style.name.as_str() {
        NEUTRAL => gait.into(),
        style => format!("{gait}, {style}"),
    }
}

/// The one segment that the options request.
fn segment(args: &SegmentArgs) -> anyhow::Result<SegmentRequest> {
    let style = args.style.as_deref().map(style).transpose()?;
    let without = args.without.iter().map(|name| (name.clone(), 0.0));
    let request = GaitRequest {
        steps: args.steps,
        seconds: None,
        speed: args.speed,
        step_length: args.step_length,
        step_frequency: args.step_frequency,
        jump_height: args.jump_height,
        gait: args.gait.map(|word| gait_word(word.into()).into()),
        style: args.style.clone(),
        turn_deg: args.turn,
        slope_deg: args.slope,
        stairs: args.stairs,
        determinants: args.determinant.iter().cloned().chain(without).collect(),
    };
    request.resolve(&[], &|_| style.clone().map(Ok)).map_err(|error| match error {
        RequestError::Value { path, what } => {
            anyhow!("--{}: {what}", path[0].trim_end_matches("_deg").replace('_', "-"))
        }
        RequestError::Style(error) => error.into(),
    })
}

/// The style of a name or file.
fn style(name: &str) -> anyhow::Result<NamedStyle> {
    match resolve::style(name) {
        Err(error @ anthropi_formats::Error::Unknown { .. }) => bail!("{error}; or a style file, FILE.toml"),
        style => Ok(style?),
    }
}
