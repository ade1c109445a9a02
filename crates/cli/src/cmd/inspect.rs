//! `inspect`: describe a figure, scene, motion or walk.

mod contact;
mod filter_scene;
mod motion;
mod walk;

use super::Outcome;
use crate::args::InspectArgs;
use crate::ledger::Ledger;
use crate::source::{self, Subject};
use crate::{motions, report};
use anthropi_app::resolve::{self, ItemKind};
use anthropi_app::scene::SceneWalk;
use anthropi_dynamics::constraint::Closure;
use anthropi_dynamics::joint::{Dof, JointKind, MAX_DOF, Range};
use anthropi_dynamics::model::{Figure, Joint, Link, LinkHandle};
use anthropi_dynamics::sim::{Event, Trigger};
use anthropi_formats::names::counted;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Runs the command.
pub fn run(args: &InspectArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let name = &args.figure.figure;
    let kind = resolve::kind(name)?;
    if kind == Some(ItemKind::Motion) {
        source::refuse_figure_options(&args.figure, "a motion")?;
        let motion = resolve::motion(name, &args.motion.options()).map_err(motions::in_options)?;
        motion::print(&motion, as_json)?;
        return Ok(Outcome::Fine);
    }
    motions::refuse_options(&args.motion.options(), name)?;
    match kind {
        Some(ItemKind::FilterScene) => {
            filter_scene::print(&args.figure, &resolve::filter_scene(name)?, as_json)?;
        }
        Some(ItemKind::Walk) => walk::print(&args.figure, resolve::walk(name)?, as_json)?,
        _ => {
            let subject = source::subject(&args.figure).map_err(motions::or_motions)?;
            let coordinates = Coordinates::new(&subject)?;
            report::show(as_json, || to_json(&subject, &coordinates), || to_text(&subject, &coordinates))?;
        }
    }
    Ok(Outcome::Fine)
}

/// Coordinate counts, and the generalized coordinates at the start.
struct Coordinates {
    ledger: Ledger,
    /// rank of the loop Jacobian [NY2000 §II-B]
    rank: usize,
    generalized: Vec<String>,
}

impl Coordinates {
    fn new(subject: &Subject) -> anyhow::Result<Coordinates> {
        let (figure, start) = (&subject.figure, &subject.start);
        let ledger = Ledger::new(figure, subject.scene.as_ref().map_or(&[][..], |s| &s.environment));
        if figure.forest().loops().is_empty() {
            return Ok(Coordinates { ledger, rank: 0, generalized: figure.dof_names() });
        }
        let (mut closure, names) = (Closure::default(), figure.coordinate_names());
        closure.compute(figure, &start.q, &start.v, &figure.is_driven(), &[])?;
        let generalized = closure.generalized().iter().map(|c| names[*c].clone()).collect();
        Ok(Coordinates { ledger, rank: closure.rank(), generalized })
    }
}

fn to_json(subject: &Subject, coordinates: &Coordinates) -> Value {
    let figure = &subject.figure;
    let warnings: Vec<String> = subject.warnings.iter().map(ToString::to_string).collect();
    let kind = if subject.scene.is_some() { "scene" } else { "figure" };
    json!({
        "kind": kind,
        "what": subject.scene.as_ref().map(|s| &s.what),
        "name": figure.name,
        "mass_kg": figure.mass(),
        "stature_m": figure.stature,
        "gravity": figure.gravity().to_array(),
        "links": figure.links().map(|(_, l)| link_json(figure, l)).collect::<Vec<_>>(),
        "joints": figure.links().map(|(_, l)| joint_json(figure, l)).collect::<Vec<_>>(),
        "connections": figure.connections().map(|(_, l, j)| connection_json(figure, l, j)).collect::<Vec<_>>(),
        "coordinates": coordinates_json(coordinates),
        "controls": subject.scene.as_ref().map(|s| s.controls.iter().map(|(c, _)| c.name.clone()).collect::<Vec<_>>()),
        "events": subject.scene.as_ref().map(|s| s.events.iter().map(event_json).collect::<Vec<_>>()),
        "contact": subject.scene.as_ref().and_then(|s| s.world.as_ref()).map(|w| contact::to_json(w, figure)),
        "walk": subject.scene.as_ref().and_then(|s| s.walk.as_ref()).map(walk_json),
        "warnings": warnings,
    })
}

