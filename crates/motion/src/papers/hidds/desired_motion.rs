//! The desired motion, sample by sample, with its contacts.
//!
//! Samples are one internal step apart and related as semi-implicit Euler steps: the next v is v + a dt, the next q is
//! q (+) dt times that. This holds exactly for filtered motions ([`DesiredMotion::add`]); motions of a planner satisfy it up
//! to their finite differences, and the first run shows that error.

use crate::clip::joint_of_coordinate;
use crate::contact_points::ContactPoint;
use crate::error::Error;
use crate::filter::SolvedStep;
use crate::filter::dynamics_terms::{DynamicsTerms, PointMotion};
use crate::papers::check_range;
use anthropi_dynamics::model::{Figure, Forest, LinkHandle};
use anthropi_dynamics::spatial::Vec3;

/// Desired state at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DesiredSample {
    /// coordinates
    pub q: Vec<f64>,
    /// velocities
    pub v: Vec<f64>,
    /// accelerations until the next sample
    pub a: Vec<f64>,
    /// by point: whether it is in contact
    pub on: Vec<bool>,
}

/// A desired motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DesiredMotion {
    /// time between samples, s
    pub dt: f64,
    /// points that can be in contact: link, and position in link axes
    pub points: Vec<(LinkHandle, Vec3)>,
    /// samples in order
    pub samples: Vec<DesiredSample>,
}

impl DesiredMotion {
    /// An empty motion with the points of contact points, in order.
    pub fn new(contact_points: &[ContactPoint], dt: f64) -> DesiredMotion {
        let points = contact_points.iter().flat_map(|p| p.points.iter().map(|at| (p.link, *at))).collect();
        DesiredMotion { dt, points, samples: Vec::new() }
    }

    /// Adds an internal step of the filter. Points are in contact where the ground force is more than marginal.
    pub fn add(&mut self, step: &SolvedStep) {
        let body = step.body;
        let is_loaded =
            |k| body.ground().iter().any(|f| f.point == k && f.force.z > MIN_LOAD * body.weight());
        self.dt = step.dt;
        self.samples.push(DesiredSample {
            q: body.q().to_vec(),
            v: body.v().to_vec(),
            a: body.a().to_vec(),
            on: (0..self.points.len()).map(is_loaded).collect(),
        });
    }

    /// The samples `from..to`, limited to those available.
    pub fn part(&self, from: usize, to: usize) -> DesiredMotion {
        let to = to.min(self.samples.len());
        DesiredMotion {
            samples: self.samples[from.min(to)..to].to_vec(),
            points: self.points.clone(),
            dt: self.dt,
        }
    }

    /// Links of its points, without repetition.
    pub(crate) fn links(&self) -> Vec<LinkHandle> {
        let mut links = Vec::new();
        for (link, _) in &self.points {
            if !links.contains(link) {
                links.push(*link);
            }
        }
        links
    }

    /// Checks that a figure can follow it.
    ///
    /// # Errors
    /// No sample; a time between samples that is not positive; lists of the wrong length; numbers that are not finite; points
    /// of links that the figure does not have.
    pub fn check(&self, figure: &Figure) -> Result<(), Error> {
        if self.samples.is_empty() {
            let expected = "at least one sample is required";
            return Err(Error::TooShort { clip: NAME.into(), frames: 0, expected });
        }
        check_range(format!("time between samples of the {NAME}"), self.dt, "more than zero", |x| x > 0.0)?;
        for (n, (link, at)) in self.points.iter().enumerate() {
            figure.link(*link)?;
            for x in at.to_array() {
                check_range(format!("position of point {n} of the {NAME}"), x, "a finite number", |_| true)?;
            }
        }
        let forest = figure.forest();
        for (n, i) in self.samples.iter().enumerate() {
            let lengths = [
                ("q", i.q.len(), forest.nq()),
                ("v", i.v.len(), forest.nv()),
                ("a", i.a.len(), forest.nv()),
                ("contacts", i.on.len(), self.points.len()),
            ];
            for (what, got, expected) in lengths {
                if got != expected {
                    return Err(Error::Dimension { what: format!("{what} of sample {n}"), expected, got });
                }
            }
            let coordinate = i.q.iter().position(|x| !x.is_finite()).map(|k| joint_of_coordinate(figure, k));
            let dof = || i.v.iter().zip(&i.a).position(|(v, a)| !(v + a).is_finite());
            if let Some(joint) = coordinate.or_else(|| dof().map(|k| figure.dof_names()[k].clone())) {
                return Err(Error::NotFinite { clip: NAME.into(), frame: n, joint });
            }
        }
        Ok(())
    }

    /// Motion of its points at a sample.
    pub(crate) fn point_motions(
        &self,
        forest: &Forest,
        n: usize,
        terms: &mut DynamicsTerms,
    ) -> Vec<PointMotion> {
        let sample = &self.samples[n];
        terms.update_motion(forest, &sample.q, &sample.v, &sample.a);
        self.points.iter().map(|(link, at)| terms.link_point(forest, *link, *at)).collect()
    }
}

/// Least vertical force of a contact, parts of the weight.
const MIN_LOAD: f64 = 1e-3;
/// Name in error messages.
pub(super) const NAME: &str = "desired motion";
