use super::*;
use crate::split::{Point, Splitter};
use anthropi_dynamics::spatial::{Quat, vec3};

const H: f64 = 0.01;
const UNITS: [f64; 2] = [700.0, 0.45];
const UP: Vec3 = vec3(0.0, 0.0, 1.0);
/// Instants of a step, and those at which both feet touch: 0.12 s.
const INSTANTS: usize = 70;
const BOTH: Range<usize> = 30..42;
/// Middles of the feet, behind and in front, m.
const FEET: [Vec3; 2] = [vec3(0.0, -0.09, 0.0), vec3(0.65, 0.09, 0.0)];

/// A step from one foot to the other: centre of mass, and the true force of each foot, N.
struct Step {
    center: Vec3,
    aims: [Vec3; 2],
    forces: [Vec3; 2],
}

/// The weight is handed over smoothly; forces point at the place above the hip.
fn step(k: usize) -> Step {
    let t = k as f64 * H;
    let center = vec3(0.05 + 1.2 * (t - 0.1), 0.0, 0.95);
    let aims = [-0.08, 0.08].map(|y| center + vec3(0.0, y, 0.24));
    let part = ((k as f64 - BOTH.start as f64 + 1.0) / (BOTH.len() as f64 + 1.0)).clamp(0.0, 1.0);
    let front = part * part * (3.0 - 2.0 * part);
    let along = |foot: usize, load: f64| {
        let line = aims[foot] - FEET[foot];
        line.scale(load * UNITS[0] / line.z)
    };
    Step { center, aims, forces: [along(0, 1.0 - front), along(1, front)] }
}

fn touches(foot: usize, k: usize) -> bool {
    if foot == 0 { k < BOTH.end } else { k >= BOTH.start }
}

fn sole(foot: usize, aim: Option<Vec3>, friction: f64) -> impl Iterator<Item = LimbPoint> {
    [(-0.1, 0.04), (-0.1, -0.04), (0.1, 0.04), (0.1, -0.04)].into_iter().map(move |(x, y)| {
        let point = Point { at: FEET[foot] + vec3(x, y, 0.0), normal: UP, friction };
        LimbPoint { point, limb: foot, aim, cost: 1.0 }
    })
}

fn wrench(step: &Step) -> Force {
    let each = step.forces.iter().zip(FEET).map(|(f, at)| Force::new((at - step.center).cross(*f), *f));
    each.fold(Force::default(), |sum, f| sum + f)
}

fn points(k: usize) -> Vec<LimbPoint> {
    let aims = step(k).aims;
    (0..2).filter(|foot| touches(*foot, k)).flat_map(|foot| sole(foot, Some(aims[foot]), 0.8)).collect()
}

fn walked() -> SplitOverTime {
    let mut split = SplitOverTime::new(H, UNITS);
    (0..INSTANTS).for_each(|k| split.add(wrench(&step(k)), step(k).center, &points(k)));
    let steps = split.solve();
    assert!(steps < 12, "{steps} steps");
    split
}

/// Force of a foot, N.
fn foot_force(split: &SplitOverTime, k: usize, foot: usize) -> Vec3 {
    let own = points(k).into_iter().zip(split.forces(k)).filter(|(p, _)| p.limb == foot);
    own.fold(Vec3::ZERO, |sum, (_, f)| sum + f)
}

