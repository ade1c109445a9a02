//! The generalized-coordinate view: H, W, S by hand, both views of the dynamics against each other.

use super::constraint::{accelerations, consistent, dense_rows};
use anthropi_dynamics::constraint::{Closure, Work, generalized};
use anthropi_dynamics::joint::{JointKind, Slide, Turn};
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec, State};
use anthropi_dynamics::spatial::{Inertia, Sym3, Transform, vec3};
use testkit::*;

/// Rounding through two different eliminations.
const AGREEMENT: f64 = 1e-9;

/// Eigenvalues of K K^T below this part of the largest are rounding.
const RANK: f64 = 1e-12;

/// [NY2000 §VII-A]: a floating two-link chain along +y, tied to the ground at its end.
fn two_link_ground() -> Figure {
    let mut b = FigureBuilder::new("two-link-ground");
    let z = vec3(0.0, 0.0, 1.0);
    let body = Inertia::about_center(1.0, vec3(0.0, 0.5, 0.0), Sym3::diagonal(vec3(0.1, 0.01, 0.1)));
    let base = b.add(LinkSpec::new("base", body), JointSpec::new("base", JointKind::Free)).unwrap();
    let at = |y: f64| Transform::translation(vec3(0.0, y, 0.0));
    let hinge = |name: &str| JointSpec::new(name, JointKind::Revolute { axis: z });
    let link1 = b.add(LinkSpec::new("link1", body), hinge("link1").on(base, at(1.0))).unwrap();
    let mut tie = hinge("link1v");
    (tie.parent_from_joint, tie.child_from_joint) = (at(2.0), at(1.0));
    b.connect(link1, tie).unwrap();
    b.build().unwrap()
}

#[test]
fn the_papers_example_by_hand() {
    let figure = two_link_ground();
    let s = State::home(&figure);
    let names = figure.coordinate_names();
    assert_eq!(names[6..], ["link1", "link1v"]);
    // theirs: theta_1..3 linear, theta_4..6 angular, theta_7 link1, theta_8 link1v; chosen: theta_1, theta_7
    let mut c = Closure::default();
    c.compute(&figure, &s.q, &s.v, &figure.is_driven(), &[3, 6]).unwrap();
    assert_eq!((c.total(), c.rank(), c.free()), (8, 6, 2));
    assert_eq!(c.generalized(), [3, 6]);
    let close = |got: &[f64], want: &[f64]| assert_small("H", relative(got, want), 1e-14);
    for (theirs, want) in [
        (4, [0.0, 0.0]),
        (5, [0.0, 0.0]),
        (0, [0.0, 0.0]),
        (1, [0.0, 0.0]),
        (2, [0.5, -0.5]),
        (7, [0.5, 0.5]),
    ] {
        close(&c.row_of(theirs), &want);
    }
    // S of the driven coordinates link1, link1v
    close(&c.row_of(6), &[0.0, 1.0]);
    assert_eq!(c.w().len(), 7);
    // by default the driven ones are chosen
    let mut free = Closure::default();
    free.compute(&figure, &s.q, &s.v, &figure.is_driven(), &[]).unwrap();
    assert_eq!(free.generalized(), [6, 7]);
    // coordinates that depend on each other are refused by name
    let e = Closure::default().compute(&figure, &s.q, &s.v, &[], &[4, 6]).unwrap_err().to_string();
    assert!(e.contains("base.4") && e.contains("link1"), "{e}");
}

