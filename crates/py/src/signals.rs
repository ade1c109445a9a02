//! Ctrl+C interrupts long work: the progress callback checks Python's signals and unwinds the work without a panic message.

use crate::error::Answer;
use pyo3::prelude::*;
use std::panic::{self, AssertUnwindSafe};
use std::time::{Duration, Instant};

/// Interval of the checks.
const EVERY: Duration = Duration::from_millis(50);

/// The unwinding payload, caught by `stoppable`.
struct Stopped;

/// Runs `work`, which calls its argument regularly; a signal whose handler raises, such as Ctrl+C, ends the work.
pub fn stoppable<T: Send>(py: Python, work: impl FnOnce(&mut dyn FnMut()) -> T + Send) -> Answer<T> {
    let mut raised: Option<PyErr> = None;
    let done = py.detach(|| {
        let mut looked = Instant::now();
        let mut look = || {
            if looked.elapsed() < EVERY {
                return;
            }
            looked = Instant::now();
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                raised = Some(error);
                panic::resume_unwind(Box::new(Stopped));
            }
        };
        panic::catch_unwind(AssertUnwindSafe(|| work(&mut look)))
    });
    match (done, raised) {
        (Ok(done), _) => Ok(done),
        (Err(stopped), Some(error)) if stopped.is::<Stopped>() => Err(error.into()),
        (Err(panic), _) => panic::resume_unwind(panic),
    }
}
