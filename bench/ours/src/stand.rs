//! A figure that stands on eight contact points, as the peer's: its model, read from its own file.

use anthropi_dynamics::contact::World;
use anthropi_dynamics::model::State;
use anthropi_dynamics::sim::Simulation;
use std::path::Path;

const H: f64 = 1e-3;
const SETTLE: usize = 3000;

/// The simulation of `PATH`, when it has come to rest on both feet.
pub fn settled(path: &str) -> Result<Simulation, String> {
    let figure = anthropi_io::load::figure(Path::new(path)).map_err(|e| e.to_string())?.figure;
    let state = State::home(&figure);
    let mut sim = Simulation::new(figure, state).map_err(|e| e.to_string())?;
    sim.touch(World::floor()).map_err(|e| e.to_string())?;
    (0..SETTLE).try_for_each(|_| step(&mut sim))?;
    Ok(sim)
}

/// One step of the standing figure: contacts found and solved.
pub fn step(sim: &mut Simulation) -> Result<(), String> {
    sim.step(H).map(|_| ()).map_err(|e| e.to_string())
}

/// Points the figure stands on.
pub fn points(sim: &Simulation) -> usize {
    sim.contacts().iter().map(|c| c.patch.vertices().len()).sum()
}
