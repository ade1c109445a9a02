//! `simulate`: a scene runs, or a figure moves freely in time.

mod contacts;
mod film;
mod forces;
mod replay;
mod run;
mod trajectory;

use super::Outcome;
use crate::args::SimulateArgs;
use crate::ledger::Ledger;
use crate::report;
use crate::source::{self, Subject};
use crate::state::Given;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::contact::World;
use anthropi_dynamics::model::{Figure, State};
use anthropi_dynamics::sim::{Happened, Load, Script, Simulation};
use anthropi_dynamics::spatial::Vec3;
use anthropi_io::load::Output;
use anthropi_io::names;
use anthropi_io::names::counted;
use anthropi_io::scene::{self, Scene};
use anyhow::{Context, bail};
use film::Film;
use forces::Forces;
use run::{Plan, Record, Tapes};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use trajectory::Trajectory;

/// More steps than anyone waits for: a slip in the time step.
const MAX_STEPS: f64 = 1e9;

/// Seconds a figure runs by itself, and its time step.
const DURATION: f64 = 2.0;
const DT: f64 = 1e-3;

/// Runs it and tells what happened.
pub fn run(args: &SimulateArgs, as_json: bool) -> anyhow::Result<Outcome> {
    if args.replay {
        return replay::run(args, as_json);
    }
    let Subject { figure, start, scene, .. } = source::subject(&args.figure)?;
    let plan = plan(args, scene.as_ref())?;
    let given = given(&figure, start, args)?;
    let ledger = Ledger::of(&figure, scene.as_ref().map_or(&[][..], |s| &s.environment));
    let mut simulation = loaded(figure, &given, scene.as_ref())?;
    touch(&mut simulation, scene.as_ref(), &args.figure.figure)?;
    simulation.integrator = args.integrator.into();
    let world = scene.as_ref().and_then(|s| s.world.as_ref());
    let mut tapes = args.out.as_deref().map(|dir| tapes(dir, &simulation, &plan, world)).transpose()?;
    let record = run::run(&mut simulation, &plan, tapes.as_mut())?;

    let summary = summary(&record, &plan, &simulation);
    if let (Some(dir), Some(Tapes { trajectory, forces, film })) = (&args.out, tapes) {
        trajectory.finish()?;
        forces.finish()?;
        film.finish(dir, &record, &plan)?;
        write_summary(dir, &summary)?;
    }
    if as_json {
        report::json(&summary)?;
    } else {
        let contact = contacts::to_text(&simulation.contact_tally(), record.steps, world);
        report::print(&to_text(&record, &plan, ledger, &contact))?;
    }
    Ok(record.diverged.map_or(Outcome::Fine, Outcome::No))
}

fn tapes(dir: &Path, simulation: &Simulation, plan: &Plan, world: Option<&World>) -> anyhow::Result<Tapes> {
    Ok(Tapes {
        trajectory: Trajectory::create(dir, simulation)?,
        forces: Forces::create(dir, plan.dt, world)?,
        film: Film::new(plan, world),
    })
}

/// Lets a scene's figures touch its world. Tells about overlaps that are not the scene's own: those of a state file.
fn touch(simulation: &mut Simulation, scene: Option<&Scene>, name: &str) -> anyhow::Result<()> {
    let Some((scene, world)) = scene.and_then(|s| s.world.clone().map(|w| (s, w))) else { return Ok(()) };
    let mut warnings = scene::overlap_warnings(&simulation.touch(world)?);
    warnings.retain(|w| !scene.warnings.contains(w));
    report::warnings(name, &warnings);
    Ok(())
}

fn plan(args: &SimulateArgs, scene: Option<&Scene>) -> anyhow::Result<Plan> {
    let dt = args.dt.or(scene.map(|s| s.dt)).unwrap_or(DT);
    let duration = args.duration.or(scene.map(|s| s.duration)).unwrap_or(DURATION);
    if !(dt > 0.0 && dt.is_finite()) {
        bail!("--dt is {dt}, expected a time in seconds that is more than zero");
    }
    if !(duration >= 0.0 && duration.is_finite()) {
        bail!("--duration is {duration}, expected a time in seconds that is not negative");
    }
    /// Part of a step that is put down to rounding, as 0.3 / 0.1 > 3.
    const ROUNDING: f64 = 1e-6;
    let steps = (duration / dt - ROUNDING).ceil().max(0.0);
    if steps > MAX_STEPS {
        bail!("--duration {duration} with --dt {dt} makes {steps:e} steps, expected at most {MAX_STEPS:e}");
    }
    let known = scene.map_or(Vec::new(), Scene::signals);
    if let Some((name, _)) = args.signal.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        if known.is_empty() {
            bail!("--signal {name}: `{}` waits for no signal", args.figure.figure);
        }
        bail!("--signal: {}", names::unknown("signal", name, known));
    }
    Ok(Plan { steps: steps as u64, dt, signals: args.signal.clone() })
}

