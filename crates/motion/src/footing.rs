//! A motion put on its feet: no foot slides, floats or sinks while it touches.
//!
//! Computes, in this order:
//! 1. footprints (`sole`): where heel and toe were on the mean of a stance, as a rigid sole on the ground;
//! 2. a smooth change of the root's height that brings stances to the ground;
//! 3. paths of soles and hands (`path`): exactly on their prints while they touch, with velocity and acceleration of the
//!    motion given up in the air before and after;
//! 4. poses with these soles (`reach`), first with a root that gives easily, of whose way only the slow part is kept,
//!    then with a stiff one. 3. and 4. are done again from there.
//!
//! Source: our own; footprints as means and whole-body inverse kinematics are usual for footskate.
//! Not here: whether the ground can carry the motion (`replan`).
//! Checked by: `crates/io/tests/footing.rs`.

pub(crate) mod ease;
pub(crate) mod path;
pub(crate) mod reach;
pub(crate) mod sole;

use crate::clip::Clip;
use crate::smooth;
use crate::touch::{Touches, Track};
use crate::trajectory::Trajectory;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, JointHandle};
use anthropi_dynamics::spatial::{Vec3, vec3};
use path::{Hand, Scene};
use reach::{Goal, Reach};
use sole::{Bearing, Foot, Pose};
use std::sync::Arc;

/// The root's height follows the stances slower than this, Hz.
const WARP: f64 = 1.7;
/// The root follows the feet slower than this, Hz.
const FOLLOW: f64 = 3.0;
/// Rounds in which it does.
const ROUNDS: usize = 2;
/// Stiffness of a root that gives easily, and of one that does not, 1/m2 and 1/rad2.
const SOFT: [f64; 2] = [1.0, 4.0];
const STIFF: [f64; 2] = [10.0, 10.0];

/// A motion on its feet.
#[derive(Clone, Debug)]
pub struct Footing {
    /// the motion
    pub clip: Clip,
    /// who touches when: as before, at the places of now
    pub touches: Touches,
    /// what was found and decided, a sentence each
    pub notes: Vec<String>,
    planted: Option<Planted>,
}

impl Footing {
    /// Puts a motion on the ground that its feet were found to touch.
    pub fn of(trajectory: &Trajectory, touches: &Touches) -> Footing {
        let clip = &trajectory.clip;
        let mut footing = Footing {
            clip: clip.clone(),
            touches: touches.clone(),
            notes: Vec::new(),
            planted: Planted::of(clip, touches),
        };
        let Some(planted) = &footing.planted else {
            footing.notes.push("no foot touches the ground, so nothing was put on it".into());
            return footing;
        };
        let mut postures = planted.raised(clip);
        for _ in 0..ROUNDS {
            let poses = planted.put(&postures, SOFT);
            planted.follow(&mut postures, &poses);
        }
        let poses = planted.put(&postures, STIFF);
        footing.stand(clip, &poses);
        footing
    }

    /// Takes other poses of the same frames, if they are finite.
    pub(crate) fn stand(&mut self, clip: &Clip, poses: &[Vec<f64>]) {
        match Clip::new(clip.name.clone(), clip.figure().clone(), clip.dt(), poses.concat()) {
            Ok(found) => self.clip = found.starting_at(clip.start()),
            Err(_) => {
                self.notes.push("the feet could not be put on the ground: the motion is as it was".into());
                return;
            }
        }
        self.touches.tracks = tracks(&self.clip, &self.touches);
        self.touches.ground.spread = 0.0;
    }

    pub(crate) fn planted(&self) -> Option<&Planted> {
        self.planted.as_ref()
    }
}

/// Tracks of the places of touches in another motion; speeds are over the ground.
fn tracks(clip: &Clip, touches: &Touches) -> Vec<Track> {
    let mut tracks = Track::all(&Trajectory::of(clip, None), &touches.places);
    for track in &mut tracks {
        for (velocity, speed) in track.velocity.iter_mut().zip(&mut track.speed) {
            *velocity -= touches.ground.velocity;
            *speed = velocity.norm();
        }
    }
    tracks
}

