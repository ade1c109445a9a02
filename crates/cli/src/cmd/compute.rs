//! `compute`: the dynamics of a figure in one state.

use super::Outcome;
use crate::args::ComputeArgs;
use crate::state::Given;
use crate::{names, report, source};
use anthropi_dynamics::algo::{aba, centroidal, crba, energy, fk::Kinematics, jacobian, rnea};
use anthropi_dynamics::model::{Figure, Forest, LinkHandle};
use anthropi_dynamics::spatial::{Force, Motion, Vec3};
use anyhow::{anyhow, bail};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::str::FromStr;

/// Something that can be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// of the figure as a whole
    Whole(Quantity),
    /// Jacobian of a link's origin
    Jacobian(String),
}

/// What can be computed of a figure as a whole; [`QUANTITIES`] says what each is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    Dofs,
    MassMatrix,
    Bias,
    InverseDynamics,
    ForwardDynamics,
    LinkPoses,
    LinkVelocities,
    Com,
    KineticEnergy,
    PotentialEnergy,
    SpringEnergy,
    Momentum,
    CentroidalMomentumMatrix,
    Closure,
    ConstraintForces,
    ClosedInverseDynamics,
}

use Quantity::*;

const QUANTITIES: [(Quantity, &str, &str); 16] = [
    (Dofs, "dofs", "names of the degrees of freedom, in the order of all vectors"),
    (MassMatrix, "mass_matrix", "rows of M"),
    (Bias, "bias", "forces that keep the accelerations zero, without the forces on links"),
    (InverseDynamics, "inverse_dynamics", "forces of the actuators that give the accelerations a"),
    (ForwardDynamics, "forward_dynamics", "accelerations under tau and the forces on links"),
    (LinkPoses, "link_poses", "position and orientation [w,x,y,z] of each link"),
    (LinkVelocities, "link_velocities", "angular velocity, and velocity of the origin, of each link, world axes"),
    (Com, "com", "centre of mass"),
    (KineticEnergy, "kinetic_energy", "energy of motion, J"),
    (PotentialEnergy, "potential_energy", "energy in gravity, J, zero at the world's origin"),
    (SpringEnergy, "spring_energy", "energy in the joints' springs, J"),
    (Momentum, "momentum", "linear, and angular about the centre of mass"),
    (CentroidalMomentumMatrix, "centroidal_momentum_matrix", "6 rows, angular first: momentum per velocity"),
    (Closure, "closure", "rank and generalized coordinates of loops"),
    (ConstraintForces, "constraint_forces", "forces in the connections"),
    (ClosedInverseDynamics, "closed_inverse_dynamics", "forces of the actuators of a figure with loops"),
];
const JACOBIAN: (&str, &str) = ("jacobian:LINK", "6 rows, angular first: velocity of LINK's origin per velocity, world axes");

impl Want {
    /// The list for `--help`.
    pub fn help() -> String {
        let all = QUANTITIES.iter().map(|(_, name, what)| (*name, *what)).chain([JACOBIAN]);
        let lines: String = all.map(|(name, what)| format!("\n  {name:27} {what}")).collect();
        format!("What to compute, separated by commas:{lines}")
    }

    fn name(&self) -> String {
        match self {
            Want::Whole(quantity) => quantity.name().into(),
            Want::Jacobian(link) => format!("jacobian:{link}"),
        }
    }
}

impl Quantity {
    fn name(self) -> &'static str {
        QUANTITIES.iter().find(|(q, ..)| *q == self).map_or("", |(_, name, _)| name)
    }
}

impl FromStr for Want {
    type Err = String;

    fn from_str(text: &str) -> Result<Want, String> {
        if let Some(link) = text.strip_prefix("jacobian:") {
            return Ok(Want::Jacobian(link.into()));
        }
        let found = QUANTITIES.iter().find(|(_, name, _)| *name == text);
        let all = || QUANTITIES.iter().map(|(_, name, _)| *name).chain([JACOBIAN.0]);
        found.map(|(q, ..)| Want::Whole(*q)).ok_or_else(|| names::unknown("quantity", text, all()))
    }
}

/// Computes what is wanted.
pub fn run(args: &ComputeArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let figure = source::figure(&args.figure)?.figure;
    let given = Given::read(&figure, args.state.as_deref())?;
    let question = Question::new(&figure, &given);
    let mut fields = Map::new();
    for want in &args.want {
        fields.insert(want.name(), question.answer(want)?);
    }
    source::warn_of_loops(&figure);
    if let Some((field, _)) = fields.iter().find(|(_, value)| has_hole(value)) {
        return Ok(Outcome::No(format!("`{field}` is not finite: {}", question.why_not_finite(field))));
    }
    if as_json {
        report::json(&fields.into())?;
    } else {
        report::print(&to_text(&fields, &figure.dof_names()))?;
    }
    Ok(Outcome::Fine)
}