fn given(figure: &Figure, start: State, args: &SimulateArgs) -> anyhow::Result<Given> {
    let mut given = Given::read(figure, start, args.state.as_deref())?;
    if given.a.iter().any(|a| *a != 0.0) {
        report::say(
            "warning",
            "the accelerations `a` of the state file are left out: they follow from the forces",
        );
    }
    if let Some(seed) = args.tumble {
        let mut random = SplitMix(seed);
        given.state.v.iter_mut().for_each(|v| *v = random.between_minus_one_and_one());
    }
    Ok(given)
}

/// The figure at its start, closed, with the forces of the state file acting all the time and what the scene has.
fn loaded(figure: Figure, given: &Given, scene: Option<&Scene>) -> anyhow::Result<Simulation> {
    let mut loads = Vec::new();
    for (handle, joint) in figure.joints() {
        let place = figure.forest().joint_place(handle);
        for (i, dof) in joint.coordinates().free_dofs().enumerate() {
            let size = given.tau[place.iv + i];
            loads.extend((size != 0.0).then_some(Load::Joint {
                joint: handle,
                dof,
                size,
                script: Script::Constant,
            }));
        }
    }
    let mut kinematics = Kinematics::default();
    kinematics.update(figure.forest(), &given.state.q, None, None);
    for push in &given.pushes {
        let link_from_world = kinematics.link_pose(figure.forest(), push.link).inverse();
        let point = push.point.map_or(Vec3::ZERO, |p| link_from_world.point(p));
        let (force, torque) = (push.force, push.torque);
        loads.push(Load::Link { link: push.link, point, force, torque, script: Script::Constant });
    }
    let mut simulation = Simulation::new(figure, given.state.clone())?;
    loads.into_iter().try_for_each(|load| simulation.push(load))?;
    if simulation.figure().connections().next().is_some() {
        simulation.assemble()?;
    }
    scene.map_or(Ok(()), |s| s.furnish(&mut simulation))?;
    Ok(simulation)
}

fn summary(record: &Record, plan: &Plan, simulation: &Simulation) -> Value {
    let event = |e: &Happened| json!({ "t": e.time, "what": e.what, "coordinates": e.coordinates });
    json!({
        "figure": simulation.figure().name,
        "steps": record.steps,
        "dt": plan.dt,
        "duration": plan.time(record.steps),
        "wall_s": record.wall_s,
        "us_per_step": { "p50": record.us_per_step(0.5), "p99": record.us_per_step(0.99) },
        "energy": { "start": record.start(), "end": record.end(), "max_drift": record.max_drift },
        "closure_error": { "max_m": record.closure.0, "max_rad": record.closure.1 },
        "events": record.events.iter().map(event).collect::<Vec<_>>(),
        "contact": contacts::to_json(&simulation.contact_tally()),
        "digest": format!("{:016x}", simulation.digest()),
        "diverged": record.diverged.is_some(),
    })
}

fn write_summary(dir: &Path, summary: &Value) -> anyhow::Result<()> {
    let path = dir.join("summary.json");
    let text = serde_json::to_string_pretty(summary)? + "\n";
    let write = || {
        let mut output = Output::create(&path)?;
        output.write_all(text.as_bytes())?;
        output.finish()
    };
    write().with_context(|| path.display().to_string())
}

fn to_text(record: &Record, plan: &Plan, ledger: Ledger, contact: &str) -> String {
    let mut table = report::table(&["t, s", "kinetic, J", "gravity, J", "springs, J", "total, J"]);
    for (t, e) in &record.instants {
        let energies = [e.kinetic, e.potential, e.spring, e.total()].map(report::number);
        table.add_row([format!("{t:.3}")].into_iter().chain(energies));
    }
    let mut events = String::new();
    for e in record.events.iter().skip(1) {
        let _ = writeln!(events, "at {:.3} s: {} ({})", e.time, e.what, counted(e.coordinates, "coordinate"));
    }
    if !events.is_empty() {
        events.push('\n');
    }
    if record.closure != (0.0, 0.0) {
        let (m, rad) = record.closure;
        let _ = writeln!(events, "connections stay closed to {m:.1e} m and {rad:.1e} rad");
    }
    events.push_str(contact);
    format!(
        "{}\n\n{table}\n\n{events}energy changes by at most {} J; {} of {} s in {:.3} s, {:.2} us each (p99 {:.2})\n",
        ledger.to_text(),
        report::number(record.max_drift),
        counted(record.steps, "step"),
        plan.dt,
        record.wall_s,
        record.us_per_step(0.5),
        record.us_per_step(0.99),
    )
}

/// A small generator of random bits with a seed.
/// Source: Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn between_minus_one_and_one(&mut self) -> f64 {
        /// 2^-52: the 53 high bits make a number from 0 to 2.
        const SCALE: f64 = f64::EPSILON;
        (self.next() >> 11) as f64 * SCALE - 1.0
    }
}
