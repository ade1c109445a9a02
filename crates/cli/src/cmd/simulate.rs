//! `simulate`: run a scene, or a figure by itself.

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
use crate::state::LoadedState;
use anthropi_app::result::{
    ClosureError, ContactTally, EnergyDrift, EventResult, SimulationResult, StepTime,
};
use anthropi_app::scene::{self, DT, DURATION, MAX_STEPS, Scene, step_count};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{Figure, State};
use anthropi_dynamics::sim::{Script, ScriptedForce, Simulation};
use anthropi_dynamics::spatial::Vec3;
use anthropi_formats::file;
use anthropi_formats::names;
use anthropi_formats::names::counted;
use anyhow::bail;
use run::{Record, Recorder, Schedule};
use std::fmt::Write;

/// Runs the command.
pub fn run(args: &SimulateArgs, as_json: bool) -> anyhow::Result<Outcome> {
    if args.replay {
        return replay::run(args, as_json);
    }
    let Subject { figure, start, scene, .. } = source::subject(&args.figure)?;
    let schedule = schedule(args, scene.as_ref())?;
    let start = loaded_state(&figure, start, args)?;
    let ledger = Ledger::new(&figure, scene.as_ref().map_or(&[][..], |s| &s.environment));
    let mut simulation = simulation(figure, &start)?;
    if let Some(scene) = &scene {
        // overlaps of the scene itself were reported when it was read; a state file may add others
        let mut warnings = scene::overlap_warnings(&scene.populate(&mut simulation)?);
        warnings.retain(|w| !scene.warnings.contains(w));
        report::warnings(&args.figure.figure, &warnings);
    }
    simulation.integrator = args.integrator.into();
    let world = scene.as_ref().and_then(|s| s.world.as_ref());
    let mut recorder =
        args.out.as_deref().map(|dir| Recorder::create(dir, &simulation, &schedule, world)).transpose()?;
    let record = run::run(&mut simulation, &schedule, recorder.as_mut())?;

    let summary = summary(&record, &schedule, &simulation);
    if let (Some(dir), Some(Recorder { trajectory, forces, film })) = (&args.out, recorder) {
        trajectory.finish()?;
        forces.finish()?;
        film.finish(dir, &record, &schedule)?;
        let text = serde_json::to_string_pretty(&summary)? + "\n";
        file::replace(&dir.join("summary.json"), text.as_bytes())?;
    }
    let contact = contacts::to_text(&simulation.contact_tally(), record.steps, world);
    report::show(as_json, || &summary, || to_text(&record, &schedule, ledger, &contact))?;
    Ok(record.diverged.map_or(Outcome::Fine, Outcome::No))
}

fn schedule(args: &SimulateArgs, scene: Option<&Scene>) -> anyhow::Result<Schedule> {
    let dt = args.dt.or(scene.map(|s| s.dt)).unwrap_or(DT);
    let duration = args.duration.or(scene.map(|s| s.duration)).unwrap_or(DURATION);
    if !(dt > 0.0 && dt.is_finite()) {
        bail!("--dt is {dt}, expected seconds above zero");
    }
    if !(duration >= 0.0 && duration.is_finite()) {
        bail!("--duration is {duration}, expected seconds, zero or more");
    }
    let steps = step_count(duration, dt);
    if steps > MAX_STEPS {
        bail!("--duration {duration} with --dt {dt} makes {steps:e} steps, expected at most {MAX_STEPS:e}");
    }
    let known = scene.map_or(Vec::new(), Scene::signals);
    if let Some((name, _)) = args.signal.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        if known.is_empty() {
            bail!("--signal {name}: `{}` has no signals", args.figure.figure);
        }
        bail!("--signal: {}", names::unknown("signal", name, known));
    }
    Ok(Schedule { steps: steps as u64, dt, signals: args.signal.clone() })
}

fn loaded_state(figure: &Figure, start: State, args: &SimulateArgs) -> anyhow::Result<LoadedState> {
    let mut start = LoadedState::read(figure, start, args.state.as_deref())?;
    if start.a.iter().any(|a| *a != 0.0) {
        report::say(
            "warning",
            "the accelerations `a` of the state file are ignored: they follow from the forces",
        );
    }
    if let Some(seed) = args.random_velocities {
        let mut random = SplitMix(seed);
        start.state.v.iter_mut().for_each(|v| *v = random.between_minus_one_and_one());
    }
    Ok(start)
}

/// The figure at its start with connections closed, under the constant forces of the state file.
fn simulation(figure: Figure, start: &LoadedState) -> anyhow::Result<Simulation> {
    let mut forces = Vec::new();
    for (handle, joint) in figure.joints() {
        let place = figure.forest().joint_place(handle);
        for (i, dof) in joint.coordinates().free_dofs().enumerate() {
            let size = start.tau[place.iv + i];
            forces.extend((size != 0.0).then_some(ScriptedForce::Joint {
                joint: handle,
                dof,
                size,
                script: Script::Constant,
            }));
        }
    }
    let mut kinematics = Kinematics::default();
    kinematics.update(figure.forest(), &start.state.q, None, None);
    for push in &start.pushes {
        let link_from_world = kinematics.link_pose(figure.forest(), push.link).inverse();
        let point = push.point.map_or(Vec3::ZERO, |p| link_from_world.point(p));
        let (force, torque) = (push.force, push.torque);
        forces.push(ScriptedForce::Link { link: push.link, point, force, torque, script: Script::Constant });
    }
    let mut simulation = Simulation::new(figure, start.state.clone())?;
    forces.into_iter().try_for_each(|force| simulation.push(force))?;
    if simulation.figure().connections().next().is_some() {
        simulation.assemble()?;
    }
    Ok(simulation)
}

fn summary(record: &Record, schedule: &Schedule, simulation: &Simulation) -> SimulationResult {
    SimulationResult {
        figure: simulation.figure().name.clone(),
        steps: record.steps,
        dt: schedule.dt,
        duration: schedule.time(record.steps),
        wall_s: record.wall_s,
        us_per_step: StepTime { p50: record.us_per_step(0.5), p99: record.us_per_step(0.99) },
        energy: EnergyDrift { start: record.start(), end: record.end(), max_drift: record.max_drift },
        closure_error: ClosureError { max_m: record.closure.0, max_rad: record.closure.1 },
        events: record.events.iter().map(EventResult::new).collect(),
        contact: ContactTally::new(&simulation.contact_tally()),
        digest: format!("{:016x}", simulation.digest()),
        diverged: record.diverged.is_some(),
    }
}

fn to_text(record: &Record, schedule: &Schedule, ledger: Ledger, contact: &str) -> String {
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
        let _ = writeln!(events, "largest closure error: {m:.1e} m, {rad:.1e} rad");
    }
    events.push_str(contact);
    format!(
        "{}\n\n{table}\n\n{events}energy changes by at most {} J; {} of {} s in {:.3} s, {:.2} us each (p99 {:.2})\n",
        ledger.to_text(),
        report::number(record.max_drift),
        counted(record.steps, "step"),
        schedule.dt,
        record.wall_s,
        record.us_per_step(0.5),
        record.us_per_step(0.99),
    )
}

/// Seeded random number generator.
/// Source: Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014.
struct SplitMix(u64);

impl SplitMix {
    fn between_minus_one_and_one(&mut self) -> f64 {
        /// 2^-52: the 53 high bits make a number from 0 to 2.
        const SCALE: f64 = f64::EPSILON;
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 * SCALE - 1.0
    }
}
