//! Motion of a model from a table of coordinates over time.

use super::spline::Spline;
use super::{Coordinate, Model};
use crate::names::enumerated;
use anthropi_motion::note::Note;
use anthropi_motion::table::Table;
use anthropi_motion::{Clip, Error};

/// Deviation of times from equal steps, relative to a step, accepted as rounding.
const EVEN: f64 = 0.02;
/// Largest ratio of frames after and before resampling.
const MAX_REFINEMENT: usize = 4;

/// The motion of a model by a table of coordinates (MOT, STO), with notes on missing or unknown columns and uneven times.
/// Columns are named by coordinates, or by paths such as `/jointset/knee_r/knee_angle_r/value`. Angles are in degrees if
/// the table says so.
///
/// # Errors
/// A table without rows or without any column of the model, numbers that are not finite.
pub fn clip(model: &Model, table: &Table) -> Result<(Clip, Vec<Note>), Error> {
    if table.time.is_empty() {
        let clip = table.name.clone();
        return Err(Error::TooShort { clip, frames: 0, expected: "a motion has at least one" });
    }
    let mut notes = Vec::new();
    let columns = columns(model, table, &mut notes)?;
    let mut time = table.time.clone();
    let mut values: Vec<Vec<f64>> = Vec::new();
    for (c, column) in model.coordinates.iter().zip(&columns) {
        values.push(match column {
            Some(k) => read(c, table, *k)?,
            None => vec![c.default; time.len()],
        });
    }
    drop_doubles(&mut time, &mut values, &mut notes);
    let (dt, frames) = steps(&time, &mut notes);
    if !is_even(&time) {
        for of_one in &mut values {
            let spline = Spline::new(time.clone(), std::mem::take(of_one));
            let at = |k: usize| spline.as_ref().map_or(0.0, |s| s.value(time[0] + k as f64 * dt));
            *of_one = (0..frames).map(at).collect();
        }
    }
    let mut q = Vec::with_capacity(frames * model.figure.forest().nq());
    let mut row = vec![0.0; model.coordinates.len()];
    for frame in 0..frames {
        row.iter_mut().zip(&values).for_each(|(x, of_one)| *x = of_one[frame]);
        q.extend(model.pose(&row));
    }
    let clip = Clip::new(table.name.clone(), model.figure.clone(), dt, q)?;
    Ok((clip.starting_at(time[0]), notes))
}

/// The column of each coordinate.
fn columns(model: &Model, table: &Table, notes: &mut Vec<Note>) -> Result<Vec<Option<usize>>, Error> {
    let matches = |c: &Coordinate, label: &str| {
        label == c.name
            || label.strip_suffix("/value").is_some_and(|l| l.ends_with(&format!("{}/{}", c.joint, c.name)))
    };
    let find = |c: &Coordinate| table.labels.iter().position(|label| matches(c, label));
    let columns: Vec<Option<usize>> = model.coordinates.iter().map(find).collect();
    if columns.iter().all(Option::is_none) {
        let what = format!("no column is a coordinate of {}", model.figure.name);
        return Err(Error::Unsuitable { subject: table.name.clone(), what });
    }
    let missing = model.coordinates.iter().zip(&columns).filter(|(_, k)| k.is_none());
    let missing = missing.map(|(c, _)| &c.name);
    let unknown = table.labels.iter().enumerate().filter(|(k, _)| !columns.contains(&Some(*k)));
    let unknown = unknown.map(|(_, label)| label);
    notes.extend(
        enumerated("coordinates without a column, at their default value", missing).map(Note::warning),
    );
    notes.extend(enumerated("ignored columns that are not coordinates", unknown).map(Note::warning));
    Ok(columns)
}

/// Values of a column, rad or m.
fn read(c: &Coordinate, table: &Table, k: usize) -> Result<Vec<f64>, Error> {
    let values: Vec<f64> = table.column(k).collect();
    if let Some(frame) = values.iter().position(|x| !x.is_finite()) {
        return Err(Error::NotFinite { clip: table.name.clone(), frame, joint: c.name.clone() });
    }
    if values.len() != table.rows() {
        return Err(Error::Dimension { what: c.name.clone(), expected: table.rows(), got: values.len() });
    }
    let is_degrees = c.is_angle && table.in_degrees;
    Ok(if is_degrees { values.into_iter().map(f64::to_radians).collect() } else { values })
}

/// Keeps the first of several rows at the same time.
fn drop_doubles(time: &mut Vec<f64>, values: &mut [Vec<f64>], notes: &mut Vec<Note>) {
    let keep: Vec<bool> = (0..time.len()).map(|k| k == 0 || time[k] > time[k - 1]).collect();
    let doubles = keep.iter().filter(|k| !**k).count();
    if doubles > 0 {
        notes.push(Note::warning(format!(
            "{doubles} rows repeat the time of the previous row and are ignored"
        )));
        let retain = |list: &mut Vec<f64>| {
            let mut kept = keep.iter();
            list.retain(|_| kept.next().is_some_and(|k| *k));
        };
        retain(time);
        values.iter_mut().for_each(retain);
    }
}

fn is_even(time: &[f64]) -> bool {
    let steps = time.len().saturating_sub(1).max(1);
    let dt = (time[time.len() - 1] - time[0]) / steps as f64;
    time.iter().enumerate().all(|(k, t)| (t - time[0] - k as f64 * dt).abs() <= EVEN * dt)
}

/// Time step and number of frames.
fn steps(time: &[f64], notes: &mut Vec<Note>) -> (f64, usize) {
    /// Time step of a single pose, s.
    const SINGLE: f64 = 1.0;
    let n = time.len();
    let duration = time[n - 1] - time[0];
    if n == 1 {
        return (SINGLE, 1);
    }
    if is_even(time) {
        return (duration / (n - 1) as f64, n);
    }
    let mut gaps: Vec<f64> = time.windows(2).map(|w| w[1] - w[0]).collect();
    gaps.sort_by(f64::total_cmp);
    let target = gaps[gaps.len() / 2].max(duration / (MAX_REFINEMENT * n) as f64);
    let count = (duration / target).round().max(1.0);
    let dt = duration / count;
    let (least, most) = (gaps[0], gaps[gaps.len() - 1]);
    notes.push(
        format!("uneven times, {least} to {most} s apart: resampled by cubic splines every {dt} s").into(),
    );
    (dt, count as usize + 1)
}
