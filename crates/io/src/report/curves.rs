//! Forces, residuals and heights over time.

use super::{POINTS, Report, WIDTH, figure, limits};
use crate::plot::{Plot, Series, Sheet};
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_motion::inverse::{Frame, Inverse};

/// Height of a plot, pixels.
pub const HEIGHT: f64 = 230.0;
/// A person who gets at least this far goes somewhere, m.
const GOES: f64 = 0.5;

/// Writes the plots.
pub fn write(out: &mut String, report: &Report) {
    let (touches, weight) = (&report.inverse.touches, report.inverse.weight());
    let up = upward(report.inverse);
    let needed = |f: &Frame, along: Vec3| f.wanted.linear.dot(along) / weight;
    let given = |f: &Frame, along: Vec3| pushed(f).dot(along) / weight;
    let draw = |out: &mut String, title: &str, what: &str, y: &str, series, levels| {
        let sheet = Sheet { levels, is_paired: true, ..report.sheet(WIDTH, HEIGHT) };
        figure(out, title, what, &plot(y, series).to_svg_on(&sheet));
    };

    let vertical = vec![
        line(report, "given by contacts", |f| given(f, up)),
        line(report, "required by the motion", |f| needed(f, up)),
    ];
    let upright = "against gravity, sum of all that touches; standing still is 1";
    draw(out, "Ground force, vertical", upright, "force, BW", vertical, vec![]);

    let ([ahead, left], [first, second], what) = directions(report.inverse);
    let level = vec![
        line(report, &format!("{first}, given"), |f| given(f, ahead)),
        line(report, &format!("{first}, required"), |f| needed(f, ahead)),
        line(report, &format!("{second}, given"), |f| given(f, left)),
        line(report, &format!("{second}, required"), |f| needed(f, left)),
    ];
    draw(out, "Ground force, level", what, "force, BW", level, vec![]);

    let force = vec![line(report, "residual force", |f| f.missing.linear.norm() / weight)];
    let pass = |value: f64| vec![(value, "let pass (rms)".to_string())];
    let nowhere = "what no contact can give";
    draw(out, "Residual force", nowhere, "force, BW", force, pass(limits::FORCE));
    let moment = vec![line(report, "residual moment", |f| f.missing.angular.norm() / weight)];
    draw(out, "Residual moment", nowhere, "moment, BW m", moment, pass(limits::MOMENT));

    let sole = every(report, "lowest sole point", |i| {
        let feet = touches.tracks.iter().filter(|t| t.is_foot).flat_map(|t| t.at(i));
        100.0 * feet.map(|p| touches.ground.above(*p)).fold(f64::INFINITY, f64::min)
    });
    let allowed = [
        (100.0 * limits::DEPTH, "stands on air above this"),
        (-100.0 * limits::DEPTH, "in the ground below this"),
    ];
    let allowed = match touches.ground.is_even {
        true => allowed.map(|(at, what)| (at, what.to_string())).to_vec(),
        false => Vec::new(),
    };
    let above = match touches.ground.is_even {
        true => "above the ground",
        false => "above the mean plane of the stances: the ground is uneven",
    };
    draw(out, "Lowest point of the soles", above, "height, cm", vec![sole], allowed);
    let center = every(report, "centre of mass", |i| touches.ground.above(report.inverse.frames[i].center));
    draw(out, "Centre of mass", above, "height, m", vec![center], vec![]);
}

/// A plot over time.
pub fn plot(y_label: &str, series: Vec<Series>) -> Plot {
    Plot { x_label: "time, s".into(), y_label: y_label.into(), series, ..Plot::default() }
}

/// A number of each frame.
fn every(report: &Report, name: &str, of: impl Fn(usize) -> f64) -> Series {
    let points = (0..report.frames()).map(|i| (report.time(i), of(i))).collect();
    Series { name: name.into(), points }.thinned(POINTS)
}

/// A number of each frame that was judged.
fn line(report: &Report, name: &str, of: impl Fn(&Frame) -> f64) -> Series {
    let judged = &report.certificate.judged;
    every(report, name, |i| if judged.contains(&i) { of(&report.inverse.frames[i]) } else { f64::NAN })
}

/// Against gravity.
pub fn upward(inverse: &Inverse) -> Vec3 {
    let gravity = inverse.trajectory.clip.figure().gravity();
    (-gravity).normalized().unwrap_or(vec3(0.0, 0.0, 1.0))
}

fn pushed(frame: &Frame) -> Vec3 {
    frame.pushes.iter().fold(Vec3::ZERO, |sum, p| sum + p.force)
}

/// Two level directions with their names: of travel and to its left, or those of the world.
pub fn directions(inverse: &Inverse) -> ([Vec3; 2], [&'static str; 2], &'static str) {
    let (frames, up) = (&inverse.frames, upward(inverse));
    let way = match (frames.first(), frames.last()) {
        (Some(a), Some(b)) => b.center - a.center,
        _ => Vec3::ZERO,
    };
    let way = way - up.scale(up.dot(way));
    match way.normalized().filter(|_| way.norm() > GOES) {
        Some(ahead) => {
            let what = "fore-aft: from where it begins to where it ends; lateral: to the left of that";
            ([ahead, up.cross(ahead)], ["fore-aft", "lateral"], what)
        }
        None => {
            let x = vec3(1.0, 0.0, 0.0);
            let x = (x - up.scale(up.dot(x))).normalized().unwrap_or(x);
            ([x, up.cross(x)], ["along x", "along y"], "axes of the file, as it stays where it is")
        }
    }
}
