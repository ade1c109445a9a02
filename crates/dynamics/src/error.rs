//! The error type of this crate: wrong input, and numerical failures.

/// An error with its values.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// duplicate name
    #[error("there is already a {what} called `{name}`")]
    DuplicateName {
        /// link, joint or connection
        what: &'static str,
        /// the name
        name: String,
    },
    /// empty name
    #[error("a {what} needs a name")]
    EmptyName {
        /// link, joint or connection
        what: &'static str,
    },
    /// no link, joint or degree of freedom of that name
    #[error("there is no {what} called `{name}`")]
    UnknownName {
        /// link, joint, degree of freedom
        what: &'static str,
        /// the name
        name: String,
    },
    /// a handle whose link, joint or connection is gone
    #[error("this handle names a {what} that no longer exists")]
    StaleHandle {
        /// link or joint
        what: &'static str,
    },
    /// a state of another structure
    #[error("the state belongs to revision {state} of the figure, which is now at revision {figure}")]
    StaleState {
        /// revision of the state
        state: u64,
        /// revision of the figure
        figure: u64,
    },
    /// a vector of the wrong length
    #[error("{what} has {got} numbers, expected {expected}")]
    Dimension {
        /// name of the vector
        what: String,
        /// required length
        expected: usize,
        /// actual length
        got: usize,
    },
    /// a number that is infinite or NaN
    #[error("{what} is not a finite number")]
    NotFinite {
        /// name of the quantity
        what: String,
    },
    /// a quantity outside its range
    #[error("{what} is {value}, expected {expected}")]
    OutOfRange {
        /// name of the quantity
        what: String,
        /// actual value
        value: f64,
        /// valid range
        expected: &'static str,
    },
    /// a physically impossible inertia
    #[error(
        "link `{link}` has an impossible inertia: a principal moment is negative or larger than the sum of the \
         other two (by {excess:.3} of the largest)"
    )]
    ImpossibleInertia {
        /// the link
        link: String,
        /// by how much, relative to the largest principal moment
        excess: f64,
    },
    /// a joint that moves no inertia
    #[error(
        "joint `{joint}` moves no inertia: the links beyond it have no mass, or no moment about its axis"
    )]
    NoInertia {
        /// the joint
        joint: String,
    },
    /// a free joint that is not the root of a figure
    #[error("free joint `{joint}` hangs on link `{parent}`; a free joint must join a figure to the world")]
    FreeBelowLink {
        /// the joint
        joint: String,
        /// its parent link
        parent: String,
    },
    /// a figure without a free base, which has no root to choose
    #[error(
        "the figure of link `{link}` is held to the world by the {kind} joint `{joint}`; only a figure with a free \
         joint can change its root"
    )]
    BaseNotFree {
        /// the link that was to be the root
        link: String,
        /// the joint to the world
        joint: String,
        /// its kind
        kind: &'static str,
    },
    /// an operation that this kind of joint does not support
    #[error("joint `{joint}` is {kind} and cannot be {verb}")]
    WrongKind {
        /// the joint
        joint: String,
        /// its kind
        kind: &'static str,
        /// locked, ...
        verb: &'static str,
    },
    /// connecting a link with itself
    #[error("connection `{name}` joins link `{link}` to itself")]
    SelfConnection {
        /// the connection
        name: String,
        /// the link
        link: String,
    },
    /// a mass matrix that is not positive definite
    #[error("the mass matrix is singular at degree of freedom {index}: pivot {pivot}")]
    NonPositivePivot {
        /// degree of freedom, in the order of v
        index: usize,
        /// the pivot
        pivot: f64,
    },
    /// loops that could not be closed
    #[error(
        "the connections cannot be closed: after {iterations} iterations they are still open by {linear:.3e} m and \
         {angular:.3e} rad (worst: `{connection}`)"
    )]
    NotClosed {
        /// number of iterations
        iterations: usize,
        /// largest gap
        linear: f64,
        /// largest angle
        angular: f64,
        /// the connection with the largest gap
        connection: String,
    },
    /// coordinates that cannot be chosen as generalized coordinates
    #[error(
        "{names} cannot all be generalized coordinates: they depend on each other (rank {rank}, {free} are free)"
    )]
    DependentChoice {
        /// requested coordinates
        names: String,
        /// rank of the loop Jacobian
        rank: usize,
        /// degrees of freedom
        free: usize,
    },
    /// the motion diverged
    #[error("the motion diverged at t = {time} s (degree of freedom `{dof}`)")]
    Diverged {
        /// when
        time: f64,
        /// the first degree of freedom that is not finite
        dof: String,
    },
    /// a figure without height to scale by
    #[error("figure `{figure}` states no stature and has no shapes to measure one from")]
    UnknownStature {
        /// the figure
        figure: String,
    },
    /// a solid without volume
    #[error("the points of a convex shape span no volume")]
    FlatShape,
}
