//! The motion to filter: from a file or filter scene, with edits and pushes.

use crate::args::FilterArgs;
use crate::{motions, outputs};
use anthropi_app::filter_scene::{MotionSource, NamedForce};
use anthropi_app::loaded_motion::LoadedMotion;
use anthropi_dynamics::model::Figure;
use anthropi_formats::names;
use anthropi_motion::filter::{AppliedForce, FilterSettings, Mode};
use anyhow::{anyhow, ensure};
use std::path::Path;

/// Motion and settings of the options and the filter scene; the options take precedence.
pub struct FilterRequest {
    pub loaded: LoadedMotion,
    pub settings: FilterSettings,
    /// whether the input is a filter scene
    pub is_scene: bool,
}

impl FilterRequest {
    pub fn from_args(args: &FilterArgs) -> anyhow::Result<FilterRequest> {
        let scene = motions::scene(&args.input)?;
        let (mut subject, mut edits) = (args.person.subject(), args.edit.edits());
        let scene_mode = scene.as_ref().and_then(|scene| scene.mode);
        let mut settings = args.solving.settings(&args.force, scene_mode, args.edit.speed)?;
        let options = args.motion.options();
        let mut reads = vec![Some(Path::new(&args.input))];
        if let Some(scene) = &scene {
            edits = edits.or(&scene.edits);
            if args.edit.speed.is_some() {
                edits.speed = args.edit.edits().speed;
            }
            if let (None, Some(surroundings)) = (args.force.surroundings(), &scene.surroundings) {
                settings.surroundings = surroundings.clone();
                ensure!(
                    settings.mode == Mode::Offline || surroundings.given.is_empty(),
                    "the props of {} need --mode offline: on-line only the ground carries",
                    args.input
                );
            }
            // a speed that was chosen is kept
            settings.retimes &= edits.speed.is_none();
            subject = motions::scene_subject(scene, subject);
            motions::refuse_options(&options, &args.input)?;
            if let MotionSource::Motion(name) = &scene.motion {
                reads.push(Some(Path::new(name)));
            }
        }
        reads.extend(motions::reads(&subject, &edits));
        let writes = [("--out", &args.out), ("--report", &args.report), ("--save-props", &args.save_props)];
        outputs::refuse_clashes(&reads, &writes.map(|(option, path)| (option, path.as_deref())))?;
        let mut loaded = match &scene {
            None => motions::load(&args.input, &options, &subject)?,
            Some(scene) => motions::load_scene(scene, &subject)?,
        };
        if !edits.is_empty() || edits.weight.is_some() {
            loaded.clip = motions::edited(loaded.clip, &edits, &subject)?;
            loaded.recording = None;
        }
        let figure = loaded.clip.figure();
        let pushes = match &scene {
            Some(scene) if args.push.push.is_empty() => scene.pushes_on(figure)?,
            _ => args.push.push.iter().map(|p| push(p, figure)).collect::<anyhow::Result<_>>()?,
        };
        let end = loaded.clip.duration();
        for (i, push) in pushes.iter().enumerate() {
            ensure!(
                push.from < end,
                "push {} begins at {} s, but the motion is over at {end:.2} s",
                i + 1,
                push.from
            );
        }
        let settings = FilterSettings { pushes, ..settings };
        Ok(FilterRequest { loaded, settings, is_scene: scene.is_some() })
    }
}

/// A push on a link of a figure.
pub fn push(named: &NamedForce, figure: &Figure) -> anyhow::Result<AppliedForce> {
    let links = figure.links().map(|(_, l)| l.spec.name.as_str());
    named.on(figure).ok_or_else(|| anyhow!("--push: {}", names::unknown("link", &named.link, links)))
}
