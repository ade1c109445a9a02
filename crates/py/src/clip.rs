//! `Clip`: a motion of a figure.

use crate::arrays::{Array, Numbers, point, shaped, vector};
use crate::error::{Answer, Problem};
use crate::figure::Figure;
use crate::options::{motion_options, who};
use anthropi_io::motion::{self, Motion};
use anthropi_io::moving::{self, Moving, Who};
use anthropi_motion::clip::{Ease, Pace};
use anthropi_motion::{self as library, Trajectory};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// Seconds one motion fades into the next where nothing is said.
const FADE: f64 = 0.2;

/// A motion of a figure: poses at equal steps of time. Every method gives a new motion and leaves its own alone.
#[pyclass(module = "anthropi")]
pub struct Clip {
    /// with what was found on the way to it
    pub moving: Moving,
}

impl Clip {
    /// A motion that was not read.
    pub fn of(clip: library::Clip) -> Clip {
        let moving = Moving { clip, notes: Vec::new(), parts: Vec::new(), own: None, warnings: Vec::new() };
        Clip { moving }
    }

    /// What was made of it, with the same parts.
    fn made(&self, clip: library::Clip) -> Clip {
        let mut made = Clip::of(clip);
        made.moving.parts.clone_from(&self.moving.parts);
        made
    }

    fn clip(&self) -> &library::Clip {
        &self.moving.clip
    }
}

/// A clip, or the name of a motion that is read with the usual options.
pub enum Given<'py> {
    Clip(PyRef<'py, Clip>),
    Read(Box<Moving>),
}

impl Given<'_> {
    pub fn moving(&self) -> &Moving {
        match self {
            Given::Clip(clip) => &clip.moving,
            Given::Read(moving) => moving,
        }
    }
}

impl<'py> Given<'py> {
    pub fn of(given: &Bound<'py, PyAny>) -> Answer<Given<'py>> {
        if let Ok(clip) = given.cast::<Clip>() {
            return Ok(Given::Clip(clip.try_borrow().map_err(PyErr::from)?));
        }
        let Ok(name) = given.extract::<PathBuf>() else {
            return Err(Problem::Argument("expected a Clip, a file or the name of a built-in motion".into()));
        };
        let name = name.display().to_string();
        let read = given.py().detach(|| moving::load(&name, &motion::Options::default(), &Who::default()));
        Ok(Given::Read(Box::new(read?)))
    }
}

#[pymethods]
impl Clip {
    /// A motion from poses q, shape (frames, nq), ``dt`` seconds apart. Quaternions get length one and signs that do not
    /// leap.
    #[new]
    #[pyo3(signature = (figure, q, dt, *, name="motion", start=0.0))]
    fn new(figure: &Figure, q: &Bound<PyAny>, dt: f64, name: &str, start: f64) -> Answer<Clip> {
        let poses = Numbers::of("q", q)?;
        let rows = poses.shape().first().copied().unwrap_or(0);
        poses.check_shape("q", &[rows, figure.inner.forest().nq()])?;
        let clip = library::Clip::new(name, figure.inner.clone(), dt, poses.values().to_vec())?;
        Ok(Clip::of(clip.starting_at(start)))
    }

    /// A motion from a file (.bvh, .amc with its .asf, .npz, .mot with ``figure=MODEL.osim``, .json, keyframes .toml), or
    /// the built-in one of that name; ``anthropi.motions()`` has all names.
    ///
    /// A figure is made for the skeleton, a person where it is one; ``height``, ``mass`` and ``sex`` (female, male) say
    /// whose, ``figure`` carries the motion over to another figure by name or file. Files that do not say: ``unit`` of
    /// length in metres, axis ``up`` (y, z), ``asf`` and ``fps`` of .amc files.
    #[staticmethod]
    #[pyo3(signature = (path, **options))]
    fn load(py: Python, path: PathBuf, options: Option<&Bound<PyDict>>) -> Answer<Clip> {
        let mut options = crate::options::Options::of(options)?;
        let (who, how) = (who(&mut options)?, motion_options(&mut options)?);
        options.expect_empty("Clip.load")?;
        let name = path.display().to_string();
        Ok(Clip { moving: py.detach(|| moving::load(&name, &how, &who))? })
    }

