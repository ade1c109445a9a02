//! Runs random scenes and checks every step: `soak-scenes --scenes 10000`.
//!
//! | option | meaning |
//! |---|---|
//! | `--scenes N` | number of scenes, default 10,000 |
//! | `--from S` | first seed, default 0 |
//! | `--minutes M` | start no scene after this time |
//! | `--steps N` | steps per scene, default 100 |
//! | `--family F` | only trees, heap, people or rings |
//! | `--threads N` | 1 or 2, default 2 |
//! | `--report FILE` | write the results as JSON |
//! | `--seed S` | run a single scene and print every step; combines with |
//! | `--without 3,5-9` | leave out parts of the scene, as listed in failure reports |
//! | `--text` | print the initial state of that scene as scene text |
//!
//! Exit code: 0 no fault, 1 faults, 2 could not start.

mod build;
mod measure;
mod recipe;
mod rng;
mod shrink;
mod watch;

use recipe::{Family, Recipe};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use watch::{Fault, Kind, Seen};

/// Time limit for reducing one fault.
const SHRINKING: Duration = Duration::from_secs(20);
/// Faults reduced per kind; others are only counted.
const SHRUNK: u64 = 4;
/// A scene or a reduction that takes longer than this is considered stuck.
const STUCK: Duration = Duration::from_secs(120);
/// The same after the time limit of the run.
const LAST: Duration = Duration::from_secs(10);
/// Shorter runs do not reduce weaknesses, minutes.
const SHORT: f64 = 10.0;
/// Every n-th scene is run twice and must end with the same bits.
const TWICE: u64 = 16;

#[derive(Clone, Debug, Default)]
struct Args {
    scenes: u64,
    from: u64,
    minutes: f64,
    steps: usize,
    family: Option<Family>,
    threads: usize,
    report: Option<String>,
    seed: Option<u64>,
    without: String,
    text: bool,
}

fn main() -> ExitCode {
    let args = match arguments() {
        Ok(args) => args,
        Err(what) => {
            eprintln!("soak-scenes: {what}");
            return ExitCode::from(2);
        }
    };
    watch::listen_to_panics();
    match args.seed {
        Some(seed) => one(&args, seed),
        None => many(&args),
    }
}

fn arguments() -> Result<Args, String> {
    let mut args = Args { scenes: 10_000, steps: 100, threads: 2, minutes: f64::INFINITY, ..Args::default() };
    let mut given = std::env::args().skip(1);
    while let Some(key) = given.next() {
        if key == "--text" {
            args.text = true;
            continue;
        }
        let value = given.next().ok_or(format!("{key} needs a value"))?;
        let wrong = || format!("{key} cannot be `{value}`");
        let count = || value.parse::<u64>().map_err(|_| wrong());
        match key.as_str() {
            "--scenes" => args.scenes = count()?,
            "--from" => args.from = count()?,
            "--minutes" => args.minutes = value.parse().map_err(|_| wrong())?,
            "--steps" => args.steps = count()? as usize,
            "--threads" => args.threads = count()?.clamp(1, 2) as usize,
            "--family" => {
                args.family = Some(Family::ALL.into_iter().find(|f| f.name() == value).ok_or_else(wrong)?)
            }
            "--report" => args.report = Some(value),
            "--seed" => args.seed = Some(count()?),
            "--without" => args.without = value,
            _ => return Err(format!("{key} is no option")),
        }
    }
    Ok(args)
}

/// Runs one scene and prints every step.
fn one(args: &Args, seed: u64) -> ExitCode {
    let Some(out) = shrink::numbers(&args.without) else {
        eprintln!("soak-scenes: --without cannot be `{}`", args.without);
        return ExitCode::from(2);
    };
    let recipe = Recipe::new(seed, args.steps, args.family).without(&out);
    if args.text {
        match build::text(&recipe) {
            Ok(Some(text)) => println!("{text}"),
            Ok(None) => println!("the scene format cannot express it"),
            Err(e) => println!("{e}"),
        }
        return ExitCode::SUCCESS;
    }
    println!("{}", describe(&recipe));
    match watch::run(&recipe, &mut |line| println!("{line}")) {
        Ok(seen) => {
            println!("{seen:?}");
            ExitCode::SUCCESS
        }
        Err(f) => {
            println!("{} at step {}: {}", f.kind.name(), f.step, f.what);
            ExitCode::from(1)
        }
    }
}

