//! Figures from files of any format we read, by ending and content; and files that are replaced whole or not at all.

use crate::error::{Error, Warning};
use crate::{Loaded, figure, mjcf, osim, shelf, svg, urdf};
use anthropi_dynamics::model::Figure;
use quick_xml::events::Event;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Largest file we read: far above any figure, far below what a machine holds.
pub const MAX_BYTES: u64 = 256 << 20;

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
/// What the file system says; a file that is too large, not UTF-8 or of unknown kind; what its reader says.
pub fn figure(path: &Path) -> Result<Loaded, Error> {
    if path.is_dir() {
        let source = io::ErrorKind::IsADirectory.into();
        return Err(Error::File { file: path.display().to_string(), source });
    }
    by_ending(path, FIGURES_IN)?;
    figure_of(&text(path)?, path)
}

/// A figure by the name of a built-in one, or from a file.
///
/// # Errors
/// A name that is no figure's; as [`figure()`].
pub fn named(name: &str) -> Result<Loaded, Error> {
    let wrong = |is| Err(Error::WrongThing { name: name.into(), is, wanted: "figure" });
    let is_on = |shelf| shelf::find(shelf, name).is_some();
    match built_in(name) {
        Some(figure) => figure,
        None if is_on(shelf::SCENES) || is_on(shelf::FILTERINGS) => wrong("scene"),
        None if is_on(shelf::MOTIONS) => wrong("motion"),
        None if is_path(name) => figure(Path::new(name)),
        None => {
            let all =
                shelf::names(shelf::FIGURES).chain(shelf::names(shelf::SCENES)).map(String::from).collect();
            Err(Error::Unknown { what: "file, built-in figure or scene", name: name.into(), all })
        }
    }
}

/// The built-in figure of that name.
pub(crate) fn built_in(name: &str) -> Option<Result<Loaded, Error>> {
    shelf::find(shelf::FIGURES, name).map(|b| figure::read(b.text, b.name))
}

/// Whether a name is meant as a file: there is one, or it has an ending or a folder.
fn is_path(name: &str) -> bool {
    let path = Path::new(name);
    path.exists() || path.extension().is_some() || path.components().count() > 1
}

/// The same from the text of a file of that name.
///
/// # Errors
/// As [`figure()`].
pub fn figure_of(text: &str, path: &Path) -> Result<Loaded, Error> {
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

/// Writes a figure in the format of the ending; `.xml` is MJCF, `.svg` a picture of its home pose. Returns what could not be
/// said in that format.
///
/// # Errors
/// An unknown ending; a figure the format cannot hold; what the file system says. The old file is then still whole.
pub fn save(path: &Path, figure: &Figure) -> Result<Vec<Warning>, Error> {
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg")) {
        let home = svg::Frame { q: figure.forest().home().to_vec(), label: figure.name.clone() };
        replace(path, svg::strip(figure, &[home]).as_bytes())?;
        return Ok(Vec::new());
    }
    let (text, warnings) = match by_ending(path, FIGURES_OUT)? {
        Format::Toml => (figure::write(figure), Vec::new()),
        Format::Urdf => urdf::write(figure)?,
        Format::Mjcf => mjcf::write(figure)?,
        Format::Osim => return Err(unknown(path, FIGURES_OUT)),
    };
    replace(path, text.as_bytes())?;
    Ok(warnings)
}

