//! How rough a motion is.
//!
//! Computes the root mean square of the joints' jerk.
//! Checked by: `tests/clip.rs`.

use super::Clip;
use crate::pose;
use anthropi_dynamics::model::BodyJoint;

impl Clip {
    /// Root mean square over all joints' coordinates (not the root's) and frames of the third difference over time,
    /// rad/s3, of the frames before `until`; nothing is smoothed. Balls count by the turn from frame to frame. None of
    /// fewer than four frames.
    pub fn jitter(&self, until: usize) -> Option<f64> {
        let (forest, nv) = (self.figure.forest(), self.figure.forest().nv());
        let frames = until.min(self.frames());
        let mut ways = vec![vec![0.0; nv]; frames.saturating_sub(1)];
        for (k, way) in ways.iter_mut().enumerate() {
            pose::difference(forest, self.pose(k), self.pose(k + 1), way);
        }
        let joints = || forest.bodies().iter().skip(1).filter(|b| b.joint != BodyJoint::Free);
        let dofs: Vec<usize> = joints().flat_map(|b| b.iv as usize..b.iv as usize + b.joint.nv()).collect();
        let (mut sum, mut count) = (0.0, 0.0);
        for w in ways.windows(3) {
            for k in &dofs {
                let third = w[2][*k] - 2.0 * w[1][*k] + w[0][*k];
                sum += third * third;
                count += 1.0;
            }
        }
        (count > 0.0).then(|| (sum / count).sqrt() / self.dt.powi(3))
    }
}
