//! A figure with its anatomy, at rest: segments with frames that mean the same on every figure, and end points.
//!
//! Frames of segments: x forward, z from the far end to the near one (for the trunk: up), as they would be if the limb
//! were brought from hanging straight down to where it is at rest the shortest way. Arms in a T-pose and hanging arms
//! then have the same frames but for the way the arm was lifted, whatever the local axes of their bones.

use crate::anatomy::{Anatomy, Node, Part, Side, nodes_of_figure};
use crate::error::Error;
use crate::pose;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::{Mat3, Quat, Transform, Vec3, vec3};

/// Where the wrist is on a forearm that holds the hand, part of its length: forearm 0.25 m, hand 0.18 m.
const WRIST: f64 = 0.58;
/// Where the ball of the foot is, part of the way from ankle to tip.
const BALL: f64 = 0.7;
/// Joints of abdomen and neck that are nearer belong together, m.
const ONE_PLACE: f64 = 0.01;
const UP: Vec3 = vec3(0.0, 0.0, 1.0);

/// A point of a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub link: LinkHandle,
    /// link axes, m
    pub at: Vec3,
}

/// A part of the body at rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub part: Part,
    /// which of how many of the part: abdomen and neck may have several
    pub rank: (usize, usize),
    /// the link that turns with it
    pub link: LinkHandle,
    /// place among the links of the figure
    pub index: usize,
    /// world axes, at rest
    pub start: Vec3,
    pub end: Vec3,
    /// its frame at rest
    pub world_from_part: Quat,
    /// its link at rest
    pub world_from_link: Quat,
    /// the joint that begins it
    pub joint: Point,
}

/// A figure at rest, by parts.
pub(super) struct Body<'a> {
    pub figure: &'a Figure,
    pub segments: Vec<Segment>,
    /// links at rest, in the order of the figure
    pub rest: Vec<Transform>,
    pub nodes: Vec<Node<'a>>,
    /// the segment each link moves with
    pub segment_of: Vec<Option<usize>>,
    links: Vec<LinkHandle>,
    left: Vec3,
}

