//! A joint of the native format: how it moves, where it sits, and what each degree of freedom has beyond its axis.

use super::placement::{Keys, ORDERS, placement, unit_quaternion};
use crate::error::{Error, Warning};
use crate::fields::{Field, Table};
use crate::names::counted;
use anthropi_dynamics::joint::Range;
use anthropi_dynamics::joint::{
    Coordinates, Dof, JointKind, JointState, LimitLaw, LimitSpring, MAX_DOF, MAX_NQ, Slide, Turn,
};
use anthropi_dynamics::model::JointSpec;
use anthropi_dynamics::spatial::{Axis, RotationOrder, Vec3};

/// Keys every joint knows, beside those of its placement.
pub(crate) const JOINT_KEYS: [&str; 10] =
    ["name", "kind", "axis", "axes", "order", "home", "home_deg", "actuated", "free_turn", "free_slide"];
/// Keys of the degrees of freedom; fixed and free joints have none.
pub(crate) const DOF_KEYS: [&str; 11] = [
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

/// Exponent of a power spring that names none. [L1992 §8.2.3: "the case where n = 3"]
const DEFAULT_EXPONENT: f64 = 3.0;
/// Cosine beyond which two axes are one.
const PARALLEL: f64 = 1.0 - 1e-9;

/// From the unit in the file to metres or radians.
type ToSi = fn(f64) -> f64;
/// Puts a number where it belongs.
type Set = fn(&mut Dof, f64);

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Fixed,
    Revolute,
    Prismatic,
    Universal,
    Spherical,
    Free,
    Cylindrical,
    Planar,
    Partial,
}

const KINDS: [(&str, Kind); 9] = [
    ("fixed", Kind::Fixed),
    ("revolute", Kind::Revolute),
    ("prismatic", Kind::Prismatic),
    ("universal", Kind::Universal),
    ("spherical", Kind::Spherical),
    ("free", Kind::Free),
    ("cylindrical", Kind::Cylindrical),
    ("planar", Kind::Planar),
    ("partial", Kind::Partial),
];

/// Everything but the parent.
pub(crate) fn joint(
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
            return Err(
                field.wrong(format!("orders the angles of a spherical joint; this one is {}", kind.name()))
            );
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
    let kind = field.word(&KINDS)?;
    let named = field.string()?;
    let needs_axis = matches!(kind, Kind::Revolute | Kind::Prismatic | Kind::Cylindrical | Kind::Planar);
    let is_partial = kind == Kind::Partial;
    let surplus = [
        ("axis", needs_axis),
        ("axes", kind == Kind::Universal),
        ("free_turn", is_partial),
        ("free_slide", is_partial),
    ];
    if let Some(f) = surplus.iter().filter(|(_, used)| !used).find_map(|(key, _)| table.get(key)) {
        return Err(
            f.wrong(format!("is not for a {named} joint (revolute and prismatic: axis; universal: axes; partial: free_turn, free_slide)"))
        );
    }
    let one = || axis(&table.require("axis", "x, y, z or three numbers")?);
    Ok(match kind {
        Kind::Fixed => JointKind::Fixed,
        Kind::Revolute => JointKind::Revolute { axis: one()? },
        Kind::Prismatic => JointKind::Prismatic { axis: one()? },
        Kind::Universal => universal(&table.require("axes", "two axes")?)?,
        Kind::Spherical => JointKind::Spherical,
        Kind::Free => JointKind::Free,
        Kind::Cylindrical => {
            let axis = unit(one()?);
            JointKind::Partial { turn: Turn::About(axis), slide: Slide::Along(axis) }
        }
        Kind::Planar => {
            let normal = unit(one()?);
            JointKind::Partial { turn: Turn::About(normal), slide: Slide::Across(normal) }
        }
        Kind::Partial => JointKind::Partial {
            turn: free_turn(table.get("free_turn"))?,
            slide: free_slide(table.get("free_slide"))?,
        },
    })
}

fn unit(v: Vec3) -> Vec3 {
    v.normalized().unwrap_or(v)
}