    /// Writes the motion by the ending of the file: .json with all there is, .bvh, .csv, .mot, .sto, .glb, .gltf, or a
    /// strip of poses as .svg. Returns what the format cannot hold.
    fn save(&self, py: Python, path: PathBuf) -> Answer<Vec<String>> {
        let is_bvh = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("bvh"));
        let lost = py.detach(|| match &self.moving.own {
            Some(own) if is_bvh => motion::save_recording(&path, own),
            _ => moving::save(&self.moving.clip, &path),
        });
        Ok(lost?.iter().map(ToString::to_string).collect())
    }

    /// What it is called.
    #[getter]
    fn name(&self) -> &str {
        &self.clip().name
    }

    /// Who moves; a copy.
    #[getter]
    fn figure(&self) -> Figure {
        Figure::of(self.clip().figure().clone())
    }

    /// Seconds between frames.
    #[getter]
    fn dt(&self) -> f64 {
        self.clip().dt()
    }

    /// Frames a second.
    #[getter]
    fn fps(&self) -> f64 {
        1.0 / self.clip().dt()
    }

    /// Seconds from the first frame to the last.
    #[getter]
    fn duration(&self) -> f64 {
        self.clip().duration()
    }

    /// Time of each frame, s.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let clip = self.clip();
        vector(py, &(0..clip.frames()).map(|frame| clip.time(frame)).collect::<Vec<_>>())
    }

    /// Poses, shape (frames, nq).
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let clip = self.clip();
        shaped(py, clip.poses().to_vec(), &[clip.frames(), clip.figure().forest().nq()])
    }

    /// What was found and decided while it was read, a sentence each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        let doubts = self
            .moving
            .warnings
            .iter()
            .flat_map(|(file, all)| all.iter().map(move |warning| format!("{file}: {warning}")));
        self.moving.notes.iter().cloned().chain(doubts).collect()
    }

    fn __len__(&self) -> usize {
        self.clip().frames()
    }

    /// The pose at a time; between frames each joint goes the short way.
    fn sample<'py>(&self, py: Python<'py>, time: f64) -> Bound<'py, PyArray1<f64>> {
        let mut pose = vec![0.0; self.clip().figure().forest().nq()];
        // at no time there is the first pose
        self.clip().sample(if time.is_nan() { self.clip().start() } else { time }, &mut pose);
        vector(py, &pose)
    }

    /// Velocities and accelerations, shapes (frames, nv); ``cutoff`` is a low-pass before, Hz.
    #[pyo3(signature = (cutoff=None))]
    fn derivatives<'py>(&self, py: Python<'py>, cutoff: Option<f64>) -> Answer<(Array<'py>, Array<'py>)> {
        let clip = self.clip();
        if let Some(value) = cutoff.filter(|hz| !(*hz > 0.0 && hz.is_finite())) {
            let what = "cutoff".into();
            return Err(
                anthropi_dynamics::Error::OutOfRange { what, value, expected: "Hz above zero" }.into()
            );
        }
        let trajectory = py.detach(|| Trajectory::of(clip, cutoff));
        let shape = [clip.frames(), clip.figure().forest().nv()];
        let rows = |of: &dyn Fn(usize) -> Vec<f64>| (0..shape[0]).flat_map(of).collect::<Vec<f64>>();
        let v = rows(&|frame| trajectory.v(frame).to_vec());
        let a = rows(&|frame| trajectory.a(frame).to_vec());
        Ok((shaped(py, v, &shape)?, shaped(py, a, &shape)?))
    }

    /// The part between two times.
    #[pyo3(name = "cut")]
    fn part(&self, start: f64, end: f64) -> Answer<Clip> {
        Ok(self.made(self.clip().cut(start, end)?))
    }

    /// The same frames so many times as fast.
    fn at_speed(&self, speed: f64) -> Answer<Clip> {
        Ok(self.made(self.clip().at_speed(speed)?))
    }

    /// The same motion with so many frames a second.
    fn resampled(&self, fps: f64) -> Answer<Clip> {
        Ok(self.made(self.clip().resampled(1.0 / fps)?))
    }

    /// From the last frame to the first.
    fn reversed(&self) -> Clip {
        self.made(self.clip().reversed())
    }

    /// Left for right.
    fn mirrored(&self) -> Answer<Clip> {
        Ok(self.made(self.clip().mirrored()?))
    }

    /// Elsewhere: turned about the vertical (rad), then shifted (m).
    #[pyo3(signature = (shift=None, *, yaw=0.0))]
    fn moved(&self, shift: Option<&Bound<PyAny>>, yaw: f64) -> Answer<Clip> {
        Ok(self.made(self.clip().moved(point("shift", shift)?, yaw)?))
    }

    /// On a path that bends by an angle (rad, to the left) between two times.
    fn turned(&self, angle: f64, start: f64, end: f64) -> Answer<Clip> {
        Ok(self.made(self.clip().turned_path(angle, start, end)?))
    }

    /// Between this motion (weight 0) and another (weight 1): a number, or a function of the seconds since the start.
    /// Walks are aligned by their touchdowns; a motion of another figure is carried over first.
    #[pyo3(signature = (other, weight=None))]
    fn blend(&self, py: Python, other: &Clip, weight: Option<&Bound<PyAny>>) -> Answer<Clip> {
        let other = moving::like(other.clip(), self.clip())?;
        let Some(weight) = weight.filter(|w| w.is_callable()) else {
            let weight = weight.map_or(Ok(0.5), |w| w.extract::<f64>())?;
            return Ok(self.made(py.detach(|| self.clip().blended(&other, |_| weight))?));
        };
        let wrong = std::cell::RefCell::new(None);
        let ask = |time: f64| {
            let said = weight.call1((time,)).and_then(|w| w.extract::<f64>());
            said.unwrap_or_else(|error| {
                wrong.borrow_mut().get_or_insert(error);
                f64::NAN
            })
        };
        let blended = self.clip().blended(&other, ask);
        match wrong.into_inner() {
            Some(error) => Err(error.into()),
            None => Ok(self.made(blended?)),
        }
    }

    /// This motion, then another, which goes on where this one ends; they fade into each other for so many seconds.
    #[pyo3(signature = (other, *, fade=FADE))]
    fn join(&self, other: &Clip, fade: f64) -> Answer<Clip> {
        let other = moving::like(other.clip(), self.clip())?;
        Ok(self.made(self.clip().joined(&other, fade, Ease::Quintic)?))
    }

    /// This motion so many times, each going on where the one before ended.
    #[pyo3(signature = (times, *, fade=FADE))]
    fn repeat(&self, times: usize, fade: f64) -> Answer<Clip> {
        Ok(self.made(self.clip().looped(times, fade)?))
    }

    /// The same motion of somebody of another height (m) and mass (kg).
    #[pyo3(signature = (height=None, mass=None))]
    fn scaled(&self, height: Option<f64>, mass: Option<f64>) -> Answer<Clip> {
        Ok(self.made(self.clip().with_stature_and_mass(height, mass, Pace::Same)?))
    }

    /// The motion on another figure: a file or the name of a built-in one. Notes tell how near it is.
    #[pyo3(signature = (figure, *, height=None, mass=None))]
    fn retarget(&self, py: Python, figure: PathBuf, height: Option<f64>, mass: Option<f64>) -> Answer<Clip> {
        let who = Who { figure: Some(figure.display().to_string()), height, mass, ..Who::default() };
        let clip = self.clip().clone();
        Ok(Clip { moving: py.detach(|| moving::of(Motion::Clip(clip), self.name(), &who))? })
    }

    /// Roughness: root mean square of the third difference of joint coordinates over time, rad/s^3.
    #[getter]
    fn jitter(&self) -> Option<f64> {
        self.clip().jitter(self.clip().frames())
    }

    /// A strip of poses as a picture (SVG).
    fn to_svg(&self) -> String {
        moving::strip(self.clip())
    }

    /// Shows the motion in the studio: embedded in a notebook, else in the browser. Without the program ``anthropi`` it is
    /// a strip of poses.
    fn show<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("anthropi.show")?.call_method1("clip", (slf,))
    }

    /// Joint coordinates over time: a figure of matplotlib.
    fn plot<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("anthropi.plot")?.call_method1("clip", (slf,))
    }

    fn _repr_svg_(&self) -> String {
        self.to_svg()
    }

    /// The motion with its figure as a text (JSON).
    fn to_json(&self) -> String {
        motion::json::write(self.clip())
    }

    /// A motion from such a text.
    #[staticmethod]
    fn from_json(text: &str) -> Answer<Clip> {
        Ok(Clip::of(motion::json::read(text, "motion.json")?))
    }

    fn __reduce__(&self, py: Python) -> PyResult<(Py<PyAny>, (String,))> {
        let read = py.get_type::<Clip>().getattr("from_json")?;
        Ok((read.unbind(), (self.to_json(),)))
    }

    fn __repr__(&self) -> String {
        let clip = self.clip();
        let (frames, duration, figure) = (clip.frames(), clip.duration(), &clip.figure().name);
        format!("<Clip {}: {frames} frames, {duration:.2} s, of {figure}>", clip.name)
    }
}
