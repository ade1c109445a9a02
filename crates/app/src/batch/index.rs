//! HTML index of the pages of all clips, worst first.

use super::certify::LAMPS;
use super::job::JobKind;
use super::order::worst_first;
use super::protocol::ProtocolSummary;
use super::{OK, Row, number, text};
use crate::plot::escape;
use crate::report::{beginning, disc, end};
use anthropi_formats::Error;
use anthropi_formats::file;
use anthropi_formats::names::counted;
use anthropi_motion::lamps::LampState;
use std::fmt::Write;
use std::path::Path;

/// File name of the index, and folder of the pages.
pub const INDEX: &str = "index.html";
pub const PAGES: &str = "pages";

/// Headers of the columns of filtered clips. The joint error in metres is that of the worst frame.
const TRACKING: &str = "<th>fell at, s</th><th>largest joint error, m</th><th>mean joint error, mm</th>\
                        <th>joint angles, deg</th><th>root error, cm</th>";

/// Writes the index.
pub fn write(out: &Path, rows: &[Row]) -> Result<(), Error> {
    file::replace(&out.join(INDEX), page(rows).as_bytes())
}

fn page(rows: &[Row]) -> String {
    let is_filtered = rows.iter().any(|row| text(row, "job") == JobKind::Filter.name());
    let job = if is_filtered { JobKind::Filter } else { JobKind::Certify };
    let good = rows.iter().filter(|row| row["status"] == OK);
    let title = counted(rows.len(), "motion");
    let count = |verdict: &str| good.clone().filter(|row| text(row, "verdict") == verdict).count();
    let mut html = beginning(&title);
    let _ = writeln!(
        html,
        "<header>\n<p class=\"kind\">{}</p>\n<h1>{title}</h1>\n<p class=\"facts\">inputs: {} consistent with physics, {} not, {} \
         without a result; worst first. All numbers: results.csv, results.parquet</p>{}\n</header>",
        if is_filtered { "Filtered" } else { "Certificates" },
        count("consistent"),
        count("not consistent"),
        rows.len() - good.clone().count(),
        if is_filtered { protocol(rows) } else { String::new() },
    );
    let tracking = if is_filtered { TRACKING } else { "" };
    let lamps: String = lamp_columns(is_filtered).map(|name| format!("<th>{name}</th>")).collect();
    let _ = writeln!(
        html,
        "<section>\n<div class=\"scroll\"><table class=\"limits\"><thead><tr><th>motion</th>{lamps}{tracking}<th>input</th><th>residual, BW</th>\
         <th>worst finding, relative to its limit</th><th>description</th></tr></thead>\n<tbody>"
    );
    worst_first(rows, job).into_iter().for_each(|row| line(&mut html, row, is_filtered));
    html.push_str("</tbody></table></div>\n</section>\n");
    end(&mut html);
    html
}

/// Success and error of tracking.
fn protocol(rows: &[Row]) -> String {
    let summary = ProtocolSummary::new(rows);
    let error = summary.error_text().map(|error| format!("\n<p class=\"facts\">Tracking error: {error}</p>"));
    let error = error.unwrap_or_default().replace("^2", "\u{b2}");
    format!("\n<p class=\"facts\">Tracking success: {}</p>{error}", summary.success_text())
}

/// Columns with lamps; only filtered motions have one to be faithful to.
fn lamp_columns(is_filtered: bool) -> impl Iterator<Item = &'static str> {
    LAMPS.iter().map(|c| c.0).filter(move |name| is_filtered || *name != "faithful")
}

/// Cell of a lamp; empty without a result.
fn lamp(row: &Row, name: &str) -> String {
    let state = LampState::ALL.into_iter().find(|state| state.word() == text(row, name));
    format!("<td>{}</td>", state.map_or_else(String::new, disc))
}

