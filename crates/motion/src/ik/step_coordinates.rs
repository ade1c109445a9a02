//! Step coordinates and joint limits.
//!
//! A step has one coordinate per degree of freedom: for a ball joint with limits the Euler angles of its rotation order,
//! in which the limits are a box; near gimbal lock, and without limits, the rotation vector.

use crate::pose::{quaternion, triple};
use anthropi_dynamics::joint::Range;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Mat3, Quat, RotationOrder, Vec3};
use core::f64::consts::PI;

/// Cosine of the middle Euler angle below which rotation vectors are used (gimbal lock).
const GIMBAL: f64 = 0.3;
/// Distance at which a joint is at its limit, m or rad.
const AT_LIMIT: f64 = 1e-6;

#[derive(Clone, Copy, Debug)]
struct Scalar {
    iq: usize,
    iv: usize,
    range: Option<Range>,
    is_turn: bool,
}

#[derive(Clone, Copy, Debug)]
struct Ball {
    iq: usize,
    iv: usize,
    order: RotationOrder,
    range: [Option<Range>; 3],
    angles: [f64; 3],
    /// angular velocity in child axes from Euler rates, if those are the step coordinates
    from_rates: Option<Mat3>,
}

impl Ball {
    fn has_limits(&self) -> bool {
        self.range.iter().any(Option::is_some)
    }

    /// The Euler angles of a rotation, of both solutions, that violate the limits least.
    fn nearest(&self, q: Quat) -> [f64; 3] {
        let [a, b, c] = self.order.angles(q);
        let wrap = |x: f64, range: Option<Range>| {
            let middle = range.map_or(0.0, |r| 0.5 * (r.lower + r.upper));
            x - 2.0 * PI * ((x - middle) / (2.0 * PI)).round()
        };
        let both = [[a, b, c], [a + PI, PI - b, c + PI]];
        let both = both.map(|t| [0, 1, 2].map(|k| wrap(t[k], self.range[k])));
        let beyond = |t: &[f64; 3]| (0..3).map(|k| outside(t[k], self.range[k])).sum::<f64>();
        if beyond(&both[1]) < beyond(&both[0]) { both[1] } else { both[0] }
    }

    fn clamped(&self, angles: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| self.range[k].map_or(angles[k], |r| angles[k].clamp(r.lower, r.upper)))
    }
}

fn outside(x: f64, range: Option<Range>) -> f64 {
    range.map_or(0.0, |r| (r.lower - x).max(x - r.upper).max(0.0))
}

