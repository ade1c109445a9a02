//! Placement of one frame on another: a position and one of four forms of a rotation.

use crate::error::Error;
use crate::fields::{Field, Table};
use anthropi_dynamics::spatial::{Mat3, Quat, RotationOrder, Transform, Vec3};

/// Keys of one placement: position, angles in degrees, angles in radians, their order, quaternion, matrix.
pub type Keys = [&'static str; 6];

/// Keys of a placement on the parent.
pub const ON_PARENT: Keys = ["at", "turn_deg", "turn", "turn_order", "quaternion", "matrix"];
/// Keys of a placement on the child.
pub const ON_CHILD: Keys =
    ["child_at", "child_turn_deg", "child_turn", "child_turn_order", "child_quaternion", "child_matrix"];
/// Keys of a placement on the first link of a connection.
pub const ON_A: Keys = ["a_at", "a_turn_deg", "a_turn", "a_turn_order", "a_quaternion", "a_matrix"];
/// Keys of a placement on the second link of a connection.
pub const ON_B: Keys = ["b_at", "b_turn_deg", "b_turn", "b_turn_order", "b_quaternion", "b_matrix"];

/// A quaternion this close to unit length is not normalised, so that written figures read back bit for bit.
const UNIT: f64 = 1e-12;
/// Largest error of a rotation matrix accepted as rounding in the file.
const ORTHOGONAL: f64 = 1e-6;

/// Rotation orders by name.
pub const ORDERS: [(&str, RotationOrder); 6] = {
    use RotationOrder::*;
    [("xyz", Xyz), ("xzy", Xzy), ("yxz", Yxz), ("yzx", Yzx), ("zxy", Zxy), ("zyx", Zyx)]
};

/// The placement under these keys; identity if none is given.
pub fn placement(table: &Table, keys: &Keys) -> Result<Transform, Error> {
    let [at, turn_deg, turn, turn_order, quaternion, matrix] = *keys;
    let translation = table.get(at).map_or(Ok(Vec3::ZERO), |f| f.vector())?;
    let order = table.get(turn_order).map(|f| f.word(&ORDERS).map(|o| (f, o))).transpose()?;
    let given = table.one_of(&[turn_deg, turn, quaternion, matrix])?;
    if let (Some((field, _)), None | Some((2.., _))) = (&order, &given) {
        return Err(field.wrong(format!("is the order of `{turn_deg}` or `{turn}`, which is missing")));
    }
    let order = order.map_or(RotationOrder::Xyz, |(_, o)| o);
    let rotation = match given {
        None => Mat3::identity(),
        Some((0, f)) => order.quat(f.array()?.map(f64::to_radians)).to_matrix(),
        Some((1, f)) => order.quat(f.array()?).to_matrix(),
        Some((2, f)) => unit_quaternion(&f, f.array()?)?.to_matrix(),
        Some((_, f)) => rotation_matrix(&f)?,
    };
    Ok(Transform { rotation, translation })
}

/// The quaternion `[w, x, y, z]`, normalised.
pub fn unit_quaternion(field: &Field, q: [f64; 4]) -> Result<Quat, Error> {
    let q = Quat(q);
    let n = q.norm();
    if !(n > 0.0 && n.is_finite()) {
        return Err(field.wrong(format!("has length {n}, expected a quaternion [w, x, y, z]")));
    }
    Ok(if (n - 1.0).abs() < UNIT { q } else { q.normalized() })
}

fn rotation_matrix(field: &Field) -> Result<Mat3, Error> {
    let rows = field.list()?;
    let rows: Vec<[f64; 3]> = rows.iter().map(|r| r.array()).collect::<Result<_, _>>()?;
    let rows: [[f64; 3]; 3] =
        rows.try_into().map_err(|r: Vec<_>| field.wrong(format!("has {} rows, expected 3", r.len())))?;
    let m = Mat3::from_rows(rows);
    let error = (m.transpose().mul_mat(&m) - Mat3::identity()).max_abs();
    let is_right_handed = m.x.cross(m.y).dot(m.z) > 0.0;
    if !(error < ORTHOGONAL && is_right_handed) {
        return Err(field.wrong("is not a rotation, expected three rows of a right-handed orthogonal matrix"));
    }
    Ok(m)
}
