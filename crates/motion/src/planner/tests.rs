use super::*;
use anthropi_dynamics::spatial::vec3;

const SCALES: Scales = Scales { jerk: 100.0, ..Scales::WHOLE };
const G: f64 = 9.81;
const WEIGHT: f64 = 70.0 * G;
const H: f64 = 0.025;
const INERTIA: Vec3 = vec3(10.0, 10.0, 1.0);

fn foot(planner: &mut Planner, x: f64, y: f64, step: Option<usize>) {
    for (dx, dy) in [(-0.05, 0.04), (-0.05, -0.04), (0.15, 0.04), (0.15, -0.04)] {
        let cone = Cone { normal: vec3(0.0, 0.0, 1.0), friction: 0.6, eps: 0.2 };
        planner.add_contact(PlanContact { at: vec3(x + dx, y + dy, 0.0), cone, step });
    }
}

fn standing(x: f64) -> CentroidalState {
    CentroidalState { com: vec3(x, 0.0, 0.9), ..CentroidalState::default() }
}

/// Four seconds on both feet with the centre of mass at `x`.
fn stand(planner: &mut Planner, x: f64) {
    planner.begin(H, WEIGHT, G, INERTIA);
    for _ in 0..160 {
        planner.add_knot(standing(x), false);
        foot(planner, 0.0, 0.1, None);
        foot(planner, 0.0, -0.1, None);
    }
}

fn largest_slack(planner: &Planner) -> f64 {
    let sizes = (0..planner.knots()).map(|k| planner.slack(k));
    sizes.map(|[m, f]| (m.norm() / 0.9 + f.norm()) / WEIGHT).fold(0.0, f64::max)
}

#[test]
fn a_feasible_motion_is_left_alone() {
    let mut planner = Planner::default();
    stand(&mut planner, 0.05);
    planner.solve(&SCALES, 20);
    let moved = (0..planner.knots()).map(|k| planner.change(k).com.norm()).fold(0.0, f64::max);
    assert!(moved < 5e-3 && largest_slack(&planner) < 2e-3, "{moved} {}", largest_slack(&planner));
    // the forces carry the weight
    let sum = planner.contacts(20).map(|i| planner.force(20, i)).fold(Vec3::ZERO, |s, f| s + f);
    assert!((sum - vec3(0.0, 0.0, 1.0)).norm() < 0.02, "{sum:?}");
}

#[test]
fn the_centre_of_mass_moves_over_its_feet() {
    let mut planner = Planner::default();
    // ten centimetres in front of the toes
    stand(&mut planner, 0.25);
    let taken = planner.solve(&SCALES, 40);
    let middle = planner.change(80);
    assert!(taken < 30 && middle.com.x < -0.08 && middle.com.x > -0.2, "{taken} {middle:?}");
    assert!(largest_slack(&planner) < 0.02, "{}", largest_slack(&planner));
}

#[test]
fn flight_is_ballistic_and_what_nothing_carries_is_slack() {
    let mut planner = Planner::default();
    planner.begin(H, WEIGHT, G, INERTIA);
    // hovers for 0.3 s between two stances
    for k in 0..40 {
        planner.add_knot(standing(0.0), false);
        if !(14..26).contains(&k) {
            foot(&mut planner, 0.0, 0.1, None);
            foot(&mut planner, 0.0, -0.1, None);
        }
    }
    planner.solve(&SCALES, 60);
    let fall = planner.change(20).acceleration;
    assert!((fall + vec3(0.0, 0.0, G)).norm() < 0.3, "{fall:?}");
    // a second in the air is too long for any jump the costs allow
    planner.begin(H, WEIGHT, G, INERTIA);
    (0..40).for_each(|_| planner.add_knot(standing(0.0), false));
    planner.solve(&SCALES, 60);
    assert!(planner.change(20).com.is_finite());
}

#[test]
fn a_window_returns_to_the_reference_and_steps_where_it_must() {
    let scales = Scales { end: 0.03, ..SCALES };
    let push = |speed: f64| {
        let mut planner = Planner::default();
        planner.begin(H, WEIGHT, G, INERTIA);
        let step = planner.add_footstep(Footstep { now: Vec3::ZERO, max_change: 0.3 });
        for k in 0..48 {
            planner.add_knot(standing(0.05), false);
            foot(&mut planner, 0.0, 0.1, None);
            if k > 12 {
                foot(&mut planner, 0.0, -0.1, Some(step));
            }
        }
        planner.start_at(Start {
            shift: Vec3::ZERO,
            velocity: vec3(speed, 0.0, 0.0),
            rotation: Vec3::ZERO,
            angular_momentum: Vec3::ZERO,
        });
        planner.solve(&scales, 40);
        let first = planner.change(0);
        assert!((first.velocity.x - speed).abs() < 1e-4 && first.com.norm() < 1e-4, "{first:?}");
        (planner.footstep(step).x, planner.change(47).com.x, largest_slack(&planner))
    };
    let (small, _, _) = push(0.05);
    let (large, end, slack) = push(0.8);
    assert!(small.abs() < 0.02, "{small}");
    assert!(large > 0.08 && large <= 0.32, "{large}");
    assert!(end.abs() < 0.5 && slack < 0.2, "{end} {slack}");
}

#[test]
fn the_step_of_newton_decreases_the_cost_as_its_model_says() {
    let mut planner = Planner::default();
    stand(&mut planner, 0.2);
    planner.solve(&SCALES, 1);
    let x = planner.x.clone();
    let before = planner.cost(&x, &SCALES);
    planner.linearise(&SCALES);
    let gradient: Vec<f64> = planner.step.iter().map(|g| -g).collect();
    for seed in 1..6 {
        let direction: Vec<f64> = (0..x.len()).map(|i| ((i * seed) as f64).sin()).collect();
        let slope: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
        let h = 1e-8;
        let moved = |h: f64| x.iter().zip(&direction).map(|(x, d)| x + h * d).collect::<Vec<f64>>();
        let difference = (planner.cost(&moved(h), &SCALES) - planner.cost(&moved(-h), &SCALES)) / (2.0 * h);
        assert!((slope - difference).abs() < 1e-3 * (before + slope.abs()), "{slope} {difference}");
    }
}
