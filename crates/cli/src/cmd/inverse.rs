//! `inverse`: joint torques, powers and ground forces behind a motion.

mod table;

use super::Outcome;
use crate::args::{ForceArgs, InverseArgs, MotionArgs, PersonArgs};
use crate::progress::Progress;
use crate::{motions, outputs, report};
use anthropi_io::judging;
use anthropi_io::motion::{self, Motion};
use anthropi_io::names::counted;
use anthropi_motion::certificate::{Certificate, Peak};
use anthropi_motion::inverse::{Inverse, Settings};
use anthropi_motion::plates::GroundForces;
use anyhow::{Context, bail};
use serde_json::json;
use std::path::Path;

/// Parts of the work that the bar shows.
const PARTS: u64 = 1000;

/// Computes, writes, and tells the peaks.
pub fn run(args: &InverseArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let reads = [&[Some(Path::new(&args.input)), args.forces.as_deref()][..], &args.person.reads()];
    outputs::refuse_clashes(&reads.concat(), &[("--out", args.out.as_deref())])?;
    let measured = args.forces.as_deref().map(plates).transpose()?;
    let plates = measured.as_ref().map_or(0, |m| m.names.len());
    let times = measured.as_ref().map_or([0.0; 2], |m| ends(&m.time));
    let (inverse, mut notes) = forces(&args.input, &args.motion, &args.person, &args.force, measured)?;
    let certificate = Certificate::of(&inverse);
    let explained = inverse.frames.iter().filter(|f| f.is_measured).count();
    if plates > 0 && explained == 0 {
        let clip = &inverse.trajectory.clip;
        let (file, [from, to]) = (args.forces.as_deref().unwrap_or(Path::new("")).display(), times);
        bail!(
            "{file}: forces from {from:.3} to {to:.3} s have no time in common with the motion, {:.3} to {:.3} s",
            clip.start(),
            clip.end()
        );
    }
    if plates > 0 {
        notes.push(format!("{explained} of {} frames have measured forces", inverse.frames.len()));
    }
    if let Some(out) = &args.out {
        let lost = motion::save_table(out, &table::of(&inverse))?;
        report::warnings(&out.display().to_string(), &lost);
    }
    let (clip, residual) = (&inverse.trajectory.clip, certificate.residual);
    if as_json {
        let peak = |p: &Peak| json!({ "value": p.value, "joint": p.joint, "time_s": clip.time(p.frame) });
        report::json(&json!({
            "name": clip.name,
            "frames": clip.frames(),
            "fps": 1.0 / clip.dt(),
            "measured_frames": explained,
            "out": args.out.as_ref().map(|o| o.display().to_string()),
            "torque_peak_Nm": peak(&certificate.torque_peak),
            "power_peak_W": peak(&certificate.power_peak),
            "grf": { "peak_bw": certificate.grf_peak },
            "root_residual": {
                "force_rms_N": residual.force_rms, "force_peak_N": residual.force_peak,
                "moment_rms_Nm": residual.moment_rms, "moment_peak_Nm": residual.moment_peak,
                "force_rms_bw": residual.force_rms_bw,
            },
            "cutoff": { "hz": inverse.cutoff.hz, "why": inverse.cutoff.why },
            "notes": notes,
        }))?;
    } else {
        let peak = |p: &Peak, unit: &str| {
            format!("{:.0} {unit} at {}, {:.2} s", p.value, p.joint, clip.time(p.frame))
        };
        let mut text = format!("{}: {}\n", clip.name, counted(clip.frames(), "frame"));
        text += &format!("  joint torque     {}\n", peak(&certificate.torque_peak, "N m"));
        text += &format!("  joint power      {}\n", peak(&certificate.power_peak, "W"));
        text += &format!("  ground force     {:.2} body weights at most\n", certificate.grf_peak);
        text += &format!(
            "  residual         {:.1} N rms ({:.3} body weights), {:.1} N m rms\n",
            residual.force_rms, residual.force_rms_bw, residual.moment_rms
        );
        notes.iter().for_each(|n| text += &format!("  {n}\n"));
        match &args.out {
            Some(out) => text += &format!("{} -> {}\n", args.input, out.display()),
            None => text += "nothing is written; --out FILE.csv keeps it\n",
        }
        report::print(&text)?;
    }
    Ok(Outcome::Fine)
}

/// Forces behind the motion that the options ask for, and what was found on the way.
pub fn forces(
    input: &str,
    motion: &MotionArgs,
    person: &PersonArgs,
    force: &ForceArgs,
    measured: Option<GroundForces>,
) -> anyhow::Result<(Inverse, Vec<String>)> {
    let moving = motions::moving(input, motion, person)?;
    let settings = Settings { parts: moving.parts.clone(), measured, ..force.settings() };
    let mut bar = Progress::new("forces", PARTS);
    let inverse =
        judging::forces(input, &moving, &settings, &mut |part| bar.at((part * PARTS as f64) as u64))
            .map_err(motions::in_options)?;
    let notes = judging::notes(&moving, &inverse);
    Ok((inverse, notes))
}

/// First and last of some times.
fn ends(time: &[f64]) -> [f64; 2] {
    [time.first(), time.last()].map(|t| t.copied().unwrap_or(0.0))
}

/// Measured ground forces of a file.
fn plates(path: &Path) -> anyhow::Result<GroundForces> {
    let read = motion::read(path, &motion::Options::default())?;
    let file = path.display().to_string();
    match read {
        Motion::Table(table) => GroundForces::from_table(&table).with_context(|| file),
        Motion::Markers(markers) => GroundForces::from_markers(&markers).with_context(|| file),
        _ => bail!("{file}: measured forces are read from .mot, .sto and .c3d"),
    }
}
