//! Keyword options, as on the command line: subject, reader, inverse dynamics, filter.

use crate::arrays::Any;
use crate::error::{Answer, Problem};
use anthropi_app::filter_scene::{MODES, prop};
use anthropi_app::loaded_motion::SubjectOptions;
use anthropi_formats::motion;
use anthropi_motion::anthropometry::Sex;
use anthropi_motion::filter::{self, Mode, Solver};
use anthropi_motion::inverse::{self, Smoothing};
use anthropi_motion::recording::Up;
use anthropi_motion::surroundings::Surroundings;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// Keyword arguments; reading one removes it.
pub struct Options<'py>(Option<Bound<'py, PyDict>>);

impl<'py> Options<'py> {
    pub fn new(given: Option<&Bound<'py, PyDict>>) -> Answer<Options<'py>> {
        Ok(Options(given.map(|d| d.copy()).transpose()?))
    }

    /// The value of a keyword; a Python `None` counts as absent.
    pub fn take(&mut self, name: &str) -> Answer<Option<Bound<'py, PyAny>>> {
        let Some(all) = &self.0 else { return Ok(None) };
        let found = all.get_item(name)?;
        if found.is_some() {
            all.del_item(name)?;
        }
        Ok(found.filter(|value| !value.is_none()))
    }

    /// The value of a keyword, converted.
    pub fn get<T: FromPyObjectOwned<'py>>(&mut self, name: &str) -> Answer<Option<T>> {
        let Some(value) = self.take(name)? else { return Ok(None) };
        let wrong = |_| Problem::Argument(format!("{name}: {} is not of the right type", repr(&value)));
        value.extract().map(Some).map_err(wrong)
    }

    /// A number above zero.
    fn positive(&mut self, name: &str) -> Answer<Option<f64>> {
        let Some(value) = self.get::<f64>(name)? else { return Ok(None) };
        match value > 0.0 && value.is_finite() {
            true => Ok(Some(value)),
            false => Err(Problem::out_of_range(name, value, "more than zero")),
        }
    }

    /// One of a set of words.
    fn word<T: Copy>(&mut self, name: &'static str, words: &[(&str, T)]) -> Answer<Option<T>> {
        let Some(word) = self.get::<String>(name)? else { return Ok(None) };
        match words.iter().find(|(w, _)| *w == word) {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let all: Vec<&str> = words.iter().map(|(w, _)| *w).collect();
                let message = format!("{name} is `{word}`, expected {}", all.join(" or "));
                Err(Problem::Unknown { what: name, name: word, message })
            }
        }
    }

    /// Refuses unknown keywords.
    pub fn expect_empty(self, function: &str) -> Answer<()> {
        match self.0.and_then(|all| all.keys().get_item(0).ok()) {
            Some(name) => Err(Problem::Argument(format!(
                "{function} got an unexpected keyword argument {}",
                repr(&name)
            ))),
            None => Ok(()),
        }
    }
}

fn repr(value: &Any) -> String {
    value.repr().map_or_else(|_| "it".into(), |r| r.to_string())
}

/// Options of the subject.
pub fn subject(options: &mut Options) -> Answer<SubjectOptions> {
    let sexes = [("female", Sex::Female), ("male", Sex::Male)];
    Ok(SubjectOptions {
        figure: options.get::<PathBuf>("figure")?.map(|path| path.display().to_string()),
        height: options.positive("height")?,
        mass: options.positive("mass")?,
        sex: options.word("sex", &sexes)?.unwrap_or(Sex::Unknown),
        parts: options.get("parts")?,
        keep_lost_thorax: options.get("keep_lost_thorax")?.unwrap_or(false),
        toes: options.get("toes")?.unwrap_or(false),
        hinges: options.get("hinges")?.unwrap_or(false),
    })
}

/// Options of the reader.
pub fn motion_options(options: &mut Options) -> Answer<motion::Options> {
    Ok(motion::Options {
        unit: options.positive("unit")?,
        up: options.word("up", &[("y", Up::Y), ("z", Up::Z)])?,
        keep_first_frame: options.get("keep_first_frame")?.unwrap_or(false),
        skeleton: options.get("asf")?,
        rate: options.positive("fps")?,
    })
}

/// Options of the inverse dynamics.
pub fn forces(options: &mut Options) -> Answer<inverse::Options> {
    let default = inverse::Options::default();
    let ground = options.get::<f64>("ground")?;
    if let Some(value) = ground.filter(|height| !height.is_finite()) {
        return Err(Problem::out_of_range("ground", value, "a height in metres"));
    }
    let surroundings = surroundings(options)?;
    Ok(inverse::Options {
        surroundings,
        smoothing: smoothing(options.take("cutoff")?.as_ref())?,
        friction: options.positive("friction")?.unwrap_or(default.friction),
        ground,
        ..default
    })
}

