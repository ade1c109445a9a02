//! Rest pose of a figure by body segments: anatomical segment frames, comparable between figures, and end points.
//!
//! RestSegment frames: x forward, z from the distal to the proximal end (trunk: up), rotated with the limb by the shortest
//! rotation from hanging straight down to its rest direction. Arms of a T-pose and hanging arms then have the same frames
//! up to that rotation, independent of the local axes of their bones.

use crate::anatomy::{Anatomy, Node, Part, Side, left_axis, nodes_of_figure};
use crate::error::Error;
use crate::pose;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::{Mat3, Quat, Transform, Vec3, vec3};

/// Position of the wrist on a forearm link that includes the hand, fraction: forearm 0.25 m, hand 0.18 m.
const WRIST: f64 = 0.58;
/// Position of the ball of the foot from ankle to tip, fraction.
const BALL: f64 = 0.7;
/// Joints of abdomen or neck closer than this form one segment, m.
const COINCIDENT: f64 = 0.01;
const UP: Vec3 = vec3(0.0, 0.0, 1.0);

/// A point of a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub link: LinkHandle,
    /// link axes, m
    pub at: Vec3,
}

/// A body segment in the rest pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct RestSegment {
    pub part: Part,
    /// index and number of segments of the part: abdomen and neck may have several
    pub rank: (usize, usize),
    /// the link that gives its orientation
    pub link: LinkHandle,
    /// index of the link in the figure
    pub index: usize,
    /// world axes
    pub start: Vec3,
    pub end: Vec3,
    /// segment frame
    pub world_from_part: Quat,
    pub world_from_link: Quat,
    /// proximal joint
    pub joint: Point,
}

/// Rest pose of a figure by segments.
pub(super) struct RestPose<'a> {
    pub figure: &'a Figure,
    pub segments: Vec<RestSegment>,
    /// poses of the links
    pub rest: Vec<Transform>,
    pub nodes: Vec<Node<'a>>,
    /// by link: the segment it moves with
    pub segment_of: Vec<Option<usize>>,
    links: Vec<LinkHandle>,
    left: Vec3,
}

