//! The verdict, its reasons, and the key numbers.

use super::header::{self, Grade, Header, Tile, write_lamps, write_tiles};
use super::{findings, limits};
use crate::assessment::Assessment;
use crate::plot::escape;
use anthropi_motion::certificate::{Fault, Peak};

/// Most reasons given.
const REASONS: usize = 3;
/// Up to this many times the tolerance a number is borderline, above it is bad.
const BORDERLINE: f64 = 2.0;

/// Writes the header.
pub fn write(out: &mut String, name: &str, motion: &Assessment) {
    let is_good = motion.certificate.is_consistent;
    let (grade, answer) = match motion.certificate.within_uncertainty() {
        Some(_) => {
            (Grade::Borderline("borderline"), "Consistent with physics, within the uncertainty of the model")
        }
        None if is_good => (Grade::Good("good"), "Consistent with physics"),
        None => (Grade::Bad("bad"), "Not consistent with physics"),
    };
    let reasons = reasons(motion);
    let list: String = reasons.iter().map(|r| format!("<li>{r}</li>")).collect();
    let list = if list.is_empty() { list } else { format!("<ul>{list}</ul>") };
    let header = Header {
        kind: "Physics certificate",
        name,
        facts: header::facts(&motion.inverse.trajectory.clip),
        grade,
        answer,
        summary: format!("<p>{}</p>{list}", summary(motion, reasons.len())),
    };
    header.open(out);
    write_lamps(out, &motion.lamps());
    write_tiles(out, &tiles(motion));
    out.push_str("</header>\n");
}

fn summary(motion: &Assessment, reasons: usize) -> String {
    let c = &motion.certificate;
    if c.is_consistent {
        return format!(
            "Ground contact and joints can produce the forces this motion needs, except for {:.3} body weights (rms), \
             which is within measurement error.",
            c.residual.force_rms_bw
        );
    }
    match (c.findings.len(), reasons) {
        (0, _) => "No single interval stands out, but the forces do not add up throughout:".into(),
        (n, shown) if n > shown => format!("The worst of {n} findings:"),
        (_, 1) => "One finding:".into(),
        _ => "Findings:".into(),
    }
}

/// The worst finding of each kind, then residuals above tolerance; escaped.
fn reasons(motion: &Assessment) -> Vec<String> {
    let c = &motion.certificate;
    let mut kinds: Vec<Fault> = Vec::new();
    let mut reasons = Vec::new();
    for (i, finding) in c.findings.iter().take(findings::MAX_SHOWN).enumerate() {
        if reasons.len() < REASONS && !kinds.contains(&finding.fault) {
            kinds.push(finding.fault);
            let (from, until) = motion.span(&finding.frames);
            reasons.push(format!(
                "<a href=\"#finding-{}\">{from:.2} to {until:.2} s</a>: {}",
                i + 1,
                escape(&finding.what)
            ));
        }
    }
    let moment = c.residual.moment_rms / motion.inverse.weight();
    let moment_limit = moment_limit(motion);
    for (value, limit, what, unit) in [
        (c.residual.force_rms_bw, limits::FORCE, "force", "body weights"),
        (moment, moment_limit, "moment", "body weights \u{d7} m"),
    ] {
        if value > limit && reasons.len() < REASONS {
            reasons.push(format!(
                "a residual {what} of {value:.3} {unit} (rms) has no source; the tolerance is {limit:.2}"
            ));
        }
    }
    reasons
}

