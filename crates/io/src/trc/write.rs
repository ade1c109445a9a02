//! Writes TRC: millimetres, y up, as OpenSim reads it.

use crate::error::Error;
use anthropi_motion::markers::Markers;
use std::fmt::Write;

/// Millimetres in a metre.
const SCALE: f64 = 1000.0;

/// The text of a TRC file with these points; cells of points that were not seen are empty.
///
/// # Errors
/// Labels that would not be read as they are.
pub fn write(markers: &Markers) -> Result<String, Error> {
    if let Some(label) = markers.labels.iter().find(|l| l.trim().is_empty() || l.contains(['\t', '\n', '\r']))
    {
        return Err(Error::NotRepresentable { format: "TRC", what: format!("the label {label:?}") });
    }
    let (rate, frames, first) = (markers.rate, markers.frames(), markers.first_frame);
    let mut out = format!(
        "PathFileType\t4\t(X/Y/Z)\t{}.trc\n\
         DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n\
         {rate}\t{rate}\t{frames}\t{}\tmm\t{rate}\t{first}\t{frames}\nFrame#\tTime",
        markers.name.replace(char::is_control, " "),
        markers.labels.len(),
    );
    // writing to a string cannot fail
    for label in &markers.labels {
        let _ = write!(out, "\t{}\t\t", label.trim());
    }
    out.push_str("\n\t");
    for k in 1..=markers.labels.len() {
        let _ = write!(out, "\tX{k}\tY{k}\tZ{k}");
    }
    out.push_str("\n\n");
    for frame in 0..frames {
        let _ = write!(out, "{}\t{}", first + frame as u64, frame as f64 / rate);
        for point in markers.at(frame) {
            match point {
                Some(p) => {
                    let p = p.scale(SCALE);
                    let _ = write!(out, "\t{}\t{}\t{}", p.x, p.z, -p.y);
                }
                None => out.push_str("\t\t\t"),
            }
        }
        out.push('\n');
    }
    Ok(out)
}
