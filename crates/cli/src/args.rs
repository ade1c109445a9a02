//! Command-line arguments.

/// Declares words of the command line, with their help, for the variants of a library type.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident => $target:ty { $($(#[$help:meta])* $word:ident => $value:expr,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
        pub enum $name {
            $($(#[$help])* $word,)+
        }

        impl From<$name> for $target {
            fn from(word: $name) -> $target {
                match word {
                    $($name::$word => $value,)+
                }
            }
        }
    };
}

mod batch;
mod edit;
mod filter;
mod install;
mod motion;
mod quantity;
mod step;
mod studio;
mod walk;

use anthropi_dynamics::sim::Integrator;
use anthropi_dynamics::spatial::Vec3;
use clap::{Args as Group, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

pub use batch::BatchArgs;
pub use edit::{EditArgs, PlaybackSpeed};
pub use filter::{FilterArgs, PushArgs, SolverArgs};
pub use install::{CompletionsArgs, ManArgs};
use motion::finite;
pub use motion::{CertifyArgs, ForceArgs, InverseArgs, MotionArgs, PersonArgs, PropsWord};
pub use quantity::Quantity;
pub use step::StepArgs;
pub use studio::StudioArgs;
pub use walk::{SegmentArgs, WalkArgs};

/// Simulate, filter and check the motion of human figures
#[derive(Debug, Parser)]
#[command(version, max_term_width = 110)]
#[command(
    after_help = "Example:\n  anthropi list\n  anthropi walk --style happily --report walk.html\n  anthropi COMMAND --help\n\nExit codes: 0 success, 1 negative result (fell, not consistent, clips failed), 2 error."
)]
pub struct Args {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
    /// Print JSON on standard output; warnings and errors go to standard error
    #[arg(long, global = true)]
    pub json: bool,
    /// Print all notes, not only the three most important ones
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the built-in figures, scenes, motions and styles
    #[command(after_help = "Example:\n  anthropi list --json")]
    List,
    /// Describe a figure, scene, motion or walk: links, joints, mass, coordinates, frames, warnings
    #[command(
        after_help = "Example:\n  anthropi inspect robot.urdf --base free\n  anthropi inspect walk.bvh --unit 0.01\n\n\
        Motions: .bvh, .amc (with its .asf), .asf, .c3d, .trc, .mot, .sto, .npz and our own .json."
    )]
    Inspect(InspectArgs),
    /// Compute the dynamics of a figure in one state: matrices, forces, accelerations, poses, momentum
    #[command(
        after_help = "Example:\n  anthropi compute human-28 --state S.json --quantities dofs,mass_matrix,jacobian:left_hand --json\n\n\
        The state file; all fields are optional (default of q: the home pose; of the others: zero):\n  \
        {\"q\": {\"left_knee\": 0.5}, \"v\": {\"root\": [0,0,0, 1,0,0]}, \"a\": {}, \"tau\": {},\n   \
        \"forces\": [{\"link\": \"left_hand\", \"force\": [0,0,10], \"torque\": [0,0,0], \"point\": [0.2,0.4,0.9]}]}\n\
        Forces, torques and points are in world axes; without `point` the force acts at the link's origin.\n\
        inverse_dynamics gives the actuator forces M a + bias - J^T f. The bias holds gravity and velocity terms minus the\n\
        passive forces of the joints (springs, damping, friction, limits), which --rigid switches off."
    )]
    Compute(ComputeArgs),
    /// Simulate a scene with contact, or a figure in free motion under gravity
    #[command(
        after_help = "Example:\n  anthropi simulate high-bar --out run/\n  anthropi simulate fall-28 --out run/\n  \
        anthropi simulate monkey-swing --signal click_right@3 --signal click_left@4.5\n  \
        anthropi simulate anthropi-42 --random-velocities 7 --duration 10 --integrator rk4 --out run/\n\n\
        --out writes summary.json, trajectory.csv, forces.csv, frames.svg, energy.svg, closure.svg and forces.svg,\n\
        and contacts.csv and contacts.svg if contact is possible.\n\
        A figure alone has no floor; a scene defines one with [[ground]]."
    )]
    Simulate(SimulateArgs),
    /// Convert a figure or motion to the format of the output's extension
    #[command(
        after_help = "Example:\n  anthropi convert robot.urdf robot.xml\n  anthropi convert walk.bvh walk.glb\n  \
        anthropi convert walk.bvh turn.bvh --turn 30,0.5,2 --resample 60\n  \
        anthropi convert walk.bvh robot.csv --figure robot.urdf\n\n\
        Figures: .toml, .urdf, .xml and .mjcf, in and out; .osim in; .svg (picture of the home pose) out.\n\
        Motions in: .bvh, .amc (with its .asf), .asf, .c3d, .trc, .mot, .sto, .npz and our own .json.\n\
        Motions out: .bvh, .csv, .json, .mot, .sto, .glb, .gltf and .svg (strip of poses); markers: .csv, .json and .trc; tables: .mot,\n\
        .sto, .csv and .json. Writing a motion as a figure keeps its figure; writing a figure as a motion holds its home pose."
    )]
    Convert(ConvertArgs),
    /// Filter a motion: find the nearest one that ground contact and human joints can produce
    #[command(
        after_help = "Example:\n  anthropi filter walk.bvh --out walk-real.bvh --report walk.html\n  \
        anthropi filter walk.bvh --mode online --mass 78 --out walk-real.bvh\n  \
        anthropi filter walk.bvh --join kick.bvh --turn 30,0.5,2 --out walk-and-kick.glb\n  \
        anthropi filter walk.bvh --push chest,1.0,0.2,0,60,0 --out pushed.bvh\n  \
        anthropi filter push-standing --survive --report rose.svg\n\n\
        A figure with human masses tracks the motion; only contact forces within the friction cone and joint torques within\n\
        human strength act on it. The result: tracking errors, and certificates of the input and the filtered motion.\n\
        --record writes figure.xml (MJCF), states.csv (q, v, a, tau of every internal step) and contacts.csv, so that any\n\
        engine can verify that these forces, pushes and assistance included, produce this motion.\n\
        A filter scene is TOML: motion = \"walk.bvh\" (a file next to it, a built-in motion or \"stand\"); figure, height, mass,\n\
        mode; duration and rate of \"stand\"; cut, speed, reverse, mirror, turn, blend, weight, join, repeat and fade like the\n\
        options; [[push]] with at, for (s), link, force (N), point, known. Options override the scene.\n\
        --survive increases a push until the figure fails: it must not fall and, when standing, be back within 2 cm after 3 s.\n\
        Off-line, a limited external force and moment at the centre of mass (--assist) keep the figure up where it would fall. Text,\n\
        JSON (`assist`), report and record say when and how much; the verdict is then `consistent but for assistance`, in\n\
        JSON `not consistent`. --assist none lets the figure fall.\n\
        --cutoff applies to the certificates. Exit code 1: the figure fell; 0 if assistance kept it up.",
        mut_arg("speed", filter_speed)
    )]
    Filter(FilterArgs),
    /// Generate a walk, run or jump from parameters and styles, simulated with joint torques and ground contact
    #[command(
        after_help = "Example:\n  anthropi walk --speed 1.3 --out walk.bvh\n  anthropi walk --style happily --report walk.html\n  \
        anthropi walk --step-length 0.6 --step-frequency 2 --turn 90\n  anthropi walk --gait run --speed 3\n  \
        anthropi walk --stairs 0.17,0.30 --load 12\n  anthropi walk --without pelvic_list --determinant foot=0.5\n  \
        anthropi walk walk-tour --report tour.html\n  anthropi walk --steps 4 --hidds --mass-factor chest=1.15 --mass-factor thigh=0.9\n\n\
        Any one or two of speed, step length and step frequency determine all gait parameters and phase durations\n\
        (L1992 eq. 9.1 to 9.7). The figure starts and ends standing; only contact forces within the friction cone and joint\n\
        torques within human strength act on it. Styles are TOML files of numbers: `anthropi list` names the built-in ones,\n\
        docs/walking.md explains them. A script is TOML with segments: [[segment]] with steps or seconds, speed, step_length,\n\
        step_frequency, gait, style, turn_deg, slope_deg, stairs, determinants; omitted values are those of the segment\n\
        before. --record writes figure.xml (MJCF), states.csv and contacts.csv, like `filter`. Exit code 1: the figure fell."
    )]
    Walk(WalkArgs),
    /// Open the interactive viewer in a browser
    #[command(
        after_help = "Example:\n  anthropi studio\n  anthropi studio clip.bvh\n  anthropi studio --export page\n\n\
        The page and its engine are part of this program and are served to this machine only, on 127.0.0.1, together with the\n\
        file given. --export writes them to a folder for any web server. Press Ctrl+C to stop."
    )]
    Studio(StudioArgs),
    /// Check whether a motion is physically plausible, and show where it is not
    #[command(
        after_help = "Example:\n  anthropi certify walk.bvh\n  anthropi certify walk.bvh --height 1.82 --mass 78 --report walk.html\n  \
        anthropi certify keyed-jump --json\n\n\
        The command builds a figure with human masses for the skeleton, detects ground contacts from the motion, and\n\
        distributes the forces of inverse dynamics over the contacts within the friction cone. What contacts cannot provide\n\
        is the residual. Exit code 1: not consistent."
    )]
    Certify(CertifyArgs),
    /// Compute joint torques, powers and ground forces of a motion (inverse dynamics)
    #[command(after_help = "Example:\n  anthropi inverse walk.bvh --mass 78 --out torques.csv\n  \
        anthropi inverse ik.mot --figure model.osim --forces grf.mot --out torques.sto\n\n\
        --out writes .csv, .mot, .sto or .json: t, tau:JOINT (N m; at the root: the residual), power:JOINT (W), ground\n\
        force, centre of pressure, and the force on each foot and hand.\n\
        Without --forces the ground forces are distributed over the contacts within the friction cone.")]
    Inverse(InverseArgs),
    /// Certify or filter all motions in folders in parallel, with one table of results
    #[command(
        after_help = "Example:\n  anthropi batch mocap/ --out results/\n  anthropi batch mocap/ --out results/ --resume --pages\n  \
        anthropi batch 'mocap/*/*_walk.bvh' more/x.amc --out results/ --jobs 8 --mass 78\n  \
        anthropi batch mocap/ --out results/ --task filter --mode online\n\n\
        --out receives results.csv and results.parquet (one row per clip, sorted by path; identical for any --jobs) and\n\
        journal.jsonl, which grows clip by clip. --resume continues an interrupted run: it skips clips with the same path,\n\
        content, task, settings and program version, and retries only failures. In folders, hidden files, .asf skeletons,\n\
        and .json and .toml files without a motion are skipped.\n\
        status: ok; refused (the file cannot be read or assessed); failed (file system error or program fault).\n\
        Exit code 1: some clips failed or were refused; all others are done."
    )]
    Batch(BatchArgs),
    /// Print shell completions
    #[command(
        after_help = "Example:\n  anthropi completions bash > ~/.local/share/bash-completion/completions/anthropi\n  \
        anthropi completions fish > ~/.config/fish/completions/anthropi.fish"
    )]
    Completions(CompletionsArgs),
    /// Print or write manual pages
    #[command(after_help = "Example:\n  anthropi man ~/.local/share/man/man1\n  anthropi man | man -l -")]
    Man(ManArgs),
    /// Print the licences of the program and its dependencies
    #[command(after_help = "Example:\n  anthropi licences | less")]
    Licences,
}

