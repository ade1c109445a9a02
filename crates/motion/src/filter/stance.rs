//! Which points of the figure stand on the ground, and where.
//!
//! Forces act only at points that are on the ground. A point begins to stand when it reaches the ground and the
//! reference says that it touches there; without that only as the rest of a foot that stands already, or out of a
//! flight: a foot that is locked while the reference still moves it makes the figure stumble. It ends to stand a moment
//! after the reference lifts it; its force fades meanwhile.
//! Source: our own, after experiments with captured walks.

use super::aim::{Aim, Floor, along};
use super::terms::{Moving, Terms, path};
use crate::spots::Place;
use anthropi_dynamics::model::{BodyIx, Forest};
use anthropi_dynamics::spatial::{Motion, Vec3};

/// After the reference has lifted a point it stands for so long, s.
const RELEASE: f64 = 0.015;
/// A point so near to the ground is on it, m.
pub(crate) const NEAR: f64 = 5e-4;
/// ...and where the reference is planned to the instant so near, m.
const NEAR_PLANNED: f64 = 2e-3;
/// At the start points that touch in the reference may be so far above the ground, m.
const START: f64 = 0.02;
/// A point so far above the ground has come off it, m...
const LOST: f64 = 0.004;
/// ...and one so far from where it stood has slipped, m.
const SLIPPED: f64 = 0.02;
/// Slower upward in the reference, m/s, is not lifting.
const RISING: f64 = 0.05;

/// A point that may stand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    /// which spot it belongs to
    pub place: usize,
    /// which point, counted over all spots
    pub point: usize,
    /// place in the body's axes
    pub in_body: Vec3,
    /// whether it stands
    pub stands: bool,
    /// where it is held
    pub anchor: Vec3,
    /// on what it stands
    pub floor: Floor,
    /// for how long the reference has lifted it, s
    pub lifted: f64,
    /// whether the reference has confirmed it
    confirmed: bool,
    /// now
    pub now: Moving,
    /// in the reference
    pub wanted: Moving,
}

impl Contact {
    /// How much of its holding is left while it is released.
    pub fn hold(&self) -> f64 {
        (1.0 - self.lifted / RELEASE).clamp(0.0, 1.0)
    }

    /// It is held where it is now.
    pub fn anchor_here(&mut self) {
        self.anchor = self.floor.under(self.now.at);
    }
}

/// A foot or a hand.
#[derive(Clone, Debug)]
pub(crate) struct Limb {
    pub body: BodyIx,
    pub path: Vec<u32>,
    pub contacts: Vec<Contact>,
    /// Jacobian of the body's origin
    pub jacobian: Vec<Motion>,
    /// where it steps, away from the reference, and how fast that changes
    pub shift: Vec3,
    pub shift_rate: Vec3,
    pub is_foot: bool,
}

impl Limb {
    /// All feet and hands of a figure.
    pub fn all(forest: &Forest, places: &[Place]) -> Vec<Limb> {
        let mut limbs: Vec<Limb> = Vec::new();
        let mut count = 0;
        for (k, place) in places.iter().enumerate() {
            let at = forest.link_place(place.link);
            let known = limbs.iter().position(|l| l.body == at.body);
            let n = known.unwrap_or_else(|| {
                limbs.push(Limb {
                    body: at.body,
                    path: path(forest, at.body),
                    contacts: Vec::new(),
                    jacobian: vec![Motion::default(); forest.nv()],
                    shift: Vec3::ZERO,
                    shift_rate: Vec3::ZERO,
                    is_foot: place.spot.is_foot(),
                });
                limbs.len() - 1
            });
            limbs[n].contacts.extend(place.points.iter().enumerate().map(|(i, p)| Contact {
                place: k,
                point: count + i,
                in_body: at.body_from_link.point(*p),
                stands: false,
                anchor: Vec3::ZERO,
                floor: Floor::default(),
                lifted: 0.0,
                confirmed: false,
                now: Moving::default(),
                wanted: Moving::default(),
            }));
            count += place.points.len();
        }
        limbs
    }

    /// Whether any of its points stands.
    pub fn stands(&self) -> bool {
        self.contacts.iter().any(|c| c.stands)
    }

    /// Whether the reference has any of its points on the ground.
    pub fn is_wanted(&self, aim: &Aim) -> bool {
        self.contacts.iter().any(|c| aim.on[c.place])
    }

    /// Places and velocities of its points, and its Jacobian.
    pub fn update(&mut self, forest: &Forest, now: &Terms, wanted: &Terms) {
        now.jacobian(forest, self.body, &mut self.jacobian);
        for c in &mut self.contacts {
            c.now = now.point(self.body, c.in_body);
            c.wanted = wanted.point(self.body, c.in_body);
        }
    }
}

/// Begins: what touches in the reference and is near the ground stands.
pub(crate) fn begin(limbs: &mut [Limb], aim: &Aim) {
    for c in limbs.iter_mut().flat_map(|l| &mut l.contacts) {
        let floor = aim.floor[c.place];
        let is_near = floor.above(c.now.at) < START;
        if aim.on[c.place] && is_near {
            stand(c, floor);
            c.confirmed = true;
        }
    }
}

fn stand(c: &mut Contact, floor: Floor) {
    c.stands = true;
    c.lifted = 0.0;
    c.confirmed = false;
    c.floor = floor;
    c.anchor_here();
}

/// Points that begin and end to stand in this step; true if any begins. `falls`: whether the centre of mass goes down.
pub(crate) fn change(limbs: &mut [Limb], aim: &Aim, dt: f64, falls: bool) -> bool {
    let none = !limbs.iter().any(Limb::stands);
    let mut any = false;
    for limb in limbs.iter_mut() {
        let stands = limb.stands();
        for c in &mut limb.contacts {
            let on = aim.on[c.place];
            if aim.is_planned {
                let floor = aim.floor[c.place];
                if on && !c.stands && floor.above(c.now.at) < NEAR_PLANNED {
                    stand(c, floor);
                    any = true;
                } else if c.stands {
                    c.stands = on;
                }
                continue;
            }
            if c.stands {
                let normal = c.floor.normal();
                c.confirmed |= on;
                let is_lifted = !on && (c.confirmed || normal.dot(c.wanted.velocity) > RISING);
                c.lifted = if is_lifted { c.lifted + dt } else { 0.0 };
                let away = c.now.at - c.anchor;
                c.stands = c.lifted <= RELEASE && normal.dot(away) < LOST;
                if along(normal, away).norm() > SLIPPED {
                    c.anchor_here();
                }
                continue;
            }
            let floor = aim.floor[c.place];
            let next = c.now.at + c.now.velocity.scale(dt);
            // straight up: over half a millimetre the normal makes no difference
            if next.z > floor.at(next.x, next.y) + NEAR {
                continue;
            }
            let normal = floor.normal();
            let (comes, wanted) = (normal.dot(c.now.velocity), normal.dot(c.wanted.velocity));
            let is_early = comes < 0.0 && wanted < RISING && (stands || (none && falls));
            if on || is_early {
                stand(c, floor);
                any = true;
            }
        }
    }
    any
}
