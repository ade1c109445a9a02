//! Built-in figures, scenes, motions, filter scenes, styles and walks. Names and summaries are those in the TOML files.

use crate::filter_scene::{self, FilterScene};
use crate::keyed;
use crate::resolve::ItemKind;
use crate::scene::{self, Scene};
use crate::walk::{self, NamedStyle, WalkFile};
use anthropi_formats::{Error, Loaded, figure};
use anthropi_motion::clip::Clip;
use serde::Serialize;

/// A built-in item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Builtin {
    /// unique among all kinds
    pub name: &'static str,
    /// one-line summary
    pub what: &'static str,
    /// content of its file
    #[serde(skip)]
    pub text: &'static str,
}

/// All built-in items of a kind.
pub fn all(kind: ItemKind) -> &'static [Builtin] {
    match kind {
        ItemKind::Figure => FIGURES,
        ItemKind::Scene => SCENES,
        ItemKind::FilterScene => FILTER_SCENES,
        ItemKind::Motion => MOTIONS,
        ItemKind::Walk => WALKS,
        ItemKind::Style => STYLES,
    }
}

/// Names of all built-in items of a kind.
pub fn names(kind: ItemKind) -> impl Iterator<Item = &'static str> {
    all(kind).iter().map(|b| b.name)
}

/// The built-in item of a kind and name.
pub fn find(kind: ItemKind, name: &str) -> Option<&'static Builtin> {
    all(kind).iter().find(|b| b.name == name)
}

/// ItemKind of the built-in item of that name.
pub fn kind(name: &str) -> Option<ItemKind> {
    ItemKind::ALL.into_iter().find(|kind| find(*kind, name).is_some())
}

/// The built-in figure of that name.
pub fn figure(name: &str) -> Option<Result<Loaded, Error>> {
    find(ItemKind::Figure, name).map(|b| figure::read(b.text, b.name))
}

/// The built-in scene of that name.
pub fn scene(name: &str) -> Option<Result<Scene, Error>> {
    find(ItemKind::Scene, name).map(|b| scene::read(b.text, b.name, None))
}

/// The built-in filter scene of that name.
pub fn filter_scene(name: &str) -> Option<Result<FilterScene, Error>> {
    find(ItemKind::FilterScene, name).map(|b| filter_scene::read(b.text, b.name, None))
}

/// The built-in motion of that name.
pub fn motion(name: &str) -> Option<Result<Clip, Error>> {
    find(ItemKind::Motion, name).map(|b| keyed::read(b.text, b.name))
}

/// The built-in walk of that name.
pub fn walk(name: &str) -> Option<Result<WalkFile, Error>> {
    find(ItemKind::Walk, name).map(|b| walk::read(b.text, b.name, None))
}

/// The built-in style of that name.
pub fn style(name: &str) -> Option<Result<NamedStyle, Error>> {
    find(ItemKind::Style, name).map(|b| walk::read_style(b.text, b.name))
}

/// Names and summaries of the TOML files of a folder.
macro_rules! table {
    ($folder:literal; $($name:literal: $what:literal,)*) => {
        &[$(Builtin {
            name: $name,
            what: $what,
            text: include_str!(concat!("../", $folder, "/", $name, ".toml")),
        }),*]
    };
}

/// Figures, smallest first.
pub const FIGURES: &[Builtin] = table!["figures";
    "human-16": "16 joint coordinates: shoulders 3, elbows 1, hips 3, knees 1 (the gymnast of NY2000); 70 kg, 1.70 m",
    "human-28": "28 joint coordinates, masses and inertias of NY2000J Table 3, soles 19 x 12 cm; 69 kg, 1.70 m",
    "human-40": "40 joint coordinates: 12 spherical and 4 rotational joints, 17 links (NY2000 Fig. 16); 70 kg, 1.70 m",
    "anthropi-42": "42 coordinates: free root, 12 spherical joints, boxes of one density (L1992 6.3.1); 70 kg, 1.70 m",
];

