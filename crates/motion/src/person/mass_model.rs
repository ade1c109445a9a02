//! Masses, inertias and shapes of a person's links. [dL1996 Table 4]
//!
//! The three segments of the trunk are stacked from mid-hip through mid-shoulder to the base of the neck in the home
//! pose: the lower one belongs to the pelvis, the upper one to the chest, the middle one in equal slices to the links in
//! between. Limbs extend from joint to joint. Trunk and head are shaped as the ellipsoids with the tables' inertias,
//! limbs as capsules with their mass and length.

use super::bone_map::{BoneMap, Limb};
use super::measure::Measures;
use super::sole::Sole;
use crate::anatomy::{Part, Side};
use crate::anthropometry::{self, Segment, Sex, Share};
use anthropi_dynamics::model::{LinkSpec, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Inertia, Mat3, Sym3, Transform, Vec3, vec3};

/// Mass and length of the neck, fraction of head and neck, which the tables combine.
const NECK: f64 = 0.2;
/// Mass of a shoulder girdle, fraction of the upper trunk.
const GIRDLE: f64 = 0.1;
/// Least mass of a link, fraction of body mass: engines divide by masses.
const MIN_MASS: f64 = 1e-4;
/// Least radius of gyration, fraction of stature.
const MIN_RADIUS: f64 = 0.008;
/// Density of the body, kg/m^3. [W2009 ch. 4]
const DENSITY: f64 = 1050.0;
/// Mass of the toes, fraction of the foot, if they are a link.
const TOES: f64 = 0.2;
/// Thickness and breadth of a hand, fractions of its length.
const HAND: [f64; 2] = [0.16, 0.45];

/// Dimensions and mass of a person.
pub struct MassModel<'a> {
    pub map: &'a BoneMap,
    pub measures: &'a Measures,
    /// of the left and right foot
    pub soles: [Option<Sole>; 2],
    pub stature: f64,
    pub mass: f64,
    pub sex: Sex,
}

/// A slice of an anthropometric segment in the home pose.
struct SegmentSlice<'a> {
    share: &'a Share,
    /// fraction of body mass
    mass: f64,
    /// centre of mass
    center: Vec3,
    /// sagittal, transverse, longitudinal
    axes: &'a Mat3,
    /// of the segment's height
    fraction: f64,
}

impl<'a> SegmentSlice<'a> {
    /// A slice of the whole height of a segment.
    fn whole(share: &'a Share, mass: f64, center: Vec3, axes: &'a Mat3) -> SegmentSlice<'a> {
        SegmentSlice { share, mass, center, axes, fraction: 1.0 }
    }
}

/// Accumulated mass and shapes of a link, in its axes.
#[derive(Clone, Debug, Default)]
struct LinkMass {
    inertia: Inertia,
    shapes: Vec<PlacedShape>,
}

