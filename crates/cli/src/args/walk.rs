//! Arguments of `walk`.

use super::edit::numbers;
use super::filter::push;
use super::step::StepArgs;
use super::{above_zero, motion::finite, whole};
use anthropi_app::filter_scene::NamedForce;
use anthropi_app::walk::{FRICTIONS, MAX_RISE, MAX_SLOPE_DEG, MAX_STEPS, StairsRequest, TREADS, rounded};
use anthropi_motion::gait::determinant::{Determinants, NAMES};
use anthropi_motion::gait::parameter::Kind;
use clap::Args as Group;
use std::path::PathBuf;

/// Arguments of `walk`.
#[derive(Debug, Group)]
pub struct WalkArgs {
    /// Walk script (.toml) or built-in walk [default: one segment with the options below]
    #[arg(value_name = "SCRIPT")]
    pub script: Option<String>,
    /// Write the motion: .bvh, .csv, .json, .mot, .sto, .glb, .gltf, or a strip of poses as .svg
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write an HTML report
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Write plots of the gait cycle: hips, knees, ankles and forces
    #[arg(long, value_name = "FILE.svg")]
    pub cycle: Option<PathBuf>,
    /// Write all states and forces to this folder, for verification by other engines
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub segment: SegmentArgs,
    #[command(flatten)]
    pub step: StepArgs,
    /// File or built-in figure [default: that of the script, or anthropi-42]
    #[arg(long, value_name = "FILE|NAME", help_heading = "Options for the figure")]
    pub figure: Option<String>,
    /// Scale the figure to this height, m
    #[arg(long, value_name = "M", value_parser = above_zero, allow_negative_numbers = true, help_heading = "Options for the figure")]
    pub height: Option<f64>,
    /// Scale the figure to this mass, kg
    #[arg(long, value_name = "KG", value_parser = above_zero, allow_negative_numbers = true, help_heading = "Options for the figure")]
    pub mass: Option<f64>,
    /// Add a backpack, kg
    #[arg(long, value_name = "KG", value_parser = finite, allow_negative_numbers = true, help_heading = "Options for the figure")]
    pub load: Option<f64>,
    /// TOML file that maps unrecognised links to body parts
    #[arg(long, value_name = "FILE", help_heading = "Options for the figure")]
    pub parts: Option<PathBuf>,
    /// Coefficient of friction of the ground [default: that of the script, or 0.8]
    #[arg(long, value_name = "MU", value_parser = friction, allow_negative_numbers = true, help_heading = "Options for the environment")]
    pub friction: Option<f64>,
    /// Push a link at its centre: start (s), duration (s) and force (N, world axes; x is forward). The controller does not
    /// anticipate it. Repeatable; replaces the pushes of the script
    #[arg(long, value_name = "LINK,AT,FOR,FX,FY,FZ", value_parser = push, allow_hyphen_values = true, help_heading = "Options for the environment")]
    pub push: Vec<NamedForce>,
}

/// Options of one segment.
#[derive(Clone, Debug, Group)]
#[command(next_help_heading = "Options for a walk without a script")]
pub struct SegmentArgs {
    /// Speed, m/s; give any one or two of speed, step length and step frequency
    #[arg(long, value_name = "V", value_parser = finite, allow_negative_numbers = true)]
    pub speed: Option<f64>,
    /// Step length, m; of a jump, its distance
    #[arg(long, value_name = "L", value_parser = finite, allow_negative_numbers = true)]
    pub step_length: Option<f64>,
    /// Step frequency, steps per second
    #[arg(long, value_name = "F", value_parser = finite, allow_negative_numbers = true)]
    pub step_frequency: Option<f64>,
    /// Style: a name (see `anthropi list`) or a file [default: neutral]
    #[arg(long, value_name = "WORD|FILE.toml")]
    pub style: Option<String>,
    /// Total turn over all steps, degrees to the left
    #[arg(long, value_name = "DEG", value_parser = finite, allow_negative_numbers = true)]
    pub turn: Option<f64>,
    /// Height of a jump: rise of the centre of mass after take-off, m [default: 0.1, scaled by the style]
    #[arg(long, value_name = "M", value_parser = finite, allow_negative_numbers = true)]
    pub jump_height: Option<f64>,
    /// Number of steady steps, without those to start and stop [default: 10], or of jumps [default: 1]
    #[arg(long, value_name = "N", value_parser = steps, allow_negative_numbers = true)]
    pub steps: Option<u64>,
    /// Gait [default: walk]
    #[arg(long, value_enum)]
    pub gait: Option<GaitWord>,
    /// Slope, degrees; negative is downhill
    #[arg(long, value_name = "DEG", value_parser = slope, allow_negative_numbers = true, conflicts_with = "stairs")]
    pub slope: Option<f64>,
    /// Stairs: rise (negative is downstairs) and tread, m; one stair per step
    #[arg(long, value_name = "RISE,TREAD", value_parser = stairs, allow_hyphen_values = true)]
    pub stairs: Option<StairsRequest>,
    /// Amplitude of a determinant of gait: 0 is off, 1 is normal; repeatable
    #[arg(long, value_name = "NAME=AMOUNT", value_parser = determinant, long_help = determinant_help())]
    pub determinant: Vec<(String, f64)>,
    /// Switch off a determinant of gait; repeatable
    #[arg(long, value_name = "NAME", value_parser = name_of_determinant)]
    pub without: Vec<String>,
}

