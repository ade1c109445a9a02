//! What the name of a bone or link says: side and word, in the dialects of motion files and robots.
//!
//! Known: CMU BVH and ASF, Mixamo, Biped, Rigify, SMPL, Xsens, Bandai-Namco, OpenSim, robots, our own figures.

use super::Side;

/// What a name says.
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
const FRAGMENTS: [(&str, Word); 66] = [
    ("armature", Word::Root),
    ("toe", Word::Toes),
    ("finger", Word::Finger),
    ("thumb", Word::Finger),
    ("handindex", Word::Finger),
    ("handmiddle", Word::Finger),
    ("handring", Word::Finger),
    ("pinky", Word::Finger),
    ("pinkie", Word::Finger),
    ("index", Word::Finger),
    ("upperarm", Word::UpperArm),
    ("uparm", Word::UpperArm),
    ("humerus", Word::UpperArm),
    ("forearm", Word::Forearm),
    ("lowerarm", Word::Forearm),
    ("lowarm", Word::Forearm),
    ("loarm", Word::Forearm),
    ("radius", Word::Forearm),
    ("ulna", Word::Forearm),
    ("elbow", Word::Forearm),
    ("clavicle", Word::Collar),
    ("collar", Word::Collar),
    ("scapula", Word::Collar),
    ("shoulder", Word::Shoulder),
    ("hand", Word::Hand),
    ("wrist", Word::Hand),
    ("palm", Word::Hand),
    ("upleg", Word::Thigh),
    ("upperleg", Word::Thigh),
    ("thigh", Word::Thigh),
    ("femur", Word::Thigh),
    ("lowerleg", Word::Shank),
    ("lowleg", Word::Shank),
    ("loleg", Word::Shank),
    ("knee", Word::Shank),
    ("shin", Word::Shank),
    ("calf", Word::Shank),
    ("tibia", Word::Shank),
    ("shank", Word::Shank),
    ("ankle", Word::Ankle),
    ("talus", Word::Ankle),
    ("foot", Word::Foot),
    ("calcn", Word::Ankle),
    ("pelvis", Word::Pelvis),
    ("sacrum", Word::Pelvis),
    ("hip", Word::Hip),
    ("arm", Word::Arm),
    ("leg", Word::Leg),
    ("neck", Word::Neck),
    ("head", Word::Head),
    ("skull", Word::Head),
    ("chest", Word::Chest),
    ("thorax", Word::Chest),
    ("torso", Word::Chest),
    ("trunk", Word::Chest),
    ("upperbody", Word::Chest),
    ("ribcage", Word::Chest),
    ("sternum", Word::Chest),
    ("abdomen", Word::Spine),
    ("spine", Word::Spine),
    ("back", Word::Spine),
    ("lumbar", Word::Spine),
    ("waist", Word::Spine),
    ("root", Word::Root),
    ("base", Word::Root),
    ("body", Word::Root),
];

/// Words that a single letter for the side may stand before: `lfemur`, `RARM`.
const AFTER_LETTER: [&str; 24] = [
    "arm", "leg", "femur", "tibia", "foot", "toe", "hip", "knee", "ankle", "thigh", "shin", "calf", "hand",
    "wrist", "finger", "thumb", "clavicle", "collar", "shoulder", "elbow", "humerus", "radius", "upper",
    "fore",
];

/// Names with these words belong to something mounted on the body.
const MOUNTED: [&str; 8] = ["imu", "com", "camera", "logo", "contour", "marker", "sensor", "lidar"];

/// What a name says.
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
    let word = FRAGMENTS.iter().find(|(fragment, _)| key.contains(fragment)).map(|(_, w)| *w);
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

/// Runs of letters in lower case, cut at digits, signs and capitals.
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

/// The side a token tells, and what is left of it.
fn split_side(token: &str) -> (Option<Side>, &str) {
    for (word, side) in [("left", Side::Left), ("right", Side::Right)] {
        if let Some(rest) = token.strip_prefix(word) {
            return (Some(side), rest);
        }
        if let Some(rest) = token.strip_suffix(word) {
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

/// A name without the ending that tells frames of one joint apart: `T8_f1` and `T8` have the same.
pub(super) fn stem(name: &str) -> &str {
    match name.rsplit_once("_f") {
        Some((stem, number)) if number.chars().all(|c| c.is_ascii_digit()) => stem,
        _ => name,
    }
}

/// The names most like one, best first.
pub(super) fn near<'a>(name: &str, all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut sorted: Vec<(usize, &str)> = all.map(|n| (distance(name, n), n)).collect();
    sorted.sort();
    sorted.into_iter().take(4).map(|(_, n)| n).collect()
}

/// Letters to change, add or leave out, capitals not minded.
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
