//! `forces.csv`: force and moment of each connection on its link a, world axes, moment about the point.

use super::csv::Csv;
use anthropi_dynamics::sim::Simulation;
use std::path::Path;

/// Time between two records, s.
const EVERY: f64 = 5e-3;

/// The table being written.
pub struct Forces {
    csv: Csv,
    /// steps between two records
    every: u64,
}

impl Forces {
    /// Starts the table.
    pub fn create(dir: &Path, dt: f64) -> anyhow::Result<Forces> {
        let mut csv = Csv::create(dir, "forces.csv")?;
        for column in ["t", "connection", "px", "py", "pz", "fx", "fy", "fz", "nx", "ny", "nz"] {
            csv.value(column);
        }
        csv.end_line()?;
        Ok(Forces { csv, every: (EVERY / dt).round().max(1.0) as u64 })
    }

    /// Adds a line for each connection, every few milliseconds.
    pub fn rows(&mut self, step: u64, time: f64, simulation: &Simulation) -> anyhow::Result<()> {
        if !step.is_multiple_of(self.every) {
            return Ok(());
        }
        for (joint, force, point) in simulation.connection_forces() {
            self.csv.value(time);
            self.csv.name(simulation.figure().joint(joint).map_or("", |j| &j.name));
            for v in [point, force.linear, force.angular] {
                v.to_array().into_iter().for_each(|x| self.csv.value(x));
            }
            self.csv.end_line()?;
        }
        Ok(())
    }

    /// Puts the file in its place.
    pub fn finish(self) -> anyhow::Result<()> {
        self.csv.finish()
    }
}
