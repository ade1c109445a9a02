//! Options of commands that work on motions.

use super::above_zero;
use anthropi_io::motion;
use anthropi_io::moving::Who;
use anthropi_motion::anthropometry::Sex;
use anthropi_motion::inverse::{FRICTION, Settings, Smoothing};
use anthropi_motion::recording::Up;
use clap::{Args as Group, ValueEnum};
use std::path::{Path, PathBuf};

/// What motion files do not say.
#[derive(Debug, Default, Group)]
#[command(next_help_heading = "Options for motions")]
pub struct MotionArgs {
    /// Metres in a unit of length of the file (.bvh, .amc) [default: found out]
    #[arg(long, value_name = "M", value_parser = above_zero, allow_negative_numbers = true)]
    pub unit: Option<f64>,
    /// The axis of the file that points up (.bvh, .amc, .c3d, .trc) [default: found out]
    #[arg(long, value_enum)]
    pub up: Option<UpAxis>,
    /// The first frame is part of the motion, even if it looks like a T-pose (.bvh)
    #[arg(long)]
    pub keep_first_frame: bool,
    /// The skeleton of an .amc file [default: the one beside it]
    #[arg(long, value_name = "FILE")]
    pub asf: Option<PathBuf>,
    /// Frames a second of an .amc file [default: 120]
    #[arg(long, value_name = "HZ", value_parser = above_zero, allow_negative_numbers = true)]
    pub fps: Option<f64>,
}

impl MotionArgs {
    /// As the readers want them.
    pub fn options(&self) -> motion::Options {
        motion::Options {
            unit: self.unit,
            up: self.up.map(Into::into),
            keep_first_frame: self.keep_first_frame,
            skeleton: self.asf.clone(),
            rate: self.fps,
        }
    }
}

/// Which axis points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UpAxis {
    /// as in most files
    Y,
    /// as here
    Z,
}

impl From<UpAxis> for Up {
    fn from(axis: UpAxis) -> Up {
        match axis {
            UpAxis::Y => Up::Y,
            UpAxis::Z => Up::Z,
        }
    }
}

/// Who moves.
#[derive(Clone, Debug, Default, Group)]
#[command(next_help_heading = "Options for the figure that moves")]
pub struct PersonArgs {
    /// Carry the motion over to this figure: a file or the name of a built-in one [default: a figure made for the
    /// skeleton]
    #[arg(long, value_name = "FILE|NAME")]
    pub figure: Option<String>,
    /// Stature of the person, m [default: from the length of the legs]
    #[arg(long, value_name = "M", value_parser = above_zero, allow_negative_numbers = true)]
    pub height: Option<f64>,
    /// Mass of the person, kg [default: as slim as the people of the tables]
    #[arg(long, value_name = "KG", value_parser = above_zero, allow_negative_numbers = true)]
    pub mass: Option<f64>,
    /// Whose body proportions [default: half way between]
    #[arg(long, value_enum)]
    pub sex: Option<SexWord>,
    /// TOML file that says which bone or link is which part of the body, where that is not recognised
    #[arg(long, value_name = "FILE")]
    pub parts: Option<PathBuf>,
    /// Do not put back a thorax bone that a converter lost
    #[arg(long)]
    pub keep_lost_thorax: bool,
    /// Let the toes move against the feet
    #[arg(long)]
    pub toes: bool,
    /// Knees and elbows as hinges
    #[arg(long)]
    pub hinges: bool,
}

impl PersonArgs {
    /// Files that are read for it.
    pub fn reads(&self) -> [Option<&Path>; 2] {
        [self.figure.as_deref().map(Path::new), self.parts.as_deref()]
    }

    /// As the library asks.
    pub fn who(&self) -> Who {
        Who {
            figure: self.figure.clone(),
            height: self.height,
            mass: self.mass,
            sex: self.sex.map_or(Sex::Unknown, Into::into),
            parts: self.parts.clone(),
            keep_lost_thorax: self.keep_lost_thorax,
            toes: self.toes,
            hinges: self.hinges,
        }
    }
}

/// Whose body proportions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SexWord {
    /// means of women
    Female,
    /// means of men
    Male,
}

impl From<SexWord> for Sex {
    fn from(word: SexWord) -> Sex {
        match word {
            SexWord::Female => Sex::Female,
            SexWord::Male => Sex::Male,
        }
    }
}

/// How forces are found.
#[derive(Debug, Group)]
#[command(next_help_heading = "Options for forces")]
pub struct ForceArgs {
    /// Low-pass before derivatives: Hz, `none`, or `auto` (6 for walking, 15 for faster)
    #[arg(long, value_name = "HZ", default_value = "auto", value_parser = smooth, allow_negative_numbers = true)]
    pub cutoff: Smooth,
    /// Height of the ground, m [default: found from the feet]
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = finite)]
    pub ground: Option<f64>,
    /// Coefficient of friction of the ground
    #[arg(long, value_name = "MU", default_value_t = FRICTION, value_parser = above_zero, allow_negative_numbers = true)]
    pub friction: f64,
}

impl ForceArgs {
    /// As the library asks.
    pub fn settings(&self) -> Settings {
        Settings {
            smoothing: self.cutoff.0,
            friction: self.friction,
            ground: self.ground,
            ..Settings::default()
        }
    }
}

/// Smoothing as people say it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smooth(pub Smoothing);

/// Arguments of `certify`.
#[derive(Debug, Group)]
pub struct CertifyArgs {
    /// A motion file, or the name of a built-in motion
    #[arg(value_name = "MOTION")]
    pub input: String,
    /// Write a page with pictures and plots
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub person: PersonArgs,
    #[command(flatten)]
    pub motion: MotionArgs,
}

/// Arguments of `inverse`.
#[derive(Debug, Group)]
pub struct InverseArgs {
    /// A motion file, or the name of a built-in motion
    #[arg(value_name = "MOTION")]
    pub input: String,
    /// Where to write torques and forces: .csv, .mot, .sto or .json
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Measured ground forces: .mot, .sto or .c3d, with the time of the motion
    #[arg(long, value_name = "FILE")]
    pub forces: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub person: PersonArgs,
    #[command(flatten)]
    pub motion: MotionArgs,
}

fn smooth(text: &str) -> Result<Smooth, String> {
    match text.trim() {
        "auto" => Ok(Smooth(Smoothing::Auto)),
        "none" => Ok(Smooth(Smoothing::None)),
        number => match above_zero(number) {
            Ok(hz) => Ok(Smooth(Smoothing::At(hz))),
            Err(_) => Err(format!("expected Hz above zero, `auto` or `none`, got `{text}`")),
        },
    }
}

pub(super) fn finite(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|x: &f64| x.is_finite());
    number.ok_or_else(|| format!("expected a number, got `{text}`"))
}
