//! Errors of the libraries as Python's exceptions: `anthropi/errors.py` has the classes.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

/// Why a call has no answer.
#[derive(Debug)]
pub enum Problem {
    /// wrong input to the dynamics, or an outcome that is no answer
    Dynamics(anthropi_dynamics::Error),
    /// a motion that cannot be used so
    Motion(anthropi_motion::Error),
    /// a file
    Io(Box<anthropi_io::Error>),
    /// an array of the wrong shape
    Shape { what: String, expected: String, got: String },
    /// a thing of that name does not exist, told in a sentence
    Unknown { what: &'static str, name: String, told: String },
    /// a record of so many structures, where one is asked for
    Changed(usize),
    /// numbers that are no answer: accelerations without bounds
    Singular,
    /// our own fault
    Internal(String),
    /// an argument of the wrong kind, told in a sentence
    Argument(String),
    /// what Python said
    Python(PyErr),
}

/// Result of everything here.
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

impl From<anthropi_io::Error> for Problem {
    fn from(error: anthropi_io::Error) -> Problem {
        Problem::Io(Box::new(error))
    }
}

impl From<PyErr> for Problem {
    fn from(error: PyErr) -> Problem {
        Problem::Python(error)
    }
}

impl From<Problem> for PyErr {
    fn from(problem: Problem) -> PyErr {
        Python::attach(|py| {
            let (message, class, values) = match problem {
                Problem::Python(error) => return error,
                Problem::Argument(message) => return PyTypeError::new_err(message),
                Problem::Dynamics(error) => of_dynamics(py, &error),
                Problem::Motion(error) => of_motion(py, &error),
                Problem::Io(error) => of_io(py, &error),
                Problem::Internal(what) => {
                    let message = format!("a fault of the package, please report it: {what}");
                    (message, "InternalError", Ok(PyDict::new(py)))
                }
                Problem::Changed(parts) => {
                    let message =
                        format!("the structure changed: the record has {parts} parts, see record.parts");
                    (message, "StructureError", Ok(PyDict::new(py)))
                }
                Problem::Singular => {
                    let message = "the mass matrix is singular in this pose, or the numbers are too large";
                    (message.into(), "SingularError", Ok(PyDict::new(py)))
                }
                Problem::Unknown { what, name, told } => {
                    (told, "UnknownNameError", [("what", what), ("name", &name)].into_py_dict(py))
                }
                Problem::Shape { what, expected, got } => {
                    let message = format!("{what} has shape {got}, expected {expected}");
                    let values = [("what", what), ("expected", expected), ("got", got)].into_py_dict(py);
                    (message, "DimensionError", values)
                }
            };
            values.and_then(|values| exception(py, class, message, &values)).unwrap_or_else(|error| error)
        })
    }
}

/// Message, class and attributes of an exception.
type Told<'py> = (String, &'static str, PyResult<Bound<'py, PyDict>>);

fn exception(py: Python, class: &str, message: String, values: &Bound<PyDict>) -> PyResult<PyErr> {
    let class = py.import("anthropi.errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call((message,), Some(values))?))
}

fn of_dynamics<'py>(py: Python<'py>, error: &anthropi_dynamics::Error) -> Told<'py> {
    use anthropi_dynamics::Error as E;
    let none = || Ok(PyDict::new(py));
    let (class, values) = match error {
        E::UnknownName { what, name } => {
            ("UnknownNameError", [("what", *what), ("name", name)].into_py_dict(py))
        }
        E::StaleState { state, figure } => {
            ("StateError", [("state", state), ("figure", figure)].into_py_dict(py))
        }
        E::Dimension { what, expected, got } => ("DimensionError", dimension(py, what, *expected, *got)),
        E::NotFinite { what } => ("NotFiniteError", [("what", what)].into_py_dict(py)),
        E::OutOfRange { what, value, expected } => ("OutOfRangeError", range(py, what, *value, expected)),
        E::NonPositivePivot { .. } => ("SingularError", none()),
        E::NotClosed { .. } | E::DependentChoice { .. } => ("ClosureError", none()),
        E::Diverged { time, dof } => (
            "DivergedError",
            [("time", time)].into_py_dict(py).and_then(|d| d.set_item("dof", dof).map(|()| d)),
        ),
        _ => ("StructureError", none()),
    };
    (error.to_string(), class, values)
}

fn of_motion<'py>(py: Python<'py>, error: &anthropi_motion::Error) -> Told<'py> {
    use anthropi_motion::Error as E;
    let (class, values) = match error {
        E::NotFinite { joint, .. } => ("NotFiniteError", [("what", joint)].into_py_dict(py)),
        E::Dimension { what, expected, got } => ("DimensionError", dimension(py, what, *expected, *got)),
        E::OutOfRange { what, value, expected } => ("OutOfRangeError", range(py, what, *value, expected)),
        _ => ("MotionError", Ok(PyDict::new(py))),
    };
    (error.to_string(), class, values)
}

fn of_io<'py>(py: Python<'py>, error: &anthropi_io::Error) -> Told<'py> {
    use anthropi_io::Error as E;
    let at = |file: &str, place: Option<anthropi_io::Place>, field: Option<&str>| {
        let values = [("path", file)].into_py_dict(py)?;
        values.set_item("line", place.map(|p| p.line))?;
        values.set_item("column", place.map(|p| p.column))?;
        values.set_item("field", field)?;
        Ok(values)
    };
    let (class, values) = match error {
        E::File { file, .. } => ("FileSystemError", at(file, None, None)),
        E::Syntax { file, place, .. } => ("FormatError", at(file, Some(*place), None)),
        E::Field { file, place, field, .. } => ("FormatError", at(file, Some(*place), Some(field))),
        E::Binary { file, field, .. } => ("FormatError", at(file, None, Some(field))),
        E::Encoding { file, .. } | E::TooLarge { file, .. } | E::UnknownFormat { file, .. } => {
            ("FormatError", at(file, None, None))
        }
        E::Figure { file, .. } => ("FormatError", at(file, None, None)),
        E::Motion { source } | E::Forces { source, .. } => {
            let (_, class, values) = match source {
                anthropi_motion::Error::Figure(source) => of_dynamics(py, source),
                source => of_motion(py, source),
            };
            (class, values)
        }
        E::Unknown { what, name, .. } => {
            ("UnknownNameError", [("what", *what), ("name", name)].into_py_dict(py))
        }
        E::WrongThing { name, wanted, .. } => {
            ("UnknownNameError", [("what", *wanted), ("name", name)].into_py_dict(py))
        }
        E::NoModel { file } | E::NoSkeleton { file } | E::UselessOption { file, .. } => {
            ("FormatError", at(file, None, None))
        }
        E::Locked { file: path }
        | E::NoMotions { inputs: path, .. }
        | E::NoMatch { pattern: path }
        | E::OutIsIn { folder: path }
        | E::Input { input: path, .. } => ("FileError", at(path, None, None)),
        E::Fault { .. } => ("InternalError", Ok(PyDict::new(py))),
        _ => ("FormatError", at("", None, None)),
    };
    (error.to_string(), class, values)
}

fn dimension<'py>(py: Python<'py>, what: &str, expected: usize, got: usize) -> PyResult<Bound<'py, PyDict>> {
    let values = [("expected", expected), ("got", got)].into_py_dict(py)?;
    values.set_item("what", what)?;
    Ok(values)
}

fn range<'py>(py: Python<'py>, what: &str, value: f64, expected: &str) -> PyResult<Bound<'py, PyDict>> {
    let values = [("what", what), ("expected", expected)].into_py_dict(py)?;
    values.set_item("value", value)?;
    Ok(values)
}
