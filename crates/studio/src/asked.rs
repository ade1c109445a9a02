//! A gait that is asked for, in words that can be logged: as a stretch of a walk is written.

use crate::Error;
use anthropi_io::builtin;
use anthropi_io::walking::{Lasts, NEUTRAL, Part, Walking};
use anthropi_motion::gait::determinant::{Determinants, NAMES};
use anthropi_motion::gait::parameter::{Kind, Request, Stature};
use anthropi_motion::gait::steps::Stretch;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How somebody is to walk; what is not said is as usual in the style.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Asked {
    /// m/s; none or any two of the three, and zero is standing
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// m
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_length: Option<f64>,
    /// steps a second
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_frequency: Option<f64>,
    /// a word
    pub style: String,
    /// whether it runs
    #[serde(skip_serializing_if = "is_false")]
    pub runs: bool,
    /// to the left with each step, degrees
    #[serde(skip_serializing_if = "is_zero")]
    pub turn_deg: f64,
    /// amplitudes that differ from the style's; 0 off, 1 usual
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub determinants: BTreeMap<String, f64>,
}

fn is_false(x: &bool) -> bool {
    !x
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl Default for Asked {
    fn default() -> Asked {
        Asked {
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

impl Asked {
    /// The gait as somebody walks it; none for standing.
    ///
    /// # Errors
    /// Words that are not known, numbers nobody walks with.
    pub fn stretch(&self, who: Stature) -> Result<Option<Stretch>, Error> {
        if self.speed == Some(0.0) {
            return Ok(None);
        }
        let styles = || builtin::styles().iter().map(|b| b.name).collect::<Vec<_>>().join(", ");
        let mut manner = builtin::style(&self.style)
            .ok_or_else(|| Error(format!("there is no style `{}`; there are {}", self.style, styles())))??;
        for (name, amplitude) in &self.determinants {
            let of = manner.style.determinants.get_mut(name);
            let unknown =
                || Error(format!("there is no determinant `{name}`; there are {}", NAMES.join(", ")));
            *of.ok_or_else(unknown)? = *amplitude;
        }
        if !self.turn_deg.is_finite() {
            return Err(Error(format!("the turn is {}, expected a number", self.turn_deg)));
        }
        let request = Request {
            speed: self.speed,
            length: self.step_length,
            frequency: self.step_frequency,
            height: None,
        };
        let part = Part {
            lasts: Lasts::Steps(1),
            request,
            kind: if self.runs { Kind::Run } else { Kind::Walk },
            manner,
            turn: self.turn_deg.to_radians(),
            ..Part::default()
        };
        Ok(Walking::of("gait", vec![part]).stretches(who)?.first().copied())
    }

    /// What can be asked for: styles and determinants.
    pub fn choices() -> Value {
        let styles: Vec<Value> =
            builtin::styles().iter().map(|b| json!({ "name": b.name, "what": b.what })).collect();
        let determinants: Vec<Value> =
            NAMES.iter().map(|name| json!({ "name": name, "most": Determinants::most(name) })).collect();
        json!({ "styles": styles, "determinants": determinants })
    }
}
