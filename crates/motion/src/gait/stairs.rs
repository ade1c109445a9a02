//! Stair gait, blended from level gait by the height of a stair: toe-off, swing, landing and stance knee.
//!
//! Ascending: the foot lands flat, its knee extends while the other foot swings, and its heel rises when that foot has
//! landed. Descending: the foot lands on the toe edge and rolls flat; its knee flexes while the other foot is lowered,
//! and its heel rises at the limit of dorsiflexion.
//! Source: our own, after observation.

use super::foot_path::table;
use super::footsteps::Footstep;
use crate::ease::step as ease;

/// Height of a normal stair for [`super::footsteps::REFERENCE_LEG`], m, and the largest multiple extrapolated to.
const NORMAL_RISE: f64 = 0.17;
const MAX_STEEPNESS: f64 = 1.3;
/// Toe-off ascending and descending.
const UP: ToeOff = ToeOff { pitch: 0.75, rate: 0.8, early: 0.10 };
const DOWN: ToeOff = ToeOff { pitch: 1.05, rate: 0.8, early: 0.55 };
/// Landing when descending: toe-down pitch, rad, and time until foot flat, fraction of double support.
const LANDING_PITCH: f64 = 0.3;
const LANDING_TIME: f64 = 0.7;
/// Stance knee flexion: (fraction of stance, rad), ascending and descending.
const KNEE_UP: [[f64; 2]; 5] = [[0.0, 1.25], [0.25, 1.0], [0.5, 0.5], [0.75, 0.2], [1.0, 0.35]];
const KNEE_DOWN: [[f64; 2]; 5] = [[0.0, 0.25], [0.25, 0.5], [0.5, 0.7], [0.75, 1.15], [1.0, 1.6]];
/// Fraction of stance in which the knee blends from this step's curve to the next step's.
const KNEE_BLEND: [f64; 2] = [0.35, 0.65];
/// Forward trunk lean ascending, rad.
const LEAN: f64 = 0.14;
/// Largest dorsiflexion in stance, rad.
pub(crate) const DORSIFLEXION: f64 = 0.6;
/// Ascending and descending, fractions of swing: how much later the forward motion starts or earlier it ends, and the
/// duration of the vertical motion.
const FORWARD_DELAY: [f64; 2] = [0.15, 0.10];
const VERTICAL_TIME: [f64; 2] = [0.75, 0.80];
/// Initial backward motion ascending, away from the stair edge, m.
const RETREAT: f64 = 0.04;
/// Fraction of swing in which the pitch of toe-off is held (limit of dorsiflexion), ascending and descending.
const PITCH_HOLD: [f64; 2] = [0.25, 0.15];

/// Toe-off of a foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ToeOff {
    /// heel-up pitch, rad
    pub pitch: f64,
    /// pitch rate, in pitch / time of heel rise
    pub rate: f64,
    /// heel rise before the other foot lands, fraction of the other foot's swing
    pub early: f64,
}

/// Rise of a step in normal stairs.
pub(crate) fn steepness(step: &Footstep, scale: f64) -> f64 {
    (step.rise / (NORMAL_RISE * scale)).clamp(-MAX_STEEPNESS, MAX_STEEPNESS)
}

/// Toe-off of a foot for the steepness of the other foot's last step and its own next step; `level`: on level ground.
pub(crate) fn toe_off([other, own]: [f64; 2], level: ToeOff) -> ToeOff {
    let to = if other > 0.0 { UP } else { DOWN };
    let between = |a: f64, b: f64| a + other.abs().min(1.0) * (b - a);
    // an ascending step needs the heel up, also from level ground
    let pitch = between(level.pitch, to.pitch).max(own.min(1.0) * UP.pitch);
    ToeOff { pitch, rate: between(level.rate, to.rate), early: between(level.early, to.early) }
}

/// Landing `descent` normal stairs lower: toe-down pitch, rad, and time until foot flat, fraction of double support.
pub(crate) fn landing(descent: f64) -> [f64; 2] {
    [LANDING_PITCH * descent.min(1.0), LANDING_TIME]
}

/// Stance knee flexion at a fraction of stance, for the steepness of its own step and of the next; `level`: on level
/// ground.
pub(crate) fn knee(s: f64, [own, next]: [f64; 2], level: f64) -> f64 {
    let part = own + (next - own) * ease((s - KNEE_BLEND[0]) / (KNEE_BLEND[1] - KNEE_BLEND[0]));
    let keys = if part > 0.0 { &KNEE_UP } else { &KNEE_DOWN };
    level + part.abs() * (table(keys, s, |u| u)[1] - level)
}

/// Forward trunk lean, rad.
pub(crate) fn lean(steepness: f64) -> f64 {
    LEAN * steepness.max(0.0)
}

/// Foot position at a fraction of swing: horizontal and vertical progress, 0 to 1, and retreat, m. It moves up before
/// forward, and forward before down.
pub(crate) fn swing(s: f64, is_up: bool) -> [f64; 3] {
    if is_up {
        // 45.6 normalises the peak, at a third of swing
        let back = RETREAT * 45.6 * s * s * (1.0 - s).powi(4);
        return [ease((s - FORWARD_DELAY[0]) / (1.0 - FORWARD_DELAY[0])), ease(s / VERTICAL_TIME[0]), back];
    }
    [ease(s / (1.0 - FORWARD_DELAY[1])), ease((s - 1.0 + VERTICAL_TIME[1]) / VERTICAL_TIME[1]), 0.0]
}

/// Blend from the pitch at toe-off (0) to the pitch at landing (1) over swing.
pub(crate) fn pitch_blend(s: f64, is_up: bool) -> f64 {
    let held = PITCH_HOLD[usize::from(!is_up)];
    ease((s - held) / (1.0 - held))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVEL: ToeOff = ToeOff { pitch: 0.4, rate: 1.25, early: 0.05 };

    #[test]
    fn stair_gait_is_continuous_and_equals_level_gait_without_rise() {
        assert_eq!(toe_off([0.0; 2], LEVEL), LEVEL);
        assert_eq!((toe_off([1.0, 1.0], LEVEL), toe_off([-1.0, -1.0], LEVEL)), (UP, DOWN));
        let mut before = knee(0.0, [-1.0, 1.0], 0.2);
        for k in 0..=1000 {
            let s = f64::from(k) / 1000.0;
            assert!((knee(s, [0.0; 2], 0.2) - 0.2).abs() < 1e-15);
            let now = knee(s, [-1.0, 1.0], 0.2);
            assert!((now - before).abs() < 0.01, "{s}: {before} to {now}");
            before = now;
        }
    }

    #[test]
    fn feet_move_up_before_forward_and_forward_before_down() {
        for k in 1..100 {
            let s = f64::from(k) / 100.0;
            let ([ahead, up, _], [on, down, _]) = (swing(s, true), swing(s, false));
            assert!(up >= ahead && on >= down, "{s}");
        }
        assert_eq!(swing(1.0, true), [1.0, 1.0, 0.0]);
        assert_eq!(swing(1.0, false), [1.0, 1.0, 0.0]);
    }
}
