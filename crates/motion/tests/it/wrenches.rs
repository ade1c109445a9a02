//! Ground forces: wrenches distributed over points, and wrenches measured by plates.

use anthropi_dynamics::spatial::{Force, Quat, Vec3, vec3};
use anthropi_motion::plates::{GroundForces, Wrench};
use anthropi_motion::split::{Point, Splitter};
use testkit::Rng;

const UNITS: [f64; 2] = [700.0, 0.9];
/// Part of the weight: the regularisation of the forces is 1e-7.
const SAME: f64 = 1e-4;

/// Points on ground of any slope, some coincident.
fn points(rng: &mut Rng, count: usize) -> Vec<Point> {
    let normal = (vec3(0.0, 0.0, 1.0) + rng.vec3(0.3)).normalized().unwrap();
    let friction = [0.0, 0.4, 0.9][rng.below(3)];
    let mut points: Vec<Point> = Vec::new();
    for k in 0..count {
        let at = match points.last() {
            Some(last) if k % 5 == 4 => last.at,
            _ => vec3(0.3 * rng.signed(), 0.2 * rng.signed(), 0.05 * rng.signed()),
        };
        points.push(Point { at, normal, friction });
    }
    points
}

fn given(forces: &[Vec3], points: &[Point], origin: Vec3) -> Force {
    forces
        .iter()
        .zip(points)
        .fold(Force::default(), |sum, (f, p)| sum + Force::new((p.at - origin).cross(*f), *f))
}

fn size(f: Force) -> f64 {
    f.linear.norm() / UNITS[0] + f.angular.norm() / (UNITS[0] * UNITS[1])
}

/// A wrench of forces in their cones is distributed without residual.
#[test]
fn feasible_wrenches_are_reproduced() {
    let mut rng = Rng::new(1);
    for n in 0..200 {
        let count = 1 + rng.below(10);
        let points = points(&mut rng, count);
        let forces: Vec<Vec3> = points
            .iter()
            .map(|p| {
                let across = p.normal.any_perpendicular().scale(0.9 * p.friction * rng.signed());
                (p.normal + across).scale(300.0 * rng.uniform())
            })
            .collect();
        let origin = vec3(0.0, 0.0, 0.9) + rng.vec3(0.1);
        let wanted = given(&forces, &points, origin);
        let mut found = Vec::new();
        let split = Splitter::default().split(wanted, origin, &points, UNITS, &mut found);
        assert!(split.is_exact && size(split.residual) < SAME, "{n}: {count} points: {:?}", split.residual);
        let residual = wanted - given(&found, &points, origin);
        assert!(size(residual - split.residual) < 1e-9, "{n}: wrong residual");
        for (f, p) in found.iter().zip(&points) {
            let normal = f.dot(p.normal);
            let across = (*f - p.normal.scale(normal)).norm();
            assert!(
                normal >= 0.0 && across <= p.friction * normal * (1.0 + 1e-12) + 1e-12,
                "{n}: {f:?} of {p:?}"
            );
        }
    }
}

/// The same in other axes, about another origin, in another order, and from another start.
#[test]
fn splits_are_frame_invariant() {
    let mut rng = Rng::new(2);
    let mut warm = Splitter::default();
    for n in 0..100 {
        let count = 2 + rng.below(7);
        let points = points(&mut rng, count);
        let origin = vec3(0.0, 0.0, 0.9);
        let wanted = Force::new(rng.vec3(100.0), vec3(0.0, 0.0, 600.0) + rng.vec3(500.0));
        let mut here = Vec::new();
        let split = Splitter::default().split(wanted, origin, &points, UNITS, &mut here);
        assert!(split.is_exact, "{n}");
        let close = |forces: &[Vec3], what: &str| {
            for (k, (a, b)) in here.iter().zip(forces).enumerate() {
                assert!(
                    (*a - *b).norm() < 10.0 * SAME * UNITS[0],
                    "{n}, {what}: force {k} is {b:?}, not {a:?}"
                );
            }
        };
        let turn = rng.quat();
        let turned: Vec<Point> = points
            .iter()
            .map(|p| Point { at: turn.rotate(p.at), normal: turn.rotate(p.normal), ..*p })
            .collect();
        let turned_wrench = Force::new(turn.rotate(wanted.angular), turn.rotate(wanted.linear));
        let mut there = Vec::new();
        Splitter::default().split(turned_wrench, turn.rotate(origin), &turned, UNITS, &mut there);
        close(&there.iter().map(|f| turn.inverse().rotate(*f)).collect::<Vec<_>>(), "turned");
        let back: Vec<Point> = points.iter().rev().copied().collect();
        Splitter::default().split(wanted, origin, &back, UNITS, &mut there);
        // coincident points may share arbitrarily
        let sum = |forces: &[Vec3]| forces.iter().fold(Vec3::ZERO, |s, f| s + *f);
        assert!((sum(&here) - sum(&there)).norm() < 10.0 * SAME * UNITS[0], "{n}: in another order");
        warm.split(wanted, origin, &points, UNITS, &mut there);
        close(&there, "from the last one");
        // twice the weight
        Splitter::default().split(wanted.times(2.0), origin, &points, [2.0 * UNITS[0], UNITS[1]], &mut there);
        close(&there.iter().map(|f| f.scale(0.5)).collect::<Vec<_>>(), "twice");
    }
}

