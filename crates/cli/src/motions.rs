//! Getting the motion a command works on, and the figure that moves in it.

mod bones;

use crate::args::{FigureArgs, MotionArgs};
use anthropi_io::builtin;
use anthropi_io::motion::{self, Motion};
use anthropi_motion::Clip;
use anthropi_motion::recording::Recording;
use anyhow::{Context, bail};
use std::path::Path;

/// The motion of a file; `None` where the name is no motion file's.
pub fn read(name: &str, args: &MotionArgs) -> anyhow::Result<Option<Motion>> {
    let path = Path::new(name);
    if builtin::figure(name).is_some() || builtin::scene(name).is_some() || !motion::is_motion(path) {
        return Ok(None);
    }
    refuse_options(args, name)?;
    Ok(Some(motion::read(path, &options(args))?))
}

/// A motion of a figure from a recording on its own skeleton.
pub fn clip_of(recording: &Recording) -> anyhow::Result<Clip> {
    bones::clip_of(recording).with_context(|| recording.name.clone())
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
