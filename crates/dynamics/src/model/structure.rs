//! Structural edits: connect, cut, lock, unlock, reroot.
//!
//! Every edit bumps the revision, carries over the coordinates of everything it did not touch, keeps handles valid and
//! rebuilds the forest. Nothing here allocates after the first edit of the same size.

use super::{Figure, Joint, JointHandle, JointSpec, LinkHandle, State};
use crate::error::Error;
use crate::joint::{JointKind, JointState, MAX_DOF, MAX_NV};
use crate::spatial::{Inertia, Motion, RotationOrder, Transform};

/// Result of an edit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// revision after the edit
    pub revision: u64,
    /// degrees of freedom before
    pub nv_before: usize,
    /// degrees of freedom after
    pub nv_after: usize,
}

impl Figure {
    /// Locks degree of freedom `k` of a joint at its current value. Its rate is lost; all other motion is unchanged.
    ///
    /// A spherical joint is then described by the free angles of its rotation order, and `k` counts in that order.
    pub fn lock(&mut self, joint: JointHandle, k: usize, state: &mut State) -> Result<Change, Error> {
        self.set_lock(joint, k, state, true)
    }

    /// Unlocks degree of freedom `k` of a joint, starting at rest.
    pub fn unlock(&mut self, joint: JointHandle, k: usize, state: &mut State) -> Result<Change, Error> {
        self.set_lock(joint, k, state, false)
    }

    fn set_lock(
        &mut self,
        handle: JointHandle,
        k: usize,
        state: &mut State,
        locked: bool,
    ) -> Result<Change, Error> {
        self.check(state)?;
        let joint = self.joint(handle)?;
        let kind = joint.kind;
        let is_virtual = self.entry(joint.link).is_virtual();
        if is_virtual || matches!(kind, JointKind::Free | JointKind::Fixed) || k >= kind.nv() {
            let verb = if locked { "locked there" } else { "unlocked there" };
            return Err(Error::WrongKind { joint: joint.name.clone(), kind: kind.name(), verb });
        }
        let whole = self.joint_state(handle, state);
        let (angles, _) = joint.coordinates().angles_and_rates(&whole);
        Ok(self.edit(state, |figure| {
            let joint = figure.joints.get_mut(handle.0).expect("checked above");
            // an angle that was already locked keeps its exact value
            if !joint.dof[k].locked {
                joint.locked_at[k] = angles[k];
            }
            joint.dof[k].locked = locked;
            Some((handle, whole))
        }))
    }

    /// Makes `link` the root of its figure: its free joint to the world moves there. The motion stays the same.
    ///
    /// Joints on the path change direction. Their handles, names and, for single axes, coordinates stay; the two
    /// coordinates of a universal joint are swapped; the rotation of a spherical joint is inverted.
    pub fn reroot(&mut self, link: LinkHandle, state: &mut State) -> Result<Change, Error> {
        self.check(state)?;
        let entry = self.link(link)?;
        if entry.is_virtual() {
            let joint = self.present(entry.joint);
            let (joint, kind) = (joint.name.clone(), joint.kind.name());
            return Err(Error::WrongKind { joint, kind, verb: "made the root" });
        }
        let root = self.root_of(link);
        let free = self.entry(root).joint;
        let base = self.present(free);
        if base.kind != JointKind::Free {
            let link = self.entry(link).spec.name.clone();
            return Err(Error::BaseNotFree { link, joint: base.name.clone(), kind: base.kind.name() });
        }
        let (pose, twist) = self.path_motion(link, state);
        let home_pose = self.home_pose(link);
        let world_from_joint = base.parent_from_joint;
        let place = world_from_joint.inverse() * pose;
        let home_place = world_from_joint.inverse() * home_pose;
        Ok(self.edit(state, |figure| {
            figure.reverse_path(link, root, free);
            let base = figure.joints.get_mut(free.0).expect("the base joint stays");
            base.link = link;
            base.child_from_joint = Transform::identity();
            base.home = free_coordinates(&home_place);
            let mut v = [0.0; MAX_NV];
            v.copy_from_slice(&twist.to_array());
            Some((free, JointState { q: free_coordinates(&place), v, angles: None }))
        }))
    }