/// Whether a number was infinite or NaN: JSON has neither, and makes it null. Answers have no other nulls.
fn has_hole(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.iter().any(has_hole),
        Value::Object(table) => table.values().any(has_hole),
        _ => false,
    }
}

/// A figure, its state and what acts on it, ready for the algorithms.
struct Question<'a> {
    figure: &'a Figure,
    forest: &'a Forest,
    given: &'a Given,
    kinematics: Kinematics,
    /// on each body, about its origin, world axes
    external: Vec<Force>,
    /// forces the joints make by themselves
    passive: Vec<f64>,
}

impl<'a> Question<'a> {
    fn new(figure: &'a Figure, given: &'a Given) -> Question<'a> {
        let forest = figure.forest();
        let (q, v) = (&given.state.q, &given.state.v);
        let mut kinematics = Kinematics::default();
        kinematics.update(forest, q, Some(v), None);
        let mut external = vec![Force::default(); forest.bodies().len()];
        for push in &given.pushes {
            let body = forest.link_place(push.link).body;
            let point = push.point.unwrap_or(kinematics.link_pose(forest, push.link).translation);
            let arm = point - kinematics.body_pose(body).translation;
            external[body.index()] += Force::at_point(push.force, arm) + Force::new(push.torque, Vec3::ZERO);
        }
        let mut passive = vec![0.0; forest.nv()];
        forest.add_passive_forces(q, v, &mut passive);
        Question { figure, forest, given, kinematics, external, passive }
    }

    fn answer(&self, want: &Want) -> anyhow::Result<Value> {
        let (forest, kinematics, v) = (self.forest, &self.kinematics, &self.given.state.v);
        let quantity = match want {
            Want::Jacobian(link) => return self.jacobian(link),
            Want::Whole(quantity) => quantity,
        };
        Ok(match quantity {
            Dofs => self.figure.dof_names().into(),
            MassMatrix => self.mass_matrix().into(),
            Bias => self.inverse_dynamics(&vec![0.0; forest.nv()], None).into(),
            InverseDynamics => self.inverse_dynamics(&self.given.a, Some(&self.external)).into(),
            ForwardDynamics => self.forward_dynamics().into(),
            LinkPoses => self.each_link(|link| {
                let pose = kinematics.link_pose(forest, link);
                json!({ "position": pose.translation.to_array(), "orientation": pose.orientation().0 })
            }),
            LinkVelocities => self.each_link(|link| {
                let velocity = kinematics.link_velocity(forest, link);
                json!({ "angular": velocity.angular.to_array(), "linear": velocity.linear.to_array() })
            }),
            Com => json!(centroidal::center_of_mass(forest, kinematics).to_array()),
            KineticEnergy => energy::kinetic(forest, kinematics, v).into(),
            PotentialEnergy => energy::potential(forest, kinematics).into(),
            SpringEnergy => forest.spring_energy(&self.given.state.q).into(),
            Momentum => {
                let h = centroidal::momentum(forest, kinematics);
                json!({ "linear": h.linear.to_array(), "angular": h.angular.to_array() })
            }
            CentroidalMomentumMatrix => {
                let mut columns = vec![Force::default(); forest.nv()];
                centroidal::momentum_matrix(forest, kinematics, &mut Vec::new(), &mut columns);
                rows(&columns.into_iter().map(Force::to_array).collect::<Vec<_>>())
            }
            Closure | ConstraintForces | ClosedInverseDynamics => {
                bail!("`{}` is not available: {}", quantity.name(), self.why_no_loops())
            }
        })
    }

    fn why_no_loops(&self) -> String {
        match self.figure.connections().count() {
            0 => format!("figure `{}` has no connections", self.figure.name),
            n => format!("the {n} connection(s) of `{}` are read but not computed with yet", self.figure.name),
        }
    }

    fn mass_matrix(&self) -> Vec<Vec<f64>> {
        let mut m = crba::PathMatrix::default();
        crba::mass_matrix(self.forest, &self.given.state.q, &mut crba::Work::default(), &mut m);
        m.to_dense(self.forest)
    }

    /// M a + h - passive - J^T f: what the actuators must give.
    fn inverse_dynamics(&self, a: &[f64], external: Option<&[Force]>) -> Vec<f64> {
        let (q, v) = (&self.given.state.q, &self.given.state.v);
        let mut tau = vec![0.0; self.forest.nv()];
        rnea::inverse_dynamics(self.forest, q, v, a, external, &mut rnea::Work::default(), &mut tau);
        tau.iter_mut().zip(&self.passive).for_each(|(t, p)| *t -= p);
        tau
    }

    fn forward_dynamics(&self) -> Vec<f64> {
        let (q, v) = (&self.given.state.q, &self.given.state.v);
        let tau: Vec<f64> = self.given.tau.iter().zip(&self.passive).map(|(t, p)| t + p).collect();
        let mut a = vec![0.0; self.forest.nv()];
        let external = Some(&self.external[..]);
        aba::forward_dynamics(self.forest, q, v, &tau, external, None, &mut aba::Work::default(), &mut a);
        a
    }

    fn jacobian(&self, link: &str) -> anyhow::Result<Value> {
        let found = self.figure.links().find(|(_, l)| l.spec.name == link);
        let (handle, _) = found.ok_or_else(|| {
            let all = self.figure.links().map(|(_, l)| l.spec.name.as_str());
            anyhow!("jacobian:{link}: {}", names::unknown("link", link, all))
        })?;
        let mut columns = vec![Motion::default(); self.forest.nv()];
        jacobian::of_link_point(self.forest, &self.kinematics, handle, Vec3::ZERO, &mut columns);
        Ok(rows(&columns.into_iter().map(Motion::to_array).collect::<Vec<_>>()))
    }

    fn each_link(&self, of: impl Fn(LinkHandle) -> Value) -> Value {
        self.figure.links().map(|(handle, link)| (link.spec.name.clone(), of(handle))).collect::<Map<_, _>>().into()
    }

    /// Accelerations are the only quotients here: if nothing else is out of range, M has no inverse.
    fn why_not_finite(&self, field: &str) -> &'static str {
        let tau = self.inverse_dynamics(&self.given.a, Some(&self.external));
        match field == "forward_dynamics" && tau.iter().all(|x| x.is_finite()) {
            true => "the mass matrix is singular in this pose",
            false => "the numbers of the state are too large",
        }
    }
}

