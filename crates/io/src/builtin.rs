//! The figures that come with the program, as texts in our own format.

use crate::error::Error;
use crate::{Loaded, figure};

/// A figure that needs no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// what it is called
    pub name: &'static str,
    /// what it is, in one line
    pub what: &'static str,
    /// the figure in our own format
    pub text: &'static str,
}

/// All of them, smallest first. Names and lines are those of the texts.
pub fn figures() -> &'static [Builtin] {
    &FIGURES
}

/// The built-in figure of that name.
pub fn figure(name: &str) -> Option<Result<Loaded, Error>> {
    let found = FIGURES.iter().find(|b| b.name == name)?;
    Some(figure::read(found.text, found.name))
}

const FIGURES: [Builtin; 4] = [
    Builtin {
        name: "human-16",
        what: "16 joint coordinates: shoulders 3, elbows 1, hips 3, knees 1 (the gymnast of NY2000); 70 kg, 1.70 m",
        text: include_str!("../figures/human-16.toml"),
    },
    Builtin {
        name: "human-28",
        what: "28 joint coordinates, masses and inertias of NY2000J Table 3, soles 19 x 12 cm; 69 kg, 1.70 m",
        text: include_str!("../figures/human-28.toml"),
    },
    Builtin {
        name: "human-40",
        what: "40 joint coordinates: 12 spherical and 4 rotational joints, 17 links (NY2000 Fig. 16); 70 kg, 1.70 m",
        text: include_str!("../figures/human-40.toml"),
    },
    Builtin {
        name: "anthropi-42",
        what: "42 coordinates: free root, 12 spherical joints, boxes of one density (L1992 6.3.1); 70 kg, 1.70 m",
        text: include_str!("../figures/anthropi-42.toml"),
    },
];
