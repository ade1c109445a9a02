//! Points of a figure that may touch the ground: heels and balls of the feet, and palms.

use crate::anatomy::{Anatomy, Part, Side};
use crate::anthropometry::{self, BALL, HEEL};
use crate::error::Error;
use crate::hull;
use anthropi_dynamics::model::{Figure, LinkHandle, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Vec3, vec3};
use std::fmt;

/// Points of a foot within this height above its lowest are part of its sole, m.
const SOLE_THICKNESS: f64 = 0.012;
/// Shortest sole, part of the foot's length,
const MIN_SOLE_LENGTH: f64 = 0.5;
/// and its steepest slope in the home pose.
const MAX_SOLE_SLOPE: f64 = 0.5;
const UP: Vec3 = vec3(0.0, 0.0, 1.0);

/// Part of a limb that makes contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    /// rear end of a sole
    Heel(Side),
    /// front end of a sole
    Toe(Side),
    /// end of a hand
    Palm(Side),
    /// surface of another segment: knee, elbow or shoulder end of a limb, or the whole trunk or head
    Segment(Part),
    /// place of a part that rests on a prop, with the number of the prop, from one
    OnProp(Part, usize),
}

impl Site {
    /// Sites that walking and standing use.
    pub const ALL: [Site; 6] = [
        Site::Heel(Side::Left),
        Site::Toe(Side::Left),
        Site::Heel(Side::Right),
        Site::Toe(Side::Right),
        Site::Palm(Side::Left),
        Site::Palm(Side::Right),
    ];

    /// Side of the body; `None` in its middle.
    pub fn side(self) -> Option<Side> {
        match self {
            Site::Heel(s) | Site::Toe(s) | Site::Palm(s) => Some(s),
            Site::Segment(part) | Site::OnProp(part, _) => part.side(),
        }
    }

    /// Whether it is on a foot.
    pub fn is_foot(self) -> bool {
        matches!(self, Site::Heel(_) | Site::Toe(_))
    }

    /// Whether it is on neither foot nor hand.
    pub fn is_segment(self) -> bool {
        matches!(self, Site::Segment(_))
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Site::Heel(side) => write!(f, "{side}_heel"),
            Site::Toe(side) => write!(f, "{side}_toe"),
            Site::Palm(side) => write!(f, "{side}_hand"),
            Site::Segment(part) => write!(f, "{part}"),
            Site::OnProp(part, prop) => write!(f, "{part}_on_prop_{prop}"),
        }
    }
}

/// A contact point on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactPoint {
    /// site on the limb
    pub site: Site,
    /// link that carries it
    pub link: LinkHandle,
    /// points in the link's axes: left and right end of a sole's edge, or one point
    pub points: Vec<Vec3>,
}

/// Finds the contact points of a figure from the shapes of its feet and hands in the home pose.
///
/// # Errors
/// No foot.
pub fn find(figure: &Figure, anatomy: &Anatomy) -> Result<Vec<ContactPoint>, Error> {
    let links: Vec<LinkHandle> = figure.links().map(|(handle, _)| handle).collect();
    let mut points = Vec::new();
    let ahead = facing(figure, anatomy, &links);
    for side in Side::BOTH {
        if let Some(foot) = anatomy.last(Part::Foot(side)) {
            let found = sole(figure, links[foot], side, ahead);
            let found = found.or_else(|| bare_sole(figure, anatomy, &links, side, ahead));
            points.extend(found.into_iter().flatten());
        }
    }
    if points.is_empty() {
        return Err(Error::unsuitable(&figure.name, "no foot was found, so there are no contact points"));
    }
    for side in Side::BOTH {
        let hand = anatomy.last(Part::Hand(side)).or_else(|| anatomy.last(Part::Forearm(side)));
        points.extend(hand.and_then(|hand| palm(figure, links[hand], side)));
    }
    Ok(points)
}

