//! The motion to be played: where every link is, frame by frame, drawn by `player.js` as the pictures are.
//!
//! Places and turns are whole numbers of 16 bits in base64. A place counts steps of `data-step`, m, from `data-base`; a turn
//! is a quaternion, w first, times [`ONE`]. Without its script the page does not show the player; the pictures are below it.

use crate::base64::base64;
use crate::svg::solids;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Quat, Vec3};
use anthropi_motion::clip::Clip;
use anthropi_motion::touch;
use std::fmt::Write;

/// Frames a second, and frames in all, at most.
const RATE: f64 = 30.0;
const FRAMES: usize = 600;
/// One, in a turn; and the farthest place.
const ONE: f64 = 32767.0;
/// The least step of places, m.
const STEP: f64 = 0.0005;

/// What is played.
pub struct Player<'a> {
    pub clip: &'a Clip,
    /// drawn in grey with it, and what it is called
    pub behind: Option<(&'a Clip, &'a str)>,
    /// when it begins, as the page counts time, s
    pub start: f64,
    /// where the figure faces, rad from x to y
    pub heading: f64,
    /// where it is one plane
    pub ground: Option<touch::Ground>,
    /// forces of a frame: where they act, and how long they are drawn, m
    pub arrows: &'a dyn Fn(usize) -> Vec<(Vec3, Vec3)>,
}

impl Player<'_> {
    /// Writes it.
    pub fn write(&self, out: &mut String) {
        let clip = self.clip;
        let every = ((1.0 / (RATE * clip.dt())).round() as usize).max(clip.frames().div_ceil(FRAMES)).max(1);
        let frames: Vec<usize> = (0..clip.frames()).step_by(every).collect();
        let solids = solids(clip.figure());
        let mut links: Vec<LinkHandle> = solids.iter().map(|s| s.link).collect();
        links.dedup();
        let tracks: Vec<Track> = [Some(clip), self.behind.map(|b| b.0)]
            .into_iter()
            .flatten()
            .map(|c| Track::of(c, &links, &frames))
            .collect();
        let arrows: Vec<Vec<(Vec3, Vec3)>> = frames.iter().map(|f| (self.arrows)(*f)).collect();
        let Some(base) = tracks.first().and_then(|t| t.places.first().copied()) else { return };
        let places = tracks.iter().flat_map(|t| &t.places).chain(arrows.iter().flatten().map(|(at, _)| at));
        let far = places.fold(0.0_f64, |far, p| far.max((*p - base).norm()));
        let scale = Scale { base, step: (far / ONE).max(STEP) };
        let shapes: Vec<String> = solids
            .iter()
            .map(|s| {
                let balls = s.balls.iter().flat_map(|(p, r)| [p.x, p.y, p.z, *r]).map(|x| format!("{x:.3}"));
                let link = links.iter().position(|l| *l == s.link).unwrap_or(0);
                format!("{link} {} {}", s.side as u8, balls.collect::<Vec<_>>().join(" "))
            })
            .collect();
        let ground = self.ground.filter(|g| g.is_even).map_or(String::new(), |g| {
            format!(" data-ground=\"{:.4} {:.5} {:.5}\"", g.height, g.slope[0], g.slope[1])
        });
        let most = arrows.iter().map(Vec::len).max().unwrap_or(0);
        let _ = write!(
            out,
            "<figure class=\"player\" hidden=\"hidden\">\n<canvas tabindex=\"0\" data-time=\"{} {}\" data-links=\"{}\" data-base=\"{:.4} {:.4} {:.4}\" \
             data-step=\"{:e}\" data-heading=\"{:.4}\" data-arrows=\"{}\" data-poses=\"{}\" data-behind=\"{}\" data-forces=\"{}\"{ground} data-shapes=\"{}\">\
             </canvas>\n",
            self.start,
            every as f64 * clip.dt(),
            links.len(),
            base.x,
            base.y,
            base.z,
            scale.step,
            self.heading,
            most,
            tracks[0].text(&scale),
            tracks.get(1).map_or(String::new(), |t| t.text(&scale)),
            forces(&arrows, most, &scale),
            shapes.join(",")
        );
        let grey = self.behind.map_or(String::new(), |(_, name)| {
            format!("<label><input type=\"checkbox\" checked=\"checked\"/> {name}</label>")
        });
        let _ = writeln!(
            out,
            "<div class=\"controls\"><button type=\"button\">Play</button><input type=\"range\" min=\"0\" max=\"1\" step=\"any\" value=\"0\" \
             aria-label=\"time\"/><output></output><select aria-label=\"speed\"><option value=\"1\">real time</option><option \
             value=\"0.5\">half</option><option value=\"0.25\">a quarter</option></select>{grey}<span>drag to look around</span></div>\n</figure>"
        );
    }
}

/// Places as whole numbers.
struct Scale {
    base: Vec3,
    step: f64,
}

impl Scale {
    fn place(&self, p: Vec3) -> [i16; 3] {
        self.length(p - self.base)
    }

    fn length(&self, v: Vec3) -> [i16; 3] {
        v.to_array().map(|x| (x / self.step).round().clamp(-ONE, ONE) as i16)
    }
}

/// Places and turns of links, frame by frame.
struct Track {
    places: Vec<Vec3>,
    turns: Vec<Quat>,
}

impl Track {
    fn of(clip: &Clip, links: &[LinkHandle], frames: &[usize]) -> Track {
        let forest = clip.figure().forest();
        let mut kinematics = Kinematics::default();
        let mut track = Track { places: Vec::new(), turns: Vec::new() };
        for frame in frames {
            kinematics.update(forest, clip.pose(*frame), None, None);
            for link in links {
                let pose = kinematics.link_pose(forest, *link);
                track.places.push(pose.translation);
                track.turns.push(Quat::from_matrix(&pose.rotation));
            }
        }
        track
    }

    fn text(&self, scale: &Scale) -> String {
        let one = |(place, turn): (&Vec3, &Quat)| {
            let turn = turn.0.map(|x| (x * ONE).round().clamp(-ONE, ONE) as i16);
            scale.place(*place).into_iter().chain(turn)
        };
        text(self.places.iter().zip(&self.turns).flat_map(one))
    }
}

/// Arrows, as many in each frame as in the one with most; those that are not there have no length.
fn forces(arrows: &[Vec<(Vec3, Vec3)>], most: usize, scale: &Scale) -> String {
    let none = (scale.base, Vec3::ZERO);
    let padded = |frame: &Vec<(Vec3, Vec3)>| {
        let missing = most - frame.len();
        frame.clone().into_iter().chain(std::iter::repeat_n(none, missing)).collect::<Vec<_>>()
    };
    text(
        arrows
            .iter()
            .flat_map(padded)
            .flat_map(|(at, along)| scale.place(at).into_iter().chain(scale.length(along))),
    )
}

fn text(numbers: impl Iterator<Item = i16>) -> String {
    base64(&numbers.flat_map(i16::to_le_bytes).collect::<Vec<u8>>())
}
