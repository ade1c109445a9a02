//! Colliders and the pairs that may touch.
//!
//! Computes  the shapes of a figure's links and of the scenery as colliders, and the candidate pairs.
//! Source: [NY2000J §4] for links in general; the rules are ours: no contact between shapes of one body, between two
//!         fixed shapes, between links joined by a joint or connection, or between shapes of one figure that overlap
//!         in the home pose. `World` has the exceptions.
//! Not here: geometry (`narrow`), motion (`broad`).
//! Checked by: `tests/it/detect.rs`.

use super::material::{MaterialIx, Surface};
use super::narrow::{self, Field, Form, Hull, Manifold, Placed, Work};
use super::report::Overlap;
use super::scenery::{SceneryShape, World};
use crate::algo::fk::Kinematics;
use crate::model::{BodyIx, BodyJoint, Figure, Forest, LinkHandle, Shape};
use crate::spatial::{Transform, Vec3, vec3};

/// Bits of a key that number the shapes of a link.
const SHAPE_BITS: u32 = 10;
/// Bit of a key that marks scenery.
const SCENERY: u32 = 1 << 31;
/// Shapes of one figure that overlap more than this in the home pose do not touch, m.
const HOME_OVERLAP: f64 = 1e-4;

/// A shape with contact.
#[derive(Clone, Debug)]
pub(super) struct Collider {
    /// identity, stable across changes of structure
    pub key: u32,
    /// body
    pub body: BodyIx,
    /// pose on the body
    pub body_from_it: Transform,
    /// the solid
    pub form: Form,
    /// link; `None` for scenery
    pub link: Option<LinkHandle>,
    /// index of the scenery
    pub scenery: Option<u32>,
    /// number of its material in [`Colliders::surfaces`]
    pub material: usize,
    /// middle of its box, in the body's frame
    pub centre: Vec3,
    /// half edges of its box, along the body's axes
    pub half: Vec3,
    /// radius of a ball about the middle
    pub radius: f64,
}

impl Collider {
    /// Whether it is fixed to the world.
    pub fn is_fixed(&self) -> bool {
        self.body == BodyIx::WORLD
    }

    fn name(&self, figure: &Figure, world: &World) -> String {
        let link = self.link.and_then(|l| figure.link(l).ok()).map(|l| l.spec.name.clone());
        let scenery = self.scenery.and_then(|s| world.scenery.get(s as usize)).map(|s| s.name.clone());
        link.or(scenery).unwrap_or_default()
    }
}

/// All colliders: moving ones by key, then fixed ones, planes last.
#[derive(Clone, Debug, Default)]
pub(super) struct Colliders {
    /// the list
    pub all: Vec<Collider>,
    /// number of moving colliders
    pub moving: usize,
    /// number of colliders that are not planes
    pub bounded: usize,
    /// a bit for each pair (moving, any) that may touch
    pairs: Vec<u64>,
    /// 64-bit words in a row of `pairs`
    words: usize,
    /// surfaces by pair of materials
    surfaces: Vec<Surface>,
    materials: Vec<MaterialIx>,
    /// pairs excluded because they overlap in the home pose
    pub left_out: Vec<Overlap>,
}

impl Colliders {
    /// Whether a moving collider may touch another.
    #[inline(always)]
    pub fn may_touch(&self, moving: usize, other: usize) -> bool {
        (self.pairs[moving * self.words + other / 64] >> (other % 64)) & 1 != 0
    }

    /// A bit for each of the first 64 colliders that a moving one may touch.
    #[inline(always)]
    pub fn partners(&self, moving: usize) -> u64 {
        self.pairs[moving * self.words]
    }

    /// Surface of two colliders' materials.
    pub fn surface(&self, a: &Collider, b: &Collider) -> Surface {
        self.surfaces[a.material * self.materials.len() + b.material]
    }

    /// Orders a pair: the supported collider first. That is the moving one, or the one with the larger key.
    pub fn carried_first(&self, i: usize, j: usize) -> (usize, usize) {
        let (a, b) = (&self.all[i], &self.all[j]);
        let rank = |c: &Collider| (!c.is_fixed(), c.key);
        if rank(a) > rank(b) { (i, j) } else { (j, i) }
    }

    /// Lists the colliders and the pairs that may touch.
    pub fn prepare(&mut self, figure: &Figure, world: &World) {
        self.list_materials(world);
        self.list(figure, world);
        self.left_out.clear();
        self.words = self.all.len().div_ceil(64);
        self.pairs.clear();
        self.pairs.resize(self.moving * self.words, 0);
        let rules = Rules::new(figure, world);
        for i in 0..self.moving {
            for j in i + 1..self.all.len() {
                if self.may_meet(i, j, &rules, figure, world) {
                    self.allow(i, j);
                    if j < self.moving {
                        self.allow(j, i);
                    }
                }
            }
        }
    }

