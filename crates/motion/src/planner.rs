//! The planner: the nearest path of centre of mass and angular momentum that contacts can carry.
//!
//! With u the change of the centre of mass c of a reference, and r a rotation of the whole body against it, which changes
//! its angular momentum L by J r' (J the inertia of the whole body), computes
//!     min  sum |u|^2 + |u''|^2 + |u'''|^2 + |r|^2 + |r'|^2 + |r''|^2 + |r'''|^2 (each over its scale) + phi(w)
//!     w = (L' + J r'', m (c'' + u'' - g))   the wrench that contacts at p must give about c + u,
//! phi its price (`wrench_price`): the least cost of forces in friction cones, and of slack where they do not suffice. So a
//! plan always exists, and infeasible instants stay local. u and r are cubic B-splines, so the wrench is piecewise
//! linear in time. Limbs in contact keep within reach; feet in the air may step elsewhere; a window may begin at
//! the state of a figure, and ends where the capture point returns to that of the reference.
//! Method: Newton with a line search; the Hessian is banded ([`crate::banded`]), the lever arms p - c - u are taken at each iterate.
//! Source: our own; momentum as a variable of planning is common, the price of a wrench is new.
//! Not here: which contacts there are; poses.
//! Checked by: tests below.

mod cost;
mod newton;
mod wrench_price;

use crate::banded::Banded;
use crate::centroid::CentroidalState;
use crate::dual::Cone;
use anthropi_dynamics::spatial::Vec3;
use core::ops::Range;
use cost::{Row, value_of};
pub(crate) use wrench_price::SlackPrice;
use wrench_price::{Priced, contact_force};

/// Unknowns of a knot: coefficients of u and of r.
const BLOCK: usize = 6;
/// Knots coupled with one: third differences of u reach over four.
const BAND: usize = 3 * BLOCK;
/// Weight of the state at the start of a window, 1/m2, s2/m2, 1/rad2 and s2/rad2.
const START_WEIGHT: f64 = 1e9;
/// Decrement of the cost at which Newton's method stops, relative to the cost, and shortest step of its line search.
const TOLERANCE: f64 = 1e-5;
const MIN_STEP: f64 = 1e-3;
const ARMIJO: f64 = 1e-4;
/// Largest change of a coefficient in an iteration, m or body weights m s: lever arms are linearised.
const MAX_CHANGE: f64 = 0.2;
/// Factors on the rounding of slack, in order: sharp corners are approached gradually.
const CONTINUATION: [f64; 4] = [64.0, 16.0, 4.0, 1.0];
/// Radius at which rates of rotation cost as much as those of travel, m.
const RADIUS: f64 = 0.3;
/// Weight that keeps unused unknowns at zero.
const TINY: f64 = 1e-9;

/// Scales of changes that cost the same: one for a second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scales {
    /// shift, horizontal and vertical, m
    pub shift: [f64; 2],
    /// acceleration, m/s2
    pub acceleration: f64,
    /// its rate, m/s3
    pub jerk: f64,
    /// rotation, rad
    pub rotation: f64,
    /// its rate, rad/s
    pub spin: f64,
    /// moment that changes it, body weights m
    pub moment: f64,
    /// error of the capture point at the end of a window, m; infinite if free
    pub end: f64,
    /// distance out of reach, m
    pub reach: f64,
    /// footstep, m
    pub step: f64,
    pub slack: SlackPrice,
}

impl Scales {
    /// For a whole motion.
    pub const WHOLE: Scales = Scales {
        shift: [0.03, 0.03],
        acceleration: 3.0,
        jerk: 200.0,
        rotation: 0.2,
        spin: 0.5,
        moment: 0.05,
        end: f64::INFINITY,
        reach: 0.005,
        step: 0.1,
        slack: SlackPrice { moment: 1e4, force: 5e3, rounding: 2e-3 },
    };
    /// For a window of it, which starts at the state of the figure and ends near the plan.
    pub const WINDOW: Scales =
        Scales { shift: [0.05, 0.05], rotation: 0.1, spin: 1.0, end: 0.03, ..Scales::WHOLE };
}

/// A contact at a knot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanContact {
    pub at: Vec3,
    /// forces are in body weights
    pub cone: Cone,
    /// index of the footstep it belongs to, if its foot is in the air
    pub step: Option<usize>,
}

/// A limb in contact: from its end to its top, unit, and how far the top may move along it, m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub direction: Vec3,
    pub margin: f64,
}

/// A footstep to come: its shift from the reference now, and the largest change of it, m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Footstep {
    pub now: Vec3,
    pub max_change: f64,
}

/// State at the start of a window less the reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub shift: Vec3,
    pub velocity: Vec3,
    /// rotation vector, rad
    pub rotation: Vec3,
    /// angular momentum, N m s
    pub angular_momentum: Vec3,
}

/// An instant of the reference.
#[derive(Clone, Debug)]
struct Knot {
    reference: CentroidalState,
    contacts: Range<usize>,
    reaches: Range<usize>,
    /// whether forces are ignored: accelerations are poor near the ends of a motion
    is_free: bool,
    priced: Priced,
}