/// Feet and hands with the places they stand on.
#[derive(Clone, Debug)]
pub(crate) struct Planted {
    scene: Scene,
    root: JointHandle,
    figure: Arc<Figure>,
    feet: Vec<Foot>,
    hands: Vec<Hand>,
}

impl Planted {
    fn of(clip: &Clip, touches: &Touches) -> Option<Planted> {
        let figure = clip.figure().clone();
        let root = figure.joints().find(|(_, j)| j.kind == JointKind::Free).map(|(h, _)| h)?;
        let scene = Scene { ground: touches.ground, dt: clip.dt() };
        let feet = Foot::all(touches, clip.dt());
        let hands = Hand::all(touches, &scene);
        let touches_ground = !hands.is_empty() || feet.iter().any(|f| !f.stances.is_empty());
        touches_ground.then_some(Planted { scene, root, figure, feet, hands })
    }

    /// Where the coordinates of the root begin.
    pub fn root(&self) -> usize {
        self.figure.forest().joint_place(self.root).iq
    }

    /// Poses with feet and hands on their places, each near a posture.
    pub fn put(&self, postures: &[Vec<f64>], stiffness: [f64; 2]) -> Vec<Vec<f64>> {
        let soles = self.feet.iter().map(|f| Goal::Sole(f.link, f.link_from_sole));
        let points = self.hands.iter().map(|h| Goal::Point(h.link, h.point));
        let goals: Vec<Goal> = soles.chain(points).collect();
        let mut reach = Reach::new(self.figure.clone(), self.root, goals, stiffness);
        let raw: Vec<Vec<Pose>> = postures.iter().map(|q| reach.places(q)).collect();
        let targets = self.targets(&raw);
        let mut poses: Vec<Vec<f64>> = Vec::with_capacity(postures.len());
        if std::env::var("DBG").is_ok() {
            for k in 0..self.feet.len() {
                for f in 1..targets.len() - 1 {
                    let a = |x: &[Vec<Pose>]| {
                        ((x[f + 1][k].place - x[f][k].place.scale(2.0) + x[f - 1][k].place).norm())
                            / self.scene.dt
                            / self.scene.dt
                    };
                    let w = |x: &[Vec<Pose>]| {
                        (x[f + 1][k].turn.then(x[f][k].turn.inverse()).log()
                            - x[f][k].turn.then(x[f - 1][k].turn.inverse()).log())
                        .norm()
                            / self.scene.dt
                            / self.scene.dt
                    };
                    let low = self.feet[k]
                        .corners(&targets[f][k])
                        .map(|c| format!("{:.4}", self.scene.ground.above(c)));
                    println!(
                        "DBG {k} {f} {:?} raw {:.1} {:.0} target {:.1} {:.0} shift {:.3} turn {:.3} {:?}",
                        self.feet[k].bearing[f],
                        a(&raw),
                        w(&raw),
                        a(&targets),
                        w(&targets),
                        (targets[f][k].place - raw[f][k].place).norm(),
                        targets[f][k].turn.then(raw[f][k].turn.inverse()).log().norm(),
                        low
                    );
                }
            }
        }
        for (posture, targets) in postures.iter().zip(&targets) {
            let mut q = posture.clone();
            reach.solve(posture, targets, &mut q);
            poses.push(q);
        }
        poses
    }

