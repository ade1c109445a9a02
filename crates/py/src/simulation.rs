//! `Simulation`: a figure in motion, and `Record`: what it did.

use crate::arrays::{Array, Numbers, point as place, shaped, vector};
use crate::clip::Clip;
use crate::error::{Answer, Problem};
use crate::figure::Figure;
use crate::state::State;
use crate::structure::connection;
use anthropi_dynamics::contact::World;
use anthropi_dynamics::model;
use anthropi_dynamics::sim::{self, Integrator, Load, Script};
use anthropi_dynamics::spatial::{Transform, vec3};
use anthropi_io::{builtin, scene};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;

/// More steps than anyone waits for: a slip in the time step.
const MAX_STEPS: f64 = 1e9;
/// Part of a step that is put down to rounding, as 0.3 / 0.1 > 3.
const ROUNDING: f64 = 1e-6;
/// So many steps are made before Python is asked whether to go on.
const UNHEARD: usize = 256;

/// A figure moving in time, with contact, connections that are made and cut, and joint forces from outside.
#[pyclass(module = "anthropi")]
pub struct Simulation {
    inner: sim::Simulation,
    /// time step unless another is given, s
    #[pyo3(get, set)]
    dt: f64,
    /// how long a scene runs, s
    #[pyo3(get)]
    duration: Option<f64>,
    /// whether joint forces were given for the last step
    is_driven: bool,
    /// names of what stands still
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
    /// A figure from a state on; at home and at rest where none is given. ``ground`` lets it touch a floor at that height.
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
        let scene = match name.to_str().and_then(builtin::scene) {
            Some(scene) => scene?,
            None if name.extension().is_none() => {
                let all: Vec<&str> = builtin::scenes().iter().map(|b| b.name).collect();
                let name = name.display().to_string();
                let told = format!("there is no built-in scene `{name}`. There is: {}", all.join(", "));
                return Err(Problem::Unknown { what: "scene", name, told });
            }
            None => scene::load(&name)?,
        };
        let scenery = scene.world.iter().flat_map(|w| &w.scenery).map(|s| s.name.clone()).collect();
        let (dt, duration) = (scene.dt, Some(scene.duration));
        Ok(Simulation { inner: scene.simulation()?, dt, duration, is_driven: false, scenery })
    }

    /// Seconds since the start.
    #[getter]
    fn time(&self) -> f64 {
        self.inner.time()
    }

    /// Steps made so far.
    #[getter]
    fn steps(&self) -> u64 {
        self.inner.steps()
    }

    /// The figure as it is now; a copy.
    #[getter]
    fn figure(&self) -> Figure {
        Figure::of(self.inner.figure().clone())
    }

    /// Where it is and how fast; a copy.
    #[getter]
    fn state(&self, py: Python) -> State {
        State::from_model(py, self.inner.state().clone())
    }

    /// Puts it elsewhere: q and v of the present structure.
    #[setter]
    fn set_state(&mut self, py: Python, state: &State) -> Answer<()> {
        let wanted = state.to_model(py)?;
        Ok(self.inner.edit(|figure, state| {
            figure.check(&wanted)?;
            *state = wanted;
            Ok(())
        })?)
    }

    /// How steps are made: ``midpoint``, ``rk4`` or ``euler``.
    #[getter]
    fn integrator(&self) -> &'static str {
        INTEGRATORS.iter().find(|(_, i)| *i == self.inner.integrator).map_or("", |(name, _)| name)
    }

    #[setter]
    fn set_integrator(&mut self, name: &str) -> Answer<()> {
        let found = INTEGRATORS.iter().find(|(n, _)| *n == name).ok_or_else(|| Problem::Unknown {
            what: "integrator",
            name: name.into(),
            told: format!("there is no integrator `{name}`. There is: midpoint, rk4, euler"),
        })?;
        self.inner.integrator = found.1;
        Ok(())
    }

    /// Energy now, J: ``kinetic``, ``potential``, ``spring`` and their sum ``total``.
    #[getter]
    fn energy<'py>(&mut self, py: Python<'py>) -> Answer<Bound<'py, PyDict>> {
        let e = self.inner.energy();
        let told = PyDict::new(py);
        for (name, value) in
            [("kinetic", e.kinetic), ("potential", e.potential), ("spring", e.spring), ("total", e.total())]
        {
            told.set_item(name, value)?;
        }
        Ok(told)
    }

    /// Accelerations of the last step.
    #[getter]
    fn accelerations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, self.inner.accelerations())
    }

    /// A number that changes with every bit of the state: equal digests mean equal motion, here and in the program.
    #[getter]
    fn digest(&self) -> String {
        format!("{:016x}", self.inner.digest())
    }

    /// What happened so far: time, what, coordinates left.
    #[getter]
    fn events(&self) -> Vec<(f64, String, usize)> {
        self.inner.happened().iter().map(|h| (h.time, h.what.clone(), h.coordinates)).collect()
    }

    /// Contacts of the last step: ``link`` that is carried, ``on`` what, ``force`` on the link (N, world axes) and the
    /// ``center`` of pressure, where there is force.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> Answer<Vec<Bound<'py, PyDict>>> {
        let figure = self.inner.figure();
        let mut all = Vec::new();
        for contact in self.inner.contacts() {
            let meeting = &contact.patch.meeting;
            let on = match (meeting.link_b, meeting.scenery) {
                (Some(link), _) => figure.link(link)?.spec.name.as_str(),
                (None, Some(k)) => self.scenery.get(k as usize).map_or("", String::as_str),
                (None, None) => "",
            };
            let told = PyDict::new(py);
            told.set_item("link", &figure.link(meeting.link_a)?.spec.name)?;
            told.set_item("on", on)?;
            told.set_item("force", vector(py, &contact.wrench.linear.to_array()))?;
            told.set_item("center", contact.center.map(|c| vector(py, &c.to_array())))?;
            all.push(told);
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

    /// Moves on by one step under joint forces ``tau``, held over the step; none where they are not given. Returns the
    /// time.
    #[pyo3(signature = (tau=None, *, dt=None))]
    fn step(&mut self, py: Python, tau: Option<&Bound<PyAny>>, dt: Option<f64>) -> Answer<f64> {
        self.hold(tau)?;
        let dt = dt.unwrap_or(self.dt);
        Ok(py.detach(|| self.inner.step(dt))?.time)
    }

    /// Runs for ``duration`` seconds (a scene: as long as it says) and records every so many steps. ``control`` is asked
    /// before each step for joint forces: ``control(time, state) -> tau``; without it other Python threads run on.
    #[pyo3(signature = (duration=None, *, dt=None, every=1, control=None))]
    fn run(
        &mut self,
        py: Python,
        duration: Option<f64>,
        dt: Option<f64>,
        every: usize,
        control: Option<&Bound<PyAny>>,
    ) -> Answer<Record> {
        let dt = dt.unwrap_or(self.dt);
        let steps = steps(duration.or(self.duration), dt)?;
        let mut record = Record::default();
        record.take(&mut self.inner);
        for first in (0..steps).step_by(UNHEARD) {
            py.check_signals()?;
            let group = first..steps.min(first + UNHEARD);
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
        force: Option<&Bound<PyAny>>,
        torque: Option<&Bound<PyAny>>,
        point: Option<&Bound<PyAny>>,
        between: Option<(f64, f64)>,
    ) -> Answer<()> {
        let link = self.inner.figure().find_link(link)?;
        let (force, torque) = (place("force", force)?, place("torque", torque)?);
        let point = place("point", point)?;
        let script = between.map_or(Script::Constant, |(from, until)| Script::Between { from, until });
        self.inner.push(Load::Link { link, point, force, torque, script })?;
        Ok(())
    }

    /// Takes away all forces that were added.
    fn clear_pushes(&mut self) {
        self.inner.clear_loads();
    }

    /// Connects link ``a`` to link ``b`` (``None``: the world) where they are: poses stay, velocities change so that
    /// momentum is kept and the held directions are at rest. As ``Figure.connect``.
    #[pyo3(signature = (a, b=None, *, name, kind="spherical", axis=None, at=None))]
    fn connect(
        &mut self,
        a: &str,
        b: Option<&str>,
        name: &str,
        kind: &str,
        axis: Option<&Bound<PyAny>>,
        at: Option<&Bound<PyAny>>,
    ) -> Answer<()> {
        let (link, joint) = connection(self.inner.figure(), a, b, name, kind, axis, at)?;
        self.inner.connect(link, joint)?;
        Ok(())
    }

    /// Cuts a connection, or a joint of the tree: its subtree flies on by itself.
    fn cut(&mut self, joint: &str) -> Answer<()> {
        let handle = self.inner.figure().find_joint(joint)?;
        self.inner.cut(handle)?;
        Ok(())
    }

    /// Moves the pose until all connections are closed.
    fn assemble(&mut self) -> Answer<()> {
        self.inner.assemble()?;
        Ok(())
    }

    /// How far the connections are open, m and rad.
    #[getter]
    fn closure_error(&self) -> (f64, f64) {
        let closed = self.inner.closure();
        (closed.linear, closed.angular)
    }

    /// Gives a signal that events of a scene wait for.
    fn signal(&mut self, name: &str) {
        self.inner.signal(name);
    }

    fn __repr__(&self) -> String {
        format!("<Simulation of {} at {:.4} s>", self.inner.figure().name, self.inner.time())
    }
}

impl Simulation {
    /// Joint forces of the next step.
    fn hold(&mut self, tau: Option<&Bound<PyAny>>) -> Answer<()> {
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

/// How many steps make a duration.
fn steps(duration: Option<f64>, dt: f64) -> Answer<usize> {
    let wrong = |what: &str, value, expected| {
        Problem::from(anthropi_dynamics::Error::OutOfRange { what: what.into(), value, expected })
    };
    if !(dt > 0.0 && dt.is_finite()) {
        return Err(wrong("dt", dt, "more than zero"));
    }
    let Some(duration) = duration else {
        return Err(Problem::Argument("a duration is asked for: only scenes have one of their own".into()));
    };
    let steps = (duration / dt - ROUNDING).ceil();
    match duration >= 0.0 && steps <= MAX_STEPS {
        true => Ok(steps.max(0.0) as usize),
        false => Err(wrong("duration", duration, "zero or more seconds, and at most 1e9 steps")),
    }
}

/// What a simulation did: a row an instant. Where the structure changed on the way, ``parts`` has a record for each.
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
    fn take(&mut self, sim: &mut sim::Simulation) {
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

    /// After step `k` of `steps`: every so many, and the last.
    fn after(&mut self, k: usize, every: usize, steps: usize, sim: &mut sim::Simulation) {
        if (k + 1).is_multiple_of(every.max(1)) || k + 1 == steps {
            self.take(sim);
        }
    }

    /// The only part.
    fn one(&self) -> Answer<&Part> {
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
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.parts.iter().flat_map(|p| p.times.clone()).collect::<Vec<_>>())
    }

    /// Coordinates, shape (instants, nq).
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let part = self.one()?;
        shaped(py, part.q.clone(), &[part.times.len(), part.figure.forest().nq()])
    }

    /// Velocities, shape (instants, nv).
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let part = self.one()?;
        shaped(py, part.v.clone(), &[part.times.len(), part.figure.forest().nv()])
    }

    /// Energies, J, shape (instants, 4): kinetic, potential, of springs, total.
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> Answer<Array<'py>> {
        let all: Vec<f64> = self.parts.iter().flat_map(|p| p.energy.clone()).collect();
        let rows = all.len() / 4;
        shaped(py, all, &[rows, 4])
    }

    /// The figure that moved.
    #[getter]
    fn figure(&self) -> Answer<Figure> {
        Ok(Figure::of(self.one()?.figure.clone()))
    }

    /// The motion, with a frame for each instant: instants must be equally far apart. A last one that came sooner, because
    /// the run was over, is left out.
    fn to_clip(&self) -> Answer<Clip> {
        let part = self.one()?;
        let gaps: Vec<f64> = part.times.windows(2).map(|t| t[1] - t[0]).collect();
        let dt = gaps.first().copied().unwrap_or(1.0);
        let is_other = |gap: f64| (gap - dt).abs() > ROUNDING * dt;
        let frames = match gaps.last() {
            Some(&last) if last < dt && is_other(last) => gaps.len(),
            _ => part.times.len(),
        };
        if let Some(value) = gaps[..frames - 1].iter().copied().find(|&gap| is_other(gap)) {
            let what = "time between two instants".into();
            return Err(
                anthropi_dynamics::Error::OutOfRange { what, value, expected: "always the same" }.into()
            );
        }
        let q = part.q[..frames * part.figure.forest().nq()].to_vec();
        let clip = anthropi_motion::Clip::new(part.figure.name.clone(), part.figure.clone(), dt, q)?;
        Ok(Clip::of(clip.starting_at(part.times[0])))
    }

    /// Energies over time: a figure of matplotlib.
    fn plot<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
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
