//! Feet and hands that stand: each holds one place while it does, and comes to and from it smoothly.

use super::Stance;
use super::body::{Body, Point};
use super::wish::{Wish, Wishes};
use crate::anatomy::Part;
use crate::error::Error;
use anthropi_dynamics::spatial::{Quat, Vec3};

/// A stance with the point that stands and the place it keeps.
pub(super) struct Hold {
    pub stance: Stance,
    pub point: Point,
    /// by frame of the stance; all the same unless the foot slides too far to be held
    places: Vec<Vec3>,
}

impl Hold {
    /// Where the point is held in a frame of the stance.
    pub fn place(&self, frame: usize) -> Vec3 {
        self.places[frame - self.stance.from]
    }
}

/// Places to hold, and how far each end is shifted in each frame for them.
pub(super) struct Holds {
    pub all: Vec<Hold>,
    /// by frame, then by end
    pub shifts: Vec<Vec3>,
}

impl Holds {
    /// # Errors
    /// Stances outside the motion, or of parts the target does not have.
    pub fn new(
        stances: &[Stance],
        wishes: &Wishes,
        frames: &[Wish],
        ease: usize,
        most: f64,
    ) -> Result<Holds, Error> {
        let ends = wishes.ends.len();
        let mut holds = Holds { all: Vec::new(), shifts: vec![Vec3::ZERO; frames.len() * ends] };
        for stance in stances {
            let Some(end) = wishes.ends.iter().position(|(p, _)| *p == stance.part) else {
                return Err(unsuitable(wishes.target, stance, "it has no such foot or hand"));
            };
            if stance.from >= stance.to || stance.to > frames.len() {
                let what =
                    format!("frames {} to {} of {} are no stance", stance.from, stance.to, frames.len());
                return Err(unsuitable(wishes.target, stance, &what));
            }
            let Some(point) = point(wishes.target, stance) else { continue };
            let way = |f: usize| travel(wishes, &frames[f], end, &point, stance.part);
            let count = (stance.to - stance.from) as f64;
            let mean = (stance.from..stance.to).fold(Vec3::ZERO, |sum, f| sum + way(f)).scale(1.0 / count);
            let shift = |f: usize| {
                let shift = mean - way(f);
                shift.scale((most / shift.norm().max(1e-12)).min(1.0))
            };
            for f in stance.from.saturating_sub(ease)..(stance.to + ease).min(frames.len()) {
                // inside as much as it takes, outside what the border took, fading
                let border = f.clamp(stance.from, stance.to - 1);
                let part = smooth(1.0 - f.abs_diff(border) as f64 / (ease + 1) as f64);
                holds.shifts[f * ends + end] += shift(border).scale(part);
            }
            let places = (stance.from..stance.to).map(|f| way(f) + shift(f)).collect();
            holds.all.push(Hold { stance: *stance, point, places });
        }
        Ok(holds)
    }

    /// Holds of a frame.
    pub fn at(&self, frame: usize) -> impl Iterator<Item = &Hold> {
        self.all.iter().filter(move |h| (h.stance.from..h.stance.to).contains(&frame))
    }
}

fn unsuitable(target: &Body, stance: &Stance, what: &str) -> Error {
    Error::Unsuitable {
        subject: target.figure.name.clone(),
        what: format!("stance of {}: {what}", stance.part),
    }
}

fn point(target: &Body, stance: &Stance) -> Option<Point> {
    match stance.point {
        Some(at) => target.find(stance.part).map(|s| Point { link: s.link, at }),
        None => target.support(stance.part),
    }
}

/// Where the point that stands would be without holding.
fn travel(wishes: &Wishes, wish: &Wish, end: usize, point: &Point, part: Part) -> Vec3 {
    let target = wishes.target;
    let k = target.segments.iter().position(|s| s.part == part);
    let at = wish.ends[end];
    let Some(k) = k else { return at };
    let segment = &target.segments[k];
    let turn = wish.turns[k].unwrap_or(segment.world_from_link);
    let rest = |p: &Point| target.rest[target.index(p.link)].point(p.at);
    let arm = rest(point) - rest(&wishes.ends[end].1);
    let turned: Quat = turn.then(segment.world_from_link.inverse());
    at + turned.rotate(arm)
}

/// From 0 to 1 without a bend at the ends.
fn smooth(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
