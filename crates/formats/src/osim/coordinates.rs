//! From the coordinates of an OSIM file to those of its figure, with rates and forces.
//!
//! Computes  q(c),  v = G(c) c',  v' = G c'' + G' c',  and  G^T tau,  for values c in the order of `Model::coordinates`.
//! Source: definition. A rotation R = R1 R2 R3 has, in child axes, the angular velocity  w = e1 a1' + e2 a2' + e3 a3'  with
//! e3 the last axis, e2 = R3^T axis2, e1 = (R2 R3)^T axis1, and  e2' = e2 x e3 a3',  e1' = e1 x (e2 a2' + e3 a3').
//! Checked by: `tests/it/osim.rs` (OpenSim's forces and mass matrix, differences in time).

use super::Model;
use crate::mjcf::chain::free_coordinates;
use anthropi_dynamics::model::{JointHandle, JointPlace};
use anthropi_dynamics::spatial::{Mat3, Quat, Transform, Vec3};
use std::ops::Range;

/// A linear function of one coordinate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub coordinate: usize,
    pub slope: f64,
    pub intercept: f64,
}

/// Map from coordinates of the file to those of one joint of the figure.
#[derive(Clone, Debug)]
pub(super) struct Drive {
    pub joint: JointHandle,
    pub by: By,
}

/// Coordinates that move a joint.
#[derive(Clone, Debug)]
pub(super) enum By {
    /// one coordinate
    Single(Line),
    /// three angles of a spherical joint
    Ball(Turns),
    /// three lengths and three angles of a free joint
    Free(Box<Travel>),
}

/// Three rotations about body-fixed axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns {
    pub axes: [Vec3; 3],
    pub by: [Line; 3],
}

/// Three translations, then three rotations, between a frame in the world and one on the link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Travel {
    pub world_from_joint: Transform,
    pub link_from_joint: Transform,
    pub slides: [(Vec3, Line); 3],
    pub turns: Turns,
}

impl Line {
    fn at(&self, c: &[f64]) -> f64 {
        self.slope * c[self.coordinate] + self.intercept
    }

    fn rate(&self, rates: &[f64]) -> f64 {
        self.slope * rates[self.coordinate]
    }
}

impl Turns {
    fn quat(&self, c: &[f64]) -> Quat {
        let turn = |k: usize| Quat::about(self.axes[k], self.by[k].at(c));
        turn(0).then(turn(1)).then(turn(2))
    }

    /// Angular velocity in child axes per unit rate of each angle.
    fn columns(&self, c: &[f64]) -> [Vec3; 3] {
        let undo = |k: usize| Quat::about(self.axes[k], -self.by[k].at(c));
        let undo_two = undo(2).then(undo(1));
        [undo_two.rotate(self.axes[0]), undo(2).rotate(self.axes[1]), self.axes[2]]
    }

    fn velocity(&self, c: &[f64], rates: &[f64]) -> Vec3 {
        let e = self.columns(c);
        (0..3).fold(Vec3::ZERO, |w, k| w + e[k].scale(self.by[k].rate(rates)))
    }

    fn acceleration(&self, c: &[f64], rates: &[f64], second: &[f64]) -> Vec3 {
        let e = self.columns(c);
        let each = |k: usize| e[k].scale(self.by[k].rate(rates));
        let moving = e[1].cross(each(2)).scale(self.by[1].rate(rates))
            + e[0].cross(each(1) + each(2)).scale(self.by[0].rate(rates));
        self.velocity(c, second) + moving
    }
}

impl Travel {
    fn slide(&self, by: impl Fn(&Line) -> f64) -> Vec3 {
        self.slides.iter().fold(Vec3::ZERO, |p, (axis, line)| p + axis.scale(by(line)))
    }

    /// Placement of the link.
    pub fn pose(&self, c: &[f64]) -> Transform {
        let joint = Transform::new(self.slide(|l| l.at(c)), self.turns.quat(c));
        self.world_from_joint * joint * self.link_from_joint.inverse()
    }

    /// Link axes from joint axes, child-side joint axes from parent-side ones, link origin in joint axes.
    fn frames(&self, c: &[f64]) -> (Mat3, Mat3, Vec3) {
        let turned = self.turns.quat(c).inverse().to_matrix();
        (self.link_from_joint.rotation, turned, self.link_from_joint.inverse().translation)
    }
}

impl Model {
    /// q of the figure at values of the coordinates. Locked coordinates keep their locked values.
    ///
    /// # Panics
    /// With fewer values than coordinates, as the other methods.
    pub fn pose(&self, values: &[f64]) -> Vec<f64> {
        let mut q = self.figure.forest().home().to_vec();
        let single = |line: &Line| line.at(values);
        let ball = |turns: &Turns| turns.quat(values).0;
        self.fill(&mut q, JointPlace::coordinates, single, ball, |travel| {
            free_coordinates(&travel.pose(values))
        });
        q
    }

