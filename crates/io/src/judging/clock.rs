//! Wall time of the filter: in all, and from the first internal step of a frame to that of the next.

use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A clock that can be held.
pub struct Clock {
    /// time between frames of the motion, s
    dt: f64,
    /// since when it runs, without what was held
    since: Instant,
    held: Instant,
    /// frame that is being made, and when its first step was solved
    frame: Option<(i64, Duration)>,
    /// us
    frames: Vec<f64>,
    total: Duration,
}

impl Clock {
    /// Runs from now on.
    pub fn start(dt: f64) -> Clock {
        let now = Instant::now();
        Clock { dt, since: now, held: now, frame: None, frames: Vec::new(), total: Duration::ZERO }
    }

    /// A step at a time of the motion was solved; what is done until [`Clock::resume`] may be left out.
    pub fn step(&mut self, time: f64) {
        /// Times are multiples of the step up to rounding.
        const ROUNDING: f64 = 1e-6;
        self.held = Instant::now();
        let now = self.held - self.since;
        let frame = (time / self.dt + ROUNDING).floor() as i64;
        match self.frame {
            Some((last, _)) if last == frame => return,
            Some((_, from)) => self.frames.push(1e6 * (now - from).as_secs_f64()),
            None => {}
        }
        self.frame = Some((frame, now));
    }

    /// Goes on as if no time had passed since the last step.
    pub fn resume(&mut self) {
        self.since += self.held.elapsed();
    }

    /// No more.
    pub fn stop(&mut self) {
        self.total = self.since.elapsed();
    }

    /// All that it ran.
    pub fn seconds(&self) -> f64 {
        self.total.as_secs_f64()
    }

    /// Time of a frame, us: that which a part of the frames keep to; none where there was only one.
    pub fn quantile(&self, part: f64) -> Option<f64> {
        let mut sorted = self.frames.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        Some(sorted[(part * last as f64).round() as usize])
    }

    /// As in the contract of `filter`.
    pub fn to_json(&self) -> Value {
        json!({ "p50": self.quantile(0.5), "p99": self.quantile(0.99) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_counted_and_what_is_held_is_left_out() {
        let mut clock = Clock::start(0.01);
        for k in 0..30 {
            clock.step(0.001 * f64::from(k));
            std::thread::sleep(Duration::from_millis(1));
            clock.resume();
        }
        clock.stop();
        assert_eq!(clock.frames.len(), 2);
        // ten sleeps a frame are far above this
        assert!(clock.quantile(0.5).is_some_and(|us| us < 5e3), "{:?}", clock.frames);
        assert!(clock.seconds() < 15e-3, "{}", clock.seconds());
    }
}
