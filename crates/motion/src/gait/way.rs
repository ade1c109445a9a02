//! A way with jumps: pieces from standing to standing, each with a plan of its own, put one behind the other.

use super::jump;
use super::parameter::Kind;
use super::plan::{DT, Plan};
use super::puppet::Puppet;
use super::steps::{PuppetSize, Start, Steps, Stretch};
use crate::error::Error;

impl Plan {
    /// Plans a way.
    ///
    /// # Errors
    /// A way that cannot be walked.
    pub fn along(puppet: &mut Puppet, stretches: &[Stretch]) -> Result<Plan, Error> {
        let size = PuppetSize::of(puppet);
        let mut whole: Option<Plan> = None;
        for (first, piece) in pieces(stretches) {
            let start = whole.as_ref().map(|plan| plan.steps.after());
            let mut steps = match piece.first().filter(|s| s.parameters.kind == Kind::Jump) {
                Some(one) => {
                    jump::steps(one, &size, &start.unwrap_or_else(|| Start::standing(&one.style, &size)))?
                }
                None => Steps::from(&piece, &size, start)?,
            };
            steps.steps.iter_mut().for_each(|s| s.stretch += first);
            let plan = Plan::of(puppet, steps);
            whole = Some(match whole {
                None => plan,
                Some(before) => before.then(plan),
            });
        }
        let nothing = || Error::Gait { what: "the way has no steps".into() };
        whole.ok_or_else(nothing)
    }

    /// Another plan, which begins where this one ends, put behind it.
    fn then(mut self, next: Plan) -> Plan {
        // the first sample of the next is the last of this one
        let n = self.samples() - 1;
        let after = n as f64 * DT;
        let [nq, nv] = [&self.q, &self.v].map(|list| list.len() / self.center.len());
        for (list, more, size) in
            [(&mut self.q, next.q, nq), (&mut self.v, next.v, nv), (&mut self.a, next.a, nv)]
        {
            list.truncate(n * size);
            list.extend(more);
        }
        for (list, more) in [(&mut self.center, next.center), (&mut self.spin, next.spin)] {
            list.truncate(n);
            list.extend(more);
        }
        self.pressure.truncate(n);
        self.pressure.extend(next.pressure);
        for (path, more) in self.feet.iter_mut().zip(next.feet) {
            path.ankle.truncate(n);
            path.ankle.extend(more.ankle);
            path.turn.truncate(n);
            path.turn.extend(more.turn);
            path.pitch.truncate(n);
            path.pitch.extend(more.pitch);
            for (list, more) in [(&mut path.heel_on, more.heel_on), (&mut path.toe_on, more.toe_on)] {
                list.truncate(n);
                list.extend(more);
            }
            // who stands at the end stands at the beginning
            let stands = path.stances.pop();
            path.stances.extend(more.stances.into_iter().enumerate().map(|(k, mut s)| {
                (s.rise, s.lift) = (s.rise + after, s.lift + after);
                match stands.filter(|_| k == 0) {
                    Some(here) => (s.print, s.land, s.flat) = (here.print, here.land, here.flat),
                    None => (s.land, s.flat) = (s.land + after, s.flat + after),
                }
                s
            }));
        }
        self.steps.steps.extend(next.steps.steps.into_iter().map(|mut s| {
            (s.lift, s.land) = (s.lift + after, s.land + after);
            s
        }));
        self.steps.end = next.steps.end + after;
        self.steps.profile = next.steps.profile;
        let worst = |plan: &[f64]| plan.last().copied().unwrap_or(0.0);
        if worst(&next.settling) > worst(&self.settling) {
            self.settling = next.settling;
        }
        self.out_of_reach = self.out_of_reach.max(next.out_of_reach);
        self
    }
}

/// Stretches that are walked from standing to standing, with the number of the first; each jump is one of its own.
fn pieces(stretches: &[Stretch]) -> Vec<(usize, Vec<Stretch>)> {
    let mut all: Vec<(usize, Vec<Stretch>)> = Vec::new();
    let jumps = |s: &Stretch| s.parameters.kind == Kind::Jump;
    for (n, s) in stretches.iter().enumerate() {
        match all.last_mut() {
            _ if jumps(s) => all.extend((0..s.steps).map(|_| (n, vec![Stretch { steps: 1, ..*s }]))),
            Some((_, piece)) if !piece.iter().any(jumps) => piece.push(*s),
            _ => all.push((n, vec![*s])),
        }
    }
    all
}
