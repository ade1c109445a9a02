//! `Simulation`, and `Record` of a run.

use crate::arrays::{Any, Array, Numbers, Vector, point as vector3, shaped, vector};
use crate::clip::Clip;
use crate::error::{Answer, Problem};
use crate::figure::Figure;
use crate::state::State;
use crate::structure::connection;
use anthropi_app::resolve;
use anthropi_app::scene::{MAX_STEPS, step_count};
use anthropi_dynamics::contact::World;
use anthropi_dynamics::model;
use anthropi_dynamics::sim::{self, Integrator, Script, ScriptedForce};
use anthropi_dynamics::spatial::{Transform, vec3};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;

/// Relative difference of time steps that counts as rounding.
const ROUNDING: f64 = 1e-6;
/// Steps between two checks for Python signals.
const SIGNAL_CHECK: usize = 256;

/// A figure moving in time, with contact, connections that can be made and cut, and joint forces.
#[pyclass(module = "anthropi")]
pub struct Simulation {
    inner: sim::Simulation,
    /// time step unless another is given, s
    #[pyo3(get, set)]
    dt: f64,
    /// duration of a scene, s
    #[pyo3(get)]
    duration: Option<f64>,
    /// whether joint forces were given for the last step
    is_driven: bool,
    /// names of the ground
    scenery: Vec<String>,
}

/// Joint forces held over a step.
#[derive(Clone, Debug)]
struct Held(Vec<f64>);

impl sim::Driver for Held {
    fn drive(&mut self, _: f64, _: &model::State, tau: &mut [f64]) {
        tau.copy_from_slice(&self.0);
    }

    fn boxed(&self) -> Box<dyn sim::Driver> {
        Box::new(self.clone())
    }
}

/// Names of integrators.
const INTEGRATORS: [(&str, Integrator); 3] =
    [("midpoint", Integrator::Midpoint), ("rk4", Integrator::Rk4), ("euler", Integrator::Euler)];

#[pymethods]
impl Simulation {
    /// A figure from a state, by default the home pose at rest. ``ground`` adds a floor at that height.
    #[new]
    #[pyo3(signature = (figure, state=None, *, dt=1e-3, ground=None))]
    fn new(
        py: Python,
        figure: &Figure,
        state: Option<&State>,
        dt: f64,
        ground: Option<f64>,
    ) -> Answer<Simulation> {
        let model = (*figure.inner).clone();
        let start = match state {
            Some(state) => state.to_model(py)?,
            None => anthropi_dynamics::model::State::home(&model),
        };
        let mut inner = sim::Simulation::new(model, start)?;
        let mut scenery = Vec::new();
        if let Some(height) = ground {
            let mut world = World::floor();
            world.scenery[0].world_from_it = Transform::translation(vec3(0.0, 0.0, height));
            scenery.push(world.scenery[0].name.clone());
            inner.touch(world)?;
        }
        Ok(Simulation { inner, dt, duration: None, is_driven: false, scenery })
    }

    /// A scene: the name of a built-in one, or a TOML file; ``anthropi.scenes()`` has all names.
    #[staticmethod]
    fn scene(name: PathBuf) -> Answer<Simulation> {
        let scene = resolve::scene(&name.to_string_lossy())?;
        let scenery = scene.world.iter().flat_map(|w| &w.scenery).map(|s| s.name.clone()).collect();
        let (dt, duration) = (scene.dt, Some(scene.duration));
        Ok(Simulation { inner: scene.simulation()?, dt, duration, is_driven: false, scenery })
    }

    /// Time since the start, s.
    #[getter]
    fn time(&self) -> f64 {
        self.inner.time()
    }

    /// Number of steps so far.
    #[getter]
    fn steps(&self) -> u64 {
        self.inner.steps()
    }

    /// The present figure; a copy.
    #[getter]
    fn figure(&self) -> Figure {
        Figure::from_model(self.inner.figure().clone())
    }

    /// The present state; a copy.
    #[getter]
    fn state(&self, py: Python) -> State {
        State::from_model(py, self.inner.state().clone())
    }

    /// Sets q and v of the present structure.
    #[setter]
    fn set_state(&mut self, py: Python, state: &State) -> Answer<()> {
        let wanted = state.to_model(py)?;
        Ok(self.inner.edit(|figure, state| {
            figure.check(&wanted)?;
            *state = wanted;
            Ok(())
        })?)
    }

