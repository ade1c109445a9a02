//! Exact momentum conservation in free flight.
//!
//! A figure on which nothing but gravity acts from outside keeps its angular momentum about the centre of mass, and its
//! linear momentum changes by m g h in a step. An integrator of order p misses that by O(h^(p+1)); here the velocity of
//! the figure's root is corrected so that it holds to rounding. The joints' rates stay as they are.
//!
//! Computes  delta v_root = I_c^-1 (h_wanted - h)  with the composite inertia of the whole figure about its centre.
//! Source: projection on invariants keeps the order of the method [HLW2006 §IV.4].
//! Not here: figures joined to the world or under external forces.
//! Checked by: `tests/it/integrate.rs`.

use crate::algo::{at_mut, centroidal, fit, fk::Kinematics};
use crate::model::{BodyJoint, Forest};
use crate::spatial::{Force, Inertia};

/// Momentum of each free figure before a step, and scratch.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeFlight {
    kinematics: Kinematics,
    wanted: Vec<Force>,
}

/// A free figure: its whole inertia about the world's origin, and its momentum about its centre of mass.
struct Whole {
    inertia: Inertia,
    momentum: Force,
}

impl FreeFlight {
    /// Stores the momentum at the start of a step.
    pub fn remember(&mut self, forest: &Forest, q: &[f64], v: &[f64]) {
        self.kinematics.update(forest, q, Some(v), None);
        fit(&mut self.wanted, forest.bodies().len());
        for root in roots(forest) {
            self.wanted[root] = whole(forest, &self.kinematics, root).momentum;
        }
    }

    /// Corrects the velocities of the roots of figures that flew freely for `h` seconds.
    pub fn restore(
        &mut self,
        forest: &Forest,
        q: &[f64],
        v: &mut [f64],
        h: f64,
        is_free: impl Fn(usize) -> bool,
    ) {
        self.kinematics.update(forest, q, Some(v), None);
        for root in roots(forest).filter(|r| is_free(*r)) {
            let now = whole(forest, &self.kinematics, root);
            let (mass, centre) = (now.inertia.mass, now.inertia.center());
            let fall = forest.gravity().scale(mass * h);
            let missing = self.wanted[root] + Force::new(crate::spatial::Vec3::ZERO, fall) - now.momentum;
            let turn = now.inertia.central().inverse().mul(missing.angular);
            let pose = self.kinematics.body_pose(crate::model::BodyIx(root as u32));
            let shift = missing.linear.scale(1.0 / mass) + turn.cross(pose.translation - centre);
            let iv = forest.bodies()[root].iv as usize;
            for (i, part) in [turn, shift].into_iter().enumerate() {
                let own = pose.rotation.tr_mul(part).to_array();
                let to: &mut [f64; 3] = at_mut(v, iv + 3 * i);
                (0..3).for_each(|k| to[k] += own[k]);
            }
        }
    }
}

/// Bodies that move freely against the world.
fn roots(forest: &Forest) -> impl Iterator<Item = usize> + '_ {
    (1..forest.bodies().len()).filter(|i| forest.bodies()[*i].joint == BodyJoint::Free)
}

fn whole(forest: &Forest, kinematics: &Kinematics, root: usize) -> Whole {
    let (mut inertia, mut momentum) = (Inertia::ZERO, Force::default());
    for (i, b) in forest.bodies().iter().enumerate().skip(root) {
        if i > root && b.parent.index() < root {
            break; // depth first: the next figure begins
        }
        let c = crate::model::BodyIx(i as u32);
        let (origin, velocity) = (kinematics.body_pose(c).translation, kinematics.body_velocity(c));
        let own = centroidal::body_inertia(forest, kinematics, c);
        inertia = inertia + own.shifted(origin);
        momentum += (own * velocity).shifted(-origin);
    }
    let momentum = momentum.shifted(inertia.center());
    Whole { inertia, momentum }
}
