//! Forces the user applies: a drag spring, timed pushes, constant forces and torques.
//!
//! The spring is  f = m [w^2 (to - p) - 2 0.7 w v],  m a quarter of the figure's mass, limited so that an explicit step
//! of the dragged link stays stable.

use crate::command::Command;
use crate::error::Error;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_motion::filter::AppliedForce;

/// Natural frequency of the spring, rad/s.
const FREQUENCY: f64 = 12.0;
/// Mass of the spring law, as a fraction of the figure's.
const MASS_FRACTION: f64 = 0.25;
/// Limits of k dt^2 / m and d dt / m of the dragged link, for stability.
const STABLE: [f64; 2] = [0.1, 0.4];
/// Largest spring force, body weights.
const MAX_PULL: f64 = 3.0;

/// Largest pushes, forces (N) and torques (N m): the larger of so many body weights and an absolute value. More would
/// outrun the integrator.
const MAX_WEIGHTS: f64 = 20.0;
const MAX_ABSOLUTE: f64 = 2000.0;

/// Checks the magnitude of a push, force or torque.
///
/// # Errors
/// A magnitude above the limit, or not a number.
pub fn check_magnitude(figure: &Figure, command: &Command) -> Result<(), Error> {
    let (size, unit) = match command {
        Command::Push { force: [x, y, z], .. } | Command::Force { force: [x, y, z], .. } => {
            (vec3(*x, *y, *z).norm(), "N")
        }
        Command::Torque { size, .. } => (size.abs(), "N m"),
        _ => return Ok(()),
    };
    let most = (MAX_WEIGHTS * figure.mass() * figure.gravity().norm().max(1.0)).max(MAX_ABSOLUTE);
    match size <= most {
        true => Ok(()),
        false => Err(Error(format!("{size} {unit} is too much; the limit is {most:.0} {unit}"))),
    }
}

/// Forces the user currently applies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserForces {
    /// link, point in its axes, target in the world
    drag: Option<(LinkHandle, Vec3, Vec3)>,
    /// with end times, s
    pushes: Vec<(AppliedForce, f64)>,
    forces: Vec<AppliedForce>,
    /// joint, degree of freedom, size
    pub torques: Vec<(String, usize, f64)>,
}

impl UserForces {
    /// Applies a command; false if it is not about forces.
    ///
    /// # Errors
    /// A link, joint or degree of freedom that the figure does not have.
    pub fn apply(&mut self, figure: &Figure, command: &Command, time: f64) -> Result<bool, Error> {
        let vector = Vec3::from_array;
        match command {
            Command::Drag { link, at, to } => {
                self.drag = Some((figure.find_link(link)?, vector(at), vector(to)));
            }
            Command::LetGo => self.drag = None,
            Command::Push { link, at, force, seconds } => {
                let push = AppliedForce::constant(figure.find_link(link)?, vector(at), vector(force));
                self.pushes.push((push, time + seconds));
            }
            Command::Force { link, force } => {
                let force = AppliedForce::constant(figure.find_link(link)?, Vec3::ZERO, vector(force));
                self.forces.retain(|f| f.link != force.link);
                self.forces.extend((force.force != Vec3::ZERO).then_some(force));
            }
            Command::Torque { joint, dof, size } => {
                if *dof >= figure.joint(figure.find_joint(joint)?)?.kind.nv() {
                    return Err(Error(format!("`{joint}` has no degree of freedom {dof}")));
                }
                self.torques.retain(|(j, d, _)| (j, d) != (joint, dof));
                self.torques.extend((*size != 0.0).then(|| (joint.clone(), *dof, *size)));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Target of the drag spring.
    pub fn drag_target(&self) -> Option<Vec3> {
        self.drag.map(|(_, _, to)| to)
    }

    /// Forces on links for a step of `dt` at `time`; `kinematics` has poses and velocities.
    pub fn link_forces(
        &mut self,
        figure: &Figure,
        kinematics: &Kinematics,
        time: f64,
        dt: f64,
    ) -> Vec<AppliedForce> {
        self.pushes.retain(|(_, until)| time < until - 0.5 * dt);
        let drag = self.drag.map(|(link, at, to)| {
            AppliedForce::constant(link, at, spring_force(figure, kinematics, link, at, to, dt))
        });
        let mut all: Vec<AppliedForce> =
            self.pushes.iter().map(|(push, _)| push).chain(&self.forces).chain(&drag).copied().collect();
        all.retain(|f| f.force.is_finite());
        all
    }
}

/// Force of the drag spring.
fn spring_force(
    figure: &Figure,
    kinematics: &Kinematics,
    link: LinkHandle,
    at: Vec3,
    to: Vec3,
    dt: f64,
) -> Vec3 {
    let forest = figure.forest();
    let pose = kinematics.link_pose(forest, link);
    let twist = kinematics.link_velocity(forest, link);
    let velocity = twist.linear + twist.angular.cross(pose.rotation.mul(at));
    let own = figure.link(link).map_or(0.0, |l| l.spec.inertia.mass).max(1e-6);
    let mass = MASS_FRACTION * figure.mass();
    let stiffness = (mass * FREQUENCY * FREQUENCY).min(STABLE[0] * own / (dt * dt));
    let damping = (1.4 * mass * FREQUENCY).min(STABLE[1] * own / dt);
    let force = (to - pose.point(at)).scale(stiffness) - velocity.scale(damping);
    let most = MAX_PULL * figure.mass() * figure.gravity().norm().max(1.0);
    if force.norm() > most { force.scale(most / force.norm()) } else { force }
}
