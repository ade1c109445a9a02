//! HIDDS on one step of a walk: the same body, another body, crude torques, and what is refused.

mod walking;

use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::vec3;
use anthropi_io::builtin;
use anthropi_motion::hybrid::{Course, Hold, Instant, Law, Refined, Settings, Start, refine};
use std::sync::Arc;

/// The same body follows from the first run on, degrees.
const SAME: f64 = 0.05;
/// Another body does by the fifth.
const OTHER: f64 = 0.3;
/// Crude torques lead there by the seventh.
const CRUDE: f64 = 2.0;
/// An error within this part of the best has stopped to shrink.
const STILL: f64 = 1.02;
/// ...and so has one this small, degrees.
const NOTHING: f64 = 0.01;

/// The body that is really there: chest 15 % heavier, legs 10 % lighter than assumed.
fn other(figure: &Figure) -> Arc<Figure> {
    let factor = |name: &str| match name {
        "chest" => 1.15,
        n if n.ends_with("thigh") || n.ends_with("shank") => 0.9,
        _ => 1.0,
    };
    Arc::new(figure.with_masses(|link| factor(&link.spec.name)).unwrap())
}

fn tell(what: &str, refined: &Refined) {
    let errors: Vec<String> = refined
        .history
        .iter()
        .map(|t| format!("{:.4}{}", t.posture_deg, if t.is_best { "" } else { "x" }))
        .collect();
    let (first, best) = (&refined.history[0], &refined.history[refined.best]);
    println!("{what}: {}", errors.join(" "));
    println!(
        "    root {:.4} m, {:?}\n    then {:.4} m, {:?}",
        first.root_end, first.unreal, best.root_end, best.unreal
    );
}

fn error(refined: &Refined, by_run: usize) -> f64 {
    refined.history.iter().take(by_run + 1).map(|t| t.posture_deg).fold(f64::INFINITY, f64::min)
}

fn follows(name: &str) {
    let (figure, course) = walking::step(name);
    let same = refine(&figure, &figure, &course, &Settings::default()).unwrap();
    tell(&format!("{name}, same body"), &same);
    assert!(same.history[0].posture_deg < SAME, "{:?}", same.history[0]);
    assert_eq!((same.history[0].unreal.pulling, same.history[0].unreal.leaving), (0, 0));
    let real = other(&figure);
    for law in [Law::Model, Law::Feedback] {
        let settings = Settings { law, ..Settings::default() };
        let refined = refine(&figure, &real, &course, &settings).unwrap();
        tell(&format!("{name}, other body, {law:?}"), &refined);
        let errors: Vec<f64> = refined.history.iter().map(|t| t.posture_deg).collect();
        if law == Law::Feedback {
            // what feedback alone teaches may be worse for a run; it is not kept
            assert!(error(&refined, 5) < 0.5 * errors[0], "{errors:?}");
        } else {
            // each of the first runs is better, but one that shows that the error has stopped to shrink
            for pair in errors.windows(2).take(5) {
                let still = (STILL * error(&refined, 99)).max(NOTHING);
                assert!(pair[1] < pair[0] || pair[1] < still, "{errors:?}");
            }
            assert!(error(&refined, 5) < OTHER, "{errors:?}");
        }
        assert_eq!(refined.history[refined.best].posture_deg, error(&refined, 99));
    }
    // a smaller gain, each of five runs better than the last
    let slow = Settings { gain: 0.6, runs: 5, enough: 0.0, ..Settings::default() };
    let refined = refine(&figure, &real, &course, &slow).unwrap();
    tell(&format!("{name}, other body, gain 0.6"), &refined);
    assert!(refined.history.len() == 6 && refined.history.iter().all(|t| t.is_best));
    for start in [Start::Static, Start::Zero] {
        for law in [Law::Model, Law::Feedback] {
            let settings = Settings { start, law, ..Settings::default() };
            let refined = refine(&figure, &real, &course, &settings).unwrap();
            tell(&format!("{name}, {start:?}, {law:?}"), &refined);
            assert!(law == Law::Feedback || error(&refined, 7) < CRUDE, "{start:?}");
        }
    }
    let still = Settings { hold: Hold::Still, ..Settings::default() };
    let refined = refine(&figure, &real, &course, &still).unwrap();
    tell(&format!("{name}, feet held still"), &refined);
    assert!(error(&refined, 5) < OTHER);
}