    /// Integrator: ``midpoint``, ``rk4`` or ``euler``.
    #[getter]
    fn integrator(&self) -> &'static str {
        INTEGRATORS.iter().find(|(_, i)| *i == self.inner.integrator).map_or("", |(name, _)| name)
    }

    #[setter]
    fn set_integrator(&mut self, name: &str) -> Answer<()> {
        let found = INTEGRATORS.iter().find(|(n, _)| *n == name);
        let unknown = || Problem::unknown("integrator", name, "midpoint, rk4, euler");
        self.inner.integrator = found.ok_or_else(unknown)?.1;
        Ok(())
    }

    /// Energy now, J: ``kinetic``, ``potential``, ``spring`` and their sum ``total``.
    #[getter]
    fn energy<'py>(&mut self, py: Python<'py>) -> Answer<Bound<'py, PyDict>> {
        let e = self.inner.energy();
        let result = PyDict::new(py);
        for (name, value) in
            [("kinetic", e.kinetic), ("potential", e.potential), ("spring", e.spring), ("total", e.total())]
        {
            result.set_item(name, value)?;
        }
        Ok(result)
    }

    /// Accelerations of the last step.
    #[getter]
    fn accelerations<'py>(&self, py: Python<'py>) -> Vector<'py> {
        vector(py, self.inner.accelerations())
    }

    /// Hash of the state: equal digests mean equal bits, here and on the command line.
    #[getter]
    fn digest(&self) -> String {
        format!("{:016x}", self.inner.digest())
    }

    /// Events so far: time, description, coordinates left.
    #[getter]
    fn events(&self) -> Vec<(f64, String, usize)> {
        self.inner.happened().iter().map(|h| (h.time, h.what.clone(), h.coordinates)).collect()
    }

    /// Contacts of the last step: the supported ``link``, ``on`` which link or ground, ``force`` on the link (N, world
    /// axes) and the ``center`` of pressure, if there is force.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> Answer<Vec<Bound<'py, PyDict>>> {
        let figure = self.inner.figure();
        let mut all = Vec::new();
        for contact in self.inner.contacts() {
            let meeting = &contact.patch.pair;
            let on = match (meeting.link_b, meeting.scenery) {
                (Some(link), _) => figure.link(link)?.spec.name.as_str(),
                (None, Some(k)) => self.scenery.get(k as usize).map_or("", String::as_str),
                (None, None) => "",
            };
            let entry = PyDict::new(py);
            entry.set_item("link", &figure.link(meeting.link_a)?.spec.name)?;
            entry.set_item("on", on)?;
            entry.set_item("force", vector(py, &contact.wrench.linear.to_array()))?;
            entry.set_item("center", contact.center.map(|c| vector(py, &c.to_array())))?;
            all.push(entry);
        }
        Ok(all)
    }

    /// Force [moment, force] of each connection on its link a at the last step, world axes, about its point.
    #[getter]
    fn connection_forces<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (joint, wrench, _) in self.inner.connection_forces() {
            all.set_item(&self.inner.figure().joint(joint)?.name, vector(py, &wrench.to_array()))?;
        }
        Ok(all)
    }

    /// Makes one step under joint forces ``tau``, constant over the step and zero by default. Returns the time.
    #[pyo3(signature = (tau=None, *, dt=None))]
    fn step(&mut self, py: Python, tau: Option<&Any>, dt: Option<f64>) -> Answer<f64> {
        self.hold(tau)?;
        let dt = dt.unwrap_or(self.dt);
        Ok(py.detach(|| self.inner.step(dt))?.time)
    }

    /// Runs for ``duration`` seconds (default for scenes: their own) and records every ``every`` steps. ``control`` is
    /// called before each step for joint forces: ``control(time, state) -> tau``; without it other Python threads run.
    #[pyo3(signature = (duration=None, *, dt=None, every=1, control=None))]
    fn run(
        &mut self,
        py: Python,
        duration: Option<f64>,
        dt: Option<f64>,
        every: usize,
        control: Option<&Any>,
    ) -> Answer<Record> {
        let dt = dt.unwrap_or(self.dt);
        let steps = steps(duration.or(self.duration), dt)?;
        let mut record = Record::default();
        record.add(&mut self.inner);
        for first in (0..steps).step_by(SIGNAL_CHECK) {
            py.check_signals()?;
            let group = first..steps.min(first + SIGNAL_CHECK);
            match control {
                Some(control) => {
                    for k in group {
                        let state = State::from_model(py, self.inner.state().clone());
                        let tau = control.call1((self.inner.time(), state))?;
                        self.step(py, Some(&tau).filter(|t| !t.is_none()), Some(dt))?;
                        record.after(k, every, steps, &mut self.inner);
                    }
                }
                None => {
                    self.hold(None)?;
                    let (sim, record) = (&mut self.inner, &mut record);
                    py.detach(|| {
                        for k in group {
                            sim.step(dt)?;
                            record.after(k, every, steps, sim);
                        }
                        Ok::<_, anthropi_dynamics::Error>(())
                    })?;
                }
            }
        }
        Ok(record)
    }

    /// Adds a force (N) and torque (N m), world axes, on a link at a point of it (link axes), always or between two times.
    #[pyo3(signature = (link, force=None, *, torque=None, point=None, between=None))]
    fn push(
        &mut self,
        link: &str,
        force: Option<&Any>,
        torque: Option<&Any>,
        point: Option<&Any>,
        between: Option<(f64, f64)>,
    ) -> Answer<()> {
        let link = self.inner.figure().find_link(link)?;
        let (force, torque) = (vector3("force", force)?, vector3("torque", torque)?);
        let point = vector3("point", point)?;
        let script = between.map_or(Script::Constant, |(from, until)| Script::Between { from, until });
        self.inner.push(ScriptedForce::Link { link, point, force, torque, script })?;
        Ok(())
    }

    /// Removes all added forces.
    fn clear_pushes(&mut self) {
        self.inner.clear_loads();
    }

    /// Connects link ``a`` to link ``b`` (``None``: the world) at the present pose. Velocities change so that momentum
    /// is conserved and the constrained directions are at rest. As ``Figure.connect``.
    #[pyo3(signature = (a, b=None, *, name, kind="spherical", axis=None, at=None))]
    fn connect(
        &mut self,
        a: &str,
        b: Option<&str>,
        name: &str,
        kind: &str,
        axis: Option<&Any>,
        at: Option<&Any>,
    ) -> Answer<()> {
        let (link, joint) = connection(self.inner.figure(), a, b, name, kind, axis, at)?;
        self.inner.connect(link, joint)?;
        Ok(())
    }

    /// Cuts a connection, or a joint of the tree: its subtree becomes free.
    fn cut(&mut self, joint: &str) -> Answer<()> {
        let handle = self.inner.figure().find_joint(joint)?;
        self.inner.cut(handle)?;
        Ok(())
    }

    /// Closes all connections by moving the links.
    fn assemble(&mut self) -> Answer<()> {
        self.inner.assemble()?;
        Ok(())
    }

    /// Closure error of the connections, m and rad.
    #[getter]
    fn closure_error(&self) -> (f64, f64) {
        let closed = self.inner.closure();
        (closed.linear, closed.angular)
    }

    /// Gives a signal that triggers events of a scene.
    fn signal(&mut self, name: &str) {
        self.inner.signal(name);
    }

    fn __repr__(&self) -> String {
        format!("<Simulation of {} at {:.4} s>", self.inner.figure().name, self.inner.time())
    }
}

