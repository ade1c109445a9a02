//! Which side of a body links are on, by their names: whoever has a counterpart, or says it.

use crate::bvh::oddity::other_side;
use std::collections::BTreeMap;

/// A side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Middle,
    Left,
    Right,
}

/// The side of each.
pub(super) fn of<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<Side> {
    let number: BTreeMap<&str, usize> = names.clone().enumerate().map(|(i, name)| (name, i)).collect();
    let mut sides: Vec<Side> = names.clone().map(said).collect();
    for (i, name) in names.enumerate() {
        let other = other_side(name).and_then(|other| number.get(other.as_str()));
        if let Some(other) = other.filter(|other| **other != i) {
            (sides[i], sides[*other]) = (Side::Left, Side::Right);
        }
    }
    sides
}

fn said(name: &str) -> Side {
    let name = name.to_ascii_lowercase();
    match (name.contains("left"), name.contains("right")) {
        (true, false) => Side::Left,
        (false, true) => Side::Right,
        _ => Side::Middle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_words() {
        use Side::{Left, Middle, Right};
        let names =
            ["lfemur", "rfemur", "lowerback", "LeftArm", "RightArm", "arm.L", "arm.R", "root", "right_half"];
        let expected = [Left, Right, Middle, Left, Right, Left, Right, Middle, Right];
        assert_eq!(of(names.into_iter()), expected);
    }
}
