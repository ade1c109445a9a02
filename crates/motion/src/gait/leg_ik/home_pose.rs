//! Home pose of a figure in walking axes: roles of its bodies, geometry of its legs.

use super::{Leg, Role, SoleEdges, turn_of};
use crate::anatomy::{Anatomy, Part, Side};
use crate::contact_points::{ContactPoint, Site};
use crate::error::Error;
use crate::inverse::root_of;
use crate::pose;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{BodyIx, BodyJoint, Figure, Forest, LinkHandle};
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// Least alignment (cosine) of the knee axis with left, and of ankle pitch and roll axes with left and forward.
const KNEE_AXIS: f64 = 0.8;
const ANKLE_AXES: [f64; 2] = [0.99, 0.9];

/// Home pose of a figure.
pub(super) struct HomePose<'a> {
    figure: &'a Figure,
    anatomy: &'a Anatomy,
    contact_points: &'a [ContactPoint],
    links: Vec<LinkHandle>,
    kinematics: Kinematics,
    /// walking axes from world axes
    walking: Quat,
    pub root: BodyIx,
    /// orientations of the bodies, walking axes; feet with level soles
    pub turns: Vec<Quat>,
    pub roles: Vec<Role>,
}

/// Thigh, shank and foot of a leg, their geometry, and the hip relative to the root.
#[derive(Clone, Copy)]
pub(super) struct LegGeometry {
    pub bodies: [BodyIx; 3],
    pub leg: Leg,
    pub sole: SoleEdges,
    pub hip: Vec3,
}

