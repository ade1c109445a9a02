//! Contacts, flights and faults over time.

use super::{WIDTH, figure, findings};
use crate::assessment::Assessment;
use crate::palette;
use crate::plot::{Bar, Lanes, Row};
use anthropi_motion::certificate::{Fault, Finding};
use anthropi_motion::contact_points::Site;
use std::ops::Range;

/// Colours with their CSS classes.
const LEFT: (&str, &str) = (palette::LEFT, "touch c0");
const RIGHT: (&str, &str) = (palette::RIGHT, "touch c1");
const FLIGHT: (&str, &str) = (palette::FLIGHT, "touch c5");
const FAULT: (&str, &str) = (palette::FAULT, "fault");

/// Writes the picture.
pub fn write(out: &mut String, motion: &Assessment) {
    let schedule = &motion.inverse.schedule;
    let mut rows: Vec<Row> = Vec::new();
    for (k, point) in schedule.points.iter().enumerate() {
        rows.push(contact_row(point.site, intervals(motion, &schedule.intervals(k))));
    }
    let (colour, class) = FLIGHT;
    let flights = intervals(motion, &schedule.flights());
    rows.push(Row { name: "flight".into(), colour, class, intervals: flights, bars: Vec::new() });
    let all = motion.certificate.findings.iter().take(findings::MAX_SHOWN).enumerate();
    let mut faults: Vec<Fault> = motion.certificate.findings.iter().map(|f| f.fault).collect();
    faults.sort();
    faults.dedup();
    for fault in faults {
        let own = all.clone().filter(|(_, f)| f.fault == fault);
        let bars = own.map(|(i, f)| bar(motion, i + 1, f)).collect();
        let (colour, class) = FAULT;
        rows.push(Row { name: fault.to_string(), colour, class, intervals: Vec::new(), bars });
    }
    let svg = Lanes { rows, x_label: "time, s".into() }.to_svg_on(&motion.sheet(WIDTH, 0.0));
    let what = match motion.certificate.findings.is_empty() {
        true => "contacts with the ground; grey: forces not assessed",
        false => "contacts with the ground, and faults in red; grey: forces not assessed",
    };
    figure(out, "Contacts and faults", what, &svg);
}

/// A lane of contact intervals in the colour of the side.
pub fn contact_row(site: Site, intervals: Vec<(f64, f64)>) -> Row {
    let name = site.to_string().replace('_', " ");
    let (colour, class) = if name.starts_with("left") { LEFT } else { RIGHT };
    Row { name, colour, class, intervals, bars: Vec::new() }
}

fn intervals(motion: &Assessment, frames: &[Range<usize>]) -> Vec<(f64, f64)> {
    frames.iter().map(|f| until_next(motion, f)).collect()
}

/// From the first frame to the one after the last.
fn until_next(motion: &Assessment, frames: &Range<usize>) -> (f64, f64) {
    (motion.time(frames.start), motion.time(frames.end.min(motion.frames() - 1)))
}

fn bar(motion: &Assessment, n: usize, finding: &Finding) -> Bar {
    let (from, until) = until_next(motion, &finding.frames);
    Bar {
        from,
        until,
        title: format!("{n}: {}, {from:.2} to {until:.2} s: {}", finding.fault, finding.what),
        id: format!("interval-{n}"),
        link: format!("#finding-{n}"),
    }
}
