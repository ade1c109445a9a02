//! Headers of pages: title, verdict, and tiles with the key numbers.

use crate::plot::escape;
use anthropi_formats::names::counted;
use anthropi_motion::clip::Clip;
use anthropi_motion::lamps::{Lamp, LampState, Lamps};
use std::fmt::Write;

/// Title and verdict; texts except `summary` are escaped here.
pub struct Header<'a> {
    pub kind: &'a str,
    pub name: &'a str,
    pub facts: String,
    pub grade: Grade,
    pub answer: &'a str,
    /// HTML
    pub summary: String,
}

impl Header<'_> {
    /// Opens the header; the caller closes it.
    pub fn open(&self, out: &mut String) {
        let (class, sign, _) = self.grade.look();
        let _ = writeln!(
            out,
            "<header>\n<p class=\"kind\">{}</p>\n<h1>{}</h1>\n<p class=\"facts\">{}</p>\n<div class=\"verdict {class}\">\
             <p class=\"answer\"><span class=\"sign\">{sign}</span> {}</p>\n{}</div>",
            escape(self.kind),
            escape(self.name),
            escape(&self.facts),
            escape(self.answer),
            self.summary
        );
    }
}

/// Writes the lamps with their reasons.
pub fn write_lamps(out: &mut String, lamps: &Lamps) {
    out.push_str("<ul class=\"lamps\">\n");
    for (name, Lamp { state, reason }) in lamps.each() {
        let _ = writeln!(
            out,
            "<li>{}<div><b>{name}: {}</b><p>{}</p></div></li>",
            disc(*state),
            answer(*state),
            escape(reason)
        );
    }
    out.push_str("</ul>\n");
}

/// A lamp as a coloured shape with a sign.
pub(crate) fn disc(state: LampState) -> String {
    let sign = match state {
        LampState::Green => Grade::Good(""),
        LampState::Amber => Grade::Borderline(""),
        LampState::Red => Grade::Bad(""),
    };
    format!("<span class=\"lamp {state}\" title=\"{state}\">{}</span>", sign.look().1)
}

/// A state as an answer.
fn answer(state: LampState) -> &'static str {
    match state {
        LampState::Green => "yes",
        LampState::Amber => "with reservations",
        LampState::Red => "no",
    }
}

/// Outcome of a simulation in words, and its grade.
pub fn outcome(fell: Option<f64>, is_consistent: bool) -> (Grade, String) {
    let answer = match (fell, is_consistent) {
        (Some(t), _) => format!("Fell at {t:.2} s"),
        (None, true) => "No fall, physically consistent".into(),
        (None, false) => "No fall, but not physically consistent".into(),
    };
    (Grade::from(fell.is_none() && is_consistent), answer)
}

/// Duration, frames and body of a clip.
pub fn facts(clip: &Clip) -> String {
    let figure = clip.figure();
    format!(
        "{:.2} s, {} at {:.0} per second; {:.1} kg{}",
        clip.duration(),
        counted(clip.frames(), "frame"),
        1.0 / clip.dt(),
        figure.mass(),
        figure.stature.map_or(String::new(), |s| format!(", {s:.2} m"))
    )
}

/// Grade of a number.
#[derive(Clone, Copy, PartialEq)]
pub enum Grade {
    Good(&'static str),
    Borderline(&'static str),
    Bad(&'static str),
    NotAssessed(&'static str),
    /// shows nothing
    None,
}

impl Grade {
    /// CSS class, sign and word.
    fn look(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Grade::Good(word) => ("good", "\u{2713}", word),
            Grade::Borderline(word) => ("borderline", "!", word),
            Grade::Bad(word) => ("bad", "\u{2717}", word),
            Grade::NotAssessed(word) => ("none", "\u{2013}", word),
            Grade::None => ("none", "", ""),
        }
    }
}

impl From<bool> for Grade {
    fn from(is_good: bool) -> Grade {
        if is_good { Grade::Good("good") } else { Grade::Bad("bad") }
    }
}

/// A key number.
pub struct Tile {
    pub what: &'static str,
    pub value: String,
    pub grade: Grade,
    pub details: Vec<String>,
}

impl Tile {
    fn write(&self, out: &mut String) {
        let (class, sign, word) = self.grade.look();
        let _ = write!(
            out,
            "<div class=\"tile {class}\"><p class=\"what\">{}</p><p class=\"value\">{}</p>",
            self.what,
            escape(&self.value)
        );
        if self.grade != Grade::None {
            let _ = write!(out, "<p class=\"grade\"><span class=\"sign\">{sign}</span> {word}</p>");
        }
        for detail in &self.details {
            let _ = write!(out, "<p class=\"detail\">{}</p>", escape(detail));
        }
        out.push_str("</div>\n");
    }
}

/// Writes tiles.
pub fn write_tiles(out: &mut String, tiles: &[Tile]) {
    out.push_str("<div class=\"tiles\">\n");
    tiles.iter().for_each(|tile| tile.write(out));
    out.push_str("</div>\n");
}
