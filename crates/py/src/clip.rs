//! `Clip`: a motion of a figure.

use crate::arrays::{Any, Array, Numbers, Vector, point, shaped, vector};
use crate::error::{Answer, Problem};
use crate::figure::Figure;
use crate::options::{motion_options, subject};
use anthropi_app::filter_scene::{FADE, WEIGHT};
use anthropi_app::loaded_motion::{self, LoadedMotion, SubjectOptions};
use anthropi_formats::Warning;
use anthropi_formats::file::has_extension;
use anthropi_formats::motion::{self, Motion};
use anthropi_motion::clip::{Ease, Pace};
use anthropi_motion::note::texts;
use anthropi_motion::{self as library, Trajectory};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// A motion of a figure: poses at equal time steps. Methods return new motions and leave this one unchanged.
#[pyclass(module = "anthropi")]
pub struct Clip {
    /// with notes and warnings
    pub loaded: LoadedMotion,
}

impl Clip {
    /// An edited version, with the same body parts and assumptions.
    fn edited(&self, clip: library::Clip) -> Clip {
        let notes = self.loaded.notes.iter().filter(|n| n.assumption.is_some()).cloned().collect();
        Clip { loaded: LoadedMotion { notes, parts: self.loaded.parts.clone(), ..clip.into() } }
    }

    fn clip(&self) -> &library::Clip {
        &self.loaded.clip
    }
}

impl From<library::Clip> for Clip {
    fn from(clip: library::Clip) -> Clip {
        Clip { loaded: clip.into() }
    }
}

/// A clip, or the motion of a name or file loaded with default options.
pub enum ClipArgument<'py> {
    Clip(PyRef<'py, Clip>),
    Read(Box<LoadedMotion>),
}

impl ClipArgument<'_> {
    pub fn loaded(&self) -> &LoadedMotion {
        match self {
            ClipArgument::Clip(clip) => &clip.loaded,
            ClipArgument::Read(loaded) => loaded,
        }
    }
}

impl<'py> ClipArgument<'py> {
    pub fn extract(given: &Any<'py>) -> Answer<ClipArgument<'py>> {
        if let Ok(clip) = given.cast::<Clip>() {
            return Ok(ClipArgument::Clip(clip.try_borrow().map_err(PyErr::from)?));
        }
        let Ok(name) = given.extract::<PathBuf>() else {
            return Err(Problem::Argument("expected a Clip, a file or the name of a built-in motion".into()));
        };
        let name = name.display().to_string();
        let read = given
            .py()
            .detach(|| loaded_motion::load(&name, &motion::Options::default(), &SubjectOptions::default()));
        Ok(ClipArgument::Read(Box::new(read?)))
    }
}

/// Time of each frame, s.
pub fn times<'py>(py: Python<'py>, clip: &library::Clip) -> Vector<'py> {
    vector(py, &(0..clip.frames()).map(|frame| clip.time(frame)).collect::<Vec<_>>())
}

#[pymethods]
impl Clip {
    /// A motion from poses q, shape (frames, nq), ``dt`` seconds apart. Quaternions are normalized, with continuous
    /// signs.
    #[new]
    #[pyo3(signature = (figure, q, dt, *, name="motion", start=0.0))]
    fn new(figure: &Figure, q: &Any, dt: f64, name: &str, start: f64) -> Answer<Clip> {
        let poses = Numbers::new("q", q)?;
        let rows = poses.shape().first().copied().unwrap_or(0);
        poses.check_shape("q", &[rows, figure.inner.forest().nq()])?;
        let clip = library::Clip::new(name, figure.inner.clone(), dt, poses.values().to_vec())?;
        Ok(Clip::from(clip.starting_at(start)))
    }

    /// A motion from a file (.bvh, .amc with its .asf, .npz, .mot with ``figure=MODEL.osim``, .json, keyframes .toml), or
    /// the built-in one of that name; ``anthropi.motions()`` has all names.
    ///
    /// A figure is built for the skeleton, a person if it is human; ``height``, ``mass`` and ``sex`` (female, male) describe
    /// the subject, ``figure`` retargets to another figure by name or file. For files that lack them: ``unit`` of length in
    /// metres, axis ``up`` (y, z), ``asf`` and ``fps`` of .amc files.
    #[staticmethod]
    #[pyo3(signature = (path, **options))]
    fn load(py: Python, path: PathBuf, options: Option<&Bound<PyDict>>) -> Answer<Clip> {
        let mut options = crate::options::Options::new(options)?;
        let (subject, how) = (subject(&mut options)?, motion_options(&mut options)?);
        options.expect_empty("Clip.load")?;
        let name = path.display().to_string();
        Ok(Clip { loaded: py.detach(|| loaded_motion::load(&name, &how, &subject))? })
    }

