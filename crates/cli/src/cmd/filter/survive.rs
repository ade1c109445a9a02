//! `filter --survive`: the largest push that a motion survives, direction by direction.
//!
//! Computes, for each direction, the force up to which pushes are survived: in strides until one is not, then by bisection
//! to `NEAR`. Bisection alone might end at a force beyond weaker ones that are not survived: who stumbles may be lucky.
//! A push is survived when the figure does not fall; one that stands must be back where it was after `BACK` seconds, too.
//! Directions are those of the figure when it is pushed: zero is forward, 90 degrees is to its left.
//! Source: our own; [NY2000F §4.2.3] pushes a standing figure in various directions.
//! Not here: harder pushes that are survived again.
//! Checked by: `crates/cli/tests/cli/pushes.rs`.

use crate::args::{FilterArgs, HowArgs, PushArgs};
use crate::cmd::Outcome;
use crate::motions::Moving;
use crate::progress::Progress;
use crate::report;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_io::judging::mode_name;
use anthropi_io::load;
use anthropi_io::names;
use anthropi_io::plot::Rose;
use anthropi_motion::anatomy::{self, Part};
use anthropi_motion::clip::Clip;
use anthropi_motion::filter::{self, Outside, Push, Settings};
use anyhow::{Context, anyhow, bail, ensure};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Mutex;

/// Hardest push that is tried, N.
const MOST: f64 = 800.0;
/// How much harder it is pushed from one time to the next, N.
const STRIDE: f64 = 50.0;
/// How near the answer is, N.
const NEAR: f64 = 5.0;
/// A figure that stands is back so soon after the push, s, so near to where it was, m.
const BACK: f64 = 3.0;
const NEAR_BACK: f64 = 0.02;
/// A motion whose root stays within this stands, m.
const STANDS: f64 = 0.01;

/// What was found.
struct Survived {
    /// rad, to the left of forward
    direction: f64,
    /// N; up to this, pushes are survived
    force: f64,
}

/// A motion and the push it is tried with, but for its force.
struct Trial<'a> {
    input: &'a str,
    clip: &'a Clip,
    settings: Settings,
    link: LinkHandle,
    /// where on the link, in its axes
    point: Vec3,
    at: f64,
    lasts: f64,
    is_standing: bool,
    /// unit vector, horizontal
    forward: Vec3,
}

/// Tries, and tells.
pub fn run(args: &FilterArgs, moving: &Moving, how: &HowArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let ending = args.report.as_deref().map(Ending::of).transpose()?;
    let whole = &moving.clip;
    let is_standing = is_standing(whole);
    let at = args.push.at.unwrap_or(whole.duration() / 3.0);
    let clip = &relevant(whole, at, args.push.lasts, is_standing)?;
    let (link, name) = link(whole.figure(), &args.push, moving)?;
    let trial = Trial {
        input: &args.input,
        clip,
        settings: Settings { parts: moving.parts.clone(), ..how.settings(&args.force) },
        link,
        point: clip.figure().link(link).map(|l| l.spec.inertia.center())?,
        at,
        lasts: args.push.lasts,
        is_standing,
        forward: forward(clip, at),
    };
    if !trial.survives(0.0, 0.0)? {
        bail!("{}: it does not stand even if nobody pushes", args.input);
    }
    let all = trial.round_about(usize::from(args.push.directions))?;
    let mass = clip.figure().mass();
    let rose = rose(&trial, name, &all);
    if let (Some(ending), Some(path)) = (ending, &args.report) {
        let picture = rose.to_svg();
        let text = match ending {
            Ending::Svg => picture,
            Ending::Html => page(&rose.title, &picture, &table(&trial, &all, mass)),
        };
        load::replace(path, text.as_bytes())?;
    }
    if as_json {
        report::json(&to_json(&trial, how, name, &all, mass))?;
    } else {
        let mode = mode_name(how.mode().into());
        let mut text = format!("{}, filtered {mode}\n\n{}\n", rose.title, table(&trial, &all, mass));
        text.push_str(&criterion(&trial));
        match &args.report {
            Some(path) => text += &format!("\nto see it: {}\n", path.display()),
            None => text += "\nto see it: --report FILE.svg draws it round about\n",
        }
        report::print(&text)?;
    }
    Ok(Outcome::Fine)
}

