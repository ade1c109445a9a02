//! Joints of the native format: kind, placement, and properties of each degree of freedom.

use super::placement::{Keys, ORDERS, placement, unit_quaternion};
use crate::error::{Error, Warning};
use crate::fields::{Field, Table};
use crate::names::counted;
use anthropi_dynamics::joint::{
    Coordinates, Dof, JointKind, JointState, LimitLaw, LimitSpring, MAX_DOF, MAX_NQ, Range, Slide, Turn,
};
use anthropi_dynamics::model::JointSpec;
use anthropi_dynamics::spatial::{Axis, RotationOrder, Vec3};

/// Keys of all joints, apart from those of the placement.
pub const JOINT_KEYS: [&str; 10] =
    ["name", "kind", "axis", "axes", "order", "home", "home_deg", "actuated", "free_turn", "free_slide"];
/// Keys of the degrees of freedom; fixed and free joints have none.
pub const DOF_KEYS: [&str; 11] = [
    "range",
    "range_deg",
    "limit",
    "stiffness",
    "rest",
    "rest_deg",
    "damping",
    "friction",
    "armature",
    "effort",
    "locked",
];
const LIMIT_KEYS: [&str; 7] = ["law", "k", "n", "c", "blend", "blend_deg", "rebound"];

/// Default exponent of a power spring. [L1992 §8.2.3: "the case where n = 3"]
const DEFAULT_EXPONENT: f64 = 3.0;
/// Cosine beyond which two axes are parallel.
const PARALLEL: f64 = 1.0 - 1e-9;

/// From the unit in the file to metres or radians.
type ToSi = fn(f64) -> f64;
/// Sets one property.
type Set = fn(&mut Dof, f64);

/// Kinds of joints, each with the keys of its axes.
const KINDS: [(&str, &[&str]); 9] = [
    ("fixed", &[]),
    ("revolute", &["axis"]),
    ("prismatic", &["axis"]),
    ("universal", &["axes"]),
    ("spherical", &[]),
    ("free", &[]),
    ("cylindrical", &["axis"]),
    ("planar", &["axis"]),
    ("partial", &["free_turn", "free_slide"]),
];

/// Reads a joint, except for its parent.
pub fn joint(
    table: &Table,
    name: &str,
    on_parent: &Keys,
    on_child: &Keys,
    warnings: &mut Vec<Warning>,
) -> Result<JointSpec, Error> {
    let kind = kind(table)?;
    let mut spec = JointSpec::new(name, kind);
    spec.parent_from_joint = placement(table, on_parent)?;
    spec.child_from_joint = placement(table, on_child)?;
    if let Some(field) = table.get("order") {
        if !matches!(kind, JointKind::Spherical | JointKind::Free) {
            let what = format!("orders the angles of a spherical joint; this one is {}", kind.name());
            return Err(field.wrong(what));
        }
        spec.order = field.word(&ORDERS)?;
    }
    if let Some(field) = table.get("actuated") {
        spec.actuated = field.bool()?;
    }
    spec.home = home(table, kind, spec.order)?;
    dofs(table, kind, &mut spec.dof)?;
    warn(table, &spec, warnings);
    Ok(spec)
}

fn kind(table: &Table) -> Result<JointKind, Error> {
    let field = table.require("kind", "fixed, revolute, prismatic, universal, spherical or free")?;
    let (kind, own) = (field.string()?, field.word(&KINDS)?);
    let mut surplus =
        ["axis", "axes", "free_turn", "free_slide"].into_iter().filter(|key| !own.contains(key));
    if let Some(f) = surplus.find_map(|key| table.get(key)) {
        return Err(f.wrong(format!(
            "does not apply to a {kind} joint (revolute and prismatic: axis; universal: axes; partial: free_turn, \
             free_slide)"
        )));
    }
    let one = || axis(&table.require("axis", "x, y, z or three numbers")?);
    Ok(match kind {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute { axis: one()? },
        "prismatic" => JointKind::Prismatic { axis: one()? },
        "universal" => {
            let (first, second) = two_axes(&table.require("axes", "two axes")?)?;
            JointKind::Universal { first, second }
        }
        "spherical" => JointKind::Spherical,
        "free" => JointKind::Free,
        "cylindrical" => {
            let axis = unit(one()?);
            JointKind::Partial { turn: Turn::About(axis), slide: Slide::Along(axis) }
        }
        "planar" => {
            let normal = unit(one()?);
            JointKind::Partial { turn: Turn::About(normal), slide: Slide::Across(normal) }
        }
        _ => {
            let across = |first: Vec3, second| Slide::Across(unit(first.cross(second)));
            let twice = |first, second| Turn::Twice(unit(first), unit(second));
            JointKind::Partial {
                turn: freedom(table.get("free_turn"), [Turn::None, Turn::Any], Turn::About, twice)?,
                slide: freedom(table.get("free_slide"), [Slide::None, Slide::Any], Slide::Along, across)?,
            }
        }
    })
}

