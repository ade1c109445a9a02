//! What can be asked for, by name.

use anthropi_io::names;
use std::str::FromStr;

/// Something that can be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// of the figure as a whole
    Whole(Quantity),
    /// Jacobian of a link's origin
    Jacobian(String),
}

/// What can be computed of a figure as a whole; the table below says what each is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    Dofs,
    MassMatrix,
    Bias,
    InverseDynamics,
    ForwardDynamics,
    LinkPoses,
    LinkVelocities,
    Com,
    KineticEnergy,
    PotentialEnergy,
    SpringEnergy,
    Momentum,
    CentroidalMomentumMatrix,
    Closure,
    ConstraintForces,
    ClosedInverseDynamics,
}

use Quantity::*;

const QUANTITIES: [(Quantity, &str, &str); 16] = [
    (Dofs, "dofs", "names of the degrees of freedom, in the order of all vectors"),
    (MassMatrix, "mass_matrix", "rows of M"),
    (Bias, "bias", "forces that keep the accelerations zero, without the forces on links"),
    (InverseDynamics, "inverse_dynamics", "forces of the actuators that give the accelerations a"),
    (ForwardDynamics, "forward_dynamics", "accelerations under tau and the forces on links"),
    (LinkPoses, "link_poses", "position and orientation [w,x,y,z] of each link"),
    (
        LinkVelocities,
        "link_velocities",
        "angular velocity, and velocity of the origin, of each link, world axes",
    ),
    (Com, "com", "centre of mass"),
    (KineticEnergy, "kinetic_energy", "energy of motion, J"),
    (PotentialEnergy, "potential_energy", "energy in gravity, J, zero at the world's origin"),
    (SpringEnergy, "spring_energy", "energy in the joints' springs, J"),
    (Momentum, "momentum", "linear, and angular about the centre of mass"),
    (CentroidalMomentumMatrix, "centroidal_momentum_matrix", "6 rows, angular first: momentum per velocity"),
    (Closure, "closure", "rank and generalized coordinates of loops"),
    (ConstraintForces, "constraint_forces", "forces in the connections"),
    (ClosedInverseDynamics, "closed_inverse_dynamics", "forces of the actuators of a figure with loops"),
];
const JACOBIAN: (&str, &str) =
    ("jacobian:LINK", "6 rows, angular first: velocity of LINK's origin per velocity, world axes");

impl Want {
    /// The list for `--help`.
    pub fn help() -> String {
        let all = QUANTITIES.iter().map(|(_, name, what)| (*name, *what)).chain([JACOBIAN]);
        let lines: String = all.map(|(name, what)| format!("\n  {name:27} {what}")).collect();
        format!("What to compute, separated by commas:{lines}")
    }

    /// The field of the answer.
    pub fn name(&self) -> String {
        match self {
            Want::Whole(quantity) => quantity.name().into(),
            Want::Jacobian(link) => format!("jacobian:{link}"),
        }
    }
}

impl Quantity {
    /// The word people type.
    pub fn name(self) -> &'static str {
        QUANTITIES.iter().find(|(q, ..)| *q == self).map_or("", |(_, name, _)| name)
    }
}

impl FromStr for Want {
    type Err = String;

    fn from_str(text: &str) -> Result<Want, String> {
        if let Some(link) = text.strip_prefix("jacobian:") {
            return Ok(Want::Jacobian(link.into()));
        }
        let found = QUANTITIES.iter().find(|(_, name, _)| *name == text);
        let all = || QUANTITIES.iter().map(|(_, name, _)| *name).chain([JACOBIAN.0]);
        found.map(|(q, ..)| Want::Whole(*q)).ok_or_else(|| names::unknown("quantity", text, all()))
    }
}
