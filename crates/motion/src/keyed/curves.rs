//! Joint curves of a keyframed motion, with mirrored keys and pins.

use super::{KeyTrack, KeyedMotion, Pin};
use crate::curve::Curve;
use crate::error::Error;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Joint, JointHandle, LinkHandle};
use anthropi_dynamics::spatial::{RotationOrder, Vec3};

/// Least distance of two keys, s.
const MIN_KEY_DISTANCE: f64 = 1e-6;
/// Tolerance of axes aligned with the figure.
const ALIGNED: f64 = 1e-6;

/// Curves of one joint.
struct JointCurve {
    iq: usize,
    kind: JointKind,
    order: RotationOrder,
    home: [f64; 7],
    curves: [Option<Curve>; 6],
}

/// Curves of all joints.
pub(super) struct JointCurves {
    joints: Vec<JointCurve>,
    /// forward speed of a cycle, m/s
    speed: f64,
    /// first coordinate of the root joint
    pub root: usize,
    /// its link
    pub pelvis: LinkHandle,
    /// pins of both sides
    pub pins: Vec<Pin>,
}

impl JointCurves {
    pub fn new(keyed: &KeyedMotion) -> Result<JointCurves, Error> {
        let figure = &keyed.figure;
        let period = keyed.cycle.map(|_| keyed.duration);
        let is_mirrored = keyed.cycle.is_some_and(|c| c.is_mirrored);
        let (mut tracks, mut pins) = (keyed.tracks.clone(), keyed.pins.clone());
        if is_mirrored {
            mirror_tracks(keyed, &mut tracks)?;
            mirror_pins(keyed, &mut pins)?;
        }
        let mut joints = Vec::new();
        for (handle, joint) in figure.joints() {
            let mut curves = [const { None }; 6];
            for track in tracks.iter().filter(|t| t.joint == handle && !t.keys.is_empty()) {
                curves[track.component.min(5)] = Some(Curve::through(&track.keys, period));
            }
            let iq = figure.forest().joint_place(handle).iq;
            let order = if joint.kind == JointKind::Free { RotationOrder::Yxz } else { joint.order };
            let mut home = [0.0; 7];
            home.iter_mut().zip(joint.home).for_each(|(a, b)| *a = b);
            joints.push(JointCurve { iq, kind: joint.kind, order, home, curves });
        }
        let root = figure.joints().find(|(_, joint)| joint.kind == JointKind::Free);
        let (root, joint) = root.ok_or_else(|| keyed.wrong("its figure has no free root joint"))?;
        let (root, pelvis) = (figure.forest().joint_place(root).iq, joint.child());
        let speed = keyed.cycle.map_or(0.0, |c| c.travel / keyed.duration);
        Ok(JointCurves { joints, speed, root, pelvis, pins })
    }

    /// The keyed pose at a time.
    pub fn pose(&self, t: f64, q: &mut [f64]) {
        self.joints.iter().for_each(|p| p.put(t, q));
        q[self.root] += self.speed * t;
    }
}

impl JointCurve {
    fn put(&self, t: f64, q: &mut [f64]) {
        let at = |k: usize, home: f64| self.curves[k].as_ref().map_or(home, |c| c.value(t));
        let turn = |from: usize, home: [f64; 3]| self.order.quat([0, 1, 2].map(|k| at(from + k, home[k]))).0;
        let own = &mut q[self.iq..];
        match self.kind {
            JointKind::Revolute { .. } | JointKind::Prismatic { .. } => own[0] = at(0, self.home[0]),
            JointKind::Universal { .. } => (0..2).for_each(|k| own[k] = at(k, self.home[k])),
            JointKind::Spherical => own[..4].copy_from_slice(&turn(0, self.home_angles(0))),
            JointKind::Free => {
                (0..3).for_each(|k| own[k] = at(k, self.home[k]));
                own[3..7].copy_from_slice(&turn(3, self.home_angles(3)));
            }
            JointKind::Fixed | JointKind::Partial { .. } => {}
        }
    }

