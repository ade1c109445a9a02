//! What people type for `studio`.

use clap::Args as Group;
use std::path::PathBuf;

/// Arguments of `studio`.
#[derive(Debug, Group)]
pub struct StudioArgs {
    /// A motion, figure or scene to open in the page, the only file it may read [default: a figure that walks]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Port on 127.0.0.1 [default: 4242, or any that is free]
    #[arg(long, value_name = "P")]
    pub port: Option<u16>,
    /// Open no browser
    #[arg(long)]
    pub no_open: bool,
    /// Let pages of this machine, such as a notebook, show it in a frame; open no browser
    #[arg(long)]
    pub embed: bool,
    /// Write the page to a folder for any web server, and end
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "port", "no_open", "embed"])]
    pub export: Option<PathBuf>,
}
