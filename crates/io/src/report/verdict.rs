//! The answer in plain words, its reasons, and the key numbers.

use super::{Report, findings, limits};
use crate::names::counted;
use crate::plot::escape;
use anthropi_motion::certificate::{Fault, Peak};
use std::fmt::Write;

/// So many reasons are told.
const REASONS: usize = 3;
/// Up to this many times what is let pass a number is doubtful, beyond it is bad.
const DOUBTFUL: f64 = 2.0;

/// A number with what is let pass.
struct Tile {
    what: &'static str,
    value: String,
    detail: String,
    passes: String,
    /// the number over what is let pass; none where it is not judged
    ratio: Option<f64>,
}

/// Writes title, verdict and tiles.
pub fn write(out: &mut String, report: &Report) {
    let (class, sign, words) = match report.certificate.is_consistent {
        true => ("good", "\u{2713}", "Consistent with physics"),
        false => ("bad", "\u{2717}", "Not consistent with physics"),
    };
    let (clip, reasons) = (&report.inverse.trajectory.clip, reasons(report));
    let _ = writeln!(
        out,
        "<header>\n<p class=\"kind\">Physics certificate</p>\n<h1>{}</h1>\n<p class=\"facts\">{:.2} s, {} at \
         {:.0} per second; {:.1} kg{}</p>\n<div class=\"verdict {class}\"><p class=\"answer\"><span class=\"sign\">{sign}</span> \
         {words}</p>\n<p>{}</p>",
        escape(report.name),
        clip.duration(),
        counted(clip.frames(), "frame"),
        1.0 / clip.dt(),
        clip.figure().mass(),
        clip.figure().stature.map_or(String::new(), |s| format!(", {s:.2} m")),
        summary(report, reasons.len())
    );
    if !reasons.is_empty() {
        let list: String = reasons.iter().map(|r| format!("<li>{r}</li>")).collect();
        let _ = writeln!(out, "<ul>{list}</ul>");
    }
    out.push_str("</div>\n<div class=\"tiles\">\n");
    tiles(report).iter().for_each(|tile| tile.write(out));
    out.push_str("</div>\n</header>\n");
}

fn summary(report: &Report, reasons: usize) -> String {
    let c = report.certificate;
    if c.is_consistent {
        return format!(
            "Nothing speaks against it: ground and joints can give the forces this motion needs, up to {:.3} body weights \
             (rms), which is put down to measuring.",
            c.residual.force_rms_bw
        );
    }
    match (c.findings.len(), reasons) {
        (0, _) => "No single spell stands out, but forces are missing throughout:".into(),
        (n, told) if n > told => format!("What speaks most against it, of {n} findings:"),
        (_, 1) => "One thing speaks against it:".into(),
        _ => "What speaks against it:".into(),
    }
}

/// The worst of each kind, then forces that are missing in the mean; escaped.
fn reasons(report: &Report) -> Vec<String> {
    let c = report.certificate;
    let mut told: Vec<Fault> = Vec::new();
    let mut reasons = Vec::new();
    for (i, finding) in c.findings.iter().take(findings::MOST).enumerate() {
        if reasons.len() < REASONS && !told.contains(&finding.fault) {
            told.push(finding.fault);
            let (from, until) = report.span(&finding.frames);
            reasons.push(format!(
                "<a href=\"#finding-{}\">{from:.2} to {until:.2} s</a>: {}",
                i + 1,
                escape(&finding.what)
            ));
        }
    }
    let moment = c.residual.moment_rms / report.inverse.weight();
    for (value, limit, what, unit) in [
        (c.residual.force_rms_bw, limits::FORCE, "force", "body weights"),
        (moment, limits::MOMENT, "moment", "body weights \u{d7} m"),
    ] {
        if value > limit && reasons.len() < REASONS {
            reasons.push(format!(
                "a {what} of {value:.3} {unit} (rms) comes from nowhere; {limit} is put down to measuring"
            ));
        }
    }
    reasons
}

