//! One step of the built-in keyframed walk as a desired motion, for tests of controllers.

use crate::motions::human;
use anthropi_app::builtin;
use anthropi_dynamics::model::Figure;
use anthropi_motion::anatomy::{Anatomy, Part, Side, from_figure};
use anthropi_motion::clip::Clip;
use anthropi_motion::contact_points::{self, Site};
use anthropi_motion::contact_schedule::{self, ContactSchedule};
use anthropi_motion::papers::hidds::DesiredMotion;
use anthropi_motion::retarget::{ContactHold, Options, retarget};
use anthropi_motion::{Trajectory, cutoff, filter};
use std::sync::Arc;

/// One step in steady walking, s.
const STEP: [f64; 2] = [2.0, 2.55];
/// Look-ahead of the filter, s.
const AFTER: f64 = 0.3;

/// One step of the built-in walk on a built-in figure, filtered on-line: controllers do not depend on how whole motions are planned.
pub fn step(name: &str) -> (Arc<Figure>, DesiredMotion) {
    let figure = human(name);
    let mut clip = builtin::motion("keyed-walk").unwrap().unwrap();
    let anatomy = from_figure(&figure, &[]).unwrap();
    if clip.figure().name != figure.name {
        let own = from_figure(clip.figure(), &[]).unwrap();
        let held = stances(&clip, &own);
        clip = retarget(&clip, &own, figure.clone(), &anatomy, &held, &Options::default()).unwrap().clip;
    }
    let clip = clip.cut(0.0, STEP[1] + AFTER).unwrap();
    let mut course = DesiredMotion::new(&contact_points::find(&figure, &anatomy).unwrap(), 0.001);
    let mut watch = |step: &filter::SolvedStep| {
        if (STEP[0]..STEP[1]).contains(&step.time) {
            course.add(step);
        }
    };
    let settings = filter::FilterSettings { mode: filter::Mode::Online, ..filter::FilterSettings::default() };
    let filtered = filter::run(&clip, &settings, &mut |_| (), &mut watch).unwrap();
    assert!(filtered.fell.is_none());
    (figure, course)
}

/// Intervals of flat-footed stance.
fn stances(clip: &Clip, anatomy: &Anatomy) -> Vec<ContactHold> {
    let places = contact_points::find(clip.figure(), anatomy).unwrap();
    let schedule =
        ContactSchedule::from_trajectory(&Trajectory::from_clip(clip, Some(cutoff::FAST)), places, None);
    let of = |site: Site| schedule.points.iter().position(|p| p.site == site).unwrap();
    let mut stances = Vec::new();
    for side in Side::BOTH {
        let (heel, toe) = (of(Site::Heel(side)), of(Site::Toe(side)));
        let is_flat = |f: usize| schedule.is_on(heel, f) && schedule.is_on(toe, f);
        for interval in contact_schedule::intervals(&(0..schedule.frames()).map(is_flat).collect::<Vec<_>>())
        {
            stances.push(ContactHold {
                part: Part::Foot(side),
                point: None,
                from: interval.start,
                to: interval.end,
            });
        }
    }
    stances
}
