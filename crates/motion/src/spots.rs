//! Points of a figure that may touch the ground: heels and balls of the feet, and palms.

use crate::anatomy::{Anatomy, Part, Side};
use crate::anthropometry::{self, BALL, HEEL};
use crate::error::Error;
use crate::hull;
use anthropi_dynamics::model::{Figure, LinkHandle, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Vec3, vec3};
use std::fmt;

/// Points of a foot this much above its lowest are part of its sole, m.
const SOLE: f64 = 0.012;
/// A sole is at least this part of its foot long...
const PART_OF_FOOT: f64 = 0.5;
/// ...and rises by no more than this part of its length when the figure is at home.
const STEEPEST: f64 = 0.5;
const UP: Vec3 = vec3(0.0, 0.0, 1.0);

/// What of a limb touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spot {
    /// rear end of a sole
    Heel(Side),
    /// front end of a sole
    Toe(Side),
    /// end of a hand
    Palm(Side),
}

impl Spot {
    /// All of them.
    pub const ALL: [Spot; 6] = [
        Spot::Heel(Side::Left),
        Spot::Toe(Side::Left),
        Spot::Heel(Side::Right),
        Spot::Toe(Side::Right),
        Spot::Palm(Side::Left),
        Spot::Palm(Side::Right),
    ];

    /// Whose.
    pub fn side(self) -> Side {
        match self {
            Spot::Heel(s) | Spot::Toe(s) | Spot::Palm(s) => s,
        }
    }

    /// Whether it is of a foot.
    pub fn is_foot(self) -> bool {
        !matches!(self, Spot::Palm(_))
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let side = if self.side() == Side::Left { "left" } else { "right" };
        let what = match self {
            Spot::Heel(_) => "heel",
            Spot::Toe(_) => "toe",
            Spot::Palm(_) => "hand",
        };
        write!(f, "{side}_{what}")
    }
}

/// A spot on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// which
    pub spot: Spot,
    /// the link it is on
    pub link: LinkHandle,
    /// its points in the link's axes: left and right end of a sole's edge, or one point
    pub points: Vec<Vec3>,
}

/// Spots of a figure whose links are recognised, from the shapes of its feet and hands in the home pose.
///
/// # Errors
/// No foot.
pub fn of_figure(figure: &Figure, anatomy: &Anatomy) -> Result<Vec<Place>, Error> {
    let links: Vec<LinkHandle> = figure.links().map(|(handle, _)| handle).collect();
    let mut places = Vec::new();
    let ahead = facing(figure, anatomy, &links);
    for side in Side::BOTH {
        if let Some(foot) = anatomy.last(Part::Foot(side)) {
            let found = sole(figure, links[foot], side, ahead);
            let found = found.or_else(|| bare_sole(figure, anatomy, &links, side, ahead));
            places.extend(found.into_iter().flatten());
        }
    }
    if places.is_empty() {
        let what = "no foot was found, so nothing can stand on the ground".to_string();
        return Err(Error::Unsuitable { subject: figure.name.clone(), what });
    }
    for side in Side::BOTH {
        let hand = anatomy.last(Part::Hand(side)).or_else(|| anatomy.last(Part::Forearm(side)));
        places.extend(hand.and_then(|hand| palm(figure, links[hand], side)));
    }
    Ok(places)
}

/// Where the figure faces at home.
fn facing(figure: &Figure, anatomy: &Anatomy, links: &[LinkHandle]) -> Vec3 {
    let hip = |side| anatomy.find(Part::Thigh(side)).map(|i| figure.home_pose(links[i]).translation);
    let across = match (hip(Side::Left), hip(Side::Right)) {
        (Some(l), Some(r)) => Vec3 { z: 0.0, ..(l - r) },
        _ => vec3(0.0, 1.0, 0.0),
    };
    across.cross(UP).normalized().unwrap_or(vec3(1.0, 0.0, 0.0))
}

/// Heel and toe: ends of the rectangle around the lowest points; where those are no more than an end of a foot that is
/// pitched at home, of the points that it stands on with its middle above them.
fn sole(figure: &Figure, link: LinkHandle, side: Side, ahead: Vec3) -> Option<[Place; 2]> {
    let home = figure.home_pose(link);
    let points: Vec<Vec3> = corners(figure, link).into_iter().map(|p| home.point(p)).collect();
    let level = Patch::of(&points, ahead, UP)?;
    let patch = pitched(&points, ahead, &level).unwrap_or(level);
    let back = home.inverse();
    let edge = |x: f64| patch.edge(x).map(|p| back.point(p)).to_vec();
    Some([
        Place { spot: Spot::Heel(side), link, points: edge(patch.along.0) },
        Place { spot: Spot::Toe(side), link, points: edge(patch.along.1) },
    ])
}

