//! Pictures of the figure: the worst frames of the first findings, and frames spread over the motion.

use super::player::Player;
use super::section;
use super::stage::Stage;
use crate::assessment::Assessment;
use crate::svg::{Pose, strip_on};
use std::fmt::Write;

/// Most pictures of findings, and number of pictures.
const WORST: usize = 3;
const ALL: usize = 8;

/// Writes the section.
pub fn write(out: &mut String, motion: &Assessment) {
    section(out, "pictures", "The motion");
    let clip = &motion.inverse.trajectory.clip;
    let stage = Stage::new(&motion.inverse);
    let player = Player {
        clip,
        ghost: None,
        start: clip.start(),
        heading: stage.heading(),
        ground: stage.ground(),
        props: &motion.inverse.schedule.props,
        arrows: &|_| Vec::new(),
        assist: None,
    };
    player.write(out);
    let instants = instants(motion);
    let placed = |frame: usize| stage.pose(clip.pose(frame), stage.origin(clip.pose(frame)));
    let places: Vec<Vec<f64>> = instants.iter().map(|(frame, _)| placed(*frame)).collect();
    let poses: Vec<Pose> = instants
        .iter()
        .zip(&places)
        .map(|((_, label), q)| Pose { figure: clip.figure(), q, label })
        .collect();
    out.push_str("<div class=\"scroll strip\">\n");
    out.push_str(&strip_on(&poses, &stage.scenery()));
    let is_even = motion.inverse.schedule.ground.is_even;
    let ground = if is_even { "" } else { " The ground is uneven and not drawn." };
    let is_clean = motion.certificate.findings.is_empty();
    let numbers = if is_clean { "" } else { " Numbers refer to the findings." };
    let _ = writeln!(
        out,
        "</div>\n<p class=\"note\">Seen from the right; left limbs blue, right limbs orange.{ground}{numbers}</p>\n</section>"
    );
}

/// Frames with captions, in order of time.
fn instants(motion: &Assessment) -> Vec<(usize, String)> {
    let last = motion.frames().saturating_sub(1);
    let mut selected = FrameSelection::among(last);
    for (i, finding) in motion.certificate.findings.iter().enumerate() {
        if selected.list.len() < WORST {
            selected.add(finding.worst.min(last), format!("{}: {}", i + 1, finding.fault));
        }
    }
    let labelled = |(frame, what): (usize, String)| (frame, format!("{:.2} s\n{what}", motion.time(frame)));
    selected.filled().into_iter().map(labelled).collect()
}

/// Selected frames with captions, in order of time.
pub struct FrameSelection {
    last: usize,
    /// minimum distance between two frames
    least: usize,
    list: Vec<(usize, String)>,
}

impl FrameSelection {
    /// Nothing selected yet, from frames up to the last.
    pub fn among(last: usize) -> FrameSelection {
        FrameSelection { last, least: last / (3 * ALL), list: Vec::new() }
    }

    /// Adds the first frame, the last, and middles of the widest gaps.
    pub fn filled(mut self) -> Vec<(usize, String)> {
        self.add(0, String::new());
        self.add(self.last, String::new());
        while self.list.len() < ALL {
            let Some(middle) = self.widest() else { break };
            if !self.add(middle, String::new()) {
                break;
            }
        }
        self.list
    }

    /// Adds a frame unless it is too close to another; returns whether it did.
    pub fn add(&mut self, frame: usize, caption: String) -> bool {
        let is_new = self.list.iter().all(|(other, _)| other.abs_diff(frame) > self.least);
        if is_new {
            self.list.push((frame, caption));
            self.list.sort();
        }
        is_new
    }

    /// Middle of the widest gap.
    fn widest(&self) -> Option<usize> {
        let gaps = self.list.windows(2).map(|w| (w[1].0 - w[0].0, w[0].0));
        gaps.max().map(|(wide, from)| from + wide / 2)
    }
}
