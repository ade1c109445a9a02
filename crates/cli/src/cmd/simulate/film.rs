//! Pictures of a run: a strip of poses, and plots of energy, closure error, forces and contacts.

use super::contacts::Lanes;
use super::run::{Record, Schedule};
use anthropi_app::plot::{Plot, Series};
use anthropi_app::svg::{self, Pose};
use anthropi_dynamics::contact::{Scenery, World};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::sim::{Energy, Simulation};
use anthropi_formats::file;
use std::path::Path;

/// Samples for the plots; poses are chosen among them.
const SAMPLES: u64 = 600;
/// Poses of the strip besides events.
const FRAMES: usize = 7;
/// The strip ends this fraction of its time after the last event, and at least LEAST_AFTER seconds.
const AFTER: f64 = 0.25;
const LEAST_AFTER: f64 = 0.5;
/// Poses closer to an event than this fraction of the strip are left out.
const CLOSE: f64 = 0.06;
/// Kinetic energy at rest, as a fraction of the maximum.
const AT_REST: f64 = 1e-3;
/// If everything rests before this fraction of the time, poses cover the motion before it, and the end.
const LONG_REST: f64 = 0.7;
/// Characters per line of a label.
const LINE: usize = 16;
/// Most connections in the force plot.
const MAX_LINES: usize = 8;

struct Sample {
    time: f64,
    energy: Energy,
    /// closure error, m and rad, if there are connections
    closure: Option<(f64, f64)>,
    /// name and size of each connection's force, N
    forces: Vec<(String, f64)>,
    /// index of the structure
    structure: usize,
    q: Vec<f64>,
    is_event: bool,
}

/// Samples of a run for its pictures.
pub struct Film {
    /// steps between two samples
    every: u64,
    /// the last step
    last: u64,
    structures: Vec<Figure>,
    samples: Vec<Sample>,
    events: usize,
    scenery: Vec<Scenery>,
    /// for scenes with contact
    lanes: Option<Lanes>,
}

impl Film {
    /// No samples yet.
    pub fn new(schedule: &Schedule, world: Option<&World>) -> Film {
        Film {
            every: schedule.steps.div_ceil(SAMPLES).max(1),
            last: schedule.steps,
            structures: Vec::new(),
            samples: Vec::new(),
            events: 0,
            scenery: world.map_or(Vec::new(), |w| w.scenery.clone()),
            lanes: world.map(|_| Lanes::new()),
        }
    }

    /// Adds a sample if one is due or an event just happened.
    pub fn add(&mut self, step: u64, time: f64, simulation: &Simulation, energy: Energy) {
        let figure = simulation.figure();
        if self.structures.last().is_none_or(|f| f.revision() != figure.revision()) {
            self.structures.push(figure.clone());
        }
        let is_event = simulation.happened().len() > self.events;
        self.events = simulation.happened().len();
        if let Some(lanes) = self.lanes.as_mut().filter(|_| step > 0) {
            lanes.step(time, simulation.contacts());
        }
        if !(step.is_multiple_of(self.every) || step == self.last || is_event) {
            return;
        }
        if let Some(lanes) = &mut self.lanes {
            lanes.sample(time, figure, &self.scenery, simulation.contacts());
        }
        let name = |joint| figure.joint(joint).map_or(String::new(), |j| j.name.clone());
        let (closed, has_loops) = (simulation.closure(), !figure.forest().loops().is_empty());
        self.samples.push(Sample {
            time,
            energy,
            closure: has_loops.then_some((closed.linear, closed.angular)),
            forces: simulation.connection_forces().map(|(j, f, _)| (name(j), f.linear.norm())).collect(),
            structure: self.structures.len() - 1,
            q: simulation.state().q.clone(),
            is_event,
        });
    }

    /// Writes frames.svg, energy.svg, closure.svg and forces.svg, and contacts.svg for scenes with contact.
    pub fn finish(mut self, dir: &Path, record: &Record, schedule: &Schedule) -> anyhow::Result<()> {
        write(dir, "frames.svg", &self.frames(record))?;
        if let (Some(lanes), Some(figure)) = (self.lanes.take(), self.structures.first()) {
            let marks = self.marks(record).into_iter().map(|(at, _)| at).collect();
            write(dir, "contacts.svg", &lanes.plot(figure, schedule, self.every, marks).to_svg())?;
        }
        write(dir, "energy.svg", &self.energy(record).to_svg())?;
        write(dir, "closure.svg", &self.closure(record).to_svg())?;
        write(dir, "forces.svg", &self.forces(record).to_svg())
    }