/// The figure and its changes.
#[derive(Debug, Group)]
pub struct FigureArgs {
    /// File (.toml, .urdf, .xml, .mjcf, .osim; for `inspect` also a motion) or built-in figure or scene (see `anthropi list`)
    #[arg(value_name = "FILE|NAME")]
    pub figure: String,
    /// Fix the base of the figure, or free it with a joint called `root`
    #[arg(long, value_enum)]
    pub base: Option<Base>,
    /// Gravity, m/s^2 [default: that of the file, or 0,0,-9.81]
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub gravity: Option<Vec3>,
    /// Ignore armature, damping, springs, limits and friction of the joints
    #[arg(long)]
    pub rigid: bool,
    /// Scale the figure to this height, m
    #[arg(long, value_name = "M", value_parser = finite, allow_negative_numbers = true)]
    pub height: Option<f64>,
    /// Scale the figure to this mass, kg
    #[arg(long, value_name = "KG", value_parser = finite, allow_negative_numbers = true)]
    pub mass: Option<f64>,
}

impl FigureArgs {
    /// The options given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("--base", self.base.is_some()),
            ("--gravity", self.gravity.is_some()),
            ("--rigid", self.rigid),
            ("--height", self.height.is_some()),
            ("--mass", self.mass.is_some()),
        ];
        all.into_iter().filter(|(_, is_given)| *is_given).map(|(option, _)| option)
    }
}

