//! Times our algorithms on the peers' figures: `ours MODELS_DIR [BATCHES]`.
//!
//! Prints `anthropi,FIGURE,CALL,NS`, nanoseconds a state; the minimum over many batches of about 150 us over 32 random
//! states, as the peers' benches do. `mass_matrix_norm` shows that the figure is the same as theirs.

mod filter;
mod flat;
mod stand;

use anthropi_dynamics::algo::{aba, crba, lanes, rnea};
use anthropi_dynamics::constraint;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec, State};
use anthropi_dynamics::sim::advance;
use anthropi_dynamics::spatial::{Inertia, LANES, Lanes, Real, Sym3, Transform, vec3};
use std::hint::black_box;
use std::time::Instant;

const STATES: usize = 32;
const BATCH_NS: f64 = 150e3;
const DEFAULT_BATCHES: usize = 2000;
const FIGURES: [&str; 9] =
    ["human28", "human42", "swing34", "chain8", "chain16", "chain32", "chain64", "chain128", "chain256"];

fn main() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("usage: ours MODELS_DIR [BATCHES]")?;
    let batches = match args.next() {
        Some(n) => n.parse().map_err(|_| format!("`{n}` is not a number of batches"))?,
        None => DEFAULT_BATCHES,
    };
    for name in FIGURES {
        let path = format!("{folder}/{name}.txt");
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
        let read = |hold| flat::read(&text, hold).map_err(|e| format!("{path}: {e}"));
        time_figure(name, &read(false)?, batches);
        let held = read(true)?;
        if !held.forest().loops().is_empty() {
            time_constrained(name, &held, batches);
        }
    }
    for name in ["human28", "human42"] {
        stand::time(name, &format!("{folder}/{name}_stand.xml"), batches)?;
        filter::time(name, &format!("{folder}/{name}_stand.xml"))?;
    }
    time_edits(batches);
    Ok(())
}

/// Inputs of one call.
struct Sample<T> {
    q: Vec<T>,
    v: Vec<T>,
    a: Vec<T>,
    tau: Vec<T>,
}

fn time_figure(name: &str, figure: &Figure, batches: usize) {
    let forest = figure.forest();
    let mut rng = Rng(88_172_645_463_325_252);
    let samples: Vec<Sample<f64>> = (0..STATES).map(|_| random(figure, &mut rng)).collect();
    let packed: Vec<Sample<Lanes>> = samples.chunks(LANES).map(pack).collect();
    let report = |call: &str, ns: f64| println!("anthropi,{name},{call},{ns:.1}");

    println!("anthropi,{name},mass_matrix_norm,{:.12}", mass_matrix_norm(figure));
    let mut out = vec![0.0; forest.nv()];
    let mut work = rnea::Work::default();
    report(
        "rnea",
        time(batches, &samples, |s| {
            rnea::inverse_dynamics(forest, &s.q, &s.v, &s.a, None, &mut work, black_box(&mut out));
        }),
    );
    let mut work = aba::Work::default();
    report(
        "forward_dynamics",
        time(batches, &samples, |s| {
            aba::forward_dynamics(forest, &s.q, &s.v, &s.tau, None, None, &mut work, black_box(&mut out));
        }),
    );
    let (mut work, mut m) = (crba::Work::default(), crba::PathMatrix::default());
    report(
        "crba",
        time(batches, &samples, |s| crba::mass_matrix(forest, &s.q, &mut work, black_box(&mut m))),
    );

    let mut out = vec![Lanes::default(); forest.nv()];
    let mut work = lanes::Work::default();
    let each = 1.0 / LANES as f64;
    report(
        "rnea_x4",
        each * time(batches, &packed, |s| {
            lanes::inverse_dynamics(forest, &s.q, &s.v, &s.a, None, &mut work, black_box(&mut out));
        }),
    );
    report(
        "forward_dynamics_x4",
        each * time(batches, &packed, |s| {
            lanes::forward_dynamics(forest, &s.q, &s.v, &s.tau, None, None, &mut work, black_box(&mut out));
        }),
    );
    let mut m = crba::PathMatrix::default();
    report(
        "crba_x4",
        each * time(batches, &packed, |s| {
            lanes::mass_matrix(forest, &s.q, &mut work, black_box(&mut m));
        }),
    );
}

