//! Against the neutral walk.

use super::super::section;
use super::Report;
use anthropi_motion::gait::Look;
use std::fmt::Write;

/// A number of a walk and of the neutral one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// for programs
    pub key: &'static str,
    /// for people
    pub what: &'static str,
    /// as people are shown it
    pub unit: &'static str,
    /// behind the point
    pub digits: usize,
    /// this walk's and the neutral one's
    pub values: [f64; 2],
}

/// All that is compared, in the order it is shown; a walk of a step or two lacks what is measured over steady ones.
pub fn compared(looks: &[Look; 2]) -> Vec<Compared> {
    let row = |key, what, unit, digits, of: fn(&Look) -> f64| Compared {
        key,
        what,
        unit,
        digits,
        values: [of(&looks[0]), of(&looks[1])],
    };
    let mut rows = vec![
        row("speed", "speed", "m/s", 3, |l| l.speed),
        row("step_length", "step length", "m", 3, |l| l.step_length),
        row("step_frequency", "step frequency", "per s", 3, |l| l.step_frequency),
        row("double_support_fraction", "double support", "of the cycle", 3, |l| l.double_support),
        row("vertical_m", "rise and fall of the centre of mass", "m", 3, |l| l.vertical),
        row("lateral_m", "its way from side to side", "m", 3, |l| l.lateral),
        row("knee_stance_deg", "knee in stance, most", "deg", 1, |l| l.knee_stance),
        row("knee_swing_deg", "knee in swing, most", "deg", 1, |l| l.knee_swing),
        row("lean_deg", "chest ahead, mean", "deg", 1, |l| l.lean),
        row("peak_force_bw", "peak vertical force", "BW", 2, |l| l.peak),
    ];
    rows.retain(|r| r.values.iter().all(|x| x.is_finite()));
    rows
}

/// Writes the section, where there is something to compare.
pub fn write(out: &mut String, report: &Report) {
    let Some(looks) = &report.looks else { return };
    section(out, "compare", "Against the neutral walk");
    out.push_str(
        "<div class=\"scroll\"><table class=\"limits\"><thead><tr><th></th><th>this walk</th><th>neutral</th>\
         <th>difference</th><th></th></tr></thead>\n<tbody>\n",
    );
    for Compared { what, unit, digits, values: [this, neutral], .. } in compared(looks) {
        let _ = writeln!(
            out,
            "<tr><td>{what}</td><td class=\"number\">{this:.digits$}</td><td class=\"number\">{neutral:.digits$}</td>\
             <td class=\"number\">{:+.digits$}</td><td>{unit}</td></tr>",
            this - neutral
        );
    }
    out.push_str(
        "</tbody></table></div>\n<p class=\"note\">The neutral walk is that of the same figure at the speed people choose when \
         nothing is asked of them.</p>\n</section>\n",
    );
}
