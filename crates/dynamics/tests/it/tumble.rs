//! `anthropi-42` tumbling freely for ten seconds at one millisecond.

use anthropi_app::builtin;
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::model::State;
use anthropi_dynamics::sim::{Integrator, Simulation, advance};
use anthropi_dynamics::spatial::{Force, vec3};

/// A start like that of the peers' test: every joint turned and turning.
fn start() -> Simulation {
    let figure = builtin::figure("anthropi-42").unwrap().unwrap().figure.rigid();
    let mut s = State::home(&figure);
    let mut x = 0x2545_F491_4F6C_DD1D_u64;
    let mut normal = || {
        let mut uniform = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            (x >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    };
    let turn: Vec<f64> = s.v.iter().map(|_| 0.4 * normal()).collect();
    advance(figure.forest(), &mut s.q, &turn, 1.0);
    s.v.iter_mut().for_each(|v| *v = 2.0 * normal());
    Simulation::new(figure, s).unwrap()
}

/// Kinetic energy less that of the centre of mass, total energy, momentum about the centre of mass.
pub fn measure(sim: &mut Simulation) -> (f64, f64, Force) {
    let energy = sim.energy();
    let forest = sim.figure().forest().clone();
    let k = sim.kinematics();
    let v = centroidal::velocity_of_center(&forest, k);
    (
        energy.kinetic - 0.5 * centroidal::mass(&forest) * v.dot(v),
        energy.total(),
        centroidal::momentum(&forest, k),
    )
}

fn ten_seconds(integrator: Integrator) -> (f64, f64, f64, f64) {
    let mut sim = start();
    sim.integrator = integrator;
    let (internal, total, h) = measure(&mut sim);
    for _ in 0..10_000 {
        sim.step(1e-3).unwrap();
    }
    let (i1, t1, h1) = measure(&mut sim);
    let fallen = h.linear + vec3(0.0, 0.0, -9.81 * 10.0 * sim.figure().mass());
    (
        (t1 - total).abs() / total.abs(),
        (i1 - internal) / internal,
        (h1.angular - h.angular).norm() / h.angular.norm(),
        (h1.linear - fallen).norm() / fallen.norm(),
    )
}

#[test]
fn rk4_keeps_energy_and_momentum() {
    let (total, internal, angular, linear) = ten_seconds(Integrator::Rk4);
    eprintln!("rk4: energy {total:.1e}, internal {internal:.1e}, angular {angular:.1e}, linear {linear:.1e}");
    assert!(total < 1e-6 && internal.abs() < 1e-6, "energy {total:e}, internal {internal:e}");
    assert!(angular < 1e-10 && linear < 1e-10, "momentum: angular {angular:e}, linear {linear:e}");
}

#[test]
fn the_default_step_keeps_energy_where_euler_gains() {
    let (_, internal, angular, linear) = ten_seconds(Integrator::Midpoint);
    let (_, euler, ..) = ten_seconds(Integrator::Euler);
    eprintln!(
        "default: internal {internal:.1e}, angular {angular:.1e}, linear {linear:.1e}; euler gains {euler:.3}"
    );
    assert!(internal.abs() < 0.02, "internal kinetic energy changed by {internal:e}");
    assert!(euler > 0.05, "the comparison is meant to be hard: Euler gains {euler:e}");
}
