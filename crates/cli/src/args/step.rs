//! What people type to have one step of a walk looked into.

use super::{above_zero, whole};
use anthropi_motion::hybrid::{Law, Settings, Start};
use clap::{Args as Group, ValueEnum};

/// Most runs.
const RUNS: u64 = 100;

/// Options of `walk` for one step.
#[derive(Clone, Debug, Group)]
#[command(next_help_heading = "Options for one step of it")]
pub struct StepArgs {
    /// Refine torques for one steady step by runs of direct dynamics, and tell the posture error of each (HIDDS)
    #[arg(long)]
    pub hidds: bool,
    /// The body that these torques really move: mass of links of that name, times this; may be given again
    #[arg(long, value_name = "LINK=FACTOR", value_parser = factor, requires = "hidds")]
    pub real: Vec<(String, f64)>,
    /// Torques of the first run [default: estimated]
    #[arg(long, value_enum, requires = "hidds")]
    pub first: Option<FirstWord>,
    /// What a run teaches [default: model]
    #[arg(long, value_enum, requires = "hidds")]
    pub law: Option<LawWord>,
    /// Runs after the first, at most [default: 15]
    #[arg(long, value_name = "N", value_parser = |text: &str| whole(text, 0, RUNS), allow_negative_numbers = true, requires = "hidds")]
    pub runs: Option<u64>,
    /// Make the step on the thesis' virtual leg too, a spring instead of contact, and tell the difference
    #[arg(long)]
    pub virtual_leg: bool,
}

impl StepArgs {
    /// How torques are refined.
    pub fn settings(&self, friction: f64) -> Settings {
        let usual = Settings::default();
        Settings {
            start: self.first.map_or(usual.start, FirstWord::start),
            law: self.law.map_or(usual.law, LawWord::law),
            runs: self.runs.map_or(usual.runs, |n| n as usize),
            friction,
            ..usual
        }
    }
}

/// Torques of the first run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FirstWord {
    /// inverse dynamics along the step
    Estimated,
    /// those that hold each pose still
    Static,
    /// none
    Zero,
}

impl FirstWord {
    fn start(self) -> Start {
        match self {
            FirstWord::Estimated => Start::Estimated,
            FirstWord::Static => Start::Static,
            FirstWord::Zero => Start::Zero,
        }
    }
}

/// What a run teaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LawWord {
    /// what the assumed body does not explain of it
    Model,
    /// what the feedback on the joints added
    Feedback,
}

impl LawWord {
    fn law(self) -> Law {
        match self {
            LawWord::Model => Law::Model,
            LawWord::Feedback => Law::Feedback,
        }
    }
}

fn factor(text: &str) -> Result<(String, f64), String> {
    let wrong = || format!("expected a link and a factor of its mass such as chest=1.15, got `{text}`");
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    Ok((name.trim().to_string(), above_zero(value.trim()).map_err(|_| wrong())?))
}
