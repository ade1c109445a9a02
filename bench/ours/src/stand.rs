//! A figure standing on eight contact points, from the model file of the peer.

use anthropi_dynamics::contact::World;
use anthropi_dynamics::model::State;
use anthropi_dynamics::sim::Simulation;
use std::path::Path;

const H: f64 = 1e-3;
const SETTLE: usize = 3000;

/// Simulation of the model `path`, at rest on both feet.
pub fn settled(path: &str) -> Result<Simulation, String> {
    let figure = anthropi_formats::load::figure(Path::new(path)).map_err(|e| e.to_string())?.figure;
    let state = State::home(&figure);
    let mut sim = Simulation::new(figure, state).map_err(|e| e.to_string())?;
    sim.touch(World::floor()).map_err(|e| e.to_string())?;
    (0..SETTLE).try_for_each(|_| step(&mut sim))?;
    Ok(sim)
}

/// One step of the standing figure, including contact detection and solution.
pub fn step(sim: &mut Simulation) -> Result<(), String> {
    sim.step(H).map(|_| ()).map_err(|e| e.to_string())
}

/// Number of contact points.
pub fn points(sim: &Simulation) -> usize {
    sim.contacts().iter().map(|c| c.patch.vertices().len()).sum()
}