fn line(html: &mut String, row: &Row, is_filtered: bool) {
    let path = text(row, "path");
    let cell = |x: Option<f64>, digits: usize| {
        let shown = x.map_or("\u{2013}".into(), |x| format!("{x:.digits$}"));
        format!("<td class=\"number\">{shown}</td>")
    };
    let tracking = [
        cell(number(row, "fell_at_s"), 2),
        cell(number(row, "max_error_m"), 2),
        cell(number(row, "g_mpjpe_mm"), 1),
        cell(number(row, "joint_rms_deg"), 1),
        cell(number(row, "root_rms_m").map(|m| 100.0 * m), 1),
    ];
    let lamps: String = lamp_columns(is_filtered).map(|name| lamp(row, name)).collect();
    let tracking: String = tracking.into_iter().filter(|_| is_filtered).collect();
    let (name, verdict, what) = match row["status"] == OK {
        true => {
            let fault = [text(row, "worst_finding"), text(row, "worst_what")].join(": ");
            let link = format!("<a href=\"{PAGES}/{}.html\">{}</a>", address(path), escape(path));
            (link, text(row, "verdict"), if fault == ": " { String::new() } else { fault })
        }
        false => (escape(path), text(row, "status"), text(row, "error").to_string()),
    };
    let _ = writeln!(
        html,
        "<tr><td>{name}</td>{lamps}{tracking}<td>{verdict}</td>{}{}<td>{}</td></tr>",
        cell(number(row, "residual_force_rms_bw"), 3),
        cell(number(row, "worst_severity"), 1),
        escape(&what)
    );
}

/// A path, percent-encoded.
fn address(path: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-".contains(&b);
    path.bytes().map(|b| if is_plain(b) { (b as char).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::worst_clips;
    use serde_json::{Value, json};

    fn row(value: &Value) -> Row {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn it_links_all_pages_worst_first_and_lists_clips_without_one() {
        let rows = [
            row(
                &json!({ "path": "a/fine one.bvh", "status": "ok", "verdict": "consistent", "physical": "green",
                "certain": "amber" }),
            ),
            row(
                &json!({ "path": "b.bvh", "status": "ok", "verdict": "not consistent", "worst_severity": 3.0,
                "worst_finding": "skate", "worst_what": "<feet> slide" }),
            ),
            row(&json!({ "path": "c.bvh", "status": "refused", "error": "the file is empty" })),
        ];
        let page = page(&rows);
        let at = |what: &str| page.find(what).unwrap_or_else(|| panic!("{what} in {page}"));
        assert!(
            at("the file is empty") < at("pages/b.bvh.html")
                && at("pages/b.bvh.html") < at("a/fine%20one.bvh.html")
        );
        at("skate: &lt;feet&gt; slide");
        at("inputs: 1 consistent with physics, 1 not, 1 without a result");
        assert!(!page.contains("c.bvh.html") && !page.contains("joint error"));
        let lamp =
            |state, sign| format!("<td><span class=\"lamp {state}\" title=\"{state}\">{sign}</span></td>");
        at(&[lamp("green", '\u{2713}'), lamp("amber", '!')].concat());
        at("<th>physical</th><th>certain</th>");
    }

    #[test]
    fn filtered_clips_have_the_figures_of_the_protocol_in_the_order_of_the_text() {
        let filtered = |path: &str, success: bool, max: f64, mean: f64| {
            row(
                &json!({ "path": path, "status": "ok", "job": "filter", "verdict": "consistent", "success": success,
                "max_error_m": max, "g_mpjpe_mm": mean, "e_vel_mm": 1.0, "e_acc_mm": 0.5 }),
            )
        };
        let rows = [
            filtered("good.bvh", true, 0.1, 20.0),
            row(
                &json!({ "path": "none.bvh", "status": "refused", "job": "filter", "error": "the file is empty" }),
            ),
            filtered("far.bvh", true, 0.4, 61.7),
            filtered("fell.bvh", false, 0.2, 80.0),
            filtered("lost.bvh", false, 2.5, 900.0),
        ];
        let page = page(&rows);
        let table = &page[page.find("<tbody>").expect("a table")..];
        let places = ["none", "lost", "fell", "far", "good"].map(|name| table.find(&format!("{name}.bvh")));
        assert!(places.is_sorted() && places[0].is_some(), "{places:?}");
        let worst: Vec<&str> =
            worst_clips(&rows, JobKind::Filter).into_iter().map(|r| text(r, "path")).collect();
        assert_eq!(worst, ["lost.bvh", "fell.bvh", "far.bvh", "good.bvh"]);
        for shown in [
            "Tracking success: 2 of 5 clips (40.0 %), no fall and joint error within 0.5 m",
            "Tracking error: G-MPJPE 40.9 mm, E_vel 1.00 mm/frame, E_acc 0.50 mm/frame\u{b2}",
            "<th>physical</th><th>faithful</th><th>certain</th>",
            "<th>mean joint error, mm</th>",
            "<td class=\"number\">61.7</td>",
        ] {
            assert!(page.contains(shown), "{shown} in {page}");
        }
    }
}
