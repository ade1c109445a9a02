//! Forces against an interior-point solver, and against the optimality conditions.

use super::*;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SecondOrderConeT, SupportedConeT};
use std::time::Instant;
use testkit::Rng;

/// Eight points of two feet, their balances about a centre of mass, and a random S.
fn problem(random: &mut Rng) -> ConeDual {
    let mut dual = ConeDual::default();
    dual.reset(6);
    for k in 0..8 {
        let foot = if k < 4 { 0.1 } else { -0.1 };
        let at = vec3(0.1 * random.signed(), foot + 0.05 * random.signed(), -0.9);
        dual.cones.push(Cone { normal: vec3(0.0, 0.0, 1.0), friction: 0.8, eps: 1e-2 });
        dual.rows.extend(crate::split::balance_rows(at));
    }
    let factor: Vec<f64> = (0..36).map(|_| random.signed()).collect();
    for i in 0..6 {
        dual.rhs[i] = 0.5 * random.signed() + if i == 5 { 1.0 } else { 0.0 };
        for j in 0..6 {
            let s: f64 = (0..6).map(|k| factor[6 * i + k] * factor[6 * j + k]).sum();
            dual.compliance[6 * i + j] = 1e-3 * (s + if i == j { 0.1 } else { 0.0 });
        }
    }
    dual
}

/// The same problem in its forces, by an interior-point method for cones:
/// min 1/2 f^T (W^T S^-1 W + eps) f - (W^T S^-1 b)^T f with |f_level| <= mu f_normal.
fn by_clarabel(dual: &ConeDual) -> (Vec<f64>, f64, impl Fn(&[f64]) -> f64) {
    let (n, count) = (6, dual.cones.len());
    let mut inverse = vec![0.0; 36];
    for k in 0..n {
        // columns of S^-1 by a Newton step with gradient -e_k and Hessian S
        let mut copy = dual.clone();
        copy.hessian.copy_from_slice(&dual.compliance);
        copy.gradient.fill(0.0);
        copy.gradient[k] = -1.0;
        assert!(copy.solve_step());
        (0..n).for_each(|i| inverse[i * n + k] = copy.step[i]);
    }
    let w = |row: usize, force: usize| dual.rows[force / 3 * n + row].to_array()[force % 3];
    let cost = |i: usize, j: usize| {
        let sum: f64 = (0..36).map(|k| w(k / 6, i) * inverse[k] * w(k % 6, j)).sum();
        sum + if i == j { dual.cones[0].eps } else { 0.0 }
    };
    let size = 3 * count;
    let dense: Vec<Vec<f64>> =
        (0..size).map(|i| (0..size).map(|j| if j >= i { cost(i, j) } else { 0.0 }).collect()).collect();
    let linear: Vec<f64> = (0..size)
        .map(|j| -(0..36).map(|k| dual.rhs[k / 6] * inverse[k] * w(k % 6, j)).sum::<f64>())
        .collect();
    // s = (mu f_z, f_x, f_y) in the second-order cone: A f + s = 0
    let mut a = vec![vec![0.0; size]; size];
    for k in 0..count {
        a[3 * k][3 * k + 2] = -dual.cones[k].friction;
        a[3 * k + 1][3 * k] = -1.0;
        a[3 * k + 2][3 * k + 1] = -1.0;
    }
    let cones: Vec<SupportedConeT<f64>> = (0..count).map(|_| SecondOrderConeT(3)).collect();
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-13,
        tol_gap_rel: 1e-13,
        tol_feas: 1e-13,
        ..DefaultSettings::default()
    };
    let (p, a) = (CscMatrix::from(&dense), CscMatrix::from(&a));
    let start = Instant::now();
    let mut solver = DefaultSolver::new(&p, &linear, &a, &vec![0.0; size], &cones, settings).unwrap();
    solver.solve();
    let seconds = start.elapsed().as_secs_f64();
    let value = move |f: &[f64]| {
        let square = |i: usize| -> f64 {
            let off: f64 = (i + 1..size).map(|j| dense[i][j] * f[j]).sum();
            f[i] * (0.5 * dense[i][i] * f[i] + off + linear[i])
        };
        (0..size).map(square).sum::<f64>()
    };
    (solver.solution.x.clone(), seconds, value)
}

