//! Reads the flat text form of a figure that `bench/peers/gen_models.py` writes.

use anthropi_dynamics::Error;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec};
use anthropi_dynamics::spatial::{Inertia, Sym3, Transform, Vec3, vec3};

/// One line a link: name, parent, joint, axes, place, mass, centre, inertia.
pub fn read(text: &str) -> Result<Figure, String> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().ok_or("empty file")?.split_whitespace().collect();
    let (name, count) = match head[..] {
        [name, count, ..] => (name, count.parse::<usize>().map_err(|e| e.to_string())?),
        _ => return Err("the first line gives the name and the number of links".into()),
    };
    let mut builder = FigureBuilder::new(name);
    let mut links: Vec<LinkHandle> = Vec::new();
    for line in lines.take(count) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let numbers: Vec<f64> = words[4..].iter().filter_map(|w| w.parse().ok()).collect();
        let (link, joint) = link_of(&words, &numbers, &links).ok_or(format!("bad line: {line}"))?;
        links.push(builder.add(link, joint).map_err(|e: Error| e.to_string())?);
    }
    builder.build().map_err(|e| e.to_string())
}

fn link_of(words: &[&str], n: &[f64], links: &[LinkHandle]) -> Option<(LinkSpec, JointSpec)> {
    let vector = |i: usize| Some(vec3(*n.get(i)?, *n.get(i + 1)?, *n.get(i + 2)?));
    let mut axes = words[3].chars().map(axis);
    let kind = match words[2] {
        "free" => JointKind::Free,
        "spherical" => JointKind::Spherical,
        "universal" => JointKind::Universal { first: axes.next()??, second: axes.next()?? },
        "revolute" => JointKind::Revolute { axis: axes.next()?? },
        _ => return None,
    };
    let mut joint = JointSpec::new(words[0], kind);
    joint.parent = usize::try_from(words[1].parse::<i64>().ok()?).ok().map(|p| links[p]);
    if kind != JointKind::Free {
        joint.parent_from_joint = Transform::translation(vector(0)?);
    }
    let inertia = Inertia::about_center(*n.get(3)?, vector(4)?, Sym3::diagonal(vector(7)?));
    Some((LinkSpec::new(words[0], inertia), joint))
}

fn axis(c: char) -> Option<Vec3> {
    match c {
        'x' => Some(vec3(1.0, 0.0, 0.0)),
        'y' => Some(vec3(0.0, 1.0, 0.0)),
        'z' => Some(vec3(0.0, 0.0, 1.0)),
        _ => None,
    }
}
