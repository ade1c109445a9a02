//! HTML reports, each one self-contained file: the physics certificate of a motion (here), a filtered motion (`filter`),
//! a walk (`walk`).
//!
//! | part | writes |
//! |---|---|
//! | `verdict` | the verdict, its reasons, and the key numbers (`header`) |
//! | `player` | an animation of the motion |
//! | `strip` | pictures of the figure, placed by `stage` |
//! | `surroundings` | a table of the props |
//! | `findings` | a table of the faults |
//! | `timeline` | contacts and faults over time |
//! | `curves` | forces, residuals and heights over time |
//! | `joints` | torques and powers of the joints with the largest torques |
//! | `method` | method, tolerances (`limits`) and sources |
//!
//! The markup is valid as HTML and XML and loads nothing. The page is complete without its script, which shows numbers
//! under the pointer and plays the motion.

mod curves;
pub mod filter;
mod findings;
mod header;
mod joints;
mod limits;
mod method;
mod player;
mod pressure;
mod stage;
mod strip;
mod surroundings;
mod timeline;
mod verdict;
pub mod walk;

#[cfg(feature = "batch")]
pub(crate) use header::disc;

use crate::assessment::Assessment;
use crate::plot::{Sheet, escape};
use std::fmt::{Display, Write};
use std::ops::Range;

/// Width of plots over the whole page, pixels.
const WIDTH: f64 = 960.0;
/// Most points of a line.
const POINTS: usize = 1500;

/// Writes the page of a motion with a title.
pub fn page(name: &str, motion: &Assessment) -> String {
    let mut out = beginning(&format!("{name}: physics certificate"));
    verdict::write(&mut out, name, motion);
    strip::write(&mut out, motion);
    surroundings::write(&mut out, &motion.inverse.schedule.props, &|f| motion.time(f));
    findings::write(&mut out, motion);
    section(&mut out, "over-time", "Over time");
    out.push_str("<div class=\"scroll\">\n");
    timeline::write(&mut out, motion);
    curves::write(&mut out, motion);
    out.push_str("</div>\n</section>\n");
    joints::write(&mut out, motion);
    method::write(&mut out, motion);
    end(&mut out);
    out
}

/// The page up to its content; escapes the title.
pub(crate) fn beginning(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{}</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n<main>\n",
        escape(title),
        include_str!("report/page.css")
    )
}

/// Closes the page.
pub(crate) fn end(out: &mut String) {
    let scripts = [include_str!("report/page.js"), include_str!("report/player.js")].concat();
    let _ = write!(out, "</main>\n<script>//<![CDATA[\n{scripts}//]]></script>\n</body>\n</html>\n");
}

impl Assessment {
    fn frames(&self) -> usize {
        self.inverse.frames.len()
    }

    fn time(&self, frame: usize) -> f64 {
        self.inverse.trajectory.clip.time(frame)
    }

    /// First and last instant of a range of frames.
    fn span(&self, frames: &Range<usize>) -> (f64, f64) {
        (self.time(frames.start), self.time(frames.end.clamp(frames.start + 1, self.frames()) - 1))
    }

    /// Sheet for plots over time; frames that were not assessed are greyed.
    fn sheet(&self, width: f64, height: f64) -> Sheet {
        let clip = &self.inverse.trajectory.clip;
        let (start, end) = (clip.start(), clip.end());
        let (from, until) = self.span(&self.certificate.assessed);
        let shades = vec![(start, from), (until, end)];
        Sheet { width, height, is_titled: false, x: Some((start, end)), shades, ..Sheet::default() }
    }
}

/// Opens a section; the caller closes it.
fn section(out: &mut String, id: &str, title: &str) {
    let _ = writeln!(out, "<section id=\"{id}\">\n<h2>{title}</h2>");
}

/// A picture with its caption, which also shows the numbers under the pointer; escapes `title` and `what`.
fn figure(out: &mut String, title: &str, what: &str, svg: &str) {
    let _ = writeln!(
        out,
        "<figure><figcaption><b>{}</b> <span>{}</span> <output></output></figcaption>{svg}</figure>",
        escape(title),
        escape(what)
    );
}

/// A table; cells are HTML, an empty header has no row.
pub(crate) fn table(out: &mut String, header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
    fn row<T: Display>(tag: &str, cells: impl IntoIterator<Item = T>) -> String {
        let cells: String = cells.into_iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect();
        format!("<tr>{cells}</tr>\n")
    }
    out.push_str("<div class=\"scroll\"><table class=\"limits\">\n");
    if !header.is_empty() {
        let _ = writeln!(out, "<thead>{}</thead>", row("th", header));
    }
    let rows: String = rows.into_iter().map(|cells| row("td", cells)).collect();
    let _ = write!(out, "<tbody>\n{rows}</tbody></table></div>\n");
}
