//! Masses, inertias and shapes of a person's links. [dL1996 Table 4]
//!
//! The three parts of the trunk are stacked on the line from the middle of the hips through that of the shoulders to the
//! base of the neck, in the home pose: the lower one moves with the pelvis, the upper one with the chest, the middle one in equal slices with what is
//! between. Limbs reach from joint to joint. Shapes of trunk and head are the ellipsoids that have the tables' inertias;
//! limbs are capsules of their mass and length.

use super::measure::Measures;
use super::plan::{Limb, Plan};
use super::sole::Sole;
use crate::anatomy::{Part, Side};
use crate::anthropometry::{self, Segment, Sex, Share};
use anthropi_dynamics::model::{LinkSpec, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Inertia, Mat3, Sym3, Transform, Vec3, vec3};

/// Density of the body, kg/m^3. [W2009 ch. 4]
const DENSITY: f64 = 1050.0;
/// The neck's part of the head's mass, which the tables tell together: that of their lengths and sections.
const NECK: f64 = 0.2;
/// A shoulder girdle's part of the upper trunk.
const GIRDLE: f64 = 0.1;
/// The toes' part of the foot where they are a link.
const TOES: f64 = 0.2;
/// No link is lighter than this part of the person: engines divide by masses.
const LEAST_MASS: f64 = 1e-4;
/// No radius of gyration is smaller than this part of the stature.
const LEAST_RADIUS: f64 = 0.008;
/// A hand is this part as thick, and as broad, as it is long.
const HAND: [f64; 2] = [0.16, 0.45];

/// Whose flesh.
pub struct Body<'a> {
    pub plan: &'a Plan,
    pub measures: &'a Measures,
    /// of the left and right foot
    pub soles: [Option<Sole>; 2],
    pub stature: f64,
    pub mass: f64,
    pub sex: Sex,
}

/// A link's mass so far, in its own axes.
#[derive(Clone, Debug, Default)]
struct Lump {
    inertia: Inertia,
    shapes: Vec<PlacedShape>,
}

