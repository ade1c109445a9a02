//! Pictures of the figure: the worst frames of the first findings, and instants spread over the motion between.

use super::player::Player;
use super::stage::Stage;
use super::{Report, section};
use crate::svg::{Pose, strip_on};
use std::fmt::Write;

/// Most pictures of findings, and of all.
const WORST: usize = 3;
const ALL: usize = 8;

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    section(out, "pictures", "The motion");
    let clip = &report.inverse.trajectory.clip;
    let stage = Stage::of(report.inverse);
    let player = Player {
        clip,
        behind: None,
        start: clip.start(),
        heading: stage.heading(),
        ground: stage.ground(),
        arrows: &|_| Vec::new(),
    };
    player.write(out);
    let instants = instants(report);
    let placed = |frame: usize| stage.pose(clip.pose(frame), stage.origin(clip.pose(frame)));
    let places: Vec<Vec<f64>> = instants.iter().map(|(frame, _)| placed(*frame)).collect();
    let poses: Vec<Pose> = instants
        .iter()
        .zip(&places)
        .map(|((_, label), q)| Pose { figure: clip.figure(), q, label })
        .collect();
    out.push_str("<div class=\"scroll strip\">\n");
    out.push_str(&strip_on(&poses, &stage.scenery()));
    let is_even = report.inverse.touches.ground.is_even;
    let ground = if is_even { "" } else { " The ground is uneven and not drawn." };
    let is_clean = report.certificate.findings.is_empty();
    let numbers = if is_clean { "" } else { " Numbers are those of the findings." };
    let _ = writeln!(
        out,
        "</div>\n<p class=\"note\">Each from its right side; left limbs in orange, right limbs in blue.{ground}{numbers}</p>\n</section>"
    );
}

/// Frames and what to write under them, in the order of time.
fn instants(report: &Report) -> Vec<(usize, String)> {
    let last = report.frames().saturating_sub(1);
    let mut chosen = Chosen::among(last);
    for (i, finding) in report.certificate.findings.iter().enumerate() {
        if chosen.list.len() < WORST {
            chosen.add(finding.worst.min(last), format!("{}: {}", i + 1, finding.fault));
        }
    }
    let labelled = |(frame, what): (usize, String)| (frame, format!("{:.2} s\n{what}", report.time(frame)));
    chosen.filled().into_iter().map(labelled).collect()
}

/// Frames in the order of time, with words.
pub struct Chosen {
    last: usize,
    /// least distance between two
    least: usize,
    list: Vec<(usize, String)>,
}

impl Chosen {
    /// None yet, of frames up to the last.
    pub fn among(last: usize) -> Chosen {
        Chosen { last, least: last / (3 * ALL), list: Vec::new() }
    }

    /// With the first, the last, and middles of the widest gaps.
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

    /// Whether it was far enough from the others.
    pub fn add(&mut self, frame: usize, words: String) -> bool {
        let is_new = self.list.iter().all(|(other, _)| other.abs_diff(frame) > self.least);
        if is_new {
            self.list.push((frame, words));
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
