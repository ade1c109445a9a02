//! Reference curves of pelvis, trunk, head and arms [L1992 §9.4.3]: rotations that peak at heel strike or in mid swing,
//! and arms that swing against the legs.

use super::determinant::{PELVIC_LIST, PELVIC_ROTATION};
use super::foot_path::STAIR_SLOPE;
use super::footsteps::{Footstep, Footsteps, INITIAL_STANCE, sign};
use super::jump::Jump;
use super::leg_ik::Posture;
use super::parameter::Kind;
use super::stairs;
use super::style::Style;
use crate::curve::Curve;
use anthropi_dynamics::spatial::{Quat, RotationOrder, Vec3};

/// Normal step length for [`super::footsteps::REFERENCE_LEG`], m, and the largest relative step length that counts.
const NORMAL_STEP: f64 = 0.73;
const MAX_RELATIVE_STEP: f64 = 1.25;
/// Shoulder swing of a normal step, rad, and the exponent of its growth with step length.
const ARM_SWING: f64 = 0.33;
const ARM_SWING_EXPONENT: f64 = 1.2;
/// Elbow flexion per shoulder flexion, rad/rad.
const ELBOW_SWING: f64 = 0.5;
/// Counter-rotation of the chest, fraction of the pelvic rotation; reduction of its list.
const COUNTER_ROTATION: f64 = 0.6;
const LIST_REDUCTION: f64 = 0.75;
/// Offset that puts the chest above the hips at zero lean, rad.
const NEUTRAL_LEAN: f64 = 0.017;
/// Added in running, rad: trunk lean, pelvic tilt (for hip extension), elbow flexion; largest elbow flexion.
const RUN_LEAN: f64 = 0.1;
const RUN_TILT: f64 = 0.06;
const RUN_ELBOWS: f64 = 1.0;
const MAX_ELBOWS: f64 = 2.4;

/// Reference curves of the upper body.
#[derive(Clone, Debug)]
pub(crate) struct UpperBody {
    heading: Curve,
    rotation: Curve,
    list: Curve,
    arms: Curve,
    lean: Curve,
    tilt: Curve,
    bow: Curve,
    out: Curve,
    ahead: Curve,
    elbows: Curve,
    counter: Curve,
    sway: Curve,
}

/// Step length relative to a normal step.
pub(crate) fn relative_step(step: &Footstep, scale: f64) -> f64 {
    (step.parameters.length / (NORMAL_STEP * scale)).min(MAX_RELATIVE_STEP)
}

/// 1 for running steps, else 0.
fn runs(step: &Footstep) -> f64 {
    f64::from(u8::from(step.parameters.kind == Kind::Run))
}

