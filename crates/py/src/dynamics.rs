//! Dynamics of one state; arrays of states go on to `batch.rs`.

use crate::arrays::{Array, Numbers, point as place, shaped, vector};
use crate::batch;
use crate::error::{Answer, Problem};
use crate::figure::{Figure, homogeneous};
use crate::state::State;
use anthropi_dynamics::algo::{centroidal, crba, energy, fk::Kinematics, jacobian, rnea};
use anthropi_dynamics::constraint;
use anthropi_dynamics::model::{Figure as Model, Forest};
use anthropi_dynamics::spatial::{Force, Motion, vec3};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::RefCell;
use std::hint::black_box;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
}

/// What single calls write into: once it has seen a figure, a call uses no heap but for its answer.
#[derive(Default)]
struct Scratch {
    rnea: rnea::Work,
    crba: crba::Work,
    closed: constraint::Work,
    kinematics: Kinematics,
    external: Vec<Force>,
    out: Vec<f64>,
}

/// Three arrays, or a state and the third.
pub struct Given<'py> {
    pub q: Numbers<'py>,
    pub v: Numbers<'py>,
    pub x: Numbers<'py>,
}

impl<'py> Given<'py> {
    /// `(q, v, x)` or `(state, x)`, where x is called `name`.
    pub fn of(
        figure: &Model,
        first: &Bound<'py, PyAny>,
        second: Option<&Bound<'py, PyAny>>,
        third: Option<&Bound<'py, PyAny>>,
        name: &str,
    ) -> Answer<Given<'py>> {
        let missing = || Problem::Argument(format!("expected (q, v, {name}) or (state, {name})"));
        if let Ok(state) = first.cast::<State>() {
            let x = match (second, third) {
                (Some(x), None) | (None, Some(x)) => x,
                _ => return Err(missing()),
            };
            let [q, v] = state.try_borrow().map_err(PyErr::from)?.on(first.py(), figure)?;
            return Ok(Given { q, v, x: Numbers::of(name, x)? });
        }
        let (v, x) = second.zip(third).ok_or_else(missing)?;
        Ok(Given { q: Numbers::of("q", first)?, v: Numbers::of("v", v)?, x: Numbers::of(name, x)? })
    }

    /// Refuses many states.
    pub fn expect_one(&self, forest: &Forest, name: &str) -> Answer<()> {
        self.q.check_shape("q", &[forest.nq()])?;
        self.v.check_shape("v", &[forest.nv()])?;
        self.x.check_shape(name, &[forest.nv()])
    }

    /// Whether it is many states; a shape that fits neither is refused.
    fn is_many(&self, forest: &Forest, name: &str) -> Answer<bool> {
        let rows = match self.q.shape() {
            [rows, _] => &[*rows][..],
            _ => &[],
        };
        for (what, numbers, width) in
            [("q", &self.q, forest.nq()), ("v", &self.v, forest.nv()), (name, &self.x, forest.nv())]
        {
            numbers.check_shape(what, &[rows, &[width]].concat())?;
        }
        Ok(!rows.is_empty())
    }
}

/// q and v, or those of a state; without v where nothing asks for it.
pub fn at<'py>(
    figure: &Model,
    first: &Bound<'py, PyAny>,
    v: Option<&Bound<'py, PyAny>>,
) -> Answer<(Numbers<'py>, Option<Numbers<'py>>)> {
    let forest = figure.forest();
    if let Ok(state) = first.cast::<State>() {
        let [q, own] = state.try_borrow().map_err(PyErr::from)?.on(first.py(), figure)?;
        return Ok((q, Some(own)));
    }
    let v = v.map(|v| Numbers::row("v", v, forest.nv())).transpose()?;
    Ok((Numbers::row("q", first, forest.nq())?, v))
}

impl Scratch {
    /// Forces of a table of links, each [moment, force] about the link's origin in world axes, as the kernels want them.
    fn push(&mut self, figure: &Model, q: &[f64], forces: &Bound<PyDict>) -> Answer<()> {
        let forest = figure.forest();
        self.kinematics.update(forest, q, None, None);
        self.external.clear();
        self.external.resize(forest.bodies().len(), Force::default());
        for (link, wrench) in forces {
            let name: String = link.extract()?;
            let link = figure.find_link(&name)?;
            let [a, b, c, x, y, z] = Numbers::array::<6>(&format!("external force on `{name}`"), &wrench)?;
            let (body, force) =
                self.kinematics.force_on_link(forest, link, None, vec3(x, y, z), vec3(a, b, c));
            self.external[body.index()] += force;
        }
        Ok(())
    }
}