impl Body<'_> {
    /// Links in the order of the plan.
    pub fn links(&self) -> Vec<LinkSpec> {
        let mut lumps = vec![Lump::default(); self.plan.limbs.len()];
        self.add_trunk(&mut lumps);
        self.add_head(&mut lumps);
        for side in [Side::Left, Side::Right] {
            self.add_limbs(side, &mut lumps);
        }
        // the tables' parts add up to one but for rounding
        let total: f64 = lumps.iter().map(|l| l.inertia.mass).sum();
        let exact = if total > 0.0 { self.mass / total } else { 1.0 };
        let named = |(limb, lump): (&Limb, Lump)| {
            let inertia = lump.inertia.scaled(1.0, exact);
            let mut link = LinkSpec::new(limb.name.clone(), self.at_least(inertia));
            link.shapes = lump.shapes;
            link
        };
        self.plan.limbs.iter().zip(lumps).map(named).collect()
    }

    fn share(&self, segment: Segment) -> Share {
        anthropometry::share(segment, self.sex)
    }

    fn find(&self, part: Part) -> Option<usize> {
        self.plan.find(part)
    }

    fn home_of(&self, part: Part) -> Option<Vec3> {
        self.find(part).map(|i| self.measures.home(&self.plan.limbs[i]).translation)
    }

    /// Middle of the hips, and base of the neck, in the home pose.
    fn trunk_line(&self) -> (Vec3, Vec3) {
        let pelvis = self.measures.home(&self.plan.limbs[0]).translation;
        let hips: Vec<Vec3> =
            [Side::Left, Side::Right].into_iter().filter_map(|s| self.home_of(Part::Thigh(s))).collect();
        let low = match hips[..] {
            [l, r] => (l + r).scale(0.5),
            [one] => one,
            _ => pelvis,
        };
        // necks of skeletons begin anywhere between the shoulders and the head; shoulders are where people's are
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
            let foot = &self.plan.limbs[self.find(Part::Foot(side))?];
            let sole = self.soles[usize::from(side == Side::Right)]?;
            Some(self.measures.home(foot).point(sole.heel).z)
        };
        let soles = Side::BOTH.into_iter().filter_map(sole);
        soles.reduce(f64::min).unwrap_or(f64::INFINITY)
    }

    fn add_trunk(&self, lumps: &mut [Lump]) {
        let (low, top) = self.trunk_line();
        let line = top - low;
        let up = line.normalized().unwrap_or(vec3(0.0, 0.0, 1.0));
        let axes = standing_axes(up, self.plan.left(self.measures));
        let [upper, middle, lower] =
            [Segment::UpperTrunk, Segment::MiddleTrunk, Segment::LowerTrunk].map(|s| self.share(s));
        let all = upper.length + middle.length + lower.length;
        let chest = self.find(Part::Chest).unwrap_or(0);
        let between: Vec<usize> =
            (0..lumps.len()).filter(|i| self.plan.limbs[*i].part == Part::Abdomen).collect();
        let between = if between.is_empty() { vec![chest] } else { between };

        // heights on the line, from the hips up, as parts of it
        let (waist, breast) = (lower.length / all, (lower.length + middle.length) / all);
        let at = |part: f64| low + line.scale(part);
        self.add(lumps, 0, &lower, lower.mass, at(waist * (1.0 - lower.center)), &axes, 1.0);
        let slice = 1.0 / between.len() as f64;
        for (k, limb) in between.iter().enumerate() {
            let height = waist + (breast - waist) * slice * (k as f64 + 1.0 - middle.center);
            self.add(lumps, *limb, &middle, middle.mass * slice, at(height), &axes, slice);
        }
        self.add_chest(lumps, chest, &upper, at(breast + (1.0 - breast) * (1.0 - upper.center)), &axes);
    }

    /// The upper trunk, less what moves with the shoulder girdles.
    fn add_chest(&self, lumps: &mut [Lump], chest: usize, upper: &Share, center: Vec3, axes: &Mat3) {
        let (mut mass, mut moment) = (upper.mass, center.scale(upper.mass));
        for side in [Side::Left, Side::Right] {
            let (Some(girdle), Some(arm)) =
                (self.find(Part::Shoulder(side)), self.home_of(Part::UpperArm(side)))
            else {
                continue;
            };
            let from = self.measures.home(&self.plan.limbs[girdle]).translation;
            let part = GIRDLE * upper.mass;
            let middle = (from + arm).scale(0.5);
            (mass, moment) = (mass - part, moment - middle.scale(part));
            let length = (arm - from).norm().max(LEAST_RADIUS * self.stature);
            let along = standing_axes((arm - from).normalized().unwrap_or(axes.z), axes.x);
            // a rod: its radius of gyration across is 1/sqrt(12) of its length
            let rod =
                Share { mass: part, center: 0.5, radius: [0.29, 0.29, 0.15], length: length / self.stature };
            self.add_solid(lumps, girdle, &rod, part, middle, &along, 1.0, false);
        }
        self.add(lumps, chest, upper, mass, moment.scale(1.0 / mass), axes, 1.0);
    }

    fn add_head(&self, lumps: &mut [Lump]) {
        let Some(head) = self.find(Part::Head).or(self.find(Part::Neck)).or(self.find(Part::Chest)) else {
            return;
        };
        let share = self.share(Segment::Head);
        let (low, base) = self.trunk_line();
        let limb = &self.plan.limbs[head];
        let tip = self.measures.home_end(limb).filter(|e| (*e - base).norm() > 0.02 * self.stature);
        let up = tip.map_or(base - low, |tip| tip - base).normalized().unwrap_or(vec3(0.0, 0.0, 1.0));
        let axes = standing_axes(up, self.plan.left(self.measures));
        let center = base + up.scale((1.0 - share.center) * share.length * self.stature);
        let (mut mass, mut moment) = (share.mass, center.scale(share.mass));
        let necks: Vec<usize> =
            (0..lumps.len()).filter(|i| self.plan.limbs[*i].part == Part::Neck && *i != head).collect();
        for neck in &necks {
            let part = NECK * share.mass / necks.len() as f64;
            // the lowest part of what the tables call head, wherever the skeleton has the bone
            let middle = base + up.scale(0.5 * NECK * share.length * self.stature);
            (mass, moment) = (mass - part, moment - middle.scale(part));
            let rod =
                Share { mass: part, center: 0.5, radius: [0.35, 0.35, 0.3], length: NECK * share.length };
            self.add_solid(lumps, *neck, &rod, part, middle, &axes, 1.0, false);
        }
        self.add_solid(lumps, head, &share, mass, moment.scale(1.0 / mass), &axes, 1.0, false);
        self.place(lumps, head, self.ellipsoid(&share, 1.0), center, &axes);
    }

    fn add_limbs(&self, side: Side, lumps: &mut [Lump]) {
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
        self.add_solid(
            lumps,
            limb,
            &share,
            share.mass,
            from + along.scale(share.center * length),
            &axes,
            1.0,
            false,
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
        self.add_solid(
            lumps,
            limb,
            &share,
            share.mass,
            from + along.scale(share.center * length),
            &axes,
            1.0,
            false,
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
            self.add_solid(lumps, shank, &share, share.mass, self.far_end(shank), &axes, 1.0, false);
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
        self.add_solid(lumps, limb, &share, share.mass * part, home.point(center), &axes, 1.0, false);
        // a flat box under the ankle; its lower side is the sole
        let thick = 0.5 * height;
        let half = vec3(0.5 * thick, 0.5 * sole.breadth, 0.5 * sole.length);
        let middle = sole.heel + sole.ahead.scale(half.z) + sole.up.scale(half.x);
        self.place(lumps, limb, Shape::Box { half }, home.point(middle), &axes);
        if let Some(toes) = toes {
            let tip =
                sole.heel + sole.ahead.scale(0.5 * (sole.length + sole.whole)) + sole.up.scale(0.2 * height);
            let share = Share { length: 0.3 * share.length, ..share };
            self.add_solid(lumps, toes, &share, share.mass * TOES, home.point(tip), &axes, 1.0, false);
        }
    }

    /// Where a limb ends that has nothing below it, home pose.
    fn far_end(&self, limb: usize) -> Vec3 {
        let own = &self.plan.limbs[limb];
        self.measures.home_end(own).unwrap_or_else(|| self.measures.home(own).translation)
    }

    /// Adds part of a segment of the trunk or the head, with its ellipsoid.
    #[allow(clippy::too_many_arguments)] // a segment, and where and how much of it
    fn add(
        &self,
        lumps: &mut [Lump],
        limb: usize,
        share: &Share,
        mass: f64,
        center: Vec3,
        axes: &Mat3,
        slice: f64,
    ) {
        self.add_solid(lumps, limb, share, mass, center, axes, slice, true);
    }

    /// Adds a mass (part of the person) at a centre of the home pose; axes are sagittal, transverse, longitudinal.
    #[allow(clippy::too_many_arguments)]
    fn add_solid(
        &self,
        lumps: &mut [Lump],
        limb: usize,
        share: &Share,
        mass: f64,
        center: Vec3,
        axes: &Mat3,
        slice: f64,
        with_shape: bool,
    ) {
        let squares = self.squares(share, slice);
        let limb_from_world = self.measures.home(&self.plan.limbs[limb]).inverse();
        let turn = limb_from_world.rotation.mul_mat(axes);
        let m = mass * self.mass;
        let central = Sym3::turned(&Sym3::diagonal(vec3(squares[0], squares[1], squares[2]).scale(m)), &turn);
        lumps[limb].inertia =
            lumps[limb].inertia + Inertia::about_center(m, limb_from_world.point(center), central);
        if with_shape {
            self.place(lumps, limb, self.ellipsoid(share, slice), center, axes);
        }
    }

    /// Squares of the radii of gyration of a slice of a segment, m^2.
    fn squares(&self, share: &Share, slice: f64) -> [f64; 3] {
        let length = share.length * self.stature;
        let [s, t, l] = share.radius.map(|r| (r * length).powi(2));
        // a slice is lower: length^2/12 of the whole about the lying axes becomes that of the slice
        let less = length * length / 12.0 * (1.0 - slice * slice);
        let least = (LEAST_RADIUS * self.stature).powi(2);
        [s - less, t - less, l].map(|r| r.max(least))
    }

    /// The solid ellipsoid that has the inertia of a slice of a segment.
    fn ellipsoid(&self, share: &Share, slice: f64) -> Shape {
        let [x, y, z] = self.squares(share, slice);
        // m/5 (b^2 + c^2) = m x, and so on
        let half = |a: f64, b: f64, c: f64| (2.5 * (b + c - a)).max(1e-4).sqrt();
        Shape::Ellipsoid { half: vec3(half(x, y, z), half(y, z, x), half(z, x, y)) }
    }

    fn place(&self, lumps: &mut [Lump], limb: usize, shape: Shape, center: Vec3, axes: &Mat3) {
        let world_from_shape = Transform { rotation: *axes, translation: center };
        let link_from_shape = self.measures.home(&self.plan.limbs[limb]).inverse() * world_from_shape;
        lumps[limb].shapes.push(PlacedShape { shape, link_from_shape });
    }

    /// A link that got nothing gets a little.
    fn at_least(&self, inertia: Inertia) -> Inertia {
        let m = LEAST_MASS * self.mass;
        if inertia.mass >= m {
            return inertia;
        }
        let r = (LEAST_RADIUS * self.stature).powi(2);
        inertia + Inertia::about_center(m, Vec3::ZERO, Sym3::diagonal(vec3(r, r, r).scale(m)))
    }
}

/// Axes with z along a direction, and y as near as can be to the left.
fn standing_axes(z: Vec3, left: Vec3) -> Mat3 {
    let x = left.cross(z).normalized().unwrap_or_else(|| z.any_perpendicular());
    Mat3 { x, y: z.cross(x), z }
}
