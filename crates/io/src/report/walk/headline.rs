//! Whether it fell, and what was asked and walked.

use super::Report;
use crate::plot::escape;
use std::fmt::Write;

/// Writes title and answer.
pub fn write(out: &mut String, report: &Report) {
    let _ = writeln!(out, "<header>\n<h1>{}</h1></header>", escape(report.name));
}
