//! How far a filtered motion is from the given one, and whether it is still faithful to it.
//!
//! | measure | faithful up to | not faithful above |
//! |---|---|---|
//! | mean distance of the joints | 6 cm: twice that of good trackers (26 to 40 mm) | 15 cm |
//! | distance held for half a second | 15 cm | 25 cm: half the limit of the protocol |
//! | largest distance of a frame | 30 cm | 50 cm: failure by the protocol [L2023 §4] |
//! | angle of a joint, held for 0.1 s | 45 deg | 90 deg |
//! | joint jerk, RMS, over that of the given motion or of human running | 2 | 4 |
//! | joint power, peak, over that of the given motion or of human sprinting | 2 | 4 |
//!
//! Distances and angles are those of [`TrackingProtocol`], against the motion as given, faults included: one whose faults had
//! to be removed by much is not faithful, and the reason says where. Angles must be held because broken frames are no
//! motion.
//! Checked by: tests below.

use crate::clip::Clip;
use crate::error::Error;
use crate::lamps::{Lamp, LampState};
use crate::pose;
use crate::tracking_protocol::{SUCCESS_LIMIT, TrackingProtocol, held};
use anthropi_dynamics::model::BodyJoint;
use core::f64::consts::{PI, TAU};

/// A joint angle is held if it lasts as long, s.
const HELD: f64 = 0.1;
/// Joint jerk of human running, RMS, rad/s^3: the built-in keyed run, which has no noise, has 4800.
pub const HUMAN_JERK: f64 = 5000.0;
/// Power of a joint in sprints and jumps, W per kg of body mass.
pub const HUMAN_POWER: f64 = 30.0;

/// Limits of a measure: faithful up to the first, not faithful above the second.
#[derive(Clone, Copy)]
struct Limits(f64, f64);

const MEAN: Limits = Limits(0.06, 0.15);
const HELD_DISTANCE: Limits = Limits(0.15, 0.25);
const LARGEST: Limits = Limits(0.3, SUCCESS_LIMIT);
const ANGLE: Limits = Limits(PI / 4.0, PI / 2.0);
const RATIO: Limits = Limits(2.0, 4.0);

/// A value of the given motion, and of the filtered one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// of the given motion, if known
    pub given: Option<f64>,
    /// of the filtered motion, if known
    pub filtered: Option<f64>,
}

impl Change {
    /// The filtered value over the given or a human one, whichever is larger.
    fn ratio(&self, human: f64) -> f64 {
        self.filtered.unwrap_or(0.0) / self.given.unwrap_or(0.0).max(human)
    }
}

/// Largest rotation of a joint away from the given one that lasts for 0.1 s.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointDeviation {
    /// rad
    pub angle: f64,
    /// joint
    pub joint: String,
    /// time in the filtered motion, s
    pub time: f64,
}

impl JointDeviation {
    /// Compares a filtered motion with the given one from frame `first` on; both on the same figure, frame by frame.
    ///
    /// # Errors
    /// Motions of different figures.
    pub fn compare(given: &Clip, filtered: &Clip, first: usize) -> Result<JointDeviation, Error> {
        given.check_figure(filtered)?;
        let figure = given.figure();
        let (forest, frames) = (figure.forest(), given.frames().min(filtered.frames()));
        let rotates = |joint: &BodyJoint| !matches!(joint, BodyJoint::Prismatic(_));
        let bodies: Vec<_> = forest.bodies().iter().skip(1).filter(|b| rotates(&b.joint)).collect();
        let mut angles = vec![Vec::with_capacity(frames); bodies.len()];
        let mut way = vec![0.0; forest.nv()];
        for frame in first..frames {
            pose::difference(forest, given.pose(frame), filtered.pose(frame), &mut way);
            for (body, angles) in bodies.iter().zip(&mut angles) {
                let start = body.dofs().start;
                angles.push(match body.joint {
                    BodyJoint::Revolute(_) => turn(way[start]),
                    BodyJoint::Universal(..) => turn(way[start]).max(turn(way[start + 1])),
                    _ => pose::triple(&way, start).norm(),
                });
            }
        }
        let samples = (HELD / filtered.dt()).round() as usize;
        let mut worst = JointDeviation::default();
        for (body, angles) in bodies.iter().zip(&angles) {
            let angle = held(angles, samples);
            if angle > worst.angle {
                let frame = first + angles.iter().position(|a| *a >= angle).unwrap_or(0);
                let of_dof = figure.dof_names()[body.dofs().start].clone();
                let joint = of_dof.split('.').next().unwrap_or_default().to_string();
                worst = JointDeviation { angle, joint, time: filtered.time(frame) };
            }
        }
        Ok(worst)
    }
}

