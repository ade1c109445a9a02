//! What people type.

mod batch;
mod edit;
mod filter;
mod install;
mod motion;
mod step;
mod studio;
mod walk;
mod want;

use anthropi_dynamics::sim::Integrator;
use anthropi_dynamics::spatial::Vec3;
use clap::{Args as Group, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

pub use batch::BatchArgs;
pub use edit::EditArgs;
pub use filter::{FilterArgs, HowArgs, PushArgs};
pub use install::{CompletionsArgs, ManArgs};
use motion::finite;
pub use motion::{CertifyArgs, ForceArgs, InverseArgs, MotionArgs, PersonArgs};
pub use step::StepArgs;
pub use studio::StudioArgs;
pub use walk::{WalkArgs, WayArgs};
pub use want::{Quantity, Want};

/// Computes the motion of human figures as it would really happen.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 110)]
#[command(
    after_help = "Example:\n  anthropi list\n  anthropi walk --style happily --report walk.html\n  anthropi COMMAND --help\n\nExit codes: 0 fine, 1 ran and the answer is no, 2 could not run."
)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Print JSON on standard output (warnings and errors go to standard error)
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Built-in figures, scenes, motions, styles
    #[command(after_help = "Example:\n  anthropi list --json")]
    List,
    /// What a figure, scene, motion or walk is: links, joints, mass, coordinates, frames, warnings
    #[command(
        after_help = "Example:\n  anthropi inspect robot.urdf --base free\n  anthropi inspect walk.bvh --unit 0.01\n\n\
        Motions: .bvh, .amc (with its .asf), .asf, .c3d, .trc, .mot, .sto, .npz and our own .json."
    )]
    Inspect(InspectArgs),
    /// Dynamics of a figure in one state: matrices, forces, accelerations, poses, momentum
    #[command(
        after_help = "Example:\n  anthropi compute human-28 --state S.json --want dofs,mass_matrix,jacobian:left_hand --json\n\n\
        The state file, all fields optional (q: else the home pose; the others: else zero):\n  \
        {\"q\": {\"left_knee\": 0.5}, \"v\": {\"root\": [0,0,0, 1,0,0]}, \"a\": {}, \"tau\": {},\n   \
        \"forces\": [{\"link\": \"left_hand\", \"force\": [0,0,10], \"torque\": [0,0,0], \"point\": [0.2,0.4,0.9]}]}\n\
        Forces, torques and points are in world axes; without `point` the force acts at the link's origin.\n\
        inverse_dynamics is what the actuators must give: M a + bias - J^T f. The bias is what gravity and velocities\n\
        ask for, less what the joints' own springs, damping, friction and limits give (nothing with --rigid)."
    )]
    Compute(ComputeArgs),
    /// A scene runs, with contact where it has ground; or a figure moves freely from a state under gravity
    #[command(
        after_help = "Example:\n  anthropi simulate high-bar --out run/\n  anthropi simulate fall-28 --out run/\n  \
        anthropi simulate monkey-swing --signal click_right@3 --signal click_left@4.5\n  \
        anthropi simulate anthropi-42 --tumble 7 --duration 10 --integrator rk4 --out run/\n\n\
        --out writes summary.json, trajectory.csv, forces.csv, frames.svg, energy.svg, closure.svg and forces.svg;\n\
        where things can touch also contacts.csv and contacts.svg.\n\
        A figure by itself has no floor and falls for ever; a scene has one by [[ground]]."
    )]
    Simulate(SimulateArgs),
    /// A figure or motion from one format to another, by the ending
    #[command(
        after_help = "Example:\n  anthropi convert robot.urdf robot.xml\n  anthropi convert walk.bvh walk.glb\n  \
        anthropi convert walk.bvh turn.bvh --turn 30,0.5,2 --resample 60\n  \
        anthropi convert walk.bvh robot.csv --figure robot.urdf\n\n\
        Figures: .toml, .urdf, .xml and .mjcf, in and out; .osim in; .svg (a picture of the home pose) out.\n\
        Motions in: .bvh, .amc (with its .asf), .asf, .c3d, .trc, .mot, .sto, .npz and our own .json.\n\
        Motions out: .bvh, .csv, .json, .mot, .sto, .glb, .gltf and .svg (a strip of poses); points: .csv, .json and .trc; tables: .mot, .sto,\n\
        .csv and .json. A motion written as a figure leaves the figure that moves; a figure written as a motion stands."
    )]
    Convert(ConvertArgs),
    /// Makes a motion physical: the nearest one that the ground and human joints can give
    #[command(after_help = "Example:\n  anthropi filter walk.bvh --out walk-real.bvh --report walk.html\n  \
        anthropi filter walk.bvh --mode online --mass 78 --out walk-real.bvh\n  \
        anthropi filter walk.bvh --join kick.bvh --turn 30,0.5,2 --out walk-and-kick.glb\n  \
        anthropi filter walk.bvh --push chest,1.0,0.2,0,60,0 --out shoved.bvh\n  \
        anthropi filter push-standing --survive --report rose.svg\n\n\
        A figure with a person's masses follows the motion by forces of the ground (inside friction) and of its joints (within\n\
        human strength); nothing else moves it. What is told: how far it is from the motion, certificates before and after.\n\
        --record writes figure.xml (MJCF), states.csv (q, v, a, tau of every internal step) and contacts.csv, so that any\n\
        engine can check that these forces make this motion, pushes included.\n\
        A scene of the filter is TOML: motion = \"walk.bvh\" (a file beside it, a built-in motion or \"stand\"); figure, height,\n\
        mass, mode, duration and rate of \"stand\"; cut, speed, reverse, mirror, turn, blend, weight, join, repeat, fade as the\n\
        options; [[push]] with at, for (s), link, force (N), point, known. Options given here take the place of its own.\n\
        --survive pushes harder and harder: survived is not to fall and, standing, to be back within 2 cm after 3 s.\n\
        --cutoff is for the certificates. Exit code 1: it fell.")]
    Filter(FilterArgs),
    /// A figure walks or runs from parameters and words, by torques and the ground alone
    #[command(
        after_help = "Example:\n  anthropi walk --speed 1.3 --out walk.bvh\n  anthropi walk --style happily --report walk.html\n  \
        anthropi walk --step-length 0.6 --step-frequency 2 --turn 90\n  anthropi walk --gait run --speed 3\n  \
        anthropi walk --stairs 0.17,0.30 --load 12\n  anthropi walk --without pelvic_list --determinant foot=0.5\n  \
        anthropi walk walk-tour --report tour.html\n  anthropi walk --steps 4 --hidds --real chest=1.15 --real thigh=0.9\n\n\
        Any one or two of speed, step length and step frequency give all parameters and the times of the phases\n\
        (L1992 eq. 9.1 to 9.7). The figure starts and ends standing; nothing but the ground (inside friction) and its joints\n\
        (within human strength) moves it. Words are styles, files of numbers: `anthropi list` shows them, docs/walking.md says\n\
        what is in them. A script is TOML with stretches one after the other: [[stretch]] with steps or seconds, speed,\n\
        step_length, step_frequency, gait, style, turn_deg, slope_deg, stairs, determinants; what is not said follows the\n\
        stretch before. --record writes figure.xml (MJCF), states.csv and contacts.csv, as of `filter`.\n\
        Exit code 1: it fell."
    )]
    Walk(WalkArgs),
    /// The figure in the browser, with the hands on it
    #[command(
        after_help = "Example:\n  anthropi studio\n  anthropi studio clip.bvh\n  anthropi studio --export page\n\n\
        The page and the engine in it are part of this program and are served to this machine only, on 127.0.0.1, with nothing\n\
        else but the file that is named. --export writes them to a folder that any web server can serve. Ctrl+C ends it."
    )]
    Studio(StudioArgs),
    /// Could a person have moved so? What is physically wrong with a motion, and where
    #[command(
        after_help = "Example:\n  anthropi certify walk.bvh\n  anthropi certify walk.bvh --height 1.82 --mass 78 --report walk.html\n  \
        anthropi certify keyed-jump --json\n\n\
        A figure with a person's masses is built for the skeleton of the file; feet that touch the ground are found from\n\
        the motion; forces follow by inverse dynamics and are split over what touches, inside friction. What no contact\n\
        can give is the residual. Exit code 1: not consistent."
    )]
    Certify(CertifyArgs),
    /// Joint torques, powers and ground forces behind a motion
    #[command(after_help = "Example:\n  anthropi inverse walk.bvh --mass 78 --out torques.csv\n  \
        anthropi inverse ik.mot --figure model.osim --forces grf.mot --out torques.sto\n\n\
        --out writes, by its ending, .csv, .mot/.sto or .json: t, tau:JOINT (N m; of the root: what nothing explains),\n\
        power:JOINT (W), ground force, its centre of pressure, and the force on each foot and hand.\n\
        Without --forces the ground's force is the best split over what touches, inside friction.")]
    Inverse(InverseArgs),
    /// Certifies or filters every motion in folders, many at once: one table of what came out
    #[command(
        after_help = "Example:\n  anthropi batch mocap/ --out results/\n  anthropi batch mocap/ --out results/ --resume --pages\n  \
        anthropi batch 'mocap/*/*_walk.bvh' more/x.amc --out results/ --jobs 8 --mass 78\n  \
        anthropi batch mocap/ --out results/ --job filter --mode online\n\n\
        --out gets results.csv and results.parquet (a line a clip, sorted by path; the same bytes for any --jobs) and\n\
        journal.jsonl, to which every clip is added as soon as it is done. A run that was stopped goes on with --resume,\n\
        which repeats no clip of the same path, content, job, settings and version of the program; only what failed is\n\
        tried again. In folders, hidden files, .asf skeletons and .json and .toml that hold no motion are passed over.\n\
        status: ok; refused (the file cannot be read or judged); failed (the file system, or a fault of the program).\n\
        Exit code 1: some clips failed or were refused, all others are done."
    )]
    Batch(BatchArgs),
    /// Completions of what is typed, for a shell
    #[command(
        after_help = "Example:\n  anthropi completions bash > ~/.local/share/bash-completion/completions/anthropi\n  \
        anthropi completions fish > ~/.config/fish/completions/anthropi.fish"
    )]
    Completions(CompletionsArgs),
    /// These texts as manual pages
    #[command(after_help = "Example:\n  anthropi man ~/.local/share/man/man1\n  anthropi man | man -l -")]
    Man(ManArgs),
    /// Whose work is in the program, and under which terms
    #[command(after_help = "Example:\n  anthropi licences | less")]
    Licences,
}

