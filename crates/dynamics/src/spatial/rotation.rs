//! Rotations: unit quaternions, exponential and logarithm, the six orders of Euler angles.
//!
//! Computes  R(q), exp: rotation vector -> quaternion [NY2000 eq. 39-44], log: its inverse, angles of any order.
//! Source: [NY2000 §VI-A]; [L1992 §8.2.2] for the six orders.
//! We differ: eq. 39 turns a matrix by an angular velocity in parent axes; we compose quaternions with the
//! angular velocity in child axes, which is the same rotation and keeps unit length.
//! Not here: integration of a whole state (`sim::integrate`).
//! Checked by: tests below.

use super::{Axis, Mat3, Real, Transform, Vec3, vec3};

/// A unit quaternion `[w, x, y, z]`: the rotation from child to parent axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quat<T = f64>(pub [T; 4]);

impl<T: Real> Quat<T> {
    /// Rotation matrix of a unit quaternion; polynomial, so no branch and no division.
    #[inline(always)]
    pub fn to_matrix(self) -> Mat3<T> {
        let [w, x, y, z] = self.0;
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, yy, zz) = (x * x2, y * y2, z * z2);
        let (xy, xz, yz) = (x * y2, x * z2, y * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        let l = T::splat(1.0);
        Mat3 {
            x: vec3(l - (yy + zz), xy + wz, xz - wy),
            y: vec3(xy - wz, l - (xx + zz), yz + wx),
            z: vec3(xz + wy, yz - wx, l - (xx + yy)),
        }
    }
}

impl Quat {
    /// No rotation.
    pub const IDENTITY: Quat = Quat([1.0, 0.0, 0.0, 0.0]);

    /// Rotation by the vector `u`: direction is the axis, length the angle. [NY2000 eq. 39-44]
    #[inline(always)]
    pub fn exp(u: Vec3) -> Quat {
        /// Below this squared angle the series of sin(t/2)/t is exact to the last bit.
        const SMALL: f64 = 1e-3;
        let tt = u.dot(u);
        let (k, w) = if tt < SMALL {
            let k = 0.5 - tt * (1.0 / 48.0 - tt * (1.0 / 3840.0 - tt / 645_120.0));
            (k, 1.0 - tt * (1.0 / 8.0 - tt * (1.0 / 384.0 - tt / 46_080.0)))
        } else {
            let t = tt.sqrt();
            let (s, c) = Real::sin_cos(0.5 * t);
            (s / t, c)
        };
        Quat([w, k * u.x, k * u.y, k * u.z])
    }

    /// Rotation vector of this rotation, length at most pi.
    pub fn log(self) -> Vec3 {
        /// Below this sine of the half angle, atan2(s, w)/s is replaced by its series.
        const SMALL: f64 = 1e-4;
        let [w, x, y, z] = if self.0[0] < 0.0 { self.0.map(|c| -c) } else { self.0 };
        let v = vec3(x, y, z);
        let s = v.norm();
        let k = if s < SMALL { 2.0 / w * (1.0 - s * s / (3.0 * w * w)) } else { 2.0 * libm::atan2(s, w) / s };
        v.scale(k)
    }

    /// Length one again; the identity when there is no length to scale.
    #[inline]
    pub fn normalized(self) -> Quat {
        let n = self.norm();
        if n > 0.0 && n.is_finite() { Quat(self.0.map(|c| c / n)) } else { Quat::IDENTITY }
    }

    /// The same for what has left length one by rounding only: one step of Newton's method for 1 / sqrt, which is exact
    /// there and does not wait for a root and a division.
    #[inline]
    pub fn renormalized(self) -> Quat {
        /// Squared length off by this much leaves an error of its square, below rounding.
        const NEAR: f64 = 1e-9;
        let off = self.0.iter().map(|c| c * c).sum::<f64>() - 1.0;
        if off.abs() < NEAR { Quat(self.0.map(|c| c - 0.5 * off * c)) } else { self.normalized() }
    }

    /// Length; one for a rotation.
    #[inline]
    pub fn norm(self) -> f64 {
        self.0.iter().map(|c| c * c).sum::<f64>().sqrt()
    }

    /// The opposite rotation.
    #[inline]
    pub fn inverse(self) -> Quat {
        let [w, x, y, z] = self.0;
        Quat([w, -x, -y, -z])
    }

