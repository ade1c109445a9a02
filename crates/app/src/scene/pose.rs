//! Coordinates and velocities of joints, by name.

use anthropi_dynamics::joint::{JointKind, JointState, MAX_NQ};
use anthropi_dynamics::model::{Figure, Joint, JointHandle, State};
use anthropi_formats::Error;
use anthropi_formats::fields::{Field, Table};
use anthropi_formats::figure::placement::unit_quaternion;
use anthropi_formats::names::counted;

/// Keys of a pose.
pub const KEYS: [&str; 2] = ["pose_deg", "pose"];

/// Coordinates q of the joints in `pose` or `pose_deg` of a table.
pub fn read(table: &Table, figure: &Figure) -> Result<Vec<(JointHandle, Vec<f64>)>, Error> {
    let mut found: Vec<(JointHandle, Vec<f64>)> = Vec::new();
    for (i, key) in KEYS.iter().enumerate() {
        for (handle, field) in by_joint(table, key, figure)? {
            let joint = figure.joint(handle).map_err(|e| field.wrong(e.to_string()))?;
            if found.iter().any(|(h, _)| *h == handle) {
                return Err(field.wrong("is given in `pose_deg` and in `pose`; give one of them"));
            }
            let whole = JointState::at_rest(coordinates(&field, joint, i == 0)?);
            let left = joint.coordinates();
            let (mut q, mut v) = (vec![0.0; left.nq()], vec![0.0; left.nv()]);
            left.reduce(&whole, &mut q, &mut v);
            found.push((handle, q));
        }
    }
    Ok(found)
}

/// Sets the velocities in `velocity` of a table.
pub fn set_velocity(table: &Table, figure: &Figure, state: &mut State) -> Result<(), Error> {
    for (handle, field) in by_joint(table, "velocity", figure)? {
        let v = if field.is_list() { field.numbers()? } else { vec![field.number()?] };
        state.set_v(figure, handle, &v).map_err(|e| field.wrong(e.to_string()))?;
    }
    Ok(())
}

/// The fields of a table of joints.
fn by_joint<'a>(
    table: &Table<'a>,
    key: &str,
    figure: &Figure,
) -> Result<Vec<(JointHandle, Field<'a>)>, Error> {
    let Some(field) = table.get(key) else { return Ok(Vec::new()) };
    let below = field.table(field.label.clone())?;
    let names: Vec<&str> = figure.joints().map(|(_, j)| j.name.as_str()).collect();
    below.allow(&[&names])?;
    Ok(figure.joints().filter_map(|(h, j)| below.get(&j.name).map(|f| (h, f))).collect())
}

/// Coordinates of the whole joint.
fn coordinates(field: &Field, joint: &Joint, is_deg: bool) -> Result<[f64; MAX_NQ], Error> {
    let unit = |x: f64| if is_deg { x.to_radians() } else { x };
    let mut q = joint.kind.neutral();
    match joint.kind {
        JointKind::Fixed | JointKind::Partial { .. } => {
            return Err(field.wrong(format!("is not for a {} joint", joint.kind.name())));
        }
        JointKind::Prismatic { .. } | JointKind::Free if is_deg => {
            return Err(field.wrong(format!("belongs in `pose`: joint `{}` slides", joint.name)));
        }
        JointKind::Revolute { .. } | JointKind::Prismatic { .. } => q[0] = unit(field.single()?),
        JointKind::Universal { .. } => q[..2].copy_from_slice(&field.array::<2>()?.map(unit)),
        JointKind::Spherical if is_deg => {
            q[..4].copy_from_slice(&joint.order.quat(field.array::<3>()?.map(unit)).0);
        }
        JointKind::Spherical => q[..4].copy_from_slice(&unit_quaternion(field, field.array()?)?.0),
        JointKind::Free => match field.numbers()?[..] {
            [x, y, z] => q[..3].copy_from_slice(&[x, y, z]),
            [x, y, z, w, qx, qy, qz] => {
                q[..3].copy_from_slice(&[x, y, z]);
                q[3..].copy_from_slice(&unit_quaternion(field, [w, qx, qy, qz])?.0);
            }
            ref other => {
                let got = counted(other.len(), "number");
                return Err(field.wrong(format!("has {got}, expected 3 or 7 for a free joint")));
            }
        },
    }
    Ok(q)
}