impl UpperBody {
    pub fn from_footsteps(steps: &Footsteps, scale: f64) -> UpperBody {
        let all = &steps.steps;
        let n = all.len();
        let sign = |s: &Footstep| sign(s.side);
        // the first step is shorter, the last one brings the feet together
        let part = |k: usize| match k {
            0 => 0.7,
            _ if k + 1 == n => 0.0,
            _ => 1.0,
        };
        let sizes: Vec<f64> = (0..n).map(|k| relative_step(&all[k], scale) * part(k)).collect();
        let part = |k: usize| if sizes[k] > 0.0 { (0.25 + 0.75 * sizes[k]).min(1.0) } else { 0.0 };
        let begin = INITIAL_STANCE + 0.1;
        let from = |first: f64, value: &dyn Fn(usize) -> f64| {
            let keys = core::iter::once((begin, first)).chain((0..n).map(|k| (all[k].land, value(k))));
            Curve::through(&keys.collect::<Vec<_>>(), None)
        };
        let at_landing = |value: &dyn Fn(usize) -> f64| from(0.0, value);
        let in_swing = |value: &dyn Fn(usize) -> f64| {
            let pair = |k: usize| [(all[k].mid_swing(), value(k)), (all[k].land, 0.0)];
            let keys = core::iter::once((begin, 0.0)).chain((0..n).flat_map(pair));
            Curve::through(&keys.collect::<Vec<_>>(), None)
        };
        UpperBody {
            // the trunk faces between both feet
            heading: from(steps.heading, &|k| {
                let before = if k > 0 { all[k - 1].heading } else { steps.heading };
                0.5 * (before + all[k].heading)
            }),
            rotation: at_landing(&|k| {
                -sign(&all[k]) * 0.97 * PELVIC_ROTATION * all[k].style.determinants.pelvic_rotation * part(k)
            }),
            list: in_swing(&|k| {
                -sign(&all[k]) * 0.95 * PELVIC_LIST * all[k].style.determinants.pelvic_list * part(k)
            }),
            sway: in_swing(&|k| sign(&all[k]) * all[k].style.sway * part(k)),
            arms: at_landing(&|k| {
                sign(&all[k]) * all[k].style.arms * ARM_SWING * libm::pow(sizes[k], ARM_SWING_EXPONENT)
            }),
            lean: at_landing(&|k| {
                let steepness = stairs::steepness(&all[k], scale).max(all[k].print.plane[1] / STAIR_SLOPE);
                let lean = all[k].style.lean + runs(&all[k]) * RUN_LEAN + stairs::lean(steepness);
                if k + 1 == n { 0.0 } else { lean }
            }),
            tilt: steps.curve(|s| s.style.tilt + runs(s) * RUN_TILT),
            bow: steps.curve(|s| s.style.bow),
            out: steps.curve(|s| s.style.arms_out),
            ahead: steps.curve(|s| s.style.arms_ahead),
            elbows: steps.curve(|s| (s.style.elbows + runs(s) * RUN_ELBOWS).min(MAX_ELBOWS)),
            counter: steps.curve(|s| s.style.counter),
        }
    }

    pub fn from_jump(steps: &Footsteps, jump: &Jump) -> UpperBody {
        let (first, then) = (&steps.style, &steps.steps[0].style);
        let held = |value: fn(&Style) -> f64| {
            Curve::through(&[(0.0, value(first)), (steps.steps[0].lift, value(then))], None)
        };
        let still = |value: f64| Curve::through(&[(0.0, value)], None);
        UpperBody {
            heading: still(steps.heading),
            rotation: still(0.0),
            list: still(0.0),
            sway: still(0.0),
            arms: still(0.0),
            lean: Curve::through(&jump.lean(), None),
            tilt: held(|s| s.tilt),
            bow: held(|s| s.bow),
            out: held(|s| s.arms_out),
            ahead: Curve::through(&jump.arms(then.arms_ahead, then.arms), None),
            elbows: held(|s| s.elbows),
            counter: held(|s| s.counter),
        }
    }

    /// Posture of the upper body at a time, with the chest yawed by `chest_yaw`.
    pub fn at(&self, t: f64, chest_yaw: f64) -> Posture {
        let v = |c: &Curve| c.value(t);
        let (heading, rotation, list, lean) =
            (v(&self.heading), v(&self.rotation), v(&self.list), v(&self.lean));
        let arms = v(&self.arms);
        // yaw, pitch and roll
        let turn = |angles: [f64; 3]| RotationOrder::Zyx.quat(angles);
        let chest = turn([
            heading - COUNTER_ROTATION * v(&self.counter) * rotation + chest_yaw,
            lean - NEUTRAL_LEAN,
            (1.0 - LIST_REDUCTION) * -list + v(&self.sway),
        ]);
        let arm = |sign: f64| {
            let swing = sign * arms - v(&self.ahead);
            // shoulder flexion is a negative rotation about y
            let bend = v(&self.elbows) + ELBOW_SWING * (-sign * arms).clamp(-0.2, 0.8) * 0.5;
            [swing, sign * v(&self.out), bend.max(0.02)]
        };
        Posture {
            pelvis: (Vec3::ZERO, turn([heading + rotation, v(&self.tilt) + 0.5 * lean, list])),
            chest,
            head: turn([heading, v(&self.bow), 0.0]),
            arms: [arm(1.0), arm(-1.0)],
            feet: [(Vec3::ZERO, Quat::IDENTITY); 2],
        }
    }
}
