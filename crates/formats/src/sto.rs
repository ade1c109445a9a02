//! MOT and STO, the tables of OpenSim and SIMM: a header, column labels, numbers over time.
//!
//! Values stay in the axes (y up) and angle units (`inDegrees`) of the file.
//! Source: OpenSim's documentation of storage files, versions 1 to 3; SIMM's older header with `datacolumns`.
//! Not here: cells of several numbers (`DataType=Vec3` etc.), which are rejected.
//! Checked by: `tests/it/tables.rs`.

use crate::error::{Error, Place};
use crate::names::{clipped, counted, stem};
use anthropi_motion::table::Table;

/// Longest header, in lines.
const MAX_HEADER: usize = 10_000;
/// Last line of the header.
const END: &str = "endheader";

/// A line of a text file and its number from one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub number: usize,
    pub text: &'a str,
}

/// A text file by lines, with errors by line and column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

impl<'a> Text<'a> {
    /// From UTF-8, without its byte order mark.
    pub fn new(bytes: &'a [u8], file: &'a str) -> Result<Text<'a>, Error> {
        let text = std::str::from_utf8(bytes)
            .map_err(|e| Error::Encoding { file: file.to_string(), at: e.valid_up_to() })?;
        Ok(Text { file, text: text.strip_prefix('\u{feff}').unwrap_or(text) })
    }

    pub fn lines(&self) -> impl Iterator<Item = Line<'a>> + use<'a> {
        self.text.lines().enumerate().map(|(k, text)| Line { number: k + 1, text })
    }

    /// The last line, for errors about missing content.
    pub fn end(&self) -> Line<'a> {
        let number = self.text.lines().count().max(1);
        Line { number, text: "" }
    }

    /// An error at `part`, a slice of the line; any other text means the start of the line.
    pub fn error(&self, line: Line, part: &str, field: &str, what: impl Into<String>) -> Error {
        let offset = (part.as_ptr() as usize).wrapping_sub(line.text.as_ptr() as usize);
        let before = line.text.get(..offset).unwrap_or("");
        let place = Place { line: line.number, column: before.chars().count() + 1 };
        Error::field(self.file, place, field, what)
    }

    /// The number in a cell; all spellings of NaN are accepted.
    pub fn number(&self, line: Line, cell: &str, field: &str) -> Result<f64, Error> {
        if let Ok(number) = cell.parse() {
            return Ok(number);
        }
        let lower = cell.get(..cell.len().min(16)).unwrap_or("").to_ascii_lowercase();
        if lower.trim_start_matches(['-', '+']).starts_with("nan")
            || lower.contains("#ind")
            || lower.contains("#qnan")
        {
            return Ok(f64::NAN);
        }
        Err(self.error(line, cell, field, format!("found `{}`, expected a number", clipped(cell))))
    }

    pub fn count(&self, line: Line, cell: &str, field: &str) -> Result<usize, Error> {
        cell.trim().parse().map_err(|_| {
            self.error(line, cell, field, format!("found `{}`, expected a count", clipped(cell)))
        })
    }
}

/// Counts in the header, each with its line.
#[derive(Debug, Default)]
struct Header<'a> {
    rows: Option<(Line<'a>, usize)>,
    columns: Option<(Line<'a>, usize)>,
}

/// Reads a MOT or STO file.
///
/// # Errors
/// Text that is not UTF-8, has no header, or whose counts, labels and numbers disagree: with line and column.
pub fn read(bytes: &[u8], file: &str) -> Result<Table, Error> {
    let text = Text::new(bytes, file)?;
    let mut table = Table::default();
    let mut lines = text.lines();
    let header = header(&text, &mut lines, &mut table)?;

    // labels may contain spaces if separated by tabs
    let Some(line) = lines.by_ref().find(|l| !l.text.trim().is_empty()) else {
        return Err(text.error(text.end(), "", "labels", format!("expected a line of labels after `{END}`")));
    };
    let cells: Vec<&str> = if line.text.trim().contains('\t') {
        line.text.trim_end().split('\t').map(str::trim).collect()
    } else {
        line.text.split_whitespace().collect()
    };
    let Some((first, labels)) = cells.split_first().filter(|(first, _)| first.eq_ignore_ascii_case("time"))
    else {
        let what = "expected `time` as the first column";
        return Err(text.error(line, line.text.trim_start(), "labels", what));
    };
    if let Some(k) = cells.iter().position(|l| l.is_empty()) {
        return Err(text.error(line, first, "labels", format!("column {} has no label", k + 1)));
    }
    if let Some((said, n)) = header.columns.filter(|(_, n)| *n != cells.len()) {
        let (line, labels) = (line.number, counted(cells.len(), "label"));
        let what = format!("states {n}, but line {line} has {labels} including `time`");
        return Err(text.error(said, said.text, "nColumns", what));
    }
    table.labels = labels.iter().map(|l| l.to_string()).collect();

    let mut last = line;
    for line in lines.filter(|l| !l.text.trim().is_empty()) {
        last = line;
        row(&text, line, &mut table)?;
    }
    if let Some((said, n)) = header.rows.filter(|(_, n)| *n != table.rows()) {
        let what =
            format!("line {} states {}, but there are {}", said.number, counted(n, "row"), table.rows());
        return Err(text.error(last, last.text, "nRows", what));
    }
    Ok(table)
}

fn header<'a>(
    text: &Text<'a>,
    lines: &mut impl Iterator<Item = Line<'a>>,
    table: &mut Table,
) -> Result<Header<'a>, Error> {
    let mut header = Header::default();
    table.name = stem(text.file);
    for (k, line) in lines.by_ref().take(MAX_HEADER).enumerate() {
        let trimmed = line.text.trim();
        if trimmed.eq_ignore_ascii_case(END) {
            return Ok(header);
        }
        let pair = trimmed.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
        // SIMM separates by spaces
        let pair = pair.or_else(|| {
            let (key, value) = trimmed.split_once(char::is_whitespace)?;
            let is_simm =
                ["name", "datacolumns", "datarows", "range"].contains(&key.to_ascii_lowercase().as_str());
            is_simm.then(|| (key, value.trim()))
        });
        let key = pair.map(|(key, _)| key.to_ascii_lowercase());
        match (key.as_deref(), pair) {
            (Some("nrows" | "datarows"), Some((_, n))) => {
                header.rows = Some((line, text.count(line, n, "nRows")?))
            }
            (Some("ncolumns" | "datacolumns"), Some((_, n))) => {
                header.columns = Some((line, text.count(line, n, "nColumns")?));
            }
            (Some("indegrees"), Some((_, answer))) => table.in_degrees = yes_or_no(text, line, answer)?,
            (Some("datatype"), Some((_, kind))) if !kind.eq_ignore_ascii_case("double") => {
                let what = format!("found `{}`, expected `double`", clipped(kind));
                return Err(text.error(line, kind, "DataType", what));
            }
            (Some("name"), Some((_, name))) if k == 0 => table.name = name.to_string(),
            (_, Some((key, value))) => table.header.push((key.to_string(), value.to_string())),
            (_, None) if k == 0 && !trimmed.is_empty() => table.name = trimmed.to_string(),
            (_, None) if !trimmed.is_empty() => table.header.push((trimmed.to_string(), String::new())),
            (_, None) => {}
        }
    }
    Err(text.error(text.end(), "", "header", format!("has no line `{END}`")))
}

