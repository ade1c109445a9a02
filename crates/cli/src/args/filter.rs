//! Arguments of `filter`.

use super::edit::numbers;
use super::{EditArgs, ForceArgs, MotionArgs, PersonArgs, PlaybackSpeed, PropsWord, above_zero, whole};
use anthropi_app::filter_scene::NamedForce;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::filter::{FilterSettings, Mode, Solver};
use anyhow::ensure;
use clap::Args as Group;
use std::path::PathBuf;

/// Arguments of `filter`.
#[derive(Debug, Group)]
pub struct FilterArgs {
    /// Motion file, filter scene (.toml), or built-in motion or scene
    #[arg(value_name = "MOTION|SCENE")]
    pub input: String,
    /// Write the filtered motion: .bvh, .csv, .json, .mot, .sto, .glb, .gltf, or a strip of poses as .svg
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write an HTML report; with --survive also as .svg
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Write all states and forces to this folder, for verification by other engines
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Write a filter scene of the motion with the props found
    #[arg(long, value_name = "FILE.toml", conflicts_with = "survive")]
    pub save_props: Option<PathBuf>,
    #[command(flatten)]
    pub solving: SolverArgs,
    #[command(flatten)]
    pub push: PushArgs,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub edit: EditArgs,
    #[command(flatten)]
    pub person: PersonArgs,
    #[command(flatten)]
    pub motion: MotionArgs,
}

/// Options for the filter.
#[derive(Debug, Group)]
#[command(next_help_heading = "Options for the filter")]
pub struct SolverArgs {
    /// Filter mode [default: that of the scene, or offline]
    #[arg(long, value_enum)]
    pub mode: Option<ModeWord>,
    /// Solver for each step
    #[arg(long, value_enum, default_value_t = SolverWord::Qp)]
    pub solver: SolverWord,
    /// Scale human joint strength by this factor, or `none` for no limits
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = strength, allow_negative_numbers = true)]
    pub strength: f64,
    /// Limit of the assistance that keeps the figure up where it would fall, body weights: at most 1; `auto` for 0.3, `none` for
    /// no assistance. Off-line and with --solver qp only [default: auto]
    #[arg(long, value_name = "BW|auto|none", value_parser = assist, allow_negative_numbers = true)]
    pub assist: Option<f64>,
}

impl SolverArgs {
    /// Settings of the filter; `scene_mode` is the mode without `--mode`, `speed` that of the options.
    ///
    /// # Errors
    /// On-line with options that need the whole motion.
    pub fn settings(
        &self,
        force: &ForceArgs,
        scene_mode: Option<Mode>,
        speed: Option<PlaybackSpeed>,
    ) -> anyhow::Result<FilterSettings> {
        let default = FilterSettings::default();
        let mode = self.mode.map(Into::into).or(scene_mode).unwrap_or_default();
        let solver: Solver = self.solver.into();
        ensure!(
            solver == Solver::Qp || self.assist.is_none_or(|limit| limit == 0.0),
            "--assist needs --solver qp: forces of pseudo-inverses have no limits; --assist none is allowed"
        );
        if mode == Mode::Online {
            ensure!(
                self.assist.is_none_or(|limit| limit == 0.0),
                "--assist needs --mode offline: on-line a fall is not known in advance; --assist none is allowed"
            );
            ensure!(
                force.prop.is_empty() && force.props != Some(PropsWord::Auto),
                "--prop and --props auto need --mode offline: on-line only the ground carries"
            );
            ensure!(
                speed != Some(PlaybackSpeed::Auto),
                "--speed auto needs --mode offline: on-line the motion is not known in advance"
            );
        }
        Ok(FilterSettings {
            mode,
            solver,
            strength: self.strength,
            friction: force.friction,
            ground: force.ground,
            surroundings: force.surroundings().unwrap_or_default(),
            max_assist: self.assist.unwrap_or(default.max_assist),
            retimes: speed.is_none_or(|speed| speed == PlaybackSpeed::Auto),
            ..default
        })
    }
}