/// How a picture is written.
#[derive(Clone, Copy)]
enum Ending {
    Svg,
    Html,
}

impl Ending {
    fn of(path: &Path) -> anyhow::Result<Ending> {
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("svg") => Ok(Ending::Svg),
            Some("html" | "htm") => Ok(Ending::Html),
            _ => bail!("{}: what is survived is drawn as .svg or .html", path.display()),
        }
    }
}

impl Trial<'_> {
    /// Seconds of the motion after the push.
    fn watched(&self) -> f64 {
        self.clip.duration() - self.at - self.lasts
    }

    /// All directions, many at once; each by itself, so that it does not matter how many.
    fn round_about(&self, directions: usize) -> anyhow::Result<Vec<Survived>> {
        let bar = Mutex::new((Progress::new("survive", directions as u64), 0));
        (0..directions)
            .into_par_iter()
            .map(|k| {
                let direction = k as f64 * core::f64::consts::TAU / directions as f64;
                let force = self.hardest(direction)?;
                if let Ok(mut bar) = bar.lock() {
                    bar.1 += 1;
                    let done = bar.1;
                    bar.0.at(done);
                }
                Ok(Survived { direction, force })
            })
            .collect()
    }

    /// The force up to which pushes are survived.
    fn hardest(&self, direction: f64) -> anyhow::Result<f64> {
        let (mut low, mut high) = (0.0, STRIDE);
        while self.survives(direction, high)? {
            (low, high) = (high, high + STRIDE);
            if high > MOST {
                return Ok(low);
            }
        }
        while high - low > NEAR {
            let middle = 0.5 * (low + high);
            match self.survives(direction, middle)? {
                true => low = middle,
                false => high = middle,
            }
        }
        Ok(low)
    }

    fn survives(&self, direction: f64, force: f64) -> anyhow::Result<bool> {
        let force = Quat::about(vec3(0.0, 0.0, 1.0), direction).rotate(self.forward).scale(force);
        let outside = Outside { link: self.link, at: self.point, force, is_known: false };
        let push = Push { from: self.at, to: self.at + self.lasts, outside };
        let settings = Settings { pushes: vec![push], ..self.settings.clone() };
        let filtered = filter::run(self.clip, &settings, &mut |_| (), &mut |_| ())
            .map_err(|error| anyhow!("{}: {error}", self.input))?;
        if filtered.fell.is_some() || !self.is_standing {
            return Ok(filtered.fell.is_none());
        }
        let place = |t: f64| root(&filtered.clip, (t / self.clip.dt()).floor() as usize);
        Ok((place(self.at + self.lasts + BACK) - place(self.at)).norm() < NEAR_BACK)
    }
}

/// Where the first free joint is at a frame.
fn root(clip: &Clip, frame: usize) -> Vec3 {
    let q = clip.pose(frame.min(clip.frames() - 1));
    vec3(q[0], q[1], q[2])
}

fn is_standing(clip: &Clip) -> bool {
    (0..clip.frames()).all(|k| (root(clip, k) - root(clip, 0)).norm() < STANDS)
}

/// The part of a motion that tells: of one that stands, until it must be back.
fn relevant(clip: &Clip, at: f64, lasts: f64, is_standing: bool) -> anyhow::Result<Clip> {
    let (end, most) = (at + lasts, clip.duration());
    ensure!(
        end < most,
        "the push lasts until {end:.2} s, but the motion is over at {most:.2} s; see --at and --for"
    );
    if !is_standing {
        return Ok(clip.clone());
    }
    // a frame more than is looked at
    let enough = end + BACK + 2.0 * clip.dt();
    ensure!(
        enough <= most,
        "who stands is to be back {BACK} s after the push, at {:.2} s, but the motion is over at {most:.2} s; see --at",
        end + BACK
    );
    let start = clip.start();
    Ok(clip.cut(start, start + enough)?)
}

/// The link to push, and its name.
fn link<'a>(figure: &'a Figure, args: &PushArgs, moving: &Moving) -> anyhow::Result<(LinkHandle, &'a str)> {
    let links: Vec<_> = figure.links().map(|(handle, l)| (handle, l.spec.name.as_str())).collect();
    match &args.link {
        Some(name) => links.iter().find(|(_, l)| l == name).copied().with_context(|| {
            format!("--link: {}", names::unknown("link", name, links.iter().map(|(_, l)| *l)))
        }),
        None => {
            let chest = anatomy::of_figure(figure, &moving.parts)?.last(Part::Chest);
            chest.map(|n| links[n]).context("no chest was found; --link LINK says what is pushed")
        }
    }
}

