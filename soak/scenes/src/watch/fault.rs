//! What can be wrong with a scene, and what is seen of one that goes well.

/// What was wrong.
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
    /// Whether some scenes may end so: poses at which mechanisms are singular, and motions faster than their steps, are
    /// among the random ones, and are where the engine is known to be weak (`docs/accuracy.md`).
    pub fn is_weakness(self) -> bool {
        matches!(self, Kind::Diverged | Kind::Closure | Kind::Energy | Kind::Slow)
    }

    pub fn name(self) -> &'static str {
        match self {
            Kind::Panic => "panic",
            Kind::Diverged => "diverged",
            Kind::Closure => "closure",
            Kind::Energy => "energy",
            Kind::Contact => "contact",
            Kind::Momentum => "momentum",
            Kind::Jump => "jump",
            Kind::Slow => "slow",
            Kind::Refused => "refused",
            Kind::Text => "text",
            Kind::Differs => "differs",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Fault {
    pub kind: Kind,
    pub step: usize,
    pub what: String,
}

/// What was seen in a scene that went well.
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
    /// gains of energy that were looked at and come from the length of the step
    pub explained: u64,
    /// steps in which something turned too far
    pub fast: u64,
    /// the largest of them, of the energy at hand
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
