//! Compiles the declared figure to moving bodies: merges rigidly joined links, chooses body frames, and assigns
//! coordinates, connections and passive forces. O(links); allocates only to grow.

use super::figure::{Figure, JointHandle, LinkHandle};
use super::forest::{Body, BodyIx, BodyJoint, Forest, JointPlace, LinkPlace, Loop};
use crate::error::Error;
use crate::joint::{Coordinates, Dof, JointKind, JointState, MAX_DOF, MAX_NV, Passive, PassiveShape};
use crate::spatial::{Axis, Inertia, Mat3, Quat, Sym3, Transform, Vec3};

impl Forest {
    /// Appends a body; returns it and the rotation from the frame the joint is declared in to the body's.
    fn push(
        &mut self,
        parent: BodyIx,
        place: &Transform,
        moves: Move,
        armature: [f64; MAX_DOF],
    ) -> (BodyIx, Mat3) {
        let (joint, turn) = moves.in_axes_of(&place.rotation);
        let above = &self.bodies[parent.index()];
        let depth = above.depth + if parent == BodyIx::WORLD { 0 } else { above.joint.nv() as u32 };
        let body = Body {
            joint,
            is_turned: turn != Mat3::identity(),
            has_armature: armature != [0.0; MAX_DOF],
            parent,
            iq: self.nq as u32,
            iv: self.nv as u32,
            depth,
            origin: place.translation,
            turn,
            mass: 0.0,
            moment: Vec3::ZERO,
            second: Sym3::default(),
            subtree_mass: 0.0,
            armature,
        };
        let last_above = if parent == BodyIx::WORLD { 0 } else { above.iv + above.joint.nv() as u32 };
        for k in 0..joint.nv() as u32 {
            self.dof_parent.push(if k == 0 { last_above } else { body.iv + k });
            self.row.push(self.row[self.row.len() - 1] + depth + k + 1);
        }
        self.nq += joint.nq();
        self.nv += joint.nv();
        self.bodies.push(body);
        (BodyIx(self.bodies.len() as u32 - 1), turn.transpose().mul_mat(&place.rotation))
    }

    fn clear(&mut self, link_slots: usize, joint_slots: usize) {
        let nowhere = LinkPlace { body: BodyIx::WORLD, body_from_link: Transform::identity() };
        (self.nq, self.nv) = (0, 0);
        self.bodies.clear();
        self.links.clear();
        self.links.resize(link_slots, nowhere);
        self.joints.clear();
        self.joints.resize(joint_slots, JointPlace::default());
        self.home.clear();
        self.passive.clear();
        self.damping.clear();
        self.loops.clear();
        self.dof_parent.clear();
        self.row.clear();
        self.row.push(0);
        self.bodies.push(Body {
            joint: BodyJoint::Free,
            is_turned: false,
            has_armature: false,
            parent: BodyIx::WORLD,
            iq: 0,
            iv: 0,
            depth: 0,
            origin: Vec3::ZERO,
            turn: Mat3::identity(),
            mass: 0.0,
            moment: Vec3::ZERO,
            second: Sym3::default(),
            subtree_mass: 0.0,
            armature: [0.0; MAX_DOF],
        });
    }
}

/// One motion of a joint, axes in the frame it is declared in.
#[derive(Clone, Copy, Debug)]
enum Move {
    Turn(Vec3),
    Slide(Vec3),
    TurnTwice(Vec3, Vec3),
    Ball,
    Float,
}

