//! Writes a table of comma-separated values to a file.

use crate::report;
use anthropi_formats::csv::Lines;
use anthropi_formats::file::Output;
use anyhow::Context;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Columns of a wrench on a link: world axes, moment about the point.
pub const WRENCH: [&str; 11] = ["t", "link", "px", "py", "pz", "fx", "fy", "fz", "nx", "ny", "nz"];

/// A table that replaces its file when finished.
pub struct Csv {
    output: Output,
    path: PathBuf,
    /// the line being written
    pub line: Lines,
}

impl Csv {
    /// Starts the table `name` in a directory, which is created.
    pub fn create(dir: &Path, name: &str) -> anyhow::Result<Csv> {
        report::folder(dir)?;
        let path = dir.join(name);
        let output = Output::create(&path).with_context(|| path.display().to_string())?;
        Ok(Csv { output, path, line: Lines::default() })
    }

    /// Adds values to the line.
    pub fn values<T: Display>(&mut self, values: impl IntoIterator<Item = T>) {
        values.into_iter().for_each(|value| self.line.value(value));
    }

    /// Ends the line.
    pub fn end_line(&mut self) -> anyhow::Result<()> {
        self.line.end_line();
        self.output
            .write_all(self.line.text().as_bytes())
            .with_context(|| self.path.display().to_string())?;
        self.line.clear();
        Ok(())
    }

    /// Replaces the file.
    pub fn finish(self) -> anyhow::Result<()> {
        self.output.finish().with_context(|| self.path.display().to_string())
    }
}