    /// Writes the motion in the format of the extension: .json (lossless), .bvh, .csv, .mot, .sto, .glb, .gltf, or a strip of
    /// poses as .svg. Returns what the format cannot hold.
    fn save(&self, py: Python, path: PathBuf) -> Answer<Vec<String>> {
        let is_bvh = has_extension(&path, &["bvh"]);
        let lost = py.detach(|| match &self.loaded.recording {
            Some(recording) if is_bvh => motion::save_recording(&path, recording),
            _ => loaded_motion::save(&self.loaded.clip, &path),
        });
        Ok(lost?.iter().map(ToString::to_string).collect())
    }

    /// Name.
    #[getter]
    fn name(&self) -> &str {
        &self.clip().name
    }

    /// The figure; a copy.
    #[getter]
    fn figure(&self) -> Figure {
        Figure::from_model(self.clip().figure().clone())
    }

    /// Seconds between frames.
    #[getter]
    fn dt(&self) -> f64 {
        self.clip().dt()
    }

    /// Frames per second.
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
    fn times<'py>(&self, py: Python<'py>) -> Vector<'py> {
        times(py, self.clip())
    }

    /// Poses, shape (frames, nq).
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let clip = self.clip();
        shaped(py, clip.poses().to_vec(), &[clip.frames(), clip.figure().forest().nq()])
    }

    /// Notes and warnings of the reader.
    #[getter]
    fn notes(&self) -> Vec<String> {
        let of_file = |(file, all): &(String, Vec<Warning>)| {
            all.iter().map(|w| format!("{file}: {w}")).collect::<Vec<_>>()
        };
        let warnings = self.loaded.warnings.iter().flat_map(of_file);
        texts(&self.loaded.notes).into_iter().chain(warnings).collect()
    }

    fn __len__(&self) -> usize {
        self.clip().frames()
    }

    /// The pose at a time, interpolated along the shortest path.
    fn sample<'py>(&self, py: Python<'py>, time: f64) -> Vector<'py> {
        let mut pose = vec![0.0; self.clip().figure().forest().nq()];
        // NaN gives the first pose
        self.clip().sample(if time.is_nan() { self.clip().start() } else { time }, &mut pose);
        vector(py, &pose)
    }

    /// Velocities and accelerations, shapes (frames, nv), after a low-pass of ``cutoff`` Hz.
    #[pyo3(signature = (cutoff=None))]
    fn derivatives<'py>(&self, py: Python<'py>, cutoff: Option<f64>) -> Answer<(Array<'py>, Array<'py>)> {
        let clip = self.clip();
        if let Some(value) = cutoff.filter(|hz| !(*hz > 0.0 && hz.is_finite())) {
            return Err(Problem::out_of_range("cutoff", value, "Hz above zero"));
        }
        let trajectory = py.detach(|| Trajectory::from_clip(clip, cutoff));
        let shape = [clip.frames(), clip.figure().forest().nv()];
        let rows = |of: &dyn Fn(usize) -> Vec<f64>| (0..shape[0]).flat_map(of).collect::<Vec<f64>>();
        let v = rows(&|frame| trajectory.v(frame).to_vec());
        let a = rows(&|frame| trajectory.a(frame).to_vec());
        Ok((shaped(py, v, &shape)?, shaped(py, a, &shape)?))
    }

    /// The part between two times.
    #[pyo3(name = "cut")]
    fn part(&self, start: f64, end: f64) -> Answer<Clip> {
        Ok(self.edited(self.clip().cut(start, end)?))
    }

    /// The same frames, ``speed`` times as fast.
    fn at_speed(&self, speed: f64) -> Answer<Clip> {
        Ok(self.edited(self.clip().at_speed(speed)?))
    }

    /// The motion at ``fps`` frames per second.
    fn resampled(&self, fps: f64) -> Answer<Clip> {
        Ok(self.edited(self.clip().resampled(1.0 / fps)?))
    }

    /// From the last frame to the first.
    fn reversed(&self) -> Clip {
        self.edited(self.clip().reversed())
    }

    /// Left and right swapped.
    fn mirrored(&self) -> Answer<Clip> {
        Ok(self.edited(self.clip().mirrored()?))
    }

    /// Rotated about the vertical (rad), then shifted (m).
    #[pyo3(signature = (shift=None, *, yaw=0.0))]
    fn moved(&self, shift: Option<&Any>, yaw: f64) -> Answer<Clip> {
        Ok(self.edited(self.clip().moved(point("shift", shift)?, yaw)?))
    }

    /// With a turn of the path (rad, to the left) between two times.
    fn turned(&self, angle: f64, start: f64, end: f64) -> Answer<Clip> {
        Ok(self.edited(self.clip().turned_path(angle, start, end)?))
    }

    /// Blend of this motion (weight 0) and another (weight 1); the weight is a number or a function of the seconds since
    /// the start. Walks are aligned by their touchdowns; a motion of another figure is retargeted first.
    #[pyo3(signature = (other, weight=None))]
    fn blend(&self, py: Python, other: &Clip, weight: Option<&Any>) -> Answer<Clip> {
        let other = loaded_motion::retarget_like(other.clip(), self.clip())?;
        let Some(weight) = weight.filter(|w| w.is_callable()) else {
            let weight = weight.map_or(Ok(WEIGHT), |w| w.extract::<f64>())?;
            return Ok(self.edited(py.detach(|| self.clip().blended(&other, |_| weight))?));
        };
        let wrong = std::cell::RefCell::new(None);
        let evaluate = |time: f64| {
            let value = weight.call1((time,)).and_then(|w| w.extract::<f64>());
            value.unwrap_or_else(|error| {
                wrong.borrow_mut().get_or_insert(error);
                f64::NAN
            })
        };
        let blended = self.clip().blended(&other, evaluate);
        match wrong.into_inner() {
            Some(error) => Err(error.into()),
            None => Ok(self.edited(blended?)),
        }
    }

    /// This motion followed by another, moved to where this one ends, with a cross-fade of ``fade`` seconds.
    #[pyo3(signature = (other, *, fade=FADE))]
    fn join(&self, other: &Clip, fade: f64) -> Answer<Clip> {
        let other = loaded_motion::retarget_like(other.clip(), self.clip())?;
        Ok(self.edited(self.clip().joined(&other, fade, Ease::Quintic)?))
    }

    /// This motion repeated, each repetition moved to where the previous one ends.
    #[pyo3(signature = (times, *, fade=FADE))]
    fn repeat(&self, times: usize, fade: f64) -> Answer<Clip> {
        Ok(self.edited(self.clip().looped(times, fade)?))
    }

    /// The motion scaled to another height (m) and mass (kg).
    #[pyo3(signature = (height=None, mass=None))]
    fn scaled(&self, height: Option<f64>, mass: Option<f64>) -> Answer<Clip> {
        Ok(self.edited(self.clip().with_stature_and_mass(height, mass, Pace::Same)?))
    }

    /// The motion retargeted to another figure, a file or a built-in name. The notes have the errors.
    #[pyo3(signature = (figure, *, height=None, mass=None))]
    fn retarget(&self, py: Python, figure: PathBuf, height: Option<f64>, mass: Option<f64>) -> Answer<Clip> {
        let subject = SubjectOptions {
            figure: Some(figure.display().to_string()),
            height,
            mass,
            ..SubjectOptions::default()
        };
        let clip = self.clip().clone();
        Ok(Clip {
            loaded: py.detach(|| loaded_motion::on_subject(Motion::Clip(clip), self.name(), &subject))?,
        })
    }

    /// Roughness: RMS joint jerk, rad/s^3.
    #[getter]
    fn jitter(&self) -> Option<f64> {
        self.clip().jitter(self.clip().frames())
    }

    /// A strip of poses (SVG).
    fn to_svg(&self) -> String {
        loaded_motion::strip(self.clip())
    }

    /// Shows the motion in the studio: embedded in a notebook, else in the browser. Without the program ``anthropi``, shows
    /// a strip of poses.
    fn show<'py>(slf: &Bound<'py, Self>) -> PyResult<Any<'py>> {
        slf.py().import("anthropi.show")?.call_method1("clip", (slf,))
    }

    /// Joint coordinates over time, as a matplotlib figure.
    fn plot<'py>(slf: &Bound<'py, Self>) -> PyResult<Any<'py>> {
        slf.py().import("anthropi.plot")?.call_method1("clip", (slf,))
    }

    fn _repr_svg_(&self) -> String {
        self.to_svg()
    }

    /// The motion with its figure as JSON.
    fn to_json(&self) -> String {
        motion::json::write(self.clip())
    }

    /// A motion from the JSON of ``to_json``.
    #[staticmethod]
    fn from_json(text: &str) -> Answer<Clip> {
        Ok(Clip::from(motion::json::read(text, "motion.json")?))
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
