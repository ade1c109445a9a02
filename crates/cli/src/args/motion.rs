//! Options of commands that read motions.

use super::above_zero;
use anthropi_app::filter_scene::prop;
use anthropi_app::loaded_motion::SubjectOptions;
use anthropi_formats::motion;
use anthropi_motion::anthropometry::Sex;
use anthropi_motion::inverse::{FRICTION, Options, Smoothing};
use anthropi_motion::recording::Up;
use anthropi_motion::surroundings::{GivenProp, Surroundings};
use clap::Args as Group;
use std::path::PathBuf;

/// Properties that motion files do not define.
#[derive(Debug, Group)]
#[command(next_help_heading = "Options for motions")]
pub struct MotionArgs {
    /// Length unit of the file in metres (.bvh, .amc) [default: detected]
    #[arg(long, value_name = "M", value_parser = above_zero, allow_negative_numbers = true)]
    pub unit: Option<f64>,
    /// Up axis of the file (.bvh, .amc, .c3d, .trc) [default: detected]
    #[arg(long, value_enum)]
    pub up: Option<UpAxis>,
    /// Keep the first frame even if it looks like a T-pose (.bvh)
    #[arg(long)]
    pub keep_first_frame: bool,
    /// Skeleton of an .amc file [default: the .asf file next to it]
    #[arg(long, value_name = "FILE")]
    pub asf: Option<PathBuf>,
    /// Frame rate of an .amc file, Hz [default: 120]
    #[arg(long, value_name = "HZ", value_parser = above_zero, allow_negative_numbers = true)]
    pub fps: Option<f64>,
}

impl MotionArgs {
    /// Options of the readers.
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

words! {
    /// Up axis.
    UpAxis => Up {
        /// most files
        Y => Up::Y,
        /// as in Anthropi
        Z => Up::Z,
    }
}

/// The person and figure.
#[derive(Debug, Group)]
#[command(next_help_heading = "Options for the figure")]
pub struct PersonArgs {
    /// Retarget the motion to this figure: a file or built-in figure [default: a figure built for the skeleton]
    #[arg(long, value_name = "FILE|NAME")]
    pub figure: Option<String>,
    /// Stature of the person, m [default: from the leg length]
    #[arg(long, value_name = "M", value_parser = above_zero, allow_negative_numbers = true)]
    pub height: Option<f64>,
    /// Mass of the person, kg [default: from anthropometric tables]
    #[arg(long, value_name = "KG", value_parser = above_zero, allow_negative_numbers = true)]
    pub mass: Option<f64>,
    /// Body proportions of women or men [default: mean of both]
    #[arg(long, value_enum)]
    pub sex: Option<SexWord>,
    /// TOML file that maps unrecognised bones or links to body parts
    #[arg(long, value_name = "FILE")]
    pub parts: Option<PathBuf>,
    /// Do not restore a thorax bone lost by a converter
    #[arg(long = "no-thorax-repair", alias = "keep-lost-thorax")]
    pub keep_lost_thorax: bool,
    /// Give the toes a joint
    #[arg(long)]
    pub toes: bool,
    /// Make knees and elbows hinges
    #[arg(long)]
    pub hinges: bool,
}

impl PersonArgs {
    /// Options of the subject.
    pub fn subject(&self) -> SubjectOptions {
        SubjectOptions {
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

words! {
    /// Body proportions.
    SexWord => Sex {
        /// means of women
        Female => Sex::Female,
        /// means of men
        Male => Sex::Male,
    }
}

/// Options for forces.
#[derive(Debug, Group)]
#[command(next_help_heading = "Options for forces")]
pub struct ForceArgs {
    /// Low-pass cutoff before differentiation: Hz, `none`, or `auto` (6 for walking, 15 for faster motions)
    #[arg(long, value_name = "HZ", default_value = "auto", value_parser = smooth, allow_negative_numbers = true)]
    pub cutoff: Smoothing,
    /// Height of the ground, m [default: detected from the feet]
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = finite)]
    pub ground: Option<f64>,
    /// Coefficient of friction of the ground
    #[arg(long, value_name = "MU", default_value_t = FRICTION, value_parser = above_zero, allow_negative_numbers = true)]
    pub friction: f64,
    /// Find the seats, steps and rails that the motion needs (`auto`), or let only the ground and each --prop carry (`none`).
    /// Off-line only [default: that of the scene, or auto]
    #[arg(long, value_enum)]
    pub props: Option<PropsWord>,
    /// Add a seat, step or rail: the height of its surface above the ground, its middle, and length and width, m. Repeatable;
    /// replaces the props of the scene
    #[arg(long, value_name = "KIND:HEIGHT[,X,Y[,LENGTH,WIDTH]]", value_parser = prop::parse)]
    pub prop: Vec<GivenProp>,
}

impl ForceArgs {
    /// Options of inverse dynamics.
    pub fn settings(&self) -> Options {
        Options {
            smoothing: self.cutoff,
            friction: self.friction,
            ground: self.ground,
            surroundings: self.surroundings().unwrap_or_default(),
            ..Options::default()
        }
    }

    /// The surroundings, if any option says something about them.
    pub fn surroundings(&self) -> Option<Surroundings> {
        let finds = self.props.is_none_or(bool::from);
        (self.props.is_some() || !self.prop.is_empty())
            .then(|| Surroundings { finds, given: self.prop.clone() })
    }
}

words! {
    /// Whether props are found.
    PropsWord => bool {
        /// from the motion
        Auto => true,
        /// only those given
        None => false,
    }
}

/// Arguments of `certify`.
#[derive(Debug, Group)]
pub struct CertifyArgs {
    /// Motion file or built-in motion
    #[arg(value_name = "MOTION")]
    pub input: String,
    /// Write an HTML report
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
    /// Motion file or built-in motion
    #[arg(value_name = "MOTION")]
    pub input: String,
    /// Write torques and forces: .csv, .mot, .sto or .json
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Use measured ground forces: .mot, .sto or .c3d, on the time axis of the motion
    #[arg(long, value_name = "FILE")]
    pub forces: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub person: PersonArgs,
    #[command(flatten)]
    pub motion: MotionArgs,
}

fn smooth(text: &str) -> Result<Smoothing, String> {
    match text.trim() {
        "auto" => Ok(Smoothing::Auto),
        "none" => Ok(Smoothing::None),
        number => match above_zero(number) {
            Ok(hz) => Ok(Smoothing::At(hz)),
            Err(_) => Err(format!("expected Hz above zero, `auto` or `none`, got `{text}`")),
        },
    }
}

pub(super) fn finite(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|x: &f64| x.is_finite());
    number.ok_or_else(|| format!("expected a number, got `{text}`"))
}
