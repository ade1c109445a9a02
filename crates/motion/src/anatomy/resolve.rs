//! Combines names and shape: names first, shape where they are missing or ambiguous.

use super::names::{self, Named, Word};
use super::topology::{self, Found, Tree};
use super::{Anatomy, Node, Part, Side};
use crate::note::Note;
use anthropi_dynamics::spatial::Vec3;

/// Confidence of a part given by the user.
const GIVEN: f64 = 1.0;
/// Name and shape agree.
const BOTH: f64 = 0.95;
/// Name only; the shape is undecided.
const NAME: f64 = 0.8;
/// Shape only.
const SHAPE: f64 = 0.6;
/// Name against shape.
const AGAINST: f64 = 0.5;
/// Parent only.
const INHERITED: f64 = 0.3;
/// A root closer than this to the pelvis is part of it, m.
const AT_PELVIS: f64 = 0.03;

struct Work<'a> {
    tree: Tree<'a>,
    named: Vec<Named>,
    shape: Found,
    pelvis: Option<usize>,
    chest: Option<usize>,
}

/// Parts of all nodes.
pub(super) fn resolve(nodes: &[Node], forced: &[Option<Part>]) -> Anatomy {
    let tree = Tree::new(nodes);
    let mut named: Vec<Named> = nodes.iter().map(|n| names::read(n.name)).collect();
    let shape = topology::find(&tree);
    // a limb without a side in its name: take the side from the shape
    for (i, n) in named.iter_mut().enumerate() {
        n.side = n.side.or(shape.parts[i].and_then(Part::side));
    }
    let mut work = Work { tree, named, pelvis: shape.pelvis, chest: shape.chest, shape };
    work.pelvis = work.branch(Work::is_leg_word).or(work.pelvis);
    work.chest = work.branch(Work::is_arm_word).or(work.chest);
    let mut anatomy = Anatomy { parents: nodes.iter().map(|n| n.parent).collect(), ..Anatomy::default() };
    let mut against = Vec::new();
    for i in 0..nodes.len() {
        let by_name = work.by_name(i);
        let (part, confidence) = match (forced[i], by_name, work.shape.parts[i]) {
            (Some(part), ..) => (Some(part), GIVEN),
            (_, Some(a), Some(b)) if a == b => (Some(a), BOTH),
            (_, Some(a), Some(b)) => {
                if !is_near(a, b) {
                    against.push((nodes[i].name, a, b));
                }
                (Some(a), if is_near(a, b) { NAME } else { AGAINST })
            }
            (_, Some(a), None) => (Some(a), NAME),
            (_, None, Some(b)) => (Some(b), if is_ambiguous(work.named[i].word) { NAME } else { SHAPE }),
            (_, None, None) => match nodes[i].parent.and_then(|p| anatomy.parts[p]) {
                Some(part) => (Some(part), INHERITED),
                None => (None, 0.0),
            },
        };
        anatomy.parts.push(part);
        anatomy.confidence.push(confidence);
    }
    anatomy.notes.extend(contradictions(&against));
    work.roots(&mut anatomy);
    work.add_notes(&mut anatomy);
    anatomy
}

/// Note about names that contradict the topology.
fn contradictions(all: &[(&str, Part, Part)]) -> Option<Note> {
    /// Names shown in the note.
    const SHOWN: usize = 3;
    let one = |(name, part, place): &(&str, Part, Part)| format!("{name} is {part}, not {place}");
    let shown: Vec<String> = all.iter().take(SHOWN).map(one).collect();
    let more = match all.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let text = format!("names contradict the topology and take precedence: {}{more}", shown.join(", "));
    (!all.is_empty()).then(|| Note::warning(text))
}

/// Parts that skeletons divide differently: not a contradiction.
fn is_near(a: Part, b: Part) -> bool {
    use Part::*;
    let group = |p: Part| match p {
        Pelvis | Abdomen | Chest => (0, None),
        Neck | Head => (1, None),
        Shoulder(s) | UpperArm(s) => (2, Some(s)),
        Hand(s) | Finger(s) => (4, Some(s)),
        Forearm(s) => (3, Some(s)),
        Thigh(s) => (5, Some(s)),
        Shank(s) => (6, Some(s)),
        Foot(s) | Toes(s) => (7, Some(s)),
    };
    group(a) == group(b) || matches!((a, b), (Pelvis, Thigh(_)) | (Thigh(_), Pelvis))
}

fn is_ambiguous(word: Option<Word>) -> bool {
    matches!(word, Some(Word::Arm | Word::Leg | Word::Spine))
}

