//! The six determinants of gait [L1992 §9.4.3]: what makes the path of the centre of mass smooth.
//!
//! | determinant | when | range |
//! |---|---|---|
//! | pelvic rotation | greatest at heel strike, none in mid swing | -4 to 4 deg |
//! | pelvic list | greatest in mid swing, none at heel strike | -5 to 5 deg |
//! | knee flexion in stance | straight at heel strike, bent under the load, straight, bent again | grows with the step |
//! | foot and ankle | heel strike, flat, heel rise, toe off | grows with the step |
//! | knee flexion in swing | clears the ground | grows with the step |
//! | lateral displacement | over the leg that carries, twice in the cycle | by the width of the steps |
//!
//! Each has an amplitude, 1 for the usual one and 0 for none.

use crate::error::Error;

/// Pelvic rotation at most, rad [L1992 §9.4.3].
pub const MOST_ROTATION: f64 = 4.0 * core::f64::consts::PI / 180.0;
/// Pelvic list at most, rad [L1992 §9.4.3].
pub const MOST_LIST: f64 = 5.0 * core::f64::consts::PI / 180.0;
/// Usual amplitudes of a step of usual length, rad; list is below its limit.
pub(crate) const ROTATION: f64 = 3.9 * core::f64::consts::PI / 180.0;
pub(crate) const LIST: f64 = 3.9 * core::f64::consts::PI / 180.0;

/// Amplitudes of the six, 1 is usual and 0 off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Determinants {
    /// of the pelvis about the vertical
    pub pelvic_rotation: f64,
    /// of the pelvis to the side of the leg that swings
    pub pelvic_list: f64,
    /// of the knee that carries
    pub stance_knee: f64,
    /// heel strike, heel rise, toe off
    pub foot: f64,
    /// of the knee that swings: how high the foot is raised
    pub swing_knee: f64,
    /// of the centre of mass to the leg that carries
    pub lateral: f64,
}

impl Default for Determinants {
    fn default() -> Determinants {
        Determinants {
            pelvic_rotation: 1.0,
            pelvic_list: 1.0,
            stance_knee: 1.0,
            foot: 1.0,
            swing_knee: 1.0,
            lateral: 1.0,
        }
    }
}

/// Names, in the order of the thesis.
pub const NAMES: [&str; 6] =
    ["pelvic_rotation", "pelvic_list", "stance_knee", "foot", "swing_knee", "lateral"];

impl Determinants {
    /// The amplitude of a determinant by its name.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "pelvic_rotation" => &mut self.pelvic_rotation,
            "pelvic_list" => &mut self.pelvic_list,
            "stance_knee" => &mut self.stance_knee,
            "foot" => &mut self.foot,
            "swing_knee" => &mut self.swing_knee,
            "lateral" => &mut self.lateral,
            _ => return None,
        })
    }

    /// Largest amplitude of a determinant that stays in its range.
    pub fn most(name: &str) -> f64 {
        match name {
            "pelvic_rotation" => MOST_ROTATION / ROTATION,
            "pelvic_list" => MOST_LIST / LIST,
            "foot" => 1.2,
            "lateral" => 3.0,
            _ => 2.5,
        }
    }

    /// Refuses amplitudes outside of their ranges.
    ///
    /// # Errors
    /// The first such amplitude.
    pub fn check(mut self) -> Result<(), Error> {
        for name in NAMES {
            let value = self.get_mut(name).map_or(0.0, |v| *v);
            if !(0.0..=Determinants::most(name) + 1e-9).contains(&value) {
                let what = format!(
                    "the amplitude of `{name}` is {value}; expected 0 (off) to {:.2}, 1 being usual",
                    Determinants::most(name)
                );
                return Err(Error::Gait { what });
            }
        }
        Ok(())
    }
}
