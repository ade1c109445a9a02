//! Held contacts of feet and hands, with smooth transitions.

use super::ContactHold;
use super::rest_pose::{Point, RestPose};
use super::target::{Correspondence, FrameTarget};
use crate::anatomy::Part;
use crate::clip::Ease;
use crate::error::Error;
use anthropi_dynamics::spatial::Vec3;

/// A held contact with its point and positions.
pub(super) struct Hold {
    pub contact: ContactHold,
    pub point: Point,
    /// by frame of the contact; constant unless the source slides too far
    positions: Vec<Vec3>,
}

impl Hold {
    /// Position of the point in a frame of the contact.
    pub fn place(&self, frame: usize) -> Vec3 {
        self.positions[frame - self.contact.from]
    }
}

/// All held contacts, and the corrections of the ends for them.
pub(super) struct Holds {
    pub all: Vec<Hold>,
    /// by frame, then by end
    pub shifts: Vec<Vec3>,
}

impl Holds {
    /// # Errors
    /// Contacts outside the motion, or of parts that the target does not have.
    pub fn new(
        contacts: &[ContactHold],
        map: &Correspondence,
        frames: &[FrameTarget],
        ease: usize,
        max_correction: f64,
    ) -> Result<Holds, Error> {
        let ends = map.ends.len();
        let mut holds = Holds { all: Vec::new(), shifts: vec![Vec3::ZERO; frames.len() * ends] };
        for contact in contacts {
            let Some(end) = map.ends.iter().position(|(p, _)| *p == contact.part) else {
                return Err(unsuitable(map.target, contact, "it has no such foot or hand"));
            };
            if contact.from >= contact.to || contact.to > frames.len() {
                let what = format!("invalid frames {} to {} of {}", contact.from, contact.to, frames.len());
                return Err(unsuitable(map.target, contact, &what));
            }
            let Some(point) = point(map.target, contact) else { continue };
            let unheld = |f: usize| unheld_position(map, &frames[f], end, &point, contact.part);
            let count = (contact.to - contact.from) as f64;
            let mean =
                (contact.from..contact.to).fold(Vec3::ZERO, |sum, f| sum + unheld(f)).scale(1.0 / count);
            let shift = |f: usize| {
                let shift = mean - unheld(f);
                shift.scale((max_correction / shift.norm().max(1e-12)).min(1.0))
            };
            for f in contact.from.saturating_sub(ease)..(contact.to + ease).min(frames.len()) {
                // full correction inside, that of the border fading outside
                let border = f.clamp(contact.from, contact.to - 1);
                let part = Ease::Cubic.at(1.0 - f.abs_diff(border) as f64 / (ease + 1) as f64);
                holds.shifts[f * ends + end] += shift(border).scale(part);
            }
            let positions = (contact.from..contact.to).map(|f| unheld(f) + shift(f)).collect();
            holds.all.push(Hold { contact: *contact, point, positions });
        }
        Ok(holds)
    }

    /// Holds of a frame.
    pub fn at(&self, frame: usize) -> impl Iterator<Item = &Hold> {
        self.all.iter().filter(move |h| (h.contact.from..h.contact.to).contains(&frame))
    }
}

fn unsuitable(target: &RestPose, contact: &ContactHold, what: &str) -> Error {
    Error::unsuitable(&target.figure.name, format!("held contact of {}: {what}", contact.part))
}

fn point(target: &RestPose, contact: &ContactHold) -> Option<Point> {
    match contact.point {
        Some(at) => target.find(contact.part).map(|s| Point { link: s.link, at }),
        None => target.support(contact.part),
    }
}

/// Position of the contact point without holding.
fn unheld_position(map: &Correspondence, goal: &FrameTarget, end: usize, point: &Point, part: Part) -> Vec3 {
    let (target, at) = (map.target, goal.ends[end]);
    let Some(k) = target.segments.iter().position(|s| s.part == part) else { return at };
    let home = target.segments[k].world_from_link;
    let arm = target.rest_position(point) - target.rest_position(&map.ends[end].1);
    at + goal.turns[k].unwrap_or(home).then(home.inverse()).rotate(arm)
}