/// Size of a rotation about an axis, up to half a turn.
fn turn(angle: f64) -> f64 {
    let part = angle.abs() % TAU;
    part.min(TAU - part)
}

/// Distance of a filtered motion from the given one.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// distance of the joints
    pub distance: TrackingProtocol,
    /// rotation of the joints
    pub joint: JointDeviation,
    /// RMS joint jerk, rad/s^3, both at the speed of the filtered motion
    pub jerk: Change,
    /// largest joint power, W per kg of body mass
    pub power: Change,
    /// time of the first fall, s
    pub fell: Option<f64>,
}

impl Deviation {
    /// Whether the filtered motion is still the given one.
    pub fn faithful(&self) -> Lamp {
        let d = &self.distance;
        if let Some(t) = self.fell {
            return Lamp::red(format!("it falls at {t:.2} s"));
        }
        let mean = d.g_mpjpe_mm / 1000.0;
        let centimetres = |m: f64| format!("{:.0} cm", 100.0 * m);
        let measures = [
            (d.max_m, LARGEST, format!("joints are up to {} away in a frame", centimetres(d.max_m))),
            (d.held_m, HELD_DISTANCE, format!("joints are {} away for half a second", centimetres(d.held_m))),
            (mean, MEAN, format!("joints are {} away on average", centimetres(mean))),
            (
                self.joint.angle,
                ANGLE,
                format!(
                    "{} is {:.0} degrees off at {:.2} s",
                    self.joint.joint,
                    self.joint.angle.to_degrees(),
                    self.joint.time
                ),
            ),
            ratio("joint jerk", self.jerk, HUMAN_JERK, "running"),
            ratio("joint power", self.power, HUMAN_POWER, "sprinting"),
        ];
        let worst = measures.into_iter().map(|(value, limits, what)| (limits.excess(value), what));
        let Some((excess, what)) = worst.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            return Lamp::green("");
        };
        match excess {
            e if e > 2.0 => Lamp::red(what),
            e if e > 1.0 => Lamp::amber(what),
            _ => Lamp::green(format!(
                "joints are {:.1} cm away on average, at most {:.0} cm in a frame",
                100.0 * mean,
                100.0 * d.max_m
            )),
        }
    }

    /// State of the lamp.
    pub fn state(&self) -> LampState {
        self.faithful().state
    }
}

/// A quantity that grows by filtering, over the given or a human one.
fn ratio(what: &str, change: Change, human: f64, who: &str) -> (f64, Limits, String) {
    let times = change.ratio(human);
    let than = if change.given.unwrap_or(0.0) > human { "of the given motion" } else { who };
    let than = if than == who { format!("of human {who}") } else { than.to_string() };
    (times, RATIO, format!("{what} is {times:.1} times that {than}"))
}

