//! Figures of a scene: read, posed and merged into one.

use super::control::Springs;
use super::touch::{self, Member};
use super::{inline, names, pose};
use crate::builtin;
use crate::resolve::ItemKind;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{
    Figure, FigureBuilder, Joint, JointHandle, JointSpec, LinkHandle, LinkSpec, State,
};
use anthropi_dynamics::spatial::Transform;
use anthropi_formats::fields::{Field, Source, Table};
use anthropi_formats::figure::joint::{DOF_KEYS, JOINT_KEYS, joint};
use anthropi_formats::figure::placement::{ON_CHILD, ON_PARENT, placement};
use anthropi_formats::{Error, Warning};
use anthropi_formats::{Loaded, load};
use std::path::Path;

/// All figures merged into one, at their start.
pub struct Assembly {
    /// the merged figure
    pub figure: Figure,
    /// start state
    pub state: State,
    /// joints of bodies with role `environment`
    pub environment: Vec<JointHandle>,
    /// joints of figures
    pub own: Vec<JointHandle>,
    /// links of each figure
    pub members: Vec<Vec<Member>>,
    /// warnings of the readers
    pub warnings: Vec<Warning>,
    parts: Vec<Part>,
    springs: Vec<Springs>,
}

/// One `[[figure]]` of the scene.
struct Part {
    prefix: String,
    is_environment: bool,
    world_from_figure: Transform,
    figure: Figure,
    /// state of the figure by itself
    state: State,
    hang: Option<Hang>,
}

/// Support of a figure that hangs instead of having a base: its link, the joint, and the name of the supporting link.
struct Hang {
    link: LinkHandle,
    joint: JointSpec,
    on: Option<String>,
}

/// Reads all figures of a scene.
pub fn read(
    root: &Table,
    scene: &str,
    source: &Source,
    dir: Option<&Path>,
    springs: Vec<Springs>,
) -> Result<Assembly, Error> {
    let field = root.require("figure", "at least one [[figure]]")?;
    let list = root.entries("figure", super::MAX_ENTRIES)?;
    if list.is_empty() {
        return Err(field.wrong("is empty, expected at least one"));
    }
    let mut warnings = Vec::new();
    let mut parts: Vec<Part> = Vec::new();
    let mut builder = FigureBuilder::new(scene);
    for (i, field) in list.iter().enumerate() {
        let mut reader = Reader { source, dir, index: i, scene, warnings: &mut warnings };
        let part = reader.part(field, &parts, &builder)?;
        add(&mut builder, &part, &springs).map_err(|e| field.wrong(e.to_string()))?;
        parts.push(part);
    }
    let failed = |source_error| Error::Figure { file: source.file.into(), source: source_error };
    let figure = builder.build().map_err(failed)?;
    let mut assembly = Assembly {
        state: State::home(&figure),
        figure,
        environment: Vec::new(),
        own: Vec::new(),
        members: Vec::new(),
        warnings,
        parts: Vec::new(),
        springs,
    };
    parts.iter().try_for_each(|p| assembly.place(p)).map_err(failed)?;
    assembly.parts = parts;
    Ok(assembly)
}

struct Reader<'a> {
    source: &'a Source<'a>,
    dir: Option<&'a Path>,
    index: usize,
    scene: &'a str,
    warnings: &'a mut Vec<Warning>,
}

