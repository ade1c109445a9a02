//! Figures from and to files of all supported formats, by ending and content.

use crate::error::{Error, Warning};
use crate::{Loaded, figure, file, mjcf, osim, urdf};
use anthropi_dynamics::model::Figure;
use std::io;
use std::path::Path;

const FIGURES_IN: &str = "figures are read from .toml, .urdf, .xml, .mjcf and .osim";
const FIGURES_OUT: &str = "figures are written as .toml, .urdf, .xml, .mjcf and .svg (a picture)";

/// Formats of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Toml,
    Urdf,
    Mjcf,
    Osim,
}

/// Reads a figure. The ending says whether it is TOML or XML; the root element says whether XML is URDF,
/// MJCF or OSIM.
///
/// # Errors
/// I/O errors; a file that is too large, not UTF-8 or of unknown format; errors of the reader.
pub fn figure(path: &Path) -> Result<Loaded, Error> {
    if path.is_dir() {
        let source = io::ErrorKind::IsADirectory.into();
        return Err(Error::File { file: path.display().to_string(), source });
    }
    by_ending(path, FIGURES_IN)?;
    figure_from_text(&file::text(path)?, path)
}

/// Whether a file has the extension of a figure format.
pub fn is_figure(path: &Path) -> bool {
    by_ending(path, FIGURES_IN).is_ok()
}

/// As [`figure()`], from the text of a file of that name.
///
/// # Errors
/// As [`figure()`].
pub fn figure_from_text(text: &str, path: &Path) -> Result<Loaded, Error> {
    let file = path.display().to_string();
    let format = match by_ending(path, FIGURES_IN)? {
        Format::Toml => Format::Toml,
        xml => by_root_element(text).unwrap_or(xml),
    };
    match format {
        Format::Toml => figure::read(text, &file),
        Format::Urdf => urdf::read(text, &file),
        Format::Mjcf => mjcf::read(text, &file, path.parent()),
        Format::Osim => osim::read(text, &file),
    }
}

/// Writes a figure in the format of the ending; `.xml` is MJCF. The warnings name content the format cannot represent.
///
/// # Errors
/// An unknown ending; a figure the format cannot represent; I/O errors. The old file is then intact.
pub fn save(path: &Path, figure: &Figure) -> Result<Vec<Warning>, Error> {
    let (text, warnings) = match by_ending(path, FIGURES_OUT)? {
        Format::Toml => (figure::write(figure), Vec::new()),
        Format::Urdf => urdf::write(figure)?,
        Format::Mjcf => mjcf::write(figure)?,
        Format::Osim => return Err(Error::unknown_format(path, FIGURES_OUT)),
    };
    file::replace(path, text.as_bytes())?;
    Ok(warnings)
}

fn by_ending(path: &Path, expected: &'static str) -> Result<Format, Error> {
    match file::ending(path).as_str() {
        "toml" => Ok(Format::Toml),
        "urdf" => Ok(Format::Urdf),
        "xml" | "mjcf" => Ok(Format::Mjcf),
        "osim" => Ok(Format::Osim),
        _ => Err(Error::unknown_format(path, expected)),
    }
}

/// `None` for other XML and for malformed text: the reader chosen by the ending then reports the error.
fn by_root_element(text: &str) -> Option<Format> {
    let mut rest = text;
    loop {
        rest = &rest[rest.find('<')? + 1..];
        let end_of_markup = match rest {
            markup if markup.starts_with('?') => "?>",
            markup if markup.starts_with("!--") => "-->",
            markup if markup.starts_with('!') => ">",
            _ => break,
        };
        rest = &rest[rest.find(end_of_markup)?..];
    }
    let name = rest.split(|c: char| c.is_whitespace() || c == '>' || c == '/').next()?;
    match name.rsplit(':').next()? {
        "mujoco" => Some(Format::Mjcf),
        "robot" => Some(Format::Urdf),
        "OpenSimDocument" => Some(Format::Osim),
        _ => None,
    }
}
