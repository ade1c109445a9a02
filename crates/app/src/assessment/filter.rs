//! A motion filtered, and assessed before and after.

use super::assistance::{self, ASSISTED, UNFAITHFUL};
use super::{Assessment, Clock, assess};
use crate::loaded_motion::{self, LoadedMotion};
use crate::result::{FilterResult, Verdict};
use anthropi_dynamics::model::{PlacedShape, Shape};
use anthropi_formats::{Error, Warning, file, motion};
use anthropi_motion::assumption::Assumption;
use anthropi_motion::certificate::Finding;
use anthropi_motion::contact_schedule::Prop;
use anthropi_motion::deviation::{Change, Deviation, JointDeviation};
use anthropi_motion::filter::{self, AppliedForce, FilterSettings, Filtered, Mode, SolvedStep, strength};
use anthropi_motion::inverse::{self, Inverse};
use anthropi_motion::lamps::{self, LampState, Lamps};
use anthropi_motion::note::Note;
use anthropi_motion::recording::Recording;
use anthropi_motion::tracking_protocol::TrackingProtocol;
use anthropi_motion::{Clip, Error as MotionError};
use std::path::Path;

/// Result of the filter, with assessments before and after.
pub struct FilterOutcome {
    /// the motion as given
    pub input: Assessment,
    /// the filtered motion with its forces
    pub filtered: Filtered,
    /// the filtered motion, forces re-estimated from kinematics; `None` if that fails
    pub from_motion: Option<Assessment>,
    /// error against the motion as given, as learned motion trackers report it
    pub protocol: TrackingProtocol,
    /// rotation of the joints against the motion as given
    pub joint: JointDeviation,
    /// on-line or off-line
    pub mode: Mode,
    /// RMS joint jerk of input and output until the first fall, rad/s^3
    pub jitter: [Option<f64>; 2],
    /// wall time
    pub clock: Clock,
    /// all notes
    pub notes: Vec<Note>,
}

/// Filters a motion and assesses it before and after. `progress` receives the name of the stage and its completed
/// fraction; `watch` receives every internal step, and its time is not counted. `input` is the name for messages; the
/// body parts of the motion replace those of `options` and `settings`.
///
/// # Errors
/// As [`assess`]; a motion that cannot be filtered.
pub fn filter_and_assess(
    input: &str,
    loaded: &LoadedMotion,
    options: &inverse::Options,
    settings: &FilterSettings,
    progress: &mut dyn FnMut(&'static str, f64),
    watch: &mut dyn FnMut(&SolvedStep),
) -> Result<FilterOutcome, Error> {
    let options = inverse::Options { parts: loaded.parts.clone(), ..options.clone() };
    let settings = FilterSettings { parts: loaded.parts.clone(), ..settings.clone() };
    let unfiltered = |source| Error::Forces { file: input.into(), source, why: None };
    let given = assess(input, loaded, &options, &mut |part| progress("forces", part))?;
    let mut clock = Clock::start();
    let mut watched = |step: &SolvedStep| {
        clock.step(step.time);
        watch(step);
        clock.resume();
    };
    let mut filtered =
        filter::run(&loaded.clip, &settings, &mut |part| progress("filter", part), &mut watched)
            .map_err(unfiltered)?;
    let dt = filtered.clip.dt();
    clock.stop(dt);
    filtered.clip = filtered.clip.starting_at(loaded.clip.start() * (dt / loaded.clip.dt()));
    let (protocol, joint) = compared(loaded, &filtered.clip).map_err(unfiltered)?;
    let mut notes = given.notes.clone();
    notes.extend(strength::report(loaded.clip.figure()).filter(|_| settings.strength.is_finite()));
    notes.extend(filtered.notes.iter().cloned());
    notes.extend(assistance::note(&filtered, &settings.pushes, &given));
    notes.extend(filtered.fell.and_then(|t| fall_cause(t, dt, settings.mode, &given)));
    notes.extend(push_note(&settings.pushes));
    // after a fall the kinematics may admit no forces
    let from_motion = match Inverse::from_clip(&filtered.clip, &options, &mut |_| ()) {
        Ok(inverse) => Some(Assessment::of_filtered(inverse, given.assumptions.clone())),
        Err(error) => {
            notes
                .push(Note::warning(format!("no forces re-estimated from the filtered kinematics: {error}")));
            None
        }
    };
    let until = filtered.fell.map_or(loaded.clip.frames(), |t| (t / dt).round() as usize);
    let jitter = [&loaded.clip, &filtered.clip].map(|clip| clip.jitter(until));
    Ok(FilterOutcome {
        input: given,
        filtered,
        from_motion,
        protocol,
        joint,
        mode: settings.mode,
        jitter,
        clock,
        notes,
    })
}

/// Error of the filtered motion. The first frame of a file is left out, as it is often a rest pose: either the reader
/// has removed it, or the comparison starts at the second frame.
fn compared(
    loaded: &LoadedMotion,
    filtered: &Clip,
) -> Result<(TrackingProtocol, JointDeviation), MotionError> {
    let is_removed = loaded.recording.as_ref().is_some_and(|recording| recording.rest.is_some());
    let first = usize::from(!is_removed);
    let mut given = loaded.clip.clone();
    if given.dt() != filtered.dt() {
        // a retimed motion is compared frame by frame
        let poses = given.poses().to_vec();
        given = Clip::new(given.name.clone(), given.figure().clone(), filtered.dt(), poses)?
            .starting_at(filtered.start());
    }
    let protocol = TrackingProtocol::compare(&given, filtered, first)?;
    Ok((protocol, JointDeviation::compare(&given, filtered, first)?))
}

impl FilterOutcome {
    /// Seconds of motion filtered per second of wall time.
    pub fn realtime_factor(&self) -> f64 {
        self.filtered.clip.duration() / self.clock.seconds().max(f64::MIN_POSITIVE)
    }

    /// Playback speed relative to the motion as given: 0.5 if the frame time was doubled.
    pub fn speed(&self) -> f64 {
        self.input.inverse.given.dt() / self.filtered.clip.dt()
    }

    /// The verdict in words; a motion that needed assistance, or that is not the given one any more, has its own.
    pub fn verdict(&self) -> &'static str {
        let filtered = &self.filtered;
        match filtered.assist_report().is_used() && filtered.is_consistent_but_for_assistance() {
            true => ASSISTED,
            false if filtered.is_consistent() && self.deviation().state() == LampState::Red => UNFAITHFUL,
            false => Verdict::from(filtered.is_consistent()).word(),
        }
    }

    /// How far the filtered motion is from the given one.
    pub fn deviation(&self) -> Deviation {
        let speed = self.speed();
        let [given, filtered] = self.jitter;
        let given_power = self.input.certificate.power_peak.value * speed;
        let mass = self.filtered.clip.figure().mass();
        Deviation {
            distance: self.protocol,
            joint: self.joint.clone(),
            // at another speed, jerk changes by its cube, and power by the speed (gravity) to its cube (inertia)
            jerk: Change { given: given.map(|jerk| jerk * speed.powi(3)), filtered },
            power: Change {
                given: Some(given_power / mass),
                filtered: Some(self.filtered.audit.power_peak / mass),
            },
            fell: self.filtered.fell,
        }
    }

    /// Whether the filtered motion is physical, faithful to the given one, and certain.
    pub fn lamps(&self) -> Lamps {
        let mut assumptions = self.input.assumptions.clone();
        let is_retimed = self.speed() != 1.0;
        assumptions.extend(is_retimed.then_some(Assumption::Retimed));
        assumptions.extend(self.filtered.assist_report().is_used().then_some(Assumption::Assistance));
        Lamps {
            physical: self.filtered.physical(),
            faithful: Some(self.deviation().faithful()),
            certain: lamps::certain(&assumptions, None),
        }
    }

    /// Whether the motion was tracked successfully: no fall, and no joint error beyond the limit of the protocol.
    pub fn is_tracked(&self) -> bool {
        self.filtered.fell.is_none() && self.protocol.is_close()
    }

    /// The serializable result.
    pub fn result(&self) -> FilterResult {
        FilterResult::new(self)
    }
}

