//! Motions from and to files of all supported formats, by ending.
//!
//! | file | content |
//! |---|---|
//! | `encoding.rs` | decoding of text files |
//! | `skeleton.rs` | clip to recording, for BVH |
//! | `angles.rs` | clip to table of angles and lengths, for MOT and STO |
//! | `json.rs` | a clip with its figure as JSON, and back |
//! | `csv.rs` | clips, markers and tables as CSV |
//! | `data.rs` | markers and tables as JSON |
//! | `save.rs` | writing by ending |

mod angles;
pub mod csv;
pub mod data;
mod encoding;
pub mod json;
mod save;
mod skeleton;

pub use angles::table_from_clip;
pub use save::{
    clip_bytes, is_motion_out, save_clip, save_clip_with, save_markers, save_recording, save_table,
};
pub use skeleton::recording_from_clip;

use crate::error::Error;
use crate::file::{self, ending};
use crate::{acclaim, bvh, c3d, npz, sto, trc};
use anthropi_motion::Clip;
use anthropi_motion::markers::Markers;
use anthropi_motion::note::Note;
use anthropi_motion::recording::{Recording, Up};
use anthropi_motion::table::Table;
use std::io;
use std::path::{Path, PathBuf};

/// Supported formats, for messages.
pub const MOTIONS_IN: &str =
    "motions are read from .bvh, .amc (with its .asf), .asf, .c3d, .trc, .mot, .sto, .npz and .json";

/// Content of a motion file.
#[derive(Clone, Debug)]
pub enum Motion {
    /// a motion on its own skeleton
    Recording(Recording),
    /// marker positions
    Markers(Markers),
    /// columns over time
    Table(Table),
    /// a motion with its figure
    Clip(Clip),
}

impl Motion {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Motion::Recording(r) => &r.name,
            Motion::Markers(m) => &m.name,
            Motion::Table(t) => &t.name,
            Motion::Clip(c) => &c.name,
        }
    }

    /// Human-readable notes of the reader.
    pub fn notes(&self) -> &[Note] {
        match self {
            Motion::Recording(r) => &r.notes,
            Motion::Markers(m) => &m.notes,
            Motion::Table(_) | Motion::Clip(_) => &[],
        }
    }
}

/// Overrides for what readers otherwise guess. Formats that state a value, or do not have it, ignore the option.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// unit of length, m: BVH, AMC
    pub unit: Option<f64>,
    /// the axis that points up: BVH, AMC, C3D, TRC
    pub up: Option<Up>,
    /// treat the first frame as part of the motion, even if it looks like a rest pose: BVH
    pub keep_first_frame: bool,
    /// the skeleton of an AMC file; searched in its folder by default
    pub skeleton: Option<PathBuf>,
    /// frame rate of an AMC file, Hz
    pub rate: Option<f64>,
}

/// Whether a path has the ending of a motion file.
pub fn is_motion(path: &Path) -> bool {
    ["bvh", "amc", "asf", "c3d", "trc", "mot", "sto", "npz", "json"].contains(&ending(path).as_str())
}

/// Reads a motion by the ending of its file.
///
/// # Errors
/// I/O errors; a file that is too large or of unknown format; an AMC file without its skeleton; errors of the reader, with
/// line and column or byte.
pub fn read(path: &Path, options: &Options) -> Result<Motion, Error> {
    if !is_motion(path) {
        return Err(Error::unknown_format(path, MOTIONS_IN));
    }
    let bytes = file::bytes(path)?;
    read_bytes(bytes, path, options, &mut || {
        let skeleton = match &options.skeleton {
            Some(given) => given.clone(),
            None => skeleton_beside(path)?,
        };
        Ok((skeleton.display().to_string(), file::bytes(&skeleton)?))
    })
}

/// Reads a motion from the bytes of a file of that name; `skeleton` returns name and bytes of an AMC file's skeleton.
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
    let ending = ending(path);
    let Options { unit, up, rate, .. } = *options;
    match ending.as_str() {
        "c3d" => {
            let options = c3d::Options { up, ..c3d::Options::default() };
            return c3d::read_with(&bytes, &file, &options).map(Motion::Markers);
        }
        "npz" => return npz::read(&bytes, &file).map(Motion::Recording),
        _ => {}
    }
    let (text, note) = encoding::decode(bytes);
    let acclaim = acclaim::Options { rate, unit, up };
    let mut motion = match ending.as_str() {
        "bvh" => {
            let options = bvh::Options { unit, up, keep_first_frame: options.keep_first_frame };
            Motion::Recording(bvh::read_with(&text, &file, &options)?)
        }
        "amc" => Motion::Recording(amc(&text, &file, skeleton()?, &acclaim)?),
        "asf" => Motion::Recording(acclaim::read_at_rest(&text, &file, &acclaim)?),
        "trc" => Motion::Markers(trc::read_with(text.as_bytes(), &file, up.unwrap_or(Up::Y))?),
        "mot" | "sto" => Motion::Table(sto::read(text.as_bytes(), &file)?),
        "json" => Motion::Clip(json::read(&text, &file)?),
        _ => return Err(Error::unknown_format(path, MOTIONS_IN)),
    };
    if let Motion::Recording(Recording { notes, .. }) | Motion::Markers(Markers { notes, .. }) = &mut motion {
        notes.extend(note.map(Note::warning));
    }
    Ok(motion)
}

fn amc(
    text: &str,
    file: &str,
    (asf_file, asf): (String, Vec<u8>),
    options: &acclaim::Options,
) -> Result<Recording, Error> {
    let (asf, note) = encoding::decode(asf);
    let mut recording = acclaim::read_with(&asf, &asf_file, text, file, options)?;
    recording.notes.push(format!("skeleton: {asf_file}").into());
    recording.notes.extend(note.map(Note::warning));
    Ok(recording)
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
            let what = "its skeleton is not in the same folder: an .asf file whose name is the start of the .amc file's";
            Err(failed(io::Error::new(io::ErrorKind::NotFound, what)))
        }
    }
}
