//! Faults of a scene, and statistics of a fault-free one.

/// Kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Panic,
    Diverged,
    Closure,
    Energy,
    Contact,
    Momentum,
    Jump,
    Slow,
    Refused,
    Text,
    Differs,
}

impl Kind {
    /// Whether it is a known weakness, tolerated in some scenes: singular poses and motions too fast for the step are
    /// among the random ones (`docs/accuracy.md`).
    pub fn is_weakness(self) -> bool {
        matches!(self, Kind::Diverged | Kind::Closure | Kind::Energy | Kind::Slow)
    }

    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

#[derive(Clone, Debug)]
pub struct Fault {
    pub kind: Kind,
    pub step: usize,
    pub what: String,
}

/// Statistics of a fault-free scene.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub steps: u64,
    pub contact_steps: u64,
    pub acts: u64,
    pub unsolved: u64,
    pub cuts: u64,
    pub fallbacks: u64,
    pub closure: f64,
    pub unlawful: f64,
    pub momentum: f64,
    pub slowest: f64,
    pub deepest: f64,
    /// energy gains explained by the step length
    pub explained: u64,
    /// steps with too large rotations
    pub fast: u64,
    /// the largest of them, relative to the available energy
    pub gain: f64,
    pub digest: u64,
}

impl Seen {
    pub fn add(&mut self, other: &Seen) {
        self.steps += other.steps;
        self.contact_steps += other.contact_steps;
        self.acts += other.acts;
        self.unsolved += other.unsolved;
        self.cuts += other.cuts;
        self.fallbacks += other.fallbacks;
        self.explained += other.explained;
        self.fast += other.fast;
        self.closure = self.closure.max(other.closure);
        self.unlawful = self.unlawful.max(other.unlawful);
        self.momentum = self.momentum.max(other.momentum);
        self.slowest = self.slowest.max(other.slowest);
        self.deepest = self.deepest.max(other.deepest);
        self.gain = self.gain.max(other.gain);
    }
}
