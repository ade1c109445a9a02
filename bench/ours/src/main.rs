//! Times our algorithms on the peers' figures: `ours MODELS_DIR [BATCHES]`.
//!
//! Prints `anthropi,FIGURE,CALL,NS`, nanoseconds per state; the minimum over many batches of about 150 us over 32 random
//! states, as for the peers. `mass_matrix_norm` checks that the figure is the same as theirs, `*_error` is the difference
//! from the dense solution.

use anthropi_bench::grip::Grip;
use anthropi_bench::sample::{STATES, Sample, pack, pack_into, random, unpack};
use anthropi_bench::sway::Sway;
use anthropi_bench::{exact, flat, stand};
use anthropi_dynamics::algo::{aba, crba, lanes, rnea};
use anthropi_dynamics::constraint;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{LANES, Lanes};
use std::hint::black_box;
use std::time::Instant;

const BATCH_NS: f64 = 150e3;
const DEFAULT_BATCHES: usize = 3000;
const TREES: [&str; 3] = ["human28", "human42", "swing34"];
const HELD: [&str; 2] = ["human28", "swing34"];
const STANDING: [&str; 2] = ["human28", "human42"];
const CHAINS: [usize; 8] = [8, 16, 32, 64, 128, 256, 512, 1024];
/// Consecutive states of the lane benchmarks.
const MANY: usize = 4096;

fn main() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("usage: ours MODELS_DIR [BATCHES]")?;
    let batches = match args.next() {
        Some(n) => n.parse().map_err(|_| format!("`{n}` is not a number of batches"))?,
        None => DEFAULT_BATCHES,
    };
    let read = |name: &str, hold: bool| flat::load(&format!("{folder}/{name}.txt"), hold);
    for name in TREES {
        let figure = read(name, false)?;
        check_mass_matrix(name, &figure);
        time_tree(name, &figure, batches);
    }
    for links in CHAINS {
        let name = format!("chain{links}");
        let figure = read(&name, false)?;
        check_mass_matrix(&name, &figure);
        time_forward(&name, &figure, batches);
    }
    for name in HELD {
        time_constrained(name, &read(name, true)?, batches)?;
    }
    time_many("human28", &read("human28", false)?, batches)?;
    for name in STANDING {
        let path = format!("{folder}/{name}_stand.xml");
        time_standing(name, &path, batches)?;
        time_filter(name, &path)?;
    }
    let mut grip = Grip::new(read("human28", false)?)?;
    report("human28", "connect_cut", time(batches, &[()], |()| grip.connect_and_cut()));
    Ok(())
}

fn report(figure: &str, call: &str, ns: f64) {
    println!("anthropi,{figure},{call},{ns:.1}");
}

fn check_mass_matrix(name: &str, figure: &Figure) {
    let mut m = crba::PathMatrix::default();
    crba::mass_matrix(figure.forest(), figure.forest().home(), &mut crba::Work::default(), &mut m);
    let norm = m.to_dense(figure.forest()).iter().flatten().map(|x| x * x).sum::<f64>().sqrt();
    println!("anthropi,{name},mass_matrix_norm,{norm:.12}");
}

fn time_tree(name: &str, figure: &Figure, batches: usize) {
    let forest = figure.forest();
    let samples = random(figure, STATES);
    let (mut out, mut work) = (vec![0.0; forest.nv()], rnea::Work::default());
    let ns = time(batches, &samples, |s| {
        rnea::inverse_dynamics(forest, &s.q, &s.v, &s.a, None, &mut work, black_box(&mut out));
    });
    report(name, "rnea", ns);
    time_forward(name, figure, batches);
    let (mut work, mut m) = (crba::Work::default(), crba::PathMatrix::default());
    let ns = time(batches, &samples, |s| crba::mass_matrix(forest, &s.q, &mut work, black_box(&mut m)));
    report(name, "crba", ns);
}

fn time_forward(name: &str, figure: &Figure, batches: usize) {
    let forest = figure.forest();
    let (mut out, mut work) = (vec![0.0; forest.nv()], aba::Work::default());
    let ns = time(batches, &random(figure, STATES), |s| {
        aba::forward_dynamics(forest, &s.q, &s.v, &s.tau, None, None, &mut work, black_box(&mut out));
    });
    report(name, "forward_dynamics", ns);
}