fn tiles(report: &Report) -> Vec<Tile> {
    let (c, inverse) = (report.certificate, report.inverse);
    let (r, weight) = (&c.residual, inverse.weight());
    let moment = r.moment_rms / weight;
    let is_even = inverse.touches.ground.is_even;
    let depth = c.contact.penetration_max;
    let mut tiles = vec![
        Tile {
            what: "Residual force, rms",
            value: format!("{:.3} BW", r.force_rms_bw),
            detail: format!("{:.0} N; peak {:.2} BW", r.force_rms, r.force_peak / weight),
            passes: format!("let pass: {} BW", limits::FORCE),
            ratio: Some(r.force_rms_bw / limits::FORCE),
        },
        Tile {
            what: "Residual moment, rms",
            value: format!("{moment:.3} BW\u{b7}m"),
            detail: format!("{:.0} N m; peak {:.2} BW\u{b7}m", r.moment_rms, r.moment_peak / weight),
            passes: format!("let pass: {} BW\u{b7}m", limits::MOMENT),
            ratio: Some(moment / limits::MOMENT),
        },
        Tile {
            what: "Peak ground force",
            value: format!("{:.2} BW", c.grf_peak),
            detail: format!("{:.0} N", c.grf_peak * weight),
            passes: format!("usual up to {} BW, in hard landings", limits::PEAK_FORCE),
            ratio: Some((c.grf_peak / limits::PEAK_FORCE).min(DOUBTFUL)),
        },
        Tile {
            what: "Deepest in the ground",
            value: if is_even { format!("{:.1} cm", 100.0 * depth) } else { "\u{2013}".into() },
            detail: if is_even { "of soles and hands".into() } else { "the ground is uneven".into() },
            passes: format!("let pass: {} cm", 100.0 * limits::DEPTH),
            ratio: is_even.then_some(depth / limits::DEPTH),
        },
        Tile {
            what: "Skating, mean",
            value: format!("{:.1} cm/s", 100.0 * c.contact.skate_mean),
            detail: skating(report),
            passes: format!("let pass: {:.0} cm/s in a stance", 100.0 * limits::SKATE),
            ratio: Some(skate_ratio(report)),
        },
    ];
    let mass = inverse.trajectory.clip.figure().mass();
    tiles.push(peak("Peak torque", &c.torque_peak, "N m", limits::PEAK_TORQUE, report, mass));
    tiles.push(peak("Peak power", &c.power_peak, "W", limits::PEAK_POWER, report, mass));
    tiles
}

fn peak(what: &'static str, peak: &Peak, unit: &str, limit: f64, report: &Report, mass: f64) -> Tile {
    let at = report.time(peak.frame.min(report.frames().saturating_sub(1)));
    Tile {
        what,
        value: format!("{:.0} {unit}", peak.value),
        detail: match peak.joint.is_empty() {
            true => String::new(),
            false => format!("{} at {at:.2} s; {:.1} {unit}/kg", peak.joint, peak.value / mass),
        },
        passes: format!("usual up to {limit} {unit}/kg"),
        ratio: Some((peak.value / (mass * limit)).min(DOUBTFUL)),
    }
}

fn skating(report: &Report) -> String {
    match report.certificate.findings.iter().filter(|f| f.fault == Fault::Skate).count() {
        0 => "of what touches, rolling included".into(),
        1 => "one stance slides".into(),
        n => format!("{n} stances slide"),
    }
}

/// The mean of all may hide a stance that slides.
fn skate_ratio(report: &Report) -> f64 {
    let all = report.certificate.findings.iter().filter(|f| f.fault == Fault::Skate);
    all.map(|f| f.severity).fold(report.certificate.contact.skate_mean / limits::SKATE, f64::max)
}

impl Tile {
    fn write(&self, out: &mut String) {
        let (class, sign, word) = match self.ratio {
            None => ("none", "\u{2013}", "not judged"),
            Some(r) if r <= 1.0 => ("good", "\u{2713}", "good"),
            Some(r) if r <= DOUBTFUL => ("doubtful", "!", "doubtful"),
            Some(_) => ("bad", "\u{2717}", "bad"),
        };
        let _ = writeln!(
            out,
            "<div class=\"tile {class}\"><p class=\"what\">{}</p><p class=\"value\">{}</p><p class=\"grade\"><span \
             class=\"sign\">{sign}</span> {word}</p><p class=\"detail\">{}</p><p class=\"detail\">{}</p></div>",
            self.what,
            escape(&self.value),
            escape(&self.detail),
            escape(&self.passes)
        );
    }
}
