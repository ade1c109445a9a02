//! One step of a walk from parameters as a course, for tests of what follows courses.

use anthropi_dynamics::model::Figure;
use anthropi_io::builtin;
use anthropi_motion::filter;
use anthropi_motion::gait::parameter::{Kind, Parameters, Request};
use anthropi_motion::gait::steps::Stretch;
use anthropi_motion::gait::{Settings, Walker};
use anthropi_motion::hybrid::Course;
use std::sync::Arc;

/// Speed of the walk, m/s.
const SPEED: f64 = 1.2;

/// One steady step of a built-in figure, from landing to landing.
pub fn step(name: &str) -> (Arc<Figure>, Course) {
    let figure = Arc::new(builtin::figure(name).unwrap().unwrap().figure);
    let walker = Walker::of(&figure, &[]).unwrap();
    let request = Request { speed: Some(SPEED), ..Request::default() };
    let parameters = Parameters::of(request, Kind::Walk, walker.stature(figure.stature)).unwrap();
    let stretch = Stretch::ahead(parameters, 4);
    let mut course = Course::on(walker.places(), 0.001);
    let mut watch = |step: &filter::Step| course.take(step);
    let walked = walker.walk(&[stretch], &Settings::default(), &mut |_| (), &mut watch).unwrap();
    assert!(walked.fell().is_none());
    let steady: Vec<_> = walked.steps.steps.iter().filter(|s| s.is_steady).collect();
    let at = |t: f64| (t / course.dt).round() as usize;
    let course = course.part(at(steady[1].land), at(steady[2].land));
    (figure, course)
}
