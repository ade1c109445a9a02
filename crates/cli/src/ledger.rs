//! Coordinate counts by part, as in the papers.

use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, Joint, JointHandle};
use serde::Serialize;

/// Coordinate counts; they add up to [`Ledger::total`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Ledger {
    /// joints of the figure
    pub figure: usize,
    /// free joints of the figure
    pub base: usize,
    /// joints of other bodies
    pub environment: usize,
    /// connections
    pub connections: usize,
}

impl Ledger {
    /// Counts the coordinates of a figure; those of the joints in `environment` belong to other bodies.
    pub fn new(figure: &Figure, environment: &[JointHandle]) -> Ledger {
        let count = |is: &dyn Fn(JointHandle, &Joint) -> bool| {
            figure.joints().filter(|(h, j)| is(*h, j)).map(|(_, j)| j.coordinates().nv()).sum::<usize>()
        };
        let is_own = |h: JointHandle| !environment.contains(&h);
        let base = count(&|h, j| is_own(h) && j.kind == JointKind::Free);
        let others = count(&|h, _| !is_own(h));
        Ledger {
            figure: figure.forest().nv() - base - others,
            base,
            environment: others,
            connections: figure.connections().map(|(_, _, j)| j.coordinates().nv()).sum(),
        }
    }

    /// Coordinates of the tree.
    pub fn tree(&self) -> usize {
        self.figure + self.base + self.environment
    }

    /// All coordinates.
    pub fn total(&self) -> usize {
        self.tree() + self.connections
    }

    /// Table for the terminal.
    pub fn to_text(self) -> String {
        let mut table = crate::report::table(&["coordinates", ""]);
        let rows = [
            ("joints of the figure", self.figure),
            ("free base", self.base),
            ("other bodies", self.environment),
            ("connections", self.connections),
            ("total", self.total()),
        ];
        for (what, n) in rows {
            table.add_row([what.to_string(), n.to_string()]);
        }
        table.to_string()
    }
}