/// How a figure is attached to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Base {
    /// fix free bases
    Fixed,
    /// free fixed bases
    Free,
}

/// Arguments of `inspect`.
#[derive(Debug, Group)]
pub struct InspectArgs {
    #[command(flatten)]
    pub figure: FigureArgs,
    #[command(flatten)]
    pub motion: MotionArgs,
}

/// Arguments of `compute`.
#[derive(Debug, Group)]
pub struct ComputeArgs {
    #[command(flatten)]
    pub figure: FigureArgs,
    /// Read q, v, a, tau and forces from a JSON file [default: home pose, at rest]
    #[arg(long, value_name = "S.json")]
    pub state: Option<PathBuf>,
    /// Quantities to compute, separated by commas
    #[arg(long, alias = "want", value_name = "LIST", value_delimiter = ',', required = true, long_help = Quantity::help())]
    pub quantities: Vec<Quantity>,
    /// Choose these coordinates as generalized coordinates, separated by commas (for `closure`, `closed_inverse_dynamics`)
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    pub generalized: Vec<String>,
}

/// Arguments of `simulate`.
#[derive(Debug, Group)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub figure: FigureArgs,
    /// Duration, s [default: that of the scene, or 2]
    #[arg(long, value_name = "S", value_parser = finite, allow_negative_numbers = true)]
    pub duration: Option<f64>,
    /// Time step, s [default: that of the scene, or 0.001]
    #[arg(long, value_name = "S", value_parser = finite, allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// Integration method
    #[arg(long, value_enum, default_value_t = Method::Default)]
    pub integrator: Method,
    /// Write summary, tables and pictures to this folder
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Start from this state, as for `compute`; its tau and forces act throughout [default: that of the scene, or home
    /// pose at rest]
    #[arg(long, value_name = "S.json")]
    pub state: Option<PathBuf>,
    /// Send a signal of the scene at a time, s; repeatable
    #[arg(long, value_name = "NAME@TIME", value_parser = signal)]
    pub signal: Vec<(String, f64)>,
    /// Start with random velocities from -1 to 1 (rad/s, m/s) drawn with this seed
    #[arg(long, alias = "tumble", value_name = "SEED")]
    pub random_velocities: Option<u64>,
    /// Repeat a replay file of the studio and check that it ends in a bit-identical state
    #[arg(long)]
    pub replay: bool,
}

