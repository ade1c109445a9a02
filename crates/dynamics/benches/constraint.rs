//! Forward dynamics of closed chains: a growing number of connections, six rows each, on one tree.

use anthropi_dynamics::constraint;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::JointSpec;
use divan::Bencher;
use testkit::{random_state, random_tree, random_vector};

fn main() {
    divan::main();
}

#[divan::bench(args = [0, 1, 2, 4])]
fn connections(bencher: Bencher, count: usize) {
    let mut figure = random_tree(1, 20, JointKind::Free, false);
    let mut s = random_state(&figure, 1);
    let links: Vec<_> = figure.links().map(|(h, _)| h).collect();
    for i in 0..count {
        let link = links[links.len() - 1 - 2 * i];
        let held = JointSpec::new(format!("hold{i}"), JointKind::Fixed);
        let held = figure.closed_here(link, held, &s).expect("the link is there");
        figure.connect(link, held, &mut s).expect("it can be held");
    }
    let n = figure.forest().nv();
    let (tau, mut a, mut work) = (random_vector(n, 1, 3.0), vec![0.0; n], constraint::Work::default());
    bencher.bench_local(|| {
        constraint::forward_dynamics(figure.forest(), &s.q, &s.v, &tau, None, None, &mut work, &mut a)
    });
}
