//! The reduced form against the literal equations.

use super::*;
use anthropi_dynamics::algo::{jacobian, rnea};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkSpec, Shape};
use anthropi_dynamics::spatial::Transform;

type Matrix = Vec<Vec<f64>>;

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let column = |j: usize| b.iter().map(move |row| row[j]);
    let entry = |row: &[f64], j: usize| row.iter().zip(column(j)).map(|(x, y)| x * y).sum();
    a.iter().map(|row| (0..b[0].len()).map(|j| entry(row, j)).collect()).collect()
}

fn transposed(a: &Matrix) -> Matrix {
    (0..a[0].len()).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

/// f of a symmetric matrix, by Jacobi's rotations: f acts on the eigenvalues.
fn function_of(mut s: Matrix, f: impl Fn(f64, f64) -> f64) -> Matrix {
    let n = s.len();
    let mut vectors: Matrix = (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
    for _ in 0..60 {
        for (p, q) in (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q))) {
            let angle = 0.5 * libm::atan2(2.0 * s[p][q], s[q][q] - s[p][p]);
            let (sin, cos) = (libm::sin(angle), libm::cos(angle));
            let turn = |x: f64, y: f64| (cos * x - sin * y, sin * x + cos * y);
            for m in [&mut s, &mut vectors] {
                m.iter_mut().for_each(|row| (row[p], row[q]) = turn(row[p], row[q]));
            }
            (0..n).for_each(|j| (s[p][j], s[q][j]) = turn(s[p][j], s[q][j]));
        }
    }
    let largest = (0..n).map(|i| s[i][i]).fold(0.0, f64::max);
    let values: Matrix =
        (0..n).map(|i| (0..n).map(|j| if i == j { f(s[i][i], largest) } else { 0.0 }).collect()).collect();
    product(&product(&vectors, &values), &transposed(&vectors))
}

/// The pseudo-inverse, without directions below rounding.
fn pseudo_inverse(w: &Matrix) -> Matrix {
    let t = transposed(w);
    let inverse = function_of(product(w, &t), |x, most| if x > 1e-11 * most { 1.0 / x } else { 0.0 });
    product(&t, &inverse)
}

/// Equations 7-9 literally, on all of x = (a, l, t) in the units of its weights.
fn literal(system: &System, k: f64) -> Vec<f64> {
    let (nv, m) = (system.b.len(), system.constraints.len());
    let driven: Vec<usize> = (0..nv).filter(|j| !(system.root..system.root + 6).contains(j)).collect();
    // unit cost for each unknown
    let mut units: Vec<f64> = system.weights.iter().map(|w| 1.0 / w.sqrt()).collect();
    units.resize(nv + m, 1.0 / system.force_weight.sqrt());
    units.resize(nv + m + driven.len(), 1.0 / system.torque_weight.sqrt());
    let mut w: Matrix = vec![vec![0.0; units.len()]; nv + m];
    for j in 0..nv {
        w[j][..nv].copy_from_slice(&system.mass[j * nv..(j + 1) * nv]);
        (0..m).for_each(|i| w[j][nv + i] = -system.constraints[i].column[j] * system.constraints[i].unit);
    }
    driven.iter().enumerate().for_each(|(n, j)| w[*j][nv + m + n] = -1.0);
    (0..m).for_each(|i| w[nv + i][..nv].copy_from_slice(&system.constraints[i].row));
    w.iter_mut().for_each(|row| row.iter_mut().zip(&units).for_each(|(x, u)| *x *= u));
    let targets = system.constraints.iter().map(|h| h.target);
    let u: Matrix = system.b.iter().map(|b| -b).chain(targets).map(|x| vec![x]).collect();
    // eq. 7 and 8
    let inverse = pseudo_inverse(&w);
    let least = product(&inverse, &u);
    let mut null = product(&inverse, &w);
    null.iter_mut().flatten().for_each(|x| *x = -*x);
    (0..null.len()).for_each(|i| null[i][i] += 1.0);
    let v_g: Matrix = null[..nv].to_vec();
    // eq. 9: V^T (V V^T + k)^-1
    let error: Matrix = (0..nv).map(|j| vec![system.desired[j] / units[j] - least[j][0]]).collect();
    let robust = function_of(product(&v_g, &transposed(&v_g)), |x, _| 1.0 / (x + k));
    let y = product(&product(&transposed(&v_g), &robust), &error);
    let x = product(&null, &y);
    (0..nv + m).map(|i| (least[i][0] + x[i][0]) * units[i]).collect()
}

