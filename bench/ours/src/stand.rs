//! Times a whole step of a standing figure, contacts found and solved: the peer's model, read from its own file.

use anthropi_dynamics::contact::World;
use anthropi_dynamics::model::State;
use anthropi_dynamics::sim::Simulation;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

const H: f64 = 1e-3;
const SETTLE: usize = 3000;
const STATES: usize = 64;
const APART: usize = 37;
/// Steps in a row, each timed by itself, for the spread.
const IN_A_ROW: usize = 20_000;

/// Mean over states of the fastest of many steps from each, as the peer's bench does it; then how steps in a row spread.
pub fn time(name: &str, path: &str, batches: usize) -> Result<(), String> {
    let figure = anthropi_io::load::figure(Path::new(path)).map_err(|e| e.to_string())?.figure;
    let state = State::home(&figure);
    let mut sim = Simulation::new(figure, state).map_err(|e| e.to_string())?;
    sim.touch(World::floor()).map_err(|e| e.to_string())?;
    let step = |sim: &mut Simulation| sim.step(H).map(|_| ()).map_err(|e| e.to_string());
    for _ in 0..SETTLE {
        step(&mut sim)?;
    }
    let repeats = (batches / 25).max(20);
    let (mut sum, mut points) = (0.0, usize::MAX);
    for _ in 0..STATES {
        for _ in 0..APART {
            step(&mut sim)?;
        }
        points = points.min(sim.contacts().iter().map(|c| c.patch.vertices().len()).sum());
        let mut best = f64::INFINITY;
        for _ in 0..repeats {
            let mut copy = black_box(sim.clone());
            let start = Instant::now();
            step(&mut copy)?;
            best = best.min(start.elapsed().as_nanos() as f64);
            black_box(copy);
        }
        sum += best;
    }
    if points != 8 {
        return Err(format!("{name} stands on {points} points instead of 8"));
    }
    println!("anthropi,{name},step_8_contacts,{:.1}", sum / STATES as f64);
    let mut all: Vec<f64> = Vec::with_capacity(IN_A_ROW);
    for _ in 0..IN_A_ROW {
        let start = Instant::now();
        step(&mut sim)?;
        all.push(start.elapsed().as_nanos() as f64);
    }
    all.sort_by(f64::total_cmp);
    let at = |part: f64| all[(part * all.len() as f64) as usize];
    println!("anthropi,{name},step_8_contacts_p50,{:.1}", at(0.5));
    println!("anthropi,{name},step_8_contacts_p99,{:.1}", at(0.99));
    Ok(())
}