/// Which figure, and changed how.
#[derive(Debug, Group)]
pub struct FigureArgs {
    /// A file (.toml, .urdf, .xml, .mjcf, .osim; for `inspect` also a motion) or the name of a built-in figure or scene (see `anthropi list`)
    #[arg(value_name = "FILE|NAME")]
    pub figure: String,
    /// Hold the figure to the world, or set it free (the joint added is `root`)
    #[arg(long, value_enum)]
    pub base: Option<Base>,
    /// Acceleration of free fall, m/s^2 [default: the file's own, else 0,0,-9.81]
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub gravity: Option<Vec3>,
    /// Leave out armature, damping, springs, limits and friction of the joints
    #[arg(long)]
    pub rigid: bool,
    /// Scale to this height, m
    #[arg(long, value_name = "M", value_parser = finite, allow_negative_numbers = true)]
    pub height: Option<f64>,
    /// Scale to this mass, kg
    #[arg(long, value_name = "KG", value_parser = finite, allow_negative_numbers = true)]
    pub mass: Option<f64>,
}

/// How a figure stands in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Base {
    /// its free joints become fixed
    Fixed,
    /// its fixed bases become free
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
    /// JSON file with q, v, a, tau and forces [default: home pose, at rest]
    #[arg(long, value_name = "S.json")]
    pub state: Option<PathBuf>,
    /// What to compute, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', required = true, long_help = Want::help())]
    pub want: Vec<Want>,
    /// Coordinates that must be generalized ones, separated by commas (with `closure`, `closed_inverse_dynamics`)
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    pub generalized: Vec<String>,
}

