//! How high the centre of mass is: as the knee that carries bends, within the reach of both legs, and with loads that
//! legs can give.
//!
//! Computes a cubic spline z(t) with
//!     min  sum (z - z_leg)^2 / s_z^2 + (z'' - b)^2 / s_a^2
//!     with  z <= reach,  least <= 1 + z''/g <= most.
//! z_leg is the height at which the knee of the carrying leg has the angle of its phase: straight at heel strike, bent
//! under the load, straight again, bent before it leaves [L1992 §9.4.3: double knee lock].
//! b(t) rises and falls once a step, upward in double support, as people's loads do.
//! Not here: flight (`flight`).
//! Source: our own.

use crate::program::{Basis, Form, Memory, Program, Weights, solve_again};

/// Pieces of the spline, s, and samples of its wishes, s.
const PIECE: f64 = 0.04;
const SAMPLE: f64 = 0.01;
/// Heights are met within this, m...
const NEAR: f64 = 0.028;
/// ...and accelerations within this, m/s2.
const CALM: f64 = 2.7;
/// Limits are passed by as little as this: of reach, m, and of loads, body weights.
const REACH: f64 = 0.002;
const LOAD: f64 = 0.02;

/// Rounds towards the solution in a pass; the next pass goes on from there.
const ROUNDS: usize = 150;

/// What is wanted at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wish {
    pub height: f64,
    /// highest that the legs reach
    pub most: f64,
    /// least and most load, body weights
    pub load: [f64; 2],
    /// vertical acceleration, m/s2
    pub bounce: f64,
}

/// Heights every `dt`; `last` is what the pass before has left.
pub(crate) fn heights(wishes: &[Wish], gravity: f64, dt: f64, last: &mut Option<Memory<1>>) -> Vec<f64> {
    let duration = (wishes.len() - 1) as f64 * dt;
    let basis = Basis::over(duration, PIECE, false);
    let every = ((SAMPLE / dt).round() as usize).max(1);
    let mut program = Program::new(basis.len());
    let sampled: Vec<Wish> = wishes.iter().copied().step_by(every).collect();
    for (k, w) in sampled.iter().enumerate() {
        let at = basis.at(k as f64 * every as f64 * dt);
        program.wish(&value(&at).plus(-w.height).times(1.0 / NEAR), 1.0);
        program.wish(&bend(&at).plus(-w.bounce).times(1.0 / CALM), 1.0);
        program.keep(value(&at).plus(-w.most).times(1.0 / REACH));
        let load = bend(&at).times(1.0 / gravity).plus(1.0);
        program.keep(load.times(1.0 / LOAD));
    }
    let project = |row: usize, [x]: [f64; 1]| {
        let w = &sampled[row / 2];
        [if row.is_multiple_of(2) { x.min(0.0) } else { x.clamp(w.load[0] / LOAD, w.load[1] / LOAD) }]
    };
    let memory = last.get_or_insert_with(|| Memory::at([vec![wishes[0].height; basis.len()]]));
    solve_again(&[program], 300.0, ROUNDS, memory, project);
    let [found] = &memory.x;
    (0..wishes.len()).map(|k| basis.at(k as f64 * dt).iter().map(|(i, w, _)| w * found[*i]).sum()).collect()
}

fn value(at: &Weights) -> Form {
    Form { entries: at.iter().map(|(i, w, _)| (*i, *w)).collect(), offset: 0.0 }
}

fn bend(at: &Weights) -> Form {
    Form { entries: at.iter().map(|(i, _, w)| (*i, *w)).collect(), offset: 0.0 }
}
