//! Output: JSON or text on standard output, messages on standard error, and folders for files.

use anthropi_formats::Warning;
use anthropi_formats::names::counted;
use anthropi_motion::lamps::{LampState, Lamps};
use anthropi_motion::note::Note;
use anyhow::{Context, bail};
use clap::builder::styling::{AnsiColor, Color, Style};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use std::fs;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Most lines of notes, and of warnings about a file, without `--verbose`.
const MAX_LINES: usize = 3;

static IS_VERBOSE: AtomicBool = AtomicBool::new(false);

/// Print all notes from now on.
pub fn set_verbose() {
    IS_VERBOSE.store(true, Ordering::Relaxed);
}

/// Whether all notes are printed.
pub fn is_verbose() -> bool {
    IS_VERBOSE.load(Ordering::Relaxed)
}

/// Prints a command's result as JSON or as text.
pub fn show<V: Serialize, T: AsRef<str>>(
    as_json: bool,
    value: impl FnOnce() -> V,
    text: impl FnOnce() -> T,
) -> anyhow::Result<()> {
    if as_json { json(&value()) } else { print(text().as_ref()) }
}

/// Prints a command's JSON.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string(value)?;
    text.push('\n');
    print(&text)
}

/// Prints text. A closed pipe (`| head`) is not an error.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(e.into()),
        _ => Ok(()),
    }
}

/// Prints a message of a kind (`error`, `no`, `warning`, `note`) on standard error; does nothing if that is closed.
pub fn say(kind: &str, what: &str) {
    let tone = match kind {
        "warning" => Some(Tone::Caution),
        "error" | "no" => Some(Tone::Bad),
        _ => None,
    };
    let kind = tone.map_or(kind.to_string(), |tone| tone.paint(kind, has_colour(&io::stderr())));
    let _ = writeln!(io::stderr(), "{kind}: {what}");
}

/// Meaning of a coloured text.
#[derive(Clone, Copy, Debug)]
pub enum Tone {
    Good,
    Caution,
    Bad,
}

impl Tone {
    fn paint(self, text: &str, has_colour: bool) -> String {
        let colour = match self {
            Tone::Good => AnsiColor::Green,
            Tone::Caution => AnsiColor::Yellow,
            Tone::Bad => AnsiColor::Red,
        };
        let style = Style::new().bold().fg_color(Some(Color::Ansi(colour)));
        if has_colour { format!("{style}{text}{style:#}") } else { text.into() }
    }
}

/// The lamps as a line of signs and words, and a line with the reason of each that is not green; all with `--verbose`.
pub fn lamps(lamps: &Lamps) -> String {
    lamp_lines(lamps, is_verbose(), paint)
}

fn lamp_lines(lamps: &Lamps, with_all_reasons: bool, paint: impl Fn(&str, Tone) -> String) -> String {
    let look = |state: LampState| match state {
        LampState::Green => ('\u{2713}', Tone::Good),
        LampState::Amber => ('!', Tone::Caution),
        LampState::Red => ('\u{2717}', Tone::Bad),
    };
    let mut words = Vec::new();
    let mut reasons = String::new();
    for (name, lamp) in lamps.each() {
        let (sign, tone) = look(lamp.state);
        words.push(paint(&format!("{sign} {name}"), tone));
        if with_all_reasons || lamp.state != LampState::Green {
            reasons += &format!("  {name}: {}\n", lamp.reason);
        }
    }
    format!("{}\n{reasons}", words.join("   "))
}

/// Text for standard output, in colour on a terminal.
pub fn paint(text: &str, tone: Tone) -> String {
    tone.paint(text, has_colour(&io::stdout()))
}

/// Colour on terminals, unless `NO_COLOR` is set (no-color.org) or the terminal is dumb.
fn has_colour(stream: &impl IsTerminal) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A section of notes, warnings first; without `--verbose` at most three. Empty without notes.
pub fn notes(notes: &[Note]) -> String {
    let text = listed(notes, limit(), |n| match n.is_warning {
        true => format!("{}: {n}", paint("warning", Tone::Caution)),
        false => n.to_string(),
    });
    if text.is_empty() { text } else { format!("\nnotes\n{text}") }
}

