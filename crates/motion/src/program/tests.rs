//! Programs against their conditions of optimality, factors against their products, splines against polynomials.

use super::*;
use crate::rng::Rng;

#[test]
fn the_nearest_point_of_a_set_is_found() {
    // x near 3 and y near 1, both in the unit disc together
    let mut programs = [Program::new(1), Program::new(1)];
    for (program, wanted) in programs.iter_mut().zip([3.0, 1.0]) {
        program.wish(&Form { entries: vec![(0, 1.0)], offset: -wanted }, 1.0);
        program.keep(Form { entries: vec![(0, 1.0)], offset: 0.0 });
    }
    let [x, y] = solve(&programs, 1e4, [vec![0.0], vec![0.0]], |_, [x, y]| {
        let long = (x * x + y * y).sqrt().max(1.0);
        [x / long, y / long]
    });
    let length = 10f64.sqrt();
    assert!((x[0] - 3.0 / length).abs() < 1e-3 && (y[0] - 1.0 / length).abs() < 1e-3, "{x:?} {y:?}");
}

#[test]
fn splines_of_a_parabola() {
    let basis = Basis::over(1.0, 0.1, false);
    // coefficients of t^2: knots' squares less a third of the squared step
    let c: Vec<f64> = (0..basis.len()).map(|i| (i as f64 - 1.0).powi(2) * 0.01 - 0.01 / 3.0).collect();
    for t in [0.0, 0.03, 0.55, 1.0] {
        let at = basis.at(t);
        let value: f64 = at.iter().map(|(i, w, _)| w * c[*i]).sum();
        let bend: f64 = at.iter().map(|(i, _, w)| w * c[*i]).sum();
        assert!((value - t * t).abs() < 1e-14 && (bend - 2.0).abs() < 1e-11, "{t}: {value} {bend}");
    }
}

/// A form of some of the unknowns.
fn form(rng: &mut Rng, n: usize, entries: usize) -> Form {
    let entries = (0..entries).map(|_| (rng.below(n), rng.signed())).collect();
    Form { entries, offset: rng.signed() }
}

/// Everything is wished to be near something, so that the least is one point.
fn program(rng: &mut Rng, n: usize, kept: usize) -> (Program, Vec<(Form, f64)>) {
    let (mut program, mut wishes) = (Program::new(n), Vec::new());
    for i in 0..n {
        wishes.push((Form { entries: vec![(i, 1.0)], offset: rng.signed() }, 0.1 + rng.uniform()));
    }
    wishes.extend((0..n).map(|_| (form(rng, n, 3), rng.uniform())));
    wishes.iter().for_each(|(form, weight)| program.wish(form, *weight));
    (0..kept).for_each(|_| program.keep(form(rng, n, 2)));
    (program, wishes)
}

