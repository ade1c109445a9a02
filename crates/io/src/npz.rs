//! NPZ of AMASS: motions on the SMPL body, as zipped NumPy arrays.
//!
//! Read are `poses` (frames by 66, 72, 156 or 165: rotation vectors), `trans` and the frame rate. AMASS is in metres with z
//! up; the body's own axes have y up and z ahead, which the root's turn carries into the world.
//! We differ: the shape of the person (`betas`) needs the model's files, which are not ours to ship. We take one neutral
//! skeleton 1.75 m tall; its offsets are our own approximation from anthropometry (thigh and shank about 0.23 of the
//! height, pelvis at 0.55 of it, arm span about the height), good to some centimetres.
//! Not here: fingers, jaw, eyes, soft tissue (`dmpls`).
//! Checked by: `tests/npz.rs`.

mod npy;
mod zip;

use crate::error::Error;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_motion::recording::{Bone, Channel, Convention, Recording, Skeleton, Up};
use npy::Array;
use std::path::Path;

/// Most frames of a motion: 35 minutes at 120 Hz.
const MAX_FRAMES: usize = 250_000;
/// Highest frame rate, Hz.
const MAX_RATE: f64 = 10_000.0;
/// Longest rotation vector: some turns, far from where sines lose digits.
const MAX_TURN: f64 = 1e3;
/// Farthest from the origin, m.
const MAX_PLACE: f64 = 1e6;
/// Joints of the body without hands.
const BODY: usize = 22;

/// Where the pelvis of the model is when `trans` is zero, m, to a centimetre: added to it whatever the turn.
const PELVIS: Vec3 = vec3(0.0, -0.23, 0.03);

