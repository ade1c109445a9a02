//! Low-pass cut-off of a motion: 6 Hz for walking and slower, 15 Hz for running, jumping and kicking.
//!
//! Human walking has little content above 6 Hz [W2009 ch. 3]; running and jumping do, and would lose their impacts. The
//! choice depends on the speed of travel against the walk-run transition (Froude number 0.5), the speed of the
//! feet, and free fall. Heights are measured from the lowest soles: floors are not always at zero.
//! Checked by: `tests/it/invariance.rs`.

use crate::anatomy::{Anatomy, Part, Side};
use crate::contact_points;
use crate::trajectory::Trajectory;
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::Vec3;
use serde::Serialize;

/// Walking and slower, Hz.
pub const SLOW: f64 = 6.0;
/// Running, jumping, kicking, Hz.
pub const FAST: f64 = 15.0;
/// Froude number v^2 / (g l) of the walk-run transition.
const RUN_FROUDE: f64 = 0.5;
/// Highest foot speed in walking, in units of sqrt(g l).
const MAX_WALK_FOOT_SPEED: f64 = 2.0;
/// Free fall: the relative deviation from gravity is below this,
const FALL_TOLERANCE: f64 = 0.3;
/// for at least this long, s.
const MIN_FALL: f64 = 0.08;
/// Leg length over the height of the centre of mass.
const LEG_RATIO: f64 = 0.9;
/// The floor is this quantile of the lowest sole heights; single frames may be outliers.
const FLOOR_QUANTILE: f64 = 0.05;

/// A cut-off and its reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cutoff {
    /// Hz; `None`: no smoothing
    pub hz: Option<f64>,
    /// reason
    #[serde(rename = "why")]
    pub reason: String,
}

impl Cutoff {
    /// A cut-off given by the user.
    pub fn given(hz: Option<f64>) -> Cutoff {
        Cutoff { hz, reason: "as requested".into() }
    }

    /// Chooses a cut-off for a motion smoothed at [`FAST`].
    pub fn choose(trajectory: &Trajectory, anatomy: &Anatomy) -> Cutoff {
        let pace = Speeds::measure(trajectory, anatomy);
        let fast = |reason: String| Cutoff { hz: Some(FAST), reason };
        let [run, swing] = [(RUN_FROUDE * pace.gl).sqrt(), MAX_WALK_FOOT_SPEED * pace.gl.sqrt()];
        if pace.travel > run {
            fast(format!("running: {:.1} m/s, above the transition at {run:.1}", pace.travel))
        } else if pace.falling > MIN_FALL {
            fast(format!("free fall of {:.2} s", pace.falling))
        } else if pace.foot > swing {
            fast(format!("a foot moves at {:.1} m/s, in walking at most {swing:.1}", pace.foot))
        } else {
            Cutoff { hz: Some(SLOW), reason: "no faster than walking".into() }
        }
    }
}

/// Speeds that distinguish walking from faster motion.
struct Speeds {
    /// gravity times leg length
    gl: f64,
    /// mean horizontal speed of the centre of mass, m/s
    travel: f64,
    /// highest speed of a foot, m/s
    foot: f64,
    /// longest free fall, s
    falling: f64,
}

impl Speeds {
    fn measure(trajectory: &Trajectory, anatomy: &Anatomy) -> Speeds {
        let (clip, figure) = (&trajectory.clip, trajectory.clip.figure());
        let (forest, g) = (figure.forest(), figure.gravity().norm());
        let links: Vec<LinkHandle> = figure.links().map(|(h, _)| h).collect();
        let feet: Vec<LinkHandle> =
            Side::BOTH.into_iter().filter_map(|s| anatomy.find(Part::Foot(s))).map(|i| links[i]).collect();
        let places = contact_points::find(figure, anatomy).unwrap_or_default();
        let (mut kinematics, frames) = (Kinematics::default(), clip.frames());
        let (mut heights, mut soles, mut speeds, mut foot) = (Vec::new(), Vec::new(), 0.0, 0.0f64);
        for frame in 0..frames {
            let (q, v, _) = trajectory.at(frame);
            kinematics.update(forest, q, Some(v), None);
            let velocity = centroidal::velocity_of_center(forest, &kinematics);
            heights.push(centroidal::center_of_mass(forest, &kinematics).z);
            speeds += Vec3 { z: 0.0, ..velocity }.norm();
            let fastest = feet.iter().map(|l| kinematics.link_velocity(forest, *l).linear.norm());
            foot = fastest.fold(foot, f64::max);
            let points = places.iter().filter(|p| p.site.is_foot()).flat_map(|p| {
                let pose = kinematics.link_pose(forest, p.link);
                p.points.iter().map(move |at| pose.point(*at).z)
            });
            soles.extend(points.reduce(f64::min));
        }
        let mean = heights.iter().sum::<f64>() / frames as f64;
        soles.sort_by(f64::total_cmp);
        let floor = soles.get((FLOOR_QUANTILE * soles.len() as f64) as usize).copied().unwrap_or(0.0);
        Speeds {
            gl: g * LEG_RATIO * (mean - floor).max(0.1),
            travel: speeds / frames as f64,
            foot,
            falling: longest_fall(&heights, clip.dt(), g),
        }
    }
}

/// Longest time in which the heights accelerate with gravity, s.
fn longest_fall(heights: &[f64], dt: f64, g: f64) -> f64 {
    let spline = crate::spline::Spline::through(heights, 1, dt);
    let (mut longest, mut now) = (0, 0);
    for frame in 0..heights.len() {
        let (mut x, mut v, mut a) = ([0.0], [0.0], [0.0]);
        spline.at_sample(frame, [&mut x, &mut v, &mut a]);
        now = if (a[0] + g).abs() < FALL_TOLERANCE * g { now + 1 } else { 0 };
        longest = longest.max(now);
    }
    longest as f64 * dt
}
