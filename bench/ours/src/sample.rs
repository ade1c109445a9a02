//! Random inputs, the same on every machine; single or packed into lanes.

use anthropi_dynamics::model::{Figure, State};
use anthropi_dynamics::sim::advance;
use anthropi_dynamics::spatial::{LANES, Lanes, Real};

/// Number of states that a benchmark cycles through, as for the peers.
pub const STATES: usize = 32;
const SEED: u64 = 88_172_645_463_325_252;

/// Inputs of one call.
#[derive(Clone, Debug, Default)]
pub struct Sample<T> {
    /// coordinates
    pub q: Vec<T>,
    /// their rates
    pub v: Vec<T>,
    /// accelerations, for inverse dynamics
    pub a: Vec<T>,
    /// joint forces, for forward dynamics
    pub tau: Vec<T>,
}

/// Random states of a figure, always the same.
pub fn random(figure: &Figure, count: usize) -> Vec<Sample<f64>> {
    let mut rng = Rng(SEED);
    (0..count).map(|_| random_one(figure, &mut rng)).collect()
}

fn random_one(figure: &Figure, rng: &mut Rng) -> Sample<f64> {
    let mut s = State::home(figure);
    let n = figure.forest().nv();
    let mut normals = |size: f64| (0..n).map(|_| size * rng.normal()).collect::<Vec<f64>>();
    let (step, v, a, tau) = (normals(0.5), normals(1.0), normals(1.0), normals(10.0));
    advance(figure.forest(), &mut s.q, &step, 1.0);
    Sample { q: s.q, v, a, tau }
}

/// Packs four states into lanes.
pub fn pack(four: &[Sample<f64>]) -> Sample<Lanes> {
    let mut packed = Sample::default();
    pack_into(four, &mut packed);
    packed
}

/// Packs four states into lanes, without allocation once `to` has its size.
pub fn pack_into(four: &[Sample<f64>], to: &mut Sample<Lanes>) {
    let side_by_side = |to: &mut Vec<Lanes>, of: fn(&Sample<f64>) -> &Vec<f64>| {
        let each: [&[f64]; LANES] = std::array::from_fn(|lane| &of(&four[lane])[..]);
        to.clear();
        to.extend((0..each[0].len()).map(|k| Lanes(each.map(|x| x[k]))));
    };
    side_by_side(&mut to.q, |s| &s.q);
    side_by_side(&mut to.v, |s| &s.v);
    side_by_side(&mut to.a, |s| &s.a);
    side_by_side(&mut to.tau, |s| &s.tau);
}

/// One of four results.
pub fn unpack(lane: usize, packed: &[Lanes], to: &mut [f64]) {
    to.iter_mut().zip(packed).for_each(|(to, x)| *to = x.lane(lane));
}

struct Rng(u64);

impl Rng {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Approximately normal: the sum of twelve uniform numbers.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}
