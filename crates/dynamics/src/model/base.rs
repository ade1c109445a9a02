//! The same figure with a fixed or a floating base.

use super::Figure;
use super::structure::free_coordinates;
use crate::error::Error;
use crate::joint::JointKind;
use crate::spatial::Transform;

/// Name of a floating base's joint if it had none before.
pub const BASE_NAME: &str = "root";

impl Figure {
    /// A copy in which every link that is fixed to the world has a free joint instead, in the same pose. The first is
    /// named `root`.
    pub fn with_free_base(&self) -> Result<Figure, Error> {
        self.with_bases(JointKind::Fixed, |joint| {
            joint.kind = JointKind::Free;
            joint.home = free_coordinates(&joint.parent_from_joint);
            joint.parent_from_joint = Transform::identity();
            joint.actuated = false;
        })
    }

    /// A copy in which every free figure is fixed to the world in its home pose.
    pub fn with_fixed_base(&self) -> Result<Figure, Error> {
        self.with_bases(JointKind::Free, |joint| {
            joint.parent_from_joint = joint.parent_from_joint * joint.kind.transform(&joint.home);
            joint.kind = JointKind::Fixed;
            joint.home = JointKind::Fixed.neutral();
        })
    }

    fn with_bases(&self, from: JointKind, change: impl Fn(&mut super::Joint)) -> Result<Figure, Error> {
        let mut figure = self.clone();
        let mut next = figure.child;
        let mut may_name = from == JointKind::Fixed && figure.find_joint(BASE_NAME).is_err();
        while let Some(link) = next {
            let entry = figure.entry(link);
            let (handle, is_virtual) = (entry.joint, entry.is_virtual());
            next = entry.brother;
            let joint = figure.joints.get_mut(handle.0).expect("every link has its joint");
            if joint.kind == from && !is_virtual {
                change(joint);
                if core::mem::take(&mut may_name) {
                    joint.name = BASE_NAME.into();
                }
            }
        }
        figure.revision += 1;
        figure.compile();
        figure.check_inertia()?;
        Ok(figure)
    }
}