/// Largest entry of the gradient of  sum w (a x + b)^2 / 2 + W sum distance^2 / 2.
fn gradient(wishes: &[(Form, f64)], forces: &[(Form, f64)], n: usize, x: &[f64]) -> f64 {
    let mut g = vec![0.0; n];
    for (form, weight) in wishes {
        form.entries.iter().for_each(|(i, a)| g[*i] += weight * form.value(x) * a);
    }
    for (form, force) in forces {
        form.entries.iter().for_each(|(i, a)| g[*i] += force * a);
    }
    g.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// Intervals that leave room, and one that nothing can reach: none does harm.
#[test]
fn one_program_is_least_where_its_gradient_is_zero() {
    const WEIGHT: f64 = 50.0;
    let mut rng = Rng::new(1);
    for n in [1, 3, 8, 20] {
        let kept = 2 * n;
        let (program, wishes) = program(&mut rng, n, kept);
        let ends: Vec<[f64; 2]> = (0..kept)
            .map(|j| {
                let middle = if j == 0 { 5.0 } else { 0.5 * rng.signed() };
                let half = 0.3 * rng.uniform();
                [middle - half, middle + half]
            })
            .collect();
        let programs = [program];
        let [x] = solve(&programs, WEIGHT, [vec![0.0; n]], |j, [y]| [y.clamp(ends[j][0], ends[j][1])]);
        let forces: Vec<(Form, f64)> = programs[0]
            .kept
            .iter()
            .zip(&ends)
            .map(|(form, [low, high])| {
                let y = form.value(&x);
                (form.clone(), WEIGHT * (y - y.clamp(*low, *high)))
            })
            .collect();
        let size = forces.iter().map(|(_, f)| f.abs()).fold(1.0, f64::max);
        let left = gradient(&wishes, &forces, n, &x);
        assert!(left < 1e-4 * size, "{n} unknowns: a gradient of {left:e} beside forces of {size:e}");
    }
}

/// Two programs that share discs, from far starts and from each other's memory.
#[test]
fn shared_sets_do_not_depend_on_the_start() {
    const WEIGHT: f64 = 20.0;
    let mut rng = Rng::new(2);
    for n in [2, 6, 12] {
        let made = [program(&mut rng, n, n), program(&mut rng, n, n)];
        let wishes = [made[0].1.clone(), made[1].1.clone()];
        let [(a, _), (b, _)] = made;
        let programs = [a, b];
        let discs: Vec<([f64; 2], f64)> =
            (0..n).map(|_| ([rng.signed(), rng.signed()], 0.2 + 0.3 * rng.uniform())).collect();
        let project = |j: usize, [x, y]: [f64; 2]| {
            let ([cx, cy], radius) = discs[j];
            let (dx, dy) = (x - cx, y - cy);
            let part = (radius / (dx * dx + dy * dy).sqrt()).min(1.0);
            [cx + part * dx, cy + part * dy]
        };
        let zero = solve(&programs, WEIGHT, [vec![0.0; n], vec![0.0; n]], project);
        let far = solve(&programs, WEIGHT, [vec![7.0; n], vec![-9.0; n]], project);
        let mut memory = Memory::at([vec![0.0; n], vec![0.0; n]]);
        solve_again(&programs, WEIGHT, 4, &mut memory, project);
        solve_again(&programs, WEIGHT, ROUNDS, &mut memory, project);
        for k in 0..2 {
            let forces: Vec<(Form, f64)> = (0..n)
                .map(|j| {
                    let y = core::array::from_fn(|k| programs[k].kept[j].value(&zero[k]));
                    (programs[k].kept[j].clone(), WEIGHT * (y[k] - project(j, y)[k]))
                })
                .collect();
            let left = gradient(&wishes[k], &forces, n, &zero[k]);
            assert!(left < 1e-4, "{n} unknowns: a gradient of {left:e}");
            for (i, x) in zero[k].iter().enumerate() {
                let [a, b] = [far[k][i] - x, memory.x[k][i] - x];
                assert!(a.abs() < 1e-5 && b.abs() < 1e-5, "{n}, {k}: unknown {i} is off by {a:e}, {b:e}");
            }
        }
    }
}

/// Matrices with bands as splines have them, and with a full last row as a period closes them.
#[test]
fn factors_solve_what_they_were_made_of() {
    let mut rng = Rng::new(3);
    for (n, band, is_closed) in [(1, 1, false), (5, 5, false), (30, 4, false), (30, 4, true)] {
        let mut h = vec![0.0; n * n];
        for i in 0..n + 10 {
            let first = rng.below(n);
            let mut entries: Vec<(usize, f64)> =
                (first..(first + band).min(n)).map(|j| (j, rng.signed())).collect();
            if is_closed && i < 3 {
                entries = vec![(i, rng.signed()), (n - 1 - i, rng.signed())];
            }
            add_square(&mut h, n, &Form { entries, offset: 0.0 }, 0.5 + rng.uniform());
        }
        (0..n).for_each(|i| h[i * n + i] += 0.1);
        let x: Vec<f64> = (0..n).map(|_| rng.signed()).collect();
        let mut right: Vec<f64> = (0..n).map(|i| (0..n).map(|j| h[i * n + j] * x[j]).sum()).collect();
        Factor::of(&h, n).solve(&mut right);
        for (i, (got, x)) in right.iter().zip(&x).enumerate() {
            assert!((got - x).abs() < 1e-11, "{n} {band}: unknown {i} is {got}, not {x}");
        }
    }
}

#[test]
fn splines_add_up_to_one_bend_as_they_rise_and_close() {
    for (duration, step, is_closed) in
        [(1.0, 0.1, false), (0.73, 0.11, false), (1.3, 0.1, true), (0.2, 9.0, true)]
    {
        let basis = Basis::over(duration, step, is_closed);
        let mut rng = Rng::new(4);
        let c: Vec<f64> = (0..basis.len()).map(|_| rng.signed()).collect();
        let value = |t: f64| basis.at(t).iter().map(|(i, w, _)| w * c[*i]).sum::<f64>();
        let bend = |t: f64| basis.at(t).iter().map(|(i, _, w)| w * c[*i]).sum::<f64>();
        for k in 0..=40 {
            let t = duration * f64::from(k) / 40.0;
            let at = basis.at(t);
            let [ones, none] = [at.iter().map(|w| w.1).sum::<f64>(), at.iter().map(|w| w.2).sum::<f64>()];
            assert!((ones - 1.0).abs() < 1e-14 && none.abs() < 1e-9, "{t}: {ones} {none}");
            let d = 1e-4;
            if t > 2.0 * d && t < duration - 2.0 * d {
                let numeric = (value(t + d) - 2.0 * value(t) + value(t - d)) / (d * d);
                // at a knot the third derivative leaps
                let most = 1e-3 * (1.0 + numeric.abs()) + 30.0 * d / basis.step.powi(3);
                assert!((bend(t) - numeric).abs() < most, "{t}: {} {numeric}", bend(t));
            }
        }
        let [start, end] = [value(0.0) - value(duration), bend(0.0) - bend(duration)];
        assert!(!is_closed || start.abs() < 1e-13 && end.abs() < 1e-9, "{duration}: {start} {end}");
    }
}
