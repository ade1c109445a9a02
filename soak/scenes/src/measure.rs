//! Measurements of a scene, independent of the engine: closure of connections, momentum, contact
//! forces against Coulomb's law, energy and work.

use anthropi_dynamics::contact::Contact;
use anthropi_dynamics::joint::{JointKind, LimitLaw, LimitSpring, MAX_DOF, Slide, Turn};
use anthropi_dynamics::model::{BodyIx, BodyJoint, Figure, Loop, State};
use anthropi_dynamics::sim::Simulation;
use anthropi_dynamics::spatial::{Force, Motion, Transform, Vec3, vec3};

/// Largest closure error of any connection, m or rad.
pub fn closure(sim: &mut Simulation) -> f64 {
    let loops: Vec<Loop> = sim.figure().forest().loops().to_vec();
    let k = sim.kinematics();
    let error = |l: &Loop| gap(l, &(k.body_pose(l.a) * l.a_from_joint), &(k.body_pose(l.b) * l.b_from_joint));
    loops.iter().map(error).fold(0.0, largest)
}

fn gap(l: &Loop, a: &Transform, b: &Transform) -> f64 {
    let d = b.rotation.tr_mul(a.translation - b.translation);
    let open = match l.slide {
        Slide::None => d.norm(),
        Slide::Along(axis) => (d - axis.scale(d.dot(axis))).norm(),
        Slide::Across(normal) => d.dot(normal).abs(),
        Slide::Any => 0.0,
    };
    let turned = |v: Vec3| b.rotation.tr_mul(a.rotation.mul(v));
    let off = |v: Vec3| (turned(v) - v).norm();
    let twisted = match l.turn {
        Turn::None => [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)]
            .map(off)
            .into_iter()
            .fold(0.0, f64::max),
        Turn::About(axis) => off(axis),
        Turn::Twice(first, second) => (first.dot(turned(second)) - first.dot(second)).abs(),
        Turn::Any => 0.0,
    };
    largest(open, twisted)
}

/// The larger number, or NaN.
pub fn largest(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// Velocities of all links by name, about their origins, world axes.
pub fn velocities(sim: &mut Simulation) -> Vec<(String, Motion)> {
    let k = sim.kinematics().clone();
    let figure = sim.figure();
    figure.links().map(|(h, l)| (l.spec.name.clone(), k.link_velocity(figure.forest(), h))).collect()
}

/// Momentum about the world's origin, and scales for comparing changes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flow {
    pub momentum: Force,
    mass: f64,
    /// twice the kinetic energy
    living: f64,
    reach: f64,
}

impl Flow {
    /// Sum of both.
    pub fn and(self, other: &Flow) -> Flow {
        Flow {
            momentum: self.momentum + other.momentum,
            mass: self.mass + other.mass,
            living: self.living + other.living,
            reach: self.reach.max(other.reach),
        }
    }

    /// Scale of internal momentum exchange, at its lever arm.
    pub fn size(&self) -> f64 {
        (1.0 + self.reach) * (self.mass * self.living).max(0.0).sqrt().max(1e-3)
    }
}

/// Momentum of each body, from its links.
pub fn momenta(sim: &mut Simulation) -> Vec<Flow> {
    let k = sim.kinematics().clone();
    let (figure, forest) = (sim.figure(), sim.figure().forest());
    let mut all = vec![Flow::default(); forest.bodies().len()];
    for (handle, link) in figure.links() {
        let pose = k.link_pose(forest, handle);
        let about_origin = k.link_velocity(forest, handle).shifted(-pose.translation);
        let momentum = (pose * link.spec.inertia) * about_origin;
        let living = about_origin.dot(momentum);
        let own = Flow { momentum, mass: link.spec.inertia.mass, living, reach: pose.translation.norm() };
        let sum = &mut all[forest.link_place(handle).body.index()];
        *sum = sum.and(&own);
    }
    all
}

/// Groups of bodies connected by joints and connections: for each body the first of its group; 0 is fixed to the world.
pub fn groups(figure: &Figure) -> Vec<usize> {
    let forest = figure.forest();
    let mut group: Vec<usize> = vec![0; forest.bodies().len()];
    for (i, b) in forest.bodies().iter().enumerate().skip(1) {
        let is_free = b.parent == BodyIx::WORLD && b.joint == BodyJoint::Free;
        group[i] = if is_free { i } else { group[b.parent.index()] };
    }
    for l in forest.loops() {
        let (a, b) = (group[l.a.index()], group[l.b.index()]);
        group.iter_mut().filter(|g| **g == a || **g == b).for_each(|g| *g = a.min(b));
    }
    group
}

/// Smaller loads are rounding errors, N.
const NO_LOAD: f64 = 1e-6;

/// Violation of Coulomb's law by a contact force, relative to the largest normal force: tension, friction beyond the static
/// limit, centre of pressure outside the patch (at a lever arm of 0.1 m).
pub fn unlawful(contacts: &[Contact]) -> f64 {
    let local = |c: &Contact| (c.patch.axes.tr_mul(c.wrench.linear), c.patch.axes.tr_mul(c.wrench.angular));
    let load = contacts.iter().fold(NO_LOAD, |m, c| largest(m, local(c).0.z));
    let mut worst = 0.0;
    for c in contacts {
        let (f, n) = local(c);
        worst = largest(worst, -f.z / load);
        let along = (f.x * f.x + f.y * f.y).sqrt();
        worst = largest(worst, (along - c.patch.pair.surface.static_friction * f.z) / load);
        if f.z > 1e-9 * load {
            let places: Vec<[f64; 2]> = c.patch.vertices().iter().map(|v| v.xy).collect();
            let out = outside(&places, [-n.y / f.z, n.x / f.z]);
            worst = largest(worst, out * f.z / load / 0.1);
        }
    }
    worst
}