impl Reader<'_> {
    fn part(&mut self, field: &Field, others: &[Part], builder: &FigureBuilder) -> Result<Part, Error> {
        let table = field.numbered_table("figure", self.index)?;
        let prefix = table.optional("name", Field::string)?.unwrap_or("");
        let keys = ["use", "name", "role", "rigid", "velocity", "hang"];
        table.allow(&[&keys, &pose::KEYS, &inline::KEYS, &touch::KEYS, &ON_PARENT])?;
        let role = table.get("role");
        let is_environment =
            role.map_or(Ok(false), |f| f.word(&[("figure", false), ("environment", true)]))?;
        let is_second = !is_environment && others.iter().any(|p| !p.is_environment);
        if is_second && (prefix.is_empty() || others.iter().any(|p| !p.is_environment && p.prefix.is_empty()))
        {
            table.require("name", "a name for each of several figures")?;
            return Err(table.wrong("each of several figures needs a `name`"));
        }
        let mut figure = self.figure(&table, if prefix.is_empty() { self.scene } else { prefix })?;
        if table.flag("rigid")? {
            figure = figure.rigid();
        }
        let mut state = State::home(&figure);
        for (joint, q) in pose::read(&table, &figure)? {
            state.set_q(&figure, joint, &q).map_err(|e| table.wrong(e.to_string()))?;
        }
        pose::set_velocity(&table, &figure, &mut state)?;
        let hang = table.get("hang").map(|f| self.hang(&f, &mut figure, &mut state, builder)).transpose()?;
        if hang.is_some()
            && let Some(f) = ON_PARENT.iter().find_map(|key| table.get(key))
        {
            return Err(f.wrong("conflicts with `hang`, which places the figure"));
        }
        let world_from_figure = placement(&table, &ON_PARENT)?;
        Ok(Part { prefix: prefix.into(), is_environment, world_from_figure, figure, state, hang })
    }

    fn figure(&mut self, table: &Table, name: &str) -> Result<Figure, Error> {
        let Loaded { figure, warnings } = match (table.get("use"), table.get("link")) {
            (Some(field), None) => self.used(&field)?,
            (None, Some(link)) => inline::read(self.source.text, self.source.file, self.index, name, &link)?,
            (Some(_), Some(link)) => return Err(link.wrong("conflicts with `use`; give one of them")),
            (None, None) => {
                table.require("use", "the name or file of a figure, or tables [[figure.link]]")?;
                return Err(table.wrong("has no links"));
            }
        };
        self.warnings.extend(warnings);
        Ok(figure)
    }

    /// A built-in figure, or one from a file beside the scene.
    fn used(&self, field: &Field) -> Result<Loaded, Error> {
        let given = field.string()?;
        if let Some(loaded) = builtin::figure(given) {
            return loaded;
        }
        let file = self.dir.map(|d| d.join(given)).filter(|_| Path::new(given).extension().is_some());
        match file {
            Some(path) => load::figure(&path),
            None => Err(field.unknown("built-in figure", given, builtin::names(ItemKind::Figure))),
        }
    }

    fn hang(
        &mut self,
        field: &Field,
        figure: &mut Figure,
        state: &mut State,
        builder: &FigureBuilder,
    ) -> Result<Hang, Error> {
        let table = field.table(field.label.clone())?;
        table.allow(&[&["link", "on"], &JOINT_KEYS, &DOF_KEYS, &ON_PARENT, &ON_CHILD])?;
        let name = table.require("name", "a name")?.string()?;
        let joint = joint(&table, name, &ON_PARENT, &ON_CHILD, self.warnings)?;
        let link_field = table.require("link", "the link by which the figure hangs")?;
        let link = names::link(figure, &link_field)?;
        figure.reroot(link, state).map_err(|e| link_field.wrong(e.to_string()))?;
        let on = table.get("on");
        if let Some(f) = &on {
            // the builder cannot be searched: build what is there so far
            let so_far = builder.clone().build().map_err(|e| f.wrong(e.to_string()))?;
            names::link(&so_far, f)?;
        }
        let on = on.map(|f| f.string().map(String::from)).transpose()?;
        Ok(Hang { link, joint, on })
    }
}

