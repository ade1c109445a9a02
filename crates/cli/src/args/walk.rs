//! What people type for `walk`.

use super::edit::numbers;
use super::filter::shove;
use super::step::StepArgs;
use super::{above_zero, motion::finite, whole};
use anthropi_io::filtering::Shove;
use anthropi_io::walking::{self, FRICTIONS, MAX_STEPS, rounded};
use anthropi_motion::gait::determinant::{Determinants, NAMES};
use anthropi_motion::gait::ground::Ground;
use anthropi_motion::gait::parameter::Kind;
use clap::{Args as Group, ValueEnum};
use std::path::PathBuf;

/// Arguments of `walk`.
#[derive(Debug, Group)]
pub struct WalkArgs {
    /// A walk in stretches (.toml), or the name of a built-in one [default: one stretch, as the options say]
    #[arg(value_name = "SCRIPT")]
    pub script: Option<String>,
    /// Write the motion: .bvh, .csv, .json, .mot, .sto, .glb, .gltf, or a strip of poses as .svg
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a page with pictures and plots
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Write a picture of one cycle: hips, knees, ankles and forces
    #[arg(long, value_name = "FILE.svg")]
    pub cycle: Option<PathBuf>,
    /// Directory for all states and forces, to be checked by other engines; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub way: WayArgs,
    #[command(flatten)]
    pub step: StepArgs,
    /// Who walks: a file or the name of a built-in figure [default: the script's own, else anthropi-42]
    #[arg(long, value_name = "FILE|NAME", help_heading = "Options for who walks")]
    pub figure: Option<String>,
    /// Scale the figure to this height, m
    #[arg(long, value_name = "M", value_parser = above_zero, allow_negative_numbers = true, help_heading = "Options for who walks")]
    pub height: Option<f64>,
    /// Scale the figure to this mass, kg
    #[arg(long, value_name = "KG", value_parser = above_zero, allow_negative_numbers = true, help_heading = "Options for who walks")]
    pub mass: Option<f64>,
    /// A pack on the back, kg
    #[arg(long, value_name = "KG", value_parser = finite, allow_negative_numbers = true, help_heading = "Options for who walks")]
    pub load: Option<f64>,
    /// TOML file that says which link is which part of the body, where that is not recognised
    #[arg(long, value_name = "FILE", help_heading = "Options for who walks")]
    pub parts: Option<PathBuf>,
    /// Coefficient of friction of the ground [default: the script's own, else 0.8]
    #[arg(long, value_name = "MU", value_parser = friction, allow_negative_numbers = true, help_heading = "Options for what happens")]
    pub friction: Option<f64>,
    /// A force (N, world axes; x is ahead) on the middle of a link, from a time on (s) for a while, unawares; may be given
    /// again; takes the place of the script's own pushes
    #[arg(long, value_name = "LINK,AT,FOR,FX,FY,FZ", value_parser = shove, allow_hyphen_values = true, help_heading = "Options for what happens")]
    pub push: Vec<Shove>,
}

/// How one stretch is walked.
#[derive(Clone, Debug, Group)]
#[command(next_help_heading = "Options for the walk, where no script is given")]
pub struct WayArgs {
    /// m/s; any one or two of speed, step length and step frequency
    #[arg(long, value_name = "V", value_parser = finite, allow_negative_numbers = true)]
    pub speed: Option<f64>,
    /// m; of a jump how far feet go
    #[arg(long, value_name = "L", value_parser = finite, allow_negative_numbers = true)]
    pub step_length: Option<f64>,
    /// Steps a second
    #[arg(long, value_name = "F", value_parser = finite, allow_negative_numbers = true)]
    pub step_frequency: Option<f64>,
    /// A manner of walking: a word (see `anthropi list`) or a file of your own [default: neutral]
    #[arg(long, value_name = "WORD|FILE.toml")]
    pub style: Option<String>,
    /// Turn over all steps, degrees to the left
    #[arg(long, value_name = "DEG", value_parser = finite, allow_negative_numbers = true)]
    pub turn: Option<f64>,
    /// Of a jump: rise of the centre of mass after the feet have left, m [default: 0.2, times what the style has]
    #[arg(long, value_name = "M", value_parser = finite, allow_negative_numbers = true)]
    pub jump_height: Option<f64>,
    /// Steady steps; those to start and to stop are added [default: 10]; or jumps [default: 1]
    #[arg(long, value_name = "N", value_parser = steps, allow_negative_numbers = true)]
    pub steps: Option<u64>,
    /// Walk, run or jump [default: walk]
    #[arg(long, value_enum)]
    pub gait: Option<GaitWord>,
    /// Uphill, degrees; below zero downhill
    #[arg(long, value_name = "DEG", value_parser = slope, allow_negative_numbers = true, conflicts_with = "stairs")]
    pub slope: Option<Ground>,
    /// Stairs, m: height (below zero: downstairs) and depth of each; one a step
    #[arg(long, value_name = "RISE,TREAD", value_parser = stairs, allow_hyphen_values = true)]
    pub stairs: Option<Ground>,
    /// Amplitude of a determinant of gait, 0 off, 1 usual; may be given again
    #[arg(long, value_name = "NAME=AMOUNT", value_parser = determinant, long_help = determinant_help())]
    pub determinant: Vec<(String, f64)>,
    /// A determinant of gait that is left out; may be given again
    #[arg(long, value_name = "NAME", value_parser = name_of_determinant)]
    pub without: Vec<String>,
}

