//! Contact violations of a run: its constraints are bilateral, the ground is not.
//!
//! Computes for each foot at each step the total wrench of its points, and the residual that forces at these points inside
//! their friction cones cannot provide (`split`), independent of the distribution over redundant corners.

use super::UP;
use super::desired_motion::DesiredMotion;
use super::forward_simulation::Run;
use crate::split::{Point, Splitter};
use anthropi_dynamics::spatial::{Force, Vec3};
use serde::Serialize;

/// Contact violations of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ContactViolations {
    /// steps in contact, counted for each foot
    #[serde(rename = "foot_steps")]
    pub steps: usize,
    /// of these: the foot pulls
    #[serde(rename = "foot_steps_pulling")]
    pub pulling: usize,
    /// of these: friction or the size of the sole is exceeded, without pulling
    #[serde(rename = "foot_steps_beyond_friction_or_sole")]
    pub leaving: usize,
    /// largest residual force, body weights; moments are divided by half the length of the sole
    #[serde(rename = "unreal_force_bw")]
    pub most: f64,
}

/// Tolerance of the forces, parts of the weight.
const TOLERANCE: f64 = 1e-3;
/// Least length that compares moments with forces, m.
const MIN_LENGTH: f64 = 0.02;

pub(super) fn check_contacts(
    desired: &DesiredMotion,
    run: &Run,
    weight: f64,
    friction: f64,
) -> ContactViolations {
    let links = desired.links();
    let mut splitters = vec![Splitter::default(); links.len()];
    let (mut all, mut given) = (ContactViolations::default(), Vec::new());
    for (n, forces) in run.forces.iter().enumerate() {
        let active = (0..desired.points.len()).filter(|k| desired.samples[n].on[*k]);
        let loads: Vec<_> = active.zip(run.at[n].iter().zip(forces)).collect();
        for (link, splitter) in links.iter().zip(&mut splitters) {
            let own = || loads.iter().filter(|(k, _)| desired.points[*k].0 == *link).map(|(_, load)| *load);
            let points: Vec<Point> = own().map(|(at, _)| Point { at: *at, normal: UP, friction }).collect();
            if points.is_empty() {
                continue;
            }
            let middle = own().fold(Vec3::ZERO, |sum, (at, _)| sum + *at).scale(1.0 / points.len() as f64);
            let wrench = own().fold(Force::default(), |w, (at, f)| w + Force::at_point(*f, *at - middle));
            let size = points.iter().map(|p| (p.at - middle).norm()).fold(MIN_LENGTH, f64::max);
            let residual_wrench =
                splitter.split(wrench, middle, &points, [weight, size], &mut given).residual;
            let residual = (residual_wrench.linear.norm() + residual_wrench.angular.norm() / size) / weight;
            all.steps += 1;
            all.pulling += usize::from(wrench.linear.z < -TOLERANCE * weight);
            all.leaving += usize::from(wrench.linear.z >= -TOLERANCE * weight && residual > TOLERANCE);
            all.most = all.most.max(residual);
        }
    }
    all
}
