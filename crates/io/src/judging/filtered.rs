//! A motion filtered, and judged before and after.

use super::certificate_json;
use super::clock::Clock;
use crate::error::{Error, Warning};
use crate::filtering;
use crate::motion;
use crate::moving::{self, Moving};
use crate::report::filter::Report;
use anthropi_motion::certificate::{Certificate, Finding};
use anthropi_motion::filter::{self, Filtered, Mode, Push, Settings, Step, strength};
use anthropi_motion::inverse::{self, Inverse};
use anthropi_motion::recording::Recording;
use serde_json::{Value, json};
use std::path::Path;

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
    /// how much of the motion was known
    pub mode: Mode,
    /// before and after, until it fell, rad/s3
    pub jitter: [Option<f64>; 2],
    /// wall time
    pub clock: Clock,
    /// all notes
    pub notes: Vec<String>,
}

impl Judged {
    /// Filters, and judges before and after. `progress` hears what is worked on and which part of it is done; `watch` sees
    /// every internal step, and its time does not count.
    ///
    /// # Errors
    /// Forces that cannot be found, a motion that cannot be filtered; `input` is its name for messages.
    pub fn of(
        input: &str,
        moving: &Moving,
        asked: &inverse::Settings,
        settings: &Settings,
        progress: &mut dyn FnMut(&'static str, f64),
        watch: &mut dyn FnMut(&Step),
    ) -> Result<Judged, Error> {
        let asked = inverse::Settings { parts: moving.parts.clone(), ..asked.clone() };
        let settings = Settings { parts: moving.parts.clone(), ..settings.clone() };
        let given = super::forces(input, moving, &asked, &mut |part| progress("forces", part))?;
        let mut clock = Clock::start(moving.clip.dt());
        let mut watched = |step: &Step| {
            clock.step(step.time);
            watch(step);
            clock.resume();
        };
        let mut filtered =
            filter::run(&moving.clip, &settings, &mut |part| progress("filter", part), &mut watched)
                .map_err(|source| Error::Forces { file: input.into(), source, why: None })?;
        clock.stop();
        filtered.clip = filtered.clip.starting_at(moving.clip.start());
        let mut notes = moving.notes.clone();
        notes.extend(given.touches.ground.told());
        let given_notes = notes.clone();
        notes.extend(strength::told(moving.clip.figure()).filter(|_| settings.strength.is_finite()));
        notes.append(&mut filtered.notes.clone());
        let certificate = Certificate::of(&given);
        notes.extend(filtered.fell.and_then(|t| why_it_fell(t, settings.mode, &given, &certificate)));
        notes.extend(told_of(&settings.pushes));
        // a figure that fell may do what no forces explain
        let alone = match Inverse::of(&filtered.clip, &asked, &mut |_| ()) {
            Ok(inverse) => Some((Certificate::of(&inverse), inverse)).map(|(c, i)| (i, c)),
            Err(error) => {
                notes.push(format!("the filtered motion alone cannot be judged: {error}"));
                None
            }
        };
        let until = filtered.fell.map_or(moving.clip.frames(), |t| (t / moving.clip.dt()).round() as usize);
        let jitter = [&moving.clip, &filtered.clip].map(|clip| clip.jitter(until));
        let mode = settings.mode;
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
            mode: self.mode,
            jitter: self.jitter,
            realtime_factor: self.realtime_factor(),
            notes: &self.notes,
        }
    }
}

/// What was wrong with the motion as it was given shortly before it fell; else what its way of going knows too little of.
fn why_it_fell(fell: f64, mode: Mode, given: &Inverse, certificate: &Certificate) -> Option<String> {
    /// Somebody who falls has lost balance so much earlier, s.
    const BEFORE: f64 = 1.0;
    let dt = given.trajectory.clip.dt();
    let [from, to] = [fell - BEFORE, fell].map(|t| (t.max(0.0) / dt) as usize);
    let is_near = |f: &&Finding| (from..=to).contains(&f.worst);
    if let Some(worst) = certificate.findings.iter().find(is_near) {
        let at = given.trajectory.clip.time(worst.worst) - given.trajectory.clip.start();
        return Some(format!("as it was given, shortly before it falls ({at:.2} s): {}", worst.what));
    }
    match mode {
        Mode::Online if !given.touches.ground.is_even => {
            Some("on-line the ground is level: stairs are known off-line only".into())
        }
        Mode::Online => {
            Some("on-line no more than a frame ahead is known: off-line more motions stand".into())
        }
        Mode::Offline => None,
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

/// How much of the motion is known, as people type it.
pub fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Online => "online",
        Mode::Offline => "offline",
    }
}

/// What a filtered motion is worth, as others rely on it.
pub fn filter_json(judged: &Judged) -> Value {
    let Judged { given, filtered, alone, .. } = judged;
    let (clip, tracking, proof) = (&filtered.clip, &filtered.tracking, &filtered.proof);
    json!({
        "name": clip.name,
        "frames": clip.frames(),
        "fps": 1.0 / clip.dt(),
        "duration_s": clip.duration(),
        "mode": mode_name(judged.mode),
        "fell": filtered.fell.is_some(),
        "fell_at_s": filtered.fell,
        "falls": filtered.falls,
        "tracking": {
            "joint_rms_deg": tracking.joint_rms_deg, "joint_max_deg": tracking.joint_max_deg,
            "root_rms_m": tracking.root_rms_m, "link_rms_m": tracking.link_rms_m,
        },
        "input": certificate_json(&given.0, &given.1, &judged.given_notes),
        "output": filtering::certificate(filtered),
        "output_from_motion": alone.as_ref().map(|(inverse, certificate)| {
            certificate_json(inverse, certificate, &inverse.touches.ground.told())
        }),
        "jitter": { "input": judged.jitter[0], "output": judged.jitter[1] },
        "time_per_frame_us": judged.clock.to_json(),
        "realtime_factor": judged.realtime_factor(),
        "delay_frames": filtered.delay,
        "solver": {
            "fallbacks": proof.fallbacks, "infeasible": proof.infeasible, "at_strength": proof.at_strength,
            "newton_per_step": proof.newton as f64 / proof.steps.max(1) as f64, "driven": proof.driven,
        },
        "notes": judged.notes,
    })
}

/// Writes the filtered motion: BVH on the skeleton it came on, where it still has its frames. Returns what was lost.
///
/// # Errors
/// As [`motion::save_clip`].
pub fn save(moving: &Moving, judged: &Judged, out: &Path) -> Result<Vec<Warning>, Error> {
    let after = &judged.filtered.clip;
    let is_bvh = out.extension().is_some_and(|e| e.eq_ignore_ascii_case("bvh"));
    match &moving.own {
        Some(own) if is_bvh => {
            let recording = moving::recording_of(own, &moving.clip, after);
            let mut lost = if recording.rest.is_some() { Vec::new() } else { lost_on_the_way(own) };
            lost.extend(motion::save_recording(out, &recording)?);
            Ok(lost)
        }
        _ => moving::save(after, out),
    }
}

/// What a motion of a figure does not keep of a recording.
pub fn lost_on_the_way(recording: &Recording) -> Vec<Warning> {
    let what = || Warning { place: None, what: "the rest pose before the motion is left out".into() };
    recording.rest.is_some().then(what).into_iter().collect()
}
