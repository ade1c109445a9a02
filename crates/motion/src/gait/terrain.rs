//! Terrain: level ground, slopes and stairs in sequence along x, and the footprints on it.

use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// Terrain of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Terrain {
    /// level
    #[default]
    Level,
    /// a slope, rad, positive uphill
    Slope(f64),
    /// a flight of stairs, one stair per step
    Stairs {
        /// height of a stair, m, positive upstairs
        rise: f64,
        /// depth of a stair, m
        tread: f64,
    },
}

impl Terrain {
    /// Whether it is a flight of stairs.
    pub fn is_stairs(self) -> bool {
        matches!(self, Terrain::Stairs { .. })
    }
}

/// Ground of constant slope from `from` on along x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// start, m
    pub from: f64,
    /// height there, m
    pub height: f64,
    /// dz/dx
    pub slope: f64,
}

/// Height profile of the ground along x.
#[derive(Clone, Debug, PartialEq)]
pub struct TerrainProfile {
    /// in ascending order; the first begins at minus infinity
    pub pieces: Vec<Piece>,
}

impl Default for TerrainProfile {
    fn default() -> TerrainProfile {
        TerrainProfile { pieces: vec![Piece { from: f64::NEG_INFINITY, height: 0.0, slope: 0.0 }] }
    }
}

impl TerrainProfile {
    /// The piece at `x`.
    pub fn piece(&self, x: f64) -> Piece {
        *self.pieces.iter().rev().find(|p| x >= p.from).unwrap_or(&self.pieces[0])
    }

    /// Height of the ground.
    pub fn height(&self, x: f64) -> f64 {
        self.piece(x).at(x)
    }

    /// Highest of the ground at `x` and `margin` before and after it.
    pub(super) fn highest(&self, x: f64, margin: f64) -> f64 {
        self.height(x).max(self.height(x - margin)).max(self.height(x + margin))
    }

    /// Appends a piece with another slope at `from`, after a vertical rise.
    pub(super) fn push(&mut self, from: f64, rise: f64, slope: f64) {
        let height = self.height(from) + rise;
        self.pieces.push(Piece { from, height, slope });
    }
}

impl Piece {
    /// Height at `x`.
    pub fn at(&self, x: f64) -> f64 {
        if self.slope == 0.0 { self.height } else { self.height + self.slope * (x - self.from) }
    }
}

/// Pose of a foot flat on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footprint {
    /// projection of the ankle onto the ground
    pub at: Vec3,
    /// orientation: slope of the ground, then yaw
    pub turn: Quat,
    /// heading of the foot, rad from x to y
    pub yaw: f64,
    /// height of the ground's plane at x = 0, and dz/dx
    pub plane: [f64; 2],
}

impl Footprint {
    /// A foot on a height profile.
    pub(super) fn on(profile: &TerrainProfile, x: f64, y: f64, yaw: f64) -> Footprint {
        let piece = profile.piece(x);
        let tilt = Quat::about(vec3(0.0, 1.0, 0.0), -libm::atan(piece.slope));
        Footprint {
            at: vec3(x, y, piece.at(x)),
            turn: tilt.then(Quat::about(vec3(0.0, 0.0, 1.0), yaw)),
            yaw,
            plane: [piece.at(x) - piece.slope * x, piece.slope],
        }
    }

    /// World position of a point in footprint axes.
    pub(super) fn point(&self, p: Vec3) -> Vec3 {
        self.at + self.turn.rotate(p)
    }
}
