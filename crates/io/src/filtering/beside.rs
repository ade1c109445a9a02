//! What is built in, or a file beside the scene.

use crate::error::Error;
use crate::fields::{Field, nearest};
use std::path::Path;

/// The name a field gives: as it is where it is built in, else the path of a file that is there.
pub fn name<'a>(
    field: &Field,
    what: &str,
    all: impl Iterator<Item = &'a str>,
    dir: Option<&Path>,
) -> Result<String, Error> {
    let given = field.string()?;
    let all: Vec<&str> = all.collect();
    if all.contains(&given) {
        return Ok(given.into());
    }
    let path = dir.map_or_else(|| Path::new(given).into(), |dir| dir.join(given));
    if path.is_file() {
        return Ok(path.to_string_lossy().into_owned());
    }
    Err(field.wrong(format!(
        "there is no built-in {what} `{given}` and no such file beside this one; the nearest built-in ones are `{}`",
        nearest(given, all).join("`, `")
    )))
}
