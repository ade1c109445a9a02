//! Bodies into links: the walk through `worldbody`.

use super::chain::Motion;
use super::defaults::{ClassIx, Complete, Defaults, Kind, MAIN};
use super::geom::Solids;
use super::mesh::Meshes;
use super::settings::{InertiaFromGeom, Settings};
use super::{geom, include, joint, link, mass};
use crate::error::Error;
use crate::xml::{self, Element, MAX_LINKS, Value, Warnings};
use crate::{Loaded, Warning};
use anthropi_dynamics::joint::{JointKind, MAX_NQ};
use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkHandle, LinkSpec};
use anthropi_dynamics::spatial::{Inertia, Transform};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Reads a figure from the text of an MJCF file; `file` is its name for messages, included files are looked for in
/// `base_dir`.
///
/// # Errors
/// Text that is not XML, and every element that does not fit, with its file, line and column; an `include` when there
/// is no `base_dir`.
pub fn read(text: &str, file: &str, base_dir: Option<&Path>) -> Result<Loaded, Error> {
    let mut model = xml::parse(text, file)?;
    if model.name != "mujoco" {
        return Err(model.refuse("found as the outermost element, expected mujoco"));
    }
    include::expand(&mut model, base_dir)?;
    let mut warnings = Warnings::default();
    let settings = Settings::new(&model, &mut warnings)?;
    let defaults = Defaults::new(&model)?;
    let mut walk = Walk {
        names: Names::of(&model)?,
        settings: &settings,
        defaults: &defaults,
        meshes: Meshes::new(&model, base_dir, &defaults, &settings)?,
        parts: Vec::new(),
        missing: None,
        wanted: link::sites_of(&model).map(Value::text).collect(),
        sites: HashMap::new(),
        warnings,
    };
    walk.read_bodies(&model)?;
    walk.set_total_mass();
    let Walk { mut parts, missing, sites, mut warnings, .. } = walk;
    link::read_actuators(&model, &defaults, &settings, &mut parts, &mut warnings)?;

    let mut builder = FigureBuilder::new(model.text("model").unwrap_or("MuJoCo Model")).lenient();
    builder.gravity(settings.gravity).map_err(|source| Error::Figure { file: file.into(), source })?;
    let handles = add_parts(&mut builder, &parts)?;
    link::read_equality(&model, (&parts, &sites), &handles, &mut builder, &mut warnings)?;
    note_sections(&model, &mut warnings);
    warnings.of_builder(builder.warnings());
    let figure = builder.build().map_err(|source| place_of(file, &parts, missing, source))?;
    Ok(Loaded { figure, warnings: warnings.finish() })
}

/// Most joints of one body; MuJoCo takes six degrees of freedom.
const MAX_JOINTS: usize = 16;

/// A link to be, with the joint it hangs on.
pub(super) struct Part<'a> {
    pub link: LinkSpec,
    pub joint: JointSpec,
    pub parent: Option<usize>,
    /// pose as drawn
    pub world_from_link: Transform,
    pub body: &'a Element,
    /// the body again where the file has no joint element
    pub joint_element: &'a Element,
}

/// A site that a connection speaks of.
pub(super) struct Site {
    /// place of its link; none in the world
    pub part: Option<usize>,
    pub link_from_site: Transform,
}

/// A body to be read.
struct Task<'a> {
    element: &'a Element,
    /// frame elements between its parent and it
    frame: Transform,
    class: ClassIx,
    parent: Option<usize>,
}

/// A child of a body, with the frame elements around it resolved.
struct Inside<'a> {
    element: &'a Element,
    frame: Transform,
    class: ClassIx,
}

struct Walk<'a> {
    names: Names,
    settings: &'a Settings,
    defaults: &'a Defaults<'a>,
    meshes: Meshes<'a>,
    parts: Vec<Part<'a>>,
    /// the first solid whose mass is not known
    missing: Option<String>,
    /// names of sites that connections speak of
    wanted: HashSet<&'a str>,
    sites: HashMap<&'a str, Site>,
    warnings: Warnings,
}

