//! Closed chains: the constraint view against a dense solution by another library.

use anthropi_dynamics::algo::{aba, fk::Kinematics, jacobian};
use anthropi_dynamics::constraint::{Constraints, Work, forward_dynamics, plain_forward_dynamics};
use anthropi_dynamics::joint::{JointKind, Slide, Turn};
use anthropi_dynamics::model::{Figure, JointSpec, LinkHandle, State};
use anthropi_dynamics::sim::advance;
use anthropi_dynamics::spatial::Motion;
use testkit::*;

/// Rounding through the small system; measured 1e-11 at the worst.
const AGREEMENT: f64 = 1e-9;

fn random_connection_kind(rng: &mut Rng) -> JointKind {
    let (axis, other) = (rng.unit(), rng.unit());
    match rng.below(9) {
        0 => JointKind::Fixed,
        1 => JointKind::Revolute { axis },
        2 => JointKind::Prismatic { axis },
        3 => JointKind::Universal { first: axis, second: other },
        4 | 5 => JointKind::Spherical,
        6 => JointKind::Partial { turn: Turn::About(axis), slide: Slide::Along(axis) },
        7 => JointKind::Partial { turn: Turn::About(axis), slide: Slide::Across(axis) },
        _ => JointKind::Partial { turn: Turn::Any, slide: Slide::Across(other) },
    }
}

/// Connects random pairs of links where they are.
fn connect_randomly(figure: &mut Figure, s: &mut State, seed: u64, loops: usize) {
    let mut rng = Rng::new(seed ^ 0x99);
    let links: Vec<LinkHandle> = figure.links().map(|(h, _)| h).collect();
    let mut made = 0;
    while made < loops {
        let a = links[rng.below(links.len())];
        let b = if rng.uniform() < 0.3 { None } else { Some(links[rng.below(links.len())]) };
        let body = |l: LinkHandle| figure.forest().link_place(l).body.index();
        if body(a) == b.map_or(0, body) {
            continue;
        }
        let mut joint = JointSpec::new(format!("loop{made}"), random_connection_kind(&mut rng));
        (joint.parent, joint.child_from_joint) = (b, rng.transform());
        let joint = figure.closed_here(a, joint, s).unwrap();
        figure.connect(a, joint, s).unwrap();
        made += 1;
    }
}

/// Velocities that satisfy the connections.
pub fn consistent(figure: &Figure, s: &mut State) {
    let forest = figure.forest();
    let (mut work, mut a) = (aba::Work::default(), vec![0.0; forest.nv()]);
    aba::forward_dynamics(forest, &s.q, &s.v, &vec![0.0; forest.nv()], None, None, &mut work, &mut a);
    let mut c = Constraints::default();
    c.place(forest, &s.q, &s.v);
    c.factor(forest, &work, false);
    c.correct_velocity(forest, &work, &mut s.v);
}

/// The constraint view of a state, and its accelerations under joint forces.
pub fn accelerations(figure: &Figure, s: &State, tau: &[f64]) -> (Constraints, Vec<f64>) {
    let forest = figure.forest();
    let (mut work, mut a) = (aba::Work::default(), vec![0.0; forest.nv()]);
    aba::forward_dynamics(forest, &s.q, &s.v, tau, None, None, &mut work, &mut a);
    let mut c = Constraints::default();
    c.place(forest, &s.q, &s.v);
    c.factor(forest, &work, false);
    c.accelerate(forest, &work, &mut a, false);
    (c, a)
}

/// Rows of K by the Jacobians of both links, from the wrenches that the constraints use.
pub fn dense_rows(figure: &Figure, s: &State, c: &Constraints) -> nalgebra::DMatrix<f64> {
    let forest = figure.forest();
    let n = forest.nv();
    let mut k = Kinematics::default();
    k.update(forest, &s.q, Some(&s.v), None);
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let (mut ja, mut jb) = (vec![Motion::default(); n], vec![Motion::default(); n]);
    for (l, state) in forest.loops().iter().zip(c.states()) {
        jacobian::of_body_point(forest, &k, l.a, state.point, &mut ja);
        jacobian::of_body_point(forest, &k, l.b, state.point, &mut jb);
        for r in state.rows() {
            rows.push((0..n).map(|i| (ja[i] - jb[i]).dot(r.wrench)).collect());
        }
    }
    nalgebra::DMatrix::from_fn(rows.len(), n, |i, j| rows[i][j])
}

