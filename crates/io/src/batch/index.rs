//! The page that leads to the pages of all clips, worst first.

use super::{OK, Row, number, word};
use crate::error::Error;
use crate::load;
use crate::names::counted;
use crate::plot::escape;
use crate::report::{beginning, end};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// File of the page, and folder of those it leads to.
pub const INDEX: &str = "index.html";
pub const PAGES: &str = "pages";

/// Writes the page.
pub fn write(out: &Path, rows: &[Row]) -> Result<(), Error> {
    load::replace(&out.join(INDEX), page(rows).as_bytes())
}

fn page(rows: &[Row]) -> String {
    let good = rows.iter().filter(|row| row["status"] == OK);
    let is_filtered = good.clone().any(|row| row.contains_key("joint_rms_deg"));
    let mut sorted: Vec<&Row> = rows.iter().collect();
    // those without a result first, then falls, then by the worst fault
    let badness = |row: &Row| {
        let flag = |is: bool| f64::from(u8::from(is));
        let fell = row.get("fell").and_then(Value::as_bool).unwrap_or(false);
        [flag(row["status"] != OK), flag(fell), number(row, "worst_severity").unwrap_or(0.0)]
    };
    sorted.sort_by(|a, b| badness(b).partial_cmp(&badness(a)).unwrap_or(std::cmp::Ordering::Equal));
    let title = counted(rows.len(), "motion");
    let said = |verdict: &str| good.clone().filter(|row| word(row, "verdict") == verdict).count();
    let mut text = beginning(&title);
    let _ = writeln!(
        text,
        "<header>\n<p class=\"kind\">{}</p>\n<h1>{title}</h1>\n<p class=\"facts\">{} consistent with physics as given, {} not, {} \
         without a result; worst first. All numbers: results.csv, results.parquet</p>\n</header>",
        if is_filtered { "Filtered" } else { "Certificates" },
        said("consistent"),
        said("not consistent"),
        rows.len() - good.clone().count(),
    );
    let way =
        if is_filtered { "<th>fell at, s</th><th>joints off, deg</th><th>root off, cm</th>" } else { "" };
    let _ = writeln!(
        text,
        "<section>\n<div class=\"scroll\"><table class=\"limits\"><thead><tr><th>motion</th>{way}<th>as given</th><th>residual, BW</th>\
         <th>worst fault, times its limit</th><th>which is</th></tr></thead>\n<tbody>"
    );
    sorted.iter().for_each(|row| line(&mut text, row, is_filtered));
    text.push_str("</tbody></table></div>\n</section>\n");
    end(&mut text);
    text
}

fn line(text: &mut String, row: &Row, is_filtered: bool) {
    let path = word(row, "path");
    let cell = |x: Option<f64>, digits: usize| {
        let shown = x.map_or("\u{2013}".into(), |x| format!("{x:.digits$}"));
        format!("<td class=\"number\">{shown}</td>")
    };
    let way = [cell(number(row, "fell_at_s"), 2), cell(number(row, "joint_rms_deg"), 1)]
        .into_iter()
        .chain([cell(number(row, "root_rms_m").map(|m| 100.0 * m), 1)]);
    let way: String = way.filter(|_| is_filtered).collect();
    let (name, verdict, what) = match row["status"] == OK {
        true => {
            let fault = [word(row, "worst_finding"), word(row, "worst_what")].join(": ");
            let link = format!("<a href=\"{PAGES}/{}.html\">{}</a>", address(path), escape(path));
            (link, word(row, "verdict"), if fault == ": " { String::new() } else { fault })
        }
        false => (escape(path), word(row, "status"), word(row, "error").to_string()),
    };
    let _ = writeln!(
        text,
        "<tr><td>{name}</td>{way}<td>{verdict}</td>{}{}<td>{}</td></tr>",
        cell(number(row, "residual_force_rms_bw"), 3),
        cell(number(row, "worst_severity"), 1),
        escape(&what)
    );
}

/// A path as a link has it.
fn address(path: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-".contains(&b);
    path.bytes().map(|b| if is_plain(b) { (b as char).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(value: &Value) -> Row {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn it_leads_to_all_pages_worst_first_and_tells_who_has_none() {
        let rows = [
            row(&json!({ "path": "a/fine one.bvh", "status": "ok", "verdict": "consistent" })),
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
        at("1 consistent with physics as given, 1 not, 1 without a result");
        assert!(!page.contains("c.bvh.html") && !page.contains("joints off"));
    }
}
