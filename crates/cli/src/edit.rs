//! A motion changed as the options ask.

use crate::args::{EditArgs, MotionArgs, PersonArgs};
use crate::motions;
use anthropi_motion::Clip;
use anthropi_motion::clip::Ease;
use anyhow::{Context, ensure};

/// Part of the other motion in a mix, and seconds one motion fades into the next, where nothing is said.
const WEIGHT: f64 = 0.5;
const FADE: f64 = 0.2;

/// In the order of the options.
pub fn edited(clip: Clip, args: &EditArgs, person: &PersonArgs) -> anyhow::Result<Clip> {
    ensure!(
        args.weight.is_none() || args.blend.is_some(),
        "--weight is for a mix; --blend MOTION names the other motion"
    );
    let (weight, fade) = (args.weight.unwrap_or(WEIGHT), args.fade.unwrap_or(FADE));
    let mut clip = clip;
    // other motions are read as they are: what is said of this file need not be true of them
    let other = |name: &str, clip: &Clip| {
        let moving = motions::moving(name, &MotionArgs::default(), person)?;
        Ok::<_, anyhow::Error>(motions::like(&moving.clip, clip)?)
    };
    if let Some((from, to)) = args.cut {
        clip = clip.cut(from, to).context("--cut")?.starting_at(0.0);
    }
    if let Some(speed) = args.speed {
        clip = clip.at_speed(speed).context("--speed")?;
    }
    if args.reverse {
        clip = clip.reversed();
    }
    if args.mirror {
        clip = clip.mirrored().context("--mirror")?;
    }
    if let Some((degrees, from, to)) = args.turn {
        clip = clip.turned_path(degrees.to_radians(), from, to).context("--turn")?;
    }
    if let Some(name) = &args.blend {
        clip = clip.blended(&other(name, &clip)?, |_| weight).context("--blend")?;
    }
    if let Some(name) = &args.join {
        clip = clip.joined(&other(name, &clip)?, fade, Ease::Quintic).context("--join")?;
    }
    if let Some(times) = args.repeat {
        clip = clip.looped(times, fade).context("--repeat")?;
    }
    if let Some(rate) = args.resample {
        clip = clip.resampled(1.0 / rate).context("--resample")?;
    }
    Ok(clip)
}
