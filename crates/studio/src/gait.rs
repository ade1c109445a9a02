//! Gait commands of an endless walk, in the words of a walk file.

use crate::Error;
use anthropi_app::builtin;
use anthropi_app::walk::{GaitRequest, NEUTRAL, WalkFile};
use anthropi_motion::gait::determinant::{Determinants, NAMES};
use anthropi_motion::gait::footsteps::Segment;
use anthropi_motion::gait::parameter::Stature;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
#[cfg(test)]
use ts_rs::TS;

/// A gait; omitted values come from the style. Of speed, step length and step frequency at most two can be set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(test, derive(TS))]
pub struct GaitCommand {
    /// m/s; zero means standing
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub speed: Option<f64>,
    /// m
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub step_length: Option<f64>,
    /// steps per second
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub step_frequency: Option<f64>,
    /// name of a style
    pub style: String,
    /// run instead of walk
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub runs: bool,
    /// left turn per step, degrees
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(test, ts(optional, as = "Option<f64>"))]
    pub turn_deg: f64,
    /// amplitudes of gait determinants relative to the style's: 0 is off, 1 the default
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(test, ts(optional, type = "Record<string, number>"))]
    pub determinants: BTreeMap<String, f64>,
}

fn is_false(x: &bool) -> bool {
    !x
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl Default for GaitCommand {
    fn default() -> GaitCommand {
        GaitCommand {
            speed: None,
            step_length: None,
            step_frequency: None,
            style: NEUTRAL.into(),
            runs: false,
            turn_deg: 0.0,
            determinants: BTreeMap::new(),
        }
    }
}

impl GaitCommand {
    /// The gait of a walker of a stature; `None` for standing.
    ///
    /// # Errors
    /// Unknown styles and determinants, values out of range.
    pub fn segment(&self, stature: Stature) -> Result<Option<Segment>, Error> {
        if self.speed == Some(0.0) {
            return Ok(None);
        }
        let request = GaitRequest {
            steps: Some(1),
            speed: self.speed,
            step_length: self.step_length,
            step_frequency: self.step_frequency,
            gait: self.runs.then(|| "run".into()),
            style: Some(self.style.clone()),
            turn_deg: Some(self.turn_deg),
            determinants: self.determinants.clone(),
            ..GaitRequest::default()
        };
        let segment = request.resolve(&[], &builtin::style).map_err(anthropi_formats::Error::from)?;
        Ok(WalkFile::new("gait", vec![segment]).segments(stature)?.first().copied())
    }
}

/// A style to choose.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Choice {
    /// name of the style
    pub name: &'static str,
    /// description
    pub what: &'static str,
}

/// A determinant to scale.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct DeterminantChoice {
    /// name of the determinant
    pub name: &'static str,
    /// largest amplitude
    pub most: f64,
}

/// Styles and determinants of an endless walk.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct GaitChoices {
    /// built-in styles
    pub styles: Vec<Choice>,
    /// the six determinants of gait
    pub determinants: Vec<DeterminantChoice>,
}

impl GaitChoices {
    /// All of them.
    pub fn all() -> GaitChoices {
        GaitChoices {
            styles: builtin::STYLES.iter().map(|b| Choice { name: b.name, what: b.what }).collect(),
            determinants: NAMES
                .iter()
                .map(|name| DeterminantChoice { name, most: Determinants::max_amplitude(name) })
                .collect(),
        }
    }
}
