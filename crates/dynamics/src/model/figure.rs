//! The figure as declared: links with their four pointers, and the joint of each to its parent. [NY2000 §IV]

use super::arena::{Arena, Id};
use super::{Forest, LinkSpec, State};
use crate::error::Error;
use crate::joint::{Coordinates, Dof, JointKind, MAX_DOF, MAX_NQ};
use crate::spatial::{RotationOrder, Transform, Vec3, vec3};

/// A link of a figure; valid until the link is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkHandle(pub(super) Id);

impl LinkHandle {
    /// Slot number; stable for the life of the link.
    pub(crate) fn slot(self) -> usize {
        self.0.slot()
    }
}

/// A joint of a figure; valid until the joint is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointHandle(pub(super) Id);

/// A rigid link and its position in the structure.
#[derive(Clone, Debug)]
pub struct Link {
    /// name, mass properties, shapes
    pub spec: LinkSpec,
    pub(super) joint: JointHandle,
    pub(super) parent: Option<LinkHandle>,
    pub(super) child: Option<LinkHandle>,
    pub(super) brother: Option<LinkHandle>,
    pub(super) real: Option<LinkHandle>,
}

impl Link {
    /// Joint to the parent.
    pub fn joint(&self) -> JointHandle {
        self.joint
    }
    /// Next link towards the base; `None` is the world.
    pub fn parent(&self) -> Option<LinkHandle> {
        self.parent
    }
    /// First link towards the ends.
    pub fn child(&self) -> Option<LinkHandle> {
        self.child
    }
    /// Next link with the same parent.
    pub fn brother(&self) -> Option<LinkHandle> {
        self.brother
    }
    /// For a virtual link that closes a loop: the real link it represents. A virtual link has no mass.
    pub fn real(&self) -> Option<LinkHandle> {
        self.real
    }
    /// Whether the link is virtual: it represents another one to close a loop.
    pub fn is_virtual(&self) -> bool {
        self.real.is_some()
    }
}

/// A joint between a link and its parent.
#[derive(Clone, Debug)]
pub struct Joint {
    /// name, unique in the figure
    pub name: String,
    /// kind
    pub kind: JointKind,
    /// joint frame on the parent
    pub parent_from_joint: Transform,
    /// joint frame on the child
    pub child_from_joint: Transform,
    /// coordinates of the home pose; the first `nq` numbers count
    pub home: [f64; MAX_NQ],
    /// angle convention of a spherical joint
    pub order: RotationOrder,
    /// properties of each degree of freedom
    pub dof: [Dof; MAX_DOF],
    /// whether a motor or muscle drives it
    pub actuated: bool,
    pub(super) locked_at: [f64; MAX_DOF],
    pub(super) link: LinkHandle,
    /// parent and child have just been swapped; its coordinates are next
    pub(super) was_turned: bool,
}

impl Joint {
    /// The child link.
    pub fn child(&self) -> LinkHandle {
        self.link
    }

    /// The coordinates that are not locked.
    pub fn coordinates(&self) -> Coordinates {
        Coordinates::new(self.kind, self.order, &self.dof, self.locked_at)
    }
}

/// Gravity unless set otherwise, m/s^2.
pub const STANDARD_GRAVITY: Vec3 = vec3(0.0, 0.0, -9.81);

/// One or more articulated figures, as declared, with their compiled form.
#[derive(Clone, Debug)]
pub struct Figure {
    /// name
    pub name: String,
    /// standing height, m, if known
    pub stature: Option<f64>,
    pub(super) links: Arena<Link>,
    pub(super) joints: Arena<Joint>,
    /// first link whose parent is the world
    pub(super) child: Option<LinkHandle>,
    pub(super) revision: u64,
    pub(super) forest: Forest,
    /// coordinate ranges of the joints before the last edit, to carry coordinates over
    pub(super) places_before: Vec<super::JointPlace>,
}

impl Figure {
    /// The compiled form for the algorithms, for the current revision.
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// Counts structural edits.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Restores the revision of a saved figure, so that saved states fit.
    pub fn restored_at(self, revision: u64) -> Figure {
        Figure { revision, ..self }
    }

    /// Refuses a state of another structure.
    pub fn check(&self, state: &State) -> Result<(), Error> {
        if state.revision != self.revision {
            return Err(Error::StaleState { state: state.revision, figure: self.revision });
        }
        self.forest.check_len("q", self.forest.nq(), state.q.len())?;
        self.forest.check_len("v", self.forest.nv(), state.v.len())
    }

    /// A link.
    pub fn link(&self, link: LinkHandle) -> Result<&Link, Error> {
        self.links.get(link.0).ok_or(Error::StaleHandle { what: "link" })
    }

    /// A joint.
    pub fn joint(&self, joint: JointHandle) -> Result<&Joint, Error> {
        self.joints.get(joint.0).ok_or(Error::StaleHandle { what: "joint" })
    }

    /// Link of that name.
    pub fn find_link(&self, name: &str) -> Result<LinkHandle, Error> {
        let found = self.links.iter().find(|(_, l)| l.spec.name == name && !l.is_virtual());
        found
            .map(|(id, _)| LinkHandle(id))
            .ok_or_else(|| Error::UnknownName { what: "link", name: name.into() })
    }

    /// Joint of that name.
    pub fn find_joint(&self, name: &str) -> Result<JointHandle, Error> {
        let found = self.joints.iter().find(|(_, j)| j.name == name);
        found
            .map(|(id, _)| JointHandle(id))
            .ok_or_else(|| Error::UnknownName { what: "joint", name: name.into() })
    }