    /// Connects link `a` to `joint.parent` (the world when `None`) by a new joint: a virtual link that represents `a` becomes
    /// a child of the parent. The frames are `joint.child_from_joint` on a and `joint.parent_from_joint` on the parent.
    /// Positions and velocities stay; `constraint` closes gaps and computes the velocity jump. [NY2000 §V-B]
    ///
    /// # Errors
    /// A link connected to itself, stale handles, bad axes or names; the figure is then unchanged.
    pub fn connect(
        &mut self,
        a: LinkHandle,
        joint: JointSpec,
        state: &mut State,
    ) -> Result<JointHandle, Error> {
        self.check(state)?;
        let link = self.link(a)?;
        if joint.parent == Some(a) || link.is_virtual() {
            return Err(Error::SelfConnection { name: joint.name, link: link.spec.name.clone() });
        }
        let joint = self.checked_joint(joint)?;
        let handle = self.insert_connection(a, joint);
        self.edit_connections(state);
        Ok(handle)
    }

    /// `joint` with its `parent_from_joint` set from the current pose of `joint.child_from_joint` on link `a`, so that it is
    /// closed and positions stay continuous when connected.
    pub fn closed_here(
        &self,
        a: LinkHandle,
        mut joint: JointSpec,
        state: &State,
    ) -> Result<JointSpec, Error> {
        self.check(state)?;
        self.link(a)?;
        let (world_from_a, _) = self.path_motion(a, state);
        let world_from_parent = match joint.parent {
            None => Transform::identity(),
            Some(p) => {
                self.link(p)?;
                self.path_motion(p, state).0
            }
        };
        joint.parent_from_joint = world_from_parent.inverse() * world_from_a * joint.child_from_joint;
        Ok(joint)
    }

    /// Cuts a joint. A connection is deleted; a tree joint becomes a free joint of its subtree to the world, with pose
    /// and velocity carried over, so nothing jumps. [NY2000 §V-B]
    ///
    /// # Errors
    /// A subtree without mass or moment of inertia, which cannot have a free joint; the figure is then unchanged.
    pub fn cut(&mut self, joint: JointHandle, state: &mut State) -> Result<Change, Error> {
        self.check(state)?;
        let Joint { kind, link, .. } = *self.joint(joint)?;
        let name = |figure: &Figure| figure.present(joint).name.clone();
        if self.entry(link).is_virtual() {
            self.detach(link);
            self.links.remove(link.0);
            self.joints.remove(joint.0);
            return Ok(self.edit_connections(state));
        }
        if kind == JointKind::Free {
            return Err(Error::WrongKind { joint: name(self), kind: kind.name(), verb: "cut" });
        }
        let whole = self.subtree_inertia(link, state);
        if whole.mass <= 0.0 || whole.central().eigenvalues()[0] <= 0.0 {
            return Err(Error::NoInertia { joint: name(self) });
        }
        let (pose, twist) = self.path_motion(link, state);
        let home_pose = self.home_pose(link);
        Ok(self.edit(state, |figure| {
            figure.detach(link);
            figure.attach(link, None);
            let joint_entry = figure.joints.get_mut(joint.0).expect("checked above");
            joint_entry.kind = JointKind::Free;
            joint_entry.parent_from_joint = Transform::identity();
            joint_entry.child_from_joint = Transform::identity();
            joint_entry.home = free_coordinates(&home_pose);
            joint_entry.actuated = false;
            let mut v = [0.0; MAX_NV];
            v.copy_from_slice(&twist.to_array());
            Some((joint, JointState { q: free_coordinates(&pose), v, angles: None }))
        }))
    }

    /// Inertia of a link's subtree at the current pose, in the link's frame.
    fn subtree_inertia(&self, link: LinkHandle, state: &State) -> Inertia {
        let l = self.entry(link);
        let mut sum = l.spec.inertia;
        let mut next = l.child;
        while let Some(child) = next {
            let c = self.entry(child);
            next = c.brother;
            if !c.is_virtual() {
                let here = self.present(c.joint).placement(&self.joint_state(c.joint, state).q);
                sum = sum + here * self.subtree_inertia(child, state);
            }
        }
        sum
    }

