//! Pictures of figures: a strip of poses as SVG.
//!
//! Each shape is the outline of its projection, boxes show their faces, painted back to front; left and right limbs have
//! their own colours. Links without shapes are drawn as bones, connections as dots, the scenery behind the figure.

mod icon;
mod scenery;

pub use icon::icon;

use crate::palette::{self, channels};
use crate::plot::escape;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::contact::Scenery;
use anthropi_dynamics::model::{Figure, Link, LinkHandle, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Real, Transform, Vec3, vec3};
use std::f64::consts::PI;
use std::fmt::Write;

/// A pose with its caption.
#[derive(Clone, Debug)]
pub struct Frame {
    /// coordinates
    pub q: Vec<f64>,
    /// caption, one or more lines
    pub label: String,
}

/// A pose of a figure; the structure may change from one pose to the next.
#[derive(Clone, Copy, Debug)]
pub struct Pose<'a> {
    /// the figure
    pub figure: &'a Figure,
    /// coordinates
    pub q: &'a [f64],
    /// caption, one or more lines
    pub label: &'a str,
}

/// A pose with a ghost for comparison and force arrows.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// the pose
    pub pose: Pose<'a>,
    /// coordinates of another pose of the same figure, drawn in grey behind it
    pub ghost: Option<&'a [f64]>,
    /// arrows in front: start and vector, m, world axes
    pub arrows: &'a [(Vec3, Vec3)],
    /// arrow of the assistance
    pub assist: Option<(Vec3, Vec3)>,
}

/// Pixels per metre.
const SCALE: f64 = 130.0;
/// The camera is to the right of the figure and a little in front: angle from the side view, rad.
const AZIMUTH: f64 = 0.6;
/// Downward tilt of the camera, rad.
const ELEVATION: f64 = 0.18;
/// Margin around and between the poses, m.
const MARGIN: f64 = 0.12;
const LEFT: (f64, f64, f64) = channels(palette::LEFT_LIMB);
/// Width of an arrow's shaft and head, m.
const ARROW_WIDTH: f64 = 0.018;
const ARROW_HEAD: f64 = 0.07;

/// Projects a world point: right, up, towards the camera.
fn project(p: Vec3) -> Vec3 {
    let ((sa, ca), (se, ce)) = (Real::sin_cos(AZIMUTH), Real::sin_cos(ELEVATION));
    let (right, ahead) = (ca * p.x + sa * p.y, sa * p.x - ca * p.y);
    vec3(right, ce * p.z - se * ahead, ce * ahead + se * p.z)
}

/// A filled outline on paper.
struct Patch {
    depth: f64,
    colour: (f64, f64, f64),
    outline: Vec<(f64, f64)>,
}

/// Draws poses of one figure from left to right.
pub fn strip(figure: &Figure, frames: &[Frame]) -> String {
    let poses: Vec<Pose> = frames.iter().map(|f| Pose { figure, q: &f.q, label: &f.label }).collect();
    strip_on(&poses, &[])
}

/// Draws poses of figures that may differ, with the scenery near them. All are at their true height, unless they are too
/// far apart: then each is centred.
pub fn strip_on(poses: &[Pose], scenery: &[Scenery]) -> String {
    let pictures: Vec<Picture> =
        poses.iter().map(|pose| Picture { pose: *pose, ghost: None, arrows: &[], assist: None }).collect();
    strip_with(&pictures, scenery)
}

