//! Roughness of a motion: RMS jerk of the joints.
//!
//! Checked by: `tests/it/clip.rs`.

use super::Clip;
use crate::pose;
use anthropi_dynamics::model::BodyJoint;

impl Clip {
    /// RMS jerk of all joint coordinates except the root's over the frames before `until`, rad/s^3, from unsmoothed third
    /// differences; rotation vectors between frames for spherical joints. `None` for fewer than four frames.
    pub fn jitter(&self, until: usize) -> Option<f64> {
        let (forest, nv) = (self.figure.forest(), self.figure.forest().nv());
        let frames = until.min(self.frames());
        let mut ways = vec![vec![0.0; nv]; frames.saturating_sub(1)];
        for (k, way) in ways.iter_mut().enumerate() {
            pose::difference(forest, self.pose(k), self.pose(k + 1), way);
        }
        let joints = || forest.bodies().iter().skip(1).filter(|b| b.joint != BodyJoint::Free);
        let dofs: Vec<usize> = joints().flat_map(|b| b.dofs()).collect();
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
