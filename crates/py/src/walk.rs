//! `walk`: walks from gait parameters and styles.

use crate::arrays::{Any, Array, Vector, shaped, vector};
use crate::clip::Clip;
use crate::error::{Answer, Problem};
use crate::json;
use crate::options::Options;
use crate::signals::stoppable;
use anthropi_app::resolve;
use anthropi_app::result::ForceCertificate;
use anthropi_app::walk::{
    FRICTIONS, GaitRequest, PreparedWalk, SegmentRequest, StairsRequest, WalkFile, find_style,
};
use anthropi_motion::gait::WalkResult;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};

/// A simulated walk.
#[pyclass(module = "anthropi")]
pub struct Walk {
    walked: WalkResult,
}

/// Generates a walk from gait parameters and a style, or from a script. Joint torques stay within human strength and
/// ground forces within friction.
///
/// Without a script: any one or two of ``speed`` (m/s), ``step_length`` (m) and ``step_frequency`` (steps per second);
/// ``style``, a name from ``anthropi.styles()`` or a file; ``steps``; ``gait``: walk, run or jump; ``jump_height`` (m);
/// ``turn_deg``; ``slope_deg``; ``stairs`` (rise, tread); ``determinants``, amplitudes by name. With or without a script:
/// ``figure``, ``height``, ``mass``, ``load_kg``, ``friction``.
#[pyfunction]
#[pyo3(signature = (script=None, **options))]
pub fn walk(py: Python, script: Option<PathBuf>, options: Option<&Bound<PyDict>>) -> Answer<Walk> {
    let mut options = Options::new(options)?;
    let mut walk = match script {
        Some(script) => resolve::walk(&script.to_string_lossy())?,
        None => WalkFile::new("walk", vec![segment(&mut options)?]),
    };
    walk.figure = options.get::<PathBuf>("figure")?.map(|p| p.display().to_string()).or(walk.figure);
    walk.height = options.get("height")?.or(walk.height);
    walk.mass = options.get("mass")?.or(walk.mass);
    walk.load = options.get("load_kg")?.or(walk.load);
    walk.friction = options.get("friction")?.or(walk.friction);
    options.expect_empty("walk")?;
    let [least, most] = FRICTIONS;
    if let Some(value) = walk.friction.filter(|mu| !(least..=most).contains(mu)) {
        return Err(Problem::out_of_range("friction", value, "0.01 (ice) to 5"));
    }
    let walked = stoppable(py, |look| PreparedWalk::new(walk, &[])?.run(&mut |_| look(), &mut |_| ()));
    Ok(Walk { walked: walked?? })
}

/// The segment requested by the keywords.
fn segment(options: &mut Options) -> Answer<SegmentRequest> {
    let mut number = |name: &str| match options.get::<f64>(name)? {
        Some(value) if !value.is_finite() => {
            Err(Problem::from(anthropi_dynamics::Error::NotFinite { what: name.into() }))
        }
        value => Ok(value),
    };
    let mut request = GaitRequest {
        speed: number("speed")?,
        step_length: number("step_length")?,
        step_frequency: number("step_frequency")?,
        jump_height: number("jump_height")?,
        turn_deg: number("turn_deg")?,
        slope_deg: number("slope_deg")?,
        ..GaitRequest::default()
    };
    request.steps = options.get("steps")?;
    request.gait = options.get("gait")?;
    request.style = options.get::<PathBuf>("style")?.map(|path| path.display().to_string());
    request.stairs = options.get("stairs")?.map(|(rise, tread)| StairsRequest { rise, tread });
    request.determinants = options.get("determinants")?.unwrap_or_default();
    let find_style = |name: &str| find_style(name, Some(Path::new(".")));
    Ok(request.resolve(&[], &find_style).map_err(anthropi_formats::Error::from)?)
}

#[pymethods]
impl Walk {
    /// The motion.
    #[getter]
    fn clip(&self) -> Clip {
        Clip::from(self.walked.filtered.clip.clone())
    }

    /// Time of the fall, s; ``None`` without a fall.
    #[getter]
    fn fell(&self) -> Option<f64> {
        self.walked.fell()
    }

    /// Measures over the steady steps: speed (m/s), step_length (m), step_frequency (1/s), double_support and flight
    /// (fractions of the cycle), steps.
    #[getter]
    fn measured<'py>(&self, py: Python<'py>) -> Answer<Any<'py>> {
        json::to_python(py, &self.walked.measured)
    }

    /// Certificate by the controller's own forces, as in ``anthropi walk --json``.
    #[getter]
    fn certificate<'py>(&self, py: Python<'py>) -> Answer<Any<'py>> {
        json::to_python(py, &ForceCertificate::new(&self.walked.filtered))
    }

    /// Times of the ground reaction forces, s: every millisecond.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Vector<'py> {
        vector(py, &self.walked.samples.iter().map(|s| s.time).collect::<Vec<_>>())
    }

    /// Ground reaction forces, N, shape (instants, 2, 3): left foot, right foot; world axes.
    #[getter]
    fn ground_forces<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let samples = &self.walked.samples;
        let all = samples.iter().flat_map(|s| s.force).flat_map(|f| f.to_array()).collect();
        shaped(py, all, &[samples.len(), 2, 3])
    }

    fn __repr__(&self) -> String {
        let (name, m) = (&self.walked.filtered.clip.name, &self.walked.measured);
        format!("<Walk {name}: {:.2} m/s, steps of {:.2} m>", m.speed, m.length)
    }
}
