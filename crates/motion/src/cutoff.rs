//! How much smoothing a motion stands: 6 Hz for walking and slower, 15 Hz for running, jumping and kicking.
//!
//! Human walking has hardly anything above 6 Hz [W2009 ch. 3]; running and jumping have, and would lose their impacts. Which
//! it is, is seen from the speed of the pelvis against that at which people begin to run (Froude number 0.5), from how
//! fast the feet are, and from free fall. Heights count from where the soles are lowest: floors are not always at zero.
//! Checked by: `tests/invariance.rs`.

use crate::anatomy::{Anatomy, Part, Side};
use crate::spots;
use crate::trajectory::Trajectory;
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::Vec3;

/// Walking and slower, Hz.
pub const SLOW: f64 = 6.0;
/// Running, jumping, kicking, Hz.
pub const FAST: f64 = 15.0;
/// Froude number v^2 / (g l) at which people begin to run.
const RUNS: f64 = 0.5;
/// No foot of a walker is faster, in units of sqrt(g l).
const SWINGS: f64 = 2.0;
/// Falls freely: less than this part of gravity is missing...
const FALLS: f64 = 0.3;
/// ...for at least so long, s.
const FALLS_FOR: f64 = 0.08;
/// Leg over the height of the centre of mass.
const LEG: f64 = 0.9;
/// The floor is where this part of the lowest soles are below: single frames may be anywhere.
const LOW: f64 = 0.05;

/// A cut-off and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Cutoff {
    /// Hz; `None`: nothing is smoothed
    pub hz: Option<f64>,
    /// in a sentence
    pub why: String,
}

impl Cutoff {
    /// One that somebody asked for.
    pub fn asked(hz: Option<f64>) -> Cutoff {
        Cutoff { hz, why: "as asked".into() }
    }

    /// Looks at a motion smoothed at [`FAST`].
    pub fn choose(trajectory: &Trajectory, anatomy: &Anatomy) -> Cutoff {
        let seen = Pace::of(trajectory, anatomy);
        let fast = |why: String| Cutoff { hz: Some(FAST), why };
        let [run, swing] = [(RUNS * seen.gl).sqrt(), SWINGS * seen.gl.sqrt()];
        if seen.travel > run {
            fast(format!("it runs: {:.1} m/s, and people run above {run:.1}", seen.travel))
        } else if seen.falling > FALLS_FOR {
            fast(format!("it is in free fall for {:.2} s", seen.falling))
        } else if seen.foot > swing {
            fast(format!(
                "a foot moves at {:.1} m/s, and a walker's do at no more than {swing:.1}",
                seen.foot
            ))
        } else {
            Cutoff { hz: Some(SLOW), why: "nothing in it is faster than walking".into() }
        }
    }
}

/// How fast a motion is.
struct Pace {
    /// gravity times length of the leg
    gl: f64,
    /// mean speed of the centre of mass over the ground, m/s
    travel: f64,
    /// highest speed of a foot, m/s
    foot: f64,
    /// longest free fall, s
    falling: f64,
}

impl Pace {
    fn of(trajectory: &Trajectory, anatomy: &Anatomy) -> Pace {
        let (clip, figure) = (&trajectory.clip, trajectory.clip.figure());
        let (forest, g) = (figure.forest(), figure.gravity().norm());
        let links: Vec<LinkHandle> = figure.links().map(|(h, _)| h).collect();
        let feet: Vec<LinkHandle> =
            Side::BOTH.into_iter().filter_map(|s| anatomy.find(Part::Foot(s))).map(|i| links[i]).collect();
        let places = spots::of_figure(figure, anatomy).unwrap_or_default();
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
            let points = places.iter().filter(|p| p.spot.is_foot()).flat_map(|p| {
                let pose = kinematics.link_pose(forest, p.link);
                p.points.iter().map(move |at| pose.point(*at).z)
            });
            soles.extend(points.reduce(f64::min));
        }
        let mean = heights.iter().sum::<f64>() / frames as f64;
        soles.sort_by(f64::total_cmp);
        let floor = soles.get((LOW * soles.len() as f64) as usize).copied().unwrap_or(0.0);
        Pace {
            gl: g * LEG * (mean - floor).max(0.1),
            travel: speeds / frames as f64,
            foot,
            falling: longest_fall(&heights, clip.dt(), g),
        }
    }
}

/// Longest time in which the heights bend down with gravity.
fn longest_fall(heights: &[f64], dt: f64, g: f64) -> f64 {
    let spline = crate::spline::Spline::through(heights, 1, dt);
    let (mut longest, mut now) = (0, 0);
    for frame in 0..heights.len() {
        let (mut x, mut v, mut a) = ([0.0], [0.0], [0.0]);
        spline.at_sample(frame, [&mut x, &mut v, &mut a]);
        now = if (a[0] + g).abs() < FALLS * g { now + 1 } else { 0 };
        longest = longest.max(now);
    }
    longest as f64 * dt
}