/// Six rows from columns.
fn rows(columns: &[[f64; 6]]) -> Value {
    (0..6).map(|i| columns.iter().map(|c| c[i]).collect::<Vec<_>>()).collect::<Vec<_>>().into()
}

fn to_text(fields: &Map<String, Value>, dofs: &[String]) -> String {
    let mut text = String::new();
    for (name, value) in fields {
        let _ = match value {
            Value::Array(list) if list.iter().any(Value::is_array) => writeln!(text, "{name}\n{}\n", matrix(list, dofs)),
            Value::Array(list) if list.len() == dofs.len() && name != "dofs" => {
                writeln!(text, "{name}\n{}\n", by_name(dofs.iter().zip(list)))
            }
            Value::Object(table) => writeln!(text, "{name}\n{}\n", by_name(table)),
            other => writeln!(text, "{name}  {}\n", inline(other)),
        };
    }
    text
}

fn by_name<'a>(entries: impl IntoIterator<Item = (&'a String, &'a Value)>) -> String {
    let mut table = report::table(&["", ""]);
    for (name, value) in entries {
        table.add_row([name.clone(), inline(value)]);
    }
    table.to_string()
}

/// Columns are degrees of freedom, and so are the rows of a square matrix.
fn matrix(list: &[Value], dofs: &[String]) -> String {
    let header: Vec<&str> = std::iter::once("").chain(dofs.iter().map(String::as_str)).collect();
    let mut table = report::table(&header);
    let spatial = ["wx", "wy", "wz", "x", "y", "z"];
    for (i, row) in list.iter().enumerate() {
        let name = if list.len() == dofs.len() { dofs[i].as_str() } else { spatial.get(i).copied().unwrap_or("") };
        let cells = row.as_array().into_iter().flatten().map(inline);
        table.add_row(std::iter::once(name.to_string()).chain(cells));
    }
    table.to_string()
}

fn inline(value: &Value) -> String {
    match value {
        Value::Number(n) => n.as_f64().map_or_else(|| n.to_string(), report::number),
        Value::Array(list) => list.iter().map(inline).collect::<Vec<_>>().join("  "),
        Value::Object(table) => {
            table.iter().map(|(k, v)| format!("{k} {}", inline(v))).collect::<Vec<_>>().join("   ")
        }
        Value::String(s) => s.clone(),
        other => other.to_string(),
    }
}
