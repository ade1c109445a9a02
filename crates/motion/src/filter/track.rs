//! How near a figure is to its reference, and whether it has fallen.

use super::aim::Aim;
use super::body::Body;
use crate::pose;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::BodyJoint;

/// Fallen: the centre of mass this much too low, m...
const LOW: f64 = 0.3;
/// ...or the trunk this far off, rad...
const TILT: f64 = 1.0;
/// ...or the root this far off, m.
const AWAY: f64 = 1.0;

/// Distances to the reference.
#[derive(Clone, Debug, Default)]
pub struct Tracking {
    /// angle between each joint's turn and the reference's, root mean square over joints and frames, degrees
    pub joint_rms_deg: f64,
    /// the largest, degrees
    pub joint_max_deg: f64,
    /// place of the root, m
    pub root_rms_m: f64,
    /// places of all links, m
    pub link_rms_m: f64,
    sums: [f64; 3],
    counts: [f64; 3],
    way: Vec<f64>,
    kinematics: [Kinematics; 2],
}

impl Tracking {
    pub(super) fn take(&mut self, body: &Body, truth: &Aim) {
        let forest = body.figure.forest();
        self.way.resize(forest.nv(), 0.0);
        pose::difference(forest, &truth.q, body.q(), &mut self.way);
        for b in forest.bodies().iter().skip(1) {
            let own = &self.way[b.iv as usize..b.iv as usize + b.joint.nv()];
            let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
            let (kind, size) = match b.joint {
                BodyJoint::Free => (1, square(&own[3..6])),
                _ => (0, square(own)),
            };
            self.sums[kind] += size;
            self.counts[kind] += 1.0;
            if kind == 0 {
                self.joint_max_deg = self.joint_max_deg.max(size.sqrt().to_degrees());
            }
        }
        let [a, b] = &mut self.kinematics;
        a.update(forest, body.q(), None, None);
        b.update(forest, &truth.q, None, None);
        for (link, _) in body.figure.links() {
            let off = a.link_pose(forest, link).translation - b.link_pose(forest, link).translation;
            self.sums[2] += off.dot(off);
            self.counts[2] += 1.0;
        }
    }

    pub(super) fn finish(&mut self) {
        let rms = |k: usize| (self.sums[k] / self.counts[k].max(1.0)).sqrt();
        (self.joint_rms_deg, self.root_rms_m, self.link_rms_m) = (rms(0).to_degrees(), rms(1), rms(2));
    }
}

/// Whether a figure has fallen, or does what no figure does.
pub(crate) fn fallen(body: &Body, truth: &Aim) -> bool {
    let forest = body.figure.forest();
    let is_wild = body.is_lost || !body.is_sane();
    let Some(root) = forest.bodies().iter().find(|b| b.joint == BodyJoint::Free) else { return is_wild };
    let i = root.iq as usize;
    let away = (pose::triple(body.q(), i) - pose::triple(&truth.q, i)).norm();
    let turn = pose::quaternion(body.q(), i + 3).inverse().then(pose::quaternion(&truth.q, i + 3));
    let tilt = turn.log().norm();
    let low = truth.center[0].z - body.center().z;
    is_wild || !(away <= AWAY && tilt <= TILT && low <= LOW)
}
