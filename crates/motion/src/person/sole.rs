//! Where the sole of a foot is, in the foot's axes: motion files have none.
//!
//! The sole is flat on the ground while the foot is low and slow, so the mean of the world's up in the foot's axes over
//! the slowest low frames is its normal. It passes under the ball of the foot (the toes' joint) at the height that
//! joint has in people, and reaches from behind the ankle to a third of the toes, as far as a stiff foot carries load.
//! Where the file has no toes, the end of the foot's bone is the front of the sole if it lies where people's soles do.

use super::measure::Measures;
use super::plan::{Limb, Plan};
use crate::anatomy::{Anatomy, Part, Side};
use crate::anthropometry::{ANKLE, BALL, FOOT_BREADTH, FOOT_LENGTH, HEEL};
use anthropi_dynamics::spatial::{Vec3, vec3};

/// The sole carries up to this part of the toes.
const TOES: f64 = 0.35;
/// The toes' part of the foot where the file has no toes.
const TOES_OF_FOOT: f64 = 0.2;
/// The end of a foot's bone that is this many times as deep below the ankle as people's soles is at the sole...
const SOLE_DEPTH: std::ops::Range<f64> = 0.5..2.0;
/// ...and its front if it is not farther from the heel than this part of the foot: then it is the tip of the toes.
const FRONT: f64 = 0.94;
/// Low frames are the lower ones up to this part; of them the slowest eighth of all frames counts, and ten at least.
const LOW: f64 = 0.6;
const SLOWEST: usize = 8;
const AT_LEAST: usize = 10;
/// Less than this of a normal is left when the ups of the frames cancel: then they tell nothing.
const SCATTERED: f64 = 0.9;

/// The sole of a foot, in the foot's axes.
#[derive(Clone, Copy, Debug)]
pub struct Sole {
    /// away from the ground
    pub up: Vec3,
    /// heel to toes
    pub ahead: Vec3,
    /// middle of the rear end
    pub heel: Vec3,
    /// from there to the front end
    pub length: f64,
    /// from side to side
    pub breadth: f64,
    /// from there to the tip of the toes
    pub whole: f64,
}

impl Sole {
    /// Finds the sole of a foot.
    pub fn of(plan: &Plan, measures: &Measures, anatomy: &Anatomy, foot: &Limb, stature: f64) -> Sole {
        let side = if foot.part == Part::Foot(Side::Left) { Side::Left } else { Side::Right };
        let toes = anatomy.find(Part::Toes(side)).filter(|t| plan.owner[*t].is_some());
        let up = level(measures, foot, toes).unwrap_or_else(|| home_up(measures, foot));
        let flat = |v: Vec3| v - up.scale(up.dot(v));
        // the ball of the foot: the toes' joint, else the end of the foot's bone
        let ball = match toes {
            Some(t) => Some(measures.mean_on(foot, |places| places[t].0)),
            None => measures.bone_end(foot).filter(|e| flat(*e).norm() > HEEL * stature),
        };
        let ahead =
            ball.and_then(|b| flat(b).normalized()).unwrap_or_else(|| home_ahead(plan, measures, foot, up));
        let at_sole =
            ball.filter(|b| toes.is_none() && SOLE_DEPTH.contains(&(-up.dot(*b) / (ANKLE * stature))));
        let depth = match (ball, at_sole) {
            (Some(ball), _) if toes.is_some() => BALL * stature - up.dot(ball),
            (_, Some(end)) => -up.dot(end),
            _ => ANKLE * stature,
        };
        // an ankle in the sole or below is no ankle's: the recording stands on its head, say
        let depth = depth.max(BALL * stature);
        let heel = up.scale(-depth) - ahead.scale(HEEL * stature);
        let (length, whole) = match (toes, ball) {
            (Some(t), Some(ball)) => {
                let tip = measures.tip_length(t).unwrap_or(TOES_OF_FOOT * FOOT_LENGTH * stature);
                let to_ball = HEEL * stature + ahead.dot(ball);
                (to_ball + TOES * tip, to_ball + tip)
            }
            _ => {
                let whole = FOOT_LENGTH * stature;
                let front = at_sole.map(|end| HEEL * stature + ahead.dot(end)).filter(|f| *f < FRONT * whole);
                (front.unwrap_or(whole * (1.0 - TOES_OF_FOOT * (1.0 - TOES))), whole)
            }
        };
        Sole { up, ahead, heel, length, breadth: FOOT_BREADTH * stature, whole }
    }

    /// Across, to the left of `ahead`.
    pub fn left(&self) -> Vec3 {
        self.up.cross(self.ahead)
    }
}

/// The world's up in the foot's axes while the foot stands.
fn level(measures: &Measures, foot: &Limb, toes: Option<usize>) -> Option<Vec3> {
    let mut frames: Vec<(f64, f64, Vec3)> = Vec::new();
    let front: Vec<f64> = measures.speeds(toes.unwrap_or(foot.place)).map(|(_, speed)| speed).collect();
    for ((places, speed), front) in measures.speeds(foot.place).zip(front) {
        let up = places[foot.turn].1.inverse().rotate(vec3(0.0, 0.0, 1.0));
        frames.push((places[toes.unwrap_or(foot.place)].0.z, speed + front, up));
    }
    let all = frames.len();
    frames.sort_by(|a, b| a.0.total_cmp(&b.0));
    frames.truncate(((all as f64 * LOW) as usize).max(1));
    frames.sort_by(|a, b| a.1.total_cmp(&b.1));
    frames.truncate((all / SLOWEST).max(AT_LEAST));
    let mean = frames.iter().fold(Vec3::ZERO, |sum, f| sum + f.2).scale(1.0 / frames.len() as f64);
    if mean.norm() < SCATTERED { None } else { mean.normalized() }
}

fn home_up(measures: &Measures, foot: &Limb) -> Vec3 {
    measures.home(foot).orientation().inverse().rotate(vec3(0.0, 0.0, 1.0))
}

/// Where the person faces in the home pose, in the foot's axes and along the sole.
fn home_ahead(plan: &Plan, measures: &Measures, foot: &Limb, up: Vec3) -> Vec3 {
    let turn = measures.home(foot).orientation().inverse();
    let left = plan.left(measures);
    let ahead = turn.rotate(left.cross(vec3(0.0, 0.0, 1.0)));
    (ahead - up.scale(up.dot(ahead))).normalized().unwrap_or_else(|| up.any_perpendicular())
}
