//! Dynamics of one state; arrays of states go to `batch.rs`.

use crate::arrays::{Any, Array, Numbers, Vector, point as vector3, shaped, vector};
use crate::batch;
use crate::error::{Answer, Problem};
use crate::figure::{Figure, homogeneous};
use crate::state::State;
use anthropi_dynamics::algo::{centroidal, crba, energy, fk::Kinematics, jacobian, rnea};
use anthropi_dynamics::constraint;
use anthropi_dynamics::model::{Figure as Model, Forest};
use anthropi_dynamics::spatial::{Force, Motion, vec3};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::RefCell;
use std::hint::black_box;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
}

/// Workspace of single calls: after the first call for a figure, only the result is allocated.
#[derive(Default)]
struct Scratch {
    rnea: rnea::Work,
    crba: crba::Work,
    closed: constraint::Work,
    kinematics: Kinematics,
    external: Vec<Force>,
    out: Vec<f64>,
}

/// q, v and a third array x.
pub struct Inputs<'py> {
    q: Numbers<'py>,
    v: Numbers<'py>,
    x: Numbers<'py>,
    /// name of x
    name: &'static str,
}

impl<'py> Inputs<'py> {
    /// From `(q, v, x)` or `(state, x)`; `name` is that of x.
    pub fn new(
        figure: &Model,
        first: &Any<'py>,
        second: Option<&Any<'py>>,
        third: Option<&Any<'py>>,
        name: &'static str,
    ) -> Answer<Inputs<'py>> {
        let missing = || Problem::Argument(format!("expected (q, v, {name}) or (state, {name})"));
        if let Ok(state) = first.cast::<State>() {
            let x = match (second, third) {
                (Some(x), None) | (None, Some(x)) => x,
                _ => return Err(missing()),
            };
            let [q, v] = state.try_borrow().map_err(PyErr::from)?.values_for(first.py(), figure)?;
            return Ok(Inputs { q, v, x: Numbers::new(name, x)?, name });
        }
        let (v, x) = second.zip(third).ok_or_else(missing)?;
        let (q, v, x) = (Numbers::new("q", first)?, Numbers::new("v", v)?, Numbers::new(name, x)?);
        Ok(Inputs { q, v, x, name })
    }

    /// The numbers of a single state; refuses arrays of states.
    pub fn single(&self, forest: &Forest) -> Answer<[&[f64]; 3]> {
        self.check_rows(forest, &[])?;
        Ok(self.values())
    }

    /// The numbers of one or many states.
    fn values(&self) -> [&[f64]; 3] {
        [self.q.values(), self.v.values(), self.x.values()]
    }

    /// Whether these are arrays of states; refuses other shapes.
    fn is_many(&self, forest: &Forest) -> Answer<bool> {
        match self.q.shape() {
            [rows, _] => self.check_rows(forest, &[*rows]).map(|()| true),
            _ => self.check_rows(forest, &[]).map(|()| false),
        }
    }

    fn check_rows(&self, forest: &Forest, rows: &[usize]) -> Answer<()> {
        self.q.check_shape("q", &[rows, &[forest.nq()]].concat())?;
        self.v.check_shape("v", &[rows, &[forest.nv()]].concat())?;
        self.x.check_shape(self.name, &[rows, &[forest.nv()]].concat())
    }
}

/// q and v, or those of a state; v is optional.
pub fn at<'py>(
    figure: &Model,
    first: &Any<'py>,
    v: Option<&Any<'py>>,
) -> Answer<(Numbers<'py>, Option<Numbers<'py>>)> {
    let forest = figure.forest();
    if let Ok(state) = first.cast::<State>() {
        let [q, own] = state.try_borrow().map_err(PyErr::from)?.values_for(first.py(), figure)?;
        return Ok((q, Some(own)));
    }
    let v = v.map(|v| Numbers::row("v", v, forest.nv())).transpose()?;
    Ok((Numbers::row("q", first, forest.nq())?, v))
}