/// Notes as indented lines: warnings, then the last routine notes, since those of readers come first; then the number
/// of notes left out.
fn listed(notes: &[Note], limit: usize, to_line: impl Fn(&Note) -> String) -> String {
    let (warnings, routine): (Vec<&Note>, Vec<&Note>) = notes.iter().partition(|n| n.is_warning);
    let room = limit.saturating_sub(warnings.len());
    let routine = &routine[routine.len().saturating_sub(room)..];
    let shown = warnings.iter().take(limit).chain(routine);
    let mut text: String = shown.map(|n| format!("  {}\n", to_line(n))).collect();
    if notes.len() > limit {
        text += &format!("  {}: --verbose\n", counted(notes.len() - limit, "more note"));
    }
    text
}

/// Prints warnings about a file on standard error; without `--verbose` at most three, and no routine ones.
pub fn warnings(file: &str, warnings: &[Warning]) {
    let limit = limit();
    let shown: Vec<&Warning> = warnings.iter().filter(|w| is_verbose() || !w.is_routine).collect();
    for w in shown.iter().take(limit) {
        let separator = if w.place.is_some() { ":" } else { ": " };
        say("warning", &format!("{file}{separator}{w}"));
    }
    if shown.len() > limit {
        say("warning", &format!("{file}: {}: --verbose", counted(shown.len() - limit, "more warning")));
    }
}

/// Most lines of notes, or of warnings about a file.
fn limit() -> usize {
    if is_verbose() { usize::MAX } else { MAX_LINES }
}

/// Creates a folder and its parents.
pub fn folder(path: &Path) -> anyhow::Result<()> {
    if path.exists() && !path.is_dir() {
        bail!("{}: is a file; expected a folder", path.display());
    }
    fs::create_dir_all(path).with_context(|| path.display().to_string())
}

/// A table without frame whose columns after the first are numbers.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A number with about six digits.
pub fn number(x: f64) -> String {
    /// Range of plain notation.
    const PLAIN: std::ops::Range<f64> = 1e-4..1e6;
    let x = x + 0.0; // no negative zeros
    if x == 0.0 || PLAIN.contains(&x.abs()) { format!("{x:.5}") } else { format!("{x:.4e}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_motion::lamps::Lamp;

    #[test]
    fn warnings_come_first_and_the_rest_is_counted() {
        let all = ["a".into(), "b".into(), "c".into(), Note::warning("d"), "e".into()];
        let plain = |n: &Note| n.to_string();
        assert_eq!(listed(&all, 3, plain), "  d\n  c\n  e\n  2 more notes: --verbose\n");
        assert_eq!(listed(&all, usize::MAX, plain), "  d\n  a\n  b\n  c\n  e\n");
        assert_eq!(listed(&all[..4], 3, plain), "  d\n  b\n  c\n  1 more note: --verbose\n");
        assert_eq!(listed(&[], 3, plain), "");
    }

    #[test]
    fn lamps_give_a_reason_unless_they_are_green() {
        let lamps = Lamps {
            physical: Lamp::green("all forces"),
            faithful: Some(Lamp::red("far")),
            certain: Lamp::amber("soles"),
        };
        let plain = |text: &str, _: Tone| text.to_string();
        let line = "\u{2713} physical   \u{2717} faithful   ! certain\n";
        let text = lamp_lines(&lamps, false, plain);
        assert_eq!(text, format!("{line}  faithful: far\n  certain: soles\n"));
        let text = lamp_lines(&lamps, true, plain);
        assert_eq!(text, format!("{line}  physical: all forces\n  faithful: far\n  certain: soles\n"));
        let alone = Lamps { faithful: None, certain: Lamp::green(""), ..lamps };
        assert_eq!(lamp_lines(&alone, false, plain), "\u{2713} physical   \u{2713} certain\n");
    }

    #[test]
    fn colour_wraps_the_text_and_only_on_request() {
        assert_eq!(Tone::Bad.paint("FELL", false), "FELL");
        let painted = Tone::Bad.paint("FELL", true);
        assert!(painted.starts_with("\u{1b}[") && painted.contains("FELL\u{1b}[0m"), "{painted:?}");
    }
}