/// Step coordinates of a figure.
#[derive(Clone, Debug, Default)]
pub(super) struct StepCoordinates {
    scalars: Vec<Scalar>,
    balls: Vec<Ball>,
    free: Vec<(usize, usize)>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl StepCoordinates {
    pub fn new(figure: &Figure) -> StepCoordinates {
        let (forest, mut steps) = (figure.forest(), StepCoordinates::default());
        for (handle, joint) in figure.joints() {
            let place = forest.joint_place(handle);
            let (iq, iv) = (place.iq, place.iv);
            match (place.nq, place.nv) {
                (7, 6) => steps.free.push((iq, iv)),
                (4, 3) => steps.balls.push(Ball {
                    iq,
                    iv,
                    order: joint.order,
                    range: [0, 1, 2].map(|k| joint.dof[k].range),
                    angles: [0.0; 3],
                    from_rates: None,
                }),
                _ => {
                    let is_turn = joint.kind.name() != "prismatic";
                    for (i, k) in joint.coordinates().free_dofs().enumerate() {
                        let range = joint.dof[k].range;
                        steps.scalars.push(Scalar { iq: iq + i, iv: iv + i, range, is_turn });
                    }
                }
            }
        }
        steps.lower = vec![f64::NEG_INFINITY; forest.nv()];
        steps.upper = vec![f64::INFINITY; forest.nv()];
        steps
    }

    /// Clamps a pose to the limits.
    pub fn clamp(&self, q: &mut [f64]) {
        for s in &self.scalars {
            if let Some(r) = s.range {
                q[s.iq] = q[s.iq].clamp(r.lower, r.upper);
            }
        }
        for b in self.balls.iter().filter(|b| b.has_limits()) {
            let angles = b.nearest(quaternion(q, b.iq).normalized());
            let inside = b.clamped(angles);
            if inside != angles {
                q[b.iq..b.iq + 4].copy_from_slice(&b.order.quat(inside).0);
            }
        }
    }

    /// The largest limit violation.
    pub fn excess(&self, q: &[f64]) -> f64 {
        let scalars = self.scalars.iter().map(|s| outside(q[s.iq], s.range));
        let balls = self.balls.iter().filter(|b| b.has_limits()).map(|b| {
            let angles = b.nearest(quaternion(q, b.iq));
            (0..3).map(|k| outside(angles[k], b.range[k])).fold(0.0, f64::max)
        });
        scalars.chain(balls).fold(0.0, f64::max)
    }

    /// Chooses the coordinates of the next step.
    pub fn prepare(&mut self, q: &[f64]) {
        for b in &mut self.balls {
            if !b.has_limits() {
                continue;
            }
            b.angles = b.nearest(quaternion(q, b.iq));
            let e = b.order.rates_to_velocity(b.angles);
            // |e_1 . (e_2 x e_3)| is the cosine of the middle angle
            b.from_rates = (e.x.dot(e.y.cross(e.z)).abs() > GIMBAL).then_some(e);
        }
    }

    /// Converts a Jacobian row from velocities to step coordinates.
    pub fn convert(&self, row: &mut [f64]) {
        for b in &self.balls {
            if let Some(e) = &b.from_rates {
                let converted = e.tr_mul(triple(row, b.iv));
                row[b.iv..b.iv + 3].copy_from_slice(&converted.to_array());
            }
        }
        // steps of free joints are velocities in their own axes
    }

    /// Converts a displacement, with travel in child axes, to step coordinates.
    pub fn convert_displacement(&self, displacement: &mut [f64]) {
        for b in &self.balls {
            if let Some(e) = &b.from_rates {
                let rates = solve3(e, triple(displacement, b.iv));
                displacement[b.iv..b.iv + 3].copy_from_slice(&rates.to_array());
            }
        }
    }

    /// Bounds of the next step.
    pub fn bounds(&mut self, q: &[f64]) -> (&[f64], &[f64]) {
        let mut set = |iv: usize, x: f64, range: Option<Range>| {
            let (l, u) = range.map_or((f64::NEG_INFINITY, f64::INFINITY), |r| (r.lower - x, r.upper - x));
            (self.lower[iv], self.upper[iv]) = (l, u);
        };
        for s in &self.scalars {
            set(s.iv, q[s.iq], s.range);
        }
        for b in &self.balls {
            for k in 0..3 {
                set(b.iv + k, b.angles[k], b.range[k].filter(|_| b.from_rates.is_some()));
            }
        }
        (&self.lower, &self.upper)
    }

    /// Largest rotation of a joint in a step.
    pub fn max_rotation(&self, step: &[f64]) -> f64 {
        let scalars = self.scalars.iter().filter(|s| s.is_turn).map(|s| step[s.iv].abs());
        let turns = self.balls.iter().map(|b| b.iv).chain(self.free.iter().map(|f| f.1));
        scalars.chain(turns.map(|iv| triple(step, iv).norm())).fold(0.0, f64::max)
    }

    /// q := q (+) step, within the limits.
    pub fn advance(&self, q: &mut [f64], step: &[f64]) {
        for s in &self.scalars {
            q[s.iq] += step[s.iv];
            if let Some(r) = s.range {
                q[s.iq] = q[s.iq].clamp(r.lower, r.upper);
            }
        }
        let turned = |q: &[f64], iq: usize, iv: usize| {
            quaternion(q, iq).then(Quat::exp(triple(step, iv))).normalized()
        };
        for b in &self.balls {
            let quat = if b.from_rates.is_some() {
                b.order.quat(b.clamped([0, 1, 2].map(|k| b.angles[k] + step[b.iv + k])))
            } else {
                let quat = turned(q, b.iq, b.iv);
                let angles = b.nearest(quat);
                let inside = b.clamped(angles);
                if inside == angles { quat } else { b.order.quat(inside) }
            };
            q[b.iq..b.iq + 4].copy_from_slice(&quat.0);
        }
        for (iq, iv) in &self.free {
            let half = quaternion(q, iq + 3).then(Quat::exp(triple(step, *iv).scale(0.5)));
            let (travel, turn) = (half.rotate(triple(step, iv + 3)), turned(q, iq + 3, *iv));
            (0..3).for_each(|k| q[iq + k] += travel.to_array()[k]);
            q[iq + 3..iq + 7].copy_from_slice(&turn.0);
        }
    }

    /// Degrees of freedom at a limit.
    pub fn at_limit(&self, q: &[f64]) -> Vec<usize> {
        let touches = |x: f64, range: Option<Range>| {
            range.is_some_and(|r| x - r.lower < AT_LIMIT || r.upper - x < AT_LIMIT)
        };
        let scalars = self.scalars.iter().filter(|s| touches(q[s.iq], s.range)).map(|s| s.iv);
        let balls = self.balls.iter().filter(|b| b.has_limits()).flat_map(|b| {
            let angles = b.nearest(quaternion(q, b.iq));
            let (iv, range) = (b.iv, b.range);
            (0..3).filter(move |k| touches(angles[*k], range[*k])).map(move |k| iv + k)
        });
        scalars.chain(balls).collect()
    }
}

/// x of E x = b.
fn solve3(e: &Mat3, b: Vec3) -> Vec3 {
    let (c1, c2, c3) = (e.y.cross(e.z), e.z.cross(e.x), e.x.cross(e.y));
    let det = e.x.dot(c1);
    Vec3 { x: c1.dot(b), y: c2.dot(b), z: c3.dot(b) }.scale(1.0 / det)
}
