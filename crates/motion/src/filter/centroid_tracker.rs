//! Causal tracking of centre of mass and angular momentum: constant acceleration, white jerk, one frame of delay.

use crate::estimate::Gains;

/// Six signals: value, first and second difference per frame.
type Signals = [[f64; 3]; 6];

/// Tracks six signals.
#[derive(Clone, Debug)]
pub(crate) struct CentroidTracker {
    gains: Gains,
    dt: f64,
    now: Signals,
    before: Signals,
    count: usize,
}

/// Frames during which the given rates are used.
const START_FRAMES: usize = 6;

impl CentroidTracker {
    pub fn new(gains: Gains, dt: f64) -> CentroidTracker {
        CentroidTracker { gains, dt, now: [[0.0; 3]; 6], before: [[0.0; 3]; 6], count: 0 }
    }

    /// Adds a frame; the rates are used during the first frames.
    pub fn push(&mut self, value: [f64; 6], rate: [f64; 6]) {
        self.before = self.now;
        for k in 0..6 {
            let [x, v, a] = self.before[k];
            if self.count == 0 {
                self.now[k] = [value[k], rate[k] * self.dt, 0.0];
                self.before[k] = self.now[k];
                continue;
            }
            let predicted = [x + v + 0.5 * a, v + a, a];
            let innovation = value[k] - predicted[0];
            for i in 0..3 {
                self.now[k][i] = predicted[i] + self.gains.filter[i] * innovation;
                self.before[k][i] += self.gains.smoother[i] * innovation;
            }
            if self.count < START_FRAMES {
                self.now[k][1] = rate[k] * self.dt;
            }
        }
        self.count += 1;
    }

    /// Value, first and second derivative at the frame before the newest.
    pub fn delayed(&self) -> [[f64; 6]; 3] {
        let scale = [1.0, 1.0 / self.dt, 1.0 / (self.dt * self.dt)];
        core::array::from_fn(|i| core::array::from_fn(|k| self.before[k][i] * scale[i]))
    }
}