/// Finds points on the other segments that may touch the ground: around the upper end of shanks, forearms and upper arms
/// (knees, elbows, shoulders), and on all sides of pelvis, chest and head.
pub fn find_segments(figure: &Figure, anatomy: &Anatomy) -> Vec<ContactPoint> {
    let links: Vec<LinkHandle> = figure.links().map(|(handle, _)| handle).collect();
    let limbs = Side::BOTH
        .into_iter()
        .flat_map(|side| [Part::Shank(side), Part::Forearm(side), Part::UpperArm(side)]);
    let parts = [Part::Pelvis, Part::Chest, Part::Head].into_iter().chain(limbs);
    let point = |part: Part| {
        let link = links[anatomy.find(part)?];
        let shapes = figure.link(link).map_or(&[][..], |l| &l.spec.shapes);
        let points: Vec<Vec3> = shapes.iter().flat_map(surface).collect();
        (!points.is_empty()).then_some(ContactPoint { site: Site::Segment(part), link, points })
    };
    parts.filter_map(point).collect()
}

/// Points on the surface of a shape, in the link's axes: those of a capsule or cylinder are around the end nearer to the
/// link's origin, others on all sides.
fn surface(placed: &PlacedShape) -> Vec<Vec3> {
    let at = |p: Vec3| placed.link_from_shape.point(p);
    let sides = |half: Vec3| {
        let axes = [vec3(half.x, 0.0, 0.0), vec3(0.0, half.y, 0.0), vec3(0.0, 0.0, half.z)];
        axes.into_iter().flat_map(|p| [p, p.scale(-1.0)])
    };
    match &placed.shape {
        Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
            let ends = [-half_length, *half_length].map(|z| vec3(0.0, 0.0, z));
            let near = if at(ends[0]).norm() < at(ends[1]).norm() { ends[0] } else { ends[1] };
            let ring = sides(vec3(*radius, *radius, 0.0)).take(4);
            ring.map(|p| at(near + p))
                .chain([at(near.scale(1.0 + radius / half_length.max(*radius)))])
                .collect()
        }
        Shape::Sphere { radius } => sides(vec3(*radius, *radius, *radius)).map(at).collect(),
        Shape::Box { half } | Shape::Ellipsoid { half } => sides(*half).map(at).collect(),
        Shape::Convex { points } => points.iter().map(|p| at(*p)).collect(),
    }
}

/// Facing direction in the home pose.
fn facing(figure: &Figure, anatomy: &Anatomy, links: &[LinkHandle]) -> Vec3 {
    let hip = |side| anatomy.find(Part::Thigh(side)).map(|i| figure.home_pose(links[i]).translation);
    let across = match (hip(Side::Left), hip(Side::Right)) {
        (Some(l), Some(r)) => Vec3 { z: 0.0, ..(l - r) },
        _ => vec3(0.0, 1.0, 0.0),
    };
    across.cross(UP).normalized().unwrap_or(vec3(1.0, 0.0, 0.0))
}

/// Heel and toe: ends of the rectangle around the lowest points; for a foot pitched in the home pose, around the points
/// of the face below its middle.
fn sole(figure: &Figure, link: LinkHandle, side: Side, ahead: Vec3) -> Option<[ContactPoint; 2]> {
    let home = figure.home_pose(link);
    let points: Vec<Vec3> = corners(figure, link).into_iter().map(|p| home.point(p)).collect();
    let level = Patch::lowest(&points, ahead, UP)?;
    let patch = pitched(&points, ahead, &level).unwrap_or(level);
    let back = home.inverse();
    Some(heel_and_toe(link, side, patch.along, |x| patch.edge(x).map(|p| back.point(p)).to_vec()))
}

/// The rear and the front end of a sole.
fn heel_and_toe(
    link: LinkHandle,
    side: Side,
    (rear, front): (f64, f64),
    edge: impl Fn(f64) -> Vec<Vec3>,
) -> [ContactPoint; 2] {
    let end = |site: Site, x: f64| ContactPoint { site, link, points: edge(x) };
    [end(Site::Heel(side), rear), end(Site::Toe(side), front)]
}

/// Coplanar points that can bear a foot, and their bounding rectangle.
struct Patch {
    ahead: Vec3,
    up: Vec3,
    /// of the plane, along `up`
    height: f64,
    /// rear and front
    along: (f64, f64),
    /// right and left
    across: (f64, f64),
}