fn yes_or_no(text: &Text, line: Line, answer: &str) -> Result<bool, Error> {
    match answer.to_ascii_lowercase().as_str() {
        "yes" | "true" | "1" | "y" => Ok(true),
        "no" | "false" | "0" | "n" => Ok(false),
        _ => {
            let what = format!("found `{}`, expected `yes` or `no`", clipped(answer));
            Err(text.error(line, answer, "inDegrees", what))
        }
    }
}

fn row(text: &Text, line: Line, table: &mut Table) -> Result<(), Error> {
    let columns = table.labels.len() + 1;
    let cells = line.text.split_whitespace().count();
    if cells != columns {
        let what = format!("has {}, expected {columns}", counted(cells, "number"));
        return Err(text.error(line, line.text, "row", what));
    }
    for (k, cell) in line.text.split_whitespace().enumerate() {
        if k > 0 {
            table.values.push(text.number(line, cell, &table.labels[k - 1])?);
            continue;
        }
        let time = text.number(line, cell, "time")?;
        let before = table.time.last().copied().unwrap_or(f64::NEG_INFINITY);
        if !time.is_finite() || time < before {
            let what = format!("found {time} after {before}, expected time not to decrease");
            return Err(text.error(line, cell, "time", what));
        }
        table.time.push(time);
    }
    Ok(())
}

/// Writes a table; numbers read back exactly. MOT and STO are the same.
///
/// # Errors
/// Names, labels and header lines that would not read back; a number of values other than rows times columns.
pub fn write(table: &Table) -> Result<String, Error> {
    let cannot = |what: String| Error::NotRepresentable { format: "STO", what };
    let columns = table.labels.len();
    if table.values.len() != table.rows() * columns {
        let (values, rows) = (table.values.len(), table.rows());
        return Err(cannot(format!("{values} values in {rows} rows of {columns} columns")));
    }
    let is_line = |s: &str| s.trim() == s && !s.contains(['\n', '\r']) && !s.eq_ignore_ascii_case(END);
    if !is_line(&table.name) || table.name.contains('=') {
        return Err(cannot(format!("the name {:?}", table.name)));
    }
    for label in &table.labels {
        if !is_line(label) || label.is_empty() || label.contains('\t') {
            return Err(cannot(format!("the label {label:?}")));
        }
    }
    for (key, value) in &table.header {
        let own = ["nrows", "ncolumns", "indegrees", "datatype", "name", "datarows", "datacolumns"];
        let is_own =
            own.contains(&key.to_ascii_lowercase().as_str()) && !value.eq_ignore_ascii_case("double");
        if !is_line(key) || !is_line(value) || key.is_empty() || key.contains('=') || is_own {
            return Err(cannot(format!("the header line {key:?} {value:?}")));
        }
    }

    let mut out = format!("{}\n", table.name);
    if !table.header.iter().any(|(key, _)| key.eq_ignore_ascii_case("version")) {
        out += "version=1\n";
    }
    let answer = if table.in_degrees { "yes" } else { "no" };
    out += &format!("nRows={}\nnColumns={}\ninDegrees={answer}\n", table.rows(), columns + 1);
    for (key, value) in &table.header {
        out += &if value.is_empty() { format!("{key}\n") } else { format!("{key}={value}\n") };
    }
    out += END;
    out += "\ntime";
    for label in &table.labels {
        out += "\t";
        out += label;
    }
    for (k, time) in table.time.iter().enumerate() {
        out += &format!("\n{time}");
        for value in &table.values[k * columns..(k + 1) * columns] {
            out += &format!("\t{value}");
        }
    }
    out += "\n";
    Ok(out)
}
