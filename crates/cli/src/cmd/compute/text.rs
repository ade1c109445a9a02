//! Answers as tables for people.

use crate::report;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Each field with its name.
pub fn to_text(fields: &Map<String, Value>, dofs: &[String]) -> String {
    let mut text = String::new();
    for (name, value) in fields {
        let _ = match value {
            Value::Array(list) if list.iter().any(Value::is_array) => {
                writeln!(text, "{name}\n{}\n", matrix(list, dofs))
            }
            Value::Array(list) if list.len() == dofs.len() && name != "dofs" => {
                writeln!(text, "{name}\n{}\n", by_name(dofs.iter().zip(list)))
            }
            Value::Object(table) => writeln!(text, "{name}\n{}\n", by_name(table)),
            other => writeln!(text, "{name}  {}\n", inline(other)),
        };
    }
    text
}

fn by_name<'a>(entries: impl IntoIterator<Item = (&'a String, &'a Value)>) -> String {
    let mut table = report::table(&["", ""]);
    for (name, value) in entries {
        table.add_row([name.clone(), inline(value)]);
    }
    table.to_string()
}

/// Columns are degrees of freedom, and so are the rows of a square matrix.
fn matrix(list: &[Value], dofs: &[String]) -> String {
    let header: Vec<&str> = std::iter::once("").chain(dofs.iter().map(String::as_str)).collect();
    let mut table = report::table(&header);
    let spatial = ["wx", "wy", "wz", "x", "y", "z"];
    for (i, row) in list.iter().enumerate() {
        let name =
            if list.len() == dofs.len() { dofs[i].as_str() } else { spatial.get(i).copied().unwrap_or("") };
        let cells = row.as_array().into_iter().flatten().map(inline);
        table.add_row(std::iter::once(name.to_string()).chain(cells));
    }
    table.to_string()
}

fn inline(value: &Value) -> String {
    match value {
        Value::Number(n) => n.as_f64().map_or_else(|| n.to_string(), report::number),
        Value::Array(list) => list.iter().map(inline).collect::<Vec<_>>().join("  "),
        Value::Object(table) => {
            table.iter().map(|(k, v)| format!("{k} {}", inline(v))).collect::<Vec<_>>().join("   ")
        }
        Value::String(s) => s.clone(),
        other => other.to_string(),
    }
}
