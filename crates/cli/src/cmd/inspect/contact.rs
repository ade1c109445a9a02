//! Contact settings of a scene: materials, ground and exceptions.

use super::link_name;
use anthropi_dynamics::contact::{Material, MaterialIx, Scenery, SceneryShape, Surface, World};
use anthropi_dynamics::model::{Figure, LinkHandle, Shape};
use anthropi_formats::names::counted;
use serde_json::{Value, json};
use std::fmt::Write;

/// Most materials whose pairs are listed.
const MAX_MATERIALS: usize = 24;

/// JSON of the contact settings.
pub fn to_json(world: &World, figure: &Figure) -> Value {
    let pair = |(a, b, s): (&str, &str, Surface)| json!({ "of": [a, b], "surface": surface_json(&s) });
    let links = |list: &[LinkHandle]| list.iter().map(|l| link_name(figure, *l)).collect::<Vec<_>>();
    let pairs = |list: &[(LinkHandle, LinkHandle)]| {
        list.iter().map(|(a, b)| [link_name(figure, *a), link_name(figure, *b)]).collect::<Vec<_>>()
    };
    let material = |m: &Material| json!({ "name": m.name, "surface": surface_json(&m.surface) });
    json!({
        "materials": world.materials.list().iter().map(material).collect::<Vec<_>>(),
        "pairs": pairs_of_materials(world).into_iter().map(pair).collect::<Vec<_>>(),
        "ground": world.scenery.iter().map(|s| ground_json(world, s)).collect::<Vec<_>>(),
        "links": figure.links()
            .map(|(h, l)| (l.spec.name.clone(), material_name(world, world.material_of(h)).into()))
            .collect::<serde_json::Map<String, Value>>(),
        "touch_nothing": links(&world.ghosts),
        "not_themselves": links(&world.not_self),
        "apart": pairs(&world.apart),
        "together": pairs(&world.together),
    })
}

fn surface_json(s: &Surface) -> Value {
    json!({
        "static_friction": s.static_friction,
        "dynamic_friction": s.dynamic_friction,
        "restitution": s.restitution,
        "tangential_restitution": s.tangential_restitution,
    })
}

fn ground_json(world: &World, it: &Scenery) -> Value {
    json!({
        "name": it.name,
        "kind": kind(&it.ground),
        "material": material_name(world, it.material),
        "position": it.world_from_it.translation.to_array(),
        "orientation": it.world_from_it.orientation().0,
    })
}

/// Text of the contact settings.
pub fn to_text(world: &World, figure: &Figure) -> String {
    let mut text = String::new();
    for it in &world.scenery {
        let [x, y, z] = it.world_from_it.translation.to_array().map(|x| x + 0.0);
        let of = material_name(world, it.material);
        let _ = writeln!(text, "ground {}: {} at {x:.3}, {y:.3}, {z:.3}, of {of}", it.name, describe(it));
    }
    for m in world.materials.list() {
        let is = |h: &LinkHandle| material_name(world, world.material_of(*h)) == m.name;
        let links = figure.links().filter(|(h, _)| is(h)).count();
        let links = counted(links, "link");
        let _ = writeln!(text, "material {} ({links}): {}", m.name, surface_text(&m.surface));
    }
    for (a, b, surface) in pairs_of_materials(world) {
        let _ = writeln!(text, "{a} on {b}: {}", surface_text(&surface));
    }
    for (list, what) in [(&world.ghosts, "no contact"), (&world.not_self, "no contact with their own figure")]
    {
        if !list.is_empty() {
            let _ = writeln!(text, "{what}: {}", counted(list.len(), "link"));
        }
    }
    for (list, what) in [(&world.apart, "do not touch"), (&world.together, "touch")] {
        for (a, b) in list {
            let _ = writeln!(text, "{} and {} {what}", link_name(figure, *a), link_name(figure, *b));
        }
    }
    text
}

fn surface_text(s: &Surface) -> String {
    let mut text = match s.static_friction == s.dynamic_friction {
        true => format!("friction {}", short(s.static_friction)),
        false => {
            format!("friction {} static, {} dynamic", short(s.static_friction), short(s.dynamic_friction))
        }
    };
    let _ = write!(text, ", restitution {}", short(s.restitution));
    if s.tangential_restitution != 0.0 {
        let _ = write!(text, ", tangential restitution {}", short(s.tangential_restitution));
    }
    text
}

/// At most four digits after the point.
fn short(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}

/// How each material meets each other one: those that were given, and means.
fn pairs_of_materials(world: &World) -> Vec<(&str, &str, Surface)> {
    let list = world.materials.list();
    if list.len() > MAX_MATERIALS {
        return Vec::new();
    }
    let found = |m: &Material| world.materials.find(&m.name).unwrap_or_default();
    let mut all = Vec::new();
    for (i, a) in list.iter().enumerate() {
        for b in &list[i + 1..] {
            all.push((a.name.as_str(), b.name.as_str(), world.materials.between(found(a), found(b))));
        }
    }
    all
}

fn kind(ground: &SceneryShape) -> &'static str {
    match ground {
        SceneryShape::Plane => "plane",
        SceneryShape::HeightField(_) => "heights",
        SceneryShape::Solid(Shape::Box { .. }) => "box",
        SceneryShape::Solid(Shape::Sphere { .. }) => "sphere",
        SceneryShape::Solid(Shape::Ellipsoid { .. }) => "ellipsoid",
        SceneryShape::Solid(Shape::Capsule { .. }) => "capsule",
        SceneryShape::Solid(Shape::Cylinder { .. }) => "cylinder",
        SceneryShape::Solid(Shape::Convex { .. }) => "convex",
    }
}

fn describe(it: &Scenery) -> String {
    let kind = kind(&it.ground);
    let slope = it.world_from_it.rotation.z.z.clamp(-1.0, 1.0).acos().to_degrees();
    let tilt = if slope > 1e-3 { format!(", tilted by {slope:.1} deg") } else { String::new() };
    let size = match &it.ground {
        SceneryShape::Solid(Shape::Box { half } | Shape::Ellipsoid { half }) => {
            let [x, y, z] = half.to_array().map(|h| short(2.0 * h));
            format!(" of {x} x {y} x {z} m")
        }
        SceneryShape::Solid(Shape::Sphere { radius }) => format!(" of radius {} m", short(*radius)),
        SceneryShape::Solid(
            Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length },
        ) => {
            format!(" of radius {} m, length {} m", short(*radius), short(2.0 * half_length))
        }
        SceneryShape::HeightField(h) => format!(" of {} x {} points", h.columns(), h.rows()),
        SceneryShape::Plane | SceneryShape::Solid(Shape::Convex { .. }) => String::new(),
    };
    format!("{kind}{size}{tilt}")
}

fn material_name(world: &World, material: MaterialIx) -> &str {
    let is = |m: &&Material| world.materials.find(&m.name) == Some(material);
    world.materials.list().iter().find(is).map_or("", |m| &m.name)
}
