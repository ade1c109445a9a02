//! Contact state of the points of feet and hands.
//!
//! Forces act only at active contacts. A point becomes active when it reaches the ground while in contact in the reference;
//! otherwise only if its foot is already in contact, or after a flight: locking a foot that the reference still moves makes
//! the figure stumble. It is released shortly after the reference lifts it; its force fades meanwhile.
//! Source: our own, after experiments with captured walks.

use super::dynamics_terms::{BodyJacobian, DynamicsTerms, PointMotion};
use super::reference::{Floor, ReferenceSample, along};
use crate::contact_points::ContactPoint;
use crate::ease;
use anthropi_dynamics::model::{BodyIx, Forest};
use anthropi_dynamics::spatial::Vec3;

/// Time from lifting in the reference to release, s.
const RELEASE_TIME: f64 = 0.015;
/// Heights below which a point becomes active, m: in general, with a planned reference, at the start.
pub(crate) const TOUCH_HEIGHT: f64 = 5e-4;
const TOUCH_HEIGHT_PLANNED: f64 = 2e-3;
const TOUCH_HEIGHT_AT_START: f64 = 0.02;
/// Height at which a contact is lost, m.
const LOST_HEIGHT: f64 = 0.004;
/// Distance from its anchor at which a contact has slipped and gets a new anchor, m.
const SLIP_DISTANCE: f64 = 0.02;
/// Points of a segment up to this above its lowest are its low side, m.
const LOW_BAND: f64 = 0.015;
/// Rates of turning in the reference at which a sole begins to pivot, and pivots as fast, rad/s.
const PIVOT_RATES: [f64; 2] = [0.8, 2.0];
/// Upward speed in the reference above which a point is lifting, m/s.
pub(crate) const LIFT_SPEED: f64 = 0.05;

/// A point that can be in contact.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContactState {
    /// index of its contact point
    pub contact_point: usize,
    /// index of the point, counted over all contact points
    pub point: usize,
    /// position, body axes
    pub in_body: Vec3,
    /// whether it is in contact
    pub is_active: bool,
    /// position at which it is held
    pub anchor: Vec3,
    /// ground it is in contact with
    pub floor: Floor,
    /// time since the reference lifted it, s
    pub lift_time: f64,
    /// whether the reference has lifted it
    is_lifting: bool,
    /// whether the reference was in contact as well
    is_confirmed: bool,
    /// simulated motion
    pub now: PointMotion,
    /// motion in the reference
    pub desired: PointMotion,
}

impl ContactState {
    /// Factor on its stance task: falls to zero once the reference has lifted it.
    pub fn stance(&self) -> f64 {
        if self.is_lifting { self.holding() } else { 1.0 }
    }

    /// Falls from one to zero during release, which may begin before the reference lifts it.
    pub fn holding(&self) -> f64 {
        (1.0 - self.lift_time / RELEASE_TIME).clamp(0.0, 1.0)
    }

    /// Moves the anchor to the current position.
    pub fn anchor_here(&mut self) {
        self.anchor = self.floor.under(self.now.at);
    }
}

/// A foot or a hand.
#[derive(Clone, Debug)]
pub(crate) struct EndEffector {
    pub body: BodyIx,
    pub jacobian: BodyJacobian,
    pub contacts: Vec<ContactState>,
    /// shift of the swing target from the reference, and its rate
    pub shift: Vec3,
    pub shift_rate: Vec3,
    /// planned shift of the next footstep
    pub goal: Vec3,
    /// rate at which a sole in contact pivots in the reference, rad/s; zero for slow ones
    pub pivot: f64,
    pub is_foot: bool,
}

impl EndEffector {
    /// All feet and hands of a figure.
    pub fn all(forest: &Forest, contact_points: &[ContactPoint]) -> Vec<EndEffector> {
        let mut limbs: Vec<EndEffector> = Vec::new();
        let mut count = 0;
        for (k, contact_point) in contact_points.iter().enumerate() {
            let at = forest.link_place(contact_point.link);
            let known = limbs.iter().position(|l| l.body == at.body);
            let n = known.unwrap_or_else(|| {
                limbs.push(EndEffector {
                    body: at.body,
                    jacobian: BodyJacobian::new(forest, at.body),
                    contacts: Vec::new(),
                    shift: Vec3::ZERO,
                    shift_rate: Vec3::ZERO,
                    goal: Vec3::ZERO,
                    pivot: 0.0,
                    is_foot: contact_point.site.is_foot(),
                });
                limbs.len() - 1
            });
            limbs[n].contacts.extend(contact_point.points.iter().enumerate().map(|(i, p)| ContactState {
                contact_point: k,
                point: count + i,
                in_body: at.body_from_link.point(*p),
                ..ContactState::default()
            }));
            count += contact_point.points.len();
        }
        limbs
    }