/// Points in one plane that a foot may stand on, and the rectangle around them.
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
    /// Of the lowest points.
    fn of(points: &[Vec3], ahead: Vec3, up: Vec3) -> Option<Patch> {
        let height = points.iter().map(|p| p.dot(up)).reduce(f64::min)?;
        let low: Vec<Vec3> = points.iter().filter(|p| p.dot(up) < height + SOLE).copied().collect();
        Some(Patch { ahead, up, height, along: span(&low, ahead), across: span(&low, up.cross(ahead)) })
    }

    /// Left and right end of the line across it.
    fn edge(&self, x: f64) -> [Vec3; 2] {
        let left = self.up.cross(self.ahead);
        let at = |y: f64| self.ahead.scale(x) + left.scale(y) + self.up.scale(self.height);
        [at(self.across.1), at(self.across.0)]
    }
}

/// First and last of points along a direction.
fn span(points: &[Vec3], direction: Vec3) -> (f64, f64) {
    let along = points.iter().map(|p| p.dot(direction));
    along.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
}

/// What a foot whose lowest points are an end of it only stands on: the edge of its outline, seen from the side, that lies
/// below its middle. None where the foot is level, or no edge is long enough to be a sole.
fn pitched(points: &[Vec3], ahead: Vec3, level: &Patch) -> Option<Patch> {
    let (rear, front) = span(points, ahead);
    let (whole, length) = (front - rear, level.along.1 - level.along.0);
    if length >= PART_OF_FOOT * whole {
        return None;
    }
    let from_the_side: Vec<Vec3> = points.iter().map(|p| vec3(p.dot(ahead), p.z, 0.0)).collect();
    let (origin, outline) = hull::around(&from_the_side);
    let middle = 0.5 * (rear + front) - origin.x;
    // counter-clockwise: edges that go ahead are below
    let mut edges = outline.iter().zip(outline.iter().cycle().skip(1));
    let (a, b) = edges.find(|(a, b)| a[0] <= middle && middle < b[0])?;
    let (run, rise) = (b[0] - a[0], b[1] - a[1]);
    if run < PART_OF_FOOT * whole || rise.abs() > STEEPEST * run {
        return None;
    }
    let along = (ahead.scale(run) + UP.scale(rise)).normalized()?;
    Patch::of(points, along, along.cross(UP.cross(ahead)))
}

/// Heel and toe of a foot without shapes, as musculoskeletal models have them: from behind the ankle to a third of the
/// toes, as high under the lowest joint of the foot as people's soles are under the ball of the foot.
fn bare_sole(
    figure: &Figure,
    anatomy: &Anatomy,
    links: &[LinkHandle],
    side: Side,
    ahead: Vec3,
) -> Option<[Place; 2]> {
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
    Some([
        Place { spot: Spot::Heel(side), link, points: edge(rear) },
        Place { spot: Spot::Toe(side), link, points: edge(front) },
    ])
}

/// The point of a hand farthest from its joint.
fn palm(figure: &Figure, link: LinkHandle, side: Side) -> Option<Place> {
    let far = corners(figure, link).into_iter().max_by(|a, b| a.norm().total_cmp(&b.norm()))?;
    Some(Place { spot: Spot::Palm(side), link, points: vec![far] })
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

    /// Heel and toe of a foot of a bar with round ends, 12 cm between their middles, whose toes hang down by an angle.
    fn soles_of_a_bar(pitch: f64) -> [Place; 2] {
        let shape = Shape::Capsule { radius: 0.02, half_length: 0.06 };
        let mut foot = LinkSpec::new("foot", shape.inertia(1000.0).unwrap());
        // its axis z is put ahead, then pitched
        let turn = Quat::exp(vec3(0.0, pitch + std::f64::consts::FRAC_PI_2, 0.0));
        let link_from_shape = Transform::new(vec3(0.03, 0.0, -0.05), turn);
        foot.shapes = vec![PlacedShape { shape, link_from_shape }];
        let mut builder = FigureBuilder::new("foot");
        let link = builder.add(foot, JointSpec::new("root", JointKind::Free)).unwrap();
        sole(&builder.build().unwrap(), link, Side::Left, vec3(1.0, 0.0, 0.0)).unwrap()
    }

    #[test]
    fn a_foot_that_is_pitched_at_home_stands_on_all_of_its_sole() {
        for pitch in [0.0f64, 0.17, -0.25] {
            let [heel, toe] = soles_of_a_bar(pitch).map(|p| p.points[0]);
            let way = toe - heel;
            assert!(way.norm() > 0.11, "{pitch}: {way:?}");
            assert!((way.z + way.norm() * pitch.sin()).abs() < 5e-3, "{pitch}: {way:?}");
        }
        // on its tip it stands on the tip
        let [heel, toe] = soles_of_a_bar(1.0).map(|p| p.points[0]);
        assert!((toe - heel).norm() < 0.05, "{heel:?} {toe:?}");
    }
}
