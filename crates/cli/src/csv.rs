//! A table being written: lines of comma-separated values in a file.

use crate::report;
use anthropi_io::csv::Lines;
use anthropi_io::load::Output;
use anyhow::Context;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Columns of a force and its moment on a link, world axes, moment about the point.
pub const WRENCH: [&str; 11] = ["t", "link", "px", "py", "pz", "fx", "fy", "fz", "nx", "ny", "nz"];

/// A table in a file that takes its place only when it is finished.
pub struct Csv {
    output: Output,
    path: PathBuf,
    lines: Lines,
}

impl Csv {
    /// Starts the table `name` in a directory, which is made if it is not there.
    pub fn create(dir: &Path, name: &str) -> anyhow::Result<Csv> {
        report::folder(dir)?;
        let path = dir.join(name);
        let output = Output::create(&path).with_context(|| path.display().to_string())?;
        Ok(Csv { output, path, lines: Lines::default() })
    }

    /// Adds a value to the line. Numbers are the shortest that read back as the same bits.
    pub fn value(&mut self, value: impl Display) {
        self.lines.value(value);
    }

    /// Adds a name, in quotes where it holds commas, quotes or line ends.
    pub fn name(&mut self, name: &str) {
        self.lines.name(name);
    }

    /// Adds an empty value.
    pub fn nothing(&mut self) {
        self.lines.nothing();
    }

    /// Ends the line.
    pub fn end_line(&mut self) -> anyhow::Result<()> {
        self.lines.end_line();
        self.output
            .write_all(self.lines.text().as_bytes())
            .with_context(|| self.path.display().to_string())?;
        self.lines.clear();
        Ok(())
    }

    /// Puts the file in its place.
    pub fn finish(self) -> anyhow::Result<()> {
        self.output.finish().with_context(|| self.path.display().to_string())
    }
}
