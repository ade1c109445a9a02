//! Rows as `results.csv` and `results.parquet`.

use super::job::{Column, Kind, Row};
use crate::csv::Lines;
use crate::error::Error;
use crate::{load, parquet};
use serde_json::Value;
use std::path::Path;

/// Columns of every job. Nothing here depends on the time or on other clips, so equal work gives equal bytes.
const HEAD: [&str; 7] = ["path", "content", "job", "settings", "version", "status", "error"];

/// Writes both tables; each is whole, or still the old one.
///
/// # Errors
/// What the file system says.
pub fn write(folder: &Path, of_job: Vec<Column>, rows: &[Row]) -> Result<(), Error> {
    let head = HEAD.iter().map(|name| Column { name: (*name).into(), kind: Kind::Text });
    let columns: Vec<Column> = head.chain(of_job).collect();
    load::replace(&folder.join("results.csv"), csv(&columns, rows).as_bytes())?;
    let path = folder.join("results.parquet");
    let columns: Vec<_> = columns.iter().map(|c| (c.name.clone(), typed(c, rows))).collect();
    load::replace(&path, &parquet::write(&path.display().to_string(), &columns)?)?;
    Ok(())
}

fn csv(columns: &[Column], rows: &[Row]) -> String {
    let mut lines = Lines::default();
    columns.iter().for_each(|c| lines.name(&c.name));
    lines.end_line();
    for row in rows {
        for Column { name, kind } in columns {
            let value = row.get(name).unwrap_or(&Value::Null);
            match kind {
                Kind::Text => value.as_str().map(|text| lines.name(text)),
                Kind::Number => value.as_f64().map(|x| lines.value(x)),
                Kind::Whole => value.as_i64().map(|n| lines.value(n)),
                Kind::Flag => value.as_bool().map(|is| lines.value(is)),
            }
            .unwrap_or_else(|| lines.nothing());
        }
        lines.end_line();
    }
    lines.into_text()
}

fn typed(Column { name, kind }: &Column, rows: &[Row]) -> parquet::Column {
    let values = rows.iter().map(|row| row.get(name).unwrap_or(&Value::Null));
    match kind {
        Kind::Text => parquet::Column::Text(values.map(|v| v.as_str().map(String::from)).collect()),
        Kind::Number => parquet::Column::Number(values.map(Value::as_f64).collect()),
        Kind::Whole => parquet::Column::Whole(values.map(Value::as_i64).collect()),
        Kind::Flag => parquet::Column::Flag(values.map(Value::as_bool).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_go_to_columns_of_their_kind() {
        let columns = [("a", Kind::Text), ("b", Kind::Number), ("c", Kind::Whole), ("d", Kind::Flag)];
        let columns = columns.map(|(name, kind)| Column { name: name.into(), kind });
        let row = |v: Value| v.as_object().cloned().expect("a table");
        let rows = [
            row(json!({ "a": "x,y", "b": 0.1, "c": 3, "d": true, "wall_s": 1.5 })),
            row(json!({ "a": null, "b": 2 })),
        ];
        assert_eq!(csv(&columns, &rows), "a,b,c,d\n\"x,y\",0.1,3,true\n,2,,\n");
        assert_eq!(typed(&columns[1], &rows), parquet::Column::Number(vec![Some(0.1), Some(2.0)]));
        assert_eq!(typed(&columns[3], &rows), parquet::Column::Flag(vec![Some(true), None]));
    }
}
