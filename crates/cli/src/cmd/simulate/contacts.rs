//! Contacts of a run: names, tables, lanes of the plot, statistics.

use super::run::Schedule;
use crate::csv::{Csv, WRENCH};
use crate::report;
use anthropi_app::plot::{ContactInterval, Contacts, Lane, Series};
use anthropi_app::result::ContactTally;
use anthropi_dynamics::contact::{Contact, Scenery, Slip, Tally, Touch, World};
use anthropi_dynamics::model::Figure;
use anthropi_formats::names::counted;
use std::path::Path;

/// Columns of a contact after point and wrench.
pub const COLUMNS: [&str; 7] = ["other", "cx", "cy", "cz", "state", "slip", "solver"];

/// Names of the supported link and of the link or ground that supports it.
pub fn names<'a>(figure: &'a Figure, scenery: &'a [Scenery], contact: &Contact) -> [&'a str; 2] {
    let meeting = &contact.patch.pair;
    let link = |handle| figure.link(handle).map_or("", |l| l.spec.name.as_str());
    let ground = || meeting.scenery.and_then(|i| scenery.get(i as usize)).map_or("", |s| s.name.as_str());
    [link(meeting.link_a), meeting.link_b.map_or_else(ground, link)]
}

/// Adds a contact's point, force and moment.
pub fn add_wrench(csv: &mut Csv, contact: &Contact) {
    for v in [contact.patch.point, contact.wrench.linear, contact.wrench.angular] {
        csv.values(v.to_array());
    }
}

/// Adds the values of [`COLUMNS`].
pub fn add_state(csv: &mut Csv, other: &str, contact: &Contact) {
    csv.line.name(other);
    match contact.center {
        Some(center) => csv.values(center.to_array()),
        None => (0..3).for_each(|_| csv.line.nothing()),
    }
    for word in [contact.touch.name(), contact.slip.name(), contact.method.name()] {
        csv.line.value(word);
    }
}

/// Starts `contacts.csv`: force and moment on each link in contact, world axes, moment about the point; centre of
/// pressure, contact and slip state, and the solver.
pub fn table(dir: &Path) -> anyhow::Result<Csv> {
    let mut csv = Csv::create(dir, "contacts.csv")?;
    csv.values(WRENCH.iter().chain(&COLUMNS));
    csv.end_line()?;
    Ok(csv)
}

/// Adds a contact to the table.
pub fn row(csv: &mut Csv, time: f64, [link, other]: [&str; 2], contact: &Contact) -> anyhow::Result<()> {
    csv.line.value(time);
    csv.line.name(link);
    add_wrench(csv, contact);
    add_state(csv, other, contact);
    csv.end_line()
}

/// Contacts of a run, sampled for the plot.
pub struct Lanes {
    lanes: Vec<Lane>,
    /// mean normal force on scenery and between links since the sample before, N
    forces: [Vec<(f64, f64)>; 2],
    sums: [f64; 2],
    steps: f64,
    /// time of the last sample
    since: f64,
    /// largest normal force on scenery in a step, N, and when
    peak: (f64, f64),
}

impl Lanes {
    /// No samples yet.
    pub fn new() -> Lanes {
        let forces = [Vec::new(), Vec::new()];
        Lanes { lanes: Vec::new(), forces, sums: [0.0; 2], steps: 0.0, since: 0.0, peak: (0.0, 0.0) }
    }

    /// Adds the forces of a step.
    pub fn step(&mut self, time: f64, contacts: &[Contact]) {
        let mut now = [0.0; 2];
        for c in contacts {
            now[usize::from(c.patch.pair.link_b.is_some())] += normal_force(c);
        }
        self.sums.iter_mut().zip(now).for_each(|(sum, force)| *sum += force);
        self.steps += 1.0;
        if now[0] > self.peak.0 {
            self.peak = (now[0], time);
        }
    }

