//! Which foot carries when: spells of feet on the ground, and who is in double support with whom.

use crate::hybrid::Course;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::Vec3;

/// A foot that leaves the ground for less than this, s, has not left it.
const BRIEF: f64 = 0.02;

/// A foot on the ground, from an instant to before another.
#[derive(Clone, Debug)]
pub(super) struct Spell {
    pub link: LinkHandle,
    pub from: usize,
    pub to: usize,
    /// mean of the places of its points that stand, instant by instant, as the course has them
    standing: Vec<Vec3>,
}

impl Spell {
    /// Where it carries: in the middle of all that stands.
    pub fn middle(&self) -> Vec3 {
        let sum = self.standing.iter().fold(Vec3::ZERO, |sum, x| sum + *x);
        sum.scale(1.0 / self.standing.len().max(1) as f64)
    }
}

/// Who carries at an instant, by number of spell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Support {
    None,
    One(usize),
    /// rear, front, and the part of double support that is over
    Two(usize, usize, f64),
}

/// Spells of all feet, in the order they begin.
pub(super) fn spells(course: &Course, figure: &Figure) -> Vec<Spell> {
    let brief = (BRIEF / course.dt) as usize;
    let mut links: Vec<LinkHandle> = Vec::new();
    course.points.iter().for_each(|(link, _)| {
        if !links.contains(link) {
            links.push(*link);
        }
    });
    let (mut all, mut terms, mut points) = (Vec::<Spell>::new(), Default::default(), Vec::new());
    for (n, instant) in course.instants.iter().enumerate() {
        course.moving(figure, n, &mut terms, &mut points);
        for link in &links {
            let own = (0..points.len()).filter(|k| instant.on[*k] && course.points[*k].0 == *link);
            let (sum, count) = own.fold((Vec3::ZERO, 0.0), |(s, c), k| (s + points[k].at, c + 1.0));
            if count == 0.0 {
                continue;
            }
            let going_on = all.iter().rposition(|s| s.link == *link && n - s.to <= brief);
            let at = going_on.unwrap_or_else(|| {
                all.push(Spell { link: *link, from: n, to: n, standing: Vec::new() });
                all.len() - 1
            });
            all[at].to = n + 1;
            all[at].standing.push(sum.scale(1.0 / count));
        }
    }
    all
}

/// Who carries at an instant: of several, the last to come is in front and the one before it behind.
pub(super) fn support(spells: &[Spell], n: usize) -> Support {
    let mut on = (0..spells.len()).rev().filter(|k| (spells[*k].from..spells[*k].to).contains(&n));
    match (on.next(), on.next()) {
        (None, _) => Support::None,
        (Some(one), None) => Support::One(one),
        (Some(front), Some(rear)) => {
            let (from, to) = (spells[front].from, spells[rear].to.min(spells[front].to));
            Support::Two(rear, front, (n - from) as f64 / (to - from).max(1) as f64)
        }
    }
}
