//! `trajectory.csv`: time, q and v of every step.

use crate::names;
use anthropi_dynamics::model::{Figure, State};
use anthropi_io::load::Output;
use anyhow::Context;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The table being written.
pub struct Trajectory {
    output: Output,
    path: PathBuf,
    line: String,
}

impl Trajectory {
    /// Starts the table in a directory, which is made if it is not there.
    pub fn create(dir: &Path, figure: &Figure) -> anyhow::Result<Trajectory> {
        std::fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
        let path = dir.join("trajectory.csv");
        let output = Output::create(&path).with_context(|| path.display().to_string())?;
        let mut trajectory = Trajectory { output, path, line: String::from("t") };
        for (letter, names) in [("q", names::of_coordinates(figure)), ("v", figure.dof_names())] {
            names.iter().for_each(|name| {
                trajectory.line.push_str(&format!(",{}", quoted(&format!("{letter}:{name}"))))
            });
        }
        trajectory.end_line()?;
        Ok(trajectory)
    }

    /// Adds an instant. Numbers are the shortest that read back as the same bits.
    pub fn row(&mut self, time: f64, state: &State) -> anyhow::Result<()> {
        let _ = write!(self.line, "{time}");
        for x in state.q.iter().chain(&state.v) {
            let _ = write!(self.line, ",{x}");
        }
        self.end_line()
    }

    /// Puts the file in its place.
    pub fn finish(self) -> anyhow::Result<()> {
        self.output.finish().with_context(|| self.path.display().to_string())
    }

    fn end_line(&mut self) -> anyhow::Result<()> {
        self.line.push('\n');
        self.output.write_all(self.line.as_bytes()).with_context(|| self.path.display().to_string())?;
        self.line.clear();
        Ok(())
    }
}

/// Names with commas, quotes or line ends are put in quotes, as CSV has it.
fn quoted(name: &str) -> String {
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.into(),
    }
}
