//! Ctrl+C ends long work: Python's signals are looked at while it goes on.
//!
//! The libraries tell how far they are and know nothing of being stopped; the work is unwound from there, without a panic's
//! message, and all it held is dropped on the way.

use crate::error::Answer;
use pyo3::prelude::*;
use std::panic::{self, AssertUnwindSafe};
use std::time::{Duration, Instant};

/// How often signals are looked at.
const EVERY: Duration = Duration::from_millis(50);

/// What unwinds: it is caught below and nowhere else.
struct Stopped;

/// Does work that calls what it is given now and then; if Python then has a signal whose handler raises, as Ctrl+C does,
/// the work ends there.
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
