//! Path of a contact point.

use crate::contact_points::ContactPoint;
use crate::trajectory::Trajectory;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::Vec3;

/// Positions and speeds of a contact point by frame.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// whether it is on a foot
    pub is_foot: bool,
    /// positions of its points, by frame then by point
    pub points: Vec<Vec3>,
    /// height of the lowest of its points, m
    pub height: Vec<f64>,
    /// speed of its middle relative to the ground, m/s
    pub speed: Vec<f64>,
    /// velocity of its middle relative to the ground, m/s
    pub velocity: Vec<Vec3>,
    count: usize,
}

impl Track {
    /// Tracks of all contact points.
    pub fn all(trajectory: &Trajectory, contact_points: &[ContactPoint]) -> Vec<Track> {
        let forest = trajectory.clip.figure().forest();
        let new =
            |p: &ContactPoint| Track { is_foot: p.site.is_foot(), count: p.points.len(), ..Track::default() };
        let mut tracks: Vec<Track> = contact_points.iter().map(new).collect();
        let mut kinematics = Kinematics::default();
        for frame in 0..trajectory.clip.frames() {
            let (q, v, _) = trajectory.at(frame);
            kinematics.update(forest, q, Some(v), None);
            for (track, contact_point) in tracks.iter_mut().zip(contact_points) {
                let pose = kinematics.link_pose(forest, contact_point.link);
                let motion = kinematics.link_velocity(forest, contact_point.link);
                let (mut middle, mut low) = (Vec3::ZERO, f64::INFINITY);
                for p in contact_point.points.iter().map(|p| pose.point(*p)) {
                    middle += p.scale(1.0 / contact_point.points.len() as f64);
                    low = low.min(p.z);
                    track.points.push(p);
                }
                let velocity = motion.linear + motion.angular.cross(middle - pose.translation);
                track.height.push(low);
                track.speed.push(velocity.norm());
                track.velocity.push(velocity);
            }
        }
        tracks
    }

    /// Makes velocities relative to a moving ground.
    pub(super) fn make_relative(&mut self, ground: Vec3) {
        for (velocity, speed) in self.velocity.iter_mut().zip(&mut self.speed) {
            *velocity -= ground;
            *speed = velocity.norm();
        }
    }

    /// All points in a frame.
    pub fn at(&self, frame: usize) -> &[Vec3] {
        &self.points[frame * self.count..(frame + 1) * self.count]
    }

    /// Middle of its points in a frame.
    pub fn middle(&self, frame: usize) -> Vec3 {
        let points = self.at(frame);
        points.iter().fold(Vec3::ZERO, |sum, p| sum + *p).scale(1.0 / points.len().max(1) as f64)
    }

    /// The lowest point in a frame.
    pub fn lowest(&self, frame: usize) -> Vec3 {
        let points = self.at(frame);
        points.iter().copied().reduce(|a, b| if b.z < a.z { b } else { a }).unwrap_or(Vec3::ZERO)
    }
}