/// Absent: none. "any", an axis, or `[first, second]` axes.
fn free_turn(field: Option<Field>) -> Result<Turn, Error> {
    let Some(field) = field else { return Ok(Turn::None) };
    if !field.is_list() && field.string()? == "any" {
        return Ok(Turn::Any);
    }
    if field.is_list() && field.list()?.len() == 2 {
        return match universal(&field)? {
            JointKind::Universal { first, second } => Ok(Turn::Twice(unit(first), unit(second))),
            _ => Ok(Turn::None),
        };
    }
    Ok(Turn::About(unit(axis(&field)?)))
}

/// Absent: none. "any", or `[axis, ..]`: one direction, or two that span a plane.
fn free_slide(field: Option<Field>) -> Result<Slide, Error> {
    let Some(field) = field else { return Ok(Slide::None) };
    if !field.is_list() && field.string()? == "any" {
        return Ok(Slide::Any);
    }
    if field.is_list() && field.list()?.len() == 2 {
        return match universal(&field)? {
            JointKind::Universal { first, second } => Ok(Slide::Across(unit(first.cross(second)))),
            _ => Ok(Slide::None),
        };
    }
    Ok(Slide::Along(unit(axis(&field)?)))
}

fn universal(field: &Field) -> Result<JointKind, Error> {
    let axes = field.list()?;
    let [first, second] = axes.as_slice() else {
        return Err(field.wrong(format!("has {}, expected two axes", counted(axes.len(), "entry"))));
    };
    let (first, second) = (axis(first)?, axis(second)?);
    if first.dot(second).abs() > PARALLEL * first.norm() * second.norm() {
        return Err(field.wrong("are parallel, expected two different axes"));
    }
    Ok(JointKind::Universal { first, second })
}

/// "x", "-y", or a direction; its length does not matter.
fn axis(field: &Field) -> Result<Vec3, Error> {
    if field.is_list() {
        let direction = Vec3::from_array(&field.array()?);
        let is_direction = direction.norm() > 0.0 && direction.norm().is_finite();
        return if is_direction { Ok(direction) } else { Err(field.wrong("has no direction")) };
    }
    let (x, y, z) = (Axis::X.unit(), Axis::Y.unit(), Axis::Z.unit());
    field.word(&[("x", x), ("y", y), ("z", z), ("-x", -x), ("-y", -y), ("-z", -z)])
}

