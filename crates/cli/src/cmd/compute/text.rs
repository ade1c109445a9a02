//! Results as tables.

use crate::report;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Rows of a spatial motion: angular, then linear.
const MOTION: [&str; 6] = ["wx", "wy", "wz", "x", "y", "z"];
/// Columns of a wrench: moment, then force.
const WRENCH: [&str; 6] = ["Mx", "My", "Mz", "Fx", "Fy", "Fz"];

/// All fields with their names.
pub fn to_text(fields: &Map<String, Value>, dofs: &[String]) -> String {
    let dofs: Vec<&str> = dofs.iter().map(String::as_str).collect();
    let mut text = String::new();
    for (name, value) in fields {
        let _ = match value {
            Value::Array(list) if list.iter().any(Value::is_array) => {
                let rows = if list.len() == dofs.len() { &dofs[..] } else { &MOTION };
                writeln!(text, "{name}\n{}\n", matrix(rows.iter().copied().zip(list), &dofs))
            }
            Value::Array(list) if list.len() == dofs.len() && name != "dofs" => {
                writeln!(text, "{name}\n{}\n", by_name(dofs.iter().copied().zip(list)))
            }
            Value::Object(table) if name == "constraint_forces" => {
                writeln!(text, "{name}\n{}\n", wrenches(table))
            }
            Value::Object(table) => writeln!(text, "{name}\n{}\n", parts(table, &dofs)),
            other => writeln!(text, "{name}  {}\n", inline(other)),
        };
    }
    text
}

/// A result of several parts: scalars first, then matrices and lists with the names of their rows and columns.
fn parts(table: &Map<String, Value>, dofs: &[&str]) -> String {
    let words = |name: &str| -> Vec<&str> {
        table.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let (mut short, mut long) = (Vec::new(), String::new());
    let columns = words("generalized");
    let mut add = |title: &str, rows: String| {
        let _ = write!(long, "\n\n{title}\n{rows}");
    };
    for (name, value) in table {
        let title = format!("{name}, rows: {} coordinates", rows_of(name).0);
        match value {
            // without free coordinates the matrices are empty
            Value::Array(list) if list.iter().any(Value::is_array) && columns.is_empty() => {}
            Value::Array(list) if list.iter().any(Value::is_array) => {
                let rows = rows_of(name).1.map_or_else(|| dofs.to_vec(), words);
                add(&title, matrix(rows.into_iter().zip(list), &columns));
            }
            Value::Array(list) if name == "tau" => {
                add(&title, by_name(words("actuated").into_iter().zip(list)));
            }
            Value::Object(table) if name == "constraint_forces" => add(name, wrenches(table)),
            other => short.push((name.as_str(), other)),
        }
    }
    by_name(short) + &long
}

/// Label of the rows of a part, and the part with their names; `None` for the tree's.
fn rows_of(name: &str) -> (&'static str, Option<&'static str>) {
    match name {
        "H" => ("dependent", Some("dependent")),
        "S" | "tau" => ("actuated", Some("actuated")),
        _ => ("the tree's", None),
    }
}

fn wrenches(table: &Map<String, Value>) -> String {
    matrix(table.iter().map(|(name, value)| (name.as_str(), value)), &WRENCH)
}

fn by_name<'a>(entries: impl IntoIterator<Item = (&'a str, &'a Value)>) -> String {
    let mut table = report::table(&["", ""]);
    for (name, value) in entries {
        table.add_row([name.to_string(), inline(value)]);
    }
    table.to_string()
}

fn matrix<'a>(rows: impl IntoIterator<Item = (&'a str, &'a Value)>, columns: &[&str]) -> String {
    let header: Vec<&str> = std::iter::once("").chain(columns.iter().copied()).collect();
    let mut table = report::table(&header);
    for (name, row) in rows {
        let cells = row.as_array().into_iter().flatten().map(inline);
        table.add_row(std::iter::once(name.to_string()).chain(cells));
    }
    table.to_string()
}

fn inline(value: &Value) -> String {
    match value {
        Value::Number(n) if n.is_f64() => n.as_f64().map_or_else(|| n.to_string(), report::number),
        Value::Array(list) => list.iter().map(inline).collect::<Vec<_>>().join("  "),
        Value::Object(table) => {
            table.iter().map(|(k, v)| format!("{k} {}", inline(v))).collect::<Vec<_>>().join("   ")
        }
        Value::String(s) => s.clone(),
        other => other.to_string(),
    }
}