impl<'a> Body<'a> {
    /// # Errors
    /// An anatomy of another figure; no hips, knees or ankles.
    pub fn new(figure: &'a Figure, anatomy: &Anatomy) -> Result<Body<'a>, Error> {
        let links: Vec<LinkHandle> = figure.links().map(|(h, _)| h).collect();
        if anatomy.parts.len() != links.len() {
            let what = format!("anatomy of `{}`", figure.name);
            return Err(Error::Dimension { what, expected: links.len(), got: anatomy.parts.len() });
        }
        let rest = links.iter().map(|h| figure.home_pose(*h)).collect();
        let nodes = nodes_of_figure(figure)?;
        let segment_of = vec![None; links.len()];
        let mut body =
            Body { figure, segments: Vec::new(), rest, nodes, segment_of, links, left: Vec3::ZERO };
        body.left = body.left_axis(anatomy);
        Part::all().for_each(|part| body.add(anatomy, part));
        body.frames();
        let needed = Side::BOTH.into_iter().flat_map(|s| [Part::Thigh(s), Part::Shank(s)]);
        let missing: Vec<String> =
            needed.filter(|p| body.find(*p).is_none()).map(|p| p.to_string()).collect();
        if missing.is_empty() && body.find(Part::Pelvis).is_some() {
            return Ok(body);
        }
        let what =
            format!("no pelvis or leg to carry a motion over ({}); say which is which", missing.join(", "));
        Err(Error::Unsuitable { subject: figure.name.clone(), what })
    }

    pub fn find(&self, part: Part) -> Option<&Segment> {
        self.segments.iter().find(|s| s.part == part)
    }

    fn left_axis(&self, anatomy: &Anatomy) -> Vec3 {
        let at = |part: Part| anatomy.find(part).map(|i| self.nodes[i].at);
        let across = |make: fn(Side) -> Part| {
            let across = at(make(Side::Left))? - at(make(Side::Right))?;
            vec3(across.x, across.y, 0.0).normalized()
        };
        across(Part::Thigh).or_else(|| across(Part::UpperArm)).unwrap_or(vec3(0.0, 1.0, 0.0))
    }

    /// Segments of a part: one, or one for each place of the joints of abdomen and neck.
    fn add(&mut self, anatomy: &Anatomy, part: Part) {
        let chain = anatomy.chain(part);
        let at = |i: usize| self.nodes[i].at;
        let bends = matches!(part, Part::Abdomen | Part::Neck);
        let groups: Vec<&[usize]> =
            chain.chunk_by(|a, b| !bends || (at(*a) - at(*b)).norm() < ONE_PLACE).collect();
        let first = self.segments.len();
        for (k, group) in groups.iter().enumerate() {
            let (start, last) = (at(group[0]), group[group.len() - 1]);
            let end = groups.get(k + 1).map_or_else(|| self.end(anatomy, part, last), |next| at(next[0]));
            group.iter().for_each(|i| self.segment_of[*i] = Some(self.segments.len()));
            self.segments.push(Segment {
                part,
                rank: (k, groups.len()),
                link: self.links[last],
                index: last,
                start,
                end,
                world_from_part: Quat::IDENTITY,
                world_from_link: self.rest[last].orientation(),
                joint: self.point(group[0], start),
            });
        }
        // connectors and trinkets of the part
        for i in anatomy.nodes(part).filter(|_| !groups.is_empty()) {
            self.segment_of[i] = self.segment_of[i].or(Some(first));
        }
    }

    /// The segment of this body that moves as one of another.
    pub fn like(&self, other: &Segment) -> Option<&Segment> {
        let same: Vec<&Segment> = self.segments.iter().filter(|s| s.part == other.part).collect();
        let (k, n) = other.rank;
        // the last goes with the last
        let index = ((k + 1) * same.len()).div_ceil(n.max(1)).saturating_sub(1);
        same.get(index).copied()
    }

    /// A place at rest as a point of a link.
    fn point(&self, index: usize, at: Vec3) -> Point {
        Point { link: self.links[index], at: self.rest[index].inverse().point(at) }
    }

    /// Where a segment ends: at the joint of the next, or where its own link ends.
    fn end(&self, anatomy: &Anatomy, part: Part, last: usize) -> Vec3 {
        use Part::*;
        let next: &[Part] = match part {
            Pelvis => &[Abdomen, Chest],
            Abdomen => &[Chest],
            Chest => &[Neck, Head],
            Neck => &[Head],
            Shoulder(s) => &[UpperArm(s)],
            UpperArm(s) => &[Forearm(s)],
            Forearm(s) => &[Hand(s)],
            Hand(s) => &[Finger(s)],
            Thigh(s) => &[Shank(s)],
            Shank(s) => &[Foot(s)],
            Foot(s) => &[Toes(s)],
            _ => &[],
        };
        let start = self.nodes[last].at;
        if let Some(next) = next.iter().find_map(|p| anatomy.find(*p)).map(|i| self.nodes[i].at) {
            return next;
        }
        let below = |i: &usize| std::iter::successors(Some(*i), |k| self.nodes[*k].parent).any(|k| k == last);
        let ends =
            (last..self.nodes.len()).filter(below).map(|i| self.nodes[i].end.unwrap_or(self.nodes[i].at));
        let farthest =
            ends.max_by(|a, b| (*a - start).norm().total_cmp(&(*b - start).norm())).unwrap_or(start);
        let reach = if matches!(part, Forearm(_)) { WRIST } else { 1.0 };
        start + (farthest - start).scale(reach)
    }

    /// Frames of all segments.
    fn frames(&mut self) {
        let forward = self.left.cross(UP);
        for i in 0..self.segments.len() {
            let s = self.segments[i];
            let along = (s.end - s.start).normalized();
            let shank = s.part.side().and_then(|side| self.find(Part::Shank(side)));
            let shank = shank.and_then(|k| (k.start - k.end).normalized()).unwrap_or(UP);
            self.segments[i].world_from_part = match s.part {
                Part::Pelvis | Part::Abdomen | Part::Chest | Part::Neck | Part::Head => frame(forward, UP),
                // across, the sole follows the shank; along, it is level
                Part::Foot(_) | Part::Toes(_) => {
                    let ahead = along.and_then(|a| vec3(a.x, a.y, 0.0).normalized()).unwrap_or(forward);
                    frame(ahead, shank)
                }
                _ => {
                    let to = along.unwrap_or(-UP);
                    let turn = pose::shortest(-UP, to, forward);
                    frame(turn.rotate(forward), -to)
                }
            };
        }
    }

    /// Mean length from hip to ankle.
    pub fn leg(&self) -> f64 {
        let parts = Side::BOTH.into_iter().flat_map(|s| [Part::Thigh(s), Part::Shank(s)]);
        parts.filter_map(|p| self.find(p)).map(|s| (s.end - s.start).norm()).sum::<f64>() / 2.0
    }

    /// Between the hips.
    pub fn hips(&self) -> [Point; 2] {
        let hip = |side| self.find(Part::Thigh(side)).map(|s| s.joint);
        Side::BOTH.map(|s| hip(s).expect("thighs were found when the body was made"))
    }

    /// Height of the ankles above the soles, at rest.
    pub fn ankle_height(&self) -> f64 {
        let low = self.nodes.iter().flat_map(|n| [Some(n.at.z), n.end.map(|e| e.z)]).flatten();
        let low = low.fold(f64::INFINITY, f64::min).min(self.figure.lowest_point().unwrap_or(f64::INFINITY));
        let ankles = Side::BOTH.into_iter().filter_map(|s| self.find(Part::Shank(s))).map(|s| s.end.z);
        ankles.fold(f64::INFINITY, f64::min) - low
    }

    /// Points whose places are carried over: ankles, wrists, the top of the head; and the segment before each.
    pub fn ends(&self) -> Vec<(Part, Point)> {
        let mut ends = Vec::new();
        for side in Side::BOTH {
            for (part, before) in
                [(Part::Foot(side), Part::Shank(side)), (Part::Hand(side), Part::Forearm(side))]
            {
                let joint = self.find(part).map(|s| s.joint);
                let tip = self.find(before).map(|s| self.point(s.index, s.end));
                ends.extend(joint.or(tip).map(|p| (part, p)));
            }
        }
        ends.extend(self.find(Part::Head).map(|s| (Part::Head, self.point(s.index, s.end))));
        ends
    }

    /// Where a foot or hand stands unless told otherwise: the ball of the foot at the sole, the wrist.
    pub fn support(&self, part: Part) -> Option<Point> {
        let s = self.find(part)?;
        let at = match part {
            Part::Foot(_) => {
                let ahead = s.start + (s.end - s.start).scale(BALL);
                vec3(ahead.x, ahead.y, s.start.z - self.ankle_height())
            }
            _ => s.start,
        };
        Some(self.point(s.index, at))
    }

    /// Place of a link among the links.
    pub fn index(&self, link: LinkHandle) -> usize {
        self.links.iter().position(|l| *l == link).expect("a link of this figure")
    }

    /// World place of a point.
    pub fn place(&self, kinematics: &Kinematics, point: &Point) -> Vec3 {
        kinematics.link_pose(self.figure.forest(), point.link).point(point.at)
    }

    /// World frame of a segment.
    pub fn frame(&self, kinematics: &Kinematics, s: &Segment) -> Quat {
        let now = kinematics.link_pose(self.figure.forest(), s.link).orientation();
        now.then(s.world_from_link.inverse()).then(s.world_from_part)
    }
}

/// x along `forward` as far as `up` (z) allows.
fn frame(forward: Vec3, up: Vec3) -> Quat {
    let z = up;
    let x = (forward - z.scale(z.dot(forward))).normalized().unwrap_or(z.any_perpendicular());
    Quat::from_matrix(&Mat3 { x, y: z.cross(x), z })
}
