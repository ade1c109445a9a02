//! Whether a ground could give the forces of a run: rows hold both ways, a floor does not.
//!
//! Computes for each foot at each step the wrench that its points took together, and what of it forces at the same
//! points inside their friction cones cannot give (`split`). So it is judged what the foot needs, not how the rows happen
//! to share it over redundant corners.

use super::course::Course;
use super::plant::Run;
use crate::split::{Point, Splitter};
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Force, Vec3, vec3};

/// What a floor could not give, as long as the course lasted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Unreal {
    /// steps of a foot on the ground, each foot by itself
    pub steps: usize,
    /// of these: the foot pulls at the ground
    pub pulling: usize,
    /// of these: it does not pull, but friction or the size of the sole would not do
    pub leaving: usize,
    /// largest part of a force that no floor gives, body weights; moments count by half the length of the sole
    pub most: f64,
}

/// Less than this part of the weight is what solvers leave.
const ROUNDING: f64 = 1e-3;
/// Least length by which moments compare to forces, m.
const SHORT: f64 = 0.02;

pub(super) fn judge(course: &Course, run: &Run, weight: f64, friction: f64) -> Unreal {
    let mut links: Vec<LinkHandle> = Vec::new();
    course.points.iter().for_each(|(link, _)| {
        if !links.contains(link) {
            links.push(*link);
        }
    });
    let mut splitters = vec![Splitter::default(); links.len()];
    let (mut all, mut points, mut given) = (Unreal::default(), Vec::new(), Vec::new());
    for (n, forces) in run.forces.iter().enumerate() {
        for (link, splitter) in links.iter().zip(&mut splitters) {
            points.clear();
            let (mut sum, mut middle) = (Vec::new(), Vec3::ZERO);
            let on = (0..course.points.len()).filter(|k| course.instants[n].on[*k]);
            for ((_, at), f) in
                on.zip(&run.at[n]).zip(forces).filter(|((k, _), _)| course.points[*k].0 == *link)
            {
                points.push(Point { at: *at, normal: UP, friction });
                sum.push(*f);
                middle += *at;
            }
            if points.is_empty() {
                continue;
            }
            middle = middle.scale(1.0 / points.len() as f64);
            let wrench = points
                .iter()
                .zip(&sum)
                .fold(Force::default(), |w, (p, f)| w + Force::new((p.at - middle).cross(*f), *f));
            let size = points.iter().map(|p| (p.at - middle).norm()).fold(SHORT, f64::max);
            let missing = splitter.split(wrench, middle, &points, [weight, size], &mut given).missing;
            let off = (missing.linear.norm() + missing.angular.norm() / size) / weight;
            all.steps += 1;
            all.pulling += usize::from(wrench.linear.z < -ROUNDING * weight);
            all.leaving += usize::from(wrench.linear.z >= -ROUNDING * weight && off > ROUNDING);
            all.most = all.most.max(off);
        }
    }
    all
}

const UP: Vec3 = vec3(0.0, 0.0, 1.0);
