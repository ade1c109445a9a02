//! Motions to files, by ending; with what the format could not hold.

use super::{csv, data, ending, json, recording_of, table_of};
use crate::error::{Error, Warning};
use crate::{bvh, gltf, load, sto, trc};
use anthropi_motion::Clip;
use anthropi_motion::markers::Markers;
use anthropi_motion::recording::Recording;
use anthropi_motion::table::Table;
use std::path::Path;

/// Whether motions of some kind are written with this ending.
pub fn is_motion_out(path: &Path) -> bool {
    ["bvh", "csv", "json", "mot", "sto", "glb", "gltf", "trc"].contains(&ending(path).as_str())
}

/// Writes a motion of a figure: .json with all there is, .bvh, .csv, .mot, .sto, .glb or .gltf.
///
/// # Errors
/// An unknown ending; a motion the format cannot hold; what the file system says. The old file is then still whole.
pub fn save_clip(path: &Path, clip: &Clip) -> Result<Vec<Warning>, Error> {
    let (bytes, warnings) = clip_bytes(path, clip)?;
    load::replace(path, &bytes)?;
    Ok(warnings)
}

/// A motion of a figure as the bytes of a file of that name, and what it could not hold.
///
/// # Errors
/// An unknown ending; a motion the format cannot hold.
pub fn clip_bytes(path: &Path, clip: &Clip) -> Result<(Vec<u8>, Vec<Warning>), Error> {
    let lost = |what: &str| Warning { place: None, what: what.into() };
    let mut warnings = Vec::new();
    let bytes = match ending(path).as_str() {
        "json" => json::write(clip).into_bytes(),
        "bvh" => {
            warnings.push(lost("masses, shapes and limits of the figure are left out"));
            warnings.push(lost("lengths are in centimetres and y is up, which a BVH file has no words for"));
            let (text, more) = bvh::write(&recording_of(clip));
            warnings.extend(more);
            text.into_bytes()
        }
        "csv" => {
            warnings.push(lost("the figure itself is left out; .json holds both"));
            csv::of_clip(clip).into_bytes()
        }
        "mot" | "sto" => {
            warnings.push(lost("the figure itself is left out; .json holds both"));
            sto::write(&table_of(clip))?.into_bytes()
        }
        "glb" | "gltf" => {
            warnings.push(lost("masses and limits of the figure are left out"));
            let form = if ending(path) == "glb" { gltf::Form::Binary } else { gltf::Form::Text };
            gltf::write(clip, form)?
        }
        _ => {
            let expected = "motions of figures are written as .json, .bvh, .csv, .mot, .sto, .glb and .gltf";
            return unknown(path, expected);
        }
    };
    if clip.figure().connections().next().is_some() && ending(path) != "json" {
        warnings.push(lost("connections of the figure are left out"));
    }
    Ok((bytes, warnings))
}

/// Writes a recording as it is: .bvh.
///
/// # Errors
/// As [`save_clip`].
pub fn save_recording(path: &Path, recording: &Recording) -> Result<Vec<Warning>, Error> {
    if ending(path) != "bvh" {
        return unknown(path, "recordings are written as .bvh");
    }
    let (text, warnings) = bvh::write(recording);
    load::replace(path, text.as_bytes())?;
    Ok(warnings)
}

/// Writes points: .json with all there is, .csv or .trc.
///
/// # Errors
/// As [`save_clip`].
pub fn save_markers(path: &Path, markers: &Markers) -> Result<Vec<Warning>, Error> {
    let text = match ending(path).as_str() {
        "json" => data::of_markers(markers),
        "csv" => csv::of_markers(markers),
        "trc" => trc::write(markers)?,
        _ => return unknown(path, "points are written as .json, .csv and .trc"),
    };
    let is_lost = ending(path) != "json" && !(markers.analog.labels.is_empty() && markers.plates.is_empty());
    let what = "analog signals and force plates are left out; .json holds them".into();
    load::replace(path, text.as_bytes())?;
    Ok(is_lost.then_some(Warning { place: None, what }).into_iter().collect())
}

/// Writes a table: .mot, .sto, .csv or .json.
///
/// # Errors
/// As [`save_clip`].
pub fn save_table(path: &Path, table: &Table) -> Result<Vec<Warning>, Error> {
    let text = match ending(path).as_str() {
        "mot" | "sto" => sto::write(table)?,
        "csv" => csv::of_table(table),
        "json" => data::of_table(table),
        _ => return unknown(path, "tables are written as .mot, .sto, .csv and .json"),
    };
    load::replace(path, text.as_bytes())?;
    Ok(Vec::new())
}

fn unknown<T>(path: &Path, expected: &'static str) -> Result<T, Error> {
    Err(Error::UnknownFormat { file: path.display().to_string(), expected })
}
