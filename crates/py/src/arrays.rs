//! Arrays in and out: numpy arrays as slices.

use crate::error::{Answer, Problem};
use anthropi_dynamics::spatial::{Mat3, Quat, Transform, Vec3, vec3};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

/// An argument of any type.
pub type Any<'py> = Bound<'py, PyAny>;

/// Finite numbers in row-major order. A contiguous array of floats is borrowed; everything else is copied.
pub struct Numbers<'py>(PyReadonlyArrayDyn<'py, f64>);

impl<'py> Numbers<'py> {
    /// # Errors
    /// Anything but an array of finite real numbers.
    pub fn new(what: &str, given: &Any<'py>) -> Answer<Numbers<'py>> {
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

    /// A row of the given length.
    pub fn row(what: &str, given: &Any<'py>, len: usize) -> Answer<Numbers<'py>> {
        let numbers = Numbers::new(what, given)?;
        numbers.check_shape(what, &[len])?;
        Ok(numbers)
    }

    /// A row of `N` numbers.
    pub fn array<const N: usize>(what: &str, given: &Any<'py>) -> Answer<[f64; N]> {
        let numbers = Numbers::row(what, given, N)?;
        let mut array = [0.0; N];
        array.copy_from_slice(numbers.values());
        Ok(array)
    }

    /// Refuses another shape.
    pub fn check_shape(&self, what: &str, shape: &[usize]) -> Answer<()> {
        match self.shape() == shape {
            true => Ok(()),
            false => Err(Problem::Shape {
                what: what.into(),
                expected: shape_text(shape),
                got: shape_text(self.shape()),
            }),
        }
    }

    /// Size in each dimension.
    pub fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// All numbers in row-major order.
    pub fn values(&self) -> &[f64] {
        self.0.as_slice().unwrap_or(&[])
    }
}

/// Three numbers, zero by default.
pub fn point(what: &str, given: Option<&Any>) -> Answer<Vec3> {
    given.map_or(Ok(Vec3::ZERO), |given| Ok(Vec3::from_array(&Numbers::array::<3>(what, given)?)))
}

/// A pose: a point, or a matrix (4, 4).
pub fn placement(what: &str, given: &Any) -> Answer<Transform> {
    let numbers = Numbers::new(what, given)?;
    let m = numbers.values();
    if numbers.shape().len() != 2 {
        numbers.check_shape(what, &[3])?;
        return Ok(Transform::translation(vec3(m[0], m[1], m[2])));
    }
    numbers.check_shape(what, &[4, 4])?;
    let turn = rotation(what, &[&m[0..3], &m[4..7], &m[8..11]].concat())?;
    Ok(Transform::new(vec3(m[3], m[7], m[11]), turn))
}

/// Largest error of a rotation matrix, for printed numbers.
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
        return Err(Problem::out_of_range(what, value, "zero"));
    }
    Ok(Quat::from_matrix(&Mat3 { x, y, z }).normalized())
}

/// A shape as Python shows it.
pub fn shape_text(shape: &[usize]) -> String {
    match shape {
        [n] => format!("({n},)"),
        all => format!("({})", all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Whether an array is contiguous, aligned and in row-major order.
fn is_plain(array: &Bound<PyArrayDyn<f64>>) -> bool {
    array.is_c_contiguous() && array.is_aligned()
}

/// Converts lists, integers and other strides to an array of floats; refuses complex numbers and strings.
fn converted<'py>(what: &str, given: &Any<'py>) -> Answer<Bound<'py, PyArrayDyn<f64>>> {
    let py = given.py();
    let convert = || -> PyResult<Any<'py>> {
        let options = [("order", "C"), ("casting", "same_kind")].into_py_dict(py)?;
        py.import("numpy")?.call_method1("asarray", (given,))?.call_method("astype", ("f8",), Some(&options))
    };
    let refused =
        |why: String| Problem::Argument(format!("{what}: expected an array of real numbers: {why}"));
    let array = convert().map_err(|e| refused(e.value(py).to_string()))?;
    array.cast_into::<PyArrayDyn<f64>>().map_err(|e| refused(e.to_string()))
}

/// A returned array of any shape.
pub type Array<'py> = Bound<'py, PyArrayDyn<f64>>;
/// A returned vector.
pub type Vector<'py> = Bound<'py, PyArray1<f64>>;

/// A vector.
pub fn vector<'py>(py: Python<'py>, values: &[f64]) -> Vector<'py> {
    PyArray1::from_slice(py, values)
}

/// An array of the given shape.
pub fn shaped<'py>(py: Python<'py>, values: Vec<f64>, shape: &[usize]) -> Answer<Array<'py>> {
    Ok(PyArray1::from_vec(py, values).reshape(shape.to_vec())?)
}