    /// `self` followed in child axes by `b`: R(self) R(b).
    #[inline]
    pub fn then(self, b: Quat) -> Quat {
        let ([w, x, y, z], [bw, bx, by, bz]) = (self.0, b.0);
        Quat([
            w * bw - x * bx - y * by - z * bz,
            w * bx + x * bw + y * bz - z * by,
            w * by - x * bz + y * bw + z * bx,
            w * bz + x * by - y * bx + z * bw,
        ])
    }

    /// By `angle` about a unit `axis`.
    pub fn about(axis: Vec3, angle: f64) -> Quat {
        let (s, c) = Real::sin_cos(0.5 * angle);
        Quat([c, s * axis.x, s * axis.y, s * axis.z])
    }

    /// From a rotation matrix (Shepperd's choice of the largest component), w >= 0.
    pub fn from_matrix(m: &Mat3) -> Quat {
        let (xx, yy, zz) = (m.x.x, m.y.y, m.z.z);
        let four = [1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz];
        let (a, b, c) = (m.y.z - m.z.y, m.z.x - m.x.z, m.x.y - m.y.x);
        let (d, e, f) = (m.y.x + m.x.y, m.z.x + m.x.z, m.z.y + m.y.z);
        let largest = (0..4).max_by(|&i, &j| four[i].total_cmp(&four[j])).unwrap_or(0);
        let t = four[largest];
        let q = match largest {
            0 => [t, a, b, c],
            1 => [a, t, d, e],
            2 => [b, d, t, f],
            _ => [c, e, f, t],
        };
        let q = Quat(q).normalized();
        if q.0[0] < 0.0 { Quat(q.0.map(|c| -c)) } else { q }
    }

    /// Vector in child axes to parent axes.
    #[inline]
    pub fn rotate(self, v: Vec3) -> Vec3 {
        self.to_matrix().mul(v)
    }

    /// Pure rotation as a transform.
    pub fn to_transform(self) -> Transform {
        Transform { rotation: self.to_matrix(), translation: Vec3::ZERO }
    }

    /// Whether no component is infinite or NaN.
    pub fn is_finite(self) -> bool {
        self.0.iter().all(|c| c.is_finite())
    }
}

/// Order of three rotations about the moving axes, first to last. [L1992 §8.2.2]
#[allow(missing_docs)] // the names say it
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RotationOrder {
    #[default]
    Xyz,
    Xzy,
    Yxz,
    Yzx,
    Zxy,
    Zyx,
}

impl RotationOrder {
    /// All six.
    pub const ALL: [RotationOrder; 6] = {
        use RotationOrder::*;
        [Xyz, Xzy, Yxz, Yzx, Zxy, Zyx]
    };

    /// The axes in the order they are turned about.
    pub fn axes(self) -> [Axis; 3] {
        use Axis::{X, Y, Z};
        match self {
            RotationOrder::Xyz => [X, Y, Z],
            RotationOrder::Xzy => [X, Z, Y],
            RotationOrder::Yxz => [Y, X, Z],
            RotationOrder::Yzx => [Y, Z, X],
            RotationOrder::Zxy => [Z, X, Y],
            RotationOrder::Zyx => [Z, Y, X],
        }
    }

    /// `xyz`, `zyx`, ... in either case.
    pub fn from_name(name: &str) -> Option<RotationOrder> {
        RotationOrder::ALL.into_iter().find(|o| o.name().eq_ignore_ascii_case(name))
    }

