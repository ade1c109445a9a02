//! Euler angles of a rotation about one, two or three axes, nearest to those of the previous frame.
//!
//! Computes  t1, t2, t3 of  q = R_i(t1) R_j(t2) R_k(t3)  for any axes i, j, k that differ from their neighbour.
//! Method: with k = i the quaternion is  w = cos(t2/2) cos(S), i: cos(t2/2) sin(S), j: sin(t2/2) cos(D),
//! i x j: sin(t2/2) sin(D),  S = (t1 + t3)/2, D = (t1 - t3)/2. The other orders become this one by
//! q R_j(90 degrees) = R_i(t1) R_j(t2 + 90 degrees) R_i(-e t3), e = 1 if i, j, k are right-handed, else -1.
//! Of the two solutions the one nearer to the previous frame is used, or the principal one on request; at gimbal lock only
//! S or D is determined, and the angles change as little as possible.
//! Checked by: tests below, `tests/it/bvh.rs` (round trips of files).

use anthropi_dynamics::spatial::{Axis, Quat};
use core::f64::consts::{FRAC_PI_2, PI};

/// Sine of half the angle between the outer axes below which they coincide.
const GIMBAL: f64 = 1e-10;

/// Angles about `axes` (at most three), rad. `before`: those of the previous frame. Rotations that the axes cannot
/// represent are lost.
pub(crate) fn angles(q: Quat, axes: &[usize], before: Option<[f64; 3]>, is_principal: bool) -> [f64; 3] {
    match *axes {
        [] => [0.0; 3],
        [i] => [near(2.0 * atan2(q.0[1 + i], q.0[0]), before.map_or(0.0, |b| b[0])), 0.0, 0.0],
        [i, j] => two(q, i, j, before),
        [i, j, k] => three(q, [i, j, k], before, is_principal),
        _ => unreachable!("a joint has at most three rotation channels"),
    }
}

/// Rotation about a coordinate axis.
pub(crate) fn about(axis: usize, angle: f64) -> Quat {
    Quat::about([Axis::X, Axis::Y, Axis::Z][axis].unit(), angle)
}

/// With c and s of half the angles the quaternion is (c1 c2, s1 c2, c1 s2, e s1 s2) along w, i, j, i x j: rows and
/// columns of one product, so either pair gives the second angle and there is no gimbal lock.
fn two(q: Quat, i: usize, j: usize, before: Option<[f64; 3]>) -> [f64; 3] {
    let e = if (i + 1) % 3 == j { 1.0 } else { -1.0 };
    let (w, x, y, z) = (q.0[0], q.0[1 + i], q.0[1 + j], e * q.0[4 - i - j]);
    let (c, s) = if w * w + y * y >= x * x + z * z { (w, y) } else { (x, z) };
    let from = before.unwrap_or([0.0; 3]);
    [near(2.0 * atan2(x * c + z * s, w * c + y * s), from[0]), near(2.0 * atan2(s, c), from[1]), 0.0]
}

fn three(q: Quat, axes: [usize; 3], before: Option<[f64; 3]>, is_principal: bool) -> [f64; 3] {
    let both = solutions(q, axes, before);
    let Some(from) = before else { return both[0].map(|t| near(t, 0.0)) };
    let [a, b] = both.map(|s| [near(s[0], from[0]), near(s[1], from[1]), near(s[2], from[2])]);
    if is_principal {
        return [a[0], near(a[1], 0.0), a[2]];
    }
    let far = |s: [f64; 3]| (0..3).map(|n| (s[n] - from[n]).abs()).sum::<f64>();
    if far(a) <= far(b) { a } else { b }
}

