//! What came out of all clips: counts, verdicts, falls, and the worst of them.

use crate::report;
use anthropi_io::batch::{INDEX, OK, REFUSED, Row, number, word};
use anthropi_io::names::counted;
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::fmt::Write;
use std::path::Path;

/// So many failures are shown to people; the tables have all.
const SHOWN: usize = 20;
/// So many of the worst clips are shown.
const WORST: usize = 10;
/// Words that a certificate may say.
const VERDICTS: [&str; 2] = ["consistent", "not consistent"];

/// What came out of all.
pub struct Summary<'a> {
    pub rows: &'a [Row],
    /// rows of this run; the others are from earlier ones
    pub done: usize,
    pub seconds: f64,
    /// whether the motions were filtered, not judged alone
    pub is_filtered: bool,
    /// whether there is a page for each
    pub has_pages: bool,
}

impl Summary<'_> {
    /// Rows without a result.
    pub fn bad(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row["status"] != OK)
    }

    fn good(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row["status"] == OK)
    }

    /// Clips that speak most against themselves: those that fell, then those farthest from what was given; or those that
    /// are not consistent, by their worst fault.
    fn worst(&self) -> Vec<&Row> {
        let falls = |row: &Row| f64::from(u8::from(has_fallen(row)));
        let badness = |row: &Row| match self.is_filtered {
            true => [falls(row), amount(row, "joint_rms_deg")],
            false => [amount(row, "worst_severity"), amount(row, "residual_force_rms_bw")],
        };
        let mut rows: Vec<&Row> =
            self.good().filter(|row| self.is_filtered || word(row, "verdict") != VERDICTS[0]).collect();
        rows.sort_by(|a, b| {
            let by = badness(b).partial_cmp(&badness(a)).unwrap_or(Ordering::Equal);
            by.then_with(|| word(a, "path").cmp(word(b, "path")))
        });
        rows.truncate(WORST);
        rows
    }

    fn verdicts(&self, column: &str) -> [usize; 2] {
        VERDICTS.map(|verdict| self.good().filter(|row| word(row, column) == verdict).count())
    }

    fn fell(&self) -> usize {
        self.good().filter(|row| has_fallen(row)).count()
    }

    pub fn to_json(&self) -> Value {
        let some = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            move |row: &Row| -> Value {
                names.iter().map(|n| (n.clone(), row.get(n).cloned().unwrap_or_default())).collect()
            }
        };
        let failure = some(&["path", "status", "error"]);
        let mut told = json!({
            "clips": self.rows.len(),
            "done": self.done,
            "skipped": self.rows.len() - self.done,
            "failed": self.bad().count(),
            "refused": self.bad().filter(|row| row["status"] == REFUSED).count(),
            "seconds": self.seconds,
            "failures": self.bad().map(failure).collect::<Vec<_>>(),
            "verdicts": verdicts_json(self.verdicts("verdict")),
        });
        let why = ["path", "verdict", "residual_force_rms_bw", "worst_finding", "worst_what"];
        let way = ["fell", "fell_at_s", "joint_rms_deg", "root_rms_m", "output_verdict"];
        let columns = if self.is_filtered { [&why[..], &way].concat() } else { why.to_vec() };
        told["worst"] = self.worst().into_iter().map(some(&columns)).collect();
        if self.is_filtered {
            told["fell"] = self.fell().into();
            told["output_verdicts"] = verdicts_json(self.verdicts("output_verdict"));
        }
        told
    }

    pub fn to_text(&self, out: &Path) -> String {
        let mut text = format!(
            "{} in {:.1} s: {} done now, {} done before, {} of them without a result -> {}\n",
            counted(self.rows.len(), "clip"),
            self.seconds,
            self.done,
            self.rows.len() - self.done,
            self.bad().count(),
            out.display()
        );
        for row in self.bad().take(SHOWN) {
            let (path, error) = (word(row, "path"), word(row, "error"));
            // most errors name their file
            let error = if error.contains(path) { error.into() } else { format!("{path}: {error}") };
            let _ = writeln!(text, "  {}  {error}", word(row, "status"));
        }
        if self.bad().count() > SHOWN {
            let _ = writeln!(text, "  and {} more (results.csv has all)", self.bad().count() - SHOWN);
        }
        if self.good().next().is_some() {
            text.push_str(&self.verdicts_text());
            text.push_str(&self.worst_text());
            if self.has_pages {
                let _ = writeln!(text, "\nto see them: open {} in a browser", out.join(INDEX).display());
            }
        }
        text
    }

    fn verdicts_text(&self) -> String {
        let told = |column: &str| {
            let [yes, no] = self.verdicts(column);
            format!("{yes} consistent with physics, {no} not")
        };
        if !self.is_filtered {
            return format!("{}\n", told("verdict"));
        }
        let fell = self.fell();
        let stand = self.good().count() - fell;
        format!(
            "given: {}\nfiltered: {stand} stand, {fell} fell; {}\n",
            told("verdict"),
            told("output_verdict")
        )
    }

    fn worst_text(&self) -> String {
        let worst = self.worst();
        if worst.is_empty() {
            return String::new();
        }
        let header: &[&str] = match self.is_filtered {
            true => {
                &["worst", "fell at, s", "joints, deg", "root, cm", "residual, BW", "what was wrong as given"]
            }
            false => &["worst", "times its limit", "residual, BW", "why"],
        };
        let mut table = report::table(header);
        if let Some(last) = table.column_mut(header.len() - 1) {
            last.set_cell_alignment(comfy_table::CellAlignment::Left);
        }
        for row in worst {
            let fell = row.get("fell_at_s").and_then(Value::as_f64).map_or("-".into(), |t| format!("{t:.2}"));
            let way = [fell, format!("{:.1}", amount(row, "joint_rms_deg"))]
                .into_iter()
                .chain([format!("{:.1}", 100.0 * amount(row, "root_rms_m"))]);
            let way = way.filter(|_| self.is_filtered);
            let times = amount(row, "worst_severity");
            let times =
                (!self.is_filtered).then(|| if times > 0.0 { format!("{times:.1}") } else { "-".into() });
            let residual = format!("{:.3}", amount(row, "residual_force_rms_bw"));
            let why = match (word(row, "worst_finding"), word(row, "worst_what")) {
                ("", _) if word(row, "verdict") == VERDICTS[0] => "nothing".into(),
                ("", _) => "forces are missing throughout".into(),
                (fault, what) => format!("{fault}: {what}"),
            };
            table.add_row(
                [word(row, "path").to_string()].into_iter().chain(way).chain(times).chain([residual, why]),
            );
        }
        format!("\n{table}\n")
    }
}

fn verdicts_json([yes, no]: [usize; 2]) -> Value {
    json!({ VERDICTS[0]: yes, VERDICTS[1]: no })
}

fn has_fallen(row: &Row) -> bool {
    row.get("fell").and_then(Value::as_bool).unwrap_or(false)
}

/// Nothing counts as nothing wrong.
fn amount(row: &Row, name: &str) -> f64 {
    number(row, name).unwrap_or(0.0)
}