/// Description of a scene.
fn describe(r: &Recipe) -> String {
    let mut out = format!(
        "{} seed {} dt {:?} {:?} gravity {:?} touches {} {:?} by text {}\n",
        r.family.name(),
        r.seed,
        r.dt,
        r.integrator,
        r.gravity.to_array(),
        r.touches,
        r.surface,
        r.by_text
    );
    r.people.iter().filter(|p| !p.figure.is_empty()).for_each(|p| out += &format!("  {p:?}\n"));
    for p in r.parts.iter().filter(|p| !p.name.is_empty()) {
        out += &format!(
            "  {} on {:?} {:?} at {:?} child at {:?} {:?} density {} q {:?} v {:?} gap {:?}{}{}\n",
            p.name,
            p.parent,
            p.kind,
            p.parent_from_joint.translation.to_array(),
            p.child_from_joint.translation.to_array(),
            p.solid,
            p.density,
            &p.q[..p.kind.nq()],
            &p.v[..p.kind.nv()],
            p.gap,
            if p.shape.is_none() { " without shape" } else { "" },
            if p.dof == Default::default() { String::new() } else { format!(" {:?}", p.dof) },
        );
    }
    r.things.iter().for_each(|t| out += &format!("  {t:?}\n"));
    r.acts.iter().for_each(|a| out += &format!("  step {}: {:?}\n", a.step, a.verb));
    out
}

/// Fraction of the scenes that may show a weakness, and their number in a short run.
const WEAK_PART: f64 = 0.04;
const WEAK_FEW: u64 = 10;

impl Tally {
    fn scenes(&self) -> u64 {
        self.scenes.values().sum()
    }

    fn weak(&self) -> u64 {
        self.counts.iter().filter(|(k, _)| k.is_weakness()).map(|(_, n)| n).sum()
    }

    /// Whether more scenes show a weakness than allowed.
    fn is_weaker(&self) -> bool {
        self.weak() > WEAK_FEW + (WEAK_PART * self.scenes() as f64) as u64
    }

    fn is_fine(&self) -> bool {
        self.scenes() > 0 && !self.counts.keys().any(|k| self.counts(*k))
    }

    /// Whether a kind counts as a fault: weaknesses only above the allowed number.
    fn counts(&self, kind: Kind) -> bool {
        !kind.is_weakness() || self.is_weaker()
    }
}

#[derive(Default)]
struct Tally {
    scenes: BTreeMap<String, u64>,
    seen: Seen,
    texts: u64,
    faults: Vec<(u64, Fault, String)>,
    counts: BTreeMap<Kind, u64>,
}

/// Current work of each thread, and its start time.
type Desk = Mutex<Option<(u64, Instant)>>;

fn many(args: &Args) -> ExitCode {
    let (clock, next) = (Instant::now(), AtomicU64::new(args.from));
    let tally = Mutex::new(Tally::default());
    let desks: Vec<Desk> = (0..args.threads).map(|_| Desk::default()).collect();
    let left = || 60.0 * args.minutes - clock.elapsed().as_secs_f64();
    std::thread::scope(|scope| {
        for desk in &desks {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= args.from + args.scenes || left() < 0.0 {
                        *open(desk) = None;
                        return;
                    }
                    *open(desk) = Some((seed, Instant::now()));
                    scene(args, seed, desk, &left, &tally);
                }
            });
        }
        // a stuck step cannot be interrupted: exit
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let at: Vec<(u64, Instant)> = desks.iter().filter_map(|d| *open(d)).collect();
            let most = if left() < 0.0 { LAST } else { STUCK };
            if let Some((seed, since)) = at.iter().find(|(_, since)| since.elapsed() > most) {
                let what = format!("no end after {} s", since.elapsed().as_secs());
                eprintln!("stuck: {what}\n    soak-scenes --seed {seed}");
                let mut t = open(&tally);
                *t.counts.entry(Kind::Slow).or_default() += 1;
                t.faults.push((
                    *seed,
                    Fault { kind: Kind::Slow, step: 0, what },
                    format!("soak-scenes --seed {seed}"),
                ));
                finish(args, &t, clock.elapsed().as_secs_f64());
                std::process::exit(i32::from(!t.is_fine()));
            }
            if at.is_empty() && (next.load(Ordering::Relaxed) >= args.from + args.scenes || left() < 0.0) {
                break;
            }
        }
    });
    let tally = tally.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    finish(args, &tally, clock.elapsed().as_secs_f64())
}

