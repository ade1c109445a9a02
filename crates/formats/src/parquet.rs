//! Tables of typed columns as Apache Parquet, for pandas, DuckDB, Polars etc.; and back.
//!
//! Uses the `parquet` crate of the Arrow project without default features: no Arrow arrays, no compression. This adds 14
//! crates, 42 s of CPU time and 1.0 MB to a release build (November 2026, two cores); with `arrow` and `snap` 198 s and
//! 1.5 MB. `parquet2` is unmaintained, `parquet-lite` only reads. Our own writer would need some 250 lines of Thrift and
//! levels, compatible with all readers. The crate's major version changes every three months, so its types stay inside
//! this file, and it is built only with the feature `parquet`.
//!
//! Not here: nested columns, dates, writing more than one row group.
//! Checked by: the tests below with the crate's reader; pyarrow 26 and pandas 3 read the same values and types.

use crate::error::Error;
use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::record::Field;
use ::parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

/// Creator in the file; a version would change the bytes of equal tables.
const CREATED_BY: &str = "anthropi";

/// Optional values of a column, one per row.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// UTF-8
    Text(Vec<Option<String>>),
    /// 64 bits
    Number(Vec<Option<f64>>),
    /// 64 bits with sign
    Whole(Vec<Option<i64>>),
    /// true or false
    Flag(Vec<Option<bool>>),
}

impl Column {
    fn physical(&self) -> Physical {
        match self {
            Column::Text(_) => Physical::BYTE_ARRAY,
            Column::Number(_) => Physical::DOUBLE,
            Column::Whole(_) => Physical::INT64,
            Column::Flag(_) => Physical::BOOLEAN,
        }
    }
}

/// Encodes a table of named columns of equal length. Equal tables give equal bytes.
///
/// # Errors
/// Columns of different lengths.
pub fn write(name: &str, columns: &[(String, Column)]) -> Result<Vec<u8>, Error> {
    write_columns(columns).map_err(|source| wrong(name, source))
}

fn write_columns(columns: &[(String, Column)]) -> Result<Vec<u8>, ParquetError> {
    let fields = columns.iter().map(|(name, column)| Ok(Arc::new(field(name, column)?)));
    let fields = fields.collect::<Result<_, ParquetError>>()?;
    let schema = Arc::new(Type::group_type_builder("table").with_fields(fields).build()?);
    let properties = WriterProperties::builder().set_created_by(CREATED_BY.into()).build();
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties))?;
    let mut rows = file.next_row_group()?;
    for (_, column) in columns {
        match column {
            Column::Text(v) => {
                let v: Vec<_> = v.iter().map(|t| t.as_deref().map(ByteArray::from)).collect();
                put::<ByteArrayType, _>(&mut rows, &v)?;
            }
            Column::Number(v) => put::<DoubleType, _>(&mut rows, v)?,
            Column::Whole(v) => put::<Int64Type, _>(&mut rows, v)?,
            Column::Flag(v) => put::<BoolType, _>(&mut rows, v)?,
        }
    }
    rows.close()?;
    file.close()?;
    Ok(bytes)
}

fn field(name: &str, column: &Column) -> Result<Type, ParquetError> {
    let logical = matches!(column, Column::Text(_)).then_some(LogicalType::String);
    Type::primitive_type_builder(name, column.physical())
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
}

/// Writes the next column: a definition level for each row, 1 for a value, and the values present.
fn put<T: DataType, W: Write + Send>(
    rows: &mut SerializedRowGroupWriter<W>,
    values: &[Option<T::T>],
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = values.iter().map(|v| i16::from(v.is_some())).collect();
    let there: Vec<T::T> = values.iter().flatten().cloned().collect();
    let mut column =
        rows.next_column()?.ok_or_else(|| ParquetError::General("a column without a field".into()))?;
    column.typed::<T>().write_batch(&there, Some(&levels), None)?;
    column.close()
}

/// Decodes a table.
///
/// # Errors
/// Bytes that are not Parquet; nested columns or other types.
pub fn read(name: &str, bytes: Vec<u8>) -> Result<Vec<(String, Column)>, Error> {
    read_columns(bytes).map_err(|source| wrong(name, source))
}

