//! What comes with the program, as texts in our own formats. Names and lines are those of the texts.

/// A figure, scene, motion, style or walk that needs no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// what it is called
    pub name: &'static str,
    /// what it is, in one line
    pub what: &'static str,
    /// itself in our own format
    pub text: &'static str,
}

/// The one of that name.
pub(crate) fn find(shelf: &'static [Builtin], name: &str) -> Option<&'static Builtin> {
    shelf.iter().find(|b| b.name == name)
}

/// Names of all of them.
pub(crate) fn names(shelf: &'static [Builtin]) -> impl Iterator<Item = &'static str> {
    shelf.iter().map(|b| b.name)
}

/// Figures, smallest first.
pub(crate) const FIGURES: &[Builtin] = &[
    Builtin {
        name: "human-16",
        what: "16 joint coordinates: shoulders 3, elbows 1, hips 3, knees 1 (the gymnast of NY2000); 70 kg, 1.70 m",
        text: include_str!("../figures/human-16.toml"),
    },
    Builtin {
        name: "human-28",
        what: "28 joint coordinates, masses and inertias of NY2000J Table 3, soles 19 x 12 cm; 69 kg, 1.70 m",
        text: include_str!("../figures/human-28.toml"),
    },
    Builtin {
        name: "human-40",
        what: "40 joint coordinates: 12 spherical and 4 rotational joints, 17 links (NY2000 Fig. 16); 70 kg, 1.70 m",
        text: include_str!("../figures/human-40.toml"),
    },
    Builtin {
        name: "anthropi-42",
        what: "42 coordinates: free root, 12 spherical joints, boxes of one density (L1992 6.3.1); 70 kg, 1.70 m",
        text: include_str!("../figures/anthropi-42.toml"),
    },
];

/// Scenes: those of connections, then those of contact, smallest first.
pub(crate) const SCENES: &[Builtin] = &[
    Builtin {
        name: "pendulum",
        what: "a rod of 1 m on a hinge, let go at 60 degrees",
        text: include_str!("../scenes/pendulum.toml"),
    },
    Builtin {
        name: "four-bar",
        what: "a planar four-bar linkage under gravity: one loop, one degree of freedom",
        text: include_str!("../scenes/four-bar.toml"),
    },
    Builtin {
        name: "two-link-ground",
        what: "a free chain of two links tied to the ground: N_J = 8, rank 6, N_F = 2 (NY2000 VII-A)",
        text: include_str!("../scenes/two-link-ground.toml"),
    },
    Builtin {
        name: "fig14",
        what: "a floating chain caught by the ground in flight: 7 coordinates, then 8 (NY2000 Fig. 14)",
        text: include_str!("../scenes/fig14.toml"),
    },
    Builtin {
        name: "fig15",
        what: "a tree joint of a closed chain is cut: 5 coordinates, then 10 (NY2000 Fig. 15)",
        text: include_str!("../scenes/fig15.toml"),
    },
    Builtin {
        name: "high-bar",
        what: "a gymnast swings on a bar and lets go, one hand after the other: 24, 23, 22 coordinates (NY2000 Fig. 20)",
        text: include_str!("../scenes/high-bar.toml"),
    },
    Builtin {
        name: "swing-break",
        what: "a swing breaks under its rider: figure 30 coordinates, then 28 (NY2000 Fig. 21)",
        text: include_str!("../scenes/swing-break.toml"),
    },
    Builtin {
        name: "monkey-swing",
        what: "a figure hangs on a swing of six spherical joints: 34 coordinates, 2 loops; hands let go on signals (YN1999 Fig. 8)",
        text: include_str!("../scenes/monkey-swing.toml"),
    },
    Builtin {
        name: "rope-lift",
        what: "a figure pulls itself up on two ropes: 48 coordinates, 2 loops (NY2000F Fig. 3)",
        text: include_str!("../scenes/rope-lift.toml"),
    },
    Builtin {
        name: "drop-box",
        what: "a tilted box falls 0.5 m and comes to rest flat on the floor",
        text: include_str!("../scenes/drop-box.toml"),
    },
    Builtin {
        name: "slide-incline",
        what: "on an incline of 25 degrees a wooden block slides (friction 0.3) and a rubber one sticks (0.6)",
        text: include_str!("../scenes/slide-incline.toml"),
    },
    Builtin {
        name: "spin-plate",
        what: "a square plate spins on the floor until friction stops it, after 0.712 s",
        text: include_str!("../scenes/spin-plate.toml"),
    },
    Builtin {
        name: "rocking-block",
        what: "a tall block tilted by 13 degrees falls back and rocks; another at 15 degrees tips over",
        text: include_str!("../scenes/rocking-block.toml"),
    },
    Builtin {
        name: "dominoes",
        what: "twelve dominoes knock each other over",
        text: include_str!("../scenes/dominoes.toml"),
    },
    Builtin {
        name: "stand-28",
        what: "a human figure stands on the floor with its knees slightly bent, held by springs and dampers",
        text: include_str!("../scenes/stand-28.toml"),
    },
    Builtin {
        name: "step-28",
        what: "a human figure shifts its weight and steps on the spot, moved by springs and dampers",
        text: include_str!("../scenes/step-28.toml"),
    },
    Builtin {
        name: "walk-28",
        what: "a human figure walks at 1.2 m/s, from standing to standing, by torques towards a plan (NY2000J 5)",
        text: include_str!("../scenes/walk-28.toml"),
    },
    Builtin {
        name: "fall-28",
        what: "a limp human figure falls down a flight of eight steps",
        text: include_str!("../scenes/fall-28.toml"),
    },
    Builtin {
        name: "two-figures-collide",
        what: "two human figures fly into each other at 2 m/s each and fall on the floor",
        text: include_str!("../scenes/two-figures-collide.toml"),
    },
];

/// Motions, made from keys; slowest first.
pub(crate) const MOTIONS: &[Builtin] = &[
    Builtin {
        name: "keyed-sit-stand",
        what: "sits down to a squat and stands up again, feet flat, no chair; made from keys, pelvis balanced",
        text: include_str!("../motions/keyed-sit-stand.toml"),
    },
    Builtin {
        name: "keyed-walk",
        what: "walks three cycles (six steps) at 1.16 m/s; made from keys, feet on pins, pelvis balanced",
        text: include_str!("../motions/keyed-walk.toml"),
    },
    Builtin {
        name: "keyed-run",
        what: "runs four cycles (eight steps) at 2.0 m/s, a jog with flights of 0.10 s; made from keys, ballistic flight",
        text: include_str!("../motions/keyed-run.toml"),
    },
    Builtin {
        name: "keyed-kick",
        what: "stands, shifts its weight to the left foot, kicks with the right and stands again; made from keys, balanced",
        text: include_str!("../motions/keyed-kick.toml"),
    },
    Builtin {
        name: "keyed-jump",
        what: "crouches, jumps up with both feet (0.30 s in the air) and lands; made from keys, ballistic flight",
        text: include_str!("../motions/keyed-jump.toml"),
    },
];

/// Scenes of the dynamics filter, in the order of the paper.
pub(crate) const FILTERINGS: &[Builtin] = &[
    Builtin {
        name: "filter-walk",
        what: "a walk of six steps goes through the dynamics filter and stays on its feet (NY2000F Fig. 7)",
        text: include_str!("../filters/filter-walk.toml"),
    },
    Builtin {
        name: "filter-kick",
        what: "a kick goes through the same filter: one leg carries, the other strikes (NY2000F Fig. 8)",
        text: include_str!("../filters/filter-kick.toml"),
    },
    Builtin {
        name: "filter-turn-30",
        what: "a walk that turns by 30 degrees to the left on its way; the filter finds the forces of the turn (NY2000F Fig. 9)",
        text: include_str!("../filters/filter-turn-30.toml"),
    },
    Builtin {
        name: "push-standing",
        what: "a figure stands for 20 s and is pushed at the chest with 40 N for 0.2 s from eight sides (NY2000F Fig. 10)",
        text: include_str!("../filters/push-standing.toml"),
    },
];

/// Styles of walking, the usual one first, then from quick to slow.
pub(crate) const STYLES: &[Builtin] = &[
    Builtin {
        name: "neutral",
        what: "as people walk when they think of nothing: 1.3 m/s, all determinants as usual",
        text: include_str!("../styles/neutral.toml"),
    },
    Builtin {
        name: "happily",
        what: "a spring in the step: quicker, the body bounces, the arms swing wide, the head is up",
        text: include_str!("../styles/happily.toml"),
    },
    Builtin {
        name: "vigorously",
        what: "fast long steps, bent elbows that pump, leaned into it",
        text: include_str!("../styles/vigorously.toml"),
    },
    Builtin {
        name: "hurried",
        what: "many steps for the speed, leaned ahead, bent elbows close to the body",
        text: include_str!("../styles/hurried.toml"),
    },
    Builtin {
        name: "marching",
        what: "a steady 120 steps a minute: knees high, straight arms swung far, upright",
        text: include_str!("../styles/marching.toml"),
    },
    Builtin {
        name: "proudly",
        what: "long unhurried steps, chest and head up, arms free",
        text: include_str!("../styles/proudly.toml"),
    },
    Builtin {
        name: "catwalk",
        what: "feet on one line, hips that dip with each step, shoulders back",
        text: include_str!("../styles/catwalk.toml"),
    },
    Builtin {
        name: "strolling",
        what: "no hurry at all: slow easy steps that look about, loose arms",
        text: include_str!("../styles/strolling.toml"),
    },
    Builtin {
        name: "sadly",
        what: "slow, head bowed, shoulders and arms still, eyes on the ground",
        text: include_str!("../styles/sadly.toml"),
    },
    Builtin {
        name: "tired",
        what: "slow short steps with little life: trunk and head hang, arms barely swing, feet barely rise",
        text: include_str!("../styles/tired.toml"),
    },
    Builtin {
        name: "waddling",
        what: "feet wide apart and turned out, the trunk tilts over each leg in turn, arms off the body",
        text: include_str!("../styles/waddling.toml"),
    },
    Builtin {
        name: "old",
        what: "short quick shuffling steps, bent forward, knees bent, hands ahead for balance",
        text: include_str!("../styles/old.toml"),
    },
    Builtin {
        name: "sneaking",
        what: "slow long steps on bent legs, bent forward: feet raised high and put down softly",
        text: include_str!("../styles/sneaking.toml"),
    },
];

/// Walks.
pub(crate) const WALKS: &[Builtin] = &[
    Builtin {
        name: "walk-tour",
        what: "starts, walks, turns to the left, goes on happily, slows down and stops",
        text: include_str!("../walks/walk-tour.toml"),
    },
    Builtin {
        name: "walk-stairs",
        what: "climbs five stairs of 17 cm, walks along a landing and goes down again",
        text: include_str!("../walks/walk-stairs.toml"),
    },
    Builtin {
        name: "walk-hill",
        what: "walks up a slope of 5 degrees, along the top and down again",
        text: include_str!("../walks/walk-hill.toml"),
    },
    Builtin {
        name: "run-jump",
        what: "jumps on the spot, hops ahead, speeds up to a run, slows down to a walk and stops",
        text: include_str!("../walks/run-jump.toml"),
    },
];
