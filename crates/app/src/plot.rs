//! Plots as SVG: axes with round ticks, labels with units, a legend, marks at instants.

mod axis;
mod contacts;
mod lanes;
mod rose;
mod sheet;
mod thin;

pub use contacts::{ContactInterval, Contacts, Lane};
pub use lanes::{Bar, Lanes, Row};
pub use rose::Rose;
pub use sheet::Sheet;

use crate::palette::SERIES;
use axis::{Axis, bounds};
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
    /// shown above the plot
    pub title: String,
    /// with unit
    pub x_label: String,
    /// with unit
    pub y_label: String,
    /// whether the y axis is logarithmic; values of zero and less lie on the lower edge
    pub is_log: bool,
    /// the lines
    pub series: Vec<Series>,
    /// instants to mark, with labels
    pub marks: Vec<(f64, String)>,
}

/// Minimum distance between two labels of marks, pixels.
const MARK_GAP: f64 = 14.0;

impl Plot {
    /// Draws the plot on a default sheet.
    pub fn to_svg(&self) -> String {
        self.to_svg_on(&Sheet::default())
    }

    /// Draws the plot.
    pub fn to_svg_on(&self, sheet: &Sheet) -> String {
        let (x, y) = (self.x_axis(sheet), self.y_axis(sheet));
        let mut out = sheet.open(&format!("{}{}", data("x", &x), data("y", &y)));
        draw_shades(&mut out, sheet, &x, (y.ends.1, y.ends.0));
        draw_band(&mut out, sheet, &x, &y);
        self.draw_y_axis(&mut out, sheet, &x, &y);
        draw_x_axis(&mut out, sheet, &x, &self.x_label);
        for (i, series) in self.series.iter().enumerate() {
            self.draw_line(&mut out, series, sheet.look(i), &x, &y);
        }
        draw_levels(&mut out, sheet, &x, &y);
        self.draw_marks(&mut out, &x, &y);
        self.draw_legend(&mut out, sheet);
        out.push_str("</svg>\n");
        out
    }

    fn x_axis(&self, sheet: &Sheet) -> Axis {
        let all = self.series.iter().flat_map(|s| s.points.iter().map(|p| p.0));
        let (low, high) = sheet.x.unwrap_or_else(|| bounds(all));
        Axis::linear(low, high, (sheet.left, sheet.right()), true)
    }

    fn y_axis(&self, sheet: &Sheet) -> Axis {
        let lines = self.series.iter().flat_map(|s| s.points.iter().map(|p| p.1));
        let all = lines.chain(sheet.levels.iter().map(|l| l.0));
        let all = all.chain(sheet.band.iter().flat_map(|[_, low, high]| [*low, *high]));
        let ends = (sheet.bottom(), sheet.top(self.series.len() > 1));
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

    fn draw_y_axis(&self, out: &mut String, sheet: &Sheet, x: &Axis, y: &Axis) {
        let ((left, right), (bottom, top)) = (x.ends, y.ends);
        for (value, label) in &y.ticks {
            let (at, is_zero) = (y.pixel(*value), *value == 0.0 && !self.is_log);
            let (class, colour) = if is_zero { ("zero", "#9a9a9a") } else { ("grid", "#e4e4e4") };
            let _ = writeln!(
                out,
                "<line class=\"{class}\" x1=\"{left}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" \
                 stroke=\"{colour}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                left - 8.0,
                at + 4.0
            );
        }
        let _ = writeln!(
            out,
            "<path class=\"axis\" d=\"M{left} {top}V{bottom}\" fill=\"none\" stroke=\"#888\"/>\n\
             <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            0.5 * (top + bottom),
            escape(&self.y_label),
        );
        if sheet.is_titled {
            let title = escape(&self.title);
            let _ = writeln!(
                out,
                "<text x=\"{left}\" y=\"20\" font-size=\"14\" font-weight=\"bold\">{title}</text>"
            );
        }
    }

    /// A labelled dashed line at each instant; labels that would overlap are left out.
    fn draw_marks(&self, out: &mut String, x: &Axis, y: &Axis) {
        let (mut last, (bottom, top)) = (f64::NEG_INFINITY, y.ends);
        for (at, text) in self.marks.iter().filter(|(at, _)| (x.low..=x.high).contains(at)) {
            let px = x.pixel(*at);
            let _ = writeln!(
                out,
                "<line class=\"mark\" x1=\"{px:.1}\" y1=\"{top}\" x2=\"{px:.1}\" y2=\"{bottom}\" stroke=\"#999\" \
                 stroke-dasharray=\"4 3\"/>"
            );
            if px - last >= MARK_GAP {
                let _ = writeln!(
                    out,
                    "<text transform=\"translate({:.1} {:.1}) rotate(-90)\" font-size=\"10\" fill=\"#666\" \
                     stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\" text-anchor=\"end\">{}</text>",
                    px - 4.0,
                    top + 4.0,
                    escape(text)
                );
                last = px;
            }
        }
    }

    fn draw_line(&self, out: &mut String, series: &Series, (c, dash): (usize, &str), x: &Axis, y: &Axis) {
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
            "<path class=\"line c{c}\" data-name=\"{}\" d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" \
             stroke-linejoin=\"round\"{dash}/>",
            escape(&series.name),
            SERIES[c % SERIES.len()]
        );
    }

