//! Estimate of the sole in foot axes, which motion files do not contain.
//!
//! The sole is flat on the ground while the foot is low and slow: its normal is the mean vertical in foot axes over the
//! slowest low frames. It lies below the ball of the foot (the toe joint) at anthropometric height, and extends from
//! behind the ankle to a third of the toes, as far as a rigid foot carries load. Without toes, the end of the foot bone
//! is the front of the sole if it is at a plausible depth.

use super::bone_map::{BoneMap, Limb};
use super::measure::Measures;
use crate::anatomy::{Anatomy, Part, Side};
use crate::anthropometry::{ANKLE, BALL, FOOT_BREADTH, FOOT_LENGTH, HEEL};
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// Fraction of the toes that carries load.
const LOADED_TOES: f64 = 0.35;
/// Length of the toes, fraction of the foot, if the file has none.
const TOES_OF_FOOT: f64 = 0.2;
/// Depth of a bone end at the sole, relative to the tables' ankle height.
const SOLE_DEPTH: std::ops::Range<f64> = 0.5..2.0;
/// Such an end is the front of the sole up to this fraction of the foot's length, else the tip of the toes.
const MAX_FRONT: f64 = 0.94;
/// Contact frames: the lowest fraction of the frames, and of these the slowest 1/n of all frames, at least `MIN_FRAMES`.
const LOWEST: f64 = 0.6;
const SLOWEST: usize = 8;
const MIN_FRAMES: usize = 10;
/// Shorter mean normals are undetermined, since the verticals of the frames cancel.
const MIN_MEAN_NORMAL: f64 = 0.9;
/// Cosine of the tilt up to which a sole is flat on the ground.
const MIN_LEVEL: f64 = 0.96;

/// The sole of a foot, in the foot's axes.
#[derive(Clone, Copy, Debug)]
pub struct Sole {
    /// normal away from the ground
    pub up: Vec3,
    /// direction from heel to toes
    pub ahead: Vec3,
    /// middle of the rear edge
    pub heel: Vec3,
    /// length from there to the front edge
    pub length: f64,
    pub breadth: f64,
    /// length from the heel to the tip of the toes
    pub whole: f64,
}

impl Sole {
    /// Estimates the sole of a foot.
    pub fn new(map: &BoneMap, measures: &Measures, anatomy: &Anatomy, foot: &Limb, stature: f64) -> Sole {
        let toes = toes(anatomy, map, foot);
        let up = level(measures, foot, toes).unwrap_or_else(|| home_up(measures, foot));
        let flat = |v: Vec3| v - up.scale(up.dot(v));
        // ball of the foot: the toe joint, else the end of the foot bone
        let ball = match toes {
            Some(t) => Some(measures.mean_on(foot, |poses| poses[t].0)),
            None => measures.bone_end(foot).filter(|e| flat(*e).norm() > HEEL * stature),
        };
        let ahead =
            ball.and_then(|b| flat(b).normalized()).unwrap_or_else(|| home_ahead(map, measures, foot, up));
        let at_sole =
            ball.filter(|b| toes.is_none() && SOLE_DEPTH.contains(&(-up.dot(*b) / (ANKLE * stature))));
        let depth = match (ball, at_sole) {
            (Some(ball), _) if toes.is_some() => BALL * stature - up.dot(ball),
            (_, Some(end)) => -up.dot(end),
            _ => ANKLE * stature,
        };
        // an ankle in or below the sole is implausible (recording upside down?)
        let depth = depth.max(BALL * stature);
        let heel = up.scale(-depth) - ahead.scale(HEEL * stature);
        let (length, whole) = match (toes, ball) {
            (Some(t), Some(ball)) => {
                let tip = measures.tip_length(t).unwrap_or(TOES_OF_FOOT * FOOT_LENGTH * stature);
                let to_ball = HEEL * stature + ahead.dot(ball);
                (to_ball + LOADED_TOES * tip, to_ball + tip)
            }
            _ => {
                let whole = FOOT_LENGTH * stature;
                let front =
                    at_sole.map(|end| HEEL * stature + ahead.dot(end)).filter(|f| *f < MAX_FRONT * whole);
                (front.unwrap_or(whole * (1.0 - TOES_OF_FOOT * (1.0 - LOADED_TOES))), whole)
            }
        };
        Sole { up, ahead, heel, length, breadth: FOOT_BREADTH * stature, whole }
    }