impl Scratch {
    /// External forces by link, each [moment, force] about the link's origin in world axes, as forces on bodies.
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
    /// ``external`` maps links to a force [moment, force] about the link's origin, world axes. tau excludes springs and
    /// damping of joints (``passive_forces``) and connections (``closed_inverse_dynamics``).
    #[pyo3(signature = (q, v=None, a=None, *, external=None, threads=None))]
    fn inverse_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: &Any<'py>,
        v: Option<&Any<'py>>,
        a: Option<&Any<'py>>,
        external: Option<&Bound<'py, PyDict>>,
        threads: Option<usize>,
    ) -> Answer<Any<'py>> {
        let (forest, given) = (self.inner.forest(), Inputs::new(&self.inner, q, v, a, "a")?);
        let [q, v, a] = given.values();
        self.dynamics(
            py,
            &given,
            external,
            || Ok(batch::inverse_dynamics(forest, q, v, a, threads)),
            |s, external| {
                rnea::inverse_dynamics(forest, q, v, a, external, &mut s.rnea, &mut s.out);
                Ok(())
            },
        )
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
        q: &Any<'py>,
        v: Option<&Any<'py>>,
        tau: Option<&Any<'py>>,
        external: Option<&Bound<'py, PyDict>>,
        threads: Option<usize>,
    ) -> Answer<Any<'py>> {
        let (forest, given) = (self.inner.forest(), Inputs::new(&self.inner, q, v, tau, "tau")?);
        let [q, v, tau] = given.values();
        self.dynamics(
            py,
            &given,
            external,
            || finite(batch::forward_dynamics(forest, q, v, tau, threads)),
            |s, external| {
                constraint::forward_dynamics(forest, q, v, tau, external, None, &mut s.closed, &mut s.out);
                finite(&s.out).map(|_| ())
            },
        )
    }

    /// The mass matrix M(q), armature included: kinetic energy is v^T M v / 2. Shape (nv, nv), or (n, nv, nv) for an
    /// array of n poses.
    #[pyo3(signature = (q, *, threads=None))]
    fn mass_matrix<'py>(&self, py: Python<'py>, q: &Any<'py>, threads: Option<usize>) -> Answer<Array<'py>> {
        let (forest, n) = (self.inner.forest(), self.inner.forest().nv());
        let q = match q.cast::<State>() {
            Ok(state) => {
                let [q, _] = state.try_borrow().map_err(PyErr::from)?.values_for(py, &self.inner)?;
                q
            }
            Err(_) => Numbers::new("q", q)?,
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
    fn bias_forces<'py>(&self, py: Python<'py>, q: &Any<'py>, v: Option<&Any<'py>>) -> Answer<Vector<'py>> {
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

    /// Passive joint forces: springs, damping, limits, friction.
    #[pyo3(signature = (q, v=None))]
    fn passive_forces<'py>(
        &self,
        py: Python<'py>,
        q: &Any<'py>,
        v: Option<&Any<'py>>,
    ) -> Answer<Vector<'py>> {
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
        q: &Any<'py>,
        link: &str,
        point: Option<&Any<'py>>,
    ) -> Answer<Array<'py>> {
        let (forest, link) = (self.inner.forest(), self.find_link(link)?);
        let point = vector3("point", point)?;
        let mut columns = vec![Motion::default(); forest.nv()];
        self.kinematics(q, None, |k| jacobian::of_link_point(forest, k, link, point, &mut columns))?;
        shaped(py, across(&columns.into_iter().map(Motion::to_array).collect::<Vec<_>>()), &[6, forest.nv()])
    }

    /// J'(q, v) v of a point of a link: its acceleration [angular, linear] at zero joint acceleration.
    #[pyo3(signature = (q, v=None, *, link, point=None))]
    fn jacobian_bias<'py>(
        &self,
        py: Python<'py>,
        q: &Any<'py>,
        v: Option<&Any<'py>>,
        link: &str,
        point: Option<&Any<'py>>,
    ) -> Answer<Vector<'py>> {
        let (forest, link) = (self.inner.forest(), self.find_link(link)?);
        let point = vector3("point", point)?;
        let bias = self.kinematics(q, v, |k| jacobian::bias_of_link_point(forest, k, link, point))?;
        Ok(vector(py, &bias.to_array()))
    }

    /// World pose of a link, a matrix (4, 4).
    fn link_pose<'py>(&self, py: Python<'py>, q: &Any<'py>, link: &str) -> Answer<Array<'py>> {
        let (forest, link) = (self.inner.forest(), self.find_link(link)?);
        homogeneous(py, &self.kinematics(q, None, |k| k.link_pose(forest, link))?)
    }

    /// World poses of all links, shape (links, 4, 4), in the order of ``links``.
    fn link_poses<'py>(&self, py: Python<'py>, q: &Any<'py>) -> Answer<Array<'py>> {
        let forest = self.inner.forest();
        let poses = self.kinematics(q, None, |k| {
            let each =
                self.inner.links().map(|(link, _)| crate::figure::matrix_rows(&k.link_pose(forest, link)));
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
        q: &Any<'py>,
        v: Option<&Any<'py>>,
        link: &str,
    ) -> Answer<Vector<'py>> {
        let (forest, link) = (self.inner.forest(), self.find_link(link)?);
        Ok(vector(py, &self.kinematics(q, v, |k| k.link_velocity(forest, link))?.to_array()))
    }

    /// Centre of mass, world axes.
    fn center_of_mass<'py>(&self, py: Python<'py>, q: &Any<'py>) -> Answer<Vector<'py>> {
        let forest = self.inner.forest();
        Ok(vector(py, &self.kinematics(q, None, |k| centroidal::center_of_mass(forest, k))?.to_array()))
    }

    /// Momentum [angular about the centre of mass, linear].
    #[pyo3(signature = (q, v=None))]
    fn momentum<'py>(&self, py: Python<'py>, q: &Any<'py>, v: Option<&Any<'py>>) -> Answer<Vector<'py>> {
        let forest = self.inner.forest();
        Ok(vector(py, &self.kinematics(q, v, |k| centroidal::momentum(forest, k))?.to_array()))
    }

    /// Centroidal momentum matrix A(q), shape (6, nv): momentum = A v.
    fn momentum_matrix<'py>(&self, py: Python<'py>, q: &Any<'py>) -> Answer<Array<'py>> {
        let forest = self.inner.forest();
        let mut columns = vec![Force::default(); forest.nv()];
        self.kinematics(q, None, |k| {
            centroidal::momentum_matrix(forest, k, &mut Vec::new(), &mut columns);
        })?;
        shaped(py, across(&columns.into_iter().map(Force::to_array).collect::<Vec<_>>()), &[6, forest.nv()])
    }

    /// Kinetic energy v^T M v / 2, J.
    #[pyo3(signature = (q, v=None))]
    fn kinetic_energy(&self, q: &Any, v: Option<&Any>) -> Answer<f64> {
        let forest = self.inner.forest();
        let (q, v) = at(&self.inner, q, v)?;
        let zero = vec![0.0; forest.nv()];
        let v = v.as_ref().map_or(&zero[..], Numbers::values);
        SCRATCH.with_borrow_mut(|s| {
            s.kinematics.update(forest, q.values(), Some(v), None);
            Ok(energy::kinetic(forest, &s.kinematics, v))
        })
    }

    /// Potential energy in gravity, J, zero at the world's origin; without springs.
    fn potential_energy(&self, q: &Any) -> Answer<f64> {
        let forest = self.inner.forest();
        self.kinematics(q, None, |k| energy::potential(forest, k))
    }
}

