//! Quality of a retargeted motion.

use super::hold::Holds;
use super::target::Correspondence;
use crate::anatomy::Part;
use crate::ik::{Goal, Outcome, Task};
use crate::note::Note;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;

/// Position error of an end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndError {
    /// part that begins at this end (ankle, wrist), or the head
    pub part: Part,
    /// RMS over the frames, m
    pub rms: f64,
    /// maximum, m
    pub max: f64,
}

/// Time of a joint at its limit.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitUse {
    /// degree of freedom, as [`Figure::dof_names`]
    pub dof: String,
    /// fraction of the frames
    pub frames: f64,
}

/// Quality of a retargeted motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// scale from source to target
    pub ratio: f64,
    /// position errors of the ends
    pub ends: Vec<EndError>,
    /// joints at a limit, most frequent first
    pub limits: Vec<LimitUse>,
    /// largest slip of a held point between frames, m
    pub slip: f64,
    /// human-readable notes
    pub notes: Vec<Note>,
}

/// Collects the report frame by frame.
pub(super) struct ReportBuilder {
    names: Vec<String>,
    hits: Vec<usize>,
    errors: Vec<Vec<f64>>,
    /// targets and positions of held points in the last frame
    held: Vec<(Vec3, Vec3)>,
    frames: usize,
    kinematics: Kinematics,
    slip: f64,
}

impl ReportBuilder {
    pub fn new(map: &Correspondence, target: &Figure) -> ReportBuilder {
        let names = target.dof_names();
        ReportBuilder {
            hits: vec![0; names.len()],
            names,
            errors: vec![Vec::new(); map.ends.len()],
            held: Vec::new(),
            frames: 0,
            kinematics: Kinematics::default(),
            slip: 0.0,
        }
    }

    /// Adds a solved frame; the tasks of the ends come first.
    pub fn add_frame(&mut self, tasks: &[Task], outcome: &Outcome, target: &Figure, q: &[f64]) {
        for (errors, error) in self.errors.iter_mut().zip(&outcome.residuals) {
            errors.push(*error);
        }
        outcome.at_limit.iter().for_each(|i| self.hits[*i] += 1);
        self.measure_slip(tasks, target, q);
        self.frames += 1;
    }

    /// Slip of held points whose target has not moved.
    fn measure_slip(&mut self, tasks: &[Task], target: &Figure, q: &[f64]) {
        self.kinematics.update(target.forest(), q, None, None);
        let held = tasks.iter().filter(|t| t.level == super::HOLD_LEVEL).filter_map(|t| match t.goal {
            Goal::Position { link, point, at } => {
                Some((at, self.kinematics.link_pose(target.forest(), link).point(point)))
            }
            _ => None,
        });
        let held: Vec<(Vec3, Vec3)> = held.collect();
        for (at, now) in &held {
            let same = self.held.iter().find(|(b, _)| b == at);
            self.slip = same.map_or(self.slip, |(_, then)| self.slip.max((*now - *then).norm()));
        }
        self.held = held;
    }

    pub fn build(self, map: &Correspondence, holds: &Holds) -> Report {
        let frames = self.frames.max(1) as f64;
        let ends = map.ends.iter().zip(&self.errors).map(|((part, _), errors)| EndError {
            part: *part,
            rms: (errors.iter().map(|e| e * e).sum::<f64>() / frames).sqrt(),
            max: errors.iter().copied().fold(0.0, f64::max),
        });
        let hit = self.hits.iter().zip(&self.names).filter(|(n, _)| **n > 0);
        let mut limits: Vec<LimitUse> =
            hit.map(|(n, name)| LimitUse { dof: name.clone(), frames: *n as f64 / frames }).collect();
        limits.sort_by(|a, b| b.frames.total_cmp(&a.frames));
        let mut notes = Vec::new();
        let idle = map.target.segments.iter().filter(|s| map.source.find(s.part).is_none());
        let idle: Vec<String> = idle.map(|s| s.part.to_string()).collect();
        if !idle.is_empty() {
            notes.push(format!("parts without counterpart in the source: {}", idle.join(", ")).into());
        }
        if map.target.figure.joints().all(|(_, j)| j.kind != JointKind::Free) {
            notes.push("the target has no free base, so it cannot travel".into());
        }
        if !holds.all.is_empty() {
            notes.push(format!("{} contacts held in place", holds.all.len()).into());
        }
        Report { ratio: map.similarity.ratio, ends: ends.collect(), limits, slip: self.slip, notes }
    }
}