fn open<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn scene(args: &Args, seed: u64, desk: &Desk, left: &dyn Fn() -> f64, tally: &Mutex<Tally>) {
    let recipe = Recipe::new(seed, args.steps, args.family);
    let mut result = watch::run(&recipe, &mut |_| ());
    if let (Ok(seen), 0) = (&result, seed % TWICE)
        && let again = watch::run(&recipe, &mut |_| ())
        && !again.as_ref().is_ok_and(|a| a.digest == seen.digest)
    {
        let what = format!("a second run ends elsewhere: {again:?}");
        result = Err(Fault { kind: Kind::Differs, step: recipe.steps, what });
    }
    let mut t = open(tally);
    *t.scenes.entry(recipe.family.name()).or_default() += 1;
    t.texts += u64::from(recipe.by_text);
    match result {
        Ok(seen) => t.seen.add(&seen),
        Err(fault) => {
            let count = t.counts.entry(fault.kind).or_default();
            *count += 1;
            let is_reported_only = fault.kind.is_weakness() && args.minutes < SHORT;
            let most = if *count <= SHRUNK && !is_reported_only {
                SHRINKING.min(Duration::from_secs_f64(left().clamp(0.0, 1e3)))
            } else {
                Duration::ZERO
            };
            drop(t);
            *open(desk) = Some((seed, Instant::now()));
            report_fault(args, seed, &recipe, fault, most, tally);
        }
    }
}

/// Reduces a fault and reports it.
fn report_fault(args: &Args, seed: u64, recipe: &Recipe, fault: Fault, most: Duration, tally: &Mutex<Tally>) {
    let (mut again, mut small) = (format!("soak-scenes --seed {seed}"), fault.clone());
    if let Some(f) = args.family {
        again += &format!(" --family {}", f.name());
    }
    if args.steps != 100 {
        again += &format!(" --steps {}", args.steps);
    }
    if !most.is_zero() && fault.kind != Kind::Differs {
        let (out, last) = shrink::shrink(recipe, &fault, most);
        again += &format!(" --without {}", shrink::ranges(&out));
        small = last;
    }
    eprintln!(
        "{} in a scene of {}, step {}: {}\n    {again}",
        fault.kind.name(),
        recipe.family.name(),
        fault.step,
        fault.what
    );
    if small.what != fault.what {
        eprintln!("    which fails at step {}: {}", small.step, small.what);
    }
    let mut t = open(tally);
    t.faults.push((seed, small, again));
}

fn finish(args: &Args, t: &Tally, seconds: f64) -> ExitCode {
    let scenes = t.scenes();
    let s = &t.seen;
    println!(
        "{scenes} scenes, {} steps in {seconds:.0} s; {} with something in reach, {} changes, {} starts by text",
        s.steps, s.contact_steps, s.acts, t.texts
    );
    println!(
        "  open at most {:.1e}, law of contact broken by {:.1e} at most, momentum by {:.1e}",
        s.closure, s.unlawful, s.momentum
    );
    println!(
        "  slowest step {:.3} s, deepest overlap {:.1e} m, unsolved {}, cut {}, by the cone solver {}",
        s.slowest, s.deepest, s.unsolved, s.cuts, s.fallbacks
    );
    println!(
        "  {} energy gains explained by the step length, the largest {:.1e}; {} steps too long to check",
        s.explained, s.gain, s.fast
    );
    let list = |weak: bool| {
        let of = t.counts.iter().filter(|(k, _)| k.is_weakness() == weak);
        let counts: Vec<String> = of.map(|(k, n)| format!("{} {n}", k.name())).collect();
        if counts.is_empty() { "none".into() } else { counts.join(", ") }
    };
    println!("  faults: {}", list(false));
    println!(
        "  weaknesses: {} in {:.1} % of scenes{}",
        list(true),
        100.0 * t.weak() as f64 / scenes.max(1) as f64,
        if t.is_weaker() { ", more than are known" } else { "" }
    );
    if let Some(path) = &args.report
        && let Err(e) = std::fs::write(path, format!("{}\n", json(t, seconds)))
    {
        eprintln!("soak-scenes: {path}: {e}");
        return ExitCode::from(2);
    }
    if t.is_fine() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn json(t: &Tally, seconds: f64) -> Value {
    let s = &t.seen;
    let counts = |is_fault: bool| -> BTreeMap<String, u64> {
        let of = t.counts.iter().filter(|(k, _)| t.counts(**k) == is_fault);
        of.map(|(k, n)| (k.name(), *n)).collect()
    };
    let fault = |(seed, f, again): &(u64, Fault, String)| json!({ "seed": seed, "kind": f.kind.name(), "step": f.step, "what": f.what, "again": again });
    let reported = t.faults.iter().filter(|(_, f, _)| t.counts(f.kind)).map(fault);
    json!({
        "seconds": seconds, "scenes": t.scenes, "by_text": t.texts, "steps": s.steps, "contact_steps": s.contact_steps,
        "changes": s.acts, "closure": s.closure, "unlawful": s.unlawful, "momentum": s.momentum,
        "slowest_s": s.slowest, "deepest_m": s.deepest, "unsolved": s.unsolved, "cuts": s.cuts,
        "fallbacks": s.fallbacks, "explained": s.explained, "fast": s.fast, "weak": counts(false),
        "faults": counts(true), "reported": reported.collect::<Vec<_>>(),
    })
}