/// Balance is lost at most this long before a fall is detected, s.
pub(super) const BEFORE_FALL: f64 = 1.0;

/// The worst finding of the input between two times of the filtered motion, whose frames are `dt` seconds apart.
pub(super) fn worst_finding(given: &Assessment, [from, to]: [f64; 2], dt: f64) -> Option<&Finding> {
    let [from, to] = [from, to].map(|t| (t.max(0.0) / dt) as usize);
    given.certificate.findings.iter().find(|f| (from..=to).contains(&f.worst))
}

/// Likely cause of a fall: the worst finding of the input shortly before it, else a limit of the on-line mode.
fn fall_cause(fell: f64, dt: f64, mode: Mode, given: &Assessment) -> Option<Note> {
    if let Some(worst) = worst_finding(given, [fell - BEFORE_FALL, fell], dt) {
        let at = worst.worst as f64 * dt;
        return Some(Note::warning(format!("input shortly before the fall ({at:.2} s): {}", worst.what)));
    }
    match mode {
        Mode::Online if !given.inverse.schedule.ground.is_even => {
            Some(Note::warning("on-line, the ground is assumed level; filter stairs off-line"))
        }
        Mode::Online => {
            Some(Note::warning("on-line, the filter looks one frame ahead; off-line it falls less often"))
        }
        Mode::Offline => None,
    }
}

fn push_note(pushes: &[AppliedForce]) -> Option<Note> {
    let most = pushes.iter().map(|p| (p.to - p.from) * p.force.norm()).fold(0.0, f64::max);
    let pushed = match pushes.len() {
        0 => return None,
        1 => "1 push".to_string(),
        n => format!("{n} pushes"),
    };
    Some(
        format!(
            "{pushed} of up to {most:.1} N s; the forces re-estimated from kinematics count them as residual"
        )
        .into(),
    )
}

