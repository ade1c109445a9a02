//! Arguments of `batch`.

use super::edit::one_or_auto;
use super::{ForceArgs, MotionArgs, PersonArgs, PlaybackSpeed, SolverArgs};
use anthropi_app::batch::{BatchRequest, JobKind};
use clap::Args as Group;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Arguments of `batch`.
#[derive(Debug, Group)]
pub struct BatchArgs {
    /// Folders (searched recursively), motion files, or patterns such as 'walks/*.bvh'
    #[arg(value_name = "DIR|FILE|GLOB", required = true)]
    pub inputs: Vec<String>,
    /// Write tables, journal and the task's files to this folder
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Task for each clip
    #[arg(long = "task", alias = "job", value_name = "TASK", value_enum, default_value_t = TaskWord::Certify)]
    pub job: TaskWord,
    /// Clips in parallel [default: number of processors]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Skip clips already in the journal with the same content and settings
    #[arg(long)]
    pub resume: bool,
    /// Write an HTML report for each clip, pages/PATH.html, and an index.html
    #[arg(long)]
    pub pages: bool,
    /// Playback speed: `auto` slows down motions labelled with too high a frame rate (and vice versa) before filtering, 1 keeps
    /// the given speed. Off-line only [default: auto]
    #[arg(long, value_name = "auto|1", value_parser = one_or_auto, help_heading = "Options for the filter", allow_negative_numbers = true)]
    pub speed: Option<PlaybackSpeed>,
    #[command(flatten)]
    pub solving: SolverArgs,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub person: PersonArgs,
    #[command(flatten)]
    pub motion: MotionArgs,
}

impl BatchArgs {
    /// Request to the library.
    ///
    /// # Errors
    /// As [`SolverArgs::settings`].
    pub fn request(&self) -> anyhow::Result<BatchRequest> {
        Ok(BatchRequest {
            what: self.job.into(),
            pages: self.pages,
            subject: self.person.subject(),
            options: self.motion.options(),
            forces: self.force.settings(),
            filter: self.solving.settings(&self.force, None, self.speed)?,
        })
    }
}

words! {
    /// Task for each clip.
    TaskWord => JobKind {
        /// like `anthropi certify`
        Certify => JobKind::Certify,
        /// like `anthropi filter`; writes motions/PATH.bvh
        Filter => JobKind::Filter,
    }
}