/// Which way the root looks at a time, along the ground; figures are declared looking along x.
fn forward(clip: &Clip, at: f64) -> Vec3 {
    let mut q = clip.figure().forest().home().to_vec();
    let looks = |q: &[f64]| {
        let mut kinematics = Kinematics::default();
        kinematics.update(clip.figure().forest(), q, None, None);
        let first = clip.figure().links().next().map(|(handle, _)| handle);
        first.map(|link| kinematics.link_pose(clip.figure().forest(), link))
    };
    let home = looks(&q);
    clip.sample(clip.start() + at, &mut q);
    let x = vec3(1.0, 0.0, 0.0);
    let Some((now, home)) = looks(&q).zip(home) else { return x };
    let ahead = now.rotation.mul(home.rotation.tr_mul(x));
    let flat = vec3(ahead.x, ahead.y, 0.0);
    if flat.norm() > 0.0 { flat.scale(1.0 / flat.norm()) } else { x }
}

/// A direction in words.
fn words(direction: f64) -> &'static str {
    const WORDS: [&str; 8] = [
        "forward",
        "forward left",
        "left",
        "backward left",
        "backward",
        "backward right",
        "right",
        "forward right",
    ];
    WORDS[(direction / core::f64::consts::FRAC_PI_4).round() as usize % WORDS.len()]
}

/// What is meant; a walk that ends soon after the push may hide a fall.
fn criterion(trial: &Trial) -> String {
    match trial.is_standing {
        true => format!(
            "survived: it does not fall, and {BACK} s after the push it is back within {} cm\n",
            100.0 * NEAR_BACK
        ),
        false => format!("survived: it does not fall in the {:.2} s that follow the push\n", trial.watched()),
    }
}

fn rose(trial: &Trial, link: &str, all: &[Survived]) -> Rose {
    Rose {
        title: format!(
            "{}: largest push at {link} survived, {} s from {:.2} s on",
            trial.clip.name, trial.lasts, trial.at
        ),
        unit: "N s".into(),
        spokes: all.iter().map(|s| (s.direction, s.force * trial.lasts)).collect(),
        names: ["forward", "left", "backward", "right"].map(Into::into),
    }
}

fn table(trial: &Trial, all: &[Survived], mass: f64) -> String {
    let mut table = report::table(&["pushed", "degrees", "N", "N s", "N s / kg"]);
    for s in all {
        let impulse = s.force * trial.lasts;
        let sign = if s.force < MOST { "" } else { ">= " };
        table.add_row([
            words(s.direction).to_string(),
            format!("{:.0}", s.direction.to_degrees()),
            format!("{sign}{:.0}", s.force),
            format!("{sign}{impulse:.1}"),
            format!("{sign}{:.3}", impulse / mass),
        ]);
    }
    format!("{table}\n")
}

fn to_json(trial: &Trial, how: &HowArgs, link: &str, all: &[Survived], mass: f64) -> Value {
    let one = |s: &Survived| {
        let impulse = s.force * trial.lasts;
        json!({
            "direction_deg": s.direction.to_degrees(),
            "direction": words(s.direction),
            "force_N": s.force,
            "impulse_Ns": impulse,
            "impulse_Ns_per_kg": impulse / mass,
            "is_most_tried": s.force >= MOST,
        })
    };
    json!({
        "name": trial.clip.name,
        "mode": mode_name(how.mode().into()),
        "link": link,
        "at_s": trial.at,
        "for_s": trial.lasts,
        "mass_kg": mass,
        "standing": trial.is_standing,
        "watched_s": trial.watched(),
        "survived": all.iter().map(one).collect::<Vec<_>>(),
    })
}

/// A page with the picture and the table.
fn page(title: &str, picture: &str, table: &str) -> String {
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\n\
         <body style=\"font-family: sans-serif; max-width: 46em; margin: 2em auto\">\n<h1 style=\"font-size: 1.2em\">{title}</h1>\n\
         {picture}<pre>{}</pre>\n</body></html>\n",
        table.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    )
}
