//! What a walk looks like in a few numbers, by which manners of walking are told apart.

use super::measure::{Range, Sample, heading_at};
use super::walk::Walked;
use crate::anatomy::{self, Part};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::{Vec3, vec3};

/// A walk over its steady steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    /// m/s
    pub speed: f64,
    /// m
    pub step_length: f64,
    /// steps per second
    pub step_frequency: f64,
    /// time on both feet, part of the cycle
    pub double_support: f64,
    /// rise and fall of the centre of mass, m
    pub vertical: f64,
    /// its way from side to side, m
    pub lateral: f64,
    /// largest flexion of a knee that carries, deg
    pub knee_stance: f64,
    /// largest flexion of a knee that swings, deg
    pub knee_swing: f64,
    /// chest ahead of upright, mean, deg
    pub lean: f64,
    /// highest vertical force of the ground, body weights
    pub peak: f64,
}

impl Look {
    /// Of a walk; parts as they were told for the figure.
    pub fn of(walked: &Walked, parts: &[(String, Part)]) -> Look {
        let m = &walked.measured;
        let range = |name: &str| m.determinants.iter().find(|(n, _)| *n == name).map(|(_, r)| *r);
        let most = |name: &str| range(name).map_or(0.0, |r| r.max);
        Look {
            speed: m.speed,
            step_length: m.length,
            step_frequency: m.frequency,
            double_support: m.double_support,
            vertical: m.vertical,
            lateral: range("lateral").map_or(0.0, |r| r.max - r.min),
            knee_stance: most("stance_knee"),
            knee_swing: most("swing_knee"),
            lean: lean(walked, parts).to_degrees(),
            peak: m.load.max,
        }
    }
}

/// Mean tilt of the chest along the way over the steady steps, against the declared pose, rad.
fn lean(walked: &Walked, parts: &[(String, Part)]) -> f64 {
    let (clip, steps) = (&walked.filtered.clip, &walked.steps.steps);
    let figure = clip.figure();
    let chest = anatomy::of_figure(figure, parts).ok().and_then(|a| a.find(Part::Chest));
    let Some((chest, _)) = chest.and_then(|n| figure.links().nth(n)) else { return 0.0 };
    let steady = || steps.iter().filter(|s| s.is_steady);
    let (Some(first), Some(last)) = (steady().next(), steady().next_back()) else { return 0.0 };
    let up_in_chest = figure.home_pose(chest).rotation.tr_mul(vec3(0.0, 0.0, 1.0));
    let mut kinematics = Kinematics::default();
    let (mut sum, mut count) = (0.0, 0.0_f64);
    for frame in 0..clip.frames() {
        let t = clip.time(frame) - clip.start();
        if !(first.lift..last.land).contains(&t) {
            continue;
        }
        kinematics.update(figure.forest(), clip.pose(frame), None, None);
        let up = kinematics.link_pose(figure.forest(), chest).rotation.mul(up_in_chest);
        let heading = heading_at(steps, t);
        sum += libm::atan2(up.x * libm::cos(heading) + up.y * libm::sin(heading), up.z);
        count += 1.0;
    }
    sum / count.max(1.0)
}

impl Walked {
    /// Direction of the way at a time, rad from x to y.
    pub fn heading(&self, time: f64) -> f64 {
        heading_at(&self.steps.steps, time)
    }

    /// Where a foot stood flat after a step, m.
    fn stood(&self, k: usize) -> Vec3 {
        let steps = &self.steps.steps;
        let step = &steps[k];
        // a third into the stance the sole is flat
        let leaves = steps.get(k + 2).map_or(step.land + 0.6, |s| s.lift);
        let time = step.land + 0.35 * (leaves - step.land);
        let sample = self.samples.get(self.samples.partition_point(|s| s.time < time));
        sample.map_or(step.print.at, |s| s.sole[step.side])
    }

    /// How far the centre of mass is to the left of the middle between footprints, m.
    pub fn aside(&self, sample: &Sample) -> f64 {
        let (d, heading) = (self.off_the_way(sample), self.heading(sample.time));
        d.y * libm::cos(heading) - d.x * libm::sin(heading)
    }

    /// From the middle between footprints to the centre of mass, m.
    fn off_the_way(&self, sample: &Sample) -> Vec3 {
        let (start, steps) = (&self.steps.start, &self.steps.steps);
        let middle = |k: usize| {
            // between a footprint and the other foot's before it
            let before = if k == 0 { start[1 - steps[0].side].at } else { self.stood(k - 1) };
            (self.stood(k) + before).scale(0.5)
        };
        let at = match steps.partition_point(|s| s.land <= sample.time) {
            0 => (start[0].at + start[1].at).scale(0.5),
            n if n == steps.len() => middle(n - 1),
            n => {
                let (from, to) = (steps[n - 1].land, steps[n].land);
                middle(n - 1) + (middle(n) - middle(n - 1)).scale((sample.time - from) / (to - from))
            }
        };
        sample.center - at
    }

    /// Measures what counts from the way, which may turn and climb: the lateral determinant, and rise and fall.
    pub(super) fn relate(&mut self) {
        let steady = || self.steps.steps.iter().filter(|s| s.is_steady);
        let (Some(first), Some(last)) = (steady().next(), steady().next_back()) else { return };
        let (mut lateral, mut height) = (Range::default(), Range::default());
        for s in self.samples.iter().filter(|s| (first.land..last.land).contains(&s.time)) {
            lateral.take(self.aside(s));
        }
        let [from, to] = self.measured.span;
        for s in self.samples.iter().filter(|s| (from..to).contains(&s.time)) {
            height.take(self.off_the_way(s).z);
        }
        if height.min <= height.max {
            self.measured.vertical = height.max - height.min;
        }
        let all = self.measured.determinants.iter_mut();
        all.filter(|(name, _)| *name == "lateral").for_each(|(_, range)| *range = lateral);
    }
}
