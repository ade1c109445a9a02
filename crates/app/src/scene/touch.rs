//! Contact in a scene: ground, materials of links, and pairs of links with or without contact.

use super::figures::Assembly;
use super::{ground, material, names};
use anthropi_dynamics::contact::{MaterialIx, Overlap, World};
use anthropi_dynamics::model::LinkHandle;
use anthropi_formats::fields::{Field, Table};
use anthropi_formats::{Error, Warning};

/// Contact keys of a figure.
pub const KEYS: [&str; 3] = ["material", "materials", "collide"];
/// Tables that turn contact on.
const TABLES: [&str; 4] = ["ground", "material", "pair", "collide"];

/// Overlaps up to this come from rounding in the file, m.
const SLIGHT: f64 = 1e-4;

#[derive(Clone, Copy, PartialEq)]
enum Collide {
    All,
    Ground,
    None,
}

const COLLIDE: [(&str, Collide); 3] =
    [("all", Collide::All), ("ground", Collide::Ground), ("none", Collide::None)];

/// Reads the contact settings; `None` without contact.
pub fn read(root: &Table, assembly: &mut Assembly) -> Result<Option<World>, Error> {
    let requested = root.optional("contact", Field::bool)?;
    let materials = material::read(root)?;
    let scenery = ground::read(root, &assembly.figure, &materials)?;
    let mut world = World { materials, scenery, ..World::default() };
    let mut surplus = None;
    for (i, field) in root.entries("figure", super::MAX_ENTRIES)?.iter().enumerate() {
        let table = field.numbered_table("figure", i)?;
        figure(&table, &assembly.members[i], &mut world)?;
        surplus = surplus.or(KEYS.iter().find_map(|key| table.get(key)));
    }
    for (i, field) in root.entries("collide", super::MAX_ENTRIES)?.iter().enumerate() {
        collide(field, i, assembly, &mut world)?;
    }
    let is_on = requested.unwrap_or(TABLES.iter().any(|key| root.get(key).is_some()));
    if let (None, false, Some(field)) = (requested, is_on, surplus) {
        let what = format!("{} has no effect without [[ground]] or `contact = true`", field.label);
        assembly.warnings.push(Warning { place: Some(field.place()), ..Warning::new(what) });
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
        let below = field.table(field.label.clone())?;
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

fn collide(field: &Field, index: usize, assembly: &Assembly, world: &mut World) -> Result<(), Error> {
    let table = field.table(format!("collide {}", index + 1))?;
    table.allow(&[&["a", "b", "touch"]])?;
    let a = names::link(&assembly.figure, &table.require("a", "the name of a link")?)?;
    let other = table.require("b", "the name of another link")?;
    let b = names::link(&assembly.figure, &other)?;
    if a == b {
        return Err(other.wrong("is the same link as `a`"));
    }
    let is = |p: &(LinkHandle, LinkHandle)| *p == (a, b) || *p == (b, a);
    if world.together.iter().chain(&world.apart).any(is) {
        return Err(table.wrong("repeats a pair of another [[collide]]"));
    }
    let list = match table.require("touch", "true or false")?.bool()? {
        true => &mut world.together,
        false => &mut world.apart,
    };
    list.push((a, b));
    Ok(())
}

/// Warnings about shapes that overlap by more than rounding.
pub fn warnings(overlaps: &[Overlap]) -> Vec<Warning> {
    let deep = overlaps.iter().filter(|o| o.depth > SLIGHT);
    deep.map(|o| {
        let what = format!(
            "`{}` starts {} mm inside `{}`; they are separated gradually",
            o.a,
            millimetres(o.depth),
            o.b
        );
        Warning::new(what)
    })
    .collect()
}

/// Millimetres with two significant digits.
fn millimetres(metres: f64) -> String {
    let mm = 1e3 * metres;
    let digits = usize::from(mm < 9.95) + usize::from(mm < 0.995);
    format!("{mm:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_deep_overlaps_are_reported() {
        let of = |depth| Overlap { a: "left_foot".into(), b: "floor".into(), depth };
        let texts: Vec<String> = warnings(&[of(0.012), of(0.5e-4), of(1.5e-3), of(2.4e-4)])
            .iter()
            .map(|w| w.what.clone())
            .collect();
        assert_eq!(texts[0], "`left_foot` starts 12 mm inside `floor`; they are separated gradually");
        assert!(texts[1].contains(" 1.5 mm ") && texts[2].contains(" 0.24 mm "), "{texts:?}");
        assert_eq!(texts.len(), 3);
    }
}
