//! The work of `anthropi.dataset`: `Work` makes the row of a clip in any process, `Run` belongs to the one who writes the
//! results. Both are those of `anthropi batch`.

use crate::error::{Answer, Problem};
use crate::options::{self, Options};
use anthropi_io::batch::{self, Asked, Entry, Row, STACK, What};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

/// A clip to work on: name in the table, path, size in bytes.
type Clip = (String, PathBuf, u64);

fn entry((name, path, size): Clip) -> Entry {
    Entry { name, path, size }
}

/// All motions of folders (with all below them), files and patterns, sorted by name. What is in ``out`` is no input.
#[pyfunction]
pub fn find_clips(py: Python, inputs: Vec<String>, out: PathBuf) -> Answer<Vec<Clip>> {
    let found = py.detach(|| batch::entries(&inputs, &out))?;
    Ok(found.into_iter().map(|e| (e.name, e.path, e.size)).collect())
}

/// What is done with each clip.
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
            "certify" => What::Certify,
            "filter" => What::Filter,
            _ => {
                let told = format!("there is no job `{job}`. There is: certify, filter");
                return Err(Problem::Unknown { what: "job", name: job.into(), told });
            }
        };
        let mut options = Options::of(Some(options))?;
        let forces = options::forces(&mut options)?;
        let filter = match what {
            What::Filter => options::filter(&mut options, &forces)?,
            // as in the program, which has the options of all jobs
            What::Certify => anthropi_motion::filter::Settings {
                friction: forces.friction,
                ground: forces.ground,
                ..Default::default()
            },
        };
        let asked = Asked {
            what,
            pages: options.get("pages")?.unwrap_or(false),
            who: options::who(&mut options)?,
            options: options::motion_options(&mut options)?,
            forces,
            filter,
        };
        options.expect_empty(job)?;
        Ok(Work { inner: Arc::new(batch::Work::of(&asked, &out)?) })
    }

    /// The row of a clip, as JSON; what goes wrong is in it.
    fn row(&self, py: Python, clip: Clip) -> Answer<String> {
        let (work, entry) = (self.inner.clone(), entry(clip));
        // threads of Python may have small stacks
        let row = py.detach(|| {
            let thread = thread::Builder::new().stack_size(STACK).spawn(move || work.row(&entry));
            thread.map_err(|e| e.to_string())?.join().map_err(|_| "a thread ended".to_string())
        });
        row.map(|row| Value::from(row).to_string()).map_err(Problem::Internal)
    }

    /// The row of a clip whose worker is gone again and again, as JSON.
    fn lost(&self, py: Python, clip: Clip, what: &str) -> String {
        let entry = entry(clip);
        Value::from(py.detach(|| self.inner.lost(&entry, what))).to_string()
    }
}

/// A run that writes a folder of results; nobody else writes it meanwhile.
#[pyclass(module = "anthropi", frozen)]
pub struct Run {
    inner: batch::Run,
    work: Arc<batch::Work>,
}

#[pymethods]
impl Run {
    /// Begins, or goes on where earlier runs ended: of this package or of the program.
    #[new]
    #[pyo3(signature = (work, out, resume=true))]
    fn new(work: &Work, out: PathBuf, resume: bool) -> Answer<Run> {
        Ok(Run { inner: batch::Run::begin(&work.inner, &out, resume)?, work: work.inner.clone() })
    }

    /// What is to be told about the journal, a sentence each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.inner.warnings.clone()
    }

    /// The row of an earlier run that is as good as a new one, as JSON.
    fn done_before(&self, py: Python, clip: Clip) -> Option<String> {
        let entry = entry(clip);
        py.detach(|| {
            self.inner.done_before(&self.work, &entry).map(|row| Value::from(row.clone()).to_string())
        })
    }

    /// Keeps a row; it is on the disk when this returns.
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
    let wrong = |_| Problem::Argument("a row is expected, as Work.row gives it".into());
    let row: Row = serde_json::from_str(row).map_err(wrong)?;
    match row.get("path").is_some_and(Value::is_string) {
        true => Ok(row),
        false => Err(Problem::Argument("a row has a path".into())),
    }
}
