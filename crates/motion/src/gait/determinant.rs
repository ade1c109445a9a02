//! The six determinants of gait [L1992 §9.4.3], which smooth the path of the centre of mass.
//!
//! | determinant | when | range |
//! |---|---|---|
//! | pelvic rotation | largest at heel strike, zero in mid swing | -4 to 4 deg |
//! | pelvic list | largest in mid swing, zero at heel strike | -5 to 5 deg |
//! | stance knee flexion | extended at heel strike, flexed under load, extended, flexed again | grows with step length |
//! | foot and ankle | heel strike, foot flat, heel rise, toe off | grows with step length |
//! | swing knee flexion | clears the ground | grows with step length |
//! | lateral displacement | over the stance leg, once to each side per cycle | follows from step width |
//!
//! Each has an amplitude: 1 normal, 0 off.

use super::refuse;
use crate::error::Error;
use serde::Serialize;

/// Largest pelvic rotation, rad [L1992 §9.4.3].
pub const MAX_PELVIC_ROTATION: f64 = 4.0 * core::f64::consts::PI / 180.0;
/// Largest pelvic list, rad [L1992 §9.4.3].
pub const MAX_PELVIC_LIST: f64 = 5.0 * core::f64::consts::PI / 180.0;
/// Pelvic rotation and list of a step of normal length, rad.
pub(crate) const PELVIC_ROTATION: f64 = 3.9 * core::f64::consts::PI / 180.0;
pub(crate) const PELVIC_LIST: f64 = 3.9 * core::f64::consts::PI / 180.0;

/// Amplitudes of the six determinants: 1 normal, 0 off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Determinants {
    /// rotation of the pelvis about the vertical
    pub pelvic_rotation: f64,
    /// drop of the pelvis on the swing side
    pub pelvic_list: f64,
    /// stance knee flexion
    pub stance_knee: f64,
    /// foot pitch at heel strike, heel rise and toe off
    pub foot: f64,
    /// swing knee flexion: foot clearance
    pub swing_knee: f64,
    /// displacement of the centre of mass towards the stance leg
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
    /// Amplitude of the named determinant.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut f64> {
        let Determinants { pelvic_rotation, pelvic_list, stance_knee, foot, swing_knee, lateral } = self;
        let fields = [pelvic_rotation, pelvic_list, stance_knee, foot, swing_knee, lateral];
        NAMES.iter().zip(fields).find(|(n, _)| **n == name).map(|(_, field)| field)
    }

    /// Largest allowed amplitude of the named determinant.
    pub fn max_amplitude(name: &str) -> f64 {
        match name {
            "pelvic_rotation" => MAX_PELVIC_ROTATION / PELVIC_ROTATION,
            "pelvic_list" => MAX_PELVIC_LIST / PELVIC_LIST,
            "foot" => 1.2,
            "lateral" => 3.0,
            _ => 2.5,
        }
    }

    /// Checks the amplitudes.
    ///
    /// # Errors
    /// The first amplitude outside its range.
    pub fn check(mut self) -> Result<(), Error> {
        for name in NAMES {
            let value = self.get_mut(name).map_or(0.0, |v| *v);
            if !(0.0..=Determinants::max_amplitude(name) + 1e-9).contains(&value) {
                return refuse(format!(
                    "the amplitude of `{name}` is {value}; expected 0 (off) to {:.2} (1: normal)",
                    Determinants::max_amplitude(name)
                ));
            }
        }
        Ok(())
    }
}
