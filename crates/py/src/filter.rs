//! `filter`: the nearest physically consistent motion; `OnlineFilter`: the same frame by frame.

use crate::arrays::{Any, Array, Numbers, Vector, point, shaped, vector};
use crate::clip::{Clip, ClipArgument};
use crate::error::{Answer, Problem};
use crate::figure::Figure;
use crate::json;
use crate::options::{self, Options};
use crate::signals::stoppable;
use anthropi_app::assessment::{self, FilterOutcome};
use anthropi_app::loaded_motion::LoadedMotion;
use anthropi_app::report::filter::page;
use anthropi_dynamics::model;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::filter::{self as library, AppliedForce};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;

/// A filtered motion with its assessment.
#[pyclass(module = "anthropi")]
pub struct Filtered {
    input: LoadedMotion,
    outcome: FilterOutcome,
}

/// Filters a motion, a ``Clip`` or the name of one: at each millisecond, the accelerations nearest to the motion's
/// subject to
///
/// M a + h = S^T tau + sum J^T f,  f inside friction cones,  |tau| within strength.
///
/// ``mode`` is offline (the whole motion is known) or online; ``strength`` a multiple of human strength (``inf``: no limit);
/// ``assist`` is the limit of the assistance that keeps the figure up where it would fall: body weights up to 1, "auto" (0.3) or
/// "none"; ``speed`` is "auto" (a motion with the wrong frame rate is filtered at a plausible one: same frames, another ``dt``)
/// or 1. ``friction``, ``ground``, ``cutoff``, ``props`` and ``prop`` as for ``certify``; ``pushes`` a list of (link, from_s, to_s, force_N).
#[pyfunction]
#[pyo3(signature = (clip, *, pushes=Vec::new(), **options))]
pub fn filter(
    py: Python,
    clip: &Any,
    pushes: Vec<(String, f64, f64, [f64; 3])>,
    options: Option<&Bound<PyDict>>,
) -> Answer<Filtered> {
    let mut options = Options::new(options)?;
    let forces = options::forces(&mut options)?;
    let settings = options::filter(&mut options, &forces)?;
    options.expect_empty("filter")?;
    let input = ClipArgument::extract(clip)?.loaded().clone();
    let pushes = pushes.iter().map(|p| push(&input, p)).collect::<Answer<_>>()?;
    let settings = library::FilterSettings { pushes, ..settings };
    let name = input.clip.name.clone();
    let outcome = stoppable(py, |look| {
        assessment::filter_and_assess(&name, &input, &forces, &settings, &mut |_, _| look(), &mut |_| ())
    })??;
    Ok(Filtered { input, outcome })
}

/// A force at the centre of mass of a link.
fn push(
    input: &LoadedMotion,
    (link, from, to, force): &(String, f64, f64, [f64; 3]),
) -> Answer<AppliedForce> {
    let figure = input.clip.figure();
    let link = figure.find_link(link)?;
    let finite = [*from, *to].iter().chain(force).all(|x| x.is_finite());
    if !(finite && from < to) {
        return Err(Problem::out_of_range("start of a push", *from, "finite and before its end"));
    }
    let at = figure.link(link)?.spec.inertia.center();
    Ok(AppliedForce {
        link,
        point: at,
        force: Vec3::from_array(force),
        from: *from,
        to: *to,
        is_known: false,
    })
}

#[pymethods]
impl Filtered {
    /// The filtered motion.
    #[getter]
    fn clip(&self) -> Clip {
        Clip::from(self.outcome.filtered.clip.clone())
    }

    /// Time of the first fall, s; ``None`` without a fall.
    #[getter]
    fn fell(&self) -> Option<f64> {
        self.outcome.filtered.fell
    }

