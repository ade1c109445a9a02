//! Faults that depend on where the edges of the soles are, which is uncertain if the soles are estimated.
//!
//! An edge that may be e = 3 cm farther out carries the centre of pressure as much farther out, and lies up to
//! e sin(tilt) higher or lower when the sole is tilted against the ground: a foot that rolls over its toes.

use super::faults::{Fault, Faults, Finding, Unit};
use crate::contact_points::Site;
use crate::contact_schedule::ContactSchedule;
use anthropi_dynamics::spatial::Vec3;

/// Depth below the ground in a frame.
pub struct Depth {
    /// deepest point, m
    pub deepest: f64,
    /// the point that is deepest beyond its own allowance, m
    pub beyond: f64,
    /// uncertainty of its height, m
    pub allowance: f64,
}

/// Depth of the deepest points in a frame, with soles of uncertain edges.
pub fn depth(schedule: &ContactSchedule, frame: usize, sole_uncertainty: f64) -> Depth {
    let mut depth = Depth { deepest: 0.0, beyond: 0.0, allowance: 0.0 };
    for (point, track) in schedule.points.iter().zip(&schedule.tracks) {
        let heights = track.at(frame).iter().map(|p| schedule.ground.above(*p));
        let own = -heights.fold(f64::INFINITY, f64::min);
        depth.deepest = depth.deepest.max(own);
        let allowance = match track.is_foot && own > 0.0 && sole_uncertainty > 0.0 {
            true => sole_uncertainty * tilt(schedule, point.site, frame),
            false => 0.0,
        };
        if own - allowance > depth.beyond - depth.allowance {
            (depth.beyond, depth.allowance) = (own, allowance);
        }
    }
    depth
}

/// Sine of the angle between the sole of a foot and the ground; zero if the foot has less than three points.
fn tilt(schedule: &ContactSchedule, site: Site, frame: usize) -> f64 {
    let of = |wanted: Site| schedule.points.iter().position(|p| p.site == wanted);
    let Some((heel, toe)) = site.side().and_then(|s| of(Site::Heel(s)).zip(of(Site::Toe(s)))) else {
        return 0.0;
    };
    let [heel, toe] = [heel, toe].map(|k| &schedule.tracks[k]);
    let (Some(first), Some(last)) = (toe.at(frame).first(), toe.at(frame).last()) else { return 0.0 };
    let across: Vec3 = *last - *first;
    let sole = (toe.middle(frame) - heel.middle(frame)).cross(across);
    sole.normalized().map_or(0.0, |sole| sole.cross(schedule.ground.normal()).norm())
}

impl Faults<'_> {
    /// Adds intervals of sizes above a limit: to the findings if they exceed it by more than the uncertainty of the frame,
    /// else to those that the uncertainty explains. `sizes` are those without uncertainty, and with it.
    pub fn add_beyond_uncertainty(
        &mut self,
        kind: (Fault, Unit),
        sizes: [&[f64]; 2],
        limit: f64,
        uncertainty: impl Fn(usize) -> f64,
        what: impl Fn(f64) -> String,
    ) {
        let strict = self.above((kind, sizes[0]), |_| limit, &what);
        let beyond = self.above((kind, sizes[1]), |f| limit + uncertainty(f), &what);
        let overlaps =
            |a: &Finding, b: &Finding| a.frames.start < b.frames.end && b.frames.start < a.frames.end;
        let explained = strict.into_iter().filter(|e| !beyond.iter().any(|b| overlaps(e, b)));
        self.explained.extend(explained);
        self.findings.extend(beyond);
    }
}
