//! Mass matrix of random trees of growing size.

use anthropi_dynamics::algo::crba;
use divan::Bencher;
use testkit::{random_figure, random_state};

fn main() {
    divan::main();
}

#[divan::bench(args = [8, 16, 32, 64])]
fn tree_of(bencher: Bencher, links: usize) {
    let figure = random_figure(1, links);
    let s = random_state(&figure, 1);
    let (mut work, mut m) = (crba::Work::default(), crba::PathMatrix::default());
    bencher.bench_local(|| crba::mass_matrix(figure.forest(), &s.q, &mut work, &mut m));
}
