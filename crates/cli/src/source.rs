//! Getting the figure a command works on: built in or from a file, changed as the options ask.

use crate::args::{Base, FigureArgs};
use crate::{names, report};
use anthropi_dynamics::model::Figure;
use anthropi_io::{Loaded, builtin, load};
use anyhow::{Context, bail};
use std::path::Path;

/// A figure by name or file, as the file has it. Warnings are told on standard error.
pub fn load(name: &str) -> anyhow::Result<Loaded> {
    let loaded = match builtin::figure(name) {
        Some(figure) => figure?,
        None if is_path(name) => load::figure(Path::new(name))?,
        None => {
            let all = builtin::figures().iter().map(|b| b.name);
            bail!("{}, and no such file", names::unknown("built-in figure", name, all));
        }
    };
    report::warnings(name, &loaded.warnings);
    Ok(loaded)
}

/// The figure of the options, changed as they ask.
pub fn figure(args: &FigureArgs) -> anyhow::Result<Loaded> {
    let Loaded { figure, warnings } = load(&args.figure)?;
    let figure = changed(figure, args).with_context(|| args.figure.clone())?;
    Ok(Loaded { figure, warnings })
}

/// Says that loops are not computed with, if there are any.
pub fn warn_of_loops(figure: &Figure) {
    let count = figure.connections().count();
    if count > 0 {
        let what = format!(
            "{count} connection(s) of `{}` are left out: only the tree is computed with",
            figure.name
        );
        report::say("warning", &what);
    }
}

fn changed(mut figure: Figure, args: &FigureArgs) -> anyhow::Result<Figure> {
    figure = match args.base {
        None => figure,
        Some(Base::Free) => figure.with_free_base()?,
        Some(Base::Fixed) => figure.with_fixed_base()?,
    };
    if args.height.is_some() || args.mass.is_some() {
        figure = figure.scaled(args.height, args.mass)?;
    }
    if let Some(gravity) = args.gravity {
        figure.set_gravity(gravity);
    }
    Ok(if args.rigid { figure.rigid() } else { figure })
}

/// Whether a name is meant as a file: there is one, or it has an ending or a folder.
fn is_path(name: &str) -> bool {
    let path = Path::new(name);
    path.exists() || path.extension().is_some() || path.components().count() > 1
}