/// Adds a figure to the merged one.
fn add(
    builder: &mut FigureBuilder,
    part: &Part,
    springs: &[Springs],
) -> Result<(), anthropi_dynamics::Error> {
    let figure = &part.figure;
    let on = part.hang.as_ref().and_then(|h| h.on.as_ref());
    // the builder cannot be searched: build what is there so far
    let on = on.map(|name| builder.clone().build()?.find_link(name)).transpose()?;
    let mut added: Vec<(LinkHandle, LinkHandle)> = Vec::new();
    let moved = |added: &[(LinkHandle, LinkHandle)], old: Option<LinkHandle>| {
        old.and_then(|p| added.iter().find(|(old, _)| *old == p)).map(|(_, new)| *new)
    };
    for (handle, link) in figure.links() {
        let joint = figure.joint(link.joint())?;
        let mut spec = match &part.hang {
            Some(h) if h.link == handle => {
                JointSpec { parent: on, name: named(&part.prefix, &h.joint.name), ..h.joint.clone() }
            }
            _ => spec_of(joint, part, moved(&added, link.parent())),
        };
        springs.iter().for_each(|s| s.apply(&mut spec));
        let new = LinkSpec { name: named(&part.prefix, &link.spec.name), ..link.spec.clone() };
        added.push((handle, builder.add(new, spec)?));
    }
    for (_, link, joint) in figure.connections() {
        if let Some(real) = moved(&added, link.real()) {
            builder.connect(real, spec_of(joint, part, moved(&added, link.parent())))?;
        }
    }
    Ok(())
}

/// The joint in the merged figure. Joints to the world are placed with their figure.
fn spec_of(joint: &Joint, part: &Part, parent: Option<LinkHandle>) -> JointSpec {
    let parent_from_joint = match (parent, joint.kind) {
        (Some(_), _) => joint.parent_from_joint,
        (None, JointKind::Free) => Transform::identity(), // its own coordinates say where it is
        (None, _) => part.world_from_figure * joint.parent_from_joint,
    };
    JointSpec { name: named(&part.prefix, &joint.name), parent_from_joint, ..JointSpec::like(joint, parent) }
}

/// Name of a link or joint in the scene.
pub fn named(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.into() } else { format!("{prefix}/{name}") }
}

impl Assembly {
    /// Prefix of the names of a figure's links and joints, or empty.
    pub fn prefix(&self, index: usize) -> &str {
        &self.parts[index].prefix
    }

    /// A figure of the scene by itself, with its own names and the springs and gravity of the scene.
    pub fn alone(&self, index: usize) -> Result<Figure, anthropi_dynamics::Error> {
        let part = &self.parts[index];
        let mut builder = FigureBuilder::new(part.figure.name.clone());
        builder.gravity(self.figure.gravity())?;
        part.figure.stature.map(|s| builder.stature(s)).transpose()?;
        let (figure, state) = (part.figure.clone(), part.state.clone());
        let alone = Part { prefix: String::new(), hang: None, figure, state, ..*part };
        add(&mut builder, &alone, &self.springs)?;
        builder.build()
    }

    /// Sets the start state of a figure.
    fn place(&mut self, part: &Part) -> Result<(), anthropi_dynamics::Error> {
        let names = part.figure.links().map(|(_, link)| &link.spec.name);
        let member = |name: &String| {
            self.figure.find_link(&named(&part.prefix, name)).map(|link| (name.clone(), link))
        };
        self.members.push(names.map(member).collect::<Result<_, _>>()?);
        let hung_on = part.hang.as_ref().map(|h| part.figure.link(h.link)).transpose()?.map(|l| l.joint());
        for (old, joint) in part.figure.joints() {
            let is_hung = hung_on == Some(old);
            let name = match (&part.hang, is_hung) {
                (Some(hang), true) => &hang.joint.name,
                _ => &joint.name,
            };
            let new = self.figure.find_joint(&named(&part.prefix, name))?;
            let list = if part.is_environment || is_hung { &mut self.environment } else { &mut self.own };
            list.push(new);
            if is_hung {
                continue; // begins where its joint is at home
            }
            let mut q = part.state.q_of(&part.figure, old)?.to_vec();
            if joint.kind == JointKind::Free {
                let place = part.world_from_figure * joint.parent_from_joint * joint.kind.transform(&q);
                let (p, turn) = (place.translation.to_array(), place.orientation().0);
                q = p.into_iter().chain(turn).collect();
            }
            self.state.set_q(&self.figure, new, &q)?;
            self.state.set_v(&self.figure, new, part.state.v_of(&part.figure, old)?)?;
        }
        Ok(())
    }
}