    fn allow(&mut self, i: usize, j: usize) {
        self.pairs[i * self.words + j / 64] |= 1 << (j % 64);
    }

    fn may_meet(&mut self, i: usize, j: usize, rules: &Rules, figure: &Figure, world: &World) -> bool {
        let (a, b) = (&self.all[i], &self.all[j]);
        match rules.verdict(a, b) {
            Verdict::Never => false,
            Verdict::Always => true,
            Verdict::UnlessOverlapping => {
                let depth = rules.depth_at_home(a, b);
                if depth > HOME_OVERLAP {
                    let overlap = Overlap { a: a.name(figure, world), b: b.name(figure, world), depth };
                    self.leave_out(overlap);
                }
                !(depth > HOME_OVERLAP)
            }
        }
    }

    fn leave_out(&mut self, new: Overlap) {
        match self.left_out.iter_mut().find(|o| o.a == new.a && o.b == new.b) {
            Some(old) => old.depth = old.depth.max(new.depth),
            None => self.left_out.push(new),
        }
    }

    fn list_materials(&mut self, world: &World) {
        let materials = &world.materials;
        self.materials.clear();
        self.materials.extend(materials.list().iter().filter_map(|m| materials.find(&m.name)));
        self.surfaces.clear();
        for &a in &self.materials {
            self.surfaces.extend(self.materials.iter().map(|&b| materials.between(a, b)));
        }
    }

    fn list(&mut self, figure: &Figure, world: &World) {
        self.all.clear();
        let number = |m: MaterialIx| self.materials.iter().position(|&x| x == m).unwrap_or(0);
        for (handle, link) in figure.links() {
            let place = figure.forest().link_place(handle);
            for (n, s) in link.spec.shapes.iter().enumerate() {
                let Some(form) = form(&s.shape) else { continue };
                let key =
                    ((handle.slot() as u32) << SHAPE_BITS | (n as u32 & ((1 << SHAPE_BITS) - 1))) & !SCENERY;
                let mut c = collider(key, place.body, place.body_from_link * s.link_from_shape, form);
                c.link = Some(handle);
                c.material = number(world.material_of(handle));
                self.all.push(c);
            }
        }
        for (n, s) in world.scenery.iter().enumerate() {
            let form = match &s.ground {
                SceneryShape::Plane => Some(Form::Plane),
                SceneryShape::Solid(shape) => form(shape),
                SceneryShape::HeightField(heights) => Some(Form::Heights(Field::new(heights))),
            };
            let Some(form) = form else { continue };
            let mut c = collider(n as u32 | SCENERY, BodyIx::WORLD, s.world_from_it, form);
            c.scenery = Some(n as u32);
            c.material = number(s.material);
            self.all.push(c);
        }
        let is_plane = |c: &Collider| matches!(c.form, Form::Plane);
        self.all.sort_by_key(|c| (c.is_fixed(), is_plane(c), c.key));
        self.moving = self.all.iter().filter(|c| !c.is_fixed()).count();
        self.bounded = self.all.iter().filter(|c| !is_plane(c)).count();
    }
}

fn collider(key: u32, body: BodyIx, body_from_it: Transform, form: Form) -> Collider {
    let (centre, half, radius) = form.bounds();
    let r = &body_from_it.rotation;
    let along = |x: f64, y: f64, z: f64| (x.abs() * half.x + y.abs() * half.y + z.abs() * half.z).min(radius);
    Collider {
        key,
        body,
        centre: body_from_it.point(centre),
        half: vec3(along(r.x.x, r.y.x, r.z.x), along(r.x.y, r.y.y, r.z.y), along(r.x.z, r.y.z, r.z.z)),
        radius,
        body_from_it,
        form,
        link: None,
        scenery: None,
        material: 0,
    }
}

fn form(shape: &Shape) -> Option<Form> {
    match *shape {
        Shape::Box { half } => Some(Form::Box { half }),
        Shape::Sphere { radius } => Some(Form::Sphere { radius }),
        Shape::Capsule { radius, half_length } => Some(Form::Capsule { radius, half_length }),
        Shape::Cylinder { radius, half_length } => Some(Form::Cylinder { radius, half_length }),
        Shape::Ellipsoid { half } => Some(Form::Ellipsoid { half }),
        Shape::Convex { ref points } => Hull::new(points).map(Form::Convex),
    }
}

enum Verdict {
    Never,
    Always,
    UnlessOverlapping,
}

/// Contact rules of a figure and a world.
struct Rules<'a> {
    forest: &'a Forest,
    world: &'a World,
    home: Kinematics,
    /// root body of each body
    roots: Vec<BodyIx>,
    /// joined pairs of a body and a fixed link
    joined: Vec<(BodyIx, LinkHandle)>,
}

