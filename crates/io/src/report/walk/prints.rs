//! Footprints from above, with the paths of the centre of mass and of the centre of pressure.

use super::super::{WIDTH, section};
use super::Report;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_motion::anatomy::Side;
use anthropi_motion::spots::Spot;
use std::fmt::Write;

/// Room around, pixels, and the tallest picture.
const MARGIN: f64 = 34.0;
const TALLEST: f64 = 460.0;
/// Smallest height of what is shown, m.
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
    let center = view(thinned(report.samples().iter().map(|s| s.center).collect()));
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
    // a metre
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
        "<p class=\"note\">Soles where they stood flat or nearly so: left in orange, right in blue. Dark line: centre of mass. \
         Green line: centre of pressure, from heel to toe and over to the other foot. The walk begins at the left and ends at \
         the right.</p>\n</section>\n",
    );
}

/// What turns the way from its beginning to its end to the right, unless it comes back.
fn turn(report: &Report) -> Quat {
    let samples = report.samples();
    let way = match (samples.first(), samples.last()) {
        (Some(a), Some(b)) => b.center - a.center,
        _ => Vec3::ZERO,
    };
    let angle = if way.x.hypot(way.y) > LEAST { way.y.atan2(way.x) } else { 0.0 };
    Quat::about(vec3(0.0, 0.0, 1.0), -angle)
}

/// Corners of soles in the middle of each stance.
fn prints(report: &Report) -> Vec<(Side, Vec<Vec3>)> {
    let (filtered, steps) = (&report.walked.filtered, &report.walked.steps.steps);
    let clip = &filtered.clip;
    let mut kinematics = Kinematics::default();
    let mut found = Vec::new();
    let first = steps.first().map_or(0.0, |s| s.lift);
    let mut stances = vec![(Side::Left, 0.5 * first), (Side::Right, 0.5 * first)];
    for (k, step) in steps.iter().enumerate() {
        let leaves = steps.get(k + 2).map_or(step.land + 0.6, |s| s.lift);
        // a third into the stance the sole is flat
        stances.push((Side::BOTH[step.side], step.land + 0.35 * (leaves - step.land)));
    }
    for (side, time) in stances {
        let frame = (time / clip.dt()).round() as usize;
        if frame >= clip.frames() {
            continue;
        }
        kinematics.update(clip.figure().forest(), clip.pose(frame), None, None);
        let mut corners: Vec<Vec3> = Vec::new();
        for place in filtered.places.iter().filter(|p| p.spot.is_foot() && p.spot.side() == side) {
            let pose = kinematics.link_pose(clip.figure().forest(), place.link);
            let points = place.points.iter().map(|p| pose.point(*p));
            match place.spot {
                // round the sole
                Spot::Toe(_) => corners.extend(points.collect::<Vec<_>>().into_iter().rev()),
                _ => corners.extend(points),
            }
        }
        found.push((side, corners));
    }
    found
}

/// Centre of pressure of all that stands, by frame.
fn pressure(report: &Report) -> Vec<Vec3> {
    let nowhere = vec3(f64::NAN, f64::NAN, 0.0);
    let of = |forces: &Vec<anthropi_motion::filter::GroundForce>| {
        let (mut at, mut sum) = (Vec3::ZERO, 0.0);
        for f in forces {
            let pressure = f.normal.dot(f.force);
            (at, sum) = (at + f.at.scale(pressure), sum + pressure);
        }
        if sum > super::CARRIES * report.weight() { at.scale(1.0 / sum) } else { nowhere }
    };
    report.walked.filtered.forces.iter().map(of).collect()
}

fn thinned(all: Vec<Vec3>) -> Vec<Vec3> {
    let every = all.len().div_ceil(POINTS).max(1);
    all.into_iter().step_by(every).collect()
}
