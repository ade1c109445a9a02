//! What pelvis, trunk, head and arms do with the steps [L1992 §9.4.3]: turns that are greatest at heel strike or in mid
//! swing, arms that swing against the legs.

use super::determinant::{LIST, ROTATION};
use super::feet::STEEP;
use super::jump::Jump;
use super::parameter::{Kind, Parameters};
use super::puppet::Posture;
use super::stairs;
use super::steps::{STAND, Step, Steps};
use super::style::Style;
use crate::curve::Curve;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// Step of a usual walk of a person with legs of 0.89 m, m.
const USUAL: f64 = 0.73;
/// Swing of the shoulders in a usual walk, rad, and how it grows with the step.
const ARMS: f64 = 0.33;
const ARMS_GROW: f64 = 1.2;
/// Elbows bend when the arm is ahead, rad per rad.
const ELBOWS: f64 = 0.5;
/// The chest turns against the pelvis by so much of its turn, and lists by so much less.
const COUNTER: f64 = 0.6;
const UPRIGHT: f64 = 0.75;

/// In runs trunk and pelvis lean farther ahead, which leaves hips more way back; elbows bend more, rad.
const RUN_LEAN: f64 = 0.1;
const RUN_TILT: f64 = 0.06;
const RUN_ELBOWS: f64 = 1.0;
const MOST_ELBOWS: f64 = 2.4;
/// The chest is over the hips when it leans back by this against the way that is asked for, rad.
const BACK: f64 = 0.017;

/// Curves of the upper body.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
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

/// Size of a step against a usual one.
pub(crate) fn size(step: &Step, scale: f64) -> f64 {
    (step.parameters.length / (USUAL * scale)).min(1.25)
}

/// 1 for steps that run, 0 for others.
fn runs(step: &Step) -> f64 {
    f64::from(u8::from(step.parameters.kind == Kind::Run))
}

impl Pattern {
    /// Of steps.
    pub fn of(steps: &Steps, scale: f64) -> Pattern {
        let all = &steps.steps;
        let n = all.len();
        let sign = |s: &Step| if s.side == 0 { 1.0 } else { -1.0 };
        let sizes: Vec<f64> = (0..n)
            .map(|k| {
                size(&all[k], scale)
                    * if k == 0 {
                        0.7
                    } else if k + 1 == n {
                        0.0
                    } else {
                        1.0
                    }
            })
            .collect();
        let part = |k: usize| if sizes[k] > 0.0 { (0.25 + 0.75 * sizes[k]).min(1.0) } else { 0.0 };
        let begin = STAND + 0.1;
        let from = |first: f64, value: &dyn Fn(usize) -> f64| {
            let keys = core::iter::once((begin, first)).chain((0..n).map(|k| (all[k].land, value(k))));
            Curve::through(&keys.collect::<Vec<_>>(), None)
        };
        let at_landing = |value: &dyn Fn(usize) -> f64| from(0.0, value);
        // what styles hold is there when the first foot lifts
        let standing = Step {
            style: steps.style,
            parameters: Parameters { kind: Kind::Walk, ..all[0].parameters },
            ..all[0]
        };
        let held = |value: &dyn Fn(&Step) -> f64| {
            let keys = core::iter::once((0.0, value(&standing)))
                .chain((0..n).map(|k| (0.5 * (all[k].lift + all[k].land), value(&all[k]))));
            Curve::through(&keys.collect::<Vec<_>>(), None)
        };
        let in_swing = |value: &dyn Fn(usize) -> f64| {
            let keys = core::iter::once((begin, 0.0)).chain(
                (0..n).flat_map(|k| [(0.5 * (all[k].lift + all[k].land), value(k)), (all[k].land, 0.0)]),
            );
            Curve::through(&keys.collect::<Vec<_>>(), None)
        };
        Pattern {
            // the trunk is between the directions of both feet
            heading: from(steps.heading, &|k| {
                let before = if k > 0 { all[k - 1].heading } else { steps.heading };
                0.5 * (before + all[k].heading)
            }),
            rotation: at_landing(&|k| {
                -sign(&all[k]) * 0.97 * ROTATION * all[k].style.determinants.pelvic_rotation * part(k)
            }),
            list: in_swing(&|k| {
                -sign(&all[k]) * 0.95 * LIST * all[k].style.determinants.pelvic_list * part(k)
            }),
            sway: in_swing(&|k| sign(&all[k]) * all[k].style.sway * part(k)),
            arms: at_landing(&|k| sign(&all[k]) * all[k].style.arms * ARMS * libm::pow(sizes[k], ARMS_GROW)),
            lean: at_landing(&|k| {
                if k + 1 == n {
                    0.0
                } else {
                    all[k].style.lean
                        + runs(&all[k]) * RUN_LEAN
                        + stairs::lean(stairs::part(&all[k], scale).max(all[k].print.plane[1] / STEEP))
                }
            }),
            tilt: held(&|s| s.style.tilt + runs(s) * RUN_TILT),
            bow: held(&|s| s.style.bow),
            out: held(&|s| s.style.arms_out),
            ahead: held(&|s| s.style.arms_ahead),
            elbows: held(&|s| (s.style.elbows + runs(s) * RUN_ELBOWS).min(MOST_ELBOWS)),
            counter: held(&|s| s.style.counter),
        }
    }

