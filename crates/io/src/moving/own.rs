//! A changed motion of a figure back on the skeleton of the recording that the figure was made for.
//!
//! Each bone goes with the link it went with before:  world_from_bone' = world_from_link' link_from_world world_from_bone,
//! frame by frame, so that what the figure does not have (fingers, lengths that change) stays as it was recorded. A bone
//! goes with the link of its parent or with one that hangs on that: the one it moves least against.

use crate::bvh::oddity;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::{Transform, Vec3};
use anthropi_motion::Clip;
use anthropi_motion::recording::{Channel, Recording};

/// So many frames are looked at to find out which link a bone goes with.
const LOOKED_AT: usize = 100;
/// A metre between bone and link counts as this much movement: it decides where nothing moves.
const APART: f64 = 1e-3;

/// The recording of `before` with the motion of `after`, which has the same figure and frames. A rest pose stays before
/// the motion, where that begins now: readers make the same person of it. Where they would take it for motion it is left out.
pub fn recording_of(recording: &Recording, before: &Clip, after: &Clip) -> Recording {
    let links = Owners::find(recording, before).0;
    let bones = &recording.skeleton.bones;
    let mut changed = recording.clone();
    let (mut old, mut new) = (Frame::default(), Frame::default());
    let mut places: Vec<Transform> = Vec::new();
    for frame in 0..recording.frames().min(after.frames()) {
        old.see(recording, before, frame);
        new.see(recording, after, frame);
        places.clear();
        for (bone, link) in links.iter().enumerate() {
            let moved = link.map_or(Transform::identity(), |l| new.links(l) * old.links(l).inverse());
            places.push(moved * old.bones[bone]);
            let on_parent = match bones[bone].parent {
                Some(parent) => places[parent].inverse() * places[bone],
                None => places[bone],
            };
            let at = frame * bones.len() + bone;
            changed.rotations[at] = on_parent.orientation();
            // bones keep their lengths: only what hangs on nothing goes somewhere
            let is_root = bones[bone].parent.is_none_or(|p| links[p].is_none());
            if is_root && bones[bone].channels.iter().any(|c| matches!(c, Channel::Position(_))) {
                changed.positions[at] = on_parent.translation;
                if let (0, Some((_, rest))) = (frame, &mut changed.rest) {
                    rest[bone] = on_parent.translation;
                }
            }
            // what comes after stands where this one really is
            let local = Transform::new(changed.positions[at], changed.rotations[at]);
            places[bone] = bones[bone].parent.map_or(local, |p| places[p] * local);
        }
    }
    if !oddity::is_rest_told_apart(&changed) {
        changed.rest = None;
    }
    changed
}

/// Bones and links of a frame in the world.
#[derive(Default)]
struct Frame<'a> {
    bones: Vec<Transform>,
    kinematics: Kinematics,
    figure: Option<&'a Figure>,
}

impl<'a> Frame<'a> {
    fn see(&mut self, recording: &Recording, clip: &'a Clip, frame: usize) {
        let mut places: Vec<(Vec3, _)> = Vec::new();
        recording.world_at(frame, &mut places);
        self.bones = places.into_iter().map(|(at, turn)| Transform::new(at, turn)).collect();
        self.kinematics.update(clip.figure().forest(), clip.pose(frame), None, None);
        self.figure = Some(clip.figure());
    }

    fn links(&self, link: LinkHandle) -> Transform {
        let figure = self.figure.expect("a frame that was seen");
        self.kinematics.link_pose(figure.forest(), link)
    }
}

/// By bone: the link it goes with; none where it stays in the world.
struct Owners(Vec<Option<LinkHandle>>);

impl Owners {
    fn find(recording: &Recording, clip: &Clip) -> Owners {
        let every = recording.frames().div_ceil(LOOKED_AT).max(1);
        let frames: Vec<Frame> = (0..recording.frames().min(clip.frames()))
            .step_by(every)
            .map(|frame| {
                let mut seen = Frame::default();
                seen.see(recording, clip, frame);
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
        Owners(owners)
    }
}

/// How much a bone turns against a link, rad, in all frames; against the world, also how far it goes, m.
fn movement(frames: &[Frame], bone: usize, link: Option<LinkHandle>) -> f64 {
    let on_link = |f: &Frame| link.map_or(f.bones[bone], |l| f.links(l).inverse() * f.bones[bone]);
    let Some(first) = frames.first().map(on_link) else { return 0.0 };
    let apart = APART * first.translation.norm();
    let most = frames.iter().map(on_link).map(|now| {
        let turn = (first.inverse() * now).orientation().log().norm();
        let way = if link.is_none() { (now.translation - first.translation).norm() } else { 0.0 };
        turn + way
    });
    most.fold(0.0, f64::max) + apart
}
