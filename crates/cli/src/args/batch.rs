//! What people type for `batch`.

use super::{ForceArgs, HowArgs, MotionArgs, PersonArgs};
use anthropi_io::batch::{Asked, What};
use clap::{Args as Group, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Arguments of `batch`.
#[derive(Debug, Group)]
pub struct BatchArgs {
    /// Folders (with all below them), motion files, or patterns such as 'walks/*.bvh'
    #[arg(value_name = "DIR|FILE|GLOB", required = true)]
    pub inputs: Vec<String>,
    /// Folder for the tables, the journal and what the job writes; made if it is not there
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// What to do with each clip
    #[arg(long, value_enum, default_value_t = JobWord::Certify)]
    pub job: JobWord,
    /// Clips at once [default: as many as there are processors]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Do not repeat clips that the journal has, with the same content and settings
    #[arg(long)]
    pub resume: bool,
    /// Write a page with pictures and plots for each clip, pages/PATH.html, and index.html that leads to them
    #[arg(long)]
    pub pages: bool,
    #[command(flatten)]
    pub how: HowArgs,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub person: PersonArgs,
    #[command(flatten)]
    pub motion: MotionArgs,
}

impl BatchArgs {
    /// As the library asks.
    pub fn asked(&self) -> Asked {
        Asked {
            what: self.job.into(),
            pages: self.pages,
            who: self.person.who(),
            options: self.motion.options(),
            forces: self.force.settings(),
            filter: self.how.settings(&self.force),
        }
    }
}

/// What is done with each clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JobWord {
    /// as `anthropi certify`
    Certify,
    /// as `anthropi filter`; writes motions/PATH.bvh
    Filter,
}

impl From<JobWord> for What {
    fn from(word: JobWord) -> What {
        match word {
            JobWord::Certify => What::Certify,
            JobWord::Filter => What::Filter,
        }
    }
}
