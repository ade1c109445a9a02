//! What came out, for scripts and for people.

use super::asked::Asked;
use super::done::Done;
use crate::args::WalkArgs;
use crate::report;
use anthropi_io::filtering::certificate;
use anthropi_io::report::walk::{between, compared, is_usual, near, words};
use anthropi_io::walking::Part;
use anthropi_motion::gait::Look;
use anthropi_motion::gait::ground::Ground;
use anthropi_motion::gait::measure::Range;
use anthropi_motion::gait::parameter::Kind;
use anthropi_motion::gait::people::Nearness;
use anthropi_motion::gait::steps::Stretch;
use comfy_table::Table;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// As others rely on it.
pub fn to_json(asked: &Asked, done: &Done) -> Value {
    let (walked, m) = (&done.walked, &done.walked.measured);
    let (clip, proof) = (&walked.filtered.clip, &walked.filtered.proof);
    let number = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let range = |r: &Range| json!({ "min": number(r.min), "max": number(r.max) });
    let determinants: Map<String, Value> =
        walked.measured.determinants.iter().map(|(name, r)| ((*name).to_string(), range(r))).collect();
    let parts = asked.walking.parts.iter().zip(&asked.stretches);
    let stretches: Vec<Value> = parts.map(|(part, stretch)| requested(part, stretch)).collect();
    let mut value = json!({
        "name": asked.walking.name,
        "figure": asked.figure.name,
        "mass_kg": asked.figure.mass(),
        "load_kg": asked.load,
        "height_m": asked.who.height,
        "fell": walked.fell().is_some(),
        "fell_at_s": walked.fell(),
        "speed": m.speed,
        "step_length": m.length,
        "step_frequency": m.frequency,
        "double_support_fraction": m.double_support,
        "flight_fraction": m.flight,
        "steps": walked.steps.steps.len(),
        "steady_steps": walked.steps.steps.iter().filter(|s| s.is_steady).count(),
        "duration_s": clip.duration(),
        "frames": clip.frames(),
        "fps": 1.0 / clip.dt(),
        "requested": if let [one] = &stretches[..] { one.clone() } else { json!({ "stretches": stretches }) },
        "determinants": determinants,
        "vertical_m": m.vertical,
        "landing_speed_m_per_s": m.landing,
        "slip_max_m": m.slip,
        "ground_force": {
            "vertical_min_bw": number(m.load.min), "vertical_max_bw": number(m.load.max),
            "fore_aft_min_bw": number(m.along.min), "fore_aft_max_bw": number(m.along.max),
            "friction_used": m.friction, "friction": asked.settings.friction,
        },
        "certificate": certificate(&walked.filtered),
        "solver": { "fallbacks": proof.fallbacks, "infeasible": proof.infeasible, "at_strength": proof.at_strength },
        "realtime_factor": done.realtime_factor(),
        "notes": done.notes,
    });
    if is_usual(&done.report(asked)) {
        let one = |n: &Nearness| {
            (
                n.name.to_string(),
                json!({ "within_1_sd": n.within[0], "within_2_sd": n.within[1], "farthest_deg": n.farthest, "at_percent": n.at }),
            )
        };
        value["people"] = walked.nearness().iter().map(one).collect::<Map<String, Value>>().into();
    }
    if let Some(studied) = &done.studied {
        value["one_step"] = studied.to_json();
    }
    if !m.jumps.is_empty() {
        let each = m.jumps.iter().map(|j| {
            json!({
                "height": j.height, "length": j.length, "flight_s": j.flight,
                "vertical_max_bw": number(j.load.max),
            })
        });
        value["jumps"] = each.collect();
        value["jump_height"] = json!(m.jumps.iter().map(|j| j.height).fold(0.0, f64::max));
    }
    if let Some(looks) = &done.looks {
        let table: Map<String, Value> = compared(looks)
            .into_iter()
            .map(|c| {
                (
                    c.key.to_string(),
                    json!({ "this": c.values[0], "neutral": c.values[1], "by": c.values[0] - c.values[1] }),
                )
            })
            .collect();
        value["compared_with_neutral"] = table.into();
    }
    value
}

