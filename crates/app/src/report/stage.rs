//! A common place for all pictures: the figure over the origin, turned so that it mostly faces along x, and its ground.

use anthropi_dynamics::contact::{MaterialIx, Scenery, SceneryShape};
use anthropi_dynamics::spatial::{Mat3, Quat, Transform, Vec3, vec3};
use anthropi_motion::contact_points::Site;
use anthropi_motion::contact_schedule;
use anthropi_motion::inverse::Inverse;
use anthropi_motion::pose;

/// Minimum length of the mean foot direction, relative to the foot, that defines a heading.
const MIN_MEAN: f64 = 0.2;

/// Rotation about the vertical shared by all poses.
pub struct Stage {
    turn: Quat,
    /// first coordinate of the root, if its joint frame is the world's
    root: Option<usize>,
    ground: contact_schedule::Ground,
    /// whether props are what is above the ground
    has_props: bool,
}

impl Stage {
    /// Faces along the mean direction of the feet.
    pub fn new(inverse: &Inverse) -> Stage {
        let (schedule, figure) = (&inverse.schedule, inverse.trajectory.clip.figure());
        let is_world = figure.joint(inverse.root).is_ok_and(|j| j.parent_from_joint == Transform::identity());
        let root = is_world.then(|| figure.forest().joint_place(inverse.root).iq);
        let middle = |place: usize, frame: usize| {
            let points = schedule.tracks[place].at(frame);
            points.iter().fold(Vec3::ZERO, |s, p| s + *p).scale(1.0 / points.len().max(1) as f64)
        };
        let (mut sum, mut length) = (Vec3::ZERO, 0.0);
        for (heel, place) in schedule.points.iter().enumerate() {
            let Site::Heel(side) = place.site else { continue };
            let Some(toe) = schedule.points.iter().position(|p| p.site == Site::Toe(side)) else { continue };
            for frame in 0..inverse.frames.len() {
                let foot = Vec3 { z: 0.0, ..(middle(toe, frame) - middle(heel, frame)) };
                (sum, length) = (sum + foot, length + foot.norm());
            }
        }
        let ahead = sum.normalized().filter(|_| sum.norm() > MIN_MEAN * length && root.is_some());
        let turn = ahead.map_or(Quat::IDENTITY, |to| match 1.0 + to.x {
            // the sum of two directions is at half the angle between them
            twice if twice > 1e-6 => Quat([twice, 0.0, 0.0, -to.y]).normalized(),
            _ => Quat([0.0, 0.0, 0.0, 1.0]),
        });
        Stage { turn, root, ground: schedule.ground, has_props: !schedule.props.is_empty() }
    }

    /// Heading of the figure, rad from x to y.
    pub fn heading(&self) -> f64 {
        let ahead = self.turn.inverse().rotate(vec3(1.0, 0.0, 0.0));
        ahead.y.atan2(ahead.x)
    }

    /// The ground, if it is a plane, apart from props.
    pub fn ground(&self) -> Option<contact_schedule::Ground> {
        let ground = contact_schedule::Ground { is_even: true, ..self.ground };
        Some(ground).filter(|_| self.ground.is_even || self.has_props)
    }

    /// Offset that moves a pose over the origin along the ground, before the rotation.
    pub fn origin(&self, q: &[f64]) -> Vec3 {
        let Some(i) = self.root else { return Vec3::ZERO };
        let (at, ground) = (pose::triple(q, i), self.ground);
        // keep the height, on slopes that above the ground
        let climb = if ground.is_even { ground.slope[0] * at.x + ground.slope[1] * at.y } else { 0.0 };
        vec3(at.x, at.y, climb)
    }

    /// A pose relative to an origin.
    pub fn pose(&self, q: &[f64], origin: Vec3) -> Vec<f64> {
        let mut q = q.to_vec();
        let Some(i) = self.root else { return q };
        let (at, turn) = (pose::triple(&q, i), pose::quaternion(&q, i + 3));
        q[i..i + 3].copy_from_slice(&self.turn.rotate(at - origin).to_array());
        q[i + 3..i + 7].copy_from_slice(&self.turn.then(turn).0);
        q
    }

    /// A world point relative to an origin.
    pub fn point(&self, at: Vec3, origin: Vec3) -> Vec3 {
        self.turn.rotate(at - origin)
    }

    /// The ground as scenery, if it is a plane.
    pub fn scenery(&self) -> Vec<Scenery> {
        if !self.ground.is_even {
            return Vec::new();
        }
        let z = self.turn.rotate(self.ground.normal());
        let x = vec3(z.z, 0.0, -z.x).normalized().unwrap_or(vec3(1.0, 0.0, 0.0));
        let rotation = Mat3 { x, y: z.cross(x), z };
        let world_from_it = Transform { rotation, translation: vec3(0.0, 0.0, self.ground.height) };
        let material = MaterialIx::default();
        vec![Scenery { name: "ground".into(), ground: SceneryShape::Plane, world_from_it, material }]
    }
}
