//! Mirrors a motion left to right.
//!
//! Computes, for every link L with its partner L' on the other side (itself in the middle), the pose
//!     W'_{L'}(t) = M W_L(t) W_L(home)^-1 M W_{L'}(home)
//! with M the reflection in the sagittal plane of the home pose, facing +x; joint coordinates follow from the rotation
//! relative to the parent: exactly for spherical and free joints, by projection on the axes for hinges.
//! Source: our own.
//! Not here: lengths; an asymmetric figure keeps its own.
//! Checked by: `tests/it/clip.rs` (mirroring twice is the identity; feet are mirror images).

use super::Clip;
use crate::error::Error;
use crate::pose;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::{JointKind, JointState, MAX_NV};
use anthropi_dynamics::model::{Figure, Joint, LinkHandle};
use anthropi_dynamics::spatial::{Mat3, Transform, Vec3, vec3};

/// Each word for a side and its mirror image.
const SIDES: [(&str, &str); 3] = [("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT")];

impl Clip {
    /// The mirror image. Links are paired by name (`left_`, `Right`, `l_`, `_R`, `lfemur`, ...).
    ///
    /// # Errors
    /// A figure without a free root, or with a link on one side only.
    pub fn mirrored(&self) -> Result<Clip, Error> {
        self.check_free()?;
        let figure = self.figure();
        let pairs = Pairs::new(figure)?;
        let mut kinematics = Kinematics::default();
        let mut q = Vec::with_capacity(self.poses().len());
        // coordinates of the previous frame select the branch of a hinge angle
        let mut pose = figure.forest().home().to_vec();
        for frame in 0..self.frames() {
            kinematics.update(figure.forest(), self.pose(frame), None, None);
            pairs.mirror(figure, &kinematics, self.pose(frame), &mut pose)?;
            q.extend_from_slice(&pose);
        }
        Ok(self.with_frames(self.start(), self.dt(), q))
    }
}

/// A link and its mirror partner.
struct Pair {
    link: LinkHandle,
    /// index of its parent's pair
    parent: Option<usize>,
    partner: LinkHandle,
    home: Transform,
    /// inverse home pose of the partner
    partner_undone: Transform,
}

/// All links, parents before children.
struct Pairs {
    list: Vec<Pair>,
    /// y of the sagittal plane
    plane: f64,
}

impl Pairs {
    fn new(figure: &Figure) -> Result<Pairs, Error> {
        let handles: Vec<LinkHandle> = figure.links().map(|(handle, _)| handle).collect();
        let mut list = Vec::with_capacity(handles.len());
        for (link, spec) in figure.links() {
            let partner = partner(figure, link, &spec.spec.name)?;
            let parent = spec.parent().and_then(|p| handles.iter().position(|h| *h == p));
            let (home, partner_undone) = (figure.home_pose(link), figure.home_pose(partner).inverse());
            list.push(Pair { link, parent, partner, home, partner_undone });
        }
        let plane = list.first().map_or(0.0, |p| p.home.translation.y);
        Ok(Pairs { list, plane })
    }

    /// The mirror image of a pose; `q` holds nearby coordinates on entry.
    fn mirror(&self, figure: &Figure, k: &Kinematics, original: &[f64], q: &mut [f64]) -> Result<(), Error> {
        let mut reached: Vec<Transform> = Vec::with_capacity(self.list.len());
        for pair in &self.list {
            let moved = k.link_pose(figure.forest(), pair.partner) * pair.partner_undone;
            let wanted = reflected(&moved, self.plane) * pair.home;
            let handle = figure.link(pair.link)?.joint();
            let joint = figure.joint(handle)?;
            let above =
                pair.parent.map_or_else(Transform::identity, |p| reached[p]) * joint.parent_from_joint;
            let relative = above.inverse() * wanted * joint.child_from_joint;
            let place = figure.forest().joint_place(handle);
            let own = &mut q[place.coordinates()];
            let coordinates = joint.coordinates();
            let rest = [0.0; MAX_NV];
            let near = coordinates.expand(own, &rest[..place.nv]);
            let mut state = JointState::at_rest(near.q);
            if joint.kind == JointKind::Free {
                state.q[..3].copy_from_slice(&relative.translation.to_array());
            }
            pose::set_rotation(&joint.kind, relative.orientation(), &mut state.q);
            if let JointKind::Prismatic { axis } = joint.kind {
                state.q[0] = slid(figure, pair, (joint, axis), original)?;
            }
            coordinates.reduce(&state, own, &mut [0.0; MAX_NV][..place.nv]);
            let got = joint.kind.transform(&coordinates.expand(own, &rest[..place.nv]).q);
            reached.push(above * got * joint.child_from_joint.inverse());
        }
        Ok(())
    }
}

/// Displacement of a prismatic joint that mirrors its partner's.
fn slid(figure: &Figure, pair: &Pair, (joint, axis): (&Joint, Vec3), original: &[f64]) -> Result<f64, Error> {
    let handle = figure.link(pair.partner)?.joint();
    let other = figure.joint(handle)?;
    let JointKind::Prismatic { axis: other_axis } = other.kind else { return Ok(joint.home[0]) };
    let place = figure.forest().joint_place(handle);
    let now = other.coordinates().expand(&original[place.coordinates()], &[0.0; MAX_NV][..place.nv]);
    let ours = pair.home.rotation.mul(joint.child_from_joint.rotation.mul(axis));
    let theirs = pair.partner_undone.rotation.tr_mul(other.child_from_joint.rotation.mul(other_axis));
    let along = vec3(theirs.x, -theirs.y, theirs.z).dot(ours);
    Ok(joint.home[0] + along * (now.q[0] - other.home[0]))
}

/// M T M with M the reflection in the plane y = `plane`.
fn reflected(t: &Transform, plane: f64) -> Transform {
    let flip = |v: Vec3| vec3(v.x, -v.y, v.z);
    let r = t.rotation;
    let rotation = Mat3 { x: flip(r.x), y: -flip(r.y), z: flip(r.z) };
    // M T M applied to the origin
    let back = t.point(vec3(0.0, 2.0 * plane, 0.0));
    Transform { rotation, translation: vec3(back.x, 2.0 * plane - back.y, back.z) }
}

/// The partner of a link by name, or the link itself.
fn partner(figure: &Figure, link: LinkHandle, name: &str) -> Result<LinkHandle, Error> {
    let candidates = other_side(name);
    if let Some(found) = candidates.iter().find_map(|n| figure.find_link(n).ok()) {
        return Ok(found);
    }
    if SIDES.iter().any(|(l, r)| name.contains(l) || name.contains(r)) {
        let what = format!("link `{name}` has no partner on the other side; add one or rename it");
        return Err(Error::unsuitable(&figure.name, what));
    }
    Ok(link)
}

/// Candidate names on the other side: words anywhere, then a single letter at either end.
fn other_side(name: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (l, r) in SIDES {
        names.extend(name.contains(l).then(|| name.replacen(l, r, 1)));
        names.extend(name.contains(r).then(|| name.replacen(r, l, 1)));
    }
    for (l, r) in [("l", "r"), ("L", "R"), ("r", "l"), ("R", "L")] {
        names.extend(name.strip_prefix(l).map(|rest| format!("{r}{rest}")));
        names.extend(name.strip_suffix(l).map(|rest| format!("{rest}{r}")));
    }
    names
}