fn random_closed(seed: u64) -> Option<(Figure, State)> {
    let mut figure = if seed.is_multiple_of(3) {
        random_figure_with_rotors(seed, 4 + seed as usize % 14)
    } else {
        random_figure(seed, 4 + seed as usize % 14)
    };
    let mut s = random_state(&figure, seed);
    if figure.forest().bodies().len() < 3 {
        return None;
    }
    let mut rng = Rng::new(seed ^ 0x99);
    let links: Vec<LinkHandle> = figure.links().map(|(h, _)| h).collect();
    let loops = 1 + seed as usize % 6;
    let mut made = 0;
    while made < loops {
        let a = links[rng.below(links.len())];
        let b = if rng.uniform() < 0.3 { None } else { Some(links[rng.below(links.len())]) };
        let body = |l: LinkHandle| figure.forest().link_place(l).body.index();
        let (axis, other) = (rng.unit(), rng.unit());
        let kind = match rng.below(7) {
            0 => JointKind::Fixed,
            1 => JointKind::Revolute { axis },
            2 => JointKind::Prismatic { axis },
            3 => JointKind::Universal { first: axis, second: other },
            4 => JointKind::Spherical,
            5 => JointKind::Partial { turn: Turn::About(axis), slide: Slide::Along(other) },
            _ => JointKind::Partial { turn: Turn::Any, slide: Slide::Across(other) },
        };
        if body(a) == b.map_or(0, body) {
            continue;
        }
        let joint = JointSpec {
            parent: b,
            child_from_joint: rng.transform(),
            ..JointSpec::new(format!("loop{made}"), kind)
        };
        let joint = figure.closed_here(a, joint, &s).unwrap();
        figure.connect(a, joint, &mut s).unwrap();
        made += 1;
    }
    consistent(&figure, &mut s);
    Some((figure, s))
}

#[test]
fn both_views_agree_on_random_mechanisms() {
    let (mut checked, mut weak, mut worst) = (0, 0, 0.0_f64);
    for seed in 0..500 {
        let Some((figure, s)) = random_closed(seed) else { continue };
        let forest = figure.forest();
        let n = forest.nv();
        let tau = random_vector(n, seed, 5.0);
        // constraint view
        let (c, a) = accelerations(&figure, &s, &tau);
        // generalized coordinates
        let mut closure = Closure::default();
        closure.compute(&figure, &s.q, &s.v, &figure.is_driven(), &[]).unwrap();
        let a_g = generalized::forward_dynamics(forest, &closure, &s.q, &s.v, &tau);
        let b = generalized::tree_accelerations(forest, &closure, &a_g);
        let off = relative(&b, &a);
        worst = worst.max(off);
        assert_small(&format!("seed {seed}: accelerations"), off, AGREEMENT);
        // the forces that the generalized view leaves to the connections: M b + h - tau = K^T lambda, of least norm
        let needed = inverse_dynamics(&figure, &s, &b, None);
        let left = nalgebra::DVector::from_fn(n, |i, _| needed[i] - tau[i]);
        let k = dense_rows(&figure, &s, &c);
        // by the eigenvectors of K K^T (the library's singular values of rank-deficient matrices miss by up to 1e-4)
        let eigen = (&k * k.transpose()).symmetric_eigen();
        let size = eigen.eigenvalues.max();
        let inverse = eigen.eigenvalues.map(|e| if e > RANK * size { 1.0 / e } else { 0.0 });
        let weakest =
            eigen.eigenvalues.iter().filter(|e| **e > RANK * size).fold(1.0_f64, |m, e| m.min(e / size));
        let along = eigen.eigenvectors.transpose() * (&k * &left);
        let lambda = &eigen.eigenvectors * along.component_mul(&inverse);
        // a direction a thousand times weaker than the strongest loses as many digits of its force
        let tolerance = if weakest.sqrt() > 1e-3 { AGREEMENT } else { 100.0 * AGREEMENT };
        weak += usize::from(tolerance > AGREEMENT);
        assert_small(&format!("seed {seed}: forces"), relative(c.lambda(), lambda.as_slice()), tolerance);
        assert_eq!(closure.total() - closure.rank(), closure.free());
        // velocities of dependent coordinates follow from those of the generalized ones
        for i in 0..n {
            let follow: f64 = closure
                .row_of(i)
                .iter()
                .zip(closure.generalized())
                .map(|(w, g)| w * if *g < n { s.v[*g] } else { 0.0 })
                .sum();
            if closure.generalized().iter().all(|g| *g < n) {
                assert_small(&format!("seed {seed}: velocity {i}"), (follow - s.v[i]).abs() / 10.0, 1e-8);
            }
        }
        checked += 1;
    }
    assert!(checked > 400 && weak < 10, "{checked} mechanisms, {weak} of them weak");
    eprintln!("{checked} mechanisms, {weak} weak, worst disagreement of accelerations {worst:e}");
}

