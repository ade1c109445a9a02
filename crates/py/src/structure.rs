//! The verbs of change: connect, cut, lock, unlock, reroot.

use crate::arrays::{Numbers, placement};
use crate::error::{Answer, Problem};
use crate::figure::Figure;
use crate::state::State;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{self, JointSpec};
use anthropi_dynamics::spatial::{Vec3, vec3};
use pyo3::prelude::*;
use std::sync::Arc;

#[pymethods]
impl Figure {
    /// Connects link ``a`` to link ``b`` (``None``: the world) by a joint. ``at`` is its place on a and ``to`` that on b,
    /// points or matrices (4, 4) in axes of the link; without ``to`` it is made where it is now, so that nothing jumps.
    /// ``kind`` is fixed, revolute, prismatic, universal or spherical, with one ``axis`` (3,) or two (2, 3).
    ///
    /// The connection closes a loop: it takes away degrees of freedom without changing q and v. ``state`` is brought to
    /// the new revision. Velocities stay; ``Simulation.connect`` also makes the impact.
    #[pyo3(signature = (state, a, b=None, *, name, kind="spherical", axis=None, at=None, to=None))]
    #[allow(clippy::too_many_arguments)] // as many as a joint has
    fn connect(
        &mut self,
        py: Python,
        state: &mut State,
        a: &str,
        b: Option<&str>,
        name: &str,
        kind: &str,
        axis: Option<&Bound<PyAny>>,
        at: Option<&Bound<PyAny>>,
        to: Option<&Bound<PyAny>>,
    ) -> Answer<()> {
        let (link, mut joint) = connection(&self.inner, a, b, name, kind, axis, at)?;
        let to = to.map(|to| placement("to", to)).transpose()?;
        self.edit(py, state, |figure, state| {
            match to {
                Some(to) => joint.parent_from_joint = to,
                None => joint = figure.closed_here(link, joint, state)?,
            }
            figure.connect(link, joint, state).map(|_| ())
        })
    }

    /// Cuts a connection, or a joint of the tree: its subtree is then free by itself, with its pose and velocity.
    fn cut(&mut self, py: Python, state: &mut State, joint: &str) -> Answer<()> {
        let handle = self.inner.find_joint(joint)?;
        self.edit(py, state, |figure, state| figure.cut(handle, state).map(|_| ()))
    }

    /// Holds degree of freedom ``k`` of a joint where it is.
    #[pyo3(signature = (state, joint, k=0))]
    fn lock(&mut self, py: Python, state: &mut State, joint: &str, k: usize) -> Answer<()> {
        let handle = self.inner.find_joint(joint)?;
        self.edit(py, state, |figure, state| figure.lock(handle, k, state).map(|_| ()))
    }

    /// Lets degree of freedom ``k`` of a joint move again.
    #[pyo3(signature = (state, joint, k=0))]
    fn unlock(&mut self, py: Python, state: &mut State, joint: &str, k: usize) -> Answer<()> {
        let handle = self.inner.find_joint(joint)?;
        self.edit(py, state, |figure, state| figure.unlock(handle, k, state).map(|_| ()))
    }

    /// Makes a link the root of its figure: the free joint goes there.
    fn reroot(&mut self, py: Python, state: &mut State, link: &str) -> Answer<()> {
        let handle = self.link_called(link)?;
        self.edit(py, state, |figure, state| figure.reroot(handle, state).map(|_| ()))
    }
}

impl Figure {
    /// Changes the structure and the state with it; neither where that fails.
    fn edit(
        &mut self,
        py: Python,
        state: &mut State,
        change: impl FnOnce(&mut model::Figure, &mut model::State) -> Result<(), anthropi_dynamics::Error>,
    ) -> Answer<()> {
        let mut edited = state.to_model(py)?;
        change(Arc::make_mut(&mut self.inner), &mut edited)?;
        *state = State::from_model(py, edited);
        Ok(())
    }
}

/// A connection as it is asked for.
pub fn connection(
    figure: &model::Figure,
    a: &str,
    b: Option<&str>,
    name: &str,
    kind: &str,
    axis: Option<&Bound<PyAny>>,
    at: Option<&Bound<PyAny>>,
) -> Answer<(model::LinkHandle, JointSpec)> {
    let link = figure.find_link(a)?;
    let mut joint = JointSpec::new(name, joint_kind(kind, &axes(axis)?)?);
    joint.parent = b.map(|b| figure.find_link(b)).transpose()?;
    if let Some(at) = at {
        joint.child_from_joint = placement("at", at)?;
    }
    Ok((link, joint))
}

/// Directions of a joint: one (3,) or two (2, 3).
fn axes(given: Option<&Bound<PyAny>>) -> Answer<Vec<Vec3>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let numbers = Numbers::of("axis", given)?;
    numbers.check_shape("axis", if numbers.shape().len() == 2 { &[2, 3] } else { &[3] })?;
    Ok(numbers.values().chunks(3).map(|v| vec3(v[0], v[1], v[2])).collect())
}

/// A kind of joint by its word; axes that are not given are z, or x and y for a universal joint.
pub fn joint_kind(word: &str, axes: &[Vec3]) -> Answer<JointKind> {
    let axis = axes.first().copied().unwrap_or(vec3(0.0, 0.0, 1.0));
    Ok(match word {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute { axis },
        "prismatic" => JointKind::Prismatic { axis },
        "universal" => match *axes {
            [first, second] => JointKind::Universal { first, second },
            _ => JointKind::Universal { first: vec3(1.0, 0.0, 0.0), second: vec3(0.0, 1.0, 0.0) },
        },
        "spherical" => JointKind::Spherical,
        "free" => JointKind::Free,
        _ => {
            let told = format!(
                "there is no kind of joint `{word}`. There is: fixed, revolute, prismatic, universal, spherical, free"
            );
            return Err(Problem::Unknown { what: "kind of joint", name: word.into(), told });
        }
    })
}
