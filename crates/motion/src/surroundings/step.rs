//! Steps: what carries feet above the ground.
//!
//! A foot above the ground stands on something if without it the contacts cannot supply what the motion requires; other feet
//! at rest above the ground are in the air. Stances at one height that are near to each other share a step.

use super::demand::{Demand, MISSING, SAME_HEIGHT, median};
use super::{GivenProp, Surroundings};
use crate::contact_points::Site;
use crate::contact_schedule::{ContactSchedule, Prop, PropKind, PropUse, intervals};
use anthropi_dynamics::spatial::{Vec3, vec3};
use core::ops::Range;

/// Lowest step, m.
const MIN_HEIGHT: f64 = 0.07;
/// Least time for which stances at the lowest level last, s: shorter ones are glitches of the capture.
const MIN_BASE_TIME: f64 = 0.3;
/// Least time for which a stance must carry what others cannot, s, and least part of the weight that it carries then.
const MIN_NEEDED: f64 = 0.1;
const MIN_GAIN: f64 = 0.1;
/// Stances above even ground: speed, m/s, least time, s, and range of heights, m.
const SLOW: f64 = 0.3;
const MIN_TIME: f64 = 0.25;
const MAX_RANGE: f64 = 0.03;
/// Heights of stances on one step differ by less than this, m: on tiptoe the sole is higher. A foot at rest this near to a
/// stance stands on the same step, m.
const SAME_STEP: f64 = 0.06;
const MAX_STRIDE: f64 = 0.3;
/// Stances on one step are at most this far apart, m; margin of a step around its footprints, m.
const MAX_GAP: f64 = 0.8;
const MARGIN: f64 = 0.04;
/// A given step is used by stances this near to its height, m.
const GIVEN_REACH: f64 = 0.1;

/// Heel and toe of a foot.
struct Foot {
    heel: usize,
    toe: usize,
}

/// A stance.
struct Stance {
    foot: usize,
    frames: Range<usize>,
    /// m
    height: f64,
    /// whether the schedule has it
    is_labelled: bool,
    given: Option<GivenProp>,
}

/// Adds the steps of a motion.
pub(super) fn add(schedule: &mut ContactSchedule, demand: &mut Demand, surroundings: &Surroundings) {
    let has_given = surroundings.given.iter().any(|g| g.kind == PropKind::Step);
    if !surroundings.finds && !has_given {
        return;
    }
    let feet = feet(schedule);
    let mut stances = labelled(schedule, &feet);
    if !schedule.ground.is_even {
        let base = base(&stances, demand.dt);
        schedule.ground.height = base.unwrap_or(schedule.ground.height);
    }
    let even = schedule.ground.is_even;
    stances.retain(|s| !even && s.height > schedule.ground.height + MIN_HEIGHT);
    if even {
        stances = above_even_ground(schedule, demand, &feet);
    }
    // what is given is there
    for stance in &mut stances {
        let off = |g: &GivenProp| (schedule.ground.height + g.height - stance.height).abs();
        let steps = surroundings.given.iter().filter(|g| g.kind == PropKind::Step && off(g) < GIVEN_REACH);
        stance.given = steps.min_by(|a, b| off(a).total_cmp(&off(b))).copied();
    }
    let (mut standing, mut doubtful): (Vec<Stance>, Vec<Stance>) = (Vec::new(), Vec::new());
    for stance in stances {
        let is_there =
            stance.given.is_some() || (surroundings.finds && is_needed(schedule, demand, &feet, &stance));
        if is_there { standing.push(stance) } else { doubtful.push(stance) }
    }
    // feet at rest on a step that is there stand on it
    let places: Vec<(f64, Vec<Vec3>)> =
        standing.iter().map(|s| (s.height, footprint(schedule, &feet, s))).collect();
    for stance in doubtful {
        let own = footprint(schedule, &feet, &stance);
        let is_same = |(height, print): &(f64, Vec<Vec3>)| {
            (height - stance.height).abs() < SAME_STEP && nearest(print, &own) < MAX_STRIDE
        };
        if places.iter().any(is_same) {
            standing.push(stance);
        } else if stance.is_labelled && surroundings.finds {
            points(&feet, &stance).for_each(|k| schedule.lift(k, stance.frames.clone()));
        }
    }
    let finds = surroundings.finds;
    schedule.ground.is_even = standing.is_empty() && (finds || even);
    build(schedule, &feet, standing);
}

fn feet(schedule: &ContactSchedule) -> Vec<Foot> {
    let points = schedule.points.iter().enumerate();
    let pair = |(heel, point): (usize, &crate::contact_points::ContactPoint)| {
        let Site::Heel(side) = point.site else { return None };
        let toe = schedule.points.iter().position(|p| p.site == Site::Toe(side))?;
        Some(Foot { heel, toe })
    };
    points.filter_map(pair).collect()
}

fn points<'a>(feet: &'a [Foot], stance: &Stance) -> impl Iterator<Item = usize> + use<'a> {
    let foot = &feet[stance.foot];
    [foot.heel, foot.toe].into_iter()
}