    /// Locks the degrees of freedom declared locked, at their home values.
    pub(super) fn lock_declared(&mut self, handle: JointHandle) {
        let joint = self.present(handle);
        let home = JointState::at_rest(joint.home);
        let (angles, _) = joint.coordinates().angles_and_rates(&home);
        self.joints.get_mut(handle.0).expect("just stored").locked_at = angles;
    }

    /// The root link of a figure.
    pub fn root_of(&self, link: LinkHandle) -> LinkHandle {
        let mut at = link;
        while let Some(parent) = self.entry(at).parent {
            at = parent;
        }
        at
    }

    /// Position and velocity of a whole joint, locked coordinates included.
    pub(super) fn joint_state(&self, joint: JointHandle, state: &State) -> JointState {
        let p = self.forest.joint_place(joint);
        self.present(joint).coordinates().expand(&state.q[p.iq..p.iq + p.nq], &state.v[p.iv..p.iv + p.nv])
    }

    /// Updates after connections were made or cut: the tree and its coordinates are unchanged.
    fn edit_connections(&mut self, state: &mut State) -> Change {
        self.revision += 1;
        self.recompile_connections();
        state.revision = self.revision;
        let nv = self.forest.nv();
        Change { revision: self.revision, nv_before: nv, nv_after: nv }
    }

    /// Changes the structure, rebuilds, and carries the coordinates over. The change may name one joint whose state
    /// is new; joints that keep their number of coordinates keep their values.
    fn edit(
        &mut self,
        state: &mut State,
        change: impl FnOnce(&mut Figure) -> Option<(JointHandle, JointState)>,
    ) -> Change {
        let nv_before = self.forest.nv();
        self.places_before.clear();
        self.places_before.extend_from_slice(self.forest.joint_places());
        core::mem::swap(&mut state.q, &mut state.before.0);
        core::mem::swap(&mut state.v, &mut state.before.1);
        let changed = change(self);
        self.revision += 1;
        self.compile();
        let (nq, nv) = (self.forest.nq(), self.forest.nv());
        state.q.clear();
        state.q.resize(nq, 0.0);
        state.v.clear();
        state.v.resize(nv, 0.0);
        for (id, joint) in self.joints.iter() {
            if self.entry(joint.link).is_virtual() {
                continue; // the coordinates of a connection follow from the others
            }
            let (old, new) = (self.places_before[id.slot()], self.forest.joint_place(JointHandle(id)));
            let (q, v) = (&mut state.q[new.iq..new.iq + new.nq], &mut state.v[new.iv..new.iv + new.nv]);
            match changed {
                Some((handle, whole)) if handle.0 == id => joint.coordinates().reduce(&whole, q, v),
                _ => {
                    q.copy_from_slice(&state.before.0[old.iq..old.iq + old.nq]);
                    v.copy_from_slice(&state.before.1[old.iv..old.iv + old.nv]);
                }
            }
        }
        state.revision = self.revision;
        self.finish_reversals(state);
        Change { revision: self.revision, nv_before, nv_after: nv }
    }

    /// Swaps parent and child of every joint between `root` and `link`, and moves the base joint to `link`.
    fn reverse_path(&mut self, link: LinkHandle, root: LinkHandle, free: JointHandle) {
        let (mut child, mut joint) = (link, self.entry(link).joint);
        let mut parent = self.entry(link).parent;
        self.detach(link);
        self.attach(link, None);
        self.links.get_mut(link.0).expect("the link exists").joint = free;
        while let Some(p) = parent {
            let (next_parent, next_joint) = (self.entry(p).parent, self.entry(p).joint);
            self.detach(p);
            self.attach(p, Some(child));
            self.links.get_mut(p.0).expect("the link exists").joint = joint;
            self.joints.get_mut(joint.0).expect("the joint exists").turn_round(p);
            (child, joint, parent) = (p, next_joint, next_parent);
        }
        debug_assert_eq!(child, root);
    }

