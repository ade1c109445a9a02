//! What a result assumes because its input does not say it: soles, masses, the unit of length.
//!
//! Readers and `person` attach an assumption to the [`Note`](crate::note::Note) that explains it, so that it travels with
//! the motion to the verdict (`lamps`).

use core::fmt;

/// Uncertainty of the edges and of the height of an estimated sole, m: a few centimetres separate barefoot people, shoes
/// and the tables.
pub const SOLE_UNCERTAINTY: f64 = 0.03;

/// Something that a result assumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assumption {
    /// the unit of length: no common unit gives a human figure
    Unit,
    /// the frame rate, which the file does not state
    FrameRate,
    /// another frame rate than that of the file
    Retimed,
    /// shape and place of the soles
    Soles,
    /// mass, from anthropometric tables
    Mass,
    /// distribution of a given mass over the body, from anthropometric tables
    MassDistribution,
    /// the skeleton, of mean proportions
    Skeleton,
    /// stature, from the length of the legs
    Stature,
    /// a bone that a conversion lost
    LostBone,
    /// knees and elbows that rotate about one axis
    Hinges,
    /// an external force that keeps the figure up
    Assistance,
}

impl Assumption {
    /// Whether it is about the body of the recorded person, and so does not concern another figure.
    pub fn is_about_body(self) -> bool {
        !matches!(
            self,
            Assumption::Unit | Assumption::FrameRate | Assumption::Retimed | Assumption::Assistance
        )
    }

    /// Whether the whole result is wrong if the assumption is.
    pub fn is_doubtful(self) -> bool {
        self == Assumption::Unit
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Assumption::Unit => "the unit of length is uncertain",
            Assumption::FrameRate => "the file does not state its frame rate",
            Assumption::Retimed => "the frame rate is not that of the file",
            Assumption::Soles => "soles are estimated",
            Assumption::Mass => "the mass is from tables",
            Assumption::MassDistribution => "the distribution of the mass is from tables",
            Assumption::Skeleton => "the skeleton has mean proportions",
            Assumption::Stature => "the stature is estimated from the legs",
            Assumption::LostBone => "a bone lost in a conversion is restored",
            Assumption::Hinges => "knees and elbows are fitted hinges",
            Assumption::Assistance => "an external force is assumed",
        })
    }
}
