//! Why a motion could not be made or changed.

/// What can be wrong with a motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// nothing to work with
    #[error("`{clip}` has {frames} frames; {expected}")]
    TooShort {
        /// which motion
        clip: String,
        /// how many frames it has
        frames: usize,
        /// how many it takes
        expected: &'static str,
    },
    /// a number that is none
    #[error("`{clip}`, frame {frame}: the coordinates of {joint} are not finite")]
    NotFinite {
        /// which motion
        clip: String,
        /// counted from zero
        frame: usize,
        /// whose coordinates
        joint: String,
    },
    /// forces no motion has
    #[error(
        "`{clip}`, frame {frame}: the forces behind it are beyond all measure; check the unit of length and the time \
             between frames"
    )]
    Absurd {
        /// which motion
        clip: String,
        /// counted from zero
        frame: usize,
    },
    /// a list of the wrong length
    #[error("{what}: expected {expected} numbers, got {got}")]
    Dimension {
        /// which list
        what: String,
        /// how long it has to be
        expected: usize,
        /// how long it is
        got: usize,
    },
    /// a value that makes no sense
    #[error("{what} is {value}; expected {expected}")]
    OutOfRange {
        /// which value
        what: String,
        /// what it is
        value: f64,
        /// what it may be
        expected: &'static str,
    },
    /// two motions that do not go together
    #[error("`{a}` and `{b}` are motions of different figures; retarget one first")]
    DifferentFigures {
        /// one
        a: String,
        /// the other
        b: String,
    },
    /// a figure or skeleton that cannot do what is asked
    #[error("`{subject}`: {what}")]
    Unsuitable {
        /// which figure, skeleton or motion
        subject: String,
        /// what is missing, and what would help
        what: String,
    },
    /// a walk, run or jump that nobody makes
    #[error("{what}")]
    Gait {
        /// what was asked for, and what is possible
        what: String,
    },
    /// the figure itself is not possible
    #[error(transparent)]
    Figure(#[from] anthropi_dynamics::Error),
}
