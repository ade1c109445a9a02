//! One step of a generated walk as a desired motion, for tests of controllers.

use crate::motions::human;
use anthropi_dynamics::model::Figure;
use anthropi_motion::filter;
use anthropi_motion::gait::footsteps::Segment;
use anthropi_motion::gait::parameter::{Kind, PaceRequest, Parameters};
use anthropi_motion::gait::{WalkSettings, Walker};
use anthropi_motion::papers::hidds::DesiredMotion;
use std::sync::Arc;

/// Speed of the walk, m/s.
const SPEED: f64 = 1.2;

/// One steady step of a built-in figure, from landing to landing.
pub fn step(name: &str) -> (Arc<Figure>, DesiredMotion) {
    let figure = human(name);
    let walker = Walker::new(&figure, &[]).unwrap();
    let request = PaceRequest { speed: Some(SPEED), ..PaceRequest::default() };
    let parameters = Parameters::from_request(request, Kind::Walk, walker.stature(figure.stature)).unwrap();
    let segment = Segment::ahead(parameters, 4);
    let mut course = DesiredMotion::new(walker.contact_points(), 0.001);
    let mut watch = |step: &filter::SolvedStep| course.add(step);
    let walked = walker.walk(&[segment], &WalkSettings::default(), &mut |_| (), &mut watch).unwrap();
    assert!(walked.fell().is_none());
    let steady: Vec<_> = walked.steps.steps.iter().filter(|s| s.is_steady).collect();
    let at = |t: f64| (t / course.dt).round() as usize;
    let course = course.part(at(steady[1].land), at(steady[2].land));
    (figure, course)
}
