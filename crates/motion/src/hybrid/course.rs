//! A course: the motion that is wanted, instant by instant, and which points stand on the ground.
//!
//! Instants are one internal step apart and go together as semi-implicit steps do: v of the next is v + a dt, q of the
//! next is q (+) dt times that. A course of the dynamics filter is such a one exactly ([`Course::take`]); one of a
//! planner is to the error of its differences, and that error is what the first run of a course shows.

use crate::clip::{Clip, joint_of_coordinate};
use crate::error::Error;
use crate::filter::Step;
use crate::filter::terms::{Moving, Terms};
use crate::spots::Place;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::Vec3;
use std::sync::Arc;

/// What is wanted at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instant {
    /// coordinates
    pub q: Vec<f64>,
    /// velocities
    pub v: Vec<f64>,
    /// accelerations until the next instant
    pub a: Vec<f64>,
    /// by point: whether it stands on the ground
    pub on: Vec<bool>,
}

/// A motion that is wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// time between instants, s
    pub dt: f64,
    /// points that can stand: link, and where in its axes
    pub points: Vec<(LinkHandle, Vec3)>,
    /// one after the other
    pub instants: Vec<Instant>,
}

impl Course {
    /// An empty course whose points are those of the places of a figure, in their order.
    pub fn on(places: &[Place], dt: f64) -> Course {
        let points = places.iter().flat_map(|p| p.points.iter().map(|at| (p.link, *at))).collect();
        Course { dt, points, instants: Vec::new() }
    }

    /// Adds an internal step of the filter. Its points stand where the ground pushes: those that only brush it, or have
    /// begun to leave, are in the air.
    pub fn take(&mut self, step: &Step) {
        let body = step.body;
        let mut on = vec![false; self.points.len()];
        for f in body.ground().iter().filter(|f| f.force.z > BRUSH * body.weight()) {
            if let Some(on) = on.get_mut(f.point) {
                *on = true;
            }
        }
        self.dt = step.dt;
        self.instants.push(Instant { q: body.q().to_vec(), v: body.v().to_vec(), a: body.a().to_vec(), on });
    }

    /// The part of it from one instant to before another; both are cut to what is there.
    pub fn part(&self, from: usize, to: usize) -> Course {
        let to = to.min(self.instants.len());
        Course {
            instants: self.instants[from.min(to)..to].to_vec(),
            points: self.points.clone(),
            dt: self.dt,
        }
    }

    /// Its poses, as a motion of a figure.
    ///
    /// # Errors
    /// As for [`Clip::new`].
    pub fn clip(&self, name: &str, figure: Arc<Figure>) -> Result<Clip, Error> {
        Clip::new(name, figure, self.dt, self.instants.iter().flat_map(|i| i.q.iter().copied()).collect())
    }

    /// Refuses what a figure cannot follow.
    ///
    /// # Errors
    /// No instant; a time between them that is not above zero; lists of the wrong length; numbers that are not finite;
    /// points of links that the figure does not have.
    pub fn check(&self, figure: &Figure) -> Result<(), Error> {
        if self.instants.is_empty() {
            let expected = "a course has at least one instant";
            return Err(Error::TooShort { clip: NAME.into(), frames: 0, expected });
        }
        if !(self.dt > 0.0 && self.dt.is_finite()) {
            let what = format!("time between instants of the {NAME}");
            return Err(Error::OutOfRange { what, value: self.dt, expected: "more than zero" });
        }
        for (n, (link, at)) in self.points.iter().enumerate() {
            figure.link(*link)?;
            if let Some(value) = at.to_array().into_iter().find(|x| !x.is_finite()) {
                let what = format!("place of point {n} of the {NAME}");
                return Err(Error::OutOfRange { what, value, expected: "a finite number" });
            }
        }
        let forest = figure.forest();
        for (n, i) in self.instants.iter().enumerate() {
            let lengths = [
                ("q", i.q.len(), forest.nq()),
                ("v", i.v.len(), forest.nv()),
                ("a", i.a.len(), forest.nv()),
                ("points that stand", i.on.len(), self.points.len()),
            ];
            if let Some((what, got, expected)) =
                lengths.into_iter().find(|(_, got, expected)| got != expected)
            {
                return Err(Error::Dimension { what: format!("{what} of instant {n}"), expected, got });
            }
            let joint = match i.q.iter().position(|x| !x.is_finite()) {
                Some(k) => Some(joint_of_coordinate(figure, k)),
                None => i.v.iter().zip(&i.a).position(|(v, a)| !(v + a).is_finite()).map(|k| dof(figure, k)),
            };
            if let Some(joint) = joint {
                return Err(Error::NotFinite { clip: NAME.into(), frame: n, joint });
            }
        }
        Ok(())
    }

    /// Where its points are at an instant, how fast, and how they accelerate.
    pub(crate) fn moving(&self, figure: &Figure, n: usize, terms: &mut Terms, points: &mut Vec<Moving>) {
        let (forest, i) = (figure.forest(), &self.instants[n]);
        terms.follow(forest, &i.q, &i.v, &i.a);
        points.clear();
        points.extend(self.points.iter().map(|(link, at)| {
            let place = forest.link_place(*link);
            terms.point(place.body, place.body_from_link.point(*at))
        }));
    }
}

/// Points with less than this part of the weight only brush the ground.
const BRUSH: f64 = 1e-3;
/// How errors call it.
pub(super) const NAME: &str = "course";

fn dof(figure: &Figure, k: usize) -> String {
    figure.dof_names().get(k).cloned().unwrap_or_default()
}