    /// Of a jump.
    pub fn of_jump(steps: &Steps, jump: &Jump) -> Pattern {
        let (first, then) = (&steps.style, &steps.steps[0].style);
        let held = |value: fn(&Style) -> f64| {
            Curve::through(&[(0.0, value(first)), (steps.steps[0].lift, value(then))], None)
        };
        let still = |value: f64| Curve::through(&[(0.0, value)], None);
        Pattern {
            heading: still(steps.heading),
            rotation: still(0.0),
            list: still(0.0),
            sway: still(0.0),
            arms: still(0.0),
            lean: Curve::through(&jump.lean(0.0), None),
            tilt: held(|s| s.tilt),
            bow: held(|s| s.bow),
            out: held(|s| s.arms_out),
            ahead: Curve::through(&jump.arms(then.arms_ahead, then.arms), None),
            elbows: held(|s| s.elbows),
            counter: held(|s| s.counter),
        }
    }

    /// Orientations of pelvis, chest and head, and the arms, at a time; the chest turned by `more`.
    pub fn at(&self, t: f64, more: f64) -> Posture {
        let v = |c: &Curve| c.value(t);
        let (heading, rotation, list, lean) =
            (v(&self.heading), v(&self.rotation), v(&self.list), v(&self.lean));
        let arms = v(&self.arms);
        let chest = turn(
            heading - COUNTER * v(&self.counter) * rotation + more,
            lean - BACK,
            (1.0 - UPRIGHT) * -list + v(&self.sway),
        );
        let arm = |sign: f64| {
            let swing = sign * arms - v(&self.ahead);
            // an arm ahead has a negative turn about y
            let bend = v(&self.elbows) + ELBOWS * (-sign * arms).clamp(-0.2, 0.8) * 0.5;
            [swing, sign * v(&self.out), bend.max(0.02)]
        };
        Posture {
            pelvis: (Vec3::ZERO, turn(heading + rotation, v(&self.tilt) + 0.5 * lean, list)),
            chest,
            head: turn(heading, v(&self.bow), 0.0),
            arms: [arm(1.0), arm(-1.0)],
            feet: [(Vec3::ZERO, Quat::IDENTITY); 2],
        }
    }
}

/// About z, then y, then x.
fn turn(yaw: f64, pitch: f64, roll: f64) -> Quat {
    let about = |axis: Vec3, angle: f64| Quat::about(axis, angle);
    about(vec3(0.0, 0.0, 1.0), yaw)
        .then(about(vec3(0.0, 1.0, 0.0), pitch))
        .then(about(vec3(1.0, 0.0, 0.0), roll))
}
