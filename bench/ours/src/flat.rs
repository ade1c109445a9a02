//! Reads the flat text form of a figure that `bench/peers/gen_models.py` writes: links, then loops, then feet.

use anthropi_dynamics::Error;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec};
use anthropi_dynamics::spatial::{Inertia, Sym3, Transform, Vec3, vec3};

/// Loads the figure of a file, see [`read`].
pub fn load(path: &str, hold: bool) -> Result<Figure, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    read(&text, hold).map_err(|e| format!("{path}: {e}"))
}

/// One line per link: name, parent, joint, axes, position, mass, centre, inertia. A loop fixes a point of one link to a
/// point of another (or of the world); a foot is fixed to the world at its current position, if `hold` is set.
pub fn read(text: &str, hold: bool) -> Result<Figure, String> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().ok_or("empty file")?.split_whitespace().collect();
    let number = |w: &str| w.parse::<usize>().map_err(|e| e.to_string());
    let (name, count, loops, feet) = match head[..] {
        [name, links, loops, feet] => (name, number(links)?, number(loops)?, number(feet)?),
        _ => return Err("the first line gives the name and the numbers of links, loops and feet".into()),
    };
    let mut builder = FigureBuilder::new(name);
    let mut links: Vec<LinkHandle> = Vec::new();
    for line in lines.by_ref().take(count) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let numbers: Vec<f64> = words[4..].iter().filter_map(|w| w.parse().ok()).collect();
        let (link, joint) = parse_link(&words, &numbers, &links).ok_or(format!("bad line: {line}"))?;
        links.push(builder.add(link, joint).map_err(|e: Error| e.to_string())?);
    }
    for (i, line) in lines.take(if hold { loops + feet } else { 0 }).enumerate() {
        let n: Vec<f64> = line.split_whitespace().filter_map(|w| w.parse().ok()).collect();
        let mut held = JointSpec::new(format!("hold{i}"), JointKind::Fixed);
        let at = |k: usize| Some(Transform::translation(vec3(*n.get(k)?, *n.get(k + 1)?, *n.get(k + 2)?)));
        held.child_from_joint = at(1).ok_or(format!("bad line: {line}"))?;
        if let Some(to) = n.get(4) {
            held.parent = (*to >= 0.0).then(|| links[*to as usize]);
            held.parent_from_joint = at(5).ok_or(format!("bad line: {line}"))?;
        }
        builder.connect(links[n[0] as usize], held).map_err(|e| e.to_string())?;
    }
    builder.build().map_err(|e| e.to_string())
}

fn parse_link(words: &[&str], n: &[f64], links: &[LinkHandle]) -> Option<(LinkSpec, JointSpec)> {
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