/// The props: whether they are found, and those given, as on the command line.
fn surroundings(options: &mut Options) -> Answer<Surroundings> {
    let finds = options.word("props", &prop::FINDING)?.unwrap_or(true);
    let given = options.get::<Vec<String>>("prop")?.unwrap_or_default();
    let given = given.iter().map(|text| prop::parse(text)).collect::<Result<_, _>>();
    given
        .map(|given| Surroundings { finds, given })
        .map_err(|what| Problem::Argument(format!("prop: {what}")))
}

/// The low-pass: Hz, `auto` or `none`.
pub fn smoothing(given: Option<&Any>) -> Answer<Smoothing> {
    let Some(given) = given else { return Ok(Smoothing::Auto) };
    if let Ok(hz) = given.extract::<f64>() {
        if hz > 0.0 && hz.is_finite() {
            return Ok(Smoothing::At(hz));
        }
    } else if let Ok(word) = given.extract::<String>() {
        match word.as_str() {
            "auto" => return Ok(Smoothing::Auto),
            "none" => return Ok(Smoothing::None),
            _ => {}
        }
    }
    Err(Problem::Argument(format!("cutoff is {}, expected Hz above zero, 'auto' or 'none'", repr(given))))
}

/// Settings of the filter; friction and ground are those of the inverse dynamics.
pub fn filter(options: &mut Options, forces: &inverse::Options) -> Answer<filter::FilterSettings> {
    let solvers = [("qp", Solver::Qp), ("pinv", Solver::PseudoInverse)];
    let default = filter::FilterSettings::default();
    let strength = options.get::<f64>("strength")?.unwrap_or(default.strength);
    if !(strength > 0.0) {
        return Err(Problem::out_of_range("strength", strength, "more than zero; infinite for no limit"));
    }
    let mode = options.word("mode", &MODES)?.unwrap_or(default.mode);
    let solver = options.word("solver", &solvers)?.unwrap_or(default.solver);
    let max_assist = assist(options.take("assist")?.as_ref(), mode)?;
    if solver != Solver::Qp && max_assist.is_some_and(|limit| limit > 0.0) {
        return Err(Problem::Argument("assist needs solver 'qp'; 'none' is allowed".into()));
    }
    let retimes = retimes(options.take("speed")?.as_ref(), mode)?;
    if mode == Mode::Online && !forces.surroundings.given.is_empty() {
        return Err(Problem::Argument("prop needs mode 'offline': on-line only the ground carries".into()));
    }
    Ok(filter::FilterSettings {
        mode,
        max_assist: max_assist.unwrap_or(default.max_assist),
        retimes: retimes.unwrap_or(default.retimes),
        solver,
        strength,
        friction: forces.friction,
        ground: forces.ground,
        surroundings: forces.surroundings.clone(),
        ..default
    })
}

/// Largest assistance: body weights, `auto` or `none`.
fn assist(given: Option<&Any>, mode: Mode) -> Answer<Option<f64>> {
    let Some(given) = given else { return Ok(None) };
    let limit = match given.extract::<f64>() {
        Ok(limit) => Some(limit).filter(|limit| *limit > 0.0 && *limit <= 1.0),
        Err(_) => match given.extract::<String>().unwrap_or_default().as_str() {
            "auto" => Some(filter::FilterSettings::default().max_assist),
            "none" => Some(0.0),
            _ => None,
        },
    };
    match limit {
        Some(limit) if limit > 0.0 && mode == Mode::Online => Err(Problem::Argument(
            "assist needs mode 'offline': on-line a fall is not known in advance; 'none' is allowed".into(),
        )),
        Some(limit) => Ok(Some(limit)),
        None => Err(Problem::Argument(format!(
            "assist is {}, expected body weights above zero up to 1, 'auto' or 'none'",
            repr(given)
        ))),
    }
}

/// Whether motions labelled with the wrong frame rate are retimed: `auto`, or 1 for the given speed.
fn retimes(given: Option<&Any>, mode: Mode) -> Answer<Option<bool>> {
    let Some(given) = given else { return Ok(None) };
    match (given.extract::<f64>(), given.extract::<String>().as_deref()) {
        (Ok(1.0), _) => Ok(Some(false)),
        (_, Ok("auto")) if mode == Mode::Online => Err(Problem::Argument(
            "speed 'auto' needs mode 'offline': on-line the motion is not known in advance".into(),
        )),
        (_, Ok("auto")) => Ok(Some(true)),
        _ => Err(Problem::Argument(format!("speed is {}, expected 'auto' or 1", repr(given)))),
    }
}