#[test]
fn unit_vectors_give_the_same_inertia() {
    // [NY2000 §III-B]: column i of A is the generalized force for unit acceleration i, less that for zero
    for seed in 0..40 {
        let Some((figure, s)) = random_closed(seed) else { continue };
        let forest = figure.forest();
        let mut closure = Closure::default();
        closure.compute(&figure, &s.q, &s.v, &figure.is_driven(), &[]).unwrap();
        let n = closure.free();
        let force = |a_g: &[f64]| {
            let a = generalized::tree_accelerations(forest, &closure, a_g);
            generalized::generalized_force(&closure, &inverse_dynamics(&figure, &s, &a, None))
        };
        let bias = force(&vec![0.0; n]);
        let tau = random_vector(forest.nv(), seed, 5.0);
        let a_g = generalized::forward_dynamics(forest, &closure, &s.q, &s.v, &tau);
        // A a_G + b = tau_G, with A by unit vectors
        let mut left = bias.clone();
        for i in 0..n {
            let mut unit = vec![0.0; n];
            unit[i] = 1.0;
            force(&unit).iter().zip(&bias).enumerate().for_each(|(k, (f, b))| left[k] += (f - b) * a_g[i]);
        }
        assert_small(
            &format!("seed {seed}"),
            relative(&left, &generalized::generalized_force(&closure, &tau)),
            AGREEMENT,
        );
    }
}

/// A five-bar in a plane with motors at all its joints: two degrees of freedom, four tree motors and one at the connection.
fn five_bar() -> (Figure, State) {
    let mut b = FigureBuilder::new("five-bar");
    let y = vec3(0.0, 1.0, 0.0);
    let rod = |l: f64| {
        Inertia::about_center(
            1.0,
            vec3(0.5 * l, 0.0, 0.0),
            Sym3::diagonal(vec3(1e-3, l * l / 12.0, l * l / 12.0)),
        )
    };
    let hinge = |name: &str| JointSpec::new(name, JointKind::Revolute { axis: y });
    let mut parent = None;
    for (i, l) in [0.5, 0.8, 0.8, 0.5].into_iter().enumerate() {
        let mut joint = hinge(&format!("j{i}"));
        if let Some((p, length)) = parent {
            joint = joint.on(p, Transform::translation(vec3(length, 0.0, 0.0)));
        }
        parent = Some((b.add(LinkSpec::new(format!("l{i}"), rod(l)), joint).unwrap(), l));
    }
    let mut pin = hinge("j4");
    pin.child_from_joint = Transform::translation(vec3(0.5, 0.0, 0.0));
    pin.parent_from_joint = Transform::translation(vec3(0.9, 0.0, 0.0));
    b.connect(parent.unwrap().0, pin).unwrap();
    let figure = b.build().unwrap();
    let mut s = State::home(&figure);
    s.q.copy_from_slice(&[-1.9, 1.0, 1.2, 1.0]);
    let mut sim = anthropi_dynamics::sim::Simulation::new(figure, s).unwrap();
    sim.assemble().unwrap();
    let mut s = sim.state().clone();
    s.v.copy_from_slice(&[0.7, -0.4, 0.2, 0.9]);
    let mut sim = anthropi_dynamics::sim::Simulation::new(sim.figure().clone(), s).unwrap();
    sim.assemble().unwrap();
    (sim.figure().clone(), sim.state().clone())
}

