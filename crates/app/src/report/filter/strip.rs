//! Pictures: the reference in grey, the filtered motion in colour, and the ground forces.

use super::super::player::Player;
use super::super::pressure::{MIN_ARROW, centres};
use super::super::section;
use super::super::stage::Stage;
use super::super::strip::FrameSelection;
use crate::assessment::FilterOutcome;
use crate::svg::{Picture, Pose, strip_with};
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::Clip;
use std::fmt::Write;

/// Arrow length per body weight, m.
const LONG: f64 = 0.7;
/// Arrow length of assistance per body weight, m, and least force with an arrow, body weights.
const ASSIST_LONG: f64 = 4.0 * LONG;
const MIN_ASSIST: f64 = 0.005;

/// Writes the section.
pub fn write(out: &mut String, outcome: &FilterOutcome) {
    section(out, "pictures", "The motion");
    let (stage, filtered) = (Stage::new(&outcome.input.inverse), &outcome.filtered);
    let weight = outcome.input.inverse.weight();
    let by_link = |frame: usize| {
        centres(
            &filtered.forces[frame],
            |f| filtered.contact_points[f.contact_point].link,
            MIN_ARROW * weight,
        )
    };
    let forces = |frame: usize| -> Vec<(Vec3, Vec3)> {
        by_link(frame).into_iter().map(|(at, f)| (at, f.scale(LONG / weight))).collect()
    };
    let assist = |frame: usize| -> (Vec3, Vec3) {
        let force = filtered.assist[frame].linear.scale(ASSIST_LONG / weight);
        let is_seen = force.norm() > ASSIST_LONG * MIN_ASSIST;
        (center_of_mass(&filtered.clip, frame), if is_seen { force } else { Vec3::ZERO })
    };
    let is_assisted = filtered.assist_report().is_used();
    let player = Player {
        clip: &filtered.clip,
        ghost: Some((&filtered.reference, "reference")),
        start: outcome.time(0),
        heading: stage.heading(),
        ground: stage.ground(),
        props: &filtered.props,
        arrows: &forces,
        assist: is_assisted.then_some(&assist),
    };
    player.write(out);
    struct Placed {
        after: Vec<f64>,
        before: Vec<f64>,
        arrows: Vec<(Vec3, Vec3)>,
        assist: Option<(Vec3, Vec3)>,
        label: String,
    }
    let placed: Vec<Placed> = instants(outcome)
        .into_iter()
        .map(|(frame, what)| {
            let origin = stage.origin(filtered.clip.pose(frame));
            let arrow = |(at, along): (Vec3, Vec3)| {
                let from = stage.point(at, origin);
                (from, stage.point(at + along, origin) - from)
            };
            Placed {
                after: stage.pose(filtered.clip.pose(frame), origin),
                before: stage.pose(filtered.reference.pose(frame), origin),
                arrows: forces(frame).into_iter().map(arrow).collect(),
                assist: Some(assist(frame)).filter(|(_, along)| along.norm() > 0.0).map(arrow),
                label: format!("{:.2} s\n{what}", outcome.time(frame)),
            }
        })
        .collect();
    let pictures: Vec<Picture> = placed
        .iter()
        .map(|p| Picture {
            pose: Pose { figure: filtered.clip.figure(), q: &p.after, label: &p.label },
            ghost: Some(&p.before),
            arrows: &p.arrows,
            assist: p.assist,
        })
        .collect();
    out.push_str("<div class=\"scroll strip\">\n");
    out.push_str(&strip_with(&pictures, &stage.scenery()));
    let assisted = match is_assisted {
        true => format!(
            " Purple: assistance at the centre of mass, drawn {:.0} times as long as ground forces.",
            ASSIST_LONG / LONG
        ),
        false => String::new(),
    };
    let _ = writeln!(
        out,
        "</div>\n<p class=\"note\">Grey: the reference, i.e. the input after foot-plant clean-up. In colour: the filtered motion, left \
         limbs blue, right limbs orange. Green: ground forces at their centres of pressure.{assisted}</p>\n</section>"
    );
}

/// Centre of mass in a frame.
fn center_of_mass(clip: &Clip, frame: usize) -> Vec3 {
    let (forest, mut kinematics) = (clip.figure().forest(), Kinematics::default());
    kinematics.update(forest, clip.pose(frame), None, None);
    centroidal::center_of_mass(forest, &kinematics)
}

/// Frames with captions: the first fall, the frame farthest from the reference, and others between.
fn instants(outcome: &FilterOutcome) -> Vec<(usize, String)> {
    let last = outcome.frames() - 1;
    let mut selected = FrameSelection::among(last);
    let fall = outcome.filtered.fell.map(|t| (t / outcome.filtered.clip.dt()).round() as usize);
    if let Some(frame) = fall {
        selected.add(frame.min(last), "fell".into());
    }
    let assist = |frame: &usize| outcome.filtered.assist[*frame].linear.norm();
    if let Some(frame) = (0..=last).max_by(|a, b| assist(a).total_cmp(&assist(b))).filter(|f| assist(f) > 0.0)
    {
        selected.add(frame, "assistance".into());
    }
    let until = fall.unwrap_or(last);
    let errors = (0..until).map(|frame| (frame, outcome.joint_error(frame).1));
    if let Some((frame, most)) = errors.max_by(|a, b| a.1.total_cmp(&b.1)) {
        selected.add(frame, format!("{most:.0}\u{b0} off"));
    }
    selected.filled()
}