words! {
    /// Integration method.
    Method => Integrator {
        /// second order, one evaluation per step
        Default => Integrator::default(),
        /// first order, one evaluation per step
        Euler => Integrator::Euler,
        /// fourth order, four evaluations per step
        Rk4 => Integrator::Rk4,
    }
}

/// Arguments of `convert`.
#[derive(Debug, Group)]
pub struct ConvertArgs {
    /// File or built-in figure, motion or scene to read; of a scene, its figure at the start
    #[arg(value_name = "IN")]
    pub input: String,
    /// File to write; an existing file is replaced, unless it is an input
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub motion: MotionArgs,
    #[command(flatten)]
    pub person: PersonArgs,
    #[command(flatten)]
    pub edit: EditArgs,
}

/// `--speed` of `filter`, which also corrects frame rates.
fn filter_speed(arg: clap::Arg) -> clap::Arg {
    arg.value_name("FACTOR|auto").value_parser(edit::factor_or_auto).help(
        "Change the playback speed by this factor; 1 keeps it. `auto` filters motions labelled with too high or too low a \
         frame rate at a plausible one (off-line only) [default: auto]",
    )
}

fn above_zero(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(x) if f64::is_finite(x) && x > 0.0 => Ok(x),
        _ => Err(format!("expected a number above zero, got `{text}`")),
    }
}

/// A whole number in a range.
fn whole(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = text.trim().parse().ok().filter(|n| (least..=most).contains(n));
    number.ok_or_else(|| format!("expected a whole number from {least} to {most}, got `{text}`"))
}

fn signal(text: &str) -> Result<(String, f64), String> {
    let wrong = || format!("expected a name and a time in seconds such as click@1.5, got `{text}`");
    let (name, time) = text.rsplit_once('@').ok_or_else(wrong)?;
    match time.trim().parse() {
        Ok(t) if f64::is_finite(t) && t >= 0.0 && !name.is_empty() => Ok((name.into(), t)),
        _ => Err(wrong()),
    }
}

fn vector(text: &str) -> Result<Vec3, String> {
    edit::numbers(text, "three finite numbers such as 0,0,-9.81").map(|v| Vec3::from_array(&v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_commands_are_well_formed() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_signal_has_a_name_and_a_time() {
        assert_eq!(signal("a@b@1.5"), Ok(("a@b".into(), 1.5)));
        for bad in ["", "x", "x@", "@1", "x@-1", "x@inf", "x@y"] {
            assert!(signal(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_vector_has_three_finite_numbers() {
        assert_eq!(vector("-1, 2,0.5"), Ok(Vec3 { x: -1.0, y: 2.0, z: 0.5 }));
        for bad in ["", "1,2", "1,2,3,4", "1,2,x", "1,2,NaN", "1,inf,2"] {
            assert!(vector(bad).is_err(), "{bad}");
        }
    }
}