fn tiles(motion: &Assessment) -> Vec<Tile> {
    let (c, inverse) = (&motion.certificate, &motion.inverse);
    let (r, weight) = (&c.residual, inverse.weight());
    let moment = r.moment_rms / weight;
    let is_even = inverse.schedule.ground.is_even;
    let depth = c.contact.penetration_max;
    let mut tiles = vec![
        tile(
            "Residual force, rms",
            format!("{:.3} BW", r.force_rms_bw),
            format!("{:.0} N; peak {:.2} BW", r.force_rms, r.force_peak / weight),
            format!("tolerance: {} BW", limits::FORCE),
            Some(r.force_rms_bw / limits::FORCE),
        ),
        tile(
            "Residual moment, rms",
            format!("{moment:.3} BW\u{b7}m"),
            format!("{:.0} N m; peak {:.2} BW\u{b7}m", r.moment_rms, r.moment_peak / weight),
            format!("tolerance: {:.2} BW\u{b7}m", moment_limit(motion)),
            Some(moment / moment_limit(motion)),
        ),
        tile(
            "Peak ground force",
            format!("{:.2} BW", c.grf_peak),
            format!("{:.0} N", c.grf_peak * weight),
            format!("typical up to {} BW, in hard landings", limits::PEAK_FORCE),
            Some((c.grf_peak / limits::PEAK_FORCE).min(BORDERLINE)),
        ),
        tile(
            "Penetration, max",
            if is_even { format!("{:.1} cm", 100.0 * depth) } else { "\u{2013}".into() },
            if is_even { "of soles and hands".into() } else { "the ground is uneven".into() },
            format!("tolerance: {} cm", 100.0 * limits::DEPTH),
            is_even.then_some(depth / limits::DEPTH),
        ),
        tile(
            "Foot skate, mean",
            format!("{:.1} cm/s", 100.0 * c.contact.skate_mean),
            skating(motion),
            format!("tolerance: {:.0} cm/s in a stance", 100.0 * limits::SKATE),
            Some(skate_ratio(motion)),
        ),
    ];
    let mass = inverse.trajectory.clip.figure().mass();
    tiles.push(peak("Peak torque", &c.torque_peak, "N m", limits::PEAK_TORQUE, motion, mass));
    tiles.push(peak("Peak power", &c.power_peak, "W", limits::PEAK_POWER, motion, mass));
    tiles
}

/// Tolerance of the residual moment, body weights times metres.
fn moment_limit(motion: &Assessment) -> f64 {
    motion.certificate.moment_limit / motion.inverse.weight()
}

fn peak(what: &'static str, peak: &Peak, unit: &str, limit: f64, motion: &Assessment, mass: f64) -> Tile {
    let at = motion.time(peak.frame.min(motion.frames().saturating_sub(1)));
    tile(
        what,
        format!("{:.0} {unit}", peak.value),
        match peak.joint.is_empty() {
            true => String::new(),
            false => format!("{} at {at:.2} s; {:.1} {unit}/kg", peak.joint, peak.value / mass),
        },
        format!("typical up to {limit} {unit}/kg"),
        Some((peak.value / (mass * limit)).min(BORDERLINE)),
    )
}

fn skating(motion: &Assessment) -> String {
    match motion.certificate.findings.iter().filter(|f| f.fault == Fault::Skate).count() {
        0 => "of all contacts, including rolling".into(),
        1 => "one stance slides".into(),
        n => format!("{n} stances slide"),
    }
}

/// Includes single stances that slide, which the mean may hide.
fn skate_ratio(motion: &Assessment) -> f64 {
    let all = motion.certificate.findings.iter().filter(|f| f.fault == Fault::Skate);
    all.map(|f| f.severity).fold(motion.certificate.contact.skate_mean / limits::SKATE, f64::max)
}

/// Tile of a value with its tolerance and their ratio, if it is assessed.
fn tile(what: &'static str, value: String, detail: String, tolerance: String, ratio: Option<f64>) -> Tile {
    let grade = match ratio {
        None => Grade::NotAssessed("not assessed"),
        Some(r) if r <= 1.0 => Grade::Good("good"),
        Some(r) if r <= BORDERLINE => Grade::Borderline("borderline"),
        Some(_) => Grade::Bad("bad"),
    };
    Tile { what, value, grade, details: vec![detail, tolerance] }
}
