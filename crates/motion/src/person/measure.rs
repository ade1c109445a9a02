//! Mean geometry of a recording's limbs, and the pose in which the figure is declared.

use super::plan::{Limb, Plan};
use crate::anatomy::{Part, Side};
use crate::recording::Recording;
use anthropi_dynamics::spatial::{Quat, Transform, Vec3};

/// So many frames are measured.
const MEASURED: usize = 400;
/// In a pose that stands, the head is above the hips and the feet below them by this part of the leg at least.
const STANDING: f64 = 0.3;

/// Places and turns of bones in some frames, and in the home pose.
#[derive(Clone, Debug)]
pub struct Measures {
    frames: Vec<Vec<(Vec3, Quat)>>,
    /// the frame after each of `frames` and the seconds between
    after: Vec<Vec<(Vec3, Quat)>>,
    dt: f64,
    home: Vec<(Vec3, Quat)>,
    /// for each bone, the ends of bones at and below it that move with the same limb: bone, and end in its axes
    tips: Vec<Vec<(usize, Vec3)>>,
}

impl Measures {
    /// Looks at frames all over the recording.
    pub fn of(recording: &Recording, plan: &Plan) -> Measures {
        let count = recording.frames();
        let step = count.div_ceil(MEASURED);
        let world = |frame: usize| {
            let mut places = Vec::new();
            plan.world(recording, frame, &mut places);
            places
        };
        let chosen: Vec<usize> = (0..count).step_by(step).collect();
        let mut measures = Measures {
            frames: chosen.iter().map(|f| world(*f)).collect(),
            after: chosen.iter().map(|f| world((*f + 1).min(count - 1))).collect(),
            dt: recording.dt,
            home: Vec::new(),
            tips: tips(recording, plan),
        };
        measures.home = measures.stand(recording, plan);
        measures
    }

    /// Where a limb is in the home pose.
    pub fn home(&self, limb: &Limb) -> Transform {
        Transform::new(self.home[limb.place].0, self.home[limb.turn].1)
    }

    /// Turns a limb in the home pose so that a direction of its own points up.
    pub fn level(&mut self, limb: &Limb, up: Vec3) {
        let turn = self.home[limb.turn].1;
        let now = turn.rotate(up);
        let axis = now.cross(Vec3 { x: 0.0, y: 0.0, z: 1.0 });
        let (sine, cosine) = (axis.norm(), now.z);
        let axis = axis.normalized().unwrap_or_else(|| now.any_perpendicular());
        self.home[limb.turn].1 = Quat::about(axis, libm::atan2(sine, cosine)).then(turn);
    }

    /// Mean place of a limb's joint on its parent, in the parent's axes, and the largest distance from it.
    pub fn offset(&self, parent: &Limb, limb: &Limb) -> (Vec3, f64) {
        let mean = self.mean_on(parent, |places| places[limb.place].0);
        let miss = |places: &Vec<(Vec3, Quat)>| (on(parent, places, places[limb.place].0) - mean).norm();
        (mean, self.frames.iter().map(miss).fold(0.0, f64::max))
    }

    /// Mean place on a limb of a point of each frame, in the limb's axes.
    pub fn mean_on(&self, limb: &Limb, point: impl Fn(&[(Vec3, Quat)]) -> Vec3) -> Vec3 {
        let sum = self.frames.iter().fold(Vec3::ZERO, |sum, places| sum + on(limb, places, point(places)));
        sum.scale(1.0 / self.frames.len() as f64)
    }

    /// Where a limb ends in the home pose: the farthest end of the bones that move with it.
    pub fn home_end(&self, limb: &Limb) -> Option<Vec3> {
        let from = self.home[limb.place].0;
        let ends = self.tips[limb.place]
            .iter()
            .map(|(bone, end)| self.home[*bone].0 + self.home[*bone].1.rotate(*end));
        ends.max_by(|a, b| (*a - from).norm().total_cmp(&(*b - from).norm()))
    }