/// Forward dynamics with all connections, including constraint forces; and its accuracy.
fn time_constrained(name: &str, figure: &Figure, batches: usize) -> Result<(), String> {
    let forest = figure.forest();
    let samples = random(figure, STATES);
    let (mut out, mut work) = (vec![0.0; forest.nv()], constraint::Work::default());
    let call = |s: &Sample<f64>, work: &mut constraint::Work, out: &mut [f64]| {
        constraint::forward_dynamics(forest, &s.q, &s.v, &s.tau, None, None, work, out);
    };
    let ns = time(batches, &samples, |s| call(s, &mut work, black_box(&mut out)));
    let rows = work.constraints.len();
    report(name, &format!("constrained_{rows}"), ns);
    let mut worst = 0.0_f64;
    for s in &samples {
        call(s, &mut work, &mut out);
        worst = worst.max(exact::error(forest, s, &work, &out)?);
    }
    println!("anthropi,{name},constrained_{rows}_error,{worst:e}");
    Ok(())
}

/// Many consecutive states, four at a time: given interleaved, and one after another (`_rows`).
fn time_many(name: &str, figure: &Figure, batches: usize) -> Result<(), String> {
    let forest = figure.forest();
    let samples = random(figure, MANY);
    let packed: Vec<Sample<Lanes>> = samples.chunks(LANES).map(pack).collect();
    let mut work = lanes::Work::default();
    let mut inverse = |s: &Sample<Lanes>, out: &mut [Lanes]| {
        lanes::inverse_dynamics(forest, &s.q, &s.v, &s.a, None, &mut work, out);
    };
    let mut single = rnea::Work::default();
    check_bits(&samples, &packed, &mut inverse, |s, out| {
        rnea::inverse_dynamics(forest, &s.q, &s.v, &s.a, None, &mut single, out);
    })?;
    report_many(name, &format!("rnea_{MANY}"), batches, &samples, &packed, inverse);
    let mut work = lanes::Work::default();
    let mut forward = |s: &Sample<Lanes>, out: &mut [Lanes]| {
        lanes::forward_dynamics(forest, &s.q, &s.v, &s.tau, None, None, &mut work, out);
    };
    let mut single = aba::Work::default();
    check_bits(&samples, &packed, &mut forward, |s, out| {
        aba::forward_dynamics(forest, &s.q, &s.v, &s.tau, None, None, &mut single, out);
    })?;
    report_many(name, &format!("forward_dynamics_{MANY}"), batches, &samples, &packed, forward);
    Ok(())
}

/// Checks that every lane is bit-identical to a single call.
fn check_bits(
    samples: &[Sample<f64>],
    packed: &[Sample<Lanes>],
    mut lanes: impl FnMut(&Sample<Lanes>, &mut [Lanes]),
    mut single: impl FnMut(&Sample<f64>, &mut [f64]),
) -> Result<(), String> {
    let n = samples[0].v.len();
    let (mut out, mut got, mut want) = (vec![Lanes::default(); n], vec![0.0; n], vec![0.0; n]);
    for (p, four) in packed.iter().zip(samples.chunks(LANES)) {
        lanes(p, &mut out);
        for (lane, s) in four.iter().enumerate() {
            unpack(lane, &out, &mut got);
            single(s, &mut want);
            if got.iter().zip(&want).any(|(g, w)| g.to_bits() != w.to_bits()) {
                return Err("a lane differs from a single call".into());
            }
        }
    }
    Ok(())
}

