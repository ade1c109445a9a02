//! Options by keyword, as the command line has them: who moves, what files do not say, how forces are found, how motions
//! are filtered.

use crate::error::{Answer, Problem};
use anthropi_io::motion;
use anthropi_io::moving::Who;
use anthropi_motion::anthropometry::Sex;
use anthropi_motion::filter::{self, Mode, Solver};
use anthropi_motion::inverse::{self, Smoothing};
use anthropi_motion::recording::Up;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// Keywords that nobody has asked for yet.
pub struct Options<'py>(Option<Bound<'py, PyDict>>);

impl<'py> Options<'py> {
    pub fn of(given: Option<&Bound<'py, PyDict>>) -> Answer<Options<'py>> {
        Ok(Options(given.map(|d| d.copy()).transpose()?))
    }

    /// What was given for a keyword; `None` is as if it was not.
    pub fn take(&mut self, name: &str) -> Answer<Option<Bound<'py, PyAny>>> {
        let Some(all) = &self.0 else { return Ok(None) };
        let found = all.get_item(name)?;
        if found.is_some() {
            all.del_item(name)?;
        }
        Ok(found.filter(|value| !value.is_none()))
    }

    /// The same as a value of some type.
    pub fn get<T: FromPyObjectOwned<'py>>(&mut self, name: &str) -> Answer<Option<T>> {
        let Some(value) = self.take(name)? else { return Ok(None) };
        let wrong = |_| Problem::Argument(format!("{name}: {} is not of the right type", told(&value)));
        value.extract().map(Some).map_err(wrong)
    }

    /// A number above zero.
    fn positive(&mut self, name: &str) -> Answer<Option<f64>> {
        let Some(value) = self.get::<f64>(name)? else { return Ok(None) };
        if value > 0.0 && value.is_finite() {
            return Ok(Some(value));
        }
        let what = name.to_string();
        Err(anthropi_dynamics::Error::OutOfRange { what, value, expected: "more than zero" }.into())
    }

    /// One of some words.
    fn word<T: Copy>(&mut self, name: &'static str, words: &[(&str, T)]) -> Answer<Option<T>> {
        let Some(word) = self.get::<String>(name)? else { return Ok(None) };
        match words.iter().find(|(w, _)| *w == word) {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let all: Vec<&str> = words.iter().map(|(w, _)| *w).collect();
                let told = format!("{name} is `{word}`, expected {}", all.join(" or "));
                Err(Problem::Unknown { what: name, name: word, told })
            }
        }
    }

    /// Refuses what is left.
    pub fn expect_empty(self, function: &str) -> Answer<()> {
        match self.0.and_then(|all| all.keys().get_item(0).ok()) {
            Some(name) => Err(Problem::Argument(format!(
                "{function} got an unexpected keyword argument {}",
                told(&name)
            ))),
            None => Ok(()),
        }
    }
}

fn told(value: &Bound<PyAny>) -> String {
    value.repr().map_or_else(|_| "it".into(), |r| r.to_string())
}

/// Who moves.
pub fn who(options: &mut Options) -> Answer<Who> {
    let sexes = [("female", Sex::Female), ("male", Sex::Male)];
    Ok(Who {
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

/// What motion files do not say.
pub fn motion_options(options: &mut Options) -> Answer<motion::Options> {
    Ok(motion::Options {
        unit: options.positive("unit")?,
        up: options.word("up", &[("y", Up::Y), ("z", Up::Z)])?,
        keep_first_frame: options.get("keep_first_frame")?.unwrap_or(false),
        skeleton: options.get("asf")?,
        rate: options.positive("fps")?,
    })
}

/// How forces are found.
pub fn forces(options: &mut Options) -> Answer<inverse::Settings> {
    let usual = inverse::Settings::default();
    let ground = options.get::<f64>("ground")?;
    if let Some(value) = ground.filter(|height| !height.is_finite()) {
        let what = "ground".into();
        return Err(
            anthropi_dynamics::Error::OutOfRange { what, value, expected: "a height in metres" }.into()
        );
    }
    Ok(inverse::Settings {
        smoothing: smoothing(options.take("cutoff")?.as_ref())?,
        friction: options.positive("friction")?.unwrap_or(usual.friction),
        ground,
        ..usual
    })
}

/// Smoothing: Hz, `auto` or `none`.
pub fn smoothing(given: Option<&Bound<PyAny>>) -> Answer<Smoothing> {
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
    Err(Problem::Argument(format!("cutoff is {}, expected Hz above zero, 'auto' or 'none'", told(given))))
}

/// How motions are filtered; friction and ground are those of the forces.
pub fn filter(options: &mut Options, forces: &inverse::Settings) -> Answer<filter::Settings> {
    let modes = [("online", Mode::Online), ("offline", Mode::Offline)];
    let solvers = [("qp", Solver::Program), ("pinv", Solver::PseudoInverse)];
    let usual = filter::Settings::default();
    let strength = options.get::<f64>("strength")?.unwrap_or(usual.strength);
    if !(strength > 0.0) {
        let what = "strength".into();
        let expected = "more than zero; infinite for joints of any strength";
        return Err(anthropi_dynamics::Error::OutOfRange { what, value: strength, expected }.into());
    }
    Ok(filter::Settings {
        mode: options.word("mode", &modes)?.unwrap_or(usual.mode),
        solver: options.word("solver", &solvers)?.unwrap_or(usual.solver),
        strength,
        friction: forces.friction,
        ground: forces.ground,
        ..usual
    })
}