fn unit(v: Vec3) -> Vec3 {
    v.normalized().unwrap_or(v)
}

/// A free rotation or translation: none if absent; "any", an axis, or two axes.
fn freedom<T>(
    field: Option<Field>,
    [none, any]: [T; 2],
    one: impl Fn(Vec3) -> T,
    two: impl Fn(Vec3, Vec3) -> T,
) -> Result<T, Error> {
    let Some(field) = field else { return Ok(none) };
    match field.is_list() {
        false if field.string()? == "any" => Ok(any),
        true if field.list()?.len() == 2 => two_axes(&field).map(|(first, second)| two(first, second)),
        _ => Ok(one(unit(axis(&field)?))),
    }
}

/// Two axes that are not parallel.
fn two_axes(field: &Field) -> Result<(Vec3, Vec3), Error> {
    let axes = field.list()?;
    let [first, second] = axes.as_slice() else {
        return Err(field.wrong(format!("has {}, expected two axes", counted(axes.len(), "entry"))));
    };
    let (first, second) = (axis(first)?, axis(second)?);
    if first.dot(second).abs() > PARALLEL * first.norm() * second.norm() {
        return Err(field.wrong("are parallel, expected two different axes"));
    }
    Ok((first, second))
}

/// "x", "-y", or a direction; its length does not matter.
fn axis(field: &Field) -> Result<Vec3, Error> {
    if field.is_list() {
        let direction = field.vector()?;
        let is_direction = direction.norm() > 0.0 && direction.norm().is_finite();
        return if is_direction { Ok(direction) } else { Err(field.wrong("is zero, expected a direction")) };
    }
    let (x, y, z) = (Axis::X.unit(), Axis::Y.unit(), Axis::Z.unit());
    field.word(&[("x", x), ("y", y), ("z", z), ("-x", -x), ("-y", -y), ("-z", -z)])
}

/// Coordinates of the home pose.
fn home(table: &Table, kind: JointKind, order: RotationOrder) -> Result<Option<[f64; MAX_NQ]>, Error> {
    let (plain, degrees) = (table.get("home"), table.get("home_deg"));
    if kind != JointKind::Free {
        table.one_of(&["home", "home_deg"])?;
    }
    let Some(field) = plain.as_ref().or(degrees.as_ref()) else { return Ok(None) };
    let mut q = kind.neutral();
    match kind {
        JointKind::Fixed => return Err(field.wrong("does not apply to a fixed joint")),
        JointKind::Prismatic { .. } if plain.is_none() => {
            return Err(field.wrong("is an angle, but the joint is prismatic; give `home` in metres"));
        }
        JointKind::Revolute { .. } | JointKind::Prismatic { .. } => {
            q[0] = if plain.is_some() { field.single()? } else { field.single()?.to_radians() };
        }
        JointKind::Universal { .. } => {
            let given: [f64; 2] = field.array()?;
            q[..2].copy_from_slice(&if plain.is_some() { given } else { given.map(f64::to_radians) });
        }
        JointKind::Spherical => q[..4].copy_from_slice(&orientation(&plain, &degrees, order)?),
        JointKind::Free => free_home(&mut q, plain, degrees, order)?,
        JointKind::Partial { .. } => return Err(field.wrong("does not apply to a connection")),
    }
    Ok(Some(q))
}

fn orientation(
    plain: &Option<Field>,
    degrees: &Option<Field>,
    order: RotationOrder,
) -> Result<[f64; 4], Error> {
    match (plain, degrees) {
        (Some(f), _) => Ok(unit_quaternion(f, f.array()?)?.0),
        (None, Some(f)) => Ok(order.quat(f.array()?.map(f64::to_radians)).0),
        (None, None) => Ok([1.0, 0.0, 0.0, 0.0]),
    }
}

