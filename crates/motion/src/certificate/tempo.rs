//! Playback speed: whether a motion would be plausible if played faster or slower (`tempo`).

use super::faults::{Fault, Faults, Finding, Unit};
use crate::tempo::Residuals;

/// Candidate speeds, relative to the given one.
const SPEEDS: [f64; 13] = [0.33, 0.36, 0.4, 0.45, 0.5, 0.55, 0.63, 0.71, 0.83, 1.2, 1.41, 1.7, 2.0];
/// Residuals below this need no explanation, body weights.
const MIN_RESIDUAL: f64 = 0.1;
/// Another speed must reduce the residual to less than this part.
const MAX_RESIDUAL_RATIO: f64 = 0.6;
/// Speeds with a residual up to this many times the least count as equally good.
const AS_GOOD: f64 = 1.5;

/// Adds a finding over the whole motion.
pub fn find(faults: &mut Faults) {
    let residuals = Residuals::new(faults.inverse, faults.assessed.clone());
    let missing = |k: f64| residuals.at(k);
    let now = missing(1.0);
    if now < MIN_RESIDUAL {
        return;
    }
    let tried = SPEEDS.map(|k| (k, missing(k)));
    let least = tried.iter().map(|t| t.1).fold(f64::INFINITY, f64::min);
    if least >= MAX_RESIDUAL_RATIO * now {
        return;
    }
    // slower than necessary is plausible too: of the good speeds, take the one nearest to that of the file
    let enough = (AS_GOOD * least).min(MAX_RESIDUAL_RATIO * now);
    let does = tried.iter().filter(|t| t.1 <= enough).min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)));
    let Some((k, least)) = does.copied() else { return };
    let (times, way) = if k < 1.0 { (1.0 / k, "fast") } else { (k, "slow") };
    let what = format!(
        "it plays at least {times:.1} times too {way}: the mean residual force is {now:.2} body weights, and {least:.2} at the \
         plausible speed"
    );
    let frames = faults.assessed.clone();
    let severity = now / least.max(0.1 * MIN_RESIDUAL);
    faults.findings.push(Finding {
        fault: Fault::Tempo,
        worst: frames.start,
        frames,
        size: times,
        unit: Unit::Ratio,
        severity,
        what,
    });
}

/// Logarithmic distance of a speed from the given one.
fn distance(k: f64) -> f64 {
    libm::log(k).abs()
}