impl Move {
    /// The motion about coordinate axes of a frame of our choice, and that frame's axes in parent axes.
    fn in_axes_of(self, parent_from_joint: &Mat3) -> (BodyJoint, Mat3) {
        let r = parent_from_joint;
        match self {
            Move::Turn(e) => {
                let (axis, turn) = aligned(r.mul(e));
                (BodyJoint::Revolute(axis), turn)
            }
            Move::Slide(e) => {
                let (axis, turn) = aligned(r.mul(e));
                (BodyJoint::Prismatic(axis), turn)
            }
            Move::TurnTwice(e1, e2) => {
                let (e1, e2) = (r.mul(e1), r.mul(e2));
                if let (Some(a), Some(b)) = (coordinate_axis(e1), coordinate_axis(e2)) {
                    return (BodyJoint::Universal(a, b), Mat3::identity());
                }
                (BodyJoint::Universal(Axis::X, Axis::Y), Mat3 { x: e1, y: e2, z: e1.cross(e2) })
            }
            Move::Ball => (BodyJoint::Spherical, *r),
            Move::Float => (BodyJoint::Free, *r),
        }
    }
}

/// Two directions closer than this are taken as one: a rounding error in a rotation matrix.
const SAME_DIRECTION: f64 = 1e-15;

fn coordinate_axis(e: Vec3) -> Option<Axis> {
    [Axis::X, Axis::Y, Axis::Z].into_iter().find(|a| {
        let d = e - a.unit();
        d.x.abs().max(d.y.abs()).max(d.z.abs()) <= SAME_DIRECTION
    })
}

/// A coordinate axis and the axes in which the direction `e` is that axis; the parent's own axes where possible.
fn aligned(e: Vec3) -> (Axis, Mat3) {
    match coordinate_axis(e) {
        Some(axis) => (axis, Mat3::identity()),
        None => {
            let x = e.any_perpendicular();
            (Axis::Z, Mat3 { x, y: e.cross(x), z: e })
        }
    }
}

impl Figure {
    /// Rebuilds the forest from links and joints. O(links); allocates only to grow.
    pub(super) fn compile(&mut self) {
        let mut forest = core::mem::replace(&mut self.forest, Forest::empty(Vec3::ZERO));
        forest.clear(self.links.slot_count(), self.joints.slot_count());
        let mut next = self.child;
        while let Some(handle) = next {
            let link = self.entry(handle);
            if !link.is_virtual() {
                self.compile_link(&mut forest, handle);
            }
            next = self.following(link);
        }
        self.compile_loops(&mut forest);
        for i in (1..forest.bodies.len()).rev() {
            let (parent, mass) = (forest.bodies[i].parent.index(), forest.bodies[i].mass);
            forest.bodies[i].subtree_mass += mass;
            forest.bodies[parent].subtree_mass += forest.bodies[i].subtree_mass;
        }
        self.forest = forest;
    }

    /// Rebuilds the list of connections after an edit that did not change the tree.
    pub(super) fn recompile_connections(&mut self) {
        let mut forest = core::mem::replace(&mut self.forest, Forest::empty(Vec3::ZERO));
        // slots may have been added for the virtual link and its joint
        let nowhere = LinkPlace { body: BodyIx::WORLD, body_from_link: Transform::identity() };
        forest.links.resize(self.links.slot_count(), nowhere);
        forest.joints.resize(self.joints.slot_count(), JointPlace::default());
        forest.loops.clear();
        self.compile_loops(&mut forest);
        self.forest = forest;
    }

    fn compile_loops(&self, forest: &mut Forest) {
        let mut next = self.child;
        while let Some(handle) = next {
            let link = self.entry(handle);
            self.compile_loop(forest, link);
            next = self.following(link);
        }
    }

    fn compile_loop(&self, forest: &mut Forest, link: &super::Link) {
        let Some(real) = link.real else { return };
        let joint = self.present(link.joint);
        let a = forest.links[real.0.slot()];
        let (b, b_from_parent) = match link.parent {
            None => (BodyIx::WORLD, Transform::identity()),
            Some(p) => {
                let place = forest.links[p.0.slot()];
                (place.body, place.body_from_link)
            }
        };
        let (turn, slide) = joint.kind.freedom();
        forest.loops.push(Loop {
            joint: link.joint,
            a: a.body,
            a_from_joint: a.body_from_link * joint.child_from_joint,
            b,
            b_from_joint: b_from_parent * joint.parent_from_joint,
            turn,
            slide,
            dof: joint.dof,
            is_passive: joint.dof.iter().any(Dof::is_passive),
        });
    }

