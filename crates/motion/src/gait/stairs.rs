//! What differs on stairs, by the height of a stair: how feet leave, swing and land, and how knees that carry bend.
//!
//! Upward a foot lands flat, its knee straightens while the other foot swings, and its heel rises when that one has
//! landed. Downward a foot lands on its toe's edge and comes down flat; its knee bends while the other foot sinks to the
//! next stair, and since the ankle bends no farther the heel rises with it. Lower stairs are between these and level
//! ground.
//! Source: our own, after how people climb.

use super::steps::Step;
use crate::ease::step as ease;

/// Height of a usual stair, m, for legs of 0.89 m; laws go on to so many of them.
const USUAL: f64 = 0.17;
const MOST: f64 = 1.3;
/// How feet leave upward and downward.
const UP: Leave = Leave { off: 0.75, rate: 0.8, early: 0.10 };
const DOWN: Leave = Leave { off: 1.05, rate: 0.8, early: 0.55 };
/// Toe down at the landing downward, rad, and the time until the sole is flat, part of double support.
const STRIKE: f64 = 0.3;
const LOAD: f64 = 0.7;
/// Knees that carry: (part of stance, angle in rad), upward and downward.
const KNEE_UP: [[f64; 2]; 5] = [[0.0, 1.25], [0.25, 1.0], [0.5, 0.5], [0.75, 0.2], [1.0, 0.35]];
const KNEE_DOWN: [[f64; 2]; 5] = [[0.0, 0.25], [0.25, 0.5], [0.5, 0.7], [0.75, 1.15], [1.0, 1.6]];
/// Part of stance in which a knee goes over from how its foot landed to how the next one lands.
const OVER: [f64; 2] = [0.35, 0.65];
/// The trunk leans ahead upward, rad.
const LEAN: f64 = 0.14;
/// Ankles that carry bend so far up, rad.
pub(crate) const DORSIFLEXION: f64 = 0.6;
/// Upward a foot goes ahead only after this part of the swing, and is up after that; downward the other way round.
const LATER: [f64; 2] = [0.15, 0.10];
const WITHIN: [f64; 2] = [0.75, 0.80];
/// Upward a foot first goes back, m, away from the edge above it.
const BACK: f64 = 0.04;
/// The heel stays up for so much of the swing, upward and downward: ankles bend no farther.
const HOLD: [f64; 2] = [0.25, 0.15];

/// How a foot leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leave {
    /// heel up at toe off, rad
    pub off: f64,
    /// its rate then, in angle / time of rising
    pub rate: f64,
    /// for how long the heel is up before the other foot lands, part of the time in which that one swings
    pub early: f64,
}

/// Rise of a step, in usual stairs.
pub(crate) fn part(step: &Step, scale: f64) -> f64 {
    (step.rise / (USUAL * scale)).clamp(-MOST, MOST)
}

/// How a foot leaves where the other one rose by the first of `parts` and this one will by the second; from how it leaves
/// on level ground.
pub(crate) fn leave(parts: [f64; 2], level: Leave) -> Leave {
    let [other, own] = parts;
    let to = if other > 0.0 { UP } else { DOWN };
    let between = |a: f64, b: f64| a + other.abs().min(1.0) * (b - a);
    // a foot that goes up needs its heel up, wherever it comes from
    let off = between(level.off, to.off).max(own.min(1.0) * UP.off);
    Leave { off, rate: between(level.rate, to.rate), early: between(level.early, to.early) }
}

/// How a foot lands so many usual stairs lower: toe down, rad, and until the sole is flat, part of double support.
pub(crate) fn land(lower: f64) -> [f64; 2] {
    [STRIKE * lower.min(1.0), LOAD]
}

/// Bend of a knee that carries at a part of its stance, where its foot rose by the first of `parts` and the next one will
/// by the second; from the bend on level ground.
pub(crate) fn knee(s: f64, parts: [f64; 2], level: f64) -> f64 {
    let [own, next] = parts;
    let part = own + (next - own) * ease((s - OVER[0]) / (OVER[1] - OVER[0]));
    let keys = if part > 0.0 { &KNEE_UP } else { &KNEE_DOWN };
    level + part.abs() * (along(keys, s) - level)
}

fn along(keys: &[[f64; 2]], s: f64) -> f64 {
    let n = keys.iter().position(|k| s < k[0]).unwrap_or(keys.len() - 1).max(1);
    let ([a, x], [b, y]) = (keys[n - 1], keys[n]);
    x + (y - x) * ((s - a) / (b - a)).clamp(0.0, 1.0)
}

/// How far the trunk leans ahead, rad.
pub(crate) fn lean(part: f64) -> f64 {
    LEAN * part.max(0.0)
}

/// A foot at a part of its swing: parts of its way ahead and up, and how far it is back, m. It is up before it goes
/// ahead, and ahead before it goes down.
pub(crate) fn swing(s: f64, is_up: bool) -> [f64; 3] {
    if is_up {
        // 45.6: one at its highest, a third into the swing
        let back = BACK * 45.6 * s * s * (1.0 - s).powi(4);
        return [ease((s - LATER[0]) / (1.0 - LATER[0])), ease(s / WITHIN[0]), back];
    }
    [ease(s / (1.0 - LATER[1])), ease((s - 1.0 + WITHIN[1]) / WITHIN[1]), 0.0]
}

/// Part of the way from the pitch at toe off to the pitch at landing.
pub(crate) fn levelled(s: f64, is_up: bool) -> f64 {
    let held = HOLD[usize::from(!is_up)];
    ease((s - held) / (1.0 - held))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVEL: Leave = Leave { off: 0.4, rate: 1.25, early: 0.05 };

    #[test]
    fn laws_begin_with_level_ground_and_go_on_without_leaps() {
        assert_eq!(leave([0.0; 2], LEVEL), LEVEL);
        assert_eq!((leave([1.0, 1.0], LEVEL), leave([-1.0, -1.0], LEVEL)), (UP, DOWN));
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
    fn feet_are_up_before_they_go_ahead_and_ahead_before_they_go_down() {
        for k in 1..100 {
            let s = f64::from(k) / 100.0;
            let ([ahead, up, _], [on, down, _]) = (swing(s, true), swing(s, false));
            assert!(up >= ahead && on >= down, "{s}");
        }
        assert_eq!(swing(1.0, true), [1.0, 1.0, 0.0]);
        assert_eq!(swing(1.0, false), [1.0, 1.0, 0.0]);
    }
}
