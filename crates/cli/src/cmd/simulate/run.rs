//! The loop of a simulation: steps, clock, signals, energy, closure, progress.

use super::film::Film;
use super::forces::Forces;
use super::trajectory::Trajectory;
use crate::progress::Progress;
use anthropi_dynamics::contact::World;
use anthropi_dynamics::sim::{self, Energy, Happened, Simulation};
use std::path::Path;
use std::time::Instant;

/// Most steps timed for the quantiles.
const MAX_TIMED: usize = 1_000_000;
/// Instants at which the energy is reported, after the start.
const INSTANTS: u64 = 8;

/// Steps to simulate, and signals on the way.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// number of steps
    pub steps: u64,
    /// time step, s
    pub dt: f64,
    /// signals and their times, s
    pub signals: Vec<(String, f64)>,
}

impl Schedule {
    /// Time after a number of steps, s.
    pub fn time(&self, steps: u64) -> f64 {
        steps as f64 * self.dt
    }

    /// Gives the signals due before step `k` (from one).
    fn give_signals(&self, k: u64, simulation: &mut Simulation) {
        let now = self.time(k - 1);
        let (from, until) = (now - 0.5 * self.dt, now + 0.5 * self.dt);
        let due = |t: f64| (from..until).contains(&t) || (k == 1 && t < from);
        self.signals.iter().filter(|(_, t)| due(*t)).for_each(|(name, _)| simulation.signal(name));
    }
}

/// Course of a run.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// completed steps
    pub steps: u64,
    /// energy at a few instants, first and last included
    pub instants: Vec<(f64, Energy)>,
    /// largest difference of the energy from its start, J
    pub max_drift: f64,
    /// largest closure error after a step, m and rad
    pub closure: (f64, f64),
    /// the start and all events
    pub events: Vec<Happened>,
    /// wall time with output, s
    pub wall_s: f64,
    /// nanoseconds of each step, sorted
    nanoseconds: Vec<u32>,
    /// reason for an early end
    pub diverged: Option<String>,
}

impl Record {
    /// Energy at the start, J.
    pub fn start(&self) -> f64 {
        self.instants.first().map_or(0.0, |(_, e)| e.total())
    }

    /// Energy at the end, J.
    pub fn end(&self) -> f64 {
        self.instants.last().map_or(0.0, |(_, e)| e.total())
    }

    /// Quantile of the wall time per step, us.
    pub fn us_per_step(&self, part: f64) -> f64 {
        let Some(last) = self.nanoseconds.len().checked_sub(1) else { return 0.0 };
        f64::from(self.nanoseconds[(part * last as f64).round() as usize]) * 1e-3
    }
}

/// Files written during the run.
pub struct Recorder {
    /// trajectory.csv
    pub trajectory: Trajectory,
    /// forces.csv
    pub forces: Forces,
    /// pictures
    pub film: Film,
}

impl Recorder {
    /// Starts all files in a folder.
    pub fn create(
        dir: &Path,
        simulation: &Simulation,
        schedule: &Schedule,
        world: Option<&World>,
    ) -> anyhow::Result<Recorder> {
        Ok(Recorder {
            trajectory: Trajectory::create(dir, simulation)?,
            forces: Forces::create(dir, schedule.dt, world)?,
            film: Film::new(schedule, world),
        })
    }

    fn add(&mut self, k: u64, time: f64, simulation: &Simulation, energy: Energy) -> anyhow::Result<()> {
        self.trajectory.row(time, simulation)?;
        self.forces.rows(k, time, simulation)?;
        self.film.add(k, time, simulation, energy);
        Ok(())
    }
}

/// Steps to the end, or until the motion diverges.
pub fn run(
    simulation: &mut Simulation,
    schedule: &Schedule,
    mut recorder: Option<&mut Recorder>,
) -> anyhow::Result<Record> {
    let started = Instant::now();
    let mut record = Record::default();
    let mut now = simulation.energy();
    record.instants.push((0.0, now));
    let coordinates = sim::coordinates(simulation.figure());
    record.events.push(Happened { time: 0.0, what: "start".into(), coordinates });
    if let Some(t) = &mut recorder {
        t.add(0, 0.0, simulation, now)?;
    }
    let mut progress = Progress::new("steps", schedule.steps);
    for k in 1..=schedule.steps {
        schedule.give_signals(k, simulation);
        let before = Instant::now();
        let stepped = simulation.step(schedule.dt);
        if record.nanoseconds.len() < MAX_TIMED {
            record.nanoseconds.push(u32::try_from(before.elapsed().as_nanos()).unwrap_or(u32::MAX));
        }
        let time = schedule.time(k);
        let energy = simulation.energy();
        if let Err(error) = stepped {
            record.diverged = Some(error.to_string());
        } else if !energy.total().is_finite() {
            record.diverged = Some(format!("the motion diverged at t = {time} s: its energy is not finite"));
        }
        if record.diverged.is_some() {
            break;
        }
        (now, record.steps) = (energy, k);
        record.max_drift = record.max_drift.max((now.total() - record.start()).abs());
        let closed = simulation.closure();
        record.closure = (record.closure.0.max(closed.linear), record.closure.1.max(closed.angular));
        if k % schedule.steps.div_ceil(INSTANTS) == 0 {
            record.instants.push((time, now));
        }
        if let Some(t) = &mut recorder {
            t.add(k, time, simulation, now)?;
        }
        progress.at(k);
    }
    if record.instants.last().is_none_or(|(t, _)| *t != schedule.time(record.steps)) {
        record.instants.push((schedule.time(record.steps), now));
    }
    record.events.extend(
        simulation.happened().iter().map(|h| Happened { time: on_grid(h.time, schedule.dt), ..h.clone() }),
    );
    record.nanoseconds.sort_unstable();
    record.wall_s = started.elapsed().as_secs_f64();
    Ok(record)
}

/// Time of a step without accumulated rounding.
fn on_grid(time: f64, dt: f64) -> f64 {
    (time / dt).round() * dt
}
