//! Parts of the body that may rest on something: the pelvis, thighs and hands.

use super::demand::Demand;
use crate::anatomy::{Anatomy, Part, Side};
use crate::contact_points::{ContactPoint, Site};
use crate::contact_schedule::{ContactSchedule, Track};
use crate::split::Point;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Vec3, vec3};
use core::ops::Range;

/// Distance of a seat below the hip joints and the axes of thighs, and of a rail below the middle of a hand, parts of the
/// stature.
const FLESH: f64 = 0.05;
const PALM: f64 = 0.012;
/// Height of the hips above either ankle of people who sit, parts of the leg's length: no leg stands.
const MAX_LEG: f64 = 0.95;
/// Where a thigh touches a seat, part of its length.
const THIGH_PART: f64 = 0.45;

/// A part that may rest on something: points inside it, link axes, this far above what carries.
pub(super) struct Carrier {
    part: Part,
    link: LinkHandle,
    inside: Vec<Vec3>,
    pub flesh: f64,
}

impl Carrier {
    pub fn track(&self, demand: &Demand) -> Track {
        let point =
            ContactPoint { site: Site::OnProp(self.part, 0), link: self.link, points: self.inside.clone() };
        Track::all(demand.trajectory, &[point]).pop().unwrap_or_default()
    }

    /// Points of a surface at a height below it in a frame.
    pub fn below(&self, demand: &Demand, track: &Track, f: usize, height: f64) -> Vec<Point> {
        let up = vec3(0.0, 0.0, 1.0);
        track.at(f).iter().map(|p| demand.point(Vec3 { z: height, ..*p }, up)).collect()
    }

    /// Its contact point: below the carrier at a height, fixed to the link as on average over frames.
    pub fn contact_point(
        &self,
        demand: &Demand,
        frames: &[Range<usize>],
        height: f64,
        prop: usize,
    ) -> ContactPoint {
        let clip = &demand.trajectory.clip;
        let (forest, mut kinematics) = (clip.figure().forest(), Kinematics::default());
        let mut sums = vec![Vec3::ZERO; self.inside.len()];
        let mut count = 0;
        for f in frames.iter().flat_map(|r| demand.samples(r.clone()).chain([r.start])) {
            kinematics.update(forest, clip.pose(f), None, None);
            let pose = kinematics.link_pose(forest, self.link);
            for (sum, p) in sums.iter_mut().zip(&self.inside) {
                let at = pose.point(*p);
                *sum += pose.inverse().point(Vec3 { z: height, ..at });
            }
            count += 1;
        }
        let points = sums.into_iter().map(|s| s.scale(1.0 / f64::from(count.max(1)))).collect();
        ContactPoint { site: Site::OnProp(self.part, prop + 1), link: self.link, points }
    }
}

/// The pelvis, by the hip joints.
pub(super) fn hips(demand: &Demand, anatomy: &Anatomy) -> Option<Carrier> {
    let figure = demand.trajectory.clip.figure();
    let links: Vec<LinkHandle> = figure.links().map(|(link, _)| link).collect();
    let thighs = Side::BOTH.map(|side| anatomy.find(Part::Thigh(side)).map(|n| links[n]));
    let pelvis = figure.link(thighs.into_iter().flatten().next()?).ok()?.parent()?;
    let from_world = figure.home_pose(pelvis).inverse();
    let hips = thighs.into_iter().flatten().map(|t| figure.home_pose(t).translation);
    let inside = hips.map(|hip| from_world.point(hip)).collect();
    Some(Carrier { part: Part::Pelvis, link: pelvis, inside, flesh: FLESH })
}

pub(super) fn thigh(demand: &Demand, anatomy: &Anatomy, side: Side) -> Option<Carrier> {
    let figure = demand.trajectory.clip.figure();
    let links: Vec<LinkHandle> = figure.links().map(|(link, _)| link).collect();
    let [thigh, shank] = [Part::Thigh(side), Part::Shank(side)].map(|p| anatomy.find(p).map(|n| links[n]));
    let (thigh, shank) = (thigh?, shank?);
    let knee = figure.home_pose(thigh).inverse().point(figure.home_pose(shank).translation);
    let inside = vec![knee.scale(THIGH_PART)];
    Some(Carrier { part: Part::Thigh(side), link: thigh, inside, flesh: FLESH })
}

pub(super) fn hand(schedule: &ContactSchedule, side: Side) -> Option<Carrier> {
    let palm = schedule.points.iter().find(|p| p.site == Site::Palm(side))?;
    // half-way to the finger tips
    let inside = palm.points.iter().map(|p| p.scale(0.5)).collect();
    Some(Carrier { part: Part::Hand(side), link: palm.link, inside, flesh: PALM })
}

/// Paths of hip and knee of each thigh.
pub(super) fn leg_tracks(demand: &Demand, anatomy: &Anatomy) -> Vec<Track> {
    let knee = |side: Side| {
        let Carrier { link, inside, .. } = thigh(demand, anatomy, side)?;
        let knee = inside.first()?.scale(1.0 / THIGH_PART);
        let point =
            ContactPoint { site: Site::OnProp(Part::Thigh(side), 0), link, points: vec![Vec3::ZERO, knee] };
        Track::all(demand.trajectory, &[point]).pop()
    };
    Side::BOTH.into_iter().filter_map(knee).collect()
}

/// Distance of a point from a segment.
pub(super) fn distance(p: Vec3, a: Vec3, b: Vec3) -> f64 {
    let along = b - a;
    let part = (p - a).dot(along) / along.dot(along).max(f64::MIN_POSITIVE);
    (p - a - along.scale(part.clamp(0.0, 1.0))).norm()
}

/// Frames in which no leg stands upright.
pub(super) fn low_hips(demand: &Demand, anatomy: &Anatomy) -> Vec<bool> {
    let clip = &demand.trajectory.clip;
    let (figure, forest) = (clip.figure(), clip.figure().forest());
    let links: Vec<LinkHandle> = figure.links().map(|(link, _)| link).collect();
    let leg = |side: Side| {
        let [thigh, shank, foot] = [Part::Thigh(side), Part::Shank(side), Part::Foot(side)]
            .map(|p| anatomy.find(p).map(|n| links[n]));
        let (thigh, shank, foot) = (thigh?, shank?, foot?);
        let [a, b, c] = [thigh, shank, foot].map(|l| figure.home_pose(l).translation);
        Some((thigh, foot, (a - b).norm() + (b - c).norm()))
    };
    let legs: Vec<(LinkHandle, LinkHandle, f64)> = Side::BOTH.into_iter().filter_map(leg).collect();
    let mut kinematics = Kinematics::default();
    let is_low = |f: usize| {
        kinematics.update(forest, clip.pose(f), None, None);
        let at = |link: LinkHandle| kinematics.link_pose(forest, link).translation;
        legs.iter().all(|(hip, ankle, length)| at(*hip).z - at(*ankle).z < MAX_LEG * length)
    };
    (0..clip.frames()).map(is_low).collect()
}
