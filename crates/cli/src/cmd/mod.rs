//! The commands, one per file.

mod batch;
mod certify;
mod completions;
pub mod compute;
mod convert;
mod filter;
mod inspect;
mod inverse;
mod licences;
mod list;
mod man;
mod simulate;
mod studio;
mod walk;

use crate::args::{Args, Command};

/// Outcome of a command that ran.
#[derive(Debug)]
pub enum Outcome {
    /// success
    Fine,
    /// a negative result, and why
    No(String),
}

/// Runs a command.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.json {
        crate::progress::silence();
    }
    if args.verbose {
        crate::report::set_verbose();
    }
    match &args.command {
        Command::List => list::run(args.json),
        Command::Inspect(a) => inspect::run(a, args.json),
        Command::Compute(a) => compute::run(a, args.json),
        Command::Simulate(a) => simulate::run(a, args.json),
        Command::Convert(a) => convert::run(a, args.json),
        Command::Filter(a) => filter::run(a, args.json),
        Command::Studio(a) => studio::run(a, args.json),
        Command::Walk(a) => walk::run(a, args.json),
        Command::Certify(a) => certify::run(a, args.json),
        Command::Inverse(a) => inverse::run(a, args.json),
        Command::Batch(a) => batch::run(a, args.json),
        Command::Completions(a) => completions::run(a, args.json),
        Command::Man(a) => man::run(a, args.json),
        Command::Licences => licences::run(args.json),
    }
}
