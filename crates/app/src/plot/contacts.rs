//! Contact plot: a lane over time for each pair in contact, coloured by contact type and slip, with the normal force below.

use super::{Axis, Series, Sheet, bounds, escape};
use anthropi_dynamics::contact::{Slip, Touch};
use std::fmt::Write;

/// An interval of constant contact state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactInterval {
    /// start, s
    pub from: f64,
    /// end, s
    pub until: f64,
    /// contact type
    pub touch: Touch,
    /// slip state
    pub slip: Slip,
}

/// Contact history of a pair.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// "left_foot on floor"
    pub name: String,
    /// in order of time
    pub intervals: Vec<ContactInterval>,
}

impl Lane {
    /// Adds an interval, or extends the last one if the state is the same.
    pub fn add(&mut self, next: ContactInterval) {
        match self.intervals.last_mut() {
            Some(last) if last.until == next.from && (last.touch, last.slip) == (next.touch, next.slip) => {
                last.until = next.until;
            }
            _ => self.intervals.push(next),
        }
    }

    /// Duration of contact, s.
    fn touching(&self) -> f64 {
        self.intervals.iter().filter(|s| s.touch != Touch::Free).map(|s| s.until - s.from).sum()
    }
}

/// A contact plot.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// shown above the plot
    pub title: String,
    /// pairs; those never in contact are not drawn
    pub lanes: Vec<Lane>,
    /// end of the time axis, s
    pub end: f64,
    /// normal forces, N
    pub forces: Vec<Series>,
    /// body weight, N
    pub weight: Option<f64>,
    /// remark on the forces
    pub note: String,
    /// instants to mark
    pub marks: Vec<f64>,
}

const WIDTH: f64 = 820.0;
const TOP: f64 = 64.0;
const RIGHT: f64 = 58.0;
const BOTTOM: f64 = 46.0;
/// Height of the forces and of the space above them.
const FORCES: f64 = 140.0;
const GAP: f64 = 30.0;
/// Most lanes: those with the longest contact.
const MAX_LANES: usize = 30;
/// Longest name of a lane, letters.
const MAX_LETTERS: usize = 42;
/// Width of a small letter, pixels.
const LETTER: f64 = 5.6;
/// The force axis covers at least this many body weights, and this fraction of the samples.
const WEIGHTS: f64 = 2.0;
const INSIDE: f64 = 0.97;

const TOUCHES: [(Touch, &str); 3] =
    [(Touch::Point, "#e69f00"), (Touch::Line, "#56b4e9"), (Touch::Surface, "#0072b2")];
const SLIPS: [(Slip, &str); 3] =
    [(Slip::Stick, "#009e73"), (Slip::Spin, "#cc79a7"), (Slip::Slide, "#d55e00")];
const FREE: &str = "#d0d0d0";
const LINES: [&str; 2] = ["#222222", "#999999"];

impl Contacts {
    /// Draws the plot.
    pub fn to_svg(&self) -> String {
        let lanes = self.drawn();
        let hidden = self.lanes.iter().filter(|l| l.touching() > 0.0).count() - lanes.len();
        let tall = match lanes.len() {
            0..=12 => 19.0,
            13..=20 => 15.0,
            _ => 13.0,
        };
        let names = lanes.iter().map(|l| shortened(&l.name).chars().count()).max().unwrap_or(0);
        let left = (22.0 + LETTER * names as f64).max(84.0);
        let lanes_end = TOP + tall * lanes.len().max(1) as f64;
        let (top, bottom) = (lanes_end + GAP, lanes_end + GAP + FORCES);
        let height = bottom + BOTTOM;
        let x = Axis::linear(0.0, self.end.max(0.0), (left, WIDTH - RIGHT), true);

        let mut out = Sheet { width: WIDTH, height, ..Sheet::default() }.open("");
        let title = escape(&self.title);
        let _ = writeln!(out, "<text x=\"14\" y=\"20\" font-size=\"14\" font-weight=\"bold\">{title}</text>");
        text(&mut out, WIDTH - 14.0, 20.0, "end", 11.0, &self.note);
        legend(&mut out);
        for (i, lane) in lanes.iter().enumerate() {
            draw_lane(&mut out, lane, &x, left, TOP + tall * i as f64, tall);
        }
        if lanes.is_empty() {
            text(&mut out, left + 6.0, TOP + 13.0, "start", 11.0, "no contact");
        }
        if hidden > 0 {
            let more = format!("and {hidden} more with less contact");
            text(&mut out, left - 8.0, lanes_end + 13.0, "end", 10.0, &more);
        }
        for at in self.marks.iter().filter(|t| (x.low..=x.high).contains(*t)) {
            line(&mut out, (x.pixel(*at), TOP), (x.pixel(*at), bottom), "#999", " stroke-dasharray=\"4 3\"");
        }
        self.draw_forces(&mut out, &x, top, bottom);
        out.push_str("</svg>\n");
        out
    }