fn report_many(
    name: &str,
    call: &str,
    batches: usize,
    samples: &[Sample<f64>],
    packed: &[Sample<Lanes>],
    mut lanes: impl FnMut(&Sample<Lanes>, &mut [Lanes]),
) {
    let each = 1.0 / LANES as f64;
    let n = samples[0].v.len();
    let mut out = vec![Lanes::default(); packed.len() * n];
    let mut at = (0..packed.len()).cycle();
    let ns = time(batches, packed, |s| {
        let first = at.next().expect("a cycle has no end") * n;
        lanes(s, black_box(&mut out[first..first + n]));
    });
    report(name, call, each * ns);
    let (mut four, mut results) = (Sample::default(), vec![0.0; samples.len() * n]);
    let groups: Vec<&[Sample<f64>]> = samples.chunks(LANES).collect();
    let mut at = (0..groups.len()).cycle();
    let ns = time(batches, &groups, |s| {
        pack_into(s, &mut four);
        lanes(&four, black_box(&mut out[..n]));
        let first = at.next().expect("a cycle has no end") * LANES * n;
        for (lane, to) in results[first..first + LANES * n].chunks_mut(n).enumerate() {
            unpack(lane, &out, black_box(to));
        }
    });
    report(name, &format!("{call}_rows"), each * ns);
}

/// A whole step with contact detection and solution: the mean over states of the fastest of many steps from each, as for
/// the peer; then the distribution of consecutive steps.
fn time_standing(name: &str, path: &str, batches: usize) -> Result<(), String> {
    const STATES: usize = 64;
    const APART: usize = 37;
    const IN_A_ROW: usize = 20_000;
    let mut sim = stand::settled(path)?;
    let repeats = (batches / 25).max(20);
    let (mut sum, mut points) = (0.0, usize::MAX);
    for _ in 0..STATES {
        (0..APART).try_for_each(|_| stand::step(&mut sim))?;
        points = points.min(stand::points(&sim));
        let mut best = f64::INFINITY;
        for _ in 0..repeats {
            let mut copy = black_box(sim.clone());
            let start = Instant::now();
            stand::step(&mut copy)?;
            best = best.min(start.elapsed().as_nanos() as f64);
            black_box(copy);
        }
        sum += best;
    }
    if points != 8 {
        return Err(format!("{name} stands on {points} points instead of 8"));
    }
    report(name, "step_8_contacts", sum / STATES as f64);
    let mut all: Vec<f64> = Vec::with_capacity(IN_A_ROW);
    for _ in 0..IN_A_ROW {
        let start = Instant::now();
        stand::step(&mut sim)?;
        all.push(start.elapsed().as_nanos() as f64);
    }
    report_spread(name, "step_8_contacts", all);
    Ok(())
}

/// A step of the dynamics filter: the fastest batch of eight consecutive ones, as for the peer, and the distribution.
fn time_filter(name: &str, path: &str) -> Result<(), String> {
    const SETTLE: usize = 1000;
    const IN_A_ROW: usize = 20_000;
    let mut sway = Sway::new(path)?;
    let mut all = Vec::with_capacity(IN_A_ROW);
    for k in 0..SETTLE + IN_A_ROW {
        sway.lean();
        let start = Instant::now();
        sway.step();
        if k >= SETTLE {
            all.push(start.elapsed().as_nanos() as f64);
        }
    }
    if sway.points() != 8 {
        return Err(format!("{name} stands on {} points instead of 8", sway.points()));
    }
    let batch = all.chunks_exact(8).map(|c| c.iter().sum::<f64>() / 8.0).fold(f64::INFINITY, f64::min);
    report(name, "filter_step", batch);
    report_spread(name, "filter_step", all);
    Ok(())
}

/// Median and 99th percentile.
fn report_spread(name: &str, call: &str, mut all: Vec<f64>) {
    all.sort_by(f64::total_cmp);
    for percent in [50, 99] {
        report(name, &format!("{call}_p{percent}"), all[percent * all.len() / 100]);
    }
}

/// Nanoseconds per call: minimum over batches.
fn time<S>(batches: usize, samples: &[S], mut call: impl FnMut(&S)) -> f64 {
    let mut run = |rounds: usize| {
        let start = Instant::now();
        for _ in 0..rounds {
            samples.iter().for_each(|s| call(black_box(s)));
        }
        start.elapsed().as_nanos() as f64 / (rounds * samples.len()) as f64
    };
    run(2);
    let once = run(2) * samples.len() as f64;
    let rounds = ((BATCH_NS / once) as usize).max(1);
    (0..batches).map(|_| run(rounds)).fold(f64::INFINITY, f64::min)
}
