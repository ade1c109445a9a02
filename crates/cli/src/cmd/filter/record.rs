//! `--record`: the figure and every internal step with all forces, to check the physics with another engine:
//! M(q) a + h(q, v) = tau + sum J^T f.
//!
//! `figure.xml` is MJCF. `states.csv` has t, q, v, a, tau; tau includes springs and dampers. `contacts.csv` has the ground
//! forces, pushes and assistance, with the same t. `props.csv` has the boxes of props, if there are any: the middle, the
//! heading of the length, and half sizes. Numbers read back bit by bit.

use crate::csv::{Csv, WRENCH};
use crate::report;
use anthropi_app::resolve;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{BodyJoint, Figure, LinkHandle};
use anthropi_dynamics::spatial::{Force, Vec3};
use anthropi_formats::csv::coordinate_names;
use anthropi_motion::contact_schedule::Prop;
use anthropi_motion::filter::{AppliedForce, SolvedStep};
use std::path::{Path, PathBuf};

/// Columns of the table of props.
const PROP_COLUMNS: [&str; 8] =
    ["kind", "x", "y", "z", "heading", "half_length", "half_width", "half_height"];

/// Files being written.
pub struct Record<'a> {
    figure: &'a Figure,
    pushes: &'a [AppliedForce],
    /// on which assistance acts
    root: Option<LinkHandle>,
    /// on-line: time between frames, s, as pushes begin and end with frames
    frame: Option<f64>,
    kinematics: Kinematics,
    dir: PathBuf,
    states: Csv,
    contacts: Csv,
}

impl<'a> Record<'a> {
    /// Writes the figure and starts the tables in a directory, which is created. On-line, pushes act in whole frames of
    /// length `frame`, s.
    pub fn create(
        dir: &Path,
        figure: &'a Figure,
        pushes: &'a [AppliedForce],
        frame: Option<f64>,
    ) -> anyhow::Result<Record<'a>> {
        report::folder(dir)?;
        // springs and ranges that MJCF cannot hold are in tau
        resolve::save_figure(&dir.join("figure.xml"), figure)?;
        let mut states = Csv::create(dir, "states.csv")?;
        states.line.value("t");
        let dofs = figure.dof_names();
        let all = [("q", coordinate_names(figure)), ("v", dofs.clone()), ("a", dofs.clone()), ("tau", dofs)];
        for (letter, names) in &all {
            names.iter().for_each(|name| states.line.name(&format!("{letter}:{name}")));
        }
        states.end_line()?;
        let mut contacts = Csv::create(dir, "contacts.csv")?;
        contacts.values(WRENCH);
        contacts.end_line()?;
        Ok(Record {
            figure,
            pushes,
            root: root(figure),
            frame,
            kinematics: Kinematics::default(),
            dir: dir.to_path_buf(),
            states,
            contacts,
        })
    }

    /// Adds a step.
    pub fn step(&mut self, step: &SolvedStep) -> anyhow::Result<()> {
        let body = step.body;
        let states = &mut self.states;
        states.line.value(step.time);
        for values in [body.q(), body.v(), body.a()] {
            states.values(values);
        }
        body.tau().iter().zip(body.passive()).for_each(|(tau, passive)| states.line.value(tau + passive));
        states.end_line()?;
        for f in body.ground() {
            let link = body.contact_points[f.contact_point].link;
            self.wrench(step.time, link, f.at, Force::new(Vec3::ZERO, f.force))?;
        }
        self.pushes(step)?;
        match (self.root, body.assist()) {
            (Some(root), assist) if assist != Force::default() => {
                self.wrench(step.time, root, body.center_of_mass(), assist)
            }
            _ => Ok(()),
        }
    }

    /// The pushes that act in a step.
    fn pushes(&mut self, step: &SolvedStep) -> anyhow::Result<()> {
        // above rounding, far below a step
        let since = |dt: f64| (step.time / dt + 1e-6).floor() * dt;
        let time = self.frame.map_or(step.time, since);
        let all = self.pushes;
        let mut acting = all.iter().filter(|p| (p.from..p.to).contains(&time)).peekable();
        if acting.peek().is_some() {
            self.kinematics.update(self.figure.forest(), step.body.q(), None, None);
        }
        acting.try_for_each(|push| {
            let world_from_link = self.kinematics.link_pose(self.figure.forest(), push.link);
            let force = Force::new(Vec3::ZERO, push.force);
            self.wrench(step.time, push.link, world_from_link.point(push.point), force)
        })
    }

    /// Adds a force and a moment about a point.
    fn wrench(&mut self, time: f64, link: LinkHandle, at: Vec3, wrench: Force) -> anyhow::Result<()> {
        self.contacts.line.value(time);
        self.contacts.line.name(self.figure.link(link).map_or("", |l| &l.spec.name));
        for v in [at, wrench.linear, wrench.angular] {
            self.contacts.values(v.to_array());
        }
        self.contacts.end_line()
    }

    /// Finishes the files and adds the props.
    pub fn finish(self, props: &[Prop]) -> anyhow::Result<()> {
        self.states.finish()?;
        self.contacts.finish()?;
        if props.is_empty() {
            return Ok(());
        }
        let mut table = Csv::create(&self.dir, "props.csv")?;
        PROP_COLUMNS.iter().for_each(|name| table.line.name(name));
        table.end_line()?;
        for prop in props {
            let (world_from_solid, half) = prop.solid();
            table.line.name(prop.kind.word());
            table.values(world_from_solid.translation.to_array());
            table.values([prop.heading]);
            table.values(half.to_array());
            table.end_line()?;
        }
        table.finish()
    }
}

/// The first link on the free root.
fn root(figure: &Figure) -> Option<LinkHandle> {
    let forest = figure.forest();
    let is_free = |link: &LinkHandle| {
        let body = &forest.bodies()[forest.link_place(*link).body.index()];
        body.joint == BodyJoint::Free
    };
    figure.links().map(|(link, _)| link).find(is_free)
}
