//! `anthropi`: motion of human figures from the command line; the libraries do the work.
//!
//! Exit codes: 0 success, 1 negative result, 2 error.

mod args;
mod cmd;
mod csv;
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

const NEGATIVE: u8 = 1;
const ERROR: u8 = 2;

fn main() -> ExitCode {
    let args = args::Args::try_parse().unwrap_or_else(|error| with_advice(error).exit());
    match cmd::run(&args) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::No(why)) => {
            report::say("no", &why);
            ExitCode::from(NEGATIVE)
        }
        Err(error) => {
            report::say("error", &in_one_line(&error));
            ExitCode::from(ERROR)
        }
    }
}

/// Suggests `batch` for a second file.
fn with_advice(mut error: clap::Error) -> clap::Error {
    let is_file = |word: &str| !word.starts_with('-') && Path::new(word).extension().is_some();
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::UnknownArgument && is_file(word) => {
            let advice = "expected one file; `anthropi batch` takes many motions";
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
            error
        }
        _ => error,
    }
}

/// The error and its causes; a cause that the message already ends with is not repeated.
fn in_one_line(error: &anyhow::Error) -> String {
    let mut text = without_code(error.as_ref());
    for cause in error.chain().skip(1).map(without_code) {
        if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// The message without the error code of the system.
fn without_code(error: &(dyn std::error::Error + 'static)) -> String {
    let text = error.to_string();
    text.split_once(" (os error ").map_or(text.clone(), |(words, _)| words.into())
}
