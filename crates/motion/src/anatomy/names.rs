//! Reads bone and link names: side and part, in the dialects of motion files and robots.
//!
//! Known: CMU BVH and ASF, Mixamo, Biped, Rigify, SMPL, Xsens, Bandai-Namco, OpenSim, robots, our own figures.

use super::Side;

/// Side and part named by a bone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    pub side: Option<Side>,
    pub word: Option<Word>,
}

/// The word in a name. Some mean different parts in different skeletons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Root,
    Pelvis,
    Spine,
    Chest,
    Neck,
    Head,
    Collar,
    /// clavicle or upper arm
    Shoulder,
    UpperArm,
    /// upper arm or a link of an arm
    Arm,
    Forearm,
    Hand,
    Finger,
    /// connector or thigh
    Hip,
    Thigh,
    /// shank, thigh, or a link of a leg
    Leg,
    Shank,
    Ankle,
    /// foot, or toes after an ankle
    Foot,
    Toes,
}

/// Fragments of names, the more special first.
const FRAGMENTS: [(Word, &[&str]); 22] = [
    (Word::Root, &["armature"]),
    (Word::Toes, &["toe"]),
    (Word::Finger, &["finger", "thumb", "handindex", "handmiddle", "handring", "pinky", "pinkie", "index"]),
    (Word::UpperArm, &["upperarm", "uparm", "humerus"]),
    (Word::Forearm, &["forearm", "lowerarm", "lowarm", "loarm", "radius", "ulna", "elbow"]),
    (Word::Collar, &["clavicle", "collar", "scapula"]),
    (Word::Shoulder, &["shoulder"]),
    (Word::Hand, &["hand", "wrist", "palm"]),
    (Word::Thigh, &["upleg", "upperleg", "thigh", "femur"]),
    (Word::Shank, &["lowerleg", "lowleg", "loleg", "knee", "shin", "calf", "tibia", "shank"]),
    (Word::Ankle, &["ankle", "talus"]),
    (Word::Foot, &["foot"]),
    (Word::Ankle, &["calcn"]),
    (Word::Pelvis, &["pelvis", "sacrum"]),
    (Word::Hip, &["hip"]),
    (Word::Arm, &["arm"]),
    (Word::Leg, &["leg"]),
    (Word::Neck, &["neck"]),
    (Word::Head, &["head", "skull"]),
    (Word::Chest, &["chest", "thorax", "torso", "trunk", "upperbody", "ribcage", "sternum"]),
    (Word::Spine, &["abdomen", "spine", "back", "lumbar", "waist"]),
    (Word::Root, &["root", "base", "body"]),
];

/// Words that may follow a single letter for the side: `lfemur`, `RARM`.
const AFTER_LETTER: [&str; 24] = [
    "arm", "leg", "femur", "tibia", "foot", "toe", "hip", "knee", "ankle", "thigh", "shin", "calf", "hand",
    "wrist", "finger", "thumb", "clavicle", "collar", "shoulder", "elbow", "humerus", "radius", "upper",
    "fore",
];

/// Words that name equipment mounted on the body.
const MOUNTED: [&str; 8] = ["imu", "com", "camera", "logo", "contour", "marker", "sensor", "lidar"];

/// Parses a name.
pub(super) fn read(name: &str) -> Named {
    let name = name.rsplit(':').next().unwrap_or(name);
    if is_vertebra(name) {
        return Named { side: None, word: Some(Word::Spine) };
    }
    let tokens = tokens(name);
    if tokens.iter().any(|t| MOUNTED.contains(&t.as_str())) {
        return Named::default();
    }
    let (mut side, mut key) = (None, String::new());
    for token in &tokens {
        let (s, rest) = split_side(token);
        side = side.or(s);
        key.push_str(rest);
    }
    let is_named = |(_, fragments): &&(Word, &[&str])| fragments.iter().any(|f| key.contains(f));
    let word = FRAGMENTS.iter().find(is_named).map(|(word, _)| *word);
    let word = match word {
        Some(Word::Hip) if side.is_none() => Some(Word::Pelvis),
        None if key == "ball" => Some(Word::Toes),
        None if side.is_some() && ["ring", "middle", "little"].iter().any(|f| key.starts_with(f)) => {
            Some(Word::Finger)
        }
        other => other,
    };
    Named { side, word }
}

