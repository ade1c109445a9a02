//! Centre of mass and angular momentum of a motion as functions of time.
//!
//! Computes c, c', c'' and L about c, L' in each frame from quintic splines; between frames the polynomials of degree
//! five through c, c', c'' (and of degree three through L, L') of both, so that nothing leaps.

use crate::clip::Clip;
use crate::pose;
use crate::spline::Spline;
use crate::trajectory::Trajectory;
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::Vec3;

/// What a figure does as a whole at a time, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moving {
    /// centre of mass, m
    pub center: Vec3,
    /// its velocity, m/s
    pub velocity: Vec3,
    /// its acceleration, m/s2
    pub acceleration: Vec3,
    /// angular momentum about it, N m s
    pub spin: Vec3,
    /// change of that, N m
    pub moment: Vec3,
}

/// What a figure does as a whole over time.
#[derive(Clone, Debug)]
pub struct Centroid {
    start: f64,
    dt: f64,
    /// by frame, at least one
    frames: Vec<Moving>,
}

impl Centroid {
    /// Of a motion that is taken as it is.
    pub fn of(clip: &Clip) -> Centroid {
        let (forest, mut kinematics) = (clip.figure().forest(), Kinematics::default());
        let trajectory = Trajectory::of(clip, None);
        let (mut centers, mut spins) = (Vec::new(), Vec::new());
        for frame in 0..clip.frames() {
            let (q, v, _) = trajectory.at(frame);
            kinematics.update(forest, q, Some(v), None);
            centers.push(centroidal::center_of_mass(forest, &kinematics));
            spins.push(centroidal::momentum(forest, &kinematics).angular);
        }
        Centroid::through(&centers, &spins, clip.start(), clip.dt())
    }

    /// Through centres and angular momenta of frames.
    pub(crate) fn through(centers: &[Vec3], spins: &[Vec3], start: f64, dt: f64) -> Centroid {
        let signals = centers.iter().zip(spins).flat_map(|(c, l)| [c.to_array(), l.to_array()].concat());
        let spline = Spline::through(&signals.collect::<Vec<f64>>(), 6, dt);
        let mut out = [[0.0; 6]; 3];
        let [x, rate, second] = &mut out;
        let frame = |f: usize| {
            spline.at_sample(f, [x, rate, second]);
            Moving {
                center: pose::triple(x, 0),
                velocity: pose::triple(rate, 0),
                acceleration: pose::triple(second, 0),
                spin: pose::triple(x, 3),
                moment: pose::triple(rate, 3),
            }
        };
        Centroid { start, dt, frames: (0..centers.len()).map(frame).collect() }
    }

    /// In each frame.
    pub fn frames(&self) -> &[Moving] {
        &self.frames
    }

    /// At a time; the first or last frame outside.
    pub fn at(&self, t: f64) -> Moving {
        let last = self.frames.len() - 1;
        let x = ((t - self.start) / self.dt).clamp(0.0, last as f64);
        let i = (x as usize).min(last.saturating_sub(1));
        let (a, b, s, h) = (self.frames[i], self.frames[(i + 1).min(last)], x - i as f64, self.dt);
        let [center, velocity, acceleration] = quintic(
            [a.center, a.velocity.scale(h), a.acceleration.scale(h * h)],
            [b.center, b.velocity.scale(h), b.acceleration.scale(h * h)],
            s,
        );
        let [spin, moment] = cubic([a.spin, a.moment.scale(h)], [b.spin, b.moment.scale(h)], s);
        Moving {
            center,
            velocity: velocity.scale(1.0 / h),
            acceleration: acceleration.scale(1.0 / (h * h)),
            spin,
            moment: moment.scale(1.0 / h),
        }
    }
}

/// Value and two derivatives at s of 0 to 1 of the polynomial of degree five that has these at both ends.
fn quintic(a: [Vec3; 3], b: [Vec3; 3], s: f64) -> [Vec3; 3] {
    // what the parabola from the first end leaves to the second
    let [x, v, c] = a;
    let left = [b[0] - x - v - c.scale(0.5), b[1] - v - c, b[2] - c];
    let of = |k: [f64; 3]| left[0].scale(k[0]) + left[1].scale(k[1]) + left[2].scale(k[2]);
    let (third, fourth, fifth) = (of([10.0, -4.0, 0.5]), of([-15.0, 7.0, -1.0]), of([6.0, -3.0, 0.5]));
    let sum = |k: [f64; 6]| {
        x.scale(k[0])
            + v.scale(k[1])
            + c.scale(k[2])
            + third.scale(k[3])
            + fourth.scale(k[4])
            + fifth.scale(k[5])
    };
    let (s2, s3) = (s * s, s * s * s);
    [
        sum([1.0, s, 0.5 * s2, s3, s3 * s, s3 * s2]),
        sum([0.0, 1.0, s, 3.0 * s2, 4.0 * s3, 5.0 * s2 * s2]),
        sum([0.0, 0.0, 1.0, 6.0 * s, 12.0 * s2, 20.0 * s3]),
    ]
}

/// Value and derivative at s of 0 to 1 of the polynomial of degree three that has these at both ends.
fn cubic(a: [Vec3; 2], b: [Vec3; 2], s: f64) -> [Vec3; 2] {
    let ([x, v], way) = (a, b[0] - a[0]);
    let second = way.scale(3.0) - v.scale(2.0) - b[1];
    let third = v + b[1] - way.scale(2.0);
    [
        x + v.scale(s) + second.scale(s * s) + third.scale(s * s * s),
        v + second.scale(2.0 * s) + third.scale(3.0 * s * s),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::spatial::vec3;

    #[test]
    fn polynomials_come_back_between_frames() {
        let place = |t: f64| vec3(t.powi(5), 1.0 - t * t, 0.3 * t.powi(3));
        let spin = |t: f64| vec3(t * t, -t, t.powi(3));
        let times: Vec<f64> = (0..20).map(|i| 0.1 * f64::from(i)).collect();
        let centers: Vec<Vec3> = times.iter().map(|t| place(*t)).collect();
        let spins: Vec<Vec3> = times.iter().map(|t| spin(*t)).collect();
        let centroid = Centroid::through(&centers, &spins, 2.0, 0.1);
        for t in [0.0, 0.04, 0.77, 1.234, 1.9] {
            let m = centroid.at(2.0 + t);
            let a = vec3(20.0 * t.powi(3), -2.0, 1.8 * t);
            assert!((m.center - place(t)).norm() < 1e-9 && (m.acceleration - a).norm() < 1e-6, "{t}: {m:?}");
            assert!((m.velocity - vec3(5.0 * t.powi(4), -2.0 * t, 0.9 * t * t)).norm() < 1e-8);
            let moment = vec3(2.0 * t, -1.0, 3.0 * t * t);
            assert!((m.spin - spin(t)).norm() < 1e-9 && (m.moment - moment).norm() < 1e-7, "{t}: {m:?}");
        }
    }
}
