//! The certificate names and locates faults that are put into clean motions.

use anthropi_io::bvh;
use anthropi_motion::certificate::Certificate;
use anthropi_motion::clip::Clip;
use anthropi_motion::inverse::{Inverse, Settings};
use anthropi_motion::person::{Options, Person};
use std::path::Path;

fn clip(name: &str) -> Option<Clip> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../../shared/data/bvh/{name}.bvh"));
    let recording = bvh::read(&std::fs::read_to_string(path).ok()?, name).expect("a file of the data set");
    let person = Person::of(&recording, &Options::default()).expect("a person");
    Some(person.clip(&recording).expect("its motion"))
}

fn certify(clip: &Clip) -> Certificate {
    Certificate::of(&Inverse::of(clip, &Settings::default(), &mut |_| {}).expect("forces"))
}

fn changed(clip: &Clip, dt: f64, change: impl Fn(f64, &mut [f64])) -> Clip {
    let nq = clip.figure().forest().nq();
    let mut q = clip.poses().to_vec();
    q.chunks_exact_mut(nq).enumerate().for_each(|(f, q)| change(clip.time(f), q));
    Clip::new(clip.name.clone(), clip.figure().clone(), dt, q).unwrap()
}

fn say(name: &str, c: &Certificate) {
    println!(
        "{name}: ok {} {:?}\n   {:?} grf {:.2} tau {:?} P {:?}",
        c.is_consistent, c.residual, c.contact, c.grf_peak, c.torque_peak, c.power_peak
    );
    for f in &c.findings {
        println!("      {} {:?} worst {} sev {:.2}: {}", f.fault, f.frames, f.worst, f.severity, f.what);
    }
}

#[test]
fn survey() {
    for c in [
        "02_01", "02_02", "02_03", "02_04", "07_01", "09_01", "135_04", "13_11", "16_15", "16_19", "35_01",
        "49_06", "75_17", "81_06", "83_27",
    ] {
        let Some(clip) = clip(c) else { return };
        say(c, &certify(&clip));
    }
}

#[test]
fn inject() {
    let Some(walk) = clip("35_01") else { return };
    let window = |t: f64, a: f64, b: f64| {
        let x = ((t - a) / 0.1).clamp(0.0, 1.0) * ((b - t) / 0.1).clamp(0.0, 1.0);
        x * x * (3.0 - 2.0 * x)
    };
    say("walk float", &certify(&changed(&walk, walk.dt(), |t, q| q[2] += 0.06 * window(t, 1.0, 1.8))));
    say("walk sink", &certify(&changed(&walk, walk.dt(), |t, q| q[2] -= 0.06 * window(t, 1.0, 1.8))));
    say("walk skate", &certify(&changed(&walk, walk.dt(), |t, q| q[0] += 0.3 * (t - 1.0).clamp(0.0, 0.6))));
    say("walk x2", &certify(&changed(&walk, 0.5 * walk.dt(), |_, _| {})));
    say("walk x.5", &certify(&changed(&walk, 2.0 * walk.dt(), |_, _| {})));
    let Some(jump) = clip("13_11") else { return };
    say("jump 0.5g", &certify(&changed(&jump, 2f64.sqrt() * jump.dt(), |_, _| {})));
    say("jump x2", &certify(&changed(&jump, 0.5 * jump.dt(), |_, _| {})));
}