    /// Adds a sample: mean forces since the last one, and the present contact states.
    pub fn sample(&mut self, time: f64, figure: &Figure, scenery: &[Scenery], contacts: &[Contact]) {
        for (list, sum) in self.forces.iter_mut().zip(&mut self.sums) {
            list.push((time, core::mem::take(sum) / self.steps.max(1.0)));
        }
        let from = core::mem::replace(&mut self.since, time);
        self.steps = 0.0;
        if from == time {
            return;
        }
        // a pair may touch at several patches: the strongest counts
        let mut pairs: Vec<(String, Touch, Slip, f64)> = Vec::new();
        for c in contacts {
            let name = names(figure, scenery, c).join(" on ");
            let force = normal_force(c);
            match pairs.iter_mut().find(|p| p.0 == name) {
                // in the order of their declaration: free, point, line, surface
                Some(p) if (p.1 as u8, p.3) >= (c.touch as u8, force) => {}
                Some(p) => (p.1, p.2, p.3) = (c.touch, c.slip, force),
                None => pairs.push((name, c.touch, c.slip, force)),
            }
        }
        for (name, touch, slip, _) in pairs {
            let i = self.lanes.iter().position(|l| l.name == name).unwrap_or_else(|| {
                self.lanes.push(Lane { name, intervals: Vec::new() });
                self.lanes.len() - 1
            });
            self.lanes[i].add(ContactInterval { from, until: time, touch, slip });
        }
    }

    /// The plot.
    pub fn plot(self, figure: &Figure, schedule: &Schedule, every: u64, marks: Vec<f64>) -> Contacts {
        let weight = figure.mass() * figure.gravity().norm();
        let [ground, links] = self.forces;
        let mut forces = vec![Series { name: "on the ground".into(), points: ground }];
        if links.iter().any(|p| p.1 != 0.0) {
            forces.push(Series { name: "between links".into(), points: links });
        }
        let mut note = format!("forces: means over {} ms", (every as f64 * schedule.dt * 1e6).round() * 1e-3);
        if self.peak.0 > 0.0 {
            note = format!("{note}; peak on the ground: {:.0} N at {:.3} s", self.peak.0, self.peak.1);
        }
        Contacts {
            title: "Contacts".into(),
            lanes: self.lanes,
            end: self.since,
            forces,
            weight: (weight > 0.0).then_some(weight),
            note,
            marks,
        }
    }
}

fn normal_force(contact: &Contact) -> f64 {
    contact.wrench.linear.dot(contact.patch.axes.z)
}