/// Scenes: those with connections, then those with contact, smallest first.
pub const SCENES: &[Builtin] = table!["scenes";
    "pendulum": "a 1 m rod on a hinge, released at 60 degrees",
    "four-bar": "a planar four-bar linkage under gravity: one loop, one degree of freedom",
    "two-link-ground": "a free chain of two links tied to the ground: N_J = 8, rank 6, N_F = 2 (NY2000 VII-A)",
    "fig14": "a floating chain caught by the ground in flight: 7 coordinates, then 8 (NY2000 Fig. 14)",
    "fig15": "a tree joint of a closed chain is cut: 5 coordinates, then 10 (NY2000 Fig. 15)",
    "high-bar": "a gymnast swings on a bar and lets go, one hand after the other: 24, 23, 22 coordinates (NY2000 Fig. 20)",
    "swing-break": "a swing breaks under its rider: figure 30 coordinates, then 28 (NY2000 Fig. 21)",
    "monkey-swing": "a figure hangs on a swing of six spherical joints: 34 coordinates, 2 loops; hands let go on signals (YN1999 Fig. 8)",
    "rope-lift": "a figure pulls itself up on two ropes: 48 coordinates, 2 loops (NY2000F Fig. 3)",
    "drop-box": "a tilted box falls 0.5 m and comes to rest flat on the floor",
    "slide-incline": "on an incline of 25 degrees a wooden block slides (friction 0.3) and a rubber one sticks (0.6)",
    "spin-plate": "a square plate spins on the floor until friction stops it, after 0.712 s",
    "rocking-block": "a tall block tilted by 13 degrees falls back and rocks; another at 15 degrees tips over",
    "dominoes": "twelve dominoes knock each other over",
    "stand-28": "a human figure stands on the floor with its knees slightly bent, held by springs and dampers",
    "step-28": "a human figure shifts its weight and steps on the spot, moved by springs and dampers",
    "walk-28": "a human figure walks at 1.2 m/s from rest to rest, by torques that track a plan (NY2000J 5)",
    "fall-28": "a limp human figure falls down a flight of eight steps",
    "two-figures-collide": "two human figures fly into each other at 2 m/s each and fall on the floor",
];

/// Keyframed motions, slowest first.
pub const MOTIONS: &[Builtin] = table!["motions";
    "keyed-sit-stand": "sits down to a squat and stands up again, feet flat, no chair; keyframed, pelvis balanced",
    "keyed-walk": "walks three cycles (six steps) at 1.16 m/s; keyframed, feet pinned, pelvis balanced",
    "keyed-run": "runs four cycles (eight steps) at 2.0 m/s, a jog with flights of 0.10 s; keyframed, ballistic flight",
    "keyed-kick": "stands, shifts its weight to the left foot, kicks with the right and stands again; keyframed, balanced",
    "keyed-jump": "crouches, jumps up with both feet (0.30 s in the air) and lands; keyframed, ballistic flight",
];

/// Filter scenes, in the order of the paper.
pub const FILTER_SCENES: &[Builtin] = table!["filters";
    "filter-walk": "a filtered walk of six steps (NY2000F Fig. 7)",
    "filter-kick": "a filtered kick: one leg carries, the other strikes (NY2000F Fig. 8)",
    "filter-turn-30": "a walk that turns 30 degrees to the left; the filter finds the forces of the turn (NY2000F Fig. 9)",
    "push-standing": "a figure stands for 20 s and is pushed at the chest with 40 N for 0.2 s from eight sides (NY2000F Fig. 10)",
];

/// Walking styles: the neutral one, then from fast to slow.
pub const STYLES: &[Builtin] = table!["styles";
    "neutral": "an ordinary walk: 1.3 m/s, all determinants at their normal amplitude",
    "happily": "a spring in the step: quicker, the body bounces, the arms swing wide, the head is up",
    "vigorously": "fast long steps, pumping bent elbows, forward lean",
    "hurried": "quick short steps, forward lean, bent elbows close to the body",
    "marching": "120 steps per minute: high knees, straight arms with a wide swing, upright",
    "proudly": "long unhurried steps, chest and head up, arms free",
    "catwalk": "feet on one line, hips that dip with each step, shoulders back",
    "strolling": "slow easy steps, loose arms",
    "sadly": "slow, head bowed, shoulders and arms still, eyes on the ground",
    "tired": "slow short steps: trunk and head hang, arms barely swing, feet barely rise",
    "waddling": "feet wide apart and turned out, the trunk tilts over each leg in turn, arms off the body",
    "old": "short quick shuffling steps, bent forward, knees bent, hands ahead for balance",
    "sneaking": "slow long steps on bent legs, bent forward: feet raised high and put down softly",
];

/// Walks.
pub const WALKS: &[Builtin] = table!["walks";
    "walk-tour": "starts, walks, turns to the left, goes on happily, slows down and stops",
    "walk-stairs": "climbs five stairs of 17 cm, walks along a landing and goes down again",
    "walk-hill": "walks up a slope of 5 degrees, along the top and down again",
    "run-jump": "jumps on the spot, hops ahead, speeds up to a run, slows down to a walk and stops",
];
