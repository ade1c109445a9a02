//! What can be wrong with a file: always which file, where in it, and what was expected.

use crate::names;
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
    /// a motion or walk that cannot be
    #[error("{source}")]
    Motion {
        /// why
        #[from]
        source: anthropi_motion::Error,
    },
    /// forces behind a motion that cannot be found
    #[error("{file}: {source}{}", why.as_ref().map_or(String::new(), |why| format!("; {why}")))]
    Forces {
        /// name of the motion, as it was given
        file: String,
        /// why
        source: anthropi_motion::Error,
        /// what went before and may be the reason
        why: Option<String>,
    },
    /// coordinates without the model they belong to
    #[error("`{file}` has coordinates of a model; give the model")]
    NoModel {
        /// file name
        file: String,
    },
    /// points without a skeleton
    #[error(
        "`{file}` has points in space but no skeleton that moves; give the motion that was fitted to them (.bvh, .amc, or a \
         .mot with its model)"
    )]
    NoSkeleton {
        /// file name
        file: String,
    },
    /// an option that files of this kind have no use for
    #[error("`{option}` is for {endings} files; `{file}` is none")]
    UselessOption {
        /// which one
        option: &'static str,
        /// for which files it is
        endings: String,
        /// file name
        file: String,
    },
    /// nothing of that name
    #[error("{}", names::unknown(what, name, all.iter().map(String::as_str)))]
    Unknown {
        /// what was looked for
        what: &'static str,
        /// the name
        name: String,
        /// all there is
        all: Vec<String>,
    },
    /// something else of that name
    #[error("`{name}` is a {is}; a {wanted} is asked for here")]
    WrongThing {
        /// the name
        name: String,
        /// what it is
        is: &'static str,
        /// what was asked for
        wanted: &'static str,
    },
    /// folders without motions
    #[error("no motion in {inputs}; {expected}, and keyframes from .toml")]
    NoMotions {
        /// as they were given
        inputs: String,
        /// what motions are read from
        expected: &'static str,
    },
    /// a pattern that nothing is like
    #[error("nothing is like {pattern}")]
    NoMatch {
        /// as it was given
        pattern: String,
    },
    /// a folder that is to be read and written
    #[error("{folder} is read, and cannot be the folder for results too; a folder inside it can")]
    OutIsIn {
        /// as it was given
        folder: String,
    },
    /// a file or pattern that cannot be read so
    #[error("{input}: {what}")]
    Input {
        /// as it was given
        input: String,
        /// what is wrong with it
        what: String,
    },
    /// a journal that another run is writing
    #[error("{file}: another run is writing it")]
    Locked {
        /// file name
        file: String,
    },
    /// a fault of the program itself
    #[error("a fault of the program, please report it: {what}")]
    Fault {
        /// what the program said last, and where
        what: String,
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

impl From<anthropi_dynamics::Error> for Error {
    fn from(error: anthropi_dynamics::Error) -> Error {
        Error::Motion { source: error.into() }
    }
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
