//! One step of the built-in walk as a course, for tests of what follows courses.

use anthropi_dynamics::model::Figure;
use anthropi_io::builtin;
use anthropi_motion::anatomy::{Anatomy, Part, Side, of_figure};
use anthropi_motion::clip::Clip;
use anthropi_motion::hybrid::Course;
use anthropi_motion::retarget::{Options, Stance, retarget};
use anthropi_motion::spots::{self, Spot};
use anthropi_motion::touch::{self, Touches};
use anthropi_motion::{Trajectory, cutoff, filter};
use std::sync::Arc;

/// One step in steady walking, s.
const STEP: [f64; 2] = [2.0, 2.55];
/// The filter has its future, s.
const AFTER: f64 = 0.3;

/// One step of the built-in walk on a built-in figure, as the dynamics filter lets it walk.
pub fn step(name: &str) -> (Arc<Figure>, Course) {
    let figure = Arc::new(builtin::figure(name).unwrap().unwrap().figure);
    let mut clip = builtin::motion("keyed-walk").unwrap().unwrap();
    let anatomy = of_figure(&figure, &[]).unwrap();
    if clip.figure().name != figure.name {
        let own = of_figure(clip.figure(), &[]).unwrap();
        let held = stances(&clip, &own);
        clip = retarget(&clip, &own, figure.clone(), &anatomy, &held, &Options::default()).unwrap().clip;
    }
    let clip = clip.cut(0.0, STEP[1] + AFTER).unwrap();
    let mut course = Course::on(&spots::of_figure(&figure, &anatomy).unwrap(), 0.001);
    let mut watch = |step: &filter::Step| {
        if (STEP[0]..STEP[1]).contains(&step.time) {
            course.take(step);
        }
    };
    let filtered = filter::run(&clip, &filter::Settings::default(), &mut |_| (), &mut watch).unwrap();
    assert!(filtered.fell.is_none());
    (figure, course)
}

/// Feet that stand flat.
fn stances(clip: &Clip, anatomy: &Anatomy) -> Vec<Stance> {
    let places = spots::of_figure(clip.figure(), anatomy).unwrap();
    let touches = Touches::of(&Trajectory::of(clip, Some(cutoff::FAST)), places, None);
    let of = |spot: Spot| touches.places.iter().position(|p| p.spot == spot).unwrap();
    let mut stances = Vec::new();
    for side in Side::BOTH {
        let (heel, toe) = (of(Spot::Heel(side)), of(Spot::Toe(side)));
        let is_flat = |f: usize| touches.is_on(heel, f) && touches.is_on(toe, f);
        for spell in touch::spells(&(0..touches.frames()).map(is_flat).collect::<Vec<_>>()) {
            stances.push(Stance { part: Part::Foot(side), point: None, from: spell.start, to: spell.end });
        }
    }
    stances
}
