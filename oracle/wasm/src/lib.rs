//! Digests of simulations, to compare native and WebAssembly results bit for bit (`oracle/wasm.mjs`).

use anthropi_app::builtin;
use anthropi_dynamics::model::State;
use anthropi_dynamics::sim::{Integrator, Simulation};

/// Steps of 1 ms per simulation.
const STEPS: usize = 300;

/// Number of digests.
// the only unsafe attribute of the project: it exports the function to the host
#[unsafe(no_mangle)]
pub extern "C" fn count() -> u32 {
    (builtin::FIGURES.len() + builtin::SCENES.len()) as u32 * 2
}

/// Digest of figure or scene `i / 2`, with the default integrator or RK4. Zero if it failed.
#[unsafe(no_mangle)]
pub extern "C" fn digest(i: u32) -> u64 {
    let integrator = if i.is_multiple_of(2) { Integrator::Midpoint } else { Integrator::Rk4 };
    run(i as usize / 2, integrator).unwrap_or(0)
}

fn run(i: usize, integrator: Integrator) -> Option<u64> {
    let mut sim = match builtin::FIGURES.get(i) {
        Some(b) => {
            let figure = builtin::figure(b.name)?.ok()?.figure;
            let mut state = State::home(&figure);
            // all joints move, at rates without random numbers
            state.v.iter_mut().enumerate().for_each(|(k, v)| *v = ((k * 37 % 19) as f64 - 9.0) / 5.0);
            Simulation::new(figure, state).ok()?
        }
        None => {
            builtin::scene(builtin::SCENES.get(i - builtin::FIGURES.len())?.name)?.ok()?.simulation().ok()?
        }
    };
    sim.integrator = integrator;
    for _ in 0..STEPS {
        sim.step(1e-3).ok()?;
    }
    Some(sim.digest())
}
