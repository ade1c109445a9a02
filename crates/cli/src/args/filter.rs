//! What people type for `filter`.

use super::edit::numbers;
use super::{EditArgs, ForceArgs, MotionArgs, PersonArgs, above_zero, whole};
use anthropi_dynamics::spatial::Vec3;
use anthropi_io::filtering::Shove;
use anthropi_motion::filter::{Mode, Settings, Solver};
use clap::{Args as Group, ValueEnum};
use std::path::PathBuf;

/// Arguments of `filter`.
#[derive(Debug, Group)]
pub struct FilterArgs {
    /// A motion file, a scene of the filter (.toml), or the name of a built-in one
    #[arg(value_name = "MOTION|SCENE")]
    pub input: String,
    /// Where to write the filtered motion: .bvh, .csv, .json, .mot, .sto, .glb, .gltf, or a strip of poses as .svg
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a page with pictures and plots; with --survive also as .svg
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Directory for all states and forces, to be checked by other engines; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub how: HowArgs,
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

/// How a motion is filtered.
#[derive(Clone, Copy, Debug, Group)]
#[command(next_help_heading = "Options for the filter")]
pub struct HowArgs {
    /// How much of the motion is known [default: the scene's own, else offline]
    #[arg(long, value_enum)]
    pub mode: Option<ModeWord>,
    /// Who finds the motion of a step
    #[arg(long, value_enum, default_value_t = SolverWord::Qp)]
    pub solver: SolverWord,
    /// Human strength times this, or `none` for joints of any strength
    #[arg(long, value_name = "TIMES", default_value = "1", value_parser = strength, allow_negative_numbers = true)]
    pub strength: f64,
}

impl HowArgs {
    /// As asked, else all.
    pub fn mode(self) -> ModeWord {
        self.mode.unwrap_or(ModeWord::Offline)
    }

    /// As the filter asks, with what is said about forces.
    pub fn settings(&self, force: &ForceArgs) -> Settings {
        Settings {
            mode: self.mode().into(),
            solver: self.solver.into(),
            strength: self.strength,
            friction: force.friction,
            ground: force.ground,
            ..Settings::default()
        }
    }
}

/// Who pushes.
#[derive(Debug, Group)]
#[command(next_help_heading = "Options for pushes")]
pub struct PushArgs {
    /// A force (N, world axes) on the middle of a link, from a time on (s from the first frame) for a while, unawares;
    /// may be given again; takes the place of the scene's own pushes
    #[arg(long, value_name = "LINK,AT,FOR,FX,FY,FZ", value_parser = shove, allow_hyphen_values = true)]
    pub push: Vec<Shove>,
    /// Find the largest push that is survived, direction by direction; the scene's own pushes are left out
    #[arg(long, conflicts_with_all = ["out", "record", "push"])]
    pub survive: bool,
    /// How many directions, evenly round about
    #[arg(long, value_name = "N", default_value_t = 8, requires = "survive", value_parser = directions, allow_negative_numbers = true)]
    pub directions: u16,
    /// How long the push lasts, s
    #[arg(long = "for", value_name = "S", default_value_t = 0.2, requires = "survive", value_parser = above_zero, allow_negative_numbers = true)]
    pub lasts: f64,
    /// When it begins, s from the first frame [default: a third of the motion]
    #[arg(long, value_name = "S", requires = "survive", value_parser = above_zero, allow_negative_numbers = true)]
    pub at: Option<f64>,
    /// On the middle of which link [default: chest, or what the figure has for one]
    #[arg(long, value_name = "LINK", requires = "survive")]
    pub link: Option<String>,
}

/// Who finds the motion of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub enum SolverWord {
    /// a program with friction cones and strength as bounds
    Qp,
    /// the first dynamics filter's pseudo-inverses, which may break them (counted)
    Pinv,
}

impl From<SolverWord> for Solver {
    fn from(word: SolverWord) -> Solver {
        match word {
            SolverWord::Qp => Solver::Program,
            SolverWord::Pinv => Solver::PseudoInverse,
        }
    }
}

/// How much of the motion the filter may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeWord {
    /// what has come, and one frame
    Online,
    /// all
    Offline,
}

impl From<Mode> for ModeWord {
    fn from(mode: Mode) -> ModeWord {
        match mode {
            Mode::Online => ModeWord::Online,
            Mode::Offline => ModeWord::Offline,
        }
    }
}

impl From<ModeWord> for Mode {
    fn from(word: ModeWord) -> Mode {
        match word {
            ModeWord::Online => Mode::Online,
            ModeWord::Offline => Mode::Offline,
        }
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

/// A push as people type it.
pub(super) fn shove(text: &str) -> Result<Shove, String> {
    let wrong = || {
        format!(
            "expected link, time, how long (s) and a force (N) such as chest,1.0,0.2,40,0,0, got `{text}`"
        )
    };
    let (link, rest) = text.split_once(',').ok_or_else(wrong)?;
    let [at, lasts, x, y, z] = numbers::<5>(rest, "").map_err(|_| wrong())?;
    if link.trim().is_empty() || at < 0.0 || lasts <= 0.0 {
        return Err(wrong());
    }
    let force = Vec3 { x, y, z };
    Ok(Shove { at, lasts, link: link.trim().into(), force, point: None, is_known: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_has_a_link_times_and_a_force() {
        let push = shove("chest, 1,0.2,40,-3.5,0").unwrap();
        assert_eq!((push.link.as_str(), push.at, push.lasts), ("chest", 1.0, 0.2));
        assert_eq!(push.force, Vec3 { x: 40.0, y: -3.5, z: 0.0 });
        for bad in ["", "chest", "chest,1,0.2,40,0", "chest,1,0,40,0,0", ",1,1,1,1,1", "chest,-1,1,1,1,1"] {
            assert!(shove(bad).is_err(), "{bad}");
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
