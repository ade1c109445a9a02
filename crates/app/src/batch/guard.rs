//! Turns a panic at one clip into the error of that clip.

use anthropi_formats::Error;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

thread_local! {
    /// Whether panics of this thread are caught.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
    /// Message and place of the last panic.
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Silences panics that are caught; others print as before.
pub fn keep_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| match IS_GUARDED.get() {
            true => MESSAGE.set(Some(message(info))),
            false => before(info),
        }));
    });
}

fn message(info: &PanicHookInfo) -> String {
    let what = info.payload_as_str().unwrap_or("no message");
    info.location().map_or(what.into(), |l| format!("{what} ({}:{})", l.file(), l.line()))
}

/// Runs `work`; a panic becomes an error.
pub fn run<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    IS_GUARDED.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(false);
    result.unwrap_or_else(|payload| {
        let bare = payload.downcast_ref::<&str>().map(ToString::to_string);
        let message = MESSAGE.take().or(bare).or_else(|| payload.downcast_ref::<String>().cloned());
        Err(Error::Internal { what: message.unwrap_or_default() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_message() {
        let none: Vec<i32> = Vec::new();
        let error = run(|| Ok(none[usize::from(none.is_empty())])).unwrap_err();
        assert!(
            matches!(error, Error::Internal { .. }) && error.to_string().contains("index out of bounds"),
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
