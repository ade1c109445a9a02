//! Materials of a scene.

use anthropi_dynamics::contact::{Material, MaterialIx, Materials, Surface};
use anthropi_formats::Error;
use anthropi_formats::fields::{Field, Table};
use anthropi_formats::names::counted;

const NUMBERS: [&str; 3] = ["friction", "restitution", "tangential_restitution"];

/// Largest coefficient of friction.
const MAX_FRICTION: f64 = 1e3;

/// Reads all materials and pairs.
pub fn read(root: &Table) -> Result<Materials, Error> {
    let mut materials = Materials::default();
    let mut named: Vec<&str> = Vec::new();
    for (i, field) in root.entries("material", super::MAX_ENTRIES)?.iter().enumerate() {
        named.push(material(field, i, &named, &mut materials)?);
    }
    let mut pairs = Vec::new();
    for (i, field) in root.entries("pair", super::MAX_ENTRIES)?.iter().enumerate() {
        pairs.push(pair(field, i, &pairs, &mut materials)?);
    }
    Ok(materials)
}

/// The material a field names.
pub fn find(materials: &Materials, field: &Field) -> Result<MaterialIx, Error> {
    let given = field.string()?;
    let all = materials.list().iter().map(|m| m.name.as_str());
    materials.find(given).ok_or_else(|| field.unknown("material", given, all))
}

fn material<'a>(
    field: &Field<'a>,
    index: usize,
    others: &[&str],
    materials: &mut Materials,
) -> Result<&'a str, Error> {
    let table = field.table(format!("material {}", index + 1))?;
    let name_field = table.require("name", "a name")?;
    let name = match name_field.string()? {
        "" => return Err(name_field.wrong("is empty, expected a name")),
        name if others.contains(&name) => {
            return Err(name_field.wrong(format!("there is already a material `{name}`")));
        }
        name => name,
    };
    let table = table.with_label(format!("material `{name}`"));
    table.allow(&[&["name"], &NUMBERS])?;
    let surface = surface(&table, Surface::default())?;
    materials.add(Material { name: name.into(), surface }).map_err(|e| table.wrong(e.to_string()))?;
    Ok(name)
}

fn pair(
    field: &Field,
    index: usize,
    others: &[[MaterialIx; 2]],
    materials: &mut Materials,
) -> Result<[MaterialIx; 2], Error> {
    let table = field.table(format!("pair {}", index + 1))?;
    table.allow(&[&["of"], &NUMBERS])?;
    let of = table.require("of", "the names of two materials")?;
    let list = of.list()?;
    let [a, b] = list.as_slice() else {
        return Err(
            of.wrong(format!("has {}, expected the names of two materials", counted(list.len(), "name")))
        );
    };
    let (a, b) = (find(materials, a)?, find(materials, b)?);
    if others.iter().any(|o| *o == [a, b] || *o == [b, a]) {
        return Err(of.wrong("there is already a pair of these materials"));
    }
    if !NUMBERS.iter().any(|key| table.get(key).is_some()) {
        table.require("friction", "a number, or `restitution` or `tangential_restitution`")?;
    }
    // omitted numbers are the means of the materials
    let surface = surface(&table, materials.between(a, b))?;
    materials.set_pair(a, b, surface).map_err(|e| table.wrong(e.to_string()))?;
    Ok([a, b])
}

/// Numbers of a surface; omitted ones are those of `other`.
fn surface(table: &Table, other: Surface) -> Result<Surface, Error> {
    let mut surface = other;
    if let Some(field) = table.get("friction") {
        [surface.static_friction, surface.dynamic_friction] = friction(&field)?;
    }
    if let Some(field) = table.get("restitution") {
        surface.restitution = field.within([0.0, 1.0])?;
    }
    if let Some(field) = table.get("tangential_restitution") {
        surface.tangential_restitution = field.within([-1.0, 1.0])?;
    }
    Ok(surface)
}

/// One number for both, or `[static, dynamic]`.
fn friction(field: &Field) -> Result<[f64; 2], Error> {
    if !field.is_list() {
        return field.within([0.0, MAX_FRICTION]).map(|mu| [mu, mu]);
    }
    let list = field.list()?;
    let [resting, sliding] = list.as_slice() else {
        let got = counted(list.len(), "number");
        return Err(field.wrong(format!("has {got}, expected one number or [static, dynamic]")));
    };
    let (still, moving) = (resting.within([0.0, MAX_FRICTION])?, sliding.within([0.0, MAX_FRICTION])?);
    if moving > still {
        return Err(sliding.wrong(format!(
            "is {moving} while sliding, expected [static, dynamic] with not more than the static {still}"
        )));
    }
    Ok([still, moving])
}
