//! What is walked on: level ground, slopes and stairs one after the other along x.

use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// The ground of a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Ground {
    /// level
    #[default]
    Level,
    /// a slope, rad, positive uphill
    Slope(f64),
    /// a flight of stairs, one tread a step; m, rise positive upstairs
    Stairs {
        /// height of a stair
        rise: f64,
        /// its depth
        tread: f64,
    },
}

/// A piece of ground from an x on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// where it begins, m
    pub from: f64,
    /// height there, m
    pub height: f64,
    /// dz/dx
    pub slope: f64,
}

/// All of the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// from the first to the last; the first reaches back for ever
    pub pieces: Vec<Piece>,
}

impl Default for Profile {
    fn default() -> Profile {
        Profile { pieces: vec![Piece { from: f64::NEG_INFINITY, height: 0.0, slope: 0.0 }] }
    }
}

impl Profile {
    /// The piece at an x.
    pub fn piece(&self, x: f64) -> Piece {
        *self.pieces.iter().rev().find(|p| x >= p.from).unwrap_or(&self.pieces[0])
    }

    /// Height of the ground.
    pub fn height(&self, x: f64) -> f64 {
        self.piece(x).at(x)
    }

    /// Height of the ground, at edges that of the higher side within a distance.
    pub fn highest(&self, x: f64, near: f64) -> f64 {
        self.height(x).max(self.height(x - near)).max(self.height(x + near))
    }

    /// Goes on at `from` with another slope, after a rise.
    pub(super) fn push(&mut self, from: f64, rise: f64, slope: f64) {
        let height = self.height(from) + rise;
        self.pieces.push(Piece { from, height, slope });
    }
}

impl Piece {
    /// Height at an x.
    pub fn at(&self, x: f64) -> f64 {
        if self.slope == 0.0 { self.height } else { self.height + self.slope * (x - self.from) }
    }
}

/// Where a foot stands flat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Print {
    /// on the ground below the ankle
    pub at: Vec3,
    /// direction of the foot and tilt of the ground
    pub turn: Quat,
    /// direction alone, rad from x to y
    pub yaw: f64,
    /// height of the ground's plane at x = 0, and dz/dx
    pub plane: [f64; 2],
}

impl Print {
    /// On a profile.
    pub(super) fn on(profile: &Profile, x: f64, y: f64, yaw: f64) -> Print {
        let piece = profile.piece(x);
        let tilt = Quat::about(vec3(0.0, 1.0, 0.0), -libm::atan(piece.slope));
        Print {
            at: vec3(x, y, piece.at(x)),
            turn: tilt.then(Quat::about(vec3(0.0, 0.0, 1.0), yaw)),
            yaw,
            plane: [piece.at(x) - piece.slope * x, piece.slope],
        }
    }

    /// A point seen from the print, in the world.
    pub(super) fn point(&self, p: Vec3) -> Vec3 {
        self.at + self.turn.rotate(p)
    }
}
