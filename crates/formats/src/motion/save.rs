//! Writes motions to files, by ending.

use super::{csv, data, json, recording_from_clip, table_from_clip};
use crate::error::{Error, Warning};
use crate::file::{self, ending};
use crate::{bvh, gltf, sto, trc};
use anthropi_dynamics::model::PlacedShape;
use anthropi_motion::Clip;
use anthropi_motion::markers::Markers;
use anthropi_motion::recording::Recording;
use anthropi_motion::table::Table;
use std::path::Path;

/// Whether a path has the ending of a format that motions are written in.
pub fn is_motion_out(path: &Path) -> bool {
    ["bvh", "csv", "json", "mot", "sto", "glb", "gltf", "trc"].contains(&ending(path).as_str())
}

/// Writes a motion of a figure: .json (complete), .bvh, .csv, .mot, .sto, .glb or .gltf. The warnings list what is lost.
///
/// # Errors
/// An unknown ending; a motion the format cannot represent; I/O errors. The old file is then intact.
pub fn save_clip(path: &Path, clip: &Clip) -> Result<Vec<Warning>, Error> {
    let (bytes, warnings) = clip_bytes(path, clip)?;
    file::replace(path, &bytes)?;
    Ok(warnings)
}

/// As [`save_clip`], with named solids around the figure, world axes: .glb and .gltf hold them.
///
/// # Errors
/// As [`save_clip`].
pub fn save_clip_with(
    path: &Path,
    clip: &Clip,
    solids: &[(String, PlacedShape)],
) -> Result<Vec<Warning>, Error> {
    let Some(form) = gltf_form(path).filter(|_| !solids.is_empty()) else { return save_clip(path, clip) };
    let (_, warnings) = clip_bytes(path, clip)?;
    file::replace(path, &gltf::write_with(clip, solids, form)?)?;
    Ok(warnings)
}

fn gltf_form(path: &Path) -> Option<gltf::Form> {
    match ending(path).as_str() {
        "glb" => Some(gltf::Form::Binary),
        "gltf" => Some(gltf::Form::Text),
        _ => None,
    }
}

/// Encodes a motion of a figure in the format of the ending; the warnings list what is lost.
///
/// # Errors
/// An unknown ending; a motion the format cannot represent.
pub fn clip_bytes(path: &Path, clip: &Clip) -> Result<(Vec<u8>, Vec<Warning>), Error> {
    let lost = |what: &str| Warning { is_routine: true, ..Warning::new(what) };
    let mut warnings = Vec::new();
    let bytes = match ending(path).as_str() {
        "json" => json::write(clip).into_bytes(),
        "bvh" => {
            warnings.push(lost("masses, shapes and limits of the figure are not written"));
            warnings.push(lost("lengths are in centimetres and y is up, which a BVH file cannot state"));
            let (text, more) = bvh::write(&recording_from_clip(clip));
            warnings.extend(more);
            text.into_bytes()
        }
        "csv" => {
            warnings.push(lost("the figure itself is not written; .json holds both"));
            csv::from_clip(clip).into_bytes()
        }
        "mot" | "sto" => {
            warnings.push(lost("the figure itself is not written; .json holds both"));
            sto::write(&table_from_clip(clip))?.into_bytes()
        }
        "glb" | "gltf" => {
            warnings.push(lost("masses and limits of the figure are not written"));
            gltf::write(clip, gltf_form(path).unwrap_or(gltf::Form::Text))?
        }
        _ => {
            let expected = "motions of figures are written as .json, .bvh, .csv, .mot, .sto, .glb and .gltf";
            return Err(Error::unknown_format(path, expected));
        }
    };
    if clip.figure().connections().next().is_some() && ending(path) != "json" {
        warnings.push(lost("connections of the figure are not written"));
    }
    Ok((bytes, warnings))
}

/// Writes a recording on its own skeleton: .bvh.
///
/// # Errors
/// As [`save_clip`].
pub fn save_recording(path: &Path, recording: &Recording) -> Result<Vec<Warning>, Error> {
    if ending(path) != "bvh" {
        return Err(Error::unknown_format(path, "recordings are written as .bvh"));
    }
    let (text, warnings) = bvh::write(recording);
    file::replace(path, text.as_bytes())?;
    Ok(warnings)
}

/// Writes markers: .json (complete), .csv or .trc.
///
/// # Errors
/// As [`save_clip`].
pub fn save_markers(path: &Path, markers: &Markers) -> Result<Vec<Warning>, Error> {
    let text = match ending(path).as_str() {
        "json" => data::from_markers(markers),
        "csv" => csv::from_markers(markers),
        "trc" => trc::write(markers)?,
        _ => return Err(Error::unknown_format(path, "markers are written as .json, .csv and .trc")),
    };
    let is_lost = ending(path) != "json" && !(markers.analog.labels.is_empty() && markers.plates.is_empty());
    let what = "analog signals and force plates are not written; .json holds them";
    file::replace(path, text.as_bytes())?;
    Ok(is_lost.then_some(Warning::new(what)).into_iter().collect())
}

/// Writes a table: .mot, .sto, .csv or .json.
///
/// # Errors
/// As [`save_clip`].
pub fn save_table(path: &Path, table: &Table) -> Result<Vec<Warning>, Error> {
    let text = match ending(path).as_str() {
        "mot" | "sto" => sto::write(table)?,
        "csv" => csv::from_table(table),
        "json" => data::from_table(table),
        _ => return Err(Error::unknown_format(path, "tables are written as .mot, .sto, .csv and .json")),
    };
    file::replace(path, text.as_bytes())?;
    Ok(Vec::new())
}
