//! Motions from files of any format we read, by ending, and back.
//!
//! | part | what it does |
//! |---|---|
//! | `encoding.rs` | bytes of a text in whatever encoding |
//! | `skeleton.rs` | a motion of any figure as a recording, for BVH |
//! | `extent.rs` | how far the shapes of a link reach |
//! | `angles.rs` | a motion as a table of angles and lengths, for MOT and STO |
//! | `json.rs` | a motion with its figure in one JSON text, and back |
//! | `csv.rs` | motions, points and tables as comma-separated values |
//! | `data.rs` | points and tables as JSON |
//! | `save.rs` | writing by ending |

mod angles;
pub mod csv;
pub mod data;
mod encoding;
mod extent;
pub mod json;
mod save;
mod skeleton;

pub use angles::table_of;
pub use save::{clip_bytes, is_motion_out, save_clip, save_markers, save_recording, save_table};
pub use skeleton::recording_of;

use crate::error::Error;
use crate::{acclaim, bvh, c3d, load, npz, sto, trc};
use anthropi_motion::Clip;
use anthropi_motion::markers::Markers;
use anthropi_motion::recording::{Recording, Up};
use anthropi_motion::table::Table;
use std::io;
use std::path::{Path, PathBuf};

/// What motions are read from, in a sentence.
pub const MOTIONS_IN: &str =
    "motions are read from .bvh, .amc (with its .asf), .asf, .c3d, .trc, .mot, .sto, .npz and .json";

/// What a motion file holds.
#[derive(Clone, Debug)]
pub enum Motion {
    /// a motion on its own skeleton
    Recording(Recording),
    /// points in space
    Markers(Markers),
    /// columns over time
    Table(Table),
    /// a motion of a figure, which the file holds too
    Clip(Clip),
}

impl Motion {
    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Motion::Recording(r) => &r.name,
            Motion::Markers(m) => &m.name,
            Motion::Table(t) => &t.name,
            Motion::Clip(c) => &c.name,
        }
    }

    /// What was found and decided while reading, a sentence each.
    pub fn notes(&self) -> &[String] {
        match self {
            Motion::Recording(r) => &r.notes,
            Motion::Markers(m) => &m.notes,
            Motion::Table(_) | Motion::Clip(_) => &[],
        }
    }
}

/// What a reader should not find out itself. Formats that state something, or have nothing of the kind, ignore it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// metres in a unit of length: BVH, AMC
    pub unit: Option<f64>,
    /// the axis that points up: BVH, AMC, C3D, TRC
    pub up: Option<Up>,
    /// the first frame is part of the motion, whatever it looks like: BVH
    pub keep_first_frame: bool,
    /// the skeleton of an AMC file; looked for beside it if not given
    pub skeleton: Option<PathBuf>,
    /// frames a second of an AMC file
    pub rate: Option<f64>,
}

/// Formats of motions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Bvh,
    Amc,
    Asf,
    C3d,
    Trc,
    Sto,
    Npz,
    Json,
}

/// Whether the ending is that of a motion file.
pub fn is_motion(path: &Path) -> bool {
    by_ending(path).is_some()
}

/// Reads a motion by the ending of its file.
///
/// # Errors
/// What the file system says; a file that is too large or of unknown kind; a motion whose skeleton is not there; what
/// its reader says, with line and column or byte.
pub fn read(path: &Path, options: &Options) -> Result<Motion, Error> {
    by_ending(path).ok_or_else(|| unknown(path))?;
    let bytes = load::bytes(path)?;
    read_bytes(bytes, path, options, &mut || {
        let skeleton = match &options.skeleton {
            Some(given) => given.clone(),
            None => skeleton_beside(path)?,
        };
        Ok((skeleton.display().to_string(), load::bytes(&skeleton)?))
    })
}

/// Reads a motion from the bytes of a file of that name; `skeleton` gives name and bytes of the skeleton of an AMC file.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(
    bytes: Vec<u8>,
    path: &Path,
    options: &Options,
    skeleton: &mut dyn FnMut() -> Result<(String, Vec<u8>), Error>,
) -> Result<Motion, Error> {
    let file = path.display().to_string();
    let format = by_ending(path).ok_or_else(|| unknown(path))?;
    match format {
        Format::C3d => {
            let options = c3d::Options { up: options.up, ..c3d::Options::default() };
            return c3d::read_with(&bytes, &file, &options).map(Motion::Markers);
        }
        Format::Npz => return npz::read(&bytes, &file).map(Motion::Recording),
        _ => {}
    }
    let (text, note) = encoding::decode(bytes);
    let mut motion = match format {
        Format::Bvh => {
            let Options { unit, up, keep_first_frame, .. } = *options;
            Motion::Recording(bvh::read_with(&text, &file, &bvh::Options { unit, up, keep_first_frame })?)
        }
        Format::Amc => Motion::Recording(amc(&text, &file, skeleton()?, options)?),
        Format::Asf => Motion::Recording(acclaim::read_at_rest(&text, &file, &acclaim_options(options))?),
        Format::Trc => Motion::Markers(trc::read_with(text.as_bytes(), &file, options.up.unwrap_or(Up::Y))?),
        Format::Sto => Motion::Table(sto::read(text.as_bytes(), &file)?),
        Format::Json => Motion::Clip(json::read(&text, &file)?),
        Format::C3d | Format::Npz => return Err(unknown(path)),
    };
    match &mut motion {
        Motion::Recording(Recording { notes, .. }) | Motion::Markers(Markers { notes, .. }) => {
            notes.extend(note)
        }
        Motion::Table(_) | Motion::Clip(_) => {}
    }
    Ok(motion)
}

fn unknown(path: &Path) -> Error {
    Error::UnknownFormat { file: path.display().to_string(), expected: MOTIONS_IN }
}

fn amc(
    text: &str,
    file: &str,
    (asf_file, asf): (String, Vec<u8>),
    options: &Options,
) -> Result<Recording, Error> {
    let (asf, note) = encoding::decode(asf);
    let mut recording = acclaim::read_with(&asf, &asf_file, text, file, &acclaim_options(options))?;
    recording.notes.push(format!("skeleton: {asf_file}"));
    recording.notes.extend(note);
    Ok(recording)
}

fn acclaim_options(options: &Options) -> acclaim::Options {
    acclaim::Options { rate: options.rate, unit: options.unit, up: options.up }
}

/// The most likely skeleton in the folder of an AMC file.
fn skeleton_beside(path: &Path) -> Result<PathBuf, Error> {
    let failed = |source| Error::File { file: path.display().to_string(), source };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = folder.read_dir().map_err(failed)?;
    let names: Vec<String> = entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    match acclaim::skeleton_candidates(&path.to_string_lossy(), &names).first() {
        Some(name) => Ok(path.with_file_name(name)),
        None => {
            let what = "its skeleton, an .asf file of the same name or its beginning, is not beside it";
            Err(failed(io::Error::new(io::ErrorKind::NotFound, what)))
        }
    }
}

fn by_ending(path: &Path) -> Option<Format> {
    match ending(path).as_str() {
        "bvh" => Some(Format::Bvh),
        "amc" => Some(Format::Amc),
        "asf" => Some(Format::Asf),
        "c3d" => Some(Format::C3d),
        "trc" => Some(Format::Trc),
        "mot" | "sto" => Some(Format::Sto),
        "npz" => Some(Format::Npz),
        "json" => Some(Format::Json),
        _ => None,
    }
}

/// In small letters; empty where there is none.
fn ending(path: &Path) -> String {
    path.extension().map_or_else(String::new, |e| e.to_string_lossy().to_ascii_lowercase())
}