impl WayArgs {
    /// The first option that is given, if any is.
    pub fn given(&self) -> Option<&'static str> {
        let all = [
            ("--speed", self.speed.is_some()),
            ("--step-length", self.step_length.is_some()),
            ("--step-frequency", self.step_frequency.is_some()),
            ("--jump-height", self.jump_height.is_some()),
            ("--style", self.style.is_some()),
            ("--turn", self.turn.is_some()),
            ("--steps", self.steps.is_some()),
            ("--gait", self.gait.is_some()),
            ("--slope", self.slope.is_some()),
            ("--stairs", self.stairs.is_some()),
            ("--determinant", !self.determinant.is_empty()),
            ("--without", !self.without.is_empty()),
        ];
        all.iter().find(|(_, is)| *is).map(|(option, _)| *option)
    }
}

/// How feet go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GaitWord {
    /// a foot always stands
    Walk,
    /// the figure flies between steps
    Run,
    /// both feet leave and land together
    Jump,
}

impl From<GaitWord> for Kind {
    fn from(word: GaitWord) -> Kind {
        match word {
            GaitWord::Walk => Kind::Walk,
            GaitWord::Run => Kind::Run,
            GaitWord::Jump => Kind::Jump,
        }
    }
}

fn determinant_help() -> String {
    let each = |name: &&str| format!("{name} (to {})", rounded(Determinants::most(name)));
    let all: Vec<String> = NAMES.iter().map(each).collect();
    format!("Amplitude of a determinant of gait, 0 off, 1 usual; may be given again: {}", all.join(", "))
}

fn name_of_determinant(text: &str) -> Result<String, String> {
    match NAMES.contains(&text) {
        true => Ok(text.into()),
        false => Err(format!("there is no determinant `{text}`; there is {}", NAMES.join(", "))),
    }
}

fn determinant(text: &str) -> Result<(String, f64), String> {
    let wrong = || format!("expected a determinant and its amplitude such as pelvic_list=0.5, got `{text}`");
    let (name, amount) = text.split_once('=').ok_or_else(wrong)?;
    let name = name_of_determinant(name.trim())?;
    let amount: f64 = amount.trim().parse().map_err(|_| wrong())?;
    let most = Determinants::most(&name);
    match (0.0..=most + 1e-9).contains(&amount) {
        true => Ok((name, amount)),
        false => Err(format!("the amplitude of `{name}` is {amount}, expected 0 (off) to {}", rounded(most))),
    }
}

fn steps(text: &str) -> Result<u64, String> {
    whole(text, 1, MAX_STEPS as u64)
}

fn slope(text: &str) -> Result<Ground, String> {
    walking::slope_of(finite(text)?)
}

fn stairs(text: &str) -> Result<Ground, String> {
    let [rise, tread] = numbers::<2>(text, "rise and tread in metres such as 0.17,0.30")?;
    walking::stairs_of(rise, tread)
}

fn friction(text: &str) -> Result<f64, String> {
    match finite(text)? {
        mu if (FRICTIONS[0]..=FRICTIONS[1]).contains(&mu) => Ok(mu),
        mu => Err(format!("friction of {mu} is asked for; expected {} to {}", FRICTIONS[0], FRICTIONS[1])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn determinants_have_a_name_and_an_amplitude_in_range() {
        assert_eq!(determinant("pelvic_list = 0.5"), Ok(("pelvic_list".into(), 0.5)));
        for bad in ["", "pelvic_list", "list=1", "pelvic_list=9", "pelvic_list=-1", "foot=NaN", "foot=x"] {
            assert!(determinant(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn stairs_and_slopes_are_those_that_people_walk() {
        assert_eq!(stairs("-0.17,0.3"), Ok(Ground::Stairs { rise: -0.17, tread: 0.3 }));
        assert_eq!(slope("0"), Ok(Ground::Level));
        for bad in ["0.17", "0.17,0.01", "2,0.3", "a,b"] {
            assert!(stairs(bad).is_err(), "{bad}");
        }
        assert!(slope("60").is_err() && friction("0").is_err() && friction("0.5") == Ok(0.5));
    }
}
