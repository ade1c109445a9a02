//! The core of `anthropi.dataset`, shared with `anthropi batch`: `Work` makes the row of a clip in any process, `Run`
//! writes the results.

use crate::error::{Answer, Problem};
use crate::options::{self, Options};
use anthropi_app::batch::{self, BatchRequest, Entry, JobKind, Row, STACK};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

/// A clip: name in the table, path, size in bytes, name of its output.
type Clip = (String, PathBuf, u64, String);

fn entry((name, path, size, output): Clip) -> Entry {
    Entry { name, path, size, output }
}

/// All motions of folders (recursive), files and patterns, sorted by name; skips ``out``.
#[pyfunction]
pub fn find_clips(py: Python, inputs: Vec<String>, out: PathBuf) -> Answer<Vec<Clip>> {
    let found = py.detach(|| batch::entries(&inputs, &out))?;
    Ok(found.into_iter().map(|e| (e.name, e.path, e.size, e.output)).collect())
}

/// A job that makes the row of a clip.
#[pyclass(module = "anthropi", frozen)]
pub struct Work {
    inner: Arc<batch::Work>,
}

#[pymethods]
impl Work {
    /// The job ``certify`` or ``filter`` with its options; outputs go to ``out``.
    #[new]
    #[pyo3(signature = (job, out, options))]
    fn new(job: &str, out: PathBuf, options: &Bound<PyDict>) -> Answer<Work> {
        let what = match job {
            "certify" => JobKind::Certify,
            "filter" => JobKind::Filter,
            _ => return Err(Problem::unknown("job", job, "certify, filter")),
        };
        let mut options = Options::new(Some(options))?;
        let forces = options::forces(&mut options)?;
        let filter = match what {
            JobKind::Filter => options::filter(&mut options, &forces)?,
            // the fingerprint includes them, as on the command line
            JobKind::Certify => anthropi_motion::filter::FilterSettings {
                friction: forces.friction,
                ground: forces.ground,
                ..Default::default()
            },
        };
        let request = BatchRequest {
            what,
            pages: options.get("pages")?.unwrap_or(false),
            subject: options::subject(&mut options)?,
            options: options::motion_options(&mut options)?,
            forces,
            filter,
        };
        options.expect_empty(job)?;
        Ok(Work { inner: Arc::new(batch::Work::new(&request, &out)?) })
    }

    /// The row of a clip as JSON, with an error or a result.
    fn row(&self, py: Python, clip: Clip) -> Answer<String> {
        let (work, entry) = (self.inner.clone(), entry(clip));
        // threads of Python may have small stacks
        let row = py.detach(|| {
            let thread = thread::Builder::new().stack_size(STACK).spawn(move || work.row(&entry));
            thread.map_err(|e| e.to_string())?.join().map_err(|_| "a thread ended".to_string())
        });
        row.map(|row| Value::from(row).to_string()).map_err(Problem::Internal)
    }

    /// The row of a clip whose workers died, as JSON.
    fn lost(&self, py: Python, clip: Clip, what: &str) -> String {
        let entry = entry(clip);
        Value::from(py.detach(|| self.inner.lost(&entry, what))).to_string()
    }
}

/// A run that writes a folder of results, and holds its lock.
#[pyclass(module = "anthropi", frozen)]
pub struct Run {
    inner: batch::Run,
    work: Arc<batch::Work>,
}

#[pymethods]
impl Run {
    /// Starts a run; resuming reuses the rows of earlier runs, of this package or the command line.
    #[new]
    #[pyo3(signature = (work, out, resume=true))]
    fn new(work: &Work, out: PathBuf, resume: bool) -> Answer<Run> {
        Ok(Run { inner: batch::Run::begin(&work.inner, &out, resume)?, work: work.inner.clone() })
    }

    /// Warnings about the journal.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.inner.warnings.clone()
    }

    /// The row of an earlier run as JSON, if it is still valid.
    fn done_before(&self, py: Python, clip: Clip) -> Option<String> {
        let entry = entry(clip);
        py.detach(|| {
            self.inner.done_before(&self.work, &entry).map(|row| Value::from(row.clone()).to_string())
        })
    }

    /// Writes a row to the journal and to disk.
    fn keep(&self, py: Python, row: &str) -> Answer<()> {
        let row = parsed(row)?;
        Ok(py.detach(|| self.inner.keep(&row))?)
    }

    /// Writes ``results.csv`` and ``results.parquet``, rows sorted by path.
    fn finish(&self, py: Python, rows: Vec<String>) -> Answer<()> {
        let mut rows = rows.iter().map(|row| parsed(row)).collect::<Answer<Vec<Row>>>()?;
        Ok(py.detach(|| self.inner.finish(&self.work, &mut rows))?)
    }
}

fn parsed(row: &str) -> Answer<Row> {
    let wrong = |_| Problem::Argument("expected a row of Work.row".into());
    let row: Row = serde_json::from_str(row).map_err(wrong)?;
    match row.get("path").is_some_and(Value::is_string) {
        true => Ok(row),
        false => Err(Problem::Argument("expected a row with a path".into())),
    }
}
