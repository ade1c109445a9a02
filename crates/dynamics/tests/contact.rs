//! Contact in time against closed forms.

use anthropi_dynamics::contact::{Material, Surface, World};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkSpec, PlacedShape, Shape, State};
use anthropi_dynamics::sim::Simulation;
use anthropi_dynamics::spatial::{Transform, vec3};

const G: f64 = 9.81;

/// One free solid.
fn solid(shape: Shape, density: f64, q: [f64; 7]) -> Simulation {
    let mut b = FigureBuilder::new("solid");
    let mut link = LinkSpec::new("solid", shape.inertia(density).unwrap());
    link.shapes.push(PlacedShape { shape, link_from_shape: Transform::identity() });
    b.add(link, JointSpec::new("root", JointKind::Free)).unwrap();
    let figure = b.build().unwrap();
    let mut state = State::home(&figure);
    state.q.copy_from_slice(&q);
    Simulation::new(figure, state).unwrap()
}

fn floor(surface: Surface) -> World {
    let mut world = World::floor();
    world.materials.add(Material { name: "default".into(), surface }).unwrap();
    world
}

#[test]
fn a_box_at_rest_stays() {
    let half = vec3(0.1, 0.15, 0.2);
    let mut sim = solid(Shape::Box { half }, 1000.0, [0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0]);
    sim.touch(floor(Surface::default())).unwrap();
    for _ in 0..1000 {
        sim.step(1e-3).unwrap();
    }
    println!("{:?} {:?}", sim.state(), sim.contact_tally());
    assert!((sim.state().q[2] - 0.2).abs() < 1e-12);
    assert_eq!(G, 9.81);
}
