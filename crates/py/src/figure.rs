//! `Figure`: who moves.

use crate::arrays::{Array, Numbers, shaped, vector};
use crate::error::{Answer, Problem};
use crate::state::State;
use anthropi_dynamics::model::{self, LinkHandle};
use anthropi_dynamics::spatial::{Transform, Vec3};
use anthropi_io::{Loaded, builtin, figure as toml, load};
use anthropi_motion::pose;
use numpy::PyArray1;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One or more articulated figures: links, joints, connections.
///
/// Lengths in metres, masses in kilograms, angles in radians, z up. ``q`` has ``nq`` numbers, ``v``, ``a`` and ``tau``
/// have ``nv``. A free joint has q = [x, y, z, w, qx, qy, qz] and v = [angular, linear] of the child in child axes; a
/// spherical joint has q = [w, x, y, z] and v = angular velocity in child axes.
#[pyclass(module = "anthropi")]
pub struct Figure {
    /// shared with motions of it until it is changed
    pub inner: Arc<model::Figure>,
    /// what was doubtful when it was read
    warnings: Vec<String>,
}

impl Figure {
    /// A figure that nothing is doubtful about.
    pub fn of(inner: impl Into<Arc<model::Figure>>) -> Figure {
        Figure { inner: inner.into(), warnings: Vec::new() }
    }

    /// The link of that name.
    pub fn link_called(&self, name: &str) -> Answer<LinkHandle> {
        Ok(self.inner.find_link(name)?)
    }

    fn loaded(Loaded { figure, warnings }: Loaded) -> Figure {
        let warnings = warnings.iter().map(ToString::to_string).collect();
        Figure { inner: Arc::new(figure), warnings }
    }
}

#[pymethods]
impl Figure {
    /// A built-in figure such as ``human-28``; ``anthropi.figures()`` has all names.
    #[new]
    fn new(name: &str) -> Answer<Figure> {
        match builtin::figure(name) {
            Some(loaded) => Ok(Figure::loaded(loaded?)),
            None => {
                let all: Vec<&str> = builtin::figures().iter().map(|b| b.name).collect();
                let told = format!(
                    "there is no built-in figure `{name}`. There is: {}. Files are read by Figure.load",
                    all.join(", ")
                );
                Err(Problem::Unknown { what: "figure", name: name.into(), told })
            }
        }
    }

    /// A figure from a file: .toml, .urdf, .xml (MJCF) or .osim.
    #[staticmethod]
    fn load(path: PathBuf) -> Answer<Figure> {
        Ok(Figure::loaded(load::figure(&path)?))
    }

    /// A figure from a text in Anthropi's own format (TOML).
    #[staticmethod]
    fn from_toml(text: &str) -> Answer<Figure> {
        Ok(Figure::loaded(load::figure_of(text, Path::new("figure.toml"))?))
    }

    /// The figure in Anthropi's own format (TOML).
    fn to_toml(&self) -> String {
        toml::write(&self.inner)
    }

    /// Writes the figure by the ending of the file: .toml, .urdf or .xml (MJCF). Returns what the format cannot hold.
    fn save(&self, path: PathBuf) -> Answer<Vec<String>> {
        Ok(load::save(&path, &self.inner)?.iter().map(ToString::to_string).collect())
    }

    /// What people call it.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// Numbers in q.
    #[getter]
    fn nq(&self) -> usize {
        self.inner.forest().nq()
    }

    /// Degrees of freedom: numbers in v, a and tau.
    #[getter]
    fn nv(&self) -> usize {
        self.inner.forest().nv()
    }

    /// Sum of the links' masses, kg.
    #[getter]
    fn mass(&self) -> f64 {
        self.inner.mass()
    }

    /// Standing height, m, where it is known.
    #[getter]
    fn stature(&self) -> Option<f64> {
        self.inner.stature
    }

    /// Counts changes of structure: a ``State`` belongs to one revision.
    #[getter]
    fn revision(&self) -> u64 {
        self.inner.revision()
    }