impl<'a> Walk<'a> {
    fn read_bodies(&mut self, model: &'a Element) -> Result<(), Error> {
        let mut open = Vec::new();
        for world in model.named("worldbody") {
            let class = self.defaults.class(world, "childclass", MAIN)?;
            for inside in self.inside(world, class)? {
                match inside.element.name.as_str() {
                    "body" => open.push(inside.body(None)),
                    "geom" => self.warnings.leave_out("geom of the world"),
                    "site" => self.site(&inside, None)?,
                    _ => self.note_child(inside.element),
                }
            }
        }
        // depth first, in the order of the file
        open.reverse();
        while let Some(task) = open.pop() {
            let below = self.read_body(task)?;
            open.extend(below.into_iter().rev());
            if let Some(part) = self.parts.get(MAX_LINKS) {
                return Err(part.body.refuse(format!("more than {MAX_LINKS} links")));
            }
        }
        Ok(())
    }

    /// Children of an element, those inside frames included, in the order of the file.
    fn inside(&self, element: &'a Element, class: ClassIx) -> Result<Vec<Inside<'a>>, Error> {
        let mut list = Vec::new();
        let start = |element, frame, class| Inside { element, frame, class };
        let mut open: Vec<Inside> =
            element.children.iter().rev().map(|c| start(c, Transform::identity(), class)).collect();
        while let Some(next) = open.pop() {
            if next.element.name != "frame" {
                list.push(next);
                continue;
            }
            let frame = next.frame * self.settings.placement(next.element)?;
            let class = self.defaults.class(next.element, "childclass", next.class)?;
            open.extend(next.element.children.iter().rev().map(|c| start(c, frame, class)));
        }
        Ok(list)
    }

    /// Adds the links of a body; returns the bodies inside it.
    fn read_body(&mut self, task: Task<'a>) -> Result<Vec<Task<'a>>, Error> {
        let Task { element, parent, .. } = task;
        let class = self.defaults.class(element, "childclass", task.class)?;
        let pose = task.frame * self.settings.placement(element)?;
        let name = self.names.body(element);
        let (mut joints, mut solids, mut bodies) = (Vec::new(), Solids::default(), Vec::new());
        let mut sites = Vec::new();
        let mut inertial = None;
        for inside in self.inside(element, class)? {
            let Inside { element: child, frame, class } = inside;
            match child.name.as_str() {
                "body" => bodies.push(inside.body(None)),
                "joint" | "freejoint" => {
                    let context = (self.defaults, class);
                    joints.push(joint::read(child, &frame, context, self.settings, &mut self.warnings)?);
                }
                "geom" => {
                    let class = Some(self.defaults.class(child, "class", class)?);
                    let geom = Complete { element: child, defaults: self.defaults, class, kind: Kind::Geom };
                    solids.add(&geom, &frame, self.settings, &mut self.warnings)?;
                }
                "site" => sites.push(inside),
                "inertial" => inertial = Some(frame * mass::inertial(child, self.settings)?),
                _ => self.note_child(child),
            }
        }
        for ignored in ["gravcomp", "mocap"] {
            if element.get(ignored).is_some_and(|v| !matches!(v.text(), "0" | "false")) {
                self.warnings.leave_out(&format!("body {ignored}"));
            }
        }
        if let Some(one_more) = joints.get(MAX_JOINTS) {
            return Err(one_more.element.refuse(format!("more than {MAX_JOINTS} joints in one body")));
        }
        let inertia = self.inertia(element, inertial, &solids)?;
        let spec = LinkSpec { name, inertia, shapes: solids.shapes() };
        let at = self.add_body(element, pose, parent, spec, &joints)?;
        bodies.iter_mut().for_each(|b| b.parent = Some(at));
        sites.iter().try_for_each(|s| self.site(s, Some(at)))?;
        Ok(bodies)
    }

    fn inertia(
        &mut self,
        body: &Element,
        inertial: Option<Inertia>,
        solids: &Solids,
    ) -> Result<Inertia, Error> {
        let given = match (self.settings.inertia_from_geom, inertial) {
            (InertiaFromGeom::No, given) => Some(given.unwrap_or(Inertia::ZERO)),
            (InertiaFromGeom::Auto, given) => given,
            (InertiaFromGeom::Yes, _) => None,
        };
        let inertia = match given {
            Some(given) => given,
            None => self.inertia_of_solids(body, solids)?,
        };
        Ok(mass::adjusted(inertia, self.settings))
    }

    fn inertia_of_solids(&mut self, body: &Element, solids: &Solids) -> Result<Inertia, Error> {
        let mut sum = solids.inertia;
        for geom in &solids.meshes {
            match self.meshes.inertia(&geom.mesh)? {
                Ok(unit) => sum = sum + geom.inertia(unit),
                Err(why) => {
                    let label = format!("mesh \"{}\" ({why})", xml::clipped(&geom.mesh));
                    self.miss(body, label, "the mass of meshes is missing");
                }
            }
        }
        for name in &solids.without_mass {
            let what = "the mass of fields and of solids fitted to meshes is missing";
            self.miss(body, format!("geom \"{name}\""), what);
        }
        Ok(sum)
    }

    fn miss(&mut self, body: &Element, label: String, what: &str) {
        self.missing.get_or_insert_with(|| label.clone());
        self.warnings.gather_label(Some(body.place), label, what);
    }

    /// One link for each joint, the last is the body; returns its place.
    fn add_body(
        &mut self,
        body: &'a Element,
        pose: Transform,
        parent: Option<usize>,
        spec: LinkSpec,
        joints: &[joint::Read<'a>],
    ) -> Result<usize, Error> {
        let world_from_link = parent.map_or(pose, |p| self.parts[p].world_from_link * pose);
        let name = spec.name.clone();
        let mut last = Some(spec);
        let mut above = parent;
        for (i, read) in joints.iter().enumerate() {
            let is_last = i + 1 == joints.len();
            let joint_name = self.names.joint(read.element, &name);
            let link = match last.take() {
                Some(spec) if is_last => spec,
                held => {
                    last = held;
                    LinkSpec::new(self.names.fresh_link(format!("{name}/{joint_name}")), Inertia::ZERO)
                }
            };
            let before = if i == 0 { pose } else { Transform::identity() };
            let joint = joint_spec(joint_name, read, before);
            if read.motion == Motion::Free && (parent.is_some() || joints.len() > 1) {
                let what = "a free joint must be the only joint of a body that is directly in the world";
                return Err(read.element.refuse(what));
            }
            self.parts.push(Part {
                link,
                joint,
                parent: above,
                world_from_link,
                body,
                joint_element: read.element,
            });
            above = Some(self.parts.len() - 1);
        }
        if let Some(link) = last {
            let mut joint = JointSpec::new(self.names.fresh_joint(format!("{name}_fixed")), JointKind::Fixed);
            joint.parent_from_joint = pose;
            self.parts.push(Part { link, joint, parent, world_from_link, body, joint_element: body });
        }
        Ok(self.parts.len() - 1)
    }

    /// Makes the masses add up to what the compiler asks for.
    fn set_total_mass(&mut self) {
        let sum: f64 = self.parts.iter().map(|p| p.link.inertia.mass).sum();
        if let Some(total) = self.settings.total_mass
            && sum > 0.0
        {
            self.parts.iter_mut().for_each(|p| p.link.inertia = p.link.inertia.scaled(1.0, total / sum));
        }
    }

    /// Keeps a site if a connection speaks of it.
    fn site(&mut self, inside: &Inside<'a>, part: Option<usize>) -> Result<(), Error> {
        let element = inside.element;
        let Some(name) = element.get("name").filter(|v| self.wanted.contains(v.text())) else {
            self.note_child(element);
            return Ok(());
        };
        let class = Some(self.defaults.class(element, "class", inside.class)?);
        let site = Complete { element, defaults: self.defaults, class, kind: Kind::Site };
        let link_from_site = inside.frame * geom::placement(&site, self.settings)?;
        match self.sites.insert(name.text(), Site { part, link_from_site }) {
            None => Ok(()),
            Some(_) => Err(name.wrong("a name of its own; there is one like it above")),
        }
    }

    fn note_child(&mut self, child: &Element) {
        match child.name.as_str() {
            "replicate" | "composite" | "flexcomp" | "attach" => {
                let what = format!("{} is not supported: the bodies it makes are missing", child.name);
                self.warnings.gather(child, &what);
            }
            other => self.warnings.leave_out(other),
        }
    }
}

impl<'a> Inside<'a> {
    fn body(&self, parent: Option<usize>) -> Task<'a> {
        Task { element: self.element, frame: self.frame, class: self.class, parent }
    }
}

/// The joint with its frames: its body's pose comes before it, its anchor on both sides.
fn joint_spec(name: String, read: &joint::Read, before: Transform) -> JointSpec {
    let kind = match read.motion {
        Motion::Hinge(axis) => JointKind::Revolute { axis },
        Motion::Slide(axis) => JointKind::Prismatic { axis },
        Motion::Ball => JointKind::Spherical,
        Motion::Free => JointKind::Free,
        Motion::None => JointKind::Fixed,
    };
    let mut spec = JointSpec::new(name, kind);
    spec.dof = [read.dof; 3];
    if kind == JointKind::Free {
        let (p, [w, x, y, z]) = (before.translation, before.orientation().0);
        spec.home = Some([p.x, p.y, p.z, w, x, y, z]);
        return spec;
    }
    let anchor = Transform::translation(read.anchor);
    spec.parent_from_joint = before * anchor * read.motion.at(-read.reference);
    spec.child_from_joint = anchor;
    if read.reference != 0.0 {
        let mut home = [0.0; MAX_NQ];
        home[0] = read.reference;
        spec.home = Some(home);
    }
    spec
}

/// Names that are taken, so that the ones we make up are not.
#[derive(Default)]
struct Names {
    links: HashSet<String>,
    joints: HashSet<String>,
    unnamed: usize,
}

impl Names {
    fn of(model: &Element) -> Result<Names, Error> {
        let mut names = Names::default();
        let mut open: Vec<&Element> = model.named("worldbody").collect();
        open.reverse();
        while let Some(element) = open.pop() {
            open.extend(element.children.iter().rev());
            let set = match element.name.as_str() {
                "body" => &mut names.links,
                "joint" | "freejoint" => &mut names.joints,
                _ => continue,
            };
            if let Some(name) = element.get("name").filter(|v| !v.text().is_empty())
                && !set.insert(name.text().into())
            {
                return Err(name.wrong("a name of its own; there is one like it above"));
            }
        }
        Ok(names)
    }

    fn body(&mut self, element: &Element) -> String {
        if let Some(name) = element.text("name").filter(|n| !n.is_empty()) {
            return name.into();
        }
        loop {
            self.unnamed += 1;
            let name = format!("body{}", self.unnamed);
            if self.links.insert(name.clone()) {
                return name;
            }
        }
    }

    fn joint(&mut self, element: &Element, body: &str) -> String {
        match element.text("name").filter(|n| !n.is_empty()) {
            Some(name) => name.into(),
            None => self.fresh_joint(format!("{body}_joint")),
        }
    }

    fn fresh_joint(&mut self, wish: String) -> String {
        fresh(&mut self.joints, wish)
    }

    fn fresh_link(&mut self, wish: String) -> String {
        fresh(&mut self.links, wish)
    }
}

/// The wish, or the wish with a number where it is taken.
pub(super) fn fresh(taken: &mut HashSet<String>, wish: String) -> String {
    let mut name = wish.clone();
    let mut k = 2;
    while !taken.insert(name.clone()) {
        name = format!("{wish}{k}");
        k += 1;
    }
    name
}

fn add_parts(builder: &mut FigureBuilder, parts: &[Part]) -> Result<Vec<LinkHandle>, Error> {
    let mut handles: Vec<LinkHandle> = Vec::with_capacity(parts.len());
    for part in parts {
        let joint = JointSpec { parent: part.parent.map(|p| handles[p]), ..part.joint.clone() };
        let added = builder.add(part.link.clone(), joint);
        handles.push(added.map_err(|e| xml::blame(e, part.body, part.joint_element))?);
    }
    Ok(handles)
}

/// An error of the whole figure, at the joint it names if there is one; `missing` may be the cause.
fn place_of(file: &str, parts: &[Part], missing: Option<String>, source: anthropi_dynamics::Error) -> Error {
    if let anthropi_dynamics::Error::NoInertia { joint } = &source
        && let Some(part) = parts.iter().find(|p| p.joint.name == *joint)
    {
        return match missing {
            None => part.joint_element.refused(source),
            Some(label) => part.joint_element.refuse(format!("{source}; the mass of {label} is missing")),
        };
    }
    Error::Figure { file: file.into(), source }
}

/// Sections that say nothing about a figure, or that have been read.
const KNOWN: [&str; 9] =
    ["compiler", "option", "size", "statistic", "visual", "asset", "default", "worldbody", "equality"];

fn note_sections(model: &Element, warnings: &mut Warnings) {
    for section in &model.children {
        if !KNOWN.contains(&section.name.as_str()) && section.name != "actuator" {
            warnings.leave_out(&section.name);
        }
    }
    if model.child("worldbody").is_none() {
        warnings.push(Warning { place: None, what: "there is no worldbody, so the figure is empty".into() });
    }
}
