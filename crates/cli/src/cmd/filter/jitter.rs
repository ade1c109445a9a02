//! How rough a motion is: root mean square of the joints' jerk.

use anthropi_dynamics::model::BodyJoint;
use anthropi_motion::{Clip, pose};

/// Root mean square over all joints' coordinates (not the root's) and frames of the third difference over time, rad/s3, of
/// the frames before `until`; nothing is smoothed. Balls count by the turn from frame to frame. None of fewer than four
/// frames.
pub fn jitter(clip: &Clip, until: usize) -> Option<f64> {
    let (forest, nv) = (clip.figure().forest(), clip.figure().forest().nv());
    let frames = until.min(clip.frames());
    let mut ways = vec![vec![0.0; nv]; frames.saturating_sub(1)];
    for (k, way) in ways.iter_mut().enumerate() {
        pose::difference(forest, clip.pose(k), clip.pose(k + 1), way);
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
    (count > 0.0).then(|| (sum / count).sqrt() / clip.dt().powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_io::builtin;
    use std::sync::Arc;

    #[test]
    fn a_cubic_has_the_jerk_of_its_first_factor() {
        let figure = Arc::new(builtin::figure("human-28").unwrap().unwrap().figure);
        let forest = figure.forest();
        let joints: Vec<_> = forest.bodies().iter().skip(1).filter(|b| b.joint != BodyJoint::Free).collect();
        let hinge = joints.iter().find(|b| b.joint.nv() == 1).expect("a knee").iq as usize;
        let (dt, jerk) = (0.01, 12.0);
        let pose = |k: u32| {
            let mut q = forest.home().to_vec();
            q[hinge] += jerk / 6.0 * (f64::from(k) * dt).powi(3);
            q
        };
        let clip = Clip::new("cubic", figure.clone(), dt, (0..9).flat_map(pose).collect()).unwrap();
        let dofs: usize = joints.iter().map(|b| b.joint.nv()).sum();
        let expected = jerk / (dofs as f64).sqrt();
        let got = jitter(&clip, 9).expect("nine frames");
        assert!((got - expected).abs() < 1e-6 * expected, "{got} {expected}");
        assert_eq!(jitter(&clip, 3), None);
    }
}
