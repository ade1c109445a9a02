//! `walk`: a figure walks from parameters and words.

use crate::arrays::{Array, shaped, vector};
use crate::clip::Clip;
use crate::error::{Answer, Problem};
use crate::options::Options;
use crate::signals::stoppable;
use crate::told;
use anthropi_io::walking::{self, Person, Walking};
use anthropi_io::{builtin, filtering, load};
use anthropi_motion::gait::Walked;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A walk that was walked.
#[pyclass(module = "anthropi")]
pub struct Walk {
    walked: Walked,
}

/// Walks from parameters and words, or a script: by torques within human strength and forces of the ground inside
/// friction, towards a plan.
///
/// Without a script: any one or two of ``speed`` (m/s), ``step_length`` (m) and ``step_frequency`` (steps a second);
/// ``style``, a word of ``anthropi.styles()`` or a file; ``steps``; ``gait`` walk, run or jump; ``jump_height`` (m);
/// ``turn_deg``; ``slope_deg``; ``stairs`` (rise, tread); ``determinants``, amplitudes by name. Always: ``figure``,
/// ``height``, ``mass``, ``load_kg``, ``friction``.
#[pyfunction]
#[pyo3(signature = (script=None, **options))]
pub fn walk(py: Python, script: Option<PathBuf>, options: Option<&Bound<PyDict>>) -> Answer<Walk> {
    let mut options = Options::of(options)?;
    let mut walking = match script {
        Some(script) => read(&script)?,
        None => walking::read(&one_stretch(&mut options)?, "walk", Some(Path::new(".")))?,
    };
    walking.figure = options.get::<PathBuf>("figure")?.map(|p| p.display().to_string()).or(walking.figure);
    walking.height = options.get("height")?.or(walking.height);
    walking.mass = options.get("mass")?.or(walking.mass);
    walking.load = options.get("load_kg")?.or(walking.load);
    walking.friction = options.get("friction")?.or(walking.friction);
    options.expect_empty("walk")?;
    let [least, most] = walking::FRICTIONS;
    if let Some(value) = walking.friction.filter(|mu| !(least..=most).contains(mu)) {
        let (what, expected) = ("friction".into(), "0.01 (ice) to 5");
        return Err(anthropi_dynamics::Error::OutOfRange { what, value, expected }.into());
    }
    let walked = stoppable(py, |look| -> Result<Walked, anthropi_io::Error> {
        let person = Person::of(&walking, Vec::new())?;
        let walker = person.walker()?;
        let stretches = walking.stretches(walker.stature(person.figure.stature))?;
        let settings = person.settings(&walking)?;
        let mut walked = walker.walk(&stretches, &settings, &mut |_| look(), &mut |_| ())?;
        walked.filtered.clip.name.clone_from(&walking.name);
        Ok(walked)
    });
    Ok(Walk { walked: walked?? })
}

/// A script by the name of a built-in one, or a file.
fn read(script: &Path) -> Answer<Walking> {
    let name = script.display().to_string();
    if let Some(walking) = builtin::walk(&name) {
        return Ok(walking?);
    }
    if script.extension().is_none() {
        let all: Vec<String> = builtin::walks().iter().map(|b| b.name.to_string()).collect();
        return Err(anthropi_io::Error::Unknown { what: "built-in walk", name, all }.into());
    }
    Ok(walking::read(&load::text(script)?, &name, script.parent())?)
}

/// Keywords of a stretch as our own format has them; its reader checks them.
fn one_stretch(options: &mut Options) -> Answer<String> {
    let mut text = String::from("[[stretch]]\n");
    let mut say = |name: &str, value: Value| {
        let _ = writeln!(text, "{name} = {value}");
    };
    for name in ["speed", "step_length", "step_frequency", "jump_height", "turn_deg", "slope_deg"] {
        if let Some(value) = options.get::<f64>(name)? {
            if !value.is_finite() {
                return Err(anthropi_dynamics::Error::NotFinite { what: name.into() }.into());
            }
            say(name, value.into());
        }
    }
    for name in ["style", "gait"] {
        options
            .get::<PathBuf>(name)?
            .into_iter()
            .for_each(|word| say(name, word.display().to_string().into()));
    }
    options.get::<u64>("steps")?.into_iter().for_each(|steps| say("steps", steps.into()));
    let table = |entries: &[(String, f64)]| {
        let each: Vec<String> = entries.iter().map(|(name, x)| format!("{name} = {}", json!(x))).collect();
        format!("{{ {} }}", each.join(", "))
    };
    if let Some((rise, tread)) = options.get::<(f64, f64)>("stairs")? {
        let _ = writeln!(text, "stairs = {}", table(&[("rise".into(), rise), ("tread".into(), tread)]));
    }
    if let Some(given) = options.take("determinants")? {
        let wrong = |_| Problem::Argument("determinants: expected names and amplitudes".into());
        let given = given.cast_into::<PyDict>().map_err(|_| wrong(()))?;
        let mut entries = Vec::new();
        for (name, amount) in given {
            let name: String = name.extract().map_err(|_| wrong(()))?;
            if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                return Err(wrong(()));
            }
            entries.push((name, amount.extract().map_err(|_| wrong(()))?));
        }
        let _ = writeln!(text, "determinants = {}", table(&entries));
    }
    Ok(text)
}

#[pymethods]
impl Walk {
    /// The motion.
    #[getter]
    fn clip(&self) -> Clip {
        Clip::of(self.walked.filtered.clip.clone())
    }

    /// When it fell, s; ``None`` where it did not.
    #[getter]
    fn fell(&self) -> Option<f64> {
        self.walked.fell()
    }

    /// As measured over the steady steps: speed (m/s), step_length (m), step_frequency (1/s), double_support and flight
    /// (parts of the cycle), steps.
    #[getter]
    fn measured<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyAny>> {
        let m = &self.walked.measured;
        told::to_python(
            py,
            &json!({
                "speed": m.speed, "step_length": m.length, "step_frequency": m.frequency,
                "double_support": m.double_support, "flight": m.flight, "steps": m.steps,
            }),
        )
    }

    /// What its forces prove, as ``anthropi walk --json`` has it.
    #[getter]
    fn certificate<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyAny>> {
        told::to_python(py, &filtering::certificate(&self.walked.filtered))
    }

    /// Times of the forces, s: every millisecond.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.walked.samples.iter().map(|s| s.time).collect::<Vec<_>>())
    }

    /// Forces of the ground, N, shape (instants, 2, 3): left foot, right foot; world axes.
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
