//! `compute`: the dynamics of a figure in one state.

mod closed;
mod text;

use super::Outcome;
use crate::args::Quantity::*;
use crate::args::{ComputeArgs, Want};
use crate::state::Given;
use crate::{report, source};
use anthropi_dynamics::algo::{centroidal, crba, energy, fk::Kinematics, jacobian, rnea};
use anthropi_dynamics::model::{Figure, Forest, LinkHandle};
use anthropi_dynamics::spatial::{Force, Motion, Vec3};
use anthropi_io::names;
use anyhow::{anyhow, bail};
use serde_json::{Map, Value, json};

/// Computes what is wanted.
pub fn run(args: &ComputeArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let takes_choice = |w: &Want| matches!(w, Want::Whole(Closure | ClosedInverseDynamics));
    if !args.generalized.is_empty() && !args.want.iter().any(takes_choice) {
        bail!("--generalized is for --want closure and closed_inverse_dynamics; neither is asked for");
    }
    let source::Subject { figure, start, .. } = source::subject(&args.figure)?;
    let given = Given::read(&figure, start, args.state.as_deref())?;
    let question = Question::new(&figure, &given, &args.generalized);
    let mut fields = Map::new();
    for want in &args.want {
        fields.insert(want.name(), question.answer(want)?);
    }
    if let Some((field, _)) = fields.iter().find(|(_, value)| has_hole(value)) {
        return Ok(Outcome::No(format!("`{field}` is not finite: {}", question.why_not_finite(field))));
    }
    if as_json {
        report::json(&fields.into())?;
    } else {
        report::print(&text::to_text(&fields, &figure.dof_names()))?;
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
    /// coordinates that must be generalized ones
    forced: &'a [String],
}

impl<'a> Question<'a> {
    fn new(figure: &'a Figure, given: &'a Given, forced: &'a [String]) -> Question<'a> {
        let forest = figure.forest();
        let (q, v) = (&given.state.q, &given.state.v);
        let mut kinematics = Kinematics::default();
        kinematics.update(forest, q, Some(v), None);
        let mut external = vec![Force::default(); forest.bodies().len()];
        for push in &given.pushes {
            let (body, force) =
                kinematics.force_on_link(forest, push.link, push.point, push.force, push.torque);
            external[body.index()] += force;
        }
        let mut passive = vec![0.0; forest.nv()];
        forest.add_passive_forces(q, v, &mut passive);
        Question { figure, forest, given, kinematics, external, passive, forced }
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
            Closure => self.closure()?,
            ConstraintForces => self.constraint_forces(),
            ClosedInverseDynamics => self.closed_inverse_dynamics()?,
        })
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

    /// Accelerations under the state's forces, connections held.
    fn forward_dynamics(&self) -> Vec<f64> {
        self.closed_forward_dynamics().0
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
        self.figure
            .links()
            .map(|(handle, link)| (link.spec.name.clone(), of(handle)))
            .collect::<Map<_, _>>()
            .into()
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
