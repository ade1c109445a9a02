//! `--record`: the figure, and every internal step with all forces, so that anyone can check the physics with another
//! engine:  M(q) a + h(q, v) = tau + sum J^T f.
//!
//! `figure.xml` is MJCF. `states.csv` has t, q, v, a, tau; tau is all that a joint gives, springs and dampers included.
//! `contacts.csv` has the forces of the ground, and pushes, with the same t. Numbers read back as the same bits.

use crate::csv::{Csv, WRENCH};
use crate::report;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::Vec3;
use anthropi_io::csv::names_of_coordinates;
use anthropi_io::load;
use anthropi_motion::filter::{Push, Step};
use std::path::Path;

/// Files being written.
pub struct Record<'a> {
    figure: &'a Figure,
    pushes: &'a [Push],
    /// on-line, pushes begin and end with frames, which are so long, s
    frame: Option<f64>,
    kinematics: Kinematics,
    states: Csv,
    contacts: Csv,
}

impl<'a> Record<'a> {
    /// Writes the figure and starts the tables in a directory, which is made if it is not there.
    /// Pushes act on-line in whole frames of that length, s.
    pub fn create(
        dir: &Path,
        figure: &'a Figure,
        pushes: &'a [Push],
        frame: Option<f64>,
    ) -> anyhow::Result<Record<'a>> {
        report::folder(dir)?;
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
        Ok(Record { figure, pushes, frame, kinematics: Kinematics::default(), states, contacts })
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
            self.force(step.time, body.places[f.place].link, f.at, f.force)?;
        }
        self.pushes(step)
    }

    /// The pushes that act in a step.
    fn pushes(&mut self, step: &Step) -> anyhow::Result<()> {
        // a little more than rounding, far less than a step
        let since = |dt: f64| (step.time / dt + 1e-6).floor() * dt;
        let time = self.frame.map_or(step.time, since);
        let all = self.pushes;
        let mut acting = all.iter().filter(|p| (p.from..p.to).contains(&time)).peekable();
        if acting.peek().is_some() {
            self.kinematics.update(self.figure.forest(), step.body.q(), None, None);
        }
        acting.try_for_each(|Push { outside, .. }| {
            let world_from_link = self.kinematics.link_pose(self.figure.forest(), outside.link);
            self.force(step.time, outside.link, world_from_link.point(outside.at), outside.force)
        })
    }

    /// A line of the forces.
    fn force(&mut self, time: f64, link: LinkHandle, at: Vec3, force: Vec3) -> anyhow::Result<()> {
        self.contacts.value(time);
        self.contacts.name(self.figure.link(link).map_or("", |l| &l.spec.name));
        let moment = [0.0; 3];
        for v in [at.to_array(), force.to_array(), moment] {
            v.into_iter().for_each(|x| self.contacts.value(x));
        }
        self.contacts.end_line()
    }

    /// Puts the files in their places.
    pub fn finish(self) -> anyhow::Result<()> {
        self.states.finish()?;
        self.contacts.finish()
    }
}
