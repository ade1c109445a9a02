use anthropi_motion::gait::{*, parameter::*, steps::*, style::*, ground::*};
use anthropi_motion::filter::{Push, Outside};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let figure = std::sync::Arc::new(anthropi_io::builtin::figure(&args[1]).unwrap().unwrap().figure);
    let walker = Walker::of(&figure, &[]).unwrap();
    let env = |n: &str| std::env::var(n).ok().and_then(|x| x.parse::<f64>().ok());
    for v in &args[2..] {
        let v: f64 = v.parse().unwrap();
        let who = walker.stature(Some(1.7));
        let kind = if env("RUN").is_some() { Kind::Run } else { Kind::Walk };
        let parameters = Parameters::of(Request { speed: Some(v), ..Default::default() }, kind, who).unwrap();
        let ground = match (env("SLOPE"), env("RISE")) { (Some(s), _) => Ground::Slope(s.to_radians()), (_, Some(r)) => Ground::Stairs { rise: r, tread: 0.32 }, _ => Ground::Level };
        let mut s = Stretch { steps: 10, parameters, style: Style::default(), turn: env("TURN").unwrap_or(0.0).to_radians(), ground, keeps_rhythm: false };
        let level = Stretch { steps: 2, ground: Ground::Level, turn: 0.0, ..s };
        if let Some(n) = env("N") { s.steps = n as usize; }
        let way = if ground == Ground::Level { vec![s] } else { vec![level, s, level] };
        let mut settings = Settings::default();
        if let Some(mu) = env("MU") { settings.friction = mu; }
        if let Some(p) = env("PUSH") {
            let link = figure.links().find(|(_, l)| l.spec.name == "chest").unwrap().0;
            let from = env("AT").unwrap_or(5.0);
            let ang = env("DIR").unwrap_or(90.0).to_radians();
            settings.pushes.push(Push { from, to: from + 0.2, outside: Outside { link, at: anthropi_dynamics::spatial::vec3(0.0, 0.0, 0.2), force: anthropi_dynamics::spatial::vec3(p * ang.cos(), p * ang.sin(), 0.0), is_known: false } });
        }
        let t0 = std::time::Instant::now();
        let w = match walker.walk(&way, &settings, &mut |_| (), &mut |_| ()) { Ok(w) => w, Err(e) => { println!("{v}: {e}"); continue } };
        let took = t0.elapsed().as_secs_f64();
        let m = &w.measured; let p = &w.filtered.proof;
        println!("{} {v:.2}: fell {:?} v {:.4} ({:+.2}%) L {:+.2}% f {:+.2}% ds {:.2} ({:.2}) fl {:.2} land {:.3} slip {:.2}mm Fz {:.2}..{:.2} Fx {:.2}..{:.2} mu {:.2} joint {:.2} deg peak1 {:.2} torque {:.0} viol {} {} {} {} fb {} root {:.0e} | {:.1}s in {took:.2}s settle {:.2}mm reach {:.1}mm", figure.name, w.fell(), m.speed, 100.0 * (m.speed / parameters.speed - 1.0), 100.0 * (m.length / parameters.length - 1.0), 100.0 * (m.frequency / parameters.frequency - 1.0), 100.0 * m.double_support, 100.0 * parameters.double / parameters.cycle(), 100.0*m.flight, m.landing, 1e3 * m.slip, m.load.min, m.load.max, m.along.min, m.along.max, m.friction, w.filtered.tracking.joint_rms_deg, p.grf_step_peak, p.torque_peak, p.normal_violations, p.friction_violations, p.cop_outside, p.torque_violations, p.fallbacks, p.force_peak, w.filtered.clip.duration(), 1e3 * w.settling.last().unwrap(), 1e3 * w.out_of_reach);
        for (n, r) in &m.determinants { print!("  {n} {:.1}..{:.1}", r.min, r.max); }
        println!("  vert {:.1} mm", 1e3 * m.vertical);
    }
}
