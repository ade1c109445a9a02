//! A pendulum against its closed form: build a figure, swing it for one period, see it come back.
//!
//! Prints, for small and large swings, the period T = T_small / agm(1, cos(start / 2)) and how far the pendulum is from
//! where it started after that time. Fails if that is more than 1e-8 rad.

use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkSpec, State};
use anthropi_dynamics::sim::{Integrator, Simulation};
use anthropi_dynamics::spatial::{Inertia, Sym3, vec3};

const STEPS: usize = 8000;

fn main() -> Result<(), anthropi_dynamics::Error> {
    // a rod of 1.7 kg on a hinge about y, its centre of mass 0.4 m below
    let (mass, depth, own, gravity) = (1.7, 0.4, 0.05, 9.81);
    let rod = Inertia::about_center(mass, vec3(0.0, 0.0, -depth), Sym3::diagonal(vec3(own, own, 0.01)));
    let mut builder = FigureBuilder::new("pendulum");
    let hinge = JointSpec::new("hinge", JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) });
    builder.add(LinkSpec::new("rod", rod), hinge)?;
    let figure = builder.build()?;

    let moment = own + mass * depth * depth;
    let small = core::f64::consts::TAU * (moment / (mass * gravity * depth)).sqrt();
    for start in [0.01_f64, 0.5, 1.5, 2.8] {
        let period = small / arithmetic_geometric_mean(1.0, (0.5 * start).cos());
        let mut state = State::home(&figure);
        state.q[0] = start;
        let mut sim = Simulation::new(figure.clone(), state)?;
        sim.integrator = Integrator::Rk4;
        for _ in 0..STEPS {
            sim.step(period / STEPS as f64)?;
        }
        let off = (sim.state().q[0] - start).abs();
        println!("from {start:4} rad: period {period:.6} s, {off:.1e} rad off after it");
        assert!(off < 1e-8, "{off} rad");
    }
    Ok(())
}

fn arithmetic_geometric_mean(mut a: f64, mut b: f64) -> f64 {
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}
