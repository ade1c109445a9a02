//! Times a step of the dynamics filter: a standing figure on two feet whose centre of mass sways, as the peers' tick.

use anthropi_dynamics::algo::{centroidal, fk::Kinematics};
use anthropi_motion::filter::{Aim, Body, Floor};
use anthropi_motion::{anatomy, spots};
use std::path::Path;
use std::time::Instant;

const H: f64 = 1e-3;
/// Steps in a row, each timed by itself.
const STEPS: usize = 20_000;
/// Steps before any is timed.
const SETTLE: usize = 1000;

/// Prints the median and the 99th percentile of a step, and the time of the fastest batch of eight.
pub fn time(name: &str, path: &str) -> Result<(), String> {
    let told = |e: &dyn std::fmt::Display| e.to_string();
    let figure = anthropi_io::load::figure(Path::new(path)).map_err(|e| told(&e))?.figure;
    let anatomy = anatomy::of_figure(&figure, &[]).map_err(|e| told(&e))?;
    let places = spots::of_figure(&figure, &anatomy).map_err(|e| told(&e))?;
    let forest = figure.forest();
    let mut kinematics = Kinematics::default();
    kinematics.update(forest, forest.home(), None, None);
    let center = centroidal::center_of_mass(forest, &kinematics);
    let count = places.len();
    let feet = places.iter().map(|p| p.spot.is_foot()).collect();
    let low = |p: &spots::Place| kinematics.link_pose(forest, p.link).point(p.points[0]).z;
    let floor = places.iter().filter(|p| p.spot.is_foot()).map(low).fold(f64::INFINITY, f64::min);
    let mut aim = Aim {
        q: forest.home().to_vec(),
        v: vec![0.0; forest.nv()],
        a: vec![0.0; forest.nv()],
        on: feet,
        floor: vec![Floor::level(floor); count],
        ..Aim::default()
    };
    aim.center[0] = center;
    let mut body = Body::new(&figure, &anatomy, places, 1.0).map_err(|e| told(&e))?;
    body.start(&aim);
    let mut all = Vec::with_capacity(STEPS);
    for k in 0..SETTLE + STEPS {
        let t = k as f64 * H;
        aim.center[0].x = center.x + 0.02 * (3.0 * t).sin();
        aim.center[0].y = center.y + 0.02 * (2.0 * t).sin();
        let start = Instant::now();
        body.solve(&aim, &[], H);
        body.finish(H);
        if k >= SETTLE {
            all.push(start.elapsed().as_nanos() as f64);
        }
    }
    if body.ground().len() != 8 {
        return Err(format!("{name} stands on {} points instead of 8", body.ground().len()));
    }
    let batch = all.chunks_exact(8).map(|c| c.iter().sum::<f64>() / 8.0).fold(f64::INFINITY, f64::min);
    all.sort_by(f64::total_cmp);
    let at = |part: f64| all[(part * all.len() as f64) as usize];
    println!("anthropi,{name},filter_step,{batch:.1}");
    println!("anthropi,{name},filter_step_p50,{:.1}", at(0.5));
    println!("anthropi,{name},filter_step_p99,{:.1}", at(0.99));
    Ok(())
}