fn walk_json(walk: &SceneWalk) -> Value {
    let p = &walk.parameters;
    json!({
        "figure": walk.figure,
        "steps": walk.steps,
        "speed_m_s": p.speed,
        "step_length_m": p.length,
        "step_frequency_hz": p.frequency,
        "distance_m": walk.distance(),
        "duration_s": walk.driver.duration(),
    })
}

fn event_json(event: &Event) -> Value {
    match &event.when {
        Trigger::At(t) => json!({ "what": event.what, "at": t }),
        Trigger::Signal(name) => json!({ "what": event.what, "signal": name }),
        Trigger::Leaves { .. } | Trigger::Exceeds { .. } => json!({ "what": event.what }),
    }
}

fn coordinates_json(coordinates: &Coordinates) -> Value {
    let ledger = coordinates.ledger;
    json!({
        "tree": ledger.tree(),
        "connections": ledger.connections,
        "total": ledger.total(),
        "rank": coordinates.rank,
        "free": coordinates.generalized.len(),
        "generalized": coordinates.generalized,
        "ledger": ledger,
    })
}

fn link_json(figure: &Figure, link: &Link) -> Value {
    let parent = link.parent().map(|p| link_name(figure, p));
    json!({ "name": link.spec.name, "parent": parent, "mass_kg": link.spec.inertia.mass })
}

fn joint_json(figure: &Figure, link: &Link) -> Value {
    let joint = joint_of(figure, link);
    let dofs = &joint.dof[..own_dofs(joint)];
    // JSON turns infinite limits into null
    let range = |r: Range| json!([r.lower, r.upper]);
    json!({
        "name": joint.name,
        "type": joint.kind.name(),
        "dof": joint.coordinates().nv(),
        "parent": link.parent().map(|p| link_name(figure, p)),
        "child": link.spec.name,
        "actuated": joint.actuated,
        "range": dofs.iter().map(|d| d.range.map_or(Value::Null, range)).collect::<Vec<_>>(),
        "locked": dofs.iter().map(|d| d.locked).collect::<Vec<_>>(),
    })
}

fn connection_json(figure: &Figure, link: &Link, joint: &Joint) -> Value {
    json!({
        "name": joint.name,
        "type": joint.kind.name(),
        "dof": joint.coordinates().nv(),
        "a": link.real().map(|r| link_name(figure, r)),
        "b": link.parent().map(|p| link_name(figure, p)),
    })
}

fn to_text(subject: &Subject, coordinates: &Coordinates) -> String {
    let figure = &subject.figure;
    let mut text = subject.scene.as_ref().map_or(String::new(), |s| format!("scene: {}\n", s.what));
    let (links, joints) =
        (figure.links().count(), figure.joints().filter(|(_, j)| j.kind != JointKind::Fixed).count());
    let stature = figure.stature.map_or(String::new(), |s| format!(", {s:.3} m"));
    let _ = writeln!(
        text,
        "{}: {}, {}, {:.3} kg{stature}\n",
        figure.name,
        counted(links, "link"),
        counted(joints, "moving joint"),
        figure.mass()
    );
    tree(figure, &mut text);
    for (_, link, joint) in figure.connections() {
        let name = |h: Option<LinkHandle>| h.map_or("the world", |h| link_name(figure, h));
        let (a, b) = (name(link.real()), name(link.parent()));
        let _ = writeln!(text, "connection {}: {a} to {b}, {}", joint.name, joint.kind.name());
    }
    for event in subject.scene.iter().flat_map(|s| &s.events) {
        let when = match &event.when {
            Trigger::At(t) => format!("at {t} s"),
            Trigger::Signal(name) => format!("on signal {name}"),
            Trigger::Leaves { .. } => "when a link leaves a region".into(),
            Trigger::Exceeds { connection, .. } => {
                format!("when the force of {connection} exceeds its limit")
            }
        };
        let _ = writeln!(text, "event {when}: {}", event.what);
    }
    if let Some(world) = subject.scene.as_ref().and_then(|s| s.world.as_ref()) {
        text.push_str(&contact::to_text(world, figure));
    }
    if let Some(walk) = subject.scene.as_ref().and_then(|s| s.walk.as_ref()) {
        let (figure, p) = (if walk.figure.is_empty() { "figure" } else { &walk.figure }, &walk.parameters);
        let _ = writeln!(
            text,
            "the {figure} walks {} from rest to rest, {:.2} m in {:.2} s, at {:.2} m/s with steps of {:.3} m, {:.3} per second",
            counted(walk.steps, "step"),
            walk.distance(),
            walk.driver.duration(),
            p.speed,
            p.length,
            p.frequency,
        );
    }
    let _ = writeln!(text, "\n{}", coordinates.ledger.to_text());
    let _ = writeln!(text, "degrees of freedom at the start: {}", coordinates.generalized.len());
    text
}