    fn compile_link(&self, forest: &mut Forest, handle: LinkHandle) {
        let link = self.entry(handle);
        let joint = self.present(link.joint);
        let c = joint.coordinates();
        let (mut body, mut frame) = match link.parent {
            None => (BodyIx::WORLD, joint.parent_from_joint),
            Some(p) => {
                let place = forest.links[p.0.slot()];
                (place.body, place.body_from_link * joint.parent_from_joint)
            }
        };
        let place = JointPlace { iq: forest.nq, iv: forest.nv, nq: c.nq(), nv: c.nv() };
        let armature = |i: usize| {
            let mut a = [0.0; MAX_DOF];
            for (to, k) in c.free_dofs().skip(i).take(MAX_DOF).enumerate() {
                a[to] = if k < MAX_DOF { joint.dof[k].armature } else { 0.0 };
            }
            a
        };
        let step =
            |forest: &mut Forest, body: &mut BodyIx, frame: &mut Transform, m: Move, a: [f64; MAX_DOF]| {
                let (new, rotation) = forest.push(*body, frame, m, a);
                (*body, *frame) = (new, Transform { rotation, translation: Vec3::ZERO });
            };
        match joint.kind {
            JointKind::Free => step(forest, &mut body, &mut frame, Move::Float, [0.0; MAX_DOF]),
            JointKind::Spherical if !c.has_locks() => {
                // numbers of a ball's v are x, y, z; its degrees of freedom are in the rotation order
                let mut about = [0.0; MAX_DOF];
                joint
                    .order
                    .axes()
                    .iter()
                    .zip(&joint.dof)
                    .for_each(|(axis, d)| about[axis.index()] = d.armature);
                step(forest, &mut body, &mut frame, Move::Ball, about);
            }
            kind => {
                // one element per degree of freedom: locked ones are constants between the others
                let elements = elements(kind, &c);
                let mut i = 0;
                let mut moved = 0;
                while i < kind.nv() {
                    let (e, is_slide) = elements[i];
                    if c.locked[i] {
                        frame = frame * constant(e, is_slide, c.locked_at[i]);
                        i += 1;
                        continue;
                    }
                    let twice = i + 1 < kind.nv() && !c.locked[i + 1] && at_right_angle(e, elements[i + 1].0);
                    let (m, used) = match (is_slide, twice) {
                        (true, _) => (Move::Slide(e), 1),
                        (false, true) => (Move::TurnTwice(e, elements[i + 1].0), 2),
                        (false, false) => (Move::Turn(e), 1),
                    };
                    let mut a = armature(moved);
                    a[used..].fill(0.0);
                    step(forest, &mut body, &mut frame, m, a);
                    (i, moved) = (i + used, moved + used);
                }
            }
        }
        let body_from_link = frame * joint.child_from_joint.inverse();
        forest.links[handle.0.slot()] = LinkPlace { body, body_from_link };
        forest.joints[link.joint.0.slot()] = place;
        let inertia = body_from_link * link.spec.inertia;
        let b = &mut forest.bodies[body.index()];
        b.mass += inertia.mass;
        b.moment += inertia.moment;
        b.second += inertia.second;
        self.compile_coordinates(forest, link.joint, &c, place);
    }

