//! A walk as a page that people read.
//!
//! | part | what it writes |
//! |---|---|
//! | `headline` | whether it fell, and what was asked and walked |
//! | `strip` | pictures: one cycle with the forces of the ground, and the whole walk |
//! | `prints` | footprints and the paths of centre of mass and pressure from above |
//! | `contacts` | who stands when: heels and toes, double and single support |
//! | `curves` | ground forces of each foot over time |
//! | `cycle` | one cycle: hips, knees, ankles and forces |
//! | `determinants` | the six over time, and a table of them |
//! | `compare` | against the neutral walk |
//! | `refined` | torques of one step, run by run |
//! | `proof` | what its forces prove, and notes |

mod compare;
mod contacts;
mod curves;
mod cycle;
mod determinants;
mod headline;
mod prints;
mod proof;
mod refined;
mod strip;

pub use compare::{Compared, compared};
pub use cycle::{is_usual, near, picture as cycle_picture};
pub use headline::between;

use super::{beginning, end, section};
use crate::plot::Sheet;
use crate::walking::Part;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::gait::parameter::Kind;
use anthropi_motion::gait::steps::Stretch;
use anthropi_motion::gait::{Look, Sample, Settings, Walked};
use anthropi_motion::hybrid::Refined;
use anthropi_motion::touch;

/// A foot with less than this part of the weight does not stand.
const CARRIES: f64 = 0.01;

/// What the figure does on its way, and that it did it; many ways together are a walk.
pub fn words(stretches: &[Stretch]) -> [&'static str; 2] {
    let all = |kind: Kind| stretches.iter().all(|s| s.parameters.kind == kind);
    match [Kind::Run, Kind::Jump].map(all) {
        [true, false] => ["run", "ran"],
        [false, true] => ["jump", "jumped"],
        _ => ["walk", "walked"],
    }
}

/// What a page tells.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// what the walk or its file is called
    pub name: &'a str,
    /// stretches, as they were asked for
    pub parts: &'a [Part],
    /// ...and as they were to be walked
    pub stretches: &'a [Stretch],
    /// what came of it
    pub walked: &'a Walked,
    /// this walk, and a neutral one
    pub looks: Option<[Look; 2]>,
    /// torques of one step, where they were refined
    pub refined: Option<&'a Refined>,
    /// pack on the back, kg
    pub load: f64,
    /// how it was simulated
    pub settings: &'a Settings,
    /// seconds walked in a second
    pub realtime_factor: f64,
    /// what was found and decided on the way, a sentence each
    pub notes: &'a [String],
}

/// The page.
pub fn page(report: &Report) -> String {
    let mut out = beginning(&format!("{}: a walk", report.name));
    headline::write(&mut out, report);
    strip::write(&mut out, report);
    prints::write(&mut out, report);
    section(&mut out, "over-time", "Over time");
    out.push_str("<div class=\"scroll\">\n");
    contacts::write(&mut out, report);
    curves::write(&mut out, report);
    out.push_str("</div>\n</section>\n");
    cycle::write(&mut out, report);
    determinants::write(&mut out, report);
    compare::write(&mut out, report);
    refined::write(&mut out, report);
    proof::write(&mut out, report);
    end(&mut out);
    out
}

impl Report<'_> {
    fn samples(&self) -> &[Sample] {
        &self.walked.samples
    }

    /// Weight of all that is carried, N.
    fn weight(&self) -> f64 {
        let figure = self.walked.filtered.clip.figure();
        figure.mass() * figure.gravity().norm()
    }

    /// Which feet carry.
    fn on(&self, sample: &Sample) -> [bool; 2] {
        sample.force.map(|f| f.norm() > CARRIES * self.weight())
    }

    /// When both feet carry, s.
    fn double_support(&self) -> Vec<(f64, f64)> {
        let samples = self.samples();
        let both: Vec<bool> = samples.iter().map(|s| self.on(s) == [true, true]).collect();
        let time = |k: usize| samples[k.min(samples.len() - 1)].time;
        touch::spells(&both).iter().map(|s| (time(s.start), time(s.end))).collect()
    }

    /// Paper for plots that share the axis of time; double support is shaded.
    fn sheet(&self, width: f64, height: f64) -> Sheet {
        let end = self.samples().last().map_or(1.0, |s| s.time);
        Sheet {
            width,
            height,
            is_titled: false,
            x: Some((0.0, end)),
            shades: self.double_support(),
            ..Sheet::default()
        }
    }

    /// When it fell.
    fn marks(&self) -> Vec<(f64, String)> {
        self.walked.fell().map(|t| (t, "fell".to_string())).into_iter().collect()
    }

    /// A vector along the way, to its left, and up, at a time.
    fn along(&self, v: Vec3, time: f64) -> [f64; 3] {
        let heading = self.walked.heading(time);
        let (ahead, aside) = (heading.cos(), heading.sin());
        [v.x * ahead + v.y * aside, v.y * ahead - v.x * aside, v.z]
    }
}
