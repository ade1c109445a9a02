//! A motion changed as the options ask.

use crate::args::{EditArgs, MotionArgs, PersonArgs};
use crate::motions;
use anthropi_motion::Clip;
use anyhow::ensure;

/// In the order of the options.
pub fn edited(clip: Clip, args: &EditArgs, person: &PersonArgs) -> anyhow::Result<Clip> {
    ensure!(
        args.weight.is_none() || args.blend.is_some(),
        "--weight is for a mix; --blend MOTION names the other motion"
    );
    // other motions are read as they are: what is said of this file need not be true of them
    let other = |name: &str, clip: &Clip| {
        let moving = motions::moving(name, &MotionArgs::default(), person)?;
        Ok::<_, anyhow::Error>(motions::like(&moving.clip, clip)?)
    };
    let wrong = |word, error| {
        let option = if word == "rate" { "resample" } else { word };
        anyhow::Error::from(error).context(format!("--{option}"))
    };
    args.changes().made(clip, other, wrong)
}
