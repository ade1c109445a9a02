//! Library errors as Python exceptions; `anthropi/errors.py` has the classes.

use anthropi_formats::Place;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

/// Why a call fails.
#[derive(Debug)]
pub enum Problem {
    /// an error of the dynamics
    Dynamics(anthropi_dynamics::Error),
    /// an error of a motion
    Motion(anthropi_motion::Error),
    /// an error of a file
    Io(Box<anthropi_formats::Error>),
    /// an array of the wrong shape
    Shape { what: String, expected: String, got: String },
    /// an unknown name
    Unknown { what: &'static str, name: String, message: String },
    /// a record with several structures instead of one
    Changed(usize),
    /// a singular mass matrix
    Singular,
    /// a bug of this package
    Internal(String),
    /// an argument of the wrong type
    Argument(String),
    /// a Python exception
    Python(PyErr),
}

/// The result of a call.
pub type Answer<T> = Result<T, Problem>;

impl From<anthropi_dynamics::Error> for Problem {
    fn from(error: anthropi_dynamics::Error) -> Problem {
        Problem::Dynamics(error)
    }
}

impl From<anthropi_motion::Error> for Problem {
    fn from(error: anthropi_motion::Error) -> Problem {
        match error {
            anthropi_motion::Error::Figure(error) => Problem::Dynamics(error),
            error => Problem::Motion(error),
        }
    }
}

impl From<anthropi_formats::Error> for Problem {
    fn from(error: anthropi_formats::Error) -> Problem {
        Problem::Io(Box::new(error))
    }
}

impl From<PyErr> for Problem {
    fn from(error: PyErr) -> Problem {
        Problem::Python(error)
    }
}

impl Problem {
    /// An unknown name; `available` lists the known ones.
    pub fn unknown(what: &'static str, name: &str, available: &str) -> Problem {
        let message = format!("there is no {what} `{name}`. Available: {available}");
        Problem::Unknown { what, name: name.into(), message }
    }

    /// A quantity outside its range.
    pub fn out_of_range(what: impl Into<String>, value: f64, expected: &'static str) -> Problem {
        anthropi_dynamics::Error::OutOfRange { what: what.into(), value, expected }.into()
    }
}

impl From<Problem> for PyErr {
    fn from(problem: Problem) -> PyErr {
        let (message, class, values) = match &problem {
            Problem::Dynamics(error) => from_dynamics(error),
            Problem::Motion(error) => from_motion(error),
            Problem::Io(error) => from_file(error),
            Problem::Internal(what) => {
                (format!("a fault of the package, please report it: {what}"), "InternalError", vec![])
            }
            Problem::Changed(parts) => {
                let message =
                    format!("the structure changed: the record has {parts} parts, see record.parts");
                (message, "StructureError", vec![])
            }
            Problem::Singular => {
                let message = "the mass matrix is singular in this pose, or the numbers are too large";
                (message.into(), "SingularError", vec![])
            }
            Problem::Unknown { what, name, message } => {
                (message.clone(), "UnknownNameError", vec![("what", Text(what)), ("name", Text(name))])
            }
            Problem::Shape { what, expected, got } => {
                let message = format!("{what} has shape {got}, expected {expected}");
                let values = vec![("what", Text(what)), ("expected", Text(expected)), ("got", Text(got))];
                (message, "DimensionError", values)
            }
            Problem::Argument(message) => return PyTypeError::new_err(message.clone()),
            Problem::Python(error) => return Python::attach(|py| error.clone_ref(py)),
        };
        Python::attach(|py| exception(py, class, &message, values).unwrap_or_else(|error| error))
    }
}

/// An attribute of an exception.
#[derive(IntoPyObject)]
enum Value<'a> {
    Text(&'a str),
    Index(usize),
    Revision(u64),
    Number(f64),
    Line(Option<usize>),
    Field(Option<&'a str>),
}

use Value::{Field, Index, Line, Number, Revision, Text};

/// Message, class and attributes of an exception.
type Exception<'a> = (String, &'static str, Vec<(&'static str, Value<'a>)>);

fn exception(py: Python, class: &str, message: &str, values: Vec<(&str, Value)>) -> PyResult<PyErr> {
    let class = py.import("anthropi.errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call((message,), Some(&values.into_py_dict(py)?))?))
}

fn from_dynamics(error: &anthropi_dynamics::Error) -> Exception<'_> {
    use anthropi_dynamics::Error as E;
    let (class, values) = match error {
        E::UnknownName { what, name } => {
            ("UnknownNameError", vec![("what", Text(what)), ("name", Text(name))])
        }
        E::StaleState { state, figure } => {
            ("StateError", vec![("state", Revision(*state)), ("figure", Revision(*figure))])
        }
        E::Dimension { what, expected, got } => ("DimensionError", dimension(what, *expected, *got)),
        E::NotFinite { what } => ("NotFiniteError", vec![("what", Text(what))]),
        E::OutOfRange { what, value, expected } => ("OutOfRangeError", range(what, *value, expected)),
        E::NonPositivePivot { .. } => ("SingularError", vec![]),
        E::NotClosed { .. } | E::DependentChoice { .. } => ("ClosureError", vec![]),
        E::Diverged { time, dof } => ("DivergedError", vec![("time", Number(*time)), ("dof", Text(dof))]),
        _ => ("StructureError", vec![]),
    };
    (error.to_string(), class, values)
}

fn from_motion(error: &anthropi_motion::Error) -> Exception<'_> {
    use anthropi_motion::Error as E;
    let (class, values) = match error {
        E::NotFinite { joint, .. } => ("NotFiniteError", vec![("what", Text(joint))]),
        E::Dimension { what, expected, got } => ("DimensionError", dimension(what, *expected, *got)),
        E::OutOfRange { what, value, expected } => ("OutOfRangeError", range(what, *value, expected)),
        E::CutoffTooLow { cutoff, why, .. } => ("OutOfRangeError", range("cutoff", *cutoff, why)),
        _ => ("MotionError", vec![]),
    };
    (error.to_string(), class, values)
}

