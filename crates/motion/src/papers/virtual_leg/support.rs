//! Contact intervals of the feet, and support phases.

use crate::papers::hidds::DesiredMotion;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::Vec3;

/// Gaps in a contact shorter than this are ignored, s.
const MAX_GAP: f64 = 0.02;

/// A contact interval of a foot, samples `from..to`.
#[derive(Clone, Debug)]
pub(super) struct FootContact {
    pub link: LinkHandle,
    pub from: usize,
    pub to: usize,
    /// mean position of its points in contact in the desired motion, by sample
    positions: Vec<Vec3>,
}

impl FootContact {
    /// Mean position over the interval.
    pub fn middle(&self) -> Vec3 {
        let sum = self.positions.iter().fold(Vec3::ZERO, |sum, x| sum + *x);
        sum.scale(1.0 / self.positions.len().max(1) as f64)
    }
}

/// Support phase at a sample, by index of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Support {
    None,
    Single(usize),
    /// rear, front, and elapsed fraction of double support
    Double(usize, usize, f64),
}

/// Contacts of all feet, in order of their start.
pub(super) fn foot_contacts(desired: &DesiredMotion, figure: &Figure) -> Vec<FootContact> {
    let max_gap = (MAX_GAP / desired.dt) as usize;
    let links = desired.links();
    let (mut all, mut terms) = (Vec::<FootContact>::new(), Default::default());
    for (n, sample) in desired.samples.iter().enumerate() {
        let points = desired.point_motions(figure.forest(), n, &mut terms);
        for link in &links {
            let own = (0..points.len()).filter(|k| sample.on[*k] && desired.points[*k].0 == *link);
            let (sum, count) = own.fold((Vec3::ZERO, 0.0), |(s, c), k| (s + points[k].at, c + 1.0));
            if count == 0.0 {
                continue;
            }
            let ongoing = all.iter().rposition(|s| s.link == *link && n - s.to <= max_gap);
            let at = ongoing.unwrap_or_else(|| {
                all.push(FootContact { link: *link, from: n, to: n, positions: Vec::new() });
                all.len() - 1
            });
            all[at].to = n + 1;
            all[at].positions.push(sum.scale(1.0 / count));
        }
    }
    all
}

/// Support phase at a sample: of several contacts, the last to land is in front, the one before it behind.
pub(super) fn support(foot_contacts: &[FootContact], n: usize) -> Support {
    let mut on = (0..foot_contacts.len())
        .rev()
        .filter(|k| (foot_contacts[*k].from..foot_contacts[*k].to).contains(&n));
    match (on.next(), on.next()) {
        (None, _) => Support::None,
        (Some(one), None) => Support::Single(one),
        (Some(front), Some(rear)) => {
            let (from, to) = (foot_contacts[front].from, foot_contacts[rear].to.min(foot_contacts[front].to));
            Support::Double(rear, front, (n - from) as f64 / (to - from).max(1) as f64)
        }
    }
}
