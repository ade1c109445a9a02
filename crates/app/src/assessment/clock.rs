//! Wall time of the filter: total, and per frame from its first internal step to that of the next frame.

use std::time::{Duration, Instant};

/// A stopwatch that can be paused.
pub struct Clock {
    /// start, moved forward by the pauses
    since: Instant,
    paused: Instant,
    /// by step: time of the motion, and wall time when it was solved, s
    steps: Vec<[f64; 2]>,
    /// wall time of each frame, us
    frames: Vec<f64>,
    total: Duration,
}

impl Clock {
    /// Starts now.
    pub fn start() -> Clock {
        let now = Instant::now();
        Clock { since: now, paused: now, steps: Vec::new(), frames: Vec::new(), total: Duration::ZERO }
    }

    /// Records that the step at a time of the motion is solved, and pauses until [`Clock::resume`].
    pub fn step(&mut self, time: f64) {
        self.paused = Instant::now();
        self.steps.push([time, (self.paused - self.since).as_secs_f64()]);
    }

    /// Continues, without the time since the last step.
    pub fn resume(&mut self) {
        self.since += self.paused.elapsed();
    }

    /// Stops. Frames of the filtered motion, which may be retimed, are `dt` seconds apart.
    pub fn stop(&mut self, dt: f64) {
        /// Times are multiples of the step up to rounding.
        const ROUNDING: f64 = 1e-6;
        self.total = self.since.elapsed();
        let frame = |time: f64| (time / dt + ROUNDING).floor();
        let mut starts = core::mem::take(&mut self.steps);
        starts.dedup_by(|later, first| frame(later[0]) == frame(first[0]));
        self.frames = starts.windows(2).map(|w| 1e6 * (w[1][1] - w[0][1])).collect();
    }

    /// Total time, s.
    pub fn seconds(&self) -> f64 {
        self.total.as_secs_f64()
    }

    /// Quantile of the wall time per frame, us; `None` for a single frame.
    pub fn quantile(&self, part: f64) -> Option<f64> {
        let mut sorted = self.frames.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        Some(sorted[(part * last as f64).round() as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_counted_and_pauses_are_left_out() {
        let mut clock = Clock::start();
        for k in 0..30 {
            clock.step(0.001 * f64::from(k));
            std::thread::sleep(Duration::from_millis(1));
            clock.resume();
        }
        clock.stop(0.01);
        assert_eq!(clock.frames.len(), 2);
        // ten sleeps a frame are far above this
        assert!(clock.quantile(0.5).is_some_and(|us| us < 5e3), "{:?}", clock.frames);
        assert!(clock.seconds() < 15e-3, "{}", clock.seconds());
    }
}
