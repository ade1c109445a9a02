//! One steady step looked into: torques refined over runs of direct dynamics (HIDDS), and the step on the virtual leg.

use super::asked::Asked;
use crate::args::StepArgs;
use crate::report;
use anthropi_dynamics::model::Figure;
use anthropi_motion::gait::Walked;
use anthropi_motion::hybrid::{Course, Refined, Settings, Told, refine};
use anthropi_motion::virtual_leg::{Difference, Rest, Ride, VirtualLeg, ride};
use anyhow::{bail, ensure};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// Length of the virtual leg, parts of the height of the hip.
const LEG: f64 = 1.07;

/// A step that is to be looked into, while the figure walks.
pub struct Study {
    /// every step of the engine
    pub course: Course,
    real: Arc<Figure>,
}

impl Study {
    /// Where it is asked for.
    pub fn of(args: &StepArgs, asked: &Asked) -> anyhow::Result<Option<Study>> {
        if !(args.hidds || args.virtual_leg) {
            return Ok(None);
        }
        let real = Arc::new(real(&asked.figure, &args.real)?);
        Ok(Some(Study { course: Course::on(asked.walker.places(), 0.0), real }))
    }
}

/// What was found.
pub struct Studied {
    /// from landing to landing, s
    pub span: [f64; 2],
    /// torques for the body that is really there
    pub refined: Option<Refined>,
    leg: Option<(Ride, Difference)>,
}

impl Studied {
    /// A steady step in the middle of the walk, whose engine steps are a course.
    pub fn of(args: &StepArgs, asked: &Asked, walked: &Walked, study: &Study) -> anyhow::Result<Studied> {
        let Study { course, real } = study;
        let end = course.instants.len() as f64 * course.dt;
        let steps = &walked.steps.steps;
        let steady: Vec<[f64; 2]> = steps
            .windows(2)
            .filter(|s| s[0].is_steady && s[1].is_steady && s[1].land < end)
            .map(|s| [s[0].land, s[1].land])
            .collect();
        let Some(span) = steady.get(steady.len() / 2).copied() else {
            bail!("--hidds and --virtual-leg need a steady step from landing to landing: ask for --steps 4")
        };
        let at = |t: f64| (t / course.dt).round() as usize;
        let course = course.part(at(span[0]), at(span[1]));
        let (figure, friction) = (&asked.figure, asked.settings.friction);
        let refined =
            args.hidds.then(|| refine(figure, real, &course, &args.settings(friction))).transpose()?;
        let leg = args.virtual_leg.then(|| {
            let weight = figure.mass() * figure.gravity().norm();
            let rigid = refine(figure, figure, &course, &Settings { friction, ..Settings::default() })?;
            let leg = VirtualLeg::new(weight, LEG * asked.who.leg);
            let ride = ride(figure, &course, &leg, Rest::KeepsHeight)?;
            let difference = ride.against(&rigid.motion, &rigid.ground);
            anyhow::Ok((ride, difference))
        });
        Ok(Studied { span, refined, leg: leg.transpose()? })
    }

    pub fn to_json(&self) -> Value {
        let number = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
        let run = |t: &Told| {
            json!({
                "posture_deg": number(t.posture_deg), "root_end_m": number(t.root_end), "gain": t.gain,
                "is_best": t.is_best, "foot_steps": t.unreal.steps, "foot_steps_pulling": t.unreal.pulling,
                "foot_steps_beyond_friction_or_sole": t.unreal.leaving, "unreal_force_bw": t.unreal.most,
            })
        };
        let mut value = json!({ "from_s": self.span[0], "to_s": self.span[1] });
        if let Some(r) = &self.refined {
            value["hidds"] = json!({
                "runs": r.history.iter().map(run).collect::<Vec<_>>(),
                "best": r.best,
                "posture_deg": number(r.history[r.best].posture_deg),
                "unexplained_force_N": r.unexplained,
            });
        }
        if let Some((ride, d)) = &self.leg {
            value["virtual_leg"] = json!({
                "height_rms_m": d.height_rms, "center_rms_m": d.center_rms, "center_end_m": d.center_end,
                "force_rms_bw": d.force_rms, "peak_bw": d.peak, "peak_rigid_bw": d.other_peak,
                "mean_bw": d.mean, "mean_rigid_bw": d.other_mean, "feet_slide_m": ride.slid,
                "feet_off_ground_m": ride.lifted, "friction": ride.friction,
            });
        }
        value
    }

    pub fn to_text(&self) -> String {
        let mut text = format!("one step, {:.2} to {:.2} s\n", self.span[0], self.span[1]);
        if let Some(r) = &self.refined {
            let mut table = report::table(&["run", "posture error, deg", "root at the end, mm", "gain", ""]);
            for (k, t) in r.history.iter().enumerate() {
                table.add_row([
                    k.to_string(),
                    format!("{:.4}", t.posture_deg),
                    format!("{:.2}", 1e3 * t.root_end),
                    format!("{:.2}", t.gain),
                    if t.is_best { String::new() } else { "worse, dropped".into() },
                ]);
            }
            let unreal = &r.history[r.best].unreal;
            let _ = writeln!(
                text,
                "{table}\n  torques of run {} move it; of {} steps of a foot {} pull at the ground and {} go beyond friction or sole",
                r.best, unreal.steps, unreal.pulling, unreal.leaving
            );
        }
        if let Some((ride, d)) = &self.leg {
            let _ = writeln!(
                text,
                "  on the virtual leg  vertical force to {:.2} BW (rigid contact {:.2}), centre of mass off by {:.1} cm (height {:.1}), \
                 feet slide by {:.1} cm",
                d.peak,
                d.other_peak,
                100.0 * d.center_rms,
                100.0 * d.height_rms,
                100.0 * ride.slid
            );
        }
        text
    }
}

/// The body that is really there.
fn real(figure: &Figure, factors: &[(String, f64)]) -> anyhow::Result<Figure> {
    let is_meant = |link: &str, name: &str| link == name || link.ends_with(&format!("_{name}"));
    for (name, _) in factors {
        let mut links = figure.links().map(|(_, l)| l.spec.name.as_str());
        ensure!(
            links.any(|link| is_meant(link, name)),
            "--real: {} has no link `{name}`; it has {}",
            figure.name,
            figure.links().map(|(_, l)| l.spec.name.clone()).collect::<Vec<_>>().join(", ")
        );
    }
    let factor = |link: &str| -> f64 {
        factors.iter().filter(|(name, _)| is_meant(link, name)).map(|(_, factor)| factor).product()
    };
    Ok(figure.with_masses(|link| factor(&link.spec.name))?)
}
