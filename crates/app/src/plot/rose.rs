//! Polar plot of values by direction, seen from above: forward is up, left is left.

use super::axis::Axis;
use super::escape;
use crate::palette::SERIES;
use std::fmt::Write;

/// A polar plot.
#[derive(Clone, Debug, Default)]
pub struct Rose {
    /// shown above the plot
    pub title: String,
    /// of the values
    pub unit: String,
    /// direction (rad, counterclockwise from forward) and value
    pub spokes: Vec<(f64, f64)>,
    /// labels ahead, left, behind, right
    pub names: [String; 4],
}

/// Size, centre and outermost circle, pixels.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 560.0;
const MIDDLE: (f64, f64) = (280.0, 290.0);
const RADIUS: f64 = 210.0;

impl Rose {
    /// Draws the plot.
    pub fn to_svg(&self) -> String {
        let most = self.spokes.iter().map(|(_, value)| *value).filter(|v| v.is_finite()).fold(0.0, f64::max);
        let axis = Axis::linear(0.0, if most > 0.0 { most } else { 1.0 }, (0.0, RADIUS), true);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"20\" text-anchor=\"middle\" font-size=\"14\">{}</text>",
            0.5 * WIDTH,
            escape(&self.title)
        );
        self.draw_grid(&mut out, &axis);
        self.draw_values(&mut out, &axis);
        out.push_str("</svg>\n");
        out
    }

    /// Circles at round values, and the four labels.
    fn draw_grid(&self, out: &mut String, axis: &Axis) {
        let (x, y) = MIDDLE;
        for (value, label) in axis.ticks.iter().filter(|(value, _)| *value > 0.0) {
            let r = axis.pixel(*value);
            let _ = writeln!(
                out,
                "<circle class=\"grid\" cx=\"{x}\" cy=\"{y}\" r=\"{r:.1}\" fill=\"none\" stroke=\"#d0d0d0\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#606060\" font-size=\"10\">{label} {}</text>",
                x + 3.0,
                y - r - 2.0,
                escape(&self.unit)
            );
        }
        for (quarter, name) in self.names.iter().enumerate() {
            let angle = quarter as f64 * core::f64::consts::FRAC_PI_2;
            let (px, py) = point(angle, RADIUS + 24.0);
            let (ex, ey) = point(angle, RADIUS);
            let anchor = ["middle", "end", "middle", "start"][quarter];
            let px = px + [0.0, 14.0, 0.0, -14.0][quarter];
            let _ = writeln!(
                out,
                "<path class=\"axis\" d=\"M{x} {y}L{ex:.1} {ey:.1}\" stroke=\"#a0a0a0\"/>\n\
                 <text x=\"{px:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                py + 4.0,
                escape(name)
            );
        }
    }

    /// The outline of the values, with dots.
    fn draw_values(&self, out: &mut String, axis: &Axis) {
        let colour = SERIES[0];
        let places: Vec<(f64, f64)> =
            self.spokes.iter().map(|(angle, value)| point(*angle, axis.pixel(value.max(0.0)))).collect();
        let outline: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            out,
            "<polygon class=\"line c0\" points=\"{}\" fill=\"{colour}\" fill-opacity=\"0.2\" stroke=\"{colour}\" stroke-width=\"1.5\"/>",
            outline.join(" ")
        );
        for ((x, y), (angle, value)) in places.iter().zip(&self.spokes) {
            let _ = writeln!(
                out,
                "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"><title>{:.0} degrees: {value:.1} {}</title></circle>",
                angle.to_degrees(),
                escape(&self.unit)
            );
        }
    }
}

/// Forward is up, left is left.
fn point(angle: f64, radius: f64) -> (f64, f64) {
    let (sin, cos) = angle.sin_cos();
    (MIDDLE.0 - radius * sin, MIDDLE.1 - radius * cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forward_is_up_and_left_is_left() {
        let rose = Rose {
            title: "a < b".into(),
            unit: "N s".into(),
            spokes: vec![(0.0, 10.0), (core::f64::consts::FRAC_PI_2, 5.0), (core::f64::consts::PI, 0.0)],
            names: ["forward", "left", "backward", "right"].map(Into::into),
        };
        let svg = rose.to_svg();
        assert!(
            svg.contains("a &lt; b") && svg.contains("points=\"280.0,80.0 175.0,290.0 280.0,290.0\""),
            "{svg}"
        );
        assert!(Rose::default().to_svg().ends_with("</svg>\n"));
    }
}