    /// Paths of all goals, by frame, near those of postures.
    fn targets(&self, raw: &[Vec<Pose>]) -> Vec<Vec<Pose>> {
        let of = |k: usize| raw.iter().map(|g| g[k]).collect::<Vec<Pose>>();
        let mut targets = raw.to_vec();
        for (k, foot) in self.feet.iter().enumerate() {
            let path = foot.path(&self.scene, &of(k));
            targets.iter_mut().zip(path).for_each(|(t, p)| t[k] = p);
        }
        for (k, hand) in (self.feet.len()..).zip(&self.hands) {
            let points: Vec<Vec3> = of(k).iter().map(|p| p.place).collect();
            let path = hand.path(&self.scene, &points);
            targets.iter_mut().zip(path).for_each(|(t, p)| t[k].place = p);
        }
        targets
    }

    /// Poses of a clip with a root whose height brings stances to the ground, smoothly.
    fn raised(&self, clip: &Clip) -> Vec<Vec<f64>> {
        let goals = self.feet.iter().map(|f| Goal::Sole(f.link, f.link_from_sole)).collect();
        let mut reach = Reach::new(self.figure.clone(), self.root, goals, STIFF);
        let mut postures: Vec<Vec<f64>> = (0..clip.frames()).map(|f| clip.pose(f).to_vec()).collect();
        let depth = |f: usize| {
            let now = reach.places(clip.pose(f));
            let each = self.feet.iter().zip(&now).filter_map(|(foot, pose)| foot.depth(f, pose));
            let (sum, count) = each.fold((0.0, 0), |(sum, n), d| (sum + d, n + 1));
            (count > 0).then(|| sum / f64::from(count))
        };
        let depths: Vec<Option<f64>> = (0..clip.frames()).map(depth).collect();
        let mut depths = between(&depths);
        smooth::low_pass(&mut depths, 1, 1.0 / clip.dt(), WARP);
        let root = self.root();
        postures.iter_mut().zip(&depths).for_each(|(q, d)| q[root + 2] += d);
        postures
    }

    /// Moves the roots of postures where poses have theirs, smoothly.
    fn follow(&self, postures: &mut [Vec<f64>], poses: &[Vec<f64>]) {
        let root = self.root();
        let ways =
            postures.iter().zip(poses).flat_map(|(a, b)| (0..3).map(move |k| b[root + k] - a[root + k]));
        let mut ways: Vec<f64> = ways.collect();
        smooth::low_pass(&mut ways, 3, 1.0 / self.scene.dt, FOLLOW);
        for (q, way) in postures.iter_mut().zip(ways.chunks_exact(3)) {
            (0..3).for_each(|k| q[root + k] += way[k]);
        }
    }
}

impl Foot {
    /// How far what touches is under its print, m.
    fn depth(&self, frame: usize, now: &Pose) -> Option<f64> {
        let stance = self.stances.iter().find(|s| s.frames.contains(&frame))?;
        let below = |k: usize| {
            let there = self.corners(&stance.print);
            let here = self.corners(now);
            let plane = stance.print.turn.rotate(vec3(0.0, 0.0, 1.0));
            let over = |p: Vec3| (p - there[0]).dot(plane) / plane.z.max(0.1);
            -0.5 * (over(here[k]) + over(here[k + 1]))
        };
        match self.bearing[frame] {
            Bearing::Air => None,
            Bearing::Heel => Some(below(0)),
            Bearing::Toe => Some(below(2)),
            Bearing::Flat => Some(0.5 * (below(0) + below(2))),
        }
    }
}

/// Fills gaps by lines, ends by what is next to them.
fn between(values: &[Option<f64>]) -> Vec<f64> {
    let known: Vec<(usize, f64)> = values.iter().enumerate().filter_map(|(i, v)| v.map(|v| (i, v))).collect();
    let at = |i: usize| {
        let k = known.partition_point(|p| p.0 <= i);
        match (k.checked_sub(1).map(|k| known[k]), known.get(k)) {
            (Some((a, x)), Some((b, y))) => x + (y - x) * (i - a) as f64 / (b - a) as f64,
            (Some((_, x)), None) => x,
            (None, Some((_, y))) => *y,
            (None, None) => 0.0,
        }
    };
    (0..values.len()).map(at).collect()
}
