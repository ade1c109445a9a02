//! Knees and elbows as hinges: the axis about which a joint turns most.

use super::freedom::Freedom;
use super::measure::Measures;
use super::plan::Limb;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::spatial::{Quat, Sym3, Vec3, vec3};

/// A hinge less decided than this part of all turning is left a ball, where a joint hardly moves too.
const DECIDED: f64 = 0.6;
/// Less turning than this tells no axis, rad (rms).
const HARDLY: f64 = 0.05;

/// A hinge of a limb on its parent, from how it moves; `None` if it does not move about one axis.
pub fn hinge(measures: &Measures, parent: &Limb, limb: &Limb) -> Option<Freedom> {
    let turns: Vec<Quat> = measures.turns(parent, limb).collect();
    let reference = mean(&turns)?;
    let ways = turns.iter().map(|t| reference.inverse().then(*t).log());
    let spread = ways.fold(Sym3::diagonal(Vec3::ZERO), |sum, u| sum + outer(u));
    let (values, axes) = spread.eigen();
    let total: f64 = values.iter().sum();
    let most = (0..3).max_by(|a, b| values[*a].total_cmp(&values[*b]))?;
    let is_hinge = values[most] > DECIDED * total && (total / turns.len() as f64).sqrt() > HARDLY;
    let axis = [axes.x, axes.y, axes.z][most];
    is_hinge.then_some(Freedom { reference, kind: JointKind::Revolute { axis } })
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
