//! Ground forces of a motion: the required wrench split over the contacts of all frames at once.
//!
//! Measured forces stand where there are any. Elsewhere the contact schedule says which points touch, and
//! `split::over_time` shares the wrench between the links they belong to. Forces of feet are asked to pass near a point
//! above the hip: `ABOVE` the centre of mass, as seen from the side [V2023] [WSB2024], and over the hip of that leg, as seen
//! from the front, since legs that stand apart hardly push against each other.

use super::{ContactForce, Inverse, MAX_FOOT_DISTANCE, MIN_PLATE_LOAD};
use crate::anatomy::{Anatomy, Part, Side};
use crate::plates::{self, Wrench};
use crate::split::{LimbPoint, Point, SplitOverTime};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Force, Vec3};

/// Height of the point that forces of feet pass, above the centre of mass, parts of the height of the latter: the plates
/// of walks say 0.19 to 0.36.
const ABOVE: f64 = 0.25;
/// Least share of the load of a point that lands or lifts.
const MIN_SHARE: f64 = 0.02;

/// Shares the wrenches of a motion between its contacts.
pub(super) struct GroundForces<'a> {
    inverse: &'a Inverse,
    measured: Option<&'a plates::GroundForces>,
    /// links with contact points
    links: Vec<LinkHandle>,
    /// thighs, left and right
    thighs: Option<[LinkHandle; 2]>,
    split: SplitOverTime,
    /// by frame: points of the split with links and places, or measured forces
    contacts: Vec<Contacts>,
}

/// Contacts of a frame.
enum Contacts {
    Measured(Vec<ContactForce>),
    Estimated(Vec<(LinkHandle, Vec3)>),
}

impl<'a> GroundForces<'a> {
    /// `units`: weight (N) and a length (m), as in `split`.
    pub fn new(
        inverse: &'a Inverse,
        anatomy: &Anatomy,
        measured: Option<&'a plates::GroundForces>,
        units: [f64; 2],
    ) -> GroundForces<'a> {
        let figure = inverse.trajectory.clip.figure();
        let all: Vec<LinkHandle> = figure.links().map(|(handle, _)| handle).collect();
        let thigh = |side| anatomy.find(Part::Thigh(side)).map(|i| all[i]);
        let thighs = thigh(Side::Left).zip(thigh(Side::Right)).map(|(l, r)| [l, r]);
        let mut links = Vec::new();
        for point in &inverse.schedule.points {
            if !links.contains(&point.link) {
                links.push(point.link);
            }
        }
        let dt = inverse.trajectory.clip.dt();
        let split = SplitOverTime::new(dt, units);
        GroundForces { inverse, measured, links, thighs, split, contacts: Vec::new() }
    }

    /// Adds the next frame, with the wrench that it requires about the centre of mass.
    pub fn add(&mut self, center: Vec3, required: Force, kinematics: &Kinematics) {
        let (frame, schedule) = (self.contacts.len(), &self.inverse.schedule);
        let dt = self.inverse.trajectory.clip.dt();
        if let Some(measured) = self.measured.and_then(|m| self.plate_forces(m, frame)) {
            let known: Vec<(usize, Vec3)> = measured.iter().map(|f| (self.limb(f.link), f.force)).collect();
            self.split.add_known(&known);
            self.contacts.push(Contacts::Measured(measured));
            return;
        }
        let (mut points, mut places) = (Vec::new(), Vec::new());
        for (k, place) in schedule.points.iter().enumerate().filter(|(k, _)| schedule.is_on(*k, frame)) {
            let (normal, limb) = (schedule.normal(k, frame), self.limb(place.link));
            let side = place.site.side().filter(|_| place.site.is_foot());
            let aim = side.map(|side| self.aim(side, center, kinematics));
            let share = schedule.share(k, frame, dt).map_or(1.0, |share| share.max(MIN_SHARE));
            for at in schedule.tracks[k].at(frame) {
                let point = Point { at: *at, normal, friction: self.inverse.friction };
                points.push(LimbPoint { point, limb, aim, cost: 1.0 / share });
                places.push((place.link, *at));
            }
        }
        self.split.add(required, center, &points);
        self.contacts.push(Contacts::Estimated(places));
    }

    /// Contact forces by frame, and whether they were measured.
    pub fn solve(mut self) -> Vec<(Vec<ContactForce>, bool)> {
        self.split.solve();
        let contacts = core::mem::take(&mut self.contacts).into_iter().enumerate();
        let forces = contacts.map(|(frame, contacts)| match contacts {
            Contacts::Measured(forces) => (forces, true),
            Contacts::Estimated(places) => {
                let forces = places.into_iter().zip(self.split.forces(frame));
                let force = |((link, at), force)| ContactForce { link, at, force, moment: Vec3::ZERO };
                (forces.map(force).collect(), false)
            }
        });
        forces.collect()
    }

    /// Number of a link in the split.
    fn limb(&self, link: LinkHandle) -> usize {
        self.links.iter().position(|l| *l == link).expect("a link of the contact schedule")
    }

    /// The point near which the forces of a foot pass.
    fn aim(&self, side: Side, center: Vec3, kinematics: &Kinematics) -> Vec3 {
        let ground = self.inverse.schedule.ground;
        let normal = ground.normal();
        let above = center + normal.scale(ABOVE * ground.above(center));
        let forest = self.inverse.trajectory.clip.figure().forest();
        self.thighs.map_or(above, |thighs| {
            let [left, right] = thighs.map(|thigh| kinematics.link_pose(forest, thigh).translation);
            let half = (left - right).scale(if side == Side::Left { 0.5 } else { -0.5 });
            above + half - normal.scale(normal.dot(half))
        })
    }

    /// Plate forces in a frame, each on the nearest foot; `None` if nothing was measured or not under this person.
    fn plate_forces(&self, measured: &plates::GroundForces, frame: usize) -> Option<Vec<ContactForce>> {
        let t = self.inverse.trajectory.clip.time(frame);
        let mut contact_forces = Vec::new();
        for plate in 0..measured.names.len() {
            let Wrench { force, point, moment } = measured.sample(plate, t)?;
            let distance = |k: usize| {
                let middle = self.inverse.schedule.tracks[k].middle(frame) - point;
                Vec3 { z: 0.0, ..middle }.norm()
            };
            let feet = (0..self.inverse.schedule.points.len())
                .filter(|k| self.inverse.schedule.points[*k].site.is_foot());
            let Some(nearest) = feet.min_by(|a, b| distance(*a).total_cmp(&distance(*b))) else { continue };
            if force.norm() > MIN_PLATE_LOAD * self.inverse.weight() {
                if distance(nearest) > MAX_FOOT_DISTANCE {
                    return None;
                }
                let link = self.inverse.schedule.points[nearest].link;
                contact_forces.push(ContactForce { link, at: point, force, moment });
            }
        }
        Some(contact_forces)
    }
}
