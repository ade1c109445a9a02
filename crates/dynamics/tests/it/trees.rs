//! Identities between the algorithms on seeded random trees of 1 to 60 links with all kinds of joints.

use anthropi_dynamics::algo::{centroidal, crba, energy, jacobian, ltl};
use anthropi_dynamics::model::{Figure, State};
use anthropi_dynamics::sim::advance;
use anthropi_dynamics::spatial::{Force, Motion, Vec3};
use testkit::*;

/// Rounding through 60 links; measured 4e-12 at the worst.
const IDENTITY: f64 = 1e-10;
/// Central differences with step 1e-6: error about 1e-9 of large numbers.
const DIFFERENCE: f64 = 2e-6;

fn each_figure(mut f: impl FnMut(u64, &Figure, &State)) {
    for seed in 0..60 {
        let links = 1 + seed as usize;
        let plain = random_figure(seed, links);
        f(seed, &plain, &random_state(&plain, seed));
        let rotors = random_figure_with_rotors(seed + 1000, links);
        f(seed, &rotors, &random_state(&rotors, seed));
    }
}

/// The mass matrix by paths, and its rows.
fn mass_matrix(figure: &Figure, q: &[f64]) -> (crba::PathMatrix, Vec<Vec<f64>>) {
    let mut m = crba::PathMatrix::default();
    crba::mass_matrix(figure.forest(), q, &mut crba::Work::default(), &mut m);
    let dense = m.to_dense(figure.forest());
    (m, dense)
}

fn moved(figure: &Figure, s: &State, h: f64) -> State {
    let mut t = s.clone();
    advance(figure.forest(), &mut t.q, &s.v, h);
    t
}

#[test]
fn forward_undoes_inverse() {
    each_figure(|seed, figure, s| {
        let a = random_vector(figure.forest().nv(), seed, 3.0);
        let forces = random_body_forces(figure, seed);
        for external in [None, Some(&forces[..])] {
            let tau = inverse_dynamics(figure, s, &a, external);
            let back = forward_dynamics(figure, s, &tau, external);
            assert_small(&format!("seed {seed}"), relative(&back, &a), IDENTITY);
        }
    });
}

#[test]
fn articulated_bodies_agree_with_composite_bodies() {
    each_figure(|seed, figure, s| {
        let forest = figure.forest();
        let n = forest.nv();
        let tau = random_vector(n, seed, 10.0);
        let bias = inverse_dynamics(figure, s, &vec![0.0; n], None);
        let (m, _) = mass_matrix(figure, &s.q);
        let mut factor = ltl::Factor::default();
        factor.compute(forest, &m).expect("M is positive definite");
        let mut a: Vec<f64> = tau.iter().zip(&bias).map(|(t, b)| t - b).collect();
        factor.solve(forest, &mut a);
        assert_small(
            &format!("seed {seed}"),
            relative(&forward_dynamics(figure, s, &tau, None), &a),
            IDENTITY,
        );
    });
}

#[test]
fn mass_matrix_is_that_of_inverse_dynamics_and_positive() {
    each_figure(|seed, figure, s| {
        let n = figure.forest().nv();
        let (_, m) = mass_matrix(figure, &s.q);
        let bias = inverse_dynamics(figure, s, &vec![0.0; n], None);
        for k in 0..n {
            let mut unit = vec![0.0; n];
            unit[k] = 1.0;
            let column: Vec<f64> =
                inverse_dynamics(figure, s, &unit, None).iter().zip(&bias).map(|(t, b)| t - b).collect();
            assert_small(&format!("seed {seed} column {k}"), relative(&m[k], &column), IDENTITY);
        }
        // independent of our own factor: a Cholesky by another library
        let dense = nalgebra::DMatrix::from_fn(n, n, |i, j| m[i][j]);
        assert!(nalgebra::Cholesky::new(dense).is_some(), "seed {seed}: not positive definite");
    });
}

#[test]
fn a_diagonal_that_is_added_is_on_the_diagonal() {
    each_figure(|seed, figure, s| {
        let (mut m, mut dense) = mass_matrix(figure, &s.q);
        let more = random_vector(figure.forest().nv(), seed, 1.0);
        m.add_diagonal(figure.forest(), &more);
        (0..more.len()).for_each(|k| dense[k][k] += more[k]);
        assert_eq!(m.to_dense(figure.forest()), dense, "seed {seed}");
    });
}

