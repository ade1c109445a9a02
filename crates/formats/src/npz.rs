//! AMASS motions of the SMPL body: NPZ files, zipped NumPy arrays.
//!
//! Reads `poses` (frames by 66, 72, 156 or 165: rotation vectors), `trans` and the frame rate. AMASS is in metres with z
//! up; the body axes have y up and z forward, and the root rotation maps them to the world.
//! We differ: body shape (`betas`) needs the SMPL model files, which we cannot distribute. We use a neutral skeleton 1.75 m
//! tall; its offsets are approximated from anthropometry (thigh and shank about 0.23 of the height, pelvis at 0.55 of
//! it, arm span about the height), accurate to some centimetres.
//! Not here: fingers, jaw, eyes, soft tissue (`dmpls`).
//! Checked by: `tests/it/npz.rs`.

mod npy;
mod zip;

use crate::bvh::convention::{empty, free_channels, rotation_channels};
use crate::error::Error;
use crate::names::stem;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_motion::assumption::Assumption;
use anthropi_motion::note::Note;
use anthropi_motion::recording::{Bone, Recording, Skeleton};
use npy::Array;

/// Most frames of a motion: 35 minutes at 120 Hz.
const MAX_FRAMES: usize = 250_000;
/// Highest frame rate, Hz.
const MAX_RATE: f64 = 10_000.0;
/// Longest rotation vector, rad: many turns, but sines are still accurate.
const MAX_ANGLE: f64 = 1e3;
/// Largest coordinate, m.
const MAX_POSITION: f64 = 1e6;
/// Joints of the body without hands.
const BODY: usize = 22;

/// Pelvis of the model at zero `trans`, m, to a centimetre; independent of the rotation.
const PELVIS: Vec3 = vec3(0.0, -0.23, 0.03);

/// Name, parent, offset from the parent, end of a leaf; x left, y up, z forward. Parents as in SMPL; the last two are the
/// hands.
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

/// Reads an AMASS motion. The `notes` of the result list ignored data.
///
/// # Errors
/// An invalid, truncated or too large NPZ file; missing arrays, or arrays of an unexpected shape or type: with the byte
/// offset in the file or in the named array.
pub fn read(bytes: &[u8], file: &str) -> Result<Recording, Error> {
    let archive = zip::open(bytes, file)?;
    let array = |name: &str| match archive.find(&format!("{name}.npy")) {
        Some(entry) => Array::read(archive.read(entry)?, file, name).map(Some),
        None => Ok(None),
    };
    let need = |name: &str| array(name)?.ok_or_else(|| missing(file, name, &archive.names()));

    let poses = need("poses")?;
    let (frames, joints) = shape_of_poses(&poses)?;
    let trans = need("trans")?;
    if trans.shape != [frames, 3] {
        let (shape, expected) = (&trans.shape, [frames, 3]);
        let what = format!("has shape {shape:?}, expected {expected:?}, as `poses` has {frames} frames");
        return Err(trans.error(what));
    }
    let rate = rate(&array, file, &archive.names())?;

    let what = "z up, metres; skeleton: neutral, 1.75 m tall, approximated from anthropometry";
    let mut notes = vec![Note::from(what).assuming(Assumption::Skeleton)];
    if archive.find("betas.npy").is_some() {
        notes.push(Note::warning("the body shape (`betas`) is ignored"));
    }
    if poses.shape[1] > 3 * joints {
        notes.push(format!("of {} joints, the {joints} of the body are read", poses.shape[1] / 3).into());
    }
    if archive.find("gender.npy").is_some() {
        // object arrays are pickled code, which we do not run; gender has no influence
        let gender = array("gender").ok().flatten().and_then(|a| a.text());
        notes.push(gender.map_or(Note::warning("gender: unreadable"), |g| format!("gender: {g}").into()));
    }

    let mut recording = empty(skeleton(joints), 1.0 / rate, frames, notes);
    recording.name = stem(file);
    for frame in 0..frames {
        for joint in 0..joints {
            let rotation = poses.vector(frame, 3 * joint, MAX_ANGLE)?;
            recording.rotations.push(Quat::exp(rotation).normalized());
            recording.positions.push(match joint {
                0 => trans.vector(frame, 0, MAX_POSITION)? + PELVIS,
                _ => recording.skeleton.bones[joint].offset,
            });
        }
    }
    Ok(recording)
}

fn missing(file: &str, name: &str, names: &[String]) -> Error {
    let what = format!("no such array; the file has {}", names.join(", "));
    Error::binary(file, 0, name, what)
}

/// Number of frames, and of body joints in each.
fn shape_of_poses(poses: &Array) -> Result<(usize, usize), Error> {
    let (frames, joints) = match poses.shape[..] {
        [n, 66 | 156 | 165] => (n, BODY),
        [n, 72] => (n, JOINTS.len()),
        _ => {
            let what = format!("has shape {:?}, expected frames by 66, 72, 156 or 165 numbers", poses.shape);
            return Err(poses.error(what));
        }
    };
    if frames == 0 || frames > MAX_FRAMES {
        return Err(poses.error(format!("has {frames} frames, expected 1 to {MAX_FRAMES}")));
    }
    Ok((frames, joints))
}

/// Frame rate, under either of its names.
fn rate<'a>(
    array: &impl Fn(&str) -> Result<Option<Array<'a>>, Error>,
    file: &str,
    names: &[String],
) -> Result<f64, Error> {
    for name in ["mocap_framerate", "mocap_frame_rate"] {
        let Some(rates) = array(name)? else { continue };
        return match rates.number(0) {
            Some(rate) if rates.len() == 1 && rate > 0.0 && rate <= MAX_RATE => Ok(rate),
            other => {
                let what =
                    format!("{other:?} of {} numbers, expected one between 0 and {MAX_RATE}", rates.len());
                Err(rates.error(what))
            }
        };
    }
    Err(missing(file, "mocap_framerate", names))
}

fn skeleton(joints: usize) -> Skeleton {
    let bone = |(name, parent, offset, end): &Row| Bone {
        name: name.to_string(),
        parent: *parent,
        offset: Vec3::from_array(offset),
        end: end.map(|e| Vec3::from_array(&e)),
        // the file has rotation vectors; these channels serve writers of other formats
        channels: if parent.is_none() { free_channels() } else { rotation_channels() },
    };
    let mut bones: Vec<Bone> = JOINTS[..joints].iter().map(bone).collect();
    // a wrist with a hand is not a leaf
    for k in 0..bones.len() {
        if let Some(parent) = bones[k].parent {
            bones[parent].end = None;
        }
    }
    Skeleton { bones }
}
