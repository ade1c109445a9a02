//! A common place for all pictures: the figure over the origin, turned so that it mostly faces along x, and its ground.

use super::super::Report;
use anthropi_dynamics::contact::{Ground, MaterialIx, Scenery};
use anthropi_dynamics::spatial::{Mat3, Quat, Transform, Vec3, vec3};
use anthropi_motion::pose;
use anthropi_motion::spots::Spot;

/// Feet that point to all sides tell no direction: a mean shorter than this part of them.
const UNSURE: f64 = 0.2;

/// A turn about the vertical that all poses share.
pub struct Stage {
    turn: Quat,
}

impl Stage {
    /// Looks where the feet point.
    pub fn of(report: &Report) -> Stage {
        let touches = &report.inverse.touches;
        let middle = |place: usize, frame: usize| {
            let points = touches.tracks[place].at(frame);
            points.iter().fold(Vec3::ZERO, |s, p| s + *p).scale(1.0 / points.len().max(1) as f64)
        };
        let (mut sum, mut length) = (Vec3::ZERO, 0.0);
        for (heel, place) in touches.places.iter().enumerate() {
            let Spot::Heel(side) = place.spot else { continue };
            let Some(toe) = touches.places.iter().position(|p| p.spot == Spot::Toe(side)) else { continue };
            for frame in 0..report.frames() {
                let foot = Vec3 { z: 0.0, ..(middle(toe, frame) - middle(heel, frame)) };
                (sum, length) = (sum + foot, length + foot.norm());
            }
        }
        let ahead = sum.normalized().filter(|_| sum.norm() > UNSURE * length && stands_in_world(report));
        let turn = ahead.map_or(Quat::IDENTITY, |to| match 1.0 + to.x {
            // half the angle between two directions is that to their sum
            twice if twice > 1e-6 => Quat([twice, 0.0, 0.0, -to.y]).normalized(),
            _ => Quat([0.0, 0.0, 0.0, 1.0]),
        });
        Stage { turn }
    }

    /// A pose, brought over the origin along the ground.
    pub fn pose(&self, report: &Report, frame: usize) -> Vec<f64> {
        let mut q = report.inverse.trajectory.clip.pose(frame).to_vec();
        if !stands_in_world(report) {
            return q;
        }
        let i = report.inverse.trajectory.clip.figure().forest().joint_place(report.inverse.root).iq;
        let ground = report.inverse.touches.ground;
        let (at, turn) = (pose::triple(&q, i), pose::quaternion(&q, i + 3));
        // what is left of its place is its height, on slopes that above the ground under it
        let climb = if ground.is_even { ground.slope[0] * at.x + ground.slope[1] * at.y } else { 0.0 };
        let z = at.z - climb;
        q[i..i + 3].copy_from_slice(&[0.0, 0.0, z]);
        q[i + 3..i + 7].copy_from_slice(&self.turn.then(turn).0);
        q
    }

    /// The ground, where it is one plane.
    pub fn scenery(&self, report: &Report) -> Vec<Scenery> {
        let ground = report.inverse.touches.ground;
        if !ground.is_even {
            return Vec::new();
        }
        let z = self.turn.rotate(ground.normal());
        let x = vec3(z.z, 0.0, -z.x).normalized().unwrap_or(vec3(1.0, 0.0, 0.0));
        let rotation = Mat3 { x, y: z.cross(x), z };
        let world_from_it = Transform { rotation, translation: vec3(0.0, 0.0, ground.height) };
        let material = MaterialIx::default();
        vec![Scenery { name: "ground".into(), ground: Ground::Plane, world_from_it, material }]
    }
}

/// Whether the coordinates of the root are those of the world, so that they may be turned.
fn stands_in_world(report: &Report) -> bool {
    let figure = report.inverse.trajectory.clip.figure();
    figure.joint(report.inverse.root).is_ok_and(|j| j.parent_from_joint == Transform::identity())
}
