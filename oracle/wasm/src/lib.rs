//! Digests of simulations, to be compared bit by bit between the native program and WebAssembly (`oracle/wasm.mjs`).

use anthropi_dynamics::model::State;
use anthropi_dynamics::sim::{Integrator, Simulation};
use anthropi_io::builtin;

/// Steps of 1 ms each simulation makes.
const STEPS: usize = 300;

/// How many digests there are.
// the only unsafe attribute of the project: it names the function for the host
#[unsafe(no_mangle)]
pub extern "C" fn count() -> u32 {
    (builtin::figures().len() + builtin::scenes().len()) as u32 * 2
}

/// Digest of figure or scene `i / 2`, by the default step or by RK4. Zero when it could not run.
#[unsafe(no_mangle)]
pub extern "C" fn digest(i: u32) -> u64 {
    let integrator = if i.is_multiple_of(2) { Integrator::Midpoint } else { Integrator::Rk4 };
    run(i as usize / 2, integrator).unwrap_or(0)
}

fn run(i: usize, integrator: Integrator) -> Option<u64> {
    let mut sim = match builtin::figures().get(i) {
        Some(b) => {
            let figure = builtin::figure(b.name)?.ok()?.figure;
            let mut state = State::home(&figure);
            // every joint turns, at rates that need no random numbers
            state.v.iter_mut().enumerate().for_each(|(k, v)| *v = ((k * 37 % 19) as f64 - 9.0) / 5.0);
            Simulation::new(figure, state).ok()?
        }
        None => builtin::scene(builtin::scenes().get(i - builtin::figures().len())?.name)?
            .ok()?
            .simulation()
            .ok()?,
    };
    sim.integrator = integrator;
    for _ in 0..STEPS {
        sim.step(1e-3).ok()?;
    }
    Some(sim.digest())
}
