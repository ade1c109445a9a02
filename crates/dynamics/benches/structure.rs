//! Changes of structure, up to being ready for the next step.

use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::JointSpec;
use divan::Bencher;
use testkit::{random_figure, random_state};

fn main() {
    divan::main();
}

#[divan::bench(args = [8, 16, 32, 64])]
fn lock_and_unlock(bencher: Bencher, links: usize) {
    let mut figure = random_figure(1, links);
    let mut s = random_state(&figure, 1);
    let (joint, _) = figure.joints().find(|(_, j)| j.kind.nv() == 1).expect("some joint has one axis");
    bencher.bench_local(|| {
        figure.lock(joint, 0, &mut s).expect("it can be locked");
        figure.unlock(joint, 0, &mut s).expect("it can be unlocked")
    });
}

#[divan::bench(args = [8, 16, 32, 64])]
fn connect_and_cut(bencher: Bencher, links: usize) {
    let mut figure = random_figure(1, links);
    let mut s = random_state(&figure, 1);
    let ends: Vec<_> = figure.links().map(|(h, _)| h).collect();
    bencher.bench_local(|| {
        let joint = JointSpec { parent: Some(ends[0]), ..JointSpec::new("grip", JointKind::Spherical) };
        let grip = figure.connect(ends[links - 1], joint, &mut s).expect("they can be connected");
        figure.cut(grip, &mut s).expect("it can be cut")
    });
}
