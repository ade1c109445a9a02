//! Structure edits: connect, cut, lock, unlock, reroot.

use crate::arrays::{Any, Numbers, placement};
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
    /// points or matrices (4, 4) in axes of the link; without ``to`` it is made at the present pose.
    /// ``kind`` is fixed, revolute, prismatic, universal or spherical, with one ``axis`` (3,) or two (2, 3).
    ///
    /// The connection closes a loop: it removes degrees of freedom without changing q and v. ``state`` is updated to the
    /// new revision. Velocities stay; ``Simulation.connect`` also applies the impact.
    #[pyo3(signature = (state, a, b=None, *, name, kind="spherical", axis=None, at=None, to=None))]
    #[allow(clippy::too_many_arguments)] // the properties of a joint
    fn connect(
        &mut self,
        py: Python,
        state: &mut State,
        a: &str,
        b: Option<&str>,
        name: &str,
        kind: &str,
        axis: Option<&Any>,
        at: Option<&Any>,
        to: Option<&Any>,
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

    /// Cuts a connection, or a joint of the tree: its subtree becomes a free figure with its pose and velocity.
    fn cut(&mut self, py: Python, state: &mut State, joint: &str) -> Answer<()> {
        let handle = self.inner.find_joint(joint)?;
        self.edit(py, state, |figure, state| figure.cut(handle, state).map(|_| ()))
    }

    /// Locks degree of freedom ``k`` of a joint at its present value.
    #[pyo3(signature = (state, joint, k=0))]
    fn lock(&mut self, py: Python, state: &mut State, joint: &str, k: usize) -> Answer<()> {
        let handle = self.inner.find_joint(joint)?;
        self.edit(py, state, |figure, state| figure.lock(handle, k, state).map(|_| ()))
    }

    /// Unlocks degree of freedom ``k`` of a joint.
    #[pyo3(signature = (state, joint, k=0))]
    fn unlock(&mut self, py: Python, state: &mut State, joint: &str, k: usize) -> Answer<()> {
        let handle = self.inner.find_joint(joint)?;
        self.edit(py, state, |figure, state| figure.unlock(handle, k, state).map(|_| ()))
    }

    /// Moves the free joint of a figure to a link.
    fn reroot(&mut self, py: Python, state: &mut State, link: &str) -> Answer<()> {
        let handle = self.find_link(link)?;
        self.edit(py, state, |figure, state| figure.reroot(handle, state).map(|_| ()))
    }
}

impl Figure {
    /// Edits structure and state; on an error both stay.
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

/// The link and joint of a requested connection.
pub fn connection(
    figure: &model::Figure,
    a: &str,
    b: Option<&str>,
    name: &str,
    kind: &str,
    axis: Option<&Any>,
    at: Option<&Any>,
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
fn axes(given: Option<&Any>) -> Answer<Vec<Vec3>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let numbers = Numbers::new("axis", given)?;
    numbers.check_shape("axis", if numbers.shape().len() == 2 { &[2, 3] } else { &[3] })?;
    Ok(numbers.values().chunks(3).map(|v| vec3(v[0], v[1], v[2])).collect())
}

/// A kind of joint by name; default axes are z, or x and y for a universal joint.
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
            let available = "fixed, revolute, prismatic, universal, spherical, free";
            return Err(Problem::unknown("kind of joint", word, available));
        }
    })
}
