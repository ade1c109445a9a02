//! A whole motion as a reference, at any time.
//!
//! Computes q, v, a of a quintic spline through the poses; centre of mass and angular momentum low-passed on their own,
//! because joint accelerations of captured motions are too rough for them. The ground below each spot by its stances.

use super::aim::{Aim, Floor};
use super::terms::Terms;
use crate::clip::Clip;
use crate::pose;
use crate::smooth;
use crate::spline::Spline;
use crate::touch::Touches;
use crate::trajectory::{Trajectory, velocities};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use std::ops::Range;
use std::sync::Arc;

/// Cut-off of centre of mass and angular momentum, Hz.
const CENTER_CUTOFF: f64 = 6.0;

/// A reference that is known from start to end.
#[derive(Clone, Debug)]
pub struct Reference {
    figure: Arc<Figure>,
    dt: f64,
    frames: usize,
    poses: Spline,
    center: Spline,
    on: Vec<bool>,
    floor: Vec<Floor>,
    places: usize,
    scratch: [Vec<f64>; 3],
}

impl Reference {
    /// From a motion that is free of noise, and who touches when.
    pub fn of(clip: &Clip, touches: &Touches) -> Reference {
        let (figure, frames, dt) = (clip.figure().clone(), clip.frames(), clip.dt());
        let trajectory = Trajectory::of(clip, None);
        let mut terms = Terms::default();
        let mut center = Vec::with_capacity(6 * frames);
        for frame in 0..frames {
            let (q, v, a) = trajectory.at(frame);
            terms.follow(figure.forest(), q, v, a);
            center.extend(terms.center.to_array());
            center.extend(terms.spin.to_array());
        }
        smooth::low_pass(&mut center, 6, 1.0 / dt, CENTER_CUTOFF);
        let places = touches.places.len();
        let each = |f: &dyn Fn(usize, usize) -> bool| -> Vec<bool> {
            (0..frames).flat_map(|frame| (0..places).map(move |k| (frame, k))).map(|(a, b)| f(a, b)).collect()
        };
        let nq = figure.forest().nq();
        Reference {
            dt,
            frames,
            poses: Spline::through(clip.poses(), nq, dt),
            center: Spline::through(&center, 6, dt),
            on: each(&|frame, k| touches.is_on(k, frame)),
            floor: floors(touches),
            places,
            scratch: [vec![0.0; nq], vec![0.0; nq], vec![0.0; nq]],
            figure,
        }
    }

    /// How long it lasts, s.
    pub fn duration(&self) -> f64 {
        (self.frames - 1) as f64 * self.dt
    }

    /// The reference at a time.
    pub fn at(&mut self, t: f64, aim: &mut Aim) {
        let forest = self.figure.forest();
        let [x, rate, second] = &mut self.scratch;
        self.poses.at(t, [x, rate, second]);
        aim.v.resize(forest.nv(), 0.0);
        aim.a.resize(forest.nv(), 0.0);
        velocities(forest, [x, rate, second], &mut aim.v, &mut aim.a);
        aim.q.clear();
        aim.q.extend_from_slice(x);
        pose::settle_lengths(forest, &mut aim.q);
        let mut c = [[0.0; 6]; 3];
        let [value, first, curve] = &mut c;
        self.center.at(t, [value, first, curve]);
        for k in 0..3 {
            aim.center[k] = Vec3::from_array(&[c[k][0], c[k][1], c[k][2]]);
        }
        for k in 0..2 {
            aim.spin[k] = Vec3::from_array(&[c[k][3], c[k][4], c[k][5]]);
        }
        let frame = ((t / self.dt + 1e-9) as usize).min(self.frames - 1);
        let row = frame * self.places..(frame + 1) * self.places;
        aim.on.clear();
        aim.on.extend_from_slice(&self.on[row.clone()]);
        aim.floor.clear();
        aim.floor.extend_from_slice(&self.floor[row]);
    }
}

/// The ground below each spot, by frame: the plane of the ground. On uneven ground (stairs, boxes) a spot has the height of
/// its own stance, and in the air the lower of those before and after: a foot on its way up is not inside the step that it
/// goes to.
fn floors(touches: &Touches) -> Vec<Floor> {
    let (places, ground) = (touches.places.len(), touches.ground);
    let even = Floor { height: ground.height, slope: ground.slope };
    let mut floors = vec![even; touches.frames() * places];
    for k in (0..places).filter(|_| !ground.is_even) {
        let mut put = |frames: Range<usize>, height: f64| {
            frames.for_each(|f| floors[f * places + k] = Floor::level(height));
        };
        let mut before: Option<(usize, f64)> = None;
        for spell in touches.spells(k) {
            let heights = &touches.tracks[k].height[spell.clone()];
            let height = heights.iter().copied().fold(f64::INFINITY, f64::min);
            let (end, last) = before.unwrap_or((0, height));
            put(end..spell.start, height.min(last));
            put(spell.clone(), height);
            before = Some((spell.end, height));
        }
        if let Some((end, height)) = before {
            put(end..touches.frames(), height);
        }
    }
    floors
}
