//! What people type who install the program: `completions`, `man`.

use clap::Args as Group;
use clap_complete::Shell;
use std::path::PathBuf;

/// Arguments of `completions`.
#[derive(Debug, Group)]
pub struct CompletionsArgs {
    /// Whose completions
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Group)]
pub struct ManArgs {
    /// Write a page for the program and one for each command here; made if it is not there [default: print the program's own]
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
}