    /// Sets the numbers of every joint, which are in a range of `all`; those of a spherical joint with locks one by one.
    fn fill<const BALL: usize, const FREE: usize>(
        &self,
        all: &mut [f64],
        range: impl Fn(&JointPlace) -> Range<usize>,
        single: impl Fn(&Line) -> f64,
        ball: impl Fn(&Turns) -> [f64; BALL],
        free: impl Fn(&Travel) -> [f64; FREE],
    ) {
        for Drive { joint, by } in &self.drives {
            let place = self.figure.forest().joint_place(*joint);
            let own = &mut all[range(&place)];
            match by {
                By::Single(line) => own.fill(single(line)),
                By::Ball(turns) if place.nq == 4 => own.copy_from_slice(&ball(turns)),
                By::Ball(turns) => {
                    self.free_angles(*joint).zip(own).for_each(|(k, x)| *x = single(&turns.by[k]));
                }
                By::Free(travel) => own.copy_from_slice(&free(travel)),
            }
        }
    }

    /// v of the figure at values and rates of the coordinates.
    pub fn velocity(&self, values: &[f64], rates: &[f64]) -> Vec<f64> {
        let ball = |turns: &Turns| turns.velocity(values, rates);
        self.vector(rates, ball, |travel| {
            let (link, turned, r) = travel.frames(values);
            let w = travel.turns.velocity(values, rates);
            let slide = turned.mul(travel.slide(|l| l.rate(rates)));
            (link.mul(w), link.mul(slide + w.cross(r)))
        })
    }

    /// Derivative of v at values, rates and second derivatives of the coordinates.
    pub fn acceleration(&self, values: &[f64], rates: &[f64], second: &[f64]) -> Vec<f64> {
        let ball = |turns: &Turns| turns.acceleration(values, rates, second);
        self.vector(second, ball, |travel| {
            let (link, turned, r) = travel.frames(values);
            let w = travel.turns.velocity(values, rates);
            let al = travel.turns.acceleration(values, rates, second);
            let slide = turned.mul(travel.slide(|l| l.rate(rates)));
            let faster = turned.mul(travel.slide(|l| l.rate(second)));
            (link.mul(al), link.mul(faster - w.cross(slide) + al.cross(r)))
        })
    }

    /// Generalised forces of the coordinates equivalent to forces `tau` of the figure's degrees of freedom; zero for
    /// locked coordinates and those that move nothing.
    pub fn forces(&self, values: &[f64], tau: &[f64]) -> Vec<f64> {
        let forest = self.figure.forest();
        let mut forces = vec![0.0; self.coordinates.len()];
        let mut add = |line: &Line, f: f64| forces[line.coordinate] += line.slope * f;
        for Drive { joint, by } in &self.drives {
            let place = forest.joint_place(*joint);
            match by {
                By::Single(line) => {
                    tau[place.dofs()].iter().for_each(|f| add(line, *f));
                }
                By::Ball(turns) => {
                    let own = &tau[place.dofs()];
                    if let [x, y, z] = *own {
                        let e = turns.columns(values);
                        (0..3).for_each(|k| add(&turns.by[k], e[k].dot(Vec3 { x, y, z })));
                    } else {
                        self.free_angles(*joint).zip(own).for_each(|(k, f)| add(&turns.by[k], *f));
                    }
                }
                By::Free(travel) => {
                    let iv = place.iv;
                    let three = |i: usize| Vec3 { x: tau[i], y: tau[i + 1], z: tau[i + 2] };
                    let (link, turned, r) = travel.frames(values);
                    let (moment, force) = (link.tr_mul(three(iv)), link.tr_mul(three(iv + 3)));
                    let e = travel.turns.columns(values);
                    for k in 0..3 {
                        add(&travel.turns.by[k], e[k].dot(moment + r.cross(force)));
                        let (axis, line) = &travel.slides[k];
                        add(line, turned.mul(*axis).dot(force));
                    }
                }
            }
        }
        forces
    }

    /// A vector over all degrees of freedom from the values of single, spherical and free joints.
    fn vector(
        &self,
        rates: &[f64],
        ball: impl Fn(&Turns) -> Vec3,
        free: impl Fn(&Travel) -> (Vec3, Vec3),
    ) -> Vec<f64> {
        let mut v = vec![0.0; self.figure.forest().nv()];
        let six = |travel: &Travel| {
            let ([a, b, c], [x, y, z]) = (free(travel).0.to_array(), free(travel).1.to_array());
            [a, b, c, x, y, z]
        };
        self.fill(&mut v, JointPlace::dofs, |line| line.rate(rates), |turns| ball(turns).to_array(), six);
        v
    }

    /// Unlocked angles of a spherical joint.
    fn free_angles(&self, joint: JointHandle) -> impl Iterator<Item = usize> + use<> {
        let free: Vec<usize> =
            self.figure.joint(joint).map_or_else(|_| Vec::new(), |j| j.coordinates().free_dofs().collect());
        free.into_iter()
    }
}