/// A position, followed by a quaternion or with angles in `home_deg`.
fn free_home(
    q: &mut [f64; MAX_NQ],
    plain: Option<Field>,
    degrees: Option<Field>,
    order: RotationOrder,
) -> Result<(), Error> {
    if let Some(f) = &plain {
        let given = f.numbers()?;
        match (<[f64; MAX_NQ]>::try_from(&given[..]), &degrees) {
            (Ok([x, y, z, w, qx, qy, qz]), None) => {
                q[..3].copy_from_slice(&[x, y, z]);
                q[3..].copy_from_slice(&unit_quaternion(f, [w, qx, qy, qz])?.0);
            }
            _ if given.len() == 3 => q[..3].copy_from_slice(&given),
            (_, degrees) => {
                let expected =
                    if degrees.is_some() { "together with `home_deg`" } else { "or 7 for a free joint" };
                return Err(f.wrong(format!("has {}, expected 3 {expected}", counted(given.len(), "number"))));
            }
        }
    }
    if degrees.is_some() {
        q[3..].copy_from_slice(&orientation(&None, &degrees, order)?);
    }
    Ok(())
}

fn dofs(table: &Table, kind: JointKind, dof: &mut [Dof; MAX_DOF]) -> Result<(), Error> {
    let n = match kind {
        JointKind::Free | JointKind::Fixed => {
            let given = DOF_KEYS.iter().find_map(|key| table.get(key));
            return given
                .map_or(Ok(()), |f| Err(f.wrong(format!("does not apply to a {} joint", kind.name()))));
        }
        moving => moving.nv(),
    };
    let slides = matches!(kind, JointKind::Prismatic { .. });
    let dof = &mut dof[..n];
    if let Some((field, unit)) = angle(table, ["range", "range_deg"], slides)? {
        ranges(&field, unit, dof)?;
    }
    if let Some(field) = table.get("limit") {
        let read = |f: &Field| limit(f, &table.label, slides);
        for_each(&field, dof, read, |d, limit| d.limit = limit)?;
    }
    if let Some((field, unit)) = angle(table, ["rest", "rest_deg"], slides)? {
        for_each(&field, dof, |f| Ok(unit(f.number()?)), |d, x| d.rest = x)?;
    }
    let plain: [(&str, Set); 4] = [
        ("stiffness", |d, x| d.stiffness = x),
        ("damping", |d, x| d.damping = x),
        ("friction", |d, x| d.friction = x),
        ("armature", |d, x| d.armature = x),
    ];
    for (key, set) in plain {
        if let Some(field) = table.get(key) {
            for_each(&field, dof, Field::not_negative, set)?;
        }
    }
    if let Some(field) = table.get("effort") {
        for_each(&field, dof, effort, |d, x| d.effort = x)?;
    }
    if let Some(field) = table.get("locked") {
        for_each(&field, dof, Field::bool, |d, x| d.locked = x)?;
    }
    Ok(())
}

/// One value for all degrees of freedom, or a list with one for each.
fn for_each<'a, T: Copy>(
    field: &Field<'a>,
    dof: &mut [Dof],
    read: impl Fn(&Field<'a>) -> Result<T, Error>,
    set: impl Fn(&mut Dof, T),
) -> Result<(), Error> {
    if !field.is_list() {
        let value = read(field)?;
        dof.iter_mut().for_each(|d| set(d, value));
        return Ok(());
    }
    let list = field.list()?;
    check_count(field, list.len(), dof.len(), "value")?;
    for (d, f) in dof.iter_mut().zip(&list) {
        set(d, read(f)?);
    }
    Ok(())
}

fn check_count(field: &Field, got: usize, dofs: usize, what: &str) -> Result<(), Error> {
    if got == dofs {
        return Ok(());
    }
    let (got, dofs) = (counted(got, what), counted(dofs, "degree"));
    Err(field.wrong(format!("has {got} for {dofs} of freedom")))
}

/// The field given in metres or radians, or in degrees, with its conversion to SI.
fn angle<'a>(table: &Table<'a>, keys: [&str; 2], slides: bool) -> Result<Option<(Field<'a>, ToSi)>, Error> {
    Ok(match table.one_of(&keys)? {
        None => None,
        Some((0, field)) => Some((field, |x| x)),
        Some((_, field)) if slides => {
            let what = format!("is an angle, but the joint is prismatic; give `{}` in metres", keys[0]);
            return Err(field.wrong(what));
        }
        Some((_, field)) => Some((field, f64::to_radians)),
    })
}

