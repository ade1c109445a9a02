//! Lanes over time: intervals as bars, one lane per item.

use super::{Axis, Sheet, draw_shades, draw_x_axis, escape};
use std::fmt::Write;

/// Height of a lane, upper and lower margin, pixels.
const TALL: f64 = 20.0;
const ABOVE: f64 = 8.0;
const BELOW: f64 = 52.0;
/// Shortest bar, pixels.
const SHORT: f64 = 2.0;

/// An interval with a tooltip and a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// start, s
    pub from: f64,
    /// end, s
    pub until: f64,
    /// tooltip
    pub title: String,
    /// id of the element on the page
    pub id: String,
    /// link target
    pub link: String,
}

/// A lane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// label at the left
    pub name: String,
    /// colour of the bars
    pub colour: &'static str,
    /// CSS class of the bars
    pub class: &'static str,
    /// start and end of plain intervals, in order
    pub intervals: Vec<(f64, f64)>,
    /// intervals with tooltips and links
    pub bars: Vec<Bar>,
}

/// A plot of lanes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lanes {
    /// from the top
    pub rows: Vec<Row>,
    /// label of the time axis
    pub x_label: String,
}

impl Lanes {
    /// Draws the lanes, as wide as the sheet.
    pub fn to_svg_on(&self, sheet: &Sheet) -> String {
        let height = ABOVE + TALL * self.rows.len() as f64 + BELOW;
        let sheet = Sheet { height, is_titled: false, ..sheet.clone() };
        let (low, high) = sheet.x.unwrap_or((0.0, 1.0));
        let x = Axis::linear(low, high, (sheet.left, sheet.right()), true);
        let mut out = sheet.open(&super::data("x", &x));
        draw_shades(&mut out, &sheet, &x, (ABOVE, sheet.bottom()));
        for (i, row) in self.rows.iter().enumerate() {
            row.draw(&mut out, &x, ABOVE + TALL * i as f64);
        }
        draw_x_axis(&mut out, &sheet, &x, &self.x_label);
        out.push_str("</svg>\n");
        out
    }
}

impl Row {
    fn draw(&self, out: &mut String, x: &Axis, top: f64) {
        let (left, right) = x.ends;
        let (class, colour, high, below) = (self.class, self.colour, TALL - 6.0, top + TALL);
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"11\">{}</text>\
             <line class=\"grid\" x1=\"{left:.1}\" y1=\"{below:.1}\" x2=\"{right:.1}\" y2=\"{below:.1}\" stroke=\"#e4e4e4\"/>",
            left - 8.0,
            top + 0.5 * TALL + 4.0,
            escape(&self.name),
        );
        let mut path = String::new();
        for (from, until) in self.joined(x) {
            let _ = write!(path, "M{from:.1} {:.1}H{until:.1}v{high}H{from:.1}z", top + 3.0);
        }
        if !path.is_empty() {
            let _ = writeln!(out, "<path class=\"{class}\" d=\"{path}\" fill=\"{colour}\"/>");
        }
        for bar in &self.bars {
            let (from, wide) = extent(x, bar);
            let _ = writeln!(
                out,
                "<a href=\"{}\"><rect id=\"{}\" class=\"{class}\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{wide:.1}\" \
                 height=\"{high}\" rx=\"2\" fill=\"{colour}\"><title>{}</title></rect></a>",
                escape(&bar.link),
                escape(&bar.id),
                top + 3.0,
                escape(&bar.title),
            );
        }
    }

    /// Intervals in pixels, merged where they touch on paper.
    fn joined(&self, x: &Axis) -> Vec<(f64, f64)> {
        let mut joined: Vec<(f64, f64)> = Vec::new();
        for (from, until) in self.intervals.iter().map(|s| (x.pixel(s.0), x.pixel(s.1))) {
            match joined.last_mut() {
                Some(last) if from - last.1 < 0.3 => last.1 = last.1.max(until),
                _ => joined.push((from, until)),
            }
        }
        joined
    }
}

/// Left end and width; short bars are widened about their middle, within the axis.
fn extent(x: &Axis, bar: &Bar) -> (f64, f64) {
    let (from, until) = (x.pixel(bar.from), x.pixel(bar.until));
    let wide = (until - from).max(SHORT);
    let from = 0.5 * (from + until - wide);
    (from.clamp(x.ends.0, (x.ends.1 - wide).max(x.ends.0)), wide)
}
