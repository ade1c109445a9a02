//! Plots as scalable vector graphics: axes with round ticks, labels with units, a legend, marks at instants.

mod contacts;

pub use contacts::{Contacts, Lane, Spell};

use std::fmt::Write;

/// A line.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// for the legend
    pub name: String,
    /// x and y; a y that is not finite breaks the line
    pub points: Vec<(f64, f64)>,
}

/// A plot.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// above it
    pub title: String,
    /// with unit
    pub x_label: String,
    /// with unit
    pub y_label: String,
    /// whether y grows by factors of ten; zero and less then lie on the lower edge
    pub is_log: bool,
    /// the lines
    pub series: Vec<Series>,
    /// instants to mark, with what to write there
    pub marks: Vec<(f64, String)>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = 52.0;
/// Colours that people who see few colours can tell apart (Okabe and Ito).
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a7a7a", "#000000"];
/// About how many steps an axis has.
const STEPS: f64 = 6.0;
/// Closest powers of ten that get a tick each.
const MAX_DECADES: i32 = 8;
/// Least distance between two texts of marks, pixels.
const MARK_GAP: f64 = 14.0;

/// From a range of numbers to pixels.
struct Axis {
    low: f64,
    high: f64,
    /// pixels at `low` and `high`
    ends: (f64, f64),
    ticks: Vec<(f64, String)>,
}

impl Axis {
    fn linear(low: f64, high: f64, ends: (f64, f64), is_tight: bool) -> Axis {
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        // a flat line gets room that shows its size
        let least = 1e-9 * low.abs().max(high.abs()).max(1e-6);
        let (low, high) = if high - low > least { (low, high) } else { (low - 0.5, high + 0.5) };
        let step = round_step((high - low) / STEPS);
        let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
        let (first, last, low, high) = match is_tight {
            true => (first, last, low, high),
            false => {
                let (f, l) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
                (f, l, f * step, l * step)
            }
        };
        let count = (last - first).max(0.0) as i64;
        let digits = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        let label = |x: f64| tick_text(x, digits, step);
        let ticks = (0..=count).map(|k| (first + k as f64) * step).map(|x| (x, label(x))).collect();
        Axis { low, high, ends, ticks }
    }

    /// In powers of ten; the numbers are exponents.
    fn logarithmic(low: f64, high: f64, ends: (f64, f64)) -> Axis {
        let (low, high) = if low <= high { (low.floor(), high.ceil()) } else { (-1.0, 0.0) };
        let high = if high > low { high } else { low + 1.0 };
        let every = (((high - low) as i32 + MAX_DECADES - 1) / MAX_DECADES).max(1);
        let exponents = (low as i32..=high as i32).filter(|e| (e - low as i32) % every == 0);
        let ticks = exponents.map(|e| (f64::from(e), format!("1e{e}"))).collect();
        Axis { low, high, ends, ticks }
    }

    fn pixel(&self, x: f64) -> f64 {
        self.ends.0 + (x - self.low) / (self.high - self.low) * (self.ends.1 - self.ends.0)
    }
}

/// 1, 2 or 5 times a power of ten, not smaller than `x`.
fn round_step(x: f64) -> f64 {
    let power = 10f64.powf(x.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|k| k * power >= x * (1.0 - 1e-9)).unwrap_or(10.0);
    step * power
}

fn tick_text(x: f64, digits: usize, step: f64) -> String {
    let x = if x.abs() < 1e-9 * step { 0.0 } else { x };
    match x == 0.0 || (1e-4..1e6).contains(&x.abs()) {
        true => format!("{x:.digits$}"),
        false => format!("{x:e}"),
    }
}

impl Plot {
    /// The picture.
    pub fn to_svg(&self) -> String {
        let (x, y) = (self.x_axis(), self.y_axis());
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
             height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        self.draw_axes(&mut out, &x, &y);
        for (i, series) in self.series.iter().enumerate() {
            self.draw_line(&mut out, series, COLOURS[i % COLOURS.len()], &x, &y);
        }
        self.draw_marks(&mut out, &x);
        self.draw_legend(&mut out);
        out.push_str("</svg>\n");
        out
    }

    fn x_axis(&self) -> Axis {
        let all = self.series.iter().flat_map(|s| s.points.iter().map(|p| p.0));
        let (low, high) = bounds(all);
        Axis::linear(low, high, (LEFT, WIDTH - RIGHT), true)
    }

    fn y_axis(&self) -> Axis {
        let all = self.series.iter().flat_map(|s| s.points.iter().map(|p| p.1));
        let ends = (HEIGHT - BOTTOM, TOP);
        match self.is_log {
            true => {
                let (low, high) = bounds(all.filter(|y| *y > 0.0).map(f64::log10));
                Axis::logarithmic(low, high, ends)
            }
            false => {
                let (low, high) = bounds(all);
                Axis::linear(low, high, ends, false)
            }
        }
    }

