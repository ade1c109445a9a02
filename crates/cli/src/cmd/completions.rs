//! `completions`: what a shell needs to complete what people type.

use super::Outcome;
use crate::args::{Args, CompletionsArgs};
use crate::report;
use clap::CommandFactory;
use serde_json::json;

/// Prints the script.
pub fn run(args: &CompletionsArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "anthropi", &mut script);
    let script = String::from_utf8(script)?;
    if as_json {
        report::json(&json!({ "shell": args.shell.to_string(), "script": script }))?;
    } else {
        report::print(&script)?;
    }
    Ok(Outcome::Fine)
}
