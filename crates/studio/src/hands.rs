//! Forces that hands give: a spring from a point to where it is pulled, pushes for a while, forces and torques that stay.
//!
//! Computes  f = m [w^2 (to - p) - 2 0.7 w v],  m a quarter of what hangs on the link's root, within what a step of the
//! lightest link stands. Whoever moves asks once a step.

use crate::command::Command;
use crate::error::Error;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Rate of the spring, 1/s.
const RATE: f64 = 12.0;
/// Part of the whole mass that the spring is made for.
const SHARE: f64 = 0.25;
/// Most change of a link's own speed in a step that a spring and its damping may make, parts.
const STABLE: [f64; 2] = [0.1, 0.4];
/// Strongest pull, body weights.
const MOST: f64 = 3.0;

/// Strongest force (N) or torque (N m) that is set, as body weights, and what may be set in any case: more only throws a
/// figure about faster than steps can follow.
const SET: [f64; 2] = [20.0, 2000.0];

/// Says so when more is asked of hands than any have.
///
/// # Errors
/// A force or torque beyond that, or one that is no number.
pub fn refuse_absurd(figure: &Figure, command: &Command) -> Result<(), Error> {
    let (size, unit) = match command {
        Command::Push { force: [x, y, z], .. } | Command::Force { force: [x, y, z], .. } => {
            (vec3(*x, *y, *z).norm(), "N")
        }
        Command::Torque { size, .. } => (size.abs(), "N m"),
        _ => return Ok(()),
    };
    let most = (SET[0] * figure.mass() * figure.gravity().norm().max(1.0)).max(SET[1]);
    match size <= most {
        true => Ok(()),
        false => Err(Error(format!("{size} {unit} are asked for; at most {most:.0} {unit} can be set here"))),
    }
}

/// A force on a link now.
#[derive(Clone, Debug, PartialEq)]
pub struct Acting {
    /// its link
    pub link: String,
    /// in the link's axes
    pub at: Vec3,
    /// world axes, N
    pub force: Vec3,
}

/// What hands do at the moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hands {
    drag: Option<(String, Vec3, Vec3)>,
    /// pushes and until when they last, s
    pushes: Vec<(Acting, f64)>,
    forces: Vec<Acting>,
    /// joint, degree of freedom, size
    pub torques: Vec<(String, usize, f64)>,
}

impl Hands {
    /// Takes what is for hands; whether it was.
    pub fn take(&mut self, command: &Command, time: f64) -> bool {
        let vector = |v: &[f64; 3]| vec3(v[0], v[1], v[2]);
        match command {
            Command::Drag { link, at, to } => self.drag = Some((link.clone(), vector(at), vector(to))),
            Command::LetGo => self.drag = None,
            Command::Push { link, at, force, seconds } => {
                let acting = Acting { link: link.clone(), at: vector(at), force: vector(force) };
                self.pushes.push((acting, time + seconds));
            }
            Command::Force { link, force } => {
                self.forces.retain(|f| f.link != *link);
                let force = vector(force);
                if force != Vec3::ZERO {
                    self.forces.push(Acting { link: link.clone(), at: Vec3::ZERO, force });
                }
            }
            Command::Torque { joint, dof, size } => {
                self.torques.retain(|(j, d, _)| (j, d) != (joint, dof));
                if *size != 0.0 {
                    self.torques.push((joint.clone(), *dof, *size));
                }
            }
            _ => return false,
        }
        true
    }

    /// Where the hand pulls to, while it does.
    pub fn pulls_to(&self) -> Option<Vec3> {
        self.drag.as_ref().map(|(_, _, to)| *to)
    }

    /// Forces on links for a step of `dt` from `time` on; `kinematics` has poses and velocities of the figure.
    pub fn acting(&mut self, figure: &Figure, kinematics: &Kinematics, time: f64, dt: f64) -> Vec<Acting> {
        self.pushes.retain(|(_, until)| time < until - 0.5 * dt);
        let mut all: Vec<Acting> = self.pushes.iter().map(|(acting, _)| acting.clone()).collect();
        all.extend(self.forces.iter().cloned());
        if let Some((name, at, to)) = &self.drag
            && let Ok(link) = figure.find_link(name)
        {
            let force = pull(figure, kinematics, link, *at, *to, dt);
            all.push(Acting { link: name.clone(), at: *at, force });
        }
        all.retain(|a| a.force.is_finite() && figure.find_link(&a.link).is_ok());
        all
    }
}

/// The spring's force.
fn pull(figure: &Figure, kinematics: &Kinematics, link: LinkHandle, at: Vec3, to: Vec3, dt: f64) -> Vec3 {
    let forest = figure.forest();
    let pose = kinematics.link_pose(forest, link);
    let twist = kinematics.link_velocity(forest, link);
    let velocity = twist.linear + twist.angular.cross(pose.rotation.mul(at));
    let own = figure.link(link).map_or(0.0, |l| l.spec.inertia.mass).max(1e-6);
    let mass = SHARE * figure.mass();
    let stiffness = (mass * RATE * RATE).min(STABLE[0] * own / (dt * dt));
    let damping = (1.4 * mass * RATE).min(STABLE[1] * own / dt);
    let force = (to - pose.point(at)).scale(stiffness) - velocity.scale(damping);
    let most = MOST * figure.mass() * figure.gravity().norm().max(1.0);
    if force.norm() > most { force.scale(most / force.norm()) } else { force }
}