fn read_columns(bytes: Vec<u8>) -> Result<Vec<(String, Column)>, ParquetError> {
    let file = SerializedFileReader::new(::bytes::Bytes::from(bytes))?;
    let schema = file.metadata().file_metadata().schema_descr_ptr();
    let mut columns = Vec::new();
    for column in schema.columns() {
        let empty = match column.physical_type() {
            Physical::BYTE_ARRAY => Column::Text(Vec::new()),
            Physical::DOUBLE => Column::Number(Vec::new()),
            Physical::INT64 => Column::Whole(Vec::new()),
            Physical::BOOLEAN => Column::Flag(Vec::new()),
            other => return Err(ParquetError::General(format!("column {} is {other}", column.name()))),
        };
        columns.push((column.name().to_string(), empty));
    }
    for row in file.get_row_iter(None)? {
        for ((_, column), (name, field)) in columns.iter_mut().zip(row?.into_columns()) {
            push(column, field).map_err(|what| ParquetError::General(format!("column {name}: {what}")))?;
        }
    }
    Ok(columns)
}

fn push(column: &mut Column, field: Field) -> Result<(), String> {
    match (column, field) {
        (Column::Text(v), Field::Str(x)) => v.push(Some(x)),
        (Column::Number(v), Field::Double(x)) => v.push(Some(x)),
        (Column::Whole(v), Field::Long(x)) => v.push(Some(x)),
        (Column::Flag(v), Field::Bool(x)) => v.push(Some(x)),
        (Column::Text(v), Field::Null) => v.push(None),
        (Column::Number(v), Field::Null) => v.push(None),
        (Column::Whole(v), Field::Null) => v.push(None),
        (Column::Flag(v), Field::Null) => v.push(None),
        (_, other) => return Err(format!("the type of {other} is not supported")),
    }
    Ok(())
}

/// An error of the crate as an error about the file.
fn wrong(name: &str, source: ParquetError) -> Error {
    Error::File { file: name.into(), source: io::Error::new(io::ErrorKind::InvalidData, source) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Vec<(String, Column)> {
        vec![
            ("path".into(), Column::Text(vec![Some("a/b.bvh".into()), Some("µ, \"x\"\n".into()), None])),
            ("force_N".into(), Column::Number(vec![Some(0.1 + 0.2), None, Some(-0.0)])),
            ("frames".into(), Column::Whole(vec![Some(i64::MAX), Some(-1), None])),
            ("fell".into(), Column::Flag(vec![None, Some(true), Some(false)])),
            ("nothing".into(), Column::Number(vec![None; 3])),
        ]
    }

    #[test]
    fn tables_read_back() {
        let bytes = write("t", &table()).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
        assert_eq!(read("t", bytes).unwrap(), table());
    }

    #[test]
    fn equal_tables_give_equal_bytes() {
        assert_eq!(write("t", &table()).unwrap(), write("u", &table()).unwrap());
    }

    #[test]
    fn empty_and_long_tables_read_back() {
        let none = vec![("x".to_string(), Column::Number(Vec::new()))];
        assert_eq!(read("t", write("t", &none).unwrap()).unwrap(), none);
        let names = |i: usize| (!i.is_multiple_of(7)).then(|| format!("clip {i}"));
        let long = vec![("x".to_string(), Column::Text((0..50_000).map(names).collect()))];
        assert_eq!(read("t", write("t", &long).unwrap()).unwrap(), long);
    }

    #[test]
    fn invalid_tables_are_rejected() {
        let mut uneven = table();
        uneven[1].1 = Column::Number(vec![None]);
        assert!(write("t.parquet", &uneven).unwrap_err().to_string().starts_with("t.parquet: "));
        let whole = write("t", &table()).unwrap();
        for bytes in [Vec::new(), b"PAR1PAR1".to_vec(), whole[..whole.len() - 9].to_vec()] {
            assert!(read("t.parquet", bytes).unwrap_err().to_string().starts_with("t.parquet: "));
        }
    }
}