impl Simulation {
    /// Joint forces of the next step.
    fn hold(&mut self, tau: Option<&Any>) -> Answer<()> {
        let nv = self.inner.figure().forest().nv();
        match tau {
            Some(tau) => {
                let tau = Numbers::row("tau", tau, nv)?;
                self.inner.drive(Box::new(Held(tau.values().to_vec())));
            }
            None if self.is_driven => self.inner.drive(Box::new(Held(vec![0.0; nv]))),
            None => {}
        }
        self.is_driven = tau.is_some();
        Ok(())
    }
}

/// Number of steps of a duration.
fn steps(duration: Option<f64>, dt: f64) -> Answer<usize> {
    if !(dt > 0.0 && dt.is_finite()) {
        return Err(Problem::out_of_range("dt", dt, "more than zero"));
    }
    let Some(duration) = duration else {
        return Err(Problem::Argument("duration is required: only scenes have one of their own".into()));
    };
    let steps = step_count(duration, dt);
    match duration >= 0.0 && steps <= MAX_STEPS {
        true => Ok(steps as usize),
        false => {
            Err(Problem::out_of_range("duration", duration, "zero or more seconds, and at most 1e9 steps"))
        }
    }
}

/// Record of a run, one row per instant. ``parts`` has one record for each structure.
#[pyclass(module = "anthropi")]
#[derive(Clone, Default)]
pub struct Record {
    parts: Vec<Part>,
}

