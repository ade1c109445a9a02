//! Icons: silhouettes in tones of one colour, for any background.

use super::{Extent, LEFT, Patch, Pose, patches, reach, scenery};
use anthropi_dynamics::contact::Scenery;
use std::fmt::Write;

/// Side of the square.
const SIDE: f64 = 64.0;
/// Margin, and ground shown below an airborne figure, as fractions of the picture.
const AROUND: f64 = 0.07;
const BELOW: f64 = 0.25;
/// Outline points closer to a straight line than this are dropped.
const FINE: f64 = 0.35;
/// Opacity of the ground and of the left side of the body.
const TONES: [f64; 2] = [0.22, 0.55];

/// A pose and its ground in the colour of the surrounding text (`currentColor`), in a square of 64.
pub fn icon(pose: &Pose, around: &[Scenery]) -> String {
    let all = patches(pose.figure, pose.q);
    let ground = scenery::patches(around, &reach(pose));
    let own = Extent::of(&all).or_unit();
    let size = (own.to - own.from).max(own.high - own.low);
    // the ground extends beyond the square
    let low = own.low.min(Extent::of(&ground).low.max(own.low - BELOW * size));
    let size = size.max(own.high - low) * (1.0 + 2.0 * AROUND);
    let (left, bottom) = (0.5 * (own.from + own.to - size), 0.5 * (low + own.high - size));
    let scale = SIDE / size;
    let place = |p: &(f64, f64)| (scale * (p.0 - left), SIDE - scale * (p.1 - bottom));
    let path = |some: &[&Patch]| {
        let mut d = String::new();
        for patch in some {
            let points: Vec<(f64, f64)> = patch.outline.iter().map(place).collect();
            outline(&mut d, &points);
        }
        d
    };
    let (left, rest): (Vec<&Patch>, Vec<&Patch>) = all.iter().partition(|p| is_left(p));
    let layers = [(ground.iter().collect(), TONES[0]), (left, TONES[1]), (rest, 1.0)];
    let mut body = String::new();
    for (some, tone) in layers {
        let d = path(&some);
        if !d.is_empty() {
            let opacity = if tone < 1.0 { format!(" opacity=\"{tone}\"") } else { String::new() };
            let _ = write!(body, "<path{opacity} d=\"{d}\"/>");
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\" fill=\"currentColor\">{body}</svg>"
    )
}

/// Faces of boxes are lighter or darker shades of their link's colour, so compare ratios of channels.
fn is_left(patch: &Patch) -> bool {
    let (r, _, b) = patch.colour;
    (r / b - LEFT.0 / LEFT.2).abs() < 1e-6
}

/// An outline as a path in relative steps of tenths, nearly straight points dropped.
fn outline(d: &mut String, points: &[(f64, f64)]) {
    // thin shapes need a finer tolerance
    let mut kept = Vec::new();
    for fine in [FINE, FINE / 4.0, FINE / 16.0, 0.0] {
        kept = thinned(points, fine);
        if kept.len() >= 3 {
            break;
        }
    }
    if kept.is_empty() {
        return;
    }
    let tenths = |p: &(f64, f64)| ((10.0 * p.0).round() as i64, (10.0 * p.1).round() as i64);
    let mut at = tenths(&kept[0]);
    let _ = write!(d, "M{} {}", number(at.0), number(at.1));
    let mut word = "l";
    for p in &kept[1..] {
        let to = tenths(p);
        let _ = write!(d, "{word}{} {}", number(to.0 - at.0), number(to.1 - at.1));
        (at, word) = (to, " ");
    }
    d.push('z');
}

/// Drops points closer than `fine` to the line between their neighbours.
fn thinned(points: &[(f64, f64)], fine: f64) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (i, p) in points.iter().enumerate() {
        let next = points[(i + 1) % points.len()];
        if !kept.last().is_some_and(|last| off(*p, *last, next) < fine) {
            kept.push(*p);
        }
    }
    kept
}

/// Distance of a point from the line between two others.
fn off(p: (f64, f64), a: (f64, f64), b: (f64, f64)) -> f64 {
    let (x, y) = (b.0 - a.0, b.1 - a.1);
    ((p.0 - a.0) * y - (p.1 - a.1) * x).abs() / x.hypot(y).max(1e-9)
}

/// Tenths as the shortest number.
fn number(tenths: i64) -> String {
    let (sign, whole, part) = (if tenths < 0 { "-" } else { "" }, tenths.abs() / 10, tenths.abs() % 10);
    match (whole, part) {
        (_, 0) => format!("{sign}{whole}"),
        (0, _) => format!("{sign}.{part}"),
        _ => format!("{sign}{whole}.{part}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin;

    #[test]
    fn numbers_are_short() {
        let all: Vec<String> = [0, 5, -5, 10, 105, -123].iter().map(|n| number(*n)).collect();
        assert_eq!(all, ["0", ".5", "-.5", "1", "10.5", "-12.3"]);
    }

    #[test]
    fn a_figure_is_small_and_within_the_square() {
        let figure = builtin::figure("human-28").unwrap().unwrap().figure;
        let text = icon(&Pose { figure: &figure, q: figure.forest().home(), label: "" }, &[]);
        assert!(text.len() < 2000, "{}", text.len());
        assert_eq!(text.matches("<path").count(), 2, "{text}");
        assert!(text.contains("currentColor") && !text.contains('#'), "{text}");
        for piece in text.split('M').skip(1) {
            let start: Vec<f64> = piece.split(['l', ' ']).take(2).map(|x| x.parse().unwrap()).collect();
            assert!(start.iter().all(|x| (0.0..=SIDE).contains(x)), "{piece}");
        }
    }
}