#[test]
fn forces_match_an_interior_point_solver() {
    let mut random = Rng::new(7);
    let (mut ours, mut theirs, mut edges) = (0.0, 0.0, 0);
    for _ in 0..100 {
        let mut dual = problem(&mut random);
        let start = Instant::now();
        let (_, has_converged) = dual.solve(1e-10);
        ours += start.elapsed().as_secs_f64();
        assert!(has_converged);
        let (x, seconds, value) = by_clarabel(&dual);
        let own: Vec<f64> = (0..8).flat_map(|k| dual.force(k).to_array()).collect();
        // its forces have the accuracy of the square root of its tolerance; compare the cost
        assert!(value(&own) <= value(&x) + 1e-9 * (1.0 + value(&x).abs()));
        theirs += seconds;
        for k in 0..8 {
            let (f, other) = (dual.force(k), vec3(x[3 * k], x[3 * k + 1], x[3 * k + 2]));
            assert!((f - other).norm() < 1e-2 * (1.0 + f.norm()), "{f:?} {other:?}");
            edges += usize::from(f.z > 1e-6 && (f.x.hypot(f.y) - 0.8 * f.z).abs() < 1e-9);
        }
    }
    assert!(edges > 50, "{edges} forces at the edge of their cones");
    println!("ours {:.1} us cold, Clarabel {:.1} us", 1e4 * ours, 1e4 * theirs);
}

fn cone(rng: &mut Rng) -> Cone {
    let friction = [0.0, 0.3, 0.8, 2.0][rng.below(4)];
    Cone { normal: rng.unit(), friction, eps: 10f64.powi(-(rng.below(4) as i32)) }
}

fn is_inside(f: Vec3, cone: &Cone, slack: f64) -> bool {
    let normal = f.dot(cone.normal);
    normal >= -slack && (f - cone.normal.scale(normal)).norm() <= cone.friction * normal + slack
}

/// u = P(u) + (u - P(u)), with orthogonal parts, and the remainder in the polar cone.
#[test]
fn projections_are_the_nearest_points() {
    let mut rng = Rng::new(11);
    for _ in 0..500 {
        let (cone, u) = (cone(&mut rng), rng.vec3(3.0));
        let (p, _) = project(u, &cone);
        assert!(is_inside(p, &cone, 1e-14), "{p:?} of {u:?} is not in {cone:?}");
        assert!((project(p, &cone).0 - p).norm() < 1e-14, "points inside stay");
        let rest = u - p;
        assert!(rest.dot(p).abs() < 1e-13, "{:e}", rest.dot(p));
        for _ in 0..10 {
            let along = cone.normal.any_perpendicular();
            let across = cone.normal.cross(along);
            let angle = 7.0 * rng.uniform();
            let out = along.scale(angle.cos()) + across.scale(angle.sin());
            let other = (cone.normal + out.scale(cone.friction * rng.uniform())).scale(rng.uniform());
            assert!(rest.dot(other) < 1e-13, "{other:?} is nearer to {u:?} than {p:?}");
        }
    }
}

#[test]
fn derivatives_match_finite_differences() {
    const STEP: f64 = 1e-6;
    let mut rng = Rng::new(12);
    let mut edges = 0;
    for _ in 0..500 {
        let (cone, u, e) = (cone(&mut rng), rng.vec3(3.0), rng.unit());
        let (_, slope) = project(u, &cone);
        let [a, b] = [-STEP, STEP].map(|s| project(e.mad(s, u), &cone));
        let kind = |s: &Option<ProjectionDerivative>| s.as_ref().map(core::mem::discriminant);
        if kind(&a.1) != kind(&slope) || kind(&b.1) != kind(&slope) {
            continue; // there is an edge in between
        }
        let numeric = (b.0 - a.0).scale(0.5 / STEP);
        let exact = slope.map_or(Vec3::ZERO, |s| s.apply(e));
        assert!((numeric - exact).norm() < 1e-5 * (1.0 + u.norm()), "{u:?} {cone:?}: {numeric:?} {exact:?}");
        edges += usize::from(matches!(slope, Some(ProjectionDerivative::Edge { .. })));
    }
    assert!(edges > 100, "{edges} on the surface");
}

