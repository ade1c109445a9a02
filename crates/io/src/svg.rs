//! Pictures of figures: a strip of poses as scalable vector graphics.
//!
//! Every shape is drawn as the outline of its projection, far ones first, the left side of the body in another tint.

use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{Figure, Link, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Real, Transform, Vec3, vec3};
use std::f64::consts::PI;
use std::fmt::Write;

/// A pose with what to write under it.
#[derive(Clone, Debug)]
pub struct Frame {
    /// coordinates
    pub q: Vec<f64>,
    /// text under the figure
    pub label: String,
}

/// Pixels a metre.
const SCALE: f64 = 130.0;
/// The camera stands to the right of the figure and a little in front: turned from the side by this, rad.
const AZIMUTH: f64 = 0.6;
/// Looks down by this, rad.
const ELEVATION: f64 = 0.18;
/// Empty space around and between the poses, m.
const MARGIN: f64 = 0.12;
const LEFT: (f64, f64, f64) = (0.86, 0.50, 0.30);
const RIGHT: (f64, f64, f64) = (0.27, 0.47, 0.70);
const MIDDLE: (f64, f64, f64) = (0.55, 0.57, 0.62);

/// Where a point of the world is on paper: right, up, towards the eye.
fn project(p: Vec3) -> Vec3 {
    let ((sa, ca), (se, ce)) = (Real::sin_cos(AZIMUTH), Real::sin_cos(ELEVATION));
    let (right, ahead) = (ca * p.x + sa * p.y, sa * p.x - ca * p.y);
    vec3(right, ce * p.z - se * ahead, ce * ahead + se * p.z)
}

/// One outline on paper.
struct Patch {
    depth: f64,
    colour: (f64, f64, f64),
    outline: Vec<(f64, f64)>,
}

/// A strip of poses, from left to right.
pub fn strip(figure: &Figure, frames: &[Frame]) -> String {
    let poses: Vec<Vec<Patch>> = frames.iter().map(|f| patches(figure, &f.q)).collect();
    let all = || poses.iter().flatten().flat_map(|p| &p.outline);
    let (low, high) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p.1), h.max(p.1)));
    let (low, high) = if low < high { (low, high) } else { (0.0, 1.0) };
    let height = (high - low + 2.0 * MARGIN) * SCALE + 24.0;
    let mut body = String::new();
    let mut x = MARGIN;
    for (frame, patches) in frames.iter().zip(&poses) {
        let points = || patches.iter().flat_map(|p| &p.outline);
        let (from, to) =
            points().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p.0), h.max(p.0)));
        let (from, to) = if from < to { (from, to) } else { (0.0, 1.0) };
        for p in patches {
            draw(&mut body, p, x - from, high + MARGIN);
        }
        let middle = (x + 0.5 * (to - from)) * SCALE;
        let text = escape(&frame.label);
        let _ = writeln!(
            body,
            r##"<text x="{middle:.1}" y="{:.1}" text-anchor="middle">{text}</text>"##,
            height - 10.0
        );
        x += to - from + MARGIN;
    }
    let width = x * SCALE;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#444\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