/// Writes the filtered motion: as BVH on the skeleton of the recording, if the motion still has its frames. Returns what
/// the format cannot hold.
///
/// # Errors
/// As [`motion::save_clip`].
pub fn save(loaded: &LoadedMotion, outcome: &FilterOutcome, out: &Path) -> Result<Vec<Warning>, Error> {
    let after = &outcome.filtered.clip;
    match &loaded.recording {
        Some(source) if file::has_extension(out, &["bvh"]) => {
            let recording = loaded_motion::write_back(source, &loaded.clip, after);
            let mut lost = if recording.rest.is_some() { Vec::new() } else { rest_pose_warning(source) };
            lost.extend(motion::save_recording(out, &recording)?);
            Ok(lost)
        }
        _ if file::has_extension(out, &["glb", "gltf"]) => {
            motion::save_clip_with(out, after, &solids(&outcome.filtered.props))
        }
        _ => loaded_motion::save(after, out),
    }
}

/// Props as named solids, world axes.
fn solids(props: &[Prop]) -> Vec<(String, PlacedShape)> {
    let solid = |(n, prop): (usize, &Prop)| {
        let (link_from_shape, half) = prop.solid();
        (
            format!("{} {}", prop.kind.word(), n + 1),
            PlacedShape { shape: Shape::Box { half }, link_from_shape },
        )
    };
    props.iter().enumerate().map(solid).collect()
}

/// A warning if the recording has a rest pose, which the motion of a figure does not keep.
pub fn rest_pose_warning(recording: &Recording) -> Vec<Warning> {
    let what = || Warning::new("the rest pose before the motion is left out");
    recording.rest.is_some().then(what).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loaded_motion::SubjectOptions;
    use anthropi_formats::motion::Options;
    use anthropi_motion::recording::{Convention, Skeleton, Up};

    fn recording_with_rest_pose() -> Recording {
        Recording {
            name: "walk".into(),
            skeleton: Skeleton { bones: Vec::new() },
            dt: 0.01,
            rotations: Vec::new(),
            positions: Vec::new(),
            rest: Some((Vec::new(), Vec::new())),
            convention: Convention { unit: 1.0, up: Up::Z },
            notes: Vec::new(),
        }
    }

    /// The built-in jump, twice as fast as it can be.
    fn fast_jump() -> (LoadedMotion, FilterOutcome) {
        let mut loaded =
            loaded_motion::load("keyed-jump", &Options::default(), &SubjectOptions::default()).unwrap();
        loaded.clip = loaded.clip.at_speed(2.0).unwrap().starting_at(1.0);
        let (options, settings) = (inverse::Options::default(), FilterSettings::default());
        let outcome =
            filter_and_assess("jump", &loaded, &options, &settings, &mut |_, _| (), &mut |_| ()).unwrap();
        (loaded, outcome)
    }

    #[test]
    fn a_retimed_motion_keeps_its_frames_and_has_times_of_its_own() {
        let (loaded, outcome) = fast_jump();
        let (given, filtered) = (&loaded.clip, &outcome.filtered.clip);
        assert_eq!((given.frames(), outcome.speed()), (filtered.frames(), 0.5), "{:?}", outcome.notes);
        assert_eq!((filtered.start(), filtered.duration()), (2.0, 2.0 * given.duration()));
        let warnings: Vec<&Note> = outcome.notes.iter().filter(|n| n.is_warning).collect();
        assert!(warnings.iter().any(|n| n.contains("2.00 times too fast")), "{warnings:?}");
        // poses are compared, not times
        assert!(outcome.protocol.g_mpjpe_mm < 100.0, "{:?}", outcome.protocol);
        assert!(outcome.protocol.e_vel_mm.is_some_and(|mm| mm < 20.0), "{:?}", outcome.protocol);
        let result = outcome.result();
        assert_eq!((result.frames, result.speed), (given.frames(), 0.5));
        assert!(
            (result.fps * given.dt() - 0.5).abs() < 1e-9
                && (result.input.fps / result.fps - 2.0).abs() < 1e-9
        );
        // findings of the input are by frame
        let dt = filtered.dt();
        let mut input = outcome.input;
        let frame = given.frames() / 2;
        input.certificate.findings.truncate(1);
        input.certificate.findings[0].worst = frame;
        let note = fall_cause(frame as f64 * dt, dt, Mode::Offline, &input).unwrap();
        assert!(note.contains(&format!("({:.2} s)", frame as f64 * dt)), "{note}");
    }

    #[test]
    fn the_first_frame_of_a_file_is_not_compared() {
        let mut loaded =
            loaded_motion::load("keyed-walk", &Options::default(), &SubjectOptions::default()).unwrap();
        let clip = &loaded.clip;
        let mut q = clip.poses().to_vec();
        q[0] += 1.0; // the root of the first frame
        let filtered = Clip::new("walk", clip.figure().clone(), clip.dt(), q).unwrap();
        assert!(compared(&loaded, &filtered).unwrap().0.max_m < 1e-12);
        // the reader has removed it
        loaded.recording = Some(recording_with_rest_pose());
        assert!((compared(&loaded, &filtered).unwrap().0.max_m - 1.0).abs() < 1e-12);
    }
}
