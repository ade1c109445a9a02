//! Rows as `results.csv` and `results.parquet`.

use super::job::{Column, ColumnType, Row};
use anthropi_formats::Error;
use anthropi_formats::csv::Lines;
use anthropi_formats::file;
use anthropi_formats::parquet;
use serde_json::Value;
use std::path::Path;

/// Columns of every job. They depend on neither time nor other clips, so that equal work gives equal bytes.
const HEAD: [&str; 7] = ["path", "content", "job", "settings", "version", "status", "error"];

/// Writes both tables, each atomically.
///
/// # Errors
/// Errors of the file system.
pub fn write(folder: &Path, job_columns: Vec<Column>, rows: &[Row]) -> Result<(), Error> {
    let head = HEAD.iter().map(|name| Column { name: (*name).into(), kind: ColumnType::Text });
    let columns: Vec<Column> = head.chain(job_columns).collect();
    file::replace(&folder.join("results.csv"), csv(&columns, rows).as_bytes())?;
    let path = folder.join("results.parquet");
    let columns: Vec<_> = columns.iter().map(|c| (c.name.clone(), typed(c, rows))).collect();
    file::replace(&path, &parquet::write(&path.display().to_string(), &columns)?)?;
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
                ColumnType::Text => value.as_str().map(|text| lines.name(text)),
                ColumnType::Number => value.as_f64().map(|x| lines.value(x)),
                ColumnType::Whole => value.as_i64().map(|n| lines.value(n)),
                ColumnType::Flag => value.as_bool().map(|is| lines.value(is)),
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
        ColumnType::Text => parquet::Column::Text(values.map(|v| v.as_str().map(String::from)).collect()),
        ColumnType::Number => parquet::Column::Number(values.map(Value::as_f64).collect()),
        ColumnType::Whole => parquet::Column::Whole(values.map(Value::as_i64).collect()),
        ColumnType::Flag => parquet::Column::Flag(values.map(Value::as_bool).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_go_to_columns_of_their_type() {
        let columns = [
            ("a", ColumnType::Text),
            ("b", ColumnType::Number),
            ("c", ColumnType::Whole),
            ("d", ColumnType::Flag),
        ];
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
