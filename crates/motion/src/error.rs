//! Errors of this crate.

/// Errors of motions.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// too few frames
    #[error("`{clip}` has {frames} frames; {expected}")]
    TooShort {
        /// name of the motion
        clip: String,
        /// number of frames
        frames: usize,
        /// required number
        expected: &'static str,
    },
    /// not a finite number
    #[error("`{clip}`, frame {frame}: the coordinates of {joint} are not finite")]
    NotFinite {
        /// name of the motion
        clip: String,
        /// counted from zero
        frame: usize,
        /// joint of the coordinates
        joint: String,
    },
    /// implausibly large forces
    #[error(
        "`{clip}`, frame {frame}: implausibly large forces; check the unit of length and the time between frames"
    )]
    ImplausibleForces {
        /// name of the motion
        clip: String,
        /// counted from zero
        frame: usize,
    },
    /// a list of the wrong length
    #[error("{what}: expected {expected} numbers, got {got}")]
    Dimension {
        /// name of the list
        what: String,
        /// required length
        expected: usize,
        /// actual length
        got: usize,
    },
    /// a value out of range
    #[error("{what} is {value}; expected {expected}")]
    OutOfRange {
        /// name of the value
        what: String,
        /// actual value
        value: f64,
        /// valid range
        expected: &'static str,
    },
    /// a low-pass that removes the motion, not only its noise
    #[error("`{clip}`: a cut-off of {cutoff} Hz is too low: {why}; use at least {least} Hz")]
    CutoffTooLow {
        /// name of the motion
        clip: String,
        /// requested cut-off, Hz
        cutoff: f64,
        /// least cut-off that keeps the motion, Hz
        least: f64,
        /// what it would take away
        why: String,
    },
    /// motions of different figures
    #[error("`{a}` and `{b}` are motions of different figures; retarget one first")]
    DifferentFigures {
        /// name of one
        a: String,
        /// name of the other
        b: String,
    },
    /// a figure or skeleton unsuited to the operation
    #[error("`{subject}`: {what}")]
    Unsuitable {
        /// name of the figure, skeleton or motion
        subject: String,
        /// problem and remedy
        what: String,
    },
    /// an impossible walk, run or jump
    #[error("{what}")]
    Gait {
        /// request and valid range
        what: String,
    },
    /// an error of the figure
    #[error(transparent)]
    Figure(#[from] anthropi_dynamics::Error),
}

impl Error {
    pub(crate) fn unsuitable(subject: impl Into<String>, what: impl Into<String>) -> Error {
        Error::Unsuitable { subject: subject.into(), what: what.into() }
    }
}
