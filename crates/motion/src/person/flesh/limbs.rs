//! Arms and legs, from joint to joint, hands and feet.

use super::{Body, Chunk, LEAST_RADIUS, Lump, standing_axes};
use crate::anatomy::{Part, Side};
use crate::anthropometry::{self, Segment, Share};
use anthropi_dynamics::model::Shape;
use anthropi_dynamics::spatial::{Mat3, vec3};

/// Density of the body, kg/m^3. [W2009 ch. 4]
const DENSITY: f64 = 1050.0;
/// The toes' part of the foot where they are a link.
const TOES: f64 = 0.2;
/// A hand is this part as thick, and as broad, as it is long.
const HAND: [f64; 2] = [0.16, 0.45];

impl Body<'_> {
    pub(super) fn add_limbs(&self, side: Side, lumps: &mut [Lump]) {
        let chain = [
            (Part::UpperArm(side), Segment::UpperArm, Some(Part::Forearm(side))),
            (Part::Forearm(side), Segment::Forearm, Some(Part::Hand(side))),
            (Part::Thigh(side), Segment::Thigh, Some(Part::Shank(side))),
            (Part::Shank(side), Segment::Shank, Some(Part::Foot(side))),
        ];
        for (part, segment, next) in chain {
            self.add_limb(lumps, part, segment, next);
        }
        self.add_hand(side, lumps);
        self.add_foot(side, lumps);
    }

    /// Where a limb is whose own link is missing: on the nearest one towards the trunk.
    fn carrier(&self, part: Part) -> usize {
        let up = |part: Part| match part {
            Part::Hand(s) => Part::Forearm(s),
            Part::Forearm(s) => Part::UpperArm(s),
            Part::UpperArm(_) => Part::Chest,
            Part::Toes(s) => Part::Foot(s),
            Part::Foot(s) => Part::Shank(s),
            Part::Shank(s) => Part::Thigh(s),
            _ => Part::Pelvis,
        };
        std::iter::successors(Some(part), |p| (*p != Part::Pelvis).then(|| up(*p)))
            .find_map(|p| self.find(p))
            .unwrap_or(0)
    }

    fn add_limb(&self, lumps: &mut [Lump], part: Part, segment: Segment, next: Option<Part>) {
        let share = self.share(segment);
        let limb = self.carrier(part);
        let from = self.home_of(part).unwrap_or_else(|| self.far_end(limb));
        let to = next
            .and_then(|n| self.home_of(n))
            .or_else(|| self.find(part).and_then(|i| self.measures.home_end(&self.plan.limbs[i])))
            .unwrap_or(from - vec3(0.0, 0.0, share.length * self.stature));
        let along = (to - from).normalized().unwrap_or(vec3(0.0, 0.0, -1.0));
        let length = (to - from).norm().max(4.0 * LEAST_RADIUS * self.stature);
        let axes = standing_axes(along, self.plan.left(self.measures));
        let round = 0.5 * (share.radius[0] + share.radius[1]);
        let share = Share { radius: [round, round, share.radius[2]], length: length / self.stature, ..share };
        self.add(
            lumps,
            limb,
            &Chunk::whole(&share, share.mass, from + along.scale(share.center * length), &axes),
        );
        let mass = share.mass * self.mass;
        let radius = (mass / (DENSITY * core::f64::consts::PI * length)).sqrt().min(0.45 * length);
        let shape = Shape::Capsule { radius, half_length: (0.5 * length - radius).max(0.01 * length) };
        self.place(lumps, limb, shape, from + along.scale(0.5 * length), &axes);
    }

    fn add_hand(&self, side: Side, lumps: &mut [Lump]) {
        let (part, share) = (Part::Hand(side), self.share(Segment::Hand));
        let limb = self.carrier(part);
        let from = self.home_of(part).unwrap_or_else(|| self.far_end(limb));
        let elbow = self.home_of(Part::Forearm(side)).unwrap_or(from);
        let own = self.find(part).and_then(|i| self.measures.home_end(&self.plan.limbs[i]));
        let tip = own.filter(|e| (*e - from).norm() > 0.02 * self.stature);
        let along = tip.map_or(from - elbow, |t| t - from).normalized().unwrap_or(vec3(0.0, 0.0, -1.0));
        let length = share.length * self.stature;
        let axes = standing_axes(along, self.plan.left(self.measures));
        self.add(
            lumps,
            limb,
            &Chunk::whole(&share, share.mass, from + along.scale(share.center * length), &axes),
        );
        let half = vec3(0.5 * HAND[1] * length, 0.5 * HAND[0] * length, 0.5 * length);
        self.place(lumps, limb, Shape::Ellipsoid { half }, from + along.scale(0.5 * length), &axes);
    }

    fn add_foot(&self, side: Side, lumps: &mut [Lump]) {
        let share = self.share(Segment::Foot);
        let sole = self.soles[usize::from(side == Side::Right)];
        let (Some(limb), Some(sole)) = (self.find(Part::Foot(side)), sole) else {
            let shank = self.carrier(Part::Shank(side));
            let axes = standing_axes(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0));
            let share = Share { length: anthropometry::FOOT_LENGTH, ..share };
            self.add(lumps, shank, &Chunk::whole(&share, share.mass, self.far_end(shank), &axes));
            return;
        };
        let foot = &self.plan.limbs[limb];
        let home = self.measures.home(foot);
        let axes = home.rotation.mul_mat(&Mat3 { x: sole.up, y: sole.left().scale(-1.0), z: sole.ahead });
        let height = -sole.up.dot(sole.heel);
        let toes = self.find(Part::Toes(side));
        let part = if toes.is_some() { 1.0 - TOES } else { 1.0 };
        let round = 0.5 * (share.radius[0] + share.radius[1]);
        let share =
            Share { radius: [round, round, share.radius[2]], length: sole.whole / self.stature, ..share };
        let center = sole.heel + sole.ahead.scale(share.center * sole.whole) + sole.up.scale(0.4 * height);
        self.add(lumps, limb, &Chunk::whole(&share, share.mass * part, home.point(center), &axes));
        // a flat box under the ankle; its lower side is the sole
        let thick = 0.5 * height;
        let half = vec3(0.5 * thick, 0.5 * sole.breadth, 0.5 * sole.length);
        let middle = sole.heel + sole.ahead.scale(half.z) + sole.up.scale(half.x);
        self.place(lumps, limb, Shape::Box { half }, home.point(middle), &axes);
        if let Some(toes) = toes {
            let tip =
                sole.heel + sole.ahead.scale(0.5 * (sole.length + sole.whole)) + sole.up.scale(0.2 * height);
            let share = Share { length: 0.3 * share.length, ..share };
            self.add(lumps, toes, &Chunk::whole(&share, share.mass * TOES, home.point(tip), &axes));
        }
    }
}