#[pymethods]
impl Figure {
    /// Joint forces that give the joints the accelerations a:
    ///
    /// tau = M(q) a + h(q, v) - J^T f
    ///
    /// by the recursive Newton-Euler algorithm. Call it with ``(q, v, a)`` or ``(state, a)``. Arrays of n states, shapes
    /// (n, nq), (n, nv), (n, nv), give an array (n, nv), computed four at a time on all processors (``threads``).
    /// ``external`` has for links a force [moment, force] about the link's origin, world axes. Springs and damping of
    /// joints are not in tau: ``passive_forces`` has them. Connections are not felt: see ``closed_inverse_dynamics``.
    #[pyo3(signature = (q, v=None, a=None, *, external=None, threads=None))]
    fn inverse_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: Option<&Bound<'py, PyAny>>,
        a: Option<&Bound<'py, PyAny>>,
        external: Option<&Bound<'py, PyDict>>,
        threads: Option<usize>,
    ) -> Answer<Bound<'py, PyAny>> {
        let (figure, forest) = (&*self.inner, self.inner.forest());
        let given = Given::of(figure, q, v, a, "a")?;
        if given.is_many(forest, "a")? {
            batch::refuse_external(external)?;
            let (q, v, a) = (given.q.values(), given.v.values(), given.x.values());
            let tau = py.detach(|| batch::inverse_dynamics(forest, q, v, a, threads));
            return Ok(shaped(py, tau, given.v.shape())?.into_any());
        }
        SCRATCH.with_borrow_mut(|s| {
            external.map_or(Ok(()), |forces| s.push(figure, given.q.values(), forces))?;
            let pushed = external.map(|_| &s.external[..]);
            s.out.resize(forest.nv(), 0.0);
            let (q, v, a) = (given.q.values(), given.v.values(), given.x.values());
            rnea::inverse_dynamics(forest, q, v, a, pushed, &mut s.rnea, &mut s.out);
            Ok(vector(py, &s.out).into_any())
        })
    }

    /// Accelerations under joint forces tau, connections held:
    ///
    /// a = M(q)^-1 (tau - h(q, v) + J^T f + K^T lambda),  K a + K' v = 0
    ///
    /// by the articulated-body algorithm, and its factor for connections. Call it with ``(q, v, tau)`` or
    /// ``(state, tau)``; arrays of states and ``external`` are as for ``inverse_dynamics``.
    #[pyo3(signature = (q, v=None, tau=None, *, external=None, threads=None))]
    fn forward_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: Option<&Bound<'py, PyAny>>,
        tau: Option<&Bound<'py, PyAny>>,
        external: Option<&Bound<'py, PyDict>>,
        threads: Option<usize>,
    ) -> Answer<Bound<'py, PyAny>> {
        let (figure, forest) = (&*self.inner, self.inner.forest());
        let given = Given::of(figure, q, v, tau, "tau")?;
        let is_many = given.is_many(forest, "tau")?;
        let (q, v, tau) = (given.q.values(), given.v.values(), given.x.values());
        if is_many {
            batch::refuse_external(external)?;
            let a = py.detach(|| batch::forward_dynamics(forest, q, v, tau, threads));
            finite(&a)?;
            return Ok(shaped(py, a, given.v.shape())?.into_any());
        }
        SCRATCH.with_borrow_mut(|s| {
            external.map_or(Ok(()), |forces| s.push(figure, q, forces))?;
            let pushed = external.map(|_| &s.external[..]);
            s.out.resize(forest.nv(), 0.0);
            constraint::forward_dynamics(forest, q, v, tau, pushed, None, &mut s.closed, &mut s.out);
            finite(&s.out)?;
            Ok(vector(py, &s.out).into_any())
        })
    }

    /// The mass matrix M(q), armature included: kinetic energy is v^T M v / 2. Shape (nv, nv), or (n, nv, nv) for an
    /// array of n poses.
    #[pyo3(signature = (q, *, threads=None))]
    fn mass_matrix<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        threads: Option<usize>,
    ) -> Answer<Array<'py>> {
        let (forest, n) = (self.inner.forest(), self.inner.forest().nv());
        let q = match q.cast::<State>() {
            Ok(state) => {
                let [q, _] = state.try_borrow().map_err(PyErr::from)?.on(py, &self.inner)?;
                q
            }
            Err(_) => Numbers::of("q", q)?,
        };
        if let [rows, _] = *q.shape() {
            q.check_shape("q", &[rows, forest.nq()])?;
            let values = q.values();
            let m = py.detach(|| batch::mass_matrix(forest, values, threads));
            return shaped(py, m, &[rows, n, n]);
        }
        q.check_shape("q", &[forest.nq()])?;
        SCRATCH.with_borrow_mut(|s| {
            let mut m = crba::PathMatrix::default();
            crba::mass_matrix(forest, q.values(), &mut s.crba, &mut m);
            shaped(py, m.to_dense(forest).concat(), &[n, n])
        })
    }

    /// h(q, v): joint forces that give no acceleration; centrifugal, Coriolis and gravity forces.
    #[pyo3(signature = (q, v=None))]
    fn bias_forces<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Bound<'py, PyArray1<f64>>> {
        let forest = self.inner.forest();
        let zero = vec![0.0; forest.nv()];
        let (q, v) = at(&self.inner, q, v)?;
        let v = v.as_ref().map_or(&zero[..], Numbers::values);
        SCRATCH.with_borrow_mut(|s| {
            s.out.resize(forest.nv(), 0.0);
            rnea::inverse_dynamics(forest, q.values(), v, &zero, None, &mut s.rnea, &mut s.out);
            Ok(vector(py, &s.out))
        })
    }

    /// Forces the joints make by themselves: springs, damping, limits, friction.
    #[pyo3(signature = (q, v=None))]
    fn passive_forces<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Bound<'py, PyArray1<f64>>> {
        let forest = self.inner.forest();
        let zero = vec![0.0; forest.nv()];
        let (q, v) = at(&self.inner, q, v)?;
        let mut tau = zero.clone();
        forest.add_passive_forces(q.values(), v.as_ref().map_or(&zero[..], Numbers::values), &mut tau);
        Ok(vector(py, &tau))
    }

    /// Jacobian of a point of a link (link axes), shape (6, nv): [angular; linear] velocity = J v, world axes.
    #[pyo3(signature = (q, link, point=None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        link: &str,
        point: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Array<'py>> {
        let (forest, link) = (self.inner.forest(), self.link_called(link)?);
        let point = place("point", point)?;
        let mut columns = vec![Motion::default(); forest.nv()];
        self.kinematics(q, None, |k| jacobian::of_link_point(forest, k, link, point, &mut columns))?;
        shaped(py, across(&columns.into_iter().map(Motion::to_array).collect::<Vec<_>>()), &[6, forest.nv()])
    }

    /// J'(q, v) v of a point of a link: its acceleration [angular, linear] when no coordinate accelerates.
    #[pyo3(signature = (q, v=None, *, link, point=None))]
    fn jacobian_bias<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: Option<&Bound<'py, PyAny>>,
        link: &str,
        point: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Bound<'py, PyArray1<f64>>> {
        let (forest, link) = (self.inner.forest(), self.link_called(link)?);
        let point = place("point", point)?;
        let bias = self.kinematics(q, v, |k| jacobian::bias_of_link_point(forest, k, link, point))?;
        Ok(vector(py, &bias.to_array()))
    }

    /// World placement of a link, a matrix (4, 4).
    fn link_pose<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>, link: &str) -> Answer<Array<'py>> {
        let (forest, link) = (self.inner.forest(), self.link_called(link)?);
        homogeneous(py, &self.kinematics(q, None, |k| k.link_pose(forest, link))?)
    }

    /// World placements of all links, shape (links, 4, 4), in the order of ``links``.
    fn link_poses<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> Answer<Array<'py>> {
        let forest = self.inner.forest();
        let poses = self.kinematics(q, None, |k| {
            let each = self.inner.links().map(|(link, _)| crate::figure::rows_of(&k.link_pose(forest, link)));
            each.collect::<Vec<_>>()
        })?;
        let shape = [poses.len(), 4, 4];
        shaped(py, poses.concat(), &shape)
    }

    /// Velocity [angular, linear] of a link about its origin, world axes.
    #[pyo3(signature = (q, v=None, *, link))]
    fn link_velocity<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: Option<&Bound<'py, PyAny>>,
        link: &str,
    ) -> Answer<Bound<'py, PyArray1<f64>>> {
        let (forest, link) = (self.inner.forest(), self.link_called(link)?);
        Ok(vector(py, &self.kinematics(q, v, |k| k.link_velocity(forest, link))?.to_array()))
    }

    /// Centre of mass, world axes.
    fn center_of_mass<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
    ) -> Answer<Bound<'py, PyArray1<f64>>> {
        let forest = self.inner.forest();
        Ok(vector(py, &self.kinematics(q, None, |k| centroidal::center_of_mass(forest, k))?.to_array()))
    }

    /// Momentum [angular about the centre of mass, linear].
    #[pyo3(signature = (q, v=None))]
    fn momentum<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Bound<'py, PyArray1<f64>>> {
        let forest = self.inner.forest();
        Ok(vector(py, &self.kinematics(q, v, |k| centroidal::momentum(forest, k))?.to_array()))
    }

    /// Centroidal momentum matrix A(q), shape (6, nv): momentum = A v.
    fn momentum_matrix<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> Answer<Array<'py>> {
        let forest = self.inner.forest();
        let mut columns = vec![Force::default(); forest.nv()];
        self.kinematics(q, None, |k| {
            centroidal::momentum_matrix(forest, k, &mut Vec::new(), &mut columns);
        })?;
        shaped(py, across(&columns.into_iter().map(Force::to_array).collect::<Vec<_>>()), &[6, forest.nv()])
    }

    /// Kinetic energy v^T M v / 2, J.
    #[pyo3(signature = (q, v=None))]
    fn kinetic_energy(&self, q: &Bound<PyAny>, v: Option<&Bound<PyAny>>) -> Answer<f64> {
        let forest = self.inner.forest();
        let (q, v) = at(&self.inner, q, v)?;
        let zero = vec![0.0; forest.nv()];
        let v = v.as_ref().map_or(&zero[..], Numbers::values);
        SCRATCH.with_borrow_mut(|s| {
            s.kinematics.update(forest, q.values(), Some(v), None);
            Ok(energy::kinetic(forest, &s.kinematics, v))
        })
    }

    /// Potential energy in gravity, J, zero at the world's origin; that of springs is not in it.
    fn potential_energy(&self, q: &Bound<PyAny>) -> Answer<f64> {
        let forest = self.inner.forest();
        self.kinematics(q, None, |k| energy::potential(forest, k))
    }
}