impl Figure {
    /// The result of `many` for arrays of states; for a single state that of `one`, left in `Scratch::out`, under
    /// external forces.
    fn dynamics<'py>(
        &self,
        py: Python<'py>,
        given: &Inputs,
        external: Option<&Bound<'py, PyDict>>,
        many: impl FnOnce() -> Answer<Vec<f64>> + Send,
        one: impl FnOnce(&mut Scratch, Option<&[Force]>) -> Answer<()>,
    ) -> Answer<Any<'py>> {
        let forest = self.inner.forest();
        if given.is_many(forest)? {
            batch::refuse_external(external)?;
            return Ok(shaped(py, py.detach(many)?, given.v.shape())?.into_any());
        }
        SCRATCH.with_borrow_mut(|s| {
            external.map_or(Ok(()), |forces| s.push(&self.inner, given.q.values(), forces))?;
            s.out.resize(forest.nv(), 0.0);
            let forces = std::mem::take(&mut s.external);
            let done = one(s, external.map(|_| &forces[..]));
            s.external = forces;
            done.map(|()| vector(py, &s.out).into_any())
        })
    }

    /// Evaluates the kinematics at q and v, or at a state.
    fn kinematics<T>(&self, q: &Any, v: Option<&Any>, of: impl FnOnce(&Kinematics) -> T) -> Answer<T> {
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

/// Refuses accelerations that are infinite or NaN.
fn finite<T: AsRef<[f64]>>(a: T) -> Answer<T> {
    if a.as_ref().iter().all(|x| x.is_finite()) { Ok(a) } else { Err(Problem::Singular) }
}

/// Mean time of inverse dynamics of a state in the engine, without Python, s.
#[pyfunction]
pub fn time_inverse_dynamics(figure: &Figure, q: &Any, v: &Any, a: &Any, calls: u32) -> Answer<f64> {
    let forest = figure.inner.forest();
    let given = Inputs::new(&figure.inner, q, Some(v), Some(a), "a")?;
    let [q, v, a] = given.single(forest)?;
    let (mut work, mut tau) = (rnea::Work::default(), vec![0.0; forest.nv()]);
    let start = std::time::Instant::now();
    for _ in 0..calls {
        rnea::inverse_dynamics(forest, black_box(q), v, a, None, &mut work, black_box(&mut tau));
    }
    Ok(start.elapsed().as_secs_f64() / f64::from(calls.max(1)))
}
