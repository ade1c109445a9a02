//! The dynamics filter of a figure standing on two feet with a swaying centre of mass, as in the peer's benchmark.

use anthropi_dynamics::algo::{centroidal, fk::Kinematics};
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::filter::{Floor, ReferenceSample, SimulatedBody};
use anthropi_motion::{anatomy, contact_points};
use std::path::Path;

const H: f64 = 1e-3;

/// The filter's body and its reference.
pub struct Sway {
    body: SimulatedBody,
    reference: ReferenceSample,
    center: Vec3,
    steps: usize,
}

impl Sway {
    /// The figure of `path`, standing.
    pub fn new(path: &str) -> Result<Sway, String> {
        let text = |e: &dyn std::fmt::Display| e.to_string();
        let figure = anthropi_formats::load::figure(Path::new(path)).map_err(|e| text(&e))?.figure;
        let anatomy = anatomy::from_figure(&figure, &[]).map_err(|e| text(&e))?;
        let contact_points = contact_points::find(&figure, &anatomy).map_err(|e| text(&e))?;
        let forest = figure.forest();
        let mut kinematics = Kinematics::default();
        kinematics.update(forest, forest.home(), None, None);
        let center = centroidal::center_of_mass(forest, &kinematics);
        let low =
            |p: &contact_points::ContactPoint| kinematics.link_pose(forest, p.link).point(p.points[0]).z;
        let floor = contact_points.iter().filter(|p| p.site.is_foot()).map(low).fold(f64::INFINITY, f64::min);
        let mut reference = ReferenceSample {
            q: forest.home().to_vec(),
            v: vec![0.0; forest.nv()],
            a: vec![0.0; forest.nv()],
            in_contact: contact_points.iter().map(|p| p.site.is_foot()).collect(),
            floor: vec![Floor::level(floor); contact_points.len()],
            ..ReferenceSample::default()
        };
        reference.com[0] = center;
        let mut body = SimulatedBody::new(&figure, &anatomy, contact_points, 1.0).map_err(|e| text(&e))?;
        body.start(&reference);
        Ok(Sway { body, reference, center, steps: 0 })
    }

    /// Sets the next reference of the centre of mass; not part of a step.
    pub fn lean(&mut self) {
        let t = self.steps as f64 * H;
        self.reference.com[0].x = self.center.x + 0.02 * (3.0 * t).sin();
        self.reference.com[0].y = self.center.y + 0.02 * (2.0 * t).sin();
        self.steps += 1;
    }

    /// One internal step: tasks, QP, torques, integration.
    pub fn step(&mut self) {
        self.body.solve(&self.reference, &[], H);
        self.body.finish(H);
    }

    /// Number of loaded contact points.
    pub fn points(&self) -> usize {
        self.body.ground().len()
    }
}