    /// Lanes with the longest contact, in their given order.
    fn drawn(&self) -> Vec<&Lane> {
        let mut order: Vec<(usize, &Lane)> =
            self.lanes.iter().enumerate().filter(|(_, l)| l.touching() > 0.0).collect();
        order.sort_by(|a, b| b.1.touching().total_cmp(&a.1.touching()).then(a.0.cmp(&b.0)));
        order.truncate(MAX_LANES);
        order.sort_by_key(|(i, _)| *i);
        order.into_iter().map(|(_, l)| l).collect()
    }

    /// Upper end of the force axis; impact peaks are cut off, they would flatten the rest.
    fn highest(&self) -> f64 {
        let mut all: Vec<f64> = self.forces.iter().flat_map(|s| s.points.iter().map(|p| p.1)).collect();
        all.retain(|f| f.is_finite() && *f > 0.0);
        all.sort_by(f64::total_cmp);
        let last = all.len().saturating_sub(1);
        let most = all.get((INSIDE * last as f64) as usize).copied().unwrap_or(0.0);
        let weights = WEIGHTS * self.weight.unwrap_or(0.0);
        bounds(all.into_iter()).1.min((1.2 * most).max(weights)).max(1.0)
    }

    fn draw_forces(&self, out: &mut String, x: &Axis, top: f64, bottom: f64) {
        let (left, right) = x.ends;
        let y = Axis::linear(0.0, self.highest(), (bottom, top), false);
        for (value, label) in &y.ticks {
            let at = y.pixel(*value);
            line(out, (left, at), (right, at), "#e4e4e4", "");
            text(out, left - 8.0, at + 4.0, "end", 11.0, label);
        }
        if let Some(weight) = self.weight.filter(|w| *w > 0.0) {
            let weights = Axis::linear(0.0, y.high / weight, (bottom, top), true);
            for (value, label) in &weights.ticks {
                let at = weights.pixel(*value);
                line(out, (right, at), (right + 4.0, at), "#888", "");
                text(out, right + 8.0, at + 4.0, "start", 11.0, label);
            }
            sideways(out, WIDTH - 8.0, 0.5 * (top + bottom), "body weights");
        }
        for (value, label) in &x.ticks {
            let at = x.pixel(*value);
            line(out, (at, bottom), (at, bottom + 5.0), "#888", "");
            text(out, at, bottom + 18.0, "middle", 11.0, label);
        }
        for (series, colour) in self.forces.iter().zip(LINES.iter().cycle()) {
            draw_force(out, series, colour, x, &y);
        }
        let _ = writeln!(
            out,
            "<path d=\"M{left:.1} {top:.1}V{bottom:.1}H{right:.1}V{top:.1}\" fill=\"none\" stroke=\"#888\"/>"
        );
        text(out, 0.5 * (left + right), bottom + 36.0, "middle", 12.0, "time, s");
        sideways(out, left - 52.0, 0.5 * (top + bottom), "normal force, N");
        let mut at = left;
        for (series, colour) in self.forces.iter().zip(LINES.iter().cycle()) {
            let (ends, base) = (at + 18.0, top - 8.0);
            line(out, (at, base - 4.0), (ends, base - 4.0), colour, " stroke-width=\"2\"");
            text(out, ends + 5.0, base, "start", 11.0, &series.name);
            at = ends + 20.0 + 6.0 * series.name.chars().count() as f64;
        }
    }
}

fn draw_lane(out: &mut String, lane: &Lane, x: &Axis, left: f64, top: f64, tall: f64) {
    text(out, left - 8.0, top + 0.5 * tall + 3.5, "end", 10.5, &shortened(&lane.name));
    let right = x.ends.1;
    line(out, (left, top + tall), (right, top + tall), "#f0f0f0", "");
    // contact type above, slip below, and a thin line for proximity without force
    let (upper, lower) = (0.55 * tall, 0.23 * tall);
    for interval in &lane.intervals {
        let (from, until) = (x.pixel(interval.from), x.pixel(interval.until));
        let mut strip = |at: f64, high: f64, colour: &str| {
            let _ = writeln!(
                out,
                "<rect x=\"{from:.1}\" y=\"{at:.1}\" width=\"{:.1}\" height=\"{high:.1}\" fill=\"{colour}\"/>",
                (until - from).max(0.7)
            );
        };
        match colour(interval.touch, &TOUCHES) {
            Some(touch) => {
                strip(top + 0.1 * tall, upper, touch);
                strip(top + 0.1 * tall + upper, lower, colour(interval.slip, &SLIPS).unwrap_or(FREE));
            }
            None => strip(top + 0.5 * tall - 0.75, 1.5, FREE),
        }
    }
}

fn draw_force(out: &mut String, series: &Series, colour: &str, x: &Axis, y: &Axis) {
    let mut path = String::new();
    for (time, force) in series.points.iter().filter(|p| p.0.is_finite() && p.1.is_finite()) {
        let letter = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{letter}{:.1} {:.1}", x.pixel(*time), y.pixel(force.clamp(y.low, y.high)));
    }
    let _ = writeln!(
        out,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.4\" stroke-linejoin=\"round\"/>"
    );
}