/// A pair for the only degree of freedom, or a pair for each; an empty pair is no range.
fn ranges(field: &Field, unit: ToSi, dof: &mut [Dof]) -> Result<(), Error> {
    let list = field.list()?;
    let pairs =
        if dof.len() == 1 && !list.first().is_some_and(Field::is_list) { vec![field.clone()] } else { list };
    check_count(field, pairs.len(), dof.len(), "range")?;
    for (d, pair) in dof.iter_mut().zip(pairs) {
        let ends = pair.list()?;
        d.range = match ends.as_slice() {
            [] => None,
            [lower, upper] => {
                let (lower, upper) = (lower.number_or_infinity()?, upper.number_or_infinity()?);
                if lower > upper {
                    return Err(pair.wrong(format!("has {lower} above {upper}, expected [lower, upper]")));
                }
                Some(Range { lower: unit(lower), upper: unit(upper) })
            }
            _ => {
                let what = format!("has {}, expected [lower, upper]", counted(ends.len(), "number"));
                return Err(pair.wrong(what));
            }
        };
    }
    Ok(())
}

fn limit(field: &Field, joint: &str, slides: bool) -> Result<Option<LimitSpring>, Error> {
    let table = field.table(format!("the limit of {joint}"))?;
    table.allow(&[&LIMIT_KEYS])?;
    let law = table.require("law", "power, exponential or none")?;
    // each law with the keys that do not apply to it
    let laws: [(&str, &[&str]); 3] = [("power", &["c"]), ("exponential", &["n"]), ("none", &LIMIT_KEYS[1..])];
    let (word, surplus) = (law.string()?, law.word(&laws)?);
    if let Some(f) = surplus.iter().find_map(|key| table.get(key)) {
        return Err(f.wrong(format!("does not apply to the law \"{word}\"")));
    }
    if word == "none" {
        return Ok(None);
    }
    let n = table.get("n").map_or(Ok(DEFAULT_EXPONENT), |f| f.positive())?;
    let k = table.require("k", "the stiffness of the spring")?.not_negative()?;
    let law = match word {
        "power" => LimitLaw::Power { k, n },
        _ => LimitLaw::Exponential {
            k,
            c: table.require("c", "the exponential rate of the spring")?.positive()?,
        },
    };
    let Some((blend, unit)) = angle(&table, ["blend", "blend_deg"], slides)? else {
        return Err(table.wrong("has no `blend` or `blend_deg`, the width of the region before each limit"));
    };
    let blend = unit(blend.not_negative()?);
    let share = |f: Field| {
        let expected = "0 (no force on rebound) to 1 (full force)";
        f.checked(f.number()?, |x| (0.0..=1.0).contains(&x), expected)
    };
    Ok(Some(LimitSpring { law, blend, rebound: table.get("rebound").map_or(Ok(0.0), share)? }))
}

fn effort(field: &Field) -> Result<f64, Error> {
    field.checked(field.number_or_infinity()?, |x| x >= 0.0, "zero or more")
}

/// Warnings about a valid joint.
fn warn(table: &Table, spec: &JointSpec, warnings: &mut Vec<Warning>) {
    if matches!(spec.kind, JointKind::Free | JointKind::Fixed) {
        return;
    }
    let home = JointState::at_rest(spec.home.unwrap_or(spec.kind.neutral()));
    let unlocked = Coordinates::new(spec.kind, spec.order, &[Dof::default(); MAX_DOF], [0.0; MAX_DOF]);
    let (angles, _) = unlocked.angles_and_rates(&home);
    for (k, d) in spec.dof[..spec.kind.nv()].iter().enumerate() {
        let what = match (d.range, d.limit) {
            (None, Some(_)) => format!("degree of freedom {k} has a limit but no range"),
            (Some(r), _) if angles[k] < r.lower || angles[k] > r.upper => {
                format!("home of degree of freedom {k} is outside its range")
            }
            _ => continue,
        };
        let what = format!("{}: {what}", table.label);
        warnings.push(Warning { place: Some(table.place()), ..Warning::new(what) });
    }
}
