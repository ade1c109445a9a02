//! `inverse`: joint torques, joint powers and ground forces of a motion.

mod table;

use super::Outcome;
use crate::args::{InverseArgs, MotionArgs, PersonArgs};
use crate::progress::Bars;
use crate::{motions, outputs, report};
use anthropi_app::assessment::{self, Assessment};
use anthropi_app::result::InverseResult;
use anthropi_formats::motion::{self, Motion};
use anthropi_formats::names::counted;
use anthropi_motion::certificate::Peak;
use anthropi_motion::inverse::Options;
use anthropi_motion::plates::GroundForces;
use anyhow::{Context, bail};
use std::path::Path;

/// Computes the inverse dynamics, writes all frames and prints the peaks.
pub fn run(args: &InverseArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let figure = args.person.figure.as_deref().map(Path::new);
    let reads = [Some(Path::new(&args.input)), args.forces.as_deref(), figure, args.person.parts.as_deref()];
    outputs::refuse_clashes(&reads, &[("--out", args.out.as_deref())])?;
    let measured = args.forces.as_deref().map(measured_forces).transpose()?;
    let options = Options { measured, ..args.force.settings() };
    let mut assessment = assess(&args.input, &args.motion, &args.person, options.clone())?;
    if let (Some(file), Some(measured)) = (&args.forces, &options.measured) {
        check_overlap(file, measured, &mut assessment)?;
    }
    let Assessment { inverse, certificate, notes, .. } = &assessment;
    if let Some(out) = &args.out {
        let lost = motion::save_table(out, &table::from_inverse(inverse))?;
        report::warnings(&out.display().to_string(), &lost);
    }
    if as_json {
        let out = args.out.as_ref().map(|o| o.display().to_string());
        report::json(&InverseResult::new(inverse, certificate, notes, out))?;
        return Ok(Outcome::Fine);
    }
    let (clip, residual) = (&inverse.trajectory.clip, certificate.residual);
    let peak =
        |p: &Peak, unit: &str| format!("{:.0} {unit} at {}, {:.2} s", p.value, p.joint, clip.time(p.frame));
    let mut text = format!("{}: {}\n", clip.name, counted(clip.frames(), "frame"));
    text += &format!("  joint torque     {}\n", peak(&certificate.torque_peak, "N m"));
    text += &format!("  joint power      {}\n", peak(&certificate.power_peak, "W"));
    text += &format!("  ground force     {:.2} body weights max\n", certificate.grf_peak);
    text += &format!(
        "  residual         {:.1} N rms ({:.3} body weights), {:.1} N m rms\n",
        residual.force_rms, residual.force_rms_bw, residual.moment_rms
    );
    for prop in &inverse.schedule.props {
        text += &format!("  surroundings     {}\n", prop.describe(|f| clip.time(f)));
    }
    text += &report::notes(notes);
    match &args.out {
        Some(out) => text += &format!("{} -> {}\n", args.input, out.display()),
        None => text += "no file written; use --out FILE.csv\n",
    }
    report::print(&text)?;
    Ok(Outcome::Fine)
}

/// Loads and assesses a motion, with a progress bar.
pub fn assess(
    input: &str,
    motion: &MotionArgs,
    person: &PersonArgs,
    options: Options,
) -> anyhow::Result<Assessment> {
    let loaded = motions::load(input, &motion.options(), &person.subject())?;
    let mut bars = Bars::default();
    assessment::assess(input, &loaded, &options, &mut |part| bars.at("forces", part))
        .map_err(motions::in_options)
}

/// Refuses measured forces outside the time of the motion, and notes the number of frames that have them.
fn check_overlap(file: &Path, measured: &GroundForces, assessment: &mut Assessment) -> anyhow::Result<()> {
    if measured.names.is_empty() {
        return Ok(());
    }
    let (clip, frames) = (&assessment.inverse.trajectory.clip, &assessment.inverse.frames);
    let explained = frames.iter().filter(|f| f.is_measured).count();
    if explained == 0 {
        let [from, to] = [measured.time.first(), measured.time.last()].map(|t| t.copied().unwrap_or(0.0));
        bail!(
            "{}: forces from {from:.3} to {to:.3} s have no time in common with the motion, {:.3} to {:.3} s",
            file.display(),
            clip.start(),
            clip.end()
        );
    }
    assessment.notes.push(format!("{explained} of {} frames have measured forces", frames.len()).into());
    Ok(())
}

/// Measured ground forces of a file.
fn measured_forces(path: &Path) -> anyhow::Result<GroundForces> {
    let read = motion::read(path, &motion::Options::default())?;
    let file = path.display().to_string();
    match read {
        Motion::Table(table) => GroundForces::from_table(&table).with_context(|| file),
        Motion::Markers(markers) => GroundForces::from_markers(&markers).with_context(|| file),
        _ => bail!("{file}: measured forces are read from .mot, .sto and .c3d"),
    }
}
