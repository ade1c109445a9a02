//! Solutions against their optimality conditions, factors against their products, splines against polynomials.

use super::*;
use testkit::Rng;

#[test]
fn the_nearest_point_of_a_set_is_found() {
    // x near 3 and y near 1, (x, y) in the unit disc
    let mut problems = [Problem::new(1), Problem::new(1)];
    for (problem, wanted) in problems.iter_mut().zip([3.0, 1.0]) {
        problem.add_target(&LinearForm { entries: vec![(0, 1.0)], offset: -wanted }, 1.0);
        problem.add_constraint(LinearForm { entries: vec![(0, 1.0)], offset: 0.0 });
    }
    let [x, y] = solve(&problems, 1e4, [vec![0.0], vec![0.0]], |_, [x, y]| {
        let long = (x * x + y * y).sqrt().max(1.0);
        [x / long, y / long]
    });
    let length = 10f64.sqrt();
    assert!((x[0] - 3.0 / length).abs() < 1e-3 && (y[0] - 1.0 / length).abs() < 1e-3, "{x:?} {y:?}");
}

#[test]
fn splines_of_a_parabola() {
    let basis = SplineBasis::over(1.0, 0.1, false);
    // coefficients of t^2: squared knots less a third of the squared step
    let c: Vec<f64> = (0..basis.len()).map(|i| (i as f64 - 1.0).powi(2) * 0.01 - 0.01 / 3.0).collect();
    for t in [0.0, 0.03, 0.55, 1.0] {
        let at = basis.at(t);
        let value: f64 = at.0.iter().map(|(i, w, _)| w * c[*i]).sum();
        let bend: f64 = at.0.iter().map(|(i, _, w)| w * c[*i]).sum();
        assert!((value - t * t).abs() < 1e-14 && (bend - 2.0).abs() < 1e-11, "{t}: {value} {bend}");
    }
}

/// A form of some of the unknowns.
fn form(rng: &mut Rng, n: usize, entries: usize) -> LinearForm {
    let entries = (0..entries).map(|_| (rng.below(n), rng.signed())).collect();
    LinearForm { entries, offset: rng.signed() }
}

/// Every unknown has a target, so that the minimum is unique.
fn problem(rng: &mut Rng, n: usize, constrained: usize) -> (Problem, Vec<(LinearForm, f64)>) {
    let (mut problem, mut targets) = (Problem::new(n), Vec::new());
    for i in 0..n {
        targets.push((LinearForm { entries: vec![(i, 1.0)], offset: rng.signed() }, 0.1 + rng.uniform()));
    }
    targets.extend((0..n).map(|_| (form(rng, n, 3), rng.uniform())));
    targets.iter().for_each(|(form, weight)| problem.add_target(form, *weight));
    (0..constrained).for_each(|_| problem.add_constraint(form(rng, n, 2)));
    (problem, targets)
}

