//! `forces.csv`: force and moment of each connection on its link a and of each contact on the link that is carried,
//! world axes, moment about the point; and `contacts.csv`, the contacts alone.

use super::contacts::{self, COLUMNS, Table};
use crate::csv::Csv;
use anthropi_dynamics::contact::{Scenery, World};
use anthropi_dynamics::sim::Simulation;
use std::path::Path;

/// Time between two records, s.
const EVERY: f64 = 5e-3;

/// The tables being written.
pub struct Forces {
    csv: Csv,
    /// where things can touch
    contacts: Option<Table>,
    scenery: Vec<Scenery>,
    /// steps between two records
    every: u64,
}

impl Forces {
    /// Starts the tables.
    pub fn create(dir: &Path, dt: f64, world: Option<&World>) -> anyhow::Result<Forces> {
        let mut csv = Csv::create(dir, "forces.csv")?;
        let own = ["t", "connection", "px", "py", "pz", "fx", "fy", "fz", "nx", "ny", "nz", "link"];
        own.iter().chain(&COLUMNS).for_each(|column| csv.value(column));
        csv.end_line()?;
        let contacts = world.map(|_| Table::create(dir)).transpose()?;
        let scenery = world.map_or(Vec::new(), |w| w.scenery.clone());
        Ok(Forces { csv, contacts, scenery, every: (EVERY / dt).round().max(1.0) as u64 })
    }

    /// Adds a line for each connection and contact, every few milliseconds.
    pub fn rows(&mut self, step: u64, time: f64, simulation: &Simulation) -> anyhow::Result<()> {
        if !step.is_multiple_of(self.every) {
            return Ok(());
        }
        let figure = simulation.figure();
        for (joint, force, point) in simulation.connection_forces() {
            self.csv.value(time);
            self.csv.name(figure.joint(joint).map_or("", |j| &j.name));
            for v in [point, force.linear, force.angular] {
                v.to_array().into_iter().for_each(|x| self.csv.value(x));
            }
            let ends = figure.connections().find(|(handle, _, _)| *handle == joint).map(|(_, l, _)| l);
            for end in [ends.and_then(|l| l.real()), ends.and_then(|l| l.parent())] {
                let name = end.and_then(|l| figure.link(l).ok()).map_or("world", |l| &l.spec.name);
                self.csv.name(name);
            }
            // centre of pressure, state, slip and solver are a contact's
            (1..COLUMNS.len()).for_each(|_| self.csv.nothing());
            self.csv.end_line()?;
        }
        for contact in simulation.contacts() {
            let [link, other] = contacts::names(figure, &self.scenery, contact);
            self.csv.value(time);
            self.csv.name(&format!("{link} on {other}"));
            contacts::add_wrench(&mut self.csv, contact);
            self.csv.name(link);
            contacts::add_state(&mut self.csv, other, contact);
            self.csv.end_line()?;
            if let Some(table) = &mut self.contacts {
                table.row(time, [link, other], contact)?;
            }
        }
        Ok(())
    }

    /// Puts the files in their places.
    pub fn finish(self) -> anyhow::Result<()> {
        self.contacts.map_or(Ok(()), Table::finish)?;
        self.csv.finish()
    }
}
