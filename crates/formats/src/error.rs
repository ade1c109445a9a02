//! Errors and warnings of readers and writers: file, position, and what was expected.

use crate::names;
use std::fmt;
use std::path::Path;

/// Line and column in a text file, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// line
    pub line: usize,
    /// column
    pub column: usize,
}

impl Place {
    /// Place of a byte of a text, where `\n`, `\r` and `\r\n` all end a line.
    pub(crate) fn in_text(text: &str, at: usize) -> Place {
        let before = &text.as_bytes()[..at.min(text.len())];
        let (mut line, mut start) = (1, 0);
        for (i, b) in before.iter().enumerate() {
            if *b == b'\n' || (*b == b'\r' && text.as_bytes().get(i + 1) != Some(&b'\n')) {
                (line, start) = (line + 1, i + 1);
            }
        }
        let column = 1 + before[start..].iter().filter(|b| (**b & 0xC0) != 0x80).count();
        Place { line, column }
    }
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
    /// the file system refused
    #[error("{file}: {source}")]
    File {
        /// file name
        file: String,
        /// error of the system
        source: std::io::Error,
    },
    /// empty file
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
    /// above the size limit of its format
    #[error("{file}: {size} bytes; files of this kind are read up to {limit} bytes")]
    TooLarge {
        /// file name
        file: String,
        /// its size
        size: u64,
        /// largest size read
        limit: u64,
    },
    /// the text violates the format
    #[error("{file}:{place}: {what}")]
    Syntax {
        /// file name
        file: String,
        /// where
        place: Place,
        /// message of the parser
        what: String,
    },
    /// a field has an invalid value
    #[error("{file}:{place}: {field}: {what}")]
    Field {
        /// file name
        file: String,
        /// where
        place: Place,
        /// field and its owner, as named in the file
        field: String,
        /// found and expected values
        what: String,
    },
    /// a binary file violates the format
    #[error("{file}: byte {at}: {field}: {what}")]
    Binary {
        /// file name
        file: String,
        /// offset of the byte, from zero
        at: usize,
        /// field, as the format names it
        field: String,
        /// found and expected values
        what: String,
    },
    /// the figure as a whole is invalid
    #[error("{file}: {source}")]
    Figure {
        /// file name
        file: String,
        /// why
        source: anthropi_dynamics::Error,
    },
    /// an impossible motion or walk
    #[error("{source}")]
    Motion {
        /// why
        #[from]
        source: anthropi_motion::Error,
    },
    /// the forces of a motion cannot be computed
    #[error("{file}: {source}{}", why.as_ref().map_or(String::new(), |why| format!("; {why}")))]
    Forces {
        /// name of the motion, as given
        file: String,
        /// why
        source: anthropi_motion::Error,
        /// earlier finding that may be the reason
        why: Option<String>,
    },
    /// coordinates without the model they belong to
    #[error("`{file}` holds the coordinates of a model; give the model too")]
    NoModel {
        /// file name
        file: String,
    },
    /// markers without a skeleton
    #[error(
        "`{file}` holds marker positions but no skeleton; give the motion fitted to them (.bvh, .amc, or a \
         .mot with its model)"
    )]
    NoSkeleton {
        /// file name
        file: String,
    },
    /// an option that does not apply to files of this kind
    #[error("`{option}` applies only to {endings} files, not to `{file}`")]
    InapplicableOption {
        /// the option
        option: &'static str,
        /// endings of the files it applies to
        endings: String,
        /// file name
        file: String,
    },
    /// unknown name
    #[error("{}", names::unknown(what, name, all.iter().map(String::as_str)))]
    Unknown {
        /// kind of thing
        what: &'static str,
        /// the name
        name: String,
        /// all known names
        all: Vec<String>,
    },
    /// a name of a different kind of thing
    #[error("`{name}` is a {is}; expected a {wanted}")]
    WrongKind {
        /// the name
        name: String,
        /// its kind
        is: &'static str,
        /// expected kind
        wanted: &'static str,
    },
    /// folders without motions
    #[error("no motion found in {inputs}; {expected}, and keyframes from .toml")]
    NoMotions {
        /// as given
        inputs: String,
        /// supported formats
        expected: &'static str,
    },
    /// a pattern without a match
    #[error("nothing matches {pattern}")]
    NoMatch {
        /// as given
        pattern: String,
    },
    /// an input folder given as output
    #[error("{folder} is an input and cannot also hold the results; a folder inside it can")]
    OutputIsInput {
        /// as given
        folder: String,
    },
    /// an invalid input file or pattern
    #[error("{input}: {what}")]
    Input {
        /// as given
        input: String,
        /// the problem
        what: String,
    },
    /// a journal in use by another run
    #[error("{file}: in use by another run")]
    Locked {
        /// file name
        file: String,
    },
    /// a bug in the program
    #[error("internal error, please report it: {what}")]
    Internal {
        /// panic message and location
        what: String,
    },
    /// an unknown file ending
    #[error("{file}: unknown kind of file; {expected}")]
    UnknownFormat {
        /// file name
        file: String,
        /// supported formats
        expected: &'static str,
    },
    /// content that the output format cannot represent
    #[error("{format} cannot represent {what}")]
    NotRepresentable {
        /// the format
        format: &'static str,
        /// the content
        what: String,
    },
}

impl Error {
    /// An invalid value of a field of a text file.
    pub(crate) fn field(
        file: &str,
        place: Place,
        field: impl Into<String>,
        what: impl Into<String>,
    ) -> Error {
        Error::Field { file: file.into(), place, field: field.into(), what: what.into() }
    }

    /// A text that violates its format.
    pub(crate) fn syntax(file: &str, place: Place, what: impl Into<String>) -> Error {
        Error::Syntax { file: file.into(), place, what: what.into() }
    }

    /// A binary file that violates its format.
    pub(crate) fn binary(file: &str, at: usize, field: impl Into<String>, what: impl Into<String>) -> Error {
        Error::Binary { file: file.into(), at, field: field.into(), what: what.into() }
    }

    /// A file of an unknown kind.
    pub(crate) fn unknown_format(path: &Path, expected: &'static str) -> Error {
        Error::UnknownFormat { file: path.display().to_string(), expected }
    }

    /// Rejects a text beyond the size limit of its format.
    pub(crate) fn check_size(file: &str, text: &str, limit: u64) -> Result<(), Error> {
        match text.len() as u64 {
            size if size > limit => Err(Error::TooLarge { file: file.into(), size, limit }),
            _ => Ok(()),
        }
    }
}

impl From<anthropi_dynamics::Error> for Error {
    fn from(error: anthropi_dynamics::Error) -> Error {
        Error::Motion { source: error.into() }
    }
}

/// Questionable or unsupported content; the result is usable.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// position in the file, if it concerns a single one
    pub place: Option<Place>,
    /// message
    pub what: String,
    /// whether it applies to all files of the format: an inherent limitation
    pub is_routine: bool,
}

impl Warning {
    /// A warning about the file as a whole.
    pub fn new(what: impl Into<String>) -> Warning {
        Warning { place: None, what: what.into(), is_routine: false }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.place {
            Some(p) => write!(f, "{p}: {}", self.what),
            None => write!(f, "{}", self.what),
        }
    }
}
