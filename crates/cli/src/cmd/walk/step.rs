//! One steady step in detail: torques refined over runs of forward dynamics (HIDDS), and the step on the virtual leg.

use crate::args::StepArgs;
use crate::report;
use anthropi_app::result::StepStudy;
use anthropi_app::walk::PreparedWalk;
use anthropi_dynamics::model::Figure;
use anthropi_motion::gait::WalkResult;
use anthropi_motion::papers::hidds::{DesiredMotion, HiddsSettings, refine};
use anthropi_motion::papers::virtual_leg::{RestLength, VirtualLeg, simulate};
use anyhow::{bail, ensure};
use std::fmt::Write;
use std::sync::Arc;

/// Length of the virtual leg as a fraction of hip height.
const LEG: f64 = 1.07;

/// Recording of the walk for the study of one step.
pub struct Recording {
    /// all steps of the engine
    pub course: DesiredMotion,
    /// figure with the masses of --real
    real: Arc<Figure>,
}

impl Recording {
    /// `None` unless --hidds or --virtual-leg is given.
    pub fn new(args: &StepArgs, walk: &PreparedWalk) -> anyhow::Result<Option<Recording>> {
        if !(args.hidds || args.virtual_leg) {
            return Ok(None);
        }
        let real = Arc::new(real(&walk.figure, &args.real)?);
        Ok(Some(Recording { course: DesiredMotion::new(walk.walker.contact_points(), 0.0), real }))
    }

    /// Studies a steady step in the middle of the walk.
    pub fn study(
        &self,
        args: &StepArgs,
        walk: &PreparedWalk,
        walked: &WalkResult,
    ) -> anyhow::Result<StepStudy> {
        let Recording { course, real } = self;
        let end = course.samples.len() as f64 * course.dt;
        let steps = &walked.steps.steps;
        let steady: Vec<[f64; 2]> = steps
            .windows(2)
            .filter(|s| s[0].is_steady && s[1].is_steady && s[1].land < end)
            .map(|s| [s[0].land, s[1].land])
            .collect();
        let Some(span) = steady.get(steady.len() / 2).copied() else {
            bail!("--hidds and --virtual-leg need a steady step from landing to landing, such as --steps 4")
        };
        let at = |t: f64| (t / course.dt).round() as usize;
        let course = course.part(at(span[0]), at(span[1]));
        let (figure, friction) = (&walk.figure, walk.settings.friction);
        let refined =
            args.hidds.then(|| refine(figure, real, &course, &args.settings(friction))).transpose()?;
        let leg = args.virtual_leg.then(|| {
            let weight = figure.mass() * figure.gravity().norm();
            let rigid =
                refine(figure, figure, &course, &HiddsSettings { friction, ..HiddsSettings::default() })?;
            let leg = VirtualLeg::new(weight, LEG * walk.stature.leg);
            let ride = simulate(figure, &course, &leg, RestLength::KeepsHeight)?;
            let difference = ride.compared_with(&rigid.motion, &rigid.ground);
            anyhow::Ok((ride, difference))
        });
        Ok(StepStudy { span, refined, leg: leg.transpose()? })
    }
}

/// Text for the terminal.
pub fn to_text(study: &StepStudy) -> String {
    let mut text = format!("one step, {:.2} to {:.2} s\n", study.span[0], study.span[1]);
    if let Some(r) = &study.refined {
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
        let violations = &r.history[r.best].violations;
        let _ = writeln!(
            text,
            "{table}\n  best run: {}; of {} foot contacts, {} pull at the ground and {} violate friction or sole limits",
            r.best, violations.steps, violations.pulling, violations.leaving
        );
    }
    if let Some((ride, d)) = &study.leg {
        let _ = writeln!(
            text,
            "  on the virtual leg  vertical force up to {:.2} BW (rigid contact {:.2}), centre of mass off by {:.1} cm (height {:.1}), \
             feet slip by {:.1} cm",
            d.peak,
            d.other_peak,
            100.0 * d.center_rms,
            100.0 * d.height_rms,
            100.0 * ride.slip
        );
    }
    text
}

/// The figure with masses scaled by --real.
fn real(figure: &Figure, factors: &[(String, f64)]) -> anyhow::Result<Figure> {
    let matches = |link: &str, name: &str| link == name || link.ends_with(&format!("_{name}"));
    for (name, _) in factors {
        let mut links = figure.links().map(|(_, l)| l.spec.name.as_str());
        ensure!(
            links.any(|link| matches(link, name)),
            "--mass-factor: {} has no link `{name}`; it has {}",
            figure.name,
            figure.links().map(|(_, l)| l.spec.name.clone()).collect::<Vec<_>>().join(", ")
        );
    }
    let factor = |link: &str| -> f64 {
        factors.iter().filter(|(name, _)| matches(link, name)).map(|(_, factor)| factor).product()
    };
    Ok(figure.with_masses(|link| factor(&link.spec.name))?)
}
