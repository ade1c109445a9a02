//! Writes a changed motion of a figure back to the skeleton of its recording.
//!
//! Each bone keeps its transform to its link:  world_from_bone' = world_from_link' link_from_world world_from_bone,
//! frame by frame, so that details the figure lacks (fingers, changing lengths) stay as recorded. The link of a bone is
//! the link of its parent bone or a child of it, whichever the bone moves least against.

use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::{Transform, Vec3};
use anthropi_formats::bvh::checks;
use anthropi_motion::Clip;
use anthropi_motion::recording::{Channel, Recording};

/// Frames sampled to assign bones to links.
const SAMPLES: usize = 100;
/// Weight of the distance between bone and link, rad/m: breaks ties where nothing moves.
const DISTANCE_WEIGHT: f64 = 1e-3;

/// The recording of `before` with the motion of `after`, which has the same figure and frames; the time between frames may
/// differ. A rest pose is moved to the
/// new start, so that readers build the same person; it is dropped if readers would take it for motion.
pub fn write_back(recording: &Recording, before: &Clip, after: &Clip) -> Recording {
    let links = links_of_bones(recording, before);
    let bones = &recording.skeleton.bones;
    let mut changed = recording.clone();
    changed.dt *= after.dt() / before.dt();
    let (mut old, mut new) = (Frame::default(), Frame::default());
    let mut places: Vec<Transform> = Vec::new();
    for frame in 0..recording.frames().min(after.frames()) {
        old.load(recording, before, frame);
        new.load(recording, after, frame);
        places.clear();
        for (bone, link) in links.iter().enumerate() {
            let moved = link.map_or(Transform::identity(), |l| new.link(l) * old.link(l).inverse());
            places.push(moved * old.bones[bone]);
            let on_parent = match bones[bone].parent {
                Some(parent) => places[parent].inverse() * places[bone],
                None => places[bone],
            };
            let at = frame * bones.len() + bone;
            changed.rotations[at] = on_parent.orientation();
            // bones keep their lengths: only roots translate
            let is_root = bones[bone].parent.is_none_or(|p| links[p].is_none());
            if is_root && bones[bone].channels.iter().any(|c| matches!(c, Channel::Position(_))) {
                changed.positions[at] = on_parent.translation;
                if let (0, Some((_, rest))) = (frame, &mut changed.rest) {
                    rest[bone] = on_parent.translation;
                }
            }
            // children build on the stored transform
            let local = Transform::new(changed.positions[at], changed.rotations[at]);
            places[bone] = bones[bone].parent.map_or(local, |p| places[p] * local);
        }
    }
    if !checks::is_rest_pose_distinct(&changed) {
        changed.rest = None;
    }
    changed
}

/// World transforms of the bones and links in a frame.
#[derive(Default)]
struct Frame<'a> {
    bones: Vec<Transform>,
    kinematics: Kinematics,
    figure: Option<&'a Figure>,
}

impl<'a> Frame<'a> {
    fn load(&mut self, recording: &Recording, clip: &'a Clip, frame: usize) {
        let mut places: Vec<(Vec3, _)> = Vec::new();
        recording.world_at(frame, &mut places);
        self.bones = places.into_iter().map(|(at, turn)| Transform::new(at, turn)).collect();
        self.kinematics.update(clip.figure().forest(), clip.pose(frame), None, None);
        self.figure = Some(clip.figure());
    }

    fn link(&self, link: LinkHandle) -> Transform {
        let figure = self.figure.expect("load is called first");
        self.kinematics.link_pose(figure.forest(), link)
    }
}

/// By bone: its link; `None` for a bone fixed to the world.
fn links_of_bones(recording: &Recording, clip: &Clip) -> Vec<Option<LinkHandle>> {
    let every = recording.frames().div_ceil(SAMPLES).max(1);
    let frames: Vec<Frame> = (0..recording.frames().min(clip.frames()))
        .step_by(every)
        .map(|frame| {
            let mut seen = Frame::default();
            seen.load(recording, clip, frame);
            seen
        })
        .collect();
    let mut owners: Vec<Option<LinkHandle>> = Vec::new();
    for (bone, b) in recording.skeleton.bones.iter().enumerate() {
        let parent = b.parent.and_then(|p| owners[p]);
        let below = clip.figure().links().filter(|(_, l)| l.parent() == parent).map(|(handle, _)| handle);
        let all = [parent].into_iter().chain(below.map(Some));
        let scored = all.map(|link| (link, movement(&frames, bone, link)));
        owners.push(scored.min_by(|a, b| a.1.total_cmp(&b.1)).and_then(|(link, _)| link));
    }
    owners
}

/// Largest rotation of a bone relative to a link, rad; relative to the world, plus its translation, m.
fn movement(frames: &[Frame], bone: usize, link: Option<LinkHandle>) -> f64 {
    let on_link = |f: &Frame| link.map_or(f.bones[bone], |l| f.link(l).inverse() * f.bones[bone]);
    let Some(first) = frames.first().map(on_link) else { return 0.0 };
    let apart = DISTANCE_WEIGHT * first.translation.norm();
    let most = frames.iter().map(on_link).map(|now| {
        let turn = (first.inverse() * now).orientation().log().norm();
        let shift = if link.is_none() { (now.translation - first.translation).norm() } else { 0.0 };
        turn + shift
    });
    most.fold(0.0, f64::max) + apart
}
