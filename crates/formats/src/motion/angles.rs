//! Converts a clip to a table of angles in degrees and lengths in metres, for MOT and STO files.
//!
//! Columns: a joint of one coordinate has its name; `JOINT_tx` is a translation, `JOINT_rx` an angle about an axis.
//! Spherical and free joints give the angles of their rotation order, first to last, continuous over the frames.
//! Checked by: `tests/it/clips.rs`.

use crate::bvh::angles::angles;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, Joint};
use anthropi_dynamics::spatial::{Axis, Quat};
use anthropi_motion::Clip;
use anthropi_motion::table::Table;

const AXES: [&str; 3] = ["x", "y", "z"];

/// Source of a column, by index into q.
enum Source {
    /// a length
    Length(usize),
    /// an angle
    Angle(usize),
    /// a quaternion, as three angles about these axes
    Rotation(usize, [usize; 3]),
}

/// The motion as a table, without the figure.
pub fn table_from_clip(clip: &Clip) -> Table {
    let (labels, sources) = columns(clip.figure());
    let mut values = Vec::with_capacity(clip.frames() * labels.len());
    let mut before: Vec<Option<[f64; 3]>> = vec![None; sources.len()];
    for frame in 0..clip.frames() {
        let q = clip.pose(frame);
        for (source, before) in sources.iter().zip(&mut before) {
            match source {
                Source::Length(i) => values.push(q[*i]),
                Source::Angle(i) => values.push(q[*i].to_degrees()),
                Source::Rotation(i, axes) => {
                    let rotation = Quat([q[*i], q[*i + 1], q[*i + 2], q[*i + 3]]);
                    let now = angles(rotation, axes, *before, false);
                    *before = Some(now);
                    values.extend(now.map(f64::to_degrees));
                }
            }
        }
    }
    Table {
        name: clip.name.split_whitespace().collect::<Vec<_>>().join(" ").replace('=', "-"),
        labels,
        time: (0..clip.frames()).map(|f| clip.time(f)).collect(),
        values,
        in_degrees: true,
        header: vec![
            ("Units are S.I. units (second, meters, Newtons, ...)".into(), String::new()),
            ("Angles are in degrees, z is up.".into(), String::new()),
        ],
    }
}

fn columns(figure: &Figure) -> (Vec<String>, Vec<Source>) {
    let (mut labels, mut sources) = (Vec::new(), Vec::new());
    for (handle, joint) in figure.joints() {
        let iq = figure.forest().joint_place(handle).iq;
        add_columns(joint, iq, &mut labels, &mut sources);
    }
    // white space would end a label
    labels.iter_mut().for_each(|l| *l = l.replace(char::is_whitespace, "_"));
    (labels, sources)
}

fn add_columns(joint: &Joint, iq: usize, labels: &mut Vec<String>, sources: &mut Vec<Source>) {
    let order = joint.order.axes().map(Axis::index);
    let label = |kind: &str, axis: usize| format!("{}_{kind}{}", joint.name, AXES[axis]);
    let left = joint.coordinates();
    match joint.kind {
        JointKind::Free => {
            labels.extend((0..3).map(|k| label("t", k)));
            labels.extend(order.map(|a| label("r", a)));
            sources.extend((0..3).map(|k| Source::Length(iq + k)));
            sources.push(Source::Rotation(iq + 3, order));
        }
        JointKind::Spherical if !left.has_locks() => {
            labels.extend(order.map(|a| label("r", a)));
            sources.push(Source::Rotation(iq, order));
        }
        JointKind::Spherical => {
            labels.extend(left.free_dofs().map(|k| label("r", order[k])));
            sources.extend((0..left.nq()).map(|k| Source::Angle(iq + k)));
        }
        _ => {
            let slides = matches!(joint.kind, JointKind::Prismatic { .. });
            let single = |k: usize| if slides { Source::Length(iq + k) } else { Source::Angle(iq + k) };
            sources.extend((0..left.nq()).map(single));
            match joint.kind.nv() {
                1 => labels.extend((0..left.nq()).map(|_| joint.name.clone())),
                _ => labels.extend(left.free_dofs().map(|k| format!("{}_{}", joint.name, k + 1))),
            }
        }
    }
}
