//! What was found about a motion as a page that people read: one HTML file that needs nothing else.
//!
//! Here: the certificate of a motion. What the filter made of one: `filter`. A walk: `walk`.
//!
//! | part | what it writes |
//! |---|---|
//! | `verdict` | the answer in words, its reasons, and the key numbers |
//! | `player` | the motion to be played |
//! | `strip` | pictures of the figure, on their `stage` |
//! | `findings` | a table of what is wrong |
//! | `timeline` | contacts and faults over time |
//! | `curves` | forces, residuals and heights over time |
//! | `joints` | torques and powers of the largest joints |
//! | `method` | how it was judged, and by what limits (`limits`) |
//!
//! The markup is HTML and XML at once. Nothing is loaded from elsewhere. The page is complete without its script, which
//! adds numbers under the pointer and plays the motion.

mod curves;
pub mod filter;
mod findings;
mod joints;
mod limits;
mod method;
mod player;
mod stage;
mod strip;
mod timeline;
mod verdict;
pub mod walk;

use crate::plot::{Sheet, escape};
use anthropi_motion::certificate::Certificate;
use anthropi_motion::inverse::Inverse;
use std::fmt::Write;
use std::ops::Range;

/// What a page tells.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// what the clip or its file is called
    pub name: &'a str,
    /// forces behind the motion
    pub inverse: &'a Inverse,
    /// what was found in them
    pub certificate: &'a Certificate,
    /// what the reader and the person said, a sentence each
    pub notes: &'a [String],
}

/// Width of plots over the whole page, pixels.
const WIDTH: f64 = 960.0;
/// Most points of a line in them.
const POINTS: usize = 1500;

/// The page.
pub fn page(report: &Report) -> String {
    let mut out = beginning(&format!("{}: physics certificate", report.name));
    verdict::write(&mut out, report);
    strip::write(&mut out, report);
    findings::write(&mut out, report);
    section(&mut out, "over-time", "Over time");
    out.push_str("<div class=\"scroll\">\n");
    timeline::write(&mut out, report);
    curves::write(&mut out, report);
    out.push_str("</div>\n</section>\n");
    joints::write(&mut out, report);
    method::write(&mut out, report);
    end(&mut out);
    out
}

/// The page up to its content; the title is escaped here.
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

/// What comes after the content.
pub(crate) fn end(out: &mut String) {
    let scripts = [include_str!("report/page.js"), include_str!("report/player.js")].concat();
    let _ = write!(out, "</main>\n<script>//<![CDATA[\n{scripts}//]]></script>\n</body>\n</html>\n");
}

impl Report<'_> {
    fn frames(&self) -> usize {
        self.inverse.frames.len()
    }

    fn time(&self, frame: usize) -> f64 {
        self.inverse.trajectory.clip.time(frame)
    }

    /// First and last instant of a spell.
    fn span(&self, frames: &Range<usize>) -> (f64, f64) {
        (self.time(frames.start), self.time(frames.end.clamp(frames.start + 1, self.frames()) - 1))
    }

    /// Paper for plots that share the axis of time, frames that were not judged greyed.
    fn sheet(&self, width: f64, height: f64) -> Sheet {
        let clip = &self.inverse.trajectory.clip;
        let (start, end) = (clip.start(), clip.end());
        let (from, until) = self.span(&self.certificate.judged);
        let shades = vec![(start, from), (until, end)];
        Sheet { width, height, is_titled: false, x: Some((start, end)), shades, ..Sheet::default() }
    }
}

/// Begins a section; who begins it ends it.
fn section(out: &mut String, id: &str, title: &str) {
    let _ = writeln!(out, "<section id=\"{id}\">\n<h2>{title}</h2>");
}

/// A picture with its caption; `title` and `what` are escaped here. Numbers under the pointer go into the caption.
fn figure(out: &mut String, title: &str, what: &str, svg: &str) {
    let _ = writeln!(
        out,
        "<figure><figcaption><b>{}</b> <span>{}</span> <output></output></figcaption>{svg}</figure>",
        escape(title),
        escape(what)
    );
}
