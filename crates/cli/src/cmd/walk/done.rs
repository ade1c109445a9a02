//! The walk, and the neutral one it is compared with.

use super::asked::Asked;
use super::step::{Studied, Study};
use crate::args::WalkArgs;
use crate::cmd::filter::record::Record;
use crate::progress::Progress;
use anthropi_io::report::walk::Report;
use anthropi_io::walking::Part;
use anthropi_io::walking::Walking;
use anthropi_motion::filter::Step;
use anthropi_motion::gait::parameter::{Kind, Parameters};
use anthropi_motion::gait::{Look, Settings, Walked};
use std::time::Instant;

/// Parts of the work that the bar shows.
const PARTS: u64 = 1000;

/// What came out.
pub struct Done {
    pub walked: Walked,
    /// wall time of the walk, s
    pub seconds: f64,
    /// this walk, and one as usual, where the manner is another
    pub looks: Option<[Look; 2]>,
    /// one step, where it was to be looked into
    pub studied: Option<Studied>,
    /// a sentence each
    pub notes: Vec<String>,
}

impl Done {
    /// Walks; every step is written where the record is to be, if there is one.
    pub fn of(asked: &Asked, args: &WalkArgs) -> anyhow::Result<Done> {
        let record = args.record.as_deref();
        let mut record =
            record.map(|dir| Record::create(dir, &asked.figure, &asked.settings.pushes, None)).transpose()?;
        let mut study = Study::of(&args.step, asked)?;
        let mut wrong = None;
        let mut bar = Progress::new("walk", PARTS);
        let start = Instant::now();
        let mut progress = |part: f64| bar.at((part * PARTS as f64) as u64);
        let mut watch = |step: &Step| {
            if let (Some(record), None) = (&mut record, &wrong) {
                wrong = record.step(step).err();
            }
            if let Some(study) = &mut study {
                study.course.take(step);
            }
        };
        let mut walked = asked.walker.walk(&asked.stretches, &asked.settings, &mut progress, &mut watch)?;
        let seconds = start.elapsed().as_secs_f64();
        if let Some(error) = wrong {
            return Err(error);
        }
        record.map_or(Ok(()), Record::finish)?;
        drop(bar);
        walked.filtered.clip.name.clone_from(&asked.walking.name);
        let looks = compared(asked, &walked)?;
        let studied = study.map(|s| Studied::of(&args.step, asked, &walked, &s)).transpose()?;
        let mut notes = notes(asked, &walked);
        notes.extend(walked.filtered.notes.iter().cloned());
        Ok(Done { walked, seconds, looks, studied, notes })
    }

    /// Seconds walked in a second.
    pub fn realtime_factor(&self) -> f64 {
        self.walked.filtered.clip.duration() / self.seconds.max(f64::MIN_POSITIVE)
    }

    /// As the page tells it.
    pub fn report<'a>(&'a self, asked: &'a Asked) -> Report<'a> {
        Report {
            name: &asked.walking.name,
            parts: &asked.walking.parts,
            stretches: &asked.stretches,
            walked: &self.walked,
            looks: self.looks,
            refined: self.studied.as_ref().and_then(|s| s.refined.as_ref()),
            load: asked.load,
            settings: &asked.settings,
            realtime_factor: self.realtime_factor(),
            notes: &self.notes,
        }
    }
}

/// This walk and a neutral one of the same figure, where there is one stretch in another manner.
fn compared(asked: &Asked, walked: &Walked) -> anyhow::Result<Option<[Look; 2]>> {
    let ([_], [part], Some(stretch)) =
        (&asked.manners()[..], &asked.walking.parts[..], asked.stretches.first())
    else {
        return Ok(None);
    };
    // without steady steps there is nothing to compare
    if stretch.parameters.kind == Kind::Jump || walked.fell().is_some() {
        return Ok(None);
    }
    let usual = Part { lasts: part.lasts, kind: part.kind, ..Part::default() };
    let mut stretches = Walking::of("neutral", vec![usual]).stretches(asked.who)?;
    stretches[0].steps = stretch.steps;
    let settings = Settings { pushes: Vec::new(), ..asked.settings.clone() };
    let mut bar = Progress::new("the neutral walk to compare with", PARTS);
    let mut progress = |part: f64| bar.at((part * PARTS as f64) as u64);
    let neutral = asked.walker.walk(&stretches, &settings, &mut progress, &mut |_| ())?;
    let parts = &asked.settings.parts;
    Ok(Some([Look::of(walked, parts), Look::of(&neutral, parts)]))
}

/// What to know about the walk.
fn notes(asked: &Asked, walked: &Walked) -> Vec<String> {
    let mut notes = Vec::new();
    let figure = &asked.figure;
    let mut told = format!("{} walks: {:.1} kg", figure.name, figure.mass() - asked.load);
    if let Some(stature) = figure.stature {
        told.push_str(&format!(", {stature:.2} m"));
    }
    if asked.load > 0.0 {
        told.push_str(&format!(
            ", with a pack of {} kg on the back; body weights count it, strength does not",
            asked.load
        ));
    }
    notes.push(told);
    let all = &walked.steps.steps;
    let steady = all.iter().filter(|s| s.is_steady).count();
    notes.push(format!(
        "{steady} steady steps of {} in all: {} are for starting, stopping and changes of speed",
        all.len(),
        all.len() - steady
    ));
    if asked.stretches.iter().any(|s| no_double_support(&s.parameters)) {
        notes.push("double support is at its least, 2 % of the cycle: faster would be running".into());
    }
    /// Feet are said to be out of reach from here on, m.
    const OUT_OF_REACH: f64 = 0.001;
    if walked.out_of_reach > OUT_OF_REACH {
        notes.push(format!(
            "feet were out of the plan's reach by up to {:.0} mm, where legs are straight",
            1000.0 * walked.out_of_reach
        ));
    }
    let pushes = &asked.settings.pushes;
    let most = pushes.iter().map(|p| (p.to - p.from) * p.outside.force.norm()).fold(0.0, f64::max);
    if !pushes.is_empty() {
        let times = if pushes.len() == 1 { "once".into() } else { format!("{} times", pushes.len()) };
        notes.push(format!("pushed {times}, by up to {most:.1} N s"));
    }
    notes
}

fn no_double_support(p: &Parameters) -> bool {
    // eq. 9.7 gives less than what is kept
    p.kind == Kind::Walk && (29.08 - 9.6 * p.frequency) / 100.0 < p.double / p.cycle() - 1e-9
}
