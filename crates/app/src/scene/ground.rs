//! Static ground of a scene: planes, solids, stairs and height fields.

use super::material;
use anthropi_dynamics::contact::{HeightField, Materials, Scenery, SceneryShape};
use anthropi_dynamics::model::{Figure, Shape};
use anthropi_dynamics::spatial::{RotationOrder, Transform, vec3};
use anthropi_formats::Error;
use anthropi_formats::fields::{Field, Table};
use anthropi_formats::figure::placement::{ON_PARENT, placement};
use anthropi_formats::figure::shape::{self, solid};
use anthropi_formats::names::counted;

/// Most steps of a flight of stairs.
const MAX_STAIRS: f64 = 4096.0;
/// Steepest plane, degrees.
const MAX_SLOPE_DEG: f64 = 90.0;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plane,
    Solid(shape::Kind),
    Stairs,
    Heights,
}

const KINDS: [(&str, Kind); 7] = [
    ("plane", Kind::Plane),
    ("box", Kind::Solid(shape::Kind::Box)),
    ("sphere", Kind::Solid(shape::Kind::Sphere)),
    ("capsule", Kind::Solid(shape::Kind::Capsule)),
    ("cylinder", Kind::Solid(shape::Kind::Cylinder)),
    ("stairs", Kind::Stairs),
    ("heights", Kind::Heights),
];

/// Reads all ground. Names are unique among ground and links.
pub fn read(root: &Table, figure: &Figure, materials: &Materials) -> Result<Vec<Scenery>, Error> {
    let mut all = Vec::new();
    for (i, field) in root.entries("ground", super::MAX_ENTRIES)?.iter().enumerate() {
        one(field, i, figure, materials, &mut all)?;
    }
    Ok(all)
}

fn one(
    field: &Field,
    index: usize,
    figure: &Figure,
    materials: &Materials,
    all: &mut Vec<Scenery>,
) -> Result<(), Error> {
    let name_field = field.table(format!("ground {}", index + 1))?.get("name");
    let table = field.numbered_table("ground", index)?;
    let given = table.optional("name", Field::string)?;
    let kind_field = table.require("kind", "plane, box, sphere, capsule, cylinder, stairs or heights")?;
    let kind = kind_field.word(&KINDS)?;
    let own: &[&str] = match kind {
        Kind::Plane => &["slope_deg"],
        Kind::Solid(kind) => kind.keys(),
        Kind::Stairs => &["steps", "rise", "run", "width"],
        Kind::Heights => &["spacing", "rows"],
    };
    table.allow(&[&["name", "kind", "material"], own, &ON_PARENT])?;
    let material = table.get("material").map_or(Ok(Default::default()), |f| material::find(materials, &f))?;
    let world_from_it = placement(&table, &ON_PARENT)?;
    let parts = match kind {
        Kind::Plane => vec![(SceneryShape::Plane, tilted(&table)?)],
        Kind::Solid(kind) => vec![(SceneryShape::Solid(solid(&table, kind)?), Transform::identity())],
        Kind::Stairs => stairs(&table)?,
        Kind::Heights => vec![(SceneryShape::HeightField(heights(&table)?), Transform::identity())],
    };
    let stem = match given {
        Some("") => return Err(table.require("name", "a name")?.wrong("is empty, expected a name")),
        Some(name) => name.to_string(),
        None => free_name(kind_field.string()?, kind, parts.len(), figure, all),
    };
    for (i, (ground, it_from_part)) in parts.into_iter().enumerate() {
        let name = if kind == Kind::Stairs { format!("{stem}-{}", i + 1) } else { stem.clone() };
        if let Some(what) = holder(&name, figure, all) {
            let wrong = format!("there is already {what} `{name}`");
            return Err(name_field.as_ref().map_or(table.wrong(wrong.clone()), |f| f.wrong(wrong)));
        }
        all.push(Scenery { name, ground, world_from_it: world_from_it * it_from_part, material });
    }
    Ok(())
}