    /// Where a limb's bone ends, in the limb's axes.
    pub fn bone_end(&self, limb: &Limb) -> Option<Vec3> {
        self.home_end(limb).map(|end| self.home(limb).inverse().point(end))
    }

    /// From a bone's joint to its end, m.
    pub fn tip_length(&self, bone: usize) -> Option<f64> {
        let (_, end) = self.tips[bone].iter().find(|(b, _)| *b == bone)?;
        Some(end.norm())
    }

    /// Turns of a limb against its parent.
    pub fn turns<'a>(&'a self, parent: &'a Limb, limb: &'a Limb) -> impl Iterator<Item = Quat> + 'a {
        self.frames.iter().map(|places| places[parent.turn].1.inverse().then(places[limb.turn].1))
    }

    /// From hip to ankle, mean of both sides, m.
    pub fn leg(&self, plan: &Plan) -> Option<f64> {
        let side = |side: Side| {
            let limb = |part: Part| plan.find(part).map(|i| &plan.limbs[i]);
            let (thigh, shank, foot) =
                (limb(Part::Thigh(side))?, limb(Part::Shank(side))?, limb(Part::Foot(side))?);
            Some(self.offset(thigh, shank).0.norm() + self.offset(shank, foot).0.norm())
        };
        match (side(Side::Left), side(Side::Right)) {
            (Some(l), Some(r)) => Some(0.5 * (l + r)),
            (one, other) => one.or(other),
        }
    }

    /// Measured frames: places, and how fast a bone's joint moves, m/s.
    pub fn speeds(&self, bone: usize) -> impl Iterator<Item = (&[(Vec3, Quat)], f64)> {
        let pairs = self.frames.iter().zip(&self.after);
        pairs.map(move |(now, next)| (&now[..], (next[bone].0 - now[bone].0).norm() / self.dt))
    }

    /// The first that stands: rest pose of the file, no turns at all, first frame.
    fn stand(&self, recording: &Recording, plan: &Plan) -> Vec<(Vec3, Quat)> {
        let skeleton = &recording.skeleton;
        let mut candidates = Vec::new();
        let mut places = Vec::new();
        if let Some((turns, at)) = &recording.rest {
            plan.world_of(skeleton, turns, at, &mut places);
            candidates.push(places.clone());
        }
        let offsets: Vec<Vec3> = skeleton.bones.iter().map(|b| b.offset).collect();
        plan.world_of(skeleton, &vec![Quat::IDENTITY; offsets.len()], &offsets, &mut places);
        candidates.push(places);
        let found = candidates.into_iter().find(|c| self.stands(plan, c));
        found.unwrap_or_else(|| self.frames[0].clone())
    }

    fn stands(&self, plan: &Plan, places: &[(Vec3, Quat)]) -> bool {
        let height = |part: Part| plan.find(part).map(|i| places[plan.limbs[i].place].0.z);
        let (Some(hip), Some(foot), Some(leg)) =
            (height(Part::Thigh(Side::Left)), height(Part::Foot(Side::Left)), self.leg(plan))
        else {
            return false;
        };
        let head = height(Part::Head).or(height(Part::Neck)).or(height(Part::Chest));
        hip - foot > STANDING * leg && head.is_none_or(|head| head - hip > STANDING * leg)
    }
}

fn tips(recording: &Recording, plan: &Plan) -> Vec<Vec<(usize, Vec3)>> {
    let bones = &recording.skeleton.bones;
    let mut tips = vec![Vec::new(); bones.len()];
    for (i, end) in bones.iter().enumerate().filter_map(|(i, b)| b.end.map(|e| (i, e))) {
        let same = |bone: &usize| plan.owner[*bone] == plan.owner[i];
        let up = std::iter::successors(Some(i), |bone| bones[*bone].parent).take_while(same);
        up.for_each(|bone| tips[bone].push((i, end)));
    }
    tips
}

/// A point in the axes of a limb.
fn on(limb: &Limb, places: &[(Vec3, Quat)], point: Vec3) -> Vec3 {
    places[limb.turn].1.inverse().rotate(point - places[limb.place].0)
}