/// Reads a text of at most [`MAX_BYTES`], without its byte order mark.
///
/// # Errors
/// What the file system says; a text that is empty, too large or not UTF-8.
pub fn text(path: &Path) -> Result<String, Error> {
    let file = path.display().to_string();
    let mut text = String::from_utf8(bytes(path)?)
        .map_err(|e| Error::Encoding { file, at: e.utf8_error().valid_up_to() })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

/// Reads a file of at most [`MAX_BYTES`].
///
/// # Errors
/// What the file system says; a file that is empty or too large.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let file = path.display().to_string();
    let mut bytes = Vec::new();
    // not by the size the system states: pipes and devices state none
    let read = File::open(path).and_then(|f| f.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    if let Err(source) = read {
        return Err(Error::File { file, source });
    }
    if bytes.len() as u64 > MAX_BYTES {
        let size = fs::metadata(path).map_or(0, |m| m.len()).max(bytes.len() as u64);
        return Err(Error::TooLarge { file, size, limit: MAX_BYTES });
    }
    if bytes.is_empty() {
        return Err(Error::Empty { file });
    }
    Ok(bytes)
}

/// Puts bytes in the place of a file, all or none.
///
/// # Errors
/// What the file system says; the old file is then still whole.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |source| Error::File { file: path.display().to_string(), source };
    let mut output = Output::create(path).map_err(failed)?;
    output.write_all(bytes).and_then(|()| output.finish()).map_err(failed)
}

fn by_ending(path: &Path, expected: &'static str) -> Result<Format, Error> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("toml") => Ok(Format::Toml),
        Some("urdf") => Ok(Format::Urdf),
        Some("xml" | "mjcf") => Ok(Format::Mjcf),
        Some("osim") => Ok(Format::Osim),
        _ => Err(unknown(path, expected)),
    }
}

fn unknown(path: &Path, expected: &'static str) -> Error {
    Error::UnknownFormat { file: path.display().to_string(), expected }
}

/// `None` for other XML and for text that is none: the reader of the ending's format then says what is wrong.
fn by_root_element(text: &str) -> Option<Format> {
    let mut reader = quick_xml::Reader::from_str(text);
    loop {
        match reader.read_event().ok()? {
            Event::Start(e) | Event::Empty(e) => {
                return match e.local_name().as_ref() {
                    "mujoco" => Some(Format::Mjcf),
                    "robot" => Some(Format::Urdf),
                    "OpenSimDocument" => Some(Format::Osim),
                    _ => None,
                };
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

/// A file being written beside its place; it takes its place only when [`Output::finish`] is called, so that a crash
/// leaves the old file whole.
#[derive(Debug)]
pub struct Output {
    file: BufWriter<File>,
    beside: PathBuf,
    place: PathBuf,
    is_finished: bool,
}

impl Output {
    /// Starts to write what will be at `place`.
    pub fn create(place: &Path) -> io::Result<Output> {
        // a link stays a link: what it leads to is replaced
        let place = fs::canonicalize(place).unwrap_or_else(|_| place.to_path_buf());
        let name = place.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        if place.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if let Some(folder) = place.parent().filter(|f| !f.as_os_str().is_empty() && !f.is_dir()) {
            let what = format!("there is no folder {} to write it to", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, what));
        }
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.tmp", std::process::id()));
        let beside = place.with_file_name(hidden);
        Ok(Output { file: BufWriter::new(File::create(&beside)?), beside, place, is_finished: false })
    }

    /// Puts the file in its place.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        fs::rename(&self.beside, &self.place)?;
        self.is_finished = true;
        Ok(())
    }
}

/// Removes what writers left beside their places, in a folder and those below it, who were killed before [`Output::finish`].
pub fn remove_unfinished(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => remove_unfinished(&entry.path()),
            Ok(kind) if kind.is_file() && is_unfinished(&entry.file_name().to_string_lossy()) => {
                let _ = fs::remove_file(entry.path()); // then it stays, and nobody is hurt
            }
            _ => (),
        }
    }
}

/// Whether a name is one that [`Output::create`] gives: `.NAME.PROCESS.tmp`.
fn is_unfinished(name: &str) -> bool {
    let inner = name.strip_prefix('.').and_then(|n| n.strip_suffix(".tmp"));
    let parts = inner.and_then(|n| n.rsplit_once('.'));
    parts.is_some_and(|(name, process)| !name.is_empty() && process.parse::<u32>().is_ok())
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if !self.is_finished {
            // nothing better can be done when even this fails
            let _ = fs::remove_file(&self.beside);
        }
    }
}
