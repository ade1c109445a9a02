//! Foot trajectories that rest exactly on their pins.
//!
//! A stance is a gapless run of pins, located at the keyed foot at the start of its flat pin, or in its middle in a
//! cycle. On a flat pin the foot is flat; on a heel or toe pin it rotates about that edge by the keyed pitch. In swing it
//! follows the keys plus quintics that match position, velocity and acceleration of both stances; likewise the pitch
//! between flat pins.

use super::curves::JointCurves;
use super::{KeyedMotion, SoleContact};
use crate::anatomy::{self, Side};
use crate::contact_points::{self, Site};
use crate::ease::{self, Jet};
use crate::error::Error;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Quat, RotationOrder, Transform, Vec3, vec3};

/// Largest gap between pins of one stance, s.
const MAX_PIN_GAP: f64 = 1e-6;
/// Step of finite differences, s.
const STEP: f64 = 2e-3;
/// Times in which the velocity and acceleration of a stance fade out in swing, s.
const VELOCITY_FADE: f64 = 0.13;
const ACCELERATION_FADE: f64 = 0.06;
/// Yaw, roll and pitch of a foot.
const ORDER: RotationOrder = RotationOrder::Zxy;

/// Position of the foot, then yaw, roll and pitch.
type Pose = [f64; 6];

/// A gapless run of pins.
struct PinnedStance {
    /// contact, start, end
    pins: Vec<(SoleContact, f64, f64)>,
    /// position of the flat foot
    position: Vec3,
    yaw: f64,
}

impl PinnedStance {
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
    stances: Vec<PinnedStance>,
    /// intervals in which the foot is flat
    flat: Vec<(f64, f64)>,
}

/// Target pose of a foot and its contact points.
pub(super) struct FootTarget {
    pub position: Vec3,
    pub turn: Quat,
    /// world positions
    pub contacts: Vec<Vec3>,
    /// how far it may follow the pelvis: 0 in stance, 1 in mid swing
    pub mobility: f64,
}

/// Trajectories of all feet.
pub(super) struct FootPaths<'a> {
    keyed: &'a KeyedMotion,
    curves: &'a JointCurves,
    pub feet: Vec<Foot>,
}

impl<'a> FootPaths<'a> {
    pub fn new(keyed: &'a KeyedMotion, curves: &'a JointCurves) -> Result<FootPaths<'a>, Error> {
        let figure = &keyed.figure;
        let anatomy = anatomy::from_figure(figure, &[])?;
        let contact_points = contact_points::find(figure, &anatomy)?;
        let mut all = FootPaths { keyed, curves, feet: Vec::new() };
        for side in Side::BOTH {
            let find = |site| contact_points.iter().find(|p| p.site == site);
            let (Some(heel), Some(toe)) = (find(Site::Heel(side)), find(Site::Toe(side))) else { continue };
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
        if let Some(pin) = curves.pins.iter().find(|p| all.feet.iter().all(|f| f.link != p.link)) {
            let name = &figure.link(pin.link)?.spec.name;
            return Err(keyed.wrong(format!("link `{name}` is pinned, but is no foot with a sole")));
        }
        Ok(all)
    }

    /// Target of a foot at a time; `None` if it is never pinned.
    pub fn at(&self, foot: &Foot, t: f64) -> Option<FootTarget> {
        let (pose, mobility) = match foot.stances.iter().find(|s| s.from() <= t && t <= s.to()) {
            Some(stance) => {
                let sole = stance.pins.iter().find(|p| t <= p.2).map_or(SoleContact::Flat, |p| p.0);
                (self.about_edge(foot, stance, sole, t), 0.0)
            }
            None => self.swinging(foot, t)?,
        };
        let turn = foot.turn(&pose);
        let position = vec3(pose[0], pose[1], pose[2]);
        let contacts = foot.contacts(t).into_iter().map(|p| position + turn.rotate(p)).collect();
        Some(FootTarget { position, turn, contacts, mobility })
    }

    /// Finds the stances of a foot.
    fn plant(&self, foot: &mut Foot) {
        let cycles = if self.keyed.cycle.is_some() { -2..=2 } else { 0..=0 };
        let own = self.curves.pins.iter().filter(|p| p.link == foot.link);
        let mut pins: Vec<(SoleContact, f64, f64)> = cycles
            .flat_map(|k| {
                let shift = f64::from(k) * self.keyed.duration;
                own.clone().map(move |p| (p.sole, p.from + shift, p.to + shift))
            })
            .collect();
        pins.sort_by(|a, b| a.1.total_cmp(&b.1));
        foot.flat = pins.iter().filter(|p| p.0 == SoleContact::Flat).map(|p| (p.1, p.2)).collect();
        let mut runs: Vec<Vec<(SoleContact, f64, f64)>> = Vec::new();
        for pin in pins {
            match runs.last_mut() {
                Some(run) if pin.1 - run[run.len() - 1].2 < MAX_PIN_GAP => run.push(pin),
                _ => runs.push(vec![pin]),
            }
        }
        foot.stances = runs.into_iter().map(|pins| self.stance(foot, pins)).collect();
    }

