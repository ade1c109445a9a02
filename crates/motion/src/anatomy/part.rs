//! Parts of a human body and what they are called.

use std::fmt;

/// Left or right, as the person itself would say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// where the heart is
    Left,
    /// the other one
    Right,
}

impl Side {
    /// Both.
    pub const BOTH: [Side; 2] = [Side::Left, Side::Right];

    /// The other side.
    pub fn other(self) -> Side {
        if self == Side::Left { Side::Right } else { Side::Left }
    }
}

/// A segment of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// what the legs hang on
    Pelvis,
    /// between pelvis and chest
    Abdomen,
    /// what arms and neck hang on
    Chest,
    /// between chest and head
    Neck,
    /// with all that is in it
    Head,
    /// clavicle and shoulder blade
    Shoulder(Side),
    /// from shoulder to elbow
    UpperArm(Side),
    /// from elbow to wrist
    Forearm(Side),
    /// from the wrist on
    Hand(Side),
    /// any finger, the thumb too
    Finger(Side),
    /// from hip to knee
    Thigh(Side),
    /// from knee to ankle
    Shank(Side),
    /// from the ankle on
    Foot(Side),
    /// from the ball of the foot on
    Toes(Side),
}

/// A part of both sides, and its name without the side.
type Sided = (fn(Side) -> Part, &'static str);

const MIDDLE: [(Part, &str); 5] = [
    (Part::Pelvis, "pelvis"),
    (Part::Abdomen, "abdomen"),
    (Part::Chest, "chest"),
    (Part::Neck, "neck"),
    (Part::Head, "head"),
];

const SIDED: [Sided; 9] = [
    (Part::Shoulder, "shoulder"),
    (Part::UpperArm, "upper_arm"),
    (Part::Forearm, "forearm"),
    (Part::Hand, "hand"),
    (Part::Finger, "finger"),
    (Part::Thigh, "thigh"),
    (Part::Shank, "shank"),
    (Part::Foot, "foot"),
    (Part::Toes, "toes"),
];

impl Part {
    /// Every part.
    pub fn all() -> impl Iterator<Item = Part> {
        let sided = Side::BOTH.into_iter().flat_map(|s| SIDED.into_iter().map(move |(make, _)| make(s)));
        MIDDLE.into_iter().map(|(p, _)| p).chain(sided)
    }

    /// Parts that every human figure has.
    pub fn main() -> impl Iterator<Item = Part> {
        Part::all().filter(|p| {
            use Part::*;
            matches!(p, Pelvis | Chest | Head | UpperArm(_) | Forearm(_) | Thigh(_) | Shank(_) | Foot(_))
        })
    }

    /// The part of a name such as `left_upper_arm`.
    pub fn from_name(name: &str) -> Option<Part> {
        Part::all().find(|p| p.to_string() == name)
    }

    /// Which side it is on, if it is on one.
    pub fn side(self) -> Option<Side> {
        Side::BOTH.into_iter().find(|s| SIDED.iter().any(|(make, _)| make(*s) == self))
    }

    /// The same part of the other side; itself for parts in the middle.
    pub fn mirrored(self) -> Part {
        let found = SIDED
            .iter()
            .find_map(|(make, _)| Side::BOTH.into_iter().find(|s| make(*s) == self).map(|s| make(s.other())));
        found.unwrap_or(self)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if *self == Side::Left { "left" } else { "right" })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some((_, name)) = MIDDLE.iter().find(|(p, _)| p == self) {
            return f.write_str(name);
        }
        for (make, name) in SIDED {
            for (side, word) in [(Side::Left, "left"), (Side::Right, "right")] {
                if make(side) == *self {
                    return write!(f, "{word}_{name}");
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        assert_eq!(Part::all().count(), 23);
        for part in Part::all() {
            assert_eq!(Part::from_name(&part.to_string()), Some(part));
            assert_eq!(part.mirrored().mirrored(), part);
            assert_eq!(part.side().is_some(), part != part.mirrored());
        }
        assert_eq!(Part::Shank(Side::Left).to_string(), "left_shank");
        assert_eq!(Part::from_name("left_pelvis"), None);
    }
}
