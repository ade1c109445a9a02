//! Builds a simulation from a recipe, through the library or through scene text and its reader.

use crate::recipe::{Part, Person, Recipe, Thing};
use crate::rng::Rng;
use anthropi_app::{builtin, scene};
use anthropi_dynamics::Error;
use anthropi_dynamics::algo::{aba, fk::Kinematics};
use anthropi_dynamics::contact::{HeightField, Material, Scenery, SceneryShape, World};
use anthropi_dynamics::joint::{Dof, JointKind, LimitLaw, LimitSpring, MAX_DOF};
use anthropi_dynamics::model::{
    Figure, FigureBuilder, JointHandle, JointSpec, LinkHandle, LinkSpec, PlacedShape, Shape, State,
};
use anthropi_dynamics::sim::Simulation;
use anthropi_dynamics::spatial::{Quat, Transform, Vec3, vec3};
use anthropi_formats::figure;
use std::fmt::Write;

/// Initial state of the scene, built through the library.
pub fn by_hand(recipe: &Recipe) -> Result<Simulation, Error> {
    let figure = whole(recipe)?;
    let state = start(recipe, &figure)?;
    let mut sim = Simulation::new(figure, state)?;
    if recipe.touches {
        sim.touch(world(recipe)?)?;
    }
    Ok(sim)
}

/// All figures merged into one.
fn whole(recipe: &Recipe) -> Result<Figure, Error> {
    // springs scale with the inertia they move, measured on the figure without springs
    let still = put_together(recipe, &|_, _| Dof::default())?;
    let state = start(recipe, &still)?;
    let inertia = effective_inertia(&still, &state);
    put_together(recipe, &|joint, dof| {
        scaled(dof, still.find_joint(joint).map_or(0.0, |h| least(&still, h, &inertia)))
    })
}

/// Effective inertia of each degree of freedom with all others free.
pub fn effective_inertia(figure: &Figure, state: &State) -> Vec<f64> {
    let (forest, nv) = (figure.forest(), figure.forest().nv());
    let (mut work, mut tau) = (aba::Work::default(), vec![0.0; nv]);
    let mut accelerations = |tau: &[f64]| {
        let mut a = vec![0.0; nv];
        aba::forward_dynamics(forest, &state.q, &state.v, tau, None, None, &mut work, &mut a);
        a
    };
    let free = accelerations(&tau);
    let of = |k: usize| {
        tau[k] = 1.0;
        let rate = accelerations(&tau)[k] - free[k];
        tau[k] = 0.0;
        if rate > 0.0 { 1.0 / rate } else { 0.0 }
    };
    (0..nv).map(of).collect()
}

/// Smallest effective inertia of a joint.
pub fn least(figure: &Figure, joint: JointHandle, inertia: &[f64]) -> f64 {
    let p = figure.forest().joint_place(joint);
    let least = inertia[p.iv..p.iv + p.nv].iter().fold(f64::INFINITY, |m, i| m.min(*i));
    if least.is_finite() { least } else { 0.0 }
}

/// Scales properties given for unit inertia.
fn scaled(d: Dof, inertia: f64) -> Dof {
    let limit = d.limit.map(|l| LimitSpring {
        law: match l.law {
            LimitLaw::Power { k, n } => LimitLaw::Power { k: k * inertia, n },
            LimitLaw::Exponential { k, c } => LimitLaw::Exponential { k: k * inertia, c },
        },
        ..l
    });
    let [stiffness, damping, friction, armature] =
        [d.stiffness, d.damping, d.friction, d.armature].map(|x| x * inertia);
    Dof { limit, stiffness, damping, friction, armature, ..d }
}

fn put_together(recipe: &Recipe, dof: &dyn Fn(&str, Dof) -> Dof) -> Result<Figure, Error> {
    let mut b = FigureBuilder::new(format!("soak-{}", recipe.seed));
    b.gravity(recipe.gravity)?;
    for (i, person) in recipe.people.iter().enumerate().filter(|(_, p)| !p.figure.is_empty()) {
        let mut figure = builtin::figure(person.figure)
            .expect("it is built in")
            .expect("built-in figures are valid")
            .figure;
        if person.rigid {
            figure = figure.rigid();
        }
        b.include(&format!("p{i}"), &figure, Transform::new(person.at, person.turn))?;
    }
    let mut handles: Vec<Option<LinkHandle>> = Vec::new();
    for part in &recipe.parts {
        let parent = part.parent.and_then(|p| handles[p]);
        handles.push(if part.name.is_empty() { None } else { Some(add(&mut b, part, parent, dof)?) });
    }
    b.build()
}

fn add(
    b: &mut FigureBuilder,
    part: &Part,
    parent: Option<LinkHandle>,
    dof: &dyn Fn(&str, Dof) -> Dof,
) -> Result<LinkHandle, Error> {
    let mut link = LinkSpec::new(part.name.clone(), part.solid.inertia(part.density)?);
    link.shapes.extend(
        part.shape.iter().map(|s| PlacedShape { shape: s.clone(), link_from_shape: Transform::identity() }),
    );
    let mut joint = JointSpec::new(format!("{}-joint", part.name), part.kind);
    joint.parent = parent;
    joint.parent_from_joint = part.parent_from_joint;
    joint.child_from_joint = part.child_from_joint;
    joint.order = part.order;
    joint.dof = [dof(&joint.name, part.dof); MAX_DOF];
    b.add(link, joint)
}