/// A plan, with its scratch space. Allocates only for plans larger than all before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Planner {
    /// distance of the knots, s
    h: f64,
    gravity: f64,
    /// N
    weight: f64,
    /// of the whole body about its centre of mass, by axis, kg m2
    inertia: Vec3,
    knots: Vec<Knot>,
    contacts: Vec<PlanContact>,
    reaches: Vec<Reach>,
    footsteps: Vec<Footstep>,
    start: Option<Start>,
    /// knots by which the last plan began earlier, and blocks of its unknowns
    carried: Option<(usize, usize)>,
    x: Vec<f64>,
    trial: Vec<f64>,
    step: Vec<f64>,
    system: Banded,
}

impl Planner {
    /// Starts the next plan from the last, which began this many knots earlier.
    pub fn carry_over(&mut self, knots: usize) {
        let blocks = self.knots.len() + 2;
        self.carried = (self.x.len() >= BLOCK * blocks && !self.knots.is_empty()).then_some((knots, blocks));
    }

    /// Starts a plan with knots `h` apart, for a figure of this weight, N, and inertia about its centre of mass, kg m2.
    pub fn begin(&mut self, h: f64, weight: f64, gravity: f64, inertia: Vec3) {
        (self.h, self.weight, self.gravity, self.inertia) = (h, weight, gravity, inertia);
        self.knots.clear();
        self.contacts.clear();
        self.reaches.clear();
        self.footsteps.clear();
        self.start = None;
    }

    /// Adds an instant; contacts and reaches added next belong to it.
    pub fn add_knot(&mut self, reference: CentroidalState, is_free: bool) {
        let (c, r) = (self.contacts.len(), self.reaches.len());
        self.knots.push(Knot {
            reference,
            contacts: c..c,
            reaches: r..r,
            is_free,
            priced: Priced::default(),
        });
    }

    /// Adds a contact to the last knot.
    pub fn add_contact(&mut self, contact: PlanContact) {
        self.contacts.push(contact);
        if let Some(knot) = self.knots.last_mut() {
            knot.contacts.end = self.contacts.len();
        }
    }

    /// Adds a reach to the last knot.
    pub fn add_reach(&mut self, reach: Reach) {
        self.reaches.push(reach);
        if let Some(knot) = self.knots.last_mut() {
            knot.reaches.end = self.reaches.len();
        }
    }

    /// Adds a footstep; returns its index.
    pub fn add_footstep(&mut self, footstep: Footstep) -> usize {
        self.footsteps.push(footstep);
        self.footsteps.len() - 1
    }

    /// Begins at a state.
    pub fn start_at(&mut self, start: Start) {
        self.start = Some(start);
    }

    pub fn knots(&self) -> usize {
        self.knots.len()
    }

    /// Shift of a footstep from the reference.
    pub fn footstep(&self, k: usize) -> Vec3 {
        self.footsteps[k].now + self.footstep_change(&self.x, k)
    }

    #[cfg(test)]
    /// What the contacts of a knot cannot give: moment, N m, and force, N.
    pub fn slack(&self, k: usize) -> [Vec3; 2] {
        if self.knots[k].is_free {
            return [Vec3::ZERO; 2];
        }
        let mut wrench = self.wrench(&self.x, k);
        for i in self.knots[k].contacts.clone() {
            let (arm, f) = (self.arm(&self.x, k, i), self.force(k, i));
            let moment = arm.cross(f).to_array();
            (0..3).for_each(|j| wrench[j] -= moment[j]);
            (0..3).for_each(|j| wrench[3 + j] -= f.to_array()[j]);
        }
        use anthropi_dynamics::spatial::vec3;
        [vec3(wrench[0], wrench[1], wrench[2]), vec3(wrench[3], wrench[4], wrench[5])]
            .map(|s| s.scale(self.weight))
    }

    /// Force of a contact of a knot, counted over all contacts, body weights.
    pub fn force(&self, k: usize, i: usize) -> Vec3 {
        contact_force(&self.knots[k].priced.y, self.arm(&self.x, k, i), &self.contacts[i].cone)
    }

    #[cfg(test)]
    /// Contacts of a knot, counted over all contacts.
    pub fn contacts(&self, k: usize) -> Range<usize> {
        self.knots[k].contacts.clone()
    }

    /// Changes of the reference at a knot; forces in N.
    pub fn change(&self, k: usize) -> CentroidalState {
        let at = |rows: [Row; 3]| Vec3::from_array(&rows.each_ref().map(|r| value_of(r, &self.x)));
        let axes = [0, 1, 2];
        CentroidalState {
            com: at(axes.map(|a| self.shift(k, a))),
            velocity: at(axes.map(|a| self.velocity(k, a))),
            acceleration: at(axes.map(|a| self.acceleration(k, a))),
            angular_momentum: at(axes.map(|a| self.angular_momentum(k, a))),
            moment: at(axes.map(|a| self.moment(k, a))).scale(self.weight),
        }
    }
}

#[cfg(test)]
mod tests;
