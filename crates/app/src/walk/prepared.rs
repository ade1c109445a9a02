//! A walk ready to simulate: its figure, planned segments and settings.

use super::{NEUTRAL, SegmentRequest, WALKER, WalkFile};
use crate::loaded_motion;
use anthropi_dynamics::model::Figure;
use anthropi_formats::{Error, Loaded, Warning};
use anthropi_motion::anatomy::Part;
use anthropi_motion::filter::SolvedStep;
use anthropi_motion::gait::backpack::with_backpack;
use anthropi_motion::gait::footsteps::Segment;
use anthropi_motion::gait::parameter::{Kind, Stature};
use anthropi_motion::gait::{GaitMeasures, WalkResult, WalkSettings, Walker};
use anthropi_motion::note::Note;
use std::sync::Arc;

/// Least distance out of reach that is reported, m.
const OUT_OF_REACH: f64 = 1e-3;

/// A walk ready to simulate.
#[derive(Clone, Debug)]
pub struct PreparedWalk {
    /// the request
    pub walk: WalkFile,
    /// the figure with its load
    pub figure: Arc<Figure>,
    /// mass of the load, kg; part of the figure's mass
    pub load: f64,
    /// planner and controller for the figure
    pub walker: Walker,
    /// body size that the parameters depend on
    pub stature: Stature,
    /// planned segments
    pub segments: Vec<Segment>,
    /// friction, strength and pushes
    pub settings: WalkSettings,
    /// warnings about the figure
    pub warnings: Vec<Warning>,
}

impl PreparedWalk {
    /// Loads the figure and plans the segments. `parts` corrects the recognition of links.
    ///
    /// # Errors
    /// A figure that cannot be read or cannot walk, sizes, loads and gait parameters out of range, pushes on unknown
    /// links.
    pub fn new(walk: WalkFile, parts: &[(String, Part)]) -> Result<PreparedWalk, Error> {
        let Loaded { figure, warnings } =
            loaded_motion::floating_figure(walk.figure.as_deref().unwrap_or(WALKER))?;
        let own = loaded_motion::scaled(figure, walk.height, walk.mass)?;
        let load = walk.load.unwrap_or(0.0);
        let figure = Arc::new(with_backpack(&own, load, parts)?);
        let walker = Walker::new(&figure, parts)?;
        let stature = walker.stature(figure.stature);
        let segments = walk.segments(stature)?;
        let settings = WalkSettings {
            friction: walk.friction.unwrap_or(WalkSettings::default().friction),
            // strength scales with the figure's own mass
            strength: own.mass() / figure.mass(),
            pushes: walk.pushes_on(&figure)?,
        };
        Ok(PreparedWalk { walk, figure, load, walker, stature, segments, settings, warnings })
    }

    /// Simulates the walk. `progress` receives the completed fraction, `watch` every step of the engine.
    ///
    /// # Errors
    /// As [`Walker::walk`].
    pub fn run(
        &self,
        progress: &mut dyn FnMut(f64),
        watch: &mut dyn FnMut(&SolvedStep),
    ) -> Result<WalkResult, Error> {
        let mut walked = self.walker.walk(&self.segments, &self.settings, progress, watch)?;
        walked.filtered.clip.name.clone_from(&self.walk.name);
        Ok(walked)
    }

    /// Measures of a neutral walk by the same figure, for a walk of one segment in another style.
    ///
    /// # Errors
    /// A neutral walk that is impossible.
    pub fn neutral(
        &self,
        walked: &WalkResult,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Option<GaitMeasures>, Error> {
        let ([request], [segment]) = (&self.walk.requests[..], &self.segments[..]) else { return Ok(None) };
        let has_steady_steps = segment.parameters.kind != Kind::Jump && walked.fell().is_none();
        if request.style.name == NEUTRAL || !has_steady_steps {
            return Ok(None);
        }
        let request =
            SegmentRequest { length: request.length, kind: request.kind, ..SegmentRequest::default() };
        let mut segments = WalkFile::new("neutral", vec![request]).segments(self.stature)?;
        segments[0].steps = segment.steps;
        let settings = WalkSettings { pushes: Vec::new(), ..self.settings.clone() };
        Ok(Some(self.walker.walk(&segments, &settings, progress, &mut |_| ())?.measured))
    }

    /// Notes about the figure and the walk, then those of the controller.
    pub fn notes(&self, walked: &WalkResult) -> Vec<Note> {
        let (figure, load, all) = (&self.figure, self.load, walked.steps.steps.len());
        let mut subject = format!("{} walks: {:.1} kg", figure.name, figure.mass() - load);
        if let Some(stature) = figure.stature {
            subject += &format!(", {stature:.2} m");
        }
        if load > 0.0 {
            subject += &format!(", with a backpack of {load} kg; body weights include it, strength does not");
        }
        let steady = walked.steps.steps.iter().filter(|s| s.is_steady).count();
        let steps = format!(
            "{steady} of {all} steps are steady; {} are for starting, stopping and changes of speed",
            all - steady
        );
        let mut notes: Vec<Note> = vec![subject.into(), steps.into()];
        if self.segments.iter().any(|s| s.parameters.is_at_least_double_support()) {
            notes.push("double support is at its minimum, 2 % of the cycle: faster would be running".into());
        }
        if walked.out_of_reach > OUT_OF_REACH {
            notes.push(Note::warning(format!(
                "feet were up to {:.0} mm out of reach in the plan, with straight legs",
                1000.0 * walked.out_of_reach
            )));
        }
        let pushes = &self.settings.pushes;
        let largest = pushes.iter().map(|p| (p.to - p.from) * p.force.norm()).fold(0.0, f64::max);
        if !pushes.is_empty() {
            let times = if pushes.len() == 1 { "once".into() } else { format!("{} times", pushes.len()) };
            notes.push(format!("pushed {times}, by up to {largest:.1} N s").into());
        }
        notes.extend(walked.filtered.notes.iter().cloned());
        notes
    }
}
