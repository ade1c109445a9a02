//! Who touches the ground, and how high it is, without the future.
//!
//! As `touch`, from what was seen so far: a spot touches while it is slow and near the lowest its foot has been for a
//! while. Heights of captured stances wander by centimetres, so the ground follows the feet that touch, smoothly.

use super::terms::Moving;
use std::collections::VecDeque;

/// Slower than this a spot may touch, m/s...
const SPEED: f64 = 0.8;
/// ...and faster in proportion when the figure travels faster than this, m/s.
const TRAVEL: f64 = 1.8;
/// Closer than this to its floor a spot begins to touch, m...
const ON: f64 = 0.030;
/// ...and farther it ends.
const OFF: f64 = 0.035;
/// The floor of a foot is the lowest it was for so long, s.
const PAST: f64 = 1.2;
/// Travel is a mean over about so long, s.
const OVER: f64 = 0.4;
/// The ground follows the feet within about so long, s, by two lags one after the other.
const FOLLOW: f64 = 0.15;

/// A spot as it is seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// which spot
    pub place: usize,
    /// which foot or hand
    pub limb: usize,
    pub is_foot: bool,
    pub at: Moving,
}

/// Labels contacts frame by frame.
#[derive(Clone, Debug)]
pub(crate) struct CausalTouch {
    dt: f64,
    /// by spot
    pub on: Vec<bool>,
    /// lowest heights of each limb in the frames of the past
    past: Vec<VecDeque<f64>>,
    travel: Option<f64>,
    lags: Option<[f64; 2]>,
    limbs: Vec<f64>,
}

impl CausalTouch {
    pub fn new(places: usize, limbs: usize, dt: f64) -> CausalTouch {
        let length = (PAST / dt).ceil() as usize + 1;
        CausalTouch {
            dt,
            on: vec![false; places],
            past: vec![VecDeque::with_capacity(length + 1); limbs],
            travel: None,
            lags: None,
            limbs: vec![0.0; limbs],
        }
    }

    /// Height of the ground below the feet.
    pub fn ground(&self) -> f64 {
        self.lags.map_or(0.0, |l| l[1])
    }

    /// Takes the points of a frame.
    pub fn update(&mut self, seen: &[Seen]) {
        self.limbs.fill(f64::INFINITY);
        for s in seen {
            self.limbs[s.limb] = self.limbs[s.limb].min(s.at.at.z);
        }
        let length = (PAST / self.dt).ceil() as usize + 1;
        for (past, low) in self.past.iter_mut().zip(&self.limbs) {
            if past.len() == length {
                past.pop_front();
            }
            past.push_back(*low);
        }
        let gate = self.gate(seen);
        let is_first = self.lags.is_none();
        for place in 0..self.on.len() {
            let points = || seen.iter().filter(move |s| s.place == place);
            let Some(one) = points().next() else { continue };
            let count = points().count() as f64;
            let low = points().map(|s| s.at.at.z).fold(f64::INFINITY, f64::min);
            let velocity = points().fold(Default::default(), |sum, s| s.at.velocity.scale(1.0 / count) + sum);
            let speed = anthropi_dynamics::spatial::Vec3::norm(velocity);
            let floor = self.past[one.limb].iter().copied().fold(f64::INFINITY, f64::min);
            // hands have no floor of their own
            let floor = if one.is_foot { floor } else { self.ground() };
            let limit = if self.on[place] || is_first { OFF } else { ON };
            self.on[place] = low - floor < limit && speed < SPEED * gate && (one.is_foot || !is_first);
        }
        self.follow(seen);
    }

    /// By how much the limit of speed is wider.
    fn gate(&mut self, seen: &[Seen]) -> f64 {
        let feet = || seen.iter().filter(|s| s.is_foot);
        let count = feet().count().max(1) as f64;
        let mean = feet().map(|s| s.at.velocity.norm()).sum::<f64>() / count;
        let before = self.travel.unwrap_or(mean);
        let travel = before + (mean - before) * (self.dt / OVER).min(1.0);
        self.travel = Some(travel);
        (travel / TRAVEL).max(1.0)
    }

    fn follow(&mut self, seen: &[Seen]) {
        let touching = || seen.iter().filter(|s| s.is_foot && self.on[s.place]);
        let count = touching().count();
        let low = self.limbs.iter().copied().fold(f64::INFINITY, f64::min);
        let height = match count {
            0 => self.lags.map_or(low, |l| l[0]),
            n => touching().map(|s| s.at.at.z).sum::<f64>() / n as f64,
        };
        let part = 1.0 - libm::exp(-self.dt / FOLLOW);
        let [a, b] = self.lags.unwrap_or([height; 2]);
        let a = a + part * (height - a);
        self.lags = Some([a, b + part * (a - b)]);
    }
}