    /// Real links, depth first: parents before children, brothers in the order they were added.
    pub fn links(&self) -> impl Iterator<Item = (LinkHandle, &Link)> {
        self.walk().filter(|(_, l)| !l.is_virtual())
    }

    /// Joints of the real links, in the same order: the order of coordinates.
    pub fn joints(&self) -> impl Iterator<Item = (JointHandle, &Joint)> {
        self.links().map(|(_, l)| (l.joint, self.present(l.joint)))
    }

    /// Virtual links: connections that close loops, with their joints.
    pub fn connections(&self) -> impl Iterator<Item = (JointHandle, &Link, &Joint)> {
        self.walk().filter(|(_, l)| l.is_virtual()).map(|(_, l)| (l.joint, l, self.present(l.joint)))
    }

    /// Sum of the links' masses.
    pub fn mass(&self) -> f64 {
        self.links().map(|(_, l)| l.spec.inertia.mass).sum()
    }

    /// Acceleration of free fall.
    pub fn gravity(&self) -> Vec3 {
        self.forest.gravity
    }

    /// Sets the acceleration of free fall.
    pub fn set_gravity(&mut self, gravity: Vec3) {
        self.forest.gravity = gravity;
    }

    /// Name of each degree of freedom, in the order of v: `joint`, or `joint.k` where a joint has several.
    pub fn dof_names(&self) -> Vec<String> {
        let mut names = vec![String::new(); self.forest.nv()];
        for (handle, joint) in self.joints() {
            let place = self.forest.joint_place(handle);
            for (i, k) in joint.coordinates().free_dofs().enumerate() {
                names[place.iv + i] =
                    if joint.kind.nv() == 1 { joint.name.clone() } else { format!("{}.{k}", joint.name) };
            }
        }
        names
    }

    /// Name of each coordinate: the degrees of freedom of the tree, then those of the connections.
    pub fn coordinate_names(&self) -> Vec<String> {
        let mut names = self.dof_names();
        for (_, _, joint) in self.connections() {
            match joint.kind.nv() {
                1 => names.push(joint.name.clone()),
                n => names.extend((0..n).map(|k| format!("{}.{k}", joint.name))),
            }
        }
        names
    }

    /// Whether an actuator is on each coordinate, in the order of [`Figure::coordinate_names`].
    pub fn is_driven(&self) -> Vec<bool> {
        let mut driven = vec![false; self.forest.nv()];
        for (handle, joint) in self.joints() {
            let p = self.forest.joint_place(handle);
            driven[p.iv..p.iv + p.nv].fill(joint.actuated);
        }
        for (_, _, joint) in self.connections() {
            driven.extend((0..joint.kind.nv()).map(|_| joint.actuated));
        }
        driven
    }

    /// Every link, virtual ones too, depth first.
    fn walk(&self) -> impl Iterator<Item = (LinkHandle, &Link)> {
        let mut next = self.child;
        core::iter::from_fn(move || {
            let handle = next?;
            let link = self.entry(handle);
            next = self.following(link);
            Some((handle, link))
        })
    }

    /// The next link in depth-first order.
    pub(super) fn following(&self, link: &Link) -> Option<LinkHandle> {
        if link.child.is_some() {
            return link.child;
        }
        let mut at = link;
        loop {
            if at.brother.is_some() {
                return at.brother;
            }
            at = self.entry(at.parent?);
        }
    }

    /// A link our own pointers lead to.
    pub(super) fn entry(&self, link: LinkHandle) -> &Link {
        self.links.get(link.0).expect("pointers of a figure lead to its own links")
    }

    /// A joint our own pointers lead to.
    pub(super) fn present(&self, joint: JointHandle) -> &Joint {
        self.joints.get(joint.0).expect("every link has its joint")
    }

    /// First-child pointer of a link or of the world.
    pub(super) fn first_child(&mut self, parent: Option<LinkHandle>) -> &mut Option<LinkHandle> {
        match parent {
            None => &mut self.child,
            Some(p) => {
                &mut self.links.get_mut(p.0).expect("pointers of a figure lead to its own links").child
            }
        }
    }

    /// Appends a link to a parent's children.
    pub(super) fn attach(&mut self, link: LinkHandle, parent: Option<LinkHandle>) {
        let entry = self.links.get_mut(link.0).expect("the link was just stored");
        (entry.parent, entry.brother) = (parent, None);
        let mut last = match *self.first_child(parent) {
            None => {
                *self.first_child(parent) = Some(link);
                return;
            }
            Some(first) => first,
        };
        while let Some(next) = self.entry(last).brother {
            last = next;
        }
        self.links.get_mut(last.0).expect("a brother exists").brother = Some(link);
    }

    /// Removes a link from its parent's children.
    pub(super) fn detach(&mut self, link: LinkHandle) {
        let (parent, brother) = (self.entry(link).parent, self.entry(link).brother);
        if *self.first_child(parent) == Some(link) {
            *self.first_child(parent) = brother;
        } else {
            let mut at = *self.first_child(parent);
            while let Some(elder) = at {
                at = self.entry(elder).brother;
                if at == Some(link) {
                    self.links.get_mut(elder.0).expect("a brother exists").brother = brother;
                    break;
                }
            }
        }
        let entry = self.links.get_mut(link.0).expect("the link exists");
        (entry.parent, entry.brother) = (None, None);
    }
}
