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
    what: String,
    total: u64,
    started: Instant,
    is_silent: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Work of `total` parts begins.
    pub fn new(what: impl Into<String>, total: u64) -> Progress {
        let is_silent = IS_SILENT.load(Ordering::Relaxed) || !std::io::stderr().is_terminal();
        Progress { what: what.into(), total, started: Instant::now(), is_silent, bar: None }
    }

    /// So many parts are done.
    pub fn at(&mut self, done: u64) {
        if self.is_silent || (self.bar.is_none() && self.started.elapsed() < PATIENCE) {
            return;
        }
        self.bar.get_or_insert_with(|| new_bar(&self.what, self.total)).set_position(done);
    }
}

/// One bar after the other, for work in several parts that tells what it is at.
#[derive(Default)]
pub struct Bars(Option<(&'static str, Progress)>);

impl Bars {
    /// This part (0 to 1) of that is done.
    pub fn at(&mut self, what: &'static str, part: f64) {
        /// Parts that the bar shows.
        const PARTS: u64 = 1000;
        if self.0.as_ref().is_none_or(|(now, _)| *now != what) {
            self.0 = Some((what, Progress::new(what, PARTS)));
        }
        self.0.iter_mut().for_each(|(_, bar)| bar.at((part * PARTS as f64) as u64));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(what: &str, total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(LOOK) {
        bar.set_style(style);
    }
    bar.with_message(what.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_drawn_for_programs_and_short_work() {
        silence();
        let mut progress = Progress::new("steps", 10);
        progress.at(5);
        assert!(progress.bar.is_none() && progress.is_silent);
        let mut short = Progress::new("steps", 10);
        short.is_silent = false;
        short.at(5);
        assert!(short.bar.is_none(), "not before a second has passed");
    }
}
