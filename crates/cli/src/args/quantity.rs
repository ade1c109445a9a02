//! Quantities of `compute`.

use anthropi_formats::names;
use std::str::FromStr;

/// A quantity to compute, described in the table below.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// of a link's origin
    Jacobian(String),
}

use Quantity::*;

const QUANTITIES: [(Quantity, &str, &str); 16] = [
    (Dofs, "dofs", "names of the degrees of freedom, in the order of all vectors"),
    (MassMatrix, "mass_matrix", "rows of M"),
    (Bias, "bias", "generalized forces for zero acceleration, without the forces on links"),
    (InverseDynamics, "inverse_dynamics", "actuator forces for the accelerations a"),
    (ForwardDynamics, "forward_dynamics", "accelerations under tau and the forces on links"),
    (LinkPoses, "link_poses", "position and orientation [w,x,y,z] of each link"),
    (
        LinkVelocities,
        "link_velocities",
        "angular velocity and velocity of the origin of each link, world axes",
    ),
    (Com, "com", "centre of mass"),
    (KineticEnergy, "kinetic_energy", "kinetic energy, J"),
    (PotentialEnergy, "potential_energy", "potential energy of gravity, J, zero at the world origin"),
    (SpringEnergy, "spring_energy", "energy of the joint springs, J"),
    (Momentum, "momentum", "linear momentum, and angular momentum about the centre of mass"),
    (
        CentroidalMomentumMatrix,
        "centroidal_momentum_matrix",
        "6 rows, angular first: momentum per generalized velocity",
    ),
    (Closure, "closure", "rank and generalized coordinates of loop closures"),
    (ConstraintForces, "constraint_forces", "loop-closure forces"),
    (ClosedInverseDynamics, "closed_inverse_dynamics", "actuator forces of a figure with loops"),
];
const JACOBIAN: (&str, &str) = (
    "jacobian:LINK",
    "6 rows, angular first: velocity of LINK's origin per generalized velocity, world axes",
);

impl Quantity {
    /// Long help: the list of quantities.
    pub fn help() -> String {
        let all = QUANTITIES.iter().map(|(_, name, what)| (*name, *what)).chain([JACOBIAN]);
        let lines: String = all.map(|(name, what)| format!("\n  {name:27} {what}")).collect();
        format!("Quantities to compute, separated by commas:{lines}")
    }

    /// Field of the JSON output, as on the command line.
    pub fn name(&self) -> String {
        match self {
            Jacobian(link) => format!("jacobian:{link}"),
            whole => QUANTITIES.iter().find(|(q, ..)| q == whole).map_or("", |(_, name, _)| name).into(),
        }
    }
}

impl FromStr for Quantity {
    type Err = String;

    fn from_str(text: &str) -> Result<Quantity, String> {
        if let Some(link) = text.strip_prefix("jacobian:") {
            return Ok(Jacobian(link.into()));
        }
        let found = QUANTITIES.iter().find(|(_, name, _)| *name == text);
        let all = || QUANTITIES.iter().map(|(_, name, _)| *name).chain([JACOBIAN.0]);
        found.map(|(q, ..)| q.clone()).ok_or_else(|| names::unknown("quantity", text, all()))
    }
}
