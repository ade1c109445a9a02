//! Numbers in and out: numpy arrays as slices, whatever the caller has.

use crate::error::{Answer, Problem};
use anthropi_dynamics::spatial::{Mat3, Quat, Transform, Vec3, vec3};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

/// Finite numbers of a caller, row by row. A contiguous array of floats is used where it is; all else is copied.
pub struct Numbers<'py>(PyReadonlyArrayDyn<'py, f64>);

impl<'py> Numbers<'py> {
    /// # Errors
    /// What is no array of real numbers; numbers that are not finite.
    pub fn of(what: &str, given: &Bound<'py, PyAny>) -> Answer<Numbers<'py>> {
        let array = match given.cast::<PyArrayDyn<f64>>() {
            Ok(array) if is_plain(array) => array.clone(),
            _ => converted(what, given)?,
        };
        let numbers = Numbers(array.try_readonly().map_err(|e| Problem::Argument(format!("{what}: {e}")))?);
        match numbers.values().iter().all(|x| x.is_finite()) {
            true => Ok(numbers),
            false => Err(anthropi_dynamics::Error::NotFinite { what: what.into() }.into()),
        }
    }

    /// Exactly so many, in one row.
    pub fn row(what: &str, given: &Bound<'py, PyAny>, len: usize) -> Answer<Numbers<'py>> {
        let numbers = Numbers::of(what, given)?;
        numbers.check_shape(what, &[len])?;
        Ok(numbers)
    }

    /// Exactly `N`.
    pub fn array<const N: usize>(what: &str, given: &Bound<'py, PyAny>) -> Answer<[f64; N]> {
        let numbers = Numbers::row(what, given, N)?;
        let mut array = [0.0; N];
        array.copy_from_slice(numbers.values());
        Ok(array)
    }

    /// Refuses another shape.
    pub fn check_shape(&self, what: &str, shape: &[usize]) -> Answer<()> {
        match self.shape() == shape {
            true => Ok(()),
            false => {
                Err(Problem::Shape { what: what.into(), expected: told(shape), got: told(self.shape()) })
            }
        }
    }

    /// How many in each direction.
    pub fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// Row by row.
    pub fn values(&self) -> &[f64] {
        self.0.as_slice().unwrap_or(&[])
    }
}

/// Three numbers; zeros where they are not given.
pub fn point(what: &str, given: Option<&Bound<PyAny>>) -> Answer<Vec3> {
    given.map_or(Ok(Vec3::ZERO), |given| Ok(Vec3::from_array(&Numbers::array::<3>(what, given)?)))
}

/// A place: a point, or a matrix (4, 4) of a placement.
pub fn placement(what: &str, given: &Bound<PyAny>) -> Answer<Transform> {
    let numbers = Numbers::of(what, given)?;
    let m = numbers.values();
    if numbers.shape().len() != 2 {
        numbers.check_shape(what, &[3])?;
        return Ok(Transform::translation(vec3(m[0], m[1], m[2])));
    }
    numbers.check_shape(what, &[4, 4])?;
    let turn = rotation(what, &[&m[0..3], &m[4..7], &m[8..11]].concat())?;
    Ok(Transform::new(vec3(m[3], m[7], m[11]), turn))
}

/// Off from a rotation by more than this is none: rounding of numbers that were printed.
const ROUNDING: f64 = 1e-6;
/// No rotation.
pub const NO_TURN: Quat = Quat([1.0, 0.0, 0.0, 0.0]);

/// A rotation from the nine numbers of a matrix, row by row.
pub fn rotation(what: &str, m: &[f64]) -> Answer<Quat> {
    let column = |k: usize| vec3(m[k], m[3 + k], m[6 + k]);
    let (x, y, z) = (column(0), column(1), column(2));
    let off = [x.dot(x) - 1.0, y.dot(y) - 1.0, x.dot(y), (x.cross(y) - z).norm()];
    let value = off.iter().fold(0.0_f64, |most, o| most.max(o.abs()));
    if value > ROUNDING {
        let what = format!("distance of {what} from a rotation matrix");
        return Err(anthropi_dynamics::Error::OutOfRange { what, value, expected: "zero" }.into());
    }
    Ok(Quat::from_matrix(&Mat3 { x, y, z }).normalized())
}

/// A shape as Python shows it.
pub fn told(shape: &[usize]) -> String {
    match shape {
        [n] => format!("({n},)"),
        all => format!("({})", all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Whether an array's numbers are side by side, row by row.
fn is_plain(array: &Bound<PyArrayDyn<f64>>) -> bool {
    array.is_c_contiguous() && array.is_aligned()
}

/// Lists, integers, other strides: as an array of floats. Complex numbers and words are refused.
fn converted<'py>(what: &str, given: &Bound<'py, PyAny>) -> Answer<Bound<'py, PyArrayDyn<f64>>> {
    let py = given.py();
    let convert = || -> PyResult<Bound<'py, PyAny>> {
        let options = [("order", "C"), ("casting", "same_kind")].into_py_dict(py)?;
        py.import("numpy")?.call_method1("asarray", (given,))?.call_method("astype", ("f8",), Some(&options))
    };
    let refused =
        |why: String| Problem::Argument(format!("{what}: expected an array of real numbers: {why}"));
    let array = convert().map_err(|e| refused(e.value(py).to_string()))?;
    array.cast_into::<PyArrayDyn<f64>>().map_err(|e| refused(e.to_string()))
}

/// An array of any shape, as it is handed out.
pub type Array<'py> = Bound<'py, PyArrayDyn<f64>>;

/// One row.
pub fn vector<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, values)
}

/// Rows of a table, or tables of tables.
pub fn shaped<'py>(py: Python<'py>, values: Vec<f64>, shape: &[usize]) -> Answer<Array<'py>> {
    Ok(PyArray1::from_vec(py, values).reshape(shape.to_vec())?)
}