    fn stance(&self, foot: &Foot, pins: Vec<(SoleContact, f64, f64)>) -> PinnedStance {
        let (sole, from, to) = pins.iter().find(|p| p.0 == SoleContact::Flat).copied().unwrap_or(pins[0]);
        let keyed = self.keyed_pose(foot, if self.keyed.cycle.is_some() { 0.5 * (from + to) } else { from });
        let yaw = keyed[3];
        // the edge in contact keeps its keyed position
        let edge = foot.pivot(sole);
        let lying = foot.turn(&[0.0, 0.0, 0.0, yaw, 0.0, 0.0]);
        let origin = vec3(keyed[0], keyed[1], keyed[2]) + foot.turn(&keyed).rotate(edge) - lying.rotate(edge);
        let position = vec3(origin.x, origin.y, -lying.rotate(foot.pivot(SoleContact::Flat)).z);
        PinnedStance { pins, position, yaw }
    }

    /// Pose in stance on a part of the sole.
    fn about_edge(&self, foot: &Foot, stance: &PinnedStance, sole: SoleContact, t: f64) -> Pose {
        let pitch = if sole == SoleContact::Flat { 0.0 } else { self.pitch(foot, t) };
        let (yaw, edge) = (stance.yaw, foot.pivot(sole));
        let lying = foot.turn(&[0.0, 0.0, 0.0, yaw, 0.0, 0.0]);
        let turned = foot.turn(&[0.0, 0.0, 0.0, yaw, 0.0, pitch]);
        let p = stance.position + lying.rotate(edge) - turned.rotate(edge);
        [p.x, p.y, p.z, yaw, 0.0, pitch]
    }

    /// Pose in swing, and its freedom.
    fn swinging(&self, foot: &Foot, t: f64) -> Option<(Pose, f64)> {
        let before = foot.stances.iter().rev().find(|s| s.to() < t);
        let after = foot.stances.iter().find(|s| s.from() > t);
        if before.is_none() && after.is_none() {
            return None;
        }
        let span =
            [before.map_or(0.0, PinnedStance::to), after.map_or(self.keyed.duration, PinnedStance::from)];
        let leave = before.map(|s| self.difference(foot, s, s.pins[s.pins.len() - 1].0, span[0]));
        let land = after.map(|s| self.difference(foot, s, s.pins[0].0, span[1]));
        let mut pose = self.keyed_pose(foot, t);
        for k in 0..5 {
            let end = |e: &Option<[Pose; 3]>| e.map_or([0.0; 3], |e| [0, 1, 2].map(|d| e[d][k]));
            pose[k] += quintic(span, [end(&leave), end(&land)], t);
        }
        pose[5] = self.pitch(foot, t);
        let s = (t - span[0]) / (span[1] - span[0]).max(MAX_PIN_GAP);
        Some((pose, (4.0 * s * (1.0 - s)).clamp(0.0, 1.0).powi(3)))
    }

    /// Difference of the stance pose from the keyed one, with two derivatives.
    fn difference(&self, foot: &Foot, stance: &PinnedStance, sole: SoleContact, t: f64) -> [Pose; 3] {
        let apart = |t: f64| {
            let (there, keyed) = (self.about_edge(foot, stance, sole, t), self.keyed_pose(foot, t));
            [0, 1, 2, 3, 4, 5].map(|k| there[k] - keyed[k])
        };
        derivatives([apart(t - STEP), apart(t), apart(t + STEP)])
    }

    /// The keyed pitch, blended to zero with two derivatives at flat pins.
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

    fn keyed_pose(&self, foot: &Foot, t: f64) -> Pose {
        let forest = self.keyed.figure.forest();
        let mut q = forest.home().to_vec();
        self.curves.pose(t, &mut q);
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

    /// Middle of the edge in contact, link axes.
    fn pivot(&self, sole: SoleContact) -> Vec3 {
        let middle =
            |points: &[Vec3]| points.iter().fold(Vec3::ZERO, |s, p| s + *p).scale(1.0 / points.len() as f64);
        match sole {
            SoleContact::Heel => middle(&self.heel),
            SoleContact::Toe => middle(&self.toe),
            SoleContact::Flat => (middle(&self.heel) + middle(&self.toe)).scale(0.5),
        }
    }

    /// Contact points at a time, link axes.
    fn contacts(&self, t: f64) -> Vec<Vec3> {
        let pins = self.stances.iter().flat_map(|s| &s.pins);
        let is_on_except = |other: SoleContact| {
            pins.clone().any(|(sole, from, to)| (*from..=*to).contains(&t) && *sole != other)
        };
        let edges = [(SoleContact::Toe, &self.heel), (SoleContact::Heel, &self.toe)];
        edges.iter().filter(|e| is_on_except(e.0)).flat_map(|e| e.1.iter().copied()).collect()
    }
}

/// Value and two derivatives at the middle of three samples.
fn derivatives(all: [Pose; 3]) -> [Pose; 3] {
    let of = |f: fn(f64, f64, f64) -> f64| [0, 1, 2, 3, 4, 5].map(|k| f(all[0][k], all[1][k], all[2][k]));
    [all[1], of(|a, _, c| (c - a) / (2.0 * STEP)), of(|a, b, c| (a - 2.0 * b + c) / (STEP * STEP))]
}

/// Quintic blend: the value fades over the whole span, velocity and acceleration near its ends.
fn quintic(span: [f64; 2], ends: [Jet; 2], t: f64) -> f64 {
    ease::quintic(span, [f64::INFINITY, VELOCITY_FADE, ACCELERATION_FADE], ends, t)
}
