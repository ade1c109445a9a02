//! How well a carried-over motion follows.

use super::stance::Holds;
use super::wish::Wishes;
use crate::anatomy::Part;
use crate::ik::{Goal, Outcome, Task};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;

/// How far an end is from where it should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    /// whose begin it is (ankle, wrist), or the top of the head
    pub part: Part,
    /// root of the mean square over the frames, m
    pub rms: f64,
    /// largest, m
    pub max: f64,
}

/// How often a joint is at its limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// degree of freedom, as [`Figure::dof_names`]
    pub dof: String,
    /// part of the frames
    pub frames: f64,
}

/// How well a motion was carried over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// lengths of the target by those of the source
    pub ratio: f64,
    /// places of ends
    pub ends: Vec<End>,
    /// joints that were at a limit, most often first
    pub limits: Vec<Limit>,
    /// largest way of a held point between frames of its stance, m
    pub slip: f64,
    /// steps of the solver in a frame, mean
    pub iterations: f64,
    /// largest change of a joint between frames, rad or m, and where: degree of freedom and frame
    pub jump: Option<(f64, String, usize)>,
    /// parts of the target that nothing of the source moves, and others
    pub notes: Vec<String>,
}

/// Collects while frames are solved.
pub(super) struct Watch {
    names: Vec<String>,
    hits: Vec<usize>,
    errors: Vec<Vec<f64>>,
    held: Vec<Vec<(Vec3, Vec3)>>,
    iterations: usize,
    frames: usize,
    jump: Option<(f64, usize, usize)>,
    before: Vec<f64>,
    kinematics: Kinematics,
    slip: f64,
}

impl Watch {
    pub fn new(wishes: &Wishes, target: &Figure) -> Watch {
        let names = target.dof_names();
        Watch {
            hits: vec![0; names.len()],
            names,
            errors: vec![Vec::new(); wishes.ends.len()],
            held: Vec::new(),
            iterations: 0,
            frames: 0,
            jump: None,
            before: Vec::new(),
            kinematics: Kinematics::default(),
            slip: 0.0,
        }
    }

    /// A frame that was solved. Tasks of ends come first.
    pub fn see(&mut self, tasks: &[Task], outcome: &Outcome, target: &Figure, q: &[f64]) {
        for (errors, error) in self.errors.iter_mut().zip(&outcome.residuals) {
            errors.push(*error);
        }
        outcome.at_limit.iter().for_each(|i| self.hits[*i] += 1);
        self.see_pins(tasks, target, q);
        self.see_jump(target, q);
        self.iterations += outcome.iterations;
        self.frames += 1;
    }

    /// Ways of pins that stay where they are wanted.
    fn see_pins(&mut self, tasks: &[Task], target: &Figure, q: &[f64]) {
        self.kinematics.update(target.forest(), q, None, None);
        let pins = tasks.iter().filter(|t| t.level == super::PIN).filter_map(|t| match t.goal {
            Goal::Place { link, point, at } => {
                Some((at, self.kinematics.link_pose(target.forest(), link).point(point)))
            }
            _ => None,
        });
        let pins: Vec<(Vec3, Vec3)> = pins.collect();
        if let Some(before) = self.held.last() {
            for (at, now) in &pins {
                let same = before.iter().find(|(b, _)| b == at);
                self.slip = same.map_or(self.slip, |(_, then)| self.slip.max((*now - *then).norm()));
            }
        }
        self.held = vec![pins];
    }

    fn see_jump(&mut self, target: &Figure, q: &[f64]) {
        if !self.before.is_empty() {
            let mut way = vec![0.0; target.forest().nv()];
            crate::pose::difference(target.forest(), &self.before, q, &mut way);
            for (i, w) in way.iter().enumerate() {
                if self.jump.is_none_or(|(size, ..)| w.abs() > size) {
                    self.jump = Some((w.abs(), i, self.frames));
                }
            }
        }
        self.before = q.to_vec();
    }

    pub fn report(self, wishes: &Wishes, holds: &Holds) -> Report {
        let frames = self.frames.max(1) as f64;
        let ends = wishes.ends.iter().zip(&self.errors).map(|((part, _), errors)| End {
            part: *part,
            rms: (errors.iter().map(|e| e * e).sum::<f64>() / frames).sqrt(),
            max: errors.iter().copied().fold(0.0, f64::max),
        });
        let hit = self.hits.iter().zip(&self.names).filter(|(n, _)| **n > 0);
        let mut limits: Vec<Limit> =
            hit.map(|(n, name)| Limit { dof: name.clone(), frames: *n as f64 / frames }).collect();
        limits.sort_by(|a, b| b.frames.total_cmp(&a.frames));
        let mut notes = Vec::new();
        let idle = wishes.target.segments.iter().filter(|s| wishes.source.find(s.part).is_none());
        let idle: Vec<String> = idle.map(|s| s.part.to_string()).collect();
        if !idle.is_empty() {
            notes.push(format!("nothing of the source moves: {}", idle.join(", ")));
        }
        if wishes.target.figure.joints().all(|(_, j)| j.kind != JointKind::Free) {
            notes.push("the target is fixed to the world; with a free base it could follow".into());
        }
        if !holds.all.is_empty() {
            notes.push(format!("{} stances held", holds.all.len()));
        }
        Report {
            ratio: wishes.similarity.ratio,
            ends: ends.collect(),
            limits,
            slip: self.slip,
            iterations: self.iterations as f64 / frames,
            jump: self.jump.map(|(size, i, frame)| (size, self.names[i].clone(), frame)),
            notes,
        }
    }
}
