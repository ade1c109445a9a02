//! `certify`: physical plausibility of a motion.

use crate::arrays::{Any, Array, Vector, shaped};
use crate::clip::{ClipArgument, times};
use crate::error::Answer;
use crate::json;
use crate::options::{Options, forces};
use crate::signals::stoppable;
use anthropi_app::assessment::{self, Assessment};
use anthropi_app::report::page;
use anthropi_app::result::Verdict;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::inverse::Frame;
use anthropi_motion::note::texts;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The certificate of a motion, by inverse dynamics.
#[pyclass(module = "anthropi")]
pub struct Certificate {
    inner: Assessment,
}

/// Assesses a motion, a ``Clip`` or the name of one: finds the ground forces and joint torques that it needs,
///
/// M a + h = tau + sum J^T f,  f inside friction cones,
///
/// and the frames without a solution. ``cutoff`` is the low-pass before derivatives (Hz, ``auto`` or ``none``; one so low
/// that it empties the motion is refused), ``friction`` the coefficient of the ground, ``ground`` its height if known.
/// ``props`` is "auto" (seats, steps and rails are found) or "none", ``prop`` a list of given ones, such as "seat:0.45".
#[pyfunction]
#[pyo3(signature = (clip, **options))]
pub fn certify(py: Python, clip: &Any, options: Option<&Bound<PyDict>>) -> Answer<Certificate> {
    let mut options = Options::new(options)?;
    let settings = forces(&mut options)?;
    options.expect_empty("certify")?;
    let argument = ClipArgument::extract(clip)?;
    let loaded = argument.loaded();
    let name = &loaded.clip.name;
    let inner = stoppable(py, |look| assessment::assess(name, loaded, &settings, &mut |_| look()))??;
    Ok(Certificate { inner })
}

#[pymethods]
impl Certificate {
    /// Whether the motion is physically consistent.
    #[getter]
    fn is_consistent(&self) -> bool {
        self.inner.certificate.is_consistent
    }

    /// Faults, worst first: kind, times, frames, size, unit, severity and description.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> Answer<Any<'py>> {
        Ok(self.to_dict(py)?.get_item("findings")?)
    }

    /// The lamps ``physical`` and ``certain``, each with ``state`` (green, amber, red) and ``reason``; ``faithful`` is ``None``.
    #[getter]
    fn lamps<'py>(&self, py: Python<'py>) -> Answer<Any<'py>> {
        json::to_python(py, &self.inner.lamps())
    }

    /// The result as a dictionary: the JSON of ``anthropi certify --json``.
    fn to_dict<'py>(&self, py: Python<'py>) -> Answer<Any<'py>> {
        json::to_python(py, &self.inner.result())
    }

    /// Time of each frame, s.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Vector<'py> {
        times(py, &self.inner.inverse.trajectory.clip)
    }

    /// Joint torques, shape (frames, nv), in addition to the springs of the figure.
    #[getter]
    fn tau<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let (frames, nv) =
            (self.inner.inverse.frames.len(), self.inner.inverse.trajectory.clip.figure().forest().nv());
        shaped(py, (0..frames).flat_map(|f| self.inner.inverse.tau(f).to_vec()).collect(), &[frames, nv])
    }

    /// Name of each column of ``tau``.
    #[getter]
    fn dofs(&self) -> Vec<String> {
        self.inner.inverse.trajectory.clip.figure().dof_names()
    }

    /// Ground reaction force, N, world axes, shape (frames, 3).
    #[getter]
    fn ground_force<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let sum = |f: &Frame| f.contact_forces.iter().fold(Vec3::ZERO, |s, p| s + p.force);
        let all: Vec<f64> = self.inner.inverse.frames.iter().flat_map(|f| sum(f).to_array()).collect();
        shaped(py, all, &[self.inner.inverse.frames.len(), 3])
    }

    /// Root residual, [moment about the centre of mass, force], shape (frames, 6).
    #[getter]
    fn residual<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let all: Vec<f64> = self.inner.inverse.frames.iter().flat_map(|f| f.residual.to_array()).collect();
        shaped(py, all, &[self.inner.inverse.frames.len(), 6])
    }

    /// Notes and warnings.
    #[getter]
    fn notes(&self) -> Vec<String> {
        texts(&self.inner.notes)
    }

    /// An HTML report with pictures and plots.
    fn to_html(&self) -> String {
        page(&self.inner.inverse.trajectory.clip.name, &self.inner)
    }

    /// Residual, ground force and the largest torques over time, as a matplotlib figure.
    fn plot<'py>(slf: &Bound<'py, Self>) -> PyResult<Any<'py>> {
        slf.py().import("anthropi.plot")?.call_method1("certificate", (slf,))
    }

    fn __repr__(&self) -> String {
        let Assessment { inverse, certificate, .. } = &self.inner;
        let verdict = Verdict::from(certificate.is_consistent).word();
        let (name, found) = (&inverse.trajectory.clip.name, certificate.findings.len());
        format!("<Certificate of {name}: {verdict}, {found} findings>")
    }
}
