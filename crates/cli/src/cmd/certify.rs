//! `certify`: assess the physical plausibility of a motion.

use super::{Outcome, inverse};
use crate::args::CertifyArgs;
use crate::{outputs, report};
use anthropi_app::assessment::Assessment;
use anthropi_app::report::page;
use anthropi_app::result::Verdict;
use anthropi_formats::file;
use anthropi_formats::names::counted;
use anthropi_motion::certificate::{Certificate, Peak};
use std::fmt::Write;

/// Most findings in the text; the JSON has all.
const SHOWN: usize = 12;

/// Assesses a motion, and writes the report if requested.
pub fn run(args: &CertifyArgs, as_json: bool) -> anyhow::Result<Outcome> {
    outputs::refuse_ending("--report", args.report.as_deref(), outputs::PAGE)?;
    let assessment = inverse::assess(&args.input, &args.motion, &args.person, args.force.settings())?;
    if let Some(path) = &args.report {
        let name = &assessment.inverse.trajectory.clip.name;
        file::replace(path, page(name, &assessment).as_bytes())?;
    }
    report::show(as_json, || assessment.result(), || to_text(&assessment))?;
    Ok(match assessment.certificate.is_consistent {
        true => Outcome::Fine,
        false => Outcome::No(format!("{} is not physically consistent", args.input)),
    })
}

fn to_text(assessment: &Assessment) -> String {
    let Assessment { inverse, certificate, notes, .. } = assessment;
    let clip = &inverse.trajectory.clip;
    let mut text = format!(
        "{}: {}, {:.2} s at {:.4} frames per second, on {} of {:.1} kg\n\n",
        clip.name,
        counted(clip.frames(), "frame"),
        clip.duration(),
        1.0 / clip.dt(),
        counted(clip.figure().links().count(), "link"),
        clip.figure().mass()
    );
    let Certificate { residual, contact, .. } = certificate;
    let mut line = |what: &str, value: String| {
        let _ = writeln!(text, "  {what:<28}{value}");
    };
    line(
        "residual force",
        format!(
            "{:.1} N rms ({:.3} body weights), {:.0} N max",
            residual.force_rms, residual.force_rms_bw, residual.force_peak
        ),
    );
    line(
        "residual moment",
        format!("{:.1} N m rms, {:.0} N m max", residual.moment_rms, residual.moment_peak),
    );
    line("ground force", format!("{:.2} body weights max", certificate.grf_peak));
    line("contact", format!("in {} of {} frames", contact.frames, clip.frames()));
    line("penetration", format!("{:.1} cm max", 100.0 * contact.penetration_max));
    line("foot skate", format!("{:.3} m/s mean", contact.skate_mean));
    let peak =
        |p: &Peak, unit: &str| format!("{:.0} {unit} at {}, {:.2} s", p.value, p.joint, clip.time(p.frame));
    line("joint torque", peak(&certificate.torque_peak, "N m"));
    line("joint power", peak(&certificate.power_peak, "W"));
    let cutoff = inverse.cutoff.hz.map_or("none".into(), |hz| format!("low-pass at {hz} Hz"));
    line("smoothing", format!("{cutoff}: {}", inverse.cutoff.reason));
    for prop in &inverse.schedule.props {
        line("surroundings", prop.describe(|f| clip.time(f)));
    }
    if !certificate.findings.is_empty() {
        text.push_str("\nfindings, worst first\n");
    }
    for f in certificate.findings.iter().take(SHOWN) {
        let (from, to) = (clip.time(f.frames.start), clip.time(f.frames.end));
        let _ = writeln!(text, "  {:<12}{from:6.2} to {to:5.2} s   {}", f.fault.to_string(), f.what);
    }
    if certificate.findings.len() > SHOWN {
        let _ = writeln!(text, "  and {} more (--json has all)", certificate.findings.len() - SHOWN);
    }
    text.push_str(&report::notes(notes));
    let tone = if certificate.is_consistent { report::Tone::Good } else { report::Tone::Bad };
    let verdict = report::paint(Verdict::from(certificate.is_consistent).word(), tone);
    let _ = write!(text, "\nverdict: {verdict}\n{}", report::lamps(&assessment.lamps()));
    text
}