/// The two triples of angles of a rotation, the first with the second angle in [-90, 90] degrees (or [0, 180] if the
/// outer axes are the same).
fn solutions(q: Quat, [i, j, k]: [usize; 3], before: Option<[f64; 3]>) -> [[f64; 3]; 2] {
    let side = 3 - i - j;
    let e = if (i + 1) % 3 == j { 1.0 } else { -1.0 };
    let proper = k == i;
    // p = R_i(a) R_j(b) R_i(c)
    let p = if proper {
        q
    } else {
        q.then(Quat(core::array::from_fn(|n| if n == 0 || n == 1 + j { 0.5f64.sqrt() } else { 0.0 })))
    };
    let (shift, sign) = if proper { (0.0, 1.0) } else { (FRAC_PI_2, -e) };
    let (w, x, y, z) = (p.0[0], p.0[1 + i], p.0[1 + j], e * p.0[1 + side]);
    let (cos, sin) = ((w * w + x * x).sqrt(), (y * y + z * z).sqrt());
    let (sum, difference) = (2.0 * atan2(x, w), 2.0 * atan2(z, y));
    let b = 2.0 * atan2(sin, cos);
    let from = before.map_or((0.0, 0.0), |t| (t[0], sign * t[2]));
    let (a, c) = if sin < GIMBAL {
        let d = near(sum - (from.0 + from.1), 0.0);
        if before.is_none() { (sum, 0.0) } else { (from.0 + 0.5 * d, from.1 + 0.5 * d) }
    } else if cos < GIMBAL {
        let d = near(difference - (from.0 - from.1), 0.0);
        if before.is_none() { (difference, 0.0) } else { (from.0 + 0.5 * d, from.1 - 0.5 * d) }
    } else {
        (0.5 * (sum + difference), 0.5 * (sum - difference))
    };
    [[a, b - shift, sign * c], [a + PI, -b - shift, sign * (c + PI)]]
}

/// The angle, plus full turns, nearest to another.
fn near(angle: f64, to: f64) -> f64 {
    const TURN: f64 = 2.0 * PI;
    angle - TURN * ((angle - to) / TURN).round()
}

/// Angle of a direction in a plane, bit-identical on all platforms (`Quat::log` uses `libm`).
fn atan2(sin: f64, cos: f64) -> f64 {
    let length = (sin * sin + cos * cos).sqrt();
    if !(length > 0.0) {
        return 0.0;
    }
    let half_turned = if cos < 0.0 { PI } else { 0.0 };
    0.5 * Quat([cos / length, sin / length, 0.0, 0.0]).log().x + half_turned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quat(axes: &[usize], t: [f64; 3]) -> Quat {
        axes.iter().zip(t).fold(Quat::IDENTITY, |q, (a, t)| q.then(about(*a, t)))
    }

    fn error(a: Quat, b: Quat) -> f64 {
        a.inverse().then(b).log().norm()
    }

    const ANGLES: [f64; 9] = [-3.0, -FRAC_PI_2, -FRAC_PI_2 + 3e-8, -0.3, 0.0, 1e-5, 1.2, FRAC_PI_2, 3.1];

    #[test]
    fn all_rotation_orders_round_trip() {
        for axes in (0..27).map(|n| [n / 9, n / 3 % 3, n % 3]).filter(|a| a[0] != a[1] && a[1] != a[2]) {
            for t in (0..729).map(|n| [ANGLES[n / 81], ANGLES[n / 9 % 9], ANGLES[n % 9]]) {
                let q = quat(&axes, t);
                for before in [None, Some(t), Some([0.1, 0.2, 0.3])] {
                    let got = angles(q, &axes, before, false);
                    assert!(error(q, quat(&axes, got)) < 1e-9, "{axes:?} {t:?} {got:?}");
                }
                // the same angles if the previous frame is close to them
                let got = angles(q, &axes, Some(t.map(|t| t + 1e-3)), false);
                let close = (0..3).all(|n| (got[n] - t[n]).abs() < 2e-3);
                assert!(close, "{axes:?} {t:?} {got:?}");
            }
        }
    }

    #[test]
    fn one_and_two_axes_round_trip() {
        for axes in (0..9).map(|n| [n / 3, n % 3]).filter(|a| a[0] != a[1]) {
            for t in (0..81).map(|n| [ANGLES[n / 9], ANGLES[n % 9], 0.0]) {
                let q = quat(&axes, t);
                let got = angles(q, &axes, Some(t), false);
                assert!(error(q, quat(&axes, got)) < 1e-9, "{axes:?} {t:?} {got:?}");
            }
        }
        for t in ANGLES {
            let got = angles(quat(&[1], [t, 0.0, 0.0]), &[1], Some([t, 0.0, 0.0]), false);
            assert!((got[0] - t).abs() < 1e-12);
        }
    }
}