fn from_file(error: &anthropi_formats::Error) -> Exception<'_> {
    use anthropi_formats::Error as E;
    let (class, values) = match error {
        E::File { file, .. } => ("FileSystemError", at(file, None, None)),
        E::Syntax { file, place, .. } => ("FormatError", at(file, Some(*place), None)),
        E::Field { file, place, field, .. } => ("FormatError", at(file, Some(*place), Some(field))),
        E::Binary { file, field, .. } => ("FormatError", at(file, None, Some(field))),
        E::Encoding { file, .. }
        | E::TooLarge { file, .. }
        | E::UnknownFormat { file, .. }
        | E::Figure { file, .. }
        | E::NoModel { file }
        | E::NoSkeleton { file }
        | E::InapplicableOption { file, .. } => ("FormatError", at(file, None, None)),
        E::Motion { source } | E::Forces { source, .. } => {
            let (_, class, values) = match source {
                anthropi_motion::Error::Figure(source) => from_dynamics(source),
                source => from_motion(source),
            };
            (class, values)
        }
        E::Unknown { what, name, .. } | E::WrongKind { name, wanted: what, .. } => {
            ("UnknownNameError", vec![("what", Text(what)), ("name", Text(name))])
        }
        E::Locked { file: path }
        | E::NoMotions { inputs: path, .. }
        | E::NoMatch { pattern: path }
        | E::OutputIsInput { folder: path }
        | E::Input { input: path, .. } => ("FileError", at(path, None, None)),
        E::Internal { .. } => ("InternalError", vec![]),
        _ => ("FormatError", at("", None, None)),
    };
    (error.to_string(), class, values)
}

fn at<'a>(path: &'a str, place: Option<Place>, field: Option<&'a str>) -> Vec<(&'static str, Value<'a>)> {
    let (line, column) = (place.map(|p| p.line), place.map(|p| p.column));
    vec![("path", Text(path)), ("line", Line(line)), ("column", Line(column)), ("field", Field(field))]
}

fn dimension(what: &str, expected: usize, got: usize) -> Vec<(&'static str, Value<'_>)> {
    vec![("what", Text(what)), ("expected", Index(expected)), ("got", Index(got))]
}

fn range<'a>(what: &'a str, value: f64, expected: &'a str) -> Vec<(&'static str, Value<'a>)> {
    vec![("what", Text(what)), ("value", Number(value)), ("expected", Text(expected))]
}