/// A free trunk with two one-hinge legs, a foot with `points` contacts, one of them sliding.
fn small(points: usize, slides: bool) -> System {
    let block = Shape::Box { half: vec3(0.1, 0.15, 0.25) }.inertia(800.0).expect("a box");
    let mut builder = FigureBuilder::new("small");
    let free = JointSpec::new("root", JointKind::Free);
    let trunk = builder.add(LinkSpec::new("trunk", block), free).expect("a link");
    let mut leg = trunk;
    for (name, y) in [("left", 0.1), ("right", -0.1)] {
        let hinge = JointSpec::new(name, JointKind::Revolute { axis: vec3(0.0, 1.0, 0.2) });
        let hinge = hinge.on(trunk, Transform::translation(vec3(0.02, y, -0.25)));
        leg = builder.add(LinkSpec::new(format!("{name} leg"), block), hinge).expect("a link");
    }
    let figure = builder.build().expect("it is sound");
    let forest = figure.forest();
    let (nv, q) = (forest.nv(), forest.home());
    let v: Vec<f64> = (0..nv).map(|k| 0.3 * (k as f64).sin()).collect();
    let mut terms = DynamicsTerms::default();
    terms.update_motion(forest, q, &v, &vec![0.0; nv]);
    let mut mass = crba::PathMatrix::default();
    crba::mass_matrix(forest, q, &mut crba::Work::default(), &mut mass);
    let mut b = vec![0.0; nv];
    rnea::inverse_dynamics(forest, q, &v, &vec![0.0; nv], None, &mut rnea::Work::default(), &mut b);
    let weight = figure.mass() * forest.gravity().norm();
    let mut constraints = Vec::new();
    let mut columns = vec![Motion::default(); nv];
    for n in 0..points {
        let at = vec3(0.1 * (n % 2) as f64, 0.08 * (n / 2) as f64, -0.25);
        jacobian::of_link_point(forest, &terms.kinematics, leg, at, &mut columns);
        let rows = [0, 1, 2].map(|i| columns.iter().map(|c| c.linear.to_array()[i]).collect::<Vec<f64>>());
        let slid = rows[2].iter().zip(&rows[0]).map(|(z, x)| z + 0.8 * x).collect();
        if slides && n == 0 {
            constraints.push(ConstraintRow { row: rows[2].clone(), column: slid, target: 0.1, unit: weight });
        } else {
            // the motion of a rigid foot: redundant rows agree
            let target = |i: usize| 0.2 * i as f64;
            constraints.extend(rows.into_iter().enumerate().map(|(i, row)| ConstraintRow {
                column: row.clone(),
                row,
                target: target(i),
                unit: weight,
            }));
        }
    }
    System {
        mass: mass.to_dense(forest).concat(),
        b,
        root: 0,
        constraints,
        desired: (0..nv).map(|k| 3.0 * (2.0 * k as f64).cos()).collect(),
        weights: (0..nv).map(|k| if k < 6 { 5.0 } else { 1.0 }).collect(),
        force_weight: 100.0,
        torque_weight: 100.0 / (weight * weight),
    }
}

#[test]
fn the_reduced_form_equals_the_literal_one() {
    for (points, slides) in [(0, false), (1, false), (1, true), (4, false), (4, true)] {
        let system = small(points, slides);
        for k in DAMPING {
            let found = system.solve(k);
            let expected = literal(&system, k);
            let size = expected.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            for (i, (x, e)) in found.iter().zip(&expected).enumerate() {
                let off = (x - e).abs() / size;
                assert!(off < 1e-6, "{points} points, k {k}: unknown {i} is {x}, in the literal form {e}");
            }
        }
    }
}
