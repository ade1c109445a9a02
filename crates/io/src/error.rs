//! What can be wrong with a file: always which file, where in it, and what was expected.

use std::fmt;

/// A place in a text file, both counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// line
    pub line: usize,
    /// column
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// the file system said no
    #[error("{file}: {source}")]
    File {
        /// file name
        file: String,
        /// what the system said
        source: std::io::Error,
    },
    /// nothing in it
    #[error("{file}: the file is empty")]
    Empty {
        /// file name
        file: String,
    },
    /// not text in UTF-8
    #[error("{file}: not UTF-8 text (first bad byte at {at})")]
    Encoding {
        /// file name
        file: String,
        /// offset of the first bad byte
        at: usize,
    },
    /// larger than any file of its kind should be
    #[error("{file}: {size} bytes; files of this kind are read up to {limit} bytes")]
    TooLarge {
        /// file name
        file: String,
        /// its size
        size: u64,
        /// what we take
        limit: u64,
    },
    /// the text breaks the rules of its format
    #[error("{file}:{place}: {what}")]
    Syntax {
        /// file name
        file: String,
        /// where
        place: Place,
        /// what the parser said
        what: String,
    },
    /// a field has a value it cannot have
    #[error("{file}:{place}: {field}: {what}")]
    Field {
        /// file name
        file: String,
        /// where
        place: Place,
        /// which field of which thing, as in the file
        field: String,
        /// what was found and what was expected
        what: String,
    },
    /// a binary file breaks the rules of its format
    #[error("{file}: byte {at}: {field}: {what}")]
    Binary {
        /// file name
        file: String,
        /// offset of the byte, from zero
        at: usize,
        /// which field, as the format names it
        field: String,
        /// what was found and what was expected
        what: String,
    },
    /// the figure as a whole is not possible
    #[error("{file}: {source}")]
    Figure {
        /// file name
        file: String,
        /// why
        source: anthropi_dynamics::Error,
    },
    /// a walk that nobody walks
    #[error("{source}")]
    Gait {
        /// why
        source: anthropi_motion::Error,
    },
    /// an ending we do not know
    #[error("{file}: unknown kind of file; {expected}")]
    UnknownFormat {
        /// file name
        file: String,
        /// what we can do
        expected: &'static str,
    },
    /// something the format to be written cannot say
    #[error("{format} cannot hold {what}")]
    NotRepresentable {
        /// the format
        format: &'static str,
        /// what it cannot hold
        what: String,
    },
}

/// Something read that is doubtful or left out; the result is usable.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// where in the file, if at one place
    pub place: Option<Place>,
    /// what, in a sentence
    pub what: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.place {
            Some(p) => write!(f, "{p}: {}", self.what),
            None => write!(f, "{}", self.what),
        }
    }
}