impl MassModel<'_> {
    /// Links in the order of the map.
    pub fn links(&self) -> Vec<LinkSpec> {
        let mut links = vec![LinkMass::default(); self.map.limbs.len()];
        self.add_trunk(&mut links);
        self.add_head(&mut links);
        Side::BOTH.into_iter().for_each(|side| self.add_limbs(side, &mut links));
        // fractions of the tables sum to one up to rounding
        let total: f64 = links.iter().map(|l| l.inertia.mass).sum();
        let exact = if total > 0.0 { self.mass / total } else { 1.0 };
        let named = |(limb, mass): (&Limb, LinkMass)| {
            let inertia = mass.inertia.scaled(1.0, exact);
            let mut link = LinkSpec::new(limb.name.clone(), self.at_least(inertia));
            link.shapes = mass.shapes;
            link
        };
        self.map.limbs.iter().zip(links).map(named).collect()
    }

    fn share(&self, segment: Segment) -> Share {
        anthropometry::share(segment, self.sex)
    }

    fn find(&self, part: Part) -> Option<usize> {
        self.map.find(part)
    }

    fn home_of(&self, part: Part) -> Option<Vec3> {
        self.find(part).map(|i| self.measures.home(&self.map.limbs[i]).translation)
    }

    /// Mid-hip and base of the neck in the home pose.
    fn trunk_line(&self) -> (Vec3, Vec3) {
        let pelvis = self.measures.home(&self.map.limbs[0]).translation;
        let hips: Vec<Vec3> = Side::BOTH.into_iter().filter_map(|s| self.home_of(Part::Thigh(s))).collect();
        let low = match hips[..] {
            [l, r] => (l + r).scale(0.5),
            [one] => one,
            _ => pelvis,
        };
        // neck bones begin anywhere between shoulders and head; shoulders are reliable
        let arms = Side::BOTH.map(|s| self.home_of(Part::UpperArm(s)));
        let top = match arms {
            [Some(l), Some(r)] => {
                low + ((l + r).scale(0.5) - low).scale(1.0 / anthropometry::shoulders(self.sex))
            }
            _ => {
                let whole = [Segment::UpperTrunk, Segment::MiddleTrunk, Segment::LowerTrunk];
                let length: f64 = whole.iter().map(|s| self.share(*s).length).sum();
                low + vec3(0.0, 0.0, length * self.stature)
            }
        };
        // the crown is not above the stature
        let crown = self.floor() + self.stature - self.share(Segment::Head).length * self.stature;
        let part = ((crown - low.z) / (top.z - low.z)).clamp(0.7, 1.0);
        (low, low + (top - low).scale(part))
    }

    /// Height of the soles in the home pose.
    fn floor(&self) -> f64 {
        let sole = |side: Side| {
            let foot = &self.map.limbs[self.find(Part::Foot(side))?];
            let sole = self.soles[usize::from(side == Side::Right)]?;
            Some(self.measures.home(foot).point(sole.heel).z)
        };
        let soles = Side::BOTH.into_iter().filter_map(sole);
        soles.reduce(f64::min).unwrap_or(f64::INFINITY)
    }

    fn add_trunk(&self, links: &mut [LinkMass]) {
        let (low, top) = self.trunk_line();
        let line = top - low;
        let up = line.normalized().unwrap_or(vec3(0.0, 0.0, 1.0));
        let axes = standing_axes(up, self.map.left(self.measures));
        let [upper, middle, lower] =
            [Segment::UpperTrunk, Segment::MiddleTrunk, Segment::LowerTrunk].map(|s| self.share(s));
        let all = upper.length + middle.length + lower.length;
        let chest = self.find(Part::Chest).unwrap_or(0);
        let between: Vec<usize> =
            (0..links.len()).filter(|i| self.map.limbs[*i].part == Part::Abdomen).collect();
        let between = if between.is_empty() { vec![chest] } else { between };

        // fractions of the line from the hips up
        let (waist, breast) = (lower.length / all, (lower.length + middle.length) / all);
        let at = |part: f64| low + line.scale(part);
        let center = at(waist * (1.0 - lower.center));
        self.add_solid(links, 0, &SegmentSlice::whole(&lower, lower.mass, center, &axes));
        let fraction = 1.0 / between.len() as f64;
        for (k, limb) in between.iter().enumerate() {
            let height = waist + (breast - waist) * fraction * (k as f64 + 1.0 - middle.center);
            let slice = SegmentSlice::whole(&middle, middle.mass * fraction, at(height), &axes);
            self.add_solid(links, *limb, &SegmentSlice { fraction, ..slice });
        }
        self.add_chest(links, chest, &upper, at(breast + (1.0 - breast) * (1.0 - upper.center)), &axes);
    }

    /// The upper trunk without the shoulder girdles.
    fn add_chest(&self, links: &mut [LinkMass], chest: usize, upper: &Share, center: Vec3, axes: &Mat3) {
        let (mut mass, mut moment) = (upper.mass, center.scale(upper.mass));
        for side in Side::BOTH {
            let (Some(girdle), Some(arm)) =
                (self.find(Part::Shoulder(side)), self.home_of(Part::UpperArm(side)))
            else {
                continue;
            };
            let from = self.measures.home(&self.map.limbs[girdle]).translation;
            let part = GIRDLE * upper.mass;
            let middle = (from + arm).scale(0.5);
            (mass, moment) = (mass - part, moment - middle.scale(part));
            let length = (arm - from).norm().max(MIN_RADIUS * self.stature);
            let along = standing_axes((arm - from).normalized().unwrap_or(axes.z), axes.x);
            // a rod: radius of gyration 1/sqrt(12) of its length
            let rod =
                Share { mass: part, center: 0.5, radius: [0.29, 0.29, 0.15], length: length / self.stature };
            self.add(links, girdle, &SegmentSlice::whole(&rod, part, middle, &along));
        }
        self.add_solid(links, chest, &SegmentSlice::whole(upper, mass, moment.scale(1.0 / mass), axes));
    }

    fn add_head(&self, links: &mut [LinkMass]) {
        let Some(head) = self.find(Part::Head).or(self.find(Part::Neck)).or(self.find(Part::Chest)) else {
            return;
        };
        let share = self.share(Segment::Head);
        let (low, base) = self.trunk_line();
        let limb = &self.map.limbs[head];
        let tip = self.measures.home_end(limb).filter(|e| (*e - base).norm() > 0.02 * self.stature);
        let up = tip.map_or(base - low, |tip| tip - base).normalized().unwrap_or(vec3(0.0, 0.0, 1.0));
        let axes = standing_axes(up, self.map.left(self.measures));
        let center = base + up.scale((1.0 - share.center) * share.length * self.stature);
        let (mut mass, mut moment) = (share.mass, center.scale(share.mass));
        let necks: Vec<usize> =
            (0..links.len()).filter(|i| self.map.limbs[*i].part == Part::Neck && *i != head).collect();
        for neck in &necks {
            let part = NECK * share.mass / necks.len() as f64;
            // the lowest part of the tables' head, wherever the bone is
            let middle = base + up.scale(0.5 * NECK * share.length * self.stature);
            (mass, moment) = (mass - part, moment - middle.scale(part));
            let rod =
                Share { mass: part, center: 0.5, radius: [0.35, 0.35, 0.3], length: NECK * share.length };
            self.add(links, *neck, &SegmentSlice::whole(&rod, part, middle, &axes));
        }
        self.add(links, head, &SegmentSlice::whole(&share, mass, moment.scale(1.0 / mass), &axes));
        self.place(links, head, self.ellipsoid(&share, 1.0), center, &axes);
    }

    /// End of a terminal limb in the home pose.
    fn far_end(&self, limb: usize) -> Vec3 {
        let own = &self.map.limbs[limb];
        self.measures.home_end(own).unwrap_or_else(|| self.measures.home(own).translation)
    }

    /// Adds a slice with the ellipsoid of its inertia.
    fn add_solid(&self, links: &mut [LinkMass], limb: usize, slice: &SegmentSlice) {
        self.add(links, limb, slice);
        self.place(links, limb, self.ellipsoid(slice.share, slice.fraction), slice.center, slice.axes);
    }

    /// Adds the inertia of a slice.
    fn add(&self, links: &mut [LinkMass], limb: usize, slice: &SegmentSlice) {
        let [s, t, l] = self.squares(slice.share, slice.fraction);
        let limb_from_world = self.measures.home(&self.map.limbs[limb]).inverse();
        let turn = limb_from_world.rotation.mul_mat(slice.axes);
        let m = slice.mass * self.mass;
        let central = Sym3::turned(&Sym3::diagonal(vec3(s, t, l).scale(m)), &turn);
        let center = limb_from_world.point(slice.center);
        links[limb].inertia = links[limb].inertia + Inertia::about_center(m, center, central);
    }

    /// Squared radii of gyration of a slice, m^2.
    fn squares(&self, share: &Share, fraction: f64) -> [f64; 3] {
        let length = share.length * self.stature;
        let [s, t, l] = share.radius.map(|r| (r * length).powi(2));
        // about horizontal axes, length^2/12 of the whole becomes that of the slice
        let less = length * length / 12.0 * (1.0 - fraction * fraction);
        let min = (MIN_RADIUS * self.stature).powi(2);
        [s - less, t - less, l].map(|r| r.max(min))
    }

    /// The solid ellipsoid with the inertia of a slice.
    fn ellipsoid(&self, share: &Share, fraction: f64) -> Shape {
        let [x, y, z] = self.squares(share, fraction);
        // m/5 (b^2 + c^2) = m x, and so on
        let half = |a: f64, b: f64, c: f64| (2.5 * (b + c - a)).max(1e-4).sqrt();
        Shape::Ellipsoid { half: vec3(half(x, y, z), half(y, z, x), half(z, x, y)) }
    }

    fn place(&self, links: &mut [LinkMass], limb: usize, shape: Shape, center: Vec3, axes: &Mat3) {
        let world_from_shape = Transform { rotation: *axes, translation: center };
        let link_from_shape = self.measures.home(&self.map.limbs[limb]).inverse() * world_from_shape;
        links[limb].shapes.push(PlacedShape { shape, link_from_shape });
    }

    /// Ensures the least mass of a link.
    fn at_least(&self, inertia: Inertia) -> Inertia {
        let m = MIN_MASS * self.mass;
        if inertia.mass >= m {
            return inertia;
        }
        let r = (MIN_RADIUS * self.stature).powi(2);
        inertia + Inertia::about_center(m, Vec3::ZERO, Sym3::diagonal(vec3(r, r, r).scale(m)))
    }

    fn add_limbs(&self, side: Side, links: &mut [LinkMass]) {
        let chain = [
            (Part::UpperArm(side), Segment::UpperArm, Some(Part::Forearm(side))),
            (Part::Forearm(side), Segment::Forearm, Some(Part::Hand(side))),
            (Part::Thigh(side), Segment::Thigh, Some(Part::Shank(side))),
            (Part::Shank(side), Segment::Shank, Some(Part::Foot(side))),
        ];
        for (part, segment, next) in chain {
            self.add_limb(links, part, segment, next);
        }
        self.add_hand(side, links);
        self.add_foot(side, links);
    }

    /// The link of a part, or the nearest proximal one.
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

    /// A segment of a length (m) with the same radius of gyration about both transverse axes.
    fn round(&self, share: Share, length: f64) -> Share {
        let [a, b, c] = share.radius;
        let round = 0.5 * (a + b);
        Share { radius: [round, round, c], length: length / self.stature, ..share }
    }

    fn add_limb(&self, links: &mut [LinkMass], part: Part, segment: Segment, next: Option<Part>) {
        let share = self.share(segment);
        let limb = self.carrier(part);
        let from = self.home_of(part).unwrap_or_else(|| self.far_end(limb));
        let to = next
            .and_then(|n| self.home_of(n))
            .or_else(|| self.find(part).and_then(|i| self.measures.home_end(&self.map.limbs[i])))
            .unwrap_or(from - vec3(0.0, 0.0, share.length * self.stature));
        let along = (to - from).normalized().unwrap_or(vec3(0.0, 0.0, -1.0));
        let length = (to - from).norm().max(4.0 * MIN_RADIUS * self.stature);
        let axes = standing_axes(along, self.map.left(self.measures));
        let (share, center) = (self.round(share, length), from + along.scale(share.center * length));
        self.add(links, limb, &SegmentSlice::whole(&share, share.mass, center, &axes));
        let mass = share.mass * self.mass;
        let radius = (mass / (DENSITY * core::f64::consts::PI * length)).sqrt().min(0.45 * length);
        let shape = Shape::Capsule { radius, half_length: (0.5 * length - radius).max(0.01 * length) };
        self.place(links, limb, shape, from + along.scale(0.5 * length), &axes);
    }

    fn add_hand(&self, side: Side, links: &mut [LinkMass]) {
        let (part, share) = (Part::Hand(side), self.share(Segment::Hand));
        let limb = self.carrier(part);
        let from = self.home_of(part).unwrap_or_else(|| self.far_end(limb));
        let elbow = self.home_of(Part::Forearm(side)).unwrap_or(from);
        let own = self.find(part).and_then(|i| self.measures.home_end(&self.map.limbs[i]));
        let tip = own.filter(|e| (*e - from).norm() > 0.02 * self.stature);
        let along = tip.map_or(from - elbow, |t| t - from).normalized().unwrap_or(vec3(0.0, 0.0, -1.0));
        let length = share.length * self.stature;
        let axes = standing_axes(along, self.map.left(self.measures));
        let center = from + along.scale(share.center * length);
        self.add(links, limb, &SegmentSlice::whole(&share, share.mass, center, &axes));
        let half = vec3(0.5 * HAND[1] * length, 0.5 * HAND[0] * length, 0.5 * length);
        self.place(links, limb, Shape::Ellipsoid { half }, from + along.scale(0.5 * length), &axes);
    }

    fn add_foot(&self, side: Side, links: &mut [LinkMass]) {
        let share = self.share(Segment::Foot);
        let sole = self.soles[usize::from(side == Side::Right)];
        let (Some(limb), Some(sole)) = (self.find(Part::Foot(side)), sole) else {
            let shank = self.carrier(Part::Shank(side));
            let axes = standing_axes(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0));
            let share = Share { length: anthropometry::FOOT_LENGTH, ..share };
            self.add(links, shank, &SegmentSlice::whole(&share, share.mass, self.far_end(shank), &axes));
            return;
        };
        let foot = &self.map.limbs[limb];
        let home = self.measures.home(foot);
        let axes = home.rotation.mul_mat(&Mat3 { x: sole.up, y: sole.left().scale(-1.0), z: sole.ahead });
        let height = -sole.up.dot(sole.heel);
        let toes = self.find(Part::Toes(side));
        let part = if toes.is_some() { 1.0 - TOES } else { 1.0 };
        let share = self.round(share, sole.whole);
        let center = sole.heel + sole.ahead.scale(share.center * sole.whole) + sole.up.scale(0.4 * height);
        self.add(links, limb, &SegmentSlice::whole(&share, share.mass * part, home.point(center), &axes));
        // a flat box under the ankle; its lower side is the sole
        let thick = 0.5 * height;
        let half = vec3(0.5 * thick, 0.5 * sole.breadth, 0.5 * sole.length);
        let middle = sole.heel + sole.ahead.scale(half.z) + sole.up.scale(half.x);
        self.place(links, limb, Shape::Box { half }, home.point(middle), &axes);
        if let Some(toes) = toes {
            let tip =
                sole.heel + sole.ahead.scale(0.5 * (sole.length + sole.whole)) + sole.up.scale(0.2 * height);
            let share = Share { length: 0.3 * share.length, ..share };
            self.add(links, toes, &SegmentSlice::whole(&share, share.mass * TOES, home.point(tip), &axes));
        }
    }
}

/// Axes with z along a direction and y closest to the left.
fn standing_axes(z: Vec3, left: Vec3) -> Mat3 {
    let x = left.cross(z).normalized().unwrap_or_else(|| z.any_perpendicular());
    Mat3 { x, y: z.cross(x), z }
}