/// `L5`, `T12`, `T8_f1`: a letter and a number, and no word after it.
fn is_vertebra(name: &str) -> bool {
    let mut rest = name.chars();
    let letter = rest.next().is_some_and(|c| "LTlt".contains(c));
    let number: String = rest.as_str().chars().take_while(char::is_ascii_digit).collect();
    let after = &rest.as_str()[number.len()..];
    letter
        && number.parse::<u32>().is_ok_and(|n| (1..=12).contains(&n))
        && after.chars().filter(char::is_ascii_alphabetic).count() <= 1
}

/// Words of a name in lower case, split at digits, punctuation and capitals.
fn tokens(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut tokens = vec![String::new()];
    for (i, c) in chars.iter().enumerate() {
        let (before, after) = (i.checked_sub(1).map(|k| chars[k]), chars.get(i + 1));
        let rises = c.is_uppercase() && before.is_some_and(|b| b.is_lowercase());
        let begins = c.is_uppercase() && after.is_some_and(|a| a.is_lowercase());
        if !c.is_alphabetic() || rises || begins {
            tokens.push(String::new());
        }
        if let Some(last) = tokens.last_mut().filter(|_| c.is_alphabetic()) {
            last.extend(c.to_lowercase());
        }
    }
    tokens.retain(|t| !t.is_empty());
    tokens
}

/// Splits a token into the side it names and the rest.
fn split_side(token: &str) -> (Option<Side>, &str) {
    for (word, side) in [("left", Side::Left), ("right", Side::Right)] {
        if let Some(rest) = token.strip_prefix(word).or_else(|| token.strip_suffix(word)) {
            return (Some(side), rest);
        }
    }
    for (letter, side) in [("l", Side::Left), ("r", Side::Right)] {
        if let Some(rest) = token.strip_prefix(letter)
            && (rest.is_empty() || AFTER_LETTER.iter().any(|w| rest.starts_with(w)))
        {
            return (Some(side), rest);
        }
    }
    (None, token)
}

/// A name without the suffix that distinguishes frames of one joint: `T8_f1` and `T8` have the same stem.
pub(super) fn stem(name: &str) -> &str {
    match name.rsplit_once("_f") {
        Some((stem, number)) if number.chars().all(|c| c.is_ascii_digit()) => stem,
        _ => name,
    }
}

/// The most similar names, best first.
pub(super) fn near<'a>(name: &str, all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut sorted: Vec<(usize, &str)> = all.map(|n| (distance(name, n), n)).collect();
    sorted.sort();
    sorted.into_iter().take(4).map(|(_, n)| n).collect()
}

/// Edit distance, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.chars().enumerate() {
            let cost = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = cost;
        }
    }
    row[row.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_are_read() {
        let (l, r) = (Some(Side::Left), Some(Side::Right));
        for (name, side, word) in [
            ("mixamorig:LeftUpLeg", l, Word::Thigh),
            ("lfemur", l, Word::Thigh),
            ("thigh.L", l, Word::Thigh),
            ("Bip01 L Thigh", l, Word::Thigh),
            ("L_Hip", l, Word::Hip),
            ("LHipJoint", l, Word::Hip),
            ("Hips", None, Word::Pelvis),
            ("left_hip_pitch_link", l, Word::Hip),
            ("RARM_LINK4", r, Word::Arm),
            ("r_wrist", r, Word::Hand),
            ("RThumb", r, Word::Finger),
            ("lowerback", None, Word::Spine),
            ("lradius", l, Word::Forearm),
            ("LeftHandIndex1", l, Word::Finger),
            ("T8_f1", None, Word::Spine),
            ("L5", None, Word::Spine),
            ("UpperArm_R", r, Word::UpperArm),
            ("Shoulder_L", l, Word::Shoulder),
            ("rightupleg", r, Word::Thigh),
            ("joint_Root", None, Word::Root),
        ] {
            assert_eq!(read(name), Named { side, word: Some(word) }, "{name}");
        }
        assert_eq!(read("J12"), Named::default());
        assert_eq!(read("LeftHandCOM"), Named::default());
    }

    #[test]
    fn near_names_are_found() {
        assert_eq!(near("leftupleg", ["Hips", "LeftUpLeg", "LeftLeg"].into_iter())[0], "LeftUpLeg");
    }
}