impl SegmentArgs {
    /// The first option given.
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

words! {
    /// Gait.
    GaitWord => Kind {
        /// at least one foot on the ground
        Walk => Kind::Walk,
        /// flight phases between steps
        Run => Kind::Run,
        /// both feet take off and land together
        Jump => Kind::Jump,
    }
}

fn determinant_help() -> String {
    let each = |name: &&str| format!("{name} (up to {})", rounded(Determinants::max_amplitude(name)));
    let all: Vec<String> = NAMES.iter().map(each).collect();
    format!("Amplitude of a determinant of gait: 0 is off, 1 is normal; repeatable: {}", all.join(", "))
}

fn name_of_determinant(text: &str) -> Result<String, String> {
    match NAMES.contains(&text) {
        true => Ok(text.into()),
        false => Err(format!("there is no determinant `{text}`; expected one of {}", NAMES.join(", "))),
    }
}

fn determinant(text: &str) -> Result<(String, f64), String> {
    let wrong = || format!("expected a determinant and its amplitude such as pelvic_list=0.5, got `{text}`");
    let (name, amount) = text.split_once('=').ok_or_else(wrong)?;
    let name = name_of_determinant(name.trim())?;
    let amount: f64 = amount.trim().parse().map_err(|_| wrong())?;
    let most = Determinants::max_amplitude(&name);
    match (0.0..=most + 1e-9).contains(&amount) {
        true => Ok((name, amount)),
        false => Err(format!("the amplitude of `{name}` is {amount}, expected 0 (off) to {}", rounded(most))),
    }
}

fn steps(text: &str) -> Result<u64, String> {
    whole(text, 1, MAX_STEPS as u64)
}

fn slope(text: &str) -> Result<f64, String> {
    match finite(text)? {
        degrees if degrees.abs() <= MAX_SLOPE_DEG => Ok(degrees),
        degrees => Err(format!(
            "a slope of {degrees} degrees is requested; expected -{MAX_SLOPE_DEG} to {MAX_SLOPE_DEG}"
        )),
    }
}

fn stairs(text: &str) -> Result<StairsRequest, String> {
    let [rise, tread] = numbers::<2>(text, "rise and tread in metres such as 0.17,0.30")?;
    if !(-MAX_RISE..=MAX_RISE).contains(&rise) {
        return Err(format!(
            "stairs of {rise} m are requested; expected a rise of -{MAX_RISE} to {MAX_RISE} m"
        ));
    }
    if !(TREADS[0]..=TREADS[1]).contains(&tread) {
        return Err(format!("treads of {tread} m are requested; expected {} to {} m", TREADS[0], TREADS[1]));
    }
    Ok(StairsRequest { rise, tread })
}

fn friction(text: &str) -> Result<f64, String> {
    match finite(text)? {
        mu if (FRICTIONS[0]..=FRICTIONS[1]).contains(&mu) => Ok(mu),
        mu => Err(format!("friction of {mu} is requested; expected {} to {}", FRICTIONS[0], FRICTIONS[1])),
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
    fn stairs_and_slopes_are_limited() {
        assert_eq!(stairs("-0.17,0.3"), Ok(StairsRequest { rise: -0.17, tread: 0.3 }));
        assert_eq!(slope("0"), Ok(0.0));
        for bad in ["0.17", "0.17,0.01", "2,0.3", "a,b"] {
            assert!(stairs(bad).is_err(), "{bad}");
        }
        assert!(slope("60").is_err() && friction("0").is_err() && friction("0.5") == Ok(0.5));
    }
}
