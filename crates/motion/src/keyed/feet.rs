//! Paths of feet that stand exactly where they stand.
//!
//! A stance is a run of pins without a gap; its place is that of the keyed foot at the start of its flat pin, in a
//! cycle in the middle. On a flat pin the foot lies there; on a heel or toe pin it turns about that edge of the sole, by
//! the keyed pitch. In the air it goes as the keys have it, plus polynomials in time that take it away from one stance
//! and to the next with its place, velocity and acceleration. The pitch is made so between flat pins.

use super::score::Score;
use super::{Keyed, Sole};
use crate::anatomy::{self, Side};
use crate::ease::{self, Jet};
use crate::error::Error;
use crate::spots::{self, Spot};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Quat, RotationOrder, Transform, Vec3, vec3};

/// Pins closer than this belong to one stance, s.
const JOINED: f64 = 1e-6;
/// Step of the differences that give velocities and accelerations, s.
const STEP: f64 = 2e-3;
/// Velocities and accelerations of a stance are given up within these times in the air, s.
const LEAVE: f64 = 0.13;
const GIVE: f64 = 0.06;
/// Yaw, roll and pitch of a foot.
const ORDER: RotationOrder = RotationOrder::Zxy;

/// Place of the foot's origin, then yaw, roll and pitch.
type Pose = [f64; 6];

/// A run of pins.
struct Stance {
    /// what touches, from when to when
    pins: Vec<(Sole, f64, f64)>,
    /// origin of the foot lying flat
    place: Vec3,
    yaw: f64,
}

impl Stance {
    fn from(&self) -> f64 {
        self.pins[0].1
    }

    fn to(&self) -> f64 {
        self.pins[self.pins.len() - 1].2
    }
}

/// One foot.
pub(super) struct Foot {
    pub link: LinkHandle,
    home: Quat,
    /// edges of the sole, link axes
    heel: Vec<Vec3>,
    toe: Vec<Vec3>,
    stances: Vec<Stance>,
    /// spells in which the foot is flat
    flat: Vec<(f64, f64)>,
}

/// Where a foot is, and what of it carries.
pub(super) struct Placed {
    pub place: Vec3,
    pub turn: Quat,
    pub carrying: Vec<Vec3>,
    /// how freely it may be moved along with the pelvis: zero on the ground, one in the middle of a swing
    pub air: f64,
}

/// All feet of a motion.
pub(super) struct Feet<'a> {
    keyed: &'a Keyed,
    score: &'a Score,
    pub feet: Vec<Foot>,
}

