//! `trajectory.csv`: time, q and v of every step.
//!
//! A tree joint that can be cut has the columns of its free joint from the start; columns without a value are empty.
//! After the cut, `JOINT.k` is the k-th number of the free joint.

use crate::csv::Csv;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::sim::{Action, Simulation};
use anthropi_formats::csv::coordinate_names;
use std::path::Path;

/// The table being written.
pub struct Trajectory {
    csv: Csv,
    /// names of the columns of q, then of v
    columns: [Vec<String>; 2],
    /// revision of the structure, and the index of each column's value in it
    places: Option<(u64, [Vec<Option<usize>>; 2])>,
}

impl Trajectory {
    /// Starts the table in a folder, which is created if needed.
    pub fn create(dir: &Path, simulation: &Simulation) -> anyhow::Result<Trajectory> {
        let figure = simulation.figure();
        let mut columns = [coordinate_names(figure), figure.dof_names()];
        for event in simulation.expected() {
            let Action::Cut(name) = &event.action else { continue };
            let in_tree = figure.joints().find(|(_, j)| j.name == *name);
            if in_tree.is_some_and(|(_, j)| j.kind != JointKind::Free) {
                for (list, n) in columns.iter_mut().zip([JointKind::Free.nq(), JointKind::Free.nv()]) {
                    let new: Vec<String> = (0..n).map(|k| format!("{name}.{k}")).collect();
                    list.extend(new.into_iter().filter(|c| !list.contains(c)).collect::<Vec<_>>());
                }
            }
        }
        let mut csv = Csv::create(dir, "trajectory.csv")?;
        csv.line.value("t");
        for (letter, names) in ["q", "v"].iter().zip(&columns) {
            names.iter().for_each(|name| csv.line.name(&format!("{letter}:{name}")));
        }
        csv.end_line()?;
        Ok(Trajectory { csv, columns, places: None })
    }

    /// Adds a row.
    pub fn row(&mut self, time: f64, simulation: &Simulation) -> anyhow::Result<()> {
        let (figure, state) = (simulation.figure(), simulation.state());
        if self.places.as_ref().is_none_or(|(revision, _)| *revision != figure.revision()) {
            self.places = Some((figure.revision(), self.find(figure)));
        }
        self.csv.line.value(time);
        let places = self.places.iter().flat_map(|(_, p)| p);
        for (places, values) in places.zip([&state.q, &state.v]) {
            for place in places {
                match place {
                    Some(i) => self.csv.line.value(values[*i]),
                    None => self.csv.line.nothing(),
                }
            }
        }
        self.csv.end_line()
    }

    fn find(&self, figure: &Figure) -> [Vec<Option<usize>>; 2] {
        let now = [coordinate_names(figure), figure.dof_names()];
        let find = |k: usize| {
            self.columns[k].iter().map(|column| now[k].iter().position(|name| name == column)).collect()
        };
        [find(0), find(1)]
    }

    /// Completes the file.
    pub fn finish(self) -> anyhow::Result<()> {
        self.csv.finish()
    }
}
