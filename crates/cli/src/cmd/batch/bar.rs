//! Progress of a batch: clips done, failures, time left.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicU64, Ordering};

/// Layout of the bar.
const LAYOUT: &str = "{msg} {wide_bar} {pos}/{len}, {eta} left";

/// A line on standard error, if that is a terminal; cleared when dropped.
pub struct Bar {
    bar: ProgressBar,
    failed: AtomicU64,
}

impl Bar {
    /// A bar for a number of clips.
    pub fn new(clips: usize, is_silent: bool) -> Bar {
        let target = if is_silent { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(clips as u64), target);
        if let Ok(style) = ProgressStyle::with_template(LAYOUT) {
            bar.set_style(style);
        }
        Bar { bar: bar.with_message("clips"), failed: AtomicU64::new(0) }
    }

    /// Counts a finished clip.
    pub fn done(&self, is_ok: bool) {
        if !is_ok {
            let failed = self.failed.fetch_add(1, Ordering::Relaxed) + 1;
            self.bar.set_message(format!("clips, {failed} failed"));
        }
        self.bar.inc(1);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
