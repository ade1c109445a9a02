//! Options of `walk` that analyse one step.

use super::{above_zero, whole};
use anthropi_motion::papers::hidds::{HiddsSettings, InitialTorques, LearningLaw};
use clap::Args as Group;

/// Maximum number of runs.
const RUNS: u64 = 100;

/// Options of `walk` for one step.
#[derive(Clone, Debug, Group)]
#[command(next_help_heading = "Options that analyse one step")]
pub struct StepArgs {
    /// Refine the torques of one steady step over forward-dynamics runs and report the posture error (HIDDS)
    #[arg(long)]
    pub hidds: bool,
    /// Scale the mass of a link of the simulated body, so that it differs from the model; repeatable
    #[arg(long = "mass-factor", alias = "real", value_name = "LINK=FACTOR", value_parser = factor, requires = "hidds")]
    pub real: Vec<(String, f64)>,
    /// Torques of the first run [default: estimated]
    #[arg(long = "initial-torques", alias = "first", value_name = "START", value_enum, requires = "hidds")]
    pub first: Option<StartWord>,
    /// Update law between runs [default: model]
    #[arg(long, value_enum, requires = "hidds")]
    pub law: Option<LawWord>,
    /// Maximum number of runs after the first [default: 15]
    #[arg(long, value_name = "N", value_parser = |text: &str| whole(text, 0, RUNS), allow_negative_numbers = true, requires = "hidds")]
    pub runs: Option<u64>,
    /// Also simulate the step with the virtual-leg model, a spring in place of contact, and report the difference
    #[arg(long)]
    pub virtual_leg: bool,
}

impl StepArgs {
    /// Settings of HIDDS.
    pub fn settings(&self, friction: f64) -> HiddsSettings {
        let usual = HiddsSettings::default();
        HiddsSettings {
            start: self.first.map_or(usual.start, Into::into),
            law: self.law.map_or(usual.law, Into::into),
            runs: self.runs.map_or(usual.runs, |n| n as usize),
            friction,
            ..usual
        }
    }
}

words! {
    /// Torques of the first run.
    StartWord => InitialTorques {
        /// inverse dynamics along the step
        Estimated => InitialTorques::Estimated,
        /// static torques of each pose
        Static => InitialTorques::Static,
        /// none
        Zero => InitialTorques::Zero,
    }
}

words! {
    /// Update law between runs.
    LawWord => LearningLaw {
        /// error of the assumed model
        Model => LearningLaw::Model,
        /// feedback torques of the run
        Feedback => LearningLaw::Feedback,
    }
}

fn factor(text: &str) -> Result<(String, f64), String> {
    let wrong = || format!("expected a link and a mass factor such as chest=1.15, got `{text}`");
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    Ok((name.trim().to_string(), above_zero(value.trim()).map_err(|_| wrong())?))
}