    /// Turns round the coordinates of the joints whose direction was just changed.
    fn finish_reversals(&mut self, state: &mut State) {
        for slot in 0..self.joints.slot_count() {
            let Some(id) = self.joints.id_in_slot(slot) else { continue };
            let joint = self.joints.get_mut(id).expect("the slot is used");
            if !core::mem::take(&mut joint.was_turned) {
                continue;
            }
            let p = self.forest.joint_place(JointHandle(id));
            let (q, v) = (&mut state.q[p.iq..p.iq + p.nq], &mut state.v[p.iv..p.iv + p.nv]);
            if joint.kind == JointKind::Spherical && p.nq == p.nv {
                // angles of the reversed order, each with the opposite sign
                q.reverse();
                v.reverse();
                q.iter_mut().chain(v.iter_mut()).for_each(|x| *x = -*x);
            } else if p.nv == joint.kind.nv() {
                joint.kind.reverse(q, v);
            }
        }
    }

    /// World placement of a link and its velocity in its own axes, along the path to its root.
    fn path_motion(&self, link: LinkHandle, state: &State) -> (Transform, Motion) {
        let (mut here_from_link, mut twist) = (Transform::identity(), Motion::default());
        let mut at = Some(link);
        while let Some(handle) = at {
            let l = self.entry(handle);
            let joint = self.present(l.joint);
            let whole = self.joint_state(l.joint, state);
            let own = joint.child_from_joint * joint.kind.velocity(&whole.q, &whole.v);
            twist += here_from_link.inverse() * own;
            here_from_link = joint.placement(&whole.q) * here_from_link;
            at = l.parent;
        }
        (here_from_link, twist)
    }

    /// World pose of a link in the home pose.
    pub fn home_pose(&self, link: LinkHandle) -> Transform {
        let mut here_from_link = Transform::identity();
        let mut at = Some(link);
        while let Some(handle) = at {
            let l = self.entry(handle);
            let joint = self.present(l.joint);
            here_from_link = joint.placement(&joint.home_state().q) * here_from_link;
            at = l.parent;
        }
        here_from_link
    }
}

impl Joint {
    /// Placement of the child link on the parent link, at the whole joint's coordinates.
    fn placement(&self, q: &[f64]) -> Transform {
        self.parent_from_joint * self.kind.transform(q) * self.child_from_joint.inverse()
    }

    /// The home pose, with locked coordinates at their held values.
    fn home_state(&self) -> JointState {
        let c = self.coordinates();
        let declared = JointState::at_rest(self.home);
        if !c.has_locks() {
            return declared;
        }
        let (mut q, mut v) = ([0.0; MAX_DOF], [0.0; MAX_DOF]);
        let n = c.nv();
        c.reduce(&declared, &mut q[..n], &mut v[..n]);
        c.expand(&q[..n], &v[..n])
    }

    /// The same joint with parent and child swapped; the new child is `link`.
    fn turn_round(&mut self, link: LinkHandle) {
        core::mem::swap(&mut self.parent_from_joint, &mut self.child_from_joint);
        let n = self.kind.nv().min(MAX_DOF);
        let mut still = [0.0; MAX_NV];
        self.kind.reverse(&mut self.home, &mut still);
        match self.kind {
            JointKind::Universal { .. } => {
                self.dof[..n].reverse();
                self.locked_at[..n].reverse();
            }
            JointKind::Spherical => {
                self.order = reversed_order(self.order);
                self.dof.reverse();
                self.locked_at.reverse();
                self.locked_at.iter_mut().for_each(|x| *x = -*x);
                for d in &mut self.dof {
                    d.rest = -d.rest;
                    if let Some(r) = &mut d.range {
                        (r.lower, r.upper) = (-r.upper, -r.lower);
                    }
                }
            }
            _ => {}
        }
        self.kind = self.kind.reversed();
        self.link = link;
        self.was_turned = true;
    }
}

fn reversed_order(order: RotationOrder) -> RotationOrder {
    let [a, b, c] = order.axes();
    RotationOrder::ALL.into_iter().find(|o| o.axes() == [c, b, a]).unwrap_or(order)
}

pub(super) fn free_coordinates(place: &Transform) -> [f64; 7] {
    let (p, [w, x, y, z]) = (place.translation, place.orientation().0);
    [p.x, p.y, p.z, w, x, y, z]
}