/// Largest entry of the gradient of  sum w (a x + b)^2 / 2 + W sum distance^2 / 2.
fn gradient(targets: &[(LinearForm, f64)], forces: &[(LinearForm, f64)], n: usize, x: &[f64]) -> f64 {
    let mut g = vec![0.0; n];
    for (form, weight) in targets {
        form.entries.iter().for_each(|(i, a)| g[*i] += weight * form.value(x) * a);
    }
    for (form, force) in forces {
        form.entries.iter().for_each(|(i, a)| g[*i] += force * a);
    }
    g.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// Feasible intervals, and one out of reach.
#[test]
fn the_gradient_is_zero_at_the_minimum() {
    const WEIGHT: f64 = 50.0;
    let mut rng = Rng::new(1);
    for n in [1, 3, 8, 20] {
        let constrained = 2 * n;
        let (problem, targets) = problem(&mut rng, n, constrained);
        let ends: Vec<[f64; 2]> = (0..constrained)
            .map(|j| {
                let middle = if j == 0 { 5.0 } else { 0.5 * rng.signed() };
                let half = 0.3 * rng.uniform();
                [middle - half, middle + half]
            })
            .collect();
        let problems = [problem];
        let [x] = solve(&problems, WEIGHT, [vec![0.0; n]], |j, [y]| [y.clamp(ends[j][0], ends[j][1])]);
        let forces: Vec<(LinearForm, f64)> = problems[0]
            .constrained
            .iter()
            .zip(&ends)
            .map(|(form, [low, high])| {
                let y = form.value(&x);
                (form.clone(), WEIGHT * (y - y.clamp(*low, *high)))
            })
            .collect();
        let size = forces.iter().map(|(_, f)| f.abs()).fold(1.0, f64::max);
        let left = gradient(&targets, &forces, n, &x);
        assert!(left < 1e-4 * size, "{n} unknowns: gradient {left:e}, forces {size:e}");
    }
}

/// Two problems that share discs, from distant starts and warm starts.
#[test]
fn shared_sets_do_not_depend_on_the_start() {
    const WEIGHT: f64 = 20.0;
    let mut rng = Rng::new(2);
    for n in [2, 6, 12] {
        let made = [problem(&mut rng, n, n), problem(&mut rng, n, n)];
        let targets = [made[0].1.clone(), made[1].1.clone()];
        let [(a, _), (b, _)] = made;
        let problems = [a, b];
        let discs: Vec<([f64; 2], f64)> =
            (0..n).map(|_| ([rng.signed(), rng.signed()], 0.2 + 0.3 * rng.uniform())).collect();
        let project = |j: usize, [x, y]: [f64; 2]| {
            let ([cx, cy], radius) = discs[j];
            let (dx, dy) = (x - cx, y - cy);
            let part = (radius / (dx * dx + dy * dy).sqrt()).min(1.0);
            [cx + part * dx, cy + part * dy]
        };
        let zero = solve(&problems, WEIGHT, [vec![0.0; n], vec![0.0; n]], project);
        let far = solve(&problems, WEIGHT, [vec![7.0; n], vec![-9.0; n]], project);
        let mut warm_start = WarmStart::at([vec![0.0; n], vec![0.0; n]]);
        solve_from(&problems, WEIGHT, 4, &mut warm_start, project);
        solve_from(&problems, WEIGHT, MAX_ROUNDS, &mut warm_start, project);
        for k in 0..2 {
            let forces: Vec<(LinearForm, f64)> = (0..n)
                .map(|j| {
                    let y = core::array::from_fn(|k| problems[k].constrained[j].value(&zero[k]));
                    (problems[k].constrained[j].clone(), WEIGHT * (y[k] - project(j, y)[k]))
                })
                .collect();
            let left = gradient(&targets[k], &forces, n, &zero[k]);
            assert!(left < 1e-4, "{n} unknowns: a gradient of {left:e}");
            for (i, x) in zero[k].iter().enumerate() {
                let [a, b] = [far[k][i] - x, warm_start.x[k][i] - x];
                assert!(a.abs() < 1e-5 && b.abs() < 1e-5, "{n}, {k}: unknown {i} is off by {a:e}, {b:e}");
            }
        }
    }
}

/// Banded matrices as of splines, and with the corner entries of periodic ones.
#[test]
fn factors_solve_their_matrix() {
    let mut rng = Rng::new(3);
    for (n, band, is_periodic) in [(1, 1, false), (5, 5, false), (30, 4, false), (30, 4, true)] {
        let mut h = vec![0.0; n * n];
        for i in 0..n + 10 {
            let first = rng.below(n);
            let mut entries: Vec<(usize, f64)> =
                (first..(first + band).min(n)).map(|j| (j, rng.signed())).collect();
            if is_periodic && i < 3 {
                entries = vec![(i, rng.signed()), (n - 1 - i, rng.signed())];
            }
            add_square(&mut h, n, &LinearForm { entries, offset: 0.0 }, 0.5 + rng.uniform());
        }
        (0..n).for_each(|i| h[i * n + i] += 0.1);
        let x: Vec<f64> = (0..n).map(|_| rng.signed()).collect();
        let mut right: Vec<f64> = (0..n).map(|i| (0..n).map(|j| h[i * n + j] * x[j]).sum()).collect();
        Factor::new(&h, n).solve(&mut right);
        for (i, (got, x)) in right.iter().zip(&x).enumerate() {
            assert!((got - x).abs() < 1e-11, "{n} {band}: unknown {i} is {got}, not {x}");
        }
    }
}

#[test]
fn splines_sum_to_one_match_their_derivative_and_close() {
    for (duration, step, is_periodic) in
        [(1.0, 0.1, false), (0.73, 0.11, false), (1.3, 0.1, true), (0.2, 9.0, true)]
    {
        let basis = SplineBasis::over(duration, step, is_periodic);
        let mut rng = Rng::new(4);
        let c: Vec<f64> = (0..basis.len()).map(|_| rng.signed()).collect();
        let value = |t: f64| basis.at(t).0.iter().map(|(i, w, _)| w * c[*i]).sum::<f64>();
        let bend = |t: f64| basis.at(t).0.iter().map(|(i, _, w)| w * c[*i]).sum::<f64>();
        for k in 0..=40 {
            let t = duration * f64::from(k) / 40.0;
            let at = basis.at(t);
            let [ones, none] = [at.0.iter().map(|w| w.1).sum::<f64>(), at.0.iter().map(|w| w.2).sum::<f64>()];
            assert!((ones - 1.0).abs() < 1e-14 && none.abs() < 1e-9, "{t}: {ones} {none}");
            let d = 1e-4;
            if t > 2.0 * d && t < duration - 2.0 * d {
                let numeric = (value(t + d) - 2.0 * value(t) + value(t - d)) / (d * d);
                // the third derivative is discontinuous at knots
                let most = 1e-3 * (1.0 + numeric.abs()) + 30.0 * d / basis.step.powi(3);
                assert!((bend(t) - numeric).abs() < most, "{t}: {} {numeric}", bend(t));
            }
        }
        let [start, end] = [value(0.0) - value(duration), bend(0.0) - bend(duration)];
        assert!(!is_periodic || start.abs() < 1e-13 && end.abs() < 1e-9, "{duration}: {start} {end}");
    }
}