/// Coordinates of the declared pose.
fn home(table: &Table, kind: JointKind, order: RotationOrder) -> Result<Option<[f64; MAX_NQ]>, Error> {
    let (plain, degrees) = (table.get("home"), table.get("home_deg"));
    if kind != JointKind::Free {
        table.one_of(&["home", "home_deg"])?;
    }
    let Some(field) = plain.as_ref().or(degrees.as_ref()) else { return Ok(None) };
    let mut q = kind.neutral();
    match kind {
        JointKind::Fixed => return Err(field.wrong("is not for a fixed joint")),
        JointKind::Prismatic { .. } if plain.is_none() => {
            return Err(field.wrong("slides; give `home` in metres"));
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
        JointKind::Partial { .. } => return Err(field.wrong("is not for a connection")),
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

/// A position, with a quaternion behind it or angles in `home_deg`.
fn free_home(
    q: &mut [f64; MAX_NQ],
    plain: Option<Field>,
    degrees: Option<Field>,
    order: RotationOrder,
) -> Result<(), Error> {
    if let Some(f) = &plain {
        let given = f.numbers()?;
        match (given.len(), &degrees) {
            (3, _) => q[..3].copy_from_slice(&given),
            (MAX_NQ, None) => {
                q[..3].copy_from_slice(&given[..3]);
                q[3..].copy_from_slice(&unit_quaternion(f, [given[3], given[4], given[5], given[6]])?.0);
            }
            (n, None) => {
                return Err(
                    f.wrong(format!("has {}, expected 3 or 7 for a free joint", counted(n, "number")))
                );
            }
            (n, Some(_)) => {
                return Err(f.wrong(format!("has {}, expected 3 beside `home_deg`", counted(n, "number"))));
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
            return given.map_or(Ok(()), |f| Err(f.wrong(format!("is not for a {} joint", kind.name()))));
        }
        moving => moving.nv(),
    };
    let slides = matches!(kind, JointKind::Prismatic { .. });
    let dof = &mut dof[..n];
    if let Some((field, unit)) = angle(table, ["range", "range_deg"], slides)? {
        ranges(&field, unit, dof)?;
    }
    if let Some(field) = table.get("limit") {
        let read = |f: &Field| limit(f, &table.called, slides);
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

/// The field given in metres or radians, or in degrees, and how to get SI units from it.
fn angle<'a>(table: &Table<'a>, keys: [&str; 2], slides: bool) -> Result<Option<(Field<'a>, ToSi)>, Error> {
    Ok(match table.one_of(&keys)? {
        None => None,
        Some((0, field)) => Some((field, |x| x)),
        Some((_, field)) if slides => {
            return Err(field.wrong(format!("slides; give `{}` in metres", keys[0])));
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
                    return Err(
                        pair.wrong(format!("runs from {lower} down to {upper}, expected [lower, upper]"))
                    );
                }
                Some(Range { lower: unit(lower), upper: unit(upper) })
            }
            _ => {
                return Err(
                    pair.wrong(format!("has {}, expected [lower, upper]", counted(ends.len(), "number")))
                );
            }
        };
    }
    Ok(())
}

fn limit(field: &Field, joint: &str, slides: bool) -> Result<Option<LimitSpring>, Error> {
    #[derive(Clone, Copy)]
    enum Law {
        None,
        Power,
        Exponential,
    }
    let table = field.table(format!("the limit of {joint}"))?;
    table.allow(&[&LIMIT_KEYS])?;
    let words = [("power", Law::Power), ("exponential", Law::Exponential), ("none", Law::None)];
    let law = table.require("law", "power, exponential or none")?;
    let (word, law) = (law.string()?, law.word(&words)?);
    let surplus: &[&str] = match law {
        Law::None => &LIMIT_KEYS[1..],
        Law::Power => &["c"],
        Law::Exponential => &["n"],
    };
    if let Some(f) = surplus.iter().find_map(|key| table.get(key)) {
        return Err(f.wrong(format!("is not for the law \"{word}\"")));
    }
    let k = |table: &Table| table.require("k", "the strength of the spring")?.not_negative();
    let law = match law {
        Law::None => return Ok(None),
        Law::Power => {
            let n = table.get("n").map_or(Ok(DEFAULT_EXPONENT), |f| f.positive())?;
            LimitLaw::Power { k: k(&table)?, n }
        }
        Law::Exponential => LimitLaw::Exponential {
            k: k(&table)?,
            c: table.require("c", "the rise of the spring")?.positive()?,
        },
    };
    let (blend, unit) = match angle(&table, ["blend", "blend_deg"], slides)? {
        Some(given) => given,
        None => {
            return Err(
                table.wrong("has no `blend` or `blend_deg`, the width of the region before each limit")
            );
        }
    };
    let blend = unit(blend.not_negative()?);
    Ok(Some(LimitSpring { law, blend, rebound: rebound(&table)? }))
}

fn rebound(table: &Table) -> Result<f64, Error> {
    let Some(field) = table.get("rebound") else { return Ok(0.0) };
    match field.number()? {
        x if (0.0..=1.0).contains(&x) => Ok(x),
        x => Err(field.wrong(format!("is {x}, expected 0 (no force on the way back) to 1 (all of it)"))),
    }
}

fn effort(field: &Field) -> Result<f64, Error> {
    match field.number_or_infinity()? {
        x if x >= 0.0 => Ok(x),
        x => Err(field.wrong(format!("is {x}, expected zero or more"))),
    }
}

/// What is doubtful about a joint that can be built.
fn warn(table: &Table, spec: &JointSpec, warnings: &mut Vec<Warning>) {
    if matches!(spec.kind, JointKind::Free | JointKind::Fixed) {
        return;
    }
    let home = JointState::at_rest(spec.home.unwrap_or(spec.kind.neutral()));
    let unlocked = Coordinates::new(spec.kind, spec.order, &[Dof::default(); MAX_DOF], [0.0; MAX_DOF]);
    let (angles, _) = unlocked.angles_and_rates(&home);
    for (k, d) in spec.dof[..spec.kind.nv()].iter().enumerate() {
        let mut say = |what: String| warnings.push(Warning { place: Some(table.place()), what });
        match (d.range, d.limit) {
            (None, Some(_)) => {
                say(format!("{}: degree of freedom {k} has a limit but no range", table.called))
            }
            (Some(r), _) if angles[k] < r.lower || angles[k] > r.upper => {
                say(format!("{}: degree of freedom {k} is at home outside its range", table.called))
            }
            _ => {}
        }
    }
}
