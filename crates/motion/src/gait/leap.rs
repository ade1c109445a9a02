//! What a reference leaps by when it goes over from one plan to another, taken back little by little.

use crate::filter::Aim;
use crate::pose;
use anthropi_dynamics::model::Forest;
use anthropi_dynamics::spatial::Vec3;

/// It is gone after this time, s.
const GONE: f64 = 0.4;

/// A leap that is being made good.
#[derive(Clone, Debug)]
pub(crate) struct Leap {
    /// from the new reference to the old one: of coordinates, and of the centre of mass
    way: Vec<f64>,
    center: Vec3,
    /// s
    since: f64,
}

impl Leap {
    pub fn between(forest: &Forest, old: &Aim, new: &Aim) -> Leap {
        let mut way = vec![0.0; forest.nv()];
        pose::difference(forest, &new.q, &old.q, &mut way);
        Leap { way, center: old.center[0] - new.center[0], since: 0.0 }
    }

    /// Puts a reference where the leap is not seen; false once it is gone. `dt` later there is less of it.
    pub fn hide(&mut self, forest: &Forest, aim: &mut Aim, dt: f64) -> bool {
        let s = self.since / GONE;
        self.since += dt;
        if s >= 1.0 {
            return false;
        }
        // 1 - 10 s^3 + 15 s^4 - 6 s^5 and its derivatives
        let part = 1.0 - s * s * s * (10.0 - s * (15.0 - 6.0 * s));
        let rate = -30.0 * s * s * (1.0 - s) * (1.0 - s) / GONE;
        let second = -60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (GONE * GONE);
        let q = aim.q.clone();
        pose::along(forest, &q, &self.way, part, &mut aim.q);
        let mut own = self.way.clone();
        pose::free_ways_to_child(forest, &aim.q, &mut own);
        for (i, w) in own.iter().enumerate() {
            aim.v[i] += rate * w;
            aim.a[i] += second * w;
        }
        for (c, k) in aim.center.iter_mut().zip([part, rate, second]) {
            *c += self.center.scale(k);
        }
        true
    }
}
