//! `certify`: could a person have moved so?

use crate::arrays::{Array, shaped, vector};
use crate::clip::Given;
use crate::error::Answer;
use crate::options::{Options, forces};
use crate::signals::stoppable;
use crate::told;
use anthropi_dynamics::spatial::Vec3;
use anthropi_io::judging;
use anthropi_io::report::{Report, page};
use anthropi_motion::certificate;
use anthropi_motion::inverse::{Inverse, Settings};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What speaks for and against a motion, by the forces behind it.
#[pyclass(module = "anthropi")]
pub struct Certificate {
    inverse: Inverse,
    inner: certificate::Certificate,
    notes: Vec<String>,
}

/// Judges a motion, a ``Clip`` or the name of one: finds the forces of the ground and of the joints that it needs,
///
/// M a + h = tau + sum J^T f,  f inside friction cones,
///
/// and where none would do. ``cutoff`` is the low-pass before derivatives (Hz, ``auto`` or ``none``), ``friction`` that of
/// the ground, ``ground`` its height where it is known.
#[pyfunction]
#[pyo3(signature = (clip, **options))]
pub fn certify(py: Python, clip: &Bound<PyAny>, options: Option<&Bound<PyDict>>) -> Answer<Certificate> {
    let mut options = Options::of(options)?;
    let settings = forces(&mut options)?;
    options.expect_empty("certify")?;
    let given = Given::of(clip)?;
    let moving = given.moving();
    let settings = Settings { parts: moving.parts.clone(), ..settings };
    let name = &moving.clip.name;
    let inverse = stoppable(py, |look| judging::forces(name, moving, &settings, &mut |_| look()))??;
    let notes = judging::notes(moving, &inverse);
    Ok(Certificate { inner: certificate::Certificate::of(&inverse), inverse, notes })
}

#[pymethods]
impl Certificate {
    /// Whether nothing speaks against it.
    #[getter]
    fn is_consistent(&self) -> bool {
        self.inner.is_consistent
    }

    /// What is wrong, worst first: fault, times, frames, size, unit, severity and a sentence.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyAny>> {
        Ok(self.to_dict(py)?.get_item("findings")?)
    }

    /// Everything, as ``anthropi certify --json`` tells it.
    fn to_dict<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyAny>> {
        told::to_python(py, &judging::certificate_json(&self.inverse, &self.inner, &self.notes))
    }

    /// Time of each frame, s.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let clip = &self.inverse.trajectory.clip;
        vector(py, &(0..clip.frames()).map(|frame| clip.time(frame)).collect::<Vec<_>>())
    }

    /// Joint torques, shape (frames, nv): what actuators and passive tissue other than the figure's springs must give.
    #[getter]
    fn tau<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let (frames, nv) = (self.inverse.frames.len(), self.inverse.trajectory.clip.figure().forest().nv());
        shaped(py, (0..frames).flat_map(|f| self.inverse.tau(f).to_vec()).collect(), &[frames, nv])
    }

    /// Name of each column of ``tau``.
    #[getter]
    fn dofs(&self) -> Vec<String> {
        self.inverse.trajectory.clip.figure().dof_names()
    }

    /// Force of the ground, N, world axes, shape (frames, 3).
    #[getter]
    fn ground_force<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let sum = |f: &anthropi_motion::inverse::Frame| f.pushes.iter().fold(Vec3::ZERO, |s, p| s + p.force);
        let all: Vec<f64> = self.inverse.frames.iter().flat_map(|f| sum(f).to_array()).collect();
        shaped(py, all, &[self.inverse.frames.len(), 3])
    }

    /// What no contact can give, [moment about the centre of mass, force], shape (frames, 6).
    #[getter]
    fn residual<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let all: Vec<f64> = self.inverse.frames.iter().flat_map(|f| f.missing.to_array()).collect();
        shaped(py, all, &[self.inverse.frames.len(), 6])
    }

    /// What was found on the way, a sentence each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// A page (HTML) with pictures and plots.
    fn to_html(&self) -> String {
        let (inverse, certificate) = (&self.inverse, &self.inner);
        let name = &inverse.trajectory.clip.name;
        page(&Report { name, inverse, certificate, notes: &self.notes })
    }

    /// Residual, ground force and the largest torques over time: a figure of matplotlib.
    fn plot<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("anthropi.plot")?.call_method1("certificate", (slf,))
    }

    fn __repr__(&self) -> String {
        let verdict = if self.inner.is_consistent { "consistent" } else { "not consistent" };
        let (name, found) = (&self.inverse.trajectory.clip.name, self.inner.findings.len());
        format!("<Certificate of {name}: {verdict}, {found} findings>")
    }
}
