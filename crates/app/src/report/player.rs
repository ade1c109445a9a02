//! Animation of the motion: link poses frame by frame, drawn by `player.js` like the pictures.
//!
//! Positions and rotations are 16-bit integers in base64. A position counts steps of `data-step`, m, from `data-base`; a
//! rotation is a quaternion, w first, times [`ONE`]. The player is hidden without its script; the pictures remain.

use crate::svg::solids;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_formats::base64::base64;
use anthropi_motion::clip::Clip;
use anthropi_motion::contact_schedule;
use std::fmt::Write;

/// Most frames per second, and frames in all.
const RATE: f64 = 30.0;
const FRAMES: usize = 600;
/// Integer for 1 in a quaternion, and largest position.
const ONE: f64 = 32767.0;
/// Finest step of positions, m.
const STEP: f64 = 0.0005;

/// An animation.
pub struct Player<'a> {
    pub clip: &'a Clip,
    /// second motion in grey, and its name
    pub ghost: Option<(&'a Clip, &'a str)>,
    /// time of the first frame, s
    pub start: f64,
    /// heading of the figure, rad from x to y
    pub heading: f64,
    /// ground, if it is a plane
    pub ground: Option<contact_schedule::Ground>,
    /// props around the figure
    pub props: &'a [contact_schedule::Prop],
    /// forces of a frame: point of application and drawn vector, m
    pub arrows: &'a dyn Fn(usize) -> Vec<(Vec3, Vec3)>,
    /// assistance of a frame, if any acts in the motion
    pub assist: Option<&'a dyn Fn(usize) -> (Vec3, Vec3)>,
}

impl Player<'_> {
    /// Writes the animation.
    pub fn write(&self, out: &mut String) {
        let clip = self.clip;
        let every = ((1.0 / (RATE * clip.dt())).round() as usize).max(clip.frames().div_ceil(FRAMES)).max(1);
        let frames: Vec<usize> = (0..clip.frames()).step_by(every).collect();
        let solids = solids(clip.figure());
        let mut links: Vec<LinkHandle> = solids.iter().map(|s| s.link).collect();
        links.dedup();
        let tracks: Vec<Track> = [Some(clip), self.ghost.map(|b| b.0)]
            .into_iter()
            .flatten()
            .map(|c| Track::new(c, &links, &frames))
            .collect();
        let arrows: Vec<Vec<(Vec3, Vec3)>> = frames.iter().map(|f| (self.arrows)(*f)).collect();
        let assist: Vec<Vec<(Vec3, Vec3)>> =
            self.assist.map_or(Vec::new(), |of| frames.iter().map(|f| vec![of(*f)]).collect());
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
        let props = match self.props.is_empty() {
            true => String::new(),
            false => format!(" data-props=\"{}\"", solids_of(self.props)),
        };
        let assisted = match assist.is_empty() {
            true => String::new(),
            false => format!(" data-assist=\"{}\"", forces(&assist, 1, &scale)),
        };
        let most = arrows.iter().map(Vec::len).max().unwrap_or(0);
        let _ = write!(
            out,
            "<figure class=\"player\" hidden=\"hidden\">\n<canvas tabindex=\"0\" data-time=\"{} {}\" data-links=\"{}\" data-base=\"{:.4} {:.4} {:.4}\" \
             data-step=\"{:e}\" data-heading=\"{:.4}\" data-arrows=\"{}\" data-poses=\"{}\" data-behind=\"{}\" data-forces=\"{}\"{assisted}{ground}{props} data-shapes=\"{}\">\
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
        let grey = self.ghost.map_or(String::new(), |(_, name)| {
            format!("<label><input type=\"checkbox\" checked=\"checked\"/> {name}</label>")
        });
        let key = match assist.is_empty() {
            true => "",
            false => {
                "<span class=\"key force\">ground force</span><span class=\"key assist\">assistance</span>"
            }
        };
        let _ = writeln!(
            out,
            "<div class=\"controls\"><button type=\"button\">Play</button><input type=\"range\" min=\"0\" max=\"1\" step=\"any\" value=\"0\" \
             aria-label=\"time\"/><output></output><select aria-label=\"speed\"><option value=\"1\">real time</option><option \
             value=\"0.5\">half</option><option value=\"0.25\">a quarter</option></select>{grey}{key}<span>drag to look around</span></div>\n</figure>"
        );
    }
}

/// Corners of all props: lower side, then upper side, each counter-clockwise.
fn solids_of(props: &[contact_schedule::Prop]) -> String {
    let corners = |prop: &contact_schedule::Prop| {
        let (world_from_solid, half) = prop.solid();
        let signs = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let at = |[x, y]: [f64; 2], z: f64| world_from_solid.point(vec3(x * half.x, y * half.y, z * half.z));
        let all = [-1.0, 1.0].into_iter().flat_map(|z| signs.map(|s| at(s, z)));
        all.flat_map(|p| p.to_array()).map(|x| format!("{x:.3}")).collect::<Vec<_>>().join(" ")
    };
    props.iter().map(corners).collect::<Vec<_>>().join(",")
}

/// Scale of integer positions.
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

/// Positions and rotations of links, frame by frame.
struct Track {
    places: Vec<Vec3>,
    turns: Vec<Quat>,
}

impl Track {
    fn new(clip: &Clip, links: &[LinkHandle], frames: &[usize]) -> Track {
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

/// Arrows, padded with zero vectors to the same number in each frame.
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
