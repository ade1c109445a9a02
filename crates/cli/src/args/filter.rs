//! What people type for `filter`.

use super::{EditArgs, ForceArgs, MotionArgs, PersonArgs, above_zero};
use anthropi_motion::filter::Mode;
use clap::{Args as Group, ValueEnum};
use std::path::PathBuf;

/// Arguments of `filter`.
#[derive(Debug, Group)]
pub struct FilterArgs {
    /// A motion file, or the name of a built-in motion
    #[arg(value_name = "MOTION")]
    pub input: String,
    /// Where to write the filtered motion: .bvh, .csv, .json, .mot, .sto, .glb, .gltf, or a strip of poses as .svg
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a page with pictures and plots
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Directory for all states and forces, to be checked by other engines; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub how: HowArgs,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub edit: EditArgs,
    #[command(flatten)]
    pub person: PersonArgs,
    #[command(flatten)]
    pub motion: MotionArgs,
}

/// How a motion is filtered. The choice of a solver belongs here.
#[derive(Debug, Group)]
#[command(next_help_heading = "Options for the filter")]
pub struct HowArgs {
    /// How much of the motion is known
    #[arg(long, value_enum, default_value_t = ModeWord::Offline)]
    pub mode: ModeWord,
    /// Human strength times this, or `none` for joints of any strength
    #[arg(long, value_name = "TIMES", default_value = "1", value_parser = strength, allow_negative_numbers = true)]
    pub strength: f64,
}

/// How much of the motion the filter may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeWord {
    /// what has come, and one frame
    Online,
    /// all
    Offline,
}

impl ModeWord {
    /// As people type it.
    pub fn name(self) -> &'static str {
        match self {
            ModeWord::Online => "online",
            ModeWord::Offline => "offline",
        }
    }
}

impl From<ModeWord> for Mode {
    fn from(word: ModeWord) -> Mode {
        match word {
            ModeWord::Online => Mode::Online,
            ModeWord::Offline => Mode::Offline,
        }
    }
}

fn strength(text: &str) -> Result<f64, String> {
    match text.trim() {
        "none" => Ok(f64::INFINITY),
        number => {
            above_zero(number).map_err(|_| format!("expected a number above zero or `none`, got `{text}`"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strength_is_a_number_or_none() {
        assert_eq!((strength("1.5"), strength("none")), (Ok(1.5), Ok(f64::INFINITY)));
        for bad in ["", "0", "-1", "inf", "NaN", "strong"] {
            assert!(strength(bad).is_err(), "{bad}");
        }
    }
}