    /// Poses at events and, evenly, between them.
    fn frames(&self, record: &Record) -> String {
        let end = self.samples.last().map_or(0.0, |s| s.time);
        let last_event = record.events.last().map_or(0.0, |e| e.time);
        let end =
            if last_event > 0.0 { end.min(last_event + (AFTER * last_event).max(LEAST_AFTER)) } else { end };
        let mut chosen: Vec<usize> = (0..self.samples.len()).filter(|i| self.samples[*i].is_event).collect();
        let times = match self.rest().filter(|rest| *rest < LONG_REST * end) {
            Some(rest) => {
                (0..FRAMES - 1).map(|k| rest * k as f64 / (FRAMES - 2) as f64).chain([end]).collect()
            }
            None => (0..FRAMES).map(|k| end * k as f64 / (FRAMES - 1) as f64).collect::<Vec<_>>(),
        };
        let span = times.get(FRAMES - 2).map_or(end, |t| t * (FRAMES - 1) as f64 / (FRAMES - 2) as f64);
        for (k, wanted) in times.into_iter().enumerate() {
            let i =
                self.samples.partition_point(|s| s.time < wanted).min(self.samples.len().saturating_sub(1));
            let is_close = |j: &usize| (self.samples[*j].time - wanted).abs() < CLOSE * span;
            if i < self.samples.len() && !chosen.contains(&i) && (k == 0 || !chosen.iter().any(is_close)) {
                chosen.push(i);
            }
        }
        chosen.sort_unstable();
        let chosen: Vec<(&Sample, String)> =
            chosen.into_iter().map(|i| &self.samples[i]).map(|s| (s, label(s, record))).collect();
        let poses: Vec<Pose> = chosen
            .iter()
            .map(|(s, label)| Pose { figure: &self.structures[s.structure], q: &s.q, label })
            .collect();
        svg::strip_on(&poses, &self.scenery)
    }

    fn marks(&self, record: &Record) -> Vec<(f64, String)> {
        record.events.iter().skip(1).map(|e| (e.time, e.what.clone())).collect()
    }

    fn plot(&self, title: &str, y_label: &str, series: Vec<Series>, record: &Record) -> Plot {
        Plot {
            title: title.into(),
            x_label: "time, s".into(),
            y_label: y_label.into(),
            series,
            marks: self.marks(record),
            ..Plot::default()
        }
    }

    /// Time at which everything rests, for scenes with contact.
    fn rest(&self) -> Option<f64> {
        self.lanes.as_ref()?;
        let most = self.samples.iter().fold(0.0_f64, |m, s| m.max(s.energy.kinetic));
        let last = self.samples.iter().rposition(|s| s.energy.kinetic > AT_REST * most)?;
        self.samples.get(last + 1).map(|s| s.time)
    }

    fn line(&self, name: &str, of: impl Fn(&Sample) -> f64) -> Series {
        Series { name: name.into(), points: self.samples.iter().map(|s| (s.time, of(s))).collect() }
    }

    fn energy(&self, record: &Record) -> Plot {
        let mut series = vec![
            self.line("kinetic", |s| s.energy.kinetic),
            self.line("gravity", |s| s.energy.potential),
            self.line("total", |s| s.energy.total()),
        ];
        if self.samples.iter().any(|s| s.energy.spring != 0.0) {
            series.insert(2, self.line("springs", |s| s.energy.spring));
        }
        self.plot("Energy", "energy, J", series, record)
    }

    fn closure(&self, record: &Record) -> Plot {
        let part = |s: &Sample, of: fn((f64, f64)) -> f64| s.closure.map_or(f64::NAN, of);
        let series = vec![
            self.line("position, m", |s| part(s, |c| c.0)),
            self.line("angle, rad", |s| part(s, |c| c.1)),
        ];
        Plot {
            is_log: true,
            ..self.plot("Closure error of the connections", "error, m and rad", series, record)
        }
    }

    fn forces(&self, record: &Record) -> Plot {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in self.samples.iter().flat_map(|s| &s.forces) {
            if !names.contains(&name.as_str()) && names.len() < MAX_LINES {
                names.push(name);
            }
        }
        let force = |s: &Sample, name: &str| {
            s.forces.iter().find(|(n, _)| n == name).map_or(f64::NAN, |(_, size)| *size)
        };
        let series = names.iter().map(|name| self.line(name, |s| force(s, name))).collect();
        self.plot("Forces of the connections", "force, N", series, record)
    }
}

/// Time and the latest events.
fn label(sample: &Sample, record: &Record) -> String {
    let mut label = format!("{:.2} s", sample.time);
    if sample.is_event {
        // events happen at the beginning of the step whose end is drawn
        let past = || record.events.iter().skip(1).filter(|e| e.time < sample.time);
        let last = past().map(|e| e.time).fold(f64::NEG_INFINITY, f64::max);
        let mut said: Vec<&str> = past().filter(|e| e.time == last).map(|e| e.what.as_str()).collect();
        said.dedup();
        for what in said {
            label = format!("{label}\n{}", wrapped(what));
        }
    }
    label
}

/// Text wrapped to fit under a pose.
fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines.join("\n")
}

fn write(dir: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    Ok(file::replace(&dir.join(name), text.as_bytes())?)
}
