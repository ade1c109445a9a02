//! Forces, residuals and heights over time.

use super::{POINTS, WIDTH, figure, limits};
use crate::assessment::Assessment;
use crate::plot::{Plot, Series, Sheet};
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_motion::inverse::{Frame, Inverse};

/// Height of a plot, pixels.
pub const HEIGHT: f64 = 230.0;
/// Minimum distance that defines a direction of travel, m.
const MIN_TRAVEL: f64 = 0.5;

/// Writes the plots.
pub fn write(out: &mut String, motion: &Assessment) {
    let (schedule, weight) = (&motion.inverse.schedule, motion.inverse.weight());
    let up = upward(&motion.inverse);
    let needed = |f: &Frame, along: Vec3| f.required.linear.dot(along) / weight;
    let given = |f: &Frame, along: Vec3| pushed(f).dot(along) / weight;
    let draw = |out: &mut String, title: &str, what: &str, y: &str, series, levels| {
        let sheet = Sheet { levels, is_paired: true, ..motion.sheet(WIDTH, HEIGHT) };
        figure(out, title, what, &plot(y, series).to_svg_on(&sheet));
    };

    let vertical = vec![
        line(motion, "from contacts", |f| given(f, up)),
        line(motion, "required by the motion", |f| needed(f, up)),
    ];
    let upright = "against gravity, sum of all contacts; quiet standing is 1";
    draw(out, "Ground force, vertical", upright, "force, BW", vertical, vec![]);

    let ([ahead, left], [first, second], what) = directions(&motion.inverse);
    let horizontal = vec![
        line(motion, &format!("{first}, from contacts"), |f| given(f, ahead)),
        line(motion, &format!("{first}, required"), |f| needed(f, ahead)),
        line(motion, &format!("{second}, from contacts"), |f| given(f, left)),
        line(motion, &format!("{second}, required"), |f| needed(f, left)),
    ];
    draw(out, "Ground force, horizontal", what, "force, BW", horizontal, vec![]);

    let force = vec![line(motion, "residual force", |f| f.residual.linear.norm() / weight)];
    let pass = |value: f64| vec![(value, "tolerance (rms)".to_string())];
    let nowhere = "not explained by any contact";
    draw(out, "Residual force", nowhere, "force, BW", force, pass(limits::FORCE));
    let moment = vec![line(motion, "residual moment", |f| f.residual.angular.norm() / weight)];
    draw(out, "Residual moment", nowhere, "moment, BW m", moment, pass(limits::MOMENT));

    let sole = every(motion, "lowest sole point", |i| {
        let feet = schedule.tracks.iter().filter(|t| t.is_foot).flat_map(|t| t.at(i));
        100.0 * feet.map(|p| schedule.ground.above(*p)).fold(f64::INFINITY, f64::min)
    });
    let allowed =
        [(100.0 * limits::DEPTH, "in the air above this"), (-100.0 * limits::DEPTH, "penetrates below this")];
    let allowed = match schedule.ground.is_even {
        true => allowed.map(|(at, what)| (at, what.to_string())).to_vec(),
        false => Vec::new(),
    };
    let above = match schedule.ground.is_even {
        true => "above the ground",
        false => "above the mean plane of the stances: the ground is uneven",
    };
    draw(out, "Lowest point of the soles", above, "height, cm", vec![sole], allowed);
    let center = every(motion, "centre of mass", |i| schedule.ground.above(motion.inverse.frames[i].center));
    draw(out, "Centre of mass", above, "height, m", vec![center], vec![]);
}

/// A plot over time.
pub fn plot(y_label: &str, series: Vec<Series>) -> Plot {
    Plot { x_label: "time, s".into(), y_label: y_label.into(), series, ..Plot::default() }
}

/// A value per frame.
fn every(motion: &Assessment, name: &str, of: impl Fn(usize) -> f64) -> Series {
    let points = (0..motion.frames()).map(|i| (motion.time(i), of(i))).collect();
    Series { name: name.into(), points }.thinned(POINTS)
}

/// A value per assessed frame.
fn line(motion: &Assessment, name: &str, of: impl Fn(&Frame) -> f64) -> Series {
    let assessed = &motion.certificate.assessed;
    every(motion, name, |i| if assessed.contains(&i) { of(&motion.inverse.frames[i]) } else { f64::NAN })
}

/// Direction against gravity.
pub fn upward(inverse: &Inverse) -> Vec3 {
    let gravity = inverse.trajectory.clip.figure().gravity();
    (-gravity).normalized().unwrap_or(vec3(0.0, 0.0, 1.0))
}

fn pushed(frame: &Frame) -> Vec3 {
    frame.contact_forces.iter().fold(Vec3::ZERO, |sum, p| sum + p.force)
}

/// Two horizontal directions with names: of travel and to its left, or the world axes.
pub fn directions(inverse: &Inverse) -> ([Vec3; 2], [&'static str; 2], &'static str) {
    let (frames, up) = (&inverse.frames, upward(inverse));
    let way = match (frames.first(), frames.last()) {
        (Some(a), Some(b)) => b.center - a.center,
        _ => Vec3::ZERO,
    };
    let way = way - up.scale(up.dot(way));
    match way.normalized().filter(|_| way.norm() > MIN_TRAVEL) {
        Some(ahead) => {
            let what = "fore-aft: from start to end; lateral: to the left";
            ([ahead, up.cross(ahead)], ["fore-aft", "lateral"], what)
        }
        None => {
            let x = vec3(1.0, 0.0, 0.0);
            let x = (x - up.scale(up.dot(x))).normalized().unwrap_or(x);
            ([x, up.cross(x)], ["along x", "along y"], "world axes, as the motion stays in place")
        }
    }
}
