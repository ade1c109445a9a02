//! Inverse dynamics: chains of growing length, random figures; single and in lanes.

use anthropi_dynamics::algo::rnea;
use divan::Bencher;
use testkit::{chain, random_state, random_vector};

fn main() {
    divan::main();
}

#[divan::bench(args = [8, 16, 32, 64, 128, 256, 512])]
fn chain_of(bencher: Bencher, links: usize) {
    let figure = chain(links);
    let (s, n) = (random_state(&figure, 1), figure.forest().nv());
    let (a, mut tau, mut work) = (random_vector(n, 1, 3.0), vec![0.0; n], rnea::Work::default());
    bencher
        .bench_local(|| rnea::inverse_dynamics(figure.forest(), &s.q, &s.v, &a, None, &mut work, &mut tau));
}
