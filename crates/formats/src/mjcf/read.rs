//! Converts the bodies of `worldbody` to links.

use super::chain::{Motion, free_coordinates};
use super::defaults::{ClassIx, Complete, Defaults, Kind, MAIN};
use super::geom::Solids;
use super::joint::ParsedJoint;
use super::mesh::Meshes;
use super::settings::{InertiaFromGeom, Settings};
use super::{geom, include, joint, link, mass};
use crate::error::Error;
use crate::names::{clipped, unique};
use crate::xml::{self, Element, MAX_LINKS, Value, Warnings};
use crate::{Loaded, Warning};
use anthropi_dynamics::joint::{JointKind, MAX_NQ};
use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkHandle, LinkSpec};
use anthropi_dynamics::spatial::{Inertia, Transform};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Reads a figure from the text of an MJCF file; `file` is its name in messages, `base_dir` the folder of included files.
///
/// # Errors
/// Text that is not XML, and invalid elements, with file, line and column; an `include` without a `base_dir`.
pub fn read(text: &str, file: &str, base_dir: Option<&Path>) -> Result<Loaded, Error> {
    let mut model = xml::parse(text, file, &["mujoco"])?;
    include::expand(&mut model, base_dir)?;
    let mut warnings = Warnings::default();
    let settings = Settings::new(&model, &mut warnings)?;
    let defaults = Defaults::new(&model)?;
    let mut walk = Walk {
        names: Names::new(&model)?,
        settings: &settings,
        defaults: &defaults,
        meshes: Meshes::new(&model, base_dir, &defaults, &settings)?,
        parts: Vec::new(),
        missing: None,
        wanted: link::referenced_sites(&model).map(Value::text).collect(),
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
    let more = missing.map_or(String::new(), |label| format!("; the mass of {label} is unknown"));
    let element = |joint: &str| parts.iter().find(|p| p.joint.name == joint).map(|p| p.joint_element);
    let figure = xml::build(builder, file, &more, element, &mut warnings)?;
    Ok(Loaded { figure, warnings: warnings.finish() })
}

/// Most joints of one body; MuJoCo takes six degrees of freedom.
const MAX_JOINTS: usize = 16;

/// A link to build, with its joint.
pub(super) struct Part<'a> {
    pub link: LinkSpec,
    pub joint: JointSpec,
    pub parent: Option<usize>,
    /// reference pose
    pub world_from_link: Transform,
    pub body: &'a Element,
    /// the body itself where the file has no joint element
    pub joint_element: &'a Element,
}

/// A site referenced by a constraint.
pub(super) struct Site {
    /// index of its link; `None` is the world
    pub part: Option<usize>,
    pub link_from_site: Transform,
}

/// A child of a body, with the frame elements around it resolved.
struct Inside<'a> {
    element: &'a Element,
    /// placement by the frame elements
    frame: Transform,
    class: ClassIx,
}

