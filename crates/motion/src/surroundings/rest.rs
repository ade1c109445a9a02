//! Seats under a pelvis at rest, and rails under hands at rest.
//!
//! A part of the body rests while it is slow at one height and place. It rests on something if for long enough the contacts
//! cannot supply what the motion requires, and with a level surface under the part they nearly can.

use super::carrier::{Carrier, distance, hand, hips, leg_tracks, low_hips, thigh};
use super::demand::{Demand, MISSING, SAME_HEIGHT, bridged, median};
use super::{GivenProp, Surroundings};
use crate::anatomy::{Anatomy, Side};
use crate::contact_points::Site;
use crate::contact_schedule::{ContactSchedule, Prop, PropKind, PropUse, Track};
use crate::split::Point;
use anthropi_dynamics::spatial::{Vec3, vec3};
use core::ops::Range;

/// Speed of a part at rest, m/s, with gaps up to the second, s; its mean, m/s; and least time, s.
const SLOW: f64 = 0.35;
const GAP: f64 = 0.2;
const MEAN_SPEED: f64 = 0.15;
const MIN_TIME: f64 = 0.4;
/// Horizontal extent of a rest about its middle, m.
const SAME_PLACE: f64 = 0.12;
/// Least time for which support must be missing, s, and part of the rest.
const MIN_MISSING: f64 = 0.25;
const MIN_MISSING_PART: f64 = 0.15;
/// Largest part of what is missing that may remain.
const MAX_REMAINING: f64 = 0.4;
/// Least mean load on a prop, body weights, by kind.
const MIN_LOAD: [f64; 2] = [0.15, 0.05];
/// Contact lasts while the part is less than this above its height at rest, m, and slower than this, m/s.
const CONTACT_RISE: f64 = 0.02;
const CONTACT_SPEED: f64 = 0.5;
/// Lowest seat and lowest rail, m.
const MIN_HEIGHT: [f64; 2] = [0.1, 0.2];
/// Distance of a thigh from a seat that it lies on, m.
const THIGH_DISTANCE: f64 = 0.05;
/// Part of an interval without sufficient support above which thighs are needed.
const MAX_OPEN: f64 = 0.1;
/// A given prop is used by parts this near to its height, m.
const GIVEN_REACH: f64 = 0.1;
/// Least half sizes of seats and rails, m, the margin around contacts, m, and how far the middle of a seat is ahead of the
/// hips, m.
const HALF: [[f64; 2]; 2] = [[0.2, 0.2], [0.1, 0.03]];
const MARGIN: f64 = 0.03;
const SEAT_AHEAD: f64 = 0.08;
/// Uses of one prop are at most this far apart, m.
const SAME_PROP: f64 = 0.35;
/// What a part once rested on carries it again within this of that height and place, m.
const REVISIT_HEIGHT: f64 = 0.03;
const REVISIT_PLACE: f64 = 0.2;
/// Hands this near to the axis of a leg rest on it, m.
const ON_LEG: f64 = 0.15;
/// Most rests tried in an interval.
const MAX_TRIES: usize = 8;

/// A carrier at rest.
struct Rest {
    /// frames in contact
    frames: Range<usize>,
    /// mean point below the carrier
    at: Vec3,
}

/// What the search asks of a kind of prop.
struct Search<'a> {
    kind: PropKind,
    carrier: &'a Carrier,
    track: &'a Track,
    /// further carriers that touch the same surface
    others: &'a [(Carrier, Track)],
    /// frames in which the body may use such a prop
    is_possible: &'a [bool],
    surroundings: &'a Surroundings,
}

/// Adds the seats that a motion needs.
pub(super) fn add_seats(
    schedule: &mut ContactSchedule,
    demand: &mut Demand,
    anatomy: &Anatomy,
    surroundings: &Surroundings,
) {
    let Some(hips) = hips(demand, anatomy) else { return };
    let thighs: Vec<(Carrier, Track)> = Side::BOTH
        .into_iter()
        .filter_map(|side| thigh(demand, anatomy, side))
        .map(|thigh| {
            let track = thigh.track(demand);
            (thigh, track)
        })
        .collect();
    let track = hips.track(demand);
    let low = low_hips(demand, anatomy);
    let search = Search {
        kind: PropKind::Seat,
        carrier: &hips,
        track: &track,
        others: &thighs,
        is_possible: &low,
        surroundings,
    };
    search.add(schedule, demand);
}

