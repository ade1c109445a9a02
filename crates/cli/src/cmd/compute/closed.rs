//! Closed chains: rank and choice of coordinates, forces of connections, torques of the actuators.

use super::Evaluator;
use anthropi_dynamics::constraint::{self, Closure, generalized};
use anthropi_formats::names;
use anyhow::{anyhow, bail};
use serde_json::{Map, Value, json};

impl Evaluator<'_> {
    /// Rank, free and dependent coordinates, H, W, S. [NY2000 §II]
    pub(super) fn closure(&self) -> anyhow::Result<Value> {
        let (closure, names) = (self.solved_closure()?, self.figure.coordinate_names());
        let named = |list: &[usize]| list.iter().map(|c| names[*c].clone()).collect::<Vec<_>>();
        let h: Vec<&[f64]> = (0..closure.rank()).map(|i| closure.h(i)).collect();
        let s = closure.rows_of(generalized::actuated(self.figure).into_iter());
        Ok(json!({
            "rank": closure.rank(),
            "free": closure.free(),
            "generalized": named(closure.generalized()),
            "dependent": named(closure.dependent()),
            "actuated": named(&generalized::actuated(self.figure)),
            "H": h,
            "W": closure.w(),
            "S": s,
        }))
    }

    /// Moment and force of each connection on its link a, world axes, about its point, in forward dynamics.
    pub(super) fn constraint_forces(&self) -> Value {
        self.wrenches(&self.closed_forward_dynamics().1)
    }

    fn wrenches(&self, work: &constraint::Work) -> Value {
        let each = self.forest.loops().iter().enumerate().map(|(i, l)| {
            let name = self.figure.joint(l.joint).map(|j| j.name.clone()).unwrap_or_default();
            (name, json!(work.constraints.wrench(i).0.to_array()))
        });
        each.collect::<Map<_, _>>().into()
    }

    /// Torques of the actuated coordinates that give the generalized ones the accelerations of the state.
    pub(super) fn closed_inverse_dynamics(&self) -> anyhow::Result<Value> {
        let (closure, names) = (self.solved_closure()?, self.figure.coordinate_names());
        let (q, v, actuated) =
            (&self.loaded.state.q, &self.loaded.state.v, generalized::actuated(self.figure));
        if actuated.is_empty() {
            bail!("figure `{}` has no actuated coordinate", self.figure.name);
        }
        let how = generalized::Resolution::default();
        let (figure, given) = (self.figure, &self.loaded.a);
        let (found, work) = generalized::actuation(figure, &closure, q, v, given, &self.external, &how);
        let named: Vec<&String> = actuated.iter().map(|c| &names[*c]).collect();
        let forces = self.wrenches(&work);
        Ok(
            json!({ "actuated": named, "tau": found.tau, "missing": found.missing, "constraint_forces": forces }),
        )
    }

    /// Accelerations with the connections held, and the work that holds their forces.
    pub(super) fn closed_forward_dynamics(&self) -> (Vec<f64>, constraint::Work) {
        let (q, v) = (&self.loaded.state.q, &self.loaded.state.v);
        let tau: Vec<f64> = self.loaded.tau.iter().zip(&self.passive).map(|(t, p)| t + p).collect();
        let (mut a, mut work) = (vec![0.0; self.forest.nv()], constraint::Work::default());
        let mut external = self.external.clone();
        work.constraints.place(self.forest, q, v);
        work.constraints.add_passive_forces(self.forest, &mut external);
        constraint::forward_dynamics(self.forest, q, v, &tau, Some(&external), None, &mut work, &mut a);
        (a, work)
    }

    fn solved_closure(&self) -> anyhow::Result<Closure> {
        if self.forest.loops().is_empty() {
            bail!("figure `{}` has no connections: there are no loops to close", self.figure.name);
        }
        let names = self.figure.coordinate_names();
        let find = |name: &String| {
            let at = names.iter().position(|n| n == name);
            at.ok_or_else(|| {
                anyhow!(
                    "--generalized: {}",
                    names::unknown("coordinate", name, names.iter().map(String::as_str))
                )
            })
        };
        let forced: Vec<usize> = self.forced.iter().map(find).collect::<anyhow::Result<_>>()?;
        let mut closure = Closure::default();
        let (q, v) = (&self.loaded.state.q, &self.loaded.state.v);
        closure.compute(self.figure, q, v, &self.figure.is_driven(), &forced)?;
        Ok(closure)
    }
}
