//! `simulate --replay`: a session of the studio made again, and whether it ends with the same bits.

use crate::args::SimulateArgs;
use crate::cmd::Outcome;
use crate::progress::Progress;
use crate::report;
use anthropi_io::load;
use anthropi_io::names::counted;
use anthropi_studio::file::open_files;
use anthropi_studio::replay::Replay;
use anthropi_studio::{Session, library};
use anyhow::{Context, bail};
use serde_json::json;
use std::path::Path;

/// Parts of the work that the bar shows.
const PARTS: u64 = 1000;

/// Runs it and tells how it ended.
pub fn run(args: &SimulateArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let file = &args.figure.figure;
    refuse_others(args)?;
    let replay = Replay::read(&load::text(Path::new(file))?, file)?;
    let mut bar = Progress::new("replay", PARTS);
    let mut progress = |part: f64| bar.at((part * PARTS as f64) as u64);
    let session = opened(&replay.source, Path::new(file)).with_context(|| file.clone())?;
    let session = replay.run(session, &mut progress).with_context(|| file.clone())?;
    drop(bar);
    let (actor, is_same) = (session.actor(), replay.is_same(&session));
    let digest = format!("{:016x}", actor.digest());
    if as_json {
        report::json(&json!({
            "source": replay.source, "steps": replay.steps, "duration_s": actor.time(), "commands": replay.log.len(),
            "digest": digest, "recorded_digest": replay.digest, "same": is_same,
        }))?;
    } else {
        let word = if is_same { "the same bits as recorded" } else { "NOT what was recorded" };
        report::print(&format!(
            "{}: {} to {:.3} s with {}: digest {digest}, {word}\n",
            replay.source,
            counted(replay.steps, "step"),
            actor.time(),
            counted(replay.log.len(), "command")
        ))?;
    }
    Ok(match is_same {
        true => Outcome::Fine,
        false => Outcome::No(format!("{file} ends otherwise than it was recorded: {}", replay.digest)),
    })
}

/// What was opened: something built in, or a file beside the replay.
fn opened(source: &str, replay: &Path) -> anyhow::Result<Session> {
    if library::items().iter().any(|item| item.name == source) {
        return Ok(library::open(source)?);
    }
    let path = replay.with_file_name(source);
    let mut files = vec![(source.to_string(), load::bytes(&path)?)];
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("amc")) {
        let beside = path.parent().unwrap_or(Path::new(".")).read_dir()?.flatten().map(|e| e.path());
        for asf in beside.filter(|p| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("asf"))) {
            let name = asf.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            files.push((name, load::bytes(&asf)?));
        }
    }
    Ok(open_files(files)?)
}

/// A replay has all of it in its file.
fn refuse_others(args: &SimulateArgs) -> anyhow::Result<()> {
    let (figure, usual) = (&args.figure, crate::args::Method::Default);
    let given = [
        ("--base", figure.base.is_some()),
        ("--gravity", figure.gravity.is_some()),
        ("--rigid", figure.rigid),
        ("--height", figure.height.is_some()),
        ("--mass", figure.mass.is_some()),
        ("--duration", args.duration.is_some()),
        ("--dt", args.dt.is_some()),
        ("--integrator", args.integrator != usual),
        ("--out", args.out.is_some()),
        ("--state", args.state.is_some()),
        ("--signal", !args.signal.is_empty()),
        ("--tumble", args.tumble.is_some()),
    ];
    match given.iter().find(|(_, is)| *is) {
        Some((option, _)) => bail!("{option} is not for --replay: the file says all of it"),
        None => Ok(()),
    }
}
