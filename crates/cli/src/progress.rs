//! How far long work has come: a bar on standard error, where that is a terminal and nobody asked for JSON.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Work shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// What the bar looks like.
const LOOK: &str = "{msg} {wide_bar} {pos}/{len} {eta}";

/// Whether a program listens instead of a person.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// No bars from now on.
pub fn silence() {
    IS_SILENT.store(true, Ordering::Relaxed);
}

/// A bar that appears when the work takes long and is gone when this is dropped.
pub struct Progress {
    what: &'static str,
    total: u64,
    started: Instant,
    is_silent: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Work of `total` parts begins.
    pub fn new(what: &'static str, total: u64) -> Progress {
        let is_silent = IS_SILENT.load(Ordering::Relaxed) || !std::io::stderr().is_terminal();
        Progress { what, total, started: Instant::now(), is_silent, bar: None }
    }

    /// So many parts are done.
    pub fn at(&mut self, done: u64) {
        if self.is_silent || (self.bar.is_none() && self.started.elapsed() < PATIENCE) {
            return;
        }
        let (what, total) = (self.what, self.total);
        self.bar.get_or_insert_with(|| new_bar(what, total)).set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(what: &'static str, total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(LOOK) {
        bar.set_style(style);
    }
    bar.with_message(what)
}
