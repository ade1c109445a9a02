//! A common place for all pictures: the figure over the origin, turned so that it mostly faces along x, and its ground.

use anthropi_dynamics::contact::{Ground, MaterialIx, Scenery};
use anthropi_dynamics::spatial::{Mat3, Quat, Transform, Vec3, vec3};
use anthropi_motion::inverse::Inverse;
use anthropi_motion::pose;
use anthropi_motion::spots::Spot;
use anthropi_motion::touch;

/// Feet that point to all sides tell no direction: a mean shorter than this part of them.
const UNSURE: f64 = 0.2;

/// A turn about the vertical that all poses share.
pub struct Stage {
    turn: Quat,
    /// where the root's coordinates are, if they are those of the world, so that they may be turned
    root: Option<usize>,
    ground: touch::Ground,
}

impl Stage {
    /// Looks where the feet point.
    pub fn of(inverse: &Inverse) -> Stage {
        let (touches, figure) = (&inverse.touches, inverse.trajectory.clip.figure());
        let stands_in_world =
            figure.joint(inverse.root).is_ok_and(|j| j.parent_from_joint == Transform::identity());
        let root = stands_in_world.then(|| figure.forest().joint_place(inverse.root).iq);
        let middle = |place: usize, frame: usize| {
            let points = touches.tracks[place].at(frame);
            points.iter().fold(Vec3::ZERO, |s, p| s + *p).scale(1.0 / points.len().max(1) as f64)
        };
        let (mut sum, mut length) = (Vec3::ZERO, 0.0);
        for (heel, place) in touches.places.iter().enumerate() {
            let Spot::Heel(side) = place.spot else { continue };
            let Some(toe) = touches.places.iter().position(|p| p.spot == Spot::Toe(side)) else { continue };
            for frame in 0..inverse.frames.len() {
                let foot = Vec3 { z: 0.0, ..(middle(toe, frame) - middle(heel, frame)) };
                (sum, length) = (sum + foot, length + foot.norm());
            }
        }
        let ahead = sum.normalized().filter(|_| sum.norm() > UNSURE * length && root.is_some());
        let turn = ahead.map_or(Quat::IDENTITY, |to| match 1.0 + to.x {
            // half the angle between two directions is that to their sum
            twice if twice > 1e-6 => Quat([twice, 0.0, 0.0, -to.y]).normalized(),
            _ => Quat([0.0, 0.0, 0.0, 1.0]),
        });
        Stage { turn, root, ground: touches.ground }
    }

    /// Where the figure mostly faces, rad from x to y.
    pub fn heading(&self) -> f64 {
        let ahead = self.turn.inverse().rotate(vec3(1.0, 0.0, 0.0));
        ahead.y.atan2(ahead.x)
    }

    /// The ground, if it is one plane.
    pub fn ground(&self) -> Option<touch::Ground> {
        Some(self.ground).filter(|g| g.is_even)
    }

    /// What brings a pose over the origin along the ground: taken from its root's place before the turn.
    pub fn origin(&self, q: &[f64]) -> Vec3 {
        let Some(i) = self.root else { return Vec3::ZERO };
        let (at, ground) = (pose::triple(q, i), self.ground);
        // what is left of its place is its height, on slopes that above the ground under it
        let climb = if ground.is_even { ground.slope[0] * at.x + ground.slope[1] * at.y } else { 0.0 };
        vec3(at.x, at.y, climb)
    }

    /// A pose as seen from an origin.
    pub fn pose(&self, q: &[f64], origin: Vec3) -> Vec<f64> {
        let mut q = q.to_vec();
        let Some(i) = self.root else { return q };
        let (at, turn) = (pose::triple(&q, i), pose::quaternion(&q, i + 3));
        q[i..i + 3].copy_from_slice(&self.turn.rotate(at - origin).to_array());
        q[i + 3..i + 7].copy_from_slice(&self.turn.then(turn).0);
        q
    }

    /// A point of the world as seen from an origin.
    pub fn point(&self, at: Vec3, origin: Vec3) -> Vec3 {
        self.turn.rotate(at - origin)
    }

    /// The ground, where it is one plane.
    pub fn scenery(&self) -> Vec<Scenery> {
        if !self.ground.is_even {
            return Vec::new();
        }
        let z = self.turn.rotate(self.ground.normal());
        let x = vec3(z.z, 0.0, -z.x).normalized().unwrap_or(vec3(1.0, 0.0, 0.0));
        let rotation = Mat3 { x, y: z.cross(x), z };
        let world_from_it = Transform { rotation, translation: vec3(0.0, 0.0, self.ground.height) };
        let material = MaterialIx::default();
        vec![Scenery { name: "ground".into(), ground: Ground::Plane, world_from_it, material }]
    }
}