struct Walk<'a> {
    names: Names,
    settings: &'a Settings,
    defaults: &'a Defaults<'a>,
    meshes: Meshes<'a>,
    parts: Vec<Part<'a>>,
    /// the first solid of unknown mass
    missing: Option<String>,
    /// names of sites referenced by constraints
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
                    "body" => open.push((inside, None)),
                    "geom" => self.warnings.leave_out("geom of the world"),
                    "site" => self.site(&inside, None)?,
                    _ => self.note_child(inside.element),
                }
            }
        }
        // depth first, in the order of the file
        open.reverse();
        while let Some((body, parent)) = open.pop() {
            let below = self.read_body(body, parent)?;
            let at = self.parts.len() - 1;
            open.extend(below.into_iter().rev().map(|body| (body, Some(at))));
            if let Some(part) = self.parts.get(MAX_LINKS) {
                return Err(part.body.refuse(format!("more than {MAX_LINKS} links")));
            }
        }
        Ok(())
    }

    /// Children of an element, including those inside frames, in file order.
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

    /// Adds the links of a body; returns its child bodies.
    fn read_body(&mut self, body: Inside<'a>, parent: Option<usize>) -> Result<Vec<Inside<'a>>, Error> {
        let element = body.element;
        let class = self.defaults.class(element, "childclass", body.class)?;
        let pose = body.frame * self.settings.placement(element)?;
        let name = self.names.body(element);
        let (mut joints, mut solids, mut bodies) = (Vec::new(), Solids::default(), Vec::new());
        let mut sites = Vec::new();
        let mut inertial = None;
        for inside in self.inside(element, class)? {
            let Inside { element: child, frame, class } = inside;
            match child.name.as_str() {
                "body" => bodies.push(inside),
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
                    let label = format!("mesh \"{}\" ({why})", clipped(&geom.mesh));
                    self.warn_of_missing_mass(body, label, "the mass of meshes is unknown");
                }
            }
        }
        for name in &solids.without_mass {
            let what = "the mass of height fields and of primitives fitted to meshes is unknown";
            self.warn_of_missing_mass(body, format!("geom \"{name}\""), what);
        }
        Ok(sum)
    }

    fn warn_of_missing_mass(&mut self, body: &Element, label: String, what: &str) {
        self.missing.get_or_insert_with(|| label.clone());
        self.warnings.group_label(Some(body.place), label, what);
    }

    /// Adds one link per joint, the last one for the body; returns its index.
    fn add_body(
        &mut self,
        body: &'a Element,
        pose: Transform,
        parent: Option<usize>,
        spec: LinkSpec,
        joints: &[ParsedJoint<'a>],
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
                    let part = unique(&mut self.names.links, format!("{name}/{joint_name}"));
                    LinkSpec::new(part, Inertia::ZERO)
                }
            };
            let before = if i == 0 { pose } else { Transform::identity() };
            let joint = joint_spec(joint_name, read, before);
            if read.motion == Motion::Free && (parent.is_some() || joints.len() > 1) {
                let what = "a free joint must be the only joint of a top-level body";
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
            let joint_name = unique(&mut self.names.joints, format!("{name}_fixed"));
            let mut joint = JointSpec::new(joint_name, JointKind::Fixed);
            joint.parent_from_joint = pose;
            self.parts.push(Part { link, joint, parent, world_from_link, body, joint_element: body });
        }
        Ok(self.parts.len() - 1)
    }

    /// Scales the masses to the compiler's `settotalmass`.
    fn set_total_mass(&mut self) {
        let sum: f64 = self.parts.iter().map(|p| p.link.inertia.mass).sum();
        if let Some(total) = self.settings.total_mass
            && sum > 0.0
        {
            self.parts.iter_mut().for_each(|p| p.link.inertia = p.link.inertia.scaled(1.0, total / sum));
        }
    }

    /// Keeps a site referenced by a constraint.
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
            Some(_) => Err(name.wrong("a unique name; this one is used above")),
        }
    }

    fn note_child(&mut self, child: &Element) {
        match child.name.as_str() {
            "replicate" | "composite" | "flexcomp" | "attach" => {
                let what = format!("{} is not supported: the bodies it generates are missing", child.name);
                self.warnings.group(child, &what);
            }
            other => self.warnings.leave_out(other),
        }
    }
}

/// The joint with its frames: the body's pose `before` it, its anchor on both sides.
fn joint_spec(name: String, read: &ParsedJoint, before: Transform) -> JointSpec {
    let mut spec = JointSpec::new(name, read.motion.kind());
    spec.dof = [read.dof; 3];
    if read.motion == Motion::Free {
        spec.home = Some(free_coordinates(&before));
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

/// Names in use, so that generated ones are unique.
#[derive(Default)]
struct Names {
    links: HashSet<String>,
    joints: HashSet<String>,
    unnamed: usize,
}

impl Names {
    fn new(model: &Element) -> Result<Names, Error> {
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
                return Err(name.wrong("a unique name; this one is used above"));
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
            None => unique(&mut self.joints, format!("{body}_joint")),
        }
    }
}

fn add_parts(builder: &mut FigureBuilder, parts: &[Part]) -> Result<Vec<LinkHandle>, Error> {
    let mut handles: Vec<LinkHandle> = Vec::with_capacity(parts.len());
    for part in parts {
        let joint = JointSpec { parent: part.parent.map(|p| handles[p]), ..part.joint.clone() };
        let added = builder.add(part.link.clone(), joint);
        handles.push(added.map_err(|e| xml::locate(e, part.body, part.joint_element))?);
    }
    Ok(handles)
}

/// Sections that are irrelevant to a figure, or already read.
const KNOWN: [&str; 9] =
    ["compiler", "option", "size", "statistic", "visual", "asset", "default", "worldbody", "equality"];

fn note_sections(model: &Element, warnings: &mut Warnings) {
    for section in &model.children {
        if !KNOWN.contains(&section.name.as_str()) && section.name != "actuator" {
            warnings.leave_out(&section.name);
        }
    }
    if model.child("worldbody").is_none() {
        warnings.push(Warning::new("no worldbody: the figure is empty"));
    }
}
