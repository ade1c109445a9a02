//! Synthetic motions of people.

use std::fmt::Write;

/// Number of frames.
pub const FRAMES: usize = 100;
/// Frames per second.
pub const RATE: f64 = 60.0;
/// Thigh and shank, cm.
const LIMB: f64 = 43.5;
/// Height of the hips with straight legs, cm: ankle, thigh, shank and offset of the hips.
const HIPS: f64 = 8.0 + 5.0;

/// A joint: depth, name, offset in cm, and the end site of a leaf.
type Joint = (usize, &'static str, [f64; 3], Option<[f64; 3]>);

/// A skeleton with Mixamo names in T-pose, facing +z, y up, cm.
const JOINTS: [Joint; 22] = [
    (0, "Hips", [0.0, 0.0, 0.0], None),
    (1, "Spine", [0.0, 10.0, 0.0], None),
    (2, "Spine1", [0.0, 12.0, 0.0], None),
    (3, "Spine2", [0.0, 13.0, 0.0], None),
    (4, "Neck", [0.0, 15.0, 0.0], None),
    (5, "Head", [0.0, 10.0, 0.0], Some([0.0, 20.0, 0.0])),
    (4, "LeftShoulder", [6.0, 12.0, 0.0], None),
    (5, "LeftArm", [12.0, 0.0, 0.0], None),
    (6, "LeftForeArm", [28.0, 0.0, 0.0], None),
    (7, "LeftHand", [26.0, 0.0, 0.0], Some([18.0, 0.0, 0.0])),
    (4, "RightShoulder", [-6.0, 12.0, 0.0], None),
    (5, "RightArm", [-12.0, 0.0, 0.0], None),
    (6, "RightForeArm", [-28.0, 0.0, 0.0], None),
    (7, "RightHand", [-26.0, 0.0, 0.0], Some([-18.0, 0.0, 0.0])),
    (1, "LeftUpLeg", [9.0, -5.0, 0.0], None),
    (2, "LeftLeg", [0.0, -LIMB, 0.0], None),
    (3, "LeftFoot", [0.0, -LIMB, 0.0], None),
    (4, "LeftToeBase", [0.0, -6.0, 13.0], Some([0.0, 0.0, 7.0])),
    (1, "RightUpLeg", [-9.0, -5.0, 0.0], None),
    (2, "RightLeg", [0.0, -LIMB, 0.0], None),
    (3, "RightFoot", [0.0, -LIMB, 0.0], None),
    (4, "RightToeBase", [0.0, -6.0, 13.0], Some([0.0, 0.0, 7.0])),
];

/// A squat with flat, fixed feet; `shift` moves the person over time, cm.
pub fn squat(shift: impl Fn(f64) -> [f64; 3]) -> String {
    let bend = |frame: usize| {
        let turn = std::f64::consts::TAU * frame as f64 / (FRAMES - 1) as f64;
        0.25 * (1.0 - turn.cos())
    };
    let hips = |frame: usize| {
        let [x, y, z] = shift(frame as f64 / RATE);
        [x, HIPS + 2.0 * LIMB * bend(frame).cos() + y, z]
    };
    pose(hips, |frame, name| match name {
        "LeftUpLeg" | "RightUpLeg" | "LeftFoot" | "RightFoot" => [0.0, -bend(frame)],
        "LeftLeg" | "RightLeg" => [0.0, 2.0 * bend(frame)],
        _ => [0.0; 2],
    })
}

/// A motion from hip positions, cm, and joint rotations about z and x, rad; arms hang.
fn pose(hips: impl Fn(usize) -> [f64; 3], turn: impl Fn(usize, &str) -> [f64; 2]) -> String {
    let mut text = hierarchy(&JOINTS, "mixamorig:");
    let _ = write!(text, "MOTION\nFrames: {FRAMES}\nFrame Time: {:.9}\n", 1.0 / RATE);
    for frame in 0..FRAMES {
        let [x, y, z] = hips(frame);
        let _ = write!(text, "{x:.7} {y:.7} {z:.7}");
        for (_, name, _, _) in JOINTS {
            let [about_z, about_x] = turn(frame, name).map(f64::to_degrees);
            let _ = match name {
                "LeftArm" => write!(text, " -75 0 0"),
                "RightArm" => write!(text, " 75 0 0"),
                _ => write!(text, " {about_z:.7} {about_x:.7} 0"),
            };
        }
        text.push('\n');
    }
    text
}

/// The squat, lifted by 25 cm for an interval.
pub fn lifted() -> String {
    squat(|t| [0.0, 25.0 * (std::f64::consts::PI * t * RATE / FRAMES as f64).sin().powi(2), 0.0])
}

/// Weight shifts from side to side with straight legs and flat, fixed feet.
pub fn sway() -> String {
    let tilt = |frame: usize| 0.05 * (2.0 * std::f64::consts::TAU * frame as f64 / RATE).sin();
    // legs tilt as the sides of a parallelogram
    pose(
        |frame| {
            let a = tilt(frame);
            [-2.0 * LIMB * a.sin(), HIPS + 2.0 * LIMB * a.cos(), 0.0]
        },
        |frame, name| match name {
            "LeftUpLeg" | "RightUpLeg" => [tilt(frame), 0.0],
            "LeftFoot" | "RightFoot" => [-tilt(frame), 0.0],
            _ => [0.0; 2],
        },
    )
}

/// A snake of five bones that winds.
pub fn snake() -> String {
    const BONES: [Joint; 5] = [
        (0, "s0", [0.0; 3], None),
        (1, "s1", [0.0, 0.0, 20.0], None),
        (2, "s2", [0.0, 0.0, 20.0], None),
        (3, "s3", [0.0, 0.0, 20.0], None),
        (4, "s4", [0.0, 0.0, 20.0], Some([0.0, 0.0, 20.0])),
    ];
    let mut text = hierarchy(&BONES, "");
    text.push_str("MOTION\nFrames: 20\nFrame Time: 0.02\n");
    for frame in 0..20 {
        let _ = write!(text, "0 5 {frame}");
        for bone in 0..BONES.len() {
            let _ = write!(text, " 0 0 {:.4}", 20.0 * (0.4 * frame as f64 + bone as f64).sin());
        }
        text.push('\n');
    }
    text
}

fn hierarchy(joints: &[Joint], prefix: &str) -> String {
    let mut text = "HIERARCHY\n".to_string();
    let mut open = 0;
    for (depth, name, [x, y, z], end) in joints {
        text.push_str(&"}\n".repeat(open - depth));
        let (kind, channels) = match depth {
            0 => ("ROOT", "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"),
            _ => ("JOINT", "3 Zrotation Xrotation Yrotation"),
        };
        let _ = write!(text, "{kind} {prefix}{name}\n{{\nOFFSET {x} {y} {z}\nCHANNELS {channels}\n");
        if let Some([x, y, z]) = end {
            let _ = write!(text, "End Site\n{{\nOFFSET {x} {y} {z}\n}}\n");
        }
        open = depth + 1;
    }
    text.push_str(&"}\n".repeat(open));
    text
}

/// The first frames of the squat.
pub fn first_frames(count: usize) -> String {
    let whole = squat(|_| [0.0; 3]);
    let at = whole.find("Frames:").unwrap();
    let head = whole[..at].to_string() + &whole[at..].replace("Frames: 100", &format!("Frames: {count}"));
    let keep = head.lines().count() - (FRAMES - count);
    head.lines().take(keep).map(|l| format!("{l}\n")).collect()
}
