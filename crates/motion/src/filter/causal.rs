//! Who touches the ground, and how high it is, without the future.
//!
//! As `touch`, from what was seen so far. A foot that is nearly at rest not far from where the last one stood stands
//! itself, and its lowest point is the ground; a foot that comes down is compared with where the last one stood. Heights
//! of captured stances wander by centimetres, so the ground follows the feet that touch, smoothly.

use super::terms::Moving;
use anthropi_dynamics::spatial::Vec3;

/// Slower than this a spot may touch, m/s...
const SPEED: f64 = 0.8;
/// ...and a foot slower than this stands, if it is near the ground...
const REST: f64 = 0.3;
/// ...both faster in proportion when the figure travels faster than this, m/s.
const TRAVEL: f64 = 1.8;
/// Closer than this to the ground a spot begins to touch, m...
const ON: f64 = 0.025;
/// ...and farther it ends.
const OFF: f64 = 0.028;
/// Feet stand within this of each other on even ground, m.
const EVEN: f64 = 0.08;
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
    /// lowest point of each limb, and the ground below limbs that rest
    limbs: Vec<(f64, Option<f64>)>,
    /// where a foot stood last
    stood: Option<f64>,
    travel: Option<f64>,
    lags: Option<[f64; 2]>,
}

impl CausalTouch {
    pub fn new(places: usize, limbs: usize, dt: f64) -> CausalTouch {
        CausalTouch {
            dt,
            on: vec![false; places],
            limbs: vec![(0.0, None); limbs],
            stood: None,
            travel: None,
            lags: None,
        }
    }

    /// Height of the ground below the feet.
    pub fn ground(&self) -> f64 {
        self.lags.map_or(0.0, |l| l[1])
    }

    /// Takes the points of a frame.
    pub fn update(&mut self, seen: &[Seen]) {
        let gate = self.gate(seen);
        let low = seen.iter().map(|s| s.at.at.z).fold(f64::INFINITY, f64::min);
        let is_first = self.stood.is_none();
        let stood = self.stood.unwrap_or(low);
        for (n, (lowest, rests)) in self.limbs.iter_mut().enumerate() {
            let own = seen.iter().filter(|s| s.limb == n && s.is_foot);
            let Some(point) = own.min_by(|a, b| a.at.at.z.total_cmp(&b.at.at.z)) else { continue };
            *lowest = point.at.at.z;
            let is_resting = point.at.velocity.norm() < REST * gate && (*lowest - stood).abs() < EVEN;
            *rests = is_resting.then(|| rests.map_or(*lowest, |r| r.min(*lowest)));
        }
        for place in 0..self.on.len() {
            let points = || seen.iter().filter(move |s| s.place == place);
            let Some(one) = points().next() else { continue };
            let count = points().count() as f64;
            let low = points().map(|s| s.at.at.z).fold(f64::INFINITY, f64::min);
            let middle = points().fold(Vec3::ZERO, |sum, s| sum + s.at.velocity.scale(1.0 / count));
            let ground = self.limbs[one.limb].1.unwrap_or(stood);
            let limit = if self.on[place] || is_first { OFF } else { ON };
            self.on[place] = low - ground < limit && middle.norm() < SPEED * gate;
        }
        self.stood = Some(stood);
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
        if count > 0 {
            self.stood = Some(touching().map(|s| s.at.at.z).sum::<f64>() / count as f64);
        }
        let height = self.stood.unwrap_or(0.0);
        let part = 1.0 - libm::exp(-self.dt / FOLLOW);
        let [a, b] = self.lags.unwrap_or([height; 2]);
        let a = a + part * (height - a);
        self.lags = Some([a, b + part * (a - b)]);
    }
}
