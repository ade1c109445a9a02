//! Comparison with the neutral walk.

use super::super::{section, table};
use super::Report;
use anthropi_motion::gait::GaitMeasures;
use serde::Serialize;

/// A measure of a walk and of the neutral one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// JSON key
    #[serde(skip)]
    pub key: &'static str,
    /// label
    #[serde(skip)]
    pub what: &'static str,
    /// unit
    #[serde(skip)]
    pub unit: &'static str,
    /// decimals
    #[serde(skip)]
    pub digits: usize,
    /// of this walk
    pub this: f64,
    /// of the neutral walk
    pub neutral: f64,
    /// difference
    pub by: f64,
}

impl Compared {
    /// Both values and the difference as text.
    pub fn numbers(&self) -> [String; 3] {
        let digits = self.digits;
        [
            format!("{:.digits$}", self.this),
            format!("{:.digits$}", self.neutral),
            format!("{:+.digits$}", self.by),
        ]
    }
}

/// All compared measures; short walks lack those of steady steps.
pub fn compared(this: &GaitMeasures, neutral: &GaitMeasures) -> Vec<Compared> {
    let row = |key, what, unit, digits, of: &dyn Fn(&GaitMeasures) -> f64| {
        let (this, neutral) = (of(this), of(neutral));
        Compared { key, what, unit, digits, this, neutral, by: this - neutral }
    };
    let peak = |m: &GaitMeasures, name: &str| m.determinant(name).map_or(0.0, |r| r.max);
    let lateral = |m: &GaitMeasures| m.determinant("lateral").map_or(0.0, |r| r.extent());
    let mut rows = vec![
        row("speed", "speed", "m/s", 3, &|m| m.speed),
        row("step_length", "step length", "m", 3, &|m| m.length),
        row("step_frequency", "step frequency", "per s", 3, &|m| m.frequency),
        row("double_support_fraction", "double support", "of the cycle", 3, &|m| m.double_support),
        row("vertical_m", "vertical excursion of the centre of mass", "m", 3, &|m| m.vertical),
        row("lateral_m", "lateral excursion of the centre of mass", "m", 3, &lateral),
        row("knee_stance_deg", "stance knee flexion, max", "deg", 1, &|m| peak(m, "stance_knee")),
        row("knee_swing_deg", "swing knee flexion, max", "deg", 1, &|m| peak(m, "swing_knee")),
        row("lean_deg", "forward lean of the chest, mean", "deg", 1, &|m| m.lean),
        row("peak_force_bw", "peak vertical force", "BW", 2, &|m| m.load.max),
    ];
    rows.retain(|r| r.this.is_finite() && r.neutral.is_finite());
    rows
}

/// Writes the section if there is a neutral walk.
pub fn write(out: &mut String, report: &Report) {
    let Some(neutral) = &report.neutral else { return };
    section(out, "compare", "Comparison with the neutral walk");
    let row = |c: &Compared| [&[c.what.to_string()], &c.numbers()[..], &[c.unit.to_string()]].concat();
    let rows = compared(&report.walked.measured, neutral);
    table(out, &["", "this walk", "neutral", "difference", ""], rows.iter().map(row));
    out.push_str(
        "<p class=\"note\">The neutral walk: the same figure at its self-selected speed.</p>\n</section>\n",
    );
}
