//! Bodies and their frames, by name.

use crate::error::Error;
use crate::names::clipped;
use crate::xml::{Element, MAX_LINKS};
use anthropi_dynamics::spatial::{Inertia, Sym3, Transform};
use std::collections::HashMap;

/// Deepest chain of frames on frames.
const MAX_FRAMES: usize = 32;
const GROUND: &str = "ground";

/// A body, axes of the file.
#[derive(Clone, Debug)]
pub(super) struct Body<'a> {
    pub name: &'a str,
    pub inertia: Inertia,
    pub node: &'a Element,
}

/// A frame on a body or on ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyFrame {
    /// `None` is ground
    pub body: Option<usize>,
    pub body_from_frame: Transform,
}

/// All bodies of a model.
#[derive(Debug)]
pub(super) struct Bodies<'a> {
    pub list: Vec<Body<'a>>,
    index: HashMap<&'a str, usize>,
    /// frames of bodies and ground, by name
    frames: HashMap<&'a str, Vec<(Option<usize>, &'a Element)>>,
}

impl<'a> Bodies<'a> {
    /// Bodies of the `BodySet`, without the ground body of old files.
    pub fn new(model: &'a Element) -> Result<Bodies<'a>, Error> {
        let mut bodies = Bodies { list: Vec::new(), index: HashMap::new(), frames: HashMap::new() };
        for node in model.set("BodySet").filter(|n| n.name == "Body") {
            let name = node.title();
            if name == GROUND {
                continue;
            }
            if name.is_empty() {
                return Err(node.refuse("a body without a name"));
            }
            if bodies.list.len() == MAX_LINKS {
                return Err(node.refuse(format!("more than {MAX_LINKS} bodies")));
            }
            if bodies.index.insert(name, bodies.list.len()).is_some() {
                return Err(node.refuse("expected a unique name; this one is used above"));
            }
            bodies.own_frames(Some(bodies.list.len()), node);
            bodies.list.push(Body { name, inertia: inertia(node)?, node });
        }
        if let Some(ground) = model.child("Ground") {
            bodies.own_frames(None, ground);
        }
        if bodies.list.is_empty() {
            return Err(model.refuse("no Body in a BodySet"));
        }
        Ok(bodies)
    }

    fn own_frames(&mut self, body: Option<usize>, node: &'a Element) {
        let owned = node.child("components").into_iter().flat_map(|c| &c.children);
        for frame in owned.filter(|n| n.name == "PhysicalOffsetFrame") {
            self.frames.entry(frame.title()).or_default().push((body, frame));
        }
    }

    /// A body by its name; `None` is ground.
    pub fn body(&self, name: &str, user: &Element) -> Result<Option<usize>, Error> {
        match (name, self.index.get(name)) {
            (_, Some(at)) => Ok(Some(*at)),
            (GROUND, None) => Ok(None),
            _ => Err(user.refuse(format!("found \"{}\", expected the name of a body", clipped(name)))),
        }
    }

    /// The frame of a path such as `/bodyset/pelvis` or `pelvis_offset`; `own` frames of a joint take precedence.
    pub fn frame(&self, path: &str, own: &[&'a Element], user: &'a Element) -> Result<BodyFrame, Error> {
        let mut body_from_frame = Transform::identity();
        let (mut path, mut user) = (path, user);
        for _ in 0..MAX_FRAMES {
            let mut parts = path.trim().rsplit('/');
            let (name, owner) = (parts.next().unwrap_or(""), parts.next());
            let is_absolute = path.starts_with("/bodyset/") || path.starts_with("/ground");
            let of_joint = own.iter().find(|f| f.title() == name && !is_absolute).map(|f| (None, *f));
            let owned = |with_owner: bool| {
                let mut named = self.frames.get(name)?.iter();
                let fits = |body: Option<usize>| owner == Some(body.map_or(GROUND, |b| self.list[b].name));
                named.find(|(body, _)| !with_owner || fits(*body)).map(|(body, f)| (Some(*body), *f))
            };
            let found = of_joint.or_else(|| owned(true)).or_else(|| owned(false));
            let Some((body, frame)) = found else {
                return Ok(BodyFrame { body: self.body(name, user)?, body_from_frame });
            };
            body_from_frame = frame.inner_placement("translation", "orientation")? * body_from_frame;
            let parent = socket(frame, "parent").unwrap_or("..");
            match body {
                Some(body) if parent == ".." => return Ok(BodyFrame { body, body_from_frame }),
                _ => (path, user) = (parent, frame),
            }
        }
        Err(user.refuse(format!("frames are nested more than {MAX_FRAMES} deep")))
    }
}

/// The target of a socket; early files of version 4 use a longer name.
pub(super) fn socket<'a>(node: &'a Element, name: &str) -> Option<&'a str> {
    let long = || node.inner_text(&format!("socket_{name}_connectee_name"));
    node.inner_text(&format!("socket_{name}")).or_else(long)
}

fn inertia(node: &Element) -> Result<Inertia, Error> {
    let mass = node.inner_number("mass")?.unwrap_or(0.0);
    if mass < 0.0 {
        return Err(node.refuse(format!("found a mass of {mass}, expected zero or more")));
    }
    let six = match node.inner_numbers::<6>("inertia")? {
        Some(six) => six,
        None => {
            let mut six = [0.0; 6];
            for (entry, name) in six.iter_mut().zip(["xx", "yy", "zz", "xy", "xz", "yz"]) {
                *entry = node.inner_number(&format!("inertia_{name}"))?.unwrap_or(0.0);
            }
            six
        }
    };
    let [xx, yy, zz, xy, xz, yz] = six;
    let central = Sym3 { xx, yy, zz, xy, xz, yz };
    Ok(Inertia::about_center(mass, node.inner_vector("mass_center")?, central))
}
