//! `certify`: could a person have moved so, and if not, where not and why.

use super::{Outcome, inverse};
use crate::args::CertifyArgs;
use crate::{outputs, report};
use anthropi_io::judging::certificate_json;
use anthropi_io::load;
use anthropi_io::names::counted;
use anthropi_io::report::{Report, page};
use anthropi_motion::certificate::{Certificate, Peak};
use anthropi_motion::inverse::Inverse;
use std::fmt::Write;

/// So many findings are shown to people; JSON has all.
const SHOWN: usize = 12;

/// Judges, and writes the page if asked.
pub fn run(args: &CertifyArgs, as_json: bool) -> anyhow::Result<Outcome> {
    outputs::refuse_ending("--report", args.report.as_deref(), outputs::PAGE)?;
    let (inverse, notes) = inverse::forces(&args.input, &args.motion, &args.person, &args.force, None)?;
    let certificate = Certificate::of(&inverse);
    if let Some(path) = &args.report {
        let name = &inverse.trajectory.clip.name;
        let page = page(&Report { name, inverse: &inverse, certificate: &certificate, notes: &notes });
        load::replace(path, page.as_bytes())?;
    }
    if as_json {
        report::json(&certificate_json(&inverse, &certificate, &notes))?;
    } else {
        report::print(&to_text(&inverse, &certificate, &notes))?;
    }
    Ok(match certificate.is_consistent {
        true => Outcome::Fine,
        false => Outcome::No(format!("{} is not physically consistent", args.input)),
    })
}

fn to_text(inverse: &Inverse, certificate: &Certificate, notes: &[String]) -> String {
    let clip = &inverse.trajectory.clip;
    let mut text = format!(
        "{}: {}, {:.2} s at {:.4} frames a second, on {} of {:.1} kg\n\n",
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
            "{:.1} N rms ({:.3} body weights), {:.0} N at most",
            residual.force_rms, residual.force_rms_bw, residual.force_peak
        ),
    );
    line(
        "residual moment",
        format!("{:.1} N m rms, {:.0} N m at most", residual.moment_rms, residual.moment_peak),
    );
    line("ground force", format!("{:.2} body weights at most", certificate.grf_peak));
    line("contact", format!("in {} of {} frames", contact.frames, clip.frames()));
    line("penetration", format!("{:.1} cm at most", 100.0 * contact.penetration_max));
    line("skate", format!("{:.3} m/s in the mean", contact.skate_mean));
    let peak =
        |p: &Peak, unit: &str| format!("{:.0} {unit} at {}, {:.2} s", p.value, p.joint, clip.time(p.frame));
    line("joint torque", peak(&certificate.torque_peak, "N m"));
    line("joint power", peak(&certificate.power_peak, "W"));
    let cutoff = inverse.cutoff.hz.map_or("none".into(), |hz| format!("low-pass at {hz} Hz"));
    line("smoothing", format!("{cutoff}: {}", inverse.cutoff.why));
    if !certificate.findings.is_empty() {
        text.push_str("\nwhat is wrong, worst first\n");
    }
    for f in certificate.findings.iter().take(SHOWN) {
        let (from, to) = (clip.time(f.frames.start), clip.time(f.frames.end));
        let _ = writeln!(text, "  {:<12}{from:6.2} to {to:5.2} s   {}", f.fault.to_string(), f.what);
    }
    if certificate.findings.len() > SHOWN {
        let _ = writeln!(text, "  and {} more (--json has all)", certificate.findings.len() - SHOWN);
    }
    text.push_str("\nnotes\n");
    notes.iter().for_each(|n| {
        let _ = writeln!(text, "  {n}");
    });
    let verdict = if certificate.is_consistent { "consistent" } else { "not consistent" };
    let _ = writeln!(text, "\nverdict: {verdict}");
    text
}