#[test]
fn a_man_of_28_follows_his_step() {
    follows("human-28");
}

#[test]
fn a_man_of_42_follows_his_step() {
    follows("anthropi-42");
}

#[test]
fn the_same_course_gives_the_same_bits_and_a_motion_of_the_real_figure() {
    let (figure, course) = walking::step("human-28");
    let course = course.part(0, 100);
    let real = other(&figure);
    let [a, b] = [0, 1].map(|_| refine(&figure, &real, &course, &Settings::default()).unwrap());
    assert_eq!(a.torques, b.torques);
    assert_eq!((a.motion.frames(), a.torques.len(), a.ground.len()), (100, 100, 100));
    assert!((a.motion.figure().mass() - real.mass()).abs() < 1e-12);
    // nothing drives the root
    let root = figure.forest().joint_place(figure.find_joint("root").unwrap()).iv;
    assert!(a.torques.iter().all(|tau| tau[root..root + 6].iter().all(|t| *t == 0.0)));
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let figure = Arc::new(builtin::figure("human-28").unwrap().unwrap().figure);
    let feet = figure.find_link("left_foot").unwrap();
    let forest = figure.forest();
    let rest = Instant {
        q: forest.home().to_vec(),
        v: vec![0.0; forest.nv()],
        a: vec![0.0; forest.nv()],
        on: vec![true],
    };
    let course = Course { dt: 0.001, points: vec![(feet, vec3(0.0, 0.0, -0.07))], instants: vec![rest; 3] };
    let refused = |course: &Course, real: &Arc<Figure>, settings: &Settings, what: &str| {
        let got = refine(&figure, real, course, settings).expect_err(what).to_string();
        assert!(got.contains(what), "expected {what}\n     got {got}");
    };
    let usual = Settings::default();
    assert!(refine(&figure, &figure, &course, &usual).is_ok());
    refused(&course.part(0, 0), &figure, &usual, "`course` has 0 frames");
    refused(
        &Course { dt: 0.0, ..course.clone() },
        &figure,
        &usual,
        "time between instants of the course is 0",
    );
    let mut broken = course.clone();
    broken.instants[1].v.pop();
    refused(&broken, &figure, &usual, "v of instant 1: expected 34 numbers, got 33");
    let mut broken = course.clone();
    broken.instants[2].on.push(true);
    refused(&broken, &figure, &usual, "points that stand of instant 2: expected 1 numbers, got 2");
    let mut broken = course.clone();
    broken.instants[2].a[8] = f64::NAN;
    refused(&broken, &figure, &usual, "`course`, frame 2: the coordinates of waist");
    let man = Arc::new(builtin::figure("anthropi-42").unwrap().unwrap().figure);
    refused(&course, &man, &usual, "differ in masses only");
    let tall = Arc::new(figure.scaled(Some(1.9), None).unwrap());
    refused(&course, &tall, &usual, "differ in masses only");
    refused(&course, &figure, &Settings { gain: 1.5, ..usual }, "gain is 1.5; expected one at most");
    refused(&course, &figure, &Settings { friction: f64::NAN, ..usual }, "friction is NaN");
    assert!(figure.with_masses(|_| 0.0).unwrap_err().to_string().contains("factor of the mass of"));
}

#[test]
fn a_course_beyond_all_measure_is_lost_and_told() {
    let (figure, course) = walking::step("human-28");
    for size in [1e9, 1e200] {
        let mut mad = course.part(0, 50);
        mad.instants.iter_mut().for_each(|i| i.a.iter_mut().for_each(|a| *a *= size));
        match refine(&figure, &figure, &mad, &Settings::default()) {
            Ok(lost) => {
                assert!(lost.history.iter().all(|t| t.posture_deg.is_infinite()), "{:?}", lost.history[0]);
                assert!(lost.motion.frames() < 50 && lost.motion.poses().iter().all(|q| q.is_finite()));
            }
            Err(e) => assert!(e.to_string().contains("beyond all measure"), "{e}"),
        }
    }
}
