//! What came out, for scripts and for people.

use crate::args::FilterArgs;
use crate::report;
use anthropi_io::judging::{Judged, mode_name};
use anthropi_io::names::counted;
use anthropi_io::report::filter::compared;
use std::fmt::Write;
use std::path::Path;

/// What may keep a figure on its feet.
const TO_TRY: &str =
    "\nto try: --cut FROM,TO for the part that works, --friction 1.2, --strength none, a gentler edit\n";

/// For people.
pub fn to_text(judged: &Judged, args: &FilterArgs) -> String {
    let (filtered, clip) = (&judged.filtered, &judged.filtered.clip);
    let mut text = format!(
        "{}: {}, {:.2} s at {:.4} frames a second, filtered {}: {}\n\n",
        clip.name,
        counted(clip.frames(), "frame"),
        clip.duration(),
        1.0 / clip.dt(),
        mode_name(judged.mode),
        filtered.fell.map_or("it stands".into(), |t| format!("it FELL at {t:.2} s")),
    );
    let mut table = report::table(&["", "given", "filtered", "by its motion alone"]);
    for row in compared(&judged.report()) {
        table.add_row([&[row.what.to_string()][..], &row.values].concat());
    }
    let _ = writeln!(text, "{table}\n");
    let (tracking, clock) = (&filtered.tracking, &judged.clock);
    let mut line = |what: &str, value: String| {
        let _ = writeln!(text, "  {what:<18}{value}");
    };
    line(
        "from the motion",
        format!(
            "joints {:.2} deg rms, {:.1} deg at most; root {:.1} cm, links {:.1} cm rms",
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
            "{:.1} times real time; {half:.2} ms a frame, 99 % below {most:.2} ms; delay {}",
            judged.realtime_factor(),
            counted(filtered.delay, "frame")
        ),
    );
    text.push_str("\nnotes\n");
    judged.notes.iter().for_each(|n| {
        let _ = writeln!(text, "  {n}");
    });
    if filtered.fell.is_some() {
        text.push_str(TO_TRY);
    }
    text.push('\n');
    text.push_str(&files(args.out.as_deref(), args.report.as_deref(), args.record.as_deref()));
    text
}

/// What was written, or how to have it written.
pub fn files(out: Option<&Path>, page: Option<&Path>, record: Option<&Path>) -> String {
    let mut text = String::new();
    let mut say = |what: &str| {
        let _ = writeln!(text, "{what}");
    };
    match out {
        Some(out) => say(&format!("motion: {}", out.display())),
        None => say("the motion is not written; --out FILE.bvh keeps it"),
    }
    match page {
        Some(page) => say(&format!("to see it: open {} in a browser", page.display())),
        None => say("to see it: --report FILE.html writes a page with pictures and plots"),
    }
    if let Some(dir) = record {
        say(&format!("every step, for other engines: {}", dir.display()));
    }
    text
}