impl<'a> Feet<'a> {
    pub fn of(keyed: &'a Keyed, score: &'a Score) -> Result<Feet<'a>, Error> {
        let figure = &keyed.figure;
        let anatomy = anatomy::of_figure(figure, &[])?;
        let places = spots::of_figure(figure, &anatomy)?;
        let mut all = Feet { keyed, score, feet: Vec::new() };
        for side in Side::BOTH {
            let find = |spot| places.iter().find(|p| p.spot == spot);
            let (Some(heel), Some(toe)) = (find(Spot::Heel(side)), find(Spot::Toe(side))) else { continue };
            let mut foot = Foot {
                link: heel.link,
                home: figure.home_pose(heel.link).orientation(),
                heel: heel.points.clone(),
                toe: toe.points.clone(),
                stances: Vec::new(),
                flat: Vec::new(),
            };
            all.plant(&mut foot);
            all.feet.push(foot);
        }
        if let Some(pin) = score.pins.iter().find(|p| all.feet.iter().all(|f| f.link != p.link)) {
            let name = &figure.link(pin.link)?.spec.name;
            return Err(keyed.wrong(format!("link `{name}` is pinned, but it is no foot with a sole")));
        }
        Ok(all)
    }

    /// Where a foot is at a time; none if it is never pinned.
    pub fn at(&self, foot: &Foot, t: f64) -> Option<Placed> {
        let (pose, air) = match foot.stances.iter().find(|s| s.from() <= t && t <= s.to()) {
            Some(stance) => (self.standing(foot, stance, t), 0.0),
            None => self.swinging(foot, t)?,
        };
        let turn = foot.turn(&pose);
        let place = vec3(pose[0], pose[1], pose[2]);
        let points = foot.carrying(t).into_iter().map(|p| place + turn.rotate(p)).collect();
        Some(Placed { place, turn, carrying: points, air })
    }

    /// Finds the stances of a foot.
    fn plant(&self, foot: &mut Foot) {
        let cycles = if self.keyed.cycle.is_some() { -2..=2 } else { 0..=0 };
        let own = self.score.pins.iter().filter(|p| p.link == foot.link);
        let mut pins: Vec<(Sole, f64, f64)> = cycles
            .flat_map(|k| {
                let shift = f64::from(k) * self.keyed.duration;
                own.clone().map(move |p| (p.sole, p.from + shift, p.to + shift))
            })
            .collect();
        pins.sort_by(|a, b| a.1.total_cmp(&b.1));
        foot.flat = pins.iter().filter(|p| p.0 == Sole::Flat).map(|p| (p.1, p.2)).collect();
        let mut runs: Vec<Vec<(Sole, f64, f64)>> = Vec::new();
        for pin in pins {
            match runs.last_mut() {
                Some(run) if pin.1 - run[run.len() - 1].2 < JOINED => run.push(pin),
                _ => runs.push(vec![pin]),
            }
        }
        foot.stances = runs.into_iter().map(|pins| self.stance(foot, pins)).collect();
    }

    fn stance(&self, foot: &Foot, pins: Vec<(Sole, f64, f64)>) -> Stance {
        let (sole, from, to) = pins.iter().find(|p| p.0 == Sole::Flat).copied().unwrap_or(pins[0]);
        let keyed = self.keyed_pose(foot, if self.keyed.cycle.is_some() { 0.5 * (from + to) } else { from });
        let yaw = keyed[3];
        // the edge that stands stays where the keys have it
        let edge = foot.pivot(sole);
        let lying = foot.turn(&[0.0, 0.0, 0.0, yaw, 0.0, 0.0]);
        let origin = vec3(keyed[0], keyed[1], keyed[2]) + foot.turn(&keyed).rotate(edge) - lying.rotate(edge);
        let place = vec3(origin.x, origin.y, -lying.rotate(foot.pivot(Sole::Flat)).z);
        Stance { pins, place, yaw }
    }

    /// On the ground.
    fn standing(&self, foot: &Foot, stance: &Stance, t: f64) -> Pose {
        let sole = stance.pins.iter().find(|p| t <= p.2).map_or(Sole::Flat, |p| p.0);
        self.about_edge(foot, stance, sole, t)
    }

    fn about_edge(&self, foot: &Foot, stance: &Stance, sole: Sole, t: f64) -> Pose {
        let pitch = if sole == Sole::Flat { 0.0 } else { self.pitch(foot, t) };
        let (yaw, edge) = (stance.yaw, foot.pivot(sole));
        let lying = foot.turn(&[0.0, 0.0, 0.0, yaw, 0.0, 0.0]);
        let turned = foot.turn(&[0.0, 0.0, 0.0, yaw, 0.0, pitch]);
        let p = stance.place + lying.rotate(edge) - turned.rotate(edge);
        [p.x, p.y, p.z, yaw, 0.0, pitch]
    }

    /// In the air, and how freely.
    fn swinging(&self, foot: &Foot, t: f64) -> Option<(Pose, f64)> {
        let before = foot.stances.iter().rev().find(|s| s.to() < t);
        let after = foot.stances.iter().find(|s| s.from() > t);
        if before.is_none() && after.is_none() {
            return None;
        }
        let span = [before.map_or(0.0, Stance::to), after.map_or(self.keyed.duration, Stance::from)];
        let leave = before.map(|s| self.parting(foot, s, s.pins[s.pins.len() - 1].0, span[0]));
        let land = after.map(|s| self.parting(foot, s, s.pins[0].0, span[1]));
        let mut pose = self.keyed_pose(foot, t);
        for k in 0..5 {
            let end = |e: &Option<[Pose; 3]>| e.map_or([0.0; 3], |e| [0, 1, 2].map(|d| e[d][k]));
            pose[k] += quintic(span, [end(&leave), end(&land)], t);
        }
        pose[5] = self.pitch(foot, t);
        let s = (t - span[0]) / (span[1] - span[0]).max(JOINED);
        Some((pose, (4.0 * s * (1.0 - s)).clamp(0.0, 1.0).powi(3)))
    }

    /// How far a standing foot is from the keyed one, with two derivatives.
    fn parting(&self, foot: &Foot, stance: &Stance, sole: Sole, t: f64) -> [Pose; 3] {
        let apart = |t: f64| {
            let (there, keyed) = (self.about_edge(foot, stance, sole, t), self.keyed_pose(foot, t));
            [0, 1, 2, 3, 4, 5].map(|k| there[k] - keyed[k])
        };
        derivatives([apart(t - STEP), apart(t), apart(t + STEP)])
    }

    /// The keyed pitch, brought to zero with two derivatives where the foot comes to lie flat.
    fn pitch(&self, foot: &Foot, t: f64) -> f64 {
        let before = foot.flat.iter().rev().find(|f| f.1 <= t).map(|f| f.1);
        let after = foot.flat.iter().find(|f| f.0 >= t).map(|f| f.0);
        let span = [before.unwrap_or(0.0), after.unwrap_or(self.keyed.duration)];
        let end = |given: Option<f64>| {
            given.map_or([0.0; 3], |t| {
                let all = [t - STEP, t, t + STEP].map(|t| self.keyed_pose(foot, t));
                derivatives(all).map(|p| -p[5])
            })
        };
        self.keyed_pose(foot, t)[5] + quintic(span, [end(before), end(after)], t)
    }

    /// As the keys have it.
    fn keyed_pose(&self, foot: &Foot, t: f64) -> Pose {
        let forest = self.keyed.figure.forest();
        let mut q = forest.home().to_vec();
        self.score.pose(t, &mut q);
        let mut kinematics = Kinematics::default();
        kinematics.update(forest, &q, None, None);
        let pose: Transform = kinematics.link_pose(forest, foot.link);
        let [yaw, roll, pitch] = ORDER.angles(pose.orientation().then(foot.home.inverse()));
        let p = pose.translation;
        [p.x, p.y, p.z, yaw, roll, pitch]
    }
}