impl<'a> Rules<'a> {
    fn new(figure: &'a Figure, world: &'a World) -> Rules<'a> {
        let forest = figure.forest();
        let mut home = Kinematics::default();
        home.update(forest, forest.home(), None, None);
        let mut roots: Vec<BodyIx> = Vec::with_capacity(forest.bodies().len());
        for (i, b) in forest.bodies().iter().enumerate() {
            let root = if b.parent == BodyIx::WORLD { BodyIx(i as u32) } else { roots[b.parent.index()] };
            roots.push(root);
        }
        Rules { forest, world, home, roots, joined: joined_to_standing(figure) }
    }

    fn verdict(&self, a: &Collider, b: &Collider) -> Verdict {
        if a.body == b.body {
            return Verdict::Never;
        }
        let world = self.world;
        let is_pair = |p: &(LinkHandle, LinkHandle)| {
            let (x, y) = (Some(p.0), Some(p.1));
            (a.link, b.link) == (x, y) || (a.link, b.link) == (y, x)
        };
        if world.together.iter().any(is_pair) {
            return Verdict::Always;
        }
        let is_ghost = |c: &Collider| c.link.is_some_and(|l| world.ghosts.contains(&l));
        if is_ghost(a) || is_ghost(b) || world.apart.iter().any(is_pair) || self.are_joined(a, b) {
            return Verdict::Never;
        }
        if a.is_fixed() || b.is_fixed() {
            let moving = if a.is_fixed() { b.body } else { a.body };
            let body = &self.forest.bodies()[moving.index()];
            let hangs = body.parent == BodyIx::WORLD && body.joint != BodyJoint::Free;
            return if hangs { Verdict::UnlessOverlapping } else { Verdict::Always };
        }
        if self.roots[a.body.index()] != self.roots[b.body.index()] {
            return Verdict::Always;
        }
        let keeps_off = |c: &Collider| c.link.is_some_and(|l| world.not_self.contains(&l));
        if keeps_off(a) || keeps_off(b) { Verdict::Never } else { Verdict::UnlessOverlapping }
    }

    /// Whether a joint or connection connects them.
    fn are_joined(&self, a: &Collider, b: &Collider) -> bool {
        let parent = |c: &Collider| self.forest.bodies()[c.body.index()].parent;
        match (a.is_fixed(), b.is_fixed()) {
            (false, false) => {
                let connected =
                    |l: &crate::model::Loop| (l.a, l.b) == (a.body, b.body) || (l.b, l.a) == (a.body, b.body);
                parent(a) == b.body || parent(b) == a.body || self.forest.loops().iter().any(connected)
            }
            (false, true) => b.link.is_some_and(|l| self.joined.contains(&(a.body, l))),
            (true, false) => a.link.is_some_and(|l| self.joined.contains(&(b.body, l))),
            (true, true) => true,
        }
    }

    fn depth_at_home(&self, a: &Collider, b: &Collider) -> f64 {
        let place = |c: &Collider| self.home.body_pose(c.body) * c.body_from_it;
        let (world_from_a, world_from_b) = (place(a), place(b));
        let (mut found, mut parts, mut work) = (Manifold::default(), Vec::new(), Work::default());
        let at_a = Placed { form: &a.form, world_from_it: &world_from_a };
        if let Form::Heights(field) = &b.form {
            narrow::touch_heights(at_a, field, &world_from_b, 0.0, &mut work, &mut parts);
        } else {
            let at_b = Placed { form: &b.form, world_from_it: &world_from_b };
            narrow::touch(at_a, at_b, 0.0, &mut work, &mut found);
            parts.push(found);
        }
        parts.iter().flat_map(|m| m.points()).fold(0.0, |m, p| f64::max(m, -p.2))
    }
}

/// Bodies joined to a fixed link, with all links rigidly attached to that one.
fn joined_to_standing(figure: &Figure) -> Vec<(BodyIx, LinkHandle)> {
    let body = |l: LinkHandle| figure.forest().link_place(l).body;
    // the fixed link next to the world
    let foot = |mut l: LinkHandle| {
        while let Some(up) = figure.link(l).ok().and_then(|x| x.parent()) {
            l = up;
        }
        l
    };
    let mut joined = Vec::new();
    let mut join = |moving: LinkHandle, standing: LinkHandle| {
        if body(moving) == BodyIx::WORLD || body(standing) != BodyIx::WORLD {
            return;
        }
        let piece = foot(standing);
        let links = figure.links().map(|(l, _)| l).filter(|&l| body(l) == BodyIx::WORLD && foot(l) == piece);
        joined.extend(links.map(|l| (body(moving), l)));
    };
    for (handle, link) in figure.links() {
        if let Some(parent) = link.parent() {
            join(handle, parent);
        }
    }
    for (_, link, _) in figure.connections() {
        if let (Some(real), Some(parent)) = (link.real(), link.parent()) {
            join(real, parent);
            join(parent, real);
        }
    }
    joined
}
