//! `simulate --replay`: repeat a studio session and compare the final state bit by bit.

use crate::args::SimulateArgs;
use crate::cmd::Outcome;
use crate::progress::Progress;
use crate::{report, source};
use anthropi_formats::file;
use anthropi_formats::names::counted;
use anthropi_studio::file::open_files;
use anthropi_studio::replay::Replay;
use anthropi_studio::{Session, library};
use anyhow::{Context, bail};
use serde_json::json;
use std::path::Path;

/// Resolution of the progress bar.
const PARTS: u64 = 1000;

/// Runs the command.
pub fn run(args: &SimulateArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let file = &args.figure.figure;
    refuse_others(args)?;
    let replay = Replay::read(&file::text(Path::new(file))?, file)?;
    let mut bar = Progress::new("replay", PARTS);
    let mut progress = |part: f64| bar.at((part * PARTS as f64) as u64);
    let session = open(&replay.source, Path::new(file)).with_context(|| file.clone())?;
    let session = replay.run(session, &mut progress).with_context(|| file.clone())?;
    drop(bar);
    let (simulator, is_same) = (session.simulator(), replay.is_same(&session));
    let digest = format!("{:016x}", simulator.digest());
    report::show(
        as_json,
        || {
            json!({
                "source": replay.source, "steps": replay.steps, "duration_s": simulator.time(), "commands": replay.log.len(),
                "digest": digest, "recorded_digest": replay.digest, "same": is_same,
            })
        },
        || {
            format!(
                "{}: {} to {:.3} s with {}: digest {digest}, {} to the recording\n",
                replay.source,
                counted(replay.steps, "step"),
                simulator.time(),
                counted(replay.log.len(), "command"),
                if is_same { "identical" } else { "NOT identical" }
            )
        },
    )?;
    Ok(match is_same {
        true => Outcome::Fine,
        false => {
            Outcome::No(format!("{file}: the final state differs from the recorded digest {}", replay.digest))
        }
    })
}

/// Opens the built-in item, or the file beside the replay.
fn open(source: &str, replay: &Path) -> anyhow::Result<Session> {
    if library::find(source).is_some() {
        return Ok(library::open(source)?);
    }
    let path = replay.with_file_name(source);
    let mut files = vec![(source.to_string(), file::bytes(&path)?)];
    if file::has_extension(&path, &["amc"]) {
        let beside = path.parent().unwrap_or(Path::new(".")).read_dir()?.flatten().map(|e| e.path());
        for asf in beside.filter(|p| file::has_extension(p, &["asf"])) {
            let name = asf.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            files.push((name, file::bytes(&asf)?));
        }
    }
    Ok(open_files(files)?)
}

/// Refuses options that the replay file sets.
fn refuse_others(args: &SimulateArgs) -> anyhow::Result<()> {
    source::refuse_figure_options(&args.figure, "a replay")?;
    let given = [
        ("--duration", args.duration.is_some()),
        ("--dt", args.dt.is_some()),
        ("--integrator", args.integrator != crate::args::Method::Default),
        ("--out", args.out.is_some()),
        ("--state", args.state.is_some()),
        ("--signal", !args.signal.is_empty()),
        ("--random-velocities", args.random_velocities.is_some()),
    ];
    match given.iter().find(|(_, is)| *is) {
        Some((option, _)) => bail!("{option} is not for --replay: the replay file sets it"),
        None => Ok(()),
    }
}
