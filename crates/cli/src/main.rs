//! `anthropi`: the motion of human figures from the command line. No physics inside: the libraries do the work.
//!
//! Exit codes: 0 fine, 1 ran and the answer is no, 2 could not run.

mod args;
mod cmd;
mod csv;
mod edit;
mod ledger;
mod motions;
mod outputs;
mod progress;
mod report;
mod source;
mod state;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use cmd::Outcome;
use std::path::Path;
use std::process::ExitCode;

const NO: u8 = 1;
const COULD_NOT_RUN: u8 = 2;

fn main() -> ExitCode {
    let args = args::Args::try_parse().unwrap_or_else(|error| with_advice(error).exit());
    match cmd::run(&args) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::No(why)) => {
            report::say("no", &why);
            ExitCode::from(NO)
        }
        Err(error) => {
            report::say("error", &in_one_line(&error));
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

/// Who gives a second motion is told who takes many.
fn with_advice(mut error: clap::Error) -> clap::Error {
    let is_file = |word: &str| !word.starts_with('-') && Path::new(word).extension().is_some();
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::UnknownArgument && is_file(word) => {
            let advice = "one file is asked for here; `anthropi batch` takes many motions";
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
            error
        }
        _ => error,
    }
}

/// The error and its causes; a cause that the error already ends with is not said twice.
fn in_one_line(error: &anyhow::Error) -> String {
    let mut said = plainly(error.as_ref());
    for cause in error.chain().skip(1).map(plainly) {
        if !said.ends_with(&cause) {
            said = format!("{said}: {cause}");
        }
    }
    said
}

/// Without the number that the system has for it.
fn plainly(error: &(dyn std::error::Error + 'static)) -> String {
    let said = error.to_string();
    said.split_once(" (os error ").map_or(said.clone(), |(words, _)| words.into())
}
