//! Bodies and the frames on them, by name: a frame is some body's, at a placement.

use super::document::Node;
use crate::error::Error;
use crate::xml::{MAX_LINKS, clipped};
use anthropi_dynamics::spatial::{Inertia, Sym3, Transform};
use std::collections::HashMap;

/// Frames that stand on frames are followed this far.
const MAX_FRAMES: usize = 32;
const GROUND: &str = "ground";

/// A body of the file, axes of the file.
#[derive(Clone, Debug)]
pub(super) struct Body<'a> {
    pub name: &'a str,
    pub inertia: Inertia,
    pub node: Node<'a>,
}

/// A place on a body; none is ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub body: Option<usize>,
    pub body_from_frame: Transform,
}

/// All bodies of a model.
#[derive(Debug)]
pub(super) struct Bodies<'a> {
    pub list: Vec<Body<'a>>,
    index: HashMap<&'a str, usize>,
    /// frames that bodies and ground own, by name
    frames: HashMap<&'a str, Vec<(Option<usize>, Node<'a>)>>,
}

impl<'a> Bodies<'a> {
    /// Bodies of the `BodySet`; ground, which old files hold as one, is none.
    pub fn new(model: Node<'a>) -> Result<Bodies<'a>, Error> {
        let mut bodies = Bodies { list: Vec::new(), index: HashMap::new(), frames: HashMap::new() };
        for node in model.set("BodySet").filter(|n| n.name() == "Body") {
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
                return Err(node.refuse("expected a name of its own; there is one like it above"));
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

    fn own_frames(&mut self, body: Option<usize>, node: Node<'a>) {
        let owned = node.child("components").into_iter().flat_map(|c| c.children());
        for frame in owned.filter(|n| n.name() == "PhysicalOffsetFrame") {
            self.frames.entry(frame.title()).or_default().push((body, frame));
        }
    }

    /// A body by its name alone.
    pub fn body(&self, name: &str, said_at: Node) -> Result<Option<usize>, Error> {
        match (name, self.index.get(name)) {
            (_, Some(at)) => Ok(Some(*at)),
            (GROUND, None) => Ok(None),
            _ => Err(said_at.refuse(format!("found \"{}\", expected the name of a body", clipped(name)))),
        }
    }

    /// Where the frame of a path such as `/bodyset/pelvis` or `pelvis_offset` is; frames of a joint come first.
    pub fn place(&self, path: &str, own: &[Node<'a>], said_at: Node<'a>) -> Result<Place, Error> {
        let mut body_from_frame = Transform::identity();
        let (mut path, mut said_at) = (path.to_string(), said_at);
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
                return Ok(Place { body: self.body(name, said_at)?, body_from_frame });
            };
            body_from_frame = frame.placement("translation", "orientation")? * body_from_frame;
            let parent = socket(frame, "parent").unwrap_or_else(|| "..".to_string());
            match body {
                Some(body) if parent == ".." => return Ok(Place { body, body_from_frame }),
                _ => (path, said_at) = (parent, frame),
            }
        }
        Err(said_at.refuse(format!("frames stand on each other more than {MAX_FRAMES} deep")))
    }
}

/// What a socket is connected to; early files of version 4 have a longer name for it.
pub(super) fn socket(node: Node, name: &str) -> Option<String> {
    let long = || node.word(&format!("socket_{name}_connectee_name"));
    node.word(&format!("socket_{name}")).or_else(long)
}

fn inertia(node: Node) -> Result<Inertia, Error> {
    let mass = node.number("mass")?.unwrap_or(0.0);
    if mass < 0.0 {
        return Err(node.refuse(format!("found a mass of {mass}, expected zero or more")));
    }
    let six = match node.numbers::<6>("inertia")? {
        Some(six) => six,
        None => {
            let mut six = [0.0; 6];
            for (entry, name) in six.iter_mut().zip(["xx", "yy", "zz", "xy", "xz", "yz"]) {
                *entry = node.number(&format!("inertia_{name}"))?.unwrap_or(0.0);
            }
            six
        }
    };
    let [xx, yy, zz, xy, xz, yz] = six;
    let central = Sym3 { xx, yy, zz, xy, xz, yz };
    Ok(Inertia::about_center(mass, node.vector("mass_center")?, central))
}
