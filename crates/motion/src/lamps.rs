//! Three lamps that say what a result means: physical, faithful, certain.
//!
//! | lamp | question | from |
//! |---|---|---|
//! | physical | can contacts and joints produce the forces? | `Certificate::physical`, `Filtered::physical` |
//! | faithful | is the filtered motion still the given one? | `Deviation::faithful` |
//! | certain | what does the result assume? | [`certain`] |
//!
//! The verdict of a certificate is the physical lamp alone; a motion that is physical and 163 degrees off the given one
//! is no good result, and neither is one about a figure in the wrong unit of length.
//! Checked by: tests below, `tests/it/certificate.rs`, `tests/it/lamps.rs`.

use crate::assumption::Assumption;
use core::fmt;
use serde::Serialize;

/// State of a lamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LampState {
    /// yes
    Green,
    /// yes, with a reservation
    Amber,
    /// no
    Red,
}

impl LampState {
    /// All states, best first.
    pub const ALL: [LampState; 3] = [LampState::Green, LampState::Amber, LampState::Red];

    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            LampState::Green => "green",
            LampState::Amber => "amber",
            LampState::Red => "red",
        }
    }
}

impl fmt::Display for LampState {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A lamp, with the reason of its state in a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lamp {
    /// state
    pub state: LampState,
    /// reason
    pub reason: String,
}

impl Lamp {
    /// A green lamp.
    pub fn green(reason: impl Into<String>) -> Lamp {
        Lamp { state: LampState::Green, reason: reason.into() }
    }

    /// An amber lamp.
    pub fn amber(reason: impl Into<String>) -> Lamp {
        Lamp { state: LampState::Amber, reason: reason.into() }
    }

    /// A red lamp.
    pub fn red(reason: impl Into<String>) -> Lamp {
        Lamp { state: LampState::Red, reason: reason.into() }
    }
}

/// The lamps of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lamps {
    /// whether contacts and joints can produce the forces
    pub physical: Lamp,
    /// whether a filtered motion is still the given one; `None` without a motion to compare with
    pub faithful: Option<Lamp>,
    /// what the result assumes
    pub certain: Lamp,
}

impl Lamps {
    /// The lamps with their names.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, &Lamp)> {
        let faithful = self.faithful.as_ref().map(|lamp| ("faithful", lamp));
        [Some(("physical", &self.physical)), faithful, Some(("certain", &self.certain))].into_iter().flatten()
    }
}

/// Whether a result is certain; `within_uncertainty` says why its verdict depends on what is uncertain.
pub fn certain(assumptions: &[Assumption], within_uncertainty: Option<&str>) -> Lamp {
    let listed = |of: &[Assumption]| of.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let doubtful: Vec<Assumption> = assumptions.iter().copied().filter(|a| a.is_doubtful()).collect();
    if !doubtful.is_empty() {
        return Lamp::red(listed(&doubtful));
    }
    match (within_uncertainty, assumptions) {
        (Some(why), _) => Lamp::amber(format!("consistent within the uncertainty of the model: {why}")),
        (None, []) => Lamp::green("the figure and the frame rate are as given"),
        (None, all) => Lamp::amber(listed(all)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_as_certain_as_its_worst_assumption() {
        assert_eq!(certain(&[], None).state, LampState::Green);
        let body = [Assumption::Soles, Assumption::Mass];
        let lamp = certain(&body, None);
        assert_eq!(lamp, Lamp::amber("soles are estimated, the mass is from tables"));
        let lamp = certain(&body, Some("2 cm"));
        assert_eq!(lamp, Lamp::amber("consistent within the uncertainty of the model: 2 cm"));
        let lamp = certain(&[Assumption::Unit, Assumption::Soles], Some("2 cm"));
        assert_eq!(lamp, Lamp::red("the unit of length is uncertain"));
    }

    #[test]
    fn lamps_are_serialized_with_words() {
        let lamps =
            Lamps { physical: Lamp::green("a"), faithful: Some(Lamp::red("b")), certain: Lamp::amber("c") };
        assert_eq!(
            lamps.each().map(|(name, l)| format!("{name} {}", l.state)).collect::<Vec<_>>().join(", "),
            "physical green, faithful red, certain amber"
        );
        assert!(LampState::Green < LampState::Amber && LampState::Amber < LampState::Red);
    }
}