/// The links as a tree, each with its joint.
fn tree(figure: &Figure, text: &mut String) {
    let mut children: BTreeMap<Option<LinkHandle>, Vec<(LinkHandle, &Link)>> = BTreeMap::new();
    for (handle, link) in figure.links() {
        children.entry(link.parent()).or_default().push((handle, link));
    }
    text.push_str("world\n");
    let mut pending = branches(&children, None, "");
    while let Some((handle, link, branch, indent)) = pending.pop() {
        let _ = writeln!(text, "{branch}{}", describe(figure, link));
        pending.extend(branches(&children, Some(handle), &indent));
    }
}

/// A link with its handle, the prefix of its line and that of its children.
type Branch<'a> = (LinkHandle, &'a Link, String, String);

/// Children of a link, last first.
fn branches<'a>(
    children: &BTreeMap<Option<LinkHandle>, Vec<(LinkHandle, &'a Link)>>,
    parent: Option<LinkHandle>,
    indent: &str,
) -> Vec<Branch<'a>> {
    let own = children.get(&parent).map_or(&[][..], |c| c);
    let branch = |(i, &(handle, link)): (usize, &(LinkHandle, &'a Link))| {
        let (branch, below) = if i == 0 { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        (handle, link, format!("{indent}{branch}"), format!("{indent}{below}"))
    };
    own.iter().rev().enumerate().map(branch).collect()
}

fn describe(figure: &Figure, link: &Link) -> String {
    let joint = joint_of(figure, link);
    let mut text = format!(
        "{}  {:.3} kg  joint {}: {}",
        link.spec.name,
        link.spec.inertia.mass,
        joint.name,
        joint.kind.name()
    );
    let dofs = joint.coordinates().nv();
    if dofs > 1 {
        let _ = write!(text, ", {dofs} dofs");
    }
    let slides = matches!(joint.kind, JointKind::Prismatic { .. });
    joint.dof[..own_dofs(joint)].iter().for_each(|d| text.push_str(&limits(d, slides)));
    if !joint.actuated && !matches!(joint.kind, JointKind::Fixed | JointKind::Free) {
        text.push_str(", not actuated");
    }
    text
}

fn limits(d: &Dof, slides: bool) -> String {
    match d.range {
        _ if d.locked => " [locked]".into(),
        Some(r) if slides => format!(" [{:.3} to {:.3} m]", r.lower, r.upper),
        Some(r) => format!(" [{:.0} to {:.0} deg]", r.lower.to_degrees(), r.upper.to_degrees()),
        None => String::new(),
    }
}

/// Degrees of freedom with properties: none for a free joint.
fn own_dofs(joint: &Joint) -> usize {
    if joint.kind == JointKind::Free { 0 } else { joint.kind.nv().min(MAX_DOF) }
}

fn joint_of<'a>(figure: &'a Figure, link: &Link) -> &'a Joint {
    figure.joint(link.joint()).expect("the joint of a link of this figure")
}

fn link_name(figure: &Figure, link: LinkHandle) -> &str {
    &figure.link(link).expect("a link of this figure").spec.name
}