    /// What was doubtful or left out when it was read, a sentence each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Acceleration of free fall, world axes.
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.inner.gravity().to_array())
    }

    #[setter]
    fn set_gravity(&mut self, gravity: &Bound<PyAny>) -> Answer<()> {
        let gravity = Vec3::from_array(&Numbers::array::<3>("gravity", gravity)?);
        Arc::make_mut(&mut self.inner).set_gravity(gravity);
        Ok(())
    }

    /// Names of the links, parents before children.
    #[getter]
    fn links(&self) -> Vec<String> {
        self.inner.links().map(|(_, l)| l.spec.name.clone()).collect()
    }

    /// Names of the joints, in the order of their coordinates.
    #[getter]
    fn joints(&self) -> Vec<String> {
        self.inner.joints().map(|(_, j)| j.name.clone()).collect()
    }

    /// Names of the connections that close loops.
    #[getter]
    fn connections(&self) -> Vec<String> {
        self.inner.connections().map(|(_, _, j)| j.name.clone()).collect()
    }

    /// Name of each degree of freedom, in the order of v.
    #[getter]
    fn dofs(&self) -> Vec<String> {
        self.inner.dof_names()
    }

    /// Name of the link that a link hangs on; ``None`` is the world.
    fn parent(&self, link: &str) -> Answer<Option<String>> {
        let parent = self.inner.link(self.link_called(link)?)?.parent();
        Ok(parent.map(|p| self.inner.link(p).map(|l| l.spec.name.clone())).transpose()?)
    }

    /// Where the coordinates of a joint are: slices of q and of v.
    fn places(&self, joint: &str) -> Answer<((usize, usize), (usize, usize))> {
        let place = self.inner.forest().joint_place(self.inner.find_joint(joint)?);
        Ok(((place.iq, place.iq + place.nq), (place.iv, place.iv + place.nv)))
    }

    /// q of the pose the figure is declared in.
    #[getter]
    fn home<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, self.inner.forest().home())
    }

    /// At rest in the pose the figure is declared in, or at ``q`` and ``v``.
    #[pyo3(signature = (q=None, v=None))]
    fn state(&self, py: Python, q: Option<&Bound<PyAny>>, v: Option<&Bound<PyAny>>) -> Answer<State> {
        State::of(py, &self.inner, q, v)
    }

    /// The pose reached from q by the velocity v in the time dt:  q (+) dt v.
    #[pyo3(signature = (q, v, dt=1.0))]
    fn integrate<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        dt: f64,
    ) -> Answer<Bound<'py, PyArray1<f64>>> {
        let forest = self.inner.forest();
        let mut pose = Numbers::row("q", q, forest.nq())?.values().to_vec();
        let v = Numbers::row("v", v, forest.nv())?;
        if !dt.is_finite() {
            return Err(anthropi_dynamics::Error::NotFinite { what: "dt".into() }.into());
        }
        anthropi_dynamics::sim::advance(forest, &mut pose, v.values(), dt);
        Ok(vector(q.py(), &pose))
    }

    /// The pose at a part ``s`` of the way from one to another, each joint the short way.
    fn interpolate<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        s: f64,
    ) -> Answer<Bound<'py, PyArray1<f64>>> {
        let forest = self.inner.forest();
        let (from, to) = (Numbers::row("a", a, forest.nq())?, Numbers::row("b", b, forest.nq())?);
        let mut pose = vec![0.0; forest.nq()];
        pose::between(forest, from.values(), to.values(), s, &mut pose);
        Ok(vector(a.py(), &pose))
    }

    /// The same pose with quaternions of length one.
    fn normalize<'py>(&self, q: &Bound<'py, PyAny>) -> Answer<Bound<'py, PyArray1<f64>>> {
        let forest = self.inner.forest();
        let mut pose = Numbers::row("q", q, forest.nq())?.values().to_vec();
        pose::settle_lengths(forest, &mut pose);
        Ok(vector(q.py(), &pose))
    }

    /// A copy of the given height (m) and mass (kg).
    #[pyo3(signature = (height=None, mass=None))]
    fn scaled(&self, height: Option<f64>, mass: Option<f64>) -> Answer<Figure> {
        Ok(Figure::of(self.inner.scaled(height, mass)?))
    }

    /// A copy whose joints have no armature, damping, springs or friction, as other engines take figures.
    fn rigid(&self) -> Figure {
        Figure::of(self.inner.rigid())
    }

    /// A copy that is free to go about, or with ``free=False`` one that stands fast.
    #[pyo3(signature = (free=true))]
    fn with_base(&self, free: bool) -> Answer<Figure> {
        Ok(Figure::of(if free { self.inner.with_free_base()? } else { self.inner.with_fixed_base()? }))
    }

    /// A copy that can be changed by itself.
    fn copy(&self) -> Figure {
        Figure { inner: self.inner.clone(), warnings: self.warnings.clone() }
    }

    /// A pose as a picture (SVG).
    #[pyo3(signature = (q=None))]
    fn to_svg(&self, q: Option<&Bound<PyAny>>) -> Answer<String> {
        let forest = self.inner.forest();
        let q = match q {
            Some(q) => Numbers::row("q", q, forest.nq())?.values().to_vec(),
            None => forest.home().to_vec(),
        };
        let frame = anthropi_io::svg::Frame { q, label: self.inner.name.clone() };
        Ok(anthropi_io::svg::strip(&self.inner, &[frame]))
    }

    /// Shows the figure in the studio: embedded in a notebook, else in the browser. Without the program ``anthropi`` it is
    /// a picture.
    fn show<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("anthropi.show")?.call_method1("figure", (slf,))
    }

    fn _repr_svg_(&self) -> Answer<String> {
        self.to_svg(None)
    }

    /// As it was pickled: with its revision, so that states that were pickled beside it fit.
    #[staticmethod]
    fn _restored(text: &str, revision: u64, joints: Vec<String>) -> Answer<Figure> {
        let mut figure = Figure::from_toml(text)?;
        // coordinates come in the order of the joints
        if figure.joints() == joints {
            figure.inner = Arc::new(model::Figure::clone(&figure.inner).restored_at(revision));
        }
        Ok(figure)
    }

    #[allow(clippy::type_complexity)] // what pickle asks for: a function and its arguments
    fn __reduce__(&self, py: Python) -> PyResult<(Py<PyAny>, (String, u64, Vec<String>))> {
        let read = py.get_type::<Figure>().getattr("_restored")?;
        Ok((read.unbind(), (self.to_toml(), self.inner.revision(), self.joints())))
    }

    fn __repr__(&self) -> String {
        let f = &self.inner;
        let links = f.links().count();
        format!(
            "<Figure {}: {links} links, {} degrees of freedom, {:.1} kg>",
            f.name,
            f.forest().nv(),
            f.mass()
        )
    }
}

/// A placement as a matrix of four rows.
pub fn homogeneous<'py>(py: Python<'py>, at: &Transform) -> Answer<Array<'py>> {
    shaped(py, rows_of(at).to_vec(), &[4, 4])
}

/// A placement, row by row.
pub fn rows_of(at: &Transform) -> [f64; 16] {
    let (x, y, z, t) = (at.rotation.x, at.rotation.y, at.rotation.z, at.translation);
    [x.x, y.x, z.x, t.x, x.y, y.y, z.y, t.y, x.z, y.z, z.z, t.z, 0.0, 0.0, 0.0, 1.0]
}