/// Initial pose and velocity.
fn start(recipe: &Recipe, figure: &Figure) -> Result<State, Error> {
    let mut state = State::home(figure);
    let ground = Level::of(recipe);
    for part in recipe.parts.iter().filter(|p| !p.name.is_empty()) {
        let joint = figure.find_joint(&format!("{}-joint", part.name))?;
        state.set_q(figure, joint, &part.q[..part.kind.nq()])?;
        state.set_v(figure, joint, &part.v[..part.kind.nv()])?;
    }
    for part in recipe.parts.iter().filter(|p| !p.name.is_empty()) {
        if let Some(gap) = part.gap {
            let joint = figure.find_joint(&format!("{}-joint", part.name))?;
            let link = figure.find_link(&part.name)?;
            put_down(figure, link, joint, &ground, gap, &mut state)?;
        }
    }
    for (i, person) in recipe.people.iter().enumerate().filter(|(_, p)| !p.figure.is_empty()) {
        pose(figure, &format!("p{i}/"), person, &ground, &mut state)?;
    }
    Ok(state)
}

fn pose(
    figure: &Figure,
    prefix: &str,
    person: &Person,
    ground: &Level,
    state: &mut State,
) -> Result<(), Error> {
    let mut rng = Rng::new(person.posed);
    let mut root = None;
    for (handle, joint) in figure.joints().filter(|(_, j)| j.name.starts_with(prefix)) {
        let c = joint.coordinates();
        if joint.kind == JointKind::Free {
            root = Some((handle, joint.child()));
        } else {
            let mut angles = [0.0; MAX_DOF];
            for (a, d) in angles.iter_mut().zip(&joint.dof) {
                let r = d.range.map_or((-1.0, 1.0), |r| (r.lower.max(-3.0), r.upper.min(3.0)));
                *a = person.bend * rng.within(r.0, r.1);
            }
            if person.arms_up && joint.name.contains("shoulder") {
                angles[0] -= core::f64::consts::PI;
            }
            let whole = c.at_angles(angles);
            state.set_q(figure, handle, &whole.q[..c.nq()])?;
        }
        let v: Vec<f64> = (0..c.nv()).map(|_| person.speed * rng.signed()).collect();
        state.set_v(figure, handle, &v)?;
    }
    match (person.gap, root) {
        (Some(gap), Some((joint, link))) => put_down(figure, link, joint, ground, gap, state),
        _ => Ok(()),
    }
}

/// Lower bound of the ground: a plane through a point on the z axis.
struct Level {
    normal: Vec3,
    height: f64,
}

impl Level {
    fn of(recipe: &Recipe) -> Level {
        let mut level = Level { normal: vec3(0.0, 0.0, 1.0), height: 0.0 };
        for thing in &recipe.things {
            match thing {
                Thing::Plane { slope } => level.normal = vec3(slope.sin(), 0.0, slope.cos()),
                Thing::Heights { heights, .. } => {
                    level.height = heights.iter().fold(-1.0, |m: f64, h| m.max(*h))
                }
                Thing::Solid { .. } => {}
            }
        }
        level
    }
}

/// Moves a free figure vertically until its lowest point is this far above the ground.
fn put_down(
    figure: &Figure,
    root: LinkHandle,
    joint: JointHandle,
    ground: &Level,
    gap: f64,
    state: &mut State,
) -> Result<(), Error> {
    let mut k = Kinematics::default();
    k.update(figure.forest(), &state.q, None, None);
    let mut lowest = f64::INFINITY;
    for (handle, link) in figure.links().filter(|(h, _)| figure.root_of(*h) == root) {
        let pose = k.link_pose(figure.forest(), handle);
        for s in &link.spec.shapes {
            lowest = lowest.min(s.shape.extent(&(pose * s.link_from_shape), ground.normal).0);
        }
    }
    if lowest.is_finite() {
        let mut q = state.q_of(figure, joint)?.to_vec();
        q[2] += ground.height + (gap - lowest) / ground.normal.z;
        state.set_q(figure, joint, &q)?;
    }
    Ok(())
}

fn world(recipe: &Recipe) -> Result<World, Error> {
    let mut world = World::default();
    world.materials.add(Material { name: "default".into(), surface: recipe.surface })?;
    for (i, thing) in recipe.things.iter().enumerate() {
        let (ground, world_from_it) = match thing {
            Thing::Plane { slope } => {
                (SceneryShape::Plane, Quat::about(vec3(0.0, 1.0, 0.0), *slope).to_transform())
            }
            Thing::Solid { shape, at, turn } => {
                (SceneryShape::Solid(shape.clone()), Transform::new(*at, *turn))
            }
            Thing::Heights { heights, spacing } => (
                SceneryShape::HeightField(HeightField::new(7, 7, [*spacing; 2], heights.clone())?),
                Transform::identity(),
            ),
        };
        let (name, material) = (format!("thing{i}"), Default::default());
        world.scenery.push(Scenery { name, ground, world_from_it, material });
    }
    Ok(world)
}

