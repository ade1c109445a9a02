//! Recognises the body part of each bone or link, for any skeleton or figure, from names and topology.
//!
//! Names decide where they are unambiguous; the shape of the tree fills the gaps. A contradiction between the two
//! lowers the confidence and is noted. The part of a node is the segment that moves with its joint: `LeftUpLeg`,
//! `lfemur`, `thigh.L` and `left_hip_pitch_link` are all the left thigh.

mod names;
mod part;
mod resolve;
mod sources;
mod topology;

pub use part::{Part, Side};
pub use sources::{from_figure, from_recording, from_skeleton, nodes_of_figure};

use crate::error::Error;
use crate::note::Note;
use anthropi_dynamics::spatial::{Vec3, vec3};

/// A joint with its bone or link, in the rest pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node<'a> {
    /// name
    pub name: &'a str,
    /// parent node; parents come first
    pub parent: Option<usize>,
    /// position of the joint, world axes, z up, m
    pub at: Vec3,
    /// far end of a bone without children, world axes, m
    pub end: Option<Vec3>,
}

/// Body part of each node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Anatomy {
    /// part of each node; nodes may share a part, connectors belong to their parent's. `None`: not part of a body
    pub parts: Vec<Option<Part>>,
    /// 0 to 1: 1 is given by the user; 0.5 or less if names and shape contradict each other or neither helps
    pub confidence: Vec<f64>,
    /// human-readable notes
    pub notes: Vec<Note>,
    parents: Vec<Option<usize>>,
}

/// Below this confidence a node has only inherited its part from its parent.
const MIN_CONFIDENCE: f64 = 0.35;

impl Anatomy {
    /// First node of a part: the one nearest to the root.
    pub fn find(&self, part: Part) -> Option<usize> {
        self.own(part).min_by_key(|i| self.depth(*i)).or_else(|| self.nodes(part).next())
    }

    /// Last node of a part: the one farthest from the root, ignoring connectors and accessories.
    pub fn last(&self, part: Part) -> Option<usize> {
        let first = self.find(part)?;
        let legs = Side::BOTH.map(|s| self.find(Part::Thigh(s)).filter(|_| part == Part::Pelvis));
        let carries = |i: &usize| legs.iter().flatten().all(|leg| self.is_below(*leg, *i));
        let below = self.own(part).filter(|i| self.is_below(*i, first)).filter(carries);
        below.max_by_key(|i| (self.depth(*i), usize::MAX - *i)).or(Some(first))
    }

    /// Nodes from the first to the last of a part.
    pub(crate) fn chain(&self, part: Part) -> Vec<usize> {
        let Some((first, last)) = self.find(part).zip(self.last(part)) else { return Vec::new() };
        let up = std::iter::successors(Some(last), |i| self.parents[*i].filter(|_| *i != first));
        let mut chain: Vec<usize> = up.filter(|i| self.parts[*i] == Some(part)).collect();
        chain.reverse();
        chain
    }

    /// All nodes of a part, parents first.
    pub fn nodes(&self, part: Part) -> impl Iterator<Item = usize> + '_ {
        (0..self.parts.len()).filter(move |i| self.parts[*i] == Some(part))
    }

    /// Parts of a human figure that were not found.
    pub fn missing(&self) -> Vec<Part> {
        Part::main().filter(|p| self.find(*p).is_none()).collect()
    }

    /// Whether all parts of a human figure were found.
    pub fn is_human(&self) -> bool {
        self.missing().is_empty()
    }

    /// Mean confidence minus the number of missing parts.
    fn score(&self) -> f64 {
        let sum: f64 = self.confidence.iter().sum();
        sum / self.confidence.len().max(1) as f64 - self.missing().len() as f64
    }

    fn own(&self, part: Part) -> impl Iterator<Item = usize> + '_ {
        self.nodes(part).filter(|i| self.confidence[*i] >= MIN_CONFIDENCE)
    }

    fn depth(&self, node: usize) -> usize {
        std::iter::successors(self.parents[node], |p| self.parents[*p]).count()
    }

    fn is_below(&self, node: usize, top: usize) -> bool {
        std::iter::successors(Some(node), |p| self.parents[*p]).any(|i| i == top)
    }
}

/// Horizontal direction to the left: across the hips, else across the shoulders, else y. `at` gives the joints of parts.
pub(crate) fn left_axis(at: impl Fn(Part) -> Option<Vec3>) -> Vec3 {
    let across = |part: fn(Side) -> Part| {
        Vec3 { z: 0.0, ..(at(part(Side::Left))? - at(part(Side::Right))?) }.normalized()
    };
    across(Part::Thigh).or_else(|| across(Part::UpperArm)).unwrap_or(vec3(0.0, 1.0, 0.0))
}

/// Recognises the body part of each node. `overrides` gives the part of nodes by name.
///
/// # Errors
/// A parent that does not come before its child; an override for an unknown name.
pub fn recognise(nodes: &[Node], overrides: &[(String, Part)]) -> Result<Anatomy, Error> {
    if let Some(i) = (0..nodes.len()).find(|i| nodes[*i].parent.is_some_and(|p| p >= *i)) {
        return Err(Error::unsuitable(nodes[i].name, "its parent comes after it"));
    }
    let mut forced = vec![None; nodes.len()];
    for (name, part) in overrides {
        let found: Vec<usize> = (0..nodes.len()).filter(|i| nodes[*i].name == name).collect();
        if found.is_empty() {
            let near = names::near(name, nodes.iter().map(|n| n.name)).join(", ");
            let what = format!("no bone or link has this name (given as {part}); similar names: {near}");
            return Err(Error::unsuitable(name, what));
        }
        found.into_iter().for_each(|i| forced[i] = Some(*part));
    }
    Ok(resolve::resolve(nodes, &forced))
}