/// Instants of one structure.
#[derive(Clone)]
struct Part {
    figure: Arc<model::Figure>,
    times: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    energy: Vec<f64>,
}

impl Record {
    /// Adds the present instant.
    fn add(&mut self, sim: &mut sim::Simulation) {
        if self.parts.last().is_none_or(|p| p.figure.revision() != sim.figure().revision()) {
            let figure = Arc::new(sim.figure().clone());
            self.parts.push(Part { figure, times: vec![], q: vec![], v: vec![], energy: vec![] });
        }
        let (energy, time) = (sim.energy(), sim.time());
        if let Some(part) = self.parts.last_mut() {
            part.times.push(time);
            part.q.extend(&sim.state().q);
            part.v.extend(&sim.state().v);
            part.energy.extend([energy.kinetic, energy.potential, energy.spring, energy.total()]);
        }
    }

    /// Adds step `k` of `steps` if it is one of `every`, or the last.
    fn after(&mut self, k: usize, every: usize, steps: usize, sim: &mut sim::Simulation) {
        if (k + 1).is_multiple_of(every.max(1)) || k + 1 == steps {
            self.add(sim);
        }
    }

    /// The only part.
    fn single(&self) -> Answer<&Part> {
        match &self.parts[..] {
            [part] => Ok(part),
            all => Err(Problem::Changed(all.len())),
        }
    }
}

#[pymethods]
impl Record {
    /// Times, s.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Vector<'py> {
        vector(py, &self.parts.iter().flat_map(|p| p.times.clone()).collect::<Vec<_>>())
    }

    /// Coordinates, shape (instants, nq).
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let part = self.single()?;
        shaped(py, part.q.clone(), &[part.times.len(), part.figure.forest().nq()])
    }

    /// Velocities, shape (instants, nv).
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let part = self.single()?;
        shaped(py, part.v.clone(), &[part.times.len(), part.figure.forest().nv()])
    }

    /// Energies, J, shape (instants, 4): kinetic, potential, spring, total.
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let all: Vec<f64> = self.parts.iter().flat_map(|p| p.energy.clone()).collect();
        let rows = all.len() / 4;
        shaped(py, all, &[rows, 4])
    }

    /// The figure that moved.
    #[getter]
    fn figure(&self) -> Answer<Figure> {
        Ok(Figure::from_model(self.single()?.figure.clone()))
    }

    /// The motion, one frame per instant. Instants must be equally spaced; a last one that is closer is left out.
    fn to_clip(&self) -> Answer<Clip> {
        let part = self.single()?;
        let gaps: Vec<f64> = part.times.windows(2).map(|t| t[1] - t[0]).collect();
        let dt = gaps.first().copied().unwrap_or(1.0);
        let is_other = |gap: f64| (gap - dt).abs() > ROUNDING * dt;
        let frames = match gaps.last() {
            Some(&last) if last < dt && is_other(last) => gaps.len(),
            _ => part.times.len(),
        };
        if let Some(value) = gaps[..frames - 1].iter().copied().find(|&gap| is_other(gap)) {
            return Err(Problem::out_of_range("time between two instants", value, "constant"));
        }
        let q = part.q[..frames * part.figure.forest().nq()].to_vec();
        let clip = anthropi_motion::Clip::new(part.figure.name.clone(), part.figure.clone(), dt, q)?;
        Ok(Clip::from(clip.starting_at(part.times[0])))
    }

    /// Matplotlib figure of the energies over time.
    fn plot<'py>(slf: &Bound<'py, Self>) -> PyResult<Any<'py>> {
        slf.py().import("anthropi.plot")?.call_method1("record", (slf,))
    }

    fn __repr__(&self) -> String {
        format!("<Record of {} instants, {} structures>", self.__len__(), self.parts.len())
    }

    /// One record for each structure, in order.
    #[getter]
    fn parts(&self) -> Vec<Record> {
        self.parts.iter().map(|part| Record { parts: vec![part.clone()] }).collect()
    }

    fn __len__(&self) -> usize {
        self.parts.iter().map(|p| p.times.len()).sum()
    }
}
