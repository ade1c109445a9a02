//! `State`: q and v of a figure, for one revision of its structure.

use crate::arrays::{Any, Numbers, Vector, vector};
use crate::error::Answer;
use crate::figure::Figure;
use anthropi_dynamics::model;
use numpy::PyArray1;
use pyo3::prelude::*;

/// Position and velocity of a figure: ``state.q`` and ``state.v`` are arrays that may be written to.
///
/// A state belongs to one revision of the structure; a figure edited since then refuses it.
#[pyclass(module = "anthropi")]
pub struct State {
    /// carries the revision; its numbers are replaced by those of the arrays on use
    carrier: model::State,
    q: Py<PyArray1<f64>>,
    v: Py<PyArray1<f64>>,
}

/// Pickled values: q, v and the revision.
type Pickled = (Py<PyArray1<f64>>, Py<PyArray1<f64>>, u64);

impl State {
    /// The home pose at rest, or q and v.
    pub fn new(py: Python, figure: &model::Figure, q: Option<&Any>, v: Option<&Any>) -> Answer<State> {
        let mut state = State::from_model(py, model::State::home(figure));
        q.map_or(Ok(()), |q| state.set_q(q))?;
        v.map_or(Ok(()), |v| state.set_v(v))?;
        Ok(state)
    }

    /// From a state of the library.
    pub fn from_model(py: Python, carrier: model::State) -> State {
        let (q, v) = (vector(py, &carrier.q).unbind(), vector(py, &carrier.v).unbind());
        State { carrier, q, v }
    }

    /// As a state of the library.
    pub fn to_model(&self, py: Python) -> Answer<model::State> {
        let mut state = self.carrier.clone();
        let [q, v] = self.numbers(py)?;
        state.q.copy_from_slice(q.values());
        state.v.copy_from_slice(v.values());
        Ok(state)
    }

    /// q and v, checked against the figure's revision.
    pub fn values_for<'py>(&self, py: Python<'py>, figure: &model::Figure) -> Answer<[Numbers<'py>; 2]> {
        figure.check(&self.carrier)?;
        self.numbers(py)
    }

    fn numbers<'py>(&self, py: Python<'py>) -> Answer<[Numbers<'py>; 2]> {
        let q = Numbers::row("q", self.q.bind(py), self.carrier.q.len())?;
        Ok([q, Numbers::row("v", self.v.bind(py), self.carrier.v.len())?])
    }
}

#[pymethods]
impl State {
    /// Coordinates.
    #[getter]
    fn q(&self, py: Python) -> Py<PyArray1<f64>> {
        self.q.clone_ref(py)
    }

    #[setter]
    fn set_q(&mut self, q: &Any) -> Answer<()> {
        let numbers = Numbers::row("q", q, self.carrier.q.len())?;
        self.q = vector(q.py(), numbers.values()).unbind();
        Ok(())
    }

    /// Velocities.
    #[getter]
    fn v(&self, py: Python) -> Py<PyArray1<f64>> {
        self.v.clone_ref(py)
    }

    #[setter]
    fn set_v(&mut self, v: &Any) -> Answer<()> {
        let numbers = Numbers::row("v", v, self.carrier.v.len())?;
        self.v = vector(v.py(), numbers.values()).unbind();
        Ok(())
    }

    /// Revision of the structure it belongs to.
    #[getter]
    fn revision(&self) -> u64 {
        self.carrier.revision()
    }

    /// Coordinates of one joint.
    fn q_of<'py>(&self, py: Python<'py>, figure: &Figure, joint: &str) -> Answer<Vector<'py>> {
        let state = self.to_model(py)?;
        Ok(vector(py, state.q_of(&figure.inner, figure.inner.find_joint(joint)?)?))
    }

    /// Sets the coordinates of one joint; quaternions are normalized.
    fn set_q_of(&mut self, py: Python, figure: &Figure, joint: &str, q: &Any) -> Answer<()> {
        let mut state = self.to_model(py)?;
        let numbers = Numbers::new("q", q)?;
        state.set_q(&figure.inner, figure.inner.find_joint(joint)?, numbers.values())?;
        *self = State::from_model(py, state);
        Ok(())
    }

    /// Velocities of one joint.
    fn v_of<'py>(&self, py: Python<'py>, figure: &Figure, joint: &str) -> Answer<Vector<'py>> {
        let state = self.to_model(py)?;
        Ok(vector(py, state.v_of(&figure.inner, figure.inner.find_joint(joint)?)?))
    }

    /// Sets the velocities of one joint.
    fn set_v_of(&mut self, py: Python, figure: &Figure, joint: &str, v: &Any) -> Answer<()> {
        let mut state = self.to_model(py)?;
        let numbers = Numbers::new("v", v)?;
        state.set_v(&figure.inner, figure.inner.find_joint(joint)?, numbers.values())?;
        *self = State::from_model(py, state);
        Ok(())
    }

    /// A deep copy.
    fn copy(&self, py: Python) -> Answer<State> {
        Ok(State::from_model(py, self.to_model(py)?))
    }

    /// Unpickles.
    #[staticmethod]
    fn _restored(py: Python, q: &Any, v: &Any, revision: u64) -> Answer<State> {
        let [q, v] = [("q", q), ("v", v)].map(|(name, numbers)| Numbers::new(name, numbers));
        let (q, v) = (q?.values().to_vec(), v?.values().to_vec());
        Ok(State::from_model(py, model::State::restored(q, v, revision)))
    }

    fn __reduce__(&self, py: Python) -> PyResult<(Py<PyAny>, Pickled)> {
        let read = py.get_type::<State>().getattr("_restored")?;
        Ok((read.unbind(), (self.q(py), self.v(py), self.carrier.revision())))
    }

    fn __repr__(&self) -> String {
        let (nq, nv) = (self.carrier.q.len(), self.carrier.v.len());
        format!("<State of revision {}: {nq} coordinates, {nv} velocities>", self.carrier.revision())
    }
}
