//! Lane by lane the same bits as single calls, for all three algorithms on random figures.

use anthropi_dynamics::algo::{aba, crba, lanes, rnea};
use anthropi_dynamics::model::{Figure, State};
use anthropi_dynamics::spatial::{Force, LANES, Lanes, Real, Vec3};
use testkit::*;

fn each_figure(mut f: impl FnMut(&str, &Figure, &[State; LANES])) {
    for seed in 0..20 {
        let links = 1 + 2 * seed as usize;
        for (what, figure) in
            [("plain", random_figure(seed, links)), ("rotors", random_figure_with_rotors(seed, links))]
        {
            let states = core::array::from_fn(|lane| random_state(&figure, 100 * seed + lane as u64));
            f(&format!("{what} {seed}"), &figure, &states);
        }
    }
}

/// The k-th numbers of the four vectors side by side.
fn packed(each: [&[f64]; LANES]) -> Vec<Lanes> {
    (0..each[0].len()).map(|k| Lanes(each.map(|x| x[k]))).collect()
}

fn packed_forces(each: &[Vec<Force>; LANES]) -> Vec<Force<Lanes>> {
    let vector = |k: usize, of: fn(&Force) -> Vec3| {
        let x: [Vec3; LANES] = core::array::from_fn(|lane| of(&each[lane][k]));
        Vec3 { x: Lanes(x.map(|v| v.x)), y: Lanes(x.map(|v| v.y)), z: Lanes(x.map(|v| v.z)) }
    };
    (0..each[0].len()).map(|k| Force::new(vector(k, |f| f.angular), vector(k, |f| f.linear))).collect()
}

fn assert_same_bits(what: &str, lane: usize, got: &[Lanes], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    for (k, (g, w)) in got.iter().zip(want).enumerate() {
        let g = g.lane(lane);
        assert!(g.to_bits() == w.to_bits(), "{what}: lane {lane}, entry {k}: {g:e} is not {w:e}");
        assert!(g.is_finite(), "{what}: lane {lane}, entry {k} is {g}");
    }
}

/// q, v, a third vector and forces of the four states, single and packed.
struct Inputs {
    third: [Vec<f64>; LANES],
    forces: [Vec<Force>; LANES],
    q: Vec<Lanes>,
    v: Vec<Lanes>,
    third_packed: Vec<Lanes>,
    forces_packed: Vec<Force<Lanes>>,
}

fn inputs(figure: &Figure, states: &[State; LANES]) -> Inputs {
    let n = figure.forest().nv();
    let third: [Vec<f64>; LANES] = core::array::from_fn(|lane| random_vector(n, 7 + lane as u64, 5.0));
    let forces: [Vec<Force>; LANES] =
        core::array::from_fn(|lane| random_body_forces(figure, 13 + lane as u64));
    Inputs {
        q: packed(core::array::from_fn(|lane| &states[lane].q[..])),
        v: packed(core::array::from_fn(|lane| &states[lane].v[..])),
        third_packed: packed(core::array::from_fn(|lane| &third[lane][..])),
        forces_packed: packed_forces(&forces),
        third,
        forces,
    }
}

#[test]
fn inverse_dynamics_has_the_same_bits() {
    let mut work = lanes::Work::default();
    each_figure(|what, figure, states| {
        let forest = figure.forest();
        let x = inputs(figure, states);
        for pushed in [false, true] {
            let mut tau = vec![Lanes::default(); forest.nv()];
            let external = pushed.then_some(&x.forces_packed[..]);
            lanes::inverse_dynamics(forest, &x.q, &x.v, &x.third_packed, external, &mut work, &mut tau);
            for (lane, s) in states.iter().enumerate() {
                let mut want = vec![0.0; forest.nv()];
                let external = pushed.then_some(&x.forces[lane][..]);
                let mut single = rnea::Work::default();
                rnea::inverse_dynamics(forest, &s.q, &s.v, &x.third[lane], external, &mut single, &mut want);
                assert_same_bits(&format!("{what}, pushed {pushed}"), lane, &tau, &want);
            }
        }
    });
}

#[test]
fn forward_dynamics_has_the_same_bits() {
    let mut work = lanes::Work::default();
    each_figure(|what, figure, states| {
        let forest = figure.forest();
        let x = inputs(figure, states);
        let implicit: Vec<f64> = random_vector(forest.nv(), 3, 0.1).iter().map(|x| x.abs()).collect();
        for (pushed, damped) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut a = vec![Lanes::default(); forest.nv()];
            let (external, added) = (pushed.then_some(&x.forces_packed[..]), damped.then_some(&implicit[..]));
            lanes::forward_dynamics(forest, &x.q, &x.v, &x.third_packed, external, added, &mut work, &mut a);
            for (lane, s) in states.iter().enumerate() {
                let mut want = vec![0.0; forest.nv()];
                let external = pushed.then_some(&x.forces[lane][..]);
                let mut single = aba::Work::default();
                aba::forward_dynamics(
                    forest,
                    &s.q,
                    &s.v,
                    &x.third[lane],
                    external,
                    added,
                    &mut single,
                    &mut want,
                );
                assert_same_bits(&format!("{what}, pushed {pushed}, damped {damped}"), lane, &a, &want);
            }
        }
    });
}

#[test]
fn mass_matrix_has_the_same_bits() {
    let mut work = lanes::Work::default();
    let mut m = crba::PathMatrix::default();
    each_figure(|what, figure, states| {
        let x = inputs(figure, states);
        lanes::mass_matrix(figure.forest(), &x.q, &mut work, &mut m);
        let dense = m.to_dense(figure.forest());
        for (lane, s) in states.iter().enumerate() {
            for (row, want) in dense.iter().zip(dense_mass_matrix(figure, &s.q)) {
                assert_same_bits(what, lane, row, &want);
            }
        }
    });
}
