//! Contacts, flights and faults over time.

use super::{Report, WIDTH, figure, findings};
use crate::plot::{Bar, Lanes, Row};
use anthropi_motion::certificate::{Fault, Finding};
use std::ops::Range;

/// Left, right, neither: the colours of the pictures.
pub const LEFT: (&str, &str) = ("#d55e00", "touch c1");
pub const RIGHT: (&str, &str) = ("#0072b2", "touch c0");
const FLIGHT: (&str, &str) = ("#56b4e9", "touch c5");
const FAULT: (&str, &str) = ("#c0392b", "fault");

/// Writes the picture.
pub fn write(out: &mut String, report: &Report) {
    let touches = &report.inverse.touches;
    let mut rows: Vec<Row> = Vec::new();
    for (k, place) in touches.places.iter().enumerate() {
        let name = place.spot.to_string().replace('_', " ");
        let look = if name.starts_with("left") { LEFT } else { RIGHT };
        rows.push(row(report, name, look, &touches.spells(k)));
    }
    rows.push(row(report, "flight".into(), FLIGHT, &touches.flights()));
    let all = report.certificate.findings.iter().take(findings::MOST).enumerate();
    let mut faults: Vec<Fault> = report.certificate.findings.iter().map(|f| f.fault).collect();
    faults.sort();
    faults.dedup();
    for fault in faults {
        let own = all.clone().filter(|(_, f)| f.fault == fault);
        let bars = own.map(|(i, f)| bar(report, i + 1, f)).collect();
        let (colour, class) = FAULT;
        rows.push(Row { name: fault.to_string(), colour, class, spells: Vec::new(), bars });
    }
    let svg = Lanes { rows, x_label: "time, s".into() }.to_svg_on(&report.sheet(WIDTH, 0.0));
    let what = match report.certificate.findings.is_empty() {
        true => "what touches the ground; grey: not judged by forces",
        false => "what touches the ground, and faults in red; grey: not judged by forces",
    };
    figure(out, "Contacts and faults", what, &svg);
}

fn row(
    report: &Report,
    name: String,
    (colour, class): (&'static str, &'static str),
    spells: &[Range<usize>],
) -> Row {
    let spells = spells.iter().map(|s| until_next(report, s)).collect();
    Row { name, colour, class, spells, bars: Vec::new() }
}

/// From a spell's first frame to the one after its last.
fn until_next(report: &Report, frames: &Range<usize>) -> (f64, f64) {
    (report.time(frames.start), report.time(frames.end.min(report.frames() - 1)))
}

fn bar(report: &Report, n: usize, finding: &Finding) -> Bar {
    let (from, until) = until_next(report, &finding.frames);
    Bar {
        from,
        until,
        title: format!("{n}: {}, {from:.2} to {until:.2} s: {}", finding.fault, finding.what),
        id: format!("spell-{n}"),
        link: format!("#finding-{n}"),
    }
}