fn draw(out: &mut String, p: &Patch, shift: f64, top: f64) {
    let points: Vec<String> = p
        .outline
        .iter()
        .map(|(x, y)| format!("{:.1},{:.1}", (x + shift) * SCALE, (top - y) * SCALE))
        .collect();
    let tone = |k: f64| {
        let c = |v: f64| (255.0 * (v * k).clamp(0.0, 1.0)) as u8;
        format!("#{:02x}{:02x}{:02x}", c(p.colour.0), c(p.colour.1), c(p.colour.2))
    };
    let (points, fill, edge) = (points.join(" "), tone(1.0), tone(0.6));
    let _ = writeln!(out, r#"<polygon points="{points}" fill="{fill}" stroke="{edge}" stroke-width="1"/>"#);
}

/// All shapes of a pose, far ones first.
fn patches(figure: &Figure, q: &[f64]) -> Vec<Patch> {
    let mut kinematics = Kinematics::default();
    kinematics.update(figure.forest(), q, None, None);
    let mut found = Vec::new();
    for (handle, link) in figure.links() {
        let pose = kinematics.link_pose(figure.forest(), handle);
        if link.spec.shapes.is_empty() {
            let ends = figure.links().filter(|(_, l)| l.parent() == Some(handle));
            for (child, _) in ends {
                let end = kinematics.link_pose(figure.forest(), child).translation;
                found.push(patch(link, vec![(pose.translation, BONE), (end, BONE)]));
            }
        }
        found.extend(link.spec.shapes.iter().map(|s| patch(link, balls(&pose, s))));
    }
    found.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    found
}

/// Radius at which a link without shapes is drawn, m.
const BONE: f64 = 0.012;

/// Points with radii whose hull is the shape.
fn balls(pose: &Transform, placed: &PlacedShape) -> Vec<(Vec3, f64)> {
    let place = *pose * placed.link_from_shape;
    let corner = |x: f64, y: f64, z: f64| place.point(vec3(x, y, z));
    match &placed.shape {
        Shape::Sphere { radius } => vec![(place.translation, *radius)],
        Shape::Capsule { radius, half_length: l } => {
            vec![(corner(0.0, 0.0, -l), *radius), (corner(0.0, 0.0, *l), *radius)]
        }
        Shape::Box { half: h } => {
            let side = |i: u32, bit: u32, h: f64| if i & bit == 0 { -h } else { h };
            (0..8).map(|i| (corner(side(i, 1, h.x), side(i, 2, h.y), side(i, 4, h.z)), 0.0)).collect()
        }
        Shape::Cylinder { radius: r, half_length: l } => around(24)
            .flat_map(|(s, c)| [(corner(r * c, r * s, -l), 0.0), (corner(r * c, r * s, *l), 0.0)])
            .collect(),
        Shape::Ellipsoid { half: h } => {
            let rings = (0..=6).map(|i| Real::sin_cos(PI * (f64::from(i) / 6.0 - 0.5)));
            let all = rings.flat_map(|(sz, cz)| around(16).map(move |(s, c)| (c * cz, s * cz, sz)));
            all.map(|(x, y, z)| (corner(h.x * x, h.y * y, h.z * z), 0.0)).collect()
        }
        Shape::Convex { points } => points.iter().map(|p| (place.point(*p), 0.0)).collect(),
    }
}

/// Sine and cosine of `n` angles around a circle.
fn around(n: u32) -> impl Iterator<Item = (f64, f64)> {
    (0..n).map(move |i| Real::sin_cos(2.0 * PI * f64::from(i) / f64::from(n)))
}

fn patch(link: &Link, balls: Vec<(Vec3, f64)>) -> Patch {
    let on_paper: Vec<(Vec3, f64)> = balls.into_iter().map(|(p, r)| (project(p), r)).collect();
    let depth = on_paper.iter().map(|(p, _)| p.z).sum::<f64>() / on_paper.len().max(1) as f64;
    let mut points = Vec::new();
    for (p, r) in &on_paper {
        if *r > 0.0 {
            points.extend(around(20).map(|(s, c)| (p.x + r * c, p.y + r * s)));
        } else {
            points.push((p.x, p.y));
        }
    }
    let name = &link.spec.name;
    let has = |word: &str| name.contains(word);
    let colour = if has("left") || name.starts_with("L_") {
        LEFT
    } else if has("right") || name.starts_with("R_") {
        RIGHT
    } else {
        MIDDLE
    };
    Patch { depth, colour, outline: hull(points) }
}

/// Convex hull in the plane, counter-clockwise (Andrew's monotone chain).
fn hull(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.retain(|p| p.0.is_finite() && p.1.is_finite());
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    if points.len() < 3 {
        return points;
    }
    let turns_right = |a: (f64, f64), b: (f64, f64), c: (f64, f64)| {
        (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0) <= 0.0
    };
    let chain = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let mut side: Vec<(f64, f64)> = Vec::new();
        for p in points {
            while side.len() >= 2 && turns_right(side[side.len() - 2], side[side.len() - 1], p) {
                side.pop();
            }
            side.push(p);
        }
        side.pop();
        side
    };
    let mut lower = chain(&mut points.iter().copied());
    lower.extend(chain(&mut points.iter().rev().copied()));
    lower
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hull_of_a_square_with_points_inside() {
        let square = vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.5, 0.5), (0.2, 0.7)];
        assert_eq!(hull(square), [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]);
        assert_eq!(hull(vec![(1.0, 2.0)]).len(), 1);
    }

    #[test]
    fn labels_are_escaped() {
        assert_eq!(escape("a < b & c"), "a &lt; b &amp; c");
    }
}
