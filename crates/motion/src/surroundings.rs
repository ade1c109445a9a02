//! Surroundings: seats, steps and rails that must be there for a motion to be possible, found from the motion alone.
//!
//! Where the contacts with the ground cannot supply the wrench that the motion requires, parts of the body that rest above
//! the ground may carry as well. The simplest explanation is kept: a seat under a pelvis at rest, then steps under feet, then
//! rails under hands; each only where it supplies most of what is missing, and feet above the ground that need not carry
//! are in the air. Level, straight surfaces of one height stand for what was used.
//!
//! | module | content |
//! |---|---|
//! | `demand` | the wrench required of contacts, and the part that given contacts cannot supply |
//! | `carrier` | the pelvis, thighs and hands as parts that may rest on something |
//! | `rest` | parts of the body at rest on something: seats and rails |
//! | `step` | stances of feet above the ground: steps |
//!
//! Source: our own.
//! Not here: walls, handles, things that move; the ground itself (`contact_schedule`).
//! Checked by: `tests/it/surroundings.rs`.

mod carrier;
mod demand;
mod rest;
mod step;

use crate::anatomy::Anatomy;
use crate::contact_schedule::{ContactSchedule, Prop, PropKind, PropUse};
use crate::note::Note;
use crate::trajectory::Trajectory;
use anthropi_dynamics::spatial::vec3;
use demand::Demand;

/// Which props a motion may use.
#[derive(Clone, Debug, PartialEq)]
pub struct Surroundings {
    /// whether props are found from the motion
    pub finds: bool,
    /// props known beforehand
    pub given: Vec<GivenProp>,
}

impl Default for Surroundings {
    fn default() -> Surroundings {
        Surroundings { finds: true, given: Vec::new() }
    }
}

impl Surroundings {
    /// The ground alone.
    pub fn none() -> Surroundings {
        Surroundings { finds: false, given: Vec::new() }
    }
}

/// A prop known beforehand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GivenProp {
    /// kind
    pub kind: PropKind,
    /// height of its surface above the ground, m
    pub height: f64,
    /// middle of its surface, x and y, m; where the motion uses it if `None`
    pub at: Option<[f64; 2]>,
    /// length and width, m
    pub size: Option<[f64; 2]>,
}

/// Adds the props to the contact schedule of a motion, with the contacts on them. `friction`: coefficient of friction of
/// all surfaces. Returns warnings about given props that are not used.
pub fn furnish(
    schedule: &mut ContactSchedule,
    trajectory: &Trajectory,
    anatomy: &Anatomy,
    surroundings: &Surroundings,
    friction: f64,
) -> Vec<Note> {
    let allowed = surroundings.finds || !surroundings.given.is_empty();
    let figure = trajectory.clip.figure();
    let has_weight = figure.mass() * figure.gravity().norm() > 0.0;
    let is_short = schedule.frames() < demand::MIN_FRAMES;
    if !allowed || !has_weight || is_short || schedule.ground.velocity.norm() > 0.0 {
        return Vec::new();
    }
    let mut demand = Demand::new(trajectory, anatomy, friction);
    // a figure that never touches the ground floats above it: steps would explain that away
    let is_grounded = (0..schedule.frames()).any(|f| schedule.any(f)) || !surroundings.given.is_empty();
    rest::add_seats(schedule, &mut demand, anatomy, surroundings);
    if is_grounded {
        step::add(schedule, &mut demand, surroundings);
    }
    rest::add_rails(schedule, &mut demand, anatomy, surroundings);
    add_unused(schedule, surroundings);
    weigh(schedule, &mut demand);
    warnings(schedule, trajectory)
}

/// Given props that the motion does not use: they stand where they were put, or are left out.
fn add_unused(schedule: &mut ContactSchedule, surroundings: &Surroundings) {
    for given in &surroundings.given {
        let height = schedule.ground.height + given.height;
        let is_same =
            |p: &Prop| p.is_given && p.kind == given.kind && (p.at.z - height).abs() < demand::SAME_HEIGHT;
        if !schedule.props.iter().any(is_same) {
            let [x, y] = given.at.unwrap_or([0.0; 2]);
            let [length, width] = given.size.unwrap_or(DEFAULT_SIZE);
            schedule.props.push(Prop {
                kind: given.kind,
                at: vec3(x, y, height),
                heading: 0.0,
                half: [0.5 * length, 0.5 * width],
                height: given.height,
                uses: Vec::new(),
                is_given: true,
            });
        }
    }
}

/// Size of given props that the motion does not use, m.
const DEFAULT_SIZE: [f64; 2] = [0.4, 0.4];

/// Finds the loads of all uses.
fn weigh(schedule: &mut ContactSchedule, demand: &mut Demand) {
    let mut sums: Vec<Vec<(f64, f64, f64)>> =
        schedule.props.iter().map(|p| vec![(0.0, 0.0, 0.0); p.uses.len()]).collect();
    if sums.iter().all(Vec::is_empty) {
        return;
    }
    for f in demand.samples(0..schedule.frames()) {
        let loads = demand.loads(schedule, f);
        for (n, (prop, sums)) in schedule.props.iter().zip(&mut sums).enumerate() {
            let load: f64 = loads.iter().filter(|(on, _)| *on == n).map(|(_, load)| load).sum();
            let uses = prop.uses.iter().zip(sums).filter(|(u, _)| u.frames.contains(&f));
            for (_, (sum, peak, count)) in uses {
                (*sum, *peak, *count) = (*sum + load, peak.max(load), *count + 1.0);
            }
        }
    }
    for (prop, sums) in schedule.props.iter_mut().zip(sums) {
        for (PropUse { mean_bw, peak_bw, .. }, (sum, peak, count)) in prop.uses.iter_mut().zip(sums) {
            (*mean_bw, *peak_bw) = (sum / f64::max(count, 1.0), peak);
        }
    }
}

/// Warnings about given props that are not used.
fn warnings(schedule: &ContactSchedule, trajectory: &Trajectory) -> Vec<Note> {
    let unused = schedule.props.iter().filter(|p| p.is_given && p.uses.is_empty());
    let warning =
        |prop: &Prop| Note::warning(format!("given {}", prop.describe(|f| trajectory.clip.time(f))));
    unused.map(warning).collect()
}