    /// `xyz`, `zyx`, ...
    pub fn name(self) -> &'static str {
        match self {
            RotationOrder::Xyz => "xyz",
            RotationOrder::Xzy => "xzy",
            RotationOrder::Yxz => "yxz",
            RotationOrder::Yzx => "yzx",
            RotationOrder::Zxy => "zxy",
            RotationOrder::Zyx => "zyx",
        }
    }

    /// Rotation with these angles.
    pub fn quat(self, angles: [f64; 3]) -> Quat {
        let [i, j, k] = self.axes();
        Quat::about(i.unit(), angles[0])
            .then(Quat::about(j.unit(), angles[1]))
            .then(Quat::about(k.unit(), angles[2]))
    }

    /// Angles of a rotation. The middle one lies in [-pi/2, pi/2]; where it reaches the end the third is zero.
    pub fn angles(self, q: Quat) -> [f64; 3] {
        /// Closer than this to a right angle the first and third axes are taken as one.
        const GIMBAL: f64 = 1e-12;
        let r = q.to_matrix().to_rows();
        let [i, j, k] = self.axes().map(Axis::index);
        let e = self.parity();
        let sin = (e * r[i][k]).clamp(-1.0, 1.0);
        let cos = libm::hypot(r[i][i], r[i][j]);
        let middle = libm::atan2(sin, cos);
        if cos < GIMBAL {
            return [libm::atan2(e * r[k][j], r[j][j]), middle, 0.0];
        }
        let first = libm::atan2(-e * r[j][k], r[k][k]);
        // the first turn undone leaves the last one in row j, well away from zero also near the gimbal pose
        let (s, c) = Real::sin_cos(first);
        let row = |n: usize| c * r[j][n] + e * s * r[k][n];
        [first, middle, libm::atan2(e * row(i), row(j))]
    }

    /// Columns: child-axes angular velocity per rate of each angle.
    pub fn rates_to_velocity(self, angles: [f64; 3]) -> Mat3 {
        let [i, j, k] = self.axes().map(Axis::unit);
        let undo_last = Quat::about(self.axes()[2].unit(), -angles[2]);
        let undo_two = undo_last.then(Quat::about(self.axes()[1].unit(), -angles[1]));
        Mat3 { x: undo_two.rotate(i), y: undo_last.rotate(j), z: k }
    }

    fn parity(self) -> f64 {
        match self {
            RotationOrder::Xyz | RotationOrder::Yzx | RotationOrder::Zxy => 1.0,
            _ => -1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Vec3, b: Vec3, tol: f64) {
        assert!((a - b).norm() < tol, "{a:?} {b:?}");
    }

    #[test]
    fn log_undoes_exp() {
        for scale in [1e-12, 1e-5, 0.03, 0.5, 3.1] {
            let u = vec3(0.3, -0.9, 0.2).normalized().unwrap().scale(scale);
            close(Quat::exp(u).log(), u, 4e-15 * scale.max(1.0));
            assert!((Quat::exp(u).norm() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn exp_is_rodrigues() {
        // [NY2000 eq. 39]: E + Omega sin + Omega^2 (1 - cos)
        let (axis, t) = (vec3(2.0, -1.0, 0.5).normalized().unwrap(), 1.1_f64);
        let omega = Mat3::cross_of(axis);
        let (s, c) = t.sin_cos();
        let v = vec3(0.1, 0.7, -0.4);
        let want = v + omega.mul(v).scale(s) + omega.mul(omega.mul(v)).scale(1.0 - c);
        close(Quat::exp(axis.scale(t)).rotate(v), want, 1e-15);
    }

    #[test]
    fn every_order_round_trips() {
        for order in RotationOrder::ALL {
            for angles in [
                [0.3, -0.8, 2.9],
                [-3.0, 1.5, 0.1],
                [0.0, 0.0, 0.0],
                [0.4, core::f64::consts::FRAC_PI_2, 0.0],
            ] {
                let q = order.quat(angles);
                let back = order.quat(order.angles(q));
                assert!(q.inverse().then(back).log().norm() < 1e-7, "{order:?} {angles:?}");
                let (got, want) = (order.angles(q), angles);
                assert!((0..3).all(|i| (got[i] - want[i]).abs() < 1e-7), "{order:?} {got:?} {want:?}");
            }
        }
    }

    #[test]
    fn rates_give_the_velocity() {
        let (order, a, rate, h) = (RotationOrder::Zxy, [0.3, -0.8, 1.2], vec3(0.5, -1.0, 2.0), 1e-6);
        let step = |s: f64| order.quat([a[0] + s * rate.x, a[1] + s * rate.y, a[2] + s * rate.z]);
        let numeric = step(-h).inverse().then(step(h)).log().scale(0.5 / h);
        close(order.rates_to_velocity(a).mul(rate), numeric, 1e-9);
    }

    #[test]
    fn matrix_round_trip() {
        for u in [vec3(0.1, 0.2, 0.3), vec3(3.0, 0.1, 0.0), vec3(0.0, 3.1, 0.0), vec3(0.2, 0.1, 3.05)] {
            let q = Quat::exp(u);
            close(Quat::from_matrix(&q.to_matrix()).log(), q.log(), 1e-13);
        }
    }
}
