//! `compute`: dynamics of a figure in one state.

mod closed;
mod text;

use super::Outcome;
use crate::args::Quantity::*;
use crate::args::{ComputeArgs, Quantity};
use crate::state::LoadedState;
use crate::{report, source};
use anthropi_dynamics::algo::{centroidal, crba, energy, fk::Kinematics, jacobian, rnea};
use anthropi_dynamics::model::{Figure, Forest, LinkHandle};
use anthropi_dynamics::spatial::{Force, Motion, Vec3};
use anyhow::{anyhow, bail};
use serde_json::{Map, Value, json};

/// Runs the command.
pub fn run(args: &ComputeArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let takes_choice = |q: &Quantity| matches!(q, Closure | ClosedInverseDynamics);
    if !args.generalized.is_empty() && !args.quantities.iter().any(takes_choice) {
        bail!("--generalized is for --quantities closure and closed_inverse_dynamics; neither is requested");
    }
    let source::Subject { figure, start, .. } = source::subject(&args.figure)?;
    let loaded = LoadedState::read(&figure, start, args.state.as_deref())?;
    let evaluator = Evaluator::new(&figure, &loaded, &args.generalized);
    let mut fields = Map::new();
    for quantity in &args.quantities {
        fields.insert(quantity.name(), evaluator.evaluate(quantity)?);
    }
    if let Some((field, _)) = fields.iter().find(|(_, value)| has_null(value)) {
        return Ok(Outcome::No(format!("`{field}` is not finite: {}", evaluator.why_not_finite(field))));
    }
    report::show(as_json, || &fields, || text::to_text(&fields, &figure.dof_names()))?;
    Ok(Outcome::Fine)
}

/// Whether a number is infinite or NaN, which JSON turns into null. Results have no other nulls.
fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.iter().any(has_null),
        Value::Object(table) => table.values().any(has_null),
        _ => false,
    }
}

/// A figure in a state under applied forces.
struct Evaluator<'a> {
    figure: &'a Figure,
    forest: &'a Forest,
    loaded: &'a LoadedState,
    kinematics: Kinematics,
    /// force on each body, about its origin, world axes
    external: Vec<Force>,
    /// passive joint forces
    passive: Vec<f64>,
    /// requested generalized coordinates
    forced: &'a [String],
}

impl<'a> Evaluator<'a> {
    fn new(figure: &'a Figure, loaded: &'a LoadedState, forced: &'a [String]) -> Evaluator<'a> {
        let forest = figure.forest();
        let (q, v) = (&loaded.state.q, &loaded.state.v);
        let mut kinematics = Kinematics::default();
        kinematics.update(forest, q, Some(v), None);
        let mut external = vec![Force::default(); forest.bodies().len()];
        for push in &loaded.pushes {
            let (body, force) =
                kinematics.force_on_link(forest, push.link, push.point, push.force, push.torque);
            external[body.index()] += force;
        }
        let mut passive = vec![0.0; forest.nv()];
        forest.add_passive_forces(q, v, &mut passive);
        Evaluator { figure, forest, loaded, kinematics, external, passive, forced }
    }

    fn evaluate(&self, quantity: &Quantity) -> anyhow::Result<Value> {
        let (forest, kinematics, v) = (self.forest, &self.kinematics, &self.loaded.state.v);
        Ok(match quantity {
            Dofs => self.figure.dof_names().into(),
            MassMatrix => self.mass_matrix().into(),
            Bias => self.inverse_dynamics(&vec![0.0; forest.nv()], None).into(),
            InverseDynamics => self.inverse_dynamics(&self.loaded.a, Some(&self.external)).into(),
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
            SpringEnergy => forest.spring_energy(&self.loaded.state.q).into(),
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
            Jacobian(link) => self.jacobian(link)?,
        })
    }

    fn mass_matrix(&self) -> Vec<Vec<f64>> {
        let mut m = crba::PathMatrix::default();
        crba::mass_matrix(self.forest, &self.loaded.state.q, &mut crba::Work::default(), &mut m);
        m.to_dense(self.forest)
    }

    /// Actuator forces M a + h - passive - J^T f.
    fn inverse_dynamics(&self, a: &[f64], external: Option<&[Force]>) -> Vec<f64> {
        let (q, v) = (&self.loaded.state.q, &self.loaded.state.v);
        let mut tau = vec![0.0; self.forest.nv()];
        rnea::inverse_dynamics(self.forest, q, v, a, external, &mut rnea::Work::default(), &mut tau);
        tau.iter_mut().zip(&self.passive).for_each(|(t, p)| *t -= p);
        tau
    }

    /// Accelerations under the applied forces, connections held.
    fn forward_dynamics(&self) -> Vec<f64> {
        self.closed_forward_dynamics().0
    }

    fn jacobian(&self, link: &str) -> anyhow::Result<Value> {
        let handle = source::link(self.figure, link).map_err(|e| anyhow!("jacobian:{link}: {e}"))?;
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

    /// Accelerations are the only quotients: if the torques are finite, M is singular.
    fn why_not_finite(&self, field: &str) -> &'static str {
        let tau = self.inverse_dynamics(&self.loaded.a, Some(&self.external));
        match field == "forward_dynamics" && tau.iter().all(|x| x.is_finite()) {
            true => "the mass matrix is singular in this pose",
            false => "numbers in the state are too large",
        }
    }
}

/// Six rows from columns.
fn rows(columns: &[[f64; 6]]) -> Value {
    (0..6).map(|i| columns.iter().map(|c| c[i]).collect::<Vec<_>>()).collect::<Vec<_>>().into()
}
