//! Parts of a human body and their names.

use std::fmt;

/// Side of the body, from the person's own point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// left
    Left,
    /// right
    Right,
}

impl Side {
    /// Left, then right.
    pub const BOTH: [Side; 2] = [Side::Left, Side::Right];

    /// The other side.
    pub fn other(self) -> Side {
        if self == Side::Left { Side::Right } else { Side::Left }
    }
}

/// A segment of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// carries the legs
    Pelvis,
    /// between pelvis and chest
    Abdomen,
    /// carries arms and neck
    Chest,
    /// between chest and head
    Neck,
    /// from the neck up
    Head,
    /// clavicle and shoulder blade
    Shoulder(Side),
    /// from shoulder to elbow
    UpperArm(Side),
    /// from elbow to wrist
    Forearm(Side),
    /// beyond the wrist
    Hand(Side),
    /// any finger, including the thumb
    Finger(Side),
    /// from hip to knee
    Thigh(Side),
    /// from knee to ankle
    Shank(Side),
    /// beyond the ankle
    Foot(Side),
    /// beyond the ball of the foot
    Toes(Side),
}

/// Constructor of a part that exists on both sides, and its name without the side.
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

    /// Parts of every human figure.
    pub fn main() -> impl Iterator<Item = Part> {
        Part::all().filter(|p| {
            use Part::*;
            matches!(p, Pelvis | Chest | Head | UpperArm(_) | Forearm(_) | Thigh(_) | Shank(_) | Foot(_))
        })
    }

    /// Parses a name such as `left_upper_arm`.
    pub fn from_name(name: &str) -> Option<Part> {
        Part::all().find(|p| p.to_string() == name)
    }

    /// Its row of [`SIDED`] and its side; `None` for parts in the middle.
    fn sided(self) -> Option<(Sided, Side)> {
        SIDED.into_iter().find_map(|row| Some((row, Side::BOTH.into_iter().find(|s| row.0(*s) == self)?)))
    }

    /// Its side; `None` for parts in the middle.
    pub fn side(self) -> Option<Side> {
        self.sided().map(|(_, side)| side)
    }

    /// The same part on the other side; itself for parts in the middle.
    pub fn mirrored(self) -> Part {
        self.sided().map_or(self, |((make, _), side)| make(side.other()))
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if *self == Side::Left { "left" } else { "right" })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.sided(), MIDDLE.iter().find(|(part, _)| part == self)) {
            (Some(((_, name), side)), _) => write!(f, "{side}_{name}"),
            (_, Some((_, name))) => f.write_str(name),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
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
