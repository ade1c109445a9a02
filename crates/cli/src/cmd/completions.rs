//! `completions`: shell completion scripts.

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
    report::show(as_json, || json!({ "shell": args.shell.to_string(), "script": script }), || &script)?;
    Ok(Outcome::Fine)
}