#[test]
fn rate_of_mass_matrix_less_twice_coriolis_does_no_work() {
    // v^T (dM/dt - 2 C) v = 0: the velocity-dependent forces do the work that changes v^T M v / 2. This is what skew
    // symmetry means for the motion; C itself is not unique, and with quaternion joints no choice of it is at hand
    each_figure(|seed, figure, s| {
        let n = figure.forest().nv();
        let h = 1e-6;
        let mut still = figure.clone();
        still.set_gravity(Vec3::ZERO);
        let coriolis = inverse_dynamics(&still, s, &vec![0.0; n], None);
        let square = |m: &[Vec<f64>]| -> f64 {
            (0..n).map(|i| (0..n).map(|j| s.v[i] * m[i][j] * s.v[j]).sum::<f64>()).sum()
        };
        let (ahead, behind) =
            (mass_matrix(figure, &moved(figure, s, h).q).1, mass_matrix(figure, &moved(figure, s, -h).q).1);
        let rate = (square(&ahead) - square(&behind)) / (2.0 * h);
        let work: f64 = s.v.iter().zip(&coriolis).map(|(v, c)| v * c).sum();
        let size = square(&ahead).abs().max(1.0) * 10.0;
        assert_small(&format!("seed {seed}"), (rate - 2.0 * work).abs() / size, DIFFERENCE);
    });
}

#[test]
fn power_is_the_rate_of_energy() {
    each_figure(|seed, figure, s| {
        let forest = figure.forest();
        let tau = random_vector(forest.nv(), seed, 5.0);
        let a = forward_dynamics(figure, s, &tau, None);
        let h = 1e-6;
        let energy_at = |t: f64| {
            let mut u = moved(figure, s, t);
            for k in 0..forest.nv() {
                u.v[k] = s.v[k] + t * a[k];
            }
            let k = kinematics_of(figure, &u, None);
            energy::kinetic(forest, &k, &u.v) + energy::potential(forest, &k)
        };
        let rate = (energy_at(h) - energy_at(-h)) / (2.0 * h);
        let power: f64 = tau.iter().zip(&s.v).map(|(t, v)| t * v).sum();
        let size = energy_at(0.0).abs().max(1.0) * 10.0;
        assert_small(&format!("seed {seed}"), (rate - power).abs() / size, DIFFERENCE);
    });
}

#[test]
fn kinetic_energy_is_that_of_the_mass_matrix() {
    each_figure(|seed, figure, s| {
        let n = figure.forest().nv();
        let (_, m) = mass_matrix(figure, &s.q);
        let half: f64 = (0..n).map(|i| (0..n).map(|j| 0.5 * s.v[i] * m[i][j] * s.v[j]).sum::<f64>()).sum();
        let k = kinematics_of(figure, s, None);
        let t = energy::kinetic(figure.forest(), &k, &s.v);
        assert_small(&format!("seed {seed}"), (t - half).abs() / half.max(1.0), IDENTITY);
    });
}

#[test]
fn velocities_and_accelerations_are_rates_of_poses() {
    each_figure(|seed, figure, s| {
        let forest = figure.forest();
        let a = random_vector(forest.nv(), seed, 3.0);
        let h = 1e-5;
        let at = |t: f64| {
            // v(t) = v + a t on the manifold: half the velocity change counts for the position
            let mut u = s.clone();
            let mean: Vec<f64> = (0..forest.nv()).map(|k| s.v[k] + 0.5 * t * a[k]).collect();
            advance(forest, &mut u.q, &mean, t);
            u.v = (0..forest.nv()).map(|k| s.v[k] + t * a[k]).collect();
            kinematics_of(figure, &u, None)
        };
        let (now, ahead, behind) = (kinematics_of(figure, s, Some(&a)), at(h), at(-h));
        for (link, _) in figure.links() {
            let v = now.link_velocity(forest, link);
            let acc = now.link_acceleration(forest, link);
            let (p1, p0) = (ahead.link_pose(forest, link), behind.link_pose(forest, link));
            let linear = (p1.translation - p0.translation).scale(0.5 / h);
            let turn = (p1.rotation.mul_mat(&p0.rotation.transpose())
                - anthropi_dynamics::spatial::Mat3::identity())
            .scale_by(0.5 / h);
            let angular = Vec3 {
                x: 0.5 * (turn.y.z - turn.z.y),
                y: 0.5 * (turn.z.x - turn.x.z),
                z: 0.5 * (turn.x.y - turn.y.x),
            };
            let size = 1.0 + v.linear.norm() + v.angular.norm();
            let off = (linear - v.linear).norm() + (angular - v.angular).norm();
            assert_small(&format!("seed {seed} velocity"), off / size.powi(3), DIFFERENCE);
            let (v1, v0) = (ahead.link_velocity(forest, link), behind.link_velocity(forest, link));
            let rate = (v1 - v0).times(0.5 / h);
            let size = 1.0 + acc.linear.norm() + acc.angular.norm();
            let off = (rate.linear - acc.linear).norm() + (rate.angular - acc.angular).norm();
            assert_small(&format!("seed {seed} acceleration"), off / size, 100.0 * DIFFERENCE);
        }
    });
}

