//! Recognition by the shape of the tree: legs are the two similar chains that reach lowest, arms the two longest others.
//!
//! Works on the joint positions in the rest pose, z up, standing, arms in any pose.

use super::{Node, Part, Side};
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Two limbs are alike if their lengths differ by less than this part
const ALIKE: f64 = 0.1;
/// and the heights of their ends by less than this part: a leg may be lifted.
const ALIKE_HEIGHT: f64 = 0.6;
/// Positions closer than this part of a limb coincide.
const SAME: f64 = 0.05;
/// A hip is at least this part of the leg's length off the midline; nearer joints connect it.
const HIP_ASIDE: f64 = 0.025;
/// A shoulder is at least this part of the arm's length off the midline.
const SHOULDER_ASIDE: f64 = 0.17;
/// The ankle is the first joint below this part of the leg's height; the knee is between hip and ankle.
const ANKLE_DEPTH: f64 = 0.72;
/// Length of the upper arm over that of the forearm in captured skeletons.
const ARM_RATIO: f64 = 1.15;
/// Cost of an extra joint between shoulder, elbow and wrist, in units of relative length difference.
const SKIPPED: f64 = 0.25;

/// The tree with precomputed queries.
pub(super) struct Tree<'a> {
    pub nodes: &'a [Node<'a>],
    pub children: Vec<Vec<usize>>,
    /// length of the longest path down from each node, m
    reach: Vec<f64>,
    /// first step of that path
    next: Vec<Option<usize>>,
}

/// Limbs and trunk found by shape.
#[derive(Default)]
pub(super) struct Found {
    pub parts: Vec<Option<Part>>,
    pub pelvis: Option<usize>,
    pub chest: Option<usize>,
    /// whether the feet decided left and right
    pub is_sided: bool,
}

impl<'a> Tree<'a> {
    pub fn new(nodes: &'a [Node<'a>]) -> Tree<'a> {
        let n = nodes.len();
        let mut children = vec![Vec::new(); n];
        let length = |i: usize| nodes[i].end.map_or(0.0, |e| (e - nodes[i].at).norm());
        let (mut reach, mut next): (Vec<f64>, _) = ((0..n).map(length).collect(), vec![None; n]);
        for i in (0..n).rev() {
            let Some(p) = nodes[i].parent else { continue };
            children[p].insert(0, i);
            let way = (nodes[i].at - nodes[p].at).norm() + reach[i];
            if way >= reach[p] {
                (reach[p], next[p]) = (way, Some(i));
            }
        }
        Tree { nodes, children, reach, next }
    }

    pub fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.nodes[node].parent, |p| self.nodes[*p].parent)
    }

    pub fn is_below(&self, node: usize, top: usize) -> bool {
        node == top || self.ancestors(node).any(|a| a == top)
    }

    /// The node itself and all below it.
    pub fn below(&self, top: usize) -> impl Iterator<Item = usize> + '_ {
        (top..self.nodes.len()).filter(move |i| self.is_below(*i, top))
    }

    /// Lowest common ancestor.
    pub fn common(&self, a: usize, b: usize) -> Option<usize> {
        std::iter::once(a).chain(self.ancestors(a)).find(|c| self.is_below(b, *c))
    }

    /// Path from one node to another over their common ancestor, both included.
    pub fn path(&self, from: usize, to: usize) -> Vec<usize> {
        let Some(top) = self.common(from, to) else { return Vec::new() };
        let climb = |at| std::iter::once(at).chain(self.ancestors(at)).take_while(move |i| *i != top);
        let mut path: Vec<usize> = climb(from).collect();
        path.push(top);
        let down: Vec<usize> = climb(to).collect();
        path.extend(down.into_iter().rev());
        path
    }

    /// The longest path down from a node.
    fn chain(&self, top: usize) -> Vec<usize> {
        std::iter::successors(Some(top), |i| self.next[*i]).collect()
    }

    fn tip(&self, chain: &[usize]) -> Vec3 {
        let last = &self.nodes[chain[chain.len() - 1]];
        last.end.unwrap_or(last.at)
    }

    /// Pairs of similar chains that start at the same node.
    fn pairs(&self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (top, children) in self.children.iter().enumerate() {
            for (k, a) in children.iter().enumerate() {
                for b in &children[k + 1..] {
                    pairs.extend(self.pair(top, *a, *b));
                }
            }
        }
        pairs
    }

    fn pair(&self, top: usize, a: usize, b: usize) -> Option<Pair> {
        let from = self.nodes[top].at;
        let length = |i: usize| self.reach[i] + (self.nodes[i].at - from).norm();
        let (la, lb) = (length(a), length(b));
        let (chain_a, chain_b) = (self.chain(a), self.chain(b));
        let (ta, tb) = (self.tip(&chain_a), self.tip(&chain_b));
        let is_alike =
            (la - lb).abs() < ALIKE * la.max(lb) && (ta.z - tb.z).abs() < ALIKE_HEIGHT * la.max(lb);
        let aside = flat(ta - tb).norm();
        let roots = [a, b];
        (is_alike && aside > SAME * la.max(lb)).then(|| Pair {
            top,
            roots,
            chains: [chain_a, chain_b],
            length: la.min(lb),
            low: ta.z.max(tb.z),
        })
    }
}

