//! A table of what is wrong, worst first.

use super::{Report, limits, section};
use crate::names::counted;
use crate::plot::escape;
use anthropi_motion::certificate::Finding;
use std::fmt::Write;

/// So many rows are seen at once, and so many are there at all.
const SEEN: usize = 20;
pub const MOST: usize = 1000;

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    let findings = &report.certificate.findings;
    section(out, "findings", "What was found");
    if findings.is_empty() {
        out.push_str("<p>No spell of frames in which something is wrong.</p>\n</section>\n");
        return;
    }
    out.push_str(
        "<p class=\"note\">Worst first; what may only follow from another fault comes after it. Numbers lead to the time \
         line.</p>\n",
    );
    table(out, report, 0, &findings[..findings.len().min(SEEN)]);
    if findings.len() > SEEN {
        let rest = &findings[SEEN..findings.len().min(MOST)];
        let _ = writeln!(out, "<details><summary>{} more</summary>", rest.len());
        table(out, report, SEEN, rest);
        out.push_str("</details>\n");
    }
    if findings.len() > MOST {
        let more = counted(findings.len() - MOST, "less severe finding");
        let _ = writeln!(out, "<p class=\"note\">Left out: {more}.</p>");
    }
    out.push_str("</section>\n");
}

fn table(out: &mut String, report: &Report, before: usize, findings: &[Finding]) {
    out.push_str(
        "<div class=\"scroll\"><table class=\"findings\"><thead><tr><th>#</th><th>Fault</th><th>Time, s</th>\
         <th>Frames</th><th>Size</th><th>Let pass</th><th>What it means</th></tr></thead>\n<tbody>\n",
    );
    for (i, f) in findings.iter().enumerate() {
        let (n, (from, until)) = (before + i + 1, report.span(&f.frames));
        let grade = if f.severity > 2.0 { "bad" } else { "doubtful" };
        let _ = writeln!(
            out,
            "<tr id=\"finding-{n}\"><td><a href=\"#spell-{n}\">{n}</a></td><td><span class=\"dot {grade}\"></span> {}</td>\
             <td class=\"number\">{from:.2}\u{2013}{until:.2}</td><td class=\"number\">{}\u{2013}{}</td><td class=\"number\">{}\
             </td><td class=\"number\">{}</td><td>{}</td></tr>",
            f.fault,
            f.frames.start,
            f.frames.end.max(f.frames.start + 1) - 1,
            limits::size(f),
            limits::let_pass(f),
            escape(&f.what)
        );
    }
    out.push_str("</tbody></table></div>\n");
}
