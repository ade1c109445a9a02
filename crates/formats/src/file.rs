//! Bounded reading of whole files, and atomic replacement of files.

use crate::error::Error;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Largest file read: far above any figure, far below the memory of a machine.
pub const MAX_BYTES: u64 = 256 << 20;

/// The ending of a path in lower case; empty if there is none.
pub(crate) fn ending(path: &Path) -> String {
    path.extension().map_or_else(String::new, |e| e.to_string_lossy().to_ascii_lowercase())
}

/// Reads a text of at most [`MAX_BYTES`], without its byte order mark.
///
/// # Errors
/// I/O errors; a text that is empty, too large or not UTF-8.
pub fn text(path: &Path) -> Result<String, Error> {
    let file = path.display().to_string();
    let mut text = String::from_utf8(bytes(path)?)
        .map_err(|e| Error::Encoding { file, at: e.utf8_error().valid_up_to() })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

/// Whether a file has one of some extensions, in any case.
pub fn has_extension(path: &Path, all: &[&str]) -> bool {
    path.extension().is_some_and(|own| all.iter().any(|extension| own.eq_ignore_ascii_case(extension)))
}

/// Reads a file of at most [`MAX_BYTES`].
///
/// # Errors
/// I/O errors; a file that is empty or too large.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let file = path.display().to_string();
    let mut bytes = Vec::new();
    // not by the size in the metadata: pipes and devices have none
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

/// Reads an ordinary file; `None` if it is longer than `limit`.
pub(crate) fn bytes_up_to(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not an ordinary file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// Replaces a file atomically.
///
/// # Errors
/// I/O errors; the old file is then intact.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |source| Error::File { file: path.display().to_string(), source };
    let mut output = Output::create(path).map_err(failed)?;
    output.write_all(bytes).and_then(|()| output.finish()).map_err(failed)
}

/// A file written under a temporary name and renamed by [`Output::finish`], so that a crash leaves the old file intact.
#[derive(Debug)]
pub struct Output {
    file: BufWriter<File>,
    temporary: PathBuf,
    target: PathBuf,
    is_finished: bool,
}

impl Output {
    /// Opens the temporary file for `target`.
    pub fn create(target: &Path) -> io::Result<Output> {
        // a symbolic link stays a link: its target is replaced
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_path_buf());
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        if target.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if let Some(folder) = target.parent().filter(|f| !f.as_os_str().is_empty() && !f.is_dir()) {
            let what = format!("the output folder {} does not exist", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, what));
        }
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.tmp", std::process::id()));
        let temporary = target.with_file_name(hidden);
        Ok(Output { file: BufWriter::new(File::create(&temporary)?), temporary, target, is_finished: false })
    }

    /// Renames the temporary file to its final name.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        fs::rename(&self.temporary, &self.target)?;
        self.is_finished = true;
        Ok(())
    }
}

/// Removes, recursively, the temporary files of writers that were killed before [`Output::finish`].
pub fn remove_unfinished(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => remove_unfinished(&entry.path()),
            Ok(kind) if kind.is_file() && is_unfinished(&entry.file_name().to_string_lossy()) => {
                let _ = fs::remove_file(entry.path()); // harmless if it stays
            }
            _ => (),
        }
    }
}

/// Whether a name has the form of [`Output::create`]: `.NAME.PROCESS.tmp`.
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
            // there is no way to report a failure here
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
