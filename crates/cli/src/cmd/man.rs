//! `man`: manual pages.

use super::Outcome;
use crate::args::{Args, ManArgs};
use crate::report;
use anthropi_formats::file;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use serde_json::json;
use std::path::Path;

/// Prints the page of the program, or writes all pages to a folder.
pub fn run(args: &ManArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let Some(dir) = &args.dir else {
        let page = page(&Args::command())?;
        report::show(as_json, || json!({ "page": page }), || &page)?;
        return Ok(Outcome::Fine);
    };
    let pages = write(dir)?;
    report::show(
        as_json,
        || json!({ "folder": dir.display().to_string(), "pages": pages }),
        || format!("{} pages: {}\n", pages.len(), dir.display()),
    )?;
    Ok(Outcome::Fine)
}

fn write(dir: &Path) -> anyhow::Result<Vec<String>> {
    report::folder(dir)?;
    let mut program = Args::command().disable_help_subcommand(true);
    program.build();
    let mut names = Vec::new();
    for command in core::iter::once(&program).chain(program.get_subcommands()) {
        // the display name is `anthropi-walk` after `build`
        let name = format!("{}.1", command.get_display_name().unwrap_or(command.get_name()));
        file::replace(&dir.join(&name), page(command)?.as_bytes())?;
        names.push(name);
    }
    Ok(names)
}

fn page(command: &Command) -> anyhow::Result<String> {
    let mut page = Vec::new();
    let source = concat!("anthropi ", env!("CARGO_PKG_VERSION"));
    Man::new(command.clone()).source(source).render(&mut page)?;
    Ok(String::from_utf8(page)?)
}