    fn draw_axes(&self, out: &mut String, x: &Axis, y: &Axis) {
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for (value, label) in &y.ticks {
            let at = y.pixel(*value);
            let _ = writeln!(
                out,
                "<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"#e4e4e4\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                LEFT - 8.0,
                at + 4.0
            );
        }
        for (value, label) in &x.ticks {
            let at = x.pixel(*value);
            let _ = writeln!(
                out,
                "<line x1=\"{at:.1}\" y1=\"{bottom}\" x2=\"{at:.1}\" y2=\"{:.1}\" stroke=\"#888\"/>\
                 <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                bottom + 5.0,
                bottom + 19.0
            );
        }
        let middle = (0.5 * (LEFT + right), 0.5 * (TOP + bottom));
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"#888\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n\
             <text x=\"{LEFT}\" y=\"20\" font-size=\"14\" font-weight=\"bold\">{}</text>",
            middle.0,
            HEIGHT - 12.0,
            escape(&self.x_label),
            middle.1,
            escape(&self.y_label),
            escape(&self.title),
        );
    }

    /// A dashed line at each instant, its text beside it; texts that would fall on each other are left out.
    fn draw_marks(&self, out: &mut String, x: &Axis) {
        let mut last = f64::NEG_INFINITY;
        for (at, text) in self.marks.iter().filter(|(at, _)| (x.low..=x.high).contains(at)) {
            let (px, bottom) = (x.pixel(*at), HEIGHT - BOTTOM);
            let _ = writeln!(
                out,
                "<line x1=\"{px:.1}\" y1=\"{TOP}\" x2=\"{px:.1}\" y2=\"{bottom}\" stroke=\"#999\" \
                 stroke-dasharray=\"4 3\"/>"
            );
            if px - last >= MARK_GAP {
                let _ = writeln!(
                    out,
                    "<text transform=\"translate({:.1} {:.1}) rotate(-90)\" font-size=\"10\" fill=\"#666\" \
                     stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\" text-anchor=\"end\">{}</text>",
                    px - 4.0,
                    TOP + 4.0,
                    escape(text)
                );
                last = px;
            }
        }
    }

    fn draw_line(&self, out: &mut String, series: &Series, colour: &str, x: &Axis, y: &Axis) {
        let mut path = String::new();
        let mut is_down = false;
        for (px, py) in &series.points {
            let value = match (self.is_log, *py > 0.0) {
                (true, true) => py.log10(),
                (true, false) if *py <= 0.0 => y.low,
                _ => *py,
            };
            if !(px.is_finite() && value.is_finite()) {
                is_down = false;
                continue;
            }
            let letter = if is_down { 'L' } else { 'M' };
            let _ = write!(path, "{letter}{:.1} {:.1}", x.pixel(*px), y.pixel(value));
            is_down = true;
        }
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" stroke-linejoin=\"round\"/>"
        );
    }

    fn draw_legend(&self, out: &mut String) {
        if self.series.len() < 2 {
            return;
        }
        let mut at = LEFT;
        for (i, series) in self.series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            let _ = writeln!(
                out,
                "<line x1=\"{at:.1}\" y1=\"38\" x2=\"{:.1}\" y2=\"38\" stroke=\"{colour}\" stroke-width=\"3\"/>\
                 <text x=\"{:.1}\" y=\"42\">{}</text>",
                at + 18.0,
                at + 23.0,
                escape(&series.name)
            );
            // letters of this size are about 6.6 pixels wide
            at += 42.0 + 6.6 * series.name.chars().count() as f64;
        }
    }
}

fn bounds(all: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = all.filter(|x| x.is_finite());
    finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_range() {
        assert_eq!([0.7, 1.0, 1.3, 3.0, 6.0].map(round_step), [1.0, 1.0, 2.0, 5.0, 10.0]);
        let axis = Axis::linear(-0.3, 2.6, (0.0, 100.0), false);
        assert!(axis.low <= -0.3 && axis.high >= 2.6);
        assert!(axis.ticks.iter().any(|(x, text)| *x == 0.0 && text == "0.0"), "{:?}", axis.ticks);
        let tight = Axis::linear(0.0, 10.0, (0.0, 100.0), true);
        assert_eq!(
            tight.ticks.iter().map(|t| t.1.as_str()).collect::<Vec<_>>(),
            ["0", "2", "4", "6", "8", "10"]
        );
    }

    #[test]
    fn odd_data_make_a_picture() {
        let series = |points: &[(f64, f64)]| Series { name: "a & b".into(), points: points.to_vec() };
        for points in [&[][..], &[(0.0, 1.0)], &[(0.0, f64::NAN), (1.0, 0.0)], &[(0.0, 0.0), (1.0, 0.0)]] {
            for is_log in [false, true] {
                let plot = Plot { is_log, series: vec![series(points); 2], ..Plot::default() };
                let svg = plot.to_svg();
                assert!(svg.contains("a &amp; b") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }
}