/// All stances of the schedule.
fn labelled(schedule: &ContactSchedule, feet: &[Foot]) -> Vec<Stance> {
    let stances = |(n, foot): (usize, &Foot)| {
        let on = |f: usize| schedule.is_on(foot.heel, f) || schedule.is_on(foot.toe, f);
        let on: Vec<bool> = (0..schedule.frames()).map(on).collect();
        let new = |frames: Range<usize>| {
            let heights = frames.clone().filter_map(|f| contact_height(schedule, foot, f));
            let height = median(heights.collect());
            Stance { foot: n, frames, height, is_labelled: true, given: None }
        };
        intervals(&on).into_iter().map(new).collect::<Vec<_>>()
    };
    feet.iter().enumerate().flat_map(stances).collect()
}

/// Mean height of the edges of a sole in contact.
fn contact_height(schedule: &ContactSchedule, foot: &Foot, f: usize) -> Option<f64> {
    let on = [foot.heel, foot.toe].into_iter().filter(|k| schedule.is_on(*k, f));
    let (sum, n) = on.fold((0.0, 0.0), |(s, n), k| (s + schedule.tracks[k].middle(f).z, n + 1.0));
    (n > 0.0).then_some(sum / n)
}

/// Height of the lowest level on which feet stand for long enough.
fn base(stances: &[Stance], dt: f64) -> Option<f64> {
    let mut heights: Vec<(f64, f64)> =
        stances.iter().map(|s| (s.height, s.frames.len() as f64 * dt)).collect();
    heights.sort_by(|a, b| a.0.total_cmp(&b.0));
    let level = |low: f64| heights.iter().filter(move |(h, _)| (low..low + SAME_HEIGHT).contains(h));
    let low =
        heights.iter().map(|(h, _)| *h).find(|h| level(*h).map(|l| l.1).sum::<f64>() >= MIN_BASE_TIME)?;
    let (sum, time) = level(low).fold((0.0, 0.0), |(s, t), (h, long)| (s + h * long, t + long));
    Some(sum / time)
}

/// Stances above even ground, where most feet are: both ends of a sole at rest at one height.
fn above_even_ground(schedule: &ContactSchedule, demand: &mut Demand, feet: &[Foot]) -> Vec<Stance> {
    let least = demand.frames(MIN_TIME).max(1);
    let mut found = Vec::new();
    for (n, foot) in feet.iter().enumerate() {
        let ends = [foot.heel, foot.toe];
        let rests = |f: usize| {
            ends.iter().all(|k| {
                let above = schedule.ground.above(schedule.tracks[*k].lowest(f));
                !schedule.is_on(*k, f) && schedule.tracks[*k].speed[f] < SLOW && above > MIN_HEIGHT
            })
        };
        let rests: Vec<bool> = (0..schedule.frames()).map(rests).collect();
        for frames in intervals(&rests).into_iter().filter(|r| r.len() >= least) {
            let height = |f: usize| 0.5 * ends.map(|k| schedule.tracks[k].middle(f).z).iter().sum::<f64>();
            let heights: Vec<f64> = frames.clone().map(height).collect();
            let range = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max)
                - heights.iter().copied().fold(f64::INFINITY, f64::min);
            if range < MAX_RANGE {
                let height = median(heights);
                found.push(Stance { foot: n, frames, height, is_labelled: false, given: None });
            }
        }
    }
    found
}

/// Whether a stance carries what all other contacts cannot.
fn is_needed(schedule: &ContactSchedule, demand: &mut Demand, feet: &[Foot], stance: &Stance) -> bool {
    let own: Vec<usize> = points(feet, stance).collect();
    let up = vec3(0.0, 0.0, 1.0);
    let mut gained = 0;
    let samples: Vec<usize> = demand.samples(stance.frames.clone()).collect();
    for f in &samples {
        let without = demand.missing(schedule, *f, &|k| !own.contains(&k), &[]);
        if without < MISSING.min(MIN_GAIN) {
            continue;
        }
        let on = own.iter().filter(|k| !stance.is_labelled || schedule.is_on(**k, *f));
        let more: Vec<_> =
            on.flat_map(|k| schedule.tracks[*k].at(*f)).map(|p| demand.point(*p, up)).collect();
        let with = demand.missing(schedule, *f, &|k| !own.contains(&k), &more);
        gained += usize::from(without - with > MIN_GAIN && with < 0.5 * without);
    }
    let every = stance.frames.len() as f64 / samples.len().max(1) as f64;
    gained as f64 * every * demand.dt >= MIN_NEEDED
}

