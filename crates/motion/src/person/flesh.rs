//! Masses, inertias and shapes of a person's links. [dL1996 Table 4]
//!
//! The three parts of the trunk are stacked on the line from the middle of the hips through that of the shoulders to the
//! base of the neck, in the home pose: the lower one moves with the pelvis, the upper one with the chest, the middle one in equal slices with what is
//! between. Limbs reach from joint to joint. Shapes of trunk and head are the ellipsoids that have the tables' inertias;
//! limbs are capsules of their mass and length.

mod limbs;

use super::measure::Measures;
use super::plan::{Limb, Plan};
use super::sole::Sole;
use crate::anatomy::{Part, Side};
use crate::anthropometry::{self, Segment, Sex, Share};
use anthropi_dynamics::model::{LinkSpec, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Inertia, Mat3, Sym3, Transform, Vec3, vec3};

/// The neck's part of the head's mass, which the tables tell together: that of their lengths and sections.
const NECK: f64 = 0.2;
/// A shoulder girdle's part of the upper trunk.
const GIRDLE: f64 = 0.1;
/// No link is lighter than this part of the person: engines divide by masses.
const LEAST_MASS: f64 = 1e-4;
/// No radius of gyration is smaller than this part of the stature.
const LEAST_RADIUS: f64 = 0.008;

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

/// Part of a segment, placed in the home pose.
struct Chunk<'a> {
    /// the segment
    share: &'a Share,
    /// part of the person's mass
    mass: f64,
    /// centre of mass
    center: Vec3,
    /// sagittal, transverse, longitudinal
    axes: &'a Mat3,
    /// height, as part of the segment's
    slice: f64,
}

impl<'a> Chunk<'a> {
    /// Of the whole height of a segment.
    fn whole(share: &'a Share, mass: f64, center: Vec3, axes: &'a Mat3) -> Chunk<'a> {
        Chunk { share, mass, center, axes, slice: 1.0 }
    }
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
        self.add_solid(lumps, 0, &Chunk::whole(&lower, lower.mass, at(waist * (1.0 - lower.center)), &axes));
        let slice = 1.0 / between.len() as f64;
        for (k, limb) in between.iter().enumerate() {
            let height = waist + (breast - waist) * slice * (k as f64 + 1.0 - middle.center);
            let chunk = Chunk::whole(&middle, middle.mass * slice, at(height), &axes);
            self.add_solid(lumps, *limb, &Chunk { slice, ..chunk });
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
            self.add(lumps, girdle, &Chunk::whole(&rod, part, middle, &along));
        }
        self.add_solid(lumps, chest, &Chunk::whole(upper, mass, moment.scale(1.0 / mass), axes));
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
            self.add(lumps, *neck, &Chunk::whole(&rod, part, middle, &axes));
        }
        self.add(lumps, head, &Chunk::whole(&share, mass, moment.scale(1.0 / mass), &axes));
        self.place(lumps, head, self.ellipsoid(&share, 1.0), center, &axes);
    }

    /// Where a limb ends that has nothing below it, home pose.
    fn far_end(&self, limb: usize) -> Vec3 {
        let own = &self.plan.limbs[limb];
        self.measures.home_end(own).unwrap_or_else(|| self.measures.home(own).translation)
    }

    /// Adds part of a segment, with the ellipsoid that has its inertia.
    fn add_solid(&self, lumps: &mut [Lump], limb: usize, chunk: &Chunk) {
        self.add(lumps, limb, chunk);
        self.place(lumps, limb, self.ellipsoid(chunk.share, chunk.slice), chunk.center, chunk.axes);
    }

    /// Adds part of a segment.
    fn add(&self, lumps: &mut [Lump], limb: usize, chunk: &Chunk) {
        let [s, t, l] = self.squares(chunk.share, chunk.slice);
        let limb_from_world = self.measures.home(&self.plan.limbs[limb]).inverse();
        let turn = limb_from_world.rotation.mul_mat(chunk.axes);
        let m = chunk.mass * self.mass;
        let central = Sym3::turned(&Sym3::diagonal(vec3(s, t, l).scale(m)), &turn);
        let center = limb_from_world.point(chunk.center);
        lumps[limb].inertia = lumps[limb].inertia + Inertia::about_center(m, center, central);
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
