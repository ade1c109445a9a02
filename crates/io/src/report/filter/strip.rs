//! Pictures: the reference in grey, what came of it in colour, and what the ground gives.

use super::super::player::Player;
use super::super::section;
use super::super::stage::Stage;
use super::super::strip::Chosen;
use super::Report;
use crate::svg::{Picture, Pose, strip_with};
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::Vec3;

/// Length of an arrow for a body weight, m.
const LONG: f64 = 0.7;
/// Forces below this part of the weight have no arrow.
const LITTLE: f64 = 0.03;

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    section(out, "pictures", "The motion");
    let (stage, filtered) = (Stage::of(report.given.0), report.filtered);
    let long = LONG / report.given.0.weight();
    let forces =
        |frame: usize| by_link(report, frame).into_iter().map(|(at, f)| (at, f.scale(long))).collect();
    let player = Player {
        clip: &filtered.clip,
        behind: Some((&filtered.reference, "reference")),
        start: report.time(0),
        heading: stage.heading(),
        ground: stage.ground(),
        arrows: &forces,
    };
    player.write(out);
    struct Placed {
        after: Vec<f64>,
        before: Vec<f64>,
        arrows: Vec<(Vec3, Vec3)>,
        label: String,
    }
    let placed: Vec<Placed> = instants(report)
        .into_iter()
        .map(|(frame, what)| {
            let origin = stage.origin(filtered.clip.pose(frame));
            let arrow = |(at, force): (Vec3, Vec3)| {
                let from = stage.point(at, origin);
                (from, stage.point(at + force.scale(LONG / report.given.0.weight()), origin) - from)
            };
            Placed {
                after: stage.pose(filtered.clip.pose(frame), origin),
                before: stage.pose(filtered.reference.pose(frame), origin),
                arrows: by_link(report, frame).into_iter().map(arrow).collect(),
                label: format!("{:.2} s\n{what}", report.time(frame)),
            }
        })
        .collect();
    let pictures: Vec<Picture> = placed
        .iter()
        .map(|p| Picture {
            pose: Pose { figure: filtered.clip.figure(), q: &p.after, label: &p.label },
            behind: Some(&p.before),
            arrows: &p.arrows,
        })
        .collect();
    out.push_str("<div class=\"scroll strip\">\n");
    out.push_str(&strip_with(&pictures, &stage.scenery()));
    out.push_str(
        "</div>\n<p class=\"note\">Grey: the reference, which is the given motion put on its feet. In colour: what came of it, left \
         limbs in orange, right limbs in blue. Green: forces of the ground, where they press.</p>\n</section>\n",
    );
}

/// Frames and what to write under them: the first fall, the frame farthest from the reference, and others between.
fn instants(report: &Report) -> Vec<(usize, String)> {
    let last = report.frames() - 1;
    let mut chosen = Chosen::among(last);
    let fall = report.filtered.fell.map(|t| (t / report.filtered.clip.dt()).round() as usize);
    if let Some(frame) = fall {
        chosen.add(frame.min(last), "fell".into());
    }
    let until = fall.unwrap_or(last);
    let errors = (0..until).map(|frame| (frame, report.joint_error(frame).1));
    if let Some((frame, most)) = errors.max_by(|a, b| a.1.total_cmp(&b.1)) {
        chosen.add(frame, format!("{most:.0}\u{b0} off"));
    }
    chosen.filled()
}

/// Force of the ground on each link of a frame, and its centre of pressure.
fn by_link(report: &Report, frame: usize) -> Vec<(Vec3, Vec3)> {
    let (filtered, weight) = (report.filtered, report.given.0.weight());
    let mut sums: Vec<(LinkHandle, Vec3, Vec3, f64)> = Vec::new();
    for f in &filtered.forces[frame] {
        let link = filtered.places[f.place].link;
        let pressure = f.normal.dot(f.force);
        let at = f.at.scale(pressure);
        match sums.iter_mut().find(|(l, ..)| *l == link) {
            Some((_, force, moment, sum)) => {
                (*force, *moment, *sum) = (*force + f.force, *moment + at, *sum + pressure)
            }
            None => sums.push((link, f.force, at, pressure)),
        }
    }
    let felt = sums.iter().filter(|(.., pressure)| *pressure > LITTLE * weight);
    felt.map(|(_, force, at, pressure)| (at.scale(1.0 / pressure), *force)).collect()
}