impl<'a> RestPose<'a> {
    /// # Errors
    /// An anatomy of another figure; no hips, knees or ankles.
    pub fn new(figure: &'a Figure, anatomy: &Anatomy) -> Result<RestPose<'a>, Error> {
        let links: Vec<LinkHandle> = figure.links().map(|(h, _)| h).collect();
        if anatomy.parts.len() != links.len() {
            let what = format!("anatomy of `{}`", figure.name);
            return Err(Error::Dimension { what, expected: links.len(), got: anatomy.parts.len() });
        }
        let rest = links.iter().map(|h| figure.home_pose(*h)).collect();
        let nodes: Vec<Node> = nodes_of_figure(figure)?;
        let left = left_axis(|part| anatomy.find(part).map(|i| nodes[i].at));
        let segment_of = vec![None; links.len()];
        let mut body = RestPose { figure, segments: Vec::new(), rest, nodes, segment_of, links, left };
        Part::all().for_each(|part| body.add(anatomy, part));
        body.frames();
        let needed = Side::BOTH.into_iter().flat_map(|s| [Part::Thigh(s), Part::Shank(s)]);
        let missing: Vec<String> =
            needed.filter(|p| body.find(*p).is_none()).map(|p| p.to_string()).collect();
        if missing.is_empty() && body.find(Part::Pelvis).is_some() {
            return Ok(body);
        }
        let what =
            format!("retargeting needs a pelvis and legs; missing: {}; assign the parts", missing.join(", "));
        Err(Error::unsuitable(&figure.name, what))
    }

    pub fn find(&self, part: Part) -> Option<&RestSegment> {
        self.segments.iter().find(|s| s.part == part)
    }

    /// Adds the segments of a part: one, or one per distinct joint of abdomen and neck.
    fn add(&mut self, anatomy: &Anatomy, part: Part) {
        let chain = anatomy.chain(part);
        let at = |i: usize| self.nodes[i].at;
        let bends = matches!(part, Part::Abdomen | Part::Neck);
        let groups: Vec<&[usize]> =
            chain.chunk_by(|a, b| !bends || (at(*a) - at(*b)).norm() < COINCIDENT).collect();
        let first = self.segments.len();
        for (k, group) in groups.iter().enumerate() {
            let (start, last) = (at(group[0]), group[group.len() - 1]);
            let end = groups.get(k + 1).map_or_else(|| self.end(anatomy, part, last), |next| at(next[0]));
            group.iter().for_each(|i| self.segment_of[*i] = Some(self.segments.len()));
            self.segments.push(RestSegment {
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
        // connectors and accessories of the part
        for i in anatomy.nodes(part).filter(|_| !groups.is_empty()) {
            self.segment_of[i] = self.segment_of[i].or(Some(first));
        }
    }

    /// The segment that corresponds to one of another figure.
    pub fn corresponding(&self, other: &RestSegment) -> Option<&RestSegment> {
        let same: Vec<&RestSegment> = self.segments.iter().filter(|s| s.part == other.part).collect();
        let (k, n) = other.rank;
        // the last corresponds to the last
        let index = ((k + 1) * same.len()).div_ceil(n.max(1)).saturating_sub(1);
        same.get(index).copied()
    }

    /// A world position as a point of a link.
    fn point(&self, index: usize, at: Vec3) -> Point {
        Point { link: self.links[index], at: self.rest[index].inverse().point(at) }
    }

    /// End of a segment: the joint of the next, or the end of its own link.
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

    /// Computes the segment frames.
    fn frames(&mut self) {
        let forward = self.left.cross(UP);
        for i in 0..self.segments.len() {
            let s = self.segments[i];
            let along = (s.end - s.start).normalized();
            let shank = s.part.side().and_then(|side| self.find(Part::Shank(side)));
            let shank = shank.and_then(|k| (k.start - k.end).normalized()).unwrap_or(UP);
            self.segments[i].world_from_part = match s.part {
                Part::Pelvis | Part::Abdomen | Part::Chest | Part::Neck | Part::Head => frame(forward, UP),
                // the sole is level along the foot and follows the shank across it
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
    pub fn leg_length(&self) -> f64 {
        let parts = Side::BOTH.into_iter().flat_map(|s| [Part::Thigh(s), Part::Shank(s)]);
        parts.filter_map(|p| self.find(p)).map(|s| (s.end - s.start).norm()).sum::<f64>() / 2.0
    }

    /// Left and right hip.
    pub fn hips(&self) -> [Point; 2] {
        let hip = |side| self.find(Part::Thigh(side)).map(|s| s.joint);
        Side::BOTH.map(|s| hip(s).expect("thighs were found when the body was made"))
    }

    /// Height of the ankles above the soles.
    pub fn ankle_height(&self) -> f64 {
        let low = self.nodes.iter().flat_map(|n| [Some(n.at.z), n.end.map(|e| e.z)]).flatten();
        let low = low.fold(f64::INFINITY, f64::min).min(self.figure.lowest_point().unwrap_or(f64::INFINITY));
        let ankles = Side::BOTH.into_iter().filter_map(|s| self.find(Part::Shank(s))).map(|s| s.end.z);
        ankles.fold(f64::INFINITY, f64::min) - low
    }

    /// Points whose positions are transferred: ankles, wrists and top of the head.
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

    /// Default contact point of a foot or hand: the ball of the foot at the sole, the wrist.
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

    /// Index of a link.
    pub fn index(&self, link: LinkHandle) -> usize {
        self.links.iter().position(|l| *l == link).expect("a link of this figure")
    }

    /// World position of a point in the rest pose.
    pub fn rest_position(&self, point: &Point) -> Vec3 {
        self.rest[self.index(point.link)].point(point.at)
    }

    /// World position of a point.
    pub fn position(&self, kinematics: &Kinematics, point: &Point) -> Vec3 {
        kinematics.link_pose(self.figure.forest(), point.link).point(point.at)
    }

    /// World frame of a segment.
    pub fn frame(&self, kinematics: &Kinematics, s: &RestSegment) -> Quat {
        let now = kinematics.link_pose(self.figure.forest(), s.link).orientation();
        now.then(s.world_from_link.inverse()).then(s.world_from_part)
    }
}

/// Frame with z along `up` and x closest to `forward`.
fn frame(forward: Vec3, up: Vec3) -> Quat {
    let z = up;
    let x = (forward - z.scale(z.dot(forward))).normalized().unwrap_or(z.any_perpendicular());
    Quat::from_matrix(&Mat3 { x, y: z.cross(x), z })
}
