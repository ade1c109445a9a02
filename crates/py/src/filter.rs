//! `filter`: the nearest motion that physics allows; `OnlineFilter`: the same frame by frame.

use crate::arrays::{Array, Numbers, point, shaped, vector};
use crate::clip::{Clip, Given};
use crate::error::Answer;
use crate::figure::Figure;
use crate::options::{self, Options};
use crate::signals::stoppable;
use crate::told;
use anthropi_dynamics::model;
use anthropi_dynamics::spatial::Vec3;
use anthropi_io::judging::{self, Judged};
use anthropi_io::moving::Moving;
use anthropi_io::report::filter::page;
use anthropi_motion::filter::{self as library, Outside, Push};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;

/// A filtered motion, and what it is worth.
#[pyclass(module = "anthropi")]
pub struct Filtered {
    /// the motion as it was given
    given: Moving,
    judged: Judged,
}

/// Filters a motion, a ``Clip`` or the name of one: at each millisecond the accelerations nearest to the motion's among
/// those with
///
/// M a + h = S^T tau + sum J^T f,  f inside friction cones,  |tau| within strength.
///
/// ``mode`` is offline (knows all of the motion) or online; ``strength`` times human strength (``inf``: any);
/// ``friction``, ``ground`` and ``cutoff`` as for ``certify``; ``pushes`` a list of (link, from_s, to_s, force_N).
#[pyfunction]
#[pyo3(signature = (clip, *, pushes=Vec::new(), **options))]
pub fn filter(
    py: Python,
    clip: &Bound<PyAny>,
    pushes: Vec<(String, f64, f64, [f64; 3])>,
    options: Option<&Bound<PyDict>>,
) -> Answer<Filtered> {
    let mut options = Options::of(options)?;
    let forces = options::forces(&mut options)?;
    let settings = options::filter(&mut options, &forces)?;
    options.expect_empty("filter")?;
    let given = Given::of(clip)?.moving().clone();
    let pushes = pushes.iter().map(|p| push(&given, p)).collect::<Answer<_>>()?;
    let settings = library::Settings { pushes, ..settings };
    let name = given.clip.name.clone();
    let judged = stoppable(py, |look| {
        Judged::of(&name, &given, &forces, &settings, &mut |_, _| look(), &mut |_| ())
    })??;
    Ok(Filtered { given, judged })
}

/// A force on the middle of a link for a while.
fn push(given: &Moving, (link, from, to, force): &(String, f64, f64, [f64; 3])) -> Answer<Push> {
    let figure = given.clip.figure();
    let link = figure.find_link(link)?;
    let finite = [*from, *to].iter().chain(force).all(|x| x.is_finite());
    if !(finite && from < to) {
        let (what, expected) = ("start of a push".into(), "a time before its end, and finite numbers");
        return Err(anthropi_dynamics::Error::OutOfRange { what, value: *from, expected }.into());
    }
    let at = figure.link(link)?.spec.inertia.center();
    let outside = Outside { link, at, force: Vec3::from_array(force), is_known: false };
    Ok(Push { from: *from, to: *to, outside })
}

#[pymethods]
impl Filtered {
    /// The motion, physically consistent.
    #[getter]
    fn clip(&self) -> Clip {
        Clip::of(self.judged.filtered.clip.clone())
    }

    /// When it fell first, s; ``None`` where it stands.
    #[getter]
    fn fell(&self) -> Option<f64> {
        self.judged.filtered.fell
    }

    /// Whether its forces explain all of it.
    #[getter]
    fn is_consistent(&self) -> bool {
        self.judged.filtered.is_consistent()
    }

    /// Force of the ground, N, world axes, shape (frames, 3): mean over the frame that ends at each.
    #[getter]
    fn ground_force<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let forces = &self.judged.filtered.forces;
        let sum =
            |frame: &Vec<library::GroundForce>| frame.iter().fold(Vec3::ZERO, |s, g| s + g.force).to_array();
        shaped(py, forces.iter().flat_map(sum).collect(), &[forces.len(), 3])
    }

    /// Everything, before and after, as ``anthropi filter --json`` tells it.
    fn to_dict<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyAny>> {
        told::to_python(py, &judging::filter_json(&self.judged))
    }

    /// What was found and decided, a sentence each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.judged.notes.clone()
    }

    /// Writes the filtered motion; a .bvh on the skeleton it came on. Returns what the format cannot hold.
    fn save(&self, py: Python, path: PathBuf) -> Answer<Vec<String>> {
        let lost = py.detach(|| judging::save(&self.given, &self.judged, &path))?;
        Ok(lost.iter().map(ToString::to_string).collect())
    }

    /// A page (HTML) with pictures and plots, before and after.
    fn to_html(&self) -> String {
        page(&self.judged.report())
    }

    fn __repr__(&self) -> String {
        let f = &self.judged.filtered;
        let stands = f.fell.map_or("it stands".into(), |t| format!("it fell at {t:.2} s"));
        format!("<Filtered {}: {stands}, joints {:.2} deg rms off>", f.clip.name, f.tracking.joint_rms_deg)
    }
}

/// The filter frame by frame, with one frame of delay and no other future: for motions as they come from a camera.
#[pyclass(module = "anthropi")]
pub struct OnlineFilter {
    inner: library::OnlineFilter,
    figure: Arc<model::Figure>,
}

#[pymethods]
impl OnlineFilter {
    /// For frames of a figure that come ``dt`` seconds apart.
    #[new]
    #[pyo3(signature = (figure, dt, *, ground=None))]
    fn new(figure: &Figure, dt: f64, ground: Option<f64>) -> Answer<OnlineFilter> {
        let mut inner = library::OnlineFilter::new(&figure.inner, dt)?;
        ground.into_iter().for_each(|height| inner.set_ground(height));
        Ok(OnlineFilter { inner, figure: figure.inner.clone() })
    }

    /// Takes a frame, nq numbers; gives the figure at the frame before, ``None`` at the first.
    fn push<'py>(
        &mut self,
        py: Python<'py>,
        frame: &Bound<'py, PyAny>,
    ) -> Answer<Option<Bound<'py, PyArray1<f64>>>> {
        let frame = Numbers::row("frame", frame, self.figure.forest().nq())?;
        let (inner, values) = (&mut self.inner, frame.values());
        let pose = py.detach(|| inner.push(values).map(|pose| pose.map(<[f64]>::to_vec)))?;
        Ok(pose.map(|pose| vector(py, &pose)))
    }

    /// A frame was lost: the figure goes on as the motion was, for a moment, and then stands still.
    fn miss<'py>(&mut self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.inner.miss().map(|pose| vector(py, pose))
    }

    /// Puts the figure where the motion is now.
    fn restart(&mut self) {
        self.inner.restart();
    }

    /// From now on a force (N, world axes) acts on the middle of a link; ``None`` ends all forces.
    #[pyo3(signature = (link=None, force=None))]
    fn outside(&mut self, link: Option<&str>, force: Option<&Bound<PyAny>>) -> Answer<()> {
        let Some(link) = link else {
            self.inner.outside.clear();
            return Ok(());
        };
        let figure = &self.figure;
        let link = figure.find_link(link)?;
        let at = figure.link(link)?.spec.inertia.center();
        self.inner.outside.push(Outside { link, at, force: point("force", force)?, is_known: false });
        Ok(())
    }

    /// What was wrong with what came, a sentence each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.inner.notes.clone()
    }

    /// Joint torques of the last internal step.
    #[getter]
    fn tau<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, self.inner.body.tau())
    }
}