/// Puts stances on steps.
fn build(schedule: &mut ContactSchedule, feet: &[Foot], mut stances: Vec<Stance>) {
    stances.sort_by_key(|s| (s.frames.start, s.foot));
    let first = schedule.props.len();
    let mut members: Vec<Vec<Stance>> = Vec::new();
    for stance in stances {
        let corners = footprint(schedule, feet, &stance);
        let is_on = |(step, of): (&Prop, &Vec<Stance>)| match stance.given {
            Some(given) => of.iter().any(|s| s.given == Some(given)),
            None => {
                !step.is_given
                    && of.iter().any(|s| (s.height - stance.height).abs() < SAME_STEP)
                    && gap(step, &corners) < MAX_GAP
            }
        };
        let at = schedule.props[first..].iter().zip(&members).position(is_on);
        let n = at.unwrap_or(members.len());
        if at.is_none() {
            schedule.props.push(new_step(schedule, feet, &stance));
            members.push(Vec::new());
        }
        extend(&mut schedule.props[first + n], &corners, stance.given);
        members[n].push(stance);
    }
    let ground = schedule.ground.height;
    for (n, members) in members.into_iter().enumerate() {
        let frames: f64 = members.iter().map(|s| s.frames.len() as f64).sum();
        let height = members.iter().map(|s| s.height * s.frames.len() as f64).sum::<f64>() / frames;
        let given = members.iter().find_map(|s| s.given);
        let step = &mut schedule.props[first + n];
        step.at.z = given.map_or(height, |g| ground + g.height);
        step.height = step.at.z - ground;
        step.uses = uses(&members);
        for stance in &members {
            for k in points(feet, stance) {
                let on: Vec<bool> = (0..schedule.frames())
                    .map(|f| stance.frames.contains(&f) && schedule.is_on(k, f))
                    .collect();
                let runs = if stance.is_labelled { intervals(&on) } else { vec![stance.frames.clone()] };
                runs.into_iter().for_each(|r| schedule.put_on(k, r, first + n));
            }
        }
    }
}

/// Stances merged where they overlap or touch.
fn uses(stances: &[Stance]) -> Vec<PropUse> {
    let mut frames: Vec<Range<usize>> = stances.iter().map(|s| s.frames.clone()).collect();
    frames.sort_by_key(|r| r.start);
    let mut uses: Vec<PropUse> = Vec::new();
    for r in frames {
        match uses.last_mut() {
            Some(last) if r.start <= last.frames.end => last.frames.end = last.frames.end.max(r.end),
            _ => uses.push(PropUse { frames: r, mean_bw: 0.0, peak_bw: 0.0 }),
        }
    }
    uses
}

/// Least distance between points of two sets, m.
fn nearest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().flat_map(|p| b.iter().map(|q| (*p - *q).norm())).fold(f64::INFINITY, f64::min)
}

/// Corners of the sole in the middle of a stance.
fn footprint(schedule: &ContactSchedule, feet: &[Foot], stance: &Stance) -> Vec<Vec3> {
    let f = (stance.frames.start + stance.frames.end) / 2;
    points(feet, stance).flat_map(|k| schedule.tracks[k].at(f).to_vec()).collect()
}

fn new_step(schedule: &ContactSchedule, feet: &[Foot], stance: &Stance) -> Prop {
    let f = (stance.frames.start + stance.frames.end) / 2;
    let [heel, toe] = [feet[stance.foot].heel, feet[stance.foot].toe].map(|k| schedule.tracks[k].middle(f));
    Prop {
        kind: PropKind::Step,
        at: Vec3 { z: stance.height, ..(heel + toe).scale(0.5) },
        heading: libm::atan2(toe.y - heel.y, toe.x - heel.x),
        half: [0.0; 2],
        height: stance.height - schedule.ground.height,
        uses: Vec::new(),
        is_given: stance.given.is_some(),
    }
}

/// A point in axes of a step: along and across.
fn local(step: &Prop, p: Vec3) -> [f64; 2] {
    let (s, c) = (libm::sin(step.heading), libm::cos(step.heading));
    let away = p - step.at;
    [c * away.x + s * away.y, c * away.y - s * away.x]
}

/// Distance of points from a step.
fn gap(step: &Prop, points: &[Vec3]) -> f64 {
    let outside = |p: &Vec3| {
        let at = local(step, *p);
        let [x, y] = [0, 1].map(|k| (at[k].abs() - step.half[k]).max(0.0));
        x.hypot(y)
    };
    points.iter().map(outside).fold(f64::INFINITY, f64::min)
}

/// Extends a step to hold points, or makes it as given.
fn extend(step: &mut Prop, points: &[Vec3], given: Option<GivenProp>) {
    let (s, c) = (libm::sin(step.heading), libm::cos(step.heading));
    let mut middle = [0.0; 2];
    for k in [0, 1] {
        let along = points.iter().map(|p| local(step, *p)[k]);
        let (low, high) =
            along.fold((-step.half[k], step.half[k]), |(a, b), x| (a.min(x - MARGIN), b.max(x + MARGIN)));
        // a step without size takes that of its first footprint
        let (low, high) = if step.half[k] == 0.0 && points.is_empty() { (0.0, 0.0) } else { (low, high) };
        (middle[k], step.half[k]) = (0.5 * (low + high), 0.5 * (high - low));
    }
    step.at += vec3(c * middle[0] - s * middle[1], s * middle[0] + c * middle[1], 0.0);
    if let Some(given) = given {
        let [x, y] = given.at.unwrap_or([step.at.x, step.at.y]);
        (step.at.x, step.at.y) = (x, y);
        step.half = given.size.map_or(step.half, |size| size.map(|s| 0.5 * s));
    }
}
