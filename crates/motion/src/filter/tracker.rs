//! Centre of mass and angular momentum of frames as they come: constant acceleration, white jerk, one frame of delay.

use crate::estimate::Gains;

/// Six signals: value, change in a frame, change of that.
type Known = [[f64; 3]; 6];

/// Tracks six signals.
#[derive(Clone, Debug)]
pub(crate) struct Tracker {
    gains: Gains,
    dt: f64,
    now: Known,
    before: Known,
    count: usize,
}

/// Frames over which the first rates are found.
const START: usize = 6;

impl Tracker {
    pub fn new(gains: Gains, dt: f64) -> Tracker {
        Tracker { gains, dt, now: [[0.0; 3]; 6], before: [[0.0; 3]; 6], count: 0 }
    }

    /// Takes a frame with its rates as far as they are known otherwise; they count at the start.
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
            let missed = value[k] - predicted[0];
            for i in 0..3 {
                self.now[k][i] = predicted[i] + self.gains.filter[i] * missed;
                self.before[k][i] += self.gains.smoother[i] * missed;
            }
            if self.count < START {
                self.now[k][1] = rate[k] * self.dt;
            }
        }
        self.count += 1;
    }

    /// Value, rate and second rate of the frame before the newest.
    pub fn delayed(&self) -> [[f64; 6]; 3] {
        let scale = [1.0, 1.0 / self.dt, 1.0 / (self.dt * self.dt)];
        core::array::from_fn(|i| core::array::from_fn(|k| self.before[k][i] * scale[i]))
    }
}