impl Foot {
    fn turn(&self, pose: &Pose) -> Quat {
        ORDER.quat([pose[3], pose[4], pose[5]]).then(self.home)
    }

    /// Middle of what stands, link axes.
    fn pivot(&self, sole: Sole) -> Vec3 {
        let middle =
            |points: &[Vec3]| points.iter().fold(Vec3::ZERO, |s, p| s + *p).scale(1.0 / points.len() as f64);
        match sole {
            Sole::Heel => middle(&self.heel),
            Sole::Toe => middle(&self.toe),
            Sole::Flat => (middle(&self.heel) + middle(&self.toe)).scale(0.5),
        }
    }

    /// Points that carry at a time, link axes.
    fn carrying(&self, t: f64) -> Vec<Vec3> {
        let mut heel = false;
        let mut toe = false;
        for (sole, from, to) in self.stances.iter().flat_map(|s| &s.pins) {
            let is_on = (*from..=*to).contains(&t);
            heel |= is_on && *sole != Sole::Toe;
            toe |= is_on && *sole != Sole::Heel;
        }
        let edges = [(heel, &self.heel), (toe, &self.toe)];
        edges.iter().filter(|e| e.0).flat_map(|e| e.1.iter().copied()).collect()
    }
}

/// Value and two derivatives in the middle of three.
fn derivatives(all: [Pose; 3]) -> [Pose; 3] {
    let of = |f: fn(f64, f64, f64) -> f64| [0, 1, 2, 3, 4, 5].map(|k| f(all[0][k], all[1][k], all[2][k]));
    [all[1], of(|a, _, c| (c - a) / (2.0 * STEP)), of(|a, b, c| (a - 2.0 * b + c) / (STEP * STEP))]
}

/// The keys' curve is left over the whole span; velocities and accelerations of a stance near its ends.
fn quintic(span: [f64; 2], ends: [Jet; 2], t: f64) -> f64 {
    ease::quintic(span, [f64::INFINITY, LEAVE, GIVE], ends, t)
}