fn colour<T: PartialEq>(of: T, all: &[(T, &'static str)]) -> Option<&'static str> {
    all.iter().find(|(t, _)| *t == of).map(|(_, colour)| *colour)
}

fn legend(out: &mut String) {
    let mut at = 14.0;
    let mut entry = |word: &str, colour: &str, high: f64| {
        let _ = writeln!(
            out,
            "<rect x=\"{at:.1}\" y=\"{:.1}\" width=\"16\" height=\"{high}\" fill=\"{colour}\"/>",
            43.0 - 0.5 * high
        );
        text(out, at + 21.0, 47.0, "start", 11.0, word);
        at += 36.0 + 6.2 * word.chars().count() as f64;
    };
    TOUCHES.iter().for_each(|(touch, colour)| entry(touch.name(), colour, 10.0));
    entry("near, no force", FREE, 2.0);
    SLIPS.iter().for_each(|(slip, colour)| entry(&format!("{}s", slip.name()), colour, 5.0));
}

fn line(out: &mut String, from: (f64, f64), to: (f64, f64), colour: &str, style: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"{style}/>"
    );
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, size: f64, words: &str) {
    let words = escape(words);
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\">{words}</text>"
    );
}

fn sideways(out: &mut String, x: f64, y: f64, words: &str) {
    let words = escape(words);
    let _ = writeln!(
        out,
        "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" text-anchor=\"middle\">{words}</text>"
    );
}

/// Long names get an ellipsis in the middle.
fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= MAX_LETTERS {
        return name.into();
    }
    let half = (MAX_LETTERS - 1) / 2;
    letters[..half].iter().chain(&['\u{2026}']).chain(&letters[letters.len() - half..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(n: usize) -> Contacts {
        let touches = [Touch::Free, Touch::Point, Touch::Line, Touch::Surface];
        let slips = [Slip::Stick, Slip::Spin, Slip::Slide];
        let lane = |i: usize| {
            let mut lane =
                Lane { name: format!("left/left_part_{i} on right/<thing> & {i}"), intervals: vec![] };
            for k in i..60 {
                let (from, until) = (k as f64 * 0.05, (k + 1) as f64 * 0.05);
                let (touch, slip) = (touches[(k / 6 + i) % 4], slips[(k / 4 + i) % 3]);
                lane.add(ContactInterval { from, until, touch, slip });
            }
            lane
        };
        let wave = |k: usize, size: f64| (k as f64 * 0.005, size * (1.0 + (k as f64 * 0.05).sin()));
        let mut ground: Vec<(f64, f64)> = (0..600).map(|k| wave(k, 600.0)).collect();
        ground[100].1 = 2e4;
        let links = (0..600).map(|k| wave(k, 100.0)).collect();
        Contacts {
            title: "Contacts".into(),
            lanes: (0..n).map(lane).collect(),
            end: 3.0,
            forces: vec![
                Series { name: "on the ground".into(), points: ground },
                Series { name: "between links".into(), points: links },
            ],
            weight: Some(676.9),
            note: "mean of each 5 ms; most in a step: 20000 N at 0.500 s".into(),
            marks: vec![1.0],
        }
    }

    fn assert_well_formed(svg: &str) {
        roxmltree::Document::parse(svg).unwrap_or_else(|e| panic!("{e}\n{svg}"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn any_number_of_lanes_makes_a_plot() {
        for n in [0, 1, 2, 12, 30, 50] {
            let svg = lanes(n).to_svg();
            assert_well_formed(&svg);
            assert_eq!(svg.contains("no contact"), n == 0);
            assert_eq!(svg.contains("with less contact"), n > MAX_LANES, "{n}");
        }
        let empty = Contacts::default().to_svg();
        assert_well_formed(&empty);
    }

    #[test]
    fn intervals_of_the_same_state_are_merged() {
        let mut lane = Lane::default();
        let interval = |from, until, slip| ContactInterval { from, until, touch: Touch::Line, slip };
        lane.add(interval(0.0, 1.0, Slip::Stick));
        lane.add(interval(1.0, 2.0, Slip::Stick));
        lane.add(interval(2.0, 3.0, Slip::Slide));
        lane.add(interval(4.0, 5.0, Slip::Slide));
        let times: Vec<(f64, f64)> = lane.intervals.iter().map(|s| (s.from, s.until)).collect();
        assert_eq!(times, [(0.0, 2.0), (2.0, 3.0), (4.0, 5.0)]);
        assert_eq!(lane.touching(), 4.0);
    }

    #[test]
    fn peaks_do_not_flatten_the_rest() {
        assert!((1200.0..3000.0).contains(&lanes(1).highest()), "{}", lanes(1).highest());
        assert_eq!(Contacts::default().highest(), 1.0);
    }
}
