//! Speed, length and frequency of steps while somebody walks, from where and when feet land.

use crate::filter::Body;
use anthropi_dynamics::spatial::Vec3;

/// Whoever has not landed for so long stands, s.
const STANDS: f64 = 1.5;
/// Feet in the air for less have not left, s.
const LEFT: f64 = 0.1;

/// How fast somebody walks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// m/s
    pub speed: f64,
    /// m
    pub length: f64,
    /// steps per second
    pub frequency: f64,
}

/// Who looks at feet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pacer {
    /// by foot: when it stood last, s
    stood: Vec<f64>,
    /// by foot: when and where it landed last, and before
    landed: Vec<[Option<(f64, Vec3)>; 2]>,
    /// the foot that landed last
    last: usize,
}

impl Pacer {
    pub fn look(&mut self, body: &Body, time: f64) {
        let feet = body.limbs.iter().filter(|l| l.is_foot);
        for (k, limb) in feet.enumerate() {
            if k >= self.stood.len() {
                self.stood.push(time);
                self.landed.push([None; 2]);
            }
            if !limb.stands() {
                continue;
            }
            if time - self.stood[k] > LEFT {
                let at = body.now.kinematics.body_pose(limb.body).translation;
                self.landed[k] = [Some((time, at)), self.landed[k][0]];
                self.last = k;
            }
            self.stood[k] = time;
        }
    }

    /// Of the last cycle; nothing for who stands.
    pub fn pace(&self, time: f64) -> Pace {
        let Some([Some((t, now)), Some((before, then))]) = self.landed.get(self.last) else {
            return Pace::default();
        };
        if time - t > STANDS {
            return Pace::default();
        }
        let (cycle, way) = (t - before, *now - *then);
        let speed = libm::hypot(way.x, way.y) / cycle;
        Pace { speed, length: 0.5 * speed * cycle, frequency: 2.0 / cycle }
    }
}
