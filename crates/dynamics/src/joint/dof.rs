//! Properties of one degree of freedom of a joint.

use super::{LimitSpring, Range};

/// Properties of one degree of freedom. Those of a spherical joint belong to the axes of its rotation order, first to
/// last: limits and locks to the angles, the rest to the child's axis of that name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dof {
    /// range of the coordinate, if it has one
    pub range: Option<Range>,
    /// spring at the ends of the range, if the limit acts
    pub limit: Option<LimitSpring>,
    /// spring towards `rest`, N m / rad or N / m
    pub stiffness: f64,
    /// coordinate at which the spring rests (the rotation vector from home, for a spherical joint)
    pub rest: f64,
    /// viscous damping, N m s / rad or N s / m
    pub damping: f64,
    /// dry friction, N m or N
    pub friction: f64,
    /// rotor inertia added to the mass matrix, kg m^2 or kg
    pub armature: f64,
    /// largest force of the actuator, N m or N
    pub effort: f64,
    /// held at its present value
    pub locked: bool,
}

impl Default for Dof {
    fn default() -> Self {
        Dof {
            range: None,
            limit: None,
            stiffness: 0.0,
            rest: 0.0,
            damping: 0.0,
            friction: 0.0,
            armature: 0.0,
            effort: f64::INFINITY,
            locked: false,
        }
    }
}

impl Dof {
    /// Geometry only: no armature, damping, springs or friction.
    pub fn rigid(&self) -> Dof {
        Dof { limit: None, stiffness: 0.0, damping: 0.0, friction: 0.0, armature: 0.0, ..*self }
    }

    /// Whether it has a passive force.
    pub fn is_passive(&self) -> bool {
        self.limit.is_some() && self.range.is_some()
            || self.stiffness != 0.0
            || self.damping != 0.0
            || self.friction != 0.0
    }
}
