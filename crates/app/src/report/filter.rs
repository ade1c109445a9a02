//! Report of a filtered motion.
//!
//! | part | writes |
//! |---|---|
//! | `headline` | the outcome, and what changed, in a sentence |
//! | `compare` | numbers before and after |
//! | `assistance` | intervals in which assistance keeps the figure up |
//! | `strip` | pictures: the reference in grey, the filtered motion, ground forces |
//! | `curves` | contacts, ground forces, residual, height and error over time |
//! | `method` | method and notes |

mod assistance;
mod compare;
mod curves;
mod headline;
mod method;
mod strip;

pub use compare::{Compared, compared};

use super::{beginning, end, section, surroundings};
use crate::assessment::FilterOutcome;
use crate::plot::Sheet;
use anthropi_dynamics::model::BodyJoint;
use anthropi_motion::pose;

/// Writes the page.
pub fn page(outcome: &FilterOutcome) -> String {
    let mut out = beginning(&format!("{}: filtered", outcome.input.inverse.trajectory.clip.name));
    headline::write(&mut out, outcome);
    compare::write(&mut out, outcome);
    assistance::write(&mut out, outcome);
    strip::write(&mut out, outcome);
    surroundings::write(&mut out, &outcome.filtered.props, &|f| outcome.time(f));
    section(&mut out, "over-time", "Over time");
    out.push_str("<div class=\"scroll\">\n");
    curves::write(&mut out, outcome);
    out.push_str("</div>\n</section>\n");
    method::write(&mut out, outcome);
    end(&mut out);
    out
}

impl FilterOutcome {
    fn frames(&self) -> usize {
        self.filtered.clip.frames()
    }

    /// Time of a frame in the filtered motion. Frames of a retimed input have other times; pages show it frame by frame.
    fn time(&self, frame: usize) -> f64 {
        self.filtered.clip.time(frame)
    }

    /// Time of the first fall.
    fn fell(&self) -> Option<f64> {
        self.filtered.fell.map(|t| self.time(0) + t)
    }

    /// Sheet for plots over time.
    fn sheet(&self, width: f64, height: f64) -> Sheet {
        let x = Some((self.time(0), self.time(self.frames() - 1)));
        Sheet { width, height, is_titled: false, is_paired: true, x, ..Sheet::default() }
    }

    /// RMS and maximum of the joint angle errors from the reference in a frame, degrees.
    fn joint_error(&self, frame: usize) -> (f64, f64) {
        let forest = self.filtered.clip.figure().forest();
        let mut way = vec![0.0; forest.nv()];
        pose::difference(
            forest,
            self.filtered.reference.pose(frame),
            self.filtered.clip.pose(frame),
            &mut way,
        );
        let (mut sum, mut most, mut count) = (0.0, 0.0_f64, 0.0_f64);
        for b in forest.bodies().iter().skip(1).filter(|b| b.joint != BodyJoint::Free) {
            let own = &way[b.dofs()];
            let square: f64 = own.iter().map(|x| x * x).sum();
            (sum, most, count) = (sum + square, most.max(square), count + 1.0);
        }
        ((sum / count.max(1.0)).sqrt().to_degrees(), most.sqrt().to_degrees())
    }
}
