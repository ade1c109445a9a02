//! What the filter made of a motion as a page that people read.
//!
//! | part | what it writes |
//! |---|---|
//! | `headline` | whether it fell, and what changed, in a sentence |
//! | `compare` | numbers before and after |
//! | `strip` | pictures: the reference in grey, what came of it, forces of the ground |
//! | `curves` | who stands, ground forces, residual, height and error over time |
//! | `method` | how it was made, and notes |

mod compare;
mod curves;
mod headline;
mod method;
mod strip;

pub use compare::{Compared, compared};

use super::{beginning, end, section};
use crate::plot::Sheet;
use anthropi_dynamics::model::BodyJoint;
use anthropi_motion::certificate::Certificate;
use anthropi_motion::filter::{Filtered, Mode};
use anthropi_motion::inverse::Inverse;
use anthropi_motion::pose;

/// What a page tells.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// what the clip or its file is called
    pub name: &'a str,
    /// forces behind the motion as it was given, and what was found in them
    pub given: (&'a Inverse, &'a Certificate),
    /// what came of it
    pub filtered: &'a Filtered,
    /// what a certificate says that sees only its motion, not its forces; where one can be made
    pub alone: Option<&'a Certificate>,
    /// how much of the motion was known
    pub mode: Mode,
    /// root mean square of the joints' jerk before and after, until it fell, rad/s3; where there are frames enough
    pub jitter: [Option<f64>; 2],
    /// seconds of motion filtered in a second
    pub realtime_factor: f64,
    /// what was found and decided on the way, a sentence each
    pub notes: &'a [String],
}

/// The page.
pub fn page(report: &Report) -> String {
    let mut out = beginning(&format!("{}: filtered", report.name));
    headline::write(&mut out, report);
    compare::write(&mut out, report);
    strip::write(&mut out, report);
    section(&mut out, "over-time", "Over time");
    out.push_str("<div class=\"scroll\">\n");
    curves::write(&mut out, report);
    out.push_str("</div>\n</section>\n");
    method::write(&mut out, report);
    end(&mut out);
    out
}

impl Report<'_> {
    fn frames(&self) -> usize {
        self.filtered.clip.frames()
    }

    /// As the given motion counts it.
    fn time(&self, frame: usize) -> f64 {
        self.given.0.trajectory.clip.time(frame)
    }

    /// When it fell first, as the given motion counts time.
    fn fell(&self) -> Option<f64> {
        self.filtered.fell.map(|t| self.time(0) + t)
    }

    /// Paper for plots that share the axis of time.
    fn sheet(&self, width: f64, height: f64) -> Sheet {
        let x = Some((self.time(0), self.time(self.frames() - 1)));
        Sheet { width, height, is_titled: false, is_paired: true, x, ..Sheet::default() }
    }

    /// Angles between the joints' turns and the reference's in a frame, degrees: root mean square and largest.
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
            let own = &way[b.iv as usize..b.iv as usize + b.joint.nv()];
            let square: f64 = own.iter().map(|x| x * x).sum();
            (sum, most, count) = (sum + square, most.max(square), count + 1.0);
        }
        ((sum / count.max(1.0)).sqrt().to_degrees(), most.sqrt().to_degrees())
    }
}