/// Arguments of `simulate`.
#[derive(Debug, Group)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub figure: FigureArgs,
    /// How long, s [default: the scene's own, else 2]
    #[arg(long, value_name = "S", value_parser = finite, allow_negative_numbers = true)]
    pub duration: Option<f64>,
    /// Time step, s [default: the scene's own, else 0.001]
    #[arg(long, value_name = "S", value_parser = finite, allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// How steps are made
    #[arg(long, value_enum, default_value_t = Method::Default)]
    pub integrator: Method,
    /// Directory for the summary, tables and pictures; made if it is not there
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Where to start, as for `compute`; its tau and forces act all the time [default: the scene's start, else home pose
    /// at rest]
    #[arg(long, value_name = "S.json")]
    pub state: Option<PathBuf>,
    /// Say a signal of the scene at a time, s; may be given several times
    #[arg(long, value_name = "NAME@TIME", value_parser = signal)]
    pub signal: Vec<(String, f64)>,
    /// Start with velocities drawn from -1 to 1 (rad/s, m/s) with this seed
    #[arg(long, value_name = "SEED")]
    pub tumble: Option<u64>,
    /// The file is a replay of the studio: make it again, and tell whether it ends with the same bits
    #[arg(long)]
    pub replay: bool,
}

/// How steps are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// one evaluation a step, second order
    Default,
    /// one evaluation a step, first order
    Euler,
    /// four evaluations a step, fourth order
    Rk4,
}

impl From<Method> for Integrator {
    fn from(method: Method) -> Integrator {
        match method {
            Method::Default => Integrator::default(),
            Method::Euler => Integrator::Euler,
            Method::Rk4 => Integrator::Rk4,
        }
    }
}

/// Arguments of `convert`.
#[derive(Debug, Group)]
pub struct ConvertArgs {
    /// What to read: a file or the name of a built-in figure; of a scene, its figure at the start
    #[arg(value_name = "IN")]
    pub input: String,
    /// What to write; an old file of that name is replaced, but not what is read
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub motion: MotionArgs,
    #[command(flatten)]
    pub person: PersonArgs,
    #[command(flatten)]
    pub edit: EditArgs,
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
    let wrong = || format!("expected three finite numbers such as 0,0,-9.81, got `{text}`");
    let numbers: Vec<f64> =
        text.split(',').map(|x| x.trim().parse()).collect::<Result<_, _>>().map_err(|_| wrong())?;
    match numbers[..] {
        [x, y, z] if numbers.iter().all(|n| n.is_finite()) => Ok(Vec3 { x, y, z }),
        _ => Err(wrong()),
    }
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
