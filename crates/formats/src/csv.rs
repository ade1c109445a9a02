//! Comma-separated values and column names, the same in all written tables.

use anthropi_dynamics::model::{Figure, Joint};
use std::fmt::{Display, Write};

/// A CSV writer.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    text: String,
    is_inside: bool,
}

impl Lines {
    /// Adds a value to the line. Numbers have the shortest form that reads back to the same bits.
    pub fn value(&mut self, value: impl Display) {
        self.nothing();
        // writing to a string cannot fail
        let _ = write!(self.text, "{value}");
    }

    /// Adds a name, quoted if it contains commas, quotes or line ends.
    pub fn name(&mut self, name: &str) {
        match name.contains([',', '"', '\n', '\r']) {
            true => self.value(format_args!("\"{}\"", name.replace('"', "\"\""))),
            false => self.value(name),
        }
    }

    /// Adds an empty value.
    pub fn nothing(&mut self) {
        if std::mem::replace(&mut self.is_inside, true) {
            self.text.push(',');
        }
    }

    /// Ends the line.
    pub fn end_line(&mut self) {
        self.text.push('\n');
        self.is_inside = false;
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The whole text.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Discards the text.
    pub fn clear(&mut self) {
        self.text.clear();
    }
}

/// Name of each number of q, in its order: `joint`, or `joint.k` where a joint has several.
pub fn coordinate_names(figure: &Figure) -> Vec<String> {
    figure.joints().flat_map(|(_, joint)| names_of_joint(joint)).collect()
}

fn names_of_joint(joint: &Joint) -> Vec<String> {
    let left = joint.coordinates();
    let numbered = |k: usize| format!("{}.{k}", joint.name);
    match (joint.kind.nv(), left.nq() == left.nv()) {
        (1, _) => left.free_dofs().map(|_| joint.name.clone()).collect(),
        (_, true) => left.free_dofs().map(numbered).collect(),
        (_, false) => (0..left.nq()).map(numbered).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_empty_cells_kept() {
        let mut lines = Lines::default();
        lines.name("a,\"b\"");
        lines.nothing();
        lines.value(0.1 + 0.2);
        lines.end_line();
        lines.nothing();
        lines.value(1);
        lines.end_line();
        assert_eq!(lines.text(), "\"a,\"\"b\"\"\",,0.30000000000000004\n,1\n");
    }
}
