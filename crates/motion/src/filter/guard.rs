//! What comes in, before it is believed: frames that were lost or are no numbers, joints that leap, figures that are
//! somewhere else all at once.
//!
//! A lost frame is bridged by the motion going on as it was, for a moment, then by standing still. A joint that leaps is
//! taken for lost frames; if it stays where it leapt to, the motion begins anew there. If the whole figure leaps along
//! the ground or in height, what follows is moved back by the leap.

use crate::mend::{TRAVEL, TURN};
use crate::pose;
use anthropi_dynamics::model::{BodyJoint, Forest};
use anthropi_dynamics::spatial::Vec3;

/// Frames are bridged for so long, s.
pub(super) const BRIDGE: f64 = 0.1;
/// The first frames are not believed more than those that follow.
const YOUNG: usize = 4;

/// What to do with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// take it
    Good,
    /// as if it had not come
    Lost,
    /// begin anew from it
    Anew,
}

/// Looks at frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    last: Vec<f64>,
    /// the frame, moved back by leaps
    pub frame: Vec<f64>,
    leap: Vec3,
    way: Vec<f64>,
    /// frames that were lost since the last good one
    lost: usize,
    good: usize,
}

impl Guard {
    /// Judges a frame whose numbers are finite; tells of leaps.
    pub fn judge(&mut self, forest: &Forest, frame: &[f64], dt: f64, notes: &mut Vec<String>) -> Verdict {
        self.frame.clear();
        self.frame.extend_from_slice(frame);
        pose::settle_lengths(forest, &mut self.frame);
        let root = forest.bodies().iter().find(|b| b.joint == BodyJoint::Free);
        let root = root.map(|b| (b.iq as usize, b.iv as usize));
        self.move_back(root);
        if self.last.is_empty() {
            return self.accept();
        }
        let time = dt * (self.lost + 1) as f64;
        self.way.resize(forest.nv(), 0.0);
        pose::difference(forest, &self.last, &self.frame, &mut self.way);
        if let Some((iq, iv)) = root {
            let travel = pose::triple(&self.way, iv + 3);
            if travel.norm() > TRAVEL * time {
                tell(
                    notes,
                    format!("the figure leaps by {:.2} m: what follows is moved back", travel.norm()),
                );
                self.leap += travel;
                let back = pose::triple(&self.frame, iq) - travel;
                self.frame[iq..iq + 3].copy_from_slice(&back.to_array());
                self.way[iv + 3..iv + 6].fill(0.0);
            }
        }
        let turns = |b: &anthropi_dynamics::model::Body| {
            let own = &self.way[b.iv as usize..b.iv as usize + b.joint.nv().min(3)];
            own.iter().map(|x| x * x).sum::<f64>().sqrt()
        };
        let fastest = forest.bodies().iter().skip(1).map(turns).fold(0.0, f64::max);
        if fastest <= TURN * time {
            return self.accept();
        }
        if self.good < YOUNG || time > BRIDGE {
            tell(
                notes,
                format!("a joint leaps by {:.0} degrees: the motion begins anew there", fastest.to_degrees()),
            );
            self.accept();
            return Verdict::Anew;
        }
        self.lost += 1;
        Verdict::Lost
    }

    /// A frame that did not come.
    pub fn lose(&mut self) {
        self.lost += 1;
    }

    /// How many frames were lost since the last good one.
    pub fn lost(&self) -> usize {
        self.lost
    }

    fn accept(&mut self) -> Verdict {
        self.last.clear();
        self.last.extend_from_slice(&self.frame);
        self.lost = 0;
        self.good += 1;
        Verdict::Good
    }

    fn move_back(&mut self, root: Option<(usize, usize)>) {
        if let Some((iq, _)) = root {
            let back = pose::triple(&self.frame, iq) - self.leap;
            self.frame[iq..iq + 3].copy_from_slice(&back.to_array());
        }
    }
}

/// So many sentences are told; what is wrong in every frame is not told in every frame.
const TOLD: usize = 8;

fn tell(notes: &mut Vec<String>, note: String) {
    match notes.len() {
        n if n < TOLD => notes.push(note),
        TOLD => notes.push("and more of this kind, which is not told".into()),
        _ => {}
    }
}
