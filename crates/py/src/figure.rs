//! `Figure`: articulated figures.

use crate::arrays::{Any, Array, Numbers, Vector, shaped, vector};
use crate::error::{Answer, Problem};
use crate::state::State;
use anthropi_app::builtin;
use anthropi_app::resolve;
use anthropi_dynamics::model::{self, LinkHandle};
use anthropi_dynamics::spatial::{Transform, Vec3};
use anthropi_formats::{Loaded, figure as toml, load};
use anthropi_motion::pose;
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
    /// warnings of the reader
    warnings: Vec<String>,
}

impl Figure {
    /// A figure without warnings.
    pub fn from_model(inner: impl Into<Arc<model::Figure>>) -> Figure {
        Figure { inner: inner.into(), warnings: Vec::new() }
    }

    /// The link of that name.
    pub fn find_link(&self, name: &str) -> Answer<LinkHandle> {
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
                let all: Vec<&str> = builtin::FIGURES.iter().map(|b| b.name).collect();
                let message = format!(
                    "there is no built-in figure `{name}`. Available: {}. Files are read by Figure.load",
                    all.join(", ")
                );
                Err(Problem::Unknown { what: "figure", name: name.into(), message })
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
        Ok(Figure::loaded(load::figure_from_text(text, Path::new("figure.toml"))?))
    }

    /// The figure in Anthropi's own format (TOML).
    fn to_toml(&self) -> String {
        toml::write(&self.inner)
    }

    /// Writes the figure as .toml, .urdf or .xml (MJCF). Returns warnings about what the format cannot hold.
    fn save(&self, path: PathBuf) -> Answer<Vec<String>> {
        Ok(resolve::save_figure(&path, &self.inner)?.iter().map(ToString::to_string).collect())
    }

    /// Name.
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

    /// Standing height, m, if known.
    #[getter]
    fn stature(&self) -> Option<f64> {
        self.inner.stature
    }

    /// Counts changes of structure: a ``State`` belongs to one revision.
    #[getter]
    fn revision(&self) -> u64 {
        self.inner.revision()
    }

