//! Pictures: one steady cycle with ground forces, and the whole walk.

use super::super::player::Player;
use super::super::pressure::{MIN_ARROW, centres};
use super::super::section;
use super::{Report, words};
use crate::svg::{Picture, Pose, strip_with};
use anthropi_dynamics::contact::{MaterialIx, Scenery, SceneryShape};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::spatial::{Quat, Transform, Vec3, vec3};
use anthropi_motion::filter::GroundForce;
use anthropi_motion::{contact_schedule, pose};
use std::fmt::Write;

/// Number of pictures of a cycle, and of the walk.
const CYCLE: usize = 7;
const WALK: usize = 8;
/// Arrow length per body weight, m.
const LONG: f64 = 0.6;

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    section(out, "pictures", &format!("The {}", words(&report.walk.segments)[0]));
    let clip = &report.walked.filtered.clip;
    let is_level = report.walked.steps.profile.pieces.len() == 1;
    let forces = |frame: usize| {
        feet(report, frame).into_iter().map(|(at, f)| (at, f.scale(LONG / report.weight()))).collect()
    };
    let player = Player {
        clip,
        ghost: None,
        start: 0.0,
        heading: report.walked.heading(0.0),
        props: &[],
        ground: is_level.then(|| contact_schedule::Ground::level(0.0)),
        arrows: &forces,
        assist: None,
    };
    player.write(out);
    if let Some([from, lift, to]) = report.walked.cycles(0).first().copied() {
        let label = |k: usize, t: f64| {
            let share = 100.0 * k as f64 / (CYCLE - 1) as f64;
            let what = if k == 0 || k == CYCLE - 1 {
                "left heel strike"
            } else if (t - lift).abs() <= 0.5 * (to - from) / (CYCLE - 1) as f64 {
                "left toe off"
            } else {
                ""
            };
            format!("{share:.0} %\n{what}")
        };
        let times: Vec<f64> =
            (0..CYCLE).map(|k| from + (to - from) * k as f64 / (CYCLE - 1) as f64).collect();
        let labels: Vec<String> = times.iter().enumerate().map(|(k, t)| label(k, *t)).collect();
        out.push_str("<h3>One gait cycle</h3>\n");
        draw(out, report, &times, &labels, is_level);
    }
    let end = clip.duration();
    let times: Vec<f64> = (0..WALK).map(|k| end * k as f64 / (WALK - 1) as f64).collect();
    let labels: Vec<String> = times.iter().map(|t| format!("{t:.2} s")).collect();
    let until = if report.walked.fell().is_some() {
        "From standing to the fall"
    } else {
        "From standing to standing"
    };
    let _ = writeln!(out, "<h3>{until}</h3>");
    draw(out, report, &times, &labels, is_level);
    let ground = if is_level { "" } else { " The ground is not level and not drawn; heights are true." };
    let _ = writeln!(
        out,
        "<p class=\"note\">Seen from the right of the heading; left limbs blue, right limbs orange. Green: ground forces at \
         their centres of pressure.{ground}</p>\n</section>"
    );
}

fn draw(out: &mut String, report: &Report, times: &[f64], labels: &[String], is_level: bool) {
    let clip = &report.walked.filtered.clip;
    let placed: Vec<_> = times.iter().map(|t| placed(report, *t)).collect();
    let pictures: Vec<Picture> = placed
        .iter()
        .zip(labels)
        .map(|((q, arrows), label)| Picture {
            pose: Pose { figure: clip.figure(), q, label },
            ghost: None,
            arrows,
            assist: None,
        })
        .collect();
    let material = MaterialIx::default();
    let floor = Scenery {
        name: "ground".into(),
        ground: SceneryShape::Plane,
        world_from_it: Transform::identity(),
        material,
    };
    let scenery: Vec<Scenery> = is_level.then_some(floor).into_iter().collect();
    let _ = writeln!(out, "<div class=\"scroll strip\">\n{}</div>", strip_with(&pictures, &scenery));
}

/// The pose at a time, moved over the origin with its heading along x, and the forces on its feet.
fn placed(report: &Report, time: f64) -> (Vec<f64>, Vec<(Vec3, Vec3)>) {
    let clip = &report.walked.filtered.clip;
    let figure = clip.figure();
    let frame = ((time / clip.dt()).round() as usize).min(clip.frames() - 1);
    let mut q = clip.pose(frame).to_vec();
    let root = figure.joints().find(|(_, j)| j.kind == JointKind::Free);
    let Some(i) = root.map(|(handle, _)| figure.forest().joint_place(handle).iq) else {
        return (q, Vec::new());
    };
    let turn = Quat::about(vec3(0.0, 0.0, 1.0), -report.walked.heading(time));
    let at = pose::triple(&q, i);
    let origin = vec3(at.x, at.y, 0.0);
    let own = pose::quaternion(&q, i + 3);
    q[i..i + 3].copy_from_slice(&turn.rotate(at - origin).to_array());
    q[i + 3..i + 7].copy_from_slice(&turn.then(own).0);
    let arrows = feet(report, frame)
        .into_iter()
        .map(|(at, force)| (turn.rotate(at - origin), turn.rotate(force).scale(LONG / report.weight())));
    (q, arrows.collect())
}

/// Centre of pressure and ground force of each foot in a frame.
fn feet(report: &Report, frame: usize) -> Vec<(Vec3, Vec3)> {
    let filtered = &report.walked.filtered;
    let side = |f: &GroundForce| filtered.contact_points[f.contact_point].site.side();
    centres(&filtered.forces[frame], side, MIN_ARROW * report.weight())
}