/// What was asked of a stretch, and what follows.
pub fn requested(part: &Part, stretch: &Stretch) -> Value {
    let (asked, p) = (&part.request, &stretch.parameters);
    let (slope, stairs) = match stretch.ground {
        Ground::Level => (0.0, Value::Null),
        Ground::Slope(angle) => (angle.to_degrees(), Value::Null),
        Ground::Stairs { rise, tread } => (0.0, json!({ "rise": rise, "tread": tread })),
    };
    let mut determinants = part.manner.style.determinants;
    let amplitudes: Map<String, Value> = anthropi_motion::gait::determinant::NAMES
        .iter()
        .map(|name| ((*name).to_string(), json!(determinants.get_mut(name).map(|x| *x))))
        .collect();
    json!({
        "given": {
            "speed": asked.speed, "step_length": asked.length, "step_frequency": asked.frequency,
            "jump_height": asked.height,
        },
        "speed": p.speed,
        "step_length": p.length,
        "step_frequency": p.frequency,
        "double_support_fraction": (p.double / p.cycle()).max(0.0),
        "flight_fraction": (-p.double / p.cycle()).max(0.0),
        "gait": gait(p.kind),
        "jump_height": (p.kind == Kind::Jump).then_some(p.rise),
        "style": part.manner.name,
        "steps": stretch.steps,
        "turn_deg": stretch.turn.to_degrees(),
        "slope_deg": slope,
        "stairs": stairs,
        "determinants": amplitudes,
    })
}

pub(super) fn gait(kind: Kind) -> &'static str {
    match kind {
        Kind::Walk => "walk",
        Kind::Run => "run",
        Kind::Jump => "jump",
    }
}

/// For people.
pub fn to_text(asked: &Asked, done: &Done, args: &WalkArgs) -> String {
    let walked = &done.walked;
    let clip = &walked.filtered.clip;
    let [_, did] = words(&asked.stretches);
    let mut text = format!(
        "{}: {} steps in {:.2} s by {}: {}\n\n",
        asked.walking.name,
        walked.steps.steps.len(),
        clip.duration(),
        asked.figure.name,
        walked.fell().map_or_else(|| format!("it {did}"), |t| format!("it FELL at {t:.2} s")),
    );
    text.push_str(&parameters(asked, done));
    text.push('\n');
    if asked.stretches.iter().any(|s| s.parameters.kind != Kind::Jump) {
        let _ = writeln!(text, "{}\n", determinants(done));
    }
    if let Some(looks) = &done.looks {
        let _ = writeln!(text, "{}\n", against_neutral(looks));
    }
    text.push_str(&forces(asked, done));
    if is_usual(&done.report(asked)) {
        text.push_str("\nagainst people at the speed they choose\n");
        walked.nearness().iter().for_each(|n| {
            let _ = writeln!(text, "  {}", near(n));
        });
    }
    if let Some(studied) = &done.studied {
        let _ = write!(text, "\n{}", studied.to_text());
    }
    text.push_str("\nnotes\n");
    done.notes.iter().for_each(|n| {
        let _ = writeln!(text, "  {n}");
    });
    text.push('\n');
    text.push_str(&crate::cmd::filter::files(
        args.out.as_deref(),
        args.report.as_deref(),
        args.record.as_deref(),
    ));
    text
}

fn determinants(done: &Done) -> Table {
    let mut table = report::table(&["determinant", "least", "most", ""]);
    for (name, r) in &done.walked.measured.determinants {
        let unit = if *name == "lateral" { "m" } else { "deg" };
        let digits = if *name == "lateral" { 3 } else { 1 };
        table.add_row([
            name.replace('_', " "),
            format!("{:.digits$}", r.min),
            format!("{:.digits$}", r.max),
            unit.into(),
        ]);
    }
    table
}

fn against_neutral(looks: &[Look; 2]) -> Table {
    let mut table = report::table(&["against the neutral walk", "this", "neutral", "by", ""]);
    for c in compared(looks) {
        let shown = |x: f64| format!("{:.*}", c.digits, x);
        table.add_row([
            c.what.into(),
            shown(c.values[0]),
            shown(c.values[1]),
            format!("{:+.*}", c.digits, c.values[0] - c.values[1]),
            c.unit.into(),
        ]);
    }
    table
}

