//! A four-bar linkage with more motors than it needs: one degree of freedom, motors at both of its ground hinges.
//!
//! Prints the torque of the crank alone, how two motors share the work with the least torque, and how they do within
//! bounds. Fails unless all three give the crank the requested acceleration.

use anthropi_dynamics::constraint::generalized::{Resolution, connection_forces, inverse_dynamics};
use anthropi_dynamics::constraint::{Closure, Work};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkSpec, State};
use anthropi_dynamics::sim::Simulation;
use anthropi_dynamics::spatial::{Inertia, Sym3, Transform, vec3};

const CRANK: usize = 0;
const ROCKER: usize = 2;

fn main() -> Result<(), anthropi_dynamics::Error> {
    // crank and coupler from one side, the rocker from the other; a connection closes the loop
    let (ground, a, b, c) = (1.0, 0.4, 1.1, 0.9);
    let mut builder = FigureBuilder::new("four-bar");
    let crank = builder.add(LinkSpec::new("crank", rod(a)), hinge("crank"))?;
    let coupler = builder.add(LinkSpec::new("coupler", rod(b)), hinge("coupler").on(crank, along_x(a)))?;
    let mut far = hinge("rocker");
    far.parent_from_joint = along_x(ground);
    let rocker = builder.add(LinkSpec::new("rocker", rod(c)), far)?;
    let mut pin = hinge("pin").on(rocker, along_x(c));
    pin.child_from_joint = along_x(b);
    builder.connect(coupler, pin)?;
    let figure = builder.build()?;

    // near a pose that closes; then exactly
    let mut state = State::home(&figure);
    state.q.copy_from_slice(&[-1.4, 1.3, -1.5]);
    let mut sim = Simulation::new(figure.clone(), state)?;
    sim.assemble()?;
    let (q, v) = (sim.state().q.clone(), sim.state().v.clone());
    let mut closure = Closure::default();
    closure.compute(&figure, &q, &v, &[], &[CRANK])?;
    println!("{} coordinates, {} of them free", closure.total(), closure.free());

    let wanted = 2.0; // rad/s^2 of the crank
    let bounds = Resolution { bounds: vec![0.5, 10.0], ..Resolution::default() };
    let mut squares = Vec::new();
    for (what, motors, how) in [
        ("crank alone", vec![CRANK], Resolution::default()),
        ("least torque", vec![CRANK, ROCKER], Resolution::default()),
        ("crank within 0.5", vec![CRANK, ROCKER], bounds),
    ] {
        let forest = figure.forest();
        let found = inverse_dynamics(forest, &closure, &q, &v, &[wanted], None, None, &motors, &how);
        let given = connection_forces(forest, &q, &v, None, None, &motors, &found.tau, &mut Work::default());
        println!("{what:>18}: {:6.3?} N m give {:.9} rad/s^2", found.tau, given[CRANK]);
        assert!((given[CRANK] - wanted).abs() < 1e-9, "{what}");
        assert!(found.tau.iter().zip(&how.bounds).all(|(tau, most)| tau.abs() <= *most));
        squares.push(found.tau.iter().map(|tau| tau * tau).sum::<f64>());
    }
    assert!(squares[1] < squares[0] && squares[1] <= squares[2], "{squares:?}");
    Ok(())
}

fn rod(length: f64) -> Inertia {
    let i = length * length / 12.0;
    Inertia::about_center(1.0, vec3(0.5 * length, 0.0, 0.0), Sym3::diagonal(vec3(1e-3, i, i)))
}

fn along_x(x: f64) -> Transform {
    Transform::translation(vec3(x, 0.0, 0.0))
}

fn hinge(name: &str) -> JointSpec {
    JointSpec::new(name, JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) })
}
