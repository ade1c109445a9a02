//! Named columns over time, as MOT and STO files hold them.

/// Columns of numbers over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// its name: what the file says, or the file's own
    pub name: String,
    /// names of the columns beside time
    pub labels: Vec<String>,
    /// s
    pub time: Vec<f64>,
    /// by row, then by column
    pub values: Vec<f64>,
    /// whether the file says that its angles are in degrees
    pub in_degrees: bool,
    /// other lines of the header: key and value
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