/// Random normals, friction coefficients and costs, with fewer or more cones than balances.
#[test]
fn the_dual_solution_gives_the_residual() {
    let mut rng = Rng::new(13);
    for (n, cones) in [(1, 1), (3, 2), (6, 1), (6, 9), (10, 5)] {
        for _ in 0..40 {
            let mut dual = ConeDual::default();
            dual.reset(n);
            for _ in 0..cones {
                dual.cones.push(cone(&mut rng));
                (0..n).for_each(|_| dual.rows.push(rng.vec3(1.0)));
            }
            let factor: Vec<f64> = (0..n * n).map(|_| rng.signed()).collect();
            for i in 0..n {
                dual.rhs[i] = rng.signed();
                for j in 0..n {
                    let s: f64 = (0..n).map(|k| factor[n * i + k] * factor[n * j + k]).sum();
                    dual.compliance[n * i + j] = s + if i == j { 0.1 } else { 0.0 };
                }
            }
            let (_, has_converged) = dual.solve(1e-9);
            assert!(has_converged, "{n} balances, {cones} cones");
            // S y = b - sum W f, and the forces are optimal
            for k in 0..n {
                let given: f64 = (0..cones).map(|c| dual.rows[c * n + k].dot(dual.force(c))).sum();
                let left: f64 = (0..n).map(|j| dual.compliance[n * k + j] * dual.y[j]).sum();
                assert!((dual.rhs[k] - given - left).abs() < 1e-8, "{n} {cones}: balance {k}");
            }
            for c in 0..cones {
                let (f, eps) = (dual.force(c), dual.cones[c].eps);
                assert!(is_inside(f, &dual.cones[c], 1e-12 * (1.0 + f.norm())), "{f:?}");
                // no gain by changing a force along itself or along the normal
                let gain = dual.gain(c, &dual.y) - f.scale(eps);
                assert!(gain.dot(f).abs() < 1e-8 * (1.0 + f.dot(f)), "{}", gain.dot(f));
                assert!(gain.dot(dual.cones[c].normal) < 1e-8, "{}", gain.dot(dual.cones[c].normal));
            }
        }
    }
}

/// A warm start changes only the number of steps.
#[test]
fn a_warm_start_gives_the_same_forces() {
    let mut rng = Rng::new(14);
    for _ in 0..50 {
        let cold = {
            let mut dual = problem(&mut rng);
            assert!(dual.solve(1e-10).1);
            dual
        };
        let mut warm = cold.clone();
        warm.rhs.iter_mut().for_each(|b| *b += 0.02 * rng.signed());
        let mut again = warm.clone();
        again.y.fill(0.0);
        let (few, _) = warm.newton(1e-10);
        let (_, has_converged) = again.solve(1e-10);
        assert!(has_converged && few < 15, "{few} steps");
        for k in 0..8 {
            let apart = (warm.force(k) - again.force(k)).norm();
            assert!(apart < 1e-6 * (1.0 + again.force(k).norm()), "{apart:e}");
        }
    }
}

/// Forces with a price are zero below it, limited in size, and otherwise gain what they cost.
#[test]
fn forces_act_only_where_they_are_worth_their_price() {
    let mut rng = Rng::new(14);
    let (mut idle, mut free, mut limited) = (0, 0, 0);
    for _ in 0..300 {
        let mut dual = problem(&mut rng);
        let priced = PricedForce { price: 600.0 * rng.uniform(), eps: 1000.0, limit: 0.2 };
        dual.priced.push(priced);
        dual.rows.extend(crate::split::balance_rows(rng.vec3(0.3)));
        dual.rhs[3] *= 3.0;
        assert!(dual.solve(1e-10).1);
        for k in 0..6 {
            let given: f64 = (0..9).map(|c| dual.rows[c * 6 + k].dot(dual.force(c))).sum();
            let left: f64 = (0..6).map(|j| dual.compliance[6 * k + j] * dual.y[j]).sum();
            assert!((dual.rhs[k] - given - left).abs() < 1e-9, "balance {k}");
        }
        let (f, gain) = (dual.force(8), dual.gain(8, &dual.y));
        let (size, worth) = (f.norm(), gain.norm());
        assert!(gain.cross(f).norm() < 1e-9 * (1.0 + gain.norm()) && gain.dot(f) >= 0.0, "{f:?} {gain:?}");
        if size == 0.0 {
            idle += 1;
            assert!(worth <= priced.price);
        } else if size < priced.limit * (1.0 - 1e-12) {
            free += 1;
            assert!((worth - priced.price - priced.eps * size).abs() < 1e-9, "{worth} {size}");
        } else {
            limited += 1;
            assert!(size < priced.limit * (1.0 + 1e-12) && worth >= priced.price + priced.eps * size - 1e-9);
        }
    }
    assert!(idle > 20 && free > 20 && limited > 20, "{idle} {free} {limited}");
}