#[test]
fn jacobians_give_velocities_and_bias_accelerations() {
    each_figure(|seed, figure, s| {
        let forest = figure.forest();
        let n = forest.nv();
        let a = random_vector(n, seed, 3.0);
        let (bias, full) = (kinematics_of(figure, s, None), kinematics_of(figure, s, Some(&a)));
        let mut columns = vec![Motion::default(); n];
        let mut rng = Rng::new(seed);
        for (link, _) in figure.links() {
            let point = rng.vec3(0.3);
            jacobian::of_link_point(forest, &bias, link, point, &mut columns);
            let sum = |x: &[f64]| columns.iter().zip(x).fold(Motion::default(), |m, (c, x)| m + c.times(*x));
            let arm = bias.link_pose(forest, link).rotation.mul(point);
            let v = bias.link_velocity(forest, link).shifted(arm);
            assert_small("velocity", relative(&sum(&s.v).to_array(), &v.to_array()), IDENTITY);
            let place = forest.link_place(link);
            let r = full.body_pose(place.body).rotation.mul(place.body_from_link.point(point));
            let acc = full.point_acceleration(place.body, r);
            let got = sum(&a) + jacobian::bias_of_link_point(forest, &bias, link, point);
            assert_small("acceleration", relative(&got.to_array(), &acc.to_array()), IDENTITY);
        }
    });
}

#[test]
fn a_force_on_a_link_acts_through_its_jacobian() {
    each_figure(|seed, figure, s| {
        let forest = figure.forest();
        let n = forest.nv();
        let k = kinematics_of(figure, s, None);
        let drawn = random_body_forces(figure, seed);
        // on bodies that links are part of; half-turned frames of skew universal joints have none
        let mut forces = vec![Force::default(); drawn.len()];
        let bodies = figure.links().map(|(link, _)| forest.link_place(link).body).filter(|b| b.index() > 0);
        let bodies: std::collections::BTreeSet<_> = bodies.collect();
        bodies.iter().for_each(|b| forces[b.index()] = drawn[b.index()]);
        let zero = vec![0.0; n];
        let (with, mut want) =
            (inverse_dynamics(figure, s, &zero, Some(&forces)), inverse_dynamics(figure, s, &zero, None));
        let mut columns = vec![Motion::default(); n];
        for body in bodies {
            jacobian::of_body_point(forest, &k, body, k.body_pose(body).translation, &mut columns);
            for i in 0..n {
                want[i] -= columns[i].dot(forces[body.index()]);
            }
        }
        assert_small(&format!("seed {seed}"), relative(&with, &want), IDENTITY);
    });
}

#[test]
fn momentum_matrix_gives_the_momentum() {
    each_figure(|seed, figure, s| {
        let forest = figure.forest();
        let n = forest.nv();
        let k = kinematics_of(figure, s, None);
        let mut columns = vec![Force::default(); n];
        centroidal::momentum_matrix(forest, &k, &mut Vec::new(), &mut columns);
        let sum = columns.iter().zip(&s.v).fold(Force::default(), |m, (c, v)| m + c.times(*v));
        let h = centroidal::momentum(forest, &k);
        assert_small(&format!("seed {seed}"), relative(&sum.to_array(), &h.to_array()), IDENTITY);
    });
}

#[test]
fn where_the_link_frames_sit_does_not_matter() {
    for seed in 0..30 {
        let figure = random_figure_with_rotors(seed, 2 + seed as usize);
        let shifted = with_other_link_frames(&figure, seed);
        let s = random_state(&figure, seed);
        let mut t = State::home(&shifted);
        t.q.copy_from_slice(&s.q);
        t.v.copy_from_slice(&s.v);
        let n = figure.forest().nv();
        let a = random_vector(n, seed, 3.0);
        let (x, y) = (inverse_dynamics(&figure, &s, &a, None), inverse_dynamics(&shifted, &t, &a, None));
        assert_small(&format!("seed {seed} inverse dynamics"), relative(&y, &x), IDENTITY);
        let (x, y) = (forward_dynamics(&figure, &s, &a, None), forward_dynamics(&shifted, &t, &a, None));
        assert_small(&format!("seed {seed} forward dynamics"), relative(&y, &x), IDENTITY);
    }
}