impl<'a> HomePose<'a> {
    pub fn new(
        figure: &'a Figure,
        anatomy: &'a Anatomy,
        contact_points: &'a [ContactPoint],
    ) -> Result<HomePose<'a>, Error> {
        let forest = figure.forest();
        let root = figure.joint(root_of(figure)?).map(|j| j.child()).expect("a joint of this figure");
        let root = forest.link_place(root).body;
        let mut kinematics = Kinematics::default();
        kinematics.update(forest, forest.home(), None, None);
        let links = figure.links().map(|(handle, _)| handle).collect();
        let turns = vec![Quat::IDENTITY; forest.bodies().len()];
        let roles = vec![Role::Still; turns.len()];
        let walking = Quat::IDENTITY;
        let mut home =
            HomePose { figure, anatomy, contact_points, links, kinematics, walking, root, turns, roles };
        let across =
            home.at(home.need(Part::Thigh(Side::Left))?) - home.at(home.need(Part::Thigh(Side::Right))?);
        let ahead = vec3(across.y, -across.x, 0.0).normalized().unwrap_or(vec3(1.0, 0.0, 0.0));
        home.walking = Quat::about(vec3(0.0, 0.0, 1.0), -libm::atan2(ahead.y, ahead.x));
        home.turns = turns_at_home(forest, home.walking);
        home.roles[root.index()] = Role::Root;
        Ok(home)
    }

    fn refuse(&self, what: String) -> Error {
        Error::Unsuitable { subject: self.figure.name.clone(), what }
    }

    /// The body of a link of the figure.
    fn body(&self, link: usize) -> BodyIx {
        self.figure.forest().link_place(self.links[link]).body
    }

    fn find(&self, part: Part) -> Option<BodyIx> {
        self.anatomy.find(part).map(|n| self.body(n))
    }

    fn need(&self, part: Part) -> Result<BodyIx, Error> {
        let none = || self.refuse(format!("no {part} was found; walking needs two complete legs"));
        self.find(part).ok_or_else(none)
    }

    /// World position of a body.
    fn at(&self, b: BodyIx) -> Vec3 {
        self.kinematics.body_pose(b).translation
    }

    /// A direction in walking axes.
    fn seen(&self, v: Vec3) -> Vec3 {
        self.walking.rotate(v)
    }

    /// Distributes the rotations from pelvis to chest and from chest to head over spine and neck.
    pub fn trunk(&mut self) {
        let last = |part: Part| self.anatomy.last(part).map(|n| self.body(n));
        let chest = last(Part::Chest).or_else(|| last(Part::Abdomen));
        let head = self.find(Part::Head).or_else(|| self.find(Part::Neck));
        self.share(self.root, chest, Role::Spine);
        self.share(chest.unwrap_or(self.root), head, Role::Neck);
    }

    /// Roles of the bodies after `from` up to `to`.
    fn share(&mut self, from: BodyIx, to: Option<BodyIx>, role: fn(f64) -> Role) {
        let mut path = Vec::new();
        let mut b = to.unwrap_or(from);
        while b != from && b != BodyIx::WORLD {
            path.push(b);
            b = self.figure.forest().bodies()[b.index()].parent;
        }
        let n = path.len() as f64;
        for (k, b) in path.into_iter().rev().enumerate() {
            self.roles[b.index()] = role((k + 1) as f64 / n);
        }
    }

    /// The rotation that makes an arm hang.
    pub fn arm(&mut self, side: Side) -> Quat {
        let Some(upper) = self.find(Part::UpperArm(side)) else { return Quat::IDENTITY };
        self.roles[upper.index()] = Role::UpperArm(side as usize);
        let fore = self.find(Part::Forearm(side)).filter(|f| *f != upper);
        let Some(fore) = fore else { return Quat::IDENTITY };
        self.roles[fore.index()] = Role::Forearm(side as usize);
        let along = self.seen(self.at(fore) - self.at(upper)).normalized();
        along.map_or(Quat::IDENTITY, |along| shortest(along, vec3(0.0, 0.0, -1.0)))
    }

    /// Geometry of a leg.
    ///
    /// # Errors
    /// An incomplete leg, a hip that is not spherical, a knee that does not flex, no sole, an ankle without pitch and roll.
    pub fn limb(&mut self, side: Side) -> Result<LegGeometry, Error> {
        let s = side as usize;
        let bodies = [Part::Thigh(side), Part::Shank(side), Part::Foot(side)];
        let [thigh, shank, foot] = [self.need(bodies[0])?, self.need(bodies[1])?, self.need(bodies[2])?];
        self.roles[thigh.index()] = Role::Thigh(s);
        self.roles[shank.index()] = Role::Shank(s);
        self.roles[foot.index()] = Role::Foot(s);
        if self.joint(thigh) != BodyJoint::Spherical {
            return Err(self.refuse(format!("the {side} hip is no ball joint, as walking needs")));
        }
        let axis = self.knee(shank);
        if axis.y < KNEE_AXIS {
            return Err(self.refuse(format!("the {side} knee does not flex about a left-right axis")));
        }
        let sole = self.sole(side, foot)?;
        if !self.can_roll(shank, foot) {
            let what = format!("the {side} ankle is neither a pitch-roll nor a ball joint, as walking needs");
            return Err(self.refuse(what));
        }
        let [upper, lower] = [[thigh, shank], [shank, foot]].map(|[a, b]| self.seen(self.at(b) - self.at(a)));
        let hip = self.seen(self.at(thigh) - self.at(self.root));
        Ok(LegGeometry { bodies: [thigh, shank, foot], leg: Leg { upper, lower, axis }, sole, hip })
    }

    fn joint(&self, b: BodyIx) -> BodyJoint {
        self.figure.forest().bodies()[b.index()].joint
    }

    /// Flexion axis of a knee, pointing left; zero if it has none.
    fn knee(&self, shank: BodyIx) -> Vec3 {
        match self.joint(shank) {
            BodyJoint::Spherical => vec3(0.0, 1.0, 0.0),
            BodyJoint::Revolute(axis) => {
                let axis = self.turns[shank.index()].rotate(axis.unit());
                axis.scale(axis.y.signum())
            }
            _ => Vec3::ZERO,
        }
    }

    /// The sole of a foot; levels the foot.
    fn sole(&mut self, side: Side, foot: BodyIx) -> Result<SoleEdges, Error> {
        let edges = (self.edge(Site::Heel(side), foot), self.edge(Site::Toe(side), foot));
        let (Some((heel, a)), Some((toe, b))) = edges else {
            return Err(self.refuse(format!("the {side} foot has no sole")));
        };
        let level = Quat::about(vec3(0.0, 1.0, 0.0), libm::atan2(toe.z - heel.z, toe.x - heel.x));
        self.turns[foot.index()] = level.then(self.turns[foot.index()]);
        Ok(SoleEdges { heel: level.rotate(heel), toe: level.rotate(toe), half: a.min(b) })
    }

    /// Middle of an edge of the sole relative to the ankle, and half its breadth.
    fn edge(&self, site: Site, foot: BodyIx) -> Option<(Vec3, f64)> {
        let edge_points = self.contact_points.iter().find(|p| p.site == site)?;
        let pose = self.kinematics.link_pose(self.figure.forest(), edge_points.link);
        let sum = edge_points.points.iter().fold(Vec3::ZERO, |sum, p| sum + pose.point(*p));
        let middle = sum.scale(1.0 / edge_points.points.len() as f64);
        let half = edge_points.points.iter().map(|p| (pose.point(*p) - middle).norm()).fold(0.0, f64::max);
        Some((self.seen(middle - self.at(foot)), half))
    }

    fn can_roll(&self, shank: BodyIx, foot: BodyIx) -> bool {
        match self.joint(foot) {
            BodyJoint::Spherical => true,
            BodyJoint::Universal(a, b) => {
                let turn = self.figure.forest().bodies()[foot.index()].turn;
                let pitch = self.turns[shank.index()].rotate(turn.mul(a.unit()));
                let roll = self.turns[foot.index()].rotate(b.unit());
                pitch.y.abs() > ANKLE_AXES[0] && roll.x.abs() > ANKLE_AXES[1]
            }
            _ => false,
        }
    }
}

/// Orientations of all bodies in the home pose, walking axes.
fn turns_at_home(forest: &Forest, walking: Quat) -> Vec<Quat> {
    let mut turns = vec![walking];
    for b in forest.bodies().iter().skip(1) {
        let before = turns[b.parent.index()].then(Quat::from_matrix(&b.turn));
        let own = &forest.home()[b.coordinates().start..];
        turns.push(match b.joint {
            BodyJoint::Free => before.then(pose::quaternion(own, 3)),
            joint => before.then(turn_of(joint, own)),
        });
    }
    turns
}

/// Shortest rotation from one direction to another; about x if they are opposite.
fn shortest(from: Vec3, to: Vec3) -> Quat {
    let angle = libm::atan2(from.cross(to).norm(), from.dot(to));
    Quat::about(from.cross(to).normalized().unwrap_or(vec3(1.0, 0.0, 0.0)), angle)
}