/// Default name: the kind, with a number if that is taken.
fn free_name(word: &str, kind: Kind, parts: usize, figure: &Figure, all: &[Scenery]) -> String {
    let is_free = |name: &String| match kind {
        Kind::Stairs => (1..=parts).all(|i| holder(&format!("{name}-{i}"), figure, all).is_none()),
        _ => holder(name, figure, all).is_none(),
    };
    let mut names = std::iter::once(word.to_string()).chain((2..).map(|n| format!("{word}-{n}")));
    names.find(is_free).expect("there are more names than things")
}

/// Kind of thing that already has a name.
fn holder(name: &str, figure: &Figure, all: &[Scenery]) -> Option<&'static str> {
    match figure.find_link(name).is_ok() {
        true => Some("a link"),
        false => all.iter().any(|s| s.name == name).then_some("a ground"),
    }
}

/// A plane that goes down towards +x for a positive slope.
fn tilted(table: &Table) -> Result<Transform, Error> {
    let Some(field) = table.get("slope_deg") else { return Ok(Transform::identity()) };
    if let Some(key) = ON_PARENT[1..].iter().find(|key| table.get(key).is_some()) {
        return Err(field.wrong(format!("conflicts with `{key}`; give one of them")));
    }
    let slope = field.number()?;
    if slope.abs() >= MAX_SLOPE_DEG {
        return Err(field.wrong(format!("is {slope}, expected between -{MAX_SLOPE_DEG} and {MAX_SLOPE_DEG}")));
    }
    let rotation = RotationOrder::Xyz.quat([0.0, slope.to_radians(), 0.0]).to_matrix();
    Ok(Transform { rotation, ..Transform::identity() })
}

/// Boxes from the ground up to each tread, along +x.
fn stairs(table: &Table) -> Result<Vec<(SceneryShape, Transform)>, Error> {
    let field = table.require("steps", "how many steps")?;
    let steps = field.positive()?;
    if steps.fract() != 0.0 || steps > MAX_STAIRS {
        return Err(field.wrong(format!("is {steps}, expected a whole number from 1 to {MAX_STAIRS}")));
    }
    let length = |key: &str| table.require(key, "a length in metres")?.positive();
    let (rise, run, width) = (length("rise")?, length("run")?, length("width")?);
    let step = |i: usize| {
        let height = (i as f64 + 1.0) * rise;
        let half = vec3(run, width, height).scale(0.5);
        let middle = vec3((i as f64 + 0.5) * run, 0.0, 0.5 * height);
        (SceneryShape::Solid(Shape::Box { half }), Transform::translation(middle))
    };
    Ok((0..steps as usize).map(step).collect())
}

fn heights(table: &Table) -> Result<HeightField, Error> {
    let field = table.require("spacing", "metres between two heights, or [along x, along y]")?;
    let spacing = match field.is_list() {
        true => {
            field.array::<2>()?;
            field.list()?.iter().map(Field::positive).collect::<Result<Vec<_>, _>>()?
        }
        false => vec![field.positive()?; 2],
    };
    let field = table.require("rows", "rows of heights, [[..], [..]]")?;
    let rows = field.list()?;
    let columns = rows.first().map_or(Ok(0), |r| r.list().map(|l| l.len()))?;
    if rows.len() < 2 || columns < 2 {
        let got = format!("{} of {}", counted(rows.len(), "row"), counted(columns, "height"));
        return Err(field.wrong(format!("has {got}, expected at least 2 of 2")));
    }
    let mut all = Vec::with_capacity(rows.len() * columns);
    for row in &rows {
        let numbers = row.numbers()?;
        if numbers.len() != columns {
            let got = counted(numbers.len(), "height");
            return Err(row.wrong(format!("has {got}, expected {columns} as in the first row")));
        }
        all.extend(numbers);
    }
    HeightField::new(columns, rows.len(), [spacing[0], spacing[1]], all)
        .map_err(|e| table.wrong(e.to_string()))
}
