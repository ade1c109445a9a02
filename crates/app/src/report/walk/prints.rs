//! Footprints from above, with the paths of the centre of mass and of the centre of pressure.

use super::super::pressure::centres;
use super::super::{WIDTH, section};
use super::Report;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_motion::anatomy::Side;
use anthropi_motion::contact_points::Site;
use anthropi_motion::filter::GroundForce;
use anthropi_motion::gait::measure::LOADED;
use std::fmt::Write;

/// Margin and largest height, pixels.
const MARGIN: f64 = 34.0;
const TALLEST: f64 = 460.0;
/// Minimum extent, m.
const LEAST: f64 = 0.5;
/// Points of a path.
const POINTS: usize = 1200;

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    section(out, "footprints", "Footprints from above");
    let turned = turn(report);
    let view = |all: Vec<Vec3>| -> Vec<Vec3> { all.into_iter().map(|p| turned.rotate(p)).collect() };
    let prints: Vec<(Side, Vec<Vec3>)> =
        prints(report).into_iter().map(|(side, all)| (side, view(all))).collect();
    let center = view(thinned(report.walked.samples.iter().map(|s| s.center).collect()));
    let pressure = view(thinned(pressure(report)));
    let all = prints.iter().flat_map(|(_, corners)| corners).chain(&center);
    let (mut low, mut high) =
        (vec3(f64::INFINITY, f64::INFINITY, 0.0), vec3(-f64::INFINITY, -f64::INFINITY, 0.0));
    for p in all.filter(|p| p.x.is_finite() && p.y.is_finite()) {
        (low.x, low.y) = (low.x.min(p.x), low.y.min(p.y));
        (high.x, high.y) = (high.x.max(p.x), high.y.max(p.y));
    }
    let wide = (high.x - low.x).max(LEAST);
    let tall = (high.y - low.y).max(LEAST);
    let middle = 0.5 * (high.y + low.y);
    let scale = ((WIDTH - 2.0 * MARGIN) / wide).min((TALLEST - 2.0 * MARGIN) / tall);
    let height = tall * scale + 2.0 * MARGIN;
    let place = |p: &Vec3| (MARGIN + (p.x - low.x) * scale, 0.5 * height - (p.y - middle) * scale);
    let _ = writeln!(
        out,
        "<div class=\"scroll\"><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" width=\"{WIDTH:.0}\" \
         height=\"{height:.0}\" font-size=\"12\">"
    );
    for (side, corners) in &prints {
        let points: Vec<String> = corners.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let class = if *side == Side::Left { "print left" } else { "print right" };
        let _ = writeln!(out, "<polygon class=\"{class}\" points=\"{}\"/>", points.join(" "));
    }
    for (class, path) in [("pressure", &pressure), ("center", &center)] {
        let mut d = String::new();
        let mut is_down = false;
        for p in path {
            if !(p.x.is_finite() && p.y.is_finite()) {
                is_down = false;
                continue;
            }
            let (x, y) = place(p);
            let _ = write!(d, "{}{x:.1} {y:.1}", if is_down { 'L' } else { 'M' });
            is_down = true;
        }
        let _ = writeln!(out, "<path class=\"path {class}\" d=\"{d}\" fill=\"none\"/>");
    }
    // scale bar
    let (x, y) = (MARGIN, height - 10.0);
    let _ = writeln!(
        out,
        "<path class=\"axis\" d=\"M{x:.1} {:.1}V{y:.1}H{:.1}V{:.1}\" fill=\"none\"/><text x=\"{:.1}\" y=\"{:.1}\">1 m</text>\n</svg></div>",
        y - 5.0,
        x + scale,
        y - 5.0,
        x + scale + 6.0,
        y + 3.0
    );
    out.push_str(
        "<p class=\"note\">Soles in mid-stance: left blue, right orange. Dark line: centre of mass. Green line: centre of \
         pressure, from heel to toe and on to the other foot. The walk goes from left to right.</p>\n</section>\n",
    );
}

/// Rotation that makes the path from start to end point right, unless it is closed.
fn turn(report: &Report) -> Quat {
    let samples = &report.walked.samples;
    let way = match (samples.first(), samples.last()) {
        (Some(a), Some(b)) => b.center - a.center,
        _ => Vec3::ZERO,
    };
    let angle = if way.x.hypot(way.y) > LEAST { way.y.atan2(way.x) } else { 0.0 };
    Quat::about(vec3(0.0, 0.0, 1.0), -angle)
}

/// Corners of the soles in mid-stance.
fn prints(report: &Report) -> Vec<(Side, Vec<Vec3>)> {
    let (filtered, steps) = (&report.walked.filtered, &report.walked.steps.steps);
    let clip = &filtered.clip;
    let mut kinematics = Kinematics::default();
    let mut found = Vec::new();
    let first = steps.first().map_or(0.0, |s| s.lift);
    let mut stances = vec![(Side::Left, 0.5 * first), (Side::Right, 0.5 * first)];
    let landed = steps.iter().enumerate();
    stances.extend(landed.map(|(k, step)| (Side::BOTH[step.side], report.walked.flat_time(k))));
    for (side, time) in stances {
        let frame = (time / clip.dt()).round() as usize;
        if frame >= clip.frames() {
            continue;
        }
        kinematics.update(clip.figure().forest(), clip.pose(frame), None, None);
        let mut corners: Vec<Vec3> = Vec::new();
        for place in
            filtered.contact_points.iter().filter(|p| p.site.is_foot() && p.site.side() == Some(side))
        {
            let pose = kinematics.link_pose(clip.figure().forest(), place.link);
            let points = place.points.iter().map(|p| pose.point(*p));
            match place.site {
                // in order around the sole
                Site::Toe(_) => corners.extend(points.collect::<Vec<_>>().into_iter().rev()),
                _ => corners.extend(points),
            }
        }
        found.push((side, corners));
    }
    found
}

/// Centre of pressure of both feet per frame; not a number in flight.
fn pressure(report: &Report) -> Vec<Vec3> {
    let least = LOADED * report.weight();
    let centre = |forces: &Vec<GroundForce>| centres(forces, |_| (), least).first().map(|(at, _)| *at);
    let forces = report.walked.filtered.forces.iter();
    forces.map(|f| centre(f).unwrap_or(vec3(f64::NAN, f64::NAN, 0.0))).collect()
}

fn thinned(all: Vec<Vec3>) -> Vec<Vec3> {
    let every = all.len().div_ceil(POINTS).max(1);
    all.into_iter().step_by(every).collect()
}
