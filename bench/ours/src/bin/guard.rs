//! Calls one algorithm, for counting its instructions: `guard MODELS_DIR CALL`; without CALL it lists the algorithms.
//!
//! Only functions named `measured` are counted, after a warm-up. Prints the number of counted calls.

use anthropi_bench::grip::Grip;
use anthropi_bench::sample::{STATES, Sample, pack, random};
use anthropi_bench::sway::Sway;
use anthropi_bench::{flat, stand};
use anthropi_dynamics::algo::{aba, crba, lanes, ltl, rnea};
use anthropi_dynamics::constraint;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{LANES, Lanes};
use std::hint::black_box;

/// Consecutive steps: contact and filter vary from step to step.
const STEPS: usize = 100;
/// Filter steps before counting.
const SETTLE: usize = 300;

type Count = fn(&str) -> Result<usize, String>;

const CALLS: [(&str, Count); 12] = [
    ("rnea", rnea),
    ("aba", aba),
    ("crba", crba),
    ("ltl", ltl),
    ("rnea_lanes", rnea_lanes),
    ("aba_lanes", aba_lanes),
    ("crba_lanes", crba_lanes),
    ("constraint_feet", |folder| constraint(&format!("{folder}/human28.txt"))),
    ("constraint_loops", |folder| constraint(&format!("{folder}/swing34.txt"))),
    ("contact_step", contact_step),
    ("filter_step", filter_step),
    ("connect_cut", connect_cut),
];

fn main() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("usage: guard MODELS_DIR [CALL]")?;
    let Some(name) = args.next() else {
        CALLS.iter().for_each(|(name, _)| println!("{name}"));
        return Ok(());
    };
    let (_, call) = CALLS.iter().find(|(n, _)| *n == name).ok_or(format!("there is no call `{name}`"))?;
    println!("{}", call(&folder)?);
    Ok(())
}

/// Instructions are counted only in here.
#[inline(never)]
fn measured(call: impl FnOnce()) {
    call();
}

/// One call for each sample, after an uncounted round.
fn each<S>(samples: &[S], mut call: impl FnMut(&S)) -> usize {
    samples.iter().for_each(&mut call);
    measured(|| samples.iter().for_each(|s| call(black_box(s))));
    samples.len()
}

fn human28(folder: &str) -> Result<(Figure, Vec<Sample<f64>>), String> {
    let figure = flat::load(&format!("{folder}/human28.txt"), false)?;
    let samples = random(&figure, STATES);
    Ok((figure, samples))
}

fn rnea(folder: &str) -> Result<usize, String> {
    let (figure, samples) = human28(folder)?;
    let (forest, mut work) = (figure.forest(), rnea::Work::default());
    let mut out = vec![0.0; forest.nv()];
    Ok(each(&samples, |s| {
        rnea::inverse_dynamics(forest, &s.q, &s.v, &s.a, None, &mut work, black_box(&mut out));
    }))
}

fn aba(folder: &str) -> Result<usize, String> {
    let (figure, samples) = human28(folder)?;
    let (forest, mut work) = (figure.forest(), aba::Work::default());
    let mut out = vec![0.0; forest.nv()];
    Ok(each(&samples, |s| {
        aba::forward_dynamics(forest, &s.q, &s.v, &s.tau, None, None, &mut work, black_box(&mut out));
    }))
}

fn crba(folder: &str) -> Result<usize, String> {
    let (figure, samples) = human28(folder)?;
    let (mut work, mut m) = (crba::Work::default(), crba::PathMatrix::default());
    Ok(each(&samples, |s| crba::mass_matrix(figure.forest(), &s.q, &mut work, black_box(&mut m))))
}

/// Factor and one solve.
fn ltl(folder: &str) -> Result<usize, String> {
    let (figure, samples) = human28(folder)?;
    let (forest, mut factor) = (figure.forest(), ltl::Factor::default());
    let matrices: Vec<_> = samples
        .into_iter()
        .map(|s| {
            let mut m = crba::PathMatrix::default();
            crba::mass_matrix(forest, &s.q, &mut crba::Work::default(), &mut m);
            (m, s.tau)
        })
        .collect();
    let mut x = vec![0.0; forest.nv()];
    Ok(each(&matrices, |(m, tau)| {
        factor.compute(forest, m).expect("a figure's mass matrix is positive");
        x.copy_from_slice(tau);
        factor.solve(forest, black_box(&mut x));
    }))
}

/// Number of figures processed, four per call.
fn each_four(
    folder: &str,
    mut call: impl FnMut(&Figure, &Sample<Lanes>, &mut [Lanes]),
) -> Result<usize, String> {
    let (figure, samples) = human28(folder)?;
    let packed: Vec<Sample<Lanes>> = samples.chunks(LANES).map(pack).collect();
    let mut out = vec![Lanes::default(); figure.forest().nv()];
    Ok(LANES * each(&packed, |s| call(&figure, s, black_box(&mut out))))
}

fn rnea_lanes(folder: &str) -> Result<usize, String> {
    let mut work = lanes::Work::default();
    each_four(folder, |figure, s, out| {
        lanes::inverse_dynamics(figure.forest(), &s.q, &s.v, &s.a, None, &mut work, out);
    })
}

fn aba_lanes(folder: &str) -> Result<usize, String> {
    let mut work = lanes::Work::default();
    each_four(folder, |figure, s, out| {
        lanes::forward_dynamics(figure.forest(), &s.q, &s.v, &s.tau, None, None, &mut work, out);
    })
}

fn crba_lanes(folder: &str) -> Result<usize, String> {
    let (mut work, mut m) = (lanes::Work::default(), crba::PathMatrix::default());
    each_four(folder, |figure, s, _| lanes::mass_matrix(figure.forest(), &s.q, &mut work, &mut m))
}

/// Forward dynamics with twelve rows held.
fn constraint(path: &str) -> Result<usize, String> {
    let figure = flat::load(path, true)?;
    let (forest, mut work) = (figure.forest(), constraint::Work::default());
    let mut out = vec![0.0; forest.nv()];
    Ok(each(&random(&figure, STATES), |s| {
        constraint::forward_dynamics(forest, &s.q, &s.v, &s.tau, None, None, &mut work, black_box(&mut out));
    }))
}

fn contact_step(folder: &str) -> Result<usize, String> {
    let mut sim = stand::settled(&format!("{folder}/human28_stand.xml"))?;
    let mut result = Ok(());
    measured(|| result = (0..STEPS).try_for_each(|_| stand::step(&mut sim)));
    result.map(|()| STEPS)
}

fn filter_step(folder: &str) -> Result<usize, String> {
    let mut sway = Sway::new(&format!("{folder}/human28_stand.xml"))?;
    for k in 0..SETTLE + STEPS {
        sway.lean();
        if k < SETTLE { sway.step() } else { measured(|| sway.step()) }
    }
    Ok(STEPS)
}

fn connect_cut(folder: &str) -> Result<usize, String> {
    let mut grip = Grip::new(human28(folder)?.0)?;
    Ok(each(&[(); STEPS], |()| grip.connect_and_cut()))
}
