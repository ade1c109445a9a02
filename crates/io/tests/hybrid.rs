//! HIDDS on one step of a walk: the same body, another body, crude torques, and what is refused.

use anthropi_dynamics::model::Figure;
use anthropi_io::builtin;
use anthropi_motion::anatomy::of_figure;
use anthropi_motion::filter;
use anthropi_motion::hybrid::{Course, Hold, Law, Refined, Settings, Start, refine};
use anthropi_motion::retarget::{Options, retarget};
use std::sync::Arc;

/// One step in steady walking, s.
const STEP: [f64; 2] = [2.0, 2.55];

/// One step of the built-in walk, on a figure, as the dynamics filter lets it walk.
fn walk(name: &str) -> (Arc<Figure>, Course) {
    let figure = Arc::new(builtin::figure(name).unwrap().unwrap().figure);
    let mut clip = builtin::motion("keyed-walk").unwrap().unwrap();
    let anatomy = of_figure(&figure, &[]).unwrap();
    if name != "human-28" {
        let own = of_figure(clip.figure(), &[]).unwrap();
        clip = retarget(&clip, &own, figure.clone(), &anatomy, &[], &Options::default()).unwrap().clip;
    }
    let clip = clip.cut(0.0, STEP[1] + 0.3).unwrap();
    let places = anthropi_motion::spots::of_figure(&figure, &anatomy).unwrap();
    let mut course = Course::on(&places, 0.001);
    let mut watch = |step: &filter::Step| {
        if (STEP[0]..STEP[1]).contains(&step.time) {
            course.take(step);
        }
    };
    let filtered = filter::run(&clip, &filter::Settings::default(), &mut |_| (), &mut watch).unwrap();
    assert!(filtered.fell.is_none());
    println!("{:?}", filtered.proof);
    (figure, course)
}

/// The body that is really there: chest heavier, legs lighter than assumed.
fn other(figure: &Figure, chest: f64, legs: f64) -> Arc<Figure> {
    let factor = |name: &str| match name {
        "chest" => chest,
        n if n.ends_with("thigh") || n.ends_with("shank") => legs,
        _ => 1.0,
    };
    Arc::new(figure.with_masses(|link| factor(&link.spec.name)).unwrap())
}

fn tell(what: &str, refined: &Refined) {
    let posture: Vec<String> = refined
        .history
        .iter()
        .map(|t| format!("{:.4}{}", t.posture_deg, if t.is_best { "" } else { "x" }))
        .collect();
    println!("{what}: {} | best {} unexplained {:.2e} N", posture.join(" "), refined.best, refined.unexplained);
    println!("   first {:?}\n   best  {:?}", refined.history[0], refined.history[refined.best]);
}

#[test]
fn explore() {
    for name in ["human-28", "anthropi-42"] {
        let (figure, course) = walk(name);
        println!("{name} {} instants", course.instants.len());
        let mut last = vec![];
        for (n, i) in course.instants.iter().enumerate() {
            if i.on != last {
                println!("{n}: {}", i.on.iter().map(|x| if *x { '1' } else { '0' }).collect::<String>());
                last = i.on.clone();
            }
        }
        let real = other(&figure, 1.15, 0.9);
        let hard = other(&figure, 1.3, 0.75);
        for gain in [1.0, 0.8, 0.7, 0.6] {
            for start in [Start::Estimated, Start::Static, Start::Zero] {
                let s = Settings { gain, start, ..Settings::default() };
                tell(&format!("{gain} {start:?}"), &refine(&figure, &real, &course, &s).unwrap());
                tell(&format!("{gain} {start:?} hard"), &refine(&figure, &hard, &course, &s).unwrap());
            }
        }
    }
}