impl Limits {
    /// Up to one: faithful; above two: not faithful; between, in proportion.
    fn excess(self, value: f64) -> f64 {
        let Limits(close, far) = self;
        match value <= close {
            true => value / close,
            false => 1.0 + (value - close) / (far - close),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::joint::JointKind;
    use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, Shape, State};
    use anthropi_dynamics::spatial::{Transform, vec3};
    use std::sync::Arc;

    /// As close as good trackers, with the jerk and power of a walk.
    fn tracked() -> Deviation {
        Deviation {
            distance: TrackingProtocol {
                max_m: 0.12,
                held_m: 0.06,
                g_mpjpe_mm: 35.0,
                e_vel_mm: None,
                e_acc_mm: None,
            },
            joint: JointDeviation { angle: 0.4, joint: "left_shoulder".into(), time: 2.31 },
            jerk: Change { given: Some(400.0), filtered: Some(900.0) },
            power: Change { given: Some(6.0), filtered: Some(9.0) },
            fell: None,
        }
    }

    #[test]
    fn good_tracking_is_faithful_and_says_how_close_it_is() {
        let lamp = tracked().faithful();
        assert_eq!(lamp, Lamp::green("joints are 3.5 cm away on average, at most 12 cm in a frame"));
    }

    #[test]
    fn a_joint_163_degrees_off_is_not_faithful() {
        let joint = JointDeviation { angle: 163f64.to_radians(), ..tracked().joint };
        let lamp = Deviation { joint, ..tracked() }.faithful();
        assert_eq!(lamp, Lamp::red("left_shoulder is 163 degrees off at 2.31 s"));
    }

    #[test]
    fn distances_count_on_average_for_long_and_in_a_frame() {
        let with = |g_mpjpe_mm: f64, held_m: f64, max_m: f64| {
            let distance = TrackingProtocol { g_mpjpe_mm, held_m, max_m, ..tracked().distance };
            Deviation { distance, ..tracked() }.faithful()
        };
        // 0.3 m for long; failure of the protocol
        assert_eq!(with(50.0, 0.3, 0.3), Lamp::red("joints are 30 cm away for half a second"));
        assert_eq!(with(50.0, 0.1, 0.51), Lamp::red("joints are up to 51 cm away in a frame"));
        assert_eq!(with(160.0, 0.2, 0.3), Lamp::red("joints are 16 cm away on average"));
        assert_eq!(with(80.0, 0.1, 0.3).state, LampState::Amber);
        assert_eq!(with(59.0, 0.14, 0.29).state, LampState::Green);
    }

    #[test]
    fn jerk_and_power_count_relative_to_the_given_motion_or_to_people() {
        let jerk = |given: f64, filtered: f64| {
            let jerk = Change { given: Some(given), filtered: Some(filtered) };
            Deviation { jerk, ..tracked() }.faithful()
        };
        // a smooth motion may become as rough as human running
        assert_eq!(jerk(10.0, HUMAN_JERK).state, LampState::Green);
        assert_eq!(
            jerk(10.0, 3.0 * HUMAN_JERK),
            Lamp::amber("joint jerk is 3.0 times that of human running")
        );
        let rough = 10.0 * HUMAN_JERK;
        assert_eq!(jerk(rough, 5.0 * rough), Lamp::red("joint jerk is 5.0 times that of the given motion"));
        let power = Change { given: None, filtered: Some(150.0) };
        let lamp = Deviation { power, ..tracked() }.faithful();
        assert_eq!(lamp, Lamp::red("joint power is 5.0 times that of human sprinting"));
    }

    #[test]
    fn a_fall_is_not_faithful() {
        assert_eq!(Deviation { fell: Some(1.5), ..tracked() }.faithful(), Lamp::red("it falls at 1.50 s"));
    }

    /// A free link, and one that rotates on it by given angles.
    fn clip(angles: &[f64]) -> Clip {
        let ball = Shape::Sphere { radius: 0.1 }.inertia(1000.0).unwrap();
        let mut b = FigureBuilder::new("hinge");
        let root = b.add(LinkSpec::new("root", ball), JointSpec::new("free", JointKind::Free)).unwrap();
        let about = JointKind::Revolute { axis: vec3(1.0, 0.0, 0.0) };
        b.add(LinkSpec::new("arm", ball), JointSpec::new("elbow", about).on(root, Transform::identity()))
            .unwrap();
        let figure: Arc<Figure> = Arc::new(b.build().unwrap());
        let place = figure.forest().bodies()[2].coordinates().start;
        let poses = angles.iter().flat_map(|angle| {
            let mut pose = State::home(&figure).q;
            pose[place] = *angle;
            pose
        });
        let q = poses.collect();
        Clip::new("hinge", figure, 0.02, q).unwrap()
    }

    #[test]
    fn angles_are_held_and_whole_turns_are_none() {
        let given = clip(&[0.0; 20]);
        let bent = |frames: std::ops::Range<usize>| {
            clip(&(0..20).map(|f| if frames.contains(&f) { TAU + 1.0 } else { TAU }).collect::<Vec<_>>())
        };
        // clips of one figure
        let compare = |frames| {
            let other = bent(frames);
            let other = given.with_same_frames(other.poses().to_vec());
            JointDeviation::compare(&given, &other, 0).unwrap()
        };
        assert_eq!(compare(7..10).angle, 0.0, "three broken frames");
        let held = compare(7..12);
        assert!((held.angle - 1.0).abs() < 1e-9 && held.joint == "elbow", "{held:?}");
        assert!((held.time - 0.14).abs() < 1e-9, "{held:?}");
    }
}