/// Distance of a point from the convex hull of others.
fn outside(places: &[[f64; 2]], p: [f64; 2]) -> f64 {
    let (mut nearest, mut is_inside) = (f64::INFINITY, places.len() > 2);
    for (i, a) in places.iter().enumerate() {
        nearest = nearest.min((a[0] - p[0]).hypot(a[1] - p[1]));
        for b in &places[i + 1..] {
            let (e, r) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
            let length = e[0] * e[0] + e[1] * e[1];
            if length == 0.0 {
                continue;
            }
            let along = ((r[0] * e[0] + r[1] * e[1]) / length).clamp(0.0, 1.0);
            nearest = nearest.min((r[0] - along * e[0]).hypot(r[1] - along * e[1]));
            // an edge of the hull has all other points on one side; so must the point
            let side = |q: &[f64; 2]| e[0] * (q[1] - a[1]) - e[1] * (q[0] - a[0]);
            let all = |sign: f64| places.iter().all(|q| sign * side(q) >= -1e-12 * length);
            for sign in [1.0, -1.0] {
                if all(sign) && sign * side(&p) < 0.0 {
                    is_inside = false;
                }
            }
        }
    }
    if is_inside { 0.0 } else { nearest }
}

/// Energy that limit springs return on rebound.
pub fn limit_energy(figure: &Figure, state: &State) -> f64 {
    let mut sum = 0.0;
    for (handle, joint) in figure.joints() {
        if matches!(joint.kind, JointKind::Free | JointKind::Fixed)
            || joint.dof.iter().all(|d| d.limit.is_none())
        {
            continue;
        }
        let c = joint.coordinates();
        let (Ok(q), Ok(v)) = (state.q_of(figure, handle), state.v_of(figure, handle)) else { continue };
        let (angles, _) = c.angles_and_rates(&c.expand(q, v));
        for k in c.free_dofs().take(MAX_DOF) {
            let d = &joint.dof[k];
            if let (Some(limit), Some(range)) = (&d.limit, d.range) {
                let below = range.lower + limit.blend - angles[k];
                let above = angles[k] - range.upper + limit.blend;
                sum += limit.rebound * (stored(limit, below) + stored(limit, above));
            }
        }
    }
    sum
}

fn stored(limit: &LimitSpring, depth: f64) -> f64 {
    if depth <= 0.0 {
        return 0.0;
    }
    match limit.law {
        LimitLaw::Power { k, n } => k * depth.powf(n + 1.0) / (n + 1.0),
        LimitLaw::Exponential { k, c } => k * ((c * depth).exp_m1() / c - depth),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::contact::World;
    use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkSpec, PlacedShape, Shape};

    fn one_box(height: f64) -> Simulation {
        let shape = Shape::Box { half: Vec3 { x: 0.1, y: 0.1, z: 0.1 } };
        let mut link = LinkSpec::new("box", shape.inertia(1000.0).unwrap());
        link.shapes.push(PlacedShape { shape, link_from_shape: Transform::identity() });
        let mut b = FigureBuilder::new("box");
        b.add(link, JointSpec::new("free", JointKind::Free)).unwrap();
        let figure = b.build().unwrap();
        let mut state = State::home(&figure);
        state.q[2] = height;
        Simulation::new(figure, state).unwrap()
    }

    #[test]
    fn an_open_connection_is_seen() {
        let mut sim = one_box(1.0);
        let link = sim.figure().find_link("box").unwrap();
        sim.connect(link, JointSpec::new("pin", JointKind::Spherical)).unwrap();
        assert_eq!(closure(&mut sim), 0.0);
        sim.edit(|_, s| {
            s.q[0] += 1e-6;
            Ok(())
        })
        .unwrap();
        assert!((closure(&mut sim) - 1e-6).abs() < 1e-15);
        assert_eq!(groups(sim.figure()), [0, 0], "it is held by the world");
    }

    #[test]
    fn forces_that_break_the_law_are_seen() {
        let mut sim = one_box(0.1);
        sim.touch(World::floor()).unwrap();
        sim.step(1e-3).unwrap();
        let mut contacts = sim.contacts().to_vec();
        assert!(unlawful(&contacts) < 1e-12);
        contacts[0].wrench.linear.x += 0.9 * contacts[0].wrench.linear.z;
        assert!((unlawful(&contacts) - 0.1).abs() < 1e-9, "0.9 of the load where 0.8 is the limit");
        contacts[0].wrench = sim.contacts()[0].wrench;
        contacts[0].wrench.angular.y += 0.15 * contacts[0].wrench.linear.z;
        assert!((unlawful(&contacts) - 0.5).abs() < 1e-9, "pressure is 5 cm outside");
        contacts[0].wrench.linear.z *= -1.0;
        assert!(unlawful(&contacts) > 0.5, "it pulls");
    }

    #[test]
    fn momentum_is_that_of_the_engine() {
        let mut sim = one_box(1.0);
        sim.edit(|_, s| {
            s.v.copy_from_slice(&[0.3, -0.2, 0.5, 1.0, 2.0, 3.0]);
            Ok(())
        })
        .unwrap();
        let own = momenta(&mut sim)[1].momentum;
        let forest = sim.figure().forest().clone();
        let reported = anthropi_dynamics::algo::centroidal::momentum_about_origin(&forest, sim.kinematics());
        assert!((own - reported).to_array().iter().all(|x| x.abs() < 1e-12), "{own:?} {reported:?}");
    }
}