/// Adds the rails that a motion needs.
pub(super) fn add_rails(
    schedule: &mut ContactSchedule,
    demand: &mut Demand,
    anatomy: &Anatomy,
    surroundings: &Surroundings,
) {
    for side in Side::BOTH {
        let Some(hand) = hand(schedule, side) else { continue };
        let track = hand.track(demand);
        // hands on the ground are contacts already
        let palm = (0..schedule.points.len()).find(|k| schedule.points[*k].site == Site::Palm(side));
        let legs = leg_tracks(demand, anatomy);
        let is_on_leg = |f: usize| {
            let hand = track.middle(f);
            legs.iter().any(|leg| leg.at(f).windows(2).any(|ends| distance(hand, ends[0], ends[1]) < ON_LEG))
        };
        let is_free = |f: usize| palm.is_none_or(|k| !schedule.is_on(k, f)) && !is_on_leg(f);
        let is_free: Vec<bool> = (0..schedule.frames()).map(is_free).collect();
        let search = Search {
            kind: PropKind::Rail,
            carrier: &hand,
            track: &track,
            others: &[],
            is_possible: &is_free,
            surroundings,
        };
        search.add(schedule, demand);
    }
}

impl Search<'_> {
    fn index(&self) -> usize {
        usize::from(self.kind != PropKind::Seat)
    }

    fn flesh(&self, demand: &Demand) -> f64 {
        self.carrier.flesh * demand.stature
    }

    fn add(&self, schedule: &mut ContactSchedule, demand: &mut Demand) {
        let mut rests: Vec<(Rest, Option<GivenProp>)> = Vec::new();
        for given in self.surroundings.given.iter().filter(|g| g.kind == self.kind) {
            let found = self.rests_on_given(schedule, demand, given);
            rests.extend(found.into_iter().map(|rest| (rest, Some(*given))));
        }
        if self.surroundings.finds {
            let taken: Vec<Range<usize>> = rests.iter().map(|(r, _)| r.frames.clone()).collect();
            let found = self.rests(schedule, demand, &taken);
            rests.extend(found.into_iter().map(|rest| (rest, None)));
        }
        for (rests, given) in grouped(rests) {
            let rests = if given.is_none() { self.with_revisits(demand, rests) } else { rests };
            self.add_prop(schedule, demand, &rests, given);
        }
    }

    /// Intervals in which the carrier is slow.
    fn slow(&self, demand: &Demand) -> Vec<Range<usize>> {
        let is_slow: Vec<bool> = self
            .track
            .speed
            .iter()
            .zip(self.is_possible)
            .map(|(v, possible)| *v < SLOW && *possible)
            .collect();
        let least = demand.frames(MIN_TIME);
        let mut runs = bridged(&is_slow, demand.frames(GAP));
        runs.retain(|r| r.len() >= least);
        runs
    }

    /// Rests that are needed.
    fn rests(&self, schedule: &ContactSchedule, demand: &mut Demand, taken: &[Range<usize>]) -> Vec<Rest> {
        let mut is_missing = demand.is_missing(schedule);
        taken.iter().for_each(|r| is_missing[r.clone()].fill(false));
        let mut rests = Vec::new();
        for run in self.slow(demand) {
            for _ in 0..MAX_TRIES {
                let open: Vec<usize> = run.clone().filter(|f| is_missing[*f]).collect();
                if (open.len() as f64) * demand.dt < MIN_MISSING {
                    break;
                }
                let at = self.middle(&open);
                let window = self.window(&open, at, &run);
                let rest = self.rest(schedule, demand, &window, &is_missing);
                // whatever came of it, these frames are done
                open.iter().filter(|f| self.is_at(**f, at)).for_each(|f| is_missing[*f] = false);
                is_missing[window.clone()].fill(false);
                if let Some(rest) = rest {
                    is_missing[rest.frames.clone()].fill(false);
                    rests.push(rest);
                }
            }
        }
        rests
    }

    /// Median place of the carrier over frames.
    fn middle(&self, frames: &[usize]) -> Vec3 {
        let along =
            |axis: fn(Vec3) -> f64| median(frames.iter().map(|f| axis(self.track.middle(*f))).collect());
        vec3(along(|p| p.x), along(|p| p.y), along(|p| p.z))
    }

    /// Whether the carrier is near a place.
    fn is_at(&self, f: usize, at: Vec3) -> bool {
        let away = self.track.middle(f) - at;
        away.z.abs() < SAME_HEIGHT && away.x.hypot(away.y) < SAME_PLACE
    }

    /// The interval around the most of some frames in which the carrier stays at a place.
    fn window(&self, frames: &[usize], at: Vec3, run: &Range<usize>) -> Range<usize> {
        let here: Vec<bool> = (0..run.end).map(|f| f >= run.start && self.is_at(f, at)).collect();
        let runs = bridged(&here, 0);
        let count = |r: &Range<usize>| frames.iter().filter(|f| r.contains(f)).count();
        runs.into_iter()
            .max_by_key(|r| (count(r), core::cmp::Reverse(r.start)))
            .unwrap_or(run.start..run.start)
    }

    /// The rest in a window, if it is one and is needed.
    fn rest(
        &self,
        schedule: &ContactSchedule,
        demand: &mut Demand,
        window: &Range<usize>,
        is_missing: &[bool],
    ) -> Option<Rest> {
        let missing: Vec<usize> = window.clone().filter(|f| is_missing[*f]).collect();
        let (long, without) = (window.len() as f64 * demand.dt, missing.len() as f64 * demand.dt);
        let speed = mean(window.clone().map(|f| self.track.speed[f]));
        if long < MIN_TIME
            || without < MIN_MISSING.max(MIN_MISSING_PART * long)
            || speed > MEAN_SPEED
            || window.is_empty()
        {
            return None;
        }
        let all: Vec<usize> = window.clone().collect();
        let at = self.middle(&all) - vec3(0.0, 0.0, self.flesh(demand));
        if schedule.ground.above(at) < MIN_HEIGHT[self.index()] {
            return None;
        }
        let (mut before, mut after) = (0.0, 0.0);
        for f in demand.samples(window.clone()).filter(|f| is_missing[*f]) {
            let more = self.surface(demand, f, at.z);
            before += demand.missing(schedule, f, &|_| true, &[]);
            after += demand.missing(schedule, f, &|_| true, &more);
        }
        let frames = self.contact(window, at.z + self.flesh(demand));
        (after <= MAX_REMAINING * before && before > 0.0).then_some(Rest { frames, at })
    }

    /// Points on a level surface below the carriers.
    fn surface(&self, demand: &Demand, f: usize, height: f64) -> Vec<Point> {
        let mut points = self.carrier.below(demand, self.track, f, height);
        for (other, track) in self.others {
            if (track.middle(f).z - other.flesh * demand.stature - height).abs() < THIGH_DISTANCE {
                points.extend(other.below(demand, track, f, height));
            }
        }
        points
    }

    /// The interval of contact around a window.
    fn contact(&self, window: &Range<usize>, height: f64) -> Range<usize> {
        let is_down = |f: &usize| {
            self.track.middle(*f).z < height + CONTACT_RISE && self.track.speed[*f] < CONTACT_SPEED
        };
        let first = (0..window.start).rev().take_while(|f| is_down(f)).last();
        let last = (window.end..self.track.speed.len()).take_while(|f| is_down(f)).last();
        let mut inner = window.clone().filter(|f| is_down(f));
        let from = inner.clone().next().unwrap_or(window.start);
        let to = inner.next_back().unwrap_or(window.end - 1);
        let from = first.filter(|_| from == window.start).unwrap_or(from);
        let to = last.filter(|_| to + 1 == window.end).unwrap_or(to);
        from..to + 1
    }

    /// All rests on what some rests have shown to be there.
    fn with_revisits(&self, demand: &Demand, rests: Vec<Rest>) -> Vec<Rest> {
        let flesh = self.flesh(demand);
        let is_near = |f: usize| {
            let p = self.track.middle(f) - vec3(0.0, 0.0, flesh);
            let on = rests.iter().any(|r| {
                let away = p - r.at;
                r.frames.contains(&f)
                    || (away.z.abs() < REVISIT_HEIGHT && away.x.hypot(away.y) < REVISIT_PLACE)
            });
            on && self.is_possible[f] && self.track.speed[f] < SLOW
        };
        let near: Vec<bool> = (0..self.track.speed.len()).map(is_near).collect();
        let least = demand.frames(MIN_TIME);
        let runs = bridged(&near, demand.frames(GAP)).into_iter().filter(|r| r.len() >= least);
        let rest = |run: Range<usize>| {
            let middle = self.middle(&run.clone().collect::<Vec<_>>());
            Rest { frames: self.contact(&run, middle.z), at: middle - vec3(0.0, 0.0, flesh) }
        };
        let found: Vec<Rest> = runs.map(rest).filter(|r| !r.frames.is_empty()).collect();
        if found.is_empty() { rests } else { found }
    }

    /// Rests on a given prop: wherever the carrier is slow near its height and place.
    fn rests_on_given(&self, schedule: &ContactSchedule, demand: &Demand, given: &GivenProp) -> Vec<Rest> {
        let height = schedule.ground.height + given.height;
        let is_near = |f: usize| {
            let p = self.track.middle(f);
            let reach = given.size.map_or(SAME_PROP, |[l, w]| 0.5 * l.hypot(w) + MARGIN);
            let in_place = given.at.is_none_or(|[x, y]| (p.x - x).hypot(p.y - y) < reach);
            in_place
                && self.is_possible[f]
                && self.track.speed[f] < SLOW
                && (p.z - self.flesh(demand) - height).abs() < GIVEN_REACH
        };
        let near: Vec<bool> = (0..schedule.frames()).map(is_near).collect();
        let least = demand.frames(MIN_TIME);
        let runs = bridged(&near, demand.frames(GAP)).into_iter().filter(|r| r.len() >= least);
        let rest = |run: Range<usize>| {
            let middle = self.middle(&run.clone().collect::<Vec<_>>());
            Rest { frames: self.contact(&run, middle.z), at: Vec3 { z: height, ..middle } }
        };
        runs.map(rest).filter(|r| !r.frames.is_empty()).collect()
    }

    /// Adds a prop with its contacts, if it carries enough.
    fn add_prop(
        &self,
        schedule: &mut ContactSchedule,
        demand: &mut Demand,
        rests: &[Rest],
        given: Option<GivenProp>,
    ) {
        let long: f64 = rests.iter().map(|r| r.frames.len() as f64).sum();
        let height = rests.iter().map(|r| r.at.z * r.frames.len() as f64).sum::<f64>() / long.max(1.0);
        let frames: Vec<Range<usize>> = rests.iter().map(|r| r.frames.clone()).collect();
        let n = schedule.props.len();
        let mut trial = schedule.clone();
        let prop = self.prop(schedule, rests, height, given);
        // hands share rails
        let shared = trial.props.iter().position(|p| self.kind == PropKind::Rail && is_same_rail(p, &prop));
        let index = shared.unwrap_or(n);
        match shared {
            Some(k) => merge(&mut trial.props[k], &prop),
            None => trial.props.push(prop),
        }
        let height = trial.props[index].at.z;
        put(&mut trial, demand, self.carrier, &frames, index);
        // thighs lie on the seat at times; they count where the rest does not suffice
        let open: Vec<&Range<usize>> = frames.iter().filter(|r| is_missing_more(&trial, demand, r)).collect();
        for (thigh, track) in self.others {
            let lies = |f: usize| {
                let above = track.middle(f).z - thigh.flesh * demand.stature - height;
                above.abs() < THIGH_DISTANCE && track.speed[f] < SLOW
            };
            let own: Vec<Range<usize>> = open.iter().flat_map(|r| lying(r, &lies, demand)).collect();
            put(&mut trial, demand, thigh, &own, index);
        }
        let samples: Vec<usize> = frames.iter().flat_map(|r| demand.samples(r.clone())).collect();
        let load = |f: &usize| {
            demand.loads(&trial, *f).iter().filter(|(p, _)| *p == index).map(|(_, l)| l).sum::<f64>()
        };
        let loads: Vec<f64> = samples.iter().map(load).collect();
        if given.is_some() || mean(loads.into_iter()) >= MIN_LOAD[self.index()] {
            *schedule = trial;
        }
    }

    fn prop(
        &self,
        schedule: &ContactSchedule,
        rests: &[Rest],
        height: f64,
        given: Option<GivenProp>,
    ) -> Prop {
        let middle = rests.iter().fold(Vec3::ZERO, |s, r| s + r.at).scale(1.0 / rests.len().max(1) as f64);
        // from right to left across the hips
        let across = rests.iter().fold(Vec3::ZERO, |sum, r| {
            let points = self.track.at(r.frames.start);
            let (left, right) = points.split_at(points.len() / 2);
            let total = |points: &[Vec3]| points.iter().fold(Vec3::ZERO, |s, p| s + *p);
            sum + total(left) - total(right)
        });
        let ahead = Vec3 { z: 0.0, ..across }.cross(vec3(0.0, 0.0, 1.0)).normalized();
        let heading = ahead.map_or(0.0, |a| libm::atan2(a.y, a.x));
        let ahead = ahead.filter(|_| self.kind == PropKind::Seat).unwrap_or(Vec3::ZERO);
        let spread = rests.iter().map(|r| (r.at - middle).norm()).fold(0.0, f64::max) + MARGIN;
        let half = HALF[self.index()].map(|h| h.max(spread));
        let mut prop = Prop {
            kind: self.kind,
            at: Vec3 { z: height, ..middle + ahead.scale(SEAT_AHEAD) },
            heading,
            half,
            height: height - schedule.ground.height,
            uses: Vec::new(),
            is_given: given.is_some(),
        };
        if let Some(given) = given {
            let [x, y] = given.at.unwrap_or([prop.at.x, prop.at.y]);
            (prop.at.x, prop.at.y) = (x, y);
            prop.half = given.size.map_or(prop.half, |size| size.map(|s| 0.5 * s));
        }
        let new = |r: &Rest| PropUse { frames: r.frames.clone(), mean_bw: 0.0, peak_bw: 0.0 };
        prop.uses = rests.iter().map(new).collect();
        prop.uses.sort_by_key(|u| u.frames.start);
        prop
    }
}

