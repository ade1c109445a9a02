//! The ground of a motion: a plane through its contacts.

use crate::note::Note;
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Smaller slopes count as level, rad: captured feet drift more.
const MIN_SLOPE: f64 = 0.03;
/// A slope needs at least this horizontal extent, m,
const MIN_EXTENT: f64 = 1.0;
/// and must leave less than this part of the scatter about a level plane.
const MAX_SCATTER_RATIO: f64 = 0.6;
/// Ground is even if nine of ten points are this near to it, m, or share their position with a point that is;
const PLANE_TOLERANCE: f64 = 0.06;
/// positions within this are the same, m.
const SAME_POSITION: f64 = 0.15;
/// Heights of contacts on level ground scatter by this, m.
const HEIGHT_BAND: f64 = 0.05;
/// Points sampled.
const SAMPLES: usize = 500;

/// A plane z = height + slope . (x, y), and how well it fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// height at the world's origin, m
    pub height: f64,
    /// rise along x and y
    pub slope: [f64; 2],
    /// scatter of the stances about it, m
    pub spread: f64,
    /// whether the stances lie in the plane; not so on stairs
    pub is_even: bool,
    /// velocity of a treadmill's belt, m/s
    pub velocity: Vec3,
}

impl Ground {
    /// Level ground of a known height.
    pub fn level(height: f64) -> Ground {
        Ground { height, slope: [0.0; 2], spread: 0.0, is_even: true, velocity: Vec3::ZERO }
    }

    /// The plane through positions of slow feet: level at their most common height, tilted only if that fits far better.
    pub fn fit(points: &[Vec3]) -> Ground {
        if points.is_empty() {
            return Ground::level(0.0);
        }
        let level = Ground::level(most_common(points.iter().map(|p| p.z).collect()));
        let level = Ground { spread: level.scatter(points), ..level };
        let tilted = plane(points).map(|g| Ground { spread: g.scatter(points), ..g });
        let best = tilted
            .filter(|g| g.steepness() > MIN_SLOPE && g.spread < MAX_SCATTER_RATIO * level.spread)
            .unwrap_or(level);
        // the contact normal on stairs is vertical, whatever plane fits them
        if best.is_even_under(points) { best } else { Ground { is_even: false, ..level } }
    }

    /// Whether few points are far from the plane at positions without a near point; on stairs there are many.
    fn is_even_under(&self, points: &[Vec3]) -> bool {
        let few: Vec<Vec3> = points.iter().copied().step_by(points.len().div_ceil(SAMPLES)).collect();
        let is_near = |p: &Vec3| self.above(*p).abs() < PLANE_TOLERANCE;
        let same_place = |a: Vec3, b: Vec3| Vec3 { z: 0.0, ..(a - b) }.norm() < SAME_POSITION;
        let is_tilted = self.steepness() > 0.0;
        let has_near = |p: Vec3| !is_tilted && few.iter().any(|o| is_near(o) && same_place(*o, p));
        let is_step = |p: &&Vec3| !is_near(p) && !has_near(**p);
        few.iter().filter(is_step).count() * 10 <= few.len()
    }

    /// Human-readable notes.
    pub fn notes(&self) -> Vec<Note> {
        let place = match self.steepness() {
            0.0 => format!("ground at {:.3} m", self.height),
            steep => format!("the ground slopes by {:.1} degrees", libm::atan(steep).to_degrees()),
        };
        let spread = 100.0 * self.spread;
        let mut notes: Vec<Note> =
            vec![format!("{place}; stance feet scatter by {spread:.1} cm (RMS)").into()];
        if !self.is_even {
            notes.push(Note::warning("the ground is uneven (stairs?): penetration is not assessed"));
        }
        if self.velocity.norm() > 0.0 {
            notes.push(format!("the ground moves at {:.2} m/s: a treadmill", self.velocity.norm()).into());
        }
        notes
    }

    /// Height of a point above the plane, m.
    pub fn above(&self, p: Vec3) -> f64 {
        (p.z - self.height - self.slope[0] * p.x - self.slope[1] * p.y) / self.stretch()
    }

    /// Unit normal, upward.
    pub fn normal(&self) -> Vec3 {
        vec3(-self.slope[0], -self.slope[1], 1.0).scale(1.0 / self.stretch())
    }

    /// Tangent of the slope angle.
    pub fn steepness(&self) -> f64 {
        (self.slope[0] * self.slope[0] + self.slope[1] * self.slope[1]).sqrt()
    }

    fn stretch(&self) -> f64 {
        (1.0 + self.slope[0].powi(2) + self.slope[1].powi(2)).sqrt()
    }

    fn scatter(&self, points: &[Vec3]) -> f64 {
        let squares: f64 = points.iter().map(|p| self.above(*p).powi(2)).sum();
        (squares / points.len() as f64).sqrt()
    }
}

/// Least-squares plane, sloped along the main direction of travel only; `None` if the points span too little.
fn plane(points: &[Vec3]) -> Option<Ground> {
    let n = points.len() as f64;
    let mean = points.iter().fold(Vec3::ZERO, |s, p| s + *p).scale(1.0 / n);
    let (mut xx, mut xy, mut yy, mut xz, mut yz) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for p in points {
        let d = *p - mean;
        (xx, xy, yy, xz, yz) =
            (xx + d.x * d.x, xy + d.x * d.y, yy + d.y * d.y, xz + d.x * d.z, yz + d.y * d.z);
    }
    // a walk does not determine the slope across its direction
    let angle = 0.5 * libm::atan2(2.0 * xy, xx - yy);
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    let along = c * c * xx + 2.0 * s * c * xy + s * s * yy;
    if (along / n).sqrt() * 3.0 < MIN_EXTENT {
        return None;
    }
    let rise = (c * xz + s * yz) / along;
    let slope = [c * rise, s * rise];
    let height = mean.z - slope[0] * mean.x - slope[1] * mean.y;
    Some(Ground { height, slope, ..Ground::level(0.0) })
}

/// Median of the values in the band that holds most of them.
fn most_common(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let (mut best, mut end) = (0..0, 0);
    for start in 0..values.len() {
        while end < values.len() && values[end] - values[start] <= HEIGHT_BAND {
            end += 1;
        }
        if end - start > best.len() {
            best = start..end;
        }
    }
    values[best.start + best.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_level_slope_and_stairs() {
        let walk = |z: &dyn Fn(f64) -> f64| {
            (0..300)
                .map(|i| f64::from(i) * 0.01)
                .map(|x| vec3(x, 0.1 * (7.0 * x).sin(), z(x)))
                .collect::<Vec<_>>()
        };
        let level = walk(&|x| 0.02 + 0.01 * (20.0 * x).sin());
        let ground = Ground::fit(&level);
        assert!(
            ground.is_even && ground.slope == [0.0; 2] && (ground.height - 0.02).abs() < 0.01,
            "{ground:?}"
        );
        let ramp = Ground::fit(&walk(&|x| 0.3 + 0.1 * x));
        assert!((ramp.slope[0] - 0.1).abs() < 1e-3 && (ramp.height - 0.3).abs() < 1e-3, "{ramp:?}");
        assert!(ramp.above(vec3(1.0, 0.0, 0.4)).abs() < 1e-3);
        let stairs = Ground::fit(&walk(&|x| 0.17 * (x / 0.8).floor()));
        assert!(!stairs.is_even, "{stairs:?}");
    }
}
