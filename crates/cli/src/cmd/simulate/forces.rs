//! `forces.csv`: force and moment of each connection on its link a and of each contact on the supported link, world
//! axes, moment about the point; and `contacts.csv`, the contacts alone.

use super::contacts::{self, COLUMNS};
use crate::csv::Csv;
use anthropi_dynamics::contact::{Scenery, World};
use anthropi_dynamics::sim::Simulation;
use std::path::Path;

/// Time between two rows, s.
const EVERY: f64 = 5e-3;

/// The tables being written.
pub struct Forces {
    csv: Csv,
    /// for scenes with contact
    contacts: Option<Csv>,
    scenery: Vec<Scenery>,
    /// steps between two rows
    every: u64,
}

impl Forces {
    /// Starts the tables.
    pub fn create(dir: &Path, dt: f64, world: Option<&World>) -> anyhow::Result<Forces> {
        let mut csv = Csv::create(dir, "forces.csv")?;
        let own = ["t", "connection", "px", "py", "pz", "fx", "fy", "fz", "nx", "ny", "nz", "link"];
        csv.values(own.iter().chain(&COLUMNS));
        csv.end_line()?;
        let contacts = world.map(|_| contacts::table(dir)).transpose()?;
        let scenery = world.map_or(Vec::new(), |w| w.scenery.clone());
        Ok(Forces { csv, contacts, scenery, every: (EVERY / dt).round().max(1.0) as u64 })
    }

    /// Adds a row for each connection and contact, every few milliseconds.
    pub fn rows(&mut self, step: u64, time: f64, simulation: &Simulation) -> anyhow::Result<()> {
        if !step.is_multiple_of(self.every) {
            return Ok(());
        }
        let figure = simulation.figure();
        for (joint, force, point) in simulation.connection_forces() {
            self.csv.line.value(time);
            self.csv.line.name(figure.joint(joint).map_or("", |j| &j.name));
            for v in [point, force.linear, force.angular] {
                self.csv.values(v.to_array());
            }
            let ends = figure.connections().find(|(handle, _, _)| *handle == joint).map(|(_, l, _)| l);
            for end in [ends.and_then(|l| l.real()), ends.and_then(|l| l.parent())] {
                let name = end.and_then(|l| figure.link(l).ok()).map_or("world", |l| &l.spec.name);
                self.csv.line.name(name);
            }
            // centre of pressure, state, slip and solver belong to contacts
            (1..COLUMNS.len()).for_each(|_| self.csv.line.nothing());
            self.csv.end_line()?;
        }
        for contact in simulation.contacts() {
            let [link, other] = contacts::names(figure, &self.scenery, contact);
            self.csv.line.value(time);
            self.csv.line.name(&format!("{link} on {other}"));
            contacts::add_wrench(&mut self.csv, contact);
            self.csv.line.name(link);
            contacts::add_state(&mut self.csv, other, contact);
            self.csv.end_line()?;
            if let Some(table) = &mut self.contacts {
                contacts::row(table, time, [link, other], contact)?;
            }
        }
        Ok(())
    }

    /// Completes the files.
    pub fn finish(self) -> anyhow::Result<()> {
        self.contacts.map_or(Ok(()), Csv::finish)?;
        self.csv.finish()
    }
}
