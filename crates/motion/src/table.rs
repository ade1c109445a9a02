//! Named columns over time, as in MOT and STO files.

/// Columns of numbers over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// name given in the file, or the file's name
    pub name: String,
    /// names of the columns except time
    pub labels: Vec<String>,
    /// s
    pub time: Vec<f64>,
    /// by row, then by column
    pub values: Vec<f64>,
    /// whether the file's angles are in degrees
    pub in_degrees: bool,
    /// other header lines: key and value
    pub header: Vec<(String, String)>,
}

impl Table {
    /// The column of a name.
    pub fn find(&self, label: &str) -> Option<usize> {
        self.labels.iter().position(|l| l == label)
    }

    /// Values of a column.
    pub fn column(&self, k: usize) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().skip(k).step_by(self.labels.len().max(1)).copied()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.time.len()
    }
}
