//! Props that carry a figure besides the ground.

use anthropi_motion::clip::Clip;
use anthropi_motion::contact_schedule::{Prop, PropUse};
use serde::Serialize;

/// A prop.
#[derive(Clone, Debug, Serialize)]
pub struct PropResult {
    /// `seat`, `step` or `rail`
    pub kind: &'static str,
    /// height of its surface above the ground, m
    pub height_m: f64,
    /// middle of its surface, m
    pub at_m: [f64; 3],
    /// direction of its length, degrees from x to y
    pub heading_deg: f64,
    /// length and width, m
    pub size_m: [f64; 2],
    /// mean load while it carries, body weights
    pub mean_bw: f64,
    /// largest load, body weights
    pub peak_bw: f64,
    /// when it carries
    pub uses: Vec<PropUseResult>,
    /// whether the user gave it
    pub given: bool,
    /// it in words
    pub what: String,
}

/// An interval in which a prop carries.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PropUseResult {
    /// start, s
    pub from_s: f64,
    /// end, s
    pub to_s: f64,
    /// mean load, body weights
    pub mean_bw: f64,
    /// largest load, body weights
    pub peak_bw: f64,
}

impl PropResult {
    /// All props of a motion.
    pub fn all(props: &[Prop], clip: &Clip) -> Vec<PropResult> {
        let used = |u: &PropUse| PropUseResult {
            from_s: clip.time(u.frames.start),
            to_s: clip.time(u.frames.end.saturating_sub(1)),
            mean_bw: u.mean_bw,
            peak_bw: u.peak_bw,
        };
        let one = |prop: &Prop| PropResult {
            kind: prop.kind.word(),
            height_m: prop.height,
            at_m: prop.at.to_array(),
            heading_deg: prop.heading.to_degrees(),
            size_m: prop.half.map(|h| 2.0 * h),
            mean_bw: prop.mean_bw(),
            peak_bw: prop.peak_bw(),
            uses: prop.uses.iter().map(used).collect(),
            given: prop.is_given,
            what: prop.describe(|f| clip.time(f)),
        };
        props.iter().map(one).collect()
    }
}