    /// Height of the sole in the world while the foot stands: median, and range of the middle half.
    pub fn standing_height(
        &self,
        measures: &Measures,
        anatomy: &Anatomy,
        map: &BoneMap,
        foot: &Limb,
    ) -> Option<(f64, f64)> {
        let toes = toes(anatomy, map, foot);
        let middle = self.heel + self.ahead.scale(0.5 * self.length);
        let height = |poses: &Frame| {
            let (at, turn) = (poses[foot.joint_bone].0, poses[foot.orientation_bone].1);
            (turn.rotate(self.up).z > MIN_LEVEL).then(|| (at + turn.rotate(middle)).z)
        };
        let mut heights: Vec<f64> =
            contact_frames(measures, foot, toes).into_iter().filter_map(height).collect();
        heights.sort_by(f64::total_cmp);
        let n = heights.len();
        (n >= MIN_FRAMES).then(|| (heights[n / 2], heights[3 * n / 4] - heights[n / 4]))
    }

    /// The sole `by` deeper.
    pub fn lowered(self, by: f64) -> Sole {
        Sole { heel: self.heel - self.up.scale(by), ..self }
    }

    /// Direction to the left of `ahead`.
    pub fn left(&self) -> Vec3 {
        self.up.cross(self.ahead)
    }
}

/// Bone of the toes of a foot.
fn toes(anatomy: &Anatomy, map: &BoneMap, foot: &Limb) -> Option<usize> {
    let side = if foot.part == Part::Foot(Side::Left) { Side::Left } else { Side::Right };
    anatomy.find(Part::Toes(side)).filter(|t| map.owner[*t].is_some())
}

/// Poses of all bones in a frame.
type Frame = [(Vec3, Quat)];

/// Frames in which a foot is probably in contact.
fn contact_frames<'a>(measures: &'a Measures, foot: &Limb, toes: Option<usize>) -> Vec<&'a Frame> {
    let front = measures.speeds(toes.unwrap_or(foot.joint_bone)).map(|(_, speed)| speed);
    let both = measures.speeds(foot.joint_bone).zip(front);
    let mut frames: Vec<(f64, &Frame)> = both.map(|((poses, speed), front)| (speed + front, poses)).collect();
    let all = frames.len();
    let height = |poses: &Frame| poses[toes.unwrap_or(foot.joint_bone)].0.z;
    frames.sort_by(|a, b| height(a.1).total_cmp(&height(b.1)));
    frames.truncate(((all as f64 * LOWEST) as usize).max(1));
    frames.sort_by(|a, b| a.0.total_cmp(&b.0));
    frames.truncate((all / SLOWEST).max(MIN_FRAMES));
    frames.into_iter().map(|f| f.1).collect()
}

/// Mean vertical in foot axes while the foot is in contact.
fn level(measures: &Measures, foot: &Limb, toes: Option<usize>) -> Option<Vec3> {
    let frames = contact_frames(measures, foot, toes);
    let up = |poses: &&[(Vec3, Quat)]| poses[foot.orientation_bone].1.inverse().rotate(vec3(0.0, 0.0, 1.0));
    let mean = frames.iter().map(up).fold(Vec3::ZERO, |sum, u| sum + u).scale(1.0 / frames.len() as f64);
    if mean.norm() < MIN_MEAN_NORMAL { None } else { mean.normalized() }
}

fn home_up(measures: &Measures, foot: &Limb) -> Vec3 {
    measures.home(foot).orientation().inverse().rotate(vec3(0.0, 0.0, 1.0))
}

/// Forward direction of the home pose along the sole, in foot axes.
fn home_ahead(map: &BoneMap, measures: &Measures, foot: &Limb, up: Vec3) -> Vec3 {
    let turn = measures.home(foot).orientation().inverse();
    let left = map.left(measures);
    let ahead = turn.rotate(left.cross(vec3(0.0, 0.0, 1.0)));
    (ahead - up.scale(up.dot(ahead))).normalized().unwrap_or_else(|| up.any_perpendicular())
}
