//! Captured points in space, analog signals and force plates, as C3D and TRC files hold them.
//!
//! Metres, seconds, newtons, z up.

use anthropi_dynamics::spatial::Vec3;

/// Points over time, with what was recorded beside them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Markers {
    /// its name: of the file, mostly
    pub name: String,
    /// names of the points
    pub labels: Vec<String>,
    /// frames a second
    pub rate: f64,
    /// number of the first frame, as the file counts
    pub first_frame: u64,
    /// by frame, then by point; `None` where a point was not seen
    pub points: Vec<Option<Vec3>>,
    /// signals beside the points
    pub analog: Analog,
    /// force plates
    pub plates: Vec<Plate>,
    /// metres in a unit of length of the file
    pub unit: f64,
    /// what was found and decided, a sentence each
    pub notes: Vec<String>,
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
    /// units of the signals, as the file says them
    pub units: Vec<String>,
    /// samples a second
    pub rate: f64,
    /// by sample, then by signal
    pub values: Vec<f64>,
}

/// A force plate and what it measured, at the rate of the analog signals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plate {
    /// type as the C3D manual numbers it
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
