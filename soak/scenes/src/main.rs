//! Random scenes, looked at step by step: `soak-scenes --scenes 10000`.
//!
//! | option | what |
//! |---|---|
//! | `--scenes N` | how many, 10,000 if not said |
//! | `--from S` | the first seed, 0 if not said |
//! | `--minutes M` | no scene is begun after this |
//! | `--steps N` | of each scene, 100 if not said |
//! | `--family F` | only trees, heap, people or rings |
//! | `--threads N` | 2 if not said, which is also the most |
//! | `--report FILE` | what was seen, as JSON |
//! | `--seed S` | one scene alone, every step told; what else it says can be changed by |
//! | `--without 3,5-9` | the scene without some of it, as what fails is told |
//! | `--text` | prints the start of that scene in the language of scenes |
//!
//! Ends with 0 when nothing was wrong, 1 when something was, 2 when it could not begin.

mod build;
mod measure;
mod recipe;
mod rng;
mod shrink;
mod watch;

use recipe::{Family, Recipe};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use watch::{Fault, Kind, Seen};

/// Time for making one fault small.
const SHRINKING: Duration = Duration::from_secs(20);
/// Faults of a kind that are made small; the rest is counted.
const SHRUNK: u64 = 4;
/// A scene, or making one small, that takes longer than this will not end.
const STUCK: Duration = Duration::from_secs(120);
/// The same when the time is over.
const LAST: Duration = Duration::from_secs(10);
/// Runs shorter than this leave weaknesses as large as they are, minutes.
const SHORT: f64 = 10.0;
/// One scene in so many is run twice and must end with the same bits.
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

/// One scene, told.
fn one(args: &Args, seed: u64) -> ExitCode {
    let Some(out) = shrink::numbers(&args.without) else {
        eprintln!("soak-scenes: --without cannot be `{}`", args.without);
        return ExitCode::from(2);
    };
    let recipe = Recipe::new(seed, args.steps, args.family).without(&out);
    if args.text {
        match build::text(&recipe) {
            Ok(Some(text)) => println!("{text}"),
            Ok(None) => println!("the language of scenes has no words for it"),
            Err(e) => println!("{e}"),
        }
        return ExitCode::SUCCESS;
    }
    println!("{}", told(&recipe));
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

/// A scene in words.
fn told(r: &Recipe) -> String {
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

/// Part of the scenes that may show a weakness, and how many may in a short run.
const WEAK_PART: f64 = 0.04;
const WEAK_FEW: u64 = 10;

impl Tally {
    fn scenes(&self) -> u64 {
        self.scenes.values().sum()
    }

    fn weak(&self) -> u64 {
        self.counts.iter().filter(|(k, _)| k.is_weakness()).map(|(_, n)| n).sum()
    }

    /// Whether more scenes show a weakness than are known to.
    fn is_weaker(&self) -> bool {
        self.weak() > WEAK_FEW + (WEAK_PART * self.scenes() as f64) as u64
    }

    fn is_fine(&self) -> bool {
        self.scenes() > 0 && !self.counts.keys().any(|k| self.counts(*k))
    }

    /// Whether a kind of fault is one: weaknesses only if there are too many.
    fn counts(&self, kind: Kind) -> bool {
        !kind.is_weakness() || self.is_weaker()
    }
}

#[derive(Default)]
struct Tally {
    scenes: BTreeMap<&'static str, u64>,
    seen: Seen,
    texts: u64,
    faults: Vec<(u64, Fault, String)>,
    counts: BTreeMap<Kind, u64>,
}

/// What each thread works on, and since when.
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
        // a step cannot be stopped from outside: one that does not end ends everything
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
            let is_told_only = fault.kind.is_weakness() && args.minutes < SHORT;
            let most = if *count <= SHRUNK && !is_told_only {
                SHRINKING.min(Duration::from_secs_f64(left().clamp(0.0, 1e3)))
            } else {
                Duration::ZERO
            };
            drop(t);
            *open(desk) = Some((seed, Instant::now()));
            tell(args, seed, &recipe, fault, most, tally);
        }
    }
}

/// Makes a fault small and tells it.
fn tell(args: &Args, seed: u64, recipe: &Recipe, fault: Fault, most: Duration, tally: &Mutex<Tally>) {
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
        "  {} gains of energy by the length of the step, the largest {:.1e}; {} steps too long to tell",
        s.explained, s.gain, s.fast
    );
    let told = |weak: bool| {
        let of = t.counts.iter().filter(|(k, _)| k.is_weakness() == weak);
        let counts: Vec<String> = of.map(|(k, n)| format!("{} {n}", k.name())).collect();
        if counts.is_empty() { "none".into() } else { counts.join(", ") }
    };
    println!("  faults: {}", told(false));
    println!(
        "  weaknesses: {} in {:.1} % of scenes{}",
        told(true),
        100.0 * t.weak() as f64 / scenes.max(1) as f64,
        if t.is_weaker() { ", more than are known" } else { "" }
    );
    if let Some(path) = &args.report
        && let Err(e) = std::fs::write(path, json(t, seconds))
    {
        eprintln!("soak-scenes: {path}: {e}");
        return ExitCode::from(2);
    }
    if t.is_fine() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn json(t: &Tally, seconds: f64) -> String {
    let s = &t.seen;
    let quoted = |text: &str| format!("{text:?}").replace("\\'", "'");
    let families: Vec<String> = t.scenes.iter().map(|(f, n)| format!("\"{f}\": {n}")).collect();
    let of = |is_fault: bool| {
        let of = t.counts.iter().filter(|(k, _)| t.counts(**k) == is_fault);
        of.map(|(k, n)| format!("\"{}\": {n}", k.name())).collect::<Vec<_>>().join(", ")
    };
    let (counts, weak) = (of(true), of(false));
    let faults: Vec<String> = t
        .faults
        .iter()
        .filter(|(_, f, _)| t.counts(f.kind))
        .map(|(seed, f, again)| {
            format!(
                "{{\"seed\": {seed}, \"kind\": \"{}\", \"step\": {}, \"what\": {}, \"again\": {}}}",
                f.kind.name(),
                f.step,
                quoted(&f.what),
                quoted(again)
            )
        })
        .collect();
    format!(
        "{{\"seconds\": {seconds:.1}, \"scenes\": {{{}}}, \"by_text\": {}, \"steps\": {}, \"contact_steps\": {}, \"changes\": {}, \
         \"closure\": {:e}, \"unlawful\": {:e}, \"momentum\": {:e}, \"slowest_s\": {:.4}, \"deepest_m\": {:e}, \
         \"unsolved\": {}, \"cuts\": {}, \"fallbacks\": {}, \"explained\": {}, \"fast\": {}, \"weak\": {{{}}}, \"faults\": {{{}}}, \"told\": [{}]}}\n",
        families.join(", "),
        t.texts,
        s.steps,
        s.contact_steps,
        s.acts,
        s.closure,
        s.unlawful,
        s.momentum,
        s.slowest,
        s.deepest,
        s.unsolved,
        s.cuts,
        s.fallbacks,
        s.explained,
        s.fast,
        weak,
        counts,
        faults.join(", ")
    )
}