/// Options for pushes.
#[derive(Debug, Group)]
#[command(next_help_heading = "Options for pushes")]
pub struct PushArgs {
    /// Push a link at its centre: start (s from the first frame), duration (s) and force (N, world axes). The controller
    /// does not anticipate it. Repeatable; replaces the pushes of the scene
    #[arg(long, value_name = "LINK,AT,FOR,FX,FY,FZ", value_parser = push, allow_hyphen_values = true)]
    pub push: Vec<NamedForce>,
    /// Find the largest push the figure survives without assistance, by direction; ignores the pushes of the scene
    #[arg(long, conflicts_with_all = ["out", "record", "push", "assist"])]
    pub survive: bool,
    /// Number of evenly spaced directions
    #[arg(long, value_name = "N", default_value_t = 8, requires = "survive", value_parser = directions, allow_negative_numbers = true)]
    pub directions: u16,
    /// Duration of the push, s
    #[arg(long = "for", value_name = "S", default_value_t = 0.2, requires = "survive", value_parser = above_zero, allow_negative_numbers = true)]
    pub lasts: f64,
    /// Start of the push, s from the first frame [default: a third of the motion]
    #[arg(long, value_name = "S", requires = "survive", value_parser = above_zero, allow_negative_numbers = true)]
    pub at: Option<f64>,
    /// Link to push at its centre [default: chest, or the link in its place]
    #[arg(long, value_name = "LINK", requires = "survive")]
    pub link: Option<String>,
}

words! {
    /// Solver for each step.
    SolverWord => Solver {
        /// quadratic program with friction cones and strength limits
        Qp => Solver::Qp,
        /// pseudo-inverses of the first dynamics filter; may violate the limits (violations are counted)
        Pinv => Solver::PseudoInverse,
    }
}

words! {
    /// Filter mode.
    ModeWord => Mode {
        /// causal, one frame of look-ahead
        Online => Mode::Online,
        /// uses the whole motion
        Offline => Mode::Offline,
    }
}

fn directions(text: &str) -> Result<u16, String> {
    whole(text, 1, 360).map(|n| n as u16)
}

fn strength(text: &str) -> Result<f64, String> {
    match text.trim() {
        "none" => Ok(f64::INFINITY),
        number => {
            above_zero(number).map_err(|_| format!("expected a number above zero or `none`, got `{text}`"))
        }
    }
}

fn assist(text: &str) -> Result<f64, String> {
    let wrong = || format!("expected body weights above zero up to 1, `auto` or `none`, got `{text}`");
    match text.trim() {
        "none" => Ok(0.0),
        "auto" => Ok(FilterSettings::default().max_assist),
        number => above_zero(number).ok().filter(|limit| *limit <= 1.0).ok_or_else(wrong),
    }
}

/// Parses a push.
pub(super) fn push(text: &str) -> Result<NamedForce, String> {
    let wrong = || {
        format!(
            "expected link, start (s), duration (s) and force (N) such as chest,1.0,0.2,40,0,0, got `{text}`"
        )
    };
    let (link, rest) = text.split_once(',').ok_or_else(wrong)?;
    let [at, lasts, x, y, z] = numbers::<5>(rest, "").map_err(|_| wrong())?;
    if link.trim().is_empty() || at < 0.0 || lasts <= 0.0 {
        return Err(wrong());
    }
    let force = Vec3 { x, y, z };
    Ok(NamedForce { at, lasts, link: link.trim().into(), force, point: None, is_known: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_has_a_link_times_and_a_force() {
        let parsed = push("chest, 1,0.2,40,-3.5,0").unwrap();
        assert_eq!((parsed.link.as_str(), parsed.at, parsed.lasts), ("chest", 1.0, 0.2));
        assert_eq!(parsed.force, Vec3 { x: 40.0, y: -3.5, z: 0.0 });
        for bad in ["", "chest", "chest,1,0.2,40,0", "chest,1,0,40,0,0", ",1,1,1,1,1", "chest,-1,1,1,1,1"] {
            assert!(push(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn assistance_is_at_most_a_body_weight() {
        assert_eq!((assist("none"), assist("auto"), assist("1")), (Ok(0.0), Ok(0.3), Ok(1.0)));
        for bad in ["", "0", "-0.1", "1.1", "inf", "NaN", "some"] {
            assert!(assist(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn strength_is_a_number_or_none() {
        assert_eq!((strength("1.5"), strength("none")), (Ok(1.5), Ok(f64::INFINITY)));
        for bad in ["", "0", "-1", "inf", "NaN", "strong"] {
            assert!(strength(bad).is_err(), "{bad}");
        }
    }
}
