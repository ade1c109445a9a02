//! A motion on its feet whose centre of mass goes where the ground can carry it.
//!
//! Computes, round by round: what the figure does as a whole (`centroid`); the path of the centre of mass next to it
//! that is in free fall in flight, and whose centre of pressure, with the angular momentum of the motion, lies within
//! what touches (`plan`); poses with the root moved along with it and the feet on their prints (`footing`), whose
//! angular momentum is a little another. The best round is kept.
//! Source: our own; the rounds are a fixed point of path and angular momentum.
//! Not here: torques, impacts.
//! Checked by: `crates/io/tests/footing.rs`.

mod centroid;
mod plan;

pub use centroid::{Centroid, Moving};

use crate::clip::Clip;
use crate::footing::Footing;
use crate::pose;
use crate::touch::Touches;
use anthropi_dynamics::spatial::Vec3;
use plan::{Plan, Support};

/// A limb reaches this part of its length.
const STRAIGHT: f64 = 0.996;
/// This part of a change is made in a round: legs that follow answer a little differently.
const PART: f64 = 0.7;
/// Rounds of plan and poses.
const ROUNDS: usize = 5;
/// So many frames at both ends of a motion have poor accelerations.
const END: usize = 4;
/// No centre of mass is moved farther, m.
const FAR: f64 = 0.35;

/// A motion that the ground can carry, as far as that was found.
#[derive(Clone, Debug)]
pub struct Replan {
    /// the motion
    pub clip: Clip,
    /// who touches when
    pub touches: Touches,
    /// what it does as a whole over time
    pub centroid: Centroid,
    /// whether the motion was changed; if not, it is that of the footing
    pub is_planned: bool,
    /// what was found and decided, a sentence each
    pub notes: Vec<String>,
}

impl Replan {
    /// Moves the centre of mass of a motion on its feet. `progress` hears the part that is done.
    pub fn of(footing: &Footing, progress: &mut dyn FnMut(f64)) -> Replan {
        let mut best = unplanned(footing);
        let Some(planted) = footing.planted() else { return best };
        let (clip, figure) = (&footing.clip, footing.clip.figure());
        let (supports, gravity) = (supports(&footing.touches), figure.gravity().norm());
        let plan = Plan { supports: &supports, dt: clip.dt(), gravity, weight: figure.mass() * gravity };
        let first = best.centroid.clone();
        let (mut least, root) = (plan.missing(first.frames()), planted.root());
        let mut now = first.clone();
        let mut shifts = vec![Vec3::ZERO; clip.frames()];
        for round in 0..ROUNDS {
            progress(round as f64 / ROUNDS as f64);
            let changes: Vec<Vec3> =
                plan.changes(first.frames(), now.frames()).iter().map(|c| c.scale(PART)).collect();
            for (f, change) in changes.iter().enumerate() {
                shifts[f] = now.frames()[f].center + *change - first.frames()[f].center;
            }
            if let Some(f) = shifts.iter().position(|s| !(s.norm() < FAR)) {
                if best.is_planned {
                    break;
                }
                let mut given = unplanned(footing);
                given.notes.push(format!(
                    "the ground could carry this motion only with the centre of mass moved by more than {FAR} m at {:.2} s, \
                     so it stays where it is",
                    clip.time(f)
                ));
                return given;
            }
            let moved = |f: usize| {
                let mut q = clip.pose(f).to_vec();
                (0..3).for_each(|k| q[root + k] += shifts[f].to_array()[k]);
                q
            };
            let given: Vec<Vec<f64>> = (0..clip.frames()).map(moved).collect();
            let postures = planted.approached(&given, STRAIGHT, false);
            let center = |f: usize| {
                let more = pose::triple(&postures[f], root) - pose::triple(&given[f], root);
                now.frames()[f].center + changes[f] + more
            };
            let centers: Vec<Vec3> = (0..clip.frames()).map(center).collect();
            let poses = planted.put(&postures, Some(&centers));
            let mut stood = footing.clone();
            stood.stand(clip, &poses);
            now = Centroid::of(&stood.clip);
            let missing = plan.missing(now.frames());
            if missing < least {
                least = missing;
                (best.clip, best.touches, best.centroid, best.is_planned) =
                    (stood.clip, stood.touches, now.clone(), true);
            }
        }
        best
    }
}

/// The motion of a footing as it is.
fn unplanned(footing: &Footing) -> Replan {
    Replan {
        clip: footing.clip.clone(),
        touches: footing.touches.clone(),
        centroid: Centroid::of(&footing.clip),
        is_planned: false,
        notes: footing.notes.clone(),
    }
}

/// What touches, by frame.
fn supports(touches: &Touches) -> Vec<Support> {
    let frames = touches.frames();
    let flies = |f: usize| !touches.any(f);
    let support = |f: usize| {
        let on = (0..touches.places.len()).filter(|k| touches.is_on(*k, f));
        let points: Vec<Vec3> = on.flat_map(|k| touches.tracks[k].at(f).to_vec()).collect();
        let around = [f.saturating_sub(1), (f + 1).min(frames - 1)];
        let is_end = f < END || f + END >= frames;
        Support::of(&points, around.into_iter().any(|other| flies(other) != flies(f)), is_end)
    };
    (0..frames).map(support).collect()
}