fn rms(errors: impl Iterator<Item = f64>) -> f64 {
    let squares: Vec<f64> = errors.map(|e| e * e).collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

#[test]
fn the_forces_of_a_step_are_found() {
    let split = walked();
    let each = || BOTH.flat_map(|k| [(k, 0), (k, 1)]);
    let miss = |axis: usize| {
        let error = |(k, foot)| (foot_force(&split, k, foot) - step(k).forces[foot]).to_array()[axis];
        rms(each().map(error)) / UNITS[0]
    };
    // one instant after another, forces are as small as can be: the feet do not push against each other
    let mut splitter = Splitter::default();
    let alone = each().map(|(k, foot)| {
        let (mut forces, points) = (Vec::new(), points(k));
        let bare: Vec<Point> = points.iter().map(|p| p.point).collect();
        splitter.split(wrench(&step(k)), step(k).center, &bare, UNITS, &mut forces);
        let own = points.iter().zip(&forces).filter(|(p, _)| p.limb == foot);
        own.fold(Vec3::ZERO, |sum, (_, f)| sum + *f).x - step(k).forces[foot].x
    });
    let alone = rms(alone) / UNITS[0];
    println!("fore-aft {:.4}, sideways {:.4}, up {:.4}; alone {alone:.4}", miss(0), miss(1), miss(2));
    assert!(miss(0) < 0.02 && miss(1) < 0.01 && miss(2) < 0.05);
    assert!(miss(0) < 0.3 * alone, "{} {alone}", miss(0));
}

#[test]
fn forces_do_not_jump_when_feet_land_and_lift() {
    let split = walked();
    for foot in 0..2 {
        let force = |k: usize| foot_force(&split, k, foot);
        let jump = (1..INSTANTS).map(|k| (force(k) - force(k - 1)).norm()).fold(0.0, f64::max);
        let fair = (1..INSTANTS).map(|k| (step(k).forces[foot] - step(k - 1).forces[foot]).norm());
        let fair = fair.fold(0.0, f64::max);
        println!("foot {foot}: {jump:.1} N in {H} s, {fair:.1} N in truth");
        assert!(jump < 1.3 * fair, "{jump} N, {fair} N in truth");
    }
}

#[test]
fn forces_are_in_their_cones_and_give_what_they_can() {
    // beyond friction in the middle of the step, and nothing at its end can pull
    let asked = |k: usize| {
        let more = if (33..37).contains(&k) { vec3(900.0, 0.0, 0.0) } else { Vec3::ZERO };
        let pull = if k > 65 { vec3(0.0, 0.0, -900.0) } else { Vec3::ZERO };
        wrench(&step(k)) + Force::new(Vec3::ZERO, more + pull)
    };
    let mut split = SplitOverTime::new(H, UNITS);
    (0..INSTANTS).for_each(|k| split.add(asked(k), step(k).center, &points(k)));
    split.solve();
    let mut splitter = Splitter::default();
    for k in 0..INSTANTS {
        let points = points(k);
        let forces: Vec<Vec3> = split.forces(k).collect();
        for (f, LimbPoint { point, .. }) in forces.iter().zip(&points) {
            let n = f.dot(point.normal);
            let across = (*f - point.normal.scale(n)).norm();
            assert!(n >= 0.0 && across <= point.friction * n * (1.0 + 1e-12), "{k}: {f:?}");
        }
        let given = points.iter().zip(&forces).fold(Force::default(), |sum, (p, f)| {
            sum + Force::new((p.point.at - step(k).center).cross(*f), *f)
        });
        // what is left is what no forces in the cones can give
        let bare: Vec<Point> = points.iter().map(|p| p.point).collect();
        let best = splitter.split(asked(k), step(k).center, &bare, UNITS, &mut Vec::new()).residual;
        let size = |w: Force| w.linear.norm() / UNITS[0] + w.angular.norm() / (UNITS[0] * UNITS[1]);
        let off = size(asked(k) - given - best);
        assert!(off < 1e-4, "{k}: {off} of {}", size(best));
    }
}

#[test]
fn the_split_turns_with_the_motion() {
    let turn = Quat::exp(vec3(0.0, 0.0, 0.7));
    let mut turned = SplitOverTime::new(H, UNITS);
    for k in 0..INSTANTS {
        let w = wrench(&step(k));
        let w = Force::new(turn.rotate(w.angular), turn.rotate(w.linear));
        let moved = points(k).into_iter().map(|p| LimbPoint {
            point: Point { at: turn.rotate(p.point.at), ..p.point },
            aim: p.aim.map(|a| turn.rotate(a)),
            ..p
        });
        turned.add(w, turn.rotate(step(k).center), &moved.collect::<Vec<_>>());
    }
    turned.solve();
    let here = walked();
    for k in 0..INSTANTS {
        for (a, b) in here.forces(k).zip(turned.forces(k)) {
            assert!((turn.rotate(a) - b).norm() < 1e-5 * UNITS[0], "{k}: {a:?} {b:?}");
        }
    }
}

#[test]
fn estimated_forces_continue_measured_ones() {
    // both feet carry all the time; the first half is measured, with three quarters on the foot behind
    let center = vec3(0.325, 0.0, 0.95);
    let stand: Vec<LimbPoint> = (0..2).flat_map(|foot| sole(foot, None, 0.8)).collect();
    let mut split = SplitOverTime::new(H, UNITS);
    let known = [(0, UP.scale(525.0)), (1, UP.scale(175.0))];
    (0..20).for_each(|_| split.add_known(&known));
    (0..40).for_each(|_| split.add(Force::new(Vec3::ZERO, UP.scale(700.0)), center, &stand));
    split.solve();
    let behind = |k: usize| split.forces(k).take(4).fold(0.0, |sum, f| sum + f.z);
    let (first, last) = (behind(20), behind(59));
    assert!(split.forces(10).next().is_none());
    assert!(first > 380.0 && (last - 350.0).abs() < 25.0, "{first} {last}");
}