/// The scene as text; `None` if the scene format cannot express it.
pub fn text(recipe: &Recipe) -> Result<Option<String>, Error> {
    let figure = whole(recipe)?;
    let state = start(recipe, &figure)?;
    let mut out = format!("name = \"soak-{}\"\ndt = {:?}\n", recipe.seed, recipe.dt);
    out += &format!(
        "gravity = {}\ncontact = {}\n\n[[figure]]\n",
        list(&recipe.gravity.to_array()),
        recipe.touches
    );
    // the figure as a table of the scene
    for line in figure::write(&figure).lines().skip_while(|l| !l.starts_with("[[link]]")) {
        match line.strip_prefix("[[link").or(line.strip_prefix("[link")) {
            Some(rest) if line.starts_with("[[") => writeln!(out, "[[figure.link{rest}"),
            Some(rest) => writeln!(out, "[figure.link{rest}"),
            None => writeln!(out, "{line}"),
        }
        .expect("a text takes all");
    }
    for (table, is_pose) in [("pose", true), ("velocity", false)] {
        out += &format!("\n[figure.{table}]\n");
        for (handle, joint) in figure.joints().filter(|(_, j)| j.kind != JointKind::Fixed) {
            let numbers = if is_pose { state.q_of(&figure, handle)? } else { state.v_of(&figure, handle)? };
            out += &match numbers {
                [one] => format!("{:?} = {one:?}\n", joint.name),
                many => format!("{:?} = {}\n", joint.name, list(many)),
            };
        }
    }
    if !recipe.touches {
        return Ok(Some(out));
    }
    let s = &recipe.surface;
    out += &format!(
        "\n[[material]]\nname = \"default\"\nfriction = [{:?}, {:?}]\nrestitution = {:?}\ntangential_restitution = {:?}\n",
        s.static_friction, s.dynamic_friction, s.restitution, s.tangential_restitution
    );
    for (i, thing) in recipe.things.iter().enumerate() {
        let Some(ground) = ground(thing) else { return Ok(None) };
        out += &format!("\n[[ground]]\nname = \"thing{i}\"\n{ground}");
    }
    Ok(Some(out))
}

fn ground(thing: &Thing) -> Option<String> {
    let placed =
        |at: Vec3, turn: Quat| format!("at = {}\nquaternion = {}\n", list(&at.to_array()), list(&turn.0));
    Some(match thing {
        Thing::Plane { slope } => {
            let turn = Quat::about(vec3(0.0, 1.0, 0.0), *slope);
            format!("kind = \"plane\"\n{}", placed(Vec3::ZERO, turn))
        }
        Thing::Heights { heights, spacing } => {
            let rows: Vec<String> = heights.chunks(7).map(list).collect();
            format!("kind = \"heights\"\nspacing = {spacing:?}\nrows = [{}]\n", rows.join(", "))
        }
        Thing::Solid { shape, at, turn } => {
            let size = match shape {
                Shape::Box { half } => {
                    format!("kind = \"box\"\nsize = {}", list(&half.scale(2.0).to_array()))
                }
                Shape::Sphere { radius } => format!("kind = \"sphere\"\nradius = {radius:?}"),
                Shape::Capsule { radius, half_length } => {
                    format!("kind = \"capsule\"\nradius = {radius:?}\nlength = {:?}", 2.0 * half_length)
                }
                Shape::Cylinder { radius, half_length } => {
                    format!("kind = \"cylinder\"\nradius = {radius:?}\nlength = {:?}", 2.0 * half_length)
                }
                _ => return None,
            };
            format!("{size}\n{}", placed(*at, *turn))
        }
    })
}

fn list(numbers: &[f64]) -> String {
    let each: Vec<String> = numbers.iter().map(|x| format!("{x:?}")).collect();
    format!("[{}]", each.join(", "))
}

/// Initial state of the scene, built from its text; an error if it fails or differs from the library's.
pub fn by_text(recipe: &Recipe, like: &Simulation) -> Result<Option<Simulation>, String> {
    let Some(text) = text(recipe).map_err(|e| e.to_string())? else { return Ok(None) };
    let read = scene::read(&text, "soak.toml", None).map_err(|e| format!("refused: {e}"))?;
    let sim = read.simulation().map_err(|e| format!("refused: {e}"))?;
    let numbers = |s: &Simulation| s.state().q.iter().chain(&s.state().v).copied().collect::<Vec<f64>>();
    let (a, b) = (numbers(&sim), numbers(like));
    if a.len() != b.len() {
        return Err(format!("{} numbers by text, {} by hand", a.len(), b.len()));
    }
    let off = a.iter().zip(&b).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
    if off > 1e-12 { Err(format!("the start by text is off by {off:e}")) } else { Ok(Some(sim)) }
}