impl Patch {
    /// The patch of the lowest points.
    fn lowest(points: &[Vec3], ahead: Vec3, up: Vec3) -> Option<Patch> {
        let height = points.iter().map(|p| p.dot(up)).reduce(f64::min)?;
        let low: Vec<Vec3> = points.iter().filter(|p| p.dot(up) < height + SOLE_THICKNESS).copied().collect();
        Some(Patch { ahead, up, height, along: span(&low, ahead), across: span(&low, up.cross(ahead)) })
    }

    /// Left and right end of the line across it at `x`.
    fn edge(&self, x: f64) -> [Vec3; 2] {
        let left = self.up.cross(self.ahead);
        let at = |y: f64| self.ahead.scale(x) + left.scale(y) + self.up.scale(self.height);
        [at(self.across.1), at(self.across.0)]
    }
}

/// Extent of points along a direction.
fn span(points: &[Vec3], direction: Vec3) -> (f64, f64) {
    let along = points.iter().map(|p| p.dot(direction));
    along.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
}

/// Sole of a foot pitched in the home pose: the edge of its side outline below its middle. `None` if the foot is level or
/// no edge is long enough.
fn pitched(points: &[Vec3], ahead: Vec3, level: &Patch) -> Option<Patch> {
    let (rear, front) = span(points, ahead);
    let (whole, length) = (front - rear, level.along.1 - level.along.0);
    if length >= MIN_SOLE_LENGTH * whole {
        return None;
    }
    let from_the_side: Vec<Vec3> = points.iter().map(|p| vec3(p.dot(ahead), p.z, 0.0)).collect();
    let (origin, outline) = hull::around(&from_the_side);
    let middle = 0.5 * (rear + front) - origin.x;
    // counter-clockwise: edges that go ahead are below
    let mut edges = outline.iter().zip(outline.iter().cycle().skip(1));
    let (a, b) = edges.find(|(a, b)| a[0] <= middle && middle < b[0])?;
    let (run, rise) = (b[0] - a[0], b[1] - a[1]);
    if run < MIN_SOLE_LENGTH * whole || rise.abs() > MAX_SOLE_SLOPE * run {
        return None;
    }
    let along = (ahead.scale(run) + UP.scale(rise)).normalized()?;
    Patch::lowest(points, along, along.cross(UP.cross(ahead)))
}

/// Heel and toe of a foot without shapes, as in musculoskeletal models: from behind the ankle to a third of the toes,
/// with the sole at the tables' distance below the lowest joint of the foot.
fn bare_sole(
    figure: &Figure,
    anatomy: &Anatomy,
    links: &[LinkHandle],
    side: Side,
    ahead: Vec3,
) -> Option<[ContactPoint; 2]> {
    let at = |node: usize| figure.home_pose(links[node]).translation;
    let leg = (at(anatomy.find(Part::Thigh(side))?) - at(anatomy.find(Part::Foot(side))?)).norm();
    let stature = figure.stature.unwrap_or(leg / anthropometry::LEG);
    let joints: Vec<Vec3> =
        anatomy.nodes(Part::Foot(side)).chain(anatomy.nodes(Part::Toes(side))).map(at).collect();
    let low = joints.iter().map(|p| p.z).reduce(f64::min)? - BALL * stature;
    let ankle = at(anatomy.find(Part::Foot(side))?);
    let rear = joints.iter().map(|p| p.dot(ahead)).reduce(f64::min)?.min(ankle.dot(ahead) - HEEL * stature);
    let front = rear + 0.87 * anthropometry::FOOT_LENGTH * stature;
    let link = links[anatomy.last(Part::Foot(side))?];
    let (back, left) = (figure.home_pose(link).inverse(), UP.cross(ahead));
    let half = 0.5 * anthropometry::FOOT_BREADTH * stature;
    let edge = |x: f64| {
        let corner =
            |y: f64| back.point(ahead.scale(x) + left.scale(ankle.dot(left) + y) + vec3(0.0, 0.0, low));
        vec![corner(half), corner(-half)]
    };
    Some(heel_and_toe(link, side, (rear, front), edge))
}

