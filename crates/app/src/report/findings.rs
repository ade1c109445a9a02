//! The table of findings, worst first.

use super::{limits, section};
use crate::assessment::Assessment;
use crate::plot::escape;
use anthropi_formats::names::counted;
use anthropi_motion::certificate::Finding;
use std::fmt::Write;

/// Rows visible at first, and rows in all.
const SEEN: usize = 20;
pub const MAX_SHOWN: usize = 1000;

/// Writes the section.
pub fn write(out: &mut String, motion: &Assessment) {
    let findings = &motion.certificate.findings;
    section(out, "findings", "Findings");
    if findings.is_empty() {
        out.push_str("<p>No faults.</p>\n</section>\n");
        return;
    }
    out.push_str(
        "<p class=\"note\">Worst first; faults that may be caused by another fault come after it. Numbers link to the \
         timeline.</p>\n",
    );
    table(out, motion, 0, &findings[..findings.len().min(SEEN)]);
    if findings.len() > SEEN {
        let rest = &findings[SEEN..findings.len().min(MAX_SHOWN)];
        let _ = writeln!(out, "<details><summary>{} more</summary>", rest.len());
        table(out, motion, SEEN, rest);
        out.push_str("</details>\n");
    }
    if findings.len() > MAX_SHOWN {
        let more = counted(findings.len() - MAX_SHOWN, "less severe finding");
        let _ = writeln!(out, "<p class=\"note\">Left out: {more}.</p>");
    }
    out.push_str("</section>\n");
}

fn table(out: &mut String, motion: &Assessment, before: usize, findings: &[Finding]) {
    out.push_str(
        "<div class=\"scroll\"><table class=\"findings\"><thead><tr><th>#</th><th>Fault</th><th>Time, s</th>\
         <th>Frames</th><th>Size</th><th>Tolerance</th><th>Explanation</th></tr></thead>\n<tbody>\n",
    );
    for (i, f) in findings.iter().enumerate() {
        let (n, (from, until)) = (before + i + 1, motion.span(&f.frames));
        let grade = if f.severity > 2.0 { "bad" } else { "borderline" };
        let _ = writeln!(
            out,
            "<tr id=\"finding-{n}\"><td><a href=\"#interval-{n}\">{n}</a></td><td><span class=\"dot {grade}\"></span> {}</td>\
             <td class=\"number\">{from:.2}\u{2013}{until:.2}</td><td class=\"number\">{}\u{2013}{}</td><td class=\"number\">{}\
             </td><td class=\"number\">{}</td><td>{}</td></tr>",
            f.fault,
            f.frames.start,
            f.frames.end.max(f.frames.start + 1) - 1,
            limits::size(f),
            limits::tolerance(f),
            escape(&f.what)
        );
    }
    out.push_str("</tbody></table></div>\n");
}
