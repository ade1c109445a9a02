//! Feet as rigid soles, their stances and footprints.
//!
//! A stance is a run of frames in which heel or toe touch. It has one footprint: the sole lying on the ground, with heel
//! and toe as near as a rigid sole allows to where they were on the mean while they touched:
//!     min  n_h |H - mean heel|^2 + n_t |T - mean toe|^2   with  T = H + length u,
//! which turns u along the line between the means. Places are those at time zero on ground that moves.

use crate::spots::{Place, Spot};
use crate::touch::{Ground, Touches, spells};
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Mat3, Quat, Transform, Vec3, vec3};
use std::ops::Range;

/// Where a sole is: its middle, and its axes (ahead, left, up).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pose {
    pub place: Vec3,
    pub turn: Quat,
}

/// What of a foot touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bearing {
    Air,
    Heel,
    Toe,
    Flat,
}

/// A run of frames in which a foot touches.
#[derive(Clone, Debug)]
pub(crate) struct Stance {
    pub frames: Range<usize>,
    /// the sole lying flat
    pub print: Pose,
}

/// A foot with its stances.
#[derive(Clone, Debug)]
pub(crate) struct Foot {
    pub link: LinkHandle,
    pub link_from_sole: Transform,
    /// half the way from heel to toe, m
    pub half: f64,
    /// half the way across, m
    pub breadth: f64,
    /// by frame
    pub bearing: Vec<Bearing>,
    pub stances: Vec<Stance>,
    /// spells in which it is flat
    pub flat: Vec<Range<usize>>,
}

impl Foot {
    /// All feet with heel and toe.
    pub fn all(touches: &Touches, dt: f64) -> Vec<Foot> {
        let pairs = touches.places.iter().enumerate().filter_map(|(h, place)| {
            let Spot::Heel(side) = place.spot else { return None };
            let t = touches.places.iter().position(|p| p.spot == Spot::Toe(side) && p.link == place.link)?;
            Foot::of(touches, [h, t], dt)
        });
        pairs.collect()
    }

    fn of(touches: &Touches, [heel, toe]: [usize; 2], dt: f64) -> Option<Foot> {
        let bearing: Vec<Bearing> = (0..touches.frames())
            .map(|f| match (touches.is_on(heel, f), touches.is_on(toe, f)) {
                (false, false) => Bearing::Air,
                (true, false) => Bearing::Heel,
                (false, true) => Bearing::Toe,
                (true, true) => Bearing::Flat,
            })
            .collect();
        let runs = |is: &dyn Fn(Bearing) -> bool| spells(&bearing.iter().map(|b| is(*b)).collect::<Vec<_>>());
        let (h, t) = (middle(&touches.places[heel]), middle(&touches.places[toe]));
        let (link_from_sole, half, breadth) = sole(&touches.places[heel], h, t)?;
        let mut foot = Foot {
            link: touches.places[heel].link,
            link_from_sole,
            half,
            breadth,
            stances: Vec::new(),
            flat: runs(&|b| b == Bearing::Flat),
            bearing: Vec::new(),
        };
        let stances = runs(&|b| b != Bearing::Air).into_iter();
        foot.stances = stances
            .map(|frames| Stance {
                print: foot.print(touches, [heel, toe], &bearing, frames.clone(), dt),
                frames,
            })
            .collect();
        foot.bearing = bearing;
        Some(foot)
    }

    /// The footprint of a run of frames.
    fn print(
        &self,
        touches: &Touches,
        places: [usize; 2],
        bearing: &[Bearing],
        frames: Range<usize>,
        dt: f64,
    ) -> Pose {
        let ground = &touches.ground;
        let normal = ground.normal();
        let at =
            |k: usize, f: usize| touches.tracks[places[k]].middle(f) - ground.velocity.scale(f as f64 * dt);
        let mut means = [(Vec3::ZERO, 0.0); 2];
        let mut heading = Vec3::ZERO;
        for f in frames {
            heading += at(1, f) - at(0, f);
            for (k, mean) in means.iter_mut().enumerate() {
                if bearing[f] == Bearing::Flat || bearing[f] == [Bearing::Heel, Bearing::Toe][k] {
                    *mean = (mean.0 + at(k, f), mean.1 + 1.0);
                }
            }
        }
        let [heel, toe] = means.map(|(sum, n)| sum.scale(1.0 / f64::max(n, 1.0)));
        let level = |v: Vec3| v - normal.scale(v.dot(normal));
        let (length, [n_h, n_t]) = (2.0 * self.half, means.map(|m| m.1));
        let between = if n_h * n_t > 0.0 { level(toe - heel) } else { level(heading) };
        let ahead = between.normalized().unwrap_or_else(|| normal.any_perpendicular());
        // the sole's heel from the mean of what touched
        let rear = match (n_h > 0.0, n_t > 0.0) {
            (true, true) => heel + (between - ahead.scale(length)).scale(n_t / (n_h + n_t)),
            (true, false) => heel,
            _ => toe - ahead.scale(length),
        };
        let height = (heel.z * n_h + toe.z * n_t) / (n_h + n_t).max(1.0);
        let place = on_ground(ground, rear + ahead.scale(self.half), height);
        let turn = Quat::from_matrix(&Mat3 { x: ahead, y: normal.cross(ahead), z: normal });
        Pose { place, turn }
    }

    /// The sole of a standing foot: turned about its rear or front edge by a pitch, toe up above zero.
    pub fn standing(&self, print: &Pose, bearing: Bearing, pitch: f64) -> Pose {
        let edge = match bearing {
            Bearing::Heel => -self.half,
            Bearing::Toe => self.half,
            Bearing::Flat | Bearing::Air => return *print,
        };
        let edge = vec3(edge, 0.0, 0.0);
        let turn = print.turn.then(Quat::exp(vec3(0.0, -pitch, 0.0)));
        Pose { place: print.place + print.turn.rotate(edge) - turn.rotate(edge), turn }
    }

    /// Corners of the sole: rear left, rear right, front left, front right.
    pub fn corners(&self, pose: &Pose) -> [Vec3; 4] {
        let at = |x: f64, y: f64| pose.place + pose.turn.rotate(vec3(x, y, 0.0));
        let (x, y) = (self.half, self.breadth);
        [at(-x, y), at(-x, -y), at(x, y), at(x, -y)]
    }
}

/// A point on the ground, over or under a point; uneven ground has its height there.
pub(crate) fn on_ground(ground: &Ground, p: Vec3, height: f64) -> Vec3 {
    let z =
        if ground.is_even { ground.height + ground.slope[0] * p.x + ground.slope[1] * p.y } else { height };
    Vec3 { z, ..p }
}

fn middle(place: &Place) -> Vec3 {
    place.points.iter().fold(Vec3::ZERO, |s, p| s + *p).scale(1.0 / place.points.len().max(1) as f64)
}

/// Axes of a sole on its link, half its length, half its breadth; `None` for feet without an extent.
fn sole(heel_edge: &Place, heel: Vec3, toe: Vec3) -> Option<(Transform, f64, f64)> {
    let [left, right] = heel_edge.points[..] else { return None };
    let (ahead, across) = (toe - heel, left - right);
    let x = ahead.normalized()?;
    let z = x.cross(across).normalized()?;
    let rotation = Mat3 { x, y: z.cross(x), z };
    let place = (heel + toe).scale(0.5);
    Some((Transform { rotation, translation: place }, 0.5 * ahead.norm(), 0.5 * across.norm()))
}
