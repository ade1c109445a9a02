//! The outcome, and what changed, in a sentence.

use super::super::header::{self, Grade, Header, write_lamps};
use super::compare::VERDICT;
use super::compared;
use crate::assessment::FilterOutcome;
use crate::assessment::assistance::{ASSISTED, amount};
use crate::plot::escape;
use anthropi_motion::filter::Mode;
use anthropi_motion::lamps::LampState;

/// Writes the header.
pub fn write(out: &mut String, outcome: &FilterOutcome) {
    let (lamps, (grade, answer)) = (outcome.lamps(), answer(outcome));
    let header = Header {
        kind: match outcome.mode {
            Mode::Online => "Dynamics filter, on-line",
            Mode::Offline => "Dynamics filter, off-line",
        },
        name: &outcome.input.inverse.trajectory.clip.name,
        facts: header::facts(&outcome.filtered.clip),
        grade,
        answer: &answer,
        summary: format!("<p>{}</p>", escape(&changes(outcome))),
    };
    header.open(out);
    write_lamps(out, &lamps);
    out.push_str("</header>\n");
}

/// The outcome in words; only a motion that is physical and still the given one is good.
fn answer(outcome: &FilterOutcome) -> (Grade, String) {
    let (filtered, lamps) = (&outcome.filtered, outcome.lamps());
    let (grade, answer) = match outcome.verdict() {
        ASSISTED => (Grade::Borderline("borderline"), format!("No fall, {ASSISTED}")),
        _ => header::outcome(outcome.fell(), filtered.is_consistent()),
    };
    if !filtered.is_consistent_but_for_assistance() {
        return (grade, answer);
    }
    match (lamps.faithful.map(|l| l.state), lamps.certain.state) {
        (Some(LampState::Red), _) => (Grade::Bad("bad"), format!("{answer}, but far from the given motion")),
        (Some(LampState::Amber), _) => {
            (Grade::Borderline("borderline"), format!("{answer}, but not quite the given motion"))
        }
        (_, LampState::Red) => {
            (Grade::Borderline("borderline"), format!("{answer}, but for a doubtful figure"))
        }
        _ => (grade, answer),
    }
}

/// Changes of the motion, in a sentence or two.
fn changes(outcome: &FilterOutcome) -> String {
    let (residual, tracking) = (&outcome.input.certificate.residual, &outcome.filtered.tracking);
    let broken: Vec<String> = compared(outcome)
        .into_iter()
        .filter(|row| row.is_good[1] == Some(false) && row.what != VERDICT)
        .map(|row| format!("{}: {}", row.what, row.values[1]))
        .collect();
    let broken =
        if broken.is_empty() { String::new() } else { format!(" Out of tolerance: {}.", broken.join("; ")) };
    let until = match outcome.filtered.falls {
        0 => String::new(),
        1 => " These numbers end at the fall; the simulation then restarts from the reference.".into(),
        n => format!(
            " These numbers end at the first of {n} falls; after each the simulation restarts from the reference."
        ),
    };
    let assist = outcome.filtered.assist_report();
    let assisted = match assist.is_used() {
        true => format!(" Assistance: {}.", amount(&assist, "body weights")),
        false => String::new(),
    };
    let speed = match outcome.speed() {
        1.0 => String::new(),
        speed => format!(
            " The motion is filtered at {speed:.2} times its given speed: {:.0} frames per second instead of {:.0}; the \
             measures of the input are those at the given speed.",
            1.0 / outcome.filtered.clip.dt(),
            1.0 / outcome.input.inverse.given.dt()
        ),
    };
    format!(
        "The input has a residual force of {:.3} body weights (rms), the filtered motion one of {:.0e} N. Joints differ by \
         {:.1}\u{b0} and the root by {:.1} cm (rms).{assisted}{speed}{until}{broken}",
        residual.force_rms_bw,
        outcome.filtered.audit.force_rms,
        tracking.joint_rms_deg,
        100.0 * tracking.root_rms_m,
    )
}