/// Puts a carrier on a prop.
fn put(
    schedule: &mut ContactSchedule,
    demand: &Demand,
    carrier: &Carrier,
    frames: &[Range<usize>],
    prop: usize,
) {
    if frames.is_empty() {
        return;
    }
    let point = carrier.contact_point(demand, frames, schedule.props[prop].at.z, prop);
    let track = Track::all(demand.trajectory, core::slice::from_ref(&point)).pop().unwrap_or_default();
    let k = schedule.add_point(point, track);
    frames.iter().for_each(|r| schedule.put_on(k, r.clone(), prop));
}

/// Whether the contacts of an interval leave something missing for more than a moment.
fn is_missing_more(schedule: &ContactSchedule, demand: &mut Demand, frames: &Range<usize>) -> bool {
    let samples: Vec<usize> = demand.samples(frames.clone()).collect();
    let open = samples.iter().filter(|f| demand.missing(schedule, **f, &|_| true, &[]) > MISSING).count();
    open as f64 > MAX_OPEN * samples.len() as f64
}

/// Parts of an interval in which a thigh lies on a seat for long enough.
fn lying(frames: &Range<usize>, lies: &dyn Fn(usize) -> bool, demand: &Demand) -> Vec<Range<usize>> {
    let lies: Vec<bool> = (0..frames.end).map(|f| f >= frames.start && lies(f)).collect();
    let (gap, least) = (demand.frames(GAP), demand.frames(MIN_TIME));
    bridged(&lies, gap).into_iter().filter(|r| r.len() >= least).collect()
}