/// Name, parent, offset from the parent, end if it is a last one; the person's left is x, up is y, ahead is z. Parents
/// are those of SMPL, the last two are its hands.
type Row = (&'static str, Option<usize>, [f64; 3], Option<[f64; 3]>);
#[rustfmt::skip]
const JOINTS: [Row; 24] = [
    ("pelvis",         None,     [0.0, 0.0, 0.0],        None),
    ("left_hip",       Some(0),  [0.065, -0.085, 0.0],   None),
    ("right_hip",      Some(0),  [-0.065, -0.085, 0.0],  None),
    ("spine1",         Some(0),  [0.0, 0.11, -0.03],     None),
    ("left_knee",      Some(1),  [0.035, -0.40, 0.0],    None),
    ("right_knee",     Some(2),  [-0.035, -0.40, 0.0],   None),
    ("spine2",         Some(3),  [0.0, 0.135, 0.0],      None),
    ("left_ankle",     Some(4),  [-0.01, -0.41, -0.035], None),
    ("right_ankle",    Some(5),  [0.01, -0.41, -0.035],  None),
    ("spine3",         Some(6),  [0.0, 0.055, 0.02],     None),
    ("left_foot",      Some(7),  [0.03, -0.055, 0.125],  Some([0.0, 0.0, 0.07])),
    ("right_foot",     Some(8),  [-0.03, -0.055, 0.125], Some([0.0, 0.0, 0.07])),
    ("neck",           Some(9),  [0.0, 0.21, -0.03],     None),
    ("left_collar",    Some(9),  [0.08, 0.12, -0.02],    None),
    ("right_collar",   Some(9),  [-0.08, 0.12, -0.02],   None),
    ("head",           Some(12), [0.0, 0.09, 0.05],      Some([0.0, 0.185, 0.0])),
    ("left_shoulder",  Some(13), [0.105, 0.035, -0.01],  None),
    ("right_shoulder", Some(14), [-0.105, 0.035, -0.01], None),
    ("left_elbow",     Some(16), [0.27, 0.0, -0.02],     None),
    ("right_elbow",    Some(17), [-0.27, 0.0, -0.02],    None),
    ("left_wrist",     Some(18), [0.255, 0.0, 0.0],      Some([0.17, 0.0, 0.0])),
    ("right_wrist",    Some(19), [-0.255, 0.0, 0.0],     Some([-0.17, 0.0, 0.0])),
    ("left_hand",      Some(20), [0.085, 0.0, 0.0],      Some([0.085, 0.0, 0.0])),
    ("right_hand",     Some(21), [-0.085, 0.0, 0.0],     Some([-0.085, 0.0, 0.0])),
];

/// Reads a motion of AMASS. `notes` of the result say what was left out.
///
/// # Errors
/// Bytes that are no NPZ or one that is cut off or too large; arrays that are missing or have another shape or type than
/// expected: which byte of the file, or of the array named.
pub fn read(bytes: &[u8], file: &str) -> Result<Recording, Error> {
    let archive = zip::open(bytes, file)?;
    let array = |name: &str| match archive.find(&format!("{name}.npy")) {
        Some(entry) => Array::read(archive.bytes_of(entry)?, file, name).map(Some),
        None => Ok(None),
    };
    let need = |name: &str| array(name)?.ok_or_else(|| missing(file, name, &archive.names()));

    let poses = need("poses")?;
    let (frames, joints) = shape_of_poses(&poses)?;
    let trans = need("trans")?;
    if trans.shape != [frames, 3] {
        return Err(trans.error(format!(
            "shape {:?}; {:?} expected, as `poses` has {frames} frames",
            trans.shape,
            [frames, 3]
        )));
    }
    let rate = rate(&array, file, &archive.names())?;

    let mut notes = vec![
        "z is up, metres; skeleton: a neutral person 1.75 m tall, approximated from anthropometry"
            .to_string(),
    ];
    if archive.find("betas.npy").is_some() {
        notes.push("the person's shape (`betas`) is ignored".into());
    }
    if poses.shape[1] > 3 * joints {
        notes.push(format!("of {} joints the {joints} of the body are read", poses.shape[1] / 3));
    }
    if archive.find("gender.npy").is_some() {
        // objects are pickled programs: not ours to run, and the word changes nothing
        let gender = array("gender").ok().flatten().and_then(|a| a.text());
        notes.push(gender.map_or("gender: not readable".into(), |g| format!("gender: {g}")));
    }

    let mut recording = Recording {
        name: Path::new(file)
            .file_stem()
            .map_or_else(|| file.to_string(), |s| s.to_string_lossy().into_owned()),
        skeleton: skeleton(joints),
        dt: 1.0 / rate,
        rotations: Vec::with_capacity(frames * joints),
        positions: Vec::with_capacity(frames * joints),
        rest: None,
        convention: Convention { unit: 1.0, up: Up::Z },
        notes,
    };
    for frame in 0..frames {
        for joint in 0..joints {
            let turn = poses.vector(frame, 3 * joint, MAX_TURN)?;
            recording.rotations.push(Quat::exp(turn).normalized());
            recording.positions.push(match joint {
                0 => trans.vector(frame, 0, MAX_PLACE)? + PELVIS,
                _ => recording.skeleton.bones[joint].offset,
            });
        }
    }
    Ok(recording)
}

fn missing(file: &str, name: &str, names: &[String]) -> Error {
    let what = format!("no such array; the file has {}", names.join(", "));
    Error::Binary { file: file.to_string(), at: 0, field: name.to_string(), what }
}

/// Frames and how many joints of the body they hold.
fn shape_of_poses(poses: &Array) -> Result<(usize, usize), Error> {
    let (frames, joints) = match poses.shape[..] {
        [n, 66 | 156 | 165] => (n, BODY),
        [n, 72] => (n, JOINTS.len()),
        _ => {
            let what = format!("shape {:?}; frames by 72, 156 or 165 (or 66) numbers expected", poses.shape);
            return Err(poses.error(what));
        }
    };
    if frames == 0 || frames > MAX_FRAMES {
        return Err(poses.error(format!("{frames} frames; 1 to {MAX_FRAMES} are read")));
    }
    Ok((frames, joints))
}

/// Frames a second, under either of its names.
fn rate<'a>(
    array: &impl Fn(&str) -> Result<Option<Array<'a>>, Error>,
    file: &str,
    names: &[String],
) -> Result<f64, Error> {
    for name in ["mocap_framerate", "mocap_frame_rate"] {
        let Some(rates) = array(name)? else { continue };
        return match rates.number(0) {
            Some(rate) if rates.len() == 1 && rate > 0.0 && rate <= MAX_RATE => Ok(rate),
            other => Err(rates.error(format!(
                "{other:?} of {} numbers; one between 0 and {MAX_RATE} expected",
                rates.len()
            ))),
        };
    }
    Err(missing(file, "mocap_framerate", names))
}

fn skeleton(joints: usize) -> Skeleton {
    let turns = [2, 1, 0].map(Channel::Rotation);
    let bone = |(name, parent, offset, end): &Row| Bone {
        name: name.to_string(),
        parent: *parent,
        offset: Vec3::from_array(offset),
        end: end.map(|e| Vec3::from_array(&e)),
        // the file has rotation vectors; these are to write it elsewhere
        channels: match parent {
            None => [0, 1, 2].map(Channel::Position).into_iter().chain(turns).collect(),
            Some(_) => turns.to_vec(),
        },
    };
    let mut bones: Vec<Bone> = JOINTS[..joints].iter().map(bone).collect();
    // a wrist with a hand does not end
    for k in 0..bones.len() {
        if let Some(parent) = bones[k].parent {
            bones[parent].end = None;
        }
    }
    Skeleton { bones }
}