/// Two similar chains from one node.
struct Pair {
    top: usize,
    roots: [usize; 2],
    chains: [Vec<usize>; 2],
    length: f64,
    low: f64,
}

fn flat(v: Vec3) -> Vec3 {
    vec3(v.x, v.y, 0.0)
}

/// Parts by the shape alone.
pub(super) fn find(tree: &Tree) -> Found {
    let mut found = Found { parts: vec![None; tree.nodes.len()], ..Found::default() };
    let pairs = tree.pairs();
    // long chains only: fingers and toes come in similar pairs too
    let longest = pairs.iter().map(|p| p.length).fold(0.0, f64::max);
    let long = pairs.iter().filter(|p| p.length > 0.4 * longest);
    let Some(legs) = long.min_by(|a, b| a.low.total_cmp(&b.low)) else { return found };
    let is_leg = |i: usize| legs.roots.iter().any(|r| tree.is_below(i, *r));
    let others =
        pairs.iter().filter(|p| p.length > 0.25 * legs.length && !p.roots.iter().any(|r| is_leg(*r)));
    let arms = others.max_by(|a, b| a.length.total_cmp(&b.length));
    let (left, is_sided) = left_axis(tree, legs);
    (found.pelvis, found.is_sided) = (Some(legs.top), is_sided);
    for (chain, side) in legs.chains.iter().zip(sides(tree, legs, left)) {
        leg(tree, legs, chain, side, &mut found.parts);
    }
    if let Some(arms) = arms {
        found.chest = Some(arms.top);
        for (chain, side) in arms.chains.iter().zip(sides(tree, arms, left)) {
            arm(tree, arms, chain, side, &mut found.parts);
        }
        trunk(tree, legs.top, arms.top, &mut found.parts);
        head(tree, arms, legs.top, &mut found.parts);
    }
    found.parts[legs.top] = Some(Part::Pelvis);
    found
}

/// Direction to the left, from the direction of the feet; y if they are ambiguous.
fn left_axis(tree: &Tree, legs: &Pair) -> (Vec3, bool) {
    let between = flat(tree.tip(&legs.chains[0]) - tree.tip(&legs.chains[1]));
    let aside = between.normalized().unwrap_or(vec3(0.0, 1.0, 0.0));
    let mut forward = Vec3::ZERO;
    for chain in &legs.chains {
        let last = chain
            .iter()
            .rev()
            .find(|i| flat(tree.tip(chain) - tree.nodes[**i].at).norm() > SAME * legs.length);
        forward += last.map_or(Vec3::ZERO, |i| flat(tree.tip(chain) - tree.nodes[*i].at));
    }
    let forward = forward - aside.scale(forward.dot(aside));
    let left = vec3(-forward.y, forward.x, 0.0);
    match left.normalized().filter(|_| left.norm() > 2.0 * SAME * legs.length) {
        Some(left) => (left, true),
        None => (vec3(0.0, 1.0, 0.0), false),
    }
}

fn sides(tree: &Tree, pair: &Pair, left: Vec3) -> [Side; 2] {
    let first = tree.tip(&pair.chains[0]) - tree.tip(&pair.chains[1]);
    if first.dot(left) >= 0.0 { Side::BOTH } else { [Side::Right, Side::Left] }
}

/// Distance of a node from the plane between two limbs, as a part of their length.
fn aside(tree: &Tree, pair: &Pair, node: usize) -> f64 {
    let axis = flat(tree.tip(&pair.chains[0]) - tree.tip(&pair.chains[1]));
    let axis = axis.normalized().unwrap_or(vec3(0.0, 1.0, 0.0));
    (tree.nodes[node].at - tree.nodes[pair.top].at).dot(axis).abs() / pair.length
}

