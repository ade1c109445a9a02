//! Arguments of `completions` and `man`.

use clap::Args as Group;
use clap_complete::Shell;
use std::path::PathBuf;

/// Arguments of `completions`.
#[derive(Debug, Group)]
pub struct CompletionsArgs {
    /// Shell to complete for
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Group)]
pub struct ManArgs {
    /// Write a page for the program and each command to this folder [default: print the program's page]
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
}