    fn home_angles(&self, from: usize) -> [f64; 3] {
        self.order.angles(crate::pose::quaternion(&self.home, from))
    }
}

/// Adds to each joint the mirrored keys of its partner, half a cycle later.
fn mirror_tracks(keyed: &KeyedMotion, tracks: &mut Vec<KeyTrack>) -> Result<(), Error> {
    let figure = &keyed.figure;
    for given in tracks.clone() {
        let joint = figure.joint(given.joint)?;
        let partner = partner(keyed, &joint.name, |name| figure.find_joint(name).ok())?;
        let partner: JointHandle = partner.unwrap_or(given.joint);
        let sign = mirror_sign(keyed, joint, given.component)?;
        let half = 0.5 * keyed.duration;
        let later = given.keys.iter().map(|(t, x)| ((t + half).rem_euclid(keyed.duration), sign * x));
        let found = tracks.iter_mut().find(|t| (t.joint, t.component) == (partner, given.component));
        match found {
            Some(track) => track.keys.extend(later),
            None => tracks.push(KeyTrack { joint: partner, keys: later.collect(), ..given }),
        }
    }
    for track in tracks {
        track.keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let Some(pair) = track.keys.windows(2).find(|w| w[1].0 - w[0].0 < MIN_KEY_DISTANCE) {
            let (name, t) = (&figure.joint(track.joint)?.name, pair[0].0);
            return Err(keyed.wrong(format!(
                "joint `{name}` has two keys at {t:.3} s: its own and the mirrored one of its partner"
            )));
        }
    }
    Ok(())
}

fn mirror_pins(keyed: &KeyedMotion, pins: &mut Vec<Pin>) -> Result<(), Error> {
    let figure = &keyed.figure;
    for pin in pins.clone() {
        let name = &figure.link(pin.link)?.spec.name;
        let link = partner(keyed, name, |name| figure.find_link(name).ok())?.unwrap_or(pin.link);
        let half = 0.5 * keyed.duration;
        pins.push(Pin { link, from: pin.from + half, to: pin.to + half, ..pin });
    }
    Ok(())
}

/// Mirror image of a name; `None` for midline parts.
fn partner<T>(keyed: &KeyedMotion, name: &str, find: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Error> {
    let other = match (name.strip_prefix("left_"), name.strip_prefix("right_")) {
        (Some(rest), _) => format!("right_{rest}"),
        (_, Some(rest)) => format!("left_{rest}"),
        _ => return Ok(None),
    };
    find(&other).map(Some).ok_or_else(|| keyed.wrong(format!("`{name}` has no partner `{other}`")))
}

/// Mirroring keeps a rotation about the transverse axis and reverses the others.
fn mirror_sign(keyed: &KeyedMotion, joint: &Joint, component: usize) -> Result<f64, Error> {
    let about = |axis: Vec3| {
        let lies = |x: f64| (x.abs() - 1.0).abs() < ALIGNED;
        let is_across = lies(axis.y);
        (is_across || lies(axis.x) || lies(axis.z)).then_some(if is_across { 1.0 } else { -1.0 })
    };
    let of_order = |order: RotationOrder, k: usize| {
        Some(if order.name().as_bytes().get(k) == Some(&b'y') { 1.0 } else { -1.0 })
    };
    let sign = match joint.kind {
        JointKind::Revolute { axis } => about(axis),
        JointKind::Universal { first, second } => about(if component == 0 { first } else { second }),
        JointKind::Spherical => of_order(joint.order, component),
        JointKind::Free if component < 3 => Some(if component == 1 { -1.0 } else { 1.0 }),
        JointKind::Free => of_order(RotationOrder::Yxz, component - 3),
        _ => None,
    };
    sign.ok_or_else(|| keyed.wrong(format!("joint `{}` cannot be mirrored: its axis is oblique", joint.name)))
}
