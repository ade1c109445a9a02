//! Progress bars on standard error, if that is a terminal and `--json` is not set.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Delay before a bar appears.
const DELAY: Duration = Duration::from_secs(1);
/// Layout of the bar.
const LAYOUT: &str = "{msg} {wide_bar} {pos}/{len} {eta}";

static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// Shows no bars from now on.
pub fn silence() {
    IS_SILENT.store(true, Ordering::Relaxed);
}

/// A bar that appears after a delay and is cleared when dropped.
pub struct Progress {
    what: String,
    total: u64,
    started: Instant,
    is_silent: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A bar for `total` parts.
    pub fn new(what: impl Into<String>, total: u64) -> Progress {
        let is_silent = IS_SILENT.load(Ordering::Relaxed) || !std::io::stderr().is_terminal();
        Progress { what: what.into(), total, started: Instant::now(), is_silent, bar: None }
    }

    /// Sets the number of finished parts.
    pub fn at(&mut self, done: u64) {
        if self.is_silent || (self.bar.is_none() && self.started.elapsed() < DELAY) {
            return;
        }
        self.bar.get_or_insert_with(|| new_bar(&self.what, self.total)).set_position(done);
    }
}

/// Bars of successive stages.
#[derive(Default)]
pub struct Bars(Option<(&'static str, Progress)>);

impl Bars {
    /// Sets the finished fraction of a stage; a new stage replaces the bar.
    pub fn at(&mut self, what: &'static str, part: f64) {
        /// Resolution of the bar.
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
    if let Ok(style) = ProgressStyle::with_template(LAYOUT) {
        bar.set_style(style);
    }
    bar.with_message(what.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bar_when_silent_or_early() {
        silence();
        let mut progress = Progress::new("steps", 10);
        progress.at(5);
        assert!(progress.bar.is_none() && progress.is_silent);
        let mut short = Progress::new("steps", 10);
        short.is_silent = false;
        short.at(5);
        assert!(short.bar.is_none(), "not within the first second");
    }
}
