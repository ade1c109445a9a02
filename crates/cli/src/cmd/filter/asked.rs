//! The motion that is filtered: from a file or a scene of the filter, changed as the options ask, and pushed.

use crate::args::{FilterArgs, HowArgs};
use crate::edit;
use crate::motions::{self, Moving};
use crate::outputs;
use anthropi_dynamics::model::Figure;
use anthropi_io::filtering::{Shove, Start};
use anthropi_io::names;
use anthropi_motion::filter::Push;
use anyhow::{anyhow, ensure};
use std::path::Path;

/// The options, and where they say nothing, the scene.
pub struct Asked {
    pub moving: Moving,
    pub how: HowArgs,
    pub pushes: Vec<Push>,
}

impl Asked {
    pub fn of(args: &FilterArgs) -> anyhow::Result<Asked> {
        let scene = motions::scene(&args.input)?;
        let (mut person, mut edit, mut how) = (args.person.clone(), args.edit.clone(), args.how);
        let mut reads = vec![Some(Path::new(&args.input))];
        if let Some(scene) = &scene {
            how.mode = how.mode.or(scene.mode.map(Into::into));
            edit = edit.or(&scene.changes);
            person = motions::person_of(scene, person);
            motions::refuse_options(&args.motion, &args.input)?;
            if let Start::Motion(name) = &scene.motion {
                reads.push(Some(Path::new(name)));
            }
        }
        let reads = [&reads[..], &edit.reads(), &person.reads()].concat();
        let writes = [("--out", &args.out), ("--report", &args.report)];
        outputs::refuse_clashes(&reads, &writes.map(|(option, path)| (option, path.as_deref())))?;
        let mut moving = match &scene {
            None => motions::moving(&args.input, &args.motion, &person)?,
            Some(scene) => motions::moving_in(scene, &person)?,
        };
        if !edit.is_empty() || edit.weight.is_some() {
            moving.clip = edit::edited(moving.clip, &edit, &person)?;
            moving.own = None;
        }
        let figure = moving.clip.figure();
        let pushes = match &scene {
            Some(scene) if args.push.push.is_empty() => scene.pushes_on(figure)?,
            _ => args.push.push.iter().map(|p| push(p, figure)).collect::<anyhow::Result<_>>()?,
        };
        let end = moving.clip.duration();
        for (i, push) in pushes.iter().enumerate() {
            ensure!(
                push.from < end,
                "push {} begins at {} s, but the motion is over at {end:.2} s",
                i + 1,
                push.from
            );
        }
        Ok(Asked { moving, how, pushes })
    }
}

/// A push on a link of the figure.
pub fn push(shove: &Shove, figure: &Figure) -> anyhow::Result<Push> {
    let links = figure.links().map(|(_, l)| l.spec.name.as_str());
    shove.on(figure).ok_or_else(|| anyhow!("--push: {}", names::unknown("link", &shove.link, links)))
}
