//! Which bone or link is which part of the body, for any skeleton or figure, by names and by topology.
//!
//! Names decide where they say something; the shape of the tree completes them and contradicts them, which lowers the
//! confidence and is told. The part of a node is the segment that moves with its joint: `LeftUpLeg`, `lfemur`,
//! `thigh.L` and `left_hip_pitch_link` are all the left thigh.

mod names;
mod part;
mod resolve;
mod sources;
mod topology;

pub use part::{Part, Side};
pub use sources::{nodes_of_figure, of_figure, of_recording, of_skeleton};

use crate::error::Error;
use anthropi_dynamics::spatial::Vec3;

/// A joint with the bone or link it carries, at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node<'a> {
    /// its name
    pub name: &'a str,
    /// the node it hangs on; parents come first
    pub parent: Option<usize>,
    /// place of the joint, world axes, z up, m
    pub at: Vec3,
    /// where it ends if nothing hangs there, world axes, m
    pub end: Option<Vec3>,
}

/// Which node is which part of the body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Anatomy {
    /// part of each node; several may share one, connectors belong to what they hang on. `None`: no part of a body
    pub parts: Vec<Option<Part>>,
    /// how sure that is, 0 to 1: 1 said by the user, 0.5 and less when names and shape contradict or nothing speaks
    pub confidence: Vec<f64>,
    /// what was found and decided, a sentence each
    pub notes: Vec<String>,
    parents: Vec<Option<usize>>,
}

/// Below this a node only follows what it hangs on.
const OWN: f64 = 0.35;

impl Anatomy {
    /// The node whose joint begins a part: the one nearest the root.
    pub fn find(&self, part: Part) -> Option<usize> {
        self.own(part).min_by_key(|i| self.depth(*i)).or_else(|| self.nodes(part).next())
    }

    /// The node that ends a part: the one farthest from the root, connectors and trinkets left aside.
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

    /// Parts every human figure has that were not found.
    pub fn missing(&self) -> Vec<Part> {
        Part::main().filter(|p| self.find(*p).is_none()).collect()
    }

    /// Whether all parts a human figure has were found.
    pub fn is_human(&self) -> bool {
        self.missing().is_empty()
    }

    /// Mean confidence, less what is missing.
    fn sureness(&self) -> f64 {
        let sum: f64 = self.confidence.iter().sum();
        sum / self.confidence.len().max(1) as f64 - self.missing().len() as f64
    }

    fn own(&self, part: Part) -> impl Iterator<Item = usize> + '_ {
        self.nodes(part).filter(|i| self.confidence[*i] >= OWN)
    }

    fn depth(&self, node: usize) -> usize {
        std::iter::successors(self.parents[node], |p| self.parents[*p]).count()
    }

    fn is_below(&self, node: usize, top: usize) -> bool {
        std::iter::successors(Some(node), |p| self.parents[*p]).any(|i| i == top)
    }
}

/// Which of the nodes is which part of the body. `overrides` are names of nodes and what they are.
///
/// # Errors
/// A parent that does not come before its child; an override for a name that is not there.
pub fn recognise(nodes: &[Node], overrides: &[(String, Part)]) -> Result<Anatomy, Error> {
    if let Some(i) = (0..nodes.len()).find(|i| nodes[*i].parent.is_some_and(|p| p >= *i)) {
        let what = "hangs on a node that comes after it".to_string();
        return Err(Error::Unsuitable { subject: nodes[i].name.into(), what });
    }
    let mut forced = vec![None; nodes.len()];
    for (name, part) in overrides {
        let found: Vec<usize> = (0..nodes.len()).filter(|i| nodes[*i].name == name).collect();
        if found.is_empty() {
            let near = names::near(name, nodes.iter().map(|n| n.name)).join(", ");
            let what = format!("no bone or link has this name (given as {part}); near it: {near}");
            return Err(Error::Unsuitable { subject: name.clone(), what });
        }
        found.into_iter().for_each(|i| forced[i] = Some(*part));
    }
    Ok(resolve::resolve(nodes, &forced))
}
