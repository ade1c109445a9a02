//! What the target should do in a frame if it had ball joints everywhere: turns of segments and places of ends.

use super::Scale;
use super::body::{Body, Point};
use crate::anatomy::Part;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// How sizes and heights go over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Similarity {
    /// of lengths: leg by leg
    pub ratio: f64,
    /// added to heights, so that soles that stand at rest stand
    pub lift: f64,
}

impl Similarity {
    pub fn between(source: &Body, target: &Body, scale: Scale) -> Similarity {
        match scale {
            Scale::Keep => Similarity { ratio: 1.0, lift: 0.0 },
            Scale::ToFigure => {
                let ratio = target.leg() / source.leg();
                Similarity { ratio, lift: target.ankle_height() - ratio * source.ankle_height() }
            }
        }
    }

    pub fn apply(&self, p: Vec3) -> Vec3 {
        p.scale(self.ratio) + vec3(0.0, 0.0, self.lift)
    }
}

/// What is wanted in one frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Wish {
    /// by segment of the target: world from link
    pub turns: Vec<Option<Quat>>,
    /// by end of the target
    pub ends: Vec<Vec3>,
    /// between the hips
    pub hips: Vec3,
}

/// Makes wishes from poses of the source.
pub(super) struct Wishes<'a> {
    pub source: &'a Body<'a>,
    pub target: &'a Body<'a>,
    pub similarity: Similarity,
    pub scale: Scale,
    /// ends of the target that the source has too
    pub ends: Vec<(Part, Point)>,
    source_ends: Vec<Point>,
}

impl<'a> Wishes<'a> {
    pub fn new(source: &'a Body<'a>, target: &'a Body<'a>, scale: Scale) -> Wishes<'a> {
        let others = source.ends();
        let same = |part: Part| others.iter().find(|(p, _)| *p == part).map(|(_, at)| *at);
        let both = target.ends().into_iter().filter_map(|(part, at)| Some(((part, at), same(part)?)));
        let (ends, source_ends) = both.unzip();
        let similarity = Similarity::between(source, target, scale);
        Wishes { source, target, similarity, scale, ends, source_ends }
    }

    /// The wish for a pose of the source.
    pub fn of(&self, pose: &Kinematics) -> Wish {
        let [l, r] = self.source.hips().map(|p| self.source.place(pose, &p));
        let hips = self.similarity.apply((l + r).scale(0.5));
        // how far each segment is turned from rest
        let turned: Vec<Option<Quat>> = self
            .target
            .segments
            .iter()
            .map(|s| {
                let from = self.source.like(s)?;
                Some(self.source.frame(pose, from).then(s.world_from_part.inverse()))
            })
            .collect();
        let turns = self.target.segments.iter().zip(&turned);
        let turns = turns.map(|(s, d)| d.map(|d| d.then(s.world_from_link))).collect();
        let ideal = self.ideal(&turned, hips);
        let ends = self.ends.iter().zip(&self.source_ends).map(|((part, point), from)| {
            let from = self.source.place(pose, from);
            let is_foot = matches!(part, Part::Foot(_));
            if is_foot || self.scale == Scale::Keep { self.similarity.apply(from) } else { ideal(point) }
        });
        Wish { ends: ends.collect(), turns, hips }
    }

    /// How far the pelvis of the target is turned from rest.
    pub fn pelvis_turn(&self, wish: &Wish) -> Quat {
        let found = self.target.segments.iter().zip(&wish.turns).find(|(s, _)| s.part == Part::Pelvis);
        found.and_then(|(s, t)| t.map(|t| t.then(s.world_from_link.inverse()))).unwrap_or(Quat::IDENTITY)
    }

    /// From between the hips to one of them, with the pelvis turned as wished.
    pub fn aside(&self, wish: &Wish, hip: &Point) -> Vec3 {
        let rest = |p: &Point| self.target.rest[self.target.index(p.link)].point(p.at);
        let [l, r] = self.target.hips().map(|p| rest(&p));
        self.pelvis_turn(wish).rotate(rest(hip) - (l + r).scale(0.5))
    }

    /// Places of points of the target with every segment turned as wished, its own lengths, and the hips in place.
    fn ideal(&self, turned: &[Option<Quat>], hips: Vec3) -> impl Fn(&Point) -> Vec3 + '_ {
        let body = self.target;
        let mut places: Vec<(Vec3, Quat)> = Vec::new();
        for (i, node) in body.nodes.iter().enumerate() {
            let up = node.parent.map_or((node.at, Quat::IDENTITY), |p| places[p]);
            let from = node.parent.map_or(node.at, |p| body.nodes[p].at);
            let turn = body.segment_of[i].and_then(|k| turned[k]).unwrap_or(up.1);
            places.push((up.0 + up.1.rotate(node.at - from), turn));
        }
        let index = |point: &Point| body.index(point.link);
        let place = move |point: &Point| {
            let i = index(point);
            let arm = body.rest[i].point(point.at) - body.nodes[i].at;
            places[i].0 + places[i].1.rotate(arm)
        };
        let [l, r] = body.hips().map(|p| place(&p));
        let shift = hips - (l + r).scale(0.5);
        move |point| place(point) + shift
    }
}
