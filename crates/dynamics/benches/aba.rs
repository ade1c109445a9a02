//! Forward dynamics: chains of growing length, to see the linear cost.

use anthropi_dynamics::algo::aba;
use divan::Bencher;
use testkit::{chain, random_state, random_vector};

fn main() {
    divan::main();
}

#[divan::bench(args = [8, 16, 32, 64, 128, 256, 512])]
fn chain_of(bencher: Bencher, links: usize) {
    let figure = chain(links);
    let (s, n) = (random_state(&figure, 1), figure.forest().nv());
    let (tau, mut a, mut work) = (random_vector(n, 1, 3.0), vec![0.0; n], aba::Work::default());
    bencher.bench_local(|| {
        aba::forward_dynamics(figure.forest(), &s.q, &s.v, &tau, None, None, &mut work, &mut a)
    });
}
