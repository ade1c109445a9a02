//! A walk as a page that people read.
//!
//! | part | what it writes |
//! |---|---|
//! | `headline` | whether it fell, and what was asked and walked |
//! | `compare` | against the neutral walk |

mod compare;
mod headline;

pub use compare::{Compared, compared};

use super::{beginning, end};
use crate::walking::Part;
use anthropi_motion::gait::steps::Stretch;
use anthropi_motion::gait::{Look, Settings, Walked};

/// What a page tells.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// what the walk or its file is called
    pub name: &'a str,
    /// stretches, as they were asked for
    pub parts: &'a [Part],
    /// ...and as they were to be walked
    pub stretches: &'a [Stretch],
    /// what came of it
    pub walked: &'a Walked,
    /// this walk, and a neutral one
    pub looks: Option<[Look; 2]>,
    /// pack on the back, kg
    pub load: f64,
    /// how it was simulated
    pub settings: &'a Settings,
    /// seconds walked in a second
    pub realtime_factor: f64,
    /// what was found and decided on the way, a sentence each
    pub notes: &'a [String],
}

/// The page.
pub fn page(report: &Report) -> String {
    let mut out = beginning(&format!("{}: a walk", report.name));
    headline::write(&mut out, report);
    compare::write(&mut out, report);
    end(&mut out);
    out
}
