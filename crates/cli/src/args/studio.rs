//! Arguments of `studio`.

use clap::Args as Group;
use std::path::PathBuf;

/// Arguments of `studio`.
#[derive(Debug, Group)]
pub struct StudioArgs {
    /// Motion, figure or scene to open [default: a walking figure]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Port on 127.0.0.1 [default: 4242, or any free port]
    #[arg(long, value_name = "P")]
    pub port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,
    /// Allow local pages such as a notebook to embed the viewer; do not open a browser
    #[arg(long)]
    pub embed: bool,
    /// Write the page to a folder for any web server, and exit
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "port", "no_open", "embed"])]
    pub export: Option<PathBuf>,
}
