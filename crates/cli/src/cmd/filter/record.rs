//! `--record`: the figure, and every internal step with all forces, so that anyone can check the physics with another
//! engine:  M(q) a + h(q, v) = tau + sum J^T f.
//!
//! `figure.xml` is MJCF. `states.csv` has t, q, v, a, tau; tau is all that a joint gives, springs and dampers included.
//! `contacts.csv` has the forces of the ground with the same t. Numbers read back as the same bits.

use crate::csv::{Csv, WRENCH};
use anthropi_dynamics::model::Figure;
use anthropi_io::csv::names_of_coordinates;
use anthropi_io::load;
use anthropi_motion::filter::Step;
use anyhow::Context;
use std::fs;
use std::path::Path;

/// Files being written.
pub struct Record<'a> {
    figure: &'a Figure,
    states: Csv,
    contacts: Csv,
}

impl<'a> Record<'a> {
    /// Writes the figure and starts the tables in a directory, which is made if it is not there.
    pub fn create(dir: &Path, figure: &'a Figure) -> anyhow::Result<Record<'a>> {
        fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
        // what MJCF cannot say of springs and ranges is in tau, and no loss here
        load::save(&dir.join("figure.xml"), figure)?;
        let mut states = Csv::create(dir, "states.csv")?;
        states.value("t");
        let dofs = figure.dof_names();
        let all =
            [("q", names_of_coordinates(figure)), ("v", dofs.clone()), ("a", dofs.clone()), ("tau", dofs)];
        for (letter, names) in &all {
            names.iter().for_each(|name| states.name(&format!("{letter}:{name}")));
        }
        states.end_line()?;
        let mut contacts = Csv::create(dir, "contacts.csv")?;
        WRENCH.iter().for_each(|column| contacts.value(column));
        contacts.end_line()?;
        Ok(Record { figure, states, contacts })
    }

    /// Adds a step.
    pub fn step(&mut self, step: &Step) -> anyhow::Result<()> {
        let body = step.body;
        let states = &mut self.states;
        states.value(step.time);
        for values in [body.q(), body.v(), body.a()] {
            values.iter().for_each(|x| states.value(x));
        }
        body.tau().iter().zip(body.passive()).for_each(|(tau, passive)| states.value(tau + passive));
        states.end_line()?;
        for f in body.ground() {
            self.contacts.value(step.time);
            let link = self.figure.link(body.places[f.place].link);
            self.contacts.name(link.map_or("", |l| &l.spec.name));
            let moment = [0.0; 3];
            for v in [f.at.to_array(), f.force.to_array(), moment] {
                v.into_iter().for_each(|x| self.contacts.value(x));
            }
            self.contacts.end_line()?;
        }
        Ok(())
    }

    /// Puts the files in their places.
    pub fn finish(self) -> anyhow::Result<()> {
        self.states.finish()?;
        self.contacts.finish()
    }
}
