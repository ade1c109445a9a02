//! Props: things besides the ground that carry a figure.

use super::ContactInterval;
use anthropi_dynamics::spatial::{Mat3, Transform, Vec3, vec3};

/// Thickness of the drawn solid of a prop at ground height, m.
const MIN_THICKNESS: f64 = 0.02;
/// Most uses that a description lists.
const MAX_LISTED: usize = 3;

/// Kind of a prop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PropKind {
    /// carries the pelvis, and thighs that lie on it
    Seat,
    /// carries feet above the ground: a box, a stair
    Step,
    /// carries hands from below: a rail, a ledge, a table
    Rail,
}

impl PropKind {
    /// All kinds by their words in options, files and results.
    pub const ALL: [(&str, PropKind); 3] =
        [("seat", PropKind::Seat), ("step", PropKind::Step), ("rail", PropKind::Rail)];

    /// Its word.
    pub fn word(self) -> &'static str {
        PropKind::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }
}

/// Something besides the ground that carries a figure with its level upper surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Prop {
    /// kind
    pub kind: PropKind,
    /// middle of its surface, m
    pub at: Vec3,
    /// direction of its length, rad from x to y
    pub heading: f64,
    /// half of its length and of its width, m
    pub half: [f64; 2],
    /// height of its surface above the ground, m
    pub height: f64,
    /// when it carries
    pub uses: Vec<PropUse>,
    /// whether the user gave it
    pub is_given: bool,
}

/// An interval in which a prop carries.
#[derive(Clone, Debug, PartialEq)]
pub struct PropUse {
    /// frames
    pub frames: ContactInterval,
    /// mean load, body weights
    pub mean_bw: f64,
    /// largest load, body weights
    pub peak_bw: f64,
}

impl Prop {
    /// A box from the ground to its surface: pose of its middle, and half its sizes. A rail is a bar.
    pub fn solid(&self) -> (Transform, Vec3) {
        let full = self.height.max(MIN_THICKNESS);
        let thickness = if self.kind == PropKind::Rail { full.min(2.0 * self.half[1]) } else { full };
        let (s, c) = (libm::sin(self.heading), libm::cos(self.heading));
        let rotation = Mat3 { x: vec3(c, s, 0.0), y: vec3(-s, c, 0.0), z: vec3(0.0, 0.0, 1.0) };
        let translation = self.at - vec3(0.0, 0.0, 0.5 * thickness);
        (Transform { rotation, translation }, vec3(self.half[0], self.half[1], 0.5 * thickness))
    }

    /// Mean load over all uses, body weights.
    pub fn mean_bw(&self) -> f64 {
        let frames: usize = self.uses.iter().map(|u| u.frames.len()).sum();
        let sum: f64 = self.uses.iter().map(|u| u.mean_bw * u.frames.len() as f64).sum();
        sum / frames.max(1) as f64
    }

    /// Largest load, body weights.
    pub fn peak_bw(&self) -> f64 {
        self.uses.iter().map(|u| u.peak_bw).fold(0.0, f64::max)
    }

    /// It in words; `time` is the time of a frame, s.
    pub fn describe(&self, time: impl Fn(usize) -> f64) -> String {
        let what = format!("{} {:.2} m high", self.kind.word(), self.height);
        let (Some(first), Some(last)) = (self.uses.first(), self.uses.last()) else {
            return format!("{what}, not used");
        };
        let load = self.mean_bw();
        let span = |a: usize, b: usize| format!("from {:.1} to {:.1} s", time(a), time(b));
        let when = match self.uses.len() {
            n if n > MAX_LISTED => format!("{n} times {}", span(first.frames.start, last.frames.end - 1)),
            _ => {
                let each = self.uses.iter().map(|u| span(u.frames.start, u.frames.end - 1));
                each.collect::<Vec<_>>().join(" and ")
            }
        };
        format!("{what}, carries {load:.1} body weights {when}")
    }
}
