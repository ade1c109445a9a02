//! Collision detection: shapes that touch, or may touch within the coming step.
//!
//! Computes  all contact patches between the shapes of a figure and the world.
//! Source: broad phase by boxes (`broad`), then narrow phase of each near pair (`narrow`).
//! We differ: patches come in the order of their keys, which survive changes of structure.
//! Not here: forces.
//! Checked by: `tests/it/detect.rs`.

use super::broad::{Broad, Candidate};
use super::collider::{Collider, Colliders};
use super::narrow::{self, Form, Manifold, Placed, Work};
use super::patch::{ContactPair, Patch, PatchKey};
use super::report::Overlap;
use super::scenery::World;
use crate::model::Figure;
use crate::spatial::{Motion, Transform};

/// Finds contact patches.
#[derive(Clone, Debug, Default)]
pub struct Detector {
    colliders: Colliders,
    broad: Broad,
    candidates: Vec<Candidate>,
    found: Manifold,
    parts: Vec<Manifold>,
    work: Work,
}

impl Detector {
    /// Lists the shapes of a figure and a world and the pairs that may touch. Call after every change of structure.
    /// O(pairs of shapes).
    pub fn prepare(&mut self, figure: &Figure, world: &World) {
        self.colliders.prepare(figure, world);
        self.broad.prepare(&self.colliders);
    }

    /// Excluded pairs of links that are not neighbours: they overlap in the home pose.
    pub fn left_out(&self) -> &[Overlap] {
        &self.colliders.left_out
    }

    /// All patches whose shapes may touch within `h` seconds, in the order of their keys.
    /// `poses` and `velocities` (about the bodies' origins, world axes) are those of the forest's bodies, the world first.
    pub fn detect(&mut self, poses: &[Transform], velocities: &[Motion], h: f64, patches: &mut Vec<Patch>) {
        patches.clear();
        self.broad.candidates(&self.colliders, poses, velocities, h, &mut self.candidates);
        for c in &self.candidates {
            let (a, b) = (&self.colliders.all[c.a as usize], &self.colliders.all[c.b as usize]);
            let place = |c: &Collider| {
                if c.is_fixed() { c.body_from_it } else { poses[c.body.index()] * c.body_from_it }
            };
            let (world_from_a, world_from_b) = (place(a), place(b));
            let at_a = Placed { form: &a.form, world_from_it: &world_from_a };
            let colliders = &self.colliders;
            let mut add = |found: &Manifold| {
                if let Some(pair) = shape_pair(colliders, a, b, found.part) {
                    patches.extend(Patch::new(pair, found.normal, found.points()));
                }
            };
            if let Form::Heights(field) = &b.form {
                narrow::touch_heights(at_a, field, &world_from_b, c.margin, &mut self.work, &mut self.parts);
                self.parts.iter().for_each(add);
            } else {
                let at_b = Placed { form: &b.form, world_from_it: &world_from_b };
                narrow::touch(at_a, at_b, c.margin, &mut self.work, &mut self.found);
                add(&self.found);
            }
        }
    }
}

fn shape_pair(colliders: &Colliders, a: &Collider, b: &Collider, part: u32) -> Option<ContactPair> {
    Some(ContactPair {
        key: PatchKey { a: a.key, b: b.key, part },
        a: a.body,
        b: b.body,
        link_a: a.link?,
        link_b: b.link,
        scenery: b.scenery,
        surface: colliders.surface(a, b),
    })
}