impl Work<'_> {
    fn is_leg_word(word: Word) -> bool {
        use Word::*;
        matches!(word, Thigh | Shank | Ankle | Foot | Toes | Leg | Hip)
    }

    fn is_arm_word(word: Word) -> bool {
        use Word::*;
        matches!(word, UpperArm | Forearm | Hand | Arm | Shoulder | Collar)
    }

    /// Common ancestor of the named limbs of both sides.
    fn branch(&self, is_limb: fn(Word) -> bool) -> Option<usize> {
        let first = |side: Side| {
            (0..self.named.len())
                .find(|i| self.named[*i].side == Some(side) && self.named[*i].word.is_some_and(is_limb))
        };
        self.tree.common(first(Side::Left)?, first(Side::Right)?)
    }

    /// Whether a node of the same side named by one of the words is below.
    fn has_below(&self, node: usize, words: &[Word]) -> bool {
        self.tree.below(node).skip(1).any(|i| self.is_like(i, node, words))
    }

    fn has_above(&self, node: usize, words: &[Word]) -> bool {
        self.tree.ancestors(node).any(|i| self.is_like(i, node, words))
    }

    fn is_like(&self, i: usize, node: usize, words: &[Word]) -> bool {
        self.named[i].side == self.named[node].side && self.named[i].word.is_some_and(|w| words.contains(&w))
    }

    /// The part a name means in its context.
    fn by_name(&self, i: usize) -> Option<Part> {
        let Named { side, word } = self.named[i];
        match word? {
            Word::Pelvis => Some(Part::Pelvis),
            Word::Root => None,
            Word::Spine | Word::Chest => self.trunk(i),
            Word::Neck => Some(Part::Neck),
            Word::Head => Some(Part::Head),
            limb => self.limb(i, limb, side?),
        }
    }

    fn limb(&self, i: usize, word: Word, side: Side) -> Option<Part> {
        Some(match word {
            Word::Collar => Part::Shoulder(side),
            // a clavicle when an upper arm follows it
            Word::Shoulder if self.has_below(i, &[Word::UpperArm, Word::Arm]) => Part::Shoulder(side),
            Word::Shoulder | Word::UpperArm => Part::UpperArm(side),
            // numbered links of an arm: by the shape
            Word::Arm if self.has_below(i, &[Word::Arm]) || self.has_above(i, &[Word::Arm]) => return None,
            Word::Arm if self.has_above(i, &[Word::UpperArm]) => Part::Forearm(side),
            Word::Arm => Part::UpperArm(side),
            Word::Forearm => Part::Forearm(side),
            Word::Hand => Part::Hand(side),
            Word::Finger => Part::Finger(side),
            // a connector when a thigh follows it
            Word::Hip if self.has_below(i, &[Word::Thigh]) => Part::Pelvis,
            Word::Hip | Word::Thigh => Part::Thigh(side),
            Word::Leg if self.has_above(i, &[Word::Thigh, Word::Hip]) => Part::Shank(side),
            Word::Leg if self.has_below(i, &[Word::Leg]) || self.has_above(i, &[Word::Leg]) => return None,
            Word::Leg => Part::Thigh(side),
            Word::Shank => Part::Shank(side),
            Word::Foot if self.is_before_ankle(i) => Part::Toes(side),
            Word::Ankle | Word::Foot => Part::Foot(side),
            Word::Toes => Part::Toes(side),
            _ => return None,
        })
    }

    /// Whether a foot is what other skeletons call toes: it hangs on an ankle and lies in front of it.
    fn is_before_ankle(&self, i: usize) -> bool {
        let ankle = self.tree.ancestors(i).find(|a| self.is_like(*a, i, &[Word::Ankle]));
        ankle.is_some_and(|a| {
            let Vec3 { x, y, z } = self.tree.nodes[i].at - self.tree.nodes[a].at;
            (x * x + y * y).sqrt() > z.abs()
        })
    }

    /// Bones of the trunk, by the nodes that carry legs and arms: pelvis, abdomen, chest, neck or head.
    fn trunk(&self, i: usize) -> Option<Part> {
        let is_chest = self.named[i].word == Some(Word::Chest);
        let (Some(pelvis), Some(chest)) = (self.pelvis, self.chest) else {
            return Some(if is_chest { Part::Chest } else { Part::Abdomen });
        };
        if i == pelvis {
            return Some(Part::Pelvis);
        }
        if i == chest || (is_chest && self.tree.is_below(chest, i)) {
            return Some(Part::Chest);
        }
        if self.tree.path(pelvis, chest).contains(&i) {
            // extra frames of the chest's joint, at the same position
            let at = |k: usize| self.tree.nodes[k].at;
            let stem = |k: usize| names::stem(self.tree.nodes[k].name);
            let is_frame = stem(i) == stem(chest) && (at(i) - at(chest)).norm() < AT_PELVIS;
            return Some(if is_frame { Part::Chest } else { Part::Abdomen });
        }
        if self.tree.is_below(i, chest) && !is_chest {
            let goes_on =
                |k: usize| matches!(self.named[k].word, Some(Word::Spine | Word::Neck | Word::Head));
            return Some(if self.tree.below(i).skip(1).any(goes_on) { Part::Neck } else { Part::Head });
        }
        None
    }

    /// Ancestors of the pelvis: part of it if at the same position, otherwise not part of the body.
    fn roots(&self, anatomy: &mut Anatomy) {
        let Some(pelvis) = anatomy.find(Part::Pelvis) else { return };
        for i in self.tree.ancestors(pelvis) {
            let is_free = anatomy.confidence[i] <= INHERITED || self.named[i].word == Some(Word::Root);
            if is_free && self.chest.is_none_or(|c| !self.tree.is_below(i, c)) {
                let is_there = (self.tree.nodes[i].at - self.tree.nodes[pelvis].at).norm() < AT_PELVIS;
                anatomy.parts[i] = is_there.then_some(Part::Pelvis);
                anatomy.confidence[i] = if is_there { SHAPE } else { 0.0 };
            }
        }
    }

    fn add_notes(&self, anatomy: &mut Anatomy) {
        let by_shape =
            |i: &usize| anatomy.confidence[*i] == SHAPE && anatomy.parts[*i].and_then(Part::side).is_some();
        if !self.shape.is_sided && (0..self.named.len()).any(|i| by_shape(&i)) {
            let note = "left and right are guessed: neither names nor feet show the facing direction; x is taken as forward";
            anatomy.notes.push(Note::warning(note));
        }
        let missing: Vec<String> = anatomy.missing().iter().map(Part::to_string).collect();
        if !missing.is_empty() {
            anatomy.notes.push(Note::warning(format!("not found: {}", missing.join(", "))));
        }
    }
}