/// Text for the terminal; empty for scenes without contact.
pub fn to_text(tally: &Tally, steps: u64, world: Option<&World>) -> String {
    if world.is_none() {
        return String::new();
    }
    if tally.steps == 0 {
        return "no contact\n".into();
    }
    let mut text = format!(
        "contact in {} of {}: {:.2} passes each, at most {}; {} by the cone solver, {}; deepest overlap {} mm\n",
        tally.steps,
        counted(steps, "step"),
        ContactTally::new(tally).passes_mean,
        tally.passes_max,
        tally.fallbacks,
        counted(tally.impacts, "bounce"),
        report::number(1e3 * tally.penetration_max),
    );
    if tally.cuts > 0 {
        text += &format!(
            "contact forces (mostly moments about the normal) were cut to their limit in {}\n",
            counted(tally.cuts, "step")
        );
    }
    if tally.unsolved > 0 {
        text += &format!("contact forces are valid but inexact in {}\n", counted(tally.unsolved, "step"));
    }
    if tally.violations > 0 {
        text += &format!(
            "contact forces violated a contact condition in {}\n",
            counted(tally.violations, "step")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_app::builtin;
    use anthropi_dynamics::contact::{ContactPair, Patch, PatchKey, SolveMethod, Surface};
    use anthropi_dynamics::spatial::{Force, Vec3, vec3};

    /// A foot of a standing figure on the floor.
    fn foot(figure: &Figure, name: &str, touch: Touch, force: f64) -> Contact {
        let link = figure.find_link(name).unwrap();
        let body = figure.forest().link_place(link).body;
        let pair = ContactPair {
            key: PatchKey::default(),
            a: body,
            b: body,
            link_a: link,
            link_b: None,
            scenery: Some(0),
            surface: Surface::default(),
        };
        let points = [(0, vec3(0.1, 0.0, 0.0), 0.0), (1, vec3(-0.1, 0.0, 0.0), 0.0)];
        Contact {
            patch: Patch::new(pair, vec3(0.0, 0.0, 1.0), &points).unwrap(),
            wrench: Force::new(Vec3::ZERO, vec3(5.0, 0.0, force)),
            center: (force > 0.0).then_some(vec3(0.02, 0.0, 0.0)),
            touch,
            slip: Slip::Stick,
            method: SolveMethod::Polished,
            carrying: 1,
            velocity: [0.0; 6],
        }
    }

    #[test]
    fn tables_hold_wrench_centre_state_and_solver() {
        let figure = builtin::figure("human-28").unwrap().unwrap().figure;
        let scenery = World::floor().scenery;
        let dir = std::env::temp_dir().join(format!("anthropi-contacts-{}", std::process::id()));
        let mut table = table(&dir).unwrap();
        for c in
            [foot(&figure, "left_foot", Touch::Surface, 300.0), foot(&figure, "right_foot", Touch::Free, 0.0)]
        {
            row(&mut table, 0.25, names(&figure, &scenery, &c), &c).unwrap();
        }
        table.finish().unwrap();
        let text = std::fs::read_to_string(dir.join("contacts.csv")).unwrap();
        std::fs::remove_dir_all(&dir).unwrap();
        let expected = "t,link,px,py,pz,fx,fy,fz,nx,ny,nz,other,cx,cy,cz,state,slip,solver\n\
                        0.25,left_foot,0,0,0,5,0,300,0,0,0,floor,0.02,0,0,surface,stick,polished\n\
                        0.25,right_foot,0,0,0,5,0,0,0,0,0,floor,,,,free,stick,polished\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_pair_has_one_lane_and_impulses_are_kept() {
        let figure = builtin::figure("human-28").unwrap().unwrap().figure;
        let scenery = World::floor().scenery;
        let schedule = Schedule { steps: 4, dt: 1e-3, signals: Vec::new() };
        let mut lanes = Lanes::new();
        for (k, force) in [0.0, 100.0, 300.0, 0.0].into_iter().enumerate() {
            let (time, touch) =
                ((k + 1) as f64 * 1e-3, if force > 0.0 { Touch::Surface } else { Touch::Free });
            let contacts =
                [foot(&figure, "left_foot", Touch::Free, 0.0), foot(&figure, "left_foot", touch, force)];
            lanes.step(time, &contacts);
            if k % 2 == 1 {
                lanes.sample(time, &figure, &scenery, &contacts);
            }
        }
        let plot = lanes.plot(&figure, &schedule, 2, Vec::new());
        assert_eq!(plot.lanes.len(), 1);
        assert_eq!(plot.lanes[0].name, "left_foot on floor");
        let intervals: Vec<(f64, f64, Touch)> =
            plot.lanes[0].intervals.iter().map(|s| (s.from, s.until, s.touch)).collect();
        assert_eq!(intervals, [(0.0, 2e-3, Touch::Surface), (2e-3, 4e-3, Touch::Free)]);
        assert_eq!(plot.forces.len(), 1);
        assert_eq!(plot.forces[0].points, [(2e-3, 50.0), (4e-3, 150.0)]);
        assert_eq!(plot.note, "forces: means over 2 ms; peak on the ground: 300 N at 0.003 s");
        assert!((plot.weight.unwrap() - 69.0 * 9.81).abs() < 1e-9);
    }

    #[test]
    fn statistics_are_reported() {
        let world = World::floor();
        let none = Tally::default();
        assert_eq!(to_text(&none, 10, None), "");
        assert_eq!(to_text(&none, 10, Some(&world)), "no contact\n");
        assert_eq!(ContactTally::new(&none).passes_mean, 0.0);
        let tally = Tally {
            steps: 4,
            passes_max: 7,
            passes: 10,
            fallbacks: 1,
            violations: 1,
            cuts: 2,
            unsolved: 3,
            impacts: 1,
            penetration_max: 2e-5,
        };
        let text = to_text(&tally, 10, Some(&world));
        assert_eq!(
            text,
            "contact in 4 of 10 steps: 2.50 passes each, at most 7; 1 by the cone solver, 1 bounce; \
             deepest overlap 0.02000 mm\ncontact forces (mostly moments about the normal) were cut to their limit in 2 steps\n\
             contact forces are valid but inexact in 3 steps\n\
             contact forces violated a contact condition in 1 step\n"
        );
        assert_eq!(ContactTally::new(&tally).passes_mean, 2.5);
        assert_eq!(ContactTally::new(&tally).penetration_max_m, 2e-5);
    }
}
