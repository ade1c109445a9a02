use anthropi_io::builtin;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let seconds: f64 = args[2].parse().unwrap();
    let scene = builtin::scene(&args[1]).unwrap().unwrap();
    let mut sim = scene.simulation().unwrap();
    let e0 = sim.energy().total();
    let (mut most, mut deep, mut deep_at) = (0.0_f64, 0.0_f64, 0.0);
    let n = (seconds / 1e-3) as usize;
    let t0 = std::time::Instant::now();
    let mut patches = 0;
    let verbose = args.len() > 3;
    let mut last = sim.contact_tally();
    for k in 0..n {
        if let Err(e) = sim.step(1e-3) { println!("{e}"); break; }
        let e = sim.energy().total();
        most = most.max(e - e0);
        let d = sim.penetration();
        if d > deep { deep = d; deep_at = sim.time(); }
        patches = patches.max(sim.contacts().len());
        let t = sim.contact_tally();
        if verbose && (t.fallbacks > last.fallbacks || t.violations > last.violations || t.cuts > last.cuts) {
            println!("t {:.3} {:?}", sim.time(), t);
        }
        if verbose && d > 1e-4 && deep < 2e-1 { println!("deep {:.5} {:.3e} shift {:.2e} vmax {:.2e} {:?}", sim.time(), d, 0.0, sim.state().v.iter().fold(0.0_f64, |m, x| m.max(x.abs())), t); }
        last = t;
        if k % (n / 10).max(1) == 0 {
            let q = &sim.state().q;
            println!("t {:.3} e {:.6} d {:.3e} q {:.6} {:.6} {:.6} contacts {}", sim.time(), e, d, q[0], q[1], q[2], sim.contacts().iter().filter(|c| c.center.is_some()).count());
        }
    }
    println!("{} energy {:.6} -> {:.6}, gain {:.3e}, deepest {:.3e} at {:.3}, most patches {patches}, {:.2} us a step", args[1], e0, sim.energy().total(), most, deep, deep_at, t0.elapsed().as_secs_f64()*1e6/n as f64);
    println!("{:?} {:016x}", sim.contact_tally(), sim.digest());
}
