//! Marker positions, analog signals and force plates, as in C3D and TRC files.
//!
//! Metres, seconds, newtons, z up.

use crate::note::Note;
use anthropi_dynamics::spatial::Vec3;

/// Marker positions over time, with analog signals and plates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Markers {
    /// name, usually of the file
    pub name: String,
    /// names of the points
    pub labels: Vec<String>,
    /// frames a second
    pub rate: f64,
    /// number of the first frame in the file
    pub first_frame: u64,
    /// by frame, then by point; `None` if a point was not visible
    pub points: Vec<Option<Vec3>>,
    /// analog signals
    pub analog: Analog,
    /// force plates
    pub plates: Vec<Plate>,
    /// metres in a unit of length of the file
    pub unit: f64,
    /// human-readable notes
    pub notes: Vec<Note>,
}

impl Markers {
    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.points.len().checked_div(self.labels.len()).unwrap_or(0)
    }

    /// All points in a frame.
    pub fn at(&self, frame: usize) -> &[Option<Vec3>] {
        let n = self.labels.len();
        &self.points[frame * n..(frame + 1) * n]
    }
}

/// Signals in the units of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analog {
    /// names of the signals
    pub labels: Vec<String>,
    /// units of the signals in the file
    pub units: Vec<String>,
    /// samples a second
    pub rate: f64,
    /// by sample, then by signal
    pub values: Vec<f64>,
}

/// A force plate and its measurements, at the rate of the analog signals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plate {
    /// C3D type number
    pub kind: u32,
    /// corners of its surface, world axes, m
    pub corners: [Vec3; 4],
    /// force of the ground on the person, world axes, N
    pub force: Vec<Vec3>,
    /// moment about the middle of the surface, world axes, N m
    pub moment: Vec<Vec3>,
    /// centre of pressure on the surface, world axes, m; `None` without load
    pub center: Vec<Option<Vec3>>,
}