    /// The lamps ``physical``, ``faithful`` and ``certain``, each with ``state`` (green, amber, red) and ``reason``.
    #[getter]
    fn lamps<'py>(&self, py: Python<'py>) -> Answer<Any<'py>> {
        json::to_python(py, &self.outcome.lamps())
    }

    /// Whether the motion is physically consistent with its forces, without assistance.
    #[getter]
    fn is_consistent(&self) -> bool {
        self.outcome.filtered.is_consistent()
    }

    /// Assistance in each frame, shape (frames, 6): moment about the centre of mass, N m, and force, N, world axes.
    #[getter]
    fn assist<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let frames = &self.outcome.filtered.assist;
        shaped(py, frames.iter().flat_map(|wrench| wrench.to_array()).collect(), &[frames.len(), 6])
    }

    /// Ground reaction force, N, world axes, shape (frames, 3): mean over the interval before each frame.
    #[getter]
    fn ground_force<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let forces = &self.outcome.filtered.forces;
        let sum =
            |frame: &Vec<library::GroundForce>| frame.iter().fold(Vec3::ZERO, |s, g| s + g.force).to_array();
        shaped(py, forces.iter().flat_map(sum).collect(), &[forces.len(), 3])
    }

    /// The result as a dictionary: the JSON of ``anthropi filter --json``.
    fn to_dict<'py>(&self, py: Python<'py>) -> Answer<Any<'py>> {
        json::to_python(py, &self.outcome.result())
    }

    /// Notes and warnings.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.outcome.notes.iter().map(ToString::to_string).collect()
    }

    /// Writes the filtered motion; a .bvh with the skeleton of the recording. Returns what the format cannot hold.
    fn save(&self, py: Python, path: PathBuf) -> Answer<Vec<String>> {
        let lost = py.detach(|| assessment::save(&self.input, &self.outcome, &path))?;
        Ok(lost.iter().map(ToString::to_string).collect())
    }

    /// An HTML report with pictures and plots, before and after.
    fn to_html(&self) -> String {
        page(&self.outcome)
    }

    fn __repr__(&self) -> String {
        let f = &self.outcome.filtered;
        let fall = f.fell.map_or("no fall".into(), |t| format!("fell at {t:.2} s"));
        format!("<Filtered {}: {fall}, joint error {:.2} deg rms>", f.clip.name, f.tracking.joint_rms_deg)
    }
}

/// The filter frame by frame, with one frame of delay: for live motion capture.
#[pyclass(module = "anthropi")]
pub struct OnlineFilter {
    inner: library::OnlineFilter,
    figure: Arc<model::Figure>,
}

#[pymethods]
impl OnlineFilter {
    /// A filter for frames of a figure, ``dt`` seconds apart.
    #[new]
    #[pyo3(signature = (figure, dt, *, ground=None))]
    fn new(figure: &Figure, dt: f64, ground: Option<f64>) -> Answer<OnlineFilter> {
        let mut inner = library::OnlineFilter::new(&figure.inner, dt)?;
        ground.into_iter().for_each(|height| inner.set_ground(height));
        Ok(OnlineFilter { inner, figure: figure.inner.clone() })
    }

    /// Takes a frame (nq numbers); returns the filtered pose of the previous frame, ``None`` at the first.
    fn push<'py>(&mut self, py: Python<'py>, frame: &Any<'py>) -> Answer<Option<Vector<'py>>> {
        let frame = Numbers::row("frame", frame, self.figure.forest().nq())?;
        let (inner, values) = (&mut self.inner, frame.values());
        let pose = py.detach(|| inner.push(values).map(|pose| pose.map(<[f64]>::to_vec)))?;
        Ok(pose.map(|pose| vector(py, &pose)))
    }

    /// Handles a lost frame: extrapolates the motion briefly, then holds the pose.
    fn miss<'py>(&mut self, py: Python<'py>) -> Option<Vector<'py>> {
        self.inner.miss().map(|pose| vector(py, pose))
    }

    /// Moves the figure to the next frame.
    fn restart(&mut self) {
        self.inner.restart();
    }

    /// Applies a force (N, world axes) at the centre of mass of a link from now on; ``None`` ends all forces.
    #[pyo3(signature = (link=None, force=None))]
    fn apply_force(&mut self, link: Option<&str>, force: Option<&Any>) -> Answer<()> {
        let Some(link) = link else {
            self.inner.applied.clear();
            return Ok(());
        };
        let figure = &self.figure;
        let link = figure.find_link(link)?;
        let at = figure.link(link)?.spec.inertia.center();
        self.inner.applied.push(AppliedForce::constant(link, at, point("force", force)?));
        Ok(())
    }

    /// Former name of ``apply_force``.
    #[pyo3(signature = (link=None, force=None))]
    fn outside(&mut self, link: Option<&str>, force: Option<&Any>) -> Answer<()> {
        self.apply_force(link, force)
    }

    /// Warnings about the input frames.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.inner.notes.iter().map(ToString::to_string).collect()
    }

    /// Joint torques of the last internal step.
    #[getter]
    fn tau<'py>(&self, py: Python<'py>) -> Vector<'py> {
        vector(py, self.inner.body.tau())
    }
}
