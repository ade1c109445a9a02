//! Touchdown times of the feet.
//!
//! Computes the times at which a foot is farthest ahead of the root along the root's heading: in walking the foot lands
//! then, within a few hundredths of a second, regardless of the floor's height. Contact is not used.
//! Source: the coordinate-based events of Zeni, Richards and Higginson (2008).
//! We differ: along the heading of the root instead of a fixed axis, so that walks may turn.
//! Not here: true contact (`dynamics::contact`).
//! Checked by: `tests/it/clip.rs`.

use super::Clip;
use super::space::{Heading, turned};
use crate::anatomy::Side;
use crate::smooth;
use anthropi_dynamics::algo::fk::Kinematics;

/// Touchdown of a foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touchdown {
    /// foot
    pub side: Side,
    /// time of the clip, s
    pub time: f64,
}

/// Smallest fore-aft swing of a walking foot, part of the stature; m where the stature is unknown.
const MIN_SWING: f64 = 0.1;
/// Low-pass cut-off of the fore-aft motion, Hz.
const CUTOFF: f64 = 6.0;

impl Clip {
    /// Touchdowns of the links `left_foot` and `right_foot`, in order; empty without such links or without steps.
    pub fn touchdowns(&self) -> Vec<Touchdown> {
        let mut found = Vec::new();
        for (side, name) in [(Side::Left, "left_foot"), (Side::Right, "right_foot")] {
            let ahead = self.ahead(name);
            let times = peaks(&ahead, MIN_SWING * self.figure().stature.unwrap_or(1.0));
            found.extend(times.map(|x| Touchdown { side, time: self.start() + x * self.dt() }));
        }
        found.sort_by(|a: &Touchdown, b| a.time.total_cmp(&b.time));
        found
    }

    /// Distance of a link ahead of the root in each frame, smoothed; empty if there is no such link.
    fn ahead(&self, name: &str) -> Vec<f64> {
        let (figure, mut k) = (self.figure(), Kinematics::default());
        let Ok(link) = figure.find_link(name) else { return Vec::new() };
        let mut ahead: Vec<f64> = (0..self.frames())
            .map(|frame| {
                k.update(figure.forest(), self.pose(frame), None, None);
                let root = Heading::from_pose(figure.forest(), self.pose(frame));
                turned(-root.yaw, k.link_pose(figure.forest(), link).translation - root.place).x
            })
            .collect();
        smooth::low_pass(&mut ahead, 1, 1.0 / self.dt(), CUTOFF);
        ahead
    }
}

/// Peak of each interval above the mid-level of a signal, in samples, except at the ends.
fn peaks(x: &[f64], least_range: f64) -> impl Iterator<Item = f64> + '_ {
    let (low, high) = x.iter().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(*x), h.max(*x)));
    let level = if high - low < least_range { f64::INFINITY } else { 0.5 * (low + high) };
    let mut from = 0;
    core::iter::from_fn(move || {
        while from < x.len() {
            let begin = from + x[from..].iter().position(|x| *x > level)?;
            let end = x[begin..].iter().position(|x| *x <= level).map_or(x.len(), |n| begin + n);
            from = end;
            let top = (begin..end).max_by(|a, b| x[*a].total_cmp(&x[*b]))?;
            if top > 0 && top + 1 < x.len() {
                // top of the parabola through three samples
                let (a, b, c) = (x[top - 1], x[top], x[top + 1]);
                let bend = a - 2.0 * b + c;
                let offset = if bend < 0.0 { 0.5 * (a - c) / bend } else { 0.0 };
                return Some(top as f64 + offset);
            }
        }
        None
    })
}