#[test]
fn inverse_of_forward_gives_back_the_torques() {
    let (figure, s) = five_bar();
    let forest = figure.forest();
    let mut closure = Closure::default();
    closure.compute(&figure, &s.q, &s.v, &figure.is_driven(), &[]).unwrap();
    assert_eq!(closure.free(), 2);
    let tau = [3.0, -1.0, 2.0, 0.5];
    let a_g = generalized::forward_dynamics(forest, &closure, &s.q, &s.v, &tau);
    let tau_g = generalized::generalized_force(&closure, &tau);
    let inverse = |actuated: &[usize], how: &generalized::Resolution| {
        generalized::inverse_dynamics(forest, &closure, &s.q, &s.v, &a_g, None, None, actuated, how)
    };
    // two motors: unique
    let two = inverse(&[0, 3], &generalized::Resolution::default());
    assert_small("two motors suffice", two.missing, 1e-10);
    // four motors: the least-norm torques do the same and are no larger than those applied
    let four = inverse(&[0, 1, 2, 3], &generalized::Resolution::default());
    assert_small(
        "same generalized force",
        relative(&generalized::generalized_force(&closure, &four.tau), &tau_g),
        1e-10,
    );
    let norm = |t: &[f64]| t.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!(norm(&four.tau) <= norm(&tau) * (1.0 + 1e-12));
    // a heavy weight on one motor makes it idle
    let weighted = inverse(
        &[0, 1, 2, 3],
        &generalized::Resolution { weights: vec![1.0, 1e9, 1.0, 1.0], bounds: vec![] },
    );
    assert!(weighted.tau[1].abs() < 1e-6 && weighted.missing < 1e-9, "{weighted:?}");
    // bounds hold, and the others take over
    let most = 0.6 * four.tau.iter().fold(0.0_f64, |m, t| m.max(t.abs()));
    let bounded = inverse(&[0, 1, 2, 3], &generalized::Resolution { weights: vec![], bounds: vec![most; 4] });
    assert!(bounded.tau.iter().all(|t| t.abs() <= most), "{bounded:?} {most}");
    let wide = 0.95 * four.tau.iter().fold(0.0_f64, |m, t| m.max(t.abs()));
    let reached = inverse(&[0, 1, 2, 3], &generalized::Resolution { weights: vec![], bounds: vec![wide; 4] });
    assert!(reached.tau.iter().all(|t| t.abs() <= wide) && reached.missing < 1e-9, "{reached:?} {wide}");
    // the connection's own motor is as good as any; the motion it makes is the wanted one, and its forces come along
    let with_pin = inverse(&[0, 4], &generalized::Resolution::default());
    assert_small("a motor at the connection", with_pin.missing, 1e-9);
    let wanted = generalized::tree_accelerations(forest, &closure, &a_g);
    for (actuated, found) in [(&[0, 1, 2, 3][..], &four), (&[0, 4][..], &with_pin)] {
        let mut work = Work::default();
        let a =
            generalized::connection_forces(forest, &s.q, &s.v, None, None, actuated, &found.tau, &mut work);
        assert_small("motion under the torques found", relative(&a, &wanted), AGREEMENT);
        assert!(work.constraints.lambda().iter().any(|l| l.abs() > 0.1), "the pin carries something");
    }
}

#[test]
fn the_choice_is_kept_while_its_pivots_are_large() {
    let (figure, s) = five_bar();
    let mut closure = Closure::default();
    closure.compute(&figure, &s.q, &s.v, &[], &[]).unwrap();
    let first = closure.generalized().to_vec();
    let mut sim = anthropi_dynamics::sim::Simulation::new(figure, s).unwrap();
    let mut changes = 0;
    for _ in 0..2000 {
        sim.step(1e-3).unwrap();
        let before = closure.generalized().to_vec();
        closure.compute(sim.figure(), &sim.state().q, &sim.state().v, &[], &[]).unwrap();
        changes += usize::from(before != closure.generalized());
    }
    assert!(changes <= 4, "{changes} changes from {first:?} to {:?}", closure.generalized());
}