/// The ground, the feet on it, and whether physics holds.
fn forces(asked: &Asked, done: &Done) -> String {
    let (filtered, m) = (&done.walked.filtered, &done.walked.measured);
    let proof = &filtered.proof;
    let broken =
        proof.normal_violations + proof.friction_violations + proof.cop_outside + proof.torque_violations;
    let mut text = String::new();
    let mut line = |what: &str, value: String| {
        let _ = writeln!(text, "  {what:<18}{value}");
    };
    line(
        "ground force",
        format!(
            "vertical {} BW, fore-aft {} BW; friction used {:.2} of {}",
            between(&m.load),
            between(&m.along),
            m.friction,
            asked.settings.friction
        ),
    );
    line(
        "landing",
        format!("at {:.3} m/s at most; feet that stand slip by {:.2} mm at most", m.landing, 1000.0 * m.slip),
    );
    line(
        "physics",
        format!(
            "{}: {:.0e} N without a source in {} steps, {broken} times beyond friction, soles or strength",
            match (filtered.is_consistent(), filtered.fell) {
                (true, _) => "consistent",
                (false, None) => "NOT consistent",
                (false, Some(_)) => "NOT consistent, as it fell",
            },
            proof.force_peak,
            proof.steps
        ),
    );
    line("speed", format!("{:.1} times real time", done.realtime_factor()));
    text
}

/// What was asked for and what came out; of several stretches, what each asks.
fn parameters(asked: &Asked, done: &Done) -> String {
    let m = &done.walked.measured;
    if let [stretch] = &asked.stretches[..] {
        let p = stretch.parameters;
        let mut table = report::table(&["", "asked", words(&asked.stretches)[1], ""]);
        // who falls before a steady step has walked none as asked
        let is_measured = m.speed > 0.0 || p.kind == Kind::Jump;
        let mut row = |what: &str, asked: f64, walked: f64, digits: usize, unit: &str| {
            let walked = if is_measured { format!("{walked:.digits$}") } else { "-".into() };
            table.add_row([what.to_string(), format!("{asked:.digits$}"), walked, unit.to_string()]);
        };
        if p.kind == Kind::Jump {
            for j in &m.jumps {
                row("rise", p.rise, j.height, 3, "m");
                row("length", p.length, j.length, 3, "m");
                row("flight", -p.double, j.flight, 3, "s");
            }
            return format!("{table}\n");
        }
        row("speed", p.speed, m.speed, 3, "m/s");
        row("step length", p.length, m.length, 3, "m");
        row("step frequency", p.frequency, m.frequency, 3, "per s");
        match p.kind {
            Kind::Walk => row(
                "double support",
                100.0 * p.double / p.cycle(),
                100.0 * m.double_support,
                1,
                "% of the cycle",
            ),
            _ => row("flight", -100.0 * p.double / p.cycle(), 100.0 * m.flight, 1, "% of the cycle"),
        }
        return format!("{table}\n");
    }
    let mut table = report::table(&["stretch", "steps", "m/s", "m", "per s", "style"]);
    for (i, (part, s)) in asked.walking.parts.iter().zip(&asked.stretches).enumerate() {
        let p = s.parameters;
        table.add_row([
            format!("{} {}{}", i + 1, gait(p.kind), on(s)),
            s.steps.to_string(),
            format!("{:.2}", p.speed),
            format!("{:.2}", p.length),
            format!("{:.2}", p.frequency),
            part.manner.name.clone(),
        ]);
    }
    format!(
        "{table}\n\nover all steady steps: {:.3} m/s, {:.3} m, {:.3} per s, double support {:.1} %\n",
        m.speed,
        m.length,
        m.frequency,
        100.0 * m.double_support
    )
}

/// Turn and ground of a stretch, where there is something to say.
fn on(stretch: &Stretch) -> String {
    let ground = match stretch.ground {
        Ground::Level => String::new(),
        Ground::Slope(angle) => format!(", slope {:.0} deg", angle.to_degrees()),
        Ground::Stairs { rise, tread } => format!(", stairs {rise:.2} x {tread:.2} m"),
    };
    match stretch.turn {
        0.0 => ground,
        turn => format!("{ground}, turn {:.0} deg", turn.to_degrees()),
    }
}
