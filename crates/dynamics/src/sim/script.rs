//! Scripted forces: constant, pulse, sine, table.

use crate::error::Error;
use crate::model::{JointHandle, LinkHandle};
use crate::spatial::Vec3;

/// A function of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Script {
    /// always one
    Constant,
    /// one from `from` until `until`, zero otherwise
    Between {
        /// first instant
        from: f64,
        /// last instant
        until: f64,
    },
    /// sin(2 pi `frequency` t + `phase`)
    Sine {
        /// Hz
        frequency: f64,
        /// rad
        phase: f64,
    },
    /// linear interpolation between (time, value); constant beyond the ends
    Table {
        /// increasing times, and values
        points: Vec<(f64, f64)>,
    },
}

/// A scripted force.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptedForce {
    /// force of a motor on degree of freedom `dof` of a joint
    Joint {
        /// the joint
        joint: JointHandle,
        /// index of the degree of freedom
        dof: usize,
        /// size, N m or N
        size: f64,
        /// times this
        script: Script,
    },
    /// force and torque on a link, world axes
    Link {
        /// the link
        link: LinkHandle,
        /// point of application, link axes
        point: Vec3,
        /// N
        force: Vec3,
        /// N m
        torque: Vec3,
        /// times this
        script: Script,
    },
}

impl Script {
    /// Checks that times increase and numbers are finite.
    pub fn check(&self) -> Result<(), Error> {
        let bad = |what: &str| Err(Error::NotFinite { what: what.into() });
        match self {
            Script::Constant => Ok(()),
            Script::Between { from, until } if from.is_finite() && until.is_finite() => Ok(()),
            Script::Sine { frequency, phase } if frequency.is_finite() && phase.is_finite() => Ok(()),
            Script::Table { points } => {
                if points.iter().any(|(t, x)| !t.is_finite() || !x.is_finite()) {
                    return bad("a number in a script's table");
                }
                match points.windows(2).find(|w| w[0].0 >= w[1].0) {
                    Some(w) => Err(Error::OutOfRange {
                        what: "a time in a script's table".into(),
                        value: w[1].0,
                        expected: "later than the one before",
                    }),
                    None => Ok(()),
                }
            }
            _ => bad("a number in a script"),
        }
    }

    /// Value at a time.
    pub fn at(&self, time: f64) -> f64 {
        match self {
            Script::Constant => 1.0,
            Script::Between { from, until } => f64::from(u8::from((*from..*until).contains(&time))),
            Script::Sine { frequency, phase } => {
                let angle = 2.0 * core::f64::consts::PI * frequency * time + phase;
                crate::spatial::Real::sin_cos(angle).0
            }
            Script::Table { points } => {
                let after = points.partition_point(|(t, _)| *t <= time);
                match (after.checked_sub(1).map(|i| points[i]), points.get(after)) {
                    (Some((t0, x0)), Some((t1, x1))) => x0 + (x1 - x0) * (time - t0) / (t1 - t0),
                    (Some((_, x)), None) => x,
                    (None, Some((_, x))) => *x,
                    (None, None) => 0.0,
                }
            }
        }
    }
}
