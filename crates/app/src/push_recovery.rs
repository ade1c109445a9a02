//! Push recovery of a motion by direction: result, picture and page.

use crate::plot::{Rose, escape};
use crate::report::{beginning, end, table};
use crate::result::mode_name;
use anthropi_motion::filter::Mode;
use anthropi_motion::filter::push_recovery::{MAX_FORCE, PushTrial, RETURN_DISTANCE, RETURN_TIME};
use serde::Serialize;
use std::fmt::Write;

/// Result of `filter --survive`.
#[derive(Clone, Debug, Serialize)]
pub struct PushRecoveryResult {
    /// name of the clip
    pub name: String,
    /// `online` or `offline`
    pub mode: &'static str,
    /// the link that is pushed
    pub link: String,
    /// start of the push, s
    pub at_s: f64,
    /// duration of the push, s
    pub for_s: f64,
    /// mass of the figure, kg
    pub mass_kg: f64,
    /// whether the motion stands still
    pub standing: bool,
    /// time from the end of the push to the end of the motion, s
    pub watched_s: f64,
    /// the largest push survived in each direction
    pub survived: Vec<SurvivedPush>,
}

/// The largest push survived in a direction.
#[derive(Clone, Debug, Serialize)]
pub struct SurvivedPush {
    /// to the left of forward, rad
    #[serde(skip)]
    pub direction_rad: f64,
    /// to the left of forward, degrees
    pub direction_deg: f64,
    /// the direction in words
    pub direction: &'static str,
    /// N
    #[serde(rename = "force_N")]
    pub force: f64,
    /// N s
    #[serde(rename = "impulse_Ns")]
    pub impulse: f64,
    /// impulse per body mass, N s/kg
    #[serde(rename = "impulse_Ns_per_kg")]
    pub impulse_per_mass: f64,
    /// whether no stronger push was tried
    pub is_most_tried: bool,
}

impl PushRecoveryResult {
    /// The result of a trial: direction (rad) and force (N) of the largest pushes survived.
    pub fn new(trial: &PushTrial, link: &str, mode: Mode, survived: &[(f64, f64)]) -> PushRecoveryResult {
        let mass = trial.clip().figure().mass();
        let push = |&(direction, force): &(f64, f64)| {
            let impulse = force * trial.duration;
            SurvivedPush {
                direction_rad: direction,
                direction_deg: direction.to_degrees(),
                direction: direction_name(direction),
                force,
                impulse,
                impulse_per_mass: impulse / mass,
                is_most_tried: force >= MAX_FORCE,
            }
        };
        PushRecoveryResult {
            name: trial.clip().name.clone(),
            mode: mode_name(mode),
            link: link.into(),
            at_s: trial.at,
            for_s: trial.duration,
            mass_kg: mass,
            standing: trial.is_standing,
            watched_s: trial.observed(),
            survived: survived.iter().map(push).collect(),
        }
    }

    /// A title.
    pub fn title(&self) -> String {
        let PushRecoveryResult { name, link, at_s, for_s, .. } = self;
        format!("{name}: largest push at {link} survived, {for_s} s from {at_s:.2} s on")
    }

    /// The definition of survival.
    pub fn criterion(&self) -> String {
        match self.standing {
            true => format!(
                "survived: no fall, and within {} cm of its place {RETURN_TIME} s after the push",
                100.0 * RETURN_DISTANCE
            ),
            false => format!("survived: no fall in the {:.2} s after the push", self.watched_s),
        }
    }

    /// Header of the table.
    pub const HEADER: [&str; 5] = ["pushed", "degrees", "N", "N s", "N s / kg"];

    /// Rows of the table.
    pub fn rows(&self) -> impl Iterator<Item = [String; 5]> {
        self.survived.iter().map(|s| {
            let sign = if s.is_most_tried { ">= " } else { "" };
            [
                s.direction.to_string(),
                format!("{:.0}", s.direction_deg),
                format!("{sign}{:.0}", s.force),
                format!("{sign}{:.1}", s.impulse),
                format!("{sign}{:.3}", s.impulse_per_mass),
            ]
        })
    }

    /// A polar plot (SVG).
    pub fn to_svg(&self) -> String {
        let rose = Rose {
            title: self.title(),
            unit: "N s".into(),
            spokes: self.survived.iter().map(|s| (s.direction_rad, s.impulse)).collect(),
            names: ["forward", "left", "backward", "right"].map(Into::into),
        };
        rose.to_svg()
    }

    /// A page (HTML) with plot and table.
    pub fn to_html(&self) -> String {
        let mut html = beginning(&self.title());
        let _ = writeln!(
            html,
            "<header>\n<h1>{}</h1>\n<p class=\"facts\">{}</p>\n</header>\n<section>\n{}",
            escape(&self.title()),
            escape(&self.criterion()),
            self.to_svg(),
        );
        table(&mut html, &Self::HEADER, self.rows().map(|row| row.map(|cell| escape(&cell)).to_vec()));
        html.push_str("</section>\n");
        end(&mut html);
        html
    }
}

fn direction_name(direction: f64) -> &'static str {
    const NAMES: [&str; 8] = [
        "forward",
        "forward left",
        "left",
        "backward left",
        "backward",
        "backward right",
        "right",
        "forward right",
    ];
    NAMES[(direction / core::f64::consts::FRAC_PI_4).round() as usize % NAMES.len()]
}
