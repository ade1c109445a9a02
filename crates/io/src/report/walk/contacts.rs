//! Who stands when: heels and toes, with double support shaded.

use super::super::timeline::{LEFT, RIGHT};
use super::super::{WIDTH, figure};
use super::Report;
use crate::plot::{Lanes, Row};
use anthropi_motion::filter::GroundForce;
use anthropi_motion::touch;

/// Writes the picture.
pub fn write(out: &mut String, report: &Report) {
    let filtered = &report.walked.filtered;
    let time = |frame: usize| frame as f64 * filtered.clip.dt();
    let mut rows: Vec<Row> = Vec::new();
    for (k, place) in filtered.places.iter().enumerate().filter(|(_, p)| p.spot.is_foot()) {
        let name = place.spot.to_string().replace('_', " ");
        let (colour, class) = if name.starts_with("left") { LEFT } else { RIGHT };
        let presses = |frame: &Vec<GroundForce>| frame.iter().any(|f| f.place == k);
        let on: Vec<bool> = filtered.forces.iter().map(presses).collect();
        // forces are those of the frame that ends there
        let spells = touch::spells(&on);
        let spells = spells.iter().map(|s| (time(s.start.saturating_sub(1)), time(s.end - 1))).collect();
        rows.push(Row { name, colour, class, spells, bars: Vec::new() });
    }
    rows.sort_by_key(|r| r.name.starts_with("right"));
    let svg = Lanes { rows, x_label: "time, s".into() }.to_svg_on(&report.sheet(WIDTH, 0.0));
    let what = "what the ground presses on: heel strike, flat foot, heel rise, toe off; shaded: double support, both feet carry";
    figure(out, "Who stands", what, &svg);
}
