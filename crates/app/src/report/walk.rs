//! Report of a walk.
//!
//! | part | writes |
//! |---|---|
//! | `headline` | the outcome, and requested against actual parameters |
//! | `strip` | pictures: one cycle with ground forces, and the whole walk |
//! | `prints` | footprints and the paths of centre of mass and pressure from above |
//! | `over_time` | contact of heels and toes, and ground forces of each foot, over time |
//! | `cycle` | one cycle: hips, knees, ankles and forces |
//! | `determinants` | the six determinants of gait over time, and a table of them |
//! | `compare` | comparison with the neutral walk |
//! | `refined` | torques of one step, run by run |
//! | `audit` | checks of the forces, and notes |

mod audit;
mod compare;
mod cycle;
mod determinants;
mod headline;
mod over_time;
mod prints;
mod refined;
mod strip;

pub use compare::{Compared, compared};
pub use cycle::{deviation_text, is_comparable, picture as cycle_picture};
pub use headline::between;

use super::curves::plot;
use super::{beginning, end, figure};
use crate::plot::{Plot, Series, Sheet};
use crate::result::StepStudy;
use crate::walk::PreparedWalk;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::contact_schedule;
use anthropi_motion::gait::footsteps::Segment;
use anthropi_motion::gait::measure::LOADED;
use anthropi_motion::gait::parameter::Kind;
use anthropi_motion::gait::{GaitMeasures, Sample, WalkResult};
use anthropi_motion::note::Note;

/// Noun and past tense of the gait; mixed gaits are a walk.
pub fn words(segments: &[Segment]) -> [&'static str; 2] {
    let all = |kind: Kind| segments.iter().all(|s| s.parameters.kind == kind);
    match [Kind::Run, Kind::Jump].map(all) {
        [true, false] => ["run", "ran"],
        [false, true] => ["jump", "jumped"],
        _ => ["walk", "walked"],
    }
}

/// A simulated walk and what is reported about it.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// the requested walk, and its figure and settings
    pub walk: &'a PreparedWalk,
    /// the simulated walk
    pub walked: WalkResult,
    /// measures of a neutral walk, for a walk in another style
    pub neutral: Option<GaitMeasures>,
    /// one step in detail, on request
    pub step: Option<StepStudy>,
    /// simulated seconds per second
    pub realtime_factor: f64,
    /// notes and warnings
    pub notes: Vec<Note>,
}

/// Writes the page.
pub fn page(report: &Report) -> String {
    let mut out = beginning(&format!("{}: a walk", report.walk.walk.name));
    headline::write(&mut out, report);
    strip::write(&mut out, report);
    prints::write(&mut out, report);
    over_time::write(&mut out, report);
    cycle::write(&mut out, report);
    determinants::write(&mut out, report);
    compare::write(&mut out, report);
    refined::write(&mut out, report);
    audit::write(&mut out, report);
    end(&mut out);
    out
}

impl Report<'_> {
    /// Total weight, N.
    fn weight(&self) -> f64 {
        let figure = self.walked.filtered.clip.figure();
        figure.mass() * figure.gravity().norm()
    }

    /// Whether each foot is in stance.
    fn in_stance(&self, sample: &Sample) -> [bool; 2] {
        sample.force.map(|f| f.norm() > LOADED * self.weight())
    }

    /// Intervals of double support, s.
    fn double_support(&self) -> Vec<(f64, f64)> {
        let samples = &self.walked.samples;
        let both: Vec<bool> = samples.iter().map(|s| self.in_stance(s) == [true, true]).collect();
        let time = |k: usize| samples[k.min(samples.len() - 1)].time;
        contact_schedule::intervals(&both).iter().map(|s| (time(s.start), time(s.end))).collect()
    }

    /// Sheet for plots over time; double support is shaded.
    fn sheet(&self, width: f64, height: f64) -> Sheet {
        let end = self.walked.samples.last().map_or(1.0, |s| s.time);
        Sheet {
            width,
            height,
            is_titled: false,
            x: Some((0.0, end)),
            shades: self.double_support(),
            ..Sheet::default()
        }
    }

    /// A line over time of at most `points`.
    fn line(&self, name: &str, points: usize, value: impl Fn(&Sample) -> f64) -> Series {
        let all = self.walked.samples.iter().map(|s| (s.time, value(s))).collect();
        Series { name: name.into(), points: all }.thinned(points)
    }

    /// Draws lines over time and the mark of a fall.
    fn draw(&self, out: &mut String, title: &str, what: &str, y: &str, series: Vec<Series>, sheet: &Sheet) {
        let marks = self.walked.fell().map(|t| (t, "fell".to_string())).into_iter().collect();
        figure(out, title, what, &Plot { marks, ..plot(y, series) }.to_svg_on(sheet));
    }

    /// Components of a vector along the path, to its left, and up.
    fn along(&self, v: Vec3, time: f64) -> [f64; 3] {
        let heading = self.walked.heading(time);
        let (ahead, aside) = (heading.cos(), heading.sin());
        [v.x * ahead + v.y * aside, v.y * ahead - v.x * aside, v.z]
    }
}