    fn draw_legend(&self, out: &mut String, sheet: &Sheet) {
        if self.series.len() < 2 {
            return;
        }
        let (mut at, y) = (sheet.left, sheet.legend() + 10.0);
        for (i, series) in self.series.iter().enumerate() {
            let (c, dash) = sheet.look(i);
            let _ = writeln!(
                out,
                "<line class=\"c{c}\" x1=\"{at:.1}\" y1=\"{y}\" x2=\"{:.1}\" y2=\"{y}\" stroke=\"{}\" \
                 stroke-width=\"3\"{dash}/><text x=\"{:.1}\" y=\"{}\">{}</text>",
                at + 18.0,
                SERIES[c % SERIES.len()],
                at + 23.0,
                y + 4.0,
                escape(&series.name)
            );
            // letters of this size are about 6.6 pixels wide
            at += 42.0 + 6.6 * series.name.chars().count() as f64;
        }
    }
}

/// Range and pixels of an axis, for the script that shows numbers under the pointer.
fn data(name: &str, axis: &Axis) -> String {
    let Axis { low, high, ends: (a, b), .. } = axis;
    format!(" data-{name}=\"{low} {high} {a} {b}\"")
}

fn draw_x_axis(out: &mut String, sheet: &Sheet, x: &Axis, label: &str) {
    let (bottom, (left, right)) = (sheet.bottom(), x.ends);
    for (value, label) in &x.ticks {
        let at = x.pixel(*value);
        let _ = writeln!(
            out,
            "<line class=\"axis\" x1=\"{at:.1}\" y1=\"{bottom}\" x2=\"{at:.1}\" y2=\"{:.1}\" stroke=\"#888\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            bottom + 5.0,
            bottom + 19.0
        );
    }
    let _ = writeln!(
        out,
        "<path class=\"axis\" d=\"M{left} {bottom}H{right}\" fill=\"none\" stroke=\"#888\"/>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        0.5 * (left + right),
        sheet.height - 12.0,
        escape(label),
    );
}

/// Greyed ranges of x.
fn draw_shades(out: &mut String, sheet: &Sheet, x: &Axis, (top, bottom): (f64, f64)) {
    for (from, until) in &sheet.shades {
        let [from, until] = [from, until].map(|t| x.pixel(t.clamp(x.low, x.high)));
        if until > from {
            let (wide, high) = (until - from, bottom - top);
            let _ = writeln!(
                out,
                "<rect class=\"shade\" x=\"{from:.1}\" y=\"{top}\" width=\"{wide:.1}\" height=\"{high:.1}\" \
                 fill=\"#ececec\"/>"
            );
        }
    }
}

/// A tinted range of y.
fn draw_band(out: &mut String, sheet: &Sheet, x: &Axis, y: &Axis) {
    if sheet.band.is_empty() {
        return;
    }
    let (there, back) = (sheet.band.iter().map(|[x, _, high]| (x, high)), sheet.band.iter().rev());
    let points = there.chain(back.map(|[x, low, _]| (x, low)));
    let points: Vec<String> = points.map(|(a, b)| format!("{:.1} {:.1}", x.pixel(*a), y.pixel(*b))).collect();
    let _ = writeln!(out, "<path class=\"band\" d=\"M{}Z\" fill=\"#dfe7ef\"/>", points.join("L"));
}

/// Labelled dashed horizontal lines.
fn draw_levels(out: &mut String, sheet: &Sheet, x: &Axis, y: &Axis) {
    for (value, text) in &sheet.levels {
        let (at, (left, right)) = (y.pixel(*value), x.ends);
        // label above the line, or below it near the upper edge
        let label = if at - y.ends.1 > 14.0 { at - 4.0 } else { at + 13.0 };
        let _ = writeln!(
            out,
            "<line class=\"level\" x1=\"{left}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"#999\" \
             stroke-dasharray=\"5 4\"/><text class=\"halo\" x=\"{:.1}\" y=\"{label:.1}\" text-anchor=\"end\" font-size=\"10\" \
             stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
            right - 4.0,
            escape(text)
        );
    }
}

/// Escapes text for XML and HTML; characters XML forbids become replacement characters.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                out.push('\u{fffd}');
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degenerate_data_make_a_plot() {
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
