//! A motion filtered, and judged before and after.

use super::clock::Clock;
use super::record::Record;
use crate::args::{ForceArgs, HowArgs, ModeWord};
use crate::cmd::inverse;
use crate::motions::Moving;
use crate::progress::Progress;
use anthropi_io::report::filter::Report;
use anthropi_motion::certificate::Certificate;
use anthropi_motion::filter::{self, Filtered, Mode, Push, Settings, Step};
use anthropi_motion::inverse::Inverse;
use anyhow::anyhow;
use std::path::Path;

/// Parts of the work that the bar shows.
const PARTS: u64 = 1000;

/// What came out.
pub struct Judged {
    /// forces behind the motion as it was given, and its certificate
    pub given: (Inverse, Certificate),
    /// what was found while reading it, and about its ground
    pub given_notes: Vec<String>,
    /// what the filter made of it
    pub filtered: Filtered,
    /// the same for its motion alone, where forces could be found
    pub alone: Option<(Inverse, Certificate)>,
    pub mode: ModeWord,
    /// before and after, until it fell, rad/s3
    pub jitter: [Option<f64>; 2],
    pub clock: Clock,
    /// all notes
    pub notes: Vec<String>,
}

impl Judged {
    /// Filters, and judges before and after; every step is written to `record`, if there is one.
    pub fn of(
        input: &str,
        moving: &Moving,
        how: &HowArgs,
        force: &ForceArgs,
        pushes: &[Push],
        record: Option<&Path>,
    ) -> anyhow::Result<Judged> {
        let asked = inverse::settings(force, moving, None);
        let given = inverse::behind(input, moving, &asked)?;
        let settings = settings(moving, how, force, pushes.to_vec());
        let (mut filtered, clock) = filtered(input, moving, &settings, record)?;
        filtered.clip = filtered.clip.starting_at(moving.clip.start());
        let mut notes = moving.notes.clone();
        notes.extend(given.touches.ground.told());
        let given_notes = notes.clone();
        notes.append(&mut filtered.notes.clone());
        notes.extend(told_of(pushes));
        // a figure that fell may do what no forces explain
        let alone = match Inverse::of(&filtered.clip, &asked, &mut |_| ()) {
            Ok(inverse) => Some((Certificate::of(&inverse), inverse)).map(|(c, i)| (i, c)),
            Err(error) => {
                notes.push(format!("the filtered motion alone cannot be judged: {error}"));
                None
            }
        };
        let certificate = Certificate::of(&given);
        let until = filtered.fell.map_or(moving.clip.frames(), |t| (t / moving.clip.dt()).round() as usize);
        let jitter = [&moving.clip, &filtered.clip].map(|clip| clip.jitter(until));
        let mode = how.mode();
        Ok(Judged { given: (given, certificate), given_notes, filtered, alone, mode, jitter, clock, notes })
    }

    /// Seconds of motion filtered in a second.
    pub fn realtime_factor(&self) -> f64 {
        self.filtered.clip.duration() / self.clock.seconds().max(f64::MIN_POSITIVE)
    }

    /// As the page tells it.
    pub fn report(&self) -> Report<'_> {
        Report {
            name: &self.given.0.trajectory.clip.name,
            given: (&self.given.0, &self.given.1),
            filtered: &self.filtered,
            alone: self.alone.as_ref().map(|(_, certificate)| certificate),
            mode: self.mode.into(),
            jitter: self.jitter,
            realtime_factor: self.realtime_factor(),
            notes: &self.notes,
        }
    }
}

/// What is wanted of the filter.
pub fn settings(moving: &Moving, how: &HowArgs, force: &ForceArgs, pushes: Vec<Push>) -> Settings {
    Settings {
        mode: how.mode().into(),
        solver: how.solver.into(),
        strength: how.strength,
        friction: force.friction,
        ground: force.ground,
        parts: moving.parts.clone(),
        pushes,
    }
}

/// A sentence about the pushes, where there are any.
fn told_of(pushes: &[Push]) -> Option<String> {
    let most = pushes.iter().map(|p| (p.to - p.from) * p.outside.force.norm()).fold(0.0, f64::max);
    let times = match pushes.len() {
        0 => return None,
        1 => "once".to_string(),
        n => format!("{n} times"),
    };
    Some(format!(
        "it is pushed {times}, by up to {most:.1} N s; judged by its motion alone, the pushes are forces that are missing"
    ))
}

/// Runs the filter; the time that writing takes is not its own.
fn filtered(
    input: &str,
    moving: &Moving,
    settings: &Settings,
    record: Option<&Path>,
) -> anyhow::Result<(Filtered, Clock)> {
    let clip = &moving.clip;
    let frame = (settings.mode == Mode::Online).then(|| clip.dt());
    let mut record =
        record.map(|dir| Record::create(dir, clip.figure(), &settings.pushes, frame)).transpose()?;
    let mut wrong = None;
    let mut bar = Progress::new("filter", PARTS);
    let mut progress = |part: f64| bar.at((part * PARTS as f64) as u64);
    let mut clock = Clock::start(moving.clip.dt());
    let mut watch = |step: &Step| {
        clock.step(step.time);
        if let (Some(record), None) = (&mut record, &wrong) {
            wrong = record.step(step).err();
            clock.resume();
        }
    };
    let filtered = filter::run(&moving.clip, settings, &mut progress, &mut watch)
        .map_err(|error| anyhow!("{input}: {error}"))?;
    clock.stop();
    match wrong {
        Some(error) => Err(error),
        None => record.map_or(Ok(()), Record::finish).map(|()| (filtered, clock)),
    }
}