fn leg(tree: &Tree, pair: &Pair, chain: &[usize], side: Side, parts: &mut [Option<Part>]) {
    let at = |k: usize| tree.nodes[chain[k]].at;
    let hip = (0..chain.len()).find(|k| aside(tree, pair, chain[*k]) > HIP_ASIDE).unwrap_or(0);
    let low = chain.iter().map(|i| tree.nodes[*i].at.z).fold(tree.tip(chain).z, f64::min);
    let depth = |k: usize| (at(hip).z - at(k).z) / (at(hip).z - low).max(f64::MIN_POSITIVE);
    let ankle = (hip..chain.len()).find(|k| depth(*k) > ANKLE_DEPTH).unwrap_or(chain.len());
    let half = 0.5 * if ankle < chain.len() { depth(ankle) } else { 1.0 };
    let knee = (hip + 1..ankle).min_by(|a, b| (depth(*a) - half).abs().total_cmp(&(depth(*b) - half).abs()));
    let knee = knee.unwrap_or(ankle);
    for (k, node) in chain.iter().enumerate() {
        let from_ankle = |k: usize| flat(at(k) - at(ankle.min(chain.len() - 1))).norm() / pair.length;
        parts[*node] = Some(match k {
            k if k < hip => Part::Pelvis,
            k if k < knee => Part::Thigh(side),
            k if k < ankle => Part::Shank(side),
            k if from_ankle(k) < SAME => Part::Foot(side),
            _ => Part::Toes(side),
        });
    }
}

fn arm(tree: &Tree, pair: &Pair, chain: &[usize], side: Side, parts: &mut [Option<Part>]) {
    let at = |k: usize| tree.nodes[chain[k.min(chain.len() - 1)]].at;
    let shoulder = (0..chain.len()).find(|k| aside(tree, pair, chain[*k]) > SHOULDER_ASIDE).unwrap_or(0);
    let (elbow, wrist) = elbow_and_wrist(tree, &chain[shoulder..]);
    let (elbow, wrist) = (elbow + shoulder, wrist + shoulder);
    for (k, node) in chain.iter().enumerate() {
        parts[*node] = Some(match k {
            k if k < shoulder => Part::Shoulder(side),
            k if k < elbow => Part::UpperArm(side),
            k if k < wrist => Part::Forearm(side),
            k if (at(k) - at(wrist)).norm() < SAME * pair.length => Part::Hand(side),
            _ => Part::Finger(side),
        });
    }
}

/// Indices in a chain from the shoulder of the two joints that divide it most like an arm.
fn elbow_and_wrist(tree: &Tree, chain: &[usize]) -> (usize, usize) {
    let mut points: Vec<Vec3> = chain.iter().map(|i| tree.nodes[*i].at).collect();
    points.extend(tree.nodes[chain[chain.len() - 1]].end);
    let total: f64 = points.windows(2).map(|w| (w[1] - w[0]).norm()).sum();
    let mut best = (f64::INFINITY, (1, 2));
    for elbow in 1..chain.len() {
        for wrist in elbow + 1..points.len() {
            let (upper, fore) = ((points[elbow] - points[0]).norm(), (points[wrist] - points[elbow]).norm());
            let rest: f64 = points[wrist..].windows(2).map(|w| (w[1] - w[0]).norm()).sum();
            if upper < 0.25 * total || fore < 0.2 * total || rest > fore {
                continue;
            }
            let apart = |k: &usize, ends: [usize; 2]| {
                ends.iter().all(|e| (points[*k] - points[*e]).norm() > 0.5 * SAME * total)
            };
            let skipped = (1..elbow).filter(|k| apart(k, [0, elbow])).count()
                + (elbow + 1..wrist).filter(|k| apart(k, [elbow, wrist])).count();
            let cost = 2.0 * (upper - ARM_RATIO * fore).abs() / (upper + fore) + SKIPPED * skipped as f64;
            if cost < best.0 {
                best = (cost, (elbow, wrist));
            }
        }
    }
    best.1
}

fn trunk(tree: &Tree, pelvis: usize, chest: usize, parts: &mut [Option<Part>]) {
    for node in tree.path(pelvis, chest) {
        parts[node] = Some(if node == chest { Part::Chest } else { Part::Abdomen });
    }
}

/// The highest other child of the chest.
fn head(tree: &Tree, arms: &Pair, pelvis: usize, parts: &mut [Option<Part>]) {
    let top = |i: usize| {
        tree.below(i).map(|k| tree.nodes[k].end.map_or(tree.nodes[k].at.z, |e| e.z.max(tree.nodes[k].at.z)))
    };
    let height = |i: usize| top(i).fold(f64::NEG_INFINITY, f64::max);
    let free =
        tree.children[arms.top].iter().filter(|c| !arms.roots.contains(c) && !tree.is_below(pelvis, **c));
    let Some(first) = free.copied().max_by(|a, b| height(*a).total_cmp(&height(*b))) else { return };
    if height(first) <= tree.nodes[arms.top].at.z {
        return;
    }
    let chain = tree.chain(first);
    for (k, node) in chain.iter().enumerate() {
        parts[*node] = Some(if k + 1 == chain.len() { Part::Head } else { Part::Neck });
    }
}
