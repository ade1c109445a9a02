//! Closed chains: rank and choice of coordinates, torques of the actuators, forces of connections.

use crate::arrays::{Any, Numbers, shaped, vector};
use crate::dynamics::{Inputs, at};
use crate::error::{Answer, Problem};
use crate::figure::Figure;
use crate::state::State;
use anthropi_dynamics::constraint::{self, Closure, generalized};
use anthropi_dynamics::sim::Simulation;
use anthropi_dynamics::spatial::Force;
use pyo3::prelude::*;
use pyo3::types::PyDict;

#[pymethods]
impl Figure {
    /// The loops of the figure at a state: ``rank`` of the loop equations, names of the ``generalized`` coordinates
    /// theta_G and of the ``dependent`` ones theta_S, and
    ///
    /// H = d theta_S / d theta_G,   W = d theta_O / d theta_G,   S = d theta_A / d theta_G
    ///
    /// where theta_O are the coordinates of the tree and theta_A the ``actuated`` ones. ``generalized`` requests some by
    /// name.
    #[pyo3(signature = (q, v=None, *, generalized=Vec::new()))]
    fn closure<'py>(
        &self,
        py: Python<'py>,
        q: &Any<'py>,
        v: Option<&Any<'py>>,
        generalized: Vec<String>,
    ) -> Answer<Bound<'py, PyDict>> {
        let (q, v) = at(&self.inner, q, v)?;
        let zero = vec![0.0; self.inner.forest().nv()];
        let closure = self.closed(q.values(), v.as_ref().map_or(&zero, Numbers::values), &generalized)?;
        let names = self.inner.coordinate_names();
        let named = |list: &[usize]| list.iter().map(|c| names[*c].clone()).collect::<Vec<_>>();
        let (actuated, free) = (generalized::actuated(&self.inner), closure.free());
        let h: Vec<f64> = (0..closure.rank()).flat_map(|i| closure.h(i).to_vec()).collect();
        let (w, s) = (closure.w(), closure.rows_of(actuated.iter().copied()));
        let (rows_w, rows_s) = (w.len(), s.len());
        let result = PyDict::new(py);
        result.set_item("rank", closure.rank())?;
        result.set_item("free", free)?;
        result.set_item("generalized", named(closure.generalized()))?;
        result.set_item("dependent", named(closure.dependent()))?;
        result.set_item("actuated", named(&actuated))?;
        result.set_item("H", shaped(py, h, &[closure.rank(), free])?)?;
        result.set_item("W", shaped(py, w.concat(), &[rows_w, free])?)?;
        result.set_item("S", shaped(py, s.concat(), &[rows_s, free])?)?;
        Ok(result)
    }

    /// Torques of the actuated coordinates that give the generalized ones the accelerations they have in ``a``:
    ///
    /// tau_G = W^T tau_O,   S^T tau_A = tau_G
    ///
    /// with minimum torques for redundant actuation. The result has the ``actuated`` names, their ``tau``, the
    /// ``missing`` part of tau_G, and ``connection_forces`` as the method of that name. Springs and damping act.
    #[pyo3(signature = (q, v=None, a=None, *, generalized=Vec::new()))]
    fn closed_inverse_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: &Any<'py>,
        v: Option<&Any<'py>>,
        a: Option<&Any<'py>>,
        generalized: Vec<String>,
    ) -> Answer<Bound<'py, PyDict>> {
        let (figure, forest) = (&*self.inner, self.inner.forest());
        let given = Inputs::new(figure, q, v, a, "a")?;
        let [q, v, a] = given.single(forest)?;
        let closure = self.closed(q, v, &generalized)?;
        let actuated = generalized::actuated(&self.inner);
        if actuated.is_empty() {
            return Err(Problem::Argument(format!("figure `{}` has no actuated coordinate", figure.name)));
        }
        let external = vec![Force::default(); forest.bodies().len()];
        let how = generalized::Resolution::default();
        let (found, work) = generalized::actuation(figure, &closure, q, v, a, &external, &how);
        let names = figure.coordinate_names();
        let result = PyDict::new(py);
        result.set_item("actuated", actuated.iter().map(|c| names[*c].clone()).collect::<Vec<_>>())?;
        result.set_item("tau", vector(py, &found.tau))?;
        result.set_item("missing", found.missing)?;
        result.set_item("connection_forces", self.wrenches(py, &work)?)?;
        Ok(result)
    }

    /// Force [moment, force] of each connection on its link a, world axes, about its point, while ``forward_dynamics``
    /// holds it: lambda of M a + h = tau + K^T lambda.
    #[pyo3(signature = (q, v=None, tau=None))]
    fn connection_forces<'py>(
        &self,
        py: Python<'py>,
        q: &Any<'py>,
        v: Option<&Any<'py>>,
        tau: Option<&Any<'py>>,
    ) -> Answer<Bound<'py, PyDict>> {
        let forest = self.inner.forest();
        let given = Inputs::new(&self.inner, q, v, tau, "tau")?;
        let [q, v, tau] = given.single(forest)?;
        let (mut work, mut a) = (constraint::Work::default(), vec![0.0; forest.nv()]);
        constraint::forward_dynamics(forest, q, v, tau, None, None, &mut work, &mut a);
        self.wrenches(py, &work)
    }

    /// The state with all connections closed, and velocities projected to them.
    fn assemble(&self, py: Python, state: &State) -> Answer<State> {
        let mut simulation = Simulation::new((*self.inner).clone(), state.to_model(py)?)?;
        simulation.assemble()?;
        Ok(State::from_model(py, simulation.state().clone()))
    }
}

impl Figure {
    fn closed(&self, q: &[f64], v: &[f64], wanted: &[String]) -> Answer<Closure> {
        let figure = &self.inner;
        if figure.forest().loops().is_empty() {
            let message = format!("figure `{}` has no connections: there are no loops to close", figure.name);
            return Err(Problem::Unknown { what: "connection", name: String::new(), message });
        }
        let names = figure.coordinate_names();
        let find = |name: &String| {
            let unknown = || anthropi_dynamics::Error::UnknownName { what: "coordinate", name: name.clone() };
            names.iter().position(|n| n == name).ok_or_else(unknown)
        };
        let forced = wanted.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let mut closure = Closure::default();
        closure.compute(figure, q, v, &figure.is_driven(), &forced)?;
        Ok(closure)
    }

    fn wrenches<'py>(&self, py: Python<'py>, work: &constraint::Work) -> Answer<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (i, l) in self.inner.forest().loops().iter().enumerate() {
            let wrench = work.constraints.wrench(i).0.to_array();
            all.set_item(&self.inner.joint(l.joint)?.name, vector(py, &wrench))?;
        }
        Ok(all)
    }
}
