//! The dynamics filter while a figure stands on two feet and its centre of mass sways, as the peer's tick.

use anthropi_dynamics::algo::{centroidal, fk::Kinematics};
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::filter::{Aim, Body, Floor};
use anthropi_motion::{anatomy, spots};
use std::path::Path;

const H: f64 = 1e-3;

/// The filter's body and what it aims at.
pub struct Sway {
    body: Body,
    aim: Aim,
    center: Vec3,
    steps: usize,
}

impl Sway {
    /// The figure of `PATH` on its feet.
    pub fn new(path: &str) -> Result<Sway, String> {
        let told = |e: &dyn std::fmt::Display| e.to_string();
        let figure = anthropi_io::load::figure(Path::new(path)).map_err(|e| told(&e))?.figure;
        let anatomy = anatomy::of_figure(&figure, &[]).map_err(|e| told(&e))?;
        let places = spots::of_figure(&figure, &anatomy).map_err(|e| told(&e))?;
        let forest = figure.forest();
        let mut kinematics = Kinematics::default();
        kinematics.update(forest, forest.home(), None, None);
        let center = centroidal::center_of_mass(forest, &kinematics);
        let low = |p: &spots::Place| kinematics.link_pose(forest, p.link).point(p.points[0]).z;
        let floor = places.iter().filter(|p| p.spot.is_foot()).map(low).fold(f64::INFINITY, f64::min);
        let mut aim = Aim {
            q: forest.home().to_vec(),
            v: vec![0.0; forest.nv()],
            a: vec![0.0; forest.nv()],
            on: places.iter().map(|p| p.spot.is_foot()).collect(),
            floor: vec![Floor::level(floor); places.len()],
            ..Aim::default()
        };
        aim.center[0] = center;
        let mut body = Body::new(&figure, &anatomy, places, 1.0).map_err(|e| told(&e))?;
        body.start(&aim);
        Ok(Sway { body, aim, center, steps: 0 })
    }

    /// Where the centre of mass should be next; no part of a step.
    pub fn lean(&mut self) {
        let t = self.steps as f64 * H;
        self.aim.center[0].x = self.center.x + 0.02 * (3.0 * t).sin();
        self.aim.center[0].y = self.center.y + 0.02 * (2.0 * t).sin();
        self.steps += 1;
    }

    /// One internal step: tasks, program, torques, integration.
    pub fn step(&mut self) {
        self.body.solve(&self.aim, &[], H);
        self.body.finish(H);
    }

    /// Points that carry the figure.
    pub fn points(&self) -> usize {
        self.body.ground().len()
    }
}