/// The point of a hand farthest from its joint.
fn palm(figure: &Figure, link: LinkHandle, side: Side) -> Option<ContactPoint> {
    let far = corners(figure, link).into_iter().max_by(|a, b| a.norm().total_cmp(&b.norm()))?;
    Some(ContactPoint { site: Site::Palm(side), link, points: vec![far] })
}

/// Points on the outside of a link's shapes, in its axes.
fn corners(figure: &Figure, link: LinkHandle) -> Vec<Vec3> {
    let shapes = figure.link(link).map_or(&[][..], |l| &l.spec.shapes);
    let down = figure.home_pose(link).inverse().rotation.mul(vec3(0.0, 0.0, -1.0));
    shapes.iter().flat_map(|s| outside(s, down)).collect()
}

fn outside(placed: &PlacedShape, down: Vec3) -> Vec<Vec3> {
    let at = |p: Vec3| placed.link_from_shape.point(p);
    let signs = |half: Vec3| {
        (0..8).map(move |k| {
            let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            vec3(sign(0) * half.x, sign(1) * half.y, sign(2) * half.z)
        })
    };
    let ball = |center: Vec3, radius: f64| {
        let centre = at(center);
        let outward = centre.normalized().unwrap_or(down);
        vec![centre + down.scale(radius), centre + outward.scale(radius)]
    };
    match &placed.shape {
        Shape::Box { half } => signs(*half).map(at).collect(),
        Shape::Sphere { radius } => ball(Vec3::ZERO, *radius),
        Shape::Capsule { radius, half_length } => {
            [-half_length, *half_length].into_iter().flat_map(|z| ball(vec3(0.0, 0.0, z), *radius)).collect()
        }
        Shape::Cylinder { radius, half_length } => {
            signs(vec3(*radius, *radius, *half_length)).map(at).collect()
        }
        Shape::Ellipsoid { half } => [vec3(half.x, 0.0, 0.0), vec3(0.0, half.y, 0.0), vec3(0.0, 0.0, half.z)]
            .into_iter()
            .flat_map(|p| [at(p), at(p.scale(-1.0))])
            .collect(),
        Shape::Convex { points } => points.iter().map(|p| at(*p)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::joint::JointKind;
    use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkSpec};
    use anthropi_dynamics::spatial::{Quat, Transform};

    /// Heel and toe of a capsule foot, 12 cm between the centres of its ends, pitched toes down.
    fn soles_of_a_bar(pitch: f64) -> [ContactPoint; 2] {
        let shape = Shape::Capsule { radius: 0.02, half_length: 0.06 };
        let mut foot = LinkSpec::new("foot", shape.inertia(1000.0).unwrap());
        // its axis z points ahead, then pitches
        let turn = Quat::exp(vec3(0.0, pitch + std::f64::consts::FRAC_PI_2, 0.0));
        let link_from_shape = Transform::new(vec3(0.03, 0.0, -0.05), turn);
        foot.shapes = vec![PlacedShape { shape, link_from_shape }];
        let mut builder = FigureBuilder::new("foot");
        let link = builder.add(foot, JointSpec::new("root", JointKind::Free)).unwrap();
        sole(&builder.build().unwrap(), link, Side::Left, vec3(1.0, 0.0, 0.0)).unwrap()
    }

    #[test]
    fn a_foot_pitched_in_the_home_pose_has_its_whole_sole() {
        for pitch in [0.0f64, 0.17, -0.25] {
            let [heel, toe] = soles_of_a_bar(pitch).map(|p| p.points[0]);
            let way = toe - heel;
            assert!(way.norm() > 0.11, "{pitch}: {way:?}");
            assert!((way.z + way.norm() * pitch.sin()).abs() < 5e-3, "{pitch}: {way:?}");
        }
        // a steep foot touches with its tip only
        let [heel, toe] = soles_of_a_bar(1.0).map(|p| p.points[0]);
        assert!((toe - heel).norm() < 0.05, "{heel:?} {toe:?}");
    }
}