#[test]
fn zero_wrench_and_no_points() {
    let mut forces = vec![Vec3::ZERO; 3];
    let wanted = Force::new(vec3(1.0, 2.0, 3.0), vec3(4.0, 5.0, 6.0));
    let split = Splitter::default().split(wanted, Vec3::ZERO, &[], UNITS, &mut forces);
    assert!(split.is_exact && forces.is_empty() && split.residual == wanted);
    let mut rng = Rng::new(3);
    let points = points(&mut rng, 4);
    let split = Splitter::default().split(Force::default(), Vec3::ZERO, &points, UNITS, &mut forces);
    assert!(split.is_exact && forces.iter().all(|f| f.norm() < 1e-6), "{forces:?}");
}

fn wrench(rng: &mut Rng) -> Wrench {
    Wrench { force: rng.vec3(500.0), point: rng.vec3(1.0), moment: rng.vec3(20.0) }
}

/// A wrench has the same power on any rigid motion about any reference point.
#[test]
fn wrenches_do_not_depend_on_the_reference_point() {
    let mut rng = Rng::new(4);
    for _ in 0..100 {
        let w = wrench(&mut rng);
        let (a, b) = (rng.vec3(2.0), rng.vec3(2.0));
        let (turn, travel) = (rng.vec3(1.0), rng.vec3(1.0));
        // velocity of a point of a body rotating about the world's origin
        let power = |origin: Vec3| {
            let f = w.about(origin);
            f.angular.dot(turn) + f.linear.dot(travel + turn.cross(origin))
        };
        assert!((power(a) - power(b)).abs() < 1e-9 * (1.0 + power(a).abs()));
        assert!((w.about(w.point).angular - w.moment).norm() < 1e-12);
    }
}

/// The total wrench is linear between samples and exact at samples.
#[test]
fn totals_are_linear_between_samples() {
    let mut rng = Rng::new(5);
    for plates in 1..4 {
        let samples = 6;
        // samples may repeat
        let time = vec![0.0, 0.1, 0.1, 0.35, 0.4, 1.0];
        let forces = GroundForces {
            names: (0..plates).map(|k| format!("plate {k}")).collect(),
            time: time.clone(),
            wrenches: (0..samples * plates).map(|_| wrench(&mut rng)).collect(),
            notes: Vec::new(),
        };
        let origin = rng.vec3(1.0);
        let at = |k: usize| forces.at(k).iter().fold(Force::default(), |s, w| s + w.about(origin));
        for k in 0..samples - 1 {
            if time[k + 1] == time[k] {
                continue;
            }
            for s in [0.0, 0.3, 0.99] {
                let t = time[k] + s * (time[k + 1] - time[k]);
                let expected = at(k).times(1.0 - s) + at(k + 1).times(s);
                let got = forces.total(origin, t).unwrap();
                let miss = (got - expected).to_array().iter().fold(0.0f64, |m, x| m.max(x.abs()));
                assert!(miss < 1e-9, "{plates} plates, {t} s: {miss:e}");
            }
        }
        let last = (forces.total(origin, 1.0).unwrap() - at(samples - 1)).to_array();
        assert!(last.iter().all(|x| x.abs() < 1e-9), "{last:?}");
        assert!(forces.total(origin, 1.0 + 1e-9).is_none() && forces.total(origin, f64::NAN).is_none());
    }
}

/// Interpolation commutes with rotation about the vertical.
#[test]
fn interpolated_wrenches_are_frame_invariant() {
    let mut rng = Rng::new(6);
    let turn = Quat::about(vec3(0.0, 0.0, 1.0), 1.1);
    for _ in 0..50 {
        let pair = [wrench(&mut rng), wrench(&mut rng)];
        let of = |pair: [Wrench; 2]| GroundForces {
            names: vec!["one".into()],
            time: vec![0.0, 1.0],
            wrenches: pair.to_vec(),
            notes: Vec::new(),
        };
        let turned = pair.map(|w| Wrench {
            force: turn.rotate(w.force),
            point: turn.rotate(w.point),
            moment: turn.rotate(w.moment),
        });
        let (a, b) = (of(pair).sample(0, 0.3).unwrap(), of(turned).sample(0, 0.3).unwrap());
        for (x, y) in [(a.force, b.force), (a.point, b.point), (a.moment, b.moment)] {
            assert!((turn.rotate(x) - y).norm() < 1e-9, "{x:?} {y:?}");
        }
    }
}
