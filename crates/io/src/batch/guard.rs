//! A fault of the program in one clip is that clip's error and stops no other.

use crate::error::Error;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

thread_local! {
    /// Whether panics of this thread are caught.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
    /// What the last of them said, and where.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// From now on, panics that are caught print nothing; others do as before.
pub fn keep_panics_quiet() {
    static ASKED: Once = Once::new();
    ASKED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| match IS_GUARDED.get() {
            true => SAID.set(Some(in_a_sentence(info))),
            false => before(info),
        }));
    });
}

fn in_a_sentence(info: &PanicHookInfo) -> String {
    let what = info.payload_as_str().unwrap_or("it gives no reason");
    info.location().map_or(what.into(), |l| format!("{what} ({}:{})", l.file(), l.line()))
}

/// Does it; a panic is an error that says so.
pub fn run<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    IS_GUARDED.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(false);
    result.unwrap_or_else(|payload| {
        let bare = payload.downcast_ref::<&str>().map(ToString::to_string);
        let said = SAID.take().or(bare).or_else(|| payload.downcast_ref::<String>().cloned());
        Err(Error::Fault { what: said.unwrap_or_default() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_words() {
        let none: Vec<i32> = Vec::new();
        let error = run(|| Ok(none[usize::from(none.is_empty())])).unwrap_err();
        assert!(
            matches!(error, Error::Fault { .. }) && error.to_string().contains("index out of bounds"),
            "{error}"
        );
        keep_panics_quiet();
        let error = run(|| -> Result<(), Error> { panic!("on purpose") }).unwrap_err();
        assert!(error.to_string().contains("on purpose (crates"), "with its place: {error}");
        assert_eq!(run(|| Ok(7)).unwrap(), 7);
        let refused = run::<()>(|| Err(Error::NoModel { file: "x".into() })).unwrap_err();
        assert!(matches!(refused, Error::NoModel { file } if file == "x"));
    }
}