    /// Home, damping and passive forces of a joint's coordinates.
    fn compile_coordinates(
        &self,
        forest: &mut Forest,
        handle: JointHandle,
        c: &Coordinates,
        place: JointPlace,
    ) {
        let joint = self.present(handle);
        let home = JointState::at_rest(joint.home);
        let (from, nv) = (forest.home.len(), place.nv);
        forest.home.resize(from + place.nq, 0.0);
        let mut still = [0.0; MAX_NV];
        c.reduce(&home, &mut forest.home[from..], &mut still[..nv]);
        let mut dof = [Dof::default(); MAX_DOF];
        let is_ball = joint.kind == JointKind::Spherical && !c.has_locks();
        for (i, k) in c.free_dofs().enumerate() {
            let d =
                if is_ball { joint.order.axes().iter().position(|a| a.index() == k).unwrap_or(k) } else { k };
            let has_dof = k < MAX_DOF && joint.kind != JointKind::Free;
            forest.damping.push(if has_dof { joint.dof[d].damping } else { 0.0 });
            if k < MAX_DOF && i < MAX_DOF {
                dof[i] = joint.dof[k];
            }
        }
        if joint.kind == JointKind::Free || !dof[..nv.min(MAX_DOF)].iter().any(|d| d.is_passive()) {
            return;
        }
        let shape = if is_ball {
            let h = joint.home;
            PassiveShape::Ball { order: joint.order, home: Quat([h[0], h[1], h[2], h[3]]) }
        } else {
            PassiveShape::Scalars { count: nv }
        };
        forest.passive.push(Passive { iq: place.iq, iv: place.iv, shape, dof });
    }

    /// Refuses joints that move no inertia in the home pose.
    pub(super) fn check_inertia(&self) -> Result<(), Error> {
        let f = &self.forest;
        // composite inertias about each body's own origin, with all joints at zero
        let mut composite: Vec<Inertia> =
            f.bodies.iter().map(|b| Inertia { mass: b.mass, moment: b.moment, second: b.second }).collect();
        for i in (1..f.bodies.len()).rev() {
            let b = &f.bodies[i];
            let at_joint = Transform { rotation: b.turn, translation: b.origin };
            let p = b.parent.index();
            composite[p] = composite[p] + at_joint * composite[i];
            let (c, d) = (&composite[i], &b.armature);
            let moment = |a: Axis| c.second.mul(a.unit()).dot(a.unit());
            let moves = match b.joint {
                BodyJoint::Revolute(a) => moment(a) + d[0] > 0.0,
                BodyJoint::Universal(x, y) => moment(x) + d[0] > 0.0 && moment(y) + d[1] > 0.0,
                BodyJoint::Prismatic(_) => c.mass + d[0] > 0.0,
                BodyJoint::Spherical => {
                    (c.second + Sym3::diagonal(Vec3::from_array(d))).eigenvalues()[0] > 0.0
                }
                BodyJoint::Free => c.mass > 0.0 && c.central().eigenvalues()[0] > 0.0,
            };
            if !moves {
                let at = b.iv as usize;
                let found = self.joints().find(|(h, _)| {
                    let p = f.joint_place(*h);
                    (p.iv..p.iv + p.nv).contains(&at)
                });
                let joint = found.map(|(_, j)| j.name.clone()).unwrap_or_default();
                return Err(Error::NoInertia { joint });
            }
        }
        Ok(())
    }
}

/// The single motions a joint is made of, each with whether it slides.
fn elements(kind: JointKind, c: &Coordinates) -> [(Vec3, bool); MAX_DOF] {
    let none = (Vec3::ZERO, false);
    match kind {
        JointKind::Revolute { axis } => [(axis, false), none, none],
        JointKind::Prismatic { axis } => [(axis, true), none, none],
        JointKind::Universal { first, second } => [(first, false), (second, false), none],
        JointKind::Spherical => c.order.axes().map(|a| (a.unit(), false)),
        JointKind::Fixed | JointKind::Free | JointKind::Partial { .. } => [none; MAX_DOF],
    }
}

fn constant(e: Vec3, is_slide: bool, at: f64) -> Transform {
    if is_slide { Transform::translation(e.scale(at)) } else { Quat::about(e, at).to_transform() }
}

fn at_right_angle(a: Vec3, b: Vec3) -> bool {
    a.dot(b).abs() <= SAME_DIRECTION
}