/// Whether two hands rest on one rail.
fn is_same_rail(a: &Prop, b: &Prop) -> bool {
    let away = a.at - b.at;
    a.kind == b.kind
        && a.is_given == b.is_given
        && away.z.abs() < SAME_HEIGHT
        && away.norm() < 2.0 * SAME_PROP
}

/// Extends a rail to where another hand rests.
fn merge(rail: &mut Prop, other: &Prop) {
    let along = Vec3 { z: 0.0, ..other.at - rail.at };
    rail.heading = libm::atan2(along.y, along.x);
    rail.half[0] = rail.half[0].max(0.5 * along.norm() + HALF[1][0]);
    if !rail.is_given {
        rail.at += along.scale(0.5);
    }
    for new in &other.uses {
        let overlaps = |u: &PropUse| u.frames.start < new.frames.end && new.frames.start < u.frames.end;
        match rail.uses.iter_mut().find(|u| overlaps(u)) {
            Some(u) => {
                u.frames = u.frames.start.min(new.frames.start)..u.frames.end.max(new.frames.end);
            }
            None => rail.uses.push(new.clone()),
        }
    }
    rail.uses.sort_by_key(|u| u.frames.start);
}

/// Rests at nearly the same height and place belong to one prop; those on a given prop to it.
fn grouped(rests: Vec<(Rest, Option<GivenProp>)>) -> Vec<(Vec<Rest>, Option<GivenProp>)> {
    let mut groups: Vec<(Vec<Rest>, Option<GivenProp>)> = Vec::new();
    for (rest, given) in rests {
        let belongs = |(group, of): &(Vec<Rest>, Option<GivenProp>)| {
            let near = group
                .iter()
                .any(|r| (r.at.z - rest.at.z).abs() < SAME_HEIGHT && (r.at - rest.at).norm() < SAME_PROP);
            *of == given && near
        };
        match groups.iter_mut().find(|g| belongs(g)) {
            Some((group, _)) => group.push(rest),
            None => groups.push((vec![rest], given)),
        }
    }
    groups
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(s, n), v| (s + v, n + 1.0));
    sum / f64::max(count, 1.0)
}