/// Forward dynamics with all connections held, constraint forces out.
fn time_constrained(name: &str, figure: &Figure, batches: usize) {
    let forest = figure.forest();
    let mut rng = Rng(88_172_645_463_325_252);
    let samples: Vec<Sample<f64>> = (0..STATES).map(|_| random(figure, &mut rng)).collect();
    let (mut out, mut work) = (vec![0.0; forest.nv()], constraint::Work::default());
    let ns = time(batches, &samples, |s| {
        constraint::forward_dynamics(forest, &s.q, &s.v, &s.tau, None, None, &mut work, black_box(&mut out));
    });
    println!("anthropi,{name},constrained_{},{ns:.1}", work.constraints.len());
}

/// Connecting a hand to another link and cutting it again, everything ready to step after each.
fn time_edits(batches: usize) {
    let mut figure = edited_figure();
    let mut state = State::home(&figure);
    let links: Vec<LinkHandle> = figure.links().map(|(h, _)| h).collect();
    let (hand, other) = (links[links.len() - 1], links[0]);
    let ns = time(batches, &[()], |()| {
        let joint = JointSpec { parent: Some(other), ..JointSpec::new("grip", JointKind::Spherical) };
        let grip = figure.connect(hand, joint, &mut state).expect("the links can be connected");
        figure.cut(grip, &mut state).expect("the connection can be cut");
    });
    println!("anthropi,edit14,connect_cut,{ns:.1}");
}

/// Fourteen links on spherical joints, about as many as a human figure.
fn edited_figure() -> Figure {
    let mut b = FigureBuilder::new("edit14");
    let body = Inertia::about_center(1.0, vec3(0.0, 0.0, -0.1), Sym3::diagonal(vec3(0.01, 0.01, 0.01)));
    let mut last = b.add(LinkSpec::new("l0", body), JointSpec::new("j0", JointKind::Free)).expect("sound");
    for i in 1..14 {
        let joint = JointSpec::new(format!("j{i}"), JointKind::Spherical);
        let joint = joint.on(last, Transform::translation(vec3(0.0, 0.0, -0.2)));
        last = b.add(LinkSpec::new(format!("l{i}"), body), joint).expect("sound");
    }
    b.build().expect("sound")
}

/// Nanoseconds a call: minimum over batches.
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

fn mass_matrix_norm(figure: &Figure) -> f64 {
    let mut m = crba::PathMatrix::default();
    crba::mass_matrix(figure.forest(), figure.forest().home(), &mut crba::Work::default(), &mut m);
    m.to_dense(figure.forest()).iter().flatten().map(|x| x * x).sum::<f64>().sqrt()
}

fn random(figure: &Figure, rng: &mut Rng) -> Sample<f64> {
    let mut s = State::home(figure);
    let n = figure.forest().nv();
    let mut normals = |size: f64| (0..n).map(|_| size * rng.normal()).collect::<Vec<f64>>();
    let (step, v, a, tau) = (normals(0.5), normals(1.0), normals(1.0), normals(10.0));
    advance(figure.forest(), &mut s.q, &step, 1.0);
    Sample { q: s.q, v, a, tau }
}

fn pack(four: &[Sample<f64>]) -> Sample<Lanes> {
    let side_by_side = |of: fn(&Sample<f64>) -> &Vec<f64>| {
        let mut out = vec![Lanes::default(); of(&four[0]).len()];
        for (lane, s) in four.iter().enumerate() {
            out.iter_mut().zip(of(s)).for_each(|(o, x)| o.set_lane(lane, *x));
        }
        out
    };
    Sample {
        q: side_by_side(|s| &s.q),
        v: side_by_side(|s| &s.v),
        a: side_by_side(|s| &s.a),
        tau: side_by_side(|s| &s.tau),
    }
}

struct Rng(u64);

impl Rng {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Close to normal: the sum of twelve.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}