#[test]
fn constrained_accelerations_and_forces_solve_the_dense_equations() {
    for seed in 0..150_u64 {
        let mut figure = if seed.is_multiple_of(2) {
            random_figure(seed, 4 + seed as usize % 20)
        } else {
            random_figure_with_rotors(seed, 4 + seed as usize % 20)
        };
        let mut s = random_state(&figure, seed);
        if figure.forest().bodies().len() < 3 {
            continue;
        }
        connect_randomly(&mut figure, &mut s, seed, 1 + seed as usize % 6);
        consistent(&figure, &mut s);
        let forest = figure.forest();
        let n = forest.nv();
        let tau = random_vector(n, seed, 5.0);
        let (c, a) = accelerations(&figure, &s, &tau);
        // M a = tau - bias + K^T lambda
        let dense = dense_mass_matrix(&figure, &s.q);
        let bias = inverse_dynamics(&figure, &s, &vec![0.0; n], None);
        let k = dense_rows(&figure, &s, &c);
        let lambda = nalgebra::DVector::from_column_slice(c.lambda());
        let force = k.transpose() * &lambda;
        let left: Vec<f64> = (0..n).map(|i| (0..n).map(|j| dense[i][j] * a[j]).sum()).collect();
        let right: Vec<f64> = (0..n).map(|i| tau[i] - bias[i] + force[i]).collect();
        assert_small(&format!("seed {seed}: equation of motion"), relative(&left, &right), AGREEMENT);
        // the connections stay closed: errors along the accelerated motion grow with the third power of time
        let h = 1e-4;
        let after = |t: f64| {
            let mut u = s.clone();
            let mean: Vec<f64> = (0..n).map(|i| s.v[i] + 0.5 * t * a[i]).collect();
            advance(forest, &mut u.q, &mean, t);
            let mut d = Constraints::default();
            d.place(forest, &u.q, &u.v);
            let (x, y) = d.closure_error();
            x.max(y)
        };
        let size = 1.0 + s.v.iter().chain(&a).fold(0.0_f64, |m, x| m.max(x.abs()));
        let (now, later) = (after(0.0), after(h));
        assert_small(&format!("seed {seed}: closed"), now, 1e-12);
        assert_small(&format!("seed {seed}: stays closed"), later / (size.powi(3) * h * h), 30.0 * h);
        // least norm: lambda has no part in the null space of K^T
        let svd = k.clone().svd(true, true);
        let rank = svd.rank(1e-9 * svd.singular_values.max());
        let u = svd.u.as_ref().unwrap();
        let projected: nalgebra::DVector<f64> = (0..rank.min(u.ncols()))
            .map(|i| u.column(i) * u.column(i).dot(&lambda))
            .fold(nalgebra::DVector::zeros(lambda.len()), |s, x| s + x);
        assert_small(
            &format!("seed {seed}: least norm"),
            relative(projected.as_slice(), lambda.as_slice()),
            1e-7,
        );
    }
}

#[test]
fn connecting_moving_links_keeps_momentum_and_loses_energy() {
    use anthropi_dynamics::algo::{centroidal, energy};
    for seed in 0..60 {
        let mut figure = random_figure(seed, 5 + seed as usize % 10).with_free_base().unwrap();
        let mut s = random_state(&figure, seed);
        if figure.forest().bodies().len() < 3 {
            continue;
        }
        // inside one free figure only, so that the impulse is internal
        let links: Vec<LinkHandle> = figure.links().map(|(h, _)| h).collect();
        let root = figure.root_of(links[0]);
        let free = figure.joint(figure.link(root).unwrap().joint()).unwrap().kind == JointKind::Free;
        let mates: Vec<LinkHandle> = links.into_iter().filter(|l| figure.root_of(*l) == root).collect();
        let (a, b) = (mates[mates.len() - 1], mates[0]);
        if !free || figure.forest().link_place(a).body == figure.forest().link_place(b).body {
            continue;
        }
        let measure = |figure: &Figure, s: &State| {
            let mut k = Kinematics::default();
            k.update(figure.forest(), &s.q, Some(&s.v), None);
            (centroidal::momentum(figure.forest(), &k), energy::kinetic(figure.forest(), &k, &s.v))
        };
        let (h0, t0) = measure(&figure, &s);
        let joint = JointSpec { parent: Some(b), ..JointSpec::new("grip", JointKind::Spherical) };
        let joint = figure.closed_here(a, joint, &s).unwrap();
        figure.connect(a, joint, &mut s).unwrap();
        consistent(&figure, &mut s);
        let (h1, t1) = measure(&figure, &s);
        assert_small(&format!("seed {seed}: momentum"), relative(&h1.to_array(), &h0.to_array()), 1e-12);
        assert!(t1 <= t0 * (1.0 + 1e-12), "seed {seed}: energy grew from {t0} to {t1}");
    }
}

#[test]
fn fast_and_plain_paths_agree() {
    /// Both lose as many digits as G has between its largest and smallest numbers, up to seven.
    const WAYS: f64 = 1e-8;
    let mut quick_ones = 0;
    for seed in 0..150 {
        let mut figure = random_figure_with_rotors(seed, 3 + seed as usize % 14);
        let mut s = random_state(&figure, seed);
        connect_randomly(&mut figure, &mut s, seed, 1 + seed as usize % 4);
        let forest = figure.forest();
        let n = forest.nv();
        let tau = random_vector(n, seed, 5.0);
        let forces = random_body_forces(&figure, seed);
        let added: Vec<f64> = random_vector(n, seed ^ 7, 0.1).into_iter().map(f64::abs).collect();
        let implicit = (seed % 2 == 0).then_some(&added[..]);
        let (mut quick, mut plain) = (Work::default(), Work::default());
        let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
        forward_dynamics(forest, &s.q, &s.v, &tau, Some(&forces), implicit, &mut quick, &mut a);
        plain_forward_dynamics(forest, &s.q, &s.v, &tau, Some(&forces), implicit, &mut plain, &mut b);
        assert_eq!(quick.constraints.rank(), plain.constraints.rank(), "seed {seed}");
        quick_ones += usize::from(quick.constraints.rank() == quick.constraints.len());
        assert_small(&format!("seed {seed}: accelerations"), relative(&a, &b), WAYS);
        let (a, b) = (quick.constraints.lambda(), plain.constraints.lambda());
        assert_small(&format!("seed {seed}: forces"), relative(a, b), WAYS);
    }
    assert!(quick_ones > 30, "many of them have independent rows: {quick_ones}");
}