    /// Whether a point is the lowest of its contact point, or nearly so: a segment touches with one side.
    pub fn is_low(&self, c: &ContactState) -> bool {
        let same = self.contacts.iter().filter(|other| other.contact_point == c.contact_point);
        self.is_foot || c.now.at.z < same.map(|other| other.now.at.z).fold(f64::INFINITY, f64::min) + LOW_BAND
    }

    /// Whether any of its points is active.
    pub fn is_in_contact(&self) -> bool {
        self.contacts.iter().any(|c| c.is_active)
    }

    /// Updates the motion of its points and its Jacobian.
    pub fn update(&mut self, forest: &Forest, now: &DynamicsTerms, desired: &DynamicsTerms) {
        self.jacobian.update(forest, now);
        for c in &mut self.contacts {
            c.now = now.point(self.body, c.in_body);
            c.desired = desired.point(self.body, c.in_body);
        }
        let turn = desired.kinematics.body_velocity(self.body).angular.z;
        let [slow, fast] = PIVOT_RATES;
        self.pivot = if self.is_foot { turn * ease::step((turn.abs() - slow) / (fast - slow)) } else { 0.0 };
    }

    /// Velocity of an active point as the sole pivots about the middle of its contacts.
    pub fn pivot_velocity(&self, c: &ContactState) -> Vec3 {
        if self.pivot == 0.0 {
            return Vec3::ZERO;
        }
        let active = || self.contacts.iter().filter(|c| c.is_active);
        let sum = active().fold(Vec3::ZERO, |sum, c| sum + c.anchor);
        let middle = sum.scale(1.0 / active().count().max(1) as f64);
        c.floor.normal().scale(self.pivot).cross(c.anchor - middle)
    }
}

/// Activates points that are in contact in the reference and near the ground.
pub(crate) fn start(limbs: &mut [EndEffector], reference: &ReferenceSample) {
    for c in limbs.iter_mut().flat_map(|l| &mut l.contacts) {
        let floor = reference.floor[c.contact_point];
        let is_near = floor.above(c.now.at) < TOUCH_HEIGHT_AT_START;
        if reference.in_contact[c.contact_point] && is_near {
            activate(c, floor);
            c.is_confirmed = true;
        }
    }
}

fn activate(c: &mut ContactState, floor: Floor) {
    c.is_active = true;
    c.lift_time = 0.0;
    c.is_confirmed = false;
    c.floor = floor;
    c.anchor_here();
}

/// Activates and releases points. `falls`: whether the centre of mass moves down.
pub(crate) fn update(limbs: &mut [EndEffector], reference: &ReferenceSample, dt: f64, falls: bool) {
    let none = !limbs.iter().any(EndEffector::is_in_contact);
    for limb in limbs {
        if limb.pivot != 0.0 {
            let turned: Vec<Vec3> = limb.contacts.iter().map(|c| limb.pivot_velocity(c).scale(dt)).collect();
            limb.contacts
                .iter_mut()
                .zip(turned)
                .filter(|(c, _)| c.is_active)
                .for_each(|(c, t)| c.anchor += t);
        }
        let is_in_contact = limb.is_in_contact();
        for c in &mut limb.contacts {
            let (on, floor) = (reference.in_contact[c.contact_point], reference.floor[c.contact_point]);
            if reference.is_planned {
                c.is_active &= on;
                if on && !c.is_active && floor.above(c.now.at) < TOUCH_HEIGHT_PLANNED {
                    activate(c, floor);
                }
                continue;
            }
            if c.is_active {
                let normal = c.floor.normal();
                c.is_confirmed |= on;
                let is_lifting = !on && (c.is_confirmed || normal.dot(c.desired.velocity) > LIFT_SPEED);
                // known in advance, a release is over when the reference lifts
                let coming = if on { RELEASE_TIME - reference.until_change(c.contact_point) } else { 0.0 };
                c.lift_time = if is_lifting { c.lift_time + dt } else { coming.max(0.0) };
                c.is_lifting = is_lifting;
                let away = c.now.at - c.anchor;
                c.is_active = c.lift_time <= RELEASE_TIME && normal.dot(away) < LOST_HEIGHT;
                if along(normal, away).norm() > SLIP_DISTANCE {
                    c.anchor_here();
                }
                continue;
            }
            let next = c.now.at + c.now.velocity.scale(dt);
            // vertical distance: within half a millimetre the slope makes no difference
            if next.z > floor.at(next.x, next.y) + TOUCH_HEIGHT {
                continue;
            }
            let [comes, desired] = [c.now, c.desired].map(|m| floor.normal().dot(m.velocity));
            let is_early = comes < 0.0 && desired < LIFT_SPEED && (is_in_contact || (none && falls));
            if on || is_early {
                activate(c, floor);
            }
        }
    }
}
