//! The library: built-in items to open by name, and endless walks.

use crate::gait::GaitCommand;
use crate::simulator::{Simulator, WalkSimulator};
use crate::{Error, Session, file, motions};
use anthropi_app::builtin;
use anthropi_app::resolve::ItemKind;
use serde::Serialize;
use std::sync::Arc;
#[cfg(test)]
use ts_rs::TS;

/// Group of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(TS))]
#[allow(missing_docs)]
pub enum Group {
    EndlessWalk,
    Scene,
    Motion,
    Filter,
    Walk,
    Figure,
}

/// An item of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Item {
    /// where it is listed
    pub group: Group,
    /// unique in the library
    pub name: &'static str,
    /// earlier name, in addresses and replays
    pub alias: Option<&'static str>,
    /// one-line summary
    pub what: &'static str,
}

/// Walks on slopes and stairs: the on-line filter supports level ground only.
const NOT_LEVEL: [&str; 2] = ["walk-stairs", "walk-hill"];

/// Endless walks and their figures.
const ENDLESS_WALKS: [(Item, &str); 2] = [
    (
        Item {
            group: Group::EndlessWalk,
            name: "endless-walk",
            alias: Some("stroll"),
            what: "walks on and on: change its speed, style and direction, and push it",
        },
        "anthropi-42",
    ),
    (
        Item {
            group: Group::EndlessWalk,
            name: "endless-walk-28",
            alias: Some("stroll-28"),
            what: "the same with a simpler figure",
        },
        "human-28",
    ),
];

/// All items, endless walks first.
pub fn items() -> Vec<Item> {
    let groups = [
        (Group::Scene, ItemKind::Scene),
        (Group::Motion, ItemKind::Motion),
        (Group::Filter, ItemKind::FilterScene),
        (Group::Walk, ItemKind::Walk),
        (Group::Figure, ItemKind::Figure),
    ];
    let built_in = groups.into_iter().flat_map(|(group, kind)| {
        let level = builtin::all(kind).iter().filter(|b| !NOT_LEVEL.contains(&b.name));
        level.map(move |b| Item { group, name: b.name, alias: None, what: b.what })
    });
    ENDLESS_WALKS.iter().map(|(item, _)| *item).chain(built_in).collect()
}

/// The item of a name or an earlier name.
pub fn find(name: &str) -> Option<Item> {
    items().into_iter().find(|item| item.name == name || item.alias == Some(name))
}

/// Opens an item by its name.
///
/// # Errors
/// An unknown name; an item that cannot be simulated.
pub fn open(name: &str) -> Result<Session, Error> {
    let unknown = || Error(format!("there is no scene, motion, walk or figure `{name}`"));
    let name = find(name).map_or(name, |item| item.name);
    if let Some((item, figure)) = ENDLESS_WALKS.iter().find(|(item, _)| item.name == name) {
        let figure = Arc::new(motions::floating_figure(figure, None, None)?);
        let simulator = WalkSimulator::new(&figure, GaitCommand::default())?;
        return Ok(Session::new(item.name, Simulator::Walk(Box::new(simulator))));
    }
    let kind = builtin::kind(name).ok_or_else(unknown)?;
    if kind == ItemKind::Figure {
        let scene = format!(
            "name = \"{name}\"\ncontact = true\n[[figure]]\nuse = \"{name}\"\n[[ground]]\nkind = \"plane\"\n"
        );
        return file::open_text(ItemKind::Scene, name, &scene);
    }
    let item = builtin::find(kind, name).ok_or_else(unknown)?;
    file::open_text(kind, name, item.text)
}
