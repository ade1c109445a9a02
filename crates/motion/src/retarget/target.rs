//! Target of a frame for ideal spherical joints: segment orientations and end positions.

use super::Scale;
use super::rest_pose::{Point, RestPose};
use crate::anatomy::Part;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// Scaling of positions from source to target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Similarity {
    /// ratio of leg lengths
    pub ratio: f64,
    /// added to heights, to keep soles on the ground
    pub lift: f64,
}

impl Similarity {
    pub fn between(source: &RestPose, target: &RestPose, scale: Scale) -> Similarity {
        match scale {
            Scale::Keep => Similarity { ratio: 1.0, lift: 0.0 },
            Scale::ToFigure => {
                let ratio = target.leg_length() / source.leg_length();
                Similarity { ratio, lift: target.ankle_height() - ratio * source.ankle_height() }
            }
        }
    }

    pub fn apply(&self, p: Vec3) -> Vec3 {
        p.scale(self.ratio) + vec3(0.0, 0.0, self.lift)
    }
}

/// Target of one frame.
#[derive(Clone, Debug, Default)]
pub(super) struct FrameTarget {
    /// by segment of the target: world from link
    pub turns: Vec<Option<Quat>>,
    /// by end of the target
    pub ends: Vec<Vec3>,
    /// midpoint of the hips
    pub hips: Vec3,
}

/// Correspondence of source and target.
pub(super) struct Correspondence<'a> {
    pub source: &'a RestPose<'a>,
    pub target: &'a RestPose<'a>,
    pub similarity: Similarity,
    pub scale: Scale,
    /// common ends, on the target
    pub ends: Vec<(Part, Point)>,
    source_ends: Vec<Point>,
}

impl<'a> Correspondence<'a> {
    pub fn new(source: &'a RestPose<'a>, target: &'a RestPose<'a>, scale: Scale) -> Correspondence<'a> {
        let others = source.ends();
        let same = |part: Part| others.iter().find(|(p, _)| *p == part).map(|(_, at)| *at);
        let both = target.ends().into_iter().filter_map(|(part, at)| Some(((part, at), same(part)?)));
        let (ends, source_ends) = both.unzip();
        let similarity = Similarity::between(source, target, scale);
        Correspondence { source, target, similarity, scale, ends, source_ends }
    }

    /// The target for a pose of the source.
    pub fn target(&self, pose: &Kinematics) -> FrameTarget {
        let [l, r] = self.source.hips().map(|p| self.source.position(pose, &p));
        let hips = self.similarity.apply((l + r).scale(0.5));
        // rotation of each segment from rest
        let turned: Vec<Option<Quat>> = self
            .target
            .segments
            .iter()
            .map(|s| {
                let from = self.source.corresponding(s)?;
                Some(self.source.frame(pose, from).then(s.world_from_part.inverse()))
            })
            .collect();
        let turns = self.target.segments.iter().zip(&turned);
        let turns = turns.map(|(s, d)| d.map(|d| d.then(s.world_from_link))).collect();
        let ideal = self.ideal(&turned, hips);
        let ends = self.ends.iter().zip(&self.source_ends).map(|((part, point), from)| {
            let from = self.source.position(pose, from);
            let is_foot = matches!(part, Part::Foot(_));
            if is_foot || self.scale == Scale::Keep { self.similarity.apply(from) } else { ideal(point) }
        });
        FrameTarget { ends: ends.collect(), turns, hips }
    }

    /// Rotation of the target's pelvis from rest.
    pub fn pelvis_rotation(&self, target: &FrameTarget) -> Quat {
        let found = self.target.segments.iter().zip(&target.turns).find(|(s, _)| s.part == Part::Pelvis);
        found.and_then(|(s, t)| t.map(|t| t.then(s.world_from_link.inverse()))).unwrap_or(Quat::IDENTITY)
    }

    /// Vector from the midpoint of the hips to one of them, with the pelvis at its target.
    pub fn hip_offset(&self, target: &FrameTarget, hip: &Point) -> Vec3 {
        let [l, r] = self.target.hips().map(|p| self.target.rest_position(&p));
        self.pelvis_rotation(target).rotate(self.target.rest_position(hip) - (l + r).scale(0.5))
    }

    /// Positions of points with all segments at their target orientation and the hips in position.
    fn ideal(&self, turned: &[Option<Quat>], hips: Vec3) -> impl Fn(&Point) -> Vec3 + '_ {
        let body = self.target;
        let mut poses: Vec<(Vec3, Quat)> = Vec::new();
        for (i, node) in body.nodes.iter().enumerate() {
            let up = node.parent.map_or((node.at, Quat::IDENTITY), |p| poses[p]);
            let from = node.parent.map_or(node.at, |p| body.nodes[p].at);
            let turn = body.segment_of[i].and_then(|k| turned[k]).unwrap_or(up.1);
            poses.push((up.0 + up.1.rotate(node.at - from), turn));
        }
        let index = |point: &Point| body.index(point.link);
        let position = move |point: &Point| {
            let i = index(point);
            let arm = body.rest[i].point(point.at) - body.nodes[i].at;
            poses[i].0 + poses[i].1.rotate(arm)
        };
        let [l, r] = body.hips().map(|p| position(&p));
        let shift = hips - (l + r).scale(0.5);
        move |point| position(point) + shift
    }
}
