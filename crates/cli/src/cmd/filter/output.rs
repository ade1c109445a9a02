//! The result as text.

use crate::args::FilterArgs;
use crate::report::{self, Tone};
use anthropi_app::assessment::FilterOutcome;
use anthropi_app::assessment::assistance::{ASSISTED, UNFAITHFUL, amount, intervals};
use anthropi_app::report::filter::compared;
use anthropi_app::result::mode_name;
use anthropi_formats::names::counted;
use anthropi_motion::filter::Mode;
use std::fmt::Write;
use std::path::Path;

/// Advice after a fall, and off-line in addition.
const TO_TRY: &str =
    "\ntry: --cut FROM,TO for the part that works, --friction 1.2, --strength none, a gentler edit";
const TO_TRY_OFFLINE: &str = ", --assist 1";

/// The result as text.
pub fn to_text(outcome: &FilterOutcome, args: &FilterArgs) -> String {
    let (filtered, clip) = (&outcome.filtered, &outcome.filtered.clip);
    let mut text = format!(
        "{}: {}, {:.2} s at {:.4} frames per second, filtered {}: {}\n\n",
        clip.name,
        counted(clip.frames(), "frame"),
        clip.duration(),
        1.0 / clip.dt(),
        mode_name(outcome.mode),
        filtered.fell.map_or("no fall".into(), |t| report::paint(&format!("FELL at {t:.2} s"), Tone::Bad)),
    );
    let mut table = report::table(&["", "input", "filtered", "re-estimated from kinematics"]);
    for row in compared(outcome) {
        table.add_row([&[row.what.to_string()][..], &row.values].concat());
    }
    let _ = writeln!(text, "{}\n", with_coloured_verdict(&table.to_string()));
    let _ = writeln!(text, "{}", report::lamps(&outcome.lamps()));
    let (tracking, clock) = (&filtered.tracking, &outcome.clock);
    let assist = filtered.assist_report();
    let mut line = |what: &str, value: String| {
        let _ = writeln!(text, "  {what:<18}{value}");
    };
    for prop in &filtered.props {
        line("surroundings", prop.describe(|f| clip.time(f)));
    }
    if assist.is_used() {
        let about = format!("{}: {}", amount(&assist, "BW"), intervals(&assist));
        line("assistance", report::paint(&about, Tone::Caution));
    }
    line(
        "tracking error",
        format!(
            "joints {:.2} deg rms, {:.1} deg max; root {:.1} cm, links {:.1} cm rms",
            tracking.joint_rms_deg,
            tracking.joint_max_deg,
            100.0 * tracking.root_rms_m,
            100.0 * tracking.link_rms_m
        ),
    );
    let [half, most] = [0.5, 0.99].map(|part| clock.quantile(part).unwrap_or(f64::NAN) / 1e3);
    line(
        "speed",
        format!(
            "{:.1} times real time; {half:.2} ms per frame (median), {most:.2} ms (99 %); delay {}",
            outcome.realtime_factor(),
            counted(filtered.delay, "frame")
        ),
    );
    text.push_str(&report::notes(&outcome.notes));
    if filtered.fell.is_some() {
        text.push_str(TO_TRY);
        text.push_str(if outcome.mode == Mode::Offline { TO_TRY_OFFLINE } else { "" });
        text.push('\n');
    }
    text.push('\n');
    text.push_str(&files(args.out.as_deref(), args.report.as_deref(), args.record.as_deref()));
    text
}

/// Colours the last row, the verdict.
fn with_coloured_verdict(table: &str) -> String {
    /// Longer words first.
    const WORDS: [(&str, Tone); 4] = [
        (ASSISTED, Tone::Caution),
        (UNFAITHFUL, Tone::Bad),
        ("not consistent", Tone::Bad),
        ("consistent", Tone::Good),
    ];
    let (rows, mut rest) = table.rsplit_once('\n').unwrap_or(("", table));
    let mut verdict = String::new();
    while let Some(letter) = rest.chars().next() {
        let found = WORDS.iter().find(|(word, _)| rest.starts_with(word));
        let (part, after) = rest.split_at(found.map_or(letter.len_utf8(), |(word, _)| word.len()));
        match found {
            Some((_, tone)) => verdict.push_str(&report::paint(part, *tone)),
            None => verdict.push_str(part),
        }
        rest = after;
    }
    format!("{rows}\n{verdict}")
}

/// Files written, or the options that write them.
pub fn files(out: Option<&Path>, page: Option<&Path>, record: Option<&Path>) -> String {
    let mut text = String::new();
    let mut say = |what: &str| {
        let _ = writeln!(text, "{what}");
    };
    match out {
        Some(out) => say(&format!("motion: {}", out.display())),
        None => say("the motion is not saved; use --out FILE.bvh"),
    }
    match page {
        Some(page) => say(&format!("report: open {} in a browser", page.display())),
        None => say("for pictures and plots: --report FILE.html"),
    }
    if let Some(dir) = record {
        say(&format!("record of all steps: {}", dir.display()));
    }
    text
}