    /// Warnings of the reader.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Gravity, m/s^2, world axes.
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> Vector<'py> {
        vector(py, &self.inner.gravity().to_array())
    }

    #[setter]
    fn set_gravity(&mut self, gravity: &Any) -> Answer<()> {
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

    /// Name of the parent link; ``None`` is the world.
    fn parent(&self, link: &str) -> Answer<Option<String>> {
        let parent = self.inner.link(self.find_link(link)?)?.parent();
        Ok(parent.map(|p| self.inner.link(p).map(|l| l.spec.name.clone())).transpose()?)
    }

    /// Ranges of a joint's coordinates in q and in v.
    fn places(&self, joint: &str) -> Answer<((usize, usize), (usize, usize))> {
        let place = self.inner.forest().joint_place(self.inner.find_joint(joint)?);
        Ok(((place.iq, place.iq + place.nq), (place.iv, place.iv + place.nv)))
    }

    /// q of the home pose.
    #[getter]
    fn home<'py>(&self, py: Python<'py>) -> Vector<'py> {
        vector(py, self.inner.forest().home())
    }

    /// The home pose at rest, or ``q`` and ``v``.
    #[pyo3(signature = (q=None, v=None))]
    fn state(&self, py: Python, q: Option<&Any>, v: Option<&Any>) -> Answer<State> {
        State::new(py, &self.inner, q, v)
    }

    /// The pose reached from q by the velocity v in the time dt:  q (+) dt v.
    #[pyo3(signature = (q, v, dt=1.0))]
    fn integrate<'py>(&self, q: &Any<'py>, v: &Any<'py>, dt: f64) -> Answer<Vector<'py>> {
        let forest = self.inner.forest();
        let mut pose = Numbers::row("q", q, forest.nq())?.values().to_vec();
        let v = Numbers::row("v", v, forest.nv())?;
        if !dt.is_finite() {
            return Err(anthropi_dynamics::Error::NotFinite { what: "dt".into() }.into());
        }
        anthropi_dynamics::sim::advance(forest, &mut pose, v.values(), dt);
        Ok(vector(q.py(), &pose))
    }

    /// The pose at fraction ``s`` between two poses, each joint along its shortest path.
    fn interpolate<'py>(&self, a: &Any<'py>, b: &Any<'py>, s: f64) -> Answer<Vector<'py>> {
        let forest = self.inner.forest();
        let (from, to) = (Numbers::row("a", a, forest.nq())?, Numbers::row("b", b, forest.nq())?);
        let mut pose = vec![0.0; forest.nq()];
        pose::between(forest, from.values(), to.values(), s, &mut pose);
        Ok(vector(a.py(), &pose))
    }

    /// The pose with normalized quaternions.
    fn normalize<'py>(&self, q: &Any<'py>) -> Answer<Vector<'py>> {
        let forest = self.inner.forest();
        let mut pose = Numbers::row("q", q, forest.nq())?.values().to_vec();
        pose::normalise(forest, &mut pose);
        Ok(vector(q.py(), &pose))
    }

    /// A copy of the given height (m) and mass (kg).
    #[pyo3(signature = (height=None, mass=None))]
    fn scaled(&self, height: Option<f64>, mass: Option<f64>) -> Answer<Figure> {
        Ok(Figure::from_model(self.inner.scaled(height, mass)?))
    }

    /// A copy whose joints have no armature, damping, springs or friction.
    fn rigid(&self) -> Figure {
        Figure::from_model(self.inner.rigid())
    }

    /// A copy with a floating base, or with ``free=False`` a fixed one.
    #[pyo3(signature = (free=true))]
    fn with_base(&self, free: bool) -> Answer<Figure> {
        Ok(Figure::from_model(if free {
            self.inner.with_free_base()?
        } else {
            self.inner.with_fixed_base()?
        }))
    }

    /// An independent copy.
    fn copy(&self) -> Figure {
        Figure { inner: self.inner.clone(), warnings: self.warnings.clone() }
    }

    /// A pose as a picture (SVG).
    #[pyo3(signature = (q=None))]
    fn to_svg(&self, q: Option<&Any>) -> Answer<String> {
        let forest = self.inner.forest();
        let q = match q {
            Some(q) => Numbers::row("q", q, forest.nq())?.values().to_vec(),
            None => forest.home().to_vec(),
        };
        let frame = anthropi_app::svg::Frame { q, label: self.inner.name.clone() };
        Ok(anthropi_app::svg::strip(&self.inner, &[frame]))
    }

    /// Shows the figure in the studio: embedded in a notebook, else in the browser. Without the program ``anthropi``, a
    /// picture.
    fn show<'py>(slf: &Bound<'py, Self>) -> PyResult<Any<'py>> {
        slf.py().import("anthropi.show")?.call_method1("figure", (slf,))
    }

    fn _repr_svg_(&self) -> Answer<String> {
        self.to_svg(None)
    }

    /// Unpickles, with the revision, so that pickled states still fit.
    #[staticmethod]
    fn _restored(text: &str, revision: u64, joints: Vec<String>) -> Answer<Figure> {
        let mut figure = Figure::from_toml(text)?;
        // coordinates are in the order of the joints
        if figure.joints() == joints {
            figure.inner = Arc::new(model::Figure::clone(&figure.inner).restored_at(revision));
        }
        Ok(figure)
    }

    #[allow(clippy::type_complexity)] // pickle protocol: a function and its arguments
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

/// A pose as a matrix (4, 4).
pub fn homogeneous<'py>(py: Python<'py>, at: &Transform) -> Answer<Array<'py>> {
    shaped(py, matrix_rows(at).to_vec(), &[4, 4])
}

/// Rows of the matrix of a pose.
pub fn matrix_rows(at: &Transform) -> [f64; 16] {
    let (x, y, z, t) = (at.rotation.x, at.rotation.y, at.rotation.z, at.translation);
    [x.x, y.x, z.x, t.x, x.y, y.y, z.y, t.y, x.z, y.z, z.z, t.z, 0.0, 0.0, 0.0, 1.0]
}