impl Figure {
    /// Something of the kinematics at q and v, or at a state.
    fn kinematics<T>(
        &self,
        q: &Bound<PyAny>,
        v: Option<&Bound<PyAny>>,
        of: impl FnOnce(&Kinematics) -> T,
    ) -> Answer<T> {
        let (q, v) = at(&self.inner, q, v)?;
        SCRATCH.with_borrow_mut(|s| {
            let v = v.as_ref().map(Numbers::values);
            s.kinematics.update(self.inner.forest(), q.values(), v, None);
            Ok(of(&s.kinematics))
        })
    }
}

/// Six rows from columns.
fn across(columns: &[[f64; 6]]) -> Vec<f64> {
    (0..6).flat_map(|i| columns.iter().map(move |c| c[i])).collect()
}

fn finite(a: &[f64]) -> Answer<()> {
    if a.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(Problem::Singular) }
}

/// Seconds that the engine takes for inverse dynamics of a state, without Python: mean of so many calls.
#[pyfunction]
pub fn time_inverse_dynamics(
    figure: &Figure,
    q: &Bound<PyAny>,
    v: &Bound<PyAny>,
    a: &Bound<PyAny>,
    calls: u32,
) -> Answer<f64> {
    let forest = figure.inner.forest();
    let given = Given::of(&figure.inner, q, Some(v), Some(a), "a")?;
    given.expect_one(forest, "a")?;
    let (q, v, a) = (given.q.values(), given.v.values(), given.x.values());
    let (mut work, mut tau) = (rnea::Work::default(), vec![0.0; forest.nv()]);
    let start = std::time::Instant::now();
    for _ in 0..calls {
        rnea::inverse_dynamics(forest, black_box(q), v, a, None, &mut work, black_box(&mut tau));
    }
    Ok(start.elapsed().as_secs_f64() / f64::from(calls.max(1)))
}
