//! What touches what in a scene: scenery, materials of links, and which links do not, or do, meet.

use super::figures::Cast;
use super::{ground, material, names};
use crate::error::{Error, Warning};
use crate::fields::{Field, Table};
use anthropi_dynamics::contact::{MaterialIx, Overlap, World};
use anthropi_dynamics::model::LinkHandle;

/// Keys of a figure that are about contact.
pub const KEYS: [&str; 3] = ["material", "materials", "collide"];
/// Tables of a scene that turn contact on.
const TABLES: [&str; 4] = ["ground", "material", "pair", "collide"];

/// Overlaps up to this are put down to rounding in the file, m.
const SLIGHT: f64 = 1e-4;

#[derive(Clone, Copy, PartialEq)]
enum Collide {
    All,
    Ground,
    None,
}

const COLLIDE: [(&str, Collide); 3] =
    [("all", Collide::All), ("ground", Collide::Ground), ("none", Collide::None)];

/// Everything about contact; `None` where nothing touches.
pub fn read(root: &Table, cast: &mut Cast) -> Result<Option<World>, Error> {
    let asked = root.get("contact").map(|f| f.bool()).transpose()?;
    let materials = material::read(root)?;
    let scenery = ground::read(root, &cast.figure, &materials)?;
    let mut world = World { materials, scenery, ..World::default() };
    let mut surplus = None;
    for (i, field) in super::entries(root.get("figure"))?.iter().enumerate() {
        let table = field.table(format!("figure {}", i + 1))?;
        let table = match table.get("name").map_or(Ok(""), |f| f.string())? {
            "" => table,
            name => table.known_as(format!("figure `{name}`")),
        };
        figure(&table, &cast.members[i], &mut world)?;
        surplus = surplus.or(KEYS.iter().find_map(|key| table.get(key)));
    }
    for (i, field) in super::entries(root.get("collide"))?.iter().enumerate() {
        collide(field, i, cast, &mut world)?;
    }
    let is_on = asked.unwrap_or(TABLES.iter().any(|key| root.get(key).is_some()));
    if let (None, false, Some(field)) = (asked, is_on, surplus) {
        let what = format!("{} does nothing: there is no [[ground]] and no `contact = true`", field.called);
        cast.warnings.push(Warning { place: Some(field.place()), what });
    }
    Ok(is_on.then_some(world))
}

/// A link of a figure: its name there, and its handle in the scene.
pub type Member = (String, LinkHandle);

fn figure(table: &Table, links: &[Member], world: &mut World) -> Result<(), Error> {
    if let Some(field) = table.get("material") {
        let material = material::find(&world.materials, &field)?;
        world.link_materials.extend(links.iter().map(|(_, link)| (*link, material)));
    }
    if let Some(field) = table.get("materials") {
        let below = field.table(field.called.clone())?;
        let known: Vec<&str> = links.iter().map(|(name, _)| name.as_str()).collect();
        below.allow(&[&known])?;
        for (name, link) in links {
            let given = below.get(name).map(|f| material::find(&world.materials, &f)).transpose()?;
            world.link_materials.extend(given.map(|m: MaterialIx| (*link, m)));
        }
    }
    let Some(field) = table.get("collide") else { return Ok(()) };
    let links = links.iter().map(|(_, link)| *link);
    match field.word(&COLLIDE)? {
        Collide::All => {}
        Collide::Ground => world.not_self.extend(links),
        Collide::None => world.ghosts.extend(links),
    }
    Ok(())
}

fn collide(field: &Field, index: usize, cast: &Cast, world: &mut World) -> Result<(), Error> {
    let table = field.table(format!("collide {}", index + 1))?;
    table.allow(&[&["a", "b", "touch"]])?;
    let a = names::link(&cast.figure, &table.require("a", "the name of a link")?)?;
    let other = table.require("b", "the name of another link")?;
    let b = names::link(&cast.figure, &other)?;
    if a == b {
        return Err(other.wrong("is the same link as `a`"));
    }
    let is = |p: &(LinkHandle, LinkHandle)| *p == (a, b) || *p == (b, a);
    if world.together.iter().chain(&world.apart).any(is) {
        return Err(table.wrong("says about two links what another [[collide]] says already"));
    }
    let list = match table.require("touch", "true or false")?.bool()? {
        true => &mut world.together,
        false => &mut world.apart,
    };
    list.push((a, b));
    Ok(())
}

/// Says which shapes overlap at the start, where that is more than rounding.
pub fn warnings(overlaps: &[Overlap]) -> Vec<Warning> {
    let deep = overlaps.iter().filter(|o| o.depth > SLIGHT);
    deep.map(|o| {
        let what = format!(
            "`{}` begins {} mm inside `{}`: they are moved apart gently",
            o.a,
            millimetres(o.depth),
            o.b
        );
        Warning { place: None, what }
    })
    .collect()
}

/// With two digits that count.
fn millimetres(metres: f64) -> String {
    let mm = 1e3 * metres;
    let digits = usize::from(mm < 9.95) + usize::from(mm < 0.995);
    format!("{mm:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_deep_overlaps_are_told() {
        let of = |depth| Overlap { a: "left_foot".into(), b: "floor".into(), depth };
        let told: Vec<String> = warnings(&[of(0.012), of(0.5e-4), of(1.5e-3), of(2.4e-4)])
            .iter()
            .map(|w| w.what.clone())
            .collect();
        assert_eq!(told[0], "`left_foot` begins 12 mm inside `floor`: they are moved apart gently");
        assert!(told[1].contains(" 1.5 mm ") && told[2].contains(" 0.24 mm "), "{told:?}");
        assert_eq!(told.len(), 3);
    }
}