/// Draws poses with ghosts behind them and arrows in front.
pub fn strip_with(pictures: &[Picture], scenery: &[Scenery]) -> String {
    let poses: Vec<Pose> = pictures.iter().map(|p| p.pose).collect();
    let drawn: Vec<Vec<Patch>> = poses.iter().map(|p| patches(p.figure, p.q)).collect();
    let ghosts: Vec<Vec<Patch>> = pictures.iter().map(ghost).collect();
    let arrows: Vec<Vec<Patch>> = pictures.iter().map(arrows).collect();
    let grounds: Vec<Vec<Patch>> = poses.iter().map(|p| scenery::patches(scenery, &reach(p))).collect();
    let extents: Vec<Extent> = (0..poses.len())
        .map(|i| {
            let all =
                [&ghosts[i], &arrows[i]].iter().fold(Extent::of(&drawn[i]), |e, p| e.with(&Extent::of(p)));
            all.with_ground(&Extent::of(&grounds[i]))
        })
        .collect();
    let whole = extents.iter().fold(Extent::NONE, |a, b| a.with(b)).or_unit();
    let tallest = extents.iter().fold(0.0_f64, |h, e| h.max(e.high - e.low));
    let is_spread = whole.high - whole.low > MAX_SPREAD * tallest;
    let space = if is_spread { tallest } else { whole.high - whole.low };
    let lines = poses.iter().map(|p| p.label.lines().count()).max().unwrap_or(0).max(1);
    let height = (space + 2.0 * MARGIN) * SCALE + 9.0 + LINE * lines as f64;
    let mut body = String::new();
    let mut x = MARGIN;
    for (i, (pose, extent)) in poses.iter().zip(&extents).enumerate() {
        let extent = extent.or_unit();
        let top = if is_spread { 0.5 * (extent.high + extent.low + space) } else { whole.high };
        // wide enough for the caption
        let letters = pose.label.lines().map(|l| l.chars().count()).max().unwrap_or(0);
        let wide = (extent.to - extent.from).max(letters as f64 * LETTER / SCALE);
        let spare = 0.5 * (wide - (extent.to - extent.from));
        let shift = x + spare - extent.from;
        if !grounds[i].is_empty() {
            let (from, across) = ((x + spare) * SCALE, (extent.to - extent.from) * SCALE);
            let below = (space + 2.0 * MARGIN) * SCALE;
            let _ = writeln!(
                body,
                "<clipPath id=\"pose{i}\"><rect x=\"{from:.1}\" y=\"0\" width=\"{across:.1}\" \
                 height=\"{below:.1}\"/></clipPath>\n<g clip-path=\"url(#pose{i})\">"
            );
            grounds[i].iter().for_each(|p| draw(&mut body, p, shift, top + MARGIN));
            body.push_str("</g>\n");
        }
        if !ghosts[i].is_empty() {
            body.push_str("<g class=\"behind\" opacity=\"0.55\">\n");
            ghosts[i].iter().for_each(|p| draw(&mut body, p, shift, top + MARGIN));
            body.push_str("</g>\n");
        }
        drawn[i].iter().chain(&arrows[i]).for_each(|p| draw(&mut body, p, shift, top + MARGIN));
        let middle = (x + 0.5 * wide) * SCALE;
        for (i, line) in pose.label.lines().enumerate() {
            let y = height - 10.0 - LINE * (lines - 1 - i) as f64;
            let text = escape(line);
            let _ =
                writeln!(body, r##"<text x="{middle:.1}" y="{y:.1}" text-anchor="middle">{text}</text>"##);
        }
        x += wide + MARGIN;
    }
    let width = x * SCALE;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#444\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// Patches of the ghost of a picture.
fn ghost(picture: &Picture) -> Vec<Patch> {
    let mut found = picture.ghost.map_or(Vec::new(), |q| patches(picture.pose.figure, q));
    found.iter_mut().for_each(|p| p.colour = channels(palette::GHOST));
    found
}

/// Arrows of a picture.
fn arrows(picture: &Picture) -> Vec<Patch> {
    let forces = picture.arrows.iter().map(|a| arrow(a, palette::CONTACT_FORCE));
    forces.chain(picture.assist.iter().map(|a| arrow(a, palette::ASSIST))).collect()
}

/// An arrow on paper; depth is irrelevant because arrows are drawn last.
fn arrow((from, along): &(Vec3, Vec3), colour: &str) -> Patch {
    let (a, b) = (project(*from), project(*from + *along));
    let (x, y) = (b.x - a.x, b.y - a.y);
    let long = x.hypot(y).max(1e-9);
    let (ux, uy) = (x / long, y / long);
    let head = ARROW_HEAD.min(0.5 * long);
    // along the arrow, and to its left
    let at = |s: f64, side: f64| (a.x + s * ux - side * uy, a.y + s * uy + side * ux);
    let neck = long - head;
    let (thin, wide) = (0.5 * ARROW_WIDTH, 0.5 * head);
    let outline = vec![
        at(0.0, thin),
        at(neck, thin),
        at(neck, wide),
        at(long, 0.0),
        at(neck, -wide),
        at(neck, -thin),
        at(0.0, -thin),
    ];
    Patch { depth: 0.0, colour: channels(colour), outline }
}

/// Lower and upper corner of the bounding box of a pose, world axes.
fn reach(pose: &Pose) -> [Vec3; 2] {
    let (figure, mut kinematics) = (pose.figure, Kinematics::default());
    kinematics.update(figure.forest(), pose.q, None, None);
    let (mut lower, mut upper) = (
        vec3(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        -vec3(f64::INFINITY, f64::INFINITY, f64::INFINITY),
    );
    for (handle, link) in figure.links() {
        let place = kinematics.link_pose(figure.forest(), handle);
        let shapes = link.spec.shapes.iter().flat_map(|s| balls(&place, s));
        for (p, r) in shapes.chain([(place.translation, 0.0)]) {
            let r = vec3(r, r, r);
            (lower, upper) = (least(lower, p - r), most(upper, p + r));
        }
    }
    [lower, upper]
}

/// If the poses span more than this many times the tallest one, each is centred.
const MAX_SPREAD: f64 = 2.5;
/// Ground shown to the left and right of a figure, m.
const AROUND: f64 = 0.4;
/// Ground shown above a figure, m.
const ABOVE: f64 = 0.3;
/// Height of a line of text and width of a letter, pixels.
const LINE: f64 = 15.0;
const LETTER: f64 = 6.2;

/// Bounding rectangle on paper.
#[derive(Clone, Copy)]
struct Extent {
    from: f64,
    to: f64,
    low: f64,
    high: f64,
}

impl Extent {
    const NONE: Extent =
        Extent { from: f64::INFINITY, to: f64::NEG_INFINITY, low: f64::INFINITY, high: f64::NEG_INFINITY };

    fn of(patches: &[Patch]) -> Extent {
        let points = patches.iter().flat_map(|p| &p.outline);
        points.fold(Extent::NONE, |e, p| e.with(&Extent { from: p.0, to: p.0, low: p.1, high: p.1 }))
    }

    fn with(&self, other: &Extent) -> Extent {
        Extent {
            from: self.from.min(other.from),
            to: self.to.max(other.to),
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Extended to the ground and some of its surroundings.
    fn with_ground(&self, ground: &Extent) -> Extent {
        if !(ground.from < ground.to && self.from <= self.to) {
            return *self;
        }
        Extent {
            from: self.from.min(ground.from.max(self.from - AROUND)),
            to: self.to.max(ground.to.min(self.to + AROUND)),
            low: self.low.min(ground.low),
            high: self.high.max(ground.high.min(self.high + ABOVE)),
        }
    }

    /// A square metre if empty.
    fn or_unit(&self) -> Extent {
        if self.from < self.to && self.low < self.high {
            *self
        } else {
            Extent { from: 0.0, to: 1.0, low: 0.0, high: 1.0 }
        }
    }
}

fn draw(out: &mut String, p: &Patch, shift: f64, top: f64) {
    let points: Vec<String> = p
        .outline
        .iter()
        .map(|(x, y)| format!("{:.1},{:.1}", (x + shift) * SCALE, (top - y) * SCALE))
        .collect();
    let tone = |k: f64| {
        let c = |v: f64| (255.0 * (v * k).clamp(0.0, 1.0)).round() as u8;
        format!("#{:02x}{:02x}{:02x}", c(p.colour.0), c(p.colour.1), c(p.colour.2))
    };
    let (points, fill, edge) = (points.join(" "), tone(1.0), tone(0.6));
    let _ = writeln!(out, r#"<polygon points="{points}" fill="{fill}" stroke="{edge}" stroke-width="1"/>"#);
}

/// All shapes of a pose, back to front, connections on top.
fn patches(figure: &Figure, q: &[f64]) -> Vec<Patch> {
    let mut kinematics = Kinematics::default();
    kinematics.update(figure.forest(), q, None, None);
    let pose_of = |link: LinkHandle| kinematics.link_pose(figure.forest(), link);
    let mut found = Vec::new();
    for (handle, link) in figure.links() {
        let pose = pose_of(handle);
        if link.spec.shapes.is_empty() {
            found.extend(
                ends(figure, handle, link).into_iter().map(|end| {
                    patch(&link.spec.name, vec![(pose.translation, BONE), (pose.point(end), BONE)])
                }),
            );
        }
        for placed in &link.spec.shapes {
            let outline = patch(&link.spec.name, balls(&pose, placed));
            match placed.shape {
                Shape::Box { half } => {
                    let (r, g, b) = outline.colour;
                    let tone = |k: f64| (r * k, g * k, b * k);
                    let place = pose * placed.link_from_shape;
                    found.extend(scenery::sides(&place, half, [tone(1.1), tone(1.0), tone(0.88)]));
                }
                _ => found.push(outline),
            }
        }
    }
    found.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    for (_, link, joint) in figure.connections() {
        let Some(real) = link.real() else { continue };
        let point = (pose_of(real) * joint.child_from_joint).translation;
        found.push(Patch { colour: DOT, ..patch("", vec![(point, DOT_RADIUS)]) });
    }
    found
}

/// Drawn shape of a link: the hull of balls, link axes.
pub(crate) struct Solid {
    pub link: LinkHandle,
    pub side: Side,
    pub balls: Vec<(Vec3, f64)>,
}

/// Drawn shapes of a figure, link by link.
pub(crate) fn solids(figure: &Figure) -> Vec<Solid> {
    let mut all = Vec::new();
    for (handle, link) in figure.links() {
        let mut add = |balls| all.push(Solid { link: handle, side: Side::from_name(&link.spec.name), balls });
        if link.spec.shapes.is_empty() {
            ends(figure, handle, link).into_iter().for_each(|end| add(vec![(Vec3::ZERO, BONE), (end, BONE)]));
        }
        link.spec.shapes.iter().for_each(|placed| add(balls(&Transform::identity(), placed)));
    }
    all
}

/// Ends of the bones of a link without shapes, link axes: its children and connections, or twice its centre of mass.
fn ends(figure: &Figure, handle: LinkHandle, link: &Link) -> Vec<Vec3> {
    let children = figure.links().filter(|(_, l)| l.parent() == Some(handle));
    let places = children.filter_map(|(_, l)| figure.joint(l.joint()).ok()).map(|j| j.parent_from_joint);
    let held = figure.connections().filter_map(|(_, l, j)| match (l.real(), l.parent()) {
        (Some(a), _) if a == handle => Some(j.child_from_joint),
        (_, Some(b)) if b == handle => Some(j.parent_from_joint),
        _ => None,
    });
    let mut all: Vec<Vec3> = places.chain(held).map(|t| t.translation).collect();
    if all.is_empty() && link.spec.inertia.mass > 0.0 {
        all.push(link.spec.inertia.center().scale(2.0));
    }
    all
}

/// Colour and radius of the dot at a connection.
const DOT: (f64, f64, f64) = (0.80, 0.10, 0.20);
const DOT_RADIUS: f64 = 0.025;

/// Radius of a bone, m.
const BONE: f64 = 0.012;

/// Balls whose hull is the shape.
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

fn patch(name: &str, balls: Vec<(Vec3, f64)>) -> Patch {
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
    let colour = match Side::from_name(name) {
        Side::Left => LEFT,
        Side::Right => channels(palette::RIGHT_LIMB),
        Side::Middle => channels(palette::TRUNK),
    };
    Patch { depth, colour, outline: hull(points) }
}

/// Side of the body of a link, from its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Middle,
    Left,
    Right,
}

impl Side {
    fn from_name(name: &str) -> Side {
        // a figure may itself be called `left`
        let name = name.rsplit('/').next().unwrap_or(name);
        let is = |word: &str, letter: &str| name.contains(word) || name.starts_with(letter);
        match (is("left", "L_"), is("right", "R_")) {
            (true, _) => Side::Left,
            (_, true) => Side::Right,
            _ => Side::Middle,
        }
    }
}

/// Outline of projected points: their convex hull, counter-clockwise.
fn hull(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.retain(|p| p.0.is_finite() && p.1.is_finite());
    if points.len() < 3 {
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        return points;
    }
    let outline = anthropi_motion::hull::convex(points.into_iter().map(<[f64; 2]>::from).collect());
    outline.into_iter().map(Into::into).collect()
}

fn least(a: Vec3, b: Vec3) -> Vec3 {
    vec3(a.x.min(b.x), a.y.min(b.y), a.z.min(b.z))
}

fn most(a: Vec3, b: Vec3) -> Vec3 {
    -least(-a, -b)
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
