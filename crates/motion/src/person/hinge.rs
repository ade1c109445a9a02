//! Knees and elbows as hinges: the axis about which a joint turns most, and the angle about it.

use super::measure::Measures;
use super::plan::Limb;
use anthropi_dynamics::spatial::{Quat, Sym3, Vec3, vec3};

/// A hinge less decided than this part of all turning is left a ball, where a joint hardly moves too.
const DECIDED: f64 = 0.6;
/// Less turning than this tells no axis, rad (rms).
const HARDLY: f64 = 0.05;

/// A joint that turns about one axis.
#[derive(Clone, Copy, Debug)]
pub struct Hinge {
    /// turn at angle zero, against the parent
    pub reference: Quat,
    /// about which it turns, in the axes of the limb, unit
    pub axis: Vec3,
}

impl Hinge {
    /// Of a limb on its parent, from how it moves; `None` if it does not move about one axis.
    pub fn of(measures: &Measures, parent: &Limb, limb: &Limb) -> Option<Hinge> {
        let turns: Vec<Quat> = measures.turns(parent, limb).collect();
        let reference = mean(&turns)?;
        let ways = turns.iter().map(|t| reference.inverse().then(*t).log());
        let spread = ways.fold(Sym3::diagonal(Vec3::ZERO), |sum, u| sum + outer(u));
        let (values, axes) = spread.eigen();
        let total: f64 = values.iter().sum();
        let most = (0..3).max_by(|a, b| values[*a].total_cmp(&values[*b]))?;
        let is_hinge = values[most] > DECIDED * total && (total / turns.len() as f64).sqrt() > HARDLY;
        is_hinge.then(|| Hinge { reference, axis: [axes.x, axes.y, axes.z][most] })
    }

    /// The angle that comes nearest to a turn against the parent.
    pub fn angle(&self, turn: Quat) -> f64 {
        let [w, x, y, z] = self.reference.inverse().then(turn).0;
        let sine = vec3(x, y, z).dot(self.axis);
        let angle = 2.0 * libm::atan2(sine, w);
        // the short way round
        angle - core::f64::consts::TAU * (angle / core::f64::consts::TAU).round()
    }

    /// The turn of an angle, against the parent.
    pub fn turn(&self, angle: f64) -> Quat {
        self.reference.then(Quat::about(self.axis, angle))
    }
}

/// Mean of turns that are near each other.
fn mean(turns: &[Quat]) -> Option<Quat> {
    let first = turns.first()?;
    let mut sum = [0.0; 4];
    for t in turns {
        let sign = if t.0.iter().zip(first.0).map(|(a, b)| a * b).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        sum.iter_mut().zip(t.0).for_each(|(s, c)| *s += sign * c);
    }
    Some(Quat(sum).normalized())
}

/// u u^T.
fn outer(u: Vec3) -> Sym3 {
    // |u|^2 1 - u u^T is the second moment of a point; the trace gives the rest
    let m = Sym3::of_point(1.0, u);
    let all = u.dot(u);
    Sym3::diagonal(vec3(all, all, all)) + m.scaled(-1.0)
}
